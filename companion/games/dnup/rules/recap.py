"""Statistics of a dnup game, computed from its events."""

from collections import Counter
from collections.abc import Iterable

from companion.core.events import Event
from companion.games.dnup.rules import events as ev


def recap_statistics(events: Iterable[Event]) -> tuple[tuple[str, int], ...]:
    """The numbers of a game, by name."""
    every = list(events)
    counts = Counter(map(type, every))
    sets = (event.count for event in every if isinstance(event, ev.SetPlayed | ev.CardAdded))
    return (
        ("rounds", counts[ev.DnupRoundEnded]),
        ("sets_played", counts[ev.SetPlayed]),
        ("cards_added", counts[ev.CardAdded]),
        ("sets_taken", counts[ev.SetTaken]),
        ("rotations", counts[ev.HandRotated]),
        ("sets_beaten", counts[ev.SetReturned] + counts[ev.SetBeaten]),
        ("largest_set", max(sets, default=0)),
    )
