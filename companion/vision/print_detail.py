"""Finds cards by symbols of their print, where cards touch or match the table's colour.

On cards that are mostly paper a symbol stands out though the card's edge does not. Each symbol has its place
on the card, so a symbol of that shape tells where a card may lie: in the plane and of the size of the cards
already read, or, before any was read, of the size that the symbol itself says. What is proposed here is
judged by `read` like any other outline.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.outlines import (
    Bgr,
    Contours,
    Pyramid,
    Quad,
    is_plausible_card,
    median_aspect,
    overlap_share,
)

Numbers = NDArray[np.float64]

TRACE_WIDTH, TRACE_PADDING = 200, 40
"""Width in pixels at which the marks of a face are traced, and the paper added round it."""
MIN_DETAIL_SHARE, MAX_DETAIL_SHARE = 0.012, 0.5
"""Share of a card that a mark may cover."""
MAX_FACE_DETAILS = 24
"""Most marks of a middling face: beyond that a deck is a picture, and local features find it."""
MIN_ELONGATION = 1.2
"""A mark must be so much longer than wide to have a direction."""
SAME_AREA, SAME_LENGTH, SAME_FILL = 0.35, 0.3, 0.12
"""How far marks of one kind may be apart: logarithms of area and elongation, and share of their hull."""
SAME_KIND_DISTANCE, SAME_KIND_ANGLE = 0.04, 6.0
"""Marks of two cards nearer than this, in card widths, and turned less, in degrees, are one kind."""
MIN_CARD_DISTANCE = 0.6
"""Middles of two cards that lie side by side are at least this many card widths apart."""
SIZE_BIN_WIDTH = 0.15
"""Width of a bin in which places of like size are counted, as a logarithm of the area."""
MAX_KINDS, MAX_DETAILS, MAX_PLACES = 300, 160, 80
"""Bounds of what is tried in one picture."""


@dataclass(frozen=True, slots=True, eq=False)
class DetailShapes:
    """What is known of n closed lines."""

    at: Numbers
    """(n, 2): their middles."""
    area: Numbers
    spread: Numbers
    """(n, 2, 2): covariance of the points inside."""
    fill: Numbers
    """Area as a share of the convex hull's."""
    way: Numbers
    """Which of the ways of seeing edges showed it."""

    @classmethod
    def of(
        cls,
        traces: Contours,
        known: Sequence[Quad] = (),
        room: NDArray[np.uint8] | None = None,
        *,
        once: bool = False,
    ) -> DetailShapes:
        """The marks of a reduced picture that are long, in its pixels, but for those on `known` cards.

        `room`: a smaller copy of the picture, (height, width), 0 where no mark is wanted. `once`: as in
        `_select_distinct_details`.
        """
        every, ways, middles = traces.detail_lines
        free = np.arange(len(every))
        if room is not None:
            x, y = (middles * np.divide(room.shape, traces.shape)[::-1]).astype(int).T
            free = free[room[y, x] > 0]
        for quad in known:
            free = free[~_are_inside(middles[free], quad)]
        way, lines = ways[free].astype(np.float64), [every[at] for at in free]
        at, area, spread = _moments(lines)
        which = np.flatnonzero((area > 0) & (_angle_and_length(spread)[1] > MIN_ELONGATION))
        for quad in known:
            which = which[~_are_inside(at[which], quad)]
        if once:
            which = which[_select_distinct_details(at[which], area[which], way[which])]
        hulls = np.array([cv2.contourArea(cv2.convexHull(lines[n])) for n in which], np.float64)
        return cls(at[which], area[which], spread[which], area[which] / hulls, way[which])

    def select(self, which: NDArray[np.bool_] | NDArray[np.int64]) -> DetailShapes:
        """Those at these indices (k,), or where a mask (n,) is true."""
        return DetailShapes(*(getattr(self, field)[which] for field in DetailShapes.__slots__))

    def angle_and_length(self) -> tuple[Numbers, Numbers]:
        """The direction of each longer axis in radians, without a sense; and longer axis to shorter."""
        return _angle_and_length(self.spread)

    def project(self, by: Numbers) -> DetailShapes:
        """The same under a homography (3, 3), each by what that is at its middle."""
        whole = np.column_stack((self.at, np.ones(len(self.at)))) @ by.T
        deep = whole[:, 2]
        at = whole[:, :2] / deep[:, None]
        slope = (by[None, :2, :2] - at[:, :, None] * by[None, None, 2, :2]) / deep[:, None, None]
        area = self.area * np.abs(np.linalg.det(slope))
        return DetailShapes(at, area, slope @ self.spread @ slope.transpose(0, 2, 1), self.fill, self.way)


def _angle_and_length(spread: Numbers) -> tuple[Numbers, Numbers]:
    """As `DetailShapes.angle_and_length`, of covariances (n, 2, 2)."""
    across, along, both = spread[:, 0, 0], spread[:, 1, 1], spread[:, 0, 1]
    apart = np.hypot(across - along, 2 * both)
    longer, shorter = across + along + apart, np.maximum(across + along - apart, 1e-9)
    return 0.5 * np.arctan2(2 * both, across - along), np.sqrt(np.maximum(longer, 1e-9) / shorter)


def _moments(lines: Sequence[NDArray[np.int32]]) -> tuple[Numbers, Numbers, Numbers]:
    """What n closed lines go round: its middle (n, 2), its area (n,) and its covariance (n, 2, 2).

    By Green's theorem, as `cv2.moments` does for one line; a line that goes round nothing has an area of 0.
    """
    if not lines:
        return np.zeros((0, 2)), np.zeros(0), np.zeros((0, 2, 2))
    counts = np.array([len(line) for line in lines])
    first = np.cumsum(counts) - counts
    points = np.concatenate(lines)[:, 0].astype(np.float64)
    start = points[first]
    x, y = (points - np.repeat(start, counts, axis=0)).T
    after = np.arange(1, len(points) + 1)
    after[first + counts - 1] = first
    to_x, to_y = x[after], y[after]
    turn, both_x, both_y = x * to_y - to_x * y, x + to_x, y + to_y
    parts = (
        np.ones(len(x)), both_x, both_y, x * both_x + to_x * to_x,
        x * (both_y + y) + to_x * (both_y + to_y), y * both_y + to_y * to_y,
    )  # fmt: skip
    area, *sums = (np.add.reduceat(turn * part, first) / 2 for part in parts)
    inside = np.where(area, area, 1.0)
    at_x, at_y, xx, xy, yy = (s / inside / n for s, n in zip(sums, (3, 3, 6, 12, 6), strict=True))
    xx, xy, yy = xx - at_x * at_x, xy - at_x * at_y, yy - at_y * at_y
    spread = np.stack((xx, xy, xy, yy), axis=-1).reshape(-1, 2, 2)
    return start + np.stack((at_x, at_y), axis=-1), np.abs(area), spread


def _select_distinct_details(at: Numbers, area: Numbers, way: Numbers) -> NDArray[np.int64]:
    """Each mark once, though it was traced along both sides of its line; the largest, at most
    `MAX_DETAILS`.
    """
    order = np.argsort(-area)
    across, at, way = np.sqrt(area)[order], at[order], way[order]
    left, kept = np.ones(len(order), bool), []
    # Larger ones were looked at before: what is as large as this one and left comes soon after it.
    ends = np.searchsorted(-across, -0.95 * across)
    for number, end in enumerate(ends):
        if not left[number]:
            continue
        kept.append(order[number])
        if len(kept) == MAX_DETAILS:
            break
        after = slice(number, end)
        off = at[after] - at[number]
        near = np.hypot(off[:, 0], off[:, 1]) < 0.1 * across[number]
        left[after] &= ~(near & (way[after] == way[number]))
    return np.array(kept, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class DetailKinds:
    """The marks on all faces of a deck, each kind once."""

    usable: bool
    """Do they find a card? Not where a face has none, or is full of them."""
    shapes: DetailShapes

    @classmethod
    def of(cls, pictures: Sequence[Bgr], told: Callable[[float], None]) -> DetailKinds:
        """The distinct kinds of details on faces, pictures of (height, width, 3).

        `told` is called with the fraction done, 0 to 1.
        """
        aspect, found = median_aspect(pictures), []
        for number, picture in enumerate(pictures):
            found.append(_details_of_face(picture, aspect))
            told((number + 1) / len(pictures))
        every = DetailShapes(
            *(np.concatenate([getattr(s, f) for s in found]) for f in DetailShapes.__slots__)
        )
        worth_it = bool(0 < np.median([len(shapes.area) for shapes in found]) <= MAX_FACE_DETAILS)
        return cls(worth_it, every.select(_select_kinds(every)))


class DetailSearch:
    """The marks of a deck, ready to be found in a picture."""

    def __init__(self, kinds: DetailKinds, aspect: float) -> None:
        self._card = np.array([[0, 0], [1, 0], [1, aspect], [0, aspect]])
        self.usable, self._kinds = kinds.usable, kinds.shapes

    def find_cards(
        self,
        traces: Contours,
        known: Sequence[Quad],
        shape: Sequence[int],
        room: NDArray[np.uint8] | None = None,
    ) -> list[Quad]:
        """Where cards may lie besides the `known` ones; full-size pixels, begun at a top or bottom side.

        `shape`: the picture's rows and columns. `room`: a small copy of it, 0 where no card can be.
        """
        reduced = [(quad + 0.5) * traces.scale - 0.5 for quad in known]
        seen = DetailShapes.of(traces, reduced, room, once=True)
        if not len(seen.area) or not len(self._kinds.area):
            return []
        places = self._places_in_planes(seen, reduced) if known else self._places_without_plane(seen)
        quads = [traces.to_full_size(place) for place in places]
        return [
            q for q in quads if is_plausible_card(q, shape) and all(overlap_share(q, k) < 0.4 for k in known)
        ]

    def _places_in_planes(self, seen: DetailShapes, known: Sequence[Quad]) -> list[Numbers]:
        """Each mark judged in the plane, and by the size, of the known card nearest to it."""
        middles = np.array([k.mean(axis=0) for k in known], np.float64)
        nearest = np.linalg.norm(seen.at[:, None] - middles, axis=2).argmin(axis=1)
        places: list[Numbers] = []
        for number in np.unique(nearest):
            card = self._card.astype(np.float32)
            to_plane = cv2.getPerspectiveTransform(known[number].astype(np.float32), card).astype(np.float64)
            mine = seen.select(nearest == number)
            behind = np.column_stack((mine.at, np.ones(len(mine.at)))) @ to_plane[2] <= 0.1 * to_plane[2, 2]
            flat = self._candidate_places(mine.select(~behind).project(to_plane), whatever_size=False)
            others = cv2.perspectiveTransform(middles[:, None], to_plane)[:, 0]
            gap = np.linalg.norm(flat.mean(axis=1)[:, None] - others, axis=2).min(axis=1)
            flat = _cluster_quads(flat[gap > MIN_CARD_DISTANCE])
            if len(flat):
                back = cv2.perspectiveTransform(flat.reshape(-1, 1, 2), np.linalg.inv(to_plane))
                places += list(back.reshape(-1, 4, 2))
        return places[:MAX_PLACES]

    def _places_without_plane(self, seen: DetailShapes) -> list[Numbers]:
        """Each mark as if seen from above, of the size that most marks ask for."""
        quads = self._candidate_places(seen, whatever_size=True)
        if not len(quads):
            return []
        size = 2 * np.log(np.linalg.norm(quads[:, 1] - quads[:, 0], axis=1)) / SIZE_BIN_WIDTH
        bins, counts = np.unique(np.round(size), return_counts=True)
        common = bins[counts.argmax()]
        return list(_cluster_quads(quads[np.abs(size - common) < 1.5]))

    def _candidate_places(self, seen: DetailShapes, *, whatever_size: bool) -> Numbers:
        """(m, 4, 2): a card's corners for every mark seen and every kind that it may be."""
        kinds = self._kinds
        (seen_angle, seen_length), (angle, length) = seen.angle_and_length(), kinds.angle_and_length()
        same = seen.way[:, None] == kinds.way
        same &= np.abs(np.log(seen_length[:, None] / length)) < SAME_LENGTH
        same &= np.abs(seen.fill[:, None] - kinds.fill) < SAME_FILL
        if not whatever_size:
            same &= np.abs(np.log(seen.area[:, None] / kinds.area)) < SAME_AREA
        which, kind = np.nonzero(same)
        grow = np.sqrt(seen.area[which] / kinds.area[kind]) if whatever_size else np.ones(len(which))
        turn = seen_angle[which] - angle[kind]
        c, s = (np.cos(turn) * grow)[:, None], (np.sin(turn) * grow)[:, None]
        off = self._card[None] - kinds.at[kind][:, None]
        quads = np.stack([off[..., 0] * c - off[..., 1] * s, off[..., 0] * s + off[..., 1] * c], axis=-1)
        # The longer axis has no sense: each place is also that turned half round the mark.
        return np.asarray(np.concatenate([quads, -quads]) + np.tile(seen.at[which], (2, 1))[:, None])


def _are_inside(at: Numbers, quad: Quad) -> NDArray[np.bool_]:
    """(n,): do the points lie in a quad whose corners go clockwise?"""
    along = np.roll(quad, -1, axis=0) - quad
    off = at[:, None] - quad
    return np.asarray((along[:, 0] * off[..., 1] - along[:, 1] * off[..., 0] > 0).all(axis=1), np.bool_)


def _details_of_face(picture: Bgr, aspect: float) -> DetailShapes:
    """The marks of one face, in card widths from its top left."""
    size = (TRACE_WIDTH, round(TRACE_WIDTH * aspect))
    small = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    rim = np.median(np.concatenate([small[4], small[-5], small[:, 4], small[:, -5]]), axis=0)
    padded = cv2.copyMakeBorder(small, *(TRACE_PADDING,) * 4, cv2.BORDER_CONSTANT, value=rim.tolist())
    traced = DetailShapes.of(Contours.of(Pyramid(np.asarray(padded, np.uint8))))
    back = (
        np.array([[1, 0, 0.5 - TRACE_PADDING], [0, 1, 0.5 - TRACE_PADDING], [0, 0, TRACE_WIDTH]])
        / TRACE_WIDTH
    )
    shapes = traced.project(back)
    inside = ((shapes.at > 0.05) & (shapes.at < (0.95, aspect - 0.05))).all(axis=1)
    sized = (shapes.area > MIN_DETAIL_SHARE * aspect) & (shapes.area < MAX_DETAIL_SHARE * aspect)
    return shapes.select(inside & sized)


def _select_kinds(shapes: DetailShapes) -> NDArray[np.int64]:
    """One of each kind of mark, commonest kinds first."""
    angle, length = shapes.angle_and_length()
    left = np.ones(len(shapes.area), bool)
    kept: list[tuple[int, int]] = []
    for at in range(len(shapes.area)):
        if not left[at]:
            continue
        near = left & (np.linalg.norm(shapes.at - shapes.at[at], axis=1) < SAME_KIND_DISTANCE)
        near &= np.abs((angle - angle[at] + np.pi / 2) % np.pi - np.pi / 2) < np.radians(SAME_KIND_ANGLE)
        near &= np.abs(np.log(shapes.area / shapes.area[at])) < SAME_AREA / 2
        near &= (np.abs(np.log(length / length[at])) < SAME_LENGTH / 2) & (shapes.way == shapes.way[at])
        left &= ~near
        kept.append((int(near.sum()), at))
    kept.sort(key=lambda one: -one[0])
    return np.array([at for _, at in kept[:MAX_KINDS]], np.int64)


def _cluster_quads(quads: Numbers) -> Numbers:
    """(m, 4, 2) of like size → those nearly the same, begun at either end, once; most often seen first."""
    if not len(quads):
        return quads
    middle = quads.mean(axis=1)
    side = float(np.median(np.linalg.norm(quads[:, 0] - quads[:, 1], axis=1)))
    turn = np.arctan2(quads[:, 1, 1] - quads[:, 0, 1], quads[:, 1, 0] - quads[:, 0, 0])
    left = np.ones(len(quads), bool)
    kept: list[tuple[int, int]] = []
    for at in range(len(quads)):
        if not left[at]:
            continue
        near = left & (np.abs(middle - middle[at]).max(axis=1) < 0.1 * side)
        near &= np.abs((turn - turn[at] + np.pi / 2) % np.pi - np.pi / 2) < 2 * np.radians(SAME_KIND_ANGLE)
        left &= ~near
        kept.append((int(near.sum()), at))
    kept.sort(key=lambda one: -one[0])
    return quads[[at for _, at in kept[:MAX_PLACES]]]
