"""Who is the next Emperor (N1–N4), Foxes and Sheep at the transfer."""

from collections.abc import Sequence
from typing import NamedTuple

from companion.core.actions import Seat
from companion.core.events import Event
from companion.games.kinapa.rules import bots
from companion.games.kinapa.rules import events as ev
from companion.games.kinapa.rules.state import FOXES, KinapaState


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


def left_one(state: KinapaState, seat: Seat) -> str:
    """Why nobody but `seat` could be crowned now (N1–N3); empty if the Emperor or the cards chose."""
    if not state.turns or state.turn.candidates or candidates(state) != (seat,):
        return ""
    if state.turn.forced:
        return "caught"
    others = [one for one in state.raised if one != seat]
    if not others:
        return "alone"
    first = not state.seats[seat].sheep and all(state.seats[one].sheep for one in others)
    return "sheepless" if first else ""


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
    """The crown goes to `seat`; where a BOT deck is there, somebody has to take it in hand first."""
    if not state.is_bot(seat):
        return crowned(state, seat)
    possible = bots.switchers(state, seat)
    return switched(state, possible[0], seat) if len(possible) == 1 else (ev.SwitchAsked(seat, possible),)


def switched(state: KinapaState, person: Seat, bot: Seat) -> tuple[Event, ...]:
    """A person takes the BOT deck that is next, and is crowned with it."""
    taken = (ev.Switched(person, bot), ev.EmperorCrowned(person))
    return (*_ticks(state), *taken, *_sheep(state, person, bot))


def crowned(state: KinapaState, seat: Seat) -> tuple[Event, ...]:
    """The crown moves to `seat`: Foxes first, then the card, then Sheep."""
    return (*_ticks(state), ev.EmperorCrowned(seat), *_sheep(state, seat, seat))


def _sheep(state: KinapaState, person: Seat, deck: Seat) -> tuple[Event, ...]:
    """A new Emperor takes a Sheep for a deck without one; where all have one, the others go back."""
    if state.seats[deck].sheep:
        return ()
    others = all(state.seats[place].sheep for place in _playing(state) if place != deck)
    return (ev.SheepTaken(person), *((ev.SheepReturned(person),) if others else ()))


class Liar(NamedTuple):
    """Somebody who is punished now."""

    seat: Seat
    by_raising: bool
    """Only a lie by raising gives priority for the crown (KA17)."""


def punished(state: KinapaState, liars: Sequence[Liar], foxes: int) -> tuple[Event, ...]:
    """Liars are punished with this many Foxes each, as far as there are any (KA6, KA14).

    An earlier liar's Foxes move only to somebody who is caught now, so without a liar nothing moves (K-T63).
    """
    if not liars:
        return ()
    out, caught = _foxed(state), punishable(state, [liar.seat for liar in liars], foxes)
    rule = state.options.second_liar
    kept = {"move": 0, "one_each": 1}.get(rule, FOXES)
    leave = (
        ev.FoxesTaken(seat, kept) for seat in out if seat not in caught and state.seats[seat].foxes > kept
    )
    each = 1 if rule == "one_each" and len({*out, *caught}) > 1 else foxes
    taken = (
        ev.Punished(liar.seat, each, liar.by_raising and bots.priority(state, liar.seat))
        for liar in liars
        if liar.seat in caught
    )
    return (*leave, *taken, *(ev.PunishmentSpared(liar.seat) for liar in liars if liar.seat not in caught))


def punishable(state: KinapaState, liars: Sequence[Seat], foxes: int) -> tuple[Seat, ...]:
    """Those of `liars`, in their order, for whom there are Foxes; counters stand for any number of cards."""
    out = _foxed(state)
    match state.options.second_liar:
        case "counters":
            return tuple(liars)
        case "none":  # the Foxes that are out stay with whoever has them, and may be given to that seat again
            liars = [seat for seat in liars if out in ([], [seat])]
        case "one_each" if len({*out, *liars}) > 1:
            new = [seat for seat in liars if seat not in out][: max(0, FOXES - len(out))]
            return tuple(seat for seat in liars if seat in out or seat in new)
    return tuple(liars[: FOXES // foxes])


def _foxed(state: KinapaState) -> list[Seat]:
    """The seats that have a Fox."""
    return [seat for seat, deck in enumerate(state.seats) if deck.foxes]


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
