"""Draws a banner in a player's colour: avatar, a large word, the cards it is about.

Words stand still from the first frame; only the colour comes in from the side, unless the screen is calm.
"""

import math
from dataclasses import dataclass

import pygame

from companion.core.actions import Chair, Micros
from companion.core.view import TokenHeap, View
from companion.ui.board.heaps import paint_token_pile
from companion.ui.board.lesson_cards import draw_turned_card
from companion.ui.board.stage_layout import CARD_ASPECT
from companion.ui.frame import GameFrame
from companion.ui.layout import FILL, Box, around, columns, rows, stack
from companion.ui.toolkit.sheet import Sheet
from companion.ui.toolkit.theme import GROUND, INK, LOOK, PAPER, REVEAL_TIME, Colour, blend, ink_on
from companion.ui.toolkit.widgets import paint_avatar

LAYOUT = LOOK.moment
BAND_RATIO = 2.8
"""A band is this many times wider than high."""
RAY_COUNT = 9
WORDS = 2.0
"""What happened, below the word, in smallest letters at most."""
MAX_CARDS, HEAP, HEAPED = 6, 28, 2.6
"""So many cards stand beside the words and so many tokens lie in a heap, at most, each so many em wide."""
MOTIF = 1.25
"""How wide a motif is beside the words, for a card's width."""
SLANTS = (2.5, -2.0)
"""By how many degrees one card after another stands askew."""
END_MARKS = "!.,: \N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}"
"""What a word may end in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BannerContent:
    """What a flood says."""

    chairs: tuple[Chair, ...]
    """Whose moment it is: of several none has its colour."""
    title: str
    subtitle: str = ""
    pictures: tuple[str, ...] = ()
    """Cards and motifs by name; one stands beside the words, more under them."""
    has_crown: bool = False
    heap: TokenHeap | None = None
    """What they won with, where that is no card."""
    is_prompt: bool = False
    """What is below the word is what has to be done now, and larger than it."""


def winners_banner(view: View, words: str) -> BannerContent:
    """Who won, and with what: cards, else as many tokens as the winner has of one kind."""
    assert view.outcome is not None
    winners = view.outcome.winners
    held = [token for one in view.chairs if one.chair in winners for token in one.tokens if not token.chip]
    most = max(held, key=lambda token: token.count, default=None)
    heap = None
    if len(winners) == 1 and most is not None and most.count > 1 and not view.decided:
        heap = TokenHeap("", most.motif or most.kind, most.count)
    return BannerContent(chairs=winners, title=words, pictures=view.decided, heap=heap, has_crown=True)


def banner_rect(sheet: Sheet, area: Box, name: str = "flood") -> Box:
    """What the colour covers."""
    return area._replace(h=round(area.h * LAYOUT[name] / 100))


def paint_banner(sheet: Sheet, rect: Box, content: BannerContent) -> None:
    """Paint it into `rect`; `draw_reveal` draws how it comes."""
    colour = sheet.colour(content.chairs[0]) if len(content.chairs) == 1 else PAPER
    ink = ink_on(colour)
    upright = rect.h > rect.w
    _paint_ground(sheet, rect, colour)
    sheet.moving["flood"] = rect
    _avatars(sheet, rect, content)
    pictures = content.pictures[:MAX_CARDS]
    right = rect.right - sheet.em(0.8)
    if len(pictures) == 1 or (pictures and _is_band(rect)):
        right, pictures = _paint_side_pictures(sheet, rect, pictures, won=content.has_crown), ()
    room = rect.inset(left=_text_left(rect) - rect.x, right=rect.right - right)
    if upright:  # one below the other
        room = Box(rect.x, rect.centery, rect.w, rect.h // 2).inflate(-sheet.em(2), 0)
    if pictures:
        room = _paint_picture_row(sheet, room, pictures, upright=upright, won=content.has_crown)
    elif content.heap is not None and not _is_band(rect):
        room, low, _ = rows(room, FILL, room.h * 44 // 100, sheet.em(0.9))
        heap = stack(low, min(low.w, 2 * low.h), low.h, "center" if upright else "left")
        paint_token_pile(sheet, heap, content.heap, most=HEAP, largest=HEAPED)
    _paint_text(sheet, room, content, ink)


def _is_band(rect: Box) -> bool:
    """Whether it is a band: what happens next has the larger part of the screen."""
    return rect.h * BAND_RATIO < rect.w


def _text_left(rect: Box) -> int:
    """Where the words begin."""
    return rect.x + round(rect.w * LAYOUT["band_x" if _is_band(rect) else "words_x"] / 100)


def _centre(rect: Box) -> tuple[int, int]:
    """Where the avatar stands, and the rays come from."""
    x = (rect.x + _text_left(rect)) // 2
    return (x, rect.centery) if rect.w >= rect.h else (rect.centerx, rect.y + rect.h // 3)


def _paint_ground(sheet: Sheet, rect: Box, colour: Colour) -> None:
    """The colour, and rays that are hardly lighter."""
    sheet.fill(rect, colour)
    light = blend(colour, PAPER if ink_on(colour) == INK else INK, LOOK.share["rays"])
    reach = rect.w + rect.h
    x, y = _centre(rect)
    sheet.surface.set_clip(rect)
    for ray in range(RAY_COUNT):
        angles = (math.tau * (ray + share) / RAY_COUNT for share in (0.0, 0.5))
        tips = [(x + reach * math.cos(angle), y + reach * math.sin(angle)) for angle in angles]
        pygame.draw.polygon(sheet.surface, light, [(x, y), *tips])
    sheet.surface.set_clip(None)


def _avatars(sheet: Sheet, rect: Box, content: BannerContent) -> None:
    """Whose moment it is, side by side; winners wear a crown."""
    x, y = _centre(rect)
    room = rect.w if rect.h > rect.w else _text_left(rect) - rect.x
    many = len(content.chairs)
    if not many:
        return
    size = min(
        sheet.u(LAYOUT["avatar"]), room * 9 // 10 // many, rect.h * (6 if content.has_crown else 8) // 10
    )
    step = min(room // many, size * 5 // 4)
    for place, chair in enumerate(content.chairs):
        at = x if many > 1 else max(x, rect.x + size * 2 // 3)
        at += round((place - (many - 1) / 2) * step)
        low = y + (size // 5 if content.has_crown else 0)
        paint_avatar(sheet, (at, low), size, chair)
        if content.has_crown:
            sheet.picture(sheet.art.motif("crown", size * 6 // 10), (at, low - size * 6 // 10))


def _paint_side_pictures(sheet: Sheet, rect: Box, names: tuple[str, ...], *, won: bool) -> int:
    """Pictures at the right, side by side; returns where they begin."""
    edge, gap = sheet.em(0.8), sheet.em(0.3)
    across = round(rect.w * (0.24 if len(names) == 1 else 0.35)) - gap * (len(names) - 1)
    height = min(sheet.u(LAYOUT["card"]), rect.h * 17 // 20, round(across / CARD_ASPECT / len(names)))
    width = round(height * CARD_ASPECT)
    row = Box(rect.x, _centre(rect)[1] - height // 2, rect.w - edge, height)
    cards = columns(row, *[width] * len(names), gap=gap, justify="end")
    for number, (card, name) in enumerate(zip(cards, names, strict=True)):
        if ":" in name:
            _paint_card(sheet, card, name, number, won=won)
        else:
            sheet.picture(sheet.art.motif(name, min(round(width * MOTIF), height)), card.center)
    return cards[0].x - edge


def _paint_picture_row(sheet: Sheet, room: Box, names: tuple[str, ...], *, upright: bool, won: bool) -> Box:
    """Several cards in a row at the foot of `room`, each a little askew; returns what is left above them."""
    gap = sheet.em(0.6)
    height = min(sheet.u(LAYOUT["card"]), room.h * 52 // 100)
    width = min(round(height * CARD_ASPECT), (room.w + gap) // len(names) - gap)
    above, row, _ = rows(room, FILL, min(height, round(width / CARD_ASPECT)), sheet.em(0.9))
    row = stack(row, len(names) * (width + gap) - gap, row.h, "center" if upright else "left")
    for number, (card, name) in enumerate(
        zip(columns(row, *[width] * len(names), gap=gap), names, strict=True)
    ):
        _paint_card(sheet, card, name, number, won=won)
    return above


def _paint_card(sheet: Sheet, card: Box, name: str, number: int, *, won: bool) -> None:
    """A card a little askew; one of those that `won` is seen to come."""
    picture = draw_turned_card(sheet, name, card.size, SLANTS[number % len(SLANTS)])
    lies = around(card.center, *picture.get_size())
    under = sheet.surface.subsurface(pygame.Rect(lies).clip(sheet.rect)).copy()
    sheet.picture(picture, card.center)
    if won:
        sheet.place(f"won:{number}", lies, (name,), picture, under)


def _paint_text(sheet: Sheet, rect: Box, content: BannerContent, ink: Colour) -> None:
    """The word as large as it fits, and under it what happened, or larger what to do."""
    words = without_repeated_word(content.subtitle, content.title)
    short = len(sheet.painter.fit_text(words, rect.w, rect.h, WORDS, bold=True).lines) < 2
    high = 7 if content.is_prompt else 8 if short else 6
    above, high = rect.h // 16, rect.h * (high if content.subtitle else 12) // 16
    _, upper, lower, _ = rows(rect, above, high, FILL, sheet.em(0.8))
    word, following = (LAYOUT[size] / 100 * LOOK.text["smallest"] for size in ("word", "next"))
    scale = min(word, max(1.0, upper.h / sheet.line_height))
    sheet.text(upper, content.title, scale, ink, bold=True)
    if content.subtitle:
        below = following if content.is_prompt else WORDS
        sheet.text(lower, words, below, ink, bold=True, middle=content.is_prompt)


def without_repeated_word(words: str, verdict: str) -> str:
    """A sentence without the word it begins with, where that stands above it already."""
    first, _, rest = words.partition(" ")
    same = first.rstrip(END_MARKS).casefold() == verdict.rstrip(END_MARKS).casefold()
    rest = rest.lstrip(END_MARKS)
    return rest[:1].upper() + rest[1:] if same and rest else words


def draw_reveal(surface: pygame.Surface, rect: Box, side: int, gone: Micros) -> None:
    """What the colour has not reached yet after `gone`, when it comes from the left (-1) or the right (1)."""
    share = 1 - (1 - min(1.0, max(0.0, gone / REVEAL_TIME))) ** 3
    width = round(rect.w * (1 - share))
    if width:
        surface.fill(GROUND, Box(rect.x if side > 0 else rect.right - width, rect.y, width, rect.h))


def screen_side(frame: GameFrame, chair: Chair) -> int:
    """On which side of the table this one sits: -1 left, 1 right."""
    chairs = [one.chair for one in frame.view.chairs]
    return -1 if chair in chairs[: len(chairs) // 2] else 1
