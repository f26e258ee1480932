"""Statistics of a Kabuki game, computed from its events."""

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec.structs import replace

from companion.core.actions import Chair, Value
from companion.core.events import Event
from companion.core.exhibits import MissedTwin, PlayerRound, ReactionTime, RoundRecap
from companion.games.kabuki.rules import events as ev
from companion.games.kabuki.rules.options import KabukiOptions
from companion.games.kabuki.rules.photo_finish import photo_finishes
from companion.games.kabuki.rules.state import STACK_COUNT, UNREAD


class KabukiRecap(Value, frozen=True):
    """One game in numbers."""

    rounds: int = 0
    right: int = 0
    wrong: int = 0
    missed: int = 0
    """Placements over a twin that nobody stopped."""
    unnoticed: tuple[ev.MaskPlaced, ...] = ()
    """Those of the last round that is over."""


def recap_statistics(events: Iterable[Event]) -> tuple[tuple[str, int], ...]:
    """The numbers of a game, by name."""
    recap = count_events(events)
    return (
        ("rounds", recap.rounds),
        ("stops_right", recap.right),
        ("stops_wrong", recap.wrong),
        ("missed", recap.missed),
    )


def count_events(events: Iterable[Event]) -> KabukiRecap:
    """Count; a check that corrected the log is counted as it was read."""
    rounds = right = wrong = missed = 0
    stacks: dict[int, list[str]] = {}
    doubles: dict[int, ev.MaskPlaced] = {}
    unnoticed: tuple[ev.MaskPlaced, ...] = ()
    checked = 0
    for event in events:
        match event:
            case ev.KabukiRoundBegan():
                stacks, doubles = {stack: [] for stack in range(1, STACK_COUNT + 1)}, {}
            case ev.MaskPlaced():
                lying = stacks.setdefault(event.stack, [])
                if event.mask != UNREAD and event.mask in lying:
                    doubles[event.number] = event
                lying.append(event.mask)
            case ev.MaskRead() if stacks.get(event.stack):
                stacks[event.stack][-1] = event.mask
            case ev.StackRead():
                stacks[event.stack] = list(event.cards)
            case ev.StopAssigned():
                checked = event.number
            case ev.StopRight():
                right += 1
                doubles.pop(checked, None)
            case ev.StopWrong():
                wrong += 1
                doubles.pop(checked, None)
            case ev.KabukiRoundEnded():
                rounds += 1
                missed += len(doubles)
                unnoticed, doubles = tuple(doubles.values()), {}
    return KabukiRecap(rounds, right, wrong, missed, unnoticed)


def build_round_recap(
    chairs: tuple[Chair, ...], options: KabukiOptions, entries: Sequence[Any], totals: Sequence[int]
) -> RoundRecap | None:
    """The round that ended last among `entries` (the oldest first, from its beginning on)."""
    events = [event for entry in entries for event in entry.events]
    over = [event for event in events if isinstance(event, ev.KabukiRoundEnded)]
    if not over:
        return None
    begun = [event.round for event in events if isinstance(event, ev.KabukiRoundBegan)]
    finished = photo_finishes(chairs, options, entries)
    players = tuple(
        replace(
            _build_player_round(seat, chair, events, finished),
            tokens=over[-1].scores[seat],
            total=totals[seat],
        )
        for seat, chair in enumerate(chairs)
    )
    missed = tuple(
        MissedTwin(f"mask:{placed.mask}", chairs[placed.seat], placed.stack)
        for placed in count_events(events).unnoticed
    )
    return RoundRecap(begun[-1] if begun else 1, players, missed)


def _build_player_round(
    seat: int, chair: Chair, events: Sequence[Event], finished: Sequence[Any]
) -> PlayerRound:
    won = [event for event in events if isinstance(event, ev.StopRight) and event.seat == seat]
    wasted = [event for event in events if isinstance(event, ev.StopWrong) and event.seat == seat]
    vain = (ev.StopVoided, ev.OwnMaskCalled, ev.StopTooEarly, ev.StopTooLate, ev.StopInCooldown)
    reactions = tuple(
        ReactionTime(max(0, press.at - race.lies_since), max(0, press.at - race.clear_until))
        for race in finished
        for press in race.presses
        if press.chair == chair and press.verdict == "counts"
    )
    return PlayerRound(
        chair=chair,
        tokens=0,
        total=0,
        won=len(won),
        gained=sum(event.paid for event in won),
        wasted=len(wasted),
        vain=sum(isinstance(event, vain) and event.seat == seat for event in events),
        reactions=reactions,
    )
