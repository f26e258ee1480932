"""The screen's own signs, each in a square of 100: hands, arrows, warnings, what no deck has a picture of."""

from collections.abc import Callable, Mapping

from companion.ui.brush import Brush
from companion.ui.theme import BAD, GOLD, INK
from companion.ui.tokens import Colour

WHITE: Colour = (250, 250, 250)
GREY: Colour = (92, 104, 122)


def hand(b: Brush) -> None:
    """A raised hand."""
    for fill, more in ((INK, 8), (WHITE, 0)):  # white with a line round it: it is seen on any ground
        for x, top in ((26, 24), (42, 10), (58, 12), (74, 24)):
            b.line(fill, 12 + more, (x, top + 6), (x, 58))
        b.line(fill, 12 + more, (12, 50), (30, 72))
        b.box(fill, 20 - more / 2, 48 - more / 2, 60 + more, 34 + more, 16)
        b.box(fill, 31 - more / 2, 70 - more / 2, 38 + more, 25 + more, 8)


def cards(b: Brush) -> None:
    """A hand of cards, seen from behind."""
    for fill, *corners in (
        ((150, 164, 190), (8, 30), (40, 18), (60, 78), (28, 92)),
        ((196, 206, 222), (28, 18), (62, 12), (72, 78), (38, 84)),
        (WHITE, (50, 14), (84, 18), (76, 84), (42, 80)),
    ):
        b.line(INK, 8, *corners, corners[0])
        b.poly(fill, *corners)


def warning(b: Brush) -> None:
    b.poly(INK, (50, 4), (98, 92), (2, 92))
    b.line(BAD, 11, (50, 36), (50, 62))
    b.oval(BAD, 50, 79, 13)


def pause(b: Brush) -> None:
    b.box(WHITE, 22, 10, 20, 80, 6)
    b.box(WHITE, 58, 10, 20, 80, 6)


def check(b: Brush) -> None:
    b.line(GOLD, 16, (14, 54), (40, 82), (88, 18))


def right(b: Brush) -> None:
    b.line(INK, 13, (12, 50), (70, 50))
    b.poly(INK, (58, 20), (96, 50), (58, 80))


def left(b: Brush) -> None:
    b.line(INK, 13, (88, 50), (30, 50))
    b.poly(INK, (42, 20), (4, 50), (42, 80))


def up(b: Brush) -> None:
    b.line(INK, 13, (50, 88), (50, 30))
    b.poly(INK, (20, 42), (50, 4), (80, 42))


def down(b: Brush) -> None:
    b.line(INK, 13, (50, 12), (50, 70))
    b.poly(INK, (20, 58), (50, 96), (80, 58))


def eye(b: Brush) -> None:
    b.oval(WHITE, 50, 50, 96, 56)
    b.oval((52, 92, 158), 50, 50, 44)
    b.oval(INK, 50, 50, 22)


def counter(b: Brush) -> None:
    """A plain disc: something of which no more is known than that it can be counted."""
    b.oval(GREY, 50, 50, 88)
    b.oval(WHITE, 50, 50, 74)
    b.oval(GREY, 50, 50, 56)


def phone(b: Brush) -> None:
    """Somebody plays by a phone."""
    b.box(INK, 20, 0, 60, 100, 14)
    b.box(WHITE, 27, 7, 46, 86, 8)
    b.box((52, 92, 158), 33, 14, 34, 60, 3)
    b.oval(INK, 50, 84, 9)


def asleep(b: Brush) -> None:
    """That phone sleeps: it is dark."""
    b.box(INK, 20, 0, 60, 100, 14)
    b.box(GREY, 27, 7, 46, 86, 8)
    b.box(INK, 33, 14, 34, 60, 3)
    b.line(WHITE, 7, (40, 30), (60, 30), (40, 58), (60, 58))
    b.oval(INK, 50, 84, 9)


SIGNS: Mapping[str, Callable[[Brush], None]] = {
    draw.__name__: draw
    for draw in (hand, cards, warning, pause, check, right, left, up, down, eye, counter, phone, asleep)
}
