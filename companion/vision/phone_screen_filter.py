"""Rejects card faces that a telephone's screen shows.

A telephone shows a card's face as well as any printer. What gives it away is what lies round the face: a dark
slab of a telephone's shape, on all four sides, and beyond it the table again. A dark cloth does not end; a
sleeve, a tray or a printed place has the card's own shape. A screen that is bright round the face
(a web page) is not told from a card by this.
"""

from collections.abc import Sequence
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.alignment import project_points
from companion.vision.outlines import Bgr, Quad, to_drawable_pixels

SEARCH_REACH = (1.5, 1.0)
"""How far beyond the face is looked, in its widths and in its heights."""
FACE_SIDE_PIXELS = 100
"""Pixels for a face's width, and for its height."""
MAX_SLAB_BRIGHTNESS = 0.35
"""A slab is darker than this part of the face's paper."""
MIN_DARK_SHARE = 0.8
"""Part of a line that must be dark: a lamp may be reflected in glass."""
MAX_TABLE_DARK_SHARE = 0.5
"""Less than this part of the line is dark where the slab ends; on speckled cloth no line is."""
EDGE_TOLERANCE = 0.02
"""How exact the face's own edge is, in its widths: the slab must be seen beyond that."""
PHONE_ASPECTS = (1.65, 2.5)
"""A telephone's length against its breadth; cards are less long."""


def is_on_phone_screen(frame: Bgr, quad: Quad, others: Sequence[Quad] = ()) -> bool:
    """Does a telephone show the face that lies in this outline (full-size pixels)?

    `others`: the outlines of other cards. Where dark wood shows between cards they do not end it as a table
    ends a slab.
    """
    whole = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    back = cv2.getPerspectiveTransform(whole, np.asarray(quad, np.float32)).astype(np.float64)
    inside, beside = _face_spots()
    greys = _sample_grey(frame, back, inside)
    lighter = len(greys) * 9 // 10
    paper = float(np.partition(greys, lighter)[lighter])
    if (_sample_grey(frame, back, beside) < MAX_SLAB_BRIGHTNESS * paper).mean() < MIN_DARK_SHARE:
        return False
    flat = cv2.getPerspectiveTransform(quad, whole * FACE_SIDE_PIXELS)

    def dark(across: range, down: range) -> NDArray[np.bool_]:
        """(down, across): which pixels of the flattened surroundings are dark; the face's begin at 0."""
        first = np.array([[1, 0, -across.start], [0, 1, -down.start], [0, 0, 1]], np.float64) @ flat
        size = len(across), len(down)
        view = cv2.warpPerspective(
            frame, first, size, flags=cv2.INTER_NEAREST, borderMode=cv2.BORDER_REPLICATE
        )
        below = np.asarray(cv2.cvtColor(view, cv2.COLOR_BGR2GRAY)) < MAX_SLAB_BRIGHTNESS * paper
        return below | _other_cards_mask(others, first, size)

    wide, high, middle = (
        round(SEARCH_REACH[0] * FACE_SIDE_PIXELS),
        round(SEARCH_REACH[1] * FACE_SIDE_PIXELS),
        range(FACE_SIDE_PIXELS // 8, FACE_SIDE_PIXELS - FACE_SIDE_PIXELS // 8),
    )
    left = _count_dark_lines(dark(range(-wide, 0), middle).mean(axis=0)[::-1])
    right = (
        None
        if left is None
        else _count_dark_lines(dark(range(FACE_SIDE_PIXELS, FACE_SIDE_PIXELS + wide), middle).mean(axis=0))
    )
    if left is None or right is None:
        return False
    across = range(-left, FACE_SIDE_PIXELS + right)
    above = _count_dark_lines(dark(across, range(-high, 0)).mean(axis=1)[::-1])
    below = (
        None
        if above is None
        else _count_dark_lines(dark(across, range(FACE_SIDE_PIXELS, FACE_SIDE_PIXELS + high)).mean(axis=1))
    )
    if above is None or below is None:
        return False
    sides = np.linalg.norm(quad - np.roll(quad, -1, axis=0), axis=1)
    breadth = (FACE_SIDE_PIXELS + left + right) * float(sides[0] + sides[2])
    length = (FACE_SIDE_PIXELS + above + below) * float(sides[1] + sides[3])
    return PHONE_ASPECTS[0] < max(breadth, length) / min(breadth, length) < PHONE_ASPECTS[1]


def _other_cards_mask(
    others: Sequence[Quad], flat: NDArray[np.floating], size: tuple[int, int]
) -> NDArray[np.bool_]:
    """(height, width): where other cards and their rims lie in a flattened view of that size."""
    mask = np.zeros(size[::-1], np.uint8)
    if others:
        quads = np.stack(others)
        middles = quads.mean(axis=1, keepdims=True)
        grown = (middles + (quads - middles) * (1 + 2 * EDGE_TOLERANCE)).astype(np.float32)
        corners = project_points(grown.reshape(-1, 2), np.asarray(flat, np.float64)).reshape(-1, 4, 2)
        for other in corners[((corners.max(axis=1) >= -1) & (corners.min(axis=1) <= size)).all(axis=1)]:
            if cv2.isContourConvex(other):
                cv2.fillConvexPoly(mask, to_drawable_pixels(other), 1)
    return mask > 0


@lru_cache(maxsize=1)
def _face_spots() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Spots (n, 2) of a face, and close by it on all four sides, in its widths and heights."""
    along = np.linspace(0.1, 0.9, 8)
    beside = []
    for off in (-1.4 * EDGE_TOLERANCE, 1 + 1.4 * EDGE_TOLERANCE):
        beside += [(at, off) for at in along] + [(off, at) for at in along]
    inside = np.stack(np.meshgrid(along, along), axis=-1).reshape(-1, 2)
    return np.asarray(inside, np.float64), np.array(beside, np.float64)


def _sample_grey(frame: Bgr, back: NDArray[np.float64], spots: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n,) grey levels at spots of a face, or at the picture's edge where they lie beyond it."""
    at = cv2.perspectiveTransform(spots[:, None], back)[:, 0]
    column, row = np.clip(np.round(at - 0.5), 0, (frame.shape[1] - 1, frame.shape[0] - 1)).astype(int).T
    return np.asarray(frame[row, column] @ np.array([0.114, 0.587, 0.299]), np.float64)


def _count_dark_lines(lines: NDArray[np.floating]) -> int | None:
    """How many lines from the face outwards are dark; None if too few are, or if they never end."""
    edge = round(EDGE_TOLERANCE * FACE_SIDE_PIXELS)
    light = np.flatnonzero(lines[edge:] < MAX_TABLE_DARK_SHARE)
    if not len(light) or light[0] == 0:
        return None
    end = int(light[0]) + edge
    return end if 2 * np.count_nonzero(lines[edge:end] > MIN_DARK_SHARE) >= end - edge else None
