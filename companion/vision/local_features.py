"""Finds cards by SIFT features, on decks whose faces are full of detail.

SIFT (Lowe, "Distinctive image features from scale-invariant keypoints", 2004) on what no known card explains.
A feature that two cards share (a frame, a symbol) says nothing: the next best match must belong to another
card and be clearly worse. What is proposed here is judged by `read` like any other outline.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.alignment import project_points
from companion.vision.outlines import (
    MIN_CARD_SHARE,
    Bgr,
    Pyramid,
    Quad,
    is_plausible_card,
    to_drawable_pixels,
)
from companion.vision.photometric_error import Floats

SEARCH_SIDE = 640
"""Longer side in pixels of the picture in which features are sought."""
MAX_PER_FACE, MAX_PER_PICTURE, MAX_PER_HINT = 400, 2000, 400
"""Most features of a face, of a picture, and of a small one that only hints, strongest first."""
DESCRIPTOR_LENGTH = 128
"""Numbers that describe one feature."""
MIN_FACE_FEATURES, SAMPLED_FACES = 120, 8
"""Features of a middling face from which a deck is worth it, and about how many faces are asked."""
LOWE_RATIO = 0.8
"""A match must be this much nearer than the next of another card (Lowe's ratio)."""
NEIGHBOUR_COUNT = 4
"""Known features with which one of the picture is compared."""
HINT_SIDE, HINT_WIDTH, MIN_HINT_MATCHES, HINT_AREA_SCALE = 400, 28, 4, 1.5
"""The same of a picture that only says where features are worth looking for, or more, so that a card is at
least so wide in it; matches that hint at a face, of which one may be astray; and how much larger than the
card the place is that is looked at.
"""
MIN_AGREEING_FEATURES = 8
"""Fewest features that must agree on where a card is."""
FEATURE_REACH, FEATURE_RIM = 0.16, 0.05
"""Features nearer to one another than twice the reach show all between them; and what shows round each."""
MIN_CELL_SPREAD, CELL_SIDE = 14.0, 12
"""Spread of the grey levels in a cell, and its side in pixels, from which there is detail in it."""
DENSE_DETAIL_SLOPE, STRONG_CONTRAST = 28.0, 0.12
"""Mean change of slope from which a picture is full of detail, and the contrast of its strongest features."""
MIN_SHOWN_SHARE = 0.1
"""Part of a card that must show for its features to be looked for."""
MALLOC_BLOCK = 31 * 2**20
"""Bytes of a block by which glibc learns that much is wanted often; from 32 MiB on it learns nothing."""
MAX_FEATURE_ERROR = 4.0
"""How far, in pixels, a feature may be from where the others say."""


@dataclass(frozen=True, slots=True, eq=False)
class FeatureMatch:
    """A card where its features say that it is."""

    face: int
    quad: Quad
    """From the card's own top-left, clockwise, in full-size pixels."""
    piece: NDArray[np.float32]
    """(n, 2) full-size pixels: the features that agree."""
    votes: int

    def area_between_features(self, quad: Quad, size: tuple[int, int]) -> Floats:
        """All between its features: (height, width) of 0 or 1 for corners and a size."""
        width, height = size
        mask = np.zeros((height, width), np.float32)
        cv2.fillConvexPoly(mask, cv2.convexHull(self._feature_pixels(quad, size)), 1.0)
        near = 2 * max(1, width // 48) + 1
        return np.asarray(cv2.dilate(mask, np.ones((near, near), np.uint8)), np.float32)

    def area_near_features(self, quad: Quad, size: tuple[int, int]) -> Floats:
        """Only what is close to its features, as where something covers the rest: as `within`."""
        width, height = size
        pad = round(FEATURE_REACH * width) + 1
        mask = np.zeros((height + 2 * pad, width + 2 * pad), np.uint8)
        at = np.clip(self._feature_pixels(quad, size), 0, (width - 1, height - 1)) + pad
        mask[at[:, 1], at[:, 0]] = 1
        for change, share in ((cv2.dilate, FEATURE_REACH), (cv2.erode, FEATURE_REACH - FEATURE_RIM)):
            side = 2 * round(share * width) + 1
            disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side))
            mask = np.asarray(change(mask, disc), np.uint8)
        return np.asarray(mask[pad:-pad, pad:-pad], np.float32)

    def _feature_pixels(self, quad: Quad, size: tuple[int, int]) -> NDArray[np.int32]:
        """The features in pixels of the flattened card."""
        width, height = size
        target = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - np.float32(0.5)
        flat = cv2.getPerspectiveTransform(quad, target).astype(np.float64)
        return to_drawable_pixels(project_points(self.piece, flat))


@dataclass(frozen=True, slots=True, eq=False)
class FaceFeatures:
    """The local features of all faces of a deck, face by face."""

    usable: bool
    """Have the faces enough of them? If not, none are kept."""
    points: tuple[NDArray[np.float32], ...]
    """Of each face (n, 2): where they are, in pixels of its picture."""
    described: NDArray[np.uint8]
    """(all, `DESCRIPTOR_LENGTH`): what they look like."""

    @classmethod
    def detect(cls, pictures: Sequence[Bgr], told: Callable[[float], None]) -> FaceFeatures:
        """SIFT features (Lowe, 2004) of faces, (height, width, 3) each; none where faces have too few.

        `told` is called with the fraction done, 0 to 1.
        """
        detector = cv2.SIFT.create(MAX_PER_FACE)
        some = pictures[:: max(1, len(pictures) // SAMPLED_FACES)]
        none = np.zeros((0, DESCRIPTOR_LENGTH), np.uint8)
        if np.median([len(detector.detect(p, None)) for p in some]) < MIN_FACE_FEATURES:
            return cls(usable=False, points=(), described=none)
        points, described = [], [none]
        for number, picture in enumerate(pictures):
            grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
            found, looks = detector.detectAndCompute(grey, None)
            points.append(np.array([k.pt for k in found], np.float32).reshape(-1, 2))
            if len(found):
                described.append(np.asarray(looks).astype(np.uint8))  # whole numbers up to 255
            told((number + 1) / len(pictures))
        return cls(usable=True, points=tuple(points), described=np.concatenate(described))


class FeatureSearch:
    """The local features of all faces of a deck, ready to be found in a picture."""

    def __init__(self, local: FaceFeatures, sizes: Sequence[tuple[int, int]], cards: Sequence[str]) -> None:
        """`sizes`: of each face its picture's width and height."""
        self._detectors = {
            MIN_HINT_MATCHES: cv2.SIFT.create(MAX_PER_HINT),
            MIN_AGREEING_FEATURES: cv2.SIFT.create(MAX_PER_PICTURE),
        }
        """By how many features must agree."""
        self._strong = cv2.SIFT.create(MAX_PER_HINT, contrastThreshold=STRONG_CONTRAST)
        self._local, self._sizes = local, sizes
        self.usable = local.usable
        if self.usable:
            # A search takes and frees tens of megabytes, which glibc gives back to the kernel: to have their
            # pages cleared for the next one took a quarter of its time. Once a block of this size was freed,
            # glibc keeps twice as much for itself (mallopt(3), M_MMAP_THRESHOLD).
            np.empty(MALLOC_BLOCK, np.uint8)
        counts = [len(points) for points in local.points]
        self._face = np.repeat(np.arange(len(counts)), counts)
        self._number = np.concatenate([np.arange(n) for n in counts] or [np.zeros(0, np.int64)])
        self._card = np.unique(cards, return_inverse=True)[1][self._face]

    @cached_property
    def _index(self) -> cv2.flann.Index:
        """Made when a whole picture is searched for the first time: a place is read without it."""
        self._described = self._local.described.astype(np.float32)  # the index reads them where they are
        cv2.setRNGSeed(2)  # the trees branch by chance: the same deck must always give the same answers
        return cv2.flann.Index(self._described, {"algorithm": 1, "trees": 2})

    def find_cards(
        self, frame: Pyramid, known: Sequence[Quad], room: NDArray[np.uint8] | None = None
    ) -> list[FeatureMatch]:
        """Cards outside the `known` ones, most features first.

        `room`: a small copy of the picture, 0 where no card can be. `known`: corners, (4, 2) each in pixels
        of the full picture.
        """
        # A small picture says where a look is worth it: features take time by the pixel.
        hints = [
            q
            for q, *_ in self._find_agreeing(
                frame, _hint_side(frame, known), known, room, MIN_HINT_MATCHES
            ).values()
        ]
        if not hints:
            return []
        near = np.zeros((SEARCH_SIDE // CELL_SIDE, SEARCH_SIDE // CELL_SIDE), np.uint8)
        shrink = np.array(near.shape[::-1], np.float32) / np.array(frame.levels[0].shape[1::-1], np.float32)
        for quad in hints:
            middle = quad.mean(axis=0)
            cv2.fillConvexPoly(
                near, to_drawable_pixels((middle + (quad - middle) * HINT_AREA_SCALE) * shrink), 1
            )
        found = self._find_agreeing(frame, SEARCH_SIDE, known, near, MIN_AGREEING_FEATURES)
        placed = [FeatureMatch(face, quad, piece, len(piece)) for face, (quad, piece) in found.items()]
        return sorted(placed, key=lambda p: -p.votes)

    def _find_agreeing(
        self,
        frame: Pyramid,
        side: int,
        known: Sequence[Quad],
        room: NDArray[np.uint8] | None,
        fewest: int,
    ) -> dict[int, tuple[Quad, NDArray[np.float32]]]:
        """For each face of which so many features agree: its corners and they, in full-size pixels."""
        picture, scale = frame.reduce_to(side)
        grey = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8)
        points, looks = [np.zeros((0, 2), np.float32)], [np.zeros((0, DESCRIPTOR_LENGTH), np.float32)]
        cells = _detail_mask(grey, [quad * scale for quad in known], room)
        for (x, y), mask in _crop_parts(cells, grey.shape):
            found, described = self._detect_features(grey[y:, x:][: len(mask), : mask.shape[1]], mask, fewest)
            points.append(found + np.array((x, y), np.float32))
            looks.append(described)
        at = np.concatenate(points)
        if len(at) < fewest:
            return {}
        agreeing = {}
        for face, pairs in self._count_votes(np.concatenate(looks), fewest).items():
            here = self._fit_place(face, pairs, at, fewest)
            if here is None:
                continue
            quad, piece = (((points + 0.5) / scale).astype(np.float32) for points in here)
            if is_plausible_card(quad, frame.levels[0].shape):
                agreeing[face] = quad, piece
        return agreeing

    def _detect_features(
        self, part: NDArray[np.uint8], mask: NDArray[np.uint8], fewest: int
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Those of a part's strongest that are in the mask: where (n, 2), and what they look like."""
        if (
            fewest == MIN_HINT_MATCHES
            and cv2.norm(cv2.Laplacian(part, cv2.CV_16S), cv2.NORM_L1) > DENSE_DETAIL_SLOPE * part.size
        ):
            at, described = _to_arrays(*self._strong.detectAndCompute(part, None))
            if len(at) >= MAX_PER_HINT:  # else weaker ones are among the strongest
                x, y = (at + np.float32(0.5)).astype(int).T
                return at[mask[y, x] > 0], described[mask[y, x] > 0]
        return _to_arrays(*self._detectors[fewest].detectAndCompute(part, mask))

    def _count_votes(self, described: NDArray[np.float32], fewest: int) -> dict[int, NDArray[np.int64]]:
        """For each face (its feature, the picture's) of distinct matches, (n, 2), if they are enough."""
        nearest, squares = self._index.knnSearch(described, NEIGHBOUR_COUNT, params={"checks": 32})
        others = self._card[nearest] != self._card[nearest[:, :1]]
        # Where all four are of one card, the next of another card is at least as far as the fourth.
        others[:, -1] = True
        away = np.sqrt(squares)
        distinct = away[:, 0] < LOWE_RATIO * away[np.arange(len(away)), others.argmax(axis=1)]
        seen, best = np.flatnonzero(distinct), nearest[distinct, 0]
        both, whose = np.column_stack((self._number[best], seen)), self._face[best]
        faces, counts = np.unique(whose, return_counts=True)
        return {int(face): both[whose == face] for face in faces[counts >= fewest]}

    def _fit_place(
        self, face: int, pairs: NDArray[np.int64], at: NDArray[np.float32], fewest: int
    ) -> tuple[Quad, NDArray[np.float32]] | None:
        """What most pairs agree on: corners and features in pixels of the reduced picture."""
        known, seen = self._local.points[face][pairs[:, 0]], at[pairs[:, 1]]
        if fewest < MIN_AGREEING_FEATURES:  # so few say how large it is and how it is turned, and no more
            flat, agree = cv2.estimateAffinePartial2D(known, seen, ransacReprojThreshold=MAX_FEATURE_ERROR)
            flat = None if flat is None else np.vstack((flat, (0, 0, 1)))
            fewest -= 1
        else:
            flat, agree = cv2.findHomography(known, seen, cv2.RANSAC, MAX_FEATURE_ERROR, maxIters=1000)
        if flat is None or int(agree.sum()) < fewest:
            return None
        width, height = self._sizes[face]
        corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - np.float32(0.5)
        quad = cv2.perspectiveTransform(corners[:, None], flat)[:, 0]
        return quad.astype(np.float32), seen[agree.ravel() > 0].astype(np.float32)


def _to_arrays(
    found: Sequence[cv2.KeyPoint], described: cv2.typing.MatLike | None
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Features as OpenCV gives them: where they are (n, 2), and what they look like (n,
    `DESCRIPTOR_LENGTH`).
    """
    if described is None:
        return np.zeros((0, 2), np.float32), np.zeros((0, DESCRIPTOR_LENGTH), np.float32)
    return np.asarray(cv2.KeyPoint.convert(found), np.float32), np.asarray(described, np.float32)


def _hint_side(frame: Pyramid, known: Sequence[Quad]) -> int:
    """The longer side of the picture that hints, in pixels: the `known` cards say how small cards are."""
    if not known:
        return HINT_SIDE
    narrow = np.median([min(np.linalg.norm(quad - np.roll(quad, 1, axis=0), axis=1)) for quad in known])
    return int(np.clip(HINT_WIDTH * max(frame.levels[0].shape[:2]) / narrow, HINT_SIDE, SEARCH_SIDE))


def _detail_mask(
    grey: NDArray[np.uint8], known: Sequence[Quad], room: NDArray[np.uint8] | None
) -> NDArray[np.uint8]:
    """Cells of a picture, 0 or 1: detail that no known card explains, in patches large enough for a card."""
    plane = grey.astype(np.float32)
    mean, square = (
        cv2.boxFilter(p, -1, (CELL_SIDE, CELL_SIDE))[::CELL_SIDE, ::CELL_SIDE] for p in (plane, plane * plane)
    )
    busy = (square - mean * mean > MIN_CELL_SPREAD * MIN_CELL_SPREAD).astype(np.uint8)
    if room is not None:
        busy &= cv2.resize(room, busy.shape[::-1], interpolation=cv2.INTER_AREA) > 0
    for quad in known:
        middle = quad.mean(axis=0)
        grown = (middle + (quad - middle) * 1.1) / CELL_SIDE
        cv2.fillConvexPoly(busy, to_drawable_pixels(grown), 0)
    busy = np.asarray(cv2.morphologyEx(busy, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8)), np.uint8)
    count, labels, about, _ = cv2.connectedComponentsWithStats(busy)
    # Beside cards of known size only what is large enough to be a part of one.
    sizes = [cv2.contourArea(quad) / CELL_SIDE**2 for quad in known]
    least = max(2.0, MIN_CARD_SHARE * busy.size, MIN_SHOWN_SHARE * min(sizes, default=0.0))
    large = np.array([n > 0 and about[n, cv2.CC_STAT_AREA] > least for n in range(count)])
    return np.asarray(cv2.dilate(large[labels].astype(np.uint8), np.ones((3, 3), np.uint8)), np.uint8)


def _crop_parts(
    cells: NDArray[np.uint8], shape: tuple[int, ...]
) -> list[tuple[tuple[int, int], NDArray[np.uint8]]]:
    """Parts of a picture of that shape in which these cells are: where each begins (x, y), and its mask.

    One that holds them all, or one round each patch with a rim where those are less to look at.
    """
    count, patches, about, _ = cv2.connectedComponentsWithStats(cells, ltype=cv2.CV_16U)
    if count == 1:
        return []
    numbers = np.asarray(cv2.resize(patches, shape[::-1], interpolation=cv2.INTER_NEAREST), np.uint16)
    mask = (numbers > 0).view(np.uint8)
    x, y, width, height = cv2.boundingRect(mask)
    ends = np.stack((about[1:, :2], about[1:, :2] + about[1:, 2:4]), axis=1)
    ends = ends * np.divide(shape[::-1], cells.shape[::-1]) + ((-CELL_SIDE,), (CELL_SIDE,))
    boxes = np.clip(ends, (x, y), (x + width, y + height)).astype(int)
    if (boxes[:, 1] - boxes[:, 0]).prod(axis=1).sum() >= width * height:
        return [((x, y), mask[y : y + height, x : x + width])]
    return [
        ((left, top), (numbers[top:bottom, left:right] == number).view(np.uint8))
        for number, ((left, top), (right, bottom)) in enumerate(boxes.tolist(), 1)
    ]
