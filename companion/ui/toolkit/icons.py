"""Icons of the screen, drawn by code: hands, arrows, warnings."""

from collections.abc import Callable, Mapping

from companion.ui.toolkit.brush import Brush
from companion.ui.toolkit.design_tokens import Colour
from companion.ui.toolkit.theme import BAD, GOLD, INK

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


def draw_up_arrow(b: Brush) -> None:
    b.line(INK, 13, (50, 88), (50, 30))
    b.polygon(INK, (20, 42), (50, 4), (80, 42))


def draw_down_arrow(b: Brush) -> None:
    b.line(INK, 13, (50, 12), (50, 70))
    b.polygon(INK, (20, 58), (50, 96), (80, 58))


def draw_eye(b: Brush) -> None:
    b.ellipse(WHITE, 50, 50, 96, 56)
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


ICON_PAINTERS: Mapping[str, Callable[[Brush], None]] = {
    "hand": draw_hand,
    "cards": draw_cards,
    "warning": draw_warning,
    "pause": draw_pause,
    "check": draw_check,
    "right": draw_right_arrow,
    "left": draw_left_arrow,
    "up": draw_up_arrow,
    "down": draw_down_arrow,
    "eye": draw_eye,
    "counter": draw_counter,
    "phone": draw_phone,
    "asleep": draw_sleeping_phone,
}
