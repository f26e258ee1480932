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


def guesses(traces: Traces, aspect: float, known: Sequence[Quad]) -> list[Guess]:
    """Covered cards there may be, apart from the `known` ones, (4, 2) corners each; at most `MOST`.

    `aspect`: height of a card divided by its width.
    """
    found: list[Guess] = []
    explained, beside = _surroundings(traces, known)
    among, plane = _Among(known), _plane_of(known, aspect)
    least = max(traces.smallest, LEAST_SEEN * among.size * traces.scale**2 / LIKE_SIZE)
    for area, line, piece in traces.cornered:
        if area < least or len(found) >= MOST:
            break
        rows, columns = line[:, 0, 1], line[:, 0, 0]
        if not beside[rows, columns].any() or explained[rows, columns].mean() > EXPLAINED:
            continue
        quads = (*_from_sides(piece, aspect), *_from_corners(piece, aspect, plane))
        found += [Guess(quad, piece) for quad in quads if among.is_new(quad, most=0.9)]
    return found[:MOST]


def topmost(traces: Traces, aspect: float, known: Sequence[Quad]) -> list[Quad]:
    """Whole cards there may be that share their line with what lies below; none of the `known` ones."""
    found: list[Quad] = []
    explained, _ = _surroundings(traces, known)
    among, plane = _Among(known), _plane_of(known, aspect)
    for _, line, piece in traces.cornered:
        if len(found) >= MOST:
            break
        if explained[line[:, 0, 1], line[:, 0, 0]].mean() > EXPLAINED:
            continue
        sides = _from_sides(piece, aspect, on_top=True)
        quads = (*sides, *_from_corners(piece, aspect, plane, on_top=True))
        found += [quad for quad in quads if among.is_new(quad, most=0.3)]
    return found[:MOST]


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


def _surroundings(traces: Traces, known: Sequence[Quad]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Two masks of the reduced picture: what the known cards explain, and what lies on or close by them.

    A covered card lies beside the card on top of it. Without any known card it may be anywhere.
    """
    explained, beside = np.zeros(traces.shape, np.uint8), np.zeros(traces.shape, np.uint8)
    for mask, grown in ((explained, 1.04), (beside, 1 + 2 * BESIDE)):
        for quad in known:
            middle = quad.mean(axis=0)
            corners = (middle + (quad - middle) * grown) * traces.scale
            cv2.fillConvexPoly(mask, whole_pixels(corners), 1)
    return explained, beside if known else np.ones_like(beside)


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


def _from_sides(piece: NDArray[np.float32], aspect: float, *, on_top: bool = False) -> Iterator[Quad]:
    """Whole cards from two corners and the side between them.

    Where the line leaves the side of a card that lies `on_top`, it turns outwards, along what lies below.
    """
    count, (square, outwards) = len(piece), _angles(piece)
    if on_top and not any(outwards):
        return
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
            ends = zip(seen, (outwards[at - 1], outwards[(at + 2) % count]), strict=True)
            if on_top and not all(far > WHOLE_SIDE * depth or turns for far, turns in ends):
                continue
            # The longer side seen gives the better direction.
            down = left / seen[0] if seen[0] > seen[1] else right / seen[1]
            quad = np.array([one, other, other + down * depth, one + down * depth], np.float32)
            yield quad if is_top else quad[QUARTER_ROUND]


def _plane_of(known: Sequence[Quad], aspect: float) -> tuple[Floats64, Floats64] | None:
    """The maps (3, 3) from the picture to the first known card's plane, and back; None without any."""
    if not known:
        return None
    card = np.array([[0, 0], [1, 0], [1, aspect], [0, aspect]], np.float32)
    to_plane = cv2.getPerspectiveTransform(known[0], card).astype(np.float64)
    return to_plane, np.linalg.inv(to_plane).astype(np.float64)


def _from_corners(
    piece: NDArray[np.float32],
    aspect: float,
    plane: tuple[Floats64, Floats64] | None,
    *,
    on_top: bool = False,
) -> Iterator[Quad]:
    """Whole cards from one corner, in the plane and of the first known card's size; see `_from_sides`."""
    if plane is None:
        return
    to_plane, back = plane
    flat = moved(piece, to_plane)
    if not np.isfinite(flat).all() or np.abs(flat).max() > 50:
        return
    count, (square, outwards) = len(flat), _angles(flat)
    if on_top and not any(outwards):
        return
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
            ends = zip(seen, (width, height), (outwards[(at + 1) % count], outwards[at - 1]), strict=True)
            if on_top and not all(far > WHOLE_SIDE * side or turns for far, side, turns in ends):
                continue
            quad = np.array(
                [corner, corner + first * width, corner + first * width + second * height,
                 corner + second * height], np.float32)  # fmt: skip
            whole = moved(quad, back)
            yield whole if width < height else whole[QUARTER_ROUND]
