"""Kinapa's computer opponents of three strengths.

Easy forgets most of the ring and decides by its own hand alone. Medium remembers more, and bluffs now and
then. Strong reckons from all the table saw where the cards may be, plays every choice of its own to the
end of the turn in many deals that may be the true one, and takes the one that did best (Monte Carlo over its
information set). What it sees is what its seat may see: the public history and its own hand.
"""

import random
from collections.abc import Mapping, Sequence

import numpy as np

from companion.core.actions import Action, Chair, Seat
from companion.core.events import Event
from companion.core.view import Sentence
from companion.games.kinapa.belief import KinapaBelief
from companion.games.kinapa.card_visibility import EVERYBODY, CardVisibility, find_witnesses, revealed_decks
from companion.games.kinapa.players import KinapaWorld, card_number
from companion.games.kinapa.rules import bot_decks, narration
from companion.games.kinapa.rules import events as ev
from companion.games.kinapa.rules.state import (
    KinapaPhase,
    KinapaState,
    ObjectPosition,
    object_label,
    object_numbers,
)
from companion.games.kinapa.turn_simulation import BROKEN_PAIR_VALUE, KNOWN_BONUS, PAIR_VALUE, TurnSimulation
from companion.games.kit.opponents import Advice, CardPlaces, NotInHandError, Opponents
from companion.games.kit.world import Plan, PlayStyle, PressOwnButton, thinking_time

MEMORY_BY_STRENGTH: Mapping[str, float] = {"easy": 0.35, "medium": 0.75, "strong": 1.0}
"""How many turned objects somebody remembers."""
SIMULATED_DEALS = 400
"""Deals in which the strong play a choice to the end."""
PARTICLE_COUNT, MAX_MOVES = 240, 12
"""Particles that a strong opponent keeps, and how often each is thought over at most."""


class KinapaOpponents(Opponents, KinapaWorld):
    """A table of people of given strengths; every seat decides for itself."""

    automatic_verbs = frozenset(
        {"claim_cat", "nobody", "show_pair", "no_pair", "has", "has_not", "receive", "refuse", "drawn"}
        | {"return", "found", "not_found", "recount", "close"}
    )
    hand_only_verbs = frozenset({"return"})
    card_move_verbs = frozenset({"turn", "place", "hide"})
    own_place_prefixes = ("slot:",)

    play_style = PlayStyle.BLUFFING

    def __init__(
        self, chairs: Sequence[Chair], rng: random.Random, strengths: Sequence[str], *, bot: bool = False
    ) -> None:
        super().__init__(chairs, rng, strengths, bot=bot)
        self._chance = np.random.default_rng(rng.randrange(2**32))
        self._reckons: dict[Seat, KinapaBelief] = {}
        self._remembers: list[dict[int, str]] = [{} for _ in self.chairs]
        self._sight = CardVisibility()
        self._meant = ""
        """The card that a person gives back."""

    def places_after_move(self, state: KinapaState, seat: Seat, verb: str, value: str) -> CardPlaces:
        """What lies where after a move of this seat; raises `NotInHandError` if it lacks the pair to lay
        down.
        """
        label, _, place = value.partition("@")
        if verb == "turn":
            slot = int(place) if place.isdigit() else self.best_slot(state, seat)
            return ((f"slot:{slot}", (f"object:{self.labels[slot - 1]}",)),)
        if verb == "hide":
            return ((f"slot:{state.turn.slot}", ("back:blue",)),)
        number = int(label)
        if len(self.cards_of_number(seat, number)) < 2:
            raise NotInHandError(Sentence("lesson.practice.no_pair"))
        cards = (f"object:{state.turn.label}", f"animal:{number}", f"shelter:{number}")
        return ((f"slot:{state.turn.slot}", cards),)

    def touch_meaning(self, region: str) -> tuple[str, str] | None:
        return "turn", f"0@{region.partition(':')[2]}"

    def deck_owner(self, state: KinapaState, seat: Seat) -> Seat | None:
        return bot_decks.bot_owner(state, seat)

    # What they know ---------------------------------------------------------------------------------------

    def _belief_of(self, seat: Seat) -> KinapaBelief:
        """What a seat can know; made at its first use and from then on given everything."""
        return self._reckons[seat]

    def look_into_hands(self) -> None:
        """Before anything happened everybody looks into the player's own hand."""
        wanted = {seat for seat, strength in enumerate(self.strengths) if strength == "strong"}
        wanted |= set() if self.advised_seat is None else {self.advised_seat}
        for seat in sorted(wanted - set(self._reckons)):
            seed = self._rng.randrange(2**32)
            mind = KinapaBelief(len(self.hands), size=PARTICLE_COUNT, moves=MAX_MOVES, seed=seed)
            mind.learn_hand(seat, self.hands[seat])
            self._reckons[seat] = mind

    def apply_event(self, before: KinapaState, event: Event) -> None:
        self.look_into_hands()
        super().apply_event(before, event)
        for seat, mind in self._reckons.items():
            mind.observe_event(before, event, self._received if seat in find_witnesses(before, event) else "")
            for eyes, deck in revealed_decks(before, event):
                if eyes in {EVERYBODY, seat}:
                    mind.see_cards(deck, self.hands[deck])
        self._sight.observe_event(before, event, self.hands, self._received)
        if isinstance(event, ev.ObjectTurned):
            for seat, memory in enumerate(self._remembers):
                if self._rng.random() < MEMORY_BY_STRENGTH[self.strengths[seat]]:
                    memory[event.slot] = event.label
        elif isinstance(event, ev.PairPlaced):
            for memory in self._remembers:
                memory.pop(event.slot, None)

    def visible_hands(self, seat: Seat) -> dict[Seat, tuple[str, ...]]:
        """What somebody sees of other decks, as pictures."""
        return self._sight.visible_decks(seat, self.hands)

    # What they decide -------------------------------------------------------------------------------------

    def _has_style(self, seat: Seat, style: PlayStyle) -> bool:
        return False  # nobody slips or cheats here

    def _plan_announcement(self, state: KinapaState, soonest: float) -> Plan:
        seat = state.emperor
        alive = [number for number in range(1, state.highest + 1) if number not in state.placed_numbers]
        mine = [card_number(card) for card in self.hands[seat]]
        wanted = sorted({number for number in mine if mine.count(number) == 1 and number in alive})
        if self.strengths[seat] == "strong":
            number = self.best_number(state, seat)[0]
        elif self.strengths[seat] == "easy" and self._rng.random() < 0.5:
            number = self._rng.choice(alive)
        else:
            number = self._rng.choice(wanted or alive)
        return self._plan_choice(seat, "announce", soonest, soonest + 1.0, number)

    def best_number(self, state: KinapaState, seat: Seat) -> tuple[int, float]:
        """The number that did best when it was played out, and its value on the scale of
        `TurnSimulation.turn_value`.
        """
        thought, known = self._turn_simulation(state, seat), self._known_numbers(seat)
        alive = [number for number in range(1, state.highest + 1) if number not in state.placed_numbers]
        values = {number: thought.turn_value(seat, number, {}, known) for number in alive}
        best = max(values, key=lambda number: values[number])
        return best, values[best]

    def _turn_simulation(self, state: KinapaState, seat: Seat) -> TurnSimulation:
        """The table as this seat knows it, in deals that may be the true one."""
        sample = self._belief_of(seat).sample
        rows = self._chance.choice(sample.size, SIMULATED_DEALS, p=sample.weights)
        return TurnSimulation(state, sample.deals[rows], self._chance, self._known_numbers(seat))

    def _known_numbers(self, seat: Seat) -> tuple[int, ...]:
        """The numbers whose object somebody remembers."""
        labels = set(self._remembers[seat].values())
        return tuple(sorted(number for label in labels for number in object_numbers(label)))

    def _plan_aid(self, state: KinapaState) -> Plan:
        bot = state.turn.aids[0]
        seat = bot_decks.aid_setter(state, bot)
        if self.strengths[seat] != "strong":
            return super()._plan_aid(state)
        verb = "aid_up" if self.gain_of_raising(state, seat, bot) > 0.0 else "aid_down"
        return self._plan_choice(seat, verb, 0.6, 1.6)

    def _plan_hands(self, state: KinapaState) -> Plan:
        plan: Plan = []
        for seat in self._people_but_emperor(state):
            if not state.seats[seat].foxes and self._wants_to_raise(state, seat):
                plan.append((thinking_time(self._rng, 0.2, 2.7), PressOwnButton(self.chairs[seat])))
        if not state.options.count_seconds:
            plan += self._plan_choice(state.emperor, "close", 3.2, 4.0)
        return plan

    def _wants_to_raise(self, state: KinapaState, seat: Seat) -> bool:
        has = len(self.cards_of_number(seat, state.turn.number))
        strength = self.strengths[seat]
        if strength == "strong":
            return self.gain_of_raising(state, seat, seat) > 0.0
        chances = {"easy": (0.45, 0.15), "medium": (0.75, 0.12)}[strength]
        return self._rng.random() < chances[bool(has)]

    def gain_of_raising(self, state: KinapaState, seat: Seat, deck: Seat) -> float:
        """How much better raising the hand, or a BOT deck's aid, is than lowering it: a mean over all deals.

        In units of `turn_simulation`, where the crown is worth `CROWN`.
        """
        thought, number = self._turn_simulation(state, seat), state.turn.number
        up, down = (thought.turn_value(seat, number, {deck: is_up}) for is_up in (True, False))
        return up - down

    def _plan_phase(self, state: KinapaState) -> Plan:
        seat = state.emperor
        if state.phase is KinapaPhase.RETURNING and seat == self.advised_seat:
            return []  # a person chooses among their own cards
        if self.strengths[seat] == "strong":
            match state.phase:
                case KinapaPhase.CHOOSING:
                    return self._plan_choice(seat, "draw_from", 0.5, 1.5, self.best_partner(state, seat))
                case KinapaPhase.SUCCEEDING:
                    return self._plan_choice(seat, "crown", 0.5, 1.5, self.best_successor(state, seat))
                case KinapaPhase.SWITCHING:
                    return self._plan_choice(seat, "switch", 0.5, 1.5, self.best_taker(state, seat))
        return super()._plan_phase(state)

    def best_partner(self, state: KinapaState, seat: Seat) -> Seat:
        """The lowered deck whose cards would best complete a pair of one's own, or break another's."""
        mind = self._belief_of(seat)
        table, known = mind.card_probabilities(), self._known_numbers(seat)
        mine = [card_number(card) for card in self.hands[seat]]
        singles = [n for n in set(mine) if mine.count(n) == 1 and n not in state.placed_numbers]

        def fits(other: Seat) -> float:
            worth = sum(
                float(table[other, n - 1]) * PAIR_VALUE * (1 + KNOWN_BONUS * (n in known)) for n in singles
            )
            if not state.is_bot(other):
                worth += BROKEN_PAIR_VALUE * float(mind.pair_probabilities(other).sum()) / (state.people - 1)
            return worth / max(1, state.seats[other].cards)

        return max(state.lowered, key=fits)

    def best_successor(self, state: KinapaState, seat: Seat) -> Seat:
        """The crown to which the player's own deck stands best; a BOT deck has to be taken by somebody."""
        thought = self._turn_simulation(state, seat)

        def stands(deck: Seat) -> float:
            takers = bot_decks.possible_switchers(state, deck) if state.is_bot(deck) else (None,)
            return max(thought.crown_value(seat, deck, taker) for taker in takers)

        return max(state.turn.candidates, key=stands)

    def best_taker(self, state: KinapaState, seat: Seat) -> Seat:
        """Who loses most by taking the BOT deck."""
        thought, bot = self._turn_simulation(state, seat), state.turn.successor
        assert bot is not None
        return max(state.turn.candidates, key=lambda taker: thought.crown_value(seat, bot, taker))

    def _plan_turning(self, state: KinapaState) -> Plan:
        seat = state.emperor
        return self._plan_turn_object(seat, self.best_slot(state, seat))

    def best_slot(self, state: KinapaState, seat: Seat) -> int:
        """A place known to fit; else one nobody has seen; else any."""
        memory = self._remembers[seat]
        down = [slot for slot, lying in enumerate(state.slots, 1) if lying.lies is ObjectPosition.DOWN]
        fitting = [object_label(number) for number in self.pairs_in_hand(seat)]
        known = [slot for slot in down if memory.get(slot) in fitting]
        fresh = [slot for slot in down if slot not in memory]
        return self._rng.choice(known or fresh or down)

    def hand_actions(self, state: KinapaState, seat: Seat) -> list[Action]:
        """What a person may choose with this very hand: which card goes back."""
        if state.phase is not KinapaPhase.RETURNING or seat != state.emperor:
            return []
        return [Action(seat, "return", card) for card in self._returnable_cards(seat)]

    def accept_choice(self, state: KinapaState, action: Action) -> bool:
        """A person is about to do this; False: that hand cannot."""
        if action not in self.hand_actions(state, action.seat):
            return False
        self._meant = str(action.value)
        return True

    def _returnable_cards(self, crown: Seat) -> list[str]:
        """All but the last received."""
        return [card for card in self.hands[crown] if card != self._received]

    def _choose_return(self, crown: Seat) -> str:
        """The card that goes back: never the last received."""
        loose = self._returnable_cards(crown)
        if crown == self.advised_seat and self._meant in loose:
            return self._meant
        if self.strengths[crown] == "easy":
            return self._rng.choice(loose)
        if self.strengths[crown] == "strong":
            return self._choose_spare_card(crown)
        pairs = self.pairs_in_hand(crown)
        return self._rng.choice([card for card in loose if card_number(card) not in pairs] or loose)

    def _choose_spare_card(self, crown: Seat) -> str:
        """A card of no pair, rather one whose object nobody has seen."""
        loose, pairs = self._returnable_cards(crown), self.pairs_in_hand(crown)
        spare = [card for card in loose if card_number(card) not in pairs] or loose
        known = set(self._remembers[crown].values())
        return min(spare, key=lambda card: (object_label(card_number(card)) in known, self._rng.random()))

    # Advice -----------------------------------------------------------------------------------------------

    def advice(self, state: KinapaState, seat: Seat) -> Advice | None:
        """What the strong would do in this seat, and why."""
        self.look_into_hands()
        if seat not in self._reckons:
            return None
        crown = seat == state.emperor
        match state.phase:
            case KinapaPhase.ANNOUNCING if crown:
                number, _ = self.best_number(state, seat)
                held = len(self.cards_of_number(seat, number))
                why = f"lesson.hint.announce{held}"
                return Advice(Action(seat, "announce", number), Sentence(why, (("value", number),)))
            case KinapaPhase.ANNOUNCED | KinapaPhase.COUNTING if not crown:
                raised = self.gain_of_raising(state, seat, seat) > 0.0
                has = bool(self.cards_of_number(seat, state.turn.number))
                why = f"lesson.hint.{'raise' if raised else 'lower'}{'_with' if has else ''}"
                return Advice(Action(seat, "raise" if raised else "lower"), Sentence(why))
            case KinapaPhase.RETURNING if crown:
                card = self._choose_spare_card(seat)
                number = card_number(card)
                why = "lesson.hint.return" + ("_pair" if number in self.pairs_in_hand(seat) else "")
                return Advice(Action(seat, "return", card), Sentence(why, (("value", number),)))
            case KinapaPhase.AIDING if bot_decks.aid_setter(state, state.turn.aids[0]) == seat:
                bot = state.turn.aids[0]
                verb = "aid_up" if self.gain_of_raising(state, seat, bot) > 0.0 else "aid_down"
                why = f"lesson.hint.{verb}{'' if crown else '_asked'}"
                return Advice(Action(seat, verb), Sentence(why, (narration.bot_part(state, bot),)))
            case KinapaPhase.CHOOSING if crown:
                return self._advice_to_name(state, "draw_from", self.best_partner(state, seat))
            case KinapaPhase.SUCCEEDING if crown:
                return self._advice_to_name(state, "crown", self.best_successor(state, seat))
            case KinapaPhase.SWITCHING if crown:
                return self._advice_to_name(state, "switch", self.best_taker(state, seat))
            case KinapaPhase.PLACING if crown:
                fitting = [
                    number
                    for number in object_numbers(state.turn.label)
                    if number in self.pairs_in_hand(seat)
                ]
                if fitting:
                    parts = (("value", fitting[0]),)
                    return Advice(Action(seat, "place", fitting[0]), Sentence("lesson.hint.lay", parts))
                return Advice(Action(seat, "hide"), Sentence("lesson.hint.hide"))
            case KinapaPhase.TURNING if crown:
                slot = self.best_slot(state, seat)
                known = self._remembers[seat].get(slot, "")
                why = "lesson.hint.turn_known" if known else "lesson.hint.turn"
                return Advice(
                    Action(seat, "turn", f"{self.labels[slot - 1]}@{slot}"), Sentence(why, (("slot", slot),))
                )
        return None

    def _advice_to_name(self, state: KinapaState, verb: str, deck: Seat) -> Advice:
        """Whom the Emperor names."""
        about = narration.bot_part(state, deck) if state.is_bot(deck) else ("chair", self.chairs[deck])
        why = narration.with_bot_suffix(Sentence(f"lesson.hint.{verb}", (about,)))
        return Advice(Action(state.emperor, verb, deck), why)
