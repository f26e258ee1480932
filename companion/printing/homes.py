"""Where the animals live: a basket for each cat, a kennel for each dog."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from companion.printing.pen import INK, WHITE, Pen
from companion.printing.things import bone, paws

DARK = "#3a2f2a"


def _weave(pen: Pen, x: float, y: float, w: float, h: float) -> None:
    for row in range(int(h // 4) + 1):
        shift = 3 if row % 2 else 0
        for column in range(-1, int(w // 6) + 1):
            left = x + column * 6 + shift
            pen.curve(
                [(left, y + row * 4 + 2), (left + 2, y + row * 4), (left + 4, y + row * 4 + 2)], line=DARK
            )


def _round(pen: Pen, wall: str, trim: str) -> None:
    pen.ellipse(0, 2, 18, 6, fill=DARK)
    pen.ellipse(0, 4, 13, 5, fill=trim)
    pen.blob([(-18, 2), (-15, 14), (0, 17), (15, 14), (18, 2), (0, 8)], fill=wall)
    with pen.inside(-14, 8, 28, 7):
        _weave(pen, -14, 8, 28, 7)


def _high(pen: Pen, wall: str, trim: str) -> None:
    pen.curve([(-12, -2), (-10, -18), (0, -22), (10, -18), (12, -2)], line=INK, width=4)
    pen.curve([(-12, -2), (-10, -18), (0, -22), (10, -18), (12, -2)], line=wall, width=2.6)
    pen.blob([(-12, -3), (-6, -9), (0, -6), (7, -10), (12, -3), (0, 0)], fill=trim)
    pen.polygon([(-16, -3), (16, -3), (12, 18), (-12, 18)], fill=wall)
    with pen.inside(-12.5, -1, 25, 18):
        _weave(pen, -13, -1, 26, 18)


def _box(pen: Pen, wall: str, trim: str) -> None:
    pen.polygon([(-15, -4), (-20, -14), (-8, -16), (-2, -6)], fill=wall)
    pen.polygon([(15, -4), (20, -14), (8, -16), (2, -6)], fill=wall)
    pen.polygon([(-15, -4), (0, -8), (15, -4), (0, 0)], fill=DARK)
    pen.rect(-15, -4, 30, 22, fill=wall)
    pen.rect(-2.5, -4, 5, 22, fill=trim, width=0.4)
    with pen.at(8.5, 9, scale=1.3):
        paws(pen, DARK)


def _cave(pen: Pen, wall: str, trim: str) -> None:
    pen.blob([(-17, 18), (-18, 2), (-10, -12), (0, -16), (10, -12), (18, 2), (17, 18)], fill=wall)
    for side in (-1.0, 1.0):
        pen.polygon([(side * 4, -14), (side * 11, -21), (side * 12, -9)], fill=wall)
    pen.ellipse(0, 8, 10.5, 10, fill=DARK)
    pen.ellipse(0, 15, 10, 3.8, fill=trim)
    pen.curve([(-16, -4), (0, -9), (16, -4)], line=trim, width=2)


def _hammock(pen: Pen, wall: str, trim: str) -> None:
    for x in (-17, 17):
        pen.rect(x - 1.6, -19, 3.2, 38, r=1, fill="#a9744f")
    pen.curve([(-17, -12), (-9, -2)], width=1)
    pen.curve([(17, -12), (9, -2)], width=1)
    pen.blob([(-15, -6), (-9, 9), (0, 12), (9, 9), (15, -6), (0, 1)], fill=wall)
    for x in (-8, 0, 8):
        pen.curve([(x, -0.5), (x * 0.8, 10.4)], line=trim, width=2.4)
    pen.ellipse(0, -3, 8, 4.4, fill=trim)


def _drawer(pen: Pen, wall: str, trim: str) -> None:
    pen.rect(-18, -18, 36, 36, fill="#c99a5b")
    pen.rect(-15, -15, 30, 9, fill=wall)
    pen.ellipse(0, -10.5, 1.8, fill=trim)
    pen.rect(-15, -3, 30, 5, fill=DARK)
    pen.blob([(-12, 1), (-7, -5), (0, -3), (7, -6), (12, 1)], fill=trim)
    pen.rect(-19, 1.6, 38, 13, r=1, fill=wall)
    pen.ellipse(0, 8, 2.4, fill=trim)


def _cushion(pen: Pen, wall: str, trim: str) -> None:
    for y, colour, wide in ((12, wall, 17), (4, trim, 15), (-4, wall, 13)):
        pen.blob(
            [(-wide, y - 4), (0, y - 5), (wide, y - 4), (wide, y + 4), (0, y + 5), (-wide, y + 4)],
            fill=colour,
        )
        for side in (-1.0, 1.0):
            pen.ellipse(side * wide, y + 3, 1.5, fill=WHITE, width=0.5)
    pen.star(0, -4, 3.4, 1.5, 5, fill=trim, line=None)
    pen.blob([(-9, -9), (-5, -15), (0, -14), (5, -15), (9, -9), (0, -8)], fill=trim)


def _tree(pen: Pen, wall: str, trim: str) -> None:
    pen.rect(-16, 15, 32, 4.4, r=1.4, fill=trim)
    pen.rect(2, -14, 6.4, 29, fill="#e6c79c")
    for y in range(-10, 15, 4):
        pen.curve([(2, y + 1.6), (8.4, y)], width=0.6)
    pen.rect(-7, -18, 23, 5, r=2.2, fill=wall)
    pen.rect(-16, -1, 20, 16, r=3, fill=wall)
    pen.ellipse(-6, 8, 5.2, fill=DARK)
    pen.curve([(14, -13), (14.5, -6)], width=0.6)
    pen.ellipse(14.5, -3.6, 2.6, fill=trim)


def _gable(pen: Pen, wall: str, trim: str) -> None:
    pen.rect(-13, -5, 26, 24, fill=wall)
    for y in (1, 7, 13):
        pen.curve([(-13, y), (13, y)], width=0.5)
    pen.polygon([(-19, -3), (0, -20), (19, -3), (15, 0), (0, -13.6), (-15, 0)], fill=trim)
    _door(pen, 0, 19, 6.5, 15)


def _flat(pen: Pen, wall: str, trim: str) -> None:
    pen.rect(-15, -9, 30, 28, fill=wall)
    for x in (-9, -3, 3, 9):
        pen.curve([(x, -9), (x, 19)], width=0.5)
    pen.polygon([(-19, -8), (16, -16), (19, -9), (-17, -3)], fill=trim)
    _door(pen, -4, 19, 6.5, 16)
    pen.rect(6, 2, 6.5, 6.5, fill="#bfe6f2")


def _arch(pen: Pen, wall: str, trim: str) -> None:
    pen.blob([(-16, 19), (-17, 0), (-11, -13), (0, -18), (11, -13), (17, 0), (16, 19)], fill=wall)
    pen.arc(0, 2, 14, 190, 350, line=trim, width=3)
    _door(pen, 0, 19, 7.5, 17)
    with pen.at(0, -7.4, scale=0.7):
        bone(pen, WHITE)


def _tent(pen: Pen, wall: str, trim: str) -> None:
    pen.polygon([(0, -20), (-20, 19), (20, 19)], fill=wall)
    for side in (-1.0, 1.0):
        pen.polygon([(0, -20), (side * 12.5, 19), (side * 6.5, 19)], fill=trim, line=None)
    pen.polygon([(0, -20), (-20, 19), (20, 19)])
    pen.polygon([(0, -2), (-6, 19), (6, 19)], fill=DARK)
    pen.curve([(0, -20), (0, -25)])
    pen.polygon([(0, -25), (7, -23), (0, -21)], fill=trim)


def _tower(pen: Pen, wall: str, trim: str) -> None:
    for x in (-13, -4.5, 4.5, 13):
        pen.rect(x - 2.6, -20, 5.2, 8, fill=wall)
    pen.rect(-15.6, -14, 31.2, 33, fill=wall)
    for x, y in ((-12, -9), (6, -6), (-12, 4), (8, 7)):
        pen.rect(x, y, 5.6, 3, r=0.6, fill=trim, width=0.5)
    _door(pen, 0, 19, 6, 16)
    pen.rect(-1.6, -10, 3.2, 6, r=1.5, fill=DARK)


def _barn(pen: Pen, wall: str, trim: str) -> None:
    pen.polygon([(-15, 19), (-15, -4), (-10, -14), (0, -19), (10, -14), (15, -4), (15, 19)], fill=wall)
    pen.curve([(-10, -14), (-17, -2)], line=trim, width=3)
    pen.curve([(10, -14), (17, -2)], line=trim, width=3)
    pen.polygon([(-10, -14), (0, -19), (10, -14)], line=trim, width=3)
    pen.rect(-9, 2, 18, 17, fill=WHITE)
    pen.rect(-6.5, 4.4, 13, 14.6, fill=DARK)
    pen.ellipse(0, -6, 4.2, fill=WHITE)
    with pen.at(0, -6):
        paws(pen, trim)


def _barrel(pen: Pen, wall: str, trim: str) -> None:
    pen.ellipse(0, 3, 19, 16, fill=wall)
    for x in (-12, 12):
        pen.curve([(x, -9.4), (x * 1.22, 3), (x, 15.4)], line=trim, width=3)
    pen.ellipse(0, 4, 9.5, 11, fill=DARK)
    pen.ellipse(0, 4, 9.5, 11, line=trim, width=2)
    pen.polygon([(-16, 19), (-12, 14), (12, 14), (16, 19)], fill="#80553a")


def _igloo(pen: Pen, wall: str, trim: str) -> None:
    pen.blob([(-18, 18), (-17, 4), (-9, -8), (0, -11), (9, -8), (17, 4), (18, 18)], fill=wall)
    for y, wide in ((-4, 12.5), (3, 16.5), (10, 17.6)):
        pen.curve([(-wide, y), (0, y - 1.4), (wide, y)], line=trim, width=1.2)
    for x, y in (
        (-4, -10),
        (4, -10),
        (-9, -4),
        (0, -5),
        (9, -4),
        (-13, 3),
        (13, 3),
        (-14, 10),
        (14, 10),
    ):
        pen.curve([(x, y), (x * 1.1, y + 6)], line=trim, width=1.2)
    _door(pen, 0, 18.4, 7, 14)


def _door(pen: Pen, x: float, floor: float, half: float, high: float) -> None:
    """An arched opening standing on `floor`."""
    pen.blob(
        [
            (x - half, floor),
            (x - half, floor - high * 0.6),
            (x, floor - high),
            (x + half, floor - high * 0.6),
            (x + half, floor),
        ],
        fill=DARK,
    )


HOMES: Mapping[str, Callable[[Pen, str, str], None]] = {
    home.__name__.removeprefix("_"): home
    for home in (
        _round, _high, _box, _cave, _hammock, _drawer, _cushion, _tree,
        _gable, _flat, _arch, _tent, _tower, _barn, _barrel, _igloo,
    )
}  # fmt: skip
"""A cat's basket or a dog's kennel by its shape; drawn with the colours of its walls and of its trimmings."""
