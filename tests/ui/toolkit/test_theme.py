"""Colours and sizes that people of all ages can read from two metres."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from companion.ui.toolkit import sprites
from companion.ui.toolkit.text_painter import TextPainter
from companion.ui.toolkit.theme import (
    BAD,
    BLUE_BACK,
    CHAIR,
    FELT,
    GOLD,
    GOOD,
    GROUND,
    INK,
    NOTICE,
    PANEL,
    PAPER,
    RAISED,
    SHAPES,
    SOFT,
    TEXT,
    Colour,
    contrast_ratio,
    font_size,
    ink_on,
)

READABLE = 4.5
BLINDNESS = {
    "none": np.eye(3),
    "deutan": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]]
    ),
    "protan": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "tritan": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]]
    ),
}
"""Machado, Oliveira and Fernandes 2009, severity 1.0, on linear light."""


def seen(colour: Colour, blindness: str) -> np.ndarray:
    """L*a*b* of a colour as these eyes see it."""
    c = np.array(colour) / 255
    linear = BLINDNESS[blindness] @ np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    matrix = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    x = matrix @ np.clip(linear, 0, 1) / np.array([0.9505, 1, 1.089])
    f = np.where(x > 0.008856, np.cbrt(x), 7.787 * x + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("blindness", BLINDNESS)
def test_no_two_chairs_look_alike_to_colour_blind_eyes(blindness: str) -> None:
    for one, other in combinations(CHAIR.values(), 2):
        assert np.linalg.norm(seen(one, blindness) - seen(other, blindness)) > 15


def test_every_chair_has_its_own_shape() -> None:
    assert len(set(SHAPES)) == len(CHAIR) == 8
    pictures = {sprites.draw_shape(shape, 20, TEXT).get_buffer().raw for shape in SHAPES}
    assert len(pictures) == 8


@pytest.mark.parametrize("fill", [*CHAIR.values(), GOLD, GOOD, BAD, NOTICE, PAPER, RAISED, PANEL])
def test_the_ink_chosen_for_a_fill_is_readable_on_it(fill: Colour) -> None:
    assert contrast_ratio(ink_on(fill), fill) >= READABLE


@pytest.mark.parametrize(
    ("text", "ground"),
    [
        *((ink, ground) for ink in (TEXT, SOFT, GOLD) for ground in (GROUND, PANEL, RAISED, FELT)),
        (INK, PAPER),
        (TEXT, BLUE_BACK),
        (GOLD, FELT),
        (GOOD, FELT),
    ],
)
def test_text_drawn_into_pictures_is_readable(text: Colour, ground: Colour) -> None:
    assert contrast_ratio(text, ground) >= READABLE


@pytest.mark.parametrize("height", [600, 720, 1080])
def test_no_text_size_is_below_a_24th_of_the_height(height: int) -> None:
    assert all(font_size(height, scale / 10) * 24 >= height for scale in range(60))


def test_a_font_too_small_cannot_be_had() -> None:
    painter = TextPainter(720)
    assert painter.font(0.2).size("x") == painter.font(1.0).size("x")


def test_text_is_shrunk_to_the_smallest_size_and_then_cut() -> None:
    painter = TextPainter(720)
    fitted = painter.fit_text("one two three four five six seven", 200, 40, 3.0)
    assert fitted.cut
    assert fitted.scale == 1.0
    assert fitted.lines[-1].endswith("…")


def test_text_that_fits_keeps_its_size_and_every_word() -> None:
    fitted = TextPainter(720).fit_text("one two three", 400, 120, 1.5)
    assert (fitted.scale, fitted.cut) == (1.5, False)
    assert " ".join(fitted.lines) == "one two three"


@pytest.mark.parametrize(
    "text", ["Deux combattent : on montre.", "Combien ? Dis le nombre !", "Battu ! 3 × 2"]
)
def test_no_line_begins_with_a_mark_that_french_sets_apart(text: str) -> None:
    painter = TextPainter(600)
    longest = max(text.split(" "), key=len)
    for width in range(painter.font(1.0).size(f"{longest} ??")[0], painter.font(1.0).size(text)[0] + 1):
        lines = painter.fit_text(text, width, 600, 1.0).lines
        assert " ".join(lines) == text
        assert not any(line[0] in ":;?!×" for line in lines), (width, lines)


def test_the_last_of_two_lines_is_no_single_short_word() -> None:
    painter = TextPainter(480)
    wide = painter.font(1.0).size("You have the 7 again: leave your hand")[0] + 2
    lines = painter.fit_text("You have the 7 again: leave your hand down.", wide, 60).lines
    assert len(lines) == 2
    shorter, longer = sorted(painter.font(1.0).size(line)[0] for line in lines)
    assert shorter > longer * 0.45
