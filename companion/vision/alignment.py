"""Aligns a card's outline with the picture of a face (inverse compositional Lucas-Kanade).

Inverse compositional image alignment (Baker and Matthews, "Lucas-Kanade 20 years on: a unifying framework",
2004) over a homography, with the picture's contrast and brightness solved for at every step, so that a card
in shadow fits as well as one in light. All that depends on the face alone is computed once; a step is one
warp and one small product, at first on a quarter of the pixels. The picture is sampled afresh at every step,
not cut out first, so an outline that was drawn too small finds the rest of its card.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.outlines import Bgr, Pyramid, Quad

Floats = NDArray[np.float32]
Matrix = NDArray[np.float64]

ALIGN_WIDTH = 96
"""Width in pixels at which faces are aligned."""
MAX_STEPS = 15
UNKNOWNS = 12
"""Eight of the homography, then contrast, brightness, and how brightness falls across and along the card."""
STIFFNESS = 100 * 6.0**2 / 0.05**2
"""What holds the outline where it was found, against print that says little about its far corners.

The square of what a good fit is still off by, in grey levels, counted once for the ten by ten pixels of a
stroke that share it, over that of how far outlines are off, in half cards.
"""
CONVERGED_SHIFT = 0.05
"""A step that moves no corner by more than this many pixels (at `ALIGN_WIDTH`) is the last."""
COARSE_STRIDE, COARSE_MIN_SHIFT = 2, 0.2
"""The first steps look at every second pixel only, until one moves no corner by more than so many pixels."""
AREA_MARGIN = 0.25
"""What is kept of a picture round an outline, in parts of its size."""
REDUCTION_THRESHOLD = 0.85
"""A picture is reduced until a card is `ALIGN_WIDTH` wide if it becomes smaller than this part of its size.
"""
DEGENERATE_SCALE = 1e-9
"""A map from a face to a place that shrinks areas by more than this turns all of it into a line."""
MAX_SHIFT, MAX_DETOUR = 0.12, 1.5
"""An outline may be moved by this part of its diagonal; beyond that it has gone to something else.

So many times as far off it does not come back: of 1,250 fits to photographs not held out that ended well
three had been farther off on their way; without them the same cards are read.
"""


def _plane(picture: Bgr) -> Floats:
    """One plane in which lightness and red against green both show, (height, width)."""
    return np.asarray(cv2.transform(picture.astype(np.float32), _SHARES), np.float32)


def _smooth(plane: Floats, sigma: float) -> Floats:
    return cv2.GaussianBlur(plane, (0, 0), sigma).astype(np.float32, copy=False)


def project_points(points: NDArray[np.float32], by: Matrix) -> Quad:
    """(n, 2) points under a homography."""
    return cv2.perspectiveTransform(points[:, None].astype(np.float64), by)[:, 0].astype(np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class AlignmentArea:
    """The part of a picture around an outline, in the plane used for aligning."""

    plane: Floats
    to_plane: Matrix
    """(3, 3): full-size pixels to pixels of `plane`."""

    @classmethod
    def around(cls, frame: Pyramid, quad: Quad) -> AlignmentArea:
        """`quad` in full-size pixels, with a quarter of its size to spare on every side."""
        low, high = quad.min(axis=0), quad.max(axis=0)
        spare = AREA_MARGIN * float((high - low).max())
        across = max(float(np.linalg.norm(quad[0] - quad[1])), float(np.linalg.norm(quad[3] - quad[2])))
        level, scale = frame.level_for(across, 0.9 * ALIGN_WIDTH)
        first = np.maximum(((low - spare) * scale).astype(int), 0)
        last = np.maximum(((high + spare) * scale).astype(int) + 2, first + 2)
        part = level[first[1] : last[1], first[0] : last[0]]
        if part.size == 0:
            part, first = level[-2:, -2:], np.array([level.shape[1] - 2, level.shape[0] - 2])
        fewer = ALIGN_WIDTH / max(across * float(scale[0]), 1.0)
        size = part.shape[1], part.shape[0]
        if fewer < REDUCTION_THRESHOLD:  # the fewer pixels, the less to smooth
            size = max(2, round(size[0] * fewer)), max(2, round(size[1] * fewer))
            shrink = size[0] / part.shape[1], size[1] / part.shape[0]
            part = np.asarray(cv2.resize(part, size, interpolation=cv2.INTER_LINEAR), np.uint8)
            scale, first = scale * shrink, first * shrink
        shift = np.array(
            [[scale[0], 0, -0.5 - first[0]], [0, scale[1], -0.5 - first[1]], [0, 0, 1]], np.float64
        )
        return cls(_smooth(_plane(part), max(0.6, across * float(scale[0]) / ALIGN_WIDTH)), shift)


class FaceTemplate:
    """One face, ready to be found."""

    def __init__(self, picture: Bgr, aspect: float) -> None:
        height = round(ALIGN_WIDTH * aspect)
        self.size = (ALIGN_WIDTH, height)
        small = cv2.resize(_plane(picture), self.size, interpolation=cv2.INTER_AREA)
        face = _smooth(np.asarray(small, np.float32), 1.0)
        grid = _Grid.of(height)
        across = cv2.Sobel(face, cv2.CV_32F, 1, 0, scale=ALIGN_WIDTH / 16)
        along = cv2.Sobel(face, cv2.CV_32F, 0, 1, scale=height / 16)
        face, across, along = (_without_rim(np.asarray(p, np.float32)) for p in (face, across, along))
        u, v = grid.u, grid.v
        steepest = np.empty((UNKNOWNS, *u.shape), np.float32)
        for row, (slope, by) in enumerate(((across, u), (across, v), (along, u), (along, v))):
            np.multiply(slope, by, out=steepest[row + row // 2])
        steepest[2], steepest[5] = across, along
        both = -(steepest[0] + steepest[4])
        np.multiply(both, u, out=steepest[6])
        np.multiply(both, v, out=steepest[7])
        steepest[8], steepest[9], steepest[10], steepest[11] = face, 1, u, v
        flat = {every: steepest[:, ::every, ::every].reshape(UNKNOWNS, -1) for every in (1, COARSE_STRIDE)}
        self._steepest = flat
        self._whole = cache(lambda every: _Jacobian.of(_Grid.of(height, every), flat[every]))

    def _jacobian(self, every: int, visible: Floats | None) -> _Jacobian:
        """In pixels that are visible (as for `fit`): all, or each second one of a row and of a column."""
        if visible is None:
            return self._whole(every)
        pixels = np.flatnonzero(_without_rim(visible)[::every, ::every] > 0)
        shown = self._steepest[every].take(pixels, axis=1)
        return _Jacobian.of(_Grid.of(self.size[1], every), shown, pixels)

    def fit(self, ground: AlignmentArea, quad: Quad, visible: Floats | None = None) -> Quad:
        """The outline after fitting, or as it was if it led astray; full-size pixels, own top-left first.

        `visible`, (height, `ALIGN_WIDTH`) of 0 or 1, says which part of the card can be seen; default all
        of it.
        """
        start = project_points(quad, ground.to_plane)
        begun = cv2.getPerspectiveTransform(_SQUARE, start)
        if not abs(cv2.determinant(begun)) > DEGENERATE_SCALE:  # a place without any breadth
            return quad
        slopes = self._jacobian(COARSE_STRIDE, visible)
        at, gone = begun, _WHOLE
        lost = MAX_DETOUR * MAX_SHIFT * float(np.linalg.norm(start[0] - start[2]))
        for _ in range(MAX_STEPS):
            seen = cv2.warpPerspective(
                ground.plane, at @ slopes.grid.of_pixels, slopes.grid.size,
                flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REPLICATE)  # fmt: skip
            step = slopes.solve_step(np.asarray(seen, np.float32), gone)
            if not step[8] >= 0.05:  # contrast lost or inverted: nothing of this face is here
                return quad
            a, b, c, d, e, f, g, h = by = (step[:8] / step[8]).tolist()
            change = np.array([[1 + a, b, c], [d, 1 + e, f], [g, h, 1]])
            if not abs(cv2.determinant(change)) >= 1e-3:
                return quad
            gone = gone @ _invert_small(change)
            gone /= gone[2, 2]
            at = begun @ gone
            by_pixels = max(map(abs, by)) * ALIGN_WIDTH / 2
            if by_pixels < CONVERGED_SHIFT and slopes.grid.every == 1:
                break
            if not cv2.norm(project_points(_SQUARE, at), start, cv2.NORM_INF) < lost:
                return quad
            if by_pixels < COARSE_MIN_SHIFT and slopes.grid.every > 1:
                slopes = self._jacobian(1, visible)
        found = project_points(_SQUARE, _invert_small(ground.to_plane) @ at)
        limit = MAX_SHIFT * float(np.linalg.norm(quad[0] - quad[2]))
        return found if np.abs(found - quad).max() < limit else quad


@dataclass(frozen=True, slots=True, eq=False)
class _Grid:
    """The pixels that count of faces of one height, from -1 to 1, so that all unknowns have like weight."""

    u: Floats
    """Across, (rows, columns)."""
    v: Floats
    """Down."""
    every: int
    """1 if these are all pixels, 2 if every second one of each row and column, and so on."""
    of_pixels: Matrix
    """(3, 3): from their columns and rows to the grid."""

    @classmethod
    @lru_cache(maxsize=8)
    def of(cls, height: int, every: int = 1) -> _Grid:
        down, right = np.mgrid[0:height, 0:ALIGN_WIDTH].astype(np.float32)
        u, v = (right + 0.5) / (ALIGN_WIDTH / 2) - 1, (down + 0.5) / (height / 2) - 1
        u, v = (_without_rim(plane)[::every, ::every] for plane in (u, v))
        across, along = 2 * every / ALIGN_WIDTH, 2 * every / height
        of_pixels = np.array([[across, 0, u[0, 0]], [0, along, v[0, 0]], [0, 0, 1]], np.float64)
        return cls(u, v, every, of_pixels)

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows."""
        return self.u.shape[1], self.u.shape[0]


@dataclass(frozen=True, slots=True, eq=False)
class _Jacobian:
    """How a face changes with each of the unknowns."""

    grid: _Grid
    steepest: Floats
    """(n, pixels): one row for each unknown, so that a picture's share of it is one product along the row."""
    pixels: NDArray[np.intp] | None
    """Which of the grid's pixels those are; None for all."""
    inverse: Matrix
    """(n, n): from how much of each slope a picture has to the step."""
    pull: Matrix
    """(n, 9): what draws it back to where it began."""

    @classmethod
    def of(cls, grid: _Grid, steepest: Floats, pixels: NDArray[np.intp] | None = None) -> _Jacobian:
        # In two parts: what BLAS does with a product of a matrix with itself takes far longer at this size.
        parts = steepest[:8] @ steepest.T, steepest[8:] @ steepest.T
        normal = np.concatenate(parts).astype(np.float64)
        stiff, diagonal = STIFFNESS / grid.every**2, normal.ravel()[:: UNKNOWNS + 1]
        diagonal[:8] += stiff
        diagonal += 1e-6 * diagonal.mean()
        inverse, pull = _invert_small(normal), np.zeros((UNKNOWNS, 9))
        np.multiply(inverse[:, :8], stiff, out=pull[:, :8])
        return cls(grid, steepest, pixels, inverse, pull)

    def solve_step(self, seen: Floats, gone: Matrix) -> Matrix:
        """(n,): the unknowns for what is seen, (rows, columns), where `gone`, (3, 3), is the way so far."""
        flat = seen.ravel() if self.pixels is None else seen.ravel().take(self.pixels)
        step = self.inverse @ (self.steepest @ flat)
        return np.asarray(step + step[8] * (self.pull @ (gone - _WHOLE).ravel()), np.float64)


def _without_rim(plane: Floats) -> Floats:
    """A plane (height, `ALIGN_WIDTH`) without its rim, where outlines are least exact."""
    edge = ALIGN_WIDTH // 24
    return plane[edge:-edge, edge:-edge]


_SHARES = np.array([[0.15, 0.28, 0.57]], np.float32)
"""Of blue, green and red: on cards 0.99 of what CIE Lab has of lightness and of red against green."""
_WHOLE = np.eye(3)
_SQUARE = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float32)
"""A face's corners on its grid."""


def _invert_small(matrix: Matrix) -> Matrix:
    """A small matrix's inverse: several times as fast as numpy's at this size."""
    return np.asarray(cv2.invert(matrix)[1], np.float64)
