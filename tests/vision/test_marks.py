"""What is known of a card's marks, and where in a picture they are looked for."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.vision.outlines import Contours, Pyramid
from companion.vision.print_detail import MIN_ELONGATION, DetailShapes


def blobs(seed: int) -> Contours:
    """A grey picture with long dark blobs, crescents among them, left and right."""
    chance = np.random.default_rng(seed)
    table = np.full((600, 800, 3), 200, np.uint8)
    for at in range(12):
        middle = (100 + 200 * (at % 4), 100 + 200 * (at // 4))
        axes = (int(chance.integers(30, 60)), int(chance.integers(10, 25)))
        turn = int(chance.integers(0, 180))
        cv2.ellipse(table, middle, axes, turn, 0, int(chance.integers(200, 361)), (40, 60, 80), -1)
    return Contours.of(Pyramid(table))


@pytest.mark.parametrize("seed", range(4))
def test_area_middle_and_spread_are_those_of_what_each_line_goes_round(seed):
    traces = blobs(seed)
    shapes = DetailShapes.of(traces)
    expected = []
    lines, ways, _ = traces.detail_lines
    for way, line in zip(ways, lines, strict=True):
        about = cv2.moments(line)
        area = about["m00"]
        if area == 0:
            continue
        spread = np.array([[about["mu20"], about["mu11"]], [about["mu11"], about["mu02"]]]) / area
        least, most = np.sqrt(np.maximum(np.linalg.eigvalsh(spread), 0))
        if most > MIN_ELONGATION * least:
            fill = area / cv2.contourArea(cv2.convexHull(line))
            expected.append((about["m10"] / area, about["m01"] / area, area, *spread.ravel(), fill, way))
    assert len(expected) > 12
    told = np.column_stack((shapes.at, shapes.area, shapes.spread.reshape(-1, 4), shapes.fill, shapes.way))
    np.testing.assert_allclose(told, expected, rtol=1e-6, atol=1e-6)


def test_marks_are_looked_for_only_where_there_is_room():
    traces, room = blobs(0), np.zeros((30, 40), np.uint8)
    assert not len(DetailShapes.of(traces, room=room).area)
    room[:, :20] = 1
    shapes, every = DetailShapes.of(traces, room=room), DetailShapes.of(traces)
    assert 0 < len(shapes.area) < len(every.area)
    assert shapes.at[:, 0].max() < traces.shape[1] / 2 < every.at[:, 0].max()


def test_a_mark_that_shows_as_two_lines_counts_once_and_the_largest_come_first():
    table = np.full((600, 800, 3), 200, np.uint8)
    for at, long in ((200, 110), (600, 130)):
        cv2.ellipse(table, (at, 300), (long, 80), 20, 0, 360, (40, 60, 80), 2)
    traces = Contours.of(Pyramid(table))
    every, once = DetailShapes.of(traces), DetailShapes.of(traces, once=True)
    assert len(once.area) < len(every.area)
    assert (np.diff(once.area) <= 0).all()
    for at, area, way in zip(every.at, every.area, every.way, strict=True):
        like = (once.way == way) & (np.linalg.norm(once.at - at, axis=1) < 0.1 * np.sqrt(once.area))
        assert (like & (once.area >= area)).any()
