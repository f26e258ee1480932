"""Detects lies that public facts prove (KI1, KI7). Only proofs: suspicion is never spoken.

A seat that shows c cards of a number now, and received fewer than c cards since it claimed to have none of
them, had at least one of them when it claimed so. A wrong answer to a demand is called; a raised hand that
turns out a bluff was lawful and is kept for the recap.
"""

from companion.core import events as shared
from companion.core.actions import Seat
from companion.core.events import Event
from companion.games.kinapa.rules import events as ev
from companion.games.kinapa.rules.state import FOXES_PER_LIAR, Claim, KinapaState
from companion.games.kinapa.rules.succession import Liar, punish_liars


def prove_by_cards(state: KinapaState, seat: Seat, number: int, *, cards: int) -> tuple[Event, ...]:
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
    return _rule_on_lies(state, tuple(proven))


def prove_by_claim(state: KinapaState, seat: Seat, *, denied: bool) -> tuple[Event, ...]:
    """What follows when `seat` claims not to have the announced number although it publicly holds one."""
    number = state.turn.number
    lies_open = any(card.partition(":")[2] == str(number) for card in state.seats[seat].opened)
    if (seat, number) not in state.holds and not lies_open:
        return ()
    return _rule_on_lies(state, (Claim(seat, number, denied, 0, state.turns),))


def _rule_on_lies(state: KinapaState, claims: tuple[Claim, ...]) -> tuple[Event, ...]:
    """One ruling at most per seat and number: the duty answer counts before the bluff."""
    denials = [claim for claim in claims if claim.denied]
    if denials:
        claim = denials[0]
        proven = ev.FalseDenialProven(claim.seat, claim.number)
        if state.options.false_denial_penalty == "always":
            return (proven, *punish_liars(state, [Liar(claim.seat, by_raising=False)], FOXES_PER_LIAR))
        return (proven,)
    return tuple(ev.LieProven(claim.seat, claim.number) for claim in claims[:1])


def check_duplicate_cards(state: KinapaState, cards: tuple[str, ...], where: str) -> tuple[Event, ...]:
    """KI3: one of `cards`, just read at `where`, is there twice, or known to lie elsewhere."""
    white = [card for card in cards if card.partition(":")[0] in {"animal", "shelter"}]
    mine = int(where.partition(":")[2]) if where.startswith("hand:") else state.emperor
    elsewhere = {card for seat, row in enumerate(state.seats) if seat != mine for card in row.opened}
    dead = {str(number) for number in state.placed_numbers}
    if len(set(white)) == len(white) and not any(
        card in elsewhere or card.partition(":")[2] in dead for card in white
    ):
        return ()
    return (shared.Infraction("deck.same_card_twice", None, where),)
