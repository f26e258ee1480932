"""Stores a deck, the pictures of every card's face with their thresholds, in one file.

The file is a zip archive: `deck.json` (format, name, cards, limits), one PNG per picture, and what was found
out of the pictures. It is read with limits on the number and size of its parts: a damaged or hostile file is
refused, never unpacked blindly.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
import os
import re
import struct
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray

from companion.core.errors import InputError
from companion.system import safe_files
from companion.system.safe_files import SizeLimit, UnreadableFileError, atomic_write
from companion.vision.acceptance import (
    RIVAL_RATIO_RANGE,
    Thresholds,
    compute_thresholds,
    find_second_pictures,
)
from companion.vision.comparison import full_detail_scale
from companion.vision.face_matching import EnrolledFaces, RegisteredLookAlikes, softened_length
from companion.vision.local_features import DESCRIPTOR_LENGTH, FaceFeatures, FeatureSearch
from companion.vision.outlines import Bgr, median_aspect
from companion.vision.pictures import PictureError, read_picture
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

    def lighten(self) -> TrainedDeck:
        """For a small file: of each face only the card most like it, and no features.

        Other look-alikes are registered when they are asked for.
        """
        which, planes, steps = self.sisters.which, self.sisters.planes, self.sisters.steps
        others = np.flatnonzero(which[:, 0] != which[:, 1])
        nearest = others[np.unique(which[others, 0], return_index=True)[1]]
        none = FaceFeatures(usable=False, points=(), described=self.local.described[:0])
        sisters = RegisteredLookAlikes(which[nearest], planes[nearest], steps[nearest])
        return replace(self, local=none, sisters=sisters)

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
    """What is kept of them; None if it is not of so many faces, each as long as `softened_length` says."""
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


log = logging.getLogger(__name__)
DECK_FORMAT = 3
MAX_PICTURE_HEIGHT = 480
"""Pictures are kept at most this high, in pixels."""
MIN_SIDE, MAX_SIDE_RATIO = 24, 5
"""Fewest pixels of a card's shorter side, and how many times as long the other may be."""
OTHER_CARD_FLAW = 0.5
"""Two pictures of one card that differ by more show two cards."""
PICTURE_SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff"})
"""Endings of the files that are pictures of cards."""
MAX_PICTURES = 240
"""120 cards, each shown twice: what is learnt of more fills the memory of a small computer.

Full of detail they take 390 MB: 60 the program, 120 the pictures, 60 to compare them, 150 their features.
"""
MAX_DECK_PIXELS = MAX_PICTURES * MAX_PICTURE_HEIGHT * 350
"""Of all pictures of a deck together."""
MAX_PART_BYTES = 1 << 20
"""Most bytes of one picture in the file, of the description, and of the archive's list."""


TRAINED_FILE = "learnt.bin"
"""The part that holds what was found out of the pictures; without it that is worked out again."""
MAX_TRAINED_BYTES = 32 << 20
"""Most bytes of it: of each picture 400 features of 136 bytes, two sisters of 14 kB or more, and marks."""


class DeckError(InputError):
    """This deck, or a picture meant for one, cannot be used; the sentence says what to do."""


@dataclass(frozen=True, slots=True, eq=False)
class Deck:
    """The enrolled cards; immutable."""

    name: str
    cards: tuple[str, ...]
    pictures: tuple[NDArray[np.uint8], ...]
    """Upright and portrait: a landscape card is turned a quarter anticlockwise."""
    owners: tuple[int, ...]
    """For each picture the index of its card."""
    lying: tuple[bool, ...]
    """For each picture: is the card wider than high?"""
    limits: Thresholds
    complete: bool = False
    """Are all cards of this print enrolled? Then no unknown card can resemble one of these."""
    trained_features: TrainedDeck | None = None
    """What was found out of the pictures when the deck was saved; None if it was saved without."""

    @property
    def cards_of_pictures(self) -> tuple[str, ...]:
        """Of each picture its card."""
        return tuple(self.cards[owner] for owner in self.owners)

    def find_look_alikes(self, most: int = 20) -> list[tuple[str, str, float]]:
        """The pairs of cards hardest to tell apart, hardest first: (card, card, flaw).

        The flaw, 0 for the same print, is `comparison.FaceMatch.flaw`; beneath `acceptance.SAME_FACE_FLAW` it
        is one face enrolled under two names.
        """
        found: dict[tuple[str, str], float] = {}
        names = self.cards_of_pictures
        for flaw, one, other in EnrolledFaces(self.pictures, names).similar_face_pairs():
            first, second = sorted((names[one], names[other]))
            found.setdefault((first, second), flaw)
        return [(one, other, flaw) for (one, other), flaw in list(found.items())[:most]]

    def find_swapped_pictures(self) -> list[tuple[str, str]]:
        """(card, the card that its second picture shows): pictures that were swapped or of the wrong card."""
        names = self.cards_of_pictures
        faces = EnrolledFaces(self.pictures, names)
        found = []
        for picture, first in find_second_pictures(self.owners):
            if min(faces.compare_faces(picture, first, turn).flaw for turn in (0, 1)) < OTHER_CARD_FLAW:
                continue
            others = [n for n, owner in enumerate(self.owners) if owner != self.owners[first]]
            flaws = [(min(faces.compare_faces(picture, n, t).flaw for t in (0, 1)), names[n]) for n in others]
            flaw, shown = min(flaws, default=(1.0, ""))
            found.append((names[first], shown if flaw < OTHER_CARD_FLAW / 2 else ""))
        return found

    def save(self, path: Path) -> None:
        """Writes the deck to one file, by way of a second one so that a cut leaves the old deck whole."""
        about = {
            "format": DECK_FORMAT,
            "name": self.name,
            "cards": self.cards,
            "owners": self.owners,
            "lying": self.lying,
            "limits": asdict(self.limits),
            "complete": self.complete,
        }
        known = self.trained_features or TrainedDeck.train(self.pictures, self.cards_of_pictures)
        with atomic_write(path) as whole, zipfile.ZipFile(whole, "w", zipfile.ZIP_STORED) as file:
            file.writestr("deck.json", json.dumps(about, indent=1))
            for number, picture in enumerate(self.pictures):
                png = cv2.imencode(".png", picture, (cv2.IMWRITE_PNG_COMPRESSION, 9))[1]
                file.writestr(f"{number:04d}.png", png.tobytes())
            file.writestr(TRAINED_FILE, known.to_bytes())

    @classmethod
    def load(cls, path: Path) -> Deck:
        """Reads and checks a deck's file; `DeckFileError` if it is unreadable, none, damaged or too new."""
        try:
            with safe_files.open_regular_file(path, SizeLimit.DECK) as stream:
                return _read(stream, path.name)
        except UnreadableFileError as unfit:
            raise DeckError(
                f"{path.name or path} isn't a deck ({unfit.strerror}): name a deck file"
            ) from unfit
        except OSError as cause:
            raise DeckError(f"can't read {path.name} ({cause.strerror}): {_COPY_OR_ENROL_AGAIN}") from cause


def load_and_upgrade_deck(path: Path, told: Callable[[float], None] | None = None) -> Deck:
    """The deck of a file, as `Deck.load`; one that was saved before is learnt once and saved so.

    `told` is called with the fraction done, 0 to 1. A file that cannot be written is left as it is,
    and a warning says why.
    """
    deck = Deck.load(path)
    if deck.trained_features is None:
        deck = replace(deck, trained_features=TrainedDeck.train(deck.pictures, deck.cards_of_pictures, told))
        try:
            deck.save(path)
        except OSError as trouble:
            log.warning(
                "%s is from an older version, and the converted one can't be saved (%s): "
                "it is converted again each time",
                path.name,
                trouble.strerror,
            )
    return deck


_COPY_OR_ENROL_AGAIN = "copy it again from the table it was made on, or teach it again (companion enrol)"
_DAMAGED = (
    zipfile.BadZipFile, struct.error, KeyError, ValueError, EOFError, OverflowError,
    NotImplementedError,  # a zip archive of a kind that Python does not know
    RecursionError,  # a description nested without end
)  # fmt: skip
_ENCRYPTED = 1
"""The bit of a zip entry's flags."""
_END = struct.Struct("<4s16x4s8xII2x")
"""The end of an archive without a remark: what says that it is a very long one, if so; its mark; the bytes
of its list of parts, and where that begins."""


class _Format(msgspec.Struct, frozen=True):
    """What every version's description has."""

    format: int


class _Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    flaws: tuple[float, ...]
    rival: float = RIVAL_RATIO_RANGE[1]


class _DeckDescription(msgspec.Struct, frozen=True):
    """The description, `deck.json`."""

    name: str
    cards: tuple[str, ...]
    owners: tuple[int, ...]
    lying: tuple[bool, ...]
    limits: _Limits
    complete: bool = False


def _read(stream: BinaryIO, name: str) -> Deck:
    """The deck in an open file."""
    try:
        _check_directory(stream)
        with zipfile.ZipFile(stream) as file:
            return _parse_archive(file, name)
    except DeckError:
        raise
    except _DAMAGED as cause:
        raise DeckError(f"{name} isn't a deck, or is damaged: {_COPY_OR_ENROL_AGAIN}") from cause


def _check_directory(stream: BinaryIO) -> None:
    """Raise unless the archive's list of parts is a short one: `zipfile` takes it all into memory."""
    size = stream.seek(0, os.SEEK_END)
    stream.seek(max(0, size - _END.size))
    long, mark, listed, begins = _END.unpack(stream.read())
    if (
        mark != b"PK\x05\x06"
        or long == b"PK\x06\x07"
        or listed > MAX_PART_BYTES
        or begins + listed + 22 != size
    ):
        raise ValueError("no archive as `save` writes it")


def _parse_archive(file: zipfile.ZipFile, name: str) -> Deck:
    """The deck in an open archive; any error but `DeckFileError` means that it is damaged."""
    raw = _read_part(file, "deck.json")
    version = msgspec.json.decode(raw, type=_Format).format
    if version > DECK_FORMAT:
        raise DeckError(f"{name} was made by a newer version: update this program")
    if version < DECK_FORMAT:
        raise DeckError(f"{name} was made by an older version: teach it again (companion enrol)")
    about = msgspec.json.decode(raw, type=_DeckDescription)
    limits = Thresholds(about.limits.flaws, about.limits.rival)
    owners, cards, lying = about.owners, about.cards, about.lying
    if len(owners) > MAX_PICTURES:
        raise DeckError(f"{name} holds {len(owners)} pictures, more than {MAX_PICTURES}: split the deck")
    if not owners or len(lying) != len(owners) or set(owners) != set(range(len(cards))):
        raise DeckError(f"{name} does not fit together: {_COPY_OR_ENROL_AGAIN}")
    if len(limits.flaws) != len(cards) or not limits.is_valid:
        raise DeckError(f"{name} has limits that no enrolment gives: {_COPY_OR_ENROL_AGAIN}")
    pictures = _read_pictures(file, len(owners), name)
    known = None
    if TRAINED_FILE in file.namelist():
        shown = [cards[owner] for owner in owners]
        known = TrainedDeck.from_bytes(
            _read_part(file, TRAINED_FILE, most=MAX_TRAINED_BYTES), pictures, shown
        )
    return Deck(about.name, cards, pictures, owners, lying, limits, about.complete, known)


def _read_pictures(file: zipfile.ZipFile, count: int, name: str) -> tuple[NDArray[np.uint8], ...]:
    """The deck's pictures; none is decoded before all have said how large they are."""
    parts = [f"{number:04d}.png" for number in range(count)]
    if sum(_count_pixels(_read_part(file, part, _HEADER)) for part in parts) > MAX_DECK_PIXELS:
        raise DeckError(f"{name} holds pictures that are too large together: {_COPY_OR_ENROL_AGAIN}")
    return tuple(_decode_png(_read_part(file, part)) for part in parts)


def _read_part(file: zipfile.ZipFile, name: str, first: int = -1, *, most: int = MAX_PART_BYTES) -> bytes:
    """One part of the archive, or its `first` bytes, if it is stored plainly and is not too large."""
    about = file.getinfo(name)
    packed = about.compress_type != zipfile.ZIP_STORED or about.flag_bits & _ENCRYPTED
    if about.file_size > most or packed:
        raise ValueError(f"{name} is too large, packed or encrypted")
    with file.open(about) as part:
        return part.read(first)


_HEADER = 24
"""Bytes of a PNG up to the end of its size."""


def _count_pixels(header: bytes) -> int:
    """How many pixels the PNG has that begins so, if they may be a card's."""
    width, height = struct.unpack(">II", header[16:_HEADER])
    if header[:8] != b"\x89PNG\r\n\x1a\n" or not all(
        MIN_SIDE <= n <= MAX_PICTURE_HEIGHT for n in (width, height)
    ):
        raise ValueError("no picture of a card")
    return int(width * height)


def _decode_png(data: bytes) -> NDArray[np.uint8]:
    """The pixels of a PNG whose header has been looked at."""
    picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    if picture is None or _find_defect(np.asarray(picture, np.uint8)):
        raise ValueError("a damaged picture")
    return np.asarray(picture, np.uint8)


def build_deck(
    pictures: Iterable[tuple[str, NDArray[np.uint8]]], *, name: str = "", complete: bool = False
) -> Deck:
    """A deck from (card id, picture) pairs: upright, cut to the card, (height, width, 3).

    `complete`: these are all cards of their print, so that none can come that is merely like one of them.
    Raises `DeckFileError` for a picture that is not (height, width, 3) in uint8 or not fit, and for too many.
    """
    cards: dict[str, int] = {}
    kept: list[NDArray[np.uint8]] = []
    owners: list[int] = []
    lying: list[bool] = []
    for card, picture in pictures:
        if picture.ndim != 3 or picture.shape[2] != 3 or picture.dtype != np.uint8:
            raise DeckError(f"the picture of {card} is not in colour, 8 bit each: take it again")
        if trouble := _find_defect(picture):
            raise DeckError(f"the picture of {card} {trouble}")
        if len(kept) == MAX_PICTURES:
            raise DeckError(
                f"more than {MAX_PICTURES} pictures: two of each card are enough, or split the deck"
            )
        owners.append(cards.setdefault(card, len(cards)))
        lying.append(picture.shape[1] > picture.shape[0])
        upright = np.rot90(picture) if lying[-1] else picture
        kept.append(_resize_picture(upright, min(1.0, MAX_PICTURE_HEIGHT / upright.shape[0])))
    if not kept:
        raise DeckError("no pictures: show at least one card, or name a folder of pictures <card id>.jpg")
    pixels = sum(picture.shape[0] * picture.shape[1] for picture in kept)
    if pixels > MAX_DECK_PIXELS:  # many cards as wide as high
        kept = [_resize_picture(picture, 0.99 * math.sqrt(MAX_DECK_PIXELS / pixels)) for picture in kept]
    return Deck(
        name,
        tuple(cards),
        tuple(kept),
        tuple(owners),
        tuple(lying),
        compute_thresholds(EnrolledFaces(kept, [tuple(cards)[o] for o in owners]), owners, complete=complete),
        complete,
    )


def _resize_picture(picture: NDArray[np.uint8], scale: float) -> NDArray[np.uint8]:
    size = (round(picture.shape[1] * scale), round(picture.shape[0] * scale))
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)


def _find_defect(picture: NDArray[np.uint8]) -> str:
    """What keeps a picture from being a card's; empty if nothing does."""
    shorter, longer = sorted(picture.shape[:2])
    if shorter < MIN_SIDE:
        return "is too small: take it again, nearer"
    if longer > MAX_SIDE_RATIO * shorter:
        return f"is more than {MAX_SIDE_RATIO} times as long as wide: cut it to the card"
    return ""


def _raise_error(trouble: DeckError) -> None:
    raise trouble


def read_card_pictures(
    directory: Path, known: Iterable[str] = (), *, refused: Callable[[DeckError], None] = _raise_error
) -> Iterator[tuple[str, NDArray[np.uint8]]]:
    """The pictures of a folder with their card ids, sorted by file name.

    `KS.jpg` is "KS", `KS#2.jpg` a second picture of it, and `%xx` stands for what a file system refuses.
    Where ids are `known`, a colon in one of them may be an underscore in the file's name. `refused`
    is called with each file that is no picture of a card; by default the first such one is raised.
    """
    plain = {card.replace(":", "_"): card for card in known}
    for path in list_pictures(directory):
        try:
            picture = read_picture(path)
            trouble = _find_defect(picture) and f"{path} {_find_defect(picture)}"
        except PictureError as none:
            trouble = str(none)
        if trouble:
            refused(DeckError(f"{trouble}, or take it out of the folder"))
            continue
        card = card_id(path.stem)
        yield plain.get(card, card), picture


def list_pictures(directory: Path) -> Iterator[Path]:
    """The pictures of a folder, by name."""
    for path in sorted(directory.iterdir()):
        if path.suffix.lower() in PICTURE_SUFFIXES and not path.name.startswith("."):
            yield path


def card_id(stem: str) -> str:
    """The card id that a file's name (without its ending) stands for; the reverse of `file_stem`."""
    return re.sub("%([0-9a-f]{2})", lambda m: chr(int(m[1], 16)), re.sub(r"#\d+$", "", stem))


def file_stem(card: str, number: int = 1) -> str:
    """A file name (without its ending) for the `number`-th picture of a card, on any file system."""
    safe = re.sub(r'[%#/\\:<>"|?*\x00-\x1f\x7f]', lambda m: f"%{ord(m[0]):02x}", card)
    return safe if number == 1 else f"{safe}#{number}"
