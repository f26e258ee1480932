"""Cache of pictures by size: shapes, tokens, cards, the camera's picture.

Cards and tokens are the deck's own, as `companion print --remake` writes them; none is opened before it is
wanted.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pygame

from companion.games import all_asset_folders
from companion.ui.layout import Box, around, stack
from companion.ui.toolkit.icons import ICON_PAINTERS, Brush
from companion.ui.toolkit.sprites import SpriteCache, draw_rounded_rect, draw_shape, draw_smooth, resize
from companion.ui.toolkit.text_painter import TextPainter
from companion.ui.toolkit.theme import BLUE_BACK, INK, LOOK, PAPER, TEXT, Colour, blend

WIDE = 44 / 68
"""Width of a card to its height."""
LETTERS: Mapping[int, float] = {1: 13.5 / 68, 2: 10.5 / 68}
"""How large the letters in the corner of a printed card are, to its height: of one number, and of two."""
UPRIGHT = frozenset({"6", "9"})
"""Numbers that would be one another upside down."""
COVERED = 0.1
"""How grey the half of a card is that nobody knows."""
LABEL_WIDE = 0.8
"""Of a card without a picture, its label at most."""
PAIR = 0.5
"""Height of the cards of a pair to that of the card they lie on."""


class PictureCache:
    """Owns every picture that was drawn or opened once."""

    def __init__(self, painter: TextPainter) -> None:
        self._painter = painter
        self.sprites = SpriteCache()
        self._folders: tuple[Path, ...] = ()
        self._files: dict[str, Path | None] = {}
        self._camera: tuple[Any, tuple[int, int], pygame.Surface] | None = None

    def chair_shape(
        self, shape: str, radius: int, fill: Colour, edge: Colour | None, ink: Colour | None = None
    ) -> pygame.Surface:
        """A chair's shape."""
        key = ("shape", shape, radius, fill, edge, ink)
        return self.sprites.get_or_draw(key, lambda: draw_shape(shape, radius, fill, edge, ink))

    def motif(self, name: str, side: int) -> pygame.Surface:
        """A sign or a deck's token, `side` wide and high; a counter where nothing is called so."""
        return self.sprites.get_or_draw(("motif", name, side), lambda: self._draw_motif(name, side))

    def _draw_motif(self, name: str, side: int) -> pygame.Surface:
        file = None if name in ICON_PAINTERS else self._file(f"tokens/{name}.png")
        if file is not None:
            return resize(pygame.image.load(file), (side, side))
        sign = ICON_PAINTERS.get(name, ICON_PAINTERS["counter"])
        return draw_smooth((side, side), lambda large, _: sign(Brush(large)))

    def card_face(self, card: str, size: tuple[int, int], on_top: tuple[str, ...] = ()) -> pygame.Surface:
        """A face by its id (`object:5-6`, `animal:3`) with what lies on it, in the middle of `size` (pixels).

        Where the number in its corner would be too small to read across a table, a paper tag has it large;
        on a card of which no picture is shipped a lone number is as large as the card.
        """
        return self.sprites.get_or_draw(
            ("card", card, size, on_top), lambda: self._draw_card_face(card, size, on_top)
        )

    def _draw_card_face(self, card: str, size: tuple[int, int], on_top: tuple[str, ...]) -> pygame.Surface:
        whole = pygame.Surface(size, pygame.SRCALPHA)
        label = card.partition(":")[2] or card
        numbers = label.split("-") if label.replace("-", "").isdigit() else []
        place = PictureCache.card_rect(Box(0, 0, *size))
        printed = self.printed_face(card, place.size)
        tagged = bool(numbers) and LETTERS[min(2, len(numbers))] * place.h < self._painter.unit
        tagged = tagged and (printed is not None or len(numbers) > 1)
        whole.blit(printed or self._draw_plain_card("" if tagged else label, place.size), place)
        self._blit_pair_cards(whole, on_top)
        if tagged:
            tag = self._number_tag(numbers, size[0])
            where = tag.get_rect(topleft=(place.x, place.y))
            if where.w > place.w:
                where.centerx = place.centerx
            whole.blit(tag, where.clamp(whole.get_rect()))
        return whole

    def _number_tag(self, numbers: Sequence[str], room: int) -> pygame.Surface:
        """Numbers as large as the smallest text on paper: beside each other, or one over the other."""
        drawn = [self._number(number) for number in numbers]
        pad, gap = max(2, self._painter.unit // 6), max(4, self._painter.unit // 3)
        high = max(each.get_height() for each in drawn)
        across = sum(each.get_width() for each in drawn) + gap * (len(drawn) - 1)
        stacked = across + 2 * pad > room
        size = (
            (max(each.get_width() for each in drawn), (high + 1) * len(drawn)) if stacked else (across, high)
        )
        tag = pygame.Surface((size[0] + 2 * pad, size[1] + 2 * pad), pygame.SRCALPHA)
        draw_rounded_rect(
            tag, self.sprites, Box(0, 0, *tag.get_size()), PAPER, INK, radius=pad, width=max(1, pad // 3)
        )
        spot = Box(pad, pad, 0, high)
        for place, each in enumerate(drawn):
            if stacked:
                tag.blit(each, ((tag.get_width() - each.get_width()) // 2, spot.y))
                spot = spot.move(0, high + 1)
                continue
            if place:
                centre = (spot.x - gap // 2, spot.y + self._painter.unit * 36 // 100)
                tag.fill(INK, around(centre, gap // 2, max(2, gap // 4)))
            tag.blit(each, spot)
            spot = spot.move(each.get_width() + gap, 0)
        return tag

    def _number(self, number: str) -> pygame.Surface:
        """A number of a card, cut out; a lone 6 or 9 is underlined, as it is in print."""
        word = self._painter.render_text(number, 1.0, INK, bold=True)
        tight = word.get_bounding_rect()
        line = max(1, tight.h // 8) if number in UPRIGHT else 0
        whole = pygame.Surface((tight.w, tight.h + 2 * line), pygame.SRCALPHA)
        whole.blit(word, (0, 0), tight)
        whole.fill(INK, (0, whole.get_height() - line, tight.w, line))
        return whole

    def _blit_pair_cards(self, whole: pygame.Surface, cards: Sequence[str]) -> None:
        """The cards of a pair side by side at the foot of the card that they lie on."""
        width, height = whole.get_size()
        wide = min(round(height * PAIR * WIDE), width // max(1, len(cards)))
        one = Box(0, 0, max(1, wide), max(1, round(wide / WIDE)))
        left = (width - one.w * len(cards)) // 2
        for place, card in enumerate(cards):
            face = self.printed_face(card, one.size) or self._draw_plain_card(
                card.partition(":")[2], one.size
            )
            whole.blit(face, (left + place * one.w, height - one.h))

    def _draw_plain_card(self, label: str, size: tuple[int, int]) -> pygame.Surface:
        """Paper with a large label, if any, for a card of which no picture is shipped."""
        face = draw_smooth(size, lambda large, factor: _draw_paper(large, PAPER, factor))
        if not label:
            return face
        words = self._painter.render_text(label, 1.0, INK, bold=True)
        share = min(size[0] * LABEL_WIDE / max(1, words.get_width()), size[1] * 0.9 / words.get_height())
        if share >= 1.0:
            words = self._painter.render_text(label, share, INK, bold=True)
        else:
            words = resize(
                words, (max(1, round(words.get_width() * share)), max(1, round(words.get_height() * share)))
            )
        where = words.get_rect(center=face.get_rect().center)
        face.blit(words, where)
        if label in UPRIGHT:
            ink = words.get_bounding_rect().move(where.topleft)
            thick = max(1, ink.h // 8)
            face.fill(INK, (ink.x, ink.bottom + thick, ink.w, thick))
        return face

    def card_back(self, size: tuple[int, int], card: str = "") -> pygame.Surface:
        """A card face down in the middle of `size` (pixels).

        With `card`, that back, with room for a number.
        """
        return self.sprites.get_or_draw(("back", card, size), lambda: self._draw_card_back(card, size))

    def _draw_card_back(self, card: str, size: tuple[int, int]) -> pygame.Surface:
        whole = pygame.Surface(size, pygame.SRCALPHA)
        place = PictureCache.card_rect(Box(0, 0, *size))
        printed = self.printed_face(card, place.size) if card else None
        whole.blit(printed or draw_smooth(place.size, _draw_back_pattern), place)
        if printed is not None:
            ground = printed.get_at((max(1, place.w // 50), place.h // 2))
            plaque = stack(place, round(place.w * 0.94), round(place.w * 0.74))
            fill = (ground.r, ground.g, ground.b)
            draw_rounded_rect(whole, self.sprites, plaque, fill, radius=round(place.w * 0.3))
        return whole

    def printed_face(self, card: str, size: tuple[int, int]) -> pygame.Surface | None:
        """A face as the deck has it on paper, in its own proportions in the middle of `size` (pixels).

        None where no picture of it is shipped. What is called as a sign, such as a die, is that sign.
        """
        if card in ICON_PAINTERS:
            whole = pygame.Surface(size, pygame.SRCALPHA)
            sign = self.motif(card, min(size))
            whole.blit(sign, sign.get_rect(center=whole.get_rect().center))
            return whole
        file = self._file(f"enrol/{card.replace(':', '%3a')}.jpg")
        if file is None:
            return None
        return self.sprites.get_or_draw(
            ("printed", card, size), lambda: _round_corners(pygame.image.load(file), size)
        )

    def half_face(self, kind: str, value: str, size: tuple[int, int]) -> pygame.Surface:
        """A card of which only the value that is up is known: what is printed below it is covered."""

        def draw() -> pygame.Surface:
            file, turn = self._file(f"enrol/{kind}%3a{value}-*.jpg"), 0
            if file is None:
                file, turn = self._file(f"enrol/{kind}%3a*-{value}[!0-9]*"), 180
            if file is None:
                return self._draw_plain_card(value, size)
            face = pygame.transform.rotate(_round_corners(pygame.image.load(file), size), turn)
            place = PictureCache.card_rect(Box(0, 0, *size))
            low = place.inset(left=place.w * 5 // 100, right=place.w * 5 // 100, bottom=place.h * 3 // 100)
            face.fill(blend(PAPER, INK, COVERED), low.inset(top=place.h * 57 // 100))
            return face

        return self.sprites.get_or_draw(("half", kind, value, size), draw)

    def leaning_mat(self, game: str, size: tuple[int, int], far: float) -> pygame.Surface:
        """A game's mat as one sees it who sits before it; `far`: its upper side to the lower."""

        def draw() -> pygame.Surface:
            whole = pygame.Surface(size, pygame.SRCALPHA)
            file = self._file(f"../{game}/mat.jpg")
            if file is None:
                return whole
            flat, (wide, high) = pygame.image.load(file), size
            for y in range(high):
                share = far + (1 - far) * y / high
                row = min(flat.get_height() - 1, round(flat.get_height() * y / high / share))
                strip = flat.subsurface((0, row, flat.get_width(), 1))
                strip = pygame.transform.smoothscale(strip, (round(wide * share), 1))
                whole.blit(strip, ((wide - strip.get_width()) // 2, y))
            return whole

        return self.sprites.get_or_draw(("mat", game, size), draw)

    def _file(self, name: str) -> Path | None:
        """Where a picture of a deck is kept; looked for once."""
        if name not in self._files:
            self._folders = self._folders or all_asset_folders()
            found = (path for at in self._folders for path in sorted(at.glob(f"decks/*/{name}")))
            self._files[name] = next(found, None)
        return self._files[name]

    @staticmethod
    def card_rect(rect: Box) -> Box:
        """The largest card in the middle of `rect`; one that misses its proportions by a point fills it."""
        wide, high = min(rect.w, round(rect.h * WIDE)), min(rect.h, round(rect.w / WIDE))
        wide, high = max(1, wide), max(1, high)
        if abs(wide - rect.w) <= 1 + rect.w // 40 and abs(high - rect.h) <= 1 + rect.h // 40:
            return rect
        return stack(rect, wide, high)

    def camera_picture(self, picture: Any, size: tuple[int, int]) -> pygame.Surface:
        """A picture of the camera (BGR), as large as fits into `size`."""
        if self._camera is None or self._camera[0] is not picture or self._camera[1] != size:
            height, width = picture.shape[:2]
            raw = pygame.image.frombuffer(picture.tobytes(), (width, height), "BGR")
            share = min(size[0] / width, size[1] / height)
            small = pygame.transform.smoothscale(raw, (round(width * share), round(height * share)))
            self._camera = (picture, size, small)
        return self._camera[2]


def _round_corners(picture: pygame.Surface, size: tuple[int, int]) -> pygame.Surface:
    """A picture of a card with the corners a card has."""
    whole = pygame.Surface(size, pygame.SRCALPHA)
    place = PictureCache.card_rect(Box(0, 0, *size))
    radius = max(2, round(place.w * LOOK.radius["card"]))

    def corners(large: pygame.Surface, factor: float) -> None:
        pygame.draw.rect(large, (255, 255, 255), large.get_rect(), border_radius=round(radius * factor))

    face = draw_smooth(place.size, corners)
    face.blit(pygame.transform.smoothscale(picture, place.size), (0, 0), special_flags=pygame.BLEND_RGBA_MIN)
    whole.blit(face, place)
    return whole


def _draw_paper(surface: pygame.Surface, ground: Colour, factor: float) -> None:
    rect = surface.get_rect()
    pygame.draw.rect(surface, INK, rect, border_radius=round(9 * factor))
    inner = rect.inflate(round(-3 * factor), round(-3 * factor))
    pygame.draw.rect(surface, ground, inner, border_radius=round(8 * factor))


def _draw_back_pattern(surface: pygame.Surface, factor: float) -> None:
    _draw_paper(surface, BLUE_BACK, factor)
    rect = surface.get_rect().inflate(round(-10 * factor), round(-10 * factor))
    line = blend(BLUE_BACK, TEXT, 0.28)
    pygame.draw.rect(surface, line, rect, round(1.5 * factor), border_radius=round(6 * factor))
