"""What a game of Kobayakawa counts, from its rulings in order."""

from __future__ import annotations

from collections.abc import Iterable

from companion.core.actions import Value
from companion.core.events import Event
from companion.games.kobayakawa.rules import events as ev


class Recap(Value, frozen=True):
    """One game in numbers."""

    rounds: int = 0
    fights: int = 0
    """Times that somebody fought."""
    alone: int = 0
    """Rounds won unseen."""
    helped: int = 0
    """Rounds won by the lowest card with the Kobayakawa's help."""
    most: int = 0
    """Most kamons taken at once."""


def numbers(events: Iterable[Event]) -> tuple[tuple[str, int], ...]:
    """The numbers of a game, by name."""
    recap = of(events)
    return (
        ("rounds", recap.rounds),
        ("fights", recap.fights),
        ("alone", recap.alone),
        ("helped", recap.helped),
        ("most_kamons", recap.most),
    )


def of(events: Iterable[Event]) -> Recap:
    """Count; a deal that was void does not."""
    rounds = fights = alone = helped = most = now = 0
    shown: dict[int, int] = {}
    for event in events:
        match event:
            case ev.RoundBegan():
                rounds, now, shown = rounds + 1, 0, {}
            case ev.DealVoided():
                rounds, fights = rounds - 1, fights - now
            case ev.Fought():
                fights, now = fights + 1, now + 1
            case ev.CardShown():
                shown[event.seat] = event.number
            case ev.RoundWon():
                alone += event.how in {"alone", "last"}
                helped += bool(shown) and shown.get(event.seat) == min(shown.values())
                most = max(most, event.count)
    return Recap(rounds, fights, alone, helped, most)
