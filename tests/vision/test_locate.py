"""Outlines are found on light and dark ground, touching or turned, and in bounded number."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.vision.outlines import (
    MAX_OUTLINES,
    Contours,
    Pyramid,
    find_outlines,
    is_plausible_card,
    overlap_share,
    remove_specks,
    sort_clockwise,
    upright_corner_orders,
)
from tests.vision.drawn import cards, cloth, corners, face, lay

ASPECT = 1.5


def found(table, where) -> float:
    """How far, in pixels, the best outline's corners are from the truth (whichever end is its top)."""
    quads = find_outlines(Contours.of(Pyramid(table)), ASPECT)
    turns = [np.roll(where, -2 * k, axis=0) for k in (0, 1)]
    return min((float(np.abs(q - t).max()) for q in quads for t in turns), default=999.0)


@pytest.mark.parametrize("degrees", [0, 17, 45, 90, 133, 180, 200, 315])
def test_a_card_is_outlined_however_it_lies(degrees):
    table, where = cloth(), corners((480, 320), 200, degrees)
    lay(table, face("7", "disc"), where)
    assert found(table, where) < 4


@pytest.mark.parametrize("colour", [(25, 25, 25), (60, 90, 40), (120, 60, 60), (205, 210, 215)])
@pytest.mark.parametrize("height", [50, 120, 250])
def test_a_card_is_outlined_on_dark_and_on_light_cloth_large_and_small(colour, height):
    table, where = cloth(colour), corners((400, 300), height, 12)
    lay(table, face("3", "drop"), where)
    assert found(table, where) < 4


def test_a_card_seen_at_an_angle_is_outlined():
    table = cloth()
    where = np.array([[400, 200], [540, 205], [580, 370], [370, 360]], np.float32)
    lay(table, face("4", "kite"), where)
    assert found(table, where) < 5


@pytest.mark.parametrize("degrees", [0, 20, 50])
def test_a_card_full_of_print_is_outlined_though_stripes_of_the_cloth_run_into_it(degrees):
    table, where = cloth((70, 40, 60)), corners((480, 320), 230, degrees)
    for across in range(300, 700, 23):
        cv2.line(table, (across, 0), (across + 5, 640), (150, 130, 150), 2)
    chequers = np.kron(np.indices((24, 16)).sum(axis=0) % 2, np.ones((10, 10))) * 160 + 60
    lay(table, np.repeat(chequers[..., None], 3, axis=2).astype(np.uint8), where)
    assert found(table, where) < 6


def test_cards_that_touch_are_told_apart():
    table = cloth((30, 30, 30))
    left, right = corners((400, 300), 180, 0), corners((521, 300), 180, 0)
    lay(table, face("4", "kite"), left)
    lay(table, face("9", "disc"), right)
    assert max(found(table, left), found(table, right)) < 5


def test_an_empty_table_holds_next_to_no_outline_and_a_black_frame_none():
    assert len(find_outlines(Contours.of(Pyramid(cloth())), ASPECT)) < 15
    assert find_outlines(Contours.of(Pyramid(np.zeros((480, 640, 3), np.uint8))), ASPECT) == []


def test_a_checked_cloth_gives_boundedly_many_outlines():
    checks = (np.indices((720, 1280)) // 48).sum(axis=0) % 2 * 200 + 20
    table = np.repeat(checks[..., None], 3, axis=2).astype(np.uint8)
    assert len(find_outlines(Contours.of(Pyramid(table)), 1.0)) <= 2 * MAX_OUTLINES


def test_lines_round_all_that_is_larger_than_a_speck_stay_as_they_are():
    def larger(edges):
        lines, _ = cv2.findContours(edges, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
        return len(lines), [line for line in lines if max(cv2.boundingRect(line)[2:]) > 5]

    noise = np.random.default_rng(2).random((300, 400))
    for share in (0.1, 0.2, 0.35):
        spots = cv2.dilate((noise < share).astype(np.uint8) * 255, np.ones((3, 3), np.uint8))
        edges = cv2.copyMakeBorder(spots, 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=0)
        (before, plain), (after, filled) = larger(edges), larger(remove_specks(edges))
        assert after < before
        assert len(filled) == len(plain)
        assert all(np.array_equal(one, other) for one, other in zip(filled, plain, strict=True))


def test_twenty_cards_are_all_outlined():
    table, places = cloth(), []
    for at, (_, picture) in enumerate(cards()[:20]):
        where = corners((100 + at % 7 * 125, 110 + at // 7 * 200), 130, at * 2 - 20)
        lay(table, picture, where)
        places.append(where)
    assert max(found(table, p) for p in places) < 5


def test_corners_are_ordered_clockwise_as_seen():
    square = np.array([[0, 0], [0, 10], [10, 10], [10, 0]], np.float32)
    assert cv2.contourArea(sort_clockwise(square), oriented=True) > 0


def test_an_outline_starts_with_a_short_side_and_a_nearly_square_one_with_either():
    tall = np.array([[0, 0], [100, 0], [100, 150], [0, 150]], np.float32)
    assert [q[0].tolist() for q in upright_corner_orders(tall, ASPECT)] == [[0, 0]]
    lying = np.array([[0, 0], [150, 0], [150, 100], [0, 100]], np.float32)
    assert [q[0].tolist() for q in upright_corner_orders(lying, ASPECT)] == [[150, 0]]
    squarish = np.array([[0, 0], [100, 0], [100, 105], [0, 105]], np.float32)
    assert len(upright_corner_orders(squarish, ASPECT)) == 2
    aslant = np.array([[0, 0], [100, 0], [100, 157 * ASPECT], [0, 157 * ASPECT]], np.float32)
    assert [q[0].tolist() for q in upright_corner_orders(aslant, ASPECT)] == [[0, 0]]
    assert upright_corner_orders(np.array([[0, 0], [300, 0], [300, 50], [0, 50]], np.float32), ASPECT) == []


def test_overlap_is_the_shared_part_of_the_smaller():
    large = np.array([[0, 0], [10, 0], [10, 10], [0, 10]], np.float32)
    small = np.array([[8, 0], [12, 0], [12, 4], [8, 4]], np.float32)
    assert overlap_share(large, small) == pytest.approx(0.5)
    assert overlap_share(small, large) == pytest.approx(0.5)
    assert overlap_share(large, small + 50) == 0


def test_a_crossed_tiny_or_anticlockwise_quad_is_no_card():
    good = np.array([[100, 100], [200, 100], [200, 250], [100, 250]], np.float32)
    assert is_plausible_card(good, (640, 960))
    assert not is_plausible_card(good[::-1].copy(), (640, 960))
    assert not is_plausible_card(good[[0, 2, 1, 3]], (640, 960))
    assert not is_plausible_card(good * 0.05, (640, 960))
    assert not is_plausible_card(good * np.float32(np.nan), (640, 960))


def test_a_view_of_a_large_picture_is_taken_from_a_reduced_one_and_lies_true():
    table, where = cloth(), corners((480, 320), 400, 30)
    picture = face("5", "box")
    lay(table, picture, where)
    view = Pyramid(table).view(where, (40, 60)).astype(int)
    expected = cv2.resize(picture, (40, 60), interpolation=cv2.INTER_AREA).astype(int)
    assert np.abs(view - expected)[4:-4, 4:-4].mean() < 6


@pytest.mark.parametrize("part", [(5, 9, 20, 30), (30, 60, 24, 30)])
def test_a_part_of_a_view_is_what_the_whole_view_has_there(part):
    table, where = cloth(), corners((480, 320), 400, 30)
    lay(table, face("5", "box"), where)
    left, top, width, height = part
    whole = Pyramid(table).view(where, (60, 90)).astype(int)
    seen = Pyramid(table).view(where, (60, 90), part=part)
    assert seen.shape == (height, width, 3)
    inside = whole[top : top + height, left : left + width]
    assert np.abs(seen[: len(inside), : inside.shape[1]] - inside).max() <= 2
