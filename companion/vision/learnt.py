"""What the faces of a deck are compared with, made once: at enrolment, and for the deck in use."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

import msgspec
import numpy as np

from companion.vision.landmarks import DESCRIBED, Landmarks, Local
from companion.vision.locate import Bgr
from companion.vision.marks import Kinds, Marks, Shapes
from companion.vision.read import Faces

VERSION = 1
"""Of what is learnt of a picture: raised when that changes, so that decks are learnt again."""


@dataclass(frozen=True, slots=True, eq=False)
class Learnt:
    """What is costly to find out of a deck's pictures."""

    local: Local
    kinds: Kinds

    @classmethod
    def of(cls, pictures: tuple[Bgr, ...], told: Callable[[float], None] | None = None) -> Learnt:
        """From the pictures; of a large deck this takes seconds. `told` hears which part of it is done."""

        def hear(share: float, first: float, last: float) -> None:
            if told is not None:
                told(first + share * (last - first))

        local = Local.of(pictures, lambda share: hear(share, 0.0, 0.7))
        return cls(local, Kinds.of(pictures, lambda share: hear(share, 0.7, 1.0)))

    def packed(self, pictures: tuple[Bgr, ...]) -> bytes:
        """For the deck's file."""
        local, shapes = self.local, self.kinds.shapes
        table = np.column_stack([getattr(shapes, name).reshape(len(shapes.area), -1) for name in _COLUMNS])
        return msgspec.msgpack.encode(
            _Packed(
                version=VERSION,
                pictures=digest(pictures),
                detailed=local.worth_it,
                counts=tuple(len(points) for points in local.points),
                points=b"".join(points.astype("<f4").tobytes() for points in local.points),
                described=local.described.tobytes(),
                marked=self.kinds.worth_it,
                kinds=table.astype("<f8").tobytes(),
            )
        )

    @classmethod
    def unpacked(cls, raw: bytes, pictures: tuple[Bgr, ...]) -> Learnt | None:
        """What `packed` gave; None if that is not of these pictures, or not as it is learnt today.

        `pictures`: (height, width, 3) each, BGR, those that were learnt.
        """
        try:
            kept = msgspec.msgpack.decode(raw, type=_Packed)
        except (msgspec.MsgspecError, RecursionError):
            return None
        if kept.version != VERSION or kept.pictures != digest(pictures):
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
        return cls(local, Kinds(kept.marked, shapes))


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


def digest(pictures: tuple[Bgr, ...]) -> bytes:
    """Equal where all pixels are."""
    found = hashlib.blake2b()
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
    return _learnt(_Pictures(cards, digest(pictures), pictures, known))


@lru_cache(maxsize=1)
def _learnt(what: _Pictures) -> tuple[Faces, Landmarks, Marks]:
    faces, known = Faces(what.pictures, what.cards), what.known or Learnt.of(what.pictures)
    sizes = [(picture.shape[1], picture.shape[0]) for picture in what.pictures]
    return faces, Landmarks(known.local, sizes, what.cards), Marks(known.kinds, faces.aspect)
