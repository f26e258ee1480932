"""Decides when a place lies still, and by a vote over several readings what lies in it."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.core.actions import Micros
from companion.core.observations import UNKNOWN, RegionReading, SeenCard

Picture = NDArray[np.uint8]
Floats = NDArray[np.float32]
_THUMB = (24, 20)
MIN_MOVED_LEVELS = 14.0
"""Grey levels by which a part of a place's thumbnail differs when something moved there."""
MAX_STILL_LEVELS = MIN_MOVED_LEVELS / 2
"""The same of a coarser look up to which no part of the thumbnail can differ so much.

First of blocks of four by four pixels, which are smaller than such a part: a block it has half of may have
changed in that half alone. Where the camera's noise reaches that, of a thumbnail of half the picture, whose
parts share more than half with the thumbnail's own.
"""
MAX_SWAY = 4.5
"""Pixels by which a picture may be off the one before it: cards and hands move farther."""
MAX_FLICKER = 0.25
"""Share by which it may be lighter or darker."""
_WHITE = 255.0
_NO_SWAY = 0.0, 0.0
_STEPS = 2
"""Steps of least squares: one falls short where the sway is as wide as what is printed."""
_REGULARISATION = np.eye(4, dtype=np.float32)
"""A bare place has no slopes: there the least that explains it is no sway at all."""


@dataclass(frozen=True, eq=False)
class PlaceSnapshot:
    """A place as it is compared from picture to picture."""

    part: Picture
    """(height, width, 3)"""
    half: Picture
    """Half as wide and high, rounded up."""
    rough: Picture
    """A quarter as wide and high."""
    light: Floats | None = None
    """(height,): how many times as light as usual each row is; None: as usual."""

    @classmethod
    def of(cls, part: Picture, light: Floats | None = None) -> PlaceSnapshot:
        """A part of a picture, (height, width, 3), of which a copy is kept, and the `light` on its rows."""
        below, beside = -part.shape[0] % 4, -part.shape[1] % 4
        whole = cv2.copyMakeBorder(part, 0, below, 0, beside, cv2.BORDER_REPLICATE)
        half = _halve(np.asarray(whole, np.uint8))
        rows, columns = (part.shape[0] + 1) // 2, (part.shape[1] + 1) // 2
        return cls(part.copy(), half[:rows, :columns], _halve(half), light)

    @cached_property
    def _rough_thumb(self) -> Floats:
        """Nearly the thumbnail, made of a quarter as many pixels."""
        return _make_thumbnail(self.half)

    @cached_property
    def _thumb(self) -> Floats:
        return _make_thumbnail(self.part)

    @cached_property
    def _soft(self) -> Floats:
        """Half as wide and high, and a little blurred."""
        half = (max(1, self.part.shape[1] // 2), max(1, self.part.shape[0] // 2))
        small = cv2.resize(self.part, half, interpolation=cv2.INTER_AREA)
        return np.asarray(cv2.GaussianBlur(small, (5, 5), 1), np.float32)

    @cached_property
    def _grey(self) -> Floats:
        return np.asarray(cv2.cvtColor(self._soft, cv2.COLOR_BGR2GRAY), np.float32)

    def differs_from(self, now: PlaceSnapshot) -> bool:
        """Whether the place looks otherwise now, by more than sway, flicker and focus explain."""
        if cv2.norm(self.rough, now.rough, cv2.NORM_INF) <= MAX_STILL_LEVELS:
            return False
        if cv2.norm(self._rough_thumb, now._rough_thumb, cv2.NORM_INF) <= MAX_STILL_LEVELS:
            return False
        if cv2.norm(self._thumb, now._thumb, cv2.NORM_INF) <= MIN_MOVED_LEVELS:
            return False
        before, after, grey = self._soft, now._soft, self._grey
        if self.light is not None and now.light is not None:
            rows = cv2.resize((now.light / self.light)[:, None], (1, len(before)))
            before, grey = before * rows[:, None], grey * rows
        sway, lighter, softer = _estimate_change(grey, now._grey)
        if 2 * np.hypot(*sway) > MAX_SWAY or abs(lighter) > MAX_FLICKER:
            return True
        swayed, both = _shift_picture(before, sway)
        expected = (1 + lighter) * swayed + softer * cv2.Laplacian(swayed, cv2.CV_32F, ksize=3)
        left = np.zeros_like(after)
        left[both] = (after - np.minimum(expected, _WHITE))[both]
        return float(np.abs(_make_thumbnail(left)).max()) > MIN_MOVED_LEVELS


def _halve(part: Picture) -> Picture:
    """Each pixel the mean of two by two, of an even number of rows and columns."""
    half = part.shape[1] // 2, part.shape[0] // 2
    return np.asarray(cv2.resize(part, half, interpolation=cv2.INTER_AREA), np.uint8)


def _make_thumbnail(part: Picture | Floats) -> Floats:
    return np.asarray(cv2.resize(part, _THUMB, interpolation=cv2.INTER_AREA), np.float32)


def _shift_picture(soft: Floats, sway: tuple[float, float]) -> tuple[Floats, tuple[slice, slice]]:
    """The picture gone by so many pixels to the right and down, and the part of it that was in it before."""
    (high, wide), (aside, down) = soft.shape[:2], sway
    if sway == _NO_SWAY:
        return soft, (slice(0, high), slice(0, wide))
    beside = np.array([[1, 0, aside], [0, 1, down]], np.float32)
    rows, columns = (
        slice(max(0, math.ceil(by)), max(0, size + min(0, math.floor(by))))
        for by, size in ((down, high), (aside, wide))
    )
    return np.asarray(cv2.warpAffine(soft, beside, (wide, high)), np.float32), (rows, columns)


def _estimate_change(before: Floats, now: Floats) -> tuple[tuple[float, float], float, float]:
    """What sway, light and focus make of the difference of two grey pictures.

    Pixels to the right and down, the share by which it is lighter, and the part of its Laplacian that more
    blur adds. Least squares (Lucas and Kanade, 1981).
    """
    sway = _NO_SWAY
    for _ in range(_STEPS):
        swayed, both = _shift_picture(before, sway)
        slopes = (cv2.Sobel(swayed, cv2.CV_32F, *axis, scale=1 / 8) for axis in ((1, 0), (0, 1)))
        parts = (*slopes, swayed, cv2.Laplacian(swayed, cv2.CV_32F, ksize=3), now - swayed)
        flat = np.concatenate([part[both].ravel() for part in parts]).reshape(len(parts), -1)
        flat, apart = flat[:-1], flat[-1]
        normal = flat @ flat.T + _REGULARISATION
        aside, down, lighter, softer = np.linalg.solve(normal, flat @ apart).tolist()
        sway = sway[0] - aside, sway[1] - down
    return sway, lighter, softer


Content = tuple[SeenCard, ...]
MIN_VOTE_LEAD = 3
"""Looks by which a reading must lead all others together."""
UNREAD_WEIGHT = 0.5
"""How much a look that could not be read counts against what the others name.

Cards left out of their decks, shaken a little and much: one look named 5 and 4 of 65, eight
looks 4 and 5, or 3 and 3 if those that could not be read count so. Of 288 that were enrolled, shaken much:
248, or 259 (one of them wrong), or 255.
"""
UNKNOWN_AFTER: Micros = 1_500_000
"""A card that cannot be read settles as unknown only after this long: a hand that rests on it goes away."""
MAX_SAME_ROTATION = 25
"""Degrees by which a card may turn and still count as not moved."""
UNREAD: Content = (SeenCard(UNKNOWN, 0, 0.0),)


def is_same_content(one: Content, other: Content) -> bool:
    """Whether two readings say the same cards the same way up; most backs look the same upside down."""
    return len(one) == len(other) and all(
        a.card == b.card
        and (a.card.startswith("back:") or abs((a.turn - b.turn + 180) % 360 - 180) <= MAX_SAME_ROTATION)
        for a, b in zip(one, other, strict=True)
    )


def _card_ids(content: Content) -> tuple[str, ...]:
    return tuple(face.card for face in content)


def has_unread_card(content: Content) -> bool:
    """Is a card there that was not read?"""
    return any(face.card == UNKNOWN for face in content)


@dataclass(slots=True)
class _PlaceVotes:
    """One place."""

    settled: Content | None = None
    clear_until: Micros = 0
    """Exposure of the last frame in which the place was as settled."""
    said: list[tuple[Content, int]] = field(default_factory=list)
    """What was read since something moved there, and how often."""
    since: Micros | None = None
    """Exposure of the first frame since then that was not as settled."""

    def add_reading(self, content: Content) -> None:
        """One look more says this; its confidence and exact turn take the place of those before."""
        for at, (before, times) in enumerate(self.said):
            if is_same_content(before, content):
                self.said[at] = content, times + 1
                return
        self.said.append((content, 1))

    @property
    def reading_count(self) -> int:
        return sum(times for _, times in self.said)

    def leading_content(self, needed: int) -> Content | None:
        """The reading that leads all else by this many looks.

        Looks that dispute only which way up the cards are count against one another, until twice as many as
        are needed named these cards: then what looks alike upside down is as most of them say.
        """
        ways = [(times, said) for said, times in self.said if not has_unread_card(said)]
        named = Counter[tuple[str, ...]]()
        for times, said in ways:
            named[_card_ids(said)] += times
        if not named:
            return None
        cards, count = named.most_common(1)[0]
        against = named.total() - count + UNREAD_WEIGHT * (self.reading_count - named.total())
        most, content = max((way for way in ways if _card_ids(way[1]) == cards), key=lambda way: way[0])
        ahead = 2 * most - count
        sure = count if ahead > 0 and count >= 2 * needed else ahead
        return content if sure - against >= needed else None


@dataclass(slots=True)
class ReadingVote:
    """Turns looks into settled content, place by place."""

    needed: int = MIN_VOTE_LEAD
    _places: dict[str, _PlaceVotes] = field(default_factory=dict)

    def step(
        self, name: str, content: Content | None, at: Micros, *, looked: bool = True
    ) -> RegionReading | None:
        """One frame's reading of a place, None when something has moved there; what settled with it.

        `looked`: whether it was read in this frame, or is as it was when it was read last.
        """
        place = self._places.setdefault(name, _PlaceVotes())
        if content is None:
            place.said, place.since = [], None
            return None
        if looked:
            place.add_reading(content)
        if place.settled is not None and is_same_content(content, place.settled):
            place.clear_until, place.since = at, None
            return None
        since = place.since = at if place.since is None else place.since
        told = place.leading_content(self.needed)
        if told is None and at - since >= UNKNOWN_AFTER and place.reading_count >= self.needed:
            told = next((content for content, _ in place.said if has_unread_card(content)), UNREAD)
        if told is None or (place.settled is not None and is_same_content(told, place.settled)):
            return None
        region = RegionReading(name, told, place.clear_until, since)
        place.settled, place.clear_until, place.since = told, at, None
        return region

    def is_certain(self, name: str) -> bool:
        """Whether nothing is left to find out by another look."""
        place = self._places.get(name)
        return place is not None and place.leading_content(self.needed) is not None

    def has_readings(self, name: str) -> bool:
        """Whether any look said anything since something moved there."""
        place = self._places.get(name)
        return place is not None and bool(place.said)

    def shown_content(self, name: str, at: Micros) -> Content | None:
        """What settled in a place, if the picture at `at` shows it; None: something moves or lies over it."""
        place = self._places.get(name)
        return place.settled if place is not None and place.clear_until == at else None

    def settled_content(self, name: str) -> Content | None:
        """What is in a place as far as it settled."""
        place = self._places.get(name)
        return None if place is None else place.settled

    def forget(self, name: str) -> None:
        """Read this place again as if it had never been read: somebody asked for it."""
        self._places.pop(name, None)
