"""Invariants of the dnup state; a violation means a bug or an impossible declaration."""

from collections import Counter

from companion.games.dnup.rules import cards as card
from companion.games.dnup.rules.deck_composition import HIGHEST_VALUE
from companion.games.dnup.rules.state import WINNING_POINTS, WINNING_ROUNDS, DnupPhase, DnupState


def find_violation(state: DnupState) -> str | None:
    """The first invariant that does not hold, or None."""
    limit = WINNING_ROUNDS if state.is_two_player else WINNING_POINTS
    if len(state.out) > (1 if state.is_two_player else 2):
        return "the second to go out ends the round"
    if not state.winners and any(points >= limit for points in state.points):
        return "who has enough points has won"
    if not state.is_turn_running:
        return None
    lying = [area.cards for area in state.areas if area.cards]
    sizes = Counter(map(len, lying))
    if any(count > 1 for count in sizes.values()):
        return "at most one set of each size"
    known = [cards for cards in lying if set(cards) != {card.COVERED_CARD}]
    if any(not 1 <= card.set_value(cards) <= HIGHEST_VALUE for cards in known):
        return "a set has one value"
    held = sum(hand.size for hand in state.hands)
    if held + sum(map(len, lying)) + state.discarded != len(state.cards_in_use) or state.discarded < 0:
        return "hands, table and discards are the deck"
    if state.areas[state.area].cards or state.owner(state.area) != state.seat:
        return "the area of this turn is empty when its owner acts"
    if any(len(hand.known) > hand.size for hand in state.hands):
        return "no more is known of a hand than it holds"
    if state.seat in state.out or any(
        (hand.size == 0) != (seat in state.out) for seat, hand in enumerate(state.hands)
    ):
        return "who has no cards is out"
    if (state.size == 0) == (state.phase is DnupPhase.VALUING):
        return "a value is asked for a size"
    return None
