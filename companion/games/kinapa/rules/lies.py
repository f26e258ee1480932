"""Lies that public facts prove in Kinapa, up to their punishment (KI1, KI7).

Only proofs: suspicion is never spoken. A seat that shows c cards of a number now, and received fewer than c
cards since it claimed to have none of them, had at least one of them when it claimed so. A wrong answer to a
demand is called; a raised hand that turns out a bluff was lawful and is kept for the recap.
"""

from collections.abc import Sequence
from typing import NamedTuple

from companion.core import events as shared
from companion.core.actions import Seat
from companion.core.events import Event
from companion.games.kinapa.rules import model
from companion.games.kinapa.rules.model import FOXES_PER_LIAR, Claim, KinapaState


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
        proven = model.FalseDenialProven(claim.seat, claim.number)
        if state.options.false_denial_penalty == "always":
            return (proven, *punish_liars(state, [Liar(claim.seat, by_raising=False)], FOXES_PER_LIAR))
        return (proven,)
    return tuple(model.LieProven(claim.seat, claim.number) for claim in claims[:1])


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


# Punishment -------------------------------------------------------------------------------------------------


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
        model.FoxesTaken(seat, kept) for seat in out if seat not in caught and state.seats[seat].foxes > kept
    )
    each = 1 if rule == "one_each" and len({*out, *caught}) > 1 else foxes
    taken = (
        model.LiarPunished(
            liar.seat,
            each,
            priority=liar.by_raising and not state.seats[liar.seat].sheep and state.can_be_crowned(liar.seat),
        )
        for liar in liars
        if liar.seat in caught
    )
    return (*leave, *taken, *(model.PunishmentSpared(liar.seat) for liar in liars if liar.seat not in caught))


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
