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
from companion.vision.locate import HALF_ROUND, QUARTER_ROUND, Pyramid, Quad, sane
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
MOST_MERGES = 6
"""How often boxes that meet are made one."""
SAME = 0.05
"""Guesses no farther apart than this, in card widths, are one."""


def straight_edges(frame: Pyramid, known: Sequence[Quad], room: NDArray[np.uint8] | None = None) -> Floats:
    """(n, 2, 2): the ends of all straight edges in the picture, in full-size pixels.

    The larger the `known` cards are, the smaller is the picture in which they are sought. `room`: a small
    copy of the picture, 0 where none need be sought.
    """
    across = min(float(np.linalg.norm(q[0] - q[1]) + np.linalg.norm(q[2] - q[3])) / 2 for q in known)
    longest = max(frame.levels[0].shape[:2])
    picture, scale = frame.reduced(round(min(SIDE, max(LEAST_SIDE, longest * WIDE / max(across, 1.0)))))
    grey = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8)
    detector = cv2.createLineSegmentDetector(cv2.LSD_REFINE_STD)
    found = [np.zeros((0, 2, 2), np.float32)]
    for left, top, right, bottom in _boxes(room, grey.shape):
        lines = detector.detect(grey[top:bottom, left:right])[0]
        if lines is not None:
            ends = np.asarray(lines, np.float32).reshape(-1, 2, 2)  # 4.x and 5 differ
            found.append(ends + np.array((left, top), np.float32))
    return np.asarray((np.concatenate(found) + 0.5) / scale, np.float32)


def _boxes(room: NDArray[np.uint8] | None, shape: Sequence[int]) -> list[tuple[int, int, int, int]]:
    """(left, top, right, bottom) in a picture of that shape: what holds the room, no part of it twice."""
    rows, columns = shape[:2]
    if room is None:
        return [(0, 0, columns, rows)]
    boxes: list[tuple[int, int, int, int]] = []
    for _ in range(MOST_MERGES):
        _, _, about, _ = cv2.connectedComponentsWithStats(room)
        before, boxes = boxes, [(x, y, x + w, y + h) for x, y, w, h, _ in about[1:].tolist()]
        if boxes == before:
            break
        room = np.zeros_like(room)
        for left, top, right, bottom in boxes:
            room[top:bottom, left:right] = 1
    across, down = columns / room.shape[1], rows / room.shape[0]
    return [
        (int(left * across), int(top * down), math.ceil(right * across), math.ceil(bottom * down))
        for left, top, right, bottom in boxes
    ]


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
    kept = np.zeros((0, 4, 2), np.float32)
    for place, first, second in corners[np.argsort(-seen)]:
        for width, height in ((1.0, aspect), (aspect, 1.0)):
            # `first` turns to `second` clockwise (y down), so this goes round clockwise.
            along, down = first * width, second * height
            quad = place + np.stack((0 * first, along, along + down, down))
            quad = quad if width < height else quad[QUARTER_ROUND]
            off = np.abs(np.stack((quad, quad[HALF_ROUND]))[:, None] - kept)
            if (off.max(axis=(2, 3)) > SAME).all():
                kept = np.concatenate((kept, quad[None]))
        if len(kept) >= MOST:
            break
    return list(kept)


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
