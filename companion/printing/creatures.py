"""Cats and dogs, and the other animals of the table: one body for all, a head of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from companion.printing.pen import INK, WHITE, Pen

PINK = "#f2a0a8"
TONGUE = "#e8606f"

# Where the head sits in each pose, and how it is tilted.
_HEADS: Mapping[str, tuple[float, float, float]] = {
    "sit": (0.0, -9.0, 0.0),
    "wave": (-1.5, -9.0, -7.0),
    "lie": (-6.5, -3.0, -10.0),
    "walk": (-8.5, -8.0, 6.0),
    "peek": (0.0, 0.0, 0.0),
}


def pet(
    pen: Pen, *, kind: str, pose: str, coat: str, second: str, marking: str, eyes: str, item: str
) -> None:
    """A cat or a dog, about 36 mm wide and 46 mm high round the origin."""
    _body(pen, kind=kind, pose=pose, coat=coat, second=second, marking=marking)
    x, y, tilt = _HEADS[pose]
    with pen.at(x, y, turn=tilt, scale=1.42 if pose == "peek" else 1.0):
        head = _cat_head if kind == "cat" else _dog_head
        head(pen, coat=coat, second=second, marking=marking, eyes=eyes)
        _wear(pen, item)
    if pose == "peek":
        for paw in (-9.5, 9.5):
            pen.ellipse(paw, 18.5, 5.2, 4.4, fill=second)
            for toe in (-1.6, 1.6):
                pen.curve([(paw + toe, 18.5), (paw + toe, 21.5)])


def _body(pen: Pen, *, kind: str, pose: str, coat: str, second: str, marking: str) -> None:
    match pose:
        case "sit" | "wave":
            _tail(
                pen,
                [(9, 17), (17, 16), (17, 6), (14, 0)] if kind == "cat" else [(8, 14), (14, 10), (16, 3)],
                coat,
            )
            pen.blob([(-7, -2), (-11, 12), (-10, 20), (0, 22), (10, 20), (11, 12), (7, -2)], fill=coat)
            _spots(pen, marking, second, [(-7.5, 10), (8, 13), (7, 5)], [(6, 3, 10, 5), (7, 8, 11, 10)])
            pen.ellipse(0, 9, 4.8, 7.5, fill=second, line=None)
            for foot in (-4.5, 4.5):
                pen.ellipse(foot, 20, 4, 2.9, fill=second)
            pen.curve([(0, 13), (0, 20)])
            if pose == "wave":
                pen.blob([(7, 5), (10, -2), (11, -14), (15, -17), (18, -13), (16, -3), (12, 7)], fill=coat)
                pen.ellipse(14.4, -13, 2.0, 1.6, fill=PINK, line=None)
            else:
                pen.curve([(-4.4, 10), (-4.2, 17)])
                pen.curve([(4.4, 10), (4.2, 17)])
        case "lie":
            _tail(pen, [(13, 15), (18, 12), (17, 4), (12, 3)], coat)
            pen.blob([(-12, 6), (-14, 17), (-2, 21), (13, 20), (17, 13), (12, 5), (2, 3)], fill=coat)
            _spots(
                pen,
                marking,
                second,
                [(6, 8), (12, 13), (3, 15)],
                [(5, 5, 6, 11), (9, 5, 10, 12), (13, 8, 14, 14)],
            )
            for foot in (-13, -5):
                pen.ellipse(foot, 19, 5, 2.9, fill=second)
            pen.ellipse(11, 19.4, 5, 2.6, fill=second)
        case "walk":
            _tail(pen, [(12, 5), (17, 0), (15, -9), (17, -14)], coat)
            for leg in (-6.0, 10.0):
                pen.rect(leg - 2.2, 11, 4.6, 10, r=2, fill=coat)
            pen.blob([(-9, 0), (-10, 10), (-4, 13), (8, 13), (14, 10), (14, 2), (4, 0)], fill=coat)
            _spots(
                pen, marking, second, [(3, 4), (9, 9), (-1, 10)], [(2, 1, 3, 7), (6, 1, 7, 7), (10, 1, 11, 8)]
            )
            for leg in (-10.0, 5.5):
                pen.rect(leg - 2.4, 11, 5, 11, r=2.2, fill=coat)
                pen.rect(leg - 2.4, 18, 5, 4, r=2, fill=second)
        case _:
            pen.blob([(-15, 12), (-12, 2), (12, 2), (15, 12), (15, 24), (-15, 24)], fill=coat)


def _tail(pen: Pen, points: Sequence[tuple[float, float]], coat: str) -> None:
    pen.curve(points, width=5.2)
    pen.curve(points, line=coat, width=3.8)


def _spots(
    pen: Pen,
    marking: str,
    colour: str,
    spots: Sequence[tuple[float, float]],
    bands: Sequence[tuple[float, float, float, float]],
) -> None:
    match marking:
        case "tabby":
            for x1, y1, x2, y2 in bands:
                pen.curve([(x1, y1), (x2, y2)], line=INK, width=1.5)
        case "patches":
            for x, y in spots:
                pen.ellipse(x, y, 3.2, 2.6, fill=colour, line=None)
        case "spots":
            for x, y in spots:
                for dx, dy in ((0, 0), (-3, 2.4), (2.2, 3.6)):
                    pen.ellipse(x + dx, y + dy, 1.1, fill=INK, line=None)
        case _:
            pass


def _cat_head(pen: Pen, *, coat: str, second: str, marking: str, eyes: str) -> None:
    for side in (-1.0, 1.0):
        with pen.at(0, 0, mirror=side < 0):
            ear = second if marking == "mask" else coat
            pen.polygon([(3, -8), (10.5, -15.5), (12, -2)], fill=ear)
            pen.polygon([(6, -8), (9.6, -12), (10.2, -5)], fill=PINK, line=None)
    pen.ellipse(0, 0, 12.6, 10, fill=coat)
    match marking:
        case "tabby":
            for x, low in ((-3.2, -5.0), (0.0, -4.0), (3.2, -5.0)):
                pen.curve([(x, -9.2), (x * 0.9, low)], width=1.5)
            for side in (-1.0, 1.0):
                pen.curve([(side * 12, 0.5), (side * 9, 1.2)], width=1.4)
        case "patches":
            pen.blob([(2, -9.6), (9, -7), (12, -1), (6, 1), (2.5, -3)], fill=second, line=None)
            pen.ellipse(0, 0, 12.6, 10)
        case "mask":
            pen.ellipse(0, 2.5, 7.6, 6.6, fill=second, line=None)
        case "spots":
            for x, y in ((-6, -6), (0, -7.5), (6, -6), (-10, 1), (10, 1)):
                pen.ellipse(x, y, 1.1, fill=INK, line=None)
        case _:
            pass
    if marking != "mask":
        pen.ellipse(-2.4, 4.2, 3.6, 3.1, fill=second, line=None)
        pen.ellipse(2.4, 4.2, 3.6, 3.1, fill=second, line=None)
    for side in (-1.0, 1.0):
        pen.ellipse(side * 5.2, -0.6, 2.5, 2.8, fill=eyes)
        pen.ellipse(side * 5.2, -0.4, 1.0, 2.1, fill=INK, line=None)
        for rise in (-0.6, 1.2):
            pen.curve([(side * 7.5, 4 + rise * 0.5), (side * 14.5, 3.4 + rise * 2)], width=0.45)
    pen.polygon([(-1.5, 2.2), (1.5, 2.2), (0, 3.9)], fill=PINK, width=0.5)
    pen.curve([(-2.6, 5.6), (-1.2, 6.4), (0, 5), (1.2, 6.4), (2.6, 5.6)], width=0.6)


def _dog_head(pen: Pen, *, coat: str, second: str, marking: str, eyes: str) -> None:
    pointed, curly = marking == "mask", marking == "curly"
    if pointed:
        for side in (-1.0, 1.0):
            with pen.at(0, 0, mirror=side < 0):
                pen.polygon([(3.5, -8), (8, -16.5), (11.4, -4)], fill=coat)
    if curly:
        for x, y in ((-6.0, -9.0), (0.0, -11.5), (6.0, -9.0), (-3.0, -11.0), (3.0, -11.0)):
            pen.ellipse(x, y, 4, fill=coat)
    pen.blob(
        [(-10.5, -5), (-5, -10.2), (5, -10.2), (10.5, -5), (10, 4), (6, 10.5), (-6, 10.5), (-10, 4)],
        fill=coat,
    )
    if curly:
        for x, y in ((-6.0, -8.5), (0.0, -10.0), (6.0, -8.5)):
            pen.ellipse(x, y, 3.6, fill=coat, line=None)
    match marking:
        case "patches":
            pen.blob([(2.5, -9.8), (9, -6), (9.8, 2), (5, 3), (2, -3)], fill=second, line=None)
        case "spots":
            for x, y in ((-4.0, -7.5), (2.0, -8.0), (7.5, 5.5), (-7.5, 4.0)):
                pen.ellipse(x, y, 1.5, fill=INK, line=None)
        case "mask":
            pen.blob(
                [(-9, 1), (-6, -5), (0, -1), (6, -5), (9, 1), (5, 9.6), (-5, 9.6)], fill=second, line=None
            )
        case "tabby":
            for side in (-1.0, 1.0):
                pen.ellipse(side * 4.3, -5, 1.5, 1.1, fill=second, line=None)
        case _:
            pass
    if not pointed:
        flap = {"spots": INK, "patches": second}.get(marking, second if marking == "ears" else coat)
        for side in (-1.0, 1.0):
            with pen.at(0, 0, mirror=side < 0):
                pen.blob([(7.5, -9), (12.5, -7), (15.5, 3), (13, 8), (10.2, 5), (9, -2)], fill=flap)
    pen.ellipse(0, 5.6, 6.2, 5.2, fill=second if marking != "patches" else WHITE)
    for side in (-1.0, 1.0):
        pen.ellipse(side * 4.6, -1.8, 2, 2.2, fill=eyes)
        pen.ellipse(side * 4.6, -1.6, 1.1, 1.4, fill=INK, line=None)
    pen.blob([(-1.8, 8), (-1.8, 11.5), (0, 13), (1.8, 11.5), (1.8, 8)], fill=TONGUE)
    pen.curve([(-3.6, 6.8), (-1.8, 8.2), (0, 6.6), (1.8, 8.2), (3.6, 6.8)])
    pen.ellipse(0, 3, 2.5, 1.8, fill=INK)
    pen.ellipse(-0.8, 2.5, 0.7, 0.45, fill=WHITE, line=None)


def _wear(pen: Pen, item: str) -> None:
    """What tells this animal from its cousins: on the head, or under the chin."""
    kind, _, colour = item.partition(" ")
    match kind:
        case "bell":
            pen.curve([(-8, 9), (0, 12), (8, 9)], line=INK, width=3.2)
            pen.curve([(-8, 9), (0, 12), (8, 9)], line=colour, width=2.1)
            pen.ellipse(0, 13.6, 2.8, fill="#f6c945")
            pen.curve([(0, 13.6), (0, 16)])
        case "bow":
            pen.polygon([(0, 11.5), (-7, 8), (-7, 15)], fill=colour)
            pen.polygon([(0, 11.5), (7, 8), (7, 15)], fill=colour)
            pen.ellipse(0, 11.5, 1.8, fill=colour)
        case "hat":
            pen.polygon([(-6, -8), (1, -21), (6.5, -8.6)], fill=colour)
            pen.curve([(-3.6, -12.4), (4.6, -12.4)], line=WHITE, width=1.6)
            pen.ellipse(1, -21, 2, fill=WHITE)
        case "scarf":
            pen.blob([(-10, 8), (0, 11), (10, 8), (10, 12), (0, 15), (-10, 12)], fill=colour)
            pen.polygon([(4, 13), (9, 12), (11, 21), (6, 22)], fill=colour)
        case "glasses":
            for side in (-1.0, 1.0):
                pen.ellipse(side * 5.2, -0.8, 4.4, line=INK, width=2.2)
                pen.ellipse(side * 5.2, -0.8, 4.4, line=colour, width=1.1)
            pen.curve([(-1, -1.2), (1, -1.2)], width=1.4)
        case "flower":
            for petal in range(5):
                with pen.at(8, -9, turn=72 * petal):
                    pen.ellipse(0, -3, 2.1, 2.6, fill=colour)
            pen.ellipse(8, -9, 1.9, fill="#f6c945")
        case "cap":
            pen.blob([(-9, -7), (-6, -14), (3, -14), (8, -7), (0, -8.4)], fill=colour)
            pen.blob([(4, -8.6), (14, -8.6), (14, -6), (4, -6.4)], fill=colour)
        case "feather":
            pen.rect(-11, -7.4, 22, 2.8, r=1, fill=colour)
            pen.ellipse(6.5, -13, 2.4, 6.4, turn=15, fill=WHITE)
            pen.curve([(5, -7.5), (8, -18)], width=0.5)
        case _:
            pass


def deer(pen: Pen) -> None:
    """The white stag that is the Emperor, crowned."""
    for side in (-1.0, 1.0):
        with pen.at(0, 0, mirror=side < 0):
            for tine in (
                [(3, -9), (8, -15), (9, -23)],
                [(7, -14), (14, -17), (16, -23)],
                [(9, -19), (13, -21)],
            ):
                pen.curve(tine, line=INK, width=3.0)
            for tine in (
                [(3, -9), (8, -15), (9, -23)],
                [(7, -14), (14, -17), (16, -23)],
                [(9, -19), (13, -21)],
            ):
                pen.curve(tine, line="#c99a5b", width=1.7)
            pen.ellipse(12, -4, 6, 3, turn=-20, fill=WHITE)
            pen.ellipse(12, -4, 3.4, 1.4, turn=-20, fill=PINK, line=None)
    pen.blob([(-9, 20), (-11, 30), (11, 30), (9, 20), (6, 8), (-6, 8)], fill=WHITE)
    pen.blob([(-8, -8), (8, -8), (9, 0), (5, 12), (0, 15), (-5, 12), (-9, 0)], fill=WHITE)
    for side in (-1.0, 1.0):
        pen.ellipse(side * 4.8, -1, 1.7, 2, fill=INK, line=None)
        pen.curve([(side * 2.6, -4.6), (side * 6.6, -4.2)], width=0.6)
    pen.ellipse(0, 10.6, 3, 2.3, fill=INK)
    crown(pen)


def crown(pen: Pen) -> None:
    """The Emperor's crown."""
    pen.polygon(
        [(-6.5, -7), (-7.5, -15), (-3, -11), (0, -17), (3, -11), (7.5, -15), (6.5, -7)], fill="#f6c945"
    )
    pen.ellipse(0, -9.6, 1.4, fill=TONGUE, width=0.5)


ORANGE = "#e8772e"


def fox(pen: Pen) -> None:
    """The fox who is the Minister and catches liars."""
    _tail(pen, [(10, 18), (18, 14), (17, 4)], ORANGE)
    pen.ellipse(17, 2.6, 2.6, 3.4, fill=WHITE)
    pen.blob([(-7, 4), (-11, 16), (-9, 24), (9, 24), (11, 16), (7, 4)], fill=ORANGE)
    pen.ellipse(0, 15, 5, 8, fill=WHITE, line=None)
    fox_head(pen)


def fox_head(pen: Pen) -> None:
    """The fox's face alone."""
    for side in (-1.0, 1.0):
        with pen.at(0, 0, mirror=side < 0):
            pen.polygon([(3, -10), (12, -19), (13, -3)], fill=ORANGE)
            pen.polygon([(8, -10), (11.4, -15), (11.6, -7)], fill=INK, line=None)
    pen.polygon([(-14, -6), (-4, -11), (4, -11), (14, -6), (13, 0), (0, 12), (-13, 0)], fill=ORANGE)
    for side in (-1.0, 1.0):
        pen.polygon([(side * 13.4, -1), (side * 4, 1), (0, 11.4), (side * 6, 6)], fill=WHITE, line=None)
        pen.curve([(side * 3.4, -2.6), (side * 6, -4), (side * 8.6, -2.6)], width=1.2)
    pen.ellipse(0, 10.6, 2.2, 1.7, fill=INK)


def sheep(pen: Pen) -> None:
    """A sheep, for whoever has been Emperor."""
    for leg in (-6, 6):
        pen.rect(leg - 2, 12, 4, 11, r=1.5, fill=INK)
    wool = [(-11, 2), (-8, -7), (0, -11), (8, -7), (12, 2), (9, 11), (0, 14), (-9, 11)]
    for curl in wool:
        pen.ellipse(*curl, 6.2, fill=WHITE)
    pen.blob(wool, fill=WHITE, line=None)
    for side in (-1.0, 1.0):
        pen.ellipse(side * 8.5 - 3, -2, 4, 1.8, turn=side * 22, fill="#4a4452")
    pen.blob([(-8, -6), (2, -6), (3, 3), (-3, 10), (-9, 3)], fill="#4a4452")
    for eye in (-5.6, -0.4):
        pen.ellipse(eye, -1, 1.5, fill=WHITE, line=None)
        pen.ellipse(eye, -0.7, 0.8, fill=INK, line=None)
    for x, y in ((-7.0, -8.0), (-3.0, -9.5), (1.0, -8.0)):
        pen.ellipse(x, y, 3.2, fill=WHITE, width=0.5)
