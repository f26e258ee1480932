"""Decides by a vote over several readings what lies in a place."""

from collections import Counter
from dataclasses import dataclass, field

from companion.core.actions import Micros
from companion.core.observations import UNKNOWN, RegionReading, SeenCard

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

    def settled_content(self, name: str) -> Content | None:
        """What is in a place as far as it settled."""
        place = self._places.get(name)
        return None if place is None else place.settled

    def forget(self, name: str) -> None:
        """Read this place again as if it had never been read: somebody asked for it."""
        self._places.pop(name, None)
