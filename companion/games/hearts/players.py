"""People who play Hearts from hands that are dealt and passed, sensibly; for a demo and for practice."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from random import Random
from types import MappingProxyType

from companion.core.actions import Action, Chair, Seat
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
from companion.games.kit.cards import (
    CARDS,
    FACES,
    RANKS,
    SUIT_SETS,
    VALUES,
    Card,
    CardSet,
    cards_in,
    suit_set,
)
from companion.games.kit.trick_camera import REGION
from companion.games.kit.trick_table import RevokeProved
from companion.games.kit.tricks import Play, lawful_cards, led_card, trick_taker
from companion.games.kit.world import Advice, HandUse, Opponents, Plan

CLUMSY: Mapping[str, float] = MappingProxyType({"easy": 0.5, "strong": 0.0})
"""How often any lawful card is played, of everybody else `USUAL`."""
USUAL = 0.15
STEPS = MappingProxyType({"left": 1, "across": 2, "right": 3, "none": 0})
"""How many seats on three cards go."""
PASSED = 3
SPADES = SUIT_SETS[2]


def rank(card: Card) -> int:
    """From 0, the two."""
    return card % len(RANKS)


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
    taking = next(play.card for play in trick if play.seat == trick_taker(trick))
    below = [card for card in lawful if card < taking]
    if below:
        return max(below, key=lambda card: (QUEEN >> card & 1, rank(card)))
    others = [card for card in lawful if not QUEEN >> card & 1] or lawful
    is_last_and_free = len(trick) == PLAYERS - 1 and not any(POINT_CARDS >> card & 1 for _, card in trick)
    return max(others, key=rank) if is_last_and_free else min(others, key=rank)


class HeartsPeople(Opponents):
    """Everybody's hand of every deal, and what they do with it."""

    automatic_verbs = frozenset({"open", "right"})
    hand_only_verbs = frozenset({"play", "was"})
    result_events = (model.DealScored,)
    round_end_events = (model.DealScored,)
    blaming_events = (*Opponents.blaming_events, RevokeProved)
    _rules = Hearts()

    def __init__(self, chairs: Sequence[Chair], rng: Random, strengths: Sequence[str]) -> None:
        super().__init__(chairs, rng, strengths)
        self._seed = rng.random()
        self.places = {f"{REGION}{seat}": () for seat in range(PLAYERS)}
        self.tells_cards = False
        """Whether cards are told and never laid where a camera reads them."""
        self._laid: list[CardSet] = []
        """The hands of a lesson, after passing; none: they are dealt."""
        self._put_down: dict[tuple[int, Seat], Card] = {}
        """What they laid in this deal, by the number of the play, whatever was read."""

    def _chance(self, *of: Hashable) -> Random:
        """The same for the same, however often it is asked."""
        return Random(f"{self._seed} {of}")

    def dealt_hands(self, state: HeartsState) -> list[CardSet]:
        """All hands of a deal after passing."""
        order = self._chance(state.deal, state.points).sample(range(len(VALUES)), len(VALUES))
        hands = [sum(1 << card for card in order[seat::PLAYERS]) for seat in range(PLAYERS)]
        step = STEPS[passing(state)]
        given = [cards_to_pass(hand) if step else 0 for hand in hands]
        return [hands[seat] & ~given[seat] | given[(seat - step) % PLAYERS] for seat in range(PLAYERS)]

    def hand(self, state: HeartsState, seat: Seat) -> CardSet:
        """What is left of a hand."""
        dealt = self._laid or self.dealt_hands(state)
        plays = ((number, play) for number, play in enumerate(state.plays) if play.seat == seat)
        return dealt[seat] & ~sum(1 << self._card_of(number, play) for number, play in plays)

    def _card_of(self, number: int, play: Play) -> Card:
        """What was played, also where the camera read another card."""
        return self._put_down.get((number, play.seat), play.card)

    def hand_pictures(self, state: HeartsState, seat: Seat) -> tuple[str, ...]:
        return tuple(FACES[card] for card in cards_in(self.hand(state, seat)))

    def lay_out(self, layout: Mapping[str, tuple[str, ...]]) -> bool:
        laid = [[FACES.index(face) for face in layout.get(str(seat), ())] for seat in range(PLAYERS)]
        self._laid = [sum(1 << card for card in cards) for cards in laid]
        self._put_down.clear()
        return any(self._laid)

    def hand_actions(self, state: HeartsState, seat: Seat) -> list[Action]:
        if state.phase is not HeartsPhase.PLAY or state.checks or seat != state.seat:
            return []
        held = self.hand(state, seat)
        return [Action(seat, "play", VALUES[card]) for card in lawful_cards(state.rules, state.plays, held)]

    def hand_use(self, state: HeartsState, action: Action) -> HandUse:
        held = list(cards_in(self.hand(state, action.seat)))
        return HandUse(1, frozenset({held.index(CARDS[str(action.value)])}))

    def tap_refusal(self, state: HeartsState, seat: Seat, place: int) -> Sentence | None:
        """The rule that keeps this card in the hand."""
        if state.phase is not HeartsPhase.PLAY or state.checks or seat != state.seat:
            return None
        hand, led = self.hand(state, seat), led_card(state.rules, state.plays, len(state.plays))
        card = list(cards_in(hand))[place]
        if card in lawful_cards(state.rules, state.plays, hand):
            return None
        if led is None:
            return Sentence("lesson.practice.hearts_lead")
        follows = hand & suit_set(led) and not suit_set(led) >> card & 1
        return Sentence(f"lesson.practice.hearts_{'follow' if follows else 'first'}")

    def accept_choice(self, state: HeartsState, action: Action, cards: Collection[int] = ()) -> bool:
        return action in self.hand_actions(state, action.seat)

    def decision_key(self, state: HeartsState) -> Hashable:
        return state.phase, state.deal, state.plays, state.checks, state.twice, state.points

    def _lay(self, seat: Seat, card: Card, verb: str, *, clears: bool) -> Plan:
        """Lay a card before oneself, and say it if nobody reads it; `clears`: the last trick is swept away.

        In practice cards are only said, as at a table without a mat.
        """
        value = VALUES[card] if verb == "play" else None
        said = self._plan_choice(seat, verb, 1.0, 4.0, value)
        if self.tells_cards or self.advised_seat is not None:
            return said
        places = {f"{REGION}{other}": () for other in range(PLAYERS)} if clears else {}
        laid = {**places, f"{REGION}{seat}": (FACES[card],)}
        return self._plan_fallback(self._plan_cards(seat, 1.0, 4.0, *laid.items()), seat, verb, value)

    def plan(self, state: HeartsState) -> Plan:
        match state.phase:
            case HeartsPhase.PASS:
                self._put_down.clear()
                first = next(seat for seat, hand in enumerate(self.dealt_hands(state)) if hand & 1)
                return self._lay(first, OPENING, "open", clears=True)
            case HeartsPhase.PLAY if state.checks:
                number, play = state.checks[0], state.plays[state.checks[0]]
                card = self._card_of(number, play)
                said = ("right", None) if card == play.card else ("was", VALUES[card])
                return self._plan_choice(play.seat, said[0], 1.5, 4.0, said[1])
            case HeartsPhase.PLAY:
                number, card = len(state.plays), self._choose(state)
                self._put_down[number, state.seat] = card
                return self._lay(state.seat, card, "play", clears=number % PLAYERS == 0)
            case HeartsPhase.MOON:
                return self._plan_choice(self._rules.prompts(state)[0].actions[0].seat, "add", 2.0, 5.0)
        return []

    def _choose(self, state: HeartsState) -> Card:
        hand = self.hand(state, state.seat)
        chance = self._chance(state.deal, state.points, len(state.plays))
        if chance.random() < CLUMSY.get(self.strengths[state.seat], USUAL):
            return chance.choice(list(lawful_cards(state.rules, state.plays, hand)))
        return sensible_card(state, hand)

    def is_possible(self, state: HeartsState, action: Action) -> bool:
        if action.verb != "play":
            return action.verb != "short"
        hand = self.hand(state, action.seat)
        return action.value in {VALUES[card] for card in lawful_cards(state.rules, state.plays, hand)}

    def advice(self, state: HeartsState, seat: int) -> Advice | None:
        if state.phase is not HeartsPhase.PLAY or state.checks or state.seat != seat:
            return None
        card = sensible_card(state, self.hand(state, seat))
        return Advice(Action(seat, "play", VALUES[card]), Sentence("lesson.hint.hearts_play"))
