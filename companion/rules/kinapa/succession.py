"""Who is the next Emperor (N1–N4), Foxes and Sheep at the transfer."""

from __future__ import annotations

from companion.actions import Seat
from companion.events import Event
from companion.rules.kinapa import bots
from companion.rules.kinapa import events as ev
from companion.rules.kinapa.state import FOXES, KinapaState
from companion.seats import clockwise


def candidates(state: KinapaState) -> tuple[Seat, ...]:
    """The lawful successors; empty when the Emperor stays."""
    forced = tuple([seat for seat in state.turn.forced if seat != state.emperor])
    if forced:  # N1: a liar caught this turn without a Sheep
        return forced
    raised, seats = tuple([seat for seat in state.raised if bots.eligible(state, seat)]), state.seats
    sheepless = tuple([seat for seat in raised if not seats[seat].sheep])
    if sheepless or state.options.all_sheep == "any_raised":  # N2, N3
        return sheepless or raised
    return ()  # N4


def succession(state: KinapaState) -> tuple[Event, ...]:
    """The rulings at the end of a turn."""
    possible = candidates(state)
    if not possible:
        ticks = _ticks(state) if state.fox_per_turn or state.options.fox_tick == "turn" else ()
        return (*ticks, ev.EmperorStays(state.emperor))
    if len(possible) == 1:
        return handed_on(state, possible[0])
    return (ev.SuccessorAsked(possible),)


def handed_on(state: KinapaState, seat: Seat) -> tuple[Event, ...]:
    """The crown goes to `seat`; where a BOT deck lies there, somebody has to take it in hand first."""
    if not state.is_bot(seat):
        return crowned(state, seat)
    possible = bots.switchers(state, seat)
    return switched(state, possible[0], seat) if len(possible) == 1 else (ev.SwitchAsked(seat, possible),)


def switched(state: KinapaState, person: Seat, bot: Seat) -> tuple[Event, ...]:
    """A person takes the BOT deck that is next, and is crowned with it."""
    events = [*_ticks(state), ev.Switched(person, bot), ev.EmperorCrowned(person)]
    if not state.seats[bot].sheep:
        events.append(ev.SheepTaken(person))
        if all(state.seats[place].sheep for place in _playing(state) if place != bot):
            events.append(ev.SheepReturned(person))
    return tuple(events)


def crowned(state: KinapaState, seat: Seat) -> tuple[Event, ...]:
    """The crown moves to `seat`: Foxes first, then the card, then Sheep."""
    events = [*_ticks(state), ev.EmperorCrowned(seat)]
    if not state.seats[seat].sheep:
        events.append(ev.SheepTaken(seat))
        if all(state.seats[place].sheep for place in _playing(state) if place != seat):
            events.append(ev.SheepReturned(seat))
    return tuple(events)


def punished(state: KinapaState, seat: Seat, *, by_raising: bool) -> tuple[Event, ...]:
    """A liar is punished; only `by_raising` without a Sheep gives priority for the crown (KA17)."""
    priority = by_raising and bots.priority(state, seat)
    earlier = tuple(
        place for place in clockwise(0, len(state.seats)) if place != seat and state.seats[place].foxes
    )
    if not earlier or state.options.second_liar == "counters":
        return (ev.Punished(seat, FOXES, priority),)
    match state.options.second_liar:
        case "move":
            return (*(ev.FoxesTaken(place, 0) for place in earlier), ev.Punished(seat, FOXES, priority))
        case "one_each":
            return (*(ev.FoxesTaken(place, 1) for place in earlier), ev.Punished(seat, 1, priority))
    return (ev.PunishmentSpared(seat),)


def _playing(state: KinapaState) -> list[Seat]:
    """The seats whose deck is not empty."""
    return [place for place, seat in enumerate(state.seats) if seat.cards]


def _ticks(state: KinapaState) -> tuple[Event, ...]:
    """Every seat punished before this turn removes one Fox (KA12)."""
    spared = state.turn.punished if state.options.fox_first_tick == "next_turn" else ()
    return tuple(
        ev.FoxRemoved(place, seat.foxes - 1)
        for place, seat in enumerate(state.seats)
        if seat.foxes and place not in spared
    )
