"""Finds cards that lie edge to edge: what touches has one outline, and none of the cards in it its own.

All cards of a deck have one size, so a card that was read says where its neighbours in a row or a grid are,
at any angle. Where none was read, one lies in a corner of the outline, whose sides are a few cards long.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.alignment import project_points
from companion.vision.outlines import (
    MAX_CARD_SHARE,
    Contours,
    Pyramid,
    Quad,
    is_plausible_card,
    overlap_share,
    to_quadrilateral,
    upright_corner_orders,
)

MIN_PRINT_SPREAD, SAMPLE_SIDE, SAMPLED_DEPTH, SAMPLED_PICTURE = 18.0, 7, 0.4, 450
"""Spread of the grey levels beside a card from which another may touch it, as cloth and wood are calmer;
points along and away from the card's side, part of a card's length away, and pixels of the picture where that
is told.
"""
MAX_REGIONS, MAX_CORNERS, MAX_ROW, MIN_CARDS = 3, 2, 12, 1.7
"""Most outlines that are divided, corners of each that are looked at, and cards along a side; and how many
cards fill one at least.
"""
SIDE_TOLERANCE = 0.12
"""How far a side may be from a whole number of cards, as a part of one side's length by the other's."""
MAX_SHARED_AREA, MAX_SIZE_RATIO, MAX_POINTS = 0.3, 2.0, 600
"""The part of a place that a known card may cover, as people lay askew; how many times larger or smaller in
area than it a card may look; and points of an outline that are looked at.
"""
MIN_CORNER_SINE, SIDE_END, SIDE_WIDTH = 0.93, 0.1, 0.06
"""Sine of an angle that may be a card's corner; of a side, the parts at its ends that are round, and how
far a point of it may be off, by its length.
"""
ROUGHNESS, EDGE_WIDTH, SIDE_FITS, MIN_SIDE_POINTS = 0.02, 1.6, 3, 4
"""How far the print in an outline may draw it in, as a part of its size; pixels of the reduced picture by
which an edge's line goes round more than the edge; how often a side is fitted, each time to what lies near
the last line, and to how many points at least.
"""
_UNIT = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
_STEPS = np.array([[1, 0], [-1, 0], [0, 1], [0, -1]], np.float32)


_ALONG, _AWAY = (part.ravel() for part in np.meshgrid(*[(np.arange(SAMPLE_SIDE) + 0.5) / SAMPLE_SIDE] * 2))
_SAMPLES = (
    0.5
    + _STEPS[:, None] * (0.5 + 0.08 + (SAMPLED_DEPTH - 0.08) * _AWAY)[:, None]
    + _STEPS[:, None, ::-1] * (_ALONG - 0.5)[:, None]
).astype(np.float32)
"""(4, points, 2): of the neighbour at each of `_STEPS`, points of its part next to the card."""


def neighbour_places(
    frame: Pyramid, cards: Sequence[Quad], known: Sequence[Quad], aspect: float
) -> list[Quad]:
    """Where cards of the same size may touch the `cards`, each started at a top or bottom side.

    Corners are (4, 2) full-size pixels. Places that `known` cards fill, or that are bare, are none.
    """
    picture, scale = frame.reduce_to(SAMPLED_PICTURE)
    planes = [np.asarray(cv2.getPerspectiveTransform(_UNIT, card), np.float64) for card in cards]
    at = np.stack([project_points(_SAMPLES.reshape(-1, 2), plane) for plane in planes]) * scale
    at = at.reshape(len(cards), 4, -1, 2)
    inside = np.asarray(((at >= 0) & (at < np.array(picture.shape[1::-1]) - 1)).all(axis=(2, 3)), bool)
    x, y = np.where(inside[..., None, None], at, 0).astype(int).transpose(3, 0, 1, 2)
    spread = picture[y, x].std(axis=2).max(axis=-1)
    taken, places = list(known), list[Quad]()
    for card, step in np.argwhere(inside & (spread > MIN_PRINT_SPREAD)):
        quad = project_points(_UNIT + _STEPS[step], planes[card])
        if is_plausible_card(quad, frame.levels[0].shape) and all(
            overlap_share(quad, other) < MAX_SHARED_AREA for other in taken
        ):
            taken.append(quad)
            places += upright_corner_orders(quad, aspect)
    return places


def cards_in_corners(traces: Contours, aspect: float, known: Sequence[Quad]) -> list[Quad]:
    """Where cards may be in the corners of what is larger than a card and not `known`, the largest first.

    Quads are as `find_outlines` gives them.
    """
    found: list[Quad] = []
    size = float(np.median([cv2.contourArea(quad) for quad in known])) if known else 0.0
    shapes = (aspect, 1 / aspect) if aspect != 1 else (1.0,)
    for line in _unknown_lines(traces, known, MIN_CARDS * max(traces.min_card_area, size * traces.scale**2)):
        for frame in _square_corners(traces, line):
            plane = np.asarray(cv2.getPerspectiveTransform(_UNIT, frame), np.float64)
            width, height = np.linalg.norm(frame[1] - frame[0]), np.linalg.norm(frame[3] - frame[0])
            for shape, many in itertools.product(shapes, range(1, MAX_ROW + 1)):
                rows = height / (width / many * shape)
                whole = max(1, round(rows))
                if abs(rows / whole - 1) >= SIDE_TOLERANCE or not 1 < max(many, whole) <= MAX_ROW:
                    continue
                quad = project_points(np.asarray(_UNIT / (many, whole), np.float32), plane)
                area = cv2.contourArea(quad)
                if (
                    area * traces.scale**2 > traces.min_card_area
                    and 1 / MAX_SIZE_RATIO < area / (size or area) < MAX_SIZE_RATIO
                ):
                    found += upright_corner_orders(quad, aspect)
    return found


def _unknown_lines(traces: Contours, known: Sequence[Quad], least: float) -> Iterator[NDArray[np.int32]]:
    """The largest lines round so much area, in the reduced picture, and no `known` card; no two are one."""
    middles = [(quad.mean(axis=0) * traces.scale).tolist() for quad in known]
    boxes: list[NDArray[np.int_]] = []
    for line in sorted(traces.lines, key=cv2.contourArea, reverse=True):
        area, box = cv2.contourArea(line), np.array(cv2.boundingRect(line))
        if area < least or len(boxes) == MAX_REGIONS:
            return
        # What touches a known card was found beside it.
        if (
            area < MAX_CARD_SHARE * traces.area
            and all(cv2.pointPolygonTest(line, middle, measureDist=False) < 0 for middle in middles)
            and all(np.abs(box - other).max() > 0.02 * box[2:].max() for other in boxes)
        ):
            boxes.append(box)
            yield line


def _square_corners(traces: Contours, line: NDArray[np.int32]) -> list[Quad]:
    """Corners of a line that may be a card's, those with the longest sides, in full-size pixels.

    Each with the ends of its sides, and the fourth corner: (4, 2) from it on, clockwise. A corner is where
    two sides would meet: its own end is round.
    """
    hull = np.asarray(cv2.convexHull(line), np.int32)
    box = to_quadrilateral(hull, area := cv2.contourArea(hull))
    rough = cv2.approxPolyDP(line, max(2.0, ROUGHNESS * area**0.5), closed=True)[:, 0] if box is None else box
    if cv2.contourArea(rough, oriented=True) < 0:
        rough = rough[::-1]
    count, ahead = len(rough), np.roll(rough, -1, axis=0) - rough
    back = -np.roll(ahead, 1, axis=0)
    lengths = np.linalg.norm((ahead, back), axis=2)
    sine = (ahead[:, 0] * back[:, 1] - ahead[:, 1] * back[:, 0]) / np.maximum(lengths.prod(axis=0), 1e-6)
    sine *= ((rough > 3) & (rough < np.array(traces.shape[::-1]) - 4)).all(axis=1)
    ends = np.concatenate((line[:, 0], line[:1, 0])).astype(np.float32)
    along = np.concatenate(([0], np.cumsum(np.linalg.norm(np.diff(ends, axis=0), axis=1))))
    steps = np.linspace(0, along[-1], MAX_POINTS)
    points = np.column_stack([np.interp(steps, along, ends[:, axis]) for axis in (0, 1)])
    side = cache(lambda at: _fit_side(points, rough[at % count], rough[(at + 1) % count]))
    found = []
    square = np.flatnonzero(sine > MIN_CORNER_SINE)
    for at in square[np.argsort(-lengths.min(axis=0)[square])][:MAX_CORNERS].tolist():
        around = (at, at + 1, at + 2, at - 1)
        frame = np.array([_crossing(side((n - 1) % count), side(n % count)) for n in around])
        if box is None:
            frame[2] = frame[1] + frame[3] - frame[0]
        found.append(traces.to_full_size(frame))
    return found


Line = tuple[float, float, float]
"""a, b and c of a straight line, on which a x + b y + c = 0."""


def _crossing(one: Line, other: Line) -> tuple[float, float]:
    """Where two lines meet, (x, y)."""
    (a, b, c), (d, e, f) = one, other
    share = a * e - b * d or 1.0
    return (b * f - c * e) / share, (c * d - a * f) / share


def _fit_side(points: NDArray[np.float64], one: NDArray[np.int32], other: NDArray[np.int32]) -> Line:
    """The line along a side, fitted to its points."""
    length = max(1.0, float(np.linalg.norm(other - one)))
    way = (other - one) / length
    inwards, off = np.array((-way[1], way[0])), points - one
    share, away = off @ way / length, off @ inwards
    near = (share > SIDE_END) & (share < 1 - SIDE_END) & (np.abs(away) < SIDE_WIDTH * length + 2)
    along, across, slope, first = share[near], away[near], 0.0, 0.0
    for _ in range(SIDE_FITS if len(along) >= MIN_SIDE_POINTS else 0):
        # Least squares in a closed form: lstsq takes ten times as long for so few points.
        middle, height = along.mean(), across.mean()
        apart = along - middle
        slope = float(apart @ across / max(apart @ apart, 1e-9))
        first = float(height - slope * middle)
        left = np.abs(across - first - slope * along)
        half = np.sort(left)[[(len(left) - 1) // 2, len(left) // 2]].mean()
        kept = left <= 2 * half + 0.5  # a dark print draws the line in, a shadow out
        along, across = along[kept], across[kept]
    (x, y), (u, v) = (
        (end + inwards * (away + EDGE_WIDTH)).tolist() for end, away in ((one, first), (other, first + slope))
    )
    return y - v, u - x, x * v - y * u
