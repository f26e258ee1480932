"""Cards that lie edge to edge, so that only what lies round all of them has an outline."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from companion.core.observations import UNKNOWN
from companion.vision.alignment import project_points
from companion.vision.decks import build_deck
from companion.vision.outline_reading import Sighting
from companion.vision.outlines import Pyramid, Quad, overlap_share
from companion.vision.paper_colour import is_mostly_paper
from companion.vision.recogniser import Recogniser
from companion.vision.touching_cards import neighbour_places
from tests.vision import drawn

Picture = NDArray[np.uint8]
LEAST_READ = 0.9


def tile(number: int, height: int, rim: int = 0) -> Picture:
    """A card 160 wide, printed up to its edge or up to a black rim of so many pixels."""
    rng = np.random.default_rng(number)
    card = np.full((height, 160, 3), rng.integers(40, 200, 3), np.uint8)
    for kind in range(7):
        colour = rng.integers(0, 256, 3).tolist()
        points = rng.integers(-20, 20 + np.array((160, height)), (4, 2)).astype(np.int32)
        if kind % 3 == 0:
            cv2.fillPoly(card, [cv2.convexHull(points)], colour)
        elif kind % 3 == 1:
            cv2.circle(card, points[0].tolist(), int(rng.integers(15, 50)), colour, -1)
        else:
            cv2.line(card, points[0].tolist(), points[1].tolist(), colour, int(rng.integers(6, 24)))
    if rim:
        cv2.rectangle(card, (0, 0), (159, height - 1), (12, 12, 12), 2 * rim - 1)
    return card


@cache
def deck(height: int, rim: int = 0) -> dict[str, Picture]:
    return {f"t{number}": tile(number, height, rim) for number in range(24)}


@cache
def recogniser(height: int, rim: int = 0) -> Recogniser:
    return Recogniser(build_deck(deck(height, rim).items(), complete=False))


def laid(
    pictures: dict[str, Picture],
    cells: list[tuple[int, int]],
    width: float,
    degrees: float,
    *,
    cloth: tuple[int, int, int] = (60, 90, 40),
) -> tuple[Picture, list[tuple[str, Quad]]]:
    """A table seen from one side, with cards edge to edge in the (column, row) cells, some upside down."""
    table, truth = drawn.cloth(cloth), []
    tall = width * next(iter(pictures.values())).shape[0] / 160
    middle = (np.max(cells, axis=0) + 1) / 2
    turn = np.radians(degrees)
    by = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    tilt = np.array([[1, 0, 0], [0, 1, 0], [0.00006, 0.0001, 0.93]])
    for number, (card, (column, row)) in enumerate(zip(pictures, cells, strict=False)):
        box = np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) + np.array((column, row)) - middle
        flat = box * (width, tall) @ by + (480, 320)
        where = project_points(flat, tilt).astype(np.float32)
        where = np.roll(where, 2 * (number % 2), axis=0)
        drawn.lay(table, pictures[card], where)
        truth.append((card, where))
    return table, truth


def read(truth: list[tuple[str, Quad]], seen: list[Sighting]) -> list[str]:
    """The cards that were read where they lie; that none is read elsewhere is asserted."""
    found = []
    for one in seen:
        if one.card != UNKNOWN:
            assert overlap_share(dict(truth)[one.card], one.corners) > 0.8, one.card
            found.append(one.card)
    return found


SHAPES = {
    "a grid": [(column, row) for row in range(4) for column in range(6)],
    "a grid with gaps": [(column, row) for row in range(4) for column in range(6) if (column * 7 + row) % 5],
    "a row": [(column, 0) for column in range(6)],
    "two": [(0, 0), (1, 0)],
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("degrees", [0, 24])
def test_squares_edge_to_edge_are_read(shape: str, degrees: float) -> None:
    table, truth = laid(deck(160), SHAPES[shape], 84, degrees)
    assert len(read(truth, recogniser(160).recognise(table))) >= LEAST_READ * len(truth)


@pytest.mark.parametrize("degrees", [0, 33])
def test_a_row_of_rectangles_is_read(degrees: float) -> None:
    table, truth = laid(deck(224), SHAPES["a row"], 90, degrees)
    assert len(read(truth, recogniser(224).recognise(table))) >= LEAST_READ * len(truth)


def test_black_rimmed_cards_that_touch_on_dark_wood_are_read() -> None:
    table, truth = laid(deck(224, 8), SHAPES["two"], 130, 12, cloth=(20, 26, 34))
    assert len(read(truth, recogniser(224, 8).recognise(table))) == len(truth)


def test_nothing_is_looked_for_beside_a_card_on_a_bare_cloth() -> None:
    table, truth = laid(deck(160), [(0, 0)], 120, 24)
    quads = [where for _, where in truth]
    assert neighbour_places(Pyramid(table), quads, quads, 1.0) == []


def test_tiles_of_many_colours_are_not_of_paper() -> None:
    """What shows no paper may be a card all the same."""
    assert not is_mostly_paper(list(deck(160).values()))
    assert is_mostly_paper([picture for _, picture in drawn.cards()])
