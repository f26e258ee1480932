"""What people and rooms put before the camera besides cards: nothing is read that does not lie there."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
import pytest

from companion.core.observations import UNKNOWN
from companion.vision.decks import build_deck
from companion.vision.outlines import MAX_OUTLINES, Contours, Pyramid, find_outlines, overlap_share
from companion.vision.recogniser import Recogniser
from tests.vision.drawn import Picture, cards, cloth, corners, face, lay, write


@cache
def eye() -> Recogniser:
    return Recogniser(build_deck(cards()))


def read(picture: Picture) -> list[str]:
    return sorted(s.card for s in eye().recognise(picture) if s.card != UNKNOWN)


@pytest.mark.parametrize("grey", [0, 128, 255])
def test_a_frame_of_one_colour_holds_nothing(grey: int) -> None:
    assert eye().recognise(np.full((720, 1280, 3), grey, np.uint8)) == []


def test_noise_in_the_dark_holds_nothing() -> None:
    assert read(np.random.default_rng(2).integers(0, 14, (720, 1280, 3), dtype=np.uint8)) == []


@pytest.mark.long
def test_a_card_in_a_picture_of_twenty_megapixels_is_read_where_it_lies() -> None:
    table = np.full((3648, 5472, 3), (60, 90, 40), np.uint8)
    where = corners((4000.0, 2500.0), 900.0, 30.0)
    lay(table, cv2.resize(face("4", "kite"), (640, 960)), where)
    (seen,) = eye().recognise(table)
    assert seen.card == "kite:4"
    assert np.abs(seen.corners - where).max() < 12


def test_forty_cards_in_view_are_read_each_once() -> None:
    table = cv2.resize(cloth(), (1600, 1000))
    dealt = [card for card, _ in cards()] + [
        f"{suit}:{rank}" for suit in ("disc", "kite") for rank in "234579"
    ]
    dealt += [f"box:{rank}" for rank in "2345"]
    pictures = dict(cards())
    for at, card in enumerate(dealt):
        row, column = divmod(at, 8)
        where = corners(
            (130.0 + 190 * column, 105.0 + 195 * row), 165.0, (at * 37) % 50 - 25 + 180 * (at % 2)
        )
        lay(table, pictures[card], where)
    assert len(dealt) == 40
    assert read(table) == sorted(dealt)


def test_a_cloth_of_a_thousand_squares_costs_no_more_outlines_than_allowed() -> None:
    rows, columns = np.mgrid[0:720, 0:1280] // 24
    chequered = np.where((rows + columns) % 2, 40, 220)[..., None].repeat(3, axis=2).astype(np.uint8)
    assert len(find_outlines(Contours.of(Pyramid(chequered)), 1.5)) <= 2 * MAX_OUTLINES
    assert read(chequered) == []


@pytest.mark.parametrize("height", [300, 620])
def test_a_face_is_no_card(height: int) -> None:
    picture = cloth((120, 110, 90))
    skin, dark = (140, 170, 215), (40, 45, 60)
    middle, wide = (480, 320), round(0.36 * height)
    cv2.ellipse(picture, middle, (round(1.12 * wide), round(0.56 * height)), 0, 0, 360, dark, -1, cv2.LINE_AA)
    cv2.ellipse(picture, (480, 350), (wide, height // 2), 0, 0, 360, skin, -1, cv2.LINE_AA)
    for side in (-1, 1):
        at = (480 + side * wide // 2, 320 - height // 12)
        cv2.ellipse(picture, at, (wide // 4, wide // 8), 0, 0, 360, (235, 240, 240), -1, cv2.LINE_AA)
        cv2.circle(picture, at, wide // 10, dark, -1, cv2.LINE_AA)
        cv2.rectangle(
            picture, (at[0] - wide // 3, at[1] - wide // 4), (at[0] + wide // 3, at[1] + wide // 4), dark, 3
        )
    cv2.ellipse(picture, (480, 350 + height // 4), (wide // 3, wide // 9), 0, 0, 180, (70, 60, 170), -1)
    assert read(cv2.GaussianBlur(picture, (0, 0), 1.5).astype(np.uint8)) == []


@pytest.mark.parametrize("seed", range(4))
def test_printed_paper_is_no_card(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = cloth(seed=seed + 1)
    for high, degrees, at in ((460, -12, (260, 330)), (240, 75, (600, 200)), (200, 8, (780, 460))):
        page = np.full((480, 320, 3), 246, np.uint8)
        for line in range(40, 440, 26):
            words = " ".join("".join(rng.choice(list("aegimnorstu"), rng.integers(2, 9))) for _ in range(5))
            cv2.putText(page, words, (24, line), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (50, 50, 50), 1, cv2.LINE_AA)
        if seed % 2:
            write(page, str(rng.choice(list("234579"))), (70, 170, 140, 170), (30, 30, 30))
        lay(table, page, corners(at, high, degrees))
    assert read(table) == []


def test_a_card_on_a_printed_page_is_read_and_the_page_is_not() -> None:
    table = cloth()
    page = np.full((480, 320, 3), 240, np.uint8)
    for line in range(30, 460, 18):
        cv2.line(page, (20, line), (300, line), (80, 80, 80), 4)
    lay(table, page, corners((480, 320), 560, 5))
    where = corners((470.0, 330.0), 230.0, -20.0)
    lay(table, face("7", "drop"), where)
    (seen,) = [s for s in eye().recognise(table) if s.card != UNKNOWN]
    assert seen.card == "drop:7"
    assert overlap_share(seen.corners, where) > 0.9
