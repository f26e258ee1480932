"""Reads the small parts in a card's corners that tell a deck's cards apart, where a deck has such parts.

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

from companion.vision.compare import DETAIL, Match
from companion.vision.locate import HALF_ROUND, Bgr, Pyramid, Quad
from companion.vision.residual import Floats, averaged

RIM, BROAD, HIGH = 0.03, 0.20, 0.30
"""Where an index is: how far from both edges it begins, its width and its height, in card widths.

Larger parts hold print that strangers share, smaller ones less to tell cards by (of 0.17 to 0.24 by 0.27 to
0.36 this took fewest strangers on photographed playing cards and Skat).
"""
COARSE, FAR, NEAR = DETAIL // 2, 0.0625, 0.03125
"""Width in pixels for a first look; how far an index may be off its place then and later, in card widths."""
PLAIN = 12.0
"""Spread of the levels of a corner below which there is nothing in it."""
PAPER, LIKE_PAPER = 0.57, 15.0
"""Part of the corner that paper fills in half a deck's cards, ink the rest; levels by which paper differs.

Measured: poker 0.73, Skat 0.59; hanafuda, which have none, 0.56; trading cards, whose corners hold frame and
picture, at most 0.44.
"""
TOLD_APART = 0.94
"""Correlation with the most alike other card that half of a deck's corners must stay below.

Measured: Skat 0.81, poker 0.88, hand-drawn playing cards whose corners hold nothing but their rim 0.99.
"""
SHOWN = 0.8
"""Part of an index that must be seen for it to be read."""
READABLE = 0.90
"""Correlation with the best card's index below which something may be on it."""
ALLOWED = 0.5
"""`Index.left` up to which an index that can be read bears out a card that fits by other parts."""
ENDS = 2
"""A card carries its index top left and, turned, bottom right."""


@dataclass(frozen=True, slots=True, eq=False)
class Index:
    """What the indices that show in an outline say."""

    alike: Floats
    """For each face: correlation with its index, at most 1."""
    face: int
    """The face whose index is most alike."""
    second: float
    """The correlation of the best other card; that of `face` is the best of all."""

    @property
    def best(self) -> float:
        """The highest correlation of all faces' indices, -1 to 1."""
        return float(self.alike[self.face])

    @property
    def left(self) -> float:
        """What the best one leaves unexplained, as a part of what the next card leaves: 0 is certain."""
        return (1 - self.best) / max(1 - self.second, 1e-6)


class Indices:
    """The indices of a deck's faces."""

    def __init__(self, pictures: Sequence[Bgr], cards: Sequence[str]) -> None:
        """`pictures` are upright, all of one size and `compare.DETAIL` wide; picture n shows `cards[n]`."""
        self._pictures = pictures
        self._cards = np.unique(cards, return_inverse=True)[1]
        self._fine = _Corners(pictures)
        self.worth_it = self._fine.tell_apart(pictures, self._cards)
        """Do the corners of half the cards differ from those of all others?"""

    @cached_property
    def _coarse(self) -> _Corners:
        height, width, _ = self._pictures[0].shape
        size = COARSE, height * COARSE // width
        return _Corners([np.asarray(averaged(p, size), np.uint8) for p in self._pictures])

    def read(
        self, frame: Pyramid, quad: Quad, visible: Callable[[Quad, tuple[int, int]], Floats]
    ) -> Index | None:
        """What the indices that are `visible` of a card say whose top left is the quad's first corner.

        The outline is exact. None if none shows.
        """
        scale = self._fine
        (alike,) = scale.read(frame, quad, visible, round(NEAR * scale.size[0]), (0,))
        return None if alike is None else self._index(alike)

    def likely(
        self, frame: Pyramid, quad: Quad, visible: Callable[[Quad, tuple[int, int]], Floats]
    ) -> list[Index | None]:
        """As `read`, for a small look at an outline that is a guess, as it is and the other way up."""
        scale = self._coarse
        both = scale.read(frame, quad, visible, round(FAR * scale.size[0]), (0, 1))
        return [None if alike is None else self._index(alike) for alike in both]

    def _index(self, alike: Floats) -> Index:
        face = int(alike.argmax())
        others = alike[self._cards != self._cards[face]]
        return Index(alike, face, float(others.max(initial=-1.0)))

    def allow(
        self,
        frame: Pyramid,
        match: Match,
        visible: Callable[[Quad, tuple[int, int]], Floats],
        *,
        plainly: bool,
    ) -> bool:
        """Does no index that shows speak against a match? `plainly`: it needs none that can be read."""
        index = self.read(frame, match.corners, visible) if self.worth_it else None
        if index is None:
            return True
        if index.best < READABLE:
            return plainly
        return bool(self._cards[match.face] == self._cards[index.face] and index.left <= ALLOWED)


class _Corners:
    """The corners of all faces at one size."""

    def __init__(self, pictures: Sequence[Bgr]) -> None:
        height, width, _ = pictures[0].shape
        self.size = width, height
        self._at = round(RIM * width)
        self._box = round(HIGH * width), round(BROAD * width)
        known = [_centred(self._patches(pictures, end)) for end in range(ENDS)]
        self._known = np.concatenate([k.transpose(2, 1, 0).reshape(-1, len(k)) for k in known], axis=1)
        """(channels × pixels, ends × faces)."""

    def _patches(self, pictures: Sequence[Bgr], end: int) -> Floats:
        """The corners at one end of n pictures, (n, pixels, 3)."""
        return np.stack([self._inside(p, end).reshape(-1, 3) for p in pictures]).astype(np.float32)

    def _of_end(self, end: int) -> Floats:
        """What is known of one end, (channels × pixels, faces)."""
        faces = self._known.shape[1] // ENDS
        return self._known[:, end * faces : (end + 1) * faces]

    def tell_apart(self, pictures: Sequence[Bgr], cards: NDArray[np.int64]) -> bool:
        """Do half of the `cards`, one for each picture, have print on paper there that no other card has?"""
        first, second = (self._patches(pictures, end) for end in range(ENDS))
        spread = min(float(np.median(p.std(axis=1).max(axis=1))) for p in (first, second))
        if spread < PLAIN or float(np.median(_paper(first.mean(axis=2)))) < PAPER:
            return False
        alike = self._of_end(0).T @ self._of_end(0)
        alike[cards[:, None] == cards[None, :]] = -1
        return bool(alike.max() > -1 and np.median(alike.max(axis=1)) < TOLD_APART)

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
        ends = [end for end in range(ENDS) if self._inside(mask, end).mean() >= SHOWN]
        if not ends:
            return [None] * len(turns)
        windows = [self._corner(frame, quad, end, reach) for end in ends]
        if turns == (0,):
            each = zip(windows, ends, strict=True)
            return [np.mean([self._alike(w, reach, self._of_end(end)) for w, end in each], axis=0)]
        # What is one end of a card is the other one of the card upside down.
        alike = [self._alike(w, reach, self._known).reshape(ENDS, -1) for w in windows]
        return [
            np.mean([one[end ^ turn] for one, end in zip(alike, ends, strict=True)], axis=0) for turn in turns
        ]

    def _inside(self, view: Bgr | Floats, end: int) -> Bgr | Floats:
        """The part of a whole view, or of a mask, where the index of one end is."""
        upright = view[::-1, ::-1] if end else view
        rows, columns = self._box
        return upright[self._at : self._at + rows, self._at : self._at + columns]

    def _corner(self, frame: Pyramid, quad: Quad, end: int, reach: int) -> Bgr:
        """The corner at one end of what lies in a quad, with this many pixels to spare."""
        rows, columns = self._box
        spare = min(reach, self._at)  # there is no more of the card
        part = self._at - spare, self._at - spare, columns + spare + reach, rows + spare + reach
        view = frame.view(quad[HALF_ROUND] if end else quad, self.size, part=part)
        rim = reach - spare
        return np.asarray(cv2.copyMakeBorder(view, rim, 0, rim, 0, cv2.BORDER_REPLICATE), np.uint8)

    def _alike(self, corner: Bgr, reach: int, known: Floats) -> Floats:
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


def _paper(corners: Floats) -> Floats:
    """The part of each of n grey pictures (n, pixels) that is of one level, the commonest of a few."""
    levels = np.percentile(corners, (10, 30, 50, 70, 90), axis=1).astype(np.float32)
    like = np.abs(corners - levels[:, :, None]) < LIKE_PAPER
    return np.asarray(like.mean(axis=2, dtype=np.float32).max(axis=0), np.float32)


def _centred(parts: Floats) -> Floats:
    """n parts (n, pixels, 3), each without the mean of its channels and of length 1."""
    parts = parts - parts.mean(axis=1, keepdims=True)
    lengths = np.linalg.norm(parts.reshape(len(parts), -1), axis=1)[:, None, None]
    return np.asarray(parts / np.maximum(lengths, 1e-6), np.float32)
