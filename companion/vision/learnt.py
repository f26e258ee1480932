"""What the faces of a deck are compared with, made once: at enrolment, and for the deck in use."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import msgspec
import numpy as np

from companion.vision.compare import full_detail
from companion.vision.identity import Sisters, soft_length
from companion.vision.landmarks import DESCRIBED, Landmarks, Local
from companion.vision.locate import Bgr, usual_aspect
from companion.vision.marks import Kinds, Marks, Shapes
from companion.vision.read import Faces

VERSION = 3
"""Of what is learnt of a picture: raised when that changes, so that decks are learnt again.

The decks that come with the program are then opened once with `decks.renewed`, and committed.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Learnt:
    """What is costly to find out of a deck's pictures."""

    local: Local
    kinds: Kinds
    sisters: Sisters
    digest: bytes
    """Of the pictures and cards."""

    @classmethod
    def of(
        cls, pictures: tuple[Bgr, ...], cards: Sequence[str], told: Callable[[float], None] | None = None
    ) -> Learnt:
        """From the pictures of these cards; of a large deck this takes seconds.

        `told` is called with the fraction done, 0 to 1.
        """

        def hear(share: float, first: float, last: float) -> None:
            if told is not None:
                told(first + share * (last - first))

        local = Local.of(pictures, lambda share: hear(share, 0.0, 0.6))
        kinds = Kinds.of(pictures, lambda share: hear(share, 0.6, 0.8))
        sisters = Faces(pictures, cards).registered(lambda share: hear(share, 0.8, 1.0))
        return cls(local, kinds, sisters, digest(pictures, cards))

    def packed(self) -> bytes:
        """The bytes that a deck's file keeps of it (msgpack, arrays in little-endian)."""
        local, shapes = self.local, self.kinds.shapes
        table = np.column_stack([getattr(shapes, name).reshape(len(shapes.area), -1) for name in _COLUMNS])
        return msgspec.msgpack.encode(
            _Packed(
                version=VERSION,
                pictures=self.digest,
                detailed=local.worth_it,
                counts=tuple(len(points) for points in local.points),
                points=b"".join(points.astype("<f4").tobytes() for points in local.points),
                described=local.described.tobytes(),
                marked=self.kinds.worth_it,
                kinds=table.astype("<f8").tobytes(),
                sisters=self.sisters.which.astype("<i4").tobytes(),
                registered=self.sisters.planes.tobytes(),
                steps=self.sisters.steps.astype("<f4").tobytes(),
            )
        )

    @classmethod
    def unpacked(cls, raw: bytes, pictures: tuple[Bgr, ...], cards: Sequence[str]) -> Learnt | None:
        """What `packed` gave; None if that is not of these pictures and cards, or not as it is learnt today.

        `pictures`: (height, width, 3) each, BGR, those that were learnt; picture n shows `cards[n]`.
        """
        try:
            kept = msgspec.msgpack.decode(raw, type=_Packed)
        except (msgspec.MsgspecError, RecursionError):
            return None
        if kept.version != VERSION or kept.pictures != digest(pictures, cards):
            return None
        count = sum(kept.counts)
        sizes = 8 * count, DESCRIBED * count
        if (len(kept.points), len(kept.described)) != sizes or any(n < 0 for n in kept.counts):
            return None
        if len(kept.counts) != (len(pictures) if kept.detailed else 0) or len(kept.kinds) % (8 * _WIDTH):
            return None
        points = np.frombuffer(kept.points, "<f4").reshape(-1, 2)
        table = np.frombuffer(kept.kinds, "<f8").reshape(-1, _WIDTH)
        if not np.isfinite(points).all() or not np.isfinite(table).all():
            return None
        each = np.split(points, np.cumsum(kept.counts)[:-1]) if kept.counts else []
        described = np.frombuffer(kept.described, np.uint8).reshape(-1, DESCRIBED)
        at, area, spread, fill, way = np.split(table, np.cumsum((2, 1, 4, 1)), axis=1)
        shapes = Shapes(at, area[:, 0], spread.reshape(-1, 2, 2), fill[:, 0], way[:, 0])
        local = Local(kept.detailed, tuple(each), described)
        sisters = _sisters(kept, len(pictures), soft_length(full_detail(usual_aspect(pictures)).inner))
        return None if sisters is None else cls(local, Kinds(kept.marked, shapes), sisters, kept.pictures)


def _sisters(kept: _Packed, faces: int, length: int) -> Sisters | None:
    """What is kept of them; None if it is not of so many faces, each `softened` of that length."""
    count = len(kept.steps) // 4
    if (len(kept.steps), len(kept.sisters)) != (4 * count, 12 * count):
        return None
    if len(kept.registered) != count * length:
        return None
    which = np.frombuffer(kept.sisters, "<i4").reshape(-1, 3)
    steps = np.frombuffer(kept.steps, "<f4")
    if not np.isfinite(steps).all() or not ((which >= 0) & (which < (faces, faces, 2))).all():
        return None
    return Sisters(which, np.frombuffer(kept.registered, np.int8).reshape(count, length), steps)


_COLUMNS = ("at", "area", "spread", "fill", "way")
_WIDTH = 9
"""Numbers of one kind of mark."""


class _Packed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    version: int
    pictures: bytes
    detailed: bool
    counts: tuple[int, ...]
    points: bytes
    described: bytes
    marked: bool
    kinds: bytes
    sisters: bytes
    registered: bytes
    steps: bytes


def digest(pictures: tuple[Bgr, ...], cards: Sequence[str]) -> bytes:
    """Equal where all pixels are, and the cards that they show."""
    found = hashlib.blake2b(repr(tuple(cards)).encode())
    for picture in pictures:
        found.update(str(picture.shape).encode() + picture.tobytes())
    return found.digest()


@dataclass(frozen=True, slots=True)
class _Pictures:
    """The pictures of a deck's faces, equal where their pixels and cards are."""

    cards: tuple[str, ...]
    """Of each picture its card."""
    digest: bytes
    pictures: tuple[Bgr, ...] = field(compare=False)
    known: Learnt | None = field(compare=False)


def learnt(
    pictures: tuple[Bgr, ...], cards: tuple[str, ...], known: Learnt | None = None
) -> tuple[Faces, Landmarks, Marks]:
    """The features of these pictures of these cards, made from what is `known` of them.

    `pictures`: (height, width, 3) each, BGR. The deck that was learnt last is not learnt again.
    """
    same = known.digest if known else digest(pictures, cards)
    return _learnt(_Pictures(cards, same, pictures, known))


@lru_cache(maxsize=1)
def _learnt(what: _Pictures) -> tuple[Faces, Landmarks, Marks]:
    known = what.known or Learnt.of(what.pictures, what.cards)
    faces = Faces(what.pictures, what.cards, known.sisters)
    sizes = [(picture.shape[1], picture.shape[0]) for picture in what.pictures]
    return faces, Landmarks(known.local, sizes, what.cards), Marks(known.kinds, faces.aspect)
