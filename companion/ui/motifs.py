"""Small pictures of what lies on the table: tokens, animals, homes and things, each in a square of 100."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from companion.ui.brush import Brush
from companion.ui.theme import BAD, GOLD, INK
from companion.ui.tokens import Colour

WHITE: Colour = (250, 250, 250)
WOOL: Colour = (238, 236, 228)
FUR: Colour = (222, 112, 44)
BROWN: Colour = (146, 96, 58)
SAND: Colour = (231, 190, 126)
GREY: Colour = (92, 104, 122)


def crown(b: Brush) -> None:
    """The Emperor."""
    b.line(INK, 10, (8, 86), (4, 26), (29, 50), (50, 12), (71, 50), (96, 26), (92, 86), (8, 86))
    b.poly(GOLD, (8, 78), (4, 26), (29, 50), (50, 12), (71, 50), (96, 26), (92, 78))
    b.box(GOLD, 8, 80, 84, 12, 4)
    for x, y in ((4, 24), (50, 12), (96, 24)):
        b.oval(GOLD, x, y, 14)
    for x in (28, 50, 72):
        b.oval(INK, x, 66, 10)


def sheep(b: Brush) -> None:
    for fill, more in ((INK, 9), (WOOL, 0)):
        for x, y, d in ((32, 44, 36), (52, 36, 40), (72, 46, 34), (36, 60, 36), (66, 60, 38), (50, 56, 44)):
            b.oval(fill, x, y, d + more)
    for x in (34, 64):
        b.box(INK, x - 4, 76, 9, 18, 3)
    b.oval(GREY, 22, 48, 26, 34)
    b.oval(GREY, 36, 38, 18, 10)
    b.oval(WHITE, 19, 44, 8)
    b.oval(INK, 19, 44, 4)


def fox(b: Brush) -> None:
    b.line(INK, 9, (10, 10), (38, 34), (62, 34), (90, 10), (89, 52), (50, 94), (11, 52), (10, 10))
    b.poly(FUR, (8, 8), (38, 34), (62, 34), (92, 8), (90, 52), (50, 96), (10, 52))
    b.poly(WHITE, (10, 52), (40, 62), (50, 96))
    b.poly(WHITE, (90, 52), (60, 62), (50, 96))
    b.oval(INK, 33, 50, 10)
    b.oval(INK, 67, 50, 10)
    b.oval(INK, 50, 90, 12)


def hand(b: Brush) -> None:
    """A raised hand."""
    for fill, more in ((INK, 8), (WHITE, 0)):  # white with a line round it: it is seen on any ground
        for x, top in ((26, 24), (42, 10), (58, 12), (74, 24)):
            b.line(fill, 12 + more, (x, top + 6), (x, 58))
        b.line(fill, 12 + more, (12, 50), (30, 72))
        b.box(fill, 20 - more / 2, 48 - more / 2, 60 + more, 34 + more, 16)
        b.box(fill, 31 - more / 2, 70 - more / 2, 38 + more, 25 + more, 8)


def cat(b: Brush) -> None:
    b.poly(SAND, (16, 8), (40, 30), (60, 30), (84, 8), (88, 60), (70, 88), (30, 88), (12, 60))
    b.oval(SAND, 50, 60, 78, 62)
    for x in (34, 66):
        b.oval(INK, x, 54, 11, 15)
    b.poly(BAD, (44, 66), (56, 66), (50, 74))
    b.arc(INK, 3, (43, 75), 7, 0, 150)
    b.arc(INK, 3, (57, 75), 7, 30, 180)
    for y in (66, 74):
        b.line(INK, 2, (6, y - 4), (26, y))
        b.line(INK, 2, (94, y - 4), (74, y))


def dog(b: Brush) -> None:
    b.oval(SAND, 50, 54, 66, 76)
    b.oval(BROWN, 16, 48, 26, 58)
    b.oval(BROWN, 84, 48, 26, 58)
    b.oval(WHITE, 50, 72, 38, 36)
    for x in (36, 64):
        b.oval(INK, x, 46, 11, 13)
    b.oval(INK, 50, 62, 18, 13)
    b.line(INK, 3, (50, 66), (50, 78))
    b.arc(INK, 3, (50, 74), 9, 20, 160)


def basket(b: Brush) -> None:
    """A cat's home."""
    b.arc(BROWN, 8, (50, 50), 36, 180, 360)
    b.poly(BROWN, (6, 48), (94, 48), (80, 92), (20, 92))
    for y in (60, 74):
        b.line(SAND, 4, (14, y), (86, y))
    b.oval(WHITE, 50, 48, 76, 16)


def kennel(b: Brush) -> None:
    """A dog's home."""
    b.box(SAND, 16, 40, 68, 54)
    b.poly(BAD, (2, 46), (50, 6), (98, 46), (88, 54), (50, 24), (12, 54))
    b.oval(INK, 50, 66, 34, 34)
    b.box(INK, 33, 66, 34, 28)


def ball(b: Brush) -> None:
    b.oval(BAD, 50, 50, 80)
    b.arc(WHITE, 8, (50, 14), 44, 30, 150)
    b.arc(WHITE, 8, (50, 86), 44, 210, 330)


def bowl(b: Brush) -> None:
    b.poly(BAD, (6, 48), (94, 48), (80, 88), (20, 88))
    b.oval(BROWN, 50, 46, 84, 24)
    b.line(WHITE, 7, (38, 70), (62, 70))


def collar(b: Brush) -> None:
    b.arc(BAD, 15, (50, 44), 32, 0, 360)
    b.oval(GOLD, 50, 84, 28)
    b.oval(INK, 50, 84, 8)


def yarn(b: Brush) -> None:
    b.oval((214, 106, 178), 48, 48, 74)
    for radius in (14, 24, 33):
        b.arc(WHITE, 3, (30, 66), radius, -80, 10)
    b.line((214, 106, 178), 6, (72, 74), (86, 90), (98, 84))


def fish(b: Brush) -> None:
    b.oval((255, 170, 90), 42, 50, 72, 44)
    b.poly((255, 170, 90), (70, 50), (98, 24), (98, 76))
    b.oval(WHITE, 24, 44, 14)
    b.oval(INK, 23, 44, 7)
    b.arc(INK, 3, (32, 50), 16, -50, 50)


def brush_thing(b: Brush) -> None:
    b.line(BROWN, 13, (50, 60), (88, 92))
    b.box(SAND, 6, 20, 58, 30, 10)
    for x in range(12, 62, 8):
        b.line(INK, 4, (x, 4), (x, 18))


def umbrella(b: Brush) -> None:
    b.arc((118, 96, 220), 44, (50, 54), 22, 180, 360)
    b.poly((118, 96, 220), (6, 56), (94, 56), (50, 12))
    b.line(BROWN, 7, (50, 50), (50, 86))
    b.arc(BROWN, 7, (60, 86), 10, 0, 180)


def boot(b: Brush) -> None:
    b.box(GOLD, 24, 6, 36, 62, 6)
    b.poly(GOLD, (24, 50), (60, 50), (94, 72), (94, 84), (24, 84))
    b.box(INK, 20, 82, 76, 10, 3)
    b.box(WHITE, 22, 6, 40, 12, 4)


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


def crest(b: Brush) -> None:
    """A round token with a crest of four petals."""
    b.oval(INK, 50, 50, 96)
    b.oval(GOLD, 50, 50, 84)
    b.oval(INK, 50, 50, 62)
    for x, y in ((50, 34), (66, 50), (50, 66), (34, 50)):
        b.oval(GOLD, x, y, 24)
    b.oval(INK, 50, 50, 14)


def coin(b: Brush) -> None:
    """A wooden disc that is won and lost."""
    b.oval(INK, 50, 50, 96)
    b.oval(GOLD, 50, 50, 84)
    b.oval(INK, 50, 50, 60)
    b.oval(GOLD, 50, 50, 50)


def blades(b: Brush) -> None:
    """Two crossed blades: somebody fights."""
    for near, far in ((12, 88), (88, 12)):
        b.line(INK, 20, (near, 10), (far, 90))
        b.line(WHITE, 11, (near, 10), (far, 90))
    b.line(GOLD, 9, (12, 66), (34, 90))
    b.line(GOLD, 9, (88, 66), (66, 90))


def barred(b: Brush) -> None:
    """A card face down under a bar: somebody passed."""
    b.box(INK, 18, 4, 64, 92, 10)
    b.box(GREY, 24, 10, 52, 80, 7)
    b.line(WHITE, 12, (12, 50), (88, 50))


def pennant(b: Brush) -> None:
    """A pennant: who is first in this round."""
    b.line(INK, 14, (24, 6), (24, 94))
    b.poly(GOLD, (20, 8), (92, 32), (20, 58))
    b.line(WHITE, 8, (22, 6), (22, 94))


def _face(b: Brush) -> None:
    """A round face without a mouth, as cards carry it that stay in the box where fewer play."""
    b.oval(INK, 50, 50, 96)
    b.oval(WHITE, 50, 50, 86)
    for x in (34, 66):
        b.oval(INK, x, 40, 13)


def smiling(b: Brush) -> None:
    _face(b)
    b.arc(INK, 7, (50, 52), 22, 25, 155)


def unmoved(b: Brush) -> None:
    _face(b)
    b.line(INK, 7, (30, 68), (70, 68))


def sad(b: Brush) -> None:
    _face(b)
    b.arc(INK, 7, (50, 84), 22, 205, 335)


def counter(b: Brush) -> None:
    """A plain disc: something of which no more is known than that it can be counted."""
    b.oval(GREY, 50, 50, 88)
    b.oval(WHITE, 50, 50, 74)
    b.oval(GREY, 50, 50, 56)


def motif(name: str) -> Callable[[Brush], None]:
    """The picture that is called so; a counter where there is none."""
    return MOTIFS.get(name, counter)


MOTIFS: Mapping[str, Callable[[Brush], None]] = {
    "counter": counter,
    "pennant": pennant,
    "smile": smiling,
    "neutral": unmoved,
    "sad": sad,
    "crest": crest,
    "coin": coin,
    "blades": blades,
    "barred": barred,
    "crown": crown,
    "sheep": sheep,
    "fox": fox,
    "hand": hand,
    "cat": cat,
    "dog": dog,
    "basket": basket,
    "kennel": kennel,
    "ball": ball,
    "bowl": bowl,
    "collar": collar,
    "yarn": yarn,
    "fish": fish,
    "brush": brush_thing,
    "umbrella": umbrella,
    "boot": boot,
    "cards": cards,
    "warning": warning,
    "pause": pause,
    "eye": eye,
    "check": check,
    "left": left,
    "right": right,
    "up": up,
    "down": down,
}
THINGS: Mapping[str, tuple[str, Colour]] = {
    "1-2": ("ball", (143, 208, 238)),
    "3-4": ("bowl", (246, 213, 92)),
    "5-6": ("collar", (150, 178, 226)),
    "7-8": ("yarn", (184, 224, 176)),
    "9-10": ("fish", (120, 204, 212)),
    "11-12": ("brush", (247, 183, 197)),
    "13-14": ("umbrella", (190, 200, 212)),
    "15-16": ("boot", (240, 160, 92)),
}
"""What an object shows, and its ground: as on the printed deck, lightened for dark numbers."""
