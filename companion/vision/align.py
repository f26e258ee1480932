"""Moves an outline until what is in it fits a face.

Inverse compositional image alignment (Baker and Matthews, "Lucas-Kanade 20 years on: a unifying framework",
2004) over a homography, with the picture's contrast and brightness solved for at every step, so that a card
in shadow fits as well as one in light. All that depends on the face alone is computed once; a step is one
warp and one small product. The picture is sampled afresh at every step, not cut out first, so an outline that
was drawn too small finds the rest of its card.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.locate import Bgr, Pyramid, Quad

Floats = NDArray[np.float32]
Matrix = NDArray[np.float64]

WIDTH = 96
"""Width in pixels at which faces are aligned."""
STEPS = 15
UNKNOWNS = 12
"""Eight of the homography, then contrast, brightness, and how brightness falls across and along the card."""
STIFF = 100 * 6.0**2 / 0.05**2
"""What holds the outline where it was found, against print that says little about its far corners.

The square of what a good fit is still off by, in grey levels, counted once for the ten by ten pixels of a
stroke that share it, over that of how far outlines are off, in half cards.
"""
STILL = 0.05
"""A step that moves no corner by more than this many pixels (at `WIDTH`) is the last."""
SPARE = 0.25
"""What is kept of a picture round an outline, in parts of its size."""
MUCH_LARGER = 0.85
"""A picture is reduced until a card is `WIDTH` wide if it becomes smaller than this part of its size."""
FLAT = 1e-12
"""A map from a face to a place that shrinks areas by more than this turns all of it into a line."""
ASTRAY, LOST = 0.12, 1.5
"""An outline may be moved by this part of its diagonal; beyond that it has gone to something else.

So many times as far off it does not come back: of 1,250 fits to photographs not held out that ended well
three had been farther off on their way; without them the same cards are read.
"""


def _plane(picture: Bgr) -> Floats:
    """One plane in which lightness and red against green both show, (height, width)."""
    light, green, _ = cv2.split(cv2.cvtColor(picture, cv2.COLOR_BGR2LAB))
    return np.asarray(cv2.addWeighted(light, 1.0, green, 0.7, 0.0, dtype=cv2.CV_32F), np.float32)


def _smooth(plane: Floats, sigma: float) -> Floats:
    return cv2.GaussianBlur(plane, (0, 0), sigma).astype(np.float32, copy=False)


def _corners(width: int, height: int) -> Floats:
    """The corners of a picture, whose pixels' centres are whole numbers."""
    return np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - np.float32(0.5)


def moved(points: NDArray[np.float32], by: Matrix) -> Quad:
    """(n, 2) points under a homography."""
    return cv2.perspectiveTransform(points[:, None].astype(np.float64), by)[:, 0].astype(np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """The part of a picture around an outline, in the plane used for aligning."""

    plane: Floats
    to_plane: Matrix
    """(3, 3): full-size pixels to pixels of `plane`."""

    @classmethod
    def around(cls, frame: Pyramid, quad: Quad) -> Ground:
        """`quad` in full-size pixels, with a quarter of its size to spare on every side."""
        low, high = quad.min(axis=0), quad.max(axis=0)
        spare = SPARE * float((high - low).max())
        across = max(float(np.linalg.norm(quad[0] - quad[1])), float(np.linalg.norm(quad[3] - quad[2])))
        level, scale = frame.level(across, 0.9 * WIDTH)
        first = np.maximum(((low - spare) * scale).astype(int), 0)
        last = np.maximum(((high + spare) * scale).astype(int) + 2, first + 2)
        part = level[first[1] : last[1], first[0] : last[0]]
        if part.size == 0:
            part, first = level[-2:, -2:], np.array([level.shape[1] - 2, level.shape[0] - 2])
        fewer = WIDTH / max(across * float(scale[0]), 1.0)
        size = part.shape[1], part.shape[0]
        if fewer < MUCH_LARGER:  # the fewer pixels, the less to smooth
            size = max(2, round(size[0] * fewer)), max(2, round(size[1] * fewer))
            shrink = size[0] / part.shape[1], size[1] / part.shape[0]
            part = np.asarray(cv2.resize(part, size, interpolation=cv2.INTER_LINEAR), np.uint8)
            scale, first = scale * shrink, first * shrink
        shift = np.array(
            [[scale[0], 0, -0.5 - first[0]], [0, scale[1], -0.5 - first[1]], [0, 0, 1]], np.float64
        )
        return cls(_smooth(_plane(part), max(0.6, across * float(scale[0]) / WIDTH)), shift)


class Template:
    """One face, ready to be found."""

    def __init__(self, picture: Bgr, aspect: float) -> None:
        height = round(WIDTH * aspect)
        self.size = (WIDTH, height)
        small = np.asarray(cv2.resize(picture, self.size, interpolation=cv2.INTER_AREA), np.uint8)
        face = _smooth(_plane(small), 1.0)
        grid = _Grid.of(height)
        self._scale, self._unscale = grid.scale, grid.unscale
        across = cv2.Sobel(face, cv2.CV_32F, 1, 0, scale=WIDTH / 16)
        along = cv2.Sobel(face, cv2.CV_32F, 0, 1, scale=height / 16)
        face, across, along = (_inside(np.asarray(p, np.float32)).ravel() for p in (face, across, along))
        u, v = grid.u, grid.v
        # One row for each unknown: a picture's share of it is one product along the row.
        steepest = np.empty((UNKNOWNS, len(u)), np.float32)
        for row, (slope, by) in enumerate(((across, u), (across, v), (along, u), (along, v))):
            np.multiply(slope, by, out=steepest[row + row // 2])
        steepest[2], steepest[5] = across, along
        both = -(steepest[0] + steepest[4])
        np.multiply(both, u, out=steepest[6])
        np.multiply(both, v, out=steepest[7])
        steepest[8], steepest[9], steepest[10], steepest[11] = face, 1, u, v
        self._steepest = steepest
        self._inverse = self._solved(steepest, steepest)

    @staticmethod
    def _solved(steepest: Floats, counted: Floats) -> Matrix:
        """(n, n): from how much of each slope a picture has to the step; `counted` is 0 where none counts."""
        normal = (steepest @ counted.T).astype(np.float64)
        normal[np.arange(8), np.arange(8)] += STIFF
        normal += 1e-6 * np.trace(normal) / UNKNOWNS * np.eye(UNKNOWNS)
        return np.asarray(np.linalg.inv(normal), np.float64)

    def fit(self, ground: Ground, quad: Quad, visible: Floats | None = None) -> Quad:
        """The outline after fitting, or as it was if it led astray; full-size pixels, own top-left first.

        `visible`, (height, `WIDTH`) of 0 or 1, says which part of the card can be seen; default all of it.
        """
        steepest, inverse, counts = self._steepest, self._inverse, None
        if visible is not None:
            counts = _inside(visible).ravel()
            inverse = self._solved(steepest, steepest * counts)
        pull = inverse[:, :8] * STIFF  # what draws it back to the outline
        corners = _corners(*self.size)
        start = moved(quad, ground.to_plane)
        to_plane: Matrix = cv2.getPerspectiveTransform(corners, start).astype(np.float64)
        if not abs(cv2.determinant(to_plane)) > FLAT:  # a place without any breadth
            return quad
        from_start = self._unscale @ _inverted(to_plane)
        lost = LOST * ASTRAY * float(np.linalg.norm(start[0] - start[2]))
        for _ in range(STEPS):
            seen = cv2.warpPerspective(
                ground.plane, to_plane, self.size, flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
                borderMode=cv2.BORDER_REPLICATE)  # fmt: skip
            flat = _inside(np.asarray(seen, np.float32)).ravel()
            step = inverse @ (steepest @ (flat if counts is None else flat * counts))
            gone = from_start @ to_plane @ self._scale
            gone = (gone / gone[2, 2] - _WHOLE).ravel()[:8]
            step = step + step[8] * (pull @ gone)
            if step[8] < 0.05:  # contrast lost or inverted: nothing of this face is here
                return quad
            p = (step[:8] / step[8]).astype(np.float64)
            change = np.array([[1 + p[0], p[1], p[2]], [p[3], 1 + p[4], p[5]], [p[6], p[7], 1]])
            if not np.isfinite(change).all() or abs(cv2.determinant(change)) < 1e-3:
                return quad
            to_plane = to_plane @ self._scale @ _inverted(change) @ self._unscale
            to_plane /= to_plane[2, 2]
            if np.abs(p).max() * WIDTH / 2 < STILL:
                break
            if not np.abs(moved(corners, to_plane) - start).max() < lost:
                return quad
        found = moved(corners, _inverted(ground.to_plane) @ to_plane)
        limit = ASTRAY * float(np.linalg.norm(quad[0] - quad[2]))
        return found if np.isfinite(found).all() and np.abs(found - quad).max() < limit else quad


@dataclass(frozen=True, slots=True, eq=False)
class _Grid:
    """The pixels that count of faces of one height, from -1 to 1, so that all unknowns have like weight."""

    u: Floats
    """Across, flattened."""
    v: Floats
    """Down."""
    scale: Matrix
    """(3, 3): from there to pixels; and back."""
    unscale: Matrix

    @classmethod
    @lru_cache(maxsize=4)
    def of(cls, height: int) -> _Grid:
        half = np.array([WIDTH / 2, height / 2])
        scale = np.array([[half[0], 0, half[0] - 0.5], [0, half[1], half[1] - 0.5], [0, 0, 1.0]])
        down, right = np.mgrid[0:height, 0:WIDTH].astype(np.float32)
        u, v = (right + 0.5) / half[0] - 1, (down + 0.5) / half[1] - 1
        across, downwards = (np.asarray(_inside(plane).ravel(), np.float32) for plane in (u, v))
        return cls(across, downwards, scale, _inverted(scale))


def _inside(plane: Floats) -> Floats:
    """A plane (height, `WIDTH`) without its rim, where outlines are least exact."""
    edge = WIDTH // 24
    return plane[edge:-edge, edge:-edge]


_WHOLE = np.eye(3)


def _inverted(matrix: Matrix) -> Matrix:
    """A small matrix's inverse: several times as fast as numpy's at this size."""
    return np.asarray(cv2.invert(matrix)[1], np.float64)
