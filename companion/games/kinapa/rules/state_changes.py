"""Small state updates that Kinapa's `evolve` is built from."""

from typing import Any

from msgspec.structs import replace

from companion.core.actions import Seat
from companion.games.kinapa.rules.state import Claim, KinapaPhase, KinapaState


def with_turn(state: KinapaState, phase: KinapaPhase | None = None, **changes: Any) -> KinapaState:
    """The state with something changed about the turn, and in another phase if one is given."""
    return replace(state, phase=phase or state.phase, turn=replace(state.turn, **changes))


def with_seat(state: KinapaState, seat: Seat, **changes: Any) -> KinapaState:
    """The state with something changed about one seat's deck."""
    seats = list(state.seats)
    seats[seat] = replace(seats[seat], **changes)
    return replace(state, seats=tuple(seats))


def with_foxes(state: KinapaState, seat: Seat, foxes: int) -> KinapaState:
    """This many Foxes; without any the cards are taken up, and the row they lay in is anybody's."""
    kept: dict[str, Any] = {} if foxes else {"opened": (), "row": 0}
    return with_seat(state, seat, foxes=foxes, **kept)


def with_slot(state: KinapaState, slot: int, **changes: Any) -> KinapaState:
    """The state with something changed about a place of the ring, numbered from 1; 0 changes nothing."""
    if slot == 0:
        return state
    slots = list(state.slots)
    slots[slot - 1] = replace(slots[slot - 1], **changes)
    return replace(state, slots=tuple(slots))


def move_card(state: KinapaState, giver: Seat, taker: Seat) -> KinapaState:
    """One unseen card goes from hand to hand; claims that two received cards could explain are dropped."""
    seats = list(state.seats)
    seats[giver] = replace(seats[giver], cards=seats[giver].cards - 1, opened=())
    received = seats[taker].received + 1
    seats[taker] = replace(seats[taker], cards=seats[taker].cards + 1, received=received)
    claims = tuple(claim for claim in state.claims if claim.seat != taker or received - claim.received < 2)
    return replace(state, seats=tuple(seats), claims=claims)


def forget_holdings(state: KinapaState, *seats: Seat) -> KinapaState:
    """After another exchange nobody knows whether these seats still hold what they held (KI7)."""
    if not state.holds:
        return state
    return replace(state, holds=tuple(held for held in state.holds if held[0] not in seats))


def switch_decks(state: KinapaState, hand: Seat, bot: Seat) -> KinapaState:
    """Two decks change places; what is known of a deck goes along, what a person claimed of it is dropped."""
    there = {hand: bot, bot: hand}

    def remap_seats(seats: tuple[Seat, ...]) -> tuple[Seat, ...]:
        return tuple(there.get(seat, seat) for seat in seats)

    places = remap_seats(tuple(range(len(state.seats))))
    turn = replace(
        state.turn,
        raised=remap_seats(state.turn.raised),
        punished=remap_seats(state.turn.punished),
        forced=remap_seats(state.turn.forced),
    )
    return replace(
        state,
        seats=tuple(state.seats[place] for place in places),
        decks=tuple(state.decks[place] for place in places),
        holds=tuple((there.get(seat, seat), number) for seat, number in state.holds),
        claims=tuple(claim for claim in state.claims if claim.seat not in there),
        turn=turn,
        stays=0,
    )


def build_claim(state: KinapaState, seat: Seat, *, denied: bool) -> Claim:
    """What a seat claims now of the announced number: a raised hand, or (`denied`) an answer."""
    return Claim(seat, state.turn.number, denied, state.seats[seat].received, state.turns)


def drop_claims(state: KinapaState, seat: Seat, number: int) -> KinapaState:
    """Drop the claims of `seat` on `number`: they are proven, or the card is gone."""
    kept = tuple(claim for claim in state.claims if claim.seat != seat or claim.number != number)
    return state if len(kept) == len(state.claims) else replace(state, claims=kept)
