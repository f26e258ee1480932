"""Finds where a covered card is by the straight edges that show beside the card on top of it.

A line traced round a pair goes round both, and where paper is on paper it is broken. Straight edges are
found piece by piece (LSD: von Gioi and others, 2010). Two that meet square, in the plane of the card on top,
are a corner of the covered one: it has the same size.
"""

import math
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.align import moved
from companion.vision.locate import HALF_ROUND, QUARTER_ROUND, Pyramid, Quad, sane, whole_pixels
from companion.vision.residual import Floats

LEAST_SIDE, SIDE = 450, 900
"""Bounds in pixels of the longer side of the reduced picture in which edges are sought."""
WIDE = 120
"""Pixels across a card in that picture: the strips of a fan, a quarter of that, still have straight edges."""
SHORTEST, LONGEST = 0.12, 1.1
"""Least length of an edge, in card widths: letters have short ones; and the greatest, in card heights."""
SQUARE = 0.12
"""Cosine of an angle in the card's plane that is still a right one."""
GAP = 0.2
"""How far, in card widths, the end of an edge may be from the corner: corners are round, lines broken."""
OWN = 0.04
"""Edges nearer than this to the card on top, in its widths, are its own."""
MOST_EDGES, MOST = 80, 32
"""Most edges that are paired beside one card, and most guesses made of them, longest edges first."""
RIM = 2
"""Pixels from what is not looked at in which an edge is only the end of that."""
SAME = 0.05
"""Guesses no farther apart than this, in card widths, are one."""


class Edges:
    """The straight edges of one picture; no part of it is searched twice."""

    def __init__(self, frame: Pyramid) -> None:
        self._frame = frame
        self._grey: tuple[NDArray[np.uint8], float] | None = None
        self._found = np.zeros((0, 2, 2), np.float32)
        self._sought: NDArray[np.uint8] | None = None

    def near(self, known: Sequence[Quad], room: NDArray[np.uint8] | None = None) -> Floats:
        """(n, 2, 2): the ends of all that were found by now, in full-size pixels; none inside `known` cards.

        `room`: a small copy of the picture, 0 where none need be sought.
        """
        grey, scale = self._reduced(known)
        if room is None:
            room = np.ones(grey.shape, np.uint8)
        if self._sought is None:
            self._sought = np.zeros_like(room)
        left = np.where(self._sought > 0, np.uint8(0), room)
        self._sought |= left
        detector = cv2.createLineSegmentDetector(cv2.LSD_REFINE_STD)
        grow = np.array(grey.shape[::-1]) / room.shape[::-1]
        for first, top, last, bottom in _boxes(left):
            x, y = (np.array((first, top)) * grow).astype(int).tolist()
            part = grey[y : math.ceil(bottom * grow[1]), x : math.ceil(last * grow[0])].copy()
            size = part.shape[::-1]
            free = cv2.resize(left[top:bottom, first:last], size, interpolation=cv2.INTER_NEAREST)
            for quad in known:
                cv2.fillConvexPoly(free, whole_pixels(quad * scale - (x, y)), 0)
            # What is made plain costs the detector little; the edges of that are left out again.
            part[free == 0] = cv2.mean(part, free)[0]
            lines = detector.detect(part)[0]
            if lines is None:
                continue
            ends = np.asarray(lines, np.float32).reshape(-1, 2, 2)  # 4.x and 5 differ
            inside = cv2.erode(free, np.ones((2 * RIM + 1, 2 * RIM + 1), np.uint8))
            across, down = np.clip(ends.mean(axis=1).astype(int), 0, np.array(size) - 1).T
            ends = (ends[inside[down, across] > 0] + (x, y) + 0.5) / scale
            self._found = np.concatenate((self._found, ends.astype(np.float32)))
        return self._found

    def _reduced(self, known: Sequence[Quad]) -> tuple[NDArray[np.uint8], float]:
        """The grey picture in which edges are sought, and its scale: the larger the cards, the smaller."""
        if self._grey is None:
            across = min(float(np.linalg.norm(q[0] - q[1]) + np.linalg.norm(q[2] - q[3])) / 2 for q in known)
            longest = max(self._frame.levels[0].shape[:2])
            side = round(min(SIDE, max(LEAST_SIDE, longest * WIDE / max(across, 1.0))))
            picture, scale = self._frame.reduced(side)
            self._grey = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8), scale
        return self._grey


def _boxes(room: NDArray[np.uint8]) -> list[tuple[int, int, int, int]]:
    """(left, top, right, bottom) in a mask: what holds all that is not 0, no part of it twice."""
    lines, _ = cv2.findContours(room, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    left = [(x, y, x + w, y + h) for x, y, w, h in map(cv2.boundingRect, lines)]
    boxes: list[tuple[int, int, int, int]] = []
    while left:
        one = left.pop()
        met = [b for b in boxes if one[0] < b[2] and b[0] < one[2] and one[1] < b[3] and b[1] < one[3]]
        if met:
            boxes = [box for box in boxes if box not in met]
            first, last = zip(*((b[:2], b[2:]) for b in (one, *met)), strict=True)
            left.append((*np.min(first, axis=0).tolist(), *np.max(last, axis=0).tolist()))
        else:
            boxes.append(one)
    return boxes


def beside(edges: Floats, shape: Sequence[int], aspect: float, known: Sequence[Quad]) -> list[Quad]:
    """Where cards may be besides the `known` ones, and partly under them, in a picture of that shape.

    Each edge is seen in the plane of the card that is nearest to it.
    """
    if not known or not len(edges):
        return []
    card = np.array([[0, 0], [1, 0], [1, aspect], [0, aspect]], np.float32)
    middles = np.stack([quad.mean(axis=0) for quad in known])
    nearest = np.linalg.norm(edges.mean(axis=1)[:, None] - middles, axis=2).argmin(axis=1)
    found: list[Quad] = []
    for number, cover in enumerate(known):
        to_plane = cv2.getPerspectiveTransform(cover, card).astype(np.float64)
        back = np.asarray(np.linalg.inv(to_plane), np.float64)
        for place in _places(_free(edges[nearest == number], to_plane, aspect), aspect):
            quad = moved(place, back)
            if sane(quad, shape):
                found.append(quad)
    return found


def _free(edges: Floats, to_plane: NDArray[np.float64], aspect: float) -> Floats:
    """The edges near a card, in its plane, that are not its own print or rim; longest first, (n, 2, 2)."""
    ahead = np.column_stack((edges.reshape(-1, 2), np.ones(2 * len(edges)))) @ to_plane[2]
    near = np.asarray(edges[(ahead.reshape(-1, 2) > 0.1 * to_plane[2, 2]).all(axis=1)], np.float32)
    if not len(near):
        return np.zeros((0, 2, 2), np.float32)
    flat = np.asarray(moved(near.reshape(-1, 2), to_plane).reshape(-1, 2, 2), np.float32)
    lengths, middle = np.linalg.norm(flat[:, 1] - flat[:, 0], axis=1), flat.mean(axis=1)
    beyond = np.maximum(-middle, middle - (1, aspect)).max(axis=1)  # above 0 is outside the card
    usable = np.flatnonzero((beyond > OWN) & (lengths > SHORTEST) & (lengths < LONGEST * max(1.0, aspect)))
    return np.asarray(flat[usable[np.argsort(-lengths[usable])][:MOST_EDGES]], np.float32)


def _places(edges: Floats, aspect: float) -> list[Quad]:
    """Cards of which two edges are a corner, in the plane; most edge first, each once."""
    corners, seen = _corners(edges)
    place, first, second = (part[:, None, None] for part in corners[np.argsort(-seen)].transpose(1, 0, 2))
    # `first` turns to `second` clockwise (y down), so this goes round clockwise.
    upright, lying = (
        place + np.concatenate((0 * first, along, along + down, down), axis=2)
        for along, down in ((first, second * aspect), (first * aspect, second))
    )
    quads = np.concatenate((upright, lying[:, :, QUARTER_ROUND]), axis=1).reshape(-1, 4, 2)
    left = np.ones(len(quads), bool)
    kept: list[Quad] = []
    while left.any() and len(kept) < MOST:
        quad = quads[left.argmax()]
        kept.append(quad)
        off = np.abs(quads - np.stack((quad, quad[HALF_ROUND]))[:, None]).max(axis=(2, 3))
        left &= (off > SAME).all(axis=0)
    return kept


def _corners(edges: Floats) -> tuple[Floats, Floats]:
    """Of all pairs that meet square: (n, 3, 2) where, and the directions from there, clockwise; lengths."""
    one, other = np.triu_indices(len(edges), 1)
    along, across = (edges[at, 1] - edges[at, 0] for at in (one, other))
    lengths = np.hypot(*along.T), np.hypot(*across.T)
    square = np.abs((along * across).sum(axis=1)) < SQUARE * lengths[0] * lengths[1]
    one, other, along, across = one[square], other[square], along[square], across[square]
    longer = (lengths[0] >= lengths[1])[square]
    off = edges[other, 0] - edges[one, 0]
    share = _cross(off, across) / _cross(along, across)
    place = edges[one, 0] + along * share[:, None]
    ways, gaps = [], []
    for at in (one, other):
        ends = edges[at] - place[:, None]
        far = np.hypot(ends[..., 0], ends[..., 1])
        rows, last = np.arange(len(at)), far.argmax(axis=1)
        ways.append(ends[rows, last] / np.maximum(far[rows, last], 1e-6)[:, None])
        gaps.append(far.min(axis=1))
    # The longer edge gives the better direction.
    turn = np.sign(_cross(*ways))[:, None]
    best = np.where(longer[:, None], ways[0], ways[1])
    quarter = np.column_stack((-best[:, 1], best[:, 0]))
    first_is_best = longer[:, None] == (turn > 0)
    first = np.where(first_is_best, best, -quarter)
    second = np.where(first_is_best, quarter, best)
    met = np.maximum(*gaps) < GAP
    found = np.stack((place, first, second), axis=1)[met]
    return np.asarray(found, np.float32), np.asarray((lengths[0] + lengths[1])[square][met], np.float32)


def _cross(one: Floats, other: Floats) -> Floats:
    """Of n pairs of 2-vectors."""
    return np.asarray(one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0], np.float32)
