"""Kinapa: where every card may be, from what the table saw, and from stated assumptions on honesty.

Raised hands may lie, so they only weigh; answers to a demand are a duty and weigh more; cards that were seen
are certain. What somebody announces, gives back and does not lay tells a little too. The aid of a BOT deck
tells nothing: the player who lays it does not know what lies under it.
"""

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from companion.core.actions import Seat
from companion.core.events import Event
from companion.games.kinapa.belief_facts import Fact, Facts, Honesty
from companion.games.kinapa.particles import ParticleFilter, Weights
from companion.games.kinapa.rules import events as ev
from companion.games.kinapa.rules.state import HAND, KinapaState, Phase, numbers_of


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
        size: int = 400,
        moves: int = 160,
        seed: int = 0,
    ) -> None:
        """`seats`: every deck that is dealt, BOT decks too; `hand`: cards of each."""
        self.seats = seats
        self.honesty = honesty or Honesty()
        self.facts = Facts(seats, self.honesty)
        self.sample = ParticleFilter(
            seats=seats,
            cards=hand * seats,
            size=size,
            moves=moves,
            seed=seed,
            log_likelihood=lambda: self.facts.log_likelihood(self.sample),
        )
        self.numbers = hand * seats // 2
        self._came = 0
        """The stage at which the acting hand got a card."""

    def knows(self, seat: Seat, cards: Iterable[str]) -> None:
        """Somebody looks into a hand."""
        self._see([card_of(name) for name in cards], seat)

    sees = knows

    def _see(self, cards: Sequence[int], seat: Seat) -> None:
        """These cards are seen to be in this hand."""
        for place, card in enumerate(cards):
            self.facts.add(Fact.PLACE, self.sample.last, card, seat, 1)
            self.sample.put(card, seat, cards[:place])

    def chances(self) -> npt.NDArray[np.float64]:
        """(seats, numbers), 0 to 1: how likely it is that at least one card of the number is there."""
        one, other = self.sample.now[0::2], self.sample.now[1::2]
        return np.stack(
            [((one == seat) | (other == seat)) @ self.sample.weights for seat in range(self.seats)]
        )

    def pairs(self, seat: Seat) -> npt.NDArray[np.float64]:
        """(numbers,): the probability that this seat holds both cards of the number."""
        one, other = self.sample.now[0::2], self.sample.now[1::2]
        both: npt.NDArray[np.float64] = ((one == seat) & (other == seat)) @ self.sample.weights
        return both

    # The history ------------------------------------------------------------------------------------------

    def hear(self, before: KinapaState, event: Event, card: str = "") -> None:  # noqa: C901 - one a ruling
        """A ruling, and the state in which it was made; `card`: which one moved, if it was seen."""
        sample, facts, turn, crown = self.sample, self.facts, before.turn, before.emperor
        at = sample.last
        match event:
            case ev.EmperorCrowned() if before.phase is Phase.STARTING:
                self._see([card_of(f"animal:{before.lowest}")], event.seat)
            case ev.AnimalMissing():
                self._see([card_of(f"animal:{event.number}")], before.bots[0])
            case ev.Switched():
                if before.phase is Phase.STARTING:
                    facts.add(Fact.PLACE, at, card_of(f"animal:{before.lowest}"), event.seat, 0)
                    sample.weigh()
                sample.swap(event.seat, event.bot)
            case ev.NumberAnnounced():
                facts.add(Fact.WANT, at, crown, event.number, self.numbers - len(before.dead))
                sample.weigh()
            case ev.HandsLocked():
                for seat in (*event.raised, *event.lowered):
                    if not before.seats[seat].foxes and not before.is_bot(seat):
                        facts.add(Fact.HAND, at, seat, turn.number, seat in event.raised)
                sample.weigh()
            case ev.PairShown():
                self._see(pair_of(event.number), crown)
            case ev.PairDenied() if turn.number not in before.dead:
                self._claims(crown, turn.number, 2, said=False)
            case ev.CardDrawn():
                self._drawn(event.seat, crown, event.card or card)
            case ev.CardHanded():
                self._handed(event.seat, crown, event.number, event.card or card)
            case ev.CardReturned():
                self._returned(crown, event.seat, card)
            case ev.Admitted() | ev.CardFound():
                self._claims(event.seat, turn.number, 1, said=True)
            case ev.Denied() | ev.CardNotFound():
                self._claims(event.seat, turn.number, 1, said=False)
            case ev.PairPlaced():
                self._see(pair_of(event.number), event.seat)
                sample.lay(pair_of(event.number))
            case ev.OpenCardsSeen():
                white = [name for name in event.cards if name.partition(":")[0] in {"animal", "shelter"}]
                self.sees(event.seat, white)
            case ev.ObjectHidden() if turn.label:
                for number in numbers_of(turn.label):
                    facts.add(Fact.HIDDEN, at, crown, number)
                sample.weigh()

    def _claims(self, seat: Seat, number: int, least: int, *, said: bool) -> None:
        self.facts.add(Fact.CLAIM, self.sample.last, seat, number, least, said)
        self.sample.weigh()

    def _shown(self, giver: Seat, card: str) -> npt.NDArray[np.int16]:
        """The card that is seen to leave a hand."""
        self._see([card_of(card)], giver)
        return np.full(self.sample.size, card_of(card), dtype=np.int16)

    def _drawn(self, giver: Seat, taker: Seat, card: str) -> None:
        """A card goes from hand to hand: this one, or any."""
        moved = self._shown(giver, card) if card else self.sample.chosen(self.sample.now == giver)
        self._came = self.sample.passed(moved, giver, taker, seen=bool(card))

    def _handed(self, giver: Seat, taker: Seat, number: int, card: str) -> None:
        """A card of this number goes from hand to hand."""
        pair = pair_of(number)
        if card:
            moved = self._shown(giver, card)
        else:
            self.sample.put_one(pair, giver)
            there = np.zeros(self.sample.now.shape, dtype=bool)
            there[list(pair)] = self.sample.now[list(pair)] == giver
            moved = self.sample.chosen(there)
        self._came = self.sample.passed(moved, giver, taker, seen=bool(card))
        self.facts.add(Fact.HANDED, self._came, giver, number)
        self._settle(card)

    def _returned(self, crown: Seat, taker: Seat, card: str) -> None:
        """Another card than the last received goes back."""
        sample, rows = self.sample, np.arange(self.sample.size)
        loose = sample.now == crown
        loose[sample.moved[self._came], rows] = False
        moved = self._shown(crown, card) if card else sample.chosen(loose, self._liking(crown))
        at = sample.passed(moved, crown, taker, seen=bool(card))
        self.facts.add(Fact.RETURNED, at, crown, self._came)
        self._settle(card)

    def _settle(self, card: str) -> None:
        """What was seen weighs; what was drawn as likely as it is does not weigh once more."""
        if card:
            self.sample.weigh()
        else:
            self.sample.settle()

    def _liking(self, crown: Seat) -> Weights:
        """Cards of a pair in hand are given back rarely."""
        keeps, hand = self.honesty.keeps, self.sample.now == crown
        both = np.repeat(hand[0::2] & hand[1::2], 2, axis=0)
        return np.where(both, (1 - keeps) / keeps, 1.0)
