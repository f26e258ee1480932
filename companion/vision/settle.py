"""When a place has settled: the same reading several frames in a row, as pure as the lockout."""

from __future__ import annotations

from dataclasses import dataclass, field

from companion.core.actions import Micros
from companion.core.observations import UNKNOWN, Face, Region

Content = tuple[Face, ...]
NEEDED = 3
"""Equal readings in a row that settle a place."""
ASKED_AFTER: Micros = 1_500_000
"""A card that cannot be read settles as unknown only after this long: a hand that rests on it goes away."""
ABOUT_THE_SAME = 25
"""Degrees by which a card may lie otherwise and still count as not moved."""


def same(one: Content, other: Content) -> bool:
    """Whether two readings say the same cards the same way up; most backs look the same upside down."""
    return len(one) == len(other) and all(
        a.card == b.card
        and (a.card.startswith("back:") or abs((a.turn - b.turn + 180) % 360 - 180) <= ABOUT_THE_SAME)
        for a, b in zip(one, other, strict=True)
    )


@dataclass(slots=True)
class _Watched:
    """One place."""

    settled: Content | None = None
    clear_until: Micros = 0
    """Exposure of the last frame in which the place was as settled."""
    candidate: Content | None = None
    run: int = 0
    since: Micros = 0
    """Exposure of the first frame of the run."""


@dataclass(slots=True)
class Settle:
    """Turns readings into settled content, place by place."""

    needed: int = NEEDED
    _places: dict[str, _Watched] = field(default_factory=dict)

    def step(self, name: str, content: Content | None, at: Micros) -> Region | None:
        """One frame's reading of a place, None when it cannot be read; what settled with it, if anything."""
        place = self._places.setdefault(name, _Watched())
        if content is None:
            place.candidate, place.run = None, 0
            return None
        if place.settled is not None and same(content, place.settled):
            place.clear_until = at
            place.candidate, place.run = None, 0
            return None
        if place.candidate is None or not same(content, place.candidate):
            place.candidate, place.run, place.since = content, 0, at
        place.run += 1
        unread = any(face.card == UNKNOWN for face in content)
        if place.run < self.needed or (unread and at - place.since < ASKED_AFTER):
            return None
        region = Region(name, content, place.clear_until, place.since)
        place.settled, place.clear_until = content, at
        place.candidate, place.run = None, 0
        return region

    def settled(self, name: str) -> Content | None:
        """What lies in a place as far as it settled."""
        place = self._places.get(name)
        return None if place is None else place.settled

    def forget(self, name: str) -> None:
        """Read this place again as if it had never been read: somebody asked for it."""
        self._places.pop(name, None)
