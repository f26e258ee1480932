"""What is computed about a picture once while it is being read: outlines, edges, lines."""

import math
from collections.abc import Callable, Sequence
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.alignment import project_points
from companion.vision.outline_reading import SearchRecord
from companion.vision.outlines import (
    HALF_TURN,
    QUARTER_TURN,
    Bgr,
    Contours,
    Pyramid,
    Quad,
    are_same_quads,
    is_plausible_card,
    to_drawable_pixels,
)
from companion.vision.paper_colour import PaperMap
from companion.vision.partial_cards import PartialCards
from companion.vision.photometric_error import Floats

MIN_SIDE, MAX_SIDE = 450, 900
"""Bounds in pixels of the longer side of the reduced picture in which edges are sought."""
CARD_WIDTH = 120
"""Pixels across a card in that picture: the strips of a fan, a quarter of that, still have straight edges."""
FINE_SCALE, ROUGH_SCALE, ROUGH_AREA_SHARE = 0.8, 0.6, 0.4
"""The part of its size to which LSD reduces what it looks at: the first is usual, the second takes two
thirds of the time and misses more strips of a fan. That is for pictures of which more than the third number
is looked at: on a table as pale as paper edges are sought everywhere.
"""
MIN_EDGE_LENGTH, MAX_EDGE_LENGTH = 0.12, 1.1
"""Least length of an edge, in card widths: letters have short ones; and the greatest, in card heights."""
MAX_CORNER_COSINE = 0.12
"""Cosine of an angle in the card's plane that is still a right one."""
MAX_CORNER_GAP = 0.2
"""How far, in card widths, the end of an edge may be from the corner: corners are round, lines broken."""
OWN_EDGE_DISTANCE = 0.04
"""Edges nearer than this to the card on top, in its widths, are its own."""
MAX_EDGES, MAX_OUTLINES = 80, 32
"""Most edges that are paired beside one card, and most guesses made of them, longest edges first."""
MASK_RIM = 2
"""Pixels from what is not looked at in which an edge is only the end of that."""
SAME_OUTLINE_DISTANCE = 0.05
"""Guesses no farther apart than this, in card widths, are one."""


class StraightEdges:
    """The straight edges of one picture; no part of it is searched twice."""

    def __init__(self, frame: Pyramid) -> None:
        self._frame = frame
        self._grey: tuple[NDArray[np.uint8], float] | None = None
        self._found = np.zeros((0, 2, 2), np.float32)
        self._sought: NDArray[np.uint8] | None = None

    def find_edges(self, known: Sequence[Quad], room: NDArray[np.uint8] | None = None) -> Floats:
        """(n, 2, 2): the ends of all that were found by now, in full-size pixels; none inside `known` cards.

        `room`: a small copy of the picture, 0 where none need be sought.
        """
        grey, scale = self._reduced_grey(known)
        if room is None:
            room = np.ones(grey.shape, np.uint8)
        if self._sought is None:
            self._sought = np.zeros_like(room)
        left = np.where(self._sought > 0, np.uint8(0), room)
        self._sought |= left
        smaller = FINE_SCALE if left.mean() < ROUGH_AREA_SHARE else ROUGH_SCALE
        detector = cv2.createLineSegmentDetector(cv2.LSD_REFINE_STD, smaller)
        grow = np.array(grey.shape[::-1]) / room.shape[::-1]
        for first, top, last, bottom in _boxes(left):
            x, y = (np.array((first, top)) * grow).astype(int).tolist()
            part = grey[y : math.ceil(bottom * grow[1]), x : math.ceil(last * grow[0])].copy()
            size = part.shape[::-1]
            free = cv2.resize(left[top:bottom, first:last], size, interpolation=cv2.INTER_NEAREST)
            for quad in known:
                cv2.fillConvexPoly(free, to_drawable_pixels(quad * scale - (x, y)), 0)
            # What is made plain costs the detector little; the edges of that are left out again.
            part[free == 0] = cv2.mean(part, free)[0]
            lines = detector.detect(part)[0]
            if lines is None:
                continue
            ends = np.asarray(lines, np.float32).reshape(-1, 2, 2)  # 4.x and 5 differ
            inside = cv2.erode(free, np.ones((2 * MASK_RIM + 1, 2 * MASK_RIM + 1), np.uint8))
            across, down = np.clip(ends.mean(axis=1).astype(int), 0, np.array(size) - 1).T
            ends = (ends[inside[down, across] > 0] + (x, y) + 0.5) / scale
            self._found = np.concatenate((self._found, ends.astype(np.float32)))
        return self._found

    def _reduced_grey(self, known: Sequence[Quad]) -> tuple[NDArray[np.uint8], float]:
        """The grey picture in which edges are sought, and its scale: the larger the cards, the smaller."""
        if self._grey is None:
            across = min(float(np.linalg.norm(q[0] - q[1]) + np.linalg.norm(q[2] - q[3])) / 2 for q in known)
            longest = max(self._frame.levels[0].shape[:2])
            side = round(min(MAX_SIDE, max(MIN_SIDE, longest * CARD_WIDTH / max(across, 1.0))))
            picture, scale = self._frame.reduce_to(side)
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


def outlines_from_edges(
    edges: Floats, shape: Sequence[int], aspect: float, known: Sequence[Quad]
) -> list[Quad]:
    """Where cards may be besides the `known` ones, and partly under them, in a picture of that shape.

    Each edge is seen in the plane of the card that is nearest to it.
    """
    if not known or not len(edges):
        return []
    card = np.array([[0, 0], [1, 0], [1, aspect], [0, aspect]], np.float32)
    middles = np.stack([quad.mean(axis=0) for quad in known])
    nearest = np.linalg.norm(edges.mean(axis=1)[:, None] - middles, axis=2).argmin(axis=1)
    planes: list[NDArray[np.float64]] = []
    free: list[Floats] = []
    for number in np.unique(nearest):
        to_plane = cv2.getPerspectiveTransform(known[number], card).astype(np.float64)
        near = _edges_off_card(edges[nearest == number], to_plane, aspect)
        if len(near) > 1:
            planes.append(to_plane)
            free.append(near)
    if not free:
        return []
    corners, plane = _edge_corners(free)
    found: list[Quad] = []
    for number in np.unique(plane):
        places = np.stack(_cards_at_corners(corners[plane == number], aspect)).reshape(-1, 2)
        back = np.asarray(np.linalg.inv(planes[number]), np.float64)
        found += [
            quad for quad in project_points(places, back).reshape(-1, 4, 2) if is_plausible_card(quad, shape)
        ]
    return found


def _edges_off_card(edges: Floats, to_plane: NDArray[np.float64], aspect: float) -> Floats:
    """The edges near a card, in its plane, that are not its own print or rim; longest first, (n, 2, 2)."""
    ahead = np.column_stack((edges.reshape(-1, 2), np.ones(2 * len(edges)))) @ to_plane[2]
    near = np.asarray(edges[(ahead.reshape(-1, 2) > 0.1 * to_plane[2, 2]).all(axis=1)], np.float32)
    if not len(near):
        return np.zeros((0, 2, 2), np.float32)
    flat = np.asarray(project_points(near.reshape(-1, 2), to_plane).reshape(-1, 2, 2), np.float32)
    lengths, middle = np.linalg.norm(flat[:, 1] - flat[:, 0], axis=1), flat.mean(axis=1)
    beyond = np.maximum(-middle, middle - (1, aspect)).max(axis=1)  # above 0 is outside the card
    usable = np.flatnonzero(
        (beyond > OWN_EDGE_DISTANCE)
        & (lengths > MIN_EDGE_LENGTH)
        & (lengths < MAX_EDGE_LENGTH * max(1.0, aspect))
    )
    return np.asarray(flat[usable[np.argsort(-lengths[usable])][:MAX_EDGES]], np.float32)


def _cards_at_corners(corners: Floats, aspect: float) -> list[Quad]:
    """Cards of one plane of which these, (n, 3, 2) as `_corners` has them, are a corner; each once."""
    place, first, second = (part[:, None, None] for part in corners.transpose(1, 0, 2))
    # `first` turns to `second` clockwise (y down), so this goes round clockwise.
    upright, lying = (
        place + np.concatenate((0 * first, along, along + down, down), axis=2)
        for along, down in ((first, second * aspect), (first * aspect, second))
    )
    quads = np.concatenate((upright, lying[:, :, QUARTER_TURN]), axis=1).reshape(-1, 4, 2)
    either_way = np.stack((quads, quads[:, HALF_TURN])).transpose(2, 3, 0, 1).reshape(8, 2, -1).copy()
    left = np.ones(len(quads), bool)
    kept: list[Quad] = []
    while left.any() and len(kept) < MAX_OUTLINES:
        at = left.argmax()
        kept.append(quads[at])
        off = np.abs(either_way - either_way[:, :1, at, None]).max(axis=0)
        left &= (off > SAME_OUTLINE_DISTANCE).all(axis=0)
    return kept


def _edge_corners(planes: Sequence[Floats]) -> tuple[Floats, NDArray[np.int_]]:
    """Where two edges of one of the planes meet square: most edge first, plane by plane.

    (n, 3, 2): where, and the directions from there, clockwise; and (n,) which of the planes.
    """
    many = [len(edges) for edges in planes]
    pairs = [
        np.stack(np.triu_indices(n, 1)) + first for n, first in zip(many, np.cumsum(many) - many, strict=True)
    ]
    edges, (one, other) = np.concatenate(planes), np.concatenate(pairs, axis=1)
    plane = np.repeat(np.arange(len(planes)), many)
    whole = edges[:, 1] - edges[:, 0]
    length = np.hypot(*whole.T)
    square = np.abs((whole[one] * whole[other]).sum(axis=1)) < MAX_CORNER_COSINE * length[one] * length[other]
    one, other = one[square], other[square]
    off = edges[other, 0] - edges[one, 0]
    share = _cross_products(off, whole[other]) / _cross_products(whole[one], whole[other])
    place = edges[one, 0] + whole[one] * share[:, None]
    far = np.stack([np.hypot(*(edges[at] - place[:, None]).transpose(2, 0, 1)) for at in (one, other)])
    met = np.maximum(*far.min(axis=2)) < MAX_CORNER_GAP
    one, other, place, far = one[met], other[met], place[met], far[:, met]
    rows = np.arange(len(place))
    ways = [
        (edges[at, end] - place) / np.maximum(away[rows, end], 1e-6)[:, None]
        for at, away, end in zip((one, other), far, far.argmax(axis=2), strict=True)
    ]
    # The longer edge gives the better direction.
    longer = length[one] >= length[other]
    turn = np.sign(_cross_products(*ways)) > 0
    best = np.where(longer[:, None], *ways)
    quarter = np.column_stack((-best[:, 1], best[:, 0]))
    is_first = (longer == turn)[:, None]
    found = np.stack((place, np.where(is_first, best, -quarter), np.where(is_first, quarter, best)), axis=1)
    order = np.lexsort((-(length[one] + length[other]), plane[one]))
    return np.asarray(found, np.float32)[order], plane[one][order]


def _cross_products(one: Floats, other: Floats) -> Floats:
    """Of n pairs of 2-vectors."""
    return np.asarray(one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0], np.float32)


MIN_SHOWN_PAPER = 0.25
"""Least part of what shows of a card that is paper, where a deck's cards are mostly paper."""


class PictureAnalysis:
    """A picture that is read; each of its parts is made when it is asked for first."""

    def __init__(self, frame: Bgr, *, of_paper: bool) -> None:
        """`of_paper`: are the deck's cards mostly paper, which shows wherever they show?"""
        self.pyramid = Pyramid(frame)
        self.record = SearchRecord()
        self.excluded: list[Callable[[Quad], bool]] = []
        """Each says of a place whether something shows there that no covered card of the deck has."""
        self._parts: PartialCards | None = None
        self._edges = StraightEdges(self.pyramid)
        self._beside: tuple[list[Quad], list[Quad]] | None = None
        self._paper = PaperMap(self.pyramid) if of_paper else None

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows, columns and channels of the picture."""
        return self.pyramid.levels[0].shape

    @cached_property
    def contours(self) -> Contours:
        return Contours.of(self.pyramid)

    def partial_cards(self, aspect: float) -> PartialCards:
        """What its lines say of cards that are that many times as high as wide."""
        if self._parts is None:
            self._parts = PartialCards(self.contours, aspect)
        return self._parts

    def outlines_from_edges(self, aspect: float, known: Sequence[Quad], above: Sequence[Quad]) -> list[Quad]:
        """As the function of that name has it: outlines (4, 2) in pixels; the last answer is kept.

        `above`: all cards that were seen.
        """
        if not known:
            return []
        if self._beside is None or not are_same_quads(self._beside[0], known):
            edges = self._edges.find_edges(known, self.possible_card_area(above))
            self._beside = list(known), outlines_from_edges(edges, self.shape, aspect, known)
        return self._beside[1]

    def may_hold_more(self, known: Sequence[Quad]) -> bool:
        """May there be a card besides the known ones?"""
        return self._paper is None or self._paper.has_unexplained_paper(known)

    def likely_card_places(self, places: Sequence[Quad], known: Sequence[Quad]) -> list[int]:
        """Which of the places may be cards, by the paper of what the known cards leave of them."""
        if self._paper is None:
            return list(range(len(places)))
        return [int(at) for at in np.flatnonzero(self._paper.paper_shares(places, known) >= MIN_SHOWN_PAPER)]

    def possible_card_area(self, known: Sequence[Quad]) -> NDArray[np.uint8] | None:
        """Where cards may be besides the known ones: 0 or 1, (height, width), reduced; None: anywhere."""
        return None if self._paper is None else self._paper.unexplained_area(known)
