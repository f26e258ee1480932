"""Precomputes the features of a deck's pictures that are expensive to extract."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import msgspec
import numpy as np

from companion.vision.comparison import full_detail_scale
from companion.vision.face_matching import EnrolledFaces
from companion.vision.face_pairs import RegisteredLookAlikes, softened_length
from companion.vision.local_features import DESCRIPTOR_LENGTH, FaceFeatures, FeatureSearch
from companion.vision.outlines import Bgr, median_aspect
from companion.vision.print_detail import DetailKinds, DetailSearch, DetailShapes

TRAINING_VERSION = 3
"""Of what is learnt of a picture: raised when that changes, so that decks are learnt again.

The decks that come with the program are then opened once with `decks.load_and_upgrade_deck`, and committed.
"""


@dataclass(frozen=True, slots=True, eq=False)
class TrainedDeck:
    """What is costly to find out of a deck's pictures."""

    local: FaceFeatures
    kinds: DetailKinds
    sisters: RegisteredLookAlikes
    digest: bytes
    """Of the pictures and cards."""

    @classmethod
    def train(
        cls, pictures: tuple[Bgr, ...], cards: Sequence[str], told: Callable[[float], None] | None = None
    ) -> TrainedDeck:
        """From the pictures of these cards; of a large deck this takes seconds.

        `told` is called with the fraction done, 0 to 1.
        """

        def report_progress(share: float, first: float, last: float) -> None:
            if told is not None:
                told(first + share * (last - first))

        local = FaceFeatures.detect(pictures, lambda share: report_progress(share, 0.0, 0.6))
        kinds = DetailKinds.of(pictures, lambda share: report_progress(share, 0.6, 0.8))
        sisters = EnrolledFaces(pictures, cards).register_look_alikes(
            lambda share: report_progress(share, 0.8, 1.0)
        )
        return cls(local, kinds, sisters, picture_digest(pictures, cards))

    def to_bytes(self) -> bytes:
        """The bytes that a deck's file keeps of it (msgpack, arrays in little-endian)."""
        local, shapes = self.local, self.kinds.shapes
        table = np.column_stack([getattr(shapes, name).reshape(len(shapes.area), -1) for name in _COLUMNS])
        return msgspec.msgpack.encode(
            _StoredFeatures(
                version=TRAINING_VERSION,
                pictures=self.digest,
                detailed=local.usable,
                counts=tuple(len(points) for points in local.points),
                points=b"".join(points.astype("<f4").tobytes() for points in local.points),
                described=local.described.tobytes(),
                marked=self.kinds.usable,
                kinds=table.astype("<f8").tobytes(),
                sisters=self.sisters.which.astype("<i4").tobytes(),
                registered=self.sisters.planes.tobytes(),
                steps=self.sisters.steps.astype("<f4").tobytes(),
            )
        )

    @classmethod
    def from_bytes(cls, raw: bytes, pictures: tuple[Bgr, ...], cards: Sequence[str]) -> TrainedDeck | None:
        """What `packed` gave; None if that is not of these pictures and cards, or not as it is learnt today.

        `pictures`: (height, width, 3) each, BGR, those that were learnt; picture n shows `cards[n]`.
        """
        try:
            kept = msgspec.msgpack.decode(raw, type=_StoredFeatures)
        except (msgspec.MsgspecError, RecursionError):
            return None
        if kept.version != TRAINING_VERSION or kept.pictures != picture_digest(pictures, cards):
            return None
        count = sum(kept.counts)
        sizes = 8 * count, DESCRIPTOR_LENGTH * count
        if (len(kept.points), len(kept.described)) != sizes or any(n < 0 for n in kept.counts):
            return None
        if len(kept.counts) != (len(pictures) if kept.detailed else 0) or len(kept.kinds) % (8 * _WIDTH):
            return None
        points = np.frombuffer(kept.points, "<f4").reshape(-1, 2)
        table = np.frombuffer(kept.kinds, "<f8").reshape(-1, _WIDTH)
        if not np.isfinite(points).all() or not np.isfinite(table).all():
            return None
        each = np.split(points, np.cumsum(kept.counts)[:-1]) if kept.counts else []
        described = np.frombuffer(kept.described, np.uint8).reshape(-1, DESCRIPTOR_LENGTH)
        at, area, spread, fill, way = np.split(table, np.cumsum((2, 1, 4, 1)), axis=1)
        shapes = DetailShapes(at, area[:, 0], spread.reshape(-1, 2, 2), fill[:, 0], way[:, 0])
        local = FaceFeatures(kept.detailed, tuple(each), described)
        sisters = _unpack_look_alikes(
            kept, len(pictures), softened_length(full_detail_scale(median_aspect(pictures)).inner)
        )
        return (
            None if sisters is None else cls(local, DetailKinds(kept.marked, shapes), sisters, kept.pictures)
        )


def _unpack_look_alikes(kept: _StoredFeatures, faces: int, length: int) -> RegisteredLookAlikes | None:
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
    return RegisteredLookAlikes(which, np.frombuffer(kept.registered, np.int8).reshape(count, length), steps)


_COLUMNS = ("at", "area", "spread", "fill", "way")
_WIDTH = 9
"""Numbers of one kind of mark."""


class _StoredFeatures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
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


def picture_digest(pictures: tuple[Bgr, ...], cards: Sequence[str]) -> bytes:
    """Equal where all pixels are, and the cards that they show."""
    found = hashlib.blake2b(repr(tuple(cards)).encode())
    for picture in pictures:
        found.update(str(picture.shape).encode() + picture.tobytes())
    return found.digest()


@dataclass(frozen=True, slots=True)
class _CacheKey:
    """The pictures of a deck's faces, equal where their pixels and cards are."""

    cards: tuple[str, ...]
    """Of each picture its card."""
    digest: bytes
    pictures: tuple[Bgr, ...] = field(compare=False)
    known: TrainedDeck | None = field(compare=False)


def load_features(
    pictures: tuple[Bgr, ...], cards: tuple[str, ...], known: TrainedDeck | None = None
) -> tuple[EnrolledFaces, FeatureSearch, DetailSearch]:
    """The features of these pictures of these cards, made from what is `known` of them.

    `pictures`: (height, width, 3) each, BGR. The deck that was learnt last is not learnt again.
    """
    same = known.digest if known else picture_digest(pictures, cards)
    return _load_cached_features(_CacheKey(cards, same, pictures, known))


@lru_cache(maxsize=1)
def _load_cached_features(what: _CacheKey) -> tuple[EnrolledFaces, FeatureSearch, DetailSearch]:
    known = what.known or TrainedDeck.train(what.pictures, what.cards)
    faces = EnrolledFaces(what.pictures, what.cards, known.sisters)
    sizes = [(picture.shape[1], picture.shape[0]) for picture in what.pictures]
    return faces, FeatureSearch(known.local, sizes, what.cards), DetailSearch(known.kinds, faces.aspect)
