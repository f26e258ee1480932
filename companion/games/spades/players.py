"""People who play Spades: they bid what they think they take, help their partner, and cover a nil."""

from collections.abc import Hashable

from companion.core.actions import Seat
from companion.core.view import Sentence
from companion.games.kit.cards import DECK, SUIT_SETS, Card, CardSet, cards_in, suit_set
from companion.games.kit.trick_people import TrickPeople, rank
from companion.games.kit.trick_table import PLAYERS, SIDES, partner_of
from companion.games.kit.tricks import Play, lawful_cards, led_card, trick_taker
from companion.games.kit.world import Advice, Plan
from companion.games.spades.rules import model
from companion.games.spades.rules.model import SPADES, SpadesPhase, SpadesState

ACE, KING, QUEEN = 12, 11, 10
HONOURS = ((ACE, 1, 0.95), (KING, 2, 0.7), (QUEEN, 3, 0.3))
"""A rank, how many cards of its suit guard it, and how many tricks it takes then."""
LONG, RUFF = 3, 0.5
"""Each spade beyond so many takes a trick; a side suit of fewer than two cards brings so much of one."""
NIL_WORTH, NIL_SPADES = 0.8, 3
"""A hand worth less than this, with at most so many spades and none above the ten, bids nil."""


def tricks_expected(hand: CardSet) -> float:
    """How many tricks a hand takes, as people reckon it."""
    worth = 0.0
    for suit in SUIT_SETS:
        cards = [rank(card) for card in cards_in(hand & suit)]
        worth += sum(tricks for top, guards, tricks in HONOURS if top in cards and len(cards) >= guards)
        if suit == SPADES:
            worth += max(0, len(cards) - LONG)
        elif len(cards) < SIDES and (hand & SPADES).bit_count() >= SIDES:
            worth += RUFF
    return worth


def sensible_bid(state: SpadesState, hand: CardSet, worth: float) -> int:
    """What a hand bids that is thought to take so many tricks: nil on nothing, unless the partner has."""
    spades = [rank(card) for card in cards_in(hand & SPADES)]
    is_nothing = worth < NIL_WORTH and len(spades) <= NIL_SPADES and max(spades, default=0) < QUEEN - 1
    partner = state.bid_of(partner_of(state.seat))
    return 0 if is_nothing and partner != 0 else min(max(1, round(worth)), state.most_tricks)


class SpadesPeople(TrickPeople):
    """Everybody's hand of every deal, and what they do with it."""

    result_events = (model.SpadesDealScored,)
    round_end_events = (model.SpadesDealScored,)

    def dealt_hands(self, state: SpadesState) -> list[CardSet]:
        return self.shuffled_hands(DECK, state.deal, state.points)

    def decision_key(self, state: SpadesState) -> Hashable:
        return (*self.card_key(state), state.phase, state.bids, state.points)

    def plan(self, state: SpadesState) -> Plan:
        match state.phase:
            case SpadesPhase.BID:
                self.begin_deal()
                hand = self.hand(state, state.seat)
                bid = sensible_bid(state, hand, self.estimate(state, tricks_expected(hand)))
                return self._plan_choice(state.seat, "bid", 1.5, 5.0, bid)
            case SpadesPhase.PLAY:
                return self.plan_card(state)
        return []

    def sensible_card(self, state: SpadesState, hand: CardSet) -> Card:
        """Take what the side still needs as cheaply as can be; else, and on a nil, stay below."""
        seat, partner = state.seat, partner_of(state.seat)
        lawful = list(lawful_cards(state.rules, state.plays, hand))
        led = led_card(state.rules, state.plays, len(state.plays))
        ducks = state.bid_of(seat) == 0 and not state.taken_tricks()[seat]
        if led is None:
            return min(lawful, key=_cost) if ducks else max(lawful, key=lambda card: (rank(card), card))
        trick = state.plays[len(state.plays) - len(state.plays) % PLAYERS :]
        taker = trick_taker(state.rules, trick)
        winning = [card for card in lawful if trick_taker(state.rules, (*trick, Play(seat, card))) == seat]
        losing = [card for card in lawful if card not in winning]
        if ducks:
            return max(losing, key=_cost) if losing else min(winning, key=_cost)
        helps = taker == partner and (state.bid_of(partner) != 0 or state.taken_tricks()[partner])
        if helps or not winning or not self._needs_tricks(state, seat):
            return min(losing or lawful, key=_cost)
        is_last = len(trick) == PLAYERS - 1
        return min(winning, key=_cost) if is_last or not suit_set(led) >> winning[-1] & 1 else winning[-1]

    def _needs_tricks(self, state: SpadesState, seat: Seat) -> bool:
        """Whether the side has fewer tricks than it has bid, or sets the others with one more."""
        taken = state.taken_tricks()
        side = [other for other in range(PLAYERS) if other % SIDES == seat % SIDES]
        return sum(taken[other] for other in side) < sum(state.bid_of(other) or 0 for other in side)

    def tap_refusal(self, state: SpadesState, seat: Seat, place: int) -> Sentence | None:
        barred = self.barred_card(state, seat, place)
        if barred is None:
            return None
        return Sentence(f"lesson.practice.spades_{'follow' if barred[1] else 'lead'}")

    def advice(self, state: SpadesState, seat: int) -> Advice | None:
        return self.advise_card(state, seat, "lesson.hint.spades_play")


def _cost(card: Card) -> tuple[bool, int]:
    """What a card is worth keeping: spades last."""
    return bool(SPADES >> card & 1), rank(card)
