"""Cards printed all over of which a lamp or a thing hides a small part: the rest is plain."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from companion.core.observations import UNKNOWN
from companion.vision.decks import build_deck
from companion.vision.face_matching import differing_share
from companion.vision.recogniser import Recogniser
from tests.vision import drawn

Picture = NDArray[np.uint8]
WIDTH, HEIGHT = 160, 224
COUNT = 10


def trading_card(number: int) -> Picture:
    """A frame and a box of text that all cards share, with a picture that is each card's own."""
    rng = np.random.default_rng(number)
    card = np.full((HEIGHT, WIDTH, 3), (40, 60, 70), np.uint8)
    cv2.rectangle(card, (12, 140), (147, 210), (190, 205, 215), -1)
    for row in range(150, 205, 12):
        cv2.line(card, (20, row), (138, row), (60, 60, 60), 2)
    art = card[14:132, 12:148]
    art[:] = rng.integers(40, 160, 3)
    for kind in range(9):
        colour = rng.integers(0, 200, 3).tolist()
        points = rng.integers(-10, 10 + np.array((136, 118)), (4, 2)).astype(np.int32)
        if kind % 3 == 0:
            cv2.fillPoly(art, [cv2.convexHull(points)], colour)
        elif kind % 3 == 1:
            cv2.circle(art, points[0].tolist(), int(rng.integers(12, 30)), colour, -1)
        else:
            cv2.line(art, points[0].tolist(), points[1].tolist(), colour, int(rng.integers(4, 14)))
    return card


@cache
def recogniser(without: int = -1) -> Recogniser:
    cards = {f"c{number}": trading_card(number) for number in range(COUNT) if number != without}
    return Recogniser(build_deck(cards.items(), complete=False))


def table_with(number: int) -> Picture:
    table = drawn.cloth()
    corners = np.array([[380, 180], [556, 196], [534, 442], [358, 426]], np.float32)
    drawn.lay(table, trading_card(number), corners)
    return table


def under_a_lamp(number: int) -> Picture:
    """A card with a streak of light on it, as grainy as its surface."""
    table = table_with(number)
    down, across = np.mgrid[: table.shape[0], : table.shape[1]].astype(np.float32)
    along, aside = (across - 470) * 0.8 + (down - 265) * 0.6, (down - 265) * 0.8 - (across - 470) * 0.6
    streak = np.clip(1.4 - np.hypot(along / 45, aside / 9), 0, 1)
    streak *= 0.84 + 0.36 * np.random.default_rng(1).random(streak.shape)
    light = (table.astype(np.float32) / 255) ** 2 + streak[..., None]
    return np.asarray(np.sqrt(np.clip(light, 0, 1)) * 255, np.uint8)


def under_a_token(number: int) -> Picture:
    table = table_with(number)
    cv2.circle(table, (470, 265), 18, (200, 60, 30), -1, cv2.LINE_AA)
    return table


def named(recogniser: Recogniser, picture: Picture) -> list[str]:
    return [seen.card for seen in recogniser.recognise(picture) if seen.card != UNKNOWN]


@pytest.mark.parametrize("number", range(2))
@pytest.mark.parametrize("spoilt", [under_a_lamp, under_a_token])
def test_a_card_is_read_by_the_print_beside_what_lies_or_shines_on_it(
    spoilt: Callable[[int], Picture], number: int
) -> None:
    assert named(recogniser(), spoilt(number)) == [f"c{number}"]


@pytest.mark.parametrize("number", range(2))
@pytest.mark.parametrize("spoilt", [under_a_lamp, under_a_token])
def test_that_does_not_excuse_a_card_that_was_never_shown(
    spoilt: Callable[[int], Picture], number: int
) -> None:
    assert named(recogniser(number), spoilt(number)) == []


def test_residuals_differ_nowhere_from_themselves_and_everywhere_from_their_opposite() -> None:
    planes = np.random.default_rng(3).normal(size=(3, 40, 30)).astype(np.float32)
    one = planes.flatten()
    assert differing_share(one, one, (80, 60)) == 0
    assert differing_share(one, -one, (80, 60)) == 1
    planes[:, :20] *= -1
    assert 0.3 < differing_share(one, planes.ravel(), (80, 60)) <= 1
