"""What public facts prove (KI1, KI7). Only proofs: suspicion is never spoken.

A seat that shows c cards of a number now, and received fewer than c cards since it claimed to have none of
them, had at least one of them when it claimed so. A wrong answer to a demand is called; a raised hand that
turns out a bluff was lawful and is kept for the recap.
"""

from __future__ import annotations

from companion import events as shared
from companion.actions import Seat
from companion.events import Event
from companion.rules.kinapa import events as ev
from companion.rules.kinapa.state import FOXES, Claim, KinapaState


def shown(state: KinapaState, seat: Seat, number: int, *, cards: int) -> tuple[Event, ...]:
    """What follows from `seat` showing `cards` cards of `number` now."""
    received = state.seats[seat].received
    proven = (
        claim
        for claim in state.claims
        if claim.seat == seat
        and claim.number == number
        and claim.turn < state.turns
        and received - claim.received < cards
    )
    return _ruled(state, tuple(proven))


def claimed(state: KinapaState, seat: Seat, *, denied: bool) -> tuple[Event, ...]:
    """What follows when `seat` claims not to have the announced number although it publicly holds one."""
    number = state.turn.number
    if (seat, number) not in state.holds:
        return ()
    return _ruled(state, (Claim(seat, number, denied, 0, state.turns),))


def _ruled(state: KinapaState, claims: tuple[Claim, ...]) -> tuple[Event, ...]:
    """One ruling at most per seat and number: the duty answer counts before the bluff."""
    denials = [claim for claim in claims if claim.denied]
    if denials:
        claim = denials[0]
        proven = ev.FalseDenialProven(claim.seat, claim.number)
        if state.options.false_denial_penalty == "always" and not state.seats[claim.seat].foxes:
            return (proven, ev.Punished(claim.seat, FOXES, priority=False))
        return (proven,)
    return tuple(ev.LieProven(claim.seat, claim.number) for claim in claims[:1])


def seen_twice(state: KinapaState, card: str, where: str) -> tuple[Event, ...]:
    """KI3: the card just read at `where` is known to lie elsewhere for good."""
    kind, _, number = card.partition(":")
    if kind in {"animal", "shelter"} and number.isdigit() and int(number) in state.dead:
        return (shared.Infraction("deck.same_card_twice", None, f"{card}@{where}"),)
    return ()
