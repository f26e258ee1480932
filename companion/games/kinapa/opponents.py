"""Kinapa's computer opponents of three strengths.

Easy forgets most of the ring and decides by its own hand alone. Medium remembers more, and bluffs now and
then. Strong reckons from all the table saw where the cards may be, plays every choice of its own to the end
of the turn in many deals that may be the true one, and takes the one that did best (Monte Carlo over its
information set). What it sees is what its seat may see: the public history and its own hand.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from companion.core.actions import Action, Chair, Seat
from companion.core.events import Event
from companion.core.view import Sentence
from companion.games.kinapa.belief import Deals, KinapaBelief, Mask, Weights
from companion.games.kinapa.players import KinapaWorld, card_number
from companion.games.kinapa.rules import bot_decks, model, narration
from companion.games.kinapa.rules.camera_rulings import BACK
from companion.games.kinapa.rules.model import KinapaPhase, KinapaState
from companion.games.kinapa.rules.player_prompts import announceable_numbers
from companion.games.kit.world import (
    Advice,
    CardPlaces,
    HandUse,
    NotInHandError,
    Opponents,
    Plan,
    PlayStyle,
    PressOwnButton,
    thinking_time,
)

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
    hand_only_verbs = frozenset({"announce", "return"})
    card_move_verbs = frozenset({"turn", "place", "hide"})
    own_place_prefixes = ("slot:",)
    _forced_verbs = frozenset({"claim_cat", "show_pair", "no_pair", "has", "has_not"})
    """Those of the automatic verbs that the own hand decides."""

    play_style = PlayStyle.BLUFFING

    def __init__(
        self, chairs: Sequence[Chair], rng: random.Random, strengths: Sequence[str], *, bot: bool = False
    ) -> None:
        super().__init__(chairs, rng, strengths, bot=bot)
        self._chance = np.random.default_rng(rng.randrange(2**32))
        self._reckons: dict[Seat, KinapaBelief] = {}
        self._remembers: list[dict[int, str]] = [{} for _ in self.chairs]
        self._sight = CardVisibility()
        self._meant: tuple[Seat, str] | None = None
        """Who gives which card back, as a person chose it."""

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

    def is_possible(self, state: KinapaState, action: Action) -> bool:
        return action.verb != "place" or int(action.value or 0) in self.pairs_in_hand(action.seat)

    def forced_note(self, state: KinapaState, action: Action) -> Sentence | None:
        if action.verb not in self._forced_verbs or action.seat != self.advised_seat:
            return None
        number = state.lowest if action.verb == "claim_cat" else state.turn.number
        return Sentence(f"lesson.practice.forced.{action.verb}", (("number", number),))

    def deck_owner(self, state: KinapaState, seat: Seat) -> Seat | None:
        return state.bot_owner(seat)

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
            mind.observe_event(
                before, event, self._received if seat in _find_witnesses(before, event) else ""
            )
            for eyes, deck in _revealed_decks(before, event):
                if eyes in {_EVERYBODY, seat}:
                    mind.see_cards(deck, self.hands[deck])
        self._sight.observe_event(before, event, self.hands, self._received)
        if isinstance(event, model.ObjectTurned):
            for seat, memory in enumerate(self._remembers):
                if self._rng.random() < MEMORY_BY_STRENGTH[self.strengths[seat]]:
                    memory[event.slot] = event.label
        elif isinstance(event, model.PairPlaced):
            for memory in self._remembers:
                memory.pop(event.slot, None)

    def visible_hands(self, state: KinapaState, seat: Seat) -> dict[Seat, tuple[str, ...]]:
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
        return tuple(sorted(number for label in labels for number in model.object_numbers(label)))

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

        In units of `TurnSimulation`, where the crown is worth `CROWN_VALUE`.
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
        down = [slot for slot, lying in enumerate(state.slots, 1) if lying.lies is model.ObjectPosition.DOWN]
        fitting = [model.object_label(number) for number in self.pairs_in_hand(seat)]
        known = [slot for slot in down if memory.get(slot) in fitting]
        fresh = [slot for slot in down if slot not in memory]
        return self._rng.choice(known or fresh or down)

    def hand_actions(self, state: KinapaState, seat: Seat) -> list[Action]:
        """What a person may choose with this very hand: which number is called, which card goes back."""
        if seat != state.emperor:
            return []
        if state.phase is KinapaPhase.ANNOUNCING:
            return [Action(seat, "announce", number) for number in announceable_numbers(state)]
        if state.phase is KinapaPhase.RETURNING:
            return [Action(seat, "return", card) for card in self._returnable_cards(seat)]
        return []

    def hand_use(self, state: KinapaState, action: Action) -> HandUse:
        """A number is called by one of its cards, be it in the hand or one of the others, laid beside it."""
        hand = self.hands[action.seat]
        if action.verb == "return":
            return HandUse(1, frozenset({hand.index(str(action.value))}))
        cards = frozenset(place for place, card in enumerate(hand) if card_number(card) == action.value)
        return HandUse(1, cards) if cards else HandUse(region=f"animal:{action.value}")

    def accept_choice(self, state: KinapaState, action: Action, cards: Collection[int] = ()) -> bool:
        if action not in self.hand_actions(state, action.seat):
            return False
        if action.verb == "return":
            self._meant = action.seat, str(action.value)
        return True

    def tap_refusal(self, state: KinapaState, seat: Seat, place: int) -> Sentence | None:
        """The card that was just drawn is kept."""
        drawn = state.phase is KinapaPhase.RETURNING and self.hands[seat][place] == self._received
        return Sentence("lesson.practice.drawn") if drawn else None

    def _returnable_cards(self, crown: Seat) -> list[str]:
        """All but the last received, those of no pair first."""
        loose = [card for card in self.hands[crown] if card != self._received]
        pairs = self.pairs_in_hand(crown)
        return sorted(loose, key=lambda card: card_number(card) in pairs)

    def _choose_return(self, crown: Seat) -> str:
        """The card that goes back: never the last received."""
        loose = self._returnable_cards(crown)
        if self._meant is not None and self._meant[0] == crown and self._meant[1] in loose:
            return self._meant[1]
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
        return min(
            spare, key=lambda card: (model.object_label(card_number(card)) in known, self._rng.random())
        )

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
                    for number in model.object_numbers(state.turn.label)
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


# A turn in many deals at once -------------------------------------------------------------------------------
# Every deal is a row, every deck a column, BOT decks after all hands. People are thought of as simulated
# people play; what a seat has by then is worth a share of a game.


BLUFF_RATE, RAISE_RATE, AID_UP_RATE = 0.15, 0.8, 0.6
"""How often a hand goes up with the number in it and without it; how often an aid lies up."""
LAID_PAIR_VALUE, PAIR_VALUE, KNOWN_BONUS = 0.6, 0.35, 0.9
"""Worth how much of a game: a pair that lies, a pair in hand, and how much more where its object is known."""
CROWN_VALUE, BROKEN_PAIR_VALUE, FOX_VALUE, GIVEN_CARD_VALUE = 0.25, 0.3, 0.12, 0.02
"""The crown next turn; a pair broken, Foxes, any other card handed over."""


class TurnOutcome(NamedTuple):
    """What becomes of the turn in every deal."""

    giver: npt.NDArray[np.int64]
    """The deck that hands the number over; -1: none does."""
    lied: Mask
    """Its hand or aid was up."""
    down: Mask
    """(deals, decks): down, and a card is drawn from one of them."""
    crown: Weights
    """(deals, decks): how likely it is next."""


class TurnSimulation:
    """Owns deals that may be the true one, as somebody knows them, and the table they lie on."""

    def __init__(
        self, state: KinapaState, deals: Deals, chance: np.random.Generator, known: Sequence[int] = ()
    ) -> None:
        """`known`: numbers whose object the thinking player has seen."""
        self.state = state
        self.deals = deals
        self.seats = len(state.seats)
        self._chance = chance
        self._at = deals.reshape(len(deals), -1, 2)
        self._pairs = self._pair_worth_by_deck(known)
        laid = np.array([LAID_PAIR_VALUE * len(seat.placed) for seat in state.seats])
        self.worth: Weights = self._pairs + laid
        """(deals, decks): what each deck is worth to the player who has it in hand."""

    def _pair_worth_by_deck(self, known: Sequence[int]) -> Weights:
        """Of the pairs in every deck."""
        both = self._at[:, :, 0] == self._at[:, :, 1]
        value = self._pair_values(known)
        return np.stack([(both & (self._at[:, :, 0] == seat)) @ value for seat in range(self.seats)], 1)

    def _pair_values(self, known: Sequence[int]) -> Weights:
        value = np.full(self._at.shape[1], PAIR_VALUE)
        value[[number - 1 for number in known]] *= 1 + KNOWN_BONUS
        return value

    # The count --------------------------------------------------------------------------------------------

    def decks_with_number(self, number: int) -> Mask:
        """(deals, decks): a card of the number is there."""
        both = self._at[:, number - 1]
        return np.stack([(both == seat).any(axis=1) for seat in range(self.seats)], 1)

    def sample_raised_hands(self, has: Mask, fixed: Mapping[Seat, bool]) -> Mask:
        """(deals, decks): which hands are raised, as people do it.

        `fixed`: what is known or assumed of a seat.
        """
        state = self.state
        raises = np.where(has, BLUFF_RATE, RAISE_RATE)
        for seat, deck in enumerate(state.seats):
            if state.is_bot(seat):
                waiting = not state.turn.number or seat in state.turn.aids
                raises[:, seat] = AID_UP_RATE if waiting else float(seat in state.turn.raised)
            if seat in fixed:
                raises[:, seat] = float(fixed[seat])
            elif deck.foxes or not deck.cards:
                raises[:, seat] = 0.0
        up: Mask = self._chance.random(raises.shape) < raises
        up[:, state.emperor] = False
        return up

    # The exchange -----------------------------------------------------------------------------------------

    def simulate_turn(self, number: int, fixed: Mapping[Seat, bool]) -> TurnOutcome:
        """The announced number, the count, who gives, and who may be next."""
        state, crown = self.state, self.state.emperor
        has = self.decks_with_number(number)
        up = self.sample_raised_hands(has, fixed)
        asked = np.zeros(self.seats, dtype=bool)
        asked[list(state.others)] = True
        down = asked & ~up
        lowered = down.sum(axis=1)
        shown = (self._at[:, number - 1] == crown).all(axis=1)
        demanded = (lowered <= 1) & ~shown
        # The player who is down is asked first, then hands, then BOT decks.
        turn = self._chance.random(has.shape) + np.where(down, 4.0, 0.0)
        turn[:, : state.people] += 2.0
        order = np.where(has & asked, turn, -1.0)
        giver = np.where(demanded & (order.max(axis=1) >= 0.0), order.argmax(axis=1), -1)
        lied = (giver >= 0) & up[np.arange(len(up)), giver]
        drawn = down & ((lowered >= 2) | (shown & (lowered == 1)))[:, None]
        return TurnOutcome(giver, lied, drawn, self._crown_chances(up, giver, lied))

    def _crown_chances(self, up: Mask, giver: npt.NDArray[np.int64], lied: Mask) -> Weights:
        """How likely every deck gets the crown."""
        state = self.state
        sheepless = np.array([not seat.sheep for seat in state.seats])
        eligible = np.array([state.can_be_crowned(seat) for seat in range(self.seats)])
        may = up & eligible
        first = may & sheepless
        may = np.where(first.any(axis=1)[:, None], first, may)
        forced = lied & (sheepless & eligible)[giver]
        rows = np.flatnonzero(forced)
        may[rows] = False
        may[rows, giver[rows]] = True
        may[~may.any(axis=1), state.emperor] = True
        share: Weights = may / may.sum(axis=1, keepdims=True)
        return share

    # What it is worth -------------------------------------------------------------------------------------

    def turn_value(
        self, me: Seat, number: int, fixed: Mapping[Seat, bool], known: Sequence[int] = ()
    ) -> float:
        """What a player gains by the turn relative to the others: the mean over all deals.

        In units in which the crown is worth `CROWN_VALUE`.
        """
        crown = self.state.emperor
        turned = self.simulate_turn(number, fixed)
        rows = np.arange(len(self.deals))
        gain = np.zeros((len(rows), self.seats))
        worth = self._pair_values(known if crown == me else ())
        mine = self._at == crown
        held = mine.sum(axis=2)
        got = turned.giver >= 0
        gain[:, crown] += np.where(got & (held[:, number - 1] == 1), worth[number - 1], 0.0)
        both = (self._at[rows, number - 1] == turned.giver[:, None]).all(axis=1)
        lost = np.where(both, BROKEN_PAIR_VALUE, GIVEN_CARD_VALUE) + np.where(turned.lied, FOX_VALUE, 0.0)
        gain[rows[got], turned.giver[got]] -= lost[got]
        self._add_draw_gains(gain, turned.down, held, worth)
        return float(self.relative_gain(me, gain, turned.crown).mean())

    def _add_draw_gains(self, gain: Weights, down: Mask, held: npt.NDArray[np.int64], worth: Weights) -> None:
        """A card drawn blindly makes a pair of the Emperor's, or breaks one of the other deck."""
        crown = self.state.emperor
        lowered = down.sum(axis=1)
        cards = np.array([seat.cards for seat in self.state.seats])
        twin = np.where(self._at[:, :, 0] == crown, self._at[:, :, 1], self._at[:, :, 0])
        open_to = np.concatenate([down, np.zeros((len(down), 1), dtype=bool)], axis=1)  # -1: on the table
        fits = (held == 1) & np.take_along_axis(open_to, twin.astype(np.int64), axis=1)
        gain[:, crown] += (fits @ worth) / np.maximum(1, down @ cards)
        likely = down / np.maximum(1, lowered)[:, None] * 2 / np.maximum(2, cards)
        gain -= likely * self._pairs * BROKEN_PAIR_VALUE / PAIR_VALUE

    def relative_gain(self, me: Seat, gain: Weights, crown: Weights) -> Weights:
        """(deals,): what `me` has by then less what the others have: decks in hand, and the crown."""
        state = self.state
        worth = self.worth + gain
        total = np.zeros(len(worth))
        for person in range(state.people):
            sign = 1.0 if person == me else -1.0 / (state.people - 1)
            there = crown[:, person].copy()
            has = worth[:, person].copy()
            acts = there * (0.5 + worth[:, person])
            for bot in state.bots:
                takers = bot_decks.possible_switchers(state, bot)
                if person in takers:
                    share = crown[:, bot] / len(takers)
                    has += share * (worth[:, bot] - worth[:, person])
                    acts += share * (0.5 + worth[:, bot])
            total += sign * (has + CROWN_VALUE * acts)
        return total

    def crown_value(self, me: Seat, seat: Seat, taker: Seat | None = None) -> float:
        """The value for `me` of the crown going to `seat`, in the units of `value`.

        `taker`: who takes it for a BOT deck.
        """
        state = self.state
        worth = self.worth.mean(axis=0)
        total = 0.0
        for person in range(state.people):
            deck = seat if person == taker else person
            acts = 0.5 + worth[deck] if deck == seat else 0.0
            sign = 1.0 if person == me else -1.0 / (state.people - 1)
            total += sign * (float(worth[deck]) + CROWN_VALUE * float(acts))
        return total


# Who has seen which card ------------------------------------------------------------------------------------


Hands = Sequence[Sequence[str]]
_EVERYBODY = -1
"""Everybody's eyes."""


def _find_witnesses(before: KinapaState, event: Event) -> frozenset[Seat]:
    """Who sees which card moves: the Emperor, and those who give or get it from hand to hand."""
    if not isinstance(event, model.KinapaCardDrawn | model.CardHanded | model.CardReturned):
        return frozenset()
    handed = isinstance(event, model.CardHanded)  # from a BOT deck its keeper takes it
    return frozenset({before.emperor, before.keeper_of(event.seat) if handed else event.seat})


def _revealed_decks(before: KinapaState, event: Event) -> Iterator[tuple[Seat, Seat]]:
    """Whose eyes (or everybody's) see all of which deck now; a deck in hand is seen by its holder."""
    match event:
        case model.DecksSwitched():
            yield event.seat, event.seat
        case model.LiarPunished():
            yield _EVERYBODY, event.seat
        case model.NumberAdmitted() | model.NumberDenied() if before.is_bot(event.seat):
            yield before.keeper_of(event.seat), event.seat


class CardVisibility:
    """Owns what is seen of decks that are not in the player's own hand, as long as it is."""

    def __init__(self) -> None:
        self._seen: dict[tuple[Seat, Seat], tuple[str, ...]] = {}
        """(eyes, deck) → its cards."""

    def observe_event(self, before: KinapaState, event: Event, hands: Hands, moved: str) -> None:
        """A ruling; the cards have moved already, `moved` the last of them."""
        match event:
            case model.DecksSwitched():
                there = {event.seat: event.bot, event.bot: event.seat}
                self._seen = {(who, there.get(at, at)): cards for (who, at), cards in self._seen.items()}
            case model.FoxRemoved(left=0) | model.FoxesTaken(left=0):
                self._seen.pop((_EVERYBODY, event.seat), None)
            case model.CardReturned() if (before.emperor, event.seat) in self._seen:
                self._seen[before.emperor, event.seat] += (moved,)
            case (
                model.EmperorCrowned() | model.EmperorStays()
            ):  # what somebody looked at lies under its aid again
                self._seen = {key: cards for key, cards in self._seen.items() if key[0] == _EVERYBODY}
        for who, at in _revealed_decks(before, event):
            if who != at:
                self._seen[who, at] = tuple(hands[at])
        self._seen = {
            (who, at): tuple([card for card in cards if card in hands[at]])
            for (who, at), cards in self._seen.items()
        }

    def visible_decks(self, viewer: Seat, hands: Hands) -> dict[Seat, tuple[str, ...]]:
        """The decks of which somebody sees more than backs."""
        found: dict[Seat, tuple[str, ...]] = {}
        for (who, at), cards in sorted(self._seen.items()):
            if who in {_EVERYBODY, viewer} and at != viewer and cards:
                found[at] = (*cards, *(BACK,) * (len(hands[at]) - len(cards)))
        return found
