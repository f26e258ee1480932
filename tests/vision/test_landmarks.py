"""Local features are sought in less of a picture, and the same ones are found."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.vision.local_features import (
    CELL_SIDE,
    DESCRIPTOR_LENGTH,
    MAX_PER_HINT,
    MIN_HINT_MATCHES,
    FaceFeatures,
    FeatureSearch,
    _crop_parts,
)


def printed(seed: int, strength: int, cover: int) -> np.ndarray:
    """A grey picture of (300, 400) with squares of all greys, as far apart as said, in its first columns."""
    chance = np.random.default_rng(seed)
    picture = np.full((300, 400), 128, np.uint8)
    for _ in range(6000):
        x, y, side = int(chance.integers(cover)), int(chance.integers(300)), int(chance.integers(2, 9))
        grey = int(chance.integers(128 - strength, 128 + strength))
        cv2.rectangle(picture, (x, y), (min(x + side, cover), y + side), grey, -1)
    return picture


@pytest.mark.parametrize(("strength", "cover"), [(127, 400), (60, 400), (127, 260), (127, 60)])
def test_the_strongest_features_are_the_same_where_a_picture_is_full_of_print(strength, cover):
    none = FaceFeatures(usable=False, points=(), described=np.zeros((0, DESCRIPTOR_LENGTH), np.uint8))
    landmarks = FeatureSearch(none, (), ())
    part, mask = printed(1, strength, cover), np.zeros((300, 400), np.uint8)
    mask[20:280, 10:330] = 255
    found, described = cv2.SIFT.create(MAX_PER_HINT).detectAndCompute(part, mask)
    at, looks = landmarks._detect_features(part, mask, MIN_HINT_MATCHES)
    assert len(at) > 30
    told = np.column_stack((at, looks))
    expected = np.column_stack((np.array([k.pt for k in found], np.float32), described))
    np.testing.assert_array_equal(np.unique(told, axis=0), np.unique(expected, axis=0))


@pytest.mark.parametrize("seed", range(6))
def test_every_patch_of_detail_is_in_one_part_of_the_picture(seed):
    share = (0.004, 0.01, 0.03, 0.1, 0.3, 0.6)[seed]
    cells = (np.random.default_rng(seed).random((25, 34)) < share).astype(np.uint8)
    shape = (25 * CELL_SIDE - 5, 34 * CELL_SIDE - 9)
    seen, looked = np.zeros(shape, int), 0
    for (x, y), mask in _crop_parts(cells, shape):
        seen[y : y + mask.shape[0], x : x + mask.shape[1]] += mask > 0
        looked += mask.size
    expected = cv2.resize(cells, shape[::-1], interpolation=cv2.INTER_NEAREST)
    np.testing.assert_array_equal(seen, expected)
    assert looked <= np.prod(cv2.boundingRect(expected)[2:])


def test_where_there_is_no_detail_nothing_is_looked_at():
    assert _crop_parts(np.zeros((25, 34), np.uint8), (300, 400)) == []
