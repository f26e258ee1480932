"""People who play Hearts from hands that are dealt and passed, sensibly; for a demo and for practice."""

from collections.abc import Hashable
from types import MappingProxyType

from companion.core.actions import Seat
from companion.core.view import Sentence
from companion.games.hearts.rules import Hearts, model
from companion.games.hearts.rules.model import (
    HEARTS,
    OPENING,
    PLAYERS,
    POINT_CARDS,
    QUEEN,
    HeartsPhase,
    HeartsState,
)
from companion.games.hearts.rules.view import passing
from companion.games.kit.cards import DECK, SUIT_SETS, Card, CardSet, cards_in, suit_set
from companion.games.kit.trick_people import TrickPeople, rank
from companion.games.kit.tricks import lawful_cards, led_card, trick_taker
from companion.games.kit.world import Advice, Plan

STEPS = MappingProxyType({"left": 1, "across": 2, "right": 3, "none": 0})
"""How many seats on three cards go."""
PASSED = 3
SPADES = SUIT_SETS[2]


def cards_to_pass(hand: CardSet) -> CardSet:
    """The three that are likeliest to take points: high spades of few, high hearts, then the highest."""

    def danger(card: Card) -> float:
        few = (hand & suit_set(card)).bit_count() < PLAYERS
        if SPADES >> card & 1:
            return rank(card) + (20 if few and 1 << card >= QUEEN else -8)
        return rank(card) + (3 if HEARTS >> card & 1 else 0) + (1 if few else 0)

    return sum(1 << card for card in sorted(cards_in(hand), key=danger)[-PASSED:])


def sensible_card(state: HeartsState, hand: CardSet) -> Card:
    """Lead low; stay below the card that takes the trick; where nothing follows from it, rid of the worst."""
    lawful = list(lawful_cards(state.rules, state.plays, hand))
    led = led_card(state.rules, state.plays, len(state.plays))
    if led is None:
        guarded = QUEEN & ~sum(1 << play.card for play in state.plays) and not hand & QUEEN
        risky = [card for card in lawful if guarded and SPADES >> card & 1 and 1 << card > QUEEN]
        return min(
            [card for card in lawful if card not in risky and not QUEEN >> card & 1] or lawful, key=rank
        )
    if not suit_set(led) >> lawful[0] & 1:
        return max(lawful, key=lambda card: (QUEEN >> card & 1, HEARTS >> card & 1, rank(card)))
    trick = state.plays[len(state.plays) - len(state.plays) % PLAYERS :]
    taking = next(play.card for play in trick if play.seat == trick_taker(state.rules, trick))
    below = [card for card in lawful if card < taking]
    if below:
        return max(below, key=lambda card: (QUEEN >> card & 1, rank(card)))
    others = [card for card in lawful if not QUEEN >> card & 1] or lawful
    is_last_and_free = len(trick) == PLAYERS - 1 and not any(POINT_CARDS >> card & 1 for _, card in trick)
    return max(others, key=rank) if is_last_and_free else min(others, key=rank)


class HeartsPeople(TrickPeople):
    """Everybody's hand of every deal, and what they do with it."""

    automatic_verbs = TrickPeople.automatic_verbs | {"open"}
    result_events = (model.DealScored,)
    round_end_events = (model.DealScored,)
    _rules = Hearts()

    def dealt_hands(self, state: HeartsState) -> list[CardSet]:
        """All hands of a deal after passing."""
        hands, step = self.shuffled_hands(DECK, state.deal, state.points), STEPS[passing(state)]
        given = [cards_to_pass(hand) if step else 0 for hand in hands]
        return [hands[seat] & ~given[seat] | given[(seat - step) % PLAYERS] for seat in range(PLAYERS)]

    def decision_key(self, state: HeartsState) -> Hashable:
        return (*self.card_key(state), state.phase, state.points)

    def plan(self, state: HeartsState) -> Plan:
        match state.phase:
            case HeartsPhase.PASS:
                self.begin_deal()
                first = next(seat for seat, hand in enumerate(self.dealt_hands(state)) if hand & 1)
                return self.lay_card(first, OPENING, "open", clears=True)
            case HeartsPhase.PLAY:
                return self.plan_card(state)
            case HeartsPhase.MOON:
                return self._plan_choice(self._rules.prompts(state)[0].actions[0].seat, "add", 2.0, 5.0)
        return []

    def sensible_card(self, state: HeartsState, hand: CardSet) -> Card:
        return sensible_card(state, hand)

    def tap_refusal(self, state: HeartsState, seat: Seat, place: int) -> Sentence | None:
        """The rule that keeps this card in the hand."""
        barred = self.barred_card(state, seat, place)
        if barred is None:
            return None
        led, follows = barred
        return Sentence(
            f"lesson.practice.hearts_{'lead' if led is None else 'follow' if follows else 'first'}"
        )

    def advice(self, state: HeartsState, seat: int) -> Advice | None:
        return self.advise_card(state, seat, "lesson.hint.hearts_play")
