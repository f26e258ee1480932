"""People who play Euchre: they order up what they can take three tricks with, and help their partner."""

from collections.abc import Hashable

from companion.core.actions import Seat
from companion.core.view import Sentence
from companion.games.euchre.rules import model
from companion.games.euchre.rules.model import DECK, HAND, EuchrePhase, EuchreState
from companion.games.kit.cards import CARDS, SUITS, Card, CardSet, cards_in
from companion.games.kit.trick_camera import REGION
from companion.games.kit.trick_people import TrickPeople, rank
from companion.games.kit.trick_table import PLAYERS, partner_of, side_of
from companion.games.kit.tricks import Play, TrickRules, lawful_cards, led_card, trick_taker
from companion.games.kit.world import Advice, Plan

ACE = 12
RIGHT, LEFT, TOP_TRUMP, TRUMP, SIDE_ACE, VOID = 1.1, 0.95, 0.75, 0.5, 0.6, 0.3
"""How many tricks a card takes, and a suit of which a hand with trumps has nothing."""
ENOUGH, LONE = 2.3, 3.9
"""Hands that are worth so many tricks make trump, and play alone."""
UPCARD = 0.3
"""What a card that goes to the own side adds, or takes away if it goes to the other one."""


def tricks_expected(hand: CardSet, trump: str) -> float:
    """How many tricks a hand takes with this trump, as people reckon it."""
    rules = model.trick_rules(trump, "", None, None)
    left, right = rules.bowers
    trumps = list(cards_in(hand & rules.trumps))
    worth = sum(
        RIGHT if card == right else LEFT if card == left else TOP_TRUMP if rank(card) == ACE else TRUMP
        for card in trumps
    )
    for suit in rules.kinds[1:]:
        cards = [rank(card) for card in cards_in(hand & suit)]
        worth += SIDE_ACE * (ACE in cards) + VOID * (not cards and len(trumps) > 1)
    return worth


def card_to_discard(hand: CardSet, trump: str) -> Card:
    """The lowest card of the shortest suit that is neither trump nor an ace."""
    rules = model.trick_rules(trump, "", None, None)

    def keeps(card: Card) -> tuple[bool, bool, int, int]:
        few = (hand & rules.suit(card)).bit_count()
        return bool(rules.trumps >> card & 1), rank(card) == ACE, few, rank(card)

    return min(cards_in(hand), key=keeps)


class EuchrePeople(TrickPeople):
    """Everybody's hand of every deal, and what they do with it."""

    automatic_verbs = TrickPeople.automatic_verbs | {"turn_up", "discarded"}
    result_events = (model.EuchreDealScored,)
    round_end_events = (model.EuchreDealScored, model.DealPassed)

    def deal(self, state: EuchreState) -> list[Card]:
        """The deck in the order in which it is dealt: four hands, the card turned up, and the kitty."""
        cards = self.chance(state.deal, state.points).sample(list(cards_in(DECK)), DECK.bit_count())
        if state.upcard:
            told = cards.index(CARDS[state.upcard])
            top = HAND * PLAYERS
            cards[top], cards[told] = cards[told], cards[top]
        return cards

    def dealt_hands(self, state: EuchreState) -> list[CardSet]:
        """All hands, the dealer's as it is once a card was discarded."""
        cards = self.deal(state)
        hands = [sum(1 << card for card in cards[at : at + HAND]) for at in range(0, HAND * PLAYERS, HAND)]
        if state.phase is EuchrePhase.PLAY and state.is_picked_up:
            hands[state.dealer] |= 1 << CARDS[state.upcard]
            hands[state.dealer] &= ~(1 << card_to_discard(hands[state.dealer], state.trump))
        return hands

    def decision_key(self, state: EuchreState) -> Hashable:
        bids = state.phase, state.upcard, state.passes, state.trump, state.alone
        return (*self.card_key(state), *bids, state.points)

    def plan(self, state: EuchreState) -> Plan:
        seat = state.seat
        match state.phase:
            case EuchrePhase.TURN_UP:
                self.begin_deal()
                return self.lay_card(seat, self.deal(state)[HAND * PLAYERS], "turn_up", clears=True)
            case EuchrePhase.BID:
                verb, value = self.sensible_bid(state, self.hand(state, seat))
                return self._plan_choice(seat, verb, 1.5, 5.0, value)
            case EuchrePhase.LONER:
                worth = self.estimate(state, tricks_expected(self.hand(state, seat), state.trump))
                return self._plan_choice(seat, "play_alone" if worth >= LONE else "with_partner", 1.5, 4.0)
            case EuchrePhase.DISCARD:
                taken = self._plan_cards(seat, 1.0, 3.0, (f"{REGION}{seat}", ()))
                return [*taken, *self._plan_choice(seat, "discarded", 3.0, 5.0)]
            case EuchrePhase.PLAY:
                return self.plan_card(state)
        return []

    def sensible_bid(self, state: EuchreState, hand: CardSet) -> tuple[str, str | None]:
        """What whoever is in turn says, and the suit."""
        seat, (up, _, _) = state.seat, state.upcard.partition("|")
        if state.passes >= PLAYERS:
            worth = {suit: tricks_expected(hand, suit) for suit in SUITS if suit != up}
            best = max(worth, key=worth.__getitem__)
            may = state.must_name or self.estimate(state, worth[best]) >= ENOUGH
            return ("name", best) if may else ("pass", None)
        if seat == state.dealer:
            whole = hand | 1 << CARDS[state.upcard]
            expected = tricks_expected(whole & ~(1 << card_to_discard(whole, up)), up)
        else:
            ours = side_of(seat) == side_of(state.dealer)
            expected = tricks_expected(hand, up) + (UPCARD if ours else -UPCARD)
        return ("order", None) if self.estimate(state, expected) >= ENOUGH else ("pass", None)

    def sensible_card(self, state: EuchreState, hand: CardSet) -> Card:
        """Makers draw trumps; aces are led; a trick that the partner has is left to the partner."""
        rules, seat = state.rules, state.seat
        lawful = sorted(
            lawful_cards(rules, state.plays, hand), key=lambda card: (*rules.height(card)[:2], rank(card))
        )
        if led_card(rules, state.plays, len(state.plays)) is None:
            return self._lead(state, rules, lawful)
        trick = state.plays[len(state.plays) - len(state.plays) % rules.trick_size :]
        taker = trick_taker(rules, trick)
        winning = [card for card in lawful if trick_taker(rules, (*trick, Play(seat, card))) == seat]
        is_last = len(trick) == rules.trick_size - 1
        if not winning or (taker == partner_of(seat) and (is_last or len(trick) > 1)):
            return lawful[0]
        trumps_in = not rules.suit(trick[0].card) >> winning[-1] & 1
        return winning[0] if is_last or trumps_in else winning[-1]

    def _lead(self, state: EuchreState, rules: TrickRules, lawful: list[Card]) -> Card:
        trumps = [card for card in lawful if rules.trumps >> card & 1]
        others = [card for card in lawful if card not in trumps]
        if trumps and (state.seat == state.maker or not others) and (len(trumps) > 1 or not others):
            return trumps[-1]
        return others[-1] if others else lawful[-1]

    def tap_refusal(self, state: EuchreState, seat: Seat, place: int) -> Sentence | None:
        barred = self.barred_card(state, seat, place)
        return None if barred is None else Sentence("lesson.practice.hearts_follow")

    def advice(self, state: EuchreState, seat: int) -> Advice | None:
        return self.advise_card(state, seat, "lesson.hint.euchre_play")
