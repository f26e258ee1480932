"""Tells a card from a screen that shows one.

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

from companion.vision.align import moved
from companion.vision.locate import Bgr, Quad, whole_pixels

REACH = (1.5, 1.0)
"""How far beyond the face is looked, in its widths and in its heights."""
FINE = 100
"""Pixels for a face's width, and for its height."""
DARK = 0.35
"""A slab is darker than this part of the face's paper."""
MOSTLY = 0.8
"""Part of a line that must be dark: a lamp may be reflected in glass."""
TABLE = 0.5
"""Less than this part of the line is dark where the slab ends; on speckled cloth no line is."""
RIM = 0.02
"""How exact the face's own edge is, in its widths: the slab must be seen beyond that."""
SHAPES = (1.65, 2.5)
"""A telephone's length against its breadth; cards are less long."""


def on_screen(frame: Bgr, quad: Quad, others: Sequence[Quad] = ()) -> bool:
    """Does a telephone show the face that lies in this outline (full-size pixels)?

    `others`: the outlines of other cards. Where dark wood shows between cards they do not end it as a table
    ends a slab.
    """
    whole = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    back = cv2.getPerspectiveTransform(whole, np.asarray(quad, np.float32)).astype(np.float64)
    inside, beside = _spots()
    greys = _grey_at(frame, back, inside)
    lighter = len(greys) * 9 // 10
    paper = float(np.partition(greys, lighter)[lighter])
    if (_grey_at(frame, back, beside) < DARK * paper).mean() < MOSTLY:
        return False
    flat = cv2.getPerspectiveTransform(quad, whole * FINE)

    def dark(across: range, down: range) -> NDArray[np.bool_]:
        """(down, across): which pixels of the flattened surroundings are dark; the face's begin at 0."""
        first = np.array([[1, 0, -across.start], [0, 1, -down.start], [0, 0, 1]], np.float64) @ flat
        size = len(across), len(down)
        view = cv2.warpPerspective(
            frame, first, size, flags=cv2.INTER_NEAREST, borderMode=cv2.BORDER_REPLICATE
        )
        below = np.asarray(cv2.cvtColor(view, cv2.COLOR_BGR2GRAY)) < DARK * paper
        return below | _on_cards(others, first, size)

    wide, high, middle = round(REACH[0] * FINE), round(REACH[1] * FINE), range(FINE // 8, FINE - FINE // 8)
    left = _run(dark(range(-wide, 0), middle).mean(axis=0)[::-1])
    right = None if left is None else _run(dark(range(FINE, FINE + wide), middle).mean(axis=0))
    if left is None or right is None:
        return False
    across = range(-left, FINE + right)
    above = _run(dark(across, range(-high, 0)).mean(axis=1)[::-1])
    below = None if above is None else _run(dark(across, range(FINE, FINE + high)).mean(axis=1))
    if above is None or below is None:
        return False
    sides = np.linalg.norm(quad - np.roll(quad, -1, axis=0), axis=1)
    breadth = (FINE + left + right) * float(sides[0] + sides[2])
    length = (FINE + above + below) * float(sides[1] + sides[3])
    return SHAPES[0] < max(breadth, length) / min(breadth, length) < SHAPES[1]


def _on_cards(others: Sequence[Quad], flat: NDArray[np.floating], size: tuple[int, int]) -> NDArray[np.bool_]:
    """(height, width): where other cards and their rims lie in a flattened view of that size."""
    mask = np.zeros(size[::-1], np.uint8)
    if others:
        quads = np.stack(others)
        middles = quads.mean(axis=1, keepdims=True)
        grown = (middles + (quads - middles) * (1 + 2 * RIM)).astype(np.float32)
        corners = moved(grown.reshape(-1, 2), np.asarray(flat, np.float64)).reshape(-1, 4, 2)
        for other in corners[((corners.max(axis=1) >= -1) & (corners.min(axis=1) <= size)).all(axis=1)]:
            if cv2.isContourConvex(other):
                cv2.fillConvexPoly(mask, whole_pixels(other), 1)
    return mask > 0


@lru_cache(maxsize=1)
def _spots() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Spots (n, 2) of a face, and close by it on all four sides, in its widths and heights."""
    along = np.linspace(0.1, 0.9, 8)
    beside = []
    for off in (-1.4 * RIM, 1 + 1.4 * RIM):
        beside += [(at, off) for at in along] + [(off, at) for at in along]
    inside = np.stack(np.meshgrid(along, along), axis=-1).reshape(-1, 2)
    return np.asarray(inside, np.float64), np.array(beside, np.float64)


def _grey_at(frame: Bgr, back: NDArray[np.float64], spots: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n,) grey levels at spots of a face, or at the picture's edge where they lie beyond it."""
    at = cv2.perspectiveTransform(spots[:, None], back)[:, 0]
    column, row = np.clip(np.round(at - 0.5), 0, (frame.shape[1] - 1, frame.shape[0] - 1)).astype(int).T
    return np.asarray(frame[row, column] @ np.array([0.114, 0.587, 0.299]), np.float64)


def _run(lines: NDArray[np.floating]) -> int | None:
    """How many lines from the face outwards are dark; None if too few are, or if they never end."""
    edge = round(RIM * FINE)
    light = np.flatnonzero(lines[edge:] < TABLE)
    if not len(light) or light[0] == 0:
        return None
    end = int(light[0]) + edge
    return end if 2 * np.count_nonzero(lines[edge:end] > MOSTLY) >= end - edge else None
