"""Deals consistent with what everybody saw: many at once, each with a weight.

A sample of deals is carried through the history. What people do by choice or chance unseen is drawn anew in
each deal; what everybody sees weighs it. When few deals carry all the weight, the sample is drawn anew by it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from companion.actions import Seat

Deals = npt.NDArray[np.int8]
"""(deals, cards) → the seat that holds the card; LAID where it lies on the table."""
Mask = npt.NDArray[np.bool_]
Weights = npt.NDArray[np.float64]
LAID = -1
ENOUGH = 8_000
"""Deals that are left are enough where so many have the cards where they were seen."""
NEARER = 2.0
"""Else: how much more a deal counts for every card it has there."""
DOUBT = 1e-3
"""Nothing that people say is impossible to be wrong: a claim never weighs a deal down to nothing."""


class Sample:
    """Owns weighted deals of `cards` cards to `seats` seats."""

    def __init__(self, *, seats: int, cards: int, size: int = 4_000, seed: int = 0) -> None:
        self.seats = seats
        self.size = size
        self._rng = np.random.default_rng(seed)
        row = np.repeat(np.arange(seats, dtype=np.int8), cards // seats)
        self.where: Deals = self._rng.permuted(np.tile(row, (size, 1)), axis=1)
        self.weights: Weights = np.full(size, 1.0 / size)
        self.received = np.full(size, LAID, dtype=np.int16)
        """In each deal, the card that came last into the acting hand."""
        self.bold: Mask = self._rng.random((size, seats)) < 0.5
        """In each deal, which seats are held by people who lie where they may."""
        self.lost = 0
        """How often no deal was left: what was seen contradicts what was assumed."""
        self._dealt: set[int] = set()
        """Cards that are known to have been dealt where they are."""

    # What is known ----------------------------------------------------------------------------------------

    def holds(self, seat: Seat, cards: Sequence[int]) -> npt.NDArray[np.int8]:
        """In each deal, how many of these cards the seat holds."""
        count: npt.NDArray[np.int8] = (self.where[:, list(cards)] == seat).sum(axis=1, dtype=np.int8)
        return count

    def chance(self, true: Mask) -> float:
        """How likely it is, given all that was seen."""
        return float(self.weights[true].sum())

    # What is seen -----------------------------------------------------------------------------------------

    def weigh(self, likelihood: Weights) -> None:
        """Something was seen that is so likely in each deal."""
        weights = self.weights * likelihood
        total = weights.sum()
        if not total > 0.0:
            self.lost += 1
            return
        self.weights = weights / total
        if 1.0 / np.square(self.weights).sum() < self.size / 2:
            self._draw_anew()

    def say(self, true: Mask, *, likely: float, else_likely: float) -> None:
        """Somebody did what is `likely` where it is true and `else_likely` where it is not."""
        self.weigh(np.where(true, likely, else_likely))

    def must(self, true: Mask) -> None:
        """It is so: deals in which it is not are mended if possible by whoever asks, else dropped."""
        self.weigh(np.where(true, 1.0, 0.0))

    def put(self, card: int, seat: Seat) -> None:
        """The card is seen to be in this hand."""
        self.lost += not self.weights[self.where[:, card] == seat].sum() > 0.0
        self.see([card], seat)

    def deal_to(self, card: int, seat: Seat) -> None:
        """Before anything happened: the card is in this hand, all else by chance."""
        self._exchange(card, seat, sorted(self._dealt))
        self._dealt.add(card)

    def see(self, cards: Sequence[int], seat: Seat) -> None:
        """These cards are seen to be in this hand: deals that have them elsewhere fall away.

        Where too few would be left, the others are mended: the card changes places with one of that hand, and
        the nearer a deal came to what was seen, the more it counts. Of cards that nobody has moved this is
        what counting all deals says; of others it comes near, and a poor sample would be surer than it may.
        """
        right = (self.where[:, list(cards)] == seat).sum(axis=1)
        if np.count_nonzero(self.weights[right == len(cards)]) >= ENOUGH:
            self.must(right == len(cards))
            return
        self.weigh(NEARER ** (right - right.max()).astype(np.float64))
        for card in cards:
            self._exchange(card, seat, cards)

    def swap(self, one: Seat, other: Seat) -> None:
        """Two hands change places."""
        here, there = self.where == one, self.where == other
        self.where[here], self.where[there] = other, one
        self._dealt.clear()

    def _exchange(self, card: int, seat: Seat, kept: Sequence[int]) -> None:
        """Where the card is elsewhere, it changes places with one of that hand that is not among the kept."""
        loose = self.where == seat
        loose[:, list(kept)] = False
        other = self._pick(loose)
        rows = np.flatnonzero((self.where[:, card] != seat) & (other >= 0))
        self.where[rows, other[rows]] = self.where[rows, card]
        self.where[rows, card] = seat

    # What happens unseen ----------------------------------------------------------------------------------

    def pass_one(self, giver: Seat, taker: Seat, among: Sequence[int] | None = None) -> None:
        """A card that chance chose in each deal goes from hand to hand; `among`: one of these."""
        there = self.where == giver
        if among is not None:
            listed = np.zeros(self.where.shape[1], dtype=bool)
            listed[list(among)] = True
            there &= listed
        self._move(self._pick(there), taker)

    def give_back(self, giver: Seat, taker: Seat, liking: Weights, card: int | None = None) -> None:
        """Another card than the last received goes back; `liking` (deals, cards) weighs which.

        `card`: it was seen which.
        """
        if card is not None:
            self.put(card, giver)
        there = self.where == giver
        rows = np.flatnonzero(self.received >= 0)
        there[rows, self.received[rows]] = False
        if card is None:
            self._move(self._pick(there, liking), taker, keep=False)
            return
        likely = np.where(there, liking, 0.0)
        chosen = likely[:, card] / np.maximum(likely.sum(axis=1), 1e-9)
        self.where[:, card] = taker
        self.received[:] = LAID
        self.weigh(chosen)

    def lay(self, cards: Sequence[int], seat: Seat) -> None:
        """Cards of this hand are laid on the table."""
        self.see(cards, seat)
        self.where[:, list(cards)] = LAID

    def _move(self, card: npt.NDArray[np.int64], taker: Seat, *, keep: bool = True) -> None:
        there = card >= 0
        rows = np.flatnonzero(there)
        self.where[rows, card[rows]] = taker
        self.received = card.astype(np.int16) if keep else np.full(self.size, LAID, dtype=np.int16)
        if not there.all():  # last, because deals may be drawn anew
            self.must(there)

    def _pick(self, there: Mask, liking: Weights | None = None) -> npt.NDArray[np.int64]:
        """In each deal one of these cards, by liking or evenly; -1 where there is none."""
        lots = self._rng.random(there.shape)
        if liking is not None:
            lots = lots ** (1.0 / np.maximum(liking, 1e-9))
        lots = np.where(there, lots, -1.0)
        chosen = lots.argmax(axis=1)
        return np.where(lots.max(axis=1) >= 0.0, chosen, -1)

    def _draw_anew(self) -> None:
        """As many deals again, each as often as its weight says."""
        steps = (np.arange(self.size) + self._rng.random()) / self.size
        rows = np.searchsorted(np.cumsum(self.weights), steps).clip(max=self.size - 1)
        self.where = self.where[rows].copy()
        self.received = self.received[rows].copy()
        self.bold = self.bold[rows].copy()
        self.weights = np.full(self.size, 1.0 / self.size)
