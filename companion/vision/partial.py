"""Reads cards of which only a part can be seen, because others lie on them.

A covered card still shows a corner or two. Two corners and the side between them give the whole card, for all
cards of a deck have one shape; one corner gives it once another card was read, for all lie in one plane and
have one size. What is visible is what the traced line encloses, less the cards already read; only that is
compared, so it must hold enough of the print to tell this face from every other.

The card on top may share its line with what lies below, a paper or a white rim: it is found in the same way,
where the line turns outwards, and is read as a whole.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.align import moved
from companion.vision.locate import QUARTER_ROUND, Quad, Traces, overlap, whole_pixels
from companion.vision.residual import Floats

Floats64 = NDArray[np.float64]

EXPLAINED = 0.8
"""A line of which this part runs through known cards shows nothing new."""
LIKE_SIZE = 2.0
"""How many times larger or smaller in area than the others a card may look."""
BESIDE = 0.15
"""How near, in card sizes, what shows of a covered card lies to the one on top: cards have rims."""
MOST = 48
"""Most guesses at covered cards in one picture."""
SQUARE = 0.35
"""Cosine of an angle that may still be a card's corner seen from the side."""
LEAST_SEEN, MOST_SEEN = 0.10, 0.90
"""Part of a card that must be seen, and from which it is not covered but whole."""
LEAST_SIDE = 0.12
"""A corner's two sides must be seen for at least this part of their length."""
WHOLE_SIDE = 0.9
"""Part of a side that must be seen where the line does not turn outwards after it."""


@dataclass(frozen=True, slots=True, eq=False)
class Guess:
    """Where a card may lie of which a part is covered."""

    quad: Quad
    """Started at a top or bottom side, as `locate.outlines`."""
    piece: NDArray[np.float32]
    """(n, 2) full-size pixels: the line round what can be seen of it."""

    def visible(self, quad: Quad, size: tuple[int, int], covers: Sequence[Quad]) -> Floats:
        """(height, width) of 0 or 1, in the card's own upright frame: where `quad` can be seen."""
        width, height = size
        target = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - np.float32(0.5)
        flat = cv2.getPerspectiveTransform(quad, target).astype(np.float64)
        mask = np.zeros((height, width), np.uint8)
        cv2.fillPoly(mask, [whole_pixels(moved(self.piece, flat))], 1)
        for cover in covers:
            cv2.fillConvexPoly(mask, whole_pixels(moved(cover, flat)), 0)
        # What lies close to an edge is shadow, or the rim of the card on top.
        near = max(1, width // 24)
        return cv2.erode(mask, np.ones((2 * near + 1, 2 * near + 1), np.uint8)).astype(np.float32)


class Parts:
    """Where the lines of a picture say that cards may be that are partly covered, or lie on others."""

    def __init__(self, traces: Traces, aspect: float) -> None:
        """`aspect`: height of a card divided by its width."""
        self._traces, self._aspect = traces, aspect
        self._pieces = traces.cornered
        lines = [line[:, 0] for _, line, _ in self._pieces]
        self._points = np.concatenate([np.zeros((0, 2), np.int32), *lines])
        self._many = np.array([len(line) for line in lines])
        self._made: dict[tuple[int, int], list[tuple[Quad, bool]]] = {}
        """By piece, and by the identity of the card that gives the plane, which is kept in `_planes`."""
        self._planes: dict[int, tuple[Quad, Floats64, Floats64]] = {}

    def guesses(self, known: Sequence[Quad]) -> list[Guess]:
        """Covered cards there may be, apart from the `known` ones, (4, 2) corners each; at most `MOST`."""
        found: list[Guess] = []
        among, scale = _Among(known), self._traces.scale
        least = max(self._traces.smallest, LEAST_SEEN * among.size * scale**2 / LIKE_SIZE)
        news = (self._share(known, 1.04) <= EXPLAINED) & (
            self._share(known, 1 + 2 * BESIDE) > 0 if known else True
        )
        for at in np.flatnonzero(news):
            area, _, piece = self._pieces[at]
            if area < least or len(found) >= MOST:
                break
            quads = self._cards(int(at), known)
            found += [Guess(quad, piece) for quad, _ in quads if among.is_new(quad, most=0.9)]
        return found[:MOST]

    def topmost(self, known: Sequence[Quad]) -> list[Quad]:
        """Whole cards there may be that share their line with what lies below; none of the `known` ones."""
        found: list[Quad] = []
        among = _Among(known)
        for at in np.flatnonzero(self._share(known, 1.04) <= EXPLAINED):
            if len(found) >= MOST:
                break
            quads = self._cards(int(at), known)
            found += [quad for quad, on_top in quads if on_top and among.is_new(quad, most=0.3)]
        return found[:MOST]

    def _share(self, known: Sequence[Quad], grown: float) -> Floats64:
        """The part of each line that runs through the known cards, grown by that factor: 0 to 1."""
        if not len(self._many):
            return np.zeros(0)
        mask = np.zeros(self._traces.shape, np.uint8)
        for quad in known:
            middle = quad.mean(axis=0)
            cv2.fillConvexPoly(mask, whole_pixels((middle + (quad - middle) * grown) * self._traces.scale), 1)
        inside = mask[self._points[:, 1], self._points[:, 0]]
        starts = np.cumsum(self._many) - self._many
        return np.asarray(np.add.reduceat(inside, starts, dtype=np.float64) / self._many, np.float64)

    def _cards(self, at: int, known: Sequence[Quad]) -> list[tuple[Quad, bool]]:
        """What one line may go round a part of: the whole card, and whether that may lie on top."""
        first = id(known[0]) if known else 0
        if (at, first) not in self._made:
            piece = self._pieces[at][2]
            if known and first not in self._planes:
                self._planes[first] = (known[0], *_plane_of(known[0], self._aspect))
            if (at, 0) not in self._made:
                self._made[at, 0] = list(_from_sides(piece, self._aspect))
            if known:
                plane = self._planes[first][1:]
                self._made[at, first] = [*self._made[at, 0], *_from_corners(piece, self._aspect, plane)]
        return self._made[at, first]


class _Among:
    """The known cards of a picture, and the guesses that were made so far."""

    def __init__(self, known: Sequence[Quad]) -> None:
        self._known = list(known)
        self._low = np.array([k.min(axis=0) for k in known], np.float32).reshape(-1, 2)
        self._high = np.array([k.max(axis=0) for k in known], np.float32).reshape(-1, 2)
        self._taken = np.zeros((0, 4, 2), np.float32)
        self.size = float(np.median([cv2.contourArea(k) for k in known])) if known else 0.0
        """Of a known card in square pixels; 0 without any."""

    def is_new(self, quad: Quad, *, most: float) -> bool:
        """Is it of the known cards' size, on none by more than `most`, and no guess yet? Now it is one."""
        if self._known and not 1 / LIKE_SIZE < cv2.contourArea(quad) / self.size < LIKE_SIZE:
            return False
        near = 0.03 * _length(quad[0] - quad[2])
        if not (np.abs(self._taken - quad).max(axis=(1, 2)) > near).all():
            return False
        meet = (self._low < quad.max(axis=0)).all(axis=1) & (self._high > quad.min(axis=0)).all(axis=1)
        free = all(overlap(quad, self._known[at]) <= most for at in np.flatnonzero(meet))
        if free:
            self._taken = np.concatenate((self._taken, quad[None]))
        return free


def _length(way: NDArray[np.floating]) -> float:
    """The length of a 2-vector: ten times as fast as numpy's own at this size."""
    return math.hypot(way[0], way[1])


def _angles(corners: NDArray[np.floating]) -> tuple[list[bool], list[bool]]:
    """For each corner of a clockwise line (y down): is it about square, inwards; does it turn outwards?"""
    square, outwards = [], []
    points = corners.tolist()  # a dozen points: numpy would take ten times as long
    for (ax, ay), (bx, by), (cx, cy) in zip(
        points[-1:] + points, points, points[1:] + points[:1], strict=False
    ):
        turn = (bx - ax) * (cy - by) - (by - ay) * (cx - bx)
        along = abs((bx - ax) * (cx - bx) + (by - ay) * (cy - by))
        lengths = math.hypot(bx - ax, by - ay) * math.hypot(cx - bx, cy - by)
        square.append(turn > 0 and along < SQUARE * lengths)
        outwards.append(turn < 0)
    return square, outwards


def _from_sides(piece: NDArray[np.float32], aspect: float) -> Iterator[tuple[Quad, bool]]:
    """Whole cards from two corners and the side between them, and whether each may lie on top.

    Where the line leaves the side of a card that lies on top, it turns outwards, along what lies below.
    """
    count, (square, outwards) = len(piece), _angles(piece)
    for at in range(count):
        if not (square[at] and square[(at + 1) % count]):
            continue
        before, one, other, after = (piece[(at + k) % count] for k in (-1, 0, 1, 2))
        length = _length(other - one)
        left, right = before - one, after - other
        seen = _length(left), _length(right)
        for depth, is_top in ((length * aspect, True), (length / aspect, False)):
            if not LEAST_SIDE * depth < max(seen) or min(seen) > 1.1 * depth:
                continue
            turns = outwards[at - 1], outwards[(at + 2) % count]
            on_top = any(outwards) and all(
                far > WHOLE_SIDE * depth or turn for far, turn in zip(seen, turns, strict=True)
            )
            # The longer side seen gives the better direction.
            down = left / seen[0] if seen[0] > seen[1] else right / seen[1]
            quad = np.array([one, other, other + down * depth, one + down * depth], np.float32)
            yield quad if is_top else quad[QUARTER_ROUND], on_top


def _plane_of(card: Quad, aspect: float) -> tuple[Floats64, Floats64]:
    """The maps (3, 3) from the picture to a card's plane, and back."""
    flat = np.array([[0, 0], [1, 0], [1, aspect], [0, aspect]], np.float32)
    to_plane = cv2.getPerspectiveTransform(card, flat).astype(np.float64)
    return to_plane, np.linalg.inv(to_plane).astype(np.float64)


def _from_corners(
    piece: NDArray[np.float32], aspect: float, plane: tuple[Floats64, Floats64]
) -> Iterator[tuple[Quad, bool]]:
    """Whole cards from one corner, in the plane and of the size of a known card; see `_from_sides`."""
    to_plane, back = plane
    flat = moved(piece, to_plane)
    if not np.isfinite(flat).all() or np.abs(flat).max() > 50:
        return
    count, (square, outwards) = len(flat), _angles(flat)
    for at in range(count):
        if not square[at]:
            continue
        before, corner, after = (flat[(at + k) % count] for k in (-1, 0, 1))
        along, down = after - corner, before - corner
        seen = _length(along), _length(down)
        if min(seen) < LEAST_SIDE:
            continue
        if seen[0] >= seen[1]:
            first = along / seen[0]
            second = np.array([-first[1], first[0]])
        else:
            second = down / seen[1]
            first = np.array([second[1], -second[0]])
        for width, height in ((1.0, aspect), (aspect, 1.0)):
            if seen[0] > 1.1 * width or seen[1] > 1.1 * height:
                continue
            turns = outwards[(at + 1) % count], outwards[at - 1]
            on_top = any(outwards) and all(
                far > WHOLE_SIDE * side or turn
                for far, side, turn in zip(seen, (width, height), turns, strict=True)
            )
            quad = np.array(
                [corner, corner + first * width, corner + first * width + second * height,
                 corner + second * height], np.float32)  # fmt: skip
            whole = moved(quad, back)
            yield whole if width < height else whole[QUARTER_ROUND], on_top
