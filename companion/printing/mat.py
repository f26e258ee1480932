"""The table mats: where cards go in each game, and four corner marks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from companion.games import full_mat, mat_layout
from companion.printing.creatures import deer, fox, sheep
from companion.printing.masks import eyes
from companion.printing.patterns import HEIGHT, WIDTH
from companion.printing.pen import WHITE, Pen
from companion.printing.sheets import A4_MM, open_canvas
from companion.printing.things import paws
from companion.vision.layout import (
    MARK_MM,
    MAT_MM,
    OBJECT_OFFSET_MM,
    PAIR_OFFSETS_MM,
    Layout,
    Place,
    mark_bits,
)

# Nothing on the mat is as bright as the border of a card, so no line of it runs into one.
GROUND, SHADE, LINE, DIGIT = "#6f9a86", "#678f7c", "#4f7263", "#2c4c40"
_PLAYERS = range(4, 9)
_TILES = (3, 2)
"""Columns and rows of A4 pages; no corner mark falls on a cut."""


def draw_mat(pen: Pen, game: str = "kinapa") -> None:
    """The whole mat of a game, (0, 0) its top left."""
    layout = full_mat(game)
    pen.rect(0, 0, *MAT_MM, fill=GROUND, line=None)
    _GAMES.get(game, _places)(pen, layout)
    _marks(pen, layout)


def _kinapa(pen: Pen, layout: Layout) -> None:
    """A ring of object slots, and a middle for sheep, foxes and shown cards."""
    first = {
        number: next(players for players in _PLAYERS if 2 * players >= number) for number in range(1, 17)
    }
    for number, players in first.items():
        _slot(pen, layout.place(f"slot:{number}"), number, players)
    _middle(pen, layout)


def _places(pen: Pen, layout: Layout) -> None:
    """Every place as a field with the outlines of its cards; `stack:3` has its number in the corner."""
    for place in (*layout.places, *layout.banks):
        with pen.at(*place.centre_mm, turn=place.angle):
            w, h = place.size_mm
            pen.rect(-w / 2, -h / 2, w, h, r=4, fill=SHADE, line=LINE, width=0.5)
            number = place.name.partition(":")[2]
            if number:
                pen.text(-w / 2 + 7, -h / 2 + 12, number, 13, fill=DIGIT)
        for spot in layout.spots(place.name):
            with pen.at(*spot.centre_mm, turn=spot.angle):
                pen.rect(-WIDTH / 2, -HEIGHT / 2, WIDTH, HEIGHT, r=3, fill=GROUND, line=LINE, width=0.7)


def _kabuki(pen: Pen, layout: Layout) -> None:
    """Four stacks round the deck and the show place, and a row in which a stack is checked."""
    _places(pen, layout)
    for name in ("show", "deck"):
        x, y = layout.place(name).centre_mm
        with pen.at(x, y + HEIGHT / 2 + 4.6, scale=1.1):
            eyes(pen, DIGIT)


def _kobayakawa(pen: Pen, layout: Layout) -> None:
    """A field for each hand, with its number, a crossed one for its discard, and a crest at the open card."""
    for place in (*layout.places, *layout.banks):
        kind, _, number = place.name.partition(":")
        with pen.at(*place.centre_mm, turn=place.angle):
            w, h = place.size_mm
            pen.rect(-w / 2, -h / 2, w, h, r=4, fill=SHADE, line=LINE, width=0.5)
            if number:
                pen.text(-w / 2 + 7, -h / 2 + 11, number if kind == "hand" else "×", 12, fill=DIGIT)
            pen.rect(-WIDTH / 2, -HEIGHT / 2, WIDTH, HEIGHT, r=3, fill=GROUND, line=LINE, width=0.7)
            if kind == "kobayakawa":
                for radius in (4.2, 2.4):
                    pen.ellipse(0, HEIGHT / 2 + 6, radius, fill=SHADE, line=DIGIT, width=0.8)


def _dnup(pen: Pen, layout: Layout) -> None:
    """A field for each player's sets; in those that two players use, the number of the area."""
    for place in (*layout.places, *layout.banks):
        with pen.at(*place.centre_mm, turn=place.angle):
            w, h = place.size_mm
            pen.rect(-w / 2, -h / 2, w, h, r=4, fill=SHADE, line=LINE, width=0.5)
        for spot in layout.spots(place.name):
            with pen.at(*spot.centre_mm, turn=spot.angle):
                pen.rect(-WIDTH / 2, -HEIGHT / 2, WIDTH, HEIGHT, r=3, fill=GROUND, line=LINE, width=0.7)
    # Of two players, each with two areas, the second lies at the own left.
    for place, words in zip(mat_layout("dnup", 2).places[:4], ("1", "2", "1", "2"), strict=True):
        spot = layout.spots(place.name if place.name in {"set:1", "set:2"} else _moved(place.name))[0]
        with pen.at(*spot.centre_mm, turn=spot.angle):
            pen.text(0, 6, words, 16, fill=LINE)


def _moved(name: str) -> str:
    """An area of two players as the full mat counts it."""
    return f"set:{int(name.partition(':')[2]) + 1}"


_GAMES: Mapping[str, Callable[[Pen, Layout], None]] = MappingProxyType(
    {"kinapa": _kinapa, "kabuki": _kabuki, "kobayakawa": _kobayakawa, "dnup": _dnup}
)
"""Mats with pictures of their own; every other is drawn from its layout."""


def _marks(pen: Pen, layout: Layout) -> None:
    for mark, corners in layout.marks_mm.items():
        left, top = corners[0]
        pen.rect(left - 6, top - 6, MARK_MM + 12, MARK_MM + 12, r=3, fill=WHITE, line=None)
        cell = MARK_MM / 6
        for row, bits in enumerate(mark_bits(mark)):
            for column, black in enumerate(bits):
                if black:
                    # A hair wider than its cell, so that no light line shows between neighbours.
                    pen.rect(
                        left + column * cell,
                        top + row * cell,
                        cell + 0.02,
                        cell + 0.02,
                        fill="#000000",
                        line=None,
                    )


def _slot(pen: Pen, place: Place, number: int, players: int) -> None:
    """The object's outline, below it where a pair goes, and the slot's number where no card covers it."""
    with pen.at(*place.centre_mm, turn=place.angle):
        w, h = place.size_mm
        pen.rect(-w / 2, -h / 2, w, h, r=4, fill=SHADE, line=LINE, width=0.5)
        for x, y in PAIR_OFFSETS_MM:
            pen.rect(x - WIDTH / 2, y - HEIGHT / 2, WIDTH, HEIGHT, r=3, line=LINE, width=0.3)
        x, y = OBJECT_OFFSET_MM
        pen.rect(x - WIDTH / 2, y - HEIGHT / 2, WIDTH, HEIGHT, r=3, fill=GROUND, line=LINE, width=0.7)
        pen.text(-w / 2 + 12, -h / 2 + 11.2, str(number), 13, fill=DIGIT)
        if players > _PLAYERS[0]:
            pen.text(
                w / 2 - 12,
                -h / 2 + 9.5,
                f"{players}+" if players < _PLAYERS[-1] else str(players),
                8,
                fill=DIGIT,
            )
            pen.ellipse(w / 2 - 20, -h / 2 + 5.6, 1.1, fill=DIGIT, line=None)
            pen.blob(
                [(w / 2 - 22, -h / 2 + 10), (w / 2 - 20, -h / 2 + 7), (w / 2 - 18, -h / 2 + 10)],
                fill=DIGIT,
                line=None,
            )


def _middle(pen: Pen, layout: Layout) -> None:
    """Outlines for the banks and for cards laid open."""
    for name, draw in (("sheep", sheep), ("emperor", deer), ("foxes", fox)):
        place = layout.place(name)
        with pen.at(*place.centre_mm):
            pen.rect(-WIDTH / 2, -HEIGHT / 2, WIDTH, HEIGHT, r=3, fill=SHADE, line=LINE, width=0.7)
            # Small, and below the card's place: nothing on the mat may look like a card.
            with pen.at(0, HEIGHT / 2 + 7, scale=0.24):
                draw(pen)
    shown = layout.place("audit")
    with pen.at(*shown.centre_mm):
        w, h = shown.size_mm
        pen.rect(-w / 2, -h / 2, w, h, r=4, fill=SHADE, line=LINE, width=0.5)
    for place in layout.hand_places():
        with pen.at(*place.centre_mm):
            pen.rect(-WIDTH / 2, -HEIGHT / 2, WIDTH, HEIGHT, r=3, fill=GROUND, line=LINE, width=0.7)
            with pen.at(0, 0, scale=3):
                paws(pen, SHADE)


def print_mat(path: Path, fonts: Path, game: str = "kinapa") -> None:
    """Write the mat as one A2 page."""
    canvas = open_canvas(path, MAT_MM, fonts)
    pen = Pen(canvas, (0.0, 0.0), MAT_MM[1])
    with pen.on_page():
        draw_mat(pen, game)
    canvas.showPage()
    canvas.save()


def print_mat_tiles(path: Path, fonts: Path, game: str = "kinapa") -> int:
    """Write the mat on A4 pages to be cut and laid edge to edge; the number of pages."""
    canvas = open_canvas(path, A4_MM, fonts)
    columns, rows = _TILES
    wide, high = MAT_MM[0] / columns, MAT_MM[1] / rows
    left, top = (A4_MM[0] - wide) / 2, (A4_MM[1] - high) / 2
    for row in range(rows):
        for column in range(columns):
            pen = Pen(canvas, (0.0, 0.0), A4_MM[1])
            with pen.on_page():
                # A little more than the tile, so that a cut beside the line shows no white.
                with (
                    pen.inside(left - 2, top - 2, wide + 4, high + 4),
                    pen.at(left - column * wide, top - row * high),
                ):
                    draw_mat(pen, game)
                for x in (left, left + wide):
                    for y in (top - 10, top + high + 4):
                        pen.polygon([(x, y), (x, y + 6)], width=0.15)
                for y in (top, top + high):
                    for x in (left - 5.5, left + wide + 2.5):
                        pen.polygon([(x, y), (x + 3, y)], width=0.15)
                pen.text(A4_MM[0] / 2, top - 12, f"{'ABC'[row]}{column + 1}", 5, bold=False)
            canvas.showPage()
    canvas.save()
    return rows * columns
