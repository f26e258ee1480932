"""Kobayakawa's computer opponents of three strengths.

Easy keeps the higher card and fights on a whim. Medium knows that the lowest card is helped too, and goes by
rules of thumb. Strong reckons which numbers everybody may hold, plays each choice to the end of the round in
many deals that may be the true one, and takes the one that won most kamons (Monte Carlo over its information
set). What it sees is what its seat may see: the open cards, the bets, and its own card.
"""

import random
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from companion.core.actions import Action, Chair, Seat
from companion.core.events import Event
from companion.core.view import Sentence
from companion.games.kit.world import Advice, HandUse, Opponents, Plan
from companion.games.kobayakawa.belief import KobayakawaBelief, KobayakawaPlayModel
from companion.games.kobayakawa.players import KobayakawaWorld, card_face
from companion.games.kobayakawa.rules import model
from companion.games.kobayakawa.rules.model import KobayakawaPhase, KobayakawaState
from companion.games.kobayakawa.rules.view import BOARD

SAMPLED_DEALS = 80
"""Deals in which the strong play a choice to the end."""
DECK = 5
"""As so many backs the deck is shown."""


class KobayakawaOpponents(Opponents, KobayakawaWorld):
    """A table of people of given strengths; every seat decides for itself."""

    automatic_verbs = frozenset({"dealt", "done", "kobayakawa", "show", "start"})
    hand_only_verbs = frozenset({"discard"})
    card_number_verbs = frozenset({"show"})
    result_events = round_end_events = (model.RoundWon, model.NobodyFought)

    def __init__(self, chairs: Sequence[Chair], rng: random.Random, strengths: Sequence[str]) -> None:
        super().__init__(chairs, rng, strengths)
        self.public = KobayakawaBelief(len(self.chairs))
        """What everybody can know."""
        self._chance = np.random.default_rng(rng.randrange(2**32))
        self._kept: dict[tuple[int, Seat, int], int] = {}
        self._manner = KobayakawaPlayModel()

    def apply_event(self, before: KobayakawaState, event: Event) -> None:
        self.public.observe_event(before, event)
        if isinstance(event, model.CardDiscarded) and event.number != model.UNREAD:
            lying = self._mat_place("discard", event.seat)
            self.places[lying] = self.places[lying] or (card_face(event.number),)  # a person said which
        super().apply_event(before, event)

    def lay_out(self, layout: Mapping[str, tuple[str, ...]]) -> bool:
        laid = (layout.get(place, ()) for place in ("deck", model.KOBAYAKAWA_REGION))
        deck, self.open = ([int(card.partition(":")[2]) for card in cards] for cards in laid)
        self.deck = deck[::-1]  # the left one lies on top
        return super().lay_out(layout)

    def hand_pictures(self, state: KobayakawaState, seat: Seat) -> tuple[str, ...]:
        """What somebody holds now, with the card that was just drawn; while it is dealt, its back."""
        if state.phase is KobayakawaPhase.DEALING:
            return (BOARD.hand_back,) if seat in state.dealt_in else ()
        drawing = (
            state.phase is KobayakawaPhase.DISCARDING and state.actor == seat and self._drawn is not None
        )
        return (*self.hands[seat], *((card_face(self._drawn or 0),) if drawing else ()))

    def visible_hands(self, state: KobayakawaState, seat: Seat) -> dict[Seat, tuple[str, ...]]:
        """While it is dealt the backs, and the deck as a few of them with who deals."""
        if state.phase is not KobayakawaPhase.DEALING:
            return {}
        others = (one for one in state.dealt_in if one != seat)
        return {one: (BOARD.hand_back,) * (DECK if one == state.starter else 1) for one in others}

    def shown_state(self, state: KobayakawaState) -> KobayakawaState:
        """Who deals has gathered in the last showdown."""
        return replace(state, result=None, hands=()) if state.phase is KobayakawaPhase.DEALING else state

    def headline(self, state: KobayakawaState) -> Sentence | None:
        if state.phase is not KobayakawaPhase.DEALING:
            return None
        return Sentence("ui.practice.deals", (("chair", state.chair_of(state.starter)),))

    # What they decide -------------------------------------------------------------------------------------

    def plan(self, state: KobayakawaState) -> Plan:
        if state.phase is KobayakawaPhase.STARTING:  # nobody here has an age: who begins is drawn, at once
            return self._plan_choice(self._rng.randrange(state.players), "start", 0.0, 0.0)
        if state.phase is KobayakawaPhase.REVEALING and not self.open:
            self._plan_deal(state)  # a person said so sooner than the cards could be dealt
        return super().plan(state)

    def _plan_draw(self, state: KobayakawaState, seat: Seat) -> Plan:
        return [] if seat == self.advised_seat else super()._plan_draw(state, seat)

    def _plan_discard(self, state: KobayakawaState, seat: Seat) -> Plan:
        return [] if seat == self.advised_seat else super()._plan_discard(state, seat)

    def _plan_bet(self, state: KobayakawaState, seat: Seat) -> Plan:
        return [] if seat == self.advised_seat else super()._plan_bet(state, seat)

    def _wants_to_replace(self, state: KobayakawaState, seat: Seat) -> bool:
        if self.strengths[seat] == "strong":
            return self.best_draw_action(state, seat) == "replace"
        if self.strengths[seat] == "easy":
            return self._rng.random() < 0.5
        return super()._wants_to_replace(state, seat)

    def hand_actions(self, state: KobayakawaState, seat: Seat) -> list[Action]:
        """What a person may choose that no button can know: which of two cards comes to lie open."""
        if seat != state.actor or state.phase is not KobayakawaPhase.DISCARDING or self._drawn is None:
            return []
        return [Action(seat, "discard", number) for number in sorted((self.card_in_hand(seat), self._drawn))]

    def accept_choice(self, state: KobayakawaState, action: Action, cards: Collection[int] = ()) -> bool:
        return action in self.hand_actions(state, action.seat)

    def hand_use(self, state: KobayakawaState, action: Action) -> HandUse:
        face = card_face(int(action.value or 0))
        return HandUse(1, frozenset({self.hand_pictures(state, action.seat).index(face)}))

    def _card_to_keep(self, state: KobayakawaState, seat: Seat, drawn: int) -> int:
        if self.strengths[seat] == "strong":
            return self.best_card_to_keep(state, seat, drawn)
        if self.strengths[seat] == "easy":
            return max(self.card_in_hand(seat), drawn)
        return super()._card_to_keep(state, seat, drawn)

    def _wants_to_fight(self, state: KobayakawaState, seat: Seat) -> bool:
        if self.strengths[seat] == "strong":
            return self.expected_fight_gain(state, seat) > 0.0
        if self.strengths[seat] == "easy":
            return self._rng.random() < (0.7 if self.card_in_hand(seat) >= 8 else 0.35)
        return super()._wants_to_fight(state, seat)

    # Looking ahead ----------------------------------------------------------------------------------------

    def _sample_deals(
        self, state: KobayakawaState, seat: Seat, own: int, gone: int = 0
    ) -> list[tuple[list[int], list[int]]]:
        """Hands and decks that may be the true ones, as this seat knows them with this card of its own."""
        mine, public = KobayakawaBelief(len(self.chairs), self._manner), self.public
        mine.likely = public.likely.copy()
        mine.playing, mine.open = public.playing, public.open | {gone}
        mine.learn_hand(seat, own)
        rows, weights = mine.sample_deals(SAMPLED_DEALS, self._chance)
        chosen = rows[self._chance.choice(len(rows), SAMPLED_DEALS, p=weights)]
        hands = len(state.order)
        return [(row[:hands].tolist(), row[hands:].tolist()) for row in chosen]

    def _expected_gain(
        self, state: KobayakawaState, seat: Seat, choice: str, *, keep: int = 0, gone: int = 0
    ) -> float:
        """Kamons won on the average if this is chosen, and all go on as people do."""
        own = state.order.index(seat)
        gained = 0.0
        deals = self._sample_deals(state, seat, keep or self.card_in_hand(seat), gone)
        for hands, deck in deals:
            kobayakawa, place = state.kobayakawa, state.turn
            if choice == "replace":
                kobayakawa, place = deck.pop(), place + 1
            elif choice == "draw":
                hands[own], place = self._rule_of_thumb_keep(hands[own], deck.pop(), kobayakawa), place + 1
            elif choice == "keep":
                place += 1
            for other in range(place, len(hands)):
                if self._rng.random() < self._manner.replace_probability(hands[other]):
                    kobayakawa = deck.pop()
                else:
                    hands[other] = self._rule_of_thumb_keep(hands[other], deck.pop(), kobayakawa)
            gained += self._simulate_bets(state, own, hands, kobayakawa)
        return gained / len(deals)

    def _rule_of_thumb_keep(self, mine: int, drawn: int, kobayakawa: int) -> int:
        """The card that people keep."""
        high, low = max(mine, drawn), min(mine, drawn)
        return high if self._manner.is_trusted(high, kobayakawa) else low

    def _simulate_bets(
        self,
        state: KobayakawaState,
        own: int,
        hands: list[int],
        kobayakawa: int,
        *,
        first: bool | None = None,
    ) -> float:
        """What the seat at `own` in turn order gains by the bets that are still to come.

        Without bets, in the round that decides a tie, all that counts is to win it.
        """
        if state.deciding:
            return float(model.showdown_winner(dict(enumerate(hands)), kobayakawa, range(len(hands))) == own)
        done = state.turn if state.phase is KobayakawaPhase.BETTING else 0
        fights = [place for place in range(done) if state.hands[state.order[place]].bet == "fight"]
        pot = sum(state.hands[state.order[place]].stake for place in fights)
        paid = 0
        for place in range(done, len(hands)):
            alone = place == len(hands) - 1 and not fights
            likely = self._manner.fight_probability(hands[place], kobayakawa, alone=alone)
            up = first if first is not None and place == own else self._rng.random() < likely
            if up:
                fights.append(place)
                cost = model.fight_cost(state.kamons[state.order[place]], state.centre)
                pot += cost
                paid = cost if place == own else paid
        if not paid:
            return 0.0
        cards = {place: hands[place] for place in fights}
        won = len(fights) == 1 or model.showdown_winner(cards, kobayakawa, range(len(hands))) == own
        return (pot + model.centre_bonus(state.centre)) * won - paid

    def best_draw_action(self, state: KobayakawaState, seat: Seat) -> str:
        """`draw` or `replace`."""
        return max(("draw", "replace"), key=lambda choice: self._expected_gain(state, seat, choice))

    def best_card_to_keep(self, state: KobayakawaState, seat: Seat, drawn: int) -> int:
        """Which of the two cards; decided once."""
        known = state.round, seat, drawn
        if known not in self._kept:
            mine = self.card_in_hand(seat)
            both = mine + drawn
            worth = {
                one: self._expected_gain(state, seat, "keep", keep=one, gone=both - one)
                for one in (mine, drawn)
            }
            self._kept[known] = max(worth, key=lambda one: worth[one])
        return self._kept[known]

    def expected_fight_gain(self, state: KobayakawaState, seat: Seat) -> float:
        """The expected gain of a fight, in kamons: the mean over sampled deals."""
        own = state.order.index(seat)
        deals = self._sample_deals(state, seat, self.card_in_hand(seat))
        return sum(
            self._simulate_bets(state, own, hands, state.kobayakawa, first=True) for hands, _ in deals
        ) / len(deals)

    # Advice -----------------------------------------------------------------------------------------------

    def advice(self, state: KobayakawaState, seat: Seat) -> Advice | None:
        """What the strong would do in this seat, and why."""
        if seat != state.actor:
            return None
        match state.phase:
            case KobayakawaPhase.DRAWING:
                choice = self.best_draw_action(state, seat)
                return Advice(Action(seat, choice), Sentence(f"lesson.hint.{choice}"))
            case KobayakawaPhase.DISCARDING if self._drawn is not None:
                keep, mine = self.best_card_to_keep(state, seat, self._drawn), self.card_in_hand(seat)
                away = mine + self._drawn - keep
                lowest = [min(hands) == keep for hands, _ in self._sample_deals(state, seat, keep, away)]
                why = "lesson.hint.keep_low" if 2 * sum(lowest) > SAMPLED_DEALS else "lesson.hint.keep_high"
                return Advice(Action(seat, "discard", away), Sentence(why, (("number", keep),)))
            case KobayakawaPhase.BETTING:
                fights = self.expected_fight_gain(state, seat) > 0.0
                why = "lesson.hint.fight" if fights else "lesson.hint.pass"
                return Advice(Action(seat, "fight" if fights else "pass"), Sentence(why))
        return None
