"""Kinapa's opponents of three strengths.

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
from companion.games.kinapa.belief import KinapaReckoning
from companion.games.kinapa.opponents_sight import ALL, Sight, looked_into, witnesses
from companion.games.kinapa.opponents_turn import BROKEN, KNOWN, PAIR, Thought
from companion.games.kinapa.players import KinapaWorld, number_of
from companion.games.kinapa.rules import bots, telling
from companion.games.kinapa.rules import events as ev
from companion.games.kinapa.rules.state import KinapaState, Lies, Phase, label_of, numbers_of
from companion.games.kit.opponents import Advice, NotInHand, Opponents, Places
from companion.games.kit.world import Plan, PressRaw, Style, after

MEMORY: Mapping[str, float] = {"easy": 0.35, "medium": 0.75, "strong": 1.0}
"""How many turned objects somebody remembers."""
DEALS = 400
"""Deals in which the strong play a choice to the end."""
SAMPLE, MOVES = 240, 12
"""Particles that a strong opponent keeps, and how often each is thought over at most."""


class KinapaOpponents(Opponents, KinapaWorld):
    """A table of people of given strengths; every seat decides for itself."""

    duties = frozenset(
        {"claim_cat", "nobody", "show_pair", "no_pair", "has", "has_not", "receive", "refuse", "drawn"}
        | {"return", "found", "not_found", "recount", "close"}
    )
    choices_by_hand = frozenset({"return"})
    moves = frozenset({"turn", "place", "hide"})
    own_places = ("slot:",)

    habit = Style.BLUFFING

    def __init__(
        self, chairs: Sequence[Chair], rng: random.Random, strengths: Sequence[str], *, bot: bool = False
    ) -> None:
        super().__init__(chairs, rng, strengths, bot=bot)
        self._chance = np.random.default_rng(rng.randrange(2**32))
        self._reckons: dict[Seat, KinapaReckoning] = {}
        self._remembers: list[dict[int, str]] = [{} for _ in self.chairs]
        self._sight = Sight()
        self._meant = ""
        """The card that a person gives back."""

    def moved(self, state: KinapaState, seat: Seat, verb: str, value: str) -> Places:
        """What lies where after a move of this seat; raises `NotInHand` if it lacks the pair to lay down."""
        label, _, place = value.partition("@")
        if verb == "turn":
            slot = int(place) if place.isdigit() else self.best_slot(state, seat)
            return ((f"slot:{slot}", (f"object:{self.labels[slot - 1]}",)),)
        if verb == "hide":
            return ((f"slot:{state.turn.slot}", ("back:blue",)),)
        number = int(label)
        if len(self.holds(seat, number)) < 2:
            raise NotInHand(Sentence("lesson.practice.no_pair"))
        cards = (f"object:{state.turn.label}", f"animal:{number}", f"shelter:{number}")
        return ((f"slot:{state.turn.slot}", cards),)

    def touched(self, region: str) -> tuple[str, str] | None:
        return "turn", f"0@{region.partition(':')[2]}"

    def deck_owner(self, state: KinapaState, seat: Seat) -> Seat | None:
        return bots.owner(state, seat)

    # What they know ---------------------------------------------------------------------------------------

    def _mind(self, seat: Seat) -> KinapaReckoning:
        """What a seat can know; made at its first use and from then on given everything."""
        return self._reckons[seat]

    def prepare(self) -> None:
        """Before anything happened everybody looks into the player's own hand."""
        wanted = {seat for seat, strength in enumerate(self.strengths) if strength == "strong"}
        wanted |= set() if self.explain is None else {self.explain}
        for seat in sorted(wanted - set(self._reckons)):
            seed = self._rng.randrange(2**32)
            mind = KinapaReckoning(len(self.hands), size=SAMPLE, moves=MOVES, seed=seed)
            mind.knows(seat, self.hands[seat])
            self._reckons[seat] = mind

    def happened(self, before: KinapaState, event: Event) -> None:
        self.prepare()
        super().happened(before, event)
        for seat, mind in self._reckons.items():
            mind.hear(before, event, self._received if seat in witnesses(before, event) else "")
            for eyes, deck in looked_into(before, event):
                if eyes in {ALL, seat}:
                    mind.sees(deck, self.hands[deck])
        self._sight.hear(before, event, self.hands, self._received)
        if isinstance(event, ev.ObjectTurned):
            for seat, memory in enumerate(self._remembers):
                if self._rng.random() < MEMORY[self.strengths[seat]]:
                    memory[event.slot] = event.label
        elif isinstance(event, ev.PairPlaced):
            for memory in self._remembers:
                memory.pop(event.slot, None)

    def seen(self, seat: Seat) -> dict[Seat, tuple[str, ...]]:
        """What somebody sees of other decks, as pictures."""
        return self._sight.of(seat, self.hands)

    # What they decide -------------------------------------------------------------------------------------

    def _is(self, seat: Seat, style: Style) -> bool:
        return False  # nobody slips or cheats here

    def _number(self, state: KinapaState, soonest: float) -> Plan:
        seat = state.emperor
        alive = [number for number in range(1, state.highest + 1) if number not in state.dead]
        mine = [number_of(card) for card in self.hands[seat]]
        wanted = sorted({number for number in mine if mine.count(number) == 1 and number in alive})
        if self.strengths[seat] == "strong":
            number = self.best_number(state, seat)[0]
        elif self.strengths[seat] == "easy" and self._rng.random() < 0.5:
            number = self._rng.choice(alive)
        else:
            number = self._rng.choice(wanted or alive)
        return self._says(seat, "announce", soonest, soonest + 1.0, number)

    def best_number(self, state: KinapaState, seat: Seat) -> tuple[int, float]:
        """The number that did best when it was played out, and its value on the scale of `Thought.value`."""
        thought, known = self._thought(state, seat), self._known(seat)
        alive = [number for number in range(1, state.highest + 1) if number not in state.dead]
        values = {number: thought.value(seat, number, {}, known) for number in alive}
        best = max(values, key=lambda number: values[number])
        return best, values[best]

    def _thought(self, state: KinapaState, seat: Seat) -> Thought:
        """The table as this seat knows it, in deals that may be the true one."""
        sample = self._mind(seat).sample
        rows = self._chance.choice(sample.size, DEALS, p=sample.weights)
        return Thought(state, sample.deals[rows], self._chance, self._known(seat))

    def _known(self, seat: Seat) -> tuple[int, ...]:
        """The numbers whose object somebody remembers."""
        labels = set(self._remembers[seat].values())
        return tuple(sorted(number for label in labels for number in numbers_of(label)))

    def _aid(self, state: KinapaState) -> Plan:
        bot = state.turn.aids[0]
        seat = bots.setter(state, bot)
        if self.strengths[seat] != "strong":
            return super()._aid(state)
        verb = "aid_up" if self.worth_up(state, seat, bot) > 0.0 else "aid_down"
        return self._says(seat, verb, 0.6, 1.6)

    def _hands(self, state: KinapaState) -> Plan:
        plan: Plan = []
        for seat in self._people(state):
            if not state.seats[seat].foxes and self._raises(state, seat):
                plan.append((after(self._rng, 0.2, 2.7), PressRaw(self.chairs[seat])))
        if not state.options.count_seconds:
            plan += self._says(state.emperor, "close", 3.2, 4.0)
        return plan

    def _raises(self, state: KinapaState, seat: Seat) -> bool:
        has = len(self.holds(seat, state.turn.number))
        strength = self.strengths[seat]
        if strength == "strong":
            return self.worth_up(state, seat, seat) > 0.0
        chances = {"easy": (0.45, 0.15), "medium": (0.75, 0.12)}[strength]
        return self._rng.random() < chances[bool(has)]

    def worth_up(self, state: KinapaState, seat: Seat, deck: Seat) -> float:
        """How much better raising the hand, or a BOT deck's aid, is than lowering it: a mean over all deals.

        In units of `opponents_turn`, where the crown is worth `CROWN`.
        """
        thought, number = self._thought(state, seat), state.turn.number
        up, down = (thought.value(seat, number, {deck: is_up}) for is_up in (True, False))
        return up - down

    def _next(self, state: KinapaState) -> Plan:
        seat = state.emperor
        if state.phase is Phase.RETURNING and seat == self.explain:
            return []  # a person chooses among their own cards
        if self.strengths[seat] == "strong":
            match state.phase:
                case Phase.CHOOSING:
                    return self._says(seat, "draw_from", 0.5, 1.5, self.best_partner(state, seat))
                case Phase.SUCCEEDING:
                    return self._says(seat, "crown", 0.5, 1.5, self.best_successor(state, seat))
                case Phase.SWITCHING:
                    return self._says(seat, "switch", 0.5, 1.5, self.best_taker(state, seat))
        return super()._next(state)

    def best_partner(self, state: KinapaState, seat: Seat) -> Seat:
        """The lowered deck whose cards would best complete a pair of one's own, or break another's."""
        mind = self._mind(seat)
        table, known = mind.chances(), self._known(seat)
        mine = [number_of(card) for card in self.hands[seat]]
        singles = [n for n in set(mine) if mine.count(n) == 1 and n not in state.dead]

        def fits(other: Seat) -> float:
            worth = sum(float(table[other, n - 1]) * PAIR * (1 + KNOWN * (n in known)) for n in singles)
            if not state.is_bot(other):
                worth += BROKEN * float(mind.pairs(other).sum()) / (state.people - 1)
            return worth / max(1, state.seats[other].cards)

        return max(state.lowered, key=fits)

    def best_successor(self, state: KinapaState, seat: Seat) -> Seat:
        """The crown to which the player's own deck stands best; a BOT deck has to be taken by somebody."""
        thought = self._thought(state, seat)

        def stands(deck: Seat) -> float:
            takers = bots.switchers(state, deck) if state.is_bot(deck) else (None,)
            return max(thought.crowned(seat, deck, taker) for taker in takers)

        return max(state.turn.candidates, key=stands)

    def best_taker(self, state: KinapaState, seat: Seat) -> Seat:
        """Who loses most by taking the BOT deck."""
        thought, bot = self._thought(state, seat), state.turn.successor
        assert bot is not None
        return max(state.turn.candidates, key=lambda taker: thought.crowned(seat, bot, taker))

    def _turning(self, state: KinapaState) -> Plan:
        seat = state.emperor
        return self._turn(seat, self.best_slot(state, seat))

    def best_slot(self, state: KinapaState, seat: Seat) -> int:
        """A place known to fit; else one nobody has seen; else any."""
        memory = self._remembers[seat]
        down = [slot for slot, lying in enumerate(state.slots, 1) if lying.lies is Lies.DOWN]
        fitting = [label_of(number) for number in self.pairs(seat)]
        known = [slot for slot in down if memory.get(slot) in fitting]
        fresh = [slot for slot in down if slot not in memory]
        return self._rng.choice(known or fresh or down)

    def options(self, state: KinapaState, seat: Seat) -> list[Action]:
        """What a person may choose with this very hand: which card goes back."""
        if state.phase is not Phase.RETURNING or seat != state.emperor:
            return []
        return [Action(seat, "return", card) for card in self._loose(seat)]

    def means(self, state: KinapaState, action: Action) -> bool:
        """A person is about to do this; False: that hand cannot."""
        if action not in self.options(state, action.seat):
            return False
        self._meant = str(action.value)
        return True

    def _loose(self, crown: Seat) -> list[str]:
        """All but the last received."""
        return [card for card in self.hands[crown] if card != self._received]

    def _returned(self, crown: Seat) -> str:
        """The card that goes back: never the last received."""
        loose = self._loose(crown)
        if crown == self.explain and self._meant in loose:
            return self._meant
        if self.strengths[crown] == "easy":
            return self._rng.choice(loose)
        if self.strengths[crown] == "strong":
            return self._spared(crown)
        pairs = self.pairs(crown)
        return self._rng.choice([card for card in loose if number_of(card) not in pairs] or loose)

    def _spared(self, crown: Seat) -> str:
        """A card of no pair, rather one whose object nobody has seen."""
        loose, pairs = self._loose(crown), self.pairs(crown)
        spare = [card for card in loose if number_of(card) not in pairs] or loose
        known = set(self._remembers[crown].values())
        return min(spare, key=lambda card: (label_of(number_of(card)) in known, self._rng.random()))

    # Advice -----------------------------------------------------------------------------------------------

    def advice(self, state: KinapaState, seat: Seat) -> Advice | None:
        """What the strong would do in this seat, and why."""
        self.prepare()
        if seat not in self._reckons:
            return None
        crown = seat == state.emperor
        match state.phase:
            case Phase.ANNOUNCING if crown:
                number, _ = self.best_number(state, seat)
                held = len(self.holds(seat, number))
                why = f"lesson.hint.announce{held}"
                return Advice(Action(seat, "announce", number), Sentence(why, (("value", number),)))
            case Phase.ANNOUNCED | Phase.COUNTING if not crown:
                raised = self.worth_up(state, seat, seat) > 0.0
                has = bool(self.holds(seat, state.turn.number))
                why = f"lesson.hint.{'raise' if raised else 'lower'}{'_with' if has else ''}"
                return Advice(Action(seat, "raise" if raised else "lower"), Sentence(why))
            case Phase.RETURNING if crown:
                card = self._spared(seat)
                number = number_of(card)
                why = "lesson.hint.return" + ("_pair" if number in self.pairs(seat) else "")
                return Advice(Action(seat, "return", card), Sentence(why, (("value", number),)))
            case Phase.AIDING if bots.setter(state, state.turn.aids[0]) == seat:
                bot = state.turn.aids[0]
                verb = "aid_up" if self.worth_up(state, seat, bot) > 0.0 else "aid_down"
                why = f"lesson.hint.{verb}{'' if crown else '_asked'}"
                return Advice(Action(seat, verb), Sentence(why, (telling.bot_part(state, bot),)))
            case Phase.CHOOSING if crown:
                return self._names(state, "draw_from", self.best_partner(state, seat))
            case Phase.SUCCEEDING if crown:
                return self._names(state, "crown", self.best_successor(state, seat))
            case Phase.SWITCHING if crown:
                return self._names(state, "switch", self.best_taker(state, seat))
            case Phase.PLACING if crown:
                fitting = [number for number in numbers_of(state.turn.label) if number in self.pairs(seat)]
                if fitting:
                    parts = (("value", fitting[0]),)
                    return Advice(Action(seat, "place", fitting[0]), Sentence("lesson.hint.lay", parts))
                return Advice(Action(seat, "hide"), Sentence("lesson.hint.hide"))
            case Phase.TURNING if crown:
                slot = self.best_slot(state, seat)
                known = self._remembers[seat].get(slot, "")
                why = "lesson.hint.turn_known" if known else "lesson.hint.turn"
                return Advice(
                    Action(seat, "turn", f"{self.labels[slot - 1]}@{slot}"), Sentence(why, (("slot", slot),))
                )
        return None

    def _names(self, state: KinapaState, verb: str, deck: Seat) -> Advice:
        """Whom the Emperor names."""
        about = telling.bot_part(state, deck) if state.is_bot(deck) else ("chair", self.chairs[deck])
        why = telling.of_bot(Sentence(f"lesson.hint.{verb}", (about,)))
        return Advice(Action(state.emperor, verb, deck), why)
