"""The objects cats and dogs quarrel about, and the hands of the game aids."""

from __future__ import annotations

from companion.printing.pen import INK, WHITE, Pen

GOLD = "#f6c945"


def ball(pen: Pen) -> None:
    """A beach ball with a star."""
    pen.ellipse(-2, 17, 13, 2.6, fill="#6fb3d4", line=None)
    pen.ellipse(0, 0, 16.5, fill=WHITE)
    pen.blob([(0, -16.5), (-9, -13.8), (-15, -6.8), (-7, -7), (0, -4)], fill="#e4572e", line=None)
    pen.blob([(0, -4), (8, -6), (15.6, -5), (16, 4), (8, 4)], fill=GOLD, line=None)
    pen.blob([(-2, 0), (5, 7), (6, 15), (-4, 16), (-8, 9)], fill="#2e86ab", line=None)
    pen.ellipse(0, 0, 16.5, width=1.0)
    pen.star(0, -3, 5.5, 2.4, 5, fill=WHITE)


def bowl(pen: Pen) -> None:
    """A bowl heaped with food, a bone before it."""
    for x, y in ((-8, -6), (-3, -10), (3, -10), (8, -6), (0, -6)):
        pen.ellipse(x, y, 4.6, fill="#a3683a")
    pen.ellipse(0, -3, 16, 4.6, fill="#6e4423")
    pen.blob([(-16, -3), (-13, 11), (0, 13), (13, 11), (16, -3), (0, 2)], fill="#3b8ea5")
    with pen.at(0, 6.4, scale=0.85):
        bone(pen, WHITE)


def bone(pen: Pen, colour: str) -> None:
    """A bone, 16 mm wide."""
    for line, grow in ((INK, 0.6), (colour, 0.0)):
        pen.rect(-6 - grow, -1.4 - grow, 12 + 2 * grow, 2.8 + 2 * grow, fill=line, line=None)
        for x, y in ((-6, -1.8), (-6, 1.8), (6, -1.8), (6, 1.8)):
            pen.ellipse(x, y, 2 + grow, fill=line, line=None)


def collar(pen: Pen) -> None:
    """A red collar with a golden bell."""
    pen.ellipse(0, -6, 15.5, 10, line=INK, width=6.4)
    pen.ellipse(0, -6, 15.5, 10, line="#d7263d", width=5)
    for x, y in ((-15, -8), (-9.4, -14), (9.4, -14), (15, -8), (0, -16)):
        pen.ellipse(x, y, 1.2, fill=WHITE, width=0.4)
    pen.rect(-2.4, 0.4, 4.8, 5, r=1, fill="#b8b8c2")
    pen.ellipse(0, 11, 7.8, fill=GOLD)
    pen.curve([(-7.6, 10), (0, 12.2), (7.6, 10)], width=1.2)
    pen.ellipse(0, 14.6, 1.6, fill=INK, line=None)
    pen.curve([(0, 15), (0, 18.4)], width=1.2)


def yarn(pen: Pen) -> None:
    """A ball of wool with its thread, and two needles."""
    for side in (-1, 1):
        with pen.at(0, -2, turn=38 * side):
            pen.rect(-0.9, -21, 1.8, 34, r=0.8, fill="#d9b382", width=0.5)
            pen.ellipse(0, -21, 2.1, fill="#d7263d", width=0.5)
    pen.curve([(8, 12), (14, 18), (4, 21), (-8, 18), (-16, 21)], line=INK, width=2.6)
    pen.curve([(8, 12), (14, 18), (4, 21), (-8, 18), (-16, 21)], line="#f06292", width=1.3)
    pen.ellipse(0, 2, 13.5, fill="#f06292")
    for bend in (-6, -1, 4):
        pen.curve([(-11.5, bend + 2), (0, bend - 3), (11.5, bend + 2)], line="#a31551", width=1.0)
    for bend in (-5, 0, 5):
        pen.curve([(bend - 2, 13), (bend + 2, 9), (bend + 1, 5)], line="#a31551", width=1.0)


def fish(pen: Pen) -> None:
    """A fish, head to the left, blowing bubbles."""
    pen.polygon([(9, 0), (18.5, -10), (16, 0), (18.5, 10)], fill="#f28f3b")
    pen.blob([(-4, -8), (2, -15), (8, -6)], fill="#f28f3b")
    pen.blob([(-17, 1), (-8, -9), (4, -8), (12, 0), (4, 9), (-8, 10)], fill="#c8ecf4")
    pen.curve([(-7, -8.6), (-4, 0), (-7, 9.4)], width=0.9)
    for x in (-0.5, 4.5):
        for y in (-4, 1, 6):
            pen.arc(x + (1.6 if y == 1 else 0), y - 1, 2.2, -80, 80, width=0.6)
    pen.ellipse(-11.4, -1.6, 2.6, fill=WHITE)
    pen.ellipse(-11.8, -1.4, 1.2, fill=INK, line=None)
    pen.curve([(-16, 3.6), (-13.6, 5)], width=0.9)
    for x, y, r in ((-15, -12, 1.6), (-11, -17, 2.3), (-17, -20, 1.3)):
        pen.ellipse(x, y, r, fill=WHITE, width=0.5)


def brush(pen: Pen) -> None:
    """A grooming brush with its bristles to the left."""
    with pen.at(0, 0, turn=24):
        for tooth in range(9):
            pen.rect(-10.5, -17.6 + 2.6 * tooth, 7, 1.3, fill=INK, line=None)
        pen.rect(-5, -20, 10.5, 25, r=4, fill="#8e5bb5")
        pen.rect(-1.6, 4.4, 5, 18, r=2.4, fill="#e9c46a")
        pen.ellipse(0.9, 19, 1.1, fill=INK, line=None)
        for y in (-14, -7.5, -1):
            pen.ellipse(0.4, y, 1.9, fill=WHITE, width=0.5)


def umbrella(pen: Pen) -> None:
    """An open umbrella in the rain."""
    for x, y in ((-17, -17), (-9, -21), (10, -21), (17, -16), (-16, 9), (16, 8), (-9, 15), (11, 17)):
        pen.curve([(x, y), (x - 1, y + 3.4)], line="#1f6f8b", width=1.3)
    pen.curve([(0, -4), (0, 15), (-3, 18), (-6.6, 16), (-6.8, 13)], line=INK, width=3.0)
    pen.curve([(0, -4), (0, 15), (-3, 18), (-6.6, 16), (-6.8, 13)], line="#d9b382", width=1.6)
    roof = [(-18, 1), (-14, -9), (-6, -15.4), (0, -16.4), (6, -15.4), (14, -9), (18, 1)]
    pen.polygon([*roof, (12, -1.4), (6, 1), (0, -1.4), (-6, 1), (-12, -1.4)], fill="#d7263d")
    pen.polygon(
        [(0, -16.4), (-3, -15.9), (-6.4, -8), (-6, 1), (0, -1.4), (6, 1), (6.4, -8), (3, -15.9)], fill=WHITE
    )
    pen.polygon([(0, -16.4), (0, -20)], width=1.8)


def boot(pen: Pen) -> None:
    """A rubber boot, toe to the left, well chewed."""
    leg = [(11, -21), (-3.5, -21), (-4, 0), (-15, 4), (-17.6, 11), (-17, 14), (11.5, 14)]
    pen.polygon(leg, fill="#3f7d3a")
    pen.rect(-4.6, -22, 17, 5, r=1.6, fill=GOLD)
    sole = [(12.4, 13), (-18.4, 13), (-18.4, 17), (-5, 17), (-4, 15.6), (2, 15.6), (3, 17), (12.4, 17)]
    pen.polygon(sole, fill=INK)
    for x, y in ((8, -10), (3, -5), (7, 2)):
        pen.polygon([(x - 1.8, y), (x, y - 2), (x + 2, y + 0.6), (x + 0.4, y + 2.4)], fill=WHITE, width=0.4)
    pen.curve([(-4, 0), (-1, 2), (-1.4, 5)], width=0.9)
    pen.curve([(-8, 1.6), (-6, 4), (-6.6, 6.6)], width=0.9)


def raised_hand(pen: Pen) -> None:
    """An open hand, up: "I do not have it"."""
    pen.rect(-8, 14, 16, 12, r=1, fill="#2e86ab")
    for x, y, length, turn in ((-7.6, -4, 15, -14), (-2.6, -6, 18, -4), (2.6, -6, 17, 4), (7.4, -3, 14, 13)):
        with pen.at(x, y, turn=turn):
            pen.rect(-2.5, -length, 5, length + 6, r=2.5, fill="#f4c7a1")
    with pen.at(9, 8, turn=52):
        pen.rect(-2.7, -13, 5.4, 15, r=2.6, fill="#f4c7a1")
    pen.blob([(-10, -4), (-9, 12), (0, 17), (9, 13), (10, -3), (0, -6)], fill="#f4c7a1", line=None)
    pen.curve([(-10, -3), (-9.4, 10), (-7, 14.6)])
    pen.curve([(-5, 4), (0, 1.6), (6, 4)], width=0.8)


def lowered_hand(pen: Pen) -> None:
    """A closed hand resting on the table."""
    pen.rect(-21, 12, 42, 16, fill="#a9744f")
    pen.curve([(-21, 17), (21, 17)], line="#80553a", width=1)
    pen.rect(8, -6, 13, 15, r=1, fill="#2e86ab")
    pen.blob([(-12, -6), (-4, -10), (9, -7), (9, 9), (-4, 12), (-13, 10)], fill="#f4c7a1")
    for y in (-5.4, -0.6, 4.2, 8.6):
        pen.rect(-16, y - 2.4, 12, 5, r=2.4, fill="#f4c7a1")
    with pen.at(-1, -8.6, turn=-14):
        pen.rect(-9, -2.6, 13, 5, r=2.5, fill="#f4c7a1")


def paws(pen: Pen, colour: str) -> None:
    """A paw print, 6 mm wide."""
    pen.ellipse(0, 1, 2.2, 1.8, fill=colour, line=None)
    for x, y in ((-2.3, -1), (-0.8, -2.3), (0.8, -2.3), (2.3, -1)):
        pen.ellipse(x, y, 0.75, 0.95, fill=colour, line=None)
