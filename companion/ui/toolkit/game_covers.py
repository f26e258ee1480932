"""Draws the covers from which a game is chosen."""

import io
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import pygame

from companion.core.game import Cover
from companion.ui.frame import GameOffer
from companion.ui.layout import FILL, Box, cell, columns, stack
from companion.ui.toolkit.picture_cache import WIDE, PictureCache
from companion.ui.toolkit.sheet import Sheet, TouchAction
from companion.ui.toolkit.sprites import draw_rounded_rect
from companion.ui.toolkit.theme import DARK, GOLD, INK, LOOK, PAPER, TEXT, Colour, blend, ink_on, parse_colour

MAX_WIDE_COVERS, MAX_ROWS = 4, 3
"""More covers than these stand in at most three rows, and below the picture of each stands its name alone."""
PAD = 0.4
"""Room beside the words, in smallest letters."""
Size = tuple[int, int]
Fan = Sequence[tuple[float, float, float, float]]
FANS: Mapping[int, Fan] = {
    1: ((0.5, 0.06, 1.55, -3),),
    2: ((0.28, 0.18, 1.45, 9), (0.54, 0.06, 1.55, -3)),
    3: ((0.22, 0.18, 1.4, 12), (0.5, 0.05, 1.55, 2), (0.79, 0.18, 1.4, -11)),
}
"""By how many cards: middle and upper edge as shares of the picture, height to its, and slant in degrees."""
MAX_CARD_WIDTH = 0.34
"""Of a card in a fan, to the picture's."""
TOKEN_POSITIONS = ((0.84, 0.24, 0.44), (0.89, 0.68, 0.56), (0.75, 0.58, 0.38))
"""Tokens: middle and size as shares of the picture's width and height."""


@dataclass(frozen=True, slots=True)
class CoverGrid:
    """Where the covers stand, and the picture on each."""

    cells: tuple[Box, ...]
    pictures: tuple[Box, ...]


def layout_covers(sheet: Sheet, rect: Box, offered: Sequence[GameOffer]) -> CoverGrid:
    """As many columns as the covers need; what a label needs for its words the picture leaves it."""
    count = len(offered)
    across = 1 if count == 1 else 2
    if count > MAX_WIDE_COVERS:
        across = max(3, -(-count // MAX_ROWS))
    rows = max(1, -(-count // across))
    gap = sheet.u(LOOK.home["gap"])
    ends = [-(-count * row // rows) for row in range(rows + 1)]
    lines = [offered[first:end] for first, end in pairwise(ends)]
    cells = tuple(
        place
        for row, line in enumerate(lines)
        for place in _divide_row(sheet, cell(rect, (1, rows), (0, row), gap=gap), line, gap)
    )
    pictures = tuple(
        box.inset(bottom=_label_height(sheet, offer, box.w, len(offered)))
        for box, offer in zip(cells, offered, strict=True)
    )
    return CoverGrid(cells, pictures)


def _divide_row(sheet: Sheet, row: Box, offered: Sequence[GameOffer], gap: int) -> tuple[Box, ...]:
    """As wide as one another, but for names that need more to stand on one line, if the row has it.

    Else what two lines of each name leave is shared.
    """
    share = (row.w - gap * (len(offered) - 1)) // len(offered)
    names = [sheet.tr(f"{offer.game}.name") for offer in offered]
    needs = [sheet.text_width(name, bold=True) + 2 * sheet.em(PAD) + 2 for name in names]
    if sum(needs) <= share * len(needs):
        return columns(row, *[need if need > share else FILL for need in needs], gap=gap)
    needs = [_two_lines_width(sheet, name) + 2 * sheet.em(PAD) + 2 for name in names]
    spare = share - sum(needs) // len(needs)
    return columns(row, *[need + spare if spare > 0 else FILL for need in needs], gap=gap)


def _two_lines_width(sheet: Sheet, name: str) -> int:
    """Of the wider of two lines."""
    words = name.split()
    ways = ((" ".join(words[:at]), " ".join(words[at:])) for at in range(len(words)))
    return min(max(sheet.text_width(line, bold=True) for line in way) for way in ways)


def paint_covers(
    sheet: Sheet, at: CoverGrid, offered: Sequence[GameOffer], chosen: str, picked: Mapping[str, TouchAction]
) -> None:
    """Paint them but for their pictures; `picked`: what choosing each does, where it can be chosen."""
    corner = sheet.u(LOOK.radius["plate"])
    for box, top, offer in zip(at.cells, at.pictures, offered, strict=True):
        is_chosen = offer.game == chosen
        sheet.shadow(box, "asked" if is_chosen else "plate", corner, GOLD if is_chosen else DARK)
        if is_chosen:
            line = sheet.u(LOOK.line["asked"])
            draw_rounded_rect(
                sheet.surface,
                sheet.art.sprites,
                box.inflate(2 * line, 2 * line),
                GOLD,
                radius=corner + line,
            )
        fill = _label_fill(offer, chosen)
        draw_rounded_rect(sheet.surface, sheet.art.sprites, box, fill, radius=corner)
        if top.h > corner:
            sheet.surface.set_clip(top)
            draw_rounded_rect(
                sheet.surface, sheet.art.sprites, box, parse_colour(offer.cover.ground), radius=corner
            )
            sheet.surface.set_clip(None)
            sheet.fill(Box(box.x, top.bottom - max(1, corner // 6), box.w, max(1, corner // 6)), INK)
        foot = Box(box.x, top.bottom, box.w, box.bottom - top.bottom)
        _paint_label(sheet, foot, offer, len(offered), fill=fill)
        if offer.game in picked:
            sheet.target(f"game:{offer.game}", box, picked[offer.game])


def paint_player_counts(sheet: Sheet, at: CoverGrid, offered: Sequence[GameOffer], chosen: str) -> None:
    """For how many each game is, on a tab of its label, where that has no room beside the name."""
    if len(offered) <= MAX_WIDE_COVERS:
        return
    for picture, offer in zip(at.pictures, offered, strict=True):
        words = player_range(offer)
        wide, hidden = sheet.text_width(words, bold=True) + 2 * sheet.em(PAD), sheet.em(PAD)
        tab = stack(picture, wide, sheet.line_height, "bottomleft")
        sheet.surface.set_clip(tab)
        whole = tab.inset(left=-hidden)._replace(h=tab.h + hidden)
        sheet.box(whole, _label_fill(offer, chosen), INK, radius=PAD)
        sheet.surface.set_clip(None)
        sheet.text(tab, words, 1.0, INK, bold=True, align="center", grows=False)


def player_range(offer: GameOffer) -> str:
    """For how many people it is."""
    return f"{offer.least}" if offer.least == offer.most else f"{offer.least}–{offer.most}"


def _label_fill(offer: GameOffer, chosen: str) -> Colour:
    return GOLD if offer.game == chosen else PAPER


def _label_lines(sheet: Sheet, offer: GameOffer, covers: int) -> Iterator[tuple[str, float, bool]]:
    """What is written on one of so many covers: words, their scale, whether they are bold."""
    brief = covers > MAX_WIDE_COVERS
    size = LOOK.home["brief" if brief else "name"]
    yield sheet.tr(f"{offer.game}.name"), size * LOOK.text["smallest"] / 100, True
    if brief:
        return
    players = "ui.home.just" if offer.least == offer.most else "ui.home.players"
    facts = [sheet.tr(players, least=offer.least, most=offer.most)]
    if offer.cover.minutes:
        facts.append(sheet.tr("ui.home.minutes", minutes=offer.cover.minutes))
    yield " · ".join(facts), 1.0, False
    if offer.cover.line:
        yield sheet.tr(offer.cover.line), 1.0, False


def _label_height(sheet: Sheet, offer: GameOffer, width: int, covers: int) -> int:
    """How high the label has to be."""
    pad = sheet.em(PAD)
    lines = _label_lines(sheet, offer, covers)
    return pad + sum(_line_height(sheet, width - 2 * pad, *line) for line in lines)


def _line_height(sheet: Sheet, room: int, words: str, scale: float, bold: bool) -> int:  # noqa: FBT001
    """Of one line: its words are rather smaller than on two, which are as small as words may be."""
    line = sheet.painter.line_height(scale)
    if not sheet.painter.fit_text(words, room, line, scale, bold=bold).cut:
        return line
    return len(sheet.painter.fit_text(words, room, sheet.rect.h, bold=bold).lines) * sheet.line_height


def _paint_label(sheet: Sheet, foot: Box, offer: GameOffer, covers: int, *, fill: Colour) -> None:
    pad = sheet.em(PAD)
    top = foot.y + pad // 2
    for words, scale, bold in _label_lines(sheet, offer, covers):
        high = _line_height(sheet, foot.w - 2 * pad, words, scale, bold)
        line = Box(foot.x + pad, top, foot.w - 2 * pad, high)
        sheet.text(line, words, scale, ink_on(fill), bold=bold)
        top = line.bottom


def draw_cover_picture(art: PictureCache, cover: Cover, size: Size, corner: int) -> pygame.Surface:
    """What stands above the label: the deck's faces on rays; drawn twice as large, and scaled down."""
    large = pygame.Surface((2 * size[0], 2 * size[1]), pygame.SRCALPHA)
    ground = parse_colour(cover.ground)
    large.fill(ground)
    if cover.near:
        _draw_strips(large, art, cover)
    else:
        _draw_rays(large, blend(ground, TEXT, LOOK.home["ray"]))
        _draw_fan(large, art, cover)
    return _cut_round(art, pygame.transform.smoothscale(large, size), corner)


def draw_photo_cover(art: PictureCache, photo: bytes, size: Size, corner: int) -> pygame.Surface:
    """A photo, a small JPEG, in its place: it fills all of it, and what reaches beyond is cut off."""
    picture = pygame.image.load(io.BytesIO(photo))
    whole = picture.get_rect()
    seen = pygame.Rect(0, 0, *size).fit(whole)
    seen.size = max(1, seen.w), max(1, seen.h)
    lid = pygame.Surface(size, pygame.SRCALPHA)
    lid.blit(pygame.transform.smoothscale(picture.subsurface(seen.clamp(whole)), size), (0, 0))
    return _cut_round(art, lid, corner)


def _cut_round(art: PictureCache, small: pygame.Surface, corner: int) -> pygame.Surface:
    """The picture with its upper corners round."""
    size = small.get_size()
    mask = pygame.Surface(size, pygame.SRCALPHA)
    draw_rounded_rect(
        mask, art.sprites, Box(0, 0, size[0], size[1] + 2 * corner), (255, 255, 255), radius=corner
    )
    small.blit(mask, (0, 0), special_flags=pygame.BLEND_RGBA_MIN)
    return small


def _draw_rays(large: pygame.Surface, colour: Colour) -> None:
    count, reach = round(LOOK.home["rays"]), sum(large.get_size())
    middle = large.get_rect().center
    for ray in range(count):
        turns = ((ray * 2 + edge) / (2 * count) * math.tau for edge in (0, 1))
        ends = [(middle[0] + reach * math.cos(turn), middle[1] + reach * math.sin(turn)) for turn in turns]
        pygame.draw.polygon(large, colour, [middle, *ends])


def _draw_fan(large: pygame.Surface, art: PictureCache, cover: Cover) -> None:
    """Cards beside and over one another; the lower edge of the picture cuts them off."""
    wide, high = large.get_size()
    faces = cover.faces[: max(FANS)]
    across = min(wide, 5 * high // 2) if cover.beside == "" else wide
    for face, (x, y, height, slant) in zip(faces, FANS.get(len(faces), ()), strict=False):
        tall = min(round(high * height), round(wide * MAX_CARD_WIDTH / WIDE))
        card = art.printed_face(face, (round(tall * WIDE), tall))
        if card is not None:
            shift = 0.0 if not cover.beside else -0.06
            turned = pygame.transform.rotozoom(card, slant, 1.0)
            left = (wide - across) / 2 + across * (x + shift)
            large.blit(turned, turned.get_rect(midtop=(round(left), round(high * y))))
    if cover.motif:
        side = high * 4 // 5
        sign = art.motif(cover.motif, side)
        large.blit(sign, sign.get_rect(center=(wide // 2, high // 2)))
    for x, y, share in TOKEN_POSITIONS if cover.beside else ():
        token = art.motif(cover.beside, round(high * share))
        large.blit(token, token.get_rect(center=(round(wide * x), round(high * y))))


def _draw_strips(large: pygame.Surface, art: PictureCache, cover: Cover) -> None:
    """Faces from near, side by side, each as wide as its share."""
    wide, high = large.get_size()
    width = -(-wide // max(1, len(cover.faces)))
    line = max(2, high // 45)
    for place, face in enumerate(cover.faces):
        near = max(round(width * 1.34), round(high * WIDE))
        card = art.printed_face(face, (near, round(near / WIDE)))
        if card is None:
            continue
        top = (card.get_height() - high) // 2
        part = Box((near - width) // 2, max(0, top), width, high)
        large.blit(card, (place * width, max(0, -top)), part)
        if place:
            large.fill(INK, (place * width - line // 2, 0, line, high))
