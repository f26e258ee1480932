"""Who becomes the next Emperor (rules N1 to N4 of docs/rules.md), and which Foxes and Sheep move then."""

from collections.abc import Sequence
from typing import NamedTuple

from companion.core.actions import Seat
from companion.core.events import Event
from companion.games.kinapa.rules import bot_decks
from companion.games.kinapa.rules import events as ev
from companion.games.kinapa.rules.state import FOXES_PER_LIAR, KinapaState


def crown_candidates(state: KinapaState) -> tuple[Seat, ...]:
    """The lawful successors; empty when the Emperor stays."""
    forced = tuple([seat for seat in state.turn.forced if seat != state.emperor])
    if forced:  # N1: a liar caught this turn without a Sheep
        return forced
    raised, seats = (
        tuple([seat for seat in state.raised if bot_decks.can_be_crowned(state, seat)]),
        state.seats,
    )
    sheepless = tuple([seat for seat in raised if not seats[seat].sheep])
    if sheepless or state.options.all_sheep == "any_raised":  # N2, N3
        return sheepless or raised
    return ()  # N4


def sole_successor_reason(state: KinapaState, seat: Seat) -> str:
    """Why nobody but `seat` could be crowned now (N1–N3); empty if the Emperor or the cards chose."""
    if not state.turns or state.turn.candidates or crown_candidates(state) != (seat,):
        return ""
    if state.turn.forced:
        return "caught"
    others = [one for one in state.raised if one != seat]
    if not others:
        return "alone"
    first = not state.seats[seat].sheep and all(state.seats[one].sheep for one in others)
    return "sheepless" if first else ""


def rule_succession(state: KinapaState) -> tuple[Event, ...]:
    """The rulings at the end of a turn."""
    possible = crown_candidates(state)
    if not possible:
        ticks = _remove_foxes(state) if state.fox_per_turn or state.options.fox_tick == "turn" else ()
        return (*ticks, ev.EmperorStays(state.emperor))
    if len(possible) == 1:
        return hand_on_crown(state, possible[0])
    return (ev.SuccessorAsked(possible),)


def hand_on_crown(state: KinapaState, seat: Seat) -> tuple[Event, ...]:
    """The crown goes to `seat`; where a BOT deck is there, somebody has to take it in hand first."""
    if not state.is_bot(seat):
        return crown_seat(state, seat)
    possible = bot_decks.possible_switchers(state, seat)
    return (
        switch_and_crown(state, possible[0], seat)
        if len(possible) == 1
        else (ev.SwitchAsked(seat, possible),)
    )


def switch_and_crown(state: KinapaState, person: Seat, bot: Seat) -> tuple[Event, ...]:
    """A person takes the BOT deck that is next, and is crowned with it."""
    taken = (ev.DecksSwitched(person, bot), ev.EmperorCrowned(person))
    return (*_remove_foxes(state), *taken, *_give_sheep(state, person, bot))


def crown_seat(state: KinapaState, seat: Seat) -> tuple[Event, ...]:
    """The crown moves to `seat`: Foxes first, then the card, then Sheep."""
    return (*_remove_foxes(state), ev.EmperorCrowned(seat), *_give_sheep(state, seat, seat))


def _give_sheep(state: KinapaState, person: Seat, deck: Seat) -> tuple[Event, ...]:
    """A new Emperor takes a Sheep for a deck without one; where all have one, the others go back."""
    if state.seats[deck].sheep:
        return ()
    others = all(state.seats[place].sheep for place in _seats_with_cards(state) if place != deck)
    return (ev.SheepTaken(person), *((ev.SheepReturned(person),) if others else ()))


class Liar(NamedTuple):
    """Somebody who is punished now."""

    seat: Seat
    by_raising: bool
    """Only a lie by raising gives priority for the crown (KA17)."""


def punish_liars(state: KinapaState, liars: Sequence[Liar], foxes: int) -> tuple[Event, ...]:
    """Liars are punished with this many Foxes each, as far as there are any (KA6, KA14).

    An earlier liar's Foxes move only to somebody who is caught now, so without a liar nothing moves (K-T63).
    """
    if not liars:
        return ()
    out, caught = _seats_with_fox(state), punishable_liars(state, [liar.seat for liar in liars], foxes)
    rule = state.options.second_liar
    kept = {"move": 0, "one_each": 1}.get(rule, FOXES_PER_LIAR)
    leave = (
        ev.FoxesTaken(seat, kept) for seat in out if seat not in caught and state.seats[seat].foxes > kept
    )
    each = 1 if rule == "one_each" and len({*out, *caught}) > 1 else foxes
    taken = (
        ev.LiarPunished(liar.seat, each, liar.by_raising and bot_decks.has_crown_priority(state, liar.seat))
        for liar in liars
        if liar.seat in caught
    )
    return (*leave, *taken, *(ev.PunishmentSpared(liar.seat) for liar in liars if liar.seat not in caught))


def punishable_liars(state: KinapaState, liars: Sequence[Seat], foxes: int) -> tuple[Seat, ...]:
    """Those of `liars`, in their order, for whom there are Foxes; counters stand for any number of cards."""
    out = _seats_with_fox(state)
    match state.options.second_liar:
        case "counters":
            return tuple(liars)
        case "none":  # the Foxes that are out stay with whoever has them, and may be given to that seat again
            liars = [seat for seat in liars if out in ([], [seat])]
        case "one_each" if len({*out, *liars}) > 1:
            new = [seat for seat in liars if seat not in out][: max(0, FOXES_PER_LIAR - len(out))]
            return tuple(seat for seat in liars if seat in out or seat in new)
    return tuple(liars[: FOXES_PER_LIAR // foxes])


def _seats_with_fox(state: KinapaState) -> list[Seat]:
    """The seats that have a Fox."""
    return [seat for seat, deck in enumerate(state.seats) if deck.foxes]


def _seats_with_cards(state: KinapaState) -> list[Seat]:
    """The seats whose deck is not empty."""
    return [place for place, seat in enumerate(state.seats) if seat.cards]


def _remove_foxes(state: KinapaState) -> tuple[Event, ...]:
    """Every seat punished before this turn removes one Fox (KA12)."""
    spared = state.turn.punished if state.options.fox_first_tick == "next_turn" else ()
    return tuple(
        ev.FoxRemoved(place, seat.foxes - 1)
        for place, seat in enumerate(state.seats)
        if seat.foxes and place not in spared
    )
