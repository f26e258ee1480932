"""What the faces of a deck are compared with, made once for the deck in use."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import lru_cache

from companion.vision.landmarks import Landmarks
from companion.vision.locate import Bgr
from companion.vision.marks import Marks
from companion.vision.read import Faces


@dataclass(frozen=True, slots=True)
class _Pictures:
    """The pictures of a deck's faces, equal where their pixels and cards are."""

    cards: tuple[str, ...]
    """Of each picture its card."""
    sizes: tuple[tuple[int, ...], ...]
    digest: bytes
    pictures: tuple[Bgr, ...] = field(compare=False)


def learnt(pictures: tuple[Bgr, ...], cards: tuple[str, ...]) -> tuple[Faces, Landmarks, Marks]:
    """The features of these pictures of these cards.

    Of a large deck this takes seconds on a Pi, so the deck that was learnt last is not learnt again.
    """
    digest = hashlib.blake2b()
    for picture in pictures:
        digest.update(picture.tobytes())
    sizes = tuple(picture.shape for picture in pictures)
    return _learnt(_Pictures(cards, sizes, digest.digest(), pictures))


@lru_cache(maxsize=1)
def _learnt(what: _Pictures) -> tuple[Faces, Landmarks, Marks]:
    faces = Faces(what.pictures, what.cards)
    return faces, Landmarks(what.pictures, what.cards), Marks(what.pictures, faces.aspect)
