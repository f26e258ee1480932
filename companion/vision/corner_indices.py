"""Reads the corner indices, such as rank with suit, that tell the cards of many decks apart.

Playing cards carry an index there so that a fan can be read; of a covered card it is often all that shows.
Whether a deck has indices is found out from its pictures: its corners must tell its cards apart. The index
says which card it may be, and refuses one that carries another; what else shows of the card must fit as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.comparison import DETAIL_WIDTH, FaceMatch
from companion.vision.outlines import HALF_TURN, Bgr, Pyramid, Quad
from companion.vision.photometric_error import Floats, resize_by_area

INDEX_OFFSET, INDEX_WIDTH, INDEX_HEIGHT = 0.03, 0.20, 0.30
"""Where an index is: how far from both edges it begins, its width and its height, in card widths.

Larger parts hold print that strangers share, smaller ones less to tell cards by (of 0.17 to 0.24 by 0.27 to
0.36 this took fewest strangers on photographed playing cards and Skat).
"""
COARSE_WIDTH, COARSE_REACH, FINE_REACH = DETAIL_WIDTH // 2, 0.0625, 0.03125
"""Width in pixels for a first look; how far an index may be off its place then and later, in card widths."""
MIN_LEVEL_SPREAD = 12.0
"""Spread of the levels of a corner below which there is nothing in it."""
MIN_PAPER_SHARE, PAPER_TOLERANCE = 0.57, 15.0
"""Part of the corner that paper fills in half a deck's cards, ink the rest; levels by which paper differs.

Measured: poker 0.73, Skat 0.59; hanafuda, which have none, 0.56; trading cards, whose corners hold frame and
picture, at most 0.44.
"""
MAX_OTHER_LIKENESS = 0.94
"""Correlation with the most alike other card that half of a deck's corners must stay below.

Measured: Skat 0.81, poker 0.88, hand-drawn playing cards whose corners hold nothing but their rim 0.99.
"""
MIN_VISIBLE_INDEX = 0.8
"""Part of an index that must be seen for it to be read."""
MIN_READABLE_LIKENESS = 0.90
"""Correlation with the best card's index below which something may be on it."""
MAX_ALLOWED_AMBIGUITY = 0.5
"""`CornerIndexReading.ambiguity` up to which an index that can be read bears out a card that fits by other
parts.
"""
INDEX_COUNT = 2
"""A card carries its index top left and, turned, bottom right."""


@dataclass(frozen=True, slots=True, eq=False)
class CornerIndexReading:
    """What the indices that show in an outline say."""

    alike: Floats
    """For each face: correlation with its index, at most 1."""
    face: int
    """The face whose index is most alike."""
    second: float
    """The correlation of the best other card; that of `face` is the best of all."""

    @property
    def best_likeness(self) -> float:
        """The highest correlation of all faces' indices, -1 to 1."""
        return float(self.alike[self.face])

    @property
    def ambiguity(self) -> float:
        """What the best one leaves unexplained, as a part of what the next card leaves: 0 is certain."""
        return (1 - self.best_likeness) / max(1 - self.second, 1e-6)


class CornerIndices:
    """The indices of a deck's faces."""

    def __init__(self, pictures: Sequence[Bgr], cards: Sequence[str]) -> None:
        """`pictures` are upright, all of one size and `comparison.DETAIL_WIDTH` wide; picture n shows
        `cards[n]`.
        """
        self._pictures = pictures
        self._cards = np.unique(cards, return_inverse=True)[1]
        self._fine = _Corners(pictures)
        self.usable = self._fine.are_distinctive(pictures, self._cards)
        """Do the corners of half the cards differ from those of all others?"""

    @cached_property
    def _coarse(self) -> _Corners:
        height, width, _ = self._pictures[0].shape
        size = COARSE_WIDTH, height * COARSE_WIDTH // width
        return _Corners([np.asarray(resize_by_area(p, size), np.uint8) for p in self._pictures])

    def read(
        self, frame: Pyramid, quad: Quad, visible: Callable[[Quad, tuple[int, int]], Floats]
    ) -> CornerIndexReading | None:
        """What the indices that are `visible` of a card say whose top left is the quad's first corner.

        The outline is exact. None if none shows.
        """
        scale = self._fine
        (alike,) = scale.read(frame, quad, visible, round(FINE_REACH * scale.size[0]), (0,))
        return None if alike is None else self._to_reading(alike)

    def read_coarse(
        self, frame: Pyramid, quad: Quad, visible: Callable[[Quad, tuple[int, int]], Floats]
    ) -> list[CornerIndexReading | None]:
        """As `read`, for a small look at an outline that is a guess, as it is and the other way up."""
        scale = self._coarse
        both = scale.read(frame, quad, visible, round(COARSE_REACH * scale.size[0]), (0, 1))
        return [None if alike is None else self._to_reading(alike) for alike in both]

    def _to_reading(self, alike: Floats) -> CornerIndexReading:
        face = int(alike.argmax())
        others = alike[self._cards != self._cards[face]]
        return CornerIndexReading(alike, face, float(others.max(initial=-1.0)))

    def is_consistent_with(
        self,
        frame: Pyramid,
        match: FaceMatch,
        visible: Callable[[Quad, tuple[int, int]], Floats],
        *,
        plainly: bool,
    ) -> bool:
        """Does no index that shows speak against a match? `plainly`: it needs none that can be read."""
        index = self.read(frame, match.corners, visible) if self.usable else None
        if index is None:
            return True
        if index.best_likeness < MIN_READABLE_LIKENESS:
            return plainly
        return bool(
            self._cards[match.face] == self._cards[index.face] and index.ambiguity <= MAX_ALLOWED_AMBIGUITY
        )


class _Corners:
    """The corners of all faces at one size."""

    def __init__(self, pictures: Sequence[Bgr]) -> None:
        height, width, _ = pictures[0].shape
        self.size = width, height
        self._at = round(INDEX_OFFSET * width)
        self._box = round(INDEX_HEIGHT * width), round(INDEX_WIDTH * width)
        known = [_normalise_parts(self._patches(pictures, end)) for end in range(INDEX_COUNT)]
        self._known = np.concatenate([k.transpose(2, 1, 0).reshape(-1, len(k)) for k in known], axis=1)
        """(channels × pixels, ends × faces)."""

    def _patches(self, pictures: Sequence[Bgr], end: int) -> Floats:
        """The corners at one end of n pictures, (n, pixels, 3)."""
        return np.stack([self._crop_index(p, end).reshape(-1, 3) for p in pictures]).astype(np.float32)

    def _known_at_end(self, end: int) -> Floats:
        """What is known of one end, (channels × pixels, faces)."""
        faces = self._known.shape[1] // INDEX_COUNT
        return self._known[:, end * faces : (end + 1) * faces]

    def are_distinctive(self, pictures: Sequence[Bgr], cards: NDArray[np.int64]) -> bool:
        """Do half of the `cards`, one for each picture, have print on paper there that no other card has?"""
        first, second = (self._patches(pictures, end) for end in range(INDEX_COUNT))
        spread = min(float(np.median(p.std(axis=1).max(axis=1))) for p in (first, second))
        if spread < MIN_LEVEL_SPREAD or float(np.median(_paper_share(first.mean(axis=2)))) < MIN_PAPER_SHARE:
            return False
        alike = self._known_at_end(0).T @ self._known_at_end(0)
        alike[cards[:, None] == cards[None, :]] = -1
        return bool(alike.max() > -1 and np.median(alike.max(axis=1)) < MAX_OTHER_LIKENESS)

    def read(
        self,
        frame: Pyramid,
        quad: Quad,
        visible: Callable[[Quad, tuple[int, int]], Floats],
        reach: int,
        turns: tuple[int, ...],
    ) -> list[Floats | None]:
        """Correlation of the visible corners with each face's, (faces,), for each of the ways up.

        A turn of 1 is upside down. None if no corner is visible.
        """
        mask = visible(quad, self.size)
        ends = [end for end in range(INDEX_COUNT) if self._crop_index(mask, end).mean() >= MIN_VISIBLE_INDEX]
        if not ends:
            return [None] * len(turns)
        windows = [self._view_corner(frame, quad, end, reach) for end in ends]
        if turns == (0,):
            each = zip(windows, ends, strict=True)
            return [
                np.mean([self._corner_likeness(w, reach, self._known_at_end(end)) for w, end in each], axis=0)
            ]
        # What is one end of a card is the other one of the card upside down.
        alike = [self._corner_likeness(w, reach, self._known).reshape(INDEX_COUNT, -1) for w in windows]
        return [
            np.mean([one[end ^ turn] for one, end in zip(alike, ends, strict=True)], axis=0) for turn in turns
        ]

    def _crop_index(self, view: Bgr | Floats, end: int) -> Bgr | Floats:
        """The part of a whole view, or of a mask, where the index of one end is."""
        upright = view[::-1, ::-1] if end else view
        rows, columns = self._box
        return upright[self._at : self._at + rows, self._at : self._at + columns]

    def _view_corner(self, frame: Pyramid, quad: Quad, end: int, reach: int) -> Bgr:
        """The corner at one end of what lies in a quad, with this many pixels to spare."""
        rows, columns = self._box
        spare = min(reach, self._at)  # there is no more of the card
        part = self._at - spare, self._at - spare, columns + spare + reach, rows + spare + reach
        view = frame.view(quad[HALF_TURN] if end else quad, self.size, part=part)
        rim = reach - spare
        return np.asarray(cv2.copyMakeBorder(view, rim, 0, rim, 0, cv2.BORDER_REPLICATE), np.uint8)

    def _corner_likeness(self, corner: Bgr, reach: int, known: Floats) -> Floats:
        """Correlation of a corner, with this many pixels to spare, with each known one, (n,).

        Where it fits best. `known`: (channels × pixels, n).
        """
        rows, columns = self._box
        # Single precision has no digits to spare for the mean.
        window = np.asarray(corner - np.array(cv2.mean(corner)[:3], np.float32), np.float32)
        # What is known has no mean of its own, so the parts' means need not be taken away beforehand.
        size, first, valid = (columns, rows), (0, 0), 2 * reach + 1
        sums, squares = (
            blur(window, -1, size, anchor=first, normalize=False)[:valid, :valid].reshape(-1, 3)
            for blur in (cv2.boxFilter, cv2.sqrBoxFilter)
        )
        spread = squares.sum(axis=1) - (sums * sums).sum(axis=1) / (rows * columns)
        planes = np.ascontiguousarray(window.transpose(2, 0, 1))
        plane, row, column = planes.strides
        parts: Floats = np.ndarray(
            (valid, valid, 3, rows, columns), np.float32, planes, strides=(row, column, plane, row, column)
        )
        alike = parts.reshape(valid * valid, -1) @ known
        return np.asarray((alike / np.sqrt(np.maximum(spread, 1e-6))[:, None]).max(axis=0), np.float32)


def _paper_share(corners: Floats) -> Floats:
    """The part of each of n grey pictures (n, pixels) that is of one level, the commonest of a few."""
    levels = np.percentile(corners, (10, 30, 50, 70, 90), axis=1).astype(np.float32)
    like = np.abs(corners - levels[:, :, None]) < PAPER_TOLERANCE
    return np.asarray(like.mean(axis=2, dtype=np.float32).max(axis=0), np.float32)


def _normalise_parts(parts: Floats) -> Floats:
    """n parts (n, pixels, 3), each without the mean of its channels and of length 1."""
    parts = parts - parts.mean(axis=1, keepdims=True)
    lengths = np.linalg.norm(parts.reshape(len(parts), -1), axis=1)[:, None, None]
    return np.asarray(parts / np.maximum(lengths, 1e-6), np.float32)
