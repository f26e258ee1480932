"""Guesses where partly covered cards lie from the corners that still show.

A covered card still shows a corner or two. Two corners and the side between them give the whole card, for all
cards of a deck have one shape; one corner gives it once another card was read, for all lie in one plane and
have one size. What is visible is what the traced line encloses, less the cards already read; only that is
compared, so it must hold enough of the print to tell this face from every other.

The card on top may share its line with what lies below, a paper or a white rim: it is found in the same way,
where the line turns outwards, and is read as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.alignment import project_points
from companion.vision.outlines import (
    QUARTER_TURN,
    Contours,
    Quad,
    overlap_share,
    scale_quads,
    to_drawable_pixels,
)
from companion.vision.photometric_error import Floats

Floats64 = NDArray[np.float64]

EXPLAINED_SHARE = 0.8
"""A line of which this part runs through known cards shows nothing new."""
MAX_SIZE_RATIO = 2.0
"""How many times larger or smaller in area than the others a card may look."""
MAX_COVER_DISTANCE = 0.15
"""How near, in card sizes, what shows of a covered card lies to the one on top: cards have rims."""
MAX_GUESSES = 48
"""Most guesses at covered cards in one picture."""
MAX_PART_CORNER_COSINE = 0.35
"""Cosine of an angle that may still be a card's corner seen from the side."""
MIN_VISIBLE_SHARE, MAX_VISIBLE_SHARE = 0.10, 0.90
"""Part of a card that must be seen, and from which it is not covered but whole."""
MIN_SIDE_SHARE = 0.12
"""A corner's two sides must be seen for at least this part of their length."""
HORIZON_DISTANCE = 50.0
"""Cards beyond which a corner is in no card's plane: it is near the horizon."""
WHOLE_SIDE_SHARE = 0.9
"""Part of a side that must be seen where the line does not turn outwards after it."""


@dataclass(frozen=True, slots=True, eq=False)
class PartialCardGuess:
    """Where a card may lie of which a part is covered."""

    quad: Quad
    """Started at a top or bottom side, as `outlines.find_outlines`."""
    piece: NDArray[np.float32]
    """(n, 2) full-size pixels: the line round what can be seen of it."""

    def visibility_under(self, covers: Sequence[Quad]) -> Callable[[Quad, tuple[int, int]], Floats]:
        """What tells where a quad can be seen, if these cards are on top: (height, width) of 0 or 1.

        Asked for the quad and for the size, (width, height), of the card's own upright frame.
        """
        points, many = np.concatenate((self.piece, *covers)), len(self.piece)

        def visible(quad: Quad, size: tuple[int, int]) -> Floats:
            target, edge = _frame_template(size)
            flat = np.asarray(cv2.getPerspectiveTransform(quad, target), np.float64)
            drawn = to_drawable_pixels(project_points(points, flat))
            mask = np.zeros(size[::-1], np.uint8)
            cv2.fillPoly(mask, [drawn[:many]], 1)
            for first in range(many, len(drawn), 4):
                cv2.fillConvexPoly(mask, drawn[first : first + 4], 0)
            return cv2.erode(mask, edge).astype(np.float32)

        return visible


@lru_cache(maxsize=16)
def _frame_template(size: tuple[int, int]) -> tuple[Quad, NDArray[np.uint8]]:
    """The corners of a card's frame (width, height), and a square of what is hidden close to an edge."""
    width, height = size
    target = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - np.float32(0.5)
    # What lies close to an edge is shadow, or the rim of the card on top.
    side = 2 * max(1, width // 24) + 1
    return target, np.ones((side, side), np.uint8)


class PartialCards:
    """Where the lines of a picture say that cards may be that are partly covered, or lie on others."""

    def __init__(self, traces: Contours, aspect: float) -> None:
        """`aspect`: height of a card divided by its width."""
        self._traces, self._aspect = traces, aspect
        self._pieces = traces.polygons
        lines = [line[:, 0] for _, line, _ in self._pieces]
        points = np.concatenate([np.zeros((0, 2), int), *lines])
        self._points = points[:, 1] * traces.shape[1] + points[:, 0]
        """Of all lines, one line after the other: their numbers in the reduced picture."""
        self._many = np.array([len(line) for line in lines], int)
        self._corners = _Corners([piece for _, _, piece in self._pieces])
        self._made: tuple[Quad | None, _Cards] | None = None
        """The card that gave the plane, and what was found with it."""

    def covered_guesses(self, known: Sequence[Quad]) -> list[PartialCardGuess]:
        """Covered cards there may be, apart from the `known` ones, (4, 2) corners each; at most
        `MAX_GUESSES`.
        """
        cards, among = self._whole_cards(known), _KnownCards(known)
        least = max(
            self._traces.min_card_area,
            MIN_VISIBLE_SHARE * among.size * self._traces.scale**2 / MAX_SIZE_RATIO,
        )
        worth = np.array([area >= least for area, _, _ in self._pieces], bool) & self._shows_something_new(
            known
        )
        if known:
            worth &= self._explained_share(known, 1 + 2 * MAX_COVER_DISTANCE) > 0
        quads = among.select_new(cards.quads[worth[cards.piece]], most=0.9)
        pieces = cards.piece[worth[cards.piece]]
        return [PartialCardGuess(quad, self._pieces[pieces[at]][2]) for at, quad in quads]

    def topmost_outlines(self, known: Sequence[Quad]) -> list[Quad]:
        """Whole cards there may be that share their line with what lies below; none of the `known` ones."""
        cards = self._whole_cards(known)
        wanted = cards.on_top & self._shows_something_new(known)[cards.piece]
        return [quad for _, quad in _KnownCards(known).select_new(cards.quads[wanted], most=0.3)]

    def _shows_something_new(self, known: Sequence[Quad]) -> NDArray[np.bool_]:
        """Of each line: does it show anything that the known cards do not explain?"""
        return np.asarray(self._explained_share(known, 1.04) <= EXPLAINED_SHARE, bool)

    def _explained_share(self, known: Sequence[Quad], by: float) -> Floats64:
        """The part of each line that runs through the known cards, grown by that factor: 0 to 1."""
        if not len(self._many):
            return np.zeros(0)
        mask = np.zeros(self._traces.shape, np.uint8)
        quads = np.array(known, np.float32).reshape(-1, 4, 2)
        for quad in to_drawable_pixels(scale_quads(quads, by) * self._traces.scale):
            cv2.fillConvexPoly(mask, quad, 1)
        starts = np.cumsum(self._many) - self._many
        inside = np.add.reduceat(mask.take(self._points), starts, dtype=int)
        return np.asarray(inside / self._many, np.float64)

    def _whole_cards(self, known: Sequence[Quad]) -> _Cards:
        """The whole cards of which the lines may go round a part; with one card known, in its plane too."""
        first = known[0] if known else None
        if self._made is None or self._made[0] is not first:
            found = [_cards_from_sides(self._corners, self._aspect)]
            if first is not None:
                found.append(_cards_from_corners(self._corners, self._aspect, first))
            quads, piece, on_top = (np.concatenate(part) for part in zip(*found, strict=True))
            order = np.argsort(piece, kind="stable")
            self._made = first, _Cards(quads[order], piece[order], on_top[order])
        return self._made[1]


class _KnownCards:
    """The known cards of a picture."""

    def __init__(self, known: Sequence[Quad]) -> None:
        self._known = list(known)
        self._low = np.array([k.min(axis=0) for k in known], np.float32).reshape(-1, 2)
        self._high = np.array([k.max(axis=0) for k in known], np.float32).reshape(-1, 2)
        self.size = float(np.median([cv2.contourArea(k) for k in known])) if known else 0.0
        """Of a known card in square pixels; 0 without any."""

    def select_new(self, quads: Quad, *, most: float) -> list[tuple[int, Quad]]:
        """Of n quads (n, 4, 2) those of the known cards' size, on none by more than `most`, each place once.

        With the number of each; at most `MAX_GUESSES`, those first that come first.
        """
        left = np.ones(len(quads), bool)
        flat = np.ascontiguousarray(quads.reshape(-1, 8).T)
        x, y = flat[::2], flat[1::2]
        if self._known:
            twice = np.abs((x * y[QUARTER_TURN] - x[QUARTER_TURN] * y).sum(axis=0))
            left = (twice > 2 * self.size / MAX_SIZE_RATIO) & (twice < 2 * self.size * MAX_SIZE_RATIO)
        near = 0.03 * np.hypot(x[0] - x[2], y[0] - y[2])
        low, high = (np.stack((by(x, axis=0), by(y, axis=0)), axis=1) for by in (np.min, np.max))
        meet = np.all((self._low < high[:, None]) & (self._high > low[:, None]), axis=2)
        found: list[tuple[int, Quad]] = []
        for at, beside in enumerate(np.asarray(meet).tolist()):
            if left[at] and all(overlap_share(quads[at], k) <= most for k in compress(self._known, beside)):
                found.append((at, quads[at]))
                if len(found) == MAX_GUESSES:
                    break
                left &= np.abs(flat - flat[:, at, None]).max(axis=0) > near
        return found


class _Cards(NamedTuple):
    """Whole cards that may be in a picture."""

    quads: Quad
    """(n, 4, 2) full-size pixels."""
    piece: NDArray[np.int_]
    """(n,): which line goes round a part of it."""
    on_top: NDArray[np.bool_]
    """(n,): may it lie on what else is in that line?"""


class _Corners:
    """The corners of all pieces of a picture, one piece after the other."""

    def __init__(self, pieces: Sequence[Quad]) -> None:
        many = np.array([len(piece) for piece in pieces], int)
        self.starts = np.cumsum(many) - many
        self.piece = np.repeat(np.arange(len(pieces)), many)
        self.points = np.concatenate([np.zeros((0, 2), np.float32), *pieces])
        at, count, first = np.arange(len(self.points)), many[self.piece], self.starts[self.piece]
        self.before, self.after = (first + (at - first + step) % count for step in (-1, 1))

    def angles(self, points: Quad) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
        """Of each corner, placed so: is it about square; does it turn outwards; does any of its piece?

        Pieces are clockwise (y down).
        """
        came, goes = points - points[self.before], points[self.after] - points
        turn = came[:, 0] * goes[:, 1] - came[:, 1] * goes[:, 0]
        along = np.abs((came * goes).sum(axis=1))
        square = (turn > 0) & (
            along < MAX_PART_CORNER_COSINE * np.linalg.norm(came, axis=1) * np.linalg.norm(goes, axis=1)
        )
        outwards = turn < 0
        any_of = np.logical_or.reduceat(outwards, self.starts) if len(points) else outwards
        return square, outwards, any_of[self.piece]


def _cards_from_sides(corners: _Corners, aspect: float) -> _Cards:
    """Whole cards from two corners and the side between them.

    Where the line leaves the side of a card that lies on top, it turns outwards, along what lies below.
    """
    points, (square, outwards, any_outwards) = corners.points, corners.angles(corners.points)
    one = np.flatnonzero(square & square[corners.after])
    other = corners.after[one]
    left, right = points[corners.before[one]] - points[one], points[corners.after[other]] - points[other]
    length = np.linalg.norm(points[other] - points[one], axis=1)
    seen = np.stack((np.linalg.norm(left, axis=1), np.linalg.norm(right, axis=1)))
    turns = np.stack((outwards[corners.before[one]], outwards[corners.after[other]]))
    # The longer side seen gives the better direction.
    longer = np.where((seen[0] > seen[1])[:, None], left, right) / np.maximum(seen.max(axis=0), 1e-6)[:, None]
    ways = []
    for depth in (length * aspect, length / aspect):
        down = longer * depth[:, None]
        quads = np.stack((points[one], points[other], points[other] + down, points[one] + down), axis=1)
        fits = (MIN_SIDE_SHARE * depth < seen.max(axis=0)) & (seen.min(axis=0) <= 1.1 * depth)
        on_top = any_outwards[one] & ((seen > WHOLE_SIDE_SHARE * depth) | turns).all(axis=0)
        ways.append((quads, fits, on_top))
    (upright, *_), (lying, *_) = ways
    return _combine_ways(corners.piece[one], ways, np.stack((upright, lying[:, QUARTER_TURN]), axis=1))


def _cards_from_corners(corners: _Corners, aspect: float, card: Quad) -> _Cards:
    """Whole cards from one corner, in the plane and of the size of a known card; see `_cards_from_sides`."""
    target = np.array([[0, 0], [1, 0], [1, aspect], [0, aspect]], np.float32)
    to_plane = cv2.getPerspectiveTransform(card, target).astype(np.float64)
    flat = (
        project_points(corners.points, to_plane).astype(np.float64) if len(corners.points) else corners.points
    )
    far = ~(np.abs(flat).max(axis=1, initial=0) <= HORIZON_DISTANCE)  # not a number is far, too
    flat = np.where(far[:, None], 0.0, flat)
    whole = ~np.logical_or.reduceat(far, corners.starts)[corners.piece] if len(flat) else far
    square, outwards, any_outwards = corners.angles(flat)
    at = np.flatnonzero(square & whole)
    along, down = flat[corners.after[at]] - flat[at], flat[corners.before[at]] - flat[at]
    seen = np.stack((np.linalg.norm(along, axis=1), np.linalg.norm(down, axis=1)))
    turns = np.stack((outwards[corners.after[at]], outwards[corners.before[at]]))
    by_first = (seen[0] >= seen[1])[:, None]
    best = np.where(by_first, along, down) / np.maximum(seen.max(axis=0), 1e-6)[:, None]
    first = np.where(by_first, best, np.column_stack((best[:, 1], -best[:, 0])))
    second = np.where(by_first, np.column_stack((-best[:, 1], best[:, 0])), best)
    ways = []
    for width, height in ((1.0, aspect), (aspect, 1.0)):
        side = np.array([[width], [height]])
        across, deep = first * width, second * height
        quads = flat[at][:, None] + np.stack((0 * across, across, across + deep, deep), axis=1)
        fits = (seen.min(axis=0) >= MIN_SIDE_SHARE) & (seen <= 1.1 * side).all(axis=0)
        on_top = any_outwards[at] & ((seen > WHOLE_SIDE_SHARE * side) | turns).all(axis=0)
        ways.append((quads, fits, on_top))
    (upright, *_), (lying, *_) = ways
    cards = _combine_ways(corners.piece[at], ways, np.stack((upright, lying[:, QUARTER_TURN]), axis=1))
    if not len(cards.quads):
        return cards
    back = np.asarray(np.linalg.inv(to_plane), np.float64)
    return cards._replace(quads=project_points(cards.quads.reshape(-1, 2), back).reshape(-1, 4, 2))


def _combine_ways(
    piece: NDArray[np.int_],
    ways: Sequence[tuple[Floats64, NDArray[np.bool_], NDArray[np.bool_]]],
    quads: Floats64,
) -> _Cards:
    """The cards of both ways that fit, (n, 2, 4, 2), one way after the other for each corner."""
    fits, on_top = (np.stack([way[part] for way in ways], axis=1).ravel() for part in (1, 2))
    both = quads.reshape(-1, 4, 2).astype(np.float32)
    return _Cards(both[fits], np.repeat(piece, 2)[fits], on_top[fits])
