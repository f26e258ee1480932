"""What a game of dnup counts, from its rulings in order."""

from collections import Counter
from collections.abc import Iterable

from companion.core.events import Event
from companion.games.dnup.rules import events as ev


def numbers(events: Iterable[Event]) -> tuple[tuple[str, int], ...]:
    """The numbers of a game, by name."""
    every = list(events)
    counts = Counter(map(type, every))
    sets = (event.count for event in every if isinstance(event, ev.SetPlayed | ev.CardAdded))
    return (
        ("rounds", counts[ev.RoundEnded]),
        ("sets_played", counts[ev.SetPlayed]),
        ("cards_added", counts[ev.CardAdded]),
        ("sets_taken", counts[ev.SetTaken]),
        ("rotations", counts[ev.HandRotated]),
        ("sets_beaten", counts[ev.SetReturned] + counts[ev.SetBeaten]),
        ("largest_set", max(sets, default=0)),
    )
