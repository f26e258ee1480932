"""People who play a game of tricks from hands that are dealt; a game says how they choose."""

from abc import abstractmethod
from collections.abc import Collection, Hashable, Mapping, Sequence
from random import Random
from types import MappingProxyType
from typing import Any

from companion.core.actions import Action, Chair, Seat
from companion.core.view import Sentence
from companion.games.kit.cards import (
    CARDS,
    FACES,
    RANKS,
    VALUES,
    Card,
    CardSet,
    cards_in,
)
from companion.games.kit.trick_camera import REGION
from companion.games.kit.trick_table import RevokeProved, TrickState
from companion.games.kit.tricks import Play, lawful_cards, led_card
from companion.games.kit.world import Advice, HandUse, Opponents, Plan

CLUMSY: Mapping[str, float] = MappingProxyType({"easy": 0.5, "strong": 0.0})
"""How often any lawful card is played, of everybody else `USUAL`."""
USUAL = 0.15
MISJUDGED: Mapping[str, float] = MappingProxyType({"easy": 0.9, "strong": 0.0})
"""By how many tricks a hand is misjudged, as a standard deviation; by everybody else `USUALLY_MISJUDGED`."""
USUALLY_MISJUDGED = 0.35
PRACTICE_PACE = (0.5, 1.2)
"""How long an opponent in practice thinks about a card, in seconds: who waits has seen the one before."""


def rank(card: Card) -> int:
    """From 0, the two."""
    return card % len(RANKS)


class TrickPeople(Opponents):
    """Everybody's hand of every deal, and what they lay of it."""

    automatic_verbs = frozenset({"right"})
    hand_only_verbs = frozenset({"play", "was"})
    most_presses = 3
    blaming_events = (*Opponents.blaming_events, RevokeProved)

    def __init__(self, chairs: Sequence[Chair], rng: Random, strengths: Sequence[str]) -> None:
        super().__init__(chairs, rng, strengths)
        self._seed = rng.random()
        self.places = {f"{REGION}{seat}": () for seat in range(len(self.chairs))}
        self.tells_cards = False
        """Whether cards are told and never laid where a camera reads them."""
        self._laid: list[CardSet] = []
        """The hands of a lesson; none: they are dealt."""
        self._put_down: dict[tuple[int, Seat], Card] = {}
        """What they laid in this deal, by the number of the play, whatever was read."""

    @abstractmethod
    def dealt_hands(self, state: Any) -> list[CardSet]:
        """All hands with which a deal begins to be played."""

    @abstractmethod
    def sensible_card(self, state: Any, hand: CardSet) -> Card:
        """What whoever is in turn plays of this hand."""

    def chance(self, *of: Hashable) -> Random:
        """The same for the same, however often it is asked."""
        return Random(f"{self._seed} {of}")

    def shuffled_hands(self, deck: CardSet, *of: Hashable) -> list[CardSet]:
        """The deck, dealt out."""
        players = len(self.chairs)
        cards = self.chance(*of).sample(list(cards_in(deck)), deck.bit_count())
        return [sum(1 << card for card in cards[seat::players]) for seat in range(players)]

    def estimate(self, state: Any, tricks: float) -> float:
        """How many tricks whoever is in turn expects of a hand that takes so many."""
        spread = MISJUDGED.get(self.strengths[state.seat], USUALLY_MISJUDGED)
        return self.chance(state.deal, state.points, state.seat).gauss(tricks, spread)

    def card_key(self, state: TrickState) -> tuple[Hashable, ...]:
        """What a plan of cards depends on."""
        return state.deal, state.plays, state.checks, state.twice, state.claimed, state.agreed

    def hand(self, state: TrickState, seat: Seat) -> CardSet:
        """What is left of a hand."""
        dealt = self._laid or self.dealt_hands(state)
        plays = ((number, play) for number, play in enumerate(state.plays) if play.seat == seat)
        return dealt[seat] & ~sum(1 << self._card_of(number, play) for number, play in plays)

    def _card_of(self, number: int, play: Play) -> Card:
        """What was played, also where the camera read another card."""
        return self._put_down.get((number, play.seat), play.card)

    def hand_pictures(self, state: TrickState, seat: Seat) -> tuple[str, ...]:
        return tuple(FACES[card] for card in cards_in(self.hand(state, seat)))

    def lay_out(self, layout: Mapping[str, tuple[str, ...]]) -> bool:
        laid = [[FACES.index(face) for face in layout.get(str(seat), ())] for seat in range(len(self.chairs))]
        self._laid = [sum(1 << card for card in cards) for cards in laid]
        self._put_down.clear()
        return any(self._laid)

    def hand_actions(self, state: TrickState, seat: Seat) -> list[Action]:
        if not state.is_playing or seat != state.seat:
            return []
        held = self.hand(state, seat)
        return [Action(seat, "play", VALUES[card]) for card in lawful_cards(state.rules, state.plays, held)]

    def hand_use(self, state: TrickState, action: Action) -> HandUse:
        held = list(cards_in(self.hand(state, action.seat)))
        return HandUse(1, frozenset({held.index(CARDS[str(action.value)])}))

    def barred_card(self, state: TrickState, seat: Seat, place: int) -> tuple[Card | None, bool] | None:
        """A card of the hand that may not be played: the card led, and whether suit has to be followed."""
        if not state.is_playing or seat != state.seat:
            return None
        hand, led = self.hand(state, seat), led_card(state.rules, state.plays, len(state.plays))
        card = list(cards_in(hand))[place]
        if card in lawful_cards(state.rules, state.plays, hand):
            return None
        suit = state.rules.suit(led) if led is not None else 0
        return led, bool(hand & suit) and not suit >> card & 1

    def accept_choice(self, state: TrickState, action: Action, cards: Collection[int] = ()) -> bool:
        return action in self.hand_actions(state, action.seat)

    def is_possible(self, state: TrickState, action: Action) -> bool:
        if action.verb == "play":
            return action in self.hand_actions(state, action.seat)
        return action.verb != "short"

    def begin_deal(self) -> None:
        """Nothing lies there of this deal yet."""
        self._put_down.clear()

    def lay_card(self, seat: Seat, card: Card, verb: str, *, clears: bool) -> Plan:
        """Lay a card before oneself, and say it if nobody reads it; `clears`: the last trick is swept away.

        In practice cards are only said, as at a table without a mat.
        """
        value = None if verb == "open" else VALUES[card]
        if self.advised_seat is not None:
            return self._plan_choice(seat, verb, *PRACTICE_PACE, value)
        if self.tells_cards:
            return self._plan_choice(seat, verb, 1.0, 4.0, value)
        places = dict.fromkeys(self.places, ()) if clears else {}
        laid = {**places, f"{REGION}{seat}": (FACES[card],)}
        return self._plan_fallback(self._plan_cards(seat, 1.0, 4.0, *laid.items()), seat, verb, value)

    def plan_card(self, state: Any) -> Plan:
        """Play a card, or say truthfully which one a card was, or whether a claim is right."""
        if state.is_claimed:
            return self.plan_answer(state)
        if state.checks:
            number, play = state.checks[0], state.plays[state.checks[0]]
            card = self._card_of(number, play)
            said = ("right", None) if card == play.card else ("was", VALUES[card])
            return self._plan_choice(play.seat, said[0], 1.5, 4.0, said[1])
        number, card = len(state.plays), self._choose(state)
        if self.advised_seat is None:  # else a person may play another one, and nobody misreads it
            self._put_down[number, state.seat] = card
        return self.lay_card(state.seat, card, "play", clears=number % state.rules.trick_size == 0)

    def plan_answer(self, state: TrickState) -> Plan:
        """Somebody takes the rest: the others agree if all of it is the highest there is."""
        asked = [seat for seat in range(len(self.chairs)) if seat not in {state.claimed, *state.agreed}]
        verb = "agree" if self._takes_all(state) else "play_on"
        return self._plan_choice(asked[0], verb, 2.0, 5.0)

    def _takes_all(self, state: TrickState) -> bool:
        """Whether who claimed is to lead, and nobody else can take a trick."""
        rules, own = state.rules, self.hand(state, state.claimed or 0)
        others = set(range(rules.players)) - {state.claimed, rules.sits_out}
        hands = [self.hand(state, seat) for seat in others]
        leads = state.seat == state.claimed and len(state.plays) % rules.trick_size == 0
        draws = all((hand & rules.trumps).bit_count() <= (own & rules.trumps).bit_count() for hand in hands)
        return (
            leads
            and draws
            and not any(
                rules.height(card) > rules.height(mine)
                for mine in cards_in(own)
                for hand in hands
                for card in cards_in(hand & rules.suit(mine))
            )
        )

    def _choose(self, state: Any) -> Card:
        hand = self.hand(state, state.seat)
        chance = self.chance(state.deal, state.points, len(state.plays))
        if chance.random() < CLUMSY.get(self.strengths[state.seat], USUAL):
            return chance.choice(list(lawful_cards(state.rules, state.plays, hand)))
        return self.sensible_card(state, hand)

    def advise_card(self, state: TrickState, seat: Seat, why: str) -> Advice | None:
        """What a sensible player would play; None: it is not this seat's turn to play."""
        if not state.is_playing or seat != state.seat:
            return None
        card = self.sensible_card(state, self.hand(state, seat))
        return Advice(Action(seat, "play", VALUES[card]), Sentence(why))
