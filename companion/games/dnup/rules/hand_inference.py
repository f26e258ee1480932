"""Infers what a dnup hand still holds after cards left it (DI1 to DI4).

Only whole hands are rotated, so a card that was seen once keeps its way up relative to its owner's rotations:
it is known until it is discarded. What was only said leaves room for doubt, and doubt never accuses.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from companion.core.actions import Seat
from companion.games.dnup.rules import cards as card
from companion.games.dnup.rules.deck_composition import HIGHEST_VALUE, cards_per_value
from companion.games.dnup.rules.state import DnupState


class HandInference(NamedTuple):
    """Cards on their way out of a hand."""

    known: tuple[str, ...]
    """What is known of the rest."""
    rule: str = ""
    """The key of what contradicts it; empty: nothing does."""
    what: str = ""
    """The card it is about, or how many the hand has."""


def infer_hand_after(state: DnupState, seat: Seat, played: Sequence[str]) -> HandInference:
    """What stays known of the hand of `seat` once these cards lie on the table."""
    hand = state.hands[seat]
    if len(played) > hand.size:
        return HandInference((), "hand.count", str(hand.size))
    read = [one for one in played if card.card_name(one)]
    known, rule, what = _infer_from_read(state, seat, read)
    spare = hand.size - len(read) - len(known)
    unread = [one for one in played if not card.card_name(one)]
    if not unread or rule:
        return HandInference(known, rule, what)
    return _infer_from_unread(known, unread, max(0, spare))


def _infer_from_read(state: DnupState, seat: Seat, read: Sequence[str]) -> HandInference:
    known, new = list(state.hands[seat].known), Counter[str]()
    spare = state.hands[seat].size - len(known)
    rule = what = ""
    for one in read:
        vague = next(
            (other for other in known if not card.card_name(other) and card.may_be_same_card(one, other)),
            None,
        )
        if one in known:
            known.remove(one)
        elif vague is not None:
            known.remove(vague)
        else:
            if not rule and (
                rule := _contradiction(state, seat, one, known, spare, new[card.card_name(one)])
            ):
                what = one
            new[card.card_name(one)] += 1
            spare -= 1
    left = state.hands[seat].size - len(read)
    return HandInference(tuple(known) if len(known) <= left else (), rule, what)


def _contradiction(  # noqa: PLR0917
    state: DnupState, seat: Seat, one: str, known: Sequence[str], spare: int, again: int
) -> str:
    """Why this hand cannot have held a card that was read; empty if it can."""
    name = card.card_name(one)
    there = state.cards_in_use.count(name)
    if not there:
        return "deck.foreign"
    lying = sum(card.card_name(other) == name for area in state.areas for other in area.cards)
    held = sum(
        card.card_name(other) == name
        for other_seat, hand in enumerate(state.hands)
        for other in (known if other_seat == seat else hand.known)
    )
    free = there - lying - held - state.gone.count(name) - again
    if spare > 0 and free > 0:
        return ""
    if card.rotate_card(one) in known:
        return "card.turned"
    if lying + again >= there:
        return "deck.too_many"
    return "card.elsewhere" if free <= 0 else "card.not_held"


def _infer_from_unread(known: tuple[str, ...], unread: Sequence[str], spare: int) -> HandInference:
    """Cards of which only the value was said: whichever could be meant are no longer known for certain."""
    value = card.active_value(unread[0])
    certain = [one for one in known if card.active_value(one) == value]
    vague = [
        one
        for one in known
        if not card.active_value(one) and card.active_value(card.rotate_card(one)) != value
    ]
    if len(certain) + len(vague) + spare < len(unread):
        return HandInference((), "hand.cannot", str(value))
    return HandInference(tuple(one for one in known if one not in {*certain, *vague}))


def max_set_size(state: DnupState, value: int) -> int:
    """No set of this value has more cards: this many have it on one of their sides."""
    return cards_per_value(state.cards_in_use)[value] if 1 <= value <= HIGHEST_VALUE else 0
