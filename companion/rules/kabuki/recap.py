"""What a game of Kabuki counts, from its rulings in order: Stops won and wasted, doubles nobody noticed."""

from __future__ import annotations

from collections.abc import Iterable

from companion.actions import Value
from companion.events import Event
from companion.rules.kabuki import events as ev
from companion.rules.kabuki.state import STACKS, UNREAD


class Recap(Value, frozen=True):
    """One game in numbers."""

    rounds: int = 0
    right: int = 0
    wrong: int = 0
    missed: int = 0
    """Placements over a twin that nobody stopped."""


def numbers(events: Iterable[Event]) -> tuple[tuple[str, int], ...]:
    """The numbers of a game, by name."""
    recap = of(events)
    return (
        ("rounds", recap.rounds),
        ("stops_right", recap.right),
        ("stops_wrong", recap.wrong),
        ("missed", recap.missed),
    )


def of(events: Iterable[Event]) -> Recap:
    """Count; a check that corrected the log is counted as it was read."""
    rounds = right = wrong = missed = 0
    stacks: dict[int, list[str]] = {}
    doubles: set[int] = set()
    checked = 0
    for event in events:
        match event:
            case ev.RoundBegan():
                stacks, doubles = {stack: [] for stack in range(1, STACKS + 1)}, set()
            case ev.MaskPlaced():
                lying = stacks.setdefault(event.stack, [])
                if event.mask != UNREAD and event.mask in lying:
                    doubles.add(event.number)
                lying.append(event.mask)
            case ev.MaskRead() if stacks.get(event.stack):
                stacks[event.stack][-1] = event.mask
            case ev.StackRead():
                stacks[event.stack] = list(event.cards)
            case ev.StopAssigned():
                checked = event.number
            case ev.StopRight():
                right += 1
                doubles.discard(checked)
            case ev.StopWrong():
                wrong += 1
                doubles.discard(checked)
            case ev.RoundEnded():
                rounds += 1
                missed += len(doubles)
                doubles = set()
    return Recap(rounds, right, wrong, missed)
