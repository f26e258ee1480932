"""Kinapa: where every card may be, from what the table saw, and from stated assumptions on honesty.

Raised hands may lie, so they only weigh; answers to a demand are a duty and weigh more; cards that were seen
are certain. What somebody announces, gives back and does not lay tells a little too. The aid of a BOT deck
tells nothing: whoever lays it does not know what lies under it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from companion.actions import Seat, Value
from companion.events import Event
from companion.inference.deals import DOUBT, Sample
from companion.rules.kinapa import events as ev
from companion.rules.kinapa.state import HAND, KinapaState, Phase, numbers_of


class Honesty(Value, frozen=True):
    """How people are assumed to play."""

    bold: float = 0.35
    """Half of all people now and then raise the hand although the number is there: so often."""
    shy: float = 0.01
    """The other half hardly ever does."""
    raises: float = 0.75
    """Raises the hand when it is not there."""
    answers: float = 0.97
    """Answers a demand truly, shows a pair that has to be shown."""
    lays: float = 0.97
    """Lays a pair that fits the open object."""
    wants: float = 0.9
    """Announces a number of which one card is in the own hand, if there is one."""
    keeps: float = 0.95
    """Gives back a card that belongs to no pair, if there is one."""


def card_of(name: str) -> int:
    """`animal:5` → 8, `shelter:5` → 9."""
    kind, _, number = name.partition(":")
    return 2 * (int(number) - 1) + (kind == "shelter")


def pair_of(number: int) -> tuple[int, int]:
    """The two cards of a number."""
    return 2 * (number - 1), 2 * (number - 1) + 1


class KinapaReckoning:
    """Owns what can be known of the hands."""

    def __init__(
        self,
        seats: int,
        honesty: Honesty | None = None,
        *,
        hand: int = HAND,
        size: int = 40_000,
        seed: int = 0,
    ) -> None:
        """`seats`: every deck that is dealt, BOT decks too; `hand`: cards of each."""
        self.seats = seats
        self.honesty = honesty or Honesty()
        self.sample = Sample(seats=seats, cards=hand * seats, size=size, seed=seed)
        self.numbers = hand * seats // 2

    def knows(self, seat: Seat, cards: Iterable[str]) -> None:
        """Somebody looks into the own hand, before anything happened."""
        for name in cards:
            self.sample.deal_to(card_of(name), seat)

    def sees(self, seat: Seat, cards: Iterable[str]) -> None:
        """Somebody looks into a hand, or some of it lies open, later on."""
        self.sample.see([card_of(name) for name in cards], seat)

    def chances(self) -> npt.NDArray[np.float64]:
        """(seats, numbers): how likely it is that at least one card of the number is there."""
        at = self.sample.where.reshape(self.sample.size, self.numbers, 2)
        table = np.zeros((self.seats, self.numbers))
        for seat in range(self.seats):
            there = (at == seat).any(axis=2)
            table[seat] = self.sample.weights @ there
        return table

    def pairs(self, seat: Seat) -> npt.NDArray[np.float64]:
        """For each number, how likely this seat holds both cards."""
        at = self.sample.where.reshape(self.sample.size, self.numbers, 2)
        both: npt.NDArray[np.float64] = self.sample.weights @ (at == seat).all(axis=2)
        return both

    # The history ------------------------------------------------------------------------------------------

    def hear(self, before: KinapaState, event: Event, card: str = "") -> None:  # noqa: C901 - one a ruling
        """A ruling, and the state in which it was made; `card`: which one moved, for whoever saw it."""
        sample, turn, crown = self.sample, before.turn, before.emperor
        match event:
            case ev.EmperorCrowned() if before.phase is Phase.STARTING:
                sample.deal_to(card_of(f"animal:{before.lowest}"), event.seat)
            case ev.AnimalMissing():
                sample.deal_to(card_of(f"animal:{event.number}"), before.bots[0])
            case ev.Switched():
                if before.phase is Phase.STARTING:
                    sample.must(sample.where[:, card_of(f"animal:{before.lowest}")] != event.seat)
                sample.swap(event.seat, event.bot)
            case ev.NumberAnnounced():
                self._announced(before, event.number)
            case ev.HandsLocked():
                for seat in (*event.raised, *event.lowered):
                    if not before.seats[seat].foxes and not before.is_bot(seat):
                        self._hand(seat, turn.number, up=seat in event.raised)
            case ev.PairShown():
                for one in pair_of(event.number):
                    sample.put(one, crown)
            case ev.PairDenied() if turn.number not in before.dead:
                self._claims(sample.holds(crown, pair_of(turn.number)) < 2)
            case ev.CardDrawn():
                self._passed(event.seat, crown, event.card or card, None)
            case ev.CardHanded():
                self._passed(event.seat, crown, event.card or card, pair_of(event.number))
            case ev.CardReturned():
                known = card_of(card) if card else None
                sample.give_back(crown, event.seat, self._liking(crown, self.honesty.keeps), known)
            case ev.Admitted() | ev.CardFound():
                self._claims(sample.holds(event.seat, pair_of(turn.number)) > 0)
            case ev.Denied() | ev.CardNotFound():
                self._claims(sample.holds(event.seat, pair_of(turn.number)) == 0)
            case ev.PairPlaced():
                sample.lay(pair_of(event.number), event.seat)
            case ev.OpenCardsSeen():
                for name in event.cards:
                    if name.partition(":")[0] in {"animal", "shelter"}:
                        sample.put(card_of(name), event.seat)
            case ev.ObjectHidden() if turn.label:
                fits = np.zeros(sample.size, dtype=bool)
                for number in numbers_of(turn.label):
                    fits |= sample.holds(crown, pair_of(number)) == 2
                sample.say(fits, likely=1 - self.honesty.lays, else_likely=1.0)

    def _passed(self, giver: Seat, taker: Seat, card: str, among: Sequence[int] | None) -> None:
        """A card goes from hand to hand: this one, or one of several."""
        if card:
            self.sample.put(card_of(card), giver)
            among = [card_of(card)]
        self.sample.pass_one(giver, taker, among)

    def _hand(self, seat: Seat, number: int, *, up: bool) -> None:
        has = self.sample.holds(seat, pair_of(number)) > 0
        honest = self.honesty
        raises = np.where(has, np.where(self.sample.bold[:, seat], honest.bold, honest.shy), honest.raises)
        self.sample.weigh(raises if up else 1.0 - raises)

    def _claims(self, true: npt.NDArray[np.bool_]) -> None:
        self.sample.say(true, likely=self.honesty.answers, else_likely=max(DOUBT, 1 - self.honesty.answers))

    def _announced(self, before: KinapaState, number: int) -> None:
        """Whoever has one card of a number wants the other."""
        crown = before.emperor
        alive = [one for one in range(1, self.numbers + 1) if one not in before.dead]
        held = (self.sample.where == crown).reshape(self.sample.size, self.numbers, 2).sum(axis=2)
        singles = held == 1
        count = singles.sum(axis=1)
        share = np.where(count > 0, self.honesty.wants / np.maximum(count, 1), 0.0)
        rest = np.where(count > 0, (1 - self.honesty.wants) / len(alive), 1.0 / len(alive))
        self.sample.weigh(np.where(singles[:, number - 1], share, 0.0) + rest)

    def _liking(self, crown: Seat, keeps: float) -> npt.NDArray[np.float64]:
        """Cards of a pair in hand are given back rarely."""
        held = (self.sample.where == crown).reshape(self.sample.size, self.numbers, 2)
        both = np.repeat(held.all(axis=2), 2, axis=1)
        return np.where(both, (1 - keeps) / keeps, 1.0)


def reckoned(states: Sequence[tuple[KinapaState, Event]], seats: int, **more: Any) -> KinapaReckoning:
    """What follows from a whole history."""
    reckoning = KinapaReckoning(seats, **more)
    for before, event in states:
        reckoning.hear(before, event)
    return reckoning
