"""Finds four-cornered outlines in a picture that may be cards.

No single way of turning a picture black and white finds every card: a white card on a white table shows
only in its shadow line, a dark one on dark cloth only in its colour. So several are tried on one reduced
picture, and whatever is nearly the same outline is kept once. Nothing here knows a face; `read` decides what
a place holds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import cast

import cv2
import numpy as np
from numpy.typing import NDArray

Bgr = NDArray[np.uint8]
"""A picture, (height, width, 3), blue-green-red."""
Quad = NDArray[np.float32]
"""Four corners in pixels, (4, 2), clockwise as one looks at the picture."""
QUARTER_TURN, HALF_TURN = [1, 2, 3, 0], [2, 3, 0, 1]
"""A quad indexed so begins at its next or its opposite corner; `np.roll` takes ten times as long."""

OUTLINE_SIDE = 900
"""Longer side, in pixels, of the reduced picture in which outlines are sought."""
MIN_CARD_SHARE, MAX_CARD_SHARE = 0.0012, 0.85
"""Share of the picture that a card may fill; 5 % of the frame's height is about 0.0012 of its area."""
ASPECT_TOLERANCE = (0.60, 1.60)
"""How far perspective may change a card's height against its width: cos 45° is 0.71, with leeway.

Of 314 photographed cards (none held out) one came to 1.56, the others lie between 0.72 and 1.43.
"""
MIN_DETAIL_PIXELS, MAX_DETAIL_LENGTH = 6, 0.5
"""Fewest pixels across a part of a card's print, and its greatest length as a part of the picture's."""
MAX_CORNERS = 16
"""A line with more corners than this goes round no card."""
MIN_BOX_FILL = 0.91
"""Part of a rectangle that is filled by what is taken for one."""
OPENED_METHOD, GRAIN_WIDTH = 0, 9
"""The way of seeing edges whose lines are also tried without what is thinner than this many pixels."""
MAX_COORDINATE = 1_000_000.0
"""Pixels from a picture's corner beyond which nothing is looked for or drawn."""
MIN_COLOUR_DISTANCE = 10.0
"""How much a card differs from the cloth round it (CIE Lab)."""
MAX_OUTLINES = 160
"""Most outlines reported, so that a patterned cloth costs bounded time."""


class Pyramid:
    """One picture at full, half, quarter … size, so that a small view of a large card is not aliased."""

    def __init__(self, frame: Bgr) -> None:
        self.levels: list[Bgr] = [frame]
        """Of the size of `frame`, half, a quarter …"""
        while max(self.levels[-1].shape[:2]) > 400:
            last = self.levels[-1]
            half = max(1, last.shape[1] // 2), max(1, last.shape[0] // 2)
            # Of an odd row or column half a pixel is left out: whole pixels are averaged far faster.
            even = last[: max(1, 2 * half[1]), : max(1, 2 * half[0])]
            self.levels.append(
                cv2.resize(even, half, interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False)
            )
        self._scales = [np.full(2, 0.5**step) for step in range(len(self.levels))]
        self._reduced: dict[int, tuple[Bgr, float]] = {}

    def reduce_to(self, side: int) -> tuple[Bgr, float]:
        """The picture, longer side at most `side` pixels, and the scale to it; kept, so not to be changed."""
        if side not in self._reduced:
            self._reduced[side] = self._make_reduced(side)
        return self._reduced[side]

    def _make_reduced(self, side: int) -> tuple[Bgr, float]:
        step = next(
            (n for n in range(len(self.levels) - 1, 0, -1) if max(self.levels[n].shape[:2]) >= side), 0
        )
        level = self.levels[step]
        longest = max(level.shape[:2]) * 2**step
        factor = min(1.0, side / max(level.shape[:2]))
        if factor < 1.0:
            size = (max(1, round(level.shape[1] * factor)), max(1, round(level.shape[0] * factor)))
            level = cv2.resize(level, size, interpolation=cv2.INTER_LINEAR).astype(np.uint8, copy=False)
        return level, max(level.shape[:2]) / longest

    def level_for(self, length: float, wanted: float) -> tuple[Bgr, NDArray[np.float64]]:
        """The smallest size at which `length` full-size pixels are still `wanted`, and its (x, y) scale."""
        step = 0
        while step + 1 < len(self.levels) and length / 2 ** (step + 1) >= wanted:
            step += 1
        return self.levels[step], self._scales[step]

    def view(
        self,
        quad: Quad,
        size: tuple[int, int],
        *,
        least: float = 0.9,
        part: tuple[int, int, int, int] | None = None,
    ) -> Bgr:
        """What lies inside `quad` (full-size pixels), flattened to `size` (width, height).

        `least`: how high it is at least in the picture it is taken from, beside that size. `part`: only its
        pixels from (left, top), of that (width, height), which may reach beyond the quad; default all.
        """
        (ax, ay), (bx, by), (cx, cy), (dx, dy) = quad.tolist()
        longest = max(math.hypot(ax - dx, ay - dy), math.hypot(bx - cx, by - cy))
        level, scale = self.level_for(longest, least * size[1])
        target = _picture_corners(size)
        if part is not None:
            target, size = target - np.array(part[:2], np.float32), part[2:]
        # Corners are edges of the card, pixels are centres: half a pixel between the two on either side.
        flat = cv2.getPerspectiveTransform((quad * scale - 0.5).astype(np.float32), target)
        return cv2.warpPerspective(
            level, flat, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        ).astype(np.uint8, copy=False)


@lru_cache(maxsize=16)
def _picture_corners(size: tuple[int, int]) -> Quad:
    """The corners of a picture (width, height) whose pixels' centres are whole numbers."""
    width, height = size
    return np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - np.float32(0.5)


def median_aspect(pictures: Sequence[Bgr]) -> float:
    """Height by width of most of a deck's pictures."""
    return float(np.median([p.shape[0] / p.shape[1] for p in pictures]))


def _canny_edges(plane: cv2.typing.MatLike, least: int, sure: int) -> NDArray[np.uint8]:
    """Canny's edges; with both slopes found at once his take a fifth less."""
    across, down = cv2.spatialGradient(plane, borderType=cv2.BORDER_REPLICATE)
    return np.asarray(cv2.Canny(across, down, least, sure), np.uint8)


def _edge_pictures(picture: Bgr) -> Iterator[NDArray[np.uint8]]:
    """The ways of seeing edges, cheapest and most often right first."""
    grey = cv2.GaussianBlur(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), (3, 3), 0)
    colour = cv2.GaussianBlur(cv2.cvtColor(picture, cv2.COLOR_BGR2HSV)[..., 1], (5, 5), 0)
    square = np.ones((3, 3), np.uint8)
    edges = cv2.bitwise_or(_canny_edges(grey, 30, 90), _canny_edges(colour, 40, 120))
    yield cv2.dilate(edges, square).astype(np.uint8, copy=False)
    for plane in (grey, colour):
        yield cv2.threshold(plane, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)[1].astype(
            np.uint8, copy=False
        )
    calm = cv2.medianBlur(grey, 5)
    # Lighter than what lies round it, and not darker than that: half the time of `adaptiveThreshold`.
    lighter = cv2.subtract(calm, cv2.boxFilter(calm, -1, (41, 41), borderType=cv2.BORDER_REPLICATE))
    yield cv2.threshold(lighter, 6, 255, cv2.THRESH_BINARY)[1].astype(np.uint8, copy=False)
    darker = cv2.subtract(cv2.boxFilter(calm, -1, (61, 61), borderType=cv2.BORDER_REPLICATE), calm)
    yield cv2.threshold(darker, 7, 255, cv2.THRESH_BINARY_INV)[1].astype(np.uint8, copy=False)


def to_quadrilateral(hull: NDArray[np.int32], area: float) -> Quad | None:
    """The hull as a quadrilateral that covers nearly the same area, or None."""
    round_trip = cv2.arcLength(hull, closed=True)
    for share in (0.015, 0.025, 0.04, 0.06, 0.08):
        corners = cv2.approxPolyDP(hull, share * round_trip, closed=True)
        if len(corners) <= 4:
            break
    if len(corners) == 4 and cv2.contourArea(corners) > 0.85 * area:
        return np.asarray(corners[:, 0], np.float32)
    # Round or ragged corners mislead it; a card seen from above is a rectangle nevertheless.
    box = cv2.minAreaRect(hull)
    return cv2.boxPoints(box).astype(np.float32) if area > MIN_BOX_FILL * box[1][0] * box[1][1] else None


def sort_clockwise(corners: Quad) -> Quad:
    """The corners, (..., 4, 2), ordered clockwise as seen in the picture (whose y grows downwards)."""
    around = corners - corners.mean(axis=-2, keepdims=True)
    order = np.argsort(np.arctan2(around[..., 1], around[..., 0]), axis=-1)
    return np.take_along_axis(corners, order[..., None], axis=-2)


def upright_corner_orders(quad: Quad, aspect: float) -> list[Quad]:
    """The quad started so that its first side can be a card's top, for cards `aspect` times as high as wide.

    Only one of the two ways round is given for each (the other is the same card upside down); usually one
    quad, two for cards that are nearly square or seen nearly so.
    """
    a, b, c, d = quad.tolist()  # numpy would take ten times as long
    even, odd = math.dist(a, b) + math.dist(c, d), math.dist(b, c) + math.dist(d, a)
    starts = []
    for across, down, begun in ((even, odd, quad), (odd, even, quad[QUARTER_TURN])):
        if ASPECT_TOLERANCE[0] * aspect < down / max(across, 1e-6) < ASPECT_TOLERANCE[1] * aspect:
            starts.append(begun)
    return starts


@dataclass(frozen=True, eq=False)
class Contours:
    """Lines round everything in a picture that is large enough to be a card or a part of one."""

    lines: list[NDArray[np.int32]]
    """Each (n, 1, 2), in pixels of the reduced picture."""
    all_lines: list[NDArray[np.int32]]
    """The same round all that was seen."""
    ways: NDArray[np.int64]
    """(n,): which way of seeing edges showed each of them."""
    boxes: tuple[NDArray[np.float64], NDArray[np.int64]]
    """As `_bounding_boxes` has it, of all of them."""
    scale: float
    """From full-size pixels to those of the reduced picture."""
    shape: tuple[int, int]
    """Rows and columns of the reduced picture."""

    @property
    def area(self) -> float:
        """Of the reduced picture, in its pixels."""
        return float(self.shape[0] * self.shape[1])

    @property
    def min_card_area(self) -> float:
        """The least area of a card, in pixels of the reduced picture."""
        return MIN_CARD_SHARE * self.area

    @classmethod
    def of(cls, frame: Pyramid) -> Contours:
        picture, scale = frame.reduce_to(OUTLINE_SIDE)
        least = MIN_CARD_SHARE * picture.shape[0] * picture.shape[1]
        every: list[NDArray[np.int32]] = []
        opened: list[NDArray[np.int32]] = []
        counts: list[int] = []
        for way, plane in enumerate(_edge_pictures(picture)):
            edges = plane
            if way == OPENED_METHOD:
                rim = cv2.copyMakeBorder(plane, 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=0)
                framed = remove_specks(np.asarray(rim, np.uint8))
                opened = [line for line in _solid_contours(framed) if cv2.contourArea(line) > least]
                edges = framed[1:-1, 1:-1]
            found, _ = cv2.findContours(edges, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
            every += cast("list[NDArray[np.int32]]", [line for line in found if len(line) > 3])
            counts.append(len(every) - sum(counts))
        boxes, ways = _bounding_boxes(every), np.repeat(np.arange(len(counts)), counts)
        large = np.flatnonzero(boxes[1].prod(axis=0) > least)
        lines, first = [every[at] for at in large], int(np.searchsorted(ways[large], OPENED_METHOD, "right"))
        lines[first:first] = opened
        return cls(lines, every, ways, boxes, scale, (picture.shape[0], picture.shape[1]))

    @cached_property
    def detail_lines(self) -> tuple[list[NDArray[np.int32]], NDArray[np.int64], NDArray[np.float64]]:
        """Of what may be a part of a card's print: the lines, their ways, their boxes' middles (n, 2)."""
        middles, sizes = self.boxes
        longest = MAX_DETAIL_LENGTH * max(self.shape)
        sized = np.flatnonzero((sizes.min(axis=0) > MIN_DETAIL_PIXELS) & (sizes.max(axis=0) < longest))
        return [self.all_lines[at] for at in sized], self.ways[sized], middles[:, sized].T

    @cached_property
    def polygons(self) -> list[tuple[float, NDArray[np.int32], Quad]]:
        """The lines that may go round a card or a part of one, those round most first.

        Each with the area inside it, and as a clockwise polygon (n, 2) in full-size pixels.
        """
        found = []
        for line in self.lines:
            area = cv2.contourArea(line)
            piece = self._to_polygon(line) if area >= self.min_card_area else None
            if piece is not None:
                found.append((area, line, piece))
        return sorted(found, key=lambda one: -one[0])

    def _to_polygon(self, line: NDArray[np.int32]) -> Quad | None:
        tolerance = max(2.0, 0.012 * cv2.arcLength(line, closed=True))
        corners = cv2.approxPolyDP(line, tolerance, closed=True)[:, 0].astype(np.float32)
        if not 3 < len(corners) <= MAX_CORNERS:
            return None
        if cv2.contourArea(corners, oriented=True) < 0:
            corners = corners[::-1]
        return self.to_full_size(corners)

    def to_full_size(self, points: NDArray[np.floating]) -> Quad:
        """Points of the reduced picture in full-size pixels."""
        return ((points + 0.5) / self.scale).astype(np.float32)


def _bounding_boxes(lines: Sequence[NDArray[np.int32]]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Upright boxes round n lines: their middles and their sizes in pixels, (2, n) each."""
    if not lines:
        return np.zeros((2, 0)), np.zeros((2, 0), np.int64)
    points = np.ascontiguousarray(np.concatenate(lines)[:, 0].T)
    first = np.cumsum([0, *map(len, lines[:-1])])
    low, high = (np.stack([by.reduceat(row, first) for row in points]) for by in (np.minimum, np.maximum))
    return (low + high) / 2, np.asarray(high - low + 1, np.int64)


def remove_specks(framed: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A picture of edges without holes of up to 3 x 3 pixels: thousands of lines that nobody looks at."""
    ring = np.ones((5, 5), np.uint8)
    ring[1:-1, 1:-1] = 0
    enclosed = cv2.dilate(cv2.erode(framed, ring), np.ones((3, 3), np.uint8))
    return np.asarray(cv2.bitwise_or(framed, enclosed), np.uint8)


def _solid_contours(framed: NDArray[np.uint8]) -> list[NDArray[np.int32]]:
    """Lines round what is solid, without what is thin and hangs on it: a grain of the cloth, a shadow's edge.

    `framed` is a picture of edges with a black pixel's rim; the lines are in pixels without the rim.
    """
    outside = framed.copy()
    cv2.floodFill(outside, None, (0, 0), 255)
    solid = cv2.bitwise_or(framed, cv2.bitwise_not(outside))
    opened = cv2.morphologyEx(solid, cv2.MORPH_OPEN, np.ones((GRAIN_WIDTH, GRAIN_WIDTH), np.uint8))
    lines, _ = cv2.findContours(opened, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE, offset=(-1, -1))
    return [np.asarray(line, np.int32) for line in lines]


def find_outlines(traces: Contours, aspect: float) -> list[Quad]:
    """Places in the picture that may be a whole card, in full-size pixels, most often seen first.

    Each starts with a side that may be the card's top or its bottom (see `upright_corner_orders`).
    """
    found: list[Quad] = []
    for line in traces.lines:
        hull = np.asarray(cv2.convexHull(line), np.int32)
        area = cv2.contourArea(hull)
        if traces.min_card_area < area < MAX_CARD_SHARE * traces.area:
            corners = to_quadrilateral(hull, area)
            if corners is not None:
                found.append(corners)
    answer: list[Quad] = []
    for corners in _deduplicate(found)[:MAX_OUTLINES]:
        answer += upright_corner_orders(traces.to_full_size(corners), aspect)
    return answer


def _deduplicate(found: Sequence[Quad]) -> list[Quad]:
    """Outlines that are nearly the same once, clockwise, those seen most often first."""
    if not found:
        return []
    quads = sort_clockwise(np.stack(found))
    near = np.maximum(2.0, 0.012 * np.linalg.norm(quads[:, 0] - quads[:, 2], axis=1))
    left = np.ones(len(quads), bool)
    kept: list[tuple[int, int]] = []
    for at in range(len(quads)):
        if left[at]:
            same = left & (np.abs(quads - quads[at]).max(axis=(1, 2)) < near)
            same[at] = True
            left &= ~same
            kept.append((int(same.sum()), at))
    kept.sort(key=lambda one: -one[0])
    return [quads[at] for _, at in kept]


def scale_quads(quads: Quad, by: float) -> Quad:
    """Each of the quads (..., 4, 2) so many times as large, about its middle."""
    middle = quads.mean(axis=-2, keepdims=True)
    return np.asarray((quads - middle) * by + middle, np.float32)


def to_drawable_pixels(points: NDArray[np.floating]) -> NDArray[np.int32]:
    """(..., 2) points as OpenCV draws them; what lies near a horizon is drawn `MAX_COORDINATE` away."""
    # `np.clip` takes as long as all of this.
    within = np.maximum(np.minimum(np.rint(points), MAX_COORDINATE), -MAX_COORDINATE)
    return np.asarray(within, np.int32)


def are_same_quads(one: Sequence[Quad], other: Sequence[Quad]) -> bool:
    """Are they the very same arrays?"""
    return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))


def overlap_share(one: Quad, other: Quad) -> float:
    """Shared area as a part of the smaller of two convex quads, 0 to 1."""
    shared, _ = cv2.intersectConvexConvex(one, other)
    return shared / max(1e-6, min(cv2.contourArea(one), cv2.contourArea(other)))


def is_plausible_card(quad: Quad, shape: Sequence[int]) -> bool:
    """Could this be a card seen by a camera: convex, of a believable size, sides not wildly unequal?"""
    corners, farthest = quad.tolist(), 4 * max(shape[:2])
    if not all(abs(at) <= farthest for point in corners for at in point) or not cv2.isContourConvex(quad):
        return False
    area = cv2.contourArea(quad, oriented=True)
    if not 0.6 * MIN_CARD_SHARE < area / (shape[0] * shape[1]) < 1.2:
        return False
    a, b, c, d = corners
    across, down = (math.dist(a, b), math.dist(c, d)), (math.dist(b, c), math.dist(d, a))
    return max(across) < 2 * min(across) and max(down) < 2 * min(down)


def differs_from_surroundings(frame: Pyramid, quad: Quad) -> bool:
    """Does what lies in the outline differ from what lies round it, or is it a line drawn on the table?"""
    around = frame.view(scale_quads(quad, 1.3), (40, 60))
    lab = cv2.cvtColor(around, cv2.COLOR_BGR2LAB).astype(np.float32)
    inside = lab[14:-14, 10:-10].reshape(-1, 3)
    outside = np.concatenate([lab[:3], lab[-3:]]).reshape(-1, 3)
    apart = np.abs(np.median(inside, axis=0) - np.median(outside, axis=0))
    return bool(apart.max() > MIN_COLOUR_DISTANCE)
