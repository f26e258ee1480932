"""Icons of the screen, drawn by code in a square of 100 by 100 units: hands, arrows, warnings."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise

import pygame

from companion.ui.toolkit.theme import BAD, GOLD, INK, PAPER, Colour

Point = tuple[float, float]


class Brush:
    """Draws on `surface` as if it were 100 wide and 100 high."""

    def __init__(self, surface: pygame.Surface, box: pygame.Rect | None = None) -> None:
        self._surface = surface
        self._box = box or surface.get_rect()

    def _x(self, x: float) -> float:
        return self._box.x + x * self._box.w / 100

    def _y(self, y: float) -> float:
        return self._box.y + y * self._box.h / 100

    def polygon(self, fill: Colour, *points: Point) -> None:
        """A filled polygon."""
        pygame.draw.polygon(self._surface, fill, [(self._x(x), self._y(y)) for x, y in points])

    def ellipse(self, fill: Colour, x: float, y: float, w: float, h: float | None = None) -> None:
        """A filled ellipse around (x, y), `w` wide and `h` high; in per cent of the box, as all are."""
        height = w if h is None else h
        rect = pygame.Rect(
            self._x(x - w / 2), self._y(y - height / 2), w * self._box.w / 100, height * self._box.h / 100
        )
        pygame.draw.ellipse(self._surface, fill, rect)

    def rounded_box(  # noqa: PLR0917
        self, fill: Colour, x: float, y: float, w: float, h: float, r: float = 0
    ) -> None:
        """A filled rectangle, its top left at (x, y), with corners of radius `r`; in per cent of the box."""
        rect = pygame.Rect(self._x(x), self._y(y), w * self._box.w / 100, h * self._box.h / 100)
        pygame.draw.rect(self._surface, fill, rect, border_radius=round(r * self._box.w / 100))

    def line(self, fill: Colour, width: float, *points: Point) -> None:
        """A thick line with round ends through the points; in per cent of the box."""
        thick = width * self._box.w / 100
        placed = [(self._x(x), self._y(y)) for x, y in points]
        for start, end in pairwise(placed):
            across = math.atan2(end[1] - start[1], end[0] - start[0]) + math.pi / 2
            dx, dy = math.cos(across) * thick / 2, math.sin(across) * thick / 2
            corners = [(start[0] + dx, start[1] + dy), (end[0] + dx, end[1] + dy)]
            corners += [(end[0] - dx, end[1] - dy), (start[0] - dx, start[1] - dy)]
            pygame.draw.polygon(self._surface, fill, corners)
        for spot in placed:
            pygame.draw.circle(self._surface, fill, spot, thick / 2)

    def arc(  # noqa: PLR0917
        self, fill: Colour, width: float, centre: Point, radius: float, start: float, end: float
    ) -> None:
        """Part of a circle, degrees clockwise from the right."""
        steps = max(3, round(abs(end - start) / 8))
        angles = [math.radians(start + (end - start) * step / steps) for step in range(steps + 1)]
        points: Sequence[Point] = [
            (centre[0] + radius * math.cos(a), centre[1] + radius * math.sin(a)) for a in angles
        ]
        self.line(fill, width, *points)


WHITE: Colour = (250, 250, 250)
GREY: Colour = (92, 104, 122)


def draw_hand(b: Brush) -> None:
    """A raised hand."""
    for fill, more in ((INK, 8), (WHITE, 0)):  # white with a line round it: it is seen on any ground
        for x, top in ((26, 24), (42, 10), (58, 12), (74, 24)):
            b.line(fill, 12 + more, (x, top + 6), (x, 58))
        b.line(fill, 12 + more, (12, 50), (30, 72))
        b.rounded_box(fill, 20 - more / 2, 48 - more / 2, 60 + more, 34 + more, 16)
        b.rounded_box(fill, 31 - more / 2, 70 - more / 2, 38 + more, 25 + more, 8)


def draw_cards(b: Brush) -> None:
    """A hand of cards, seen from behind."""
    for fill, *corners in (
        ((150, 164, 190), (8, 30), (40, 18), (60, 78), (28, 92)),
        ((196, 206, 222), (28, 18), (62, 12), (72, 78), (38, 84)),
        (WHITE, (50, 14), (84, 18), (76, 84), (42, 80)),
    ):
        b.line(INK, 8, *corners, corners[0])
        b.polygon(fill, *corners)


def _draw_card(b: Brush, x: float, y: float, wide: float = 34) -> None:
    """An upright card of two halves, its top left corner at (x, y)."""
    b.rounded_box(INK, x, y, wide, 1.5 * wide, 7)
    b.rounded_box(WHITE, x + 4, y + 4, wide - 8, 1.5 * wide - 8, 4)
    b.rounded_box(GREY, x + 9, y + 9, wide - 18, 0.5 * wide - 7, 2)


def _draw_gold(b: Brush, width: float, *points: Point) -> None:
    """A line in gold with a dark edge: it is seen on any ground."""
    b.line(INK, width + 8, *points)
    b.line(GOLD, width, *points)


def draw_play(b: Brush) -> None:
    """Cards go from the hand to the table."""
    for x in (8, 32, 56):
        _draw_card(b, x, 44)
    _draw_gold(b, 9, (24, 28), (50, 8), (76, 28))


def draw_take(b: Brush) -> None:
    """Cards come from the table to the hand."""
    for x in (8, 32, 56):
        _draw_card(b, x, 4)
    _draw_gold(b, 9, (24, 72), (50, 92), (76, 72))


def draw_add(b: Brush) -> None:
    """One more card to those that lie there."""
    for x in (4, 22):
        _draw_card(b, x, 22, 38)
    _draw_gold(b, 10, (80, 28), (80, 72))
    _draw_gold(b, 10, (66, 50), (94, 50))
    b.line(GOLD, 10, (80, 36), (80, 64))


def draw_spin(b: Brush) -> None:
    """The hand is turned round: what was below is above."""
    _draw_card(b, 31, 22, 38)
    for turn in (0, 180):
        for fill, width in ((INK, 15), (GOLD, 8)):
            b.arc(fill, width, (50, 50), 42, turn + 135, turn + 215)
        x, y = (9, 27) if not turn else (91, 73)
        away = 1 if not turn else -1
        tip = ((x - 7 * away, y + 9 * away), (x + 22 * away, y + 9 * away), (x + 14 * away, y - 17 * away))
        b.polygon(INK, *((px + (px - 50) * 0.04, py + (py - 50) * 0.04) for px, py in tip))
        b.polygon(GOLD, *tip)


def draw_warning(b: Brush) -> None:
    b.polygon(INK, (50, 4), (98, 92), (2, 92))
    b.line(BAD, 11, (50, 36), (50, 62))
    b.ellipse(BAD, 50, 79, 13)


def draw_pause(b: Brush) -> None:
    b.rounded_box(WHITE, 22, 10, 20, 80, 6)
    b.rounded_box(WHITE, 58, 10, 20, 80, 6)


def draw_check(b: Brush) -> None:
    b.line(GOLD, 16, (14, 54), (40, 82), (88, 18))


def draw_right_arrow(b: Brush) -> None:
    b.line(INK, 13, (12, 50), (70, 50))
    b.polygon(INK, (58, 20), (96, 50), (58, 80))


def draw_left_arrow(b: Brush) -> None:
    b.line(INK, 13, (88, 50), (30, 50))
    b.polygon(INK, (42, 20), (4, 50), (42, 80))


def draw_back_arrow(b: Brush) -> None:
    """Back to what was chosen before: bright, on a dark button."""
    b.line(WHITE, 13, (86, 50), (30, 50))
    b.polygon(WHITE, (44, 20), (6, 50), (44, 80))


def draw_up_arrow(b: Brush) -> None:
    b.line(INK, 13, (50, 88), (50, 30))
    b.polygon(INK, (20, 42), (50, 4), (80, 42))


def draw_down_arrow(b: Brush) -> None:
    b.line(INK, 13, (50, 12), (50, 70))
    b.polygon(INK, (20, 58), (50, 96), (80, 58))


def draw_eye(b: Brush) -> None:
    b.ellipse(INK, 50, 50, 100, 62)
    b.ellipse(WHITE, 50, 50, 92, 52)
    b.ellipse((52, 92, 158), 50, 50, 44)
    b.ellipse(INK, 50, 50, 22)


def draw_counter(b: Brush) -> None:
    """A plain disc: something of which no more is known than that it can be counted."""
    b.ellipse(GREY, 50, 50, 88)
    b.ellipse(WHITE, 50, 50, 74)
    b.ellipse(GREY, 50, 50, 56)


def draw_phone(b: Brush) -> None:
    """Somebody plays by a phone."""
    b.rounded_box(INK, 20, 0, 60, 100, 14)
    b.rounded_box(WHITE, 27, 7, 46, 86, 8)
    b.rounded_box((52, 92, 158), 33, 14, 34, 60, 3)
    b.ellipse(INK, 50, 84, 9)


def draw_sleeping_phone(b: Brush) -> None:
    """That phone sleeps: it is dark."""
    b.rounded_box(INK, 20, 0, 60, 100, 14)
    b.rounded_box(GREY, 27, 7, 46, 86, 8)
    b.rounded_box(INK, 33, 14, 34, 60, 3)
    b.line(WHITE, 7, (40, 30), (60, 30), (40, 58), (60, 58))
    b.ellipse(INK, 50, 84, 9)


PIPS: Mapping[int, Sequence[Point]] = {
    1: ((50, 50),),
    2: ((28, 28), (72, 72)),
    3: ((28, 28), (50, 50), (72, 72)),
    4: ((28, 28), (72, 28), (28, 72), (72, 72)),
    5: ((28, 28), (72, 28), (50, 50), (28, 72), (72, 72)),
    6: ((28, 25), (72, 25), (28, 50), (72, 50), (28, 75), (72, 75)),
}
"""Where the spots of a die are."""


def draw_die(b: Brush, face: int) -> None:
    b.rounded_box(INK, 2, 2, 96, 96, 18)
    b.rounded_box(WHITE, 7, 7, 86, 86, 14)
    for x, y in PIPS[face]:
        b.ellipse(INK, x, y, 19)


def draw_cup(b: Brush) -> None:
    """Dice lie under it."""
    for fill, less in ((INK, 0), ((150, 92, 58), 5)):
        b.polygon(fill, (24 + less, 6 + less), (76 - less, 6 + less), (90 - less, 86), (10 + less, 86))
        b.rounded_box(fill, 2 + less, 74 + less, 96 - 2 * less, 24 - 2 * less, 9 - less)
    b.polygon((186, 124, 82), (33, 15), (45, 15), (38, 76), (22, 76))


def draw_steps(b: Brush) -> None:
    """Cards in order, each higher than the one before."""
    for x, y, fill in ((4, 52, (120, 176, 226)), (36, 28, (236, 188, 82)), (68, 4, (232, 112, 92))):
        b.rounded_box(INK, x, y, 30, 96 - y, 7)
        b.rounded_box(fill, x + 4, y + 4, 22, 88 - y, 4)


def draw_heart(b: Brush) -> None:
    """A life."""
    for fill, less in ((INK, 0), ((226, 74, 96), 6)):
        for x in (29, 71):
            b.ellipse(fill, x, 34, 50 - less)
        b.polygon(fill, (5 + less, 43), (95 - less, 43), (50, 96 - less))


SUIT_INK: Colour = (27, 21, 38)
SUIT_RED: Colour = (196, 32, 43)


def draw_suit(b: Brush, suit: str) -> None:
    """The sign of a suit of a French deck, as on its cards."""
    fill = SUIT_RED if suit in {"diamonds", "hearts"} else SUIT_INK
    if suit == "diamonds":
        b.polygon(fill, (50, 2), (70, 28), (92, 50), (70, 72), (50, 98), (30, 72), (8, 50), (30, 28))
    elif suit == "hearts":
        for x in (28, 72):
            b.ellipse(fill, x, 31, 47)
        b.polygon(fill, (6, 40), (50, 24), (94, 40), (86, 56), (50, 96), (14, 56))
    else:
        b.polygon(fill, (46, 55), (54, 55), (58, 82), (70, 96), (30, 96), (42, 82))
        if suit == "clubs":
            for x, y in ((50, 26), (27, 57), (73, 57)):
                b.ellipse(fill, x, y, 43)
            b.rounded_box(fill, 40, 36, 20, 26)
        else:
            for x in (29, 71):
                b.ellipse(fill, x, 62, 43)
            b.polygon(fill, (50, 3), (62, 20), (92, 56), (50, 68), (8, 56), (38, 20))


def draw_clock(b: Brush) -> None:
    """Time is kept."""
    b.arc(PAPER, 9, (50, 50), 42, 0, 360)
    b.line(PAPER, 9, (50, 24), (50, 52), (66, 64))


ICON_PAINTERS: Mapping[str, Callable[[Brush], None]] = {
    **{f"die:{face}": partial(draw_die, face=face) for face in PIPS},
    "cup": draw_cup,
    **{f"suit:{suit}": partial(draw_suit, suit=suit) for suit in ("clubs", "diamonds", "spades", "hearts")},
    "steps": draw_steps,
    "heart": draw_heart,
    "clock": draw_clock,
    "hand": draw_hand,
    "cards": draw_cards,
    "play": draw_play,
    "pick_up": draw_take,
    "add": draw_add,
    "spin": draw_spin,
    "warning": draw_warning,
    "pause": draw_pause,
    "check": draw_check,
    "right": draw_right_arrow,
    "left": draw_left_arrow,
    "back": draw_back_arrow,
    "up": draw_up_arrow,
    "down": draw_down_arrow,
    "eye": draw_eye,
    "counter": draw_counter,
    "phone": draw_phone,
    "asleep": draw_sleeping_phone,
}
