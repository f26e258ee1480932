"""What a game of dnup counts, from its rulings in order."""

from __future__ import annotations

from collections.abc import Iterable

from companion.core.events import Event
from companion.games.dnup.rules import events as ev


def numbers(events: Iterable[Event]) -> tuple[tuple[str, int], ...]:
    """The numbers of a game, by name."""
    rounds = plays = added = taken = turned = beaten = largest = 0
    for event in events:
        match event:
            case ev.RoundEnded():
                rounds += 1
            case ev.SetPlayed():
                plays += 1
                largest = max(largest, event.count)
            case ev.CardAdded():
                added += 1
                largest = max(largest, event.count)
            case ev.SetTaken():
                taken += 1
            case ev.HandRotated():
                turned += 1
            case ev.SetReturned() | ev.SetBeaten():
                beaten += 1
    return (
        ("rounds", rounds),
        ("sets_played", plays),
        ("cards_added", added),
        ("sets_taken", taken),
        ("rotations", turned),
        ("sets_beaten", beaten),
        ("largest_set", largest),
    )
