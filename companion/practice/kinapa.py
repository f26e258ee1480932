"""Kinapa's opponents of three strengths.

Easy forgets most of the ring and decides by the own hand alone. Medium remembers more, and bluffs now and
then. Strong reckons from all the table saw where the cards may be, plays every choice of its own to the
end of the turn in many deals that may be the true one, and takes the one that did best (Monte Carlo over its
information set). What it sees is what its seat may see: the public history and its own hand.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from companion.actions import Action, Chair, Seat
from companion.events import Event
from companion.inference.kinapa import KinapaReckoning, card_of, pair_of
from companion.practice.minds import Advice
from companion.rules.kinapa import events as ev
from companion.rules.kinapa.state import KinapaState, Lies, Phase, label_of, numbers_of
from companion.simulator.kinapa import KinapaWorld, number_of
from companion.simulator.world import Plan, PressRaw, Style, after
from companion.view import Sentence

MEMORY: Mapping[str, float] = {"easy": 0.35, "medium": 0.75, "strong": 1.0}
"""How many turned objects somebody remembers."""
DEALS = 400
"""Deals in which the strong play a choice to the end."""
SAMPLE = 1_200
CROWN, PAIR, KNOWN, BROKEN, FOXED = 0.25, 0.35, 0.9, 0.3, 0.12
"""Worth how much of a game: the crown next turn, a pair in hand, its object known; a pair broken, Foxes."""


class KinapaMinds(KinapaWorld):
    """A table of people of given strengths; every seat decides for itself."""

    def __init__(self, chairs: Sequence[Chair], rng: random.Random, strengths: Sequence[str]) -> None:
        super().__init__(chairs, rng, [Style.BLUFFING] * len(chairs))
        self.strengths = tuple(strengths)
        self._chance = np.random.default_rng(rng.randrange(2**32))
        self._reckons: dict[Seat, KinapaReckoning] = {}
        self._remembers: list[dict[int, str]] = [{} for _ in self.chairs]
        self.explain: Seat | None = None
        """A seat that is advised: it is reckoned for, whatever its strength."""

    # What they know ---------------------------------------------------------------------------------------

    def _mind(self, seat: Seat) -> KinapaReckoning:
        """What a seat can know; made at its first use and then told everything."""
        return self._reckons[seat]

    def prepare(self) -> None:
        """Before anything happened everybody looks into the own hand."""
        wanted = {seat for seat, strength in enumerate(self.strengths) if strength == "strong"}
        wanted |= set() if self.explain is None else {self.explain}
        for seat in sorted(wanted - set(self._reckons)):
            mind = KinapaReckoning(len(self.chairs), size=SAMPLE, seed=self._rng.randrange(2**32))
            mind.knows(seat, self.hands[seat])
            self._reckons[seat] = mind

    def happened(self, before: KinapaState, event: Event) -> None:
        self.prepare()
        super().happened(before, event)
        for seat, mind in self._reckons.items():
            mind.hear(before, event)
            mine = seat in {before.emperor, getattr(event, "seat", None)}
            if mine and isinstance(event, ev.CardDrawn | ev.CardHanded | ev.CardReturned | ev.EmperorCrowned):
                for card in self.hands[seat]:
                    mind.sample.put(card_of(card), seat)
        if isinstance(event, ev.ObjectTurned):
            for seat, memory in enumerate(self._remembers):
                if self._rng.random() < MEMORY[self.strengths[seat]]:
                    memory[event.slot] = event.label
        elif isinstance(event, ev.PairPlaced):
            for memory in self._remembers:
                memory.pop(event.slot, None)

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
        """The number that did best when it was played out, and its value."""
        alive = [number for number in range(1, state.highest + 1) if number not in state.dead]
        values = {number: self._announced(state, seat, number) for number in alive}
        best = max(values, key=lambda number: values[number])
        return best, values[best]

    def _deals(self, seat: Seat) -> npt.NDArray[np.int8]:
        """Deals that may be the true one, as this seat knows it."""
        sample = self._mind(seat).sample
        rows = self._chance.choice(sample.size, DEALS, p=sample.weights)
        deals: npt.NDArray[np.int8] = sample.where[rows]
        return deals

    def _announced(self, state: KinapaState, seat: Seat, number: int) -> float:
        """The worth of announcing a number: hands, exchange and object played in every deal."""
        deals = self._deals(seat)
        players = len(self.chairs)
        has = np.stack(
            [(deals[:, list(pair_of(number))] == other).any(axis=1) for other in range(players)], 1
        )
        raises = np.where(has, 0.15, 0.8)
        for other in range(players):
            if state.seats[other].foxes:
                raises[:, other] = 0.0
        up = self._chance.random(raises.shape) < raises
        up[:, seat] = True
        down = players - up.sum(axis=1)
        mine = [number_of(card) for card in self.hands[seat]]
        held = mine.count(number)
        got = (down <= 1) & has[:, [s for s in range(players) if s != seat]].any(axis=1)
        worth = np.zeros(len(deals))
        if held == 1:
            worth += np.where(got, self._pair_worth(seat, number), 0.0)
        if held < 2:
            blind = down >= 2
            singles = [n for n in set(mine) if mine.count(n) == 1 and n not in state.dead]
            chance = sum(
                (deals[:, list(pair_of(n))] != seat).any(axis=1) * self._pair_worth(seat, n) for n in singles
            ) / (len(self.chairs) * 4 - len(mine))
            worth += np.where(blind, chance, 0.0)
        return float(worth.mean())

    def _pair_worth(self, seat: Seat, number: int) -> float:
        """A pair in hand, more if its object is known."""
        known = label_of(number) in self._remembers[seat].values()
        return PAIR * (1 + KNOWN * known)

    def _hands(self, state: KinapaState) -> Plan:
        plan: Plan = []
        for seat in state.others:
            if not state.seats[seat].foxes and self._raises(state, seat):
                plan.append((after(self._rng, 0.2, 2.7), PressRaw(self.chairs[seat])))
        if not state.options.count_seconds:
            plan += self._says(state.emperor, "close", 3.2, 4.0)
        return plan

    def _raises(self, state: KinapaState, seat: Seat) -> bool:
        has = len(self.holds(seat, state.turn.number))
        strength = self.strengths[seat]
        if strength == "strong":
            return self.worth_raising(state, seat) > 0.0
        chances = {"easy": (0.45, 0.15), "medium": (0.75, 0.12)}[strength]
        return self._rng.random() < chances[bool(has)]

    def worth_raising(self, state: KinapaState, seat: Seat) -> float:
        """How much better a raised hand does than a lowered one, played out in every deal."""
        deals, number, crown = self._deals(seat), state.turn.number, state.emperor
        others = [one for one in state.others if one != seat]
        has = np.stack([(deals[:, list(pair_of(number))] == one).any(axis=1) for one in others], 1)
        raises = np.where(has, 0.15, 0.8)
        for place, one in enumerate(others):
            if state.seats[one].foxes:
                raises[:, place] = 0.0
        up = self._chance.random(raises.shape) < raises
        down = len(others) - up.sum(axis=1)
        own = len(self.holds(seat, number))
        crown_has_pair = (deals[:, list(pair_of(number))] == crown).all(axis=1)
        demanded = (down <= 1) & ~crown_has_pair
        other_has = (has & ~up).any(axis=1)
        # The crown goes to somebody who raised; a Sheep comes last.
        rivals = np.maximum(1, up.sum(axis=1) + 1)
        mine = state.seats[seat]
        share = np.where(mine.sheep, 0.35, 1.0) / rivals
        raised = CROWN * share
        lowered = np.zeros(len(deals))
        if own:
            caught = demanded & ~other_has
            priority = not mine.sheep
            raised = np.where(caught, (CROWN if priority else 0.0) - FOXED - self._loss(seat, number), raised)
            alone = (down == 0) & ~crown_has_pair
            lowered = np.where(alone, -self._loss(seat, number), lowered)
        # Whoever is lowered among several may lose any card, blindly.
        blind = (down + 1 >= 2) & ~crown_has_pair
        pairs = len(self.pairs(seat))
        lowered = lowered - np.where(blind, BROKEN * pairs / np.maximum(2, down + 1), 0.0)
        return float((raised - lowered).mean())

    def _loss(self, seat: Seat, number: int) -> float:
        """Handing over a card of this number."""
        return BROKEN if len(self.holds(seat, number)) == 2 else 0.02

    def _next(self, state: KinapaState) -> Plan:
        seat = state.emperor
        if self.strengths[seat] == "strong" and state.phase is Phase.CHOOSING:
            return self._says(seat, "draw_from", 0.5, 1.5, self.best_partner(state, seat))
        if self.strengths[seat] == "strong" and state.phase is Phase.SUCCEEDING:
            return self._says(seat, "crown", 0.5, 1.5, self.best_successor(state, seat))
        return super()._next(state)

    def best_partner(self, state: KinapaState, seat: Seat) -> Seat:
        """The lowered hand in which most cards would make a pair with one's own."""
        table = self._mind(seat).chances()
        mine = [number_of(card) for card in self.hands[seat]]
        singles = [n for n in set(mine) if mine.count(n) == 1 and n not in state.dead]

        def fits(other: Seat) -> float:
            worth = sum(float(table[other, n - 1]) * self._pair_worth(seat, n) for n in singles)
            return worth / max(1, state.seats[other].cards)

        return max(state.lowered, key=fits)

    def best_successor(self, state: KinapaState, seat: Seat) -> Seat:
        """Whoever is furthest from winning."""
        mind = self._mind(seat)

        def danger(other: Seat) -> float:
            return 2.0 * len(state.seats[other].placed) + float(mind.pairs(other).sum())

        return min(state.turn.candidates, key=danger)

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

    def _returned(self, crown: Seat) -> str:
        """The card that goes back: never the last received."""
        loose = [card for card in self.hands[crown] if card != self._received]
        if self.strengths[crown] == "easy":
            return self._rng.choice(loose)
        pairs = self.pairs(crown)
        spare = [card for card in loose if number_of(card) not in pairs]
        if self.strengths[crown] == "medium" or not spare:
            return self._rng.choice(spare or loose)
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
                raised = self.worth_raising(state, seat) > 0.0
                has = bool(self.holds(seat, state.turn.number))
                why = f"lesson.hint.{'raise' if raised else 'lower'}{'_with' if has else ''}"
                return Advice(Action(seat, "raise" if raised else "lower"), Sentence(why))
            case Phase.CHOOSING if crown:
                other = self.best_partner(state, seat)
                parts = (("chair", self.chairs[other]),)
                return Advice(Action(seat, "draw_from", other), Sentence("lesson.hint.draw_from", parts))
            case Phase.SUCCEEDING if crown:
                other = self.best_successor(state, seat)
                parts = (("chair", self.chairs[other]),)
                return Advice(Action(seat, "crown", other), Sentence("lesson.hint.crown", parts))
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
