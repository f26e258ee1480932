"""What the bench measures of a card in a picture is what was done to it."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.programs.bench.looks import Decided
from tests.programs.bench.made import measured, spearman
from tests.vision.drawn import face

CORNERS = np.array([[120, 90], [330, 90], [330, 414], [120, 414]], np.float32)


def card() -> np.ndarray:
    return cv2.resize(face("7", "kite"), (210, 324), interpolation=cv2.INTER_AREA)


def table(laid: np.ndarray, cloth: int = 60) -> np.ndarray:
    picture = np.full((500, 460, 3), cloth, np.uint8)
    picture[90:414, 120:330] = laid
    return picture


def seen(picture: np.ndarray) -> dict[str, float]:
    return measured(picture, CORNERS, card())


def test_a_card_as_it_was_enrolled_shows_nothing() -> None:
    plain = seen(table(card()))
    assert plain["contrast"] == pytest.approx(1.0, abs=0.03)
    assert plain["tint"] == pytest.approx(0.0, abs=0.03)
    assert plain["blur"] < 0.6, "drawn lines are sharper than any picture of them that was scaled twice"
    assert max(plain["noise"], plain["gloss"], plain["uneven light"]) < 1.0
    assert (plain["size"], plain["tilt"]) == (324, 1.0)


@pytest.mark.parametrize("sigma", [1.0, 2.0])
def test_blur_is_measured_in_pixels_of_the_size_at_which_it_is_measured(sigma: float) -> None:
    found = seen(cv2.GaussianBlur(table(card()), (0, 0), sigma))["blur"]
    assert found == pytest.approx(sigma * 192 / 324, abs=0.4)


def test_noise_light_tint_gloss_and_a_pale_rim_are_told_apart() -> None:
    chance = np.random.default_rng(1)
    noisy = np.clip(table(card()) + chance.normal(0, 5, (500, 460, 3)), 0, 255).astype(np.uint8)
    assert seen(noisy)["noise"] == pytest.approx(5 * np.sqrt(0.114**2 + 0.587**2 + 0.299**2), rel=0.4)
    assert seen(table((0.5 * card()).astype(np.uint8)))["contrast"] == pytest.approx(0.5, abs=0.03)
    warm = (card() * np.array([0.6, 1.0, 1.0])).astype(np.uint8)
    assert seen(table(warm))["tint"] == pytest.approx(np.log2(1 / 0.6), abs=0.1)
    dark = cv2.ellipse((0.5 * card()).astype(np.uint8), (100, 160), (60, 30), 20, 0, 360, (250, 250, 250), -1)
    assert seen(table(dark))["gloss"] > 5 > seen(table((0.5 * card()).astype(np.uint8)))["gloss"]
    slope = card() * np.linspace(0.4, 1.0, 324)[:, None, None]
    assert seen(table(slope.astype(np.uint8)))["uneven light"] > 10
    assert seen(table(card(), 240))["rim"] < 12
    assert seen(table(card()))["rim"] > 50


def test_ranks_agree_whatever_the_numbers_and_ties_share_a_rank() -> None:
    assert spearman([1, 2, 30], [0.1, 0.5, 0.6]) == pytest.approx(1.0)
    assert spearman([1, 2, 3], [3, 2, 1]) == pytest.approx(-1.0)
    assert spearman([0, 0, 1, 2], [5, 5, 6, 9]) == pytest.approx(1.0)
    assert spearman([1, 1, 1], [1, 2, 3]) == 0.0


def test_looks_are_added_up_as_the_table_adds_them_up() -> None:
    one = Decided("a", "a", 0.5, ("unknown", "a", "", "a", "a", "a"))
    assert [one.after(looks) for looks in (1, 2, 5, 6)] == ["unknown", "unknown", "unknown", "a"]
