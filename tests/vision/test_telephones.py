"""A telephone that shows a card: on a dark screen it is none, on a bright page it is still taken for one."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
import pytest

from companion.core.observations import UNKNOWN
from companion.vision.acceptance import RejectionReason
from companion.vision.decks import build_deck
from companion.vision.phone_screen_filter import is_on_phone_screen
from companion.vision.recogniser import Recogniser
from tests.vision.drawn import Picture, cards, cloth, corners, face, lay
from tests.vision.telephones import on_table, telephone

GREEN, WHITE = (90, 120, 70), (200, 205, 210)


@cache
def eye() -> Recogniser:
    return Recogniser(build_deck(cards()))


def read(picture: Picture) -> list[str]:
    return sorted(s.card for s in eye().recognise(picture) if s.card != UNKNOWN)


@pytest.mark.parametrize("table", [GREEN, WHITE])
@pytest.mark.parametrize("lying", [False, True])
def test_a_face_on_a_dark_screen_is_no_card(table: tuple[int, int, int], lying: bool) -> None:
    rng = np.random.default_rng(4)
    assert read(on_table(telephone(face("7", "kite"), rng, lying=lying), rng, table)) == []


def test_a_known_place_with_a_telephone_in_it_is_told_as_unknown() -> None:
    picture = cloth(GREEN)
    lay(
        picture,
        telephone(face("7", "kite"), np.random.default_rng(4)),
        corners_of_slab((480.0, 320.0), 460.0),
    )
    seen = eye().read_place(picture, corners((480.0, 320.0), 330.0, 0.0))
    assert seen.card == UNKNOWN
    assert (seen.why.card, seen.why.refused) == ("kite:7", RejectionReason.PHONE_SCREEN)


def test_a_face_on_a_bright_page_is_still_taken_for_the_card() -> None:
    # A limit: nothing in one picture tells such a screen from a card on a sheet of paper. README says so.
    rng = np.random.default_rng(4)
    shown = telephone(face("7", "kite"), rng, page=(235, 235, 235))
    assert read(on_table(shown, rng, GREEN)) == ["kite:7"]


@pytest.mark.parametrize("rim", [0.03, 0.1, 0.3])
def test_a_card_in_a_dark_sleeve_or_tray_is_a_card(rim: float) -> None:
    picture, high = cloth(WHITE), 240.0
    wide = high * 160 / 240
    tray = np.array(corners((480.0, 320.0), high + 2 * rim * wide, 0.0))
    tray[:, 0] = 480 + np.sign(tray[:, 0] - 480) * (0.5 + rim) * wide
    lay(picture, np.full((300, 200, 3), 20, np.uint8), tray)
    where = corners((480.0, 320.0), high, 0.0)
    lay(picture, face("4", "disc"), where)
    assert not is_on_phone_screen(picture, where)
    assert read(picture) == ["disc:4"]


def test_a_card_on_a_black_cloth_is_a_card() -> None:
    picture = cloth((16, 16, 18))
    lay(picture, face("4", "disc"), corners((480.0, 320.0), 240.0, 20.0))
    assert read(picture) == ["disc:4"]


def test_a_card_on_dark_speckled_cloth_is_a_card() -> None:
    # Here one line in a few is hardly dark enough for a slab: nothing ends there.
    for seed in range(12):
        speckle = np.random.default_rng(seed).normal(0, 14, (128, 192)).astype(np.float32)
        wide = cv2.resize(speckle, (960, 640), interpolation=cv2.INTER_CUBIC)
        picture = np.clip(74 + wide[..., None] + np.zeros(3), 0, 255).astype(np.uint8)
        where = corners((480.0, 320.0), 200.0, 20.0 * seed)
        lay(picture, face("4", "disc"), where)
        assert not is_on_phone_screen(picture, where)


def test_cards_laid_out_on_dark_wood_are_cards_though_a_light_thing_lies_beside_them() -> None:
    picture, high = cloth((24, 22, 22)), 150.0
    picture[:, 690:] = (190, 190, 195)
    shown = ("3", "4", "5", "7")
    for column, suit in enumerate(("disc", "kite")):
        for row, rank in enumerate(shown):
            lay(picture, face(rank, suit), corners((350.0 + 172 * column, 140.0 + 120 * row), high, 90.0))
    places = [s.corners for s in eye().recognise(picture)]
    beside = next(q for q in places if q.mean(axis=0)[0] > 450 and 200 < q.mean(axis=0)[1] < 300)
    assert is_on_phone_screen(picture, beside)
    assert not is_on_phone_screen(picture, beside, [q for q in places if q is not beside])
    assert read(picture) == sorted(f"{suit}:{rank}" for suit in ("disc", "kite") for rank in shown)


def test_a_card_beside_a_switched_off_telephone_is_a_card() -> None:
    picture = cloth(WHITE)
    dark = cv2.resize(np.full((2, 1, 3), 18, np.uint8), (420, 880))
    lay(picture, dark, corners_of_slab((320.0, 320.0), 460.0))
    where = corners((520.0, 320.0), 240.0, 0.0)
    lay(picture, face("4", "disc"), where)
    assert read(picture) == ["disc:4"]


def corners_of_slab(
    centre: tuple[float, float], high: float
) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """Where a drawn telephone lies, upright."""
    half = np.array([high * 420 / 880, high]) / 2
    return np.asarray(np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * half + centre, np.float32)
