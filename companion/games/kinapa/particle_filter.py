"""Particle filter over the histories of Kinapa's cards.

A particle is one possible history of all cards, with a weight. A move that nobody saw is drawn at random in
each; what is seen or heard weighs it. A card that is seen somewhere is brought there: it exchanges its
history with another card's, or the part since both were in one hand, and the new history is weighed by
everything that was heard. When few particles carry the weight, they are resampled and changed in the same way
(resample-move: W. R. Gilks and C. Berzuini, "Following a moving target", 2001).
"""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from companion.core.actions import Seat

Deals = npt.NDArray[np.int8]
"""(deals, cards) → the seat that holds the card; LAID where it is on the table."""
Mask = npt.NDArray[np.bool_]
Weights = npt.NDArray[np.float64]
CardPerParticle = npt.NDArray[np.int16]
"""In each particle, one card."""
ParticleRows = npt.NDArray[np.int64]
"""Some of the particles."""
ON_TABLE = -1
NO_CARD = -1
LOG_IMPOSSIBLE = -20.0
"""The logarithm of what cannot be: something wrong may have been said to the referee."""


class ParticleFilter:
    """Owns `size` weighted histories of `cards` cards among `seats` seats."""

    def __init__(
        self,
        *,
        seats: int,
        cards: int,
        size: int,
        moves: int,
        seed: int,
        log_likelihood: Callable[[], Weights],
    ) -> None:
        """`log_likelihood` of all that was heard, for every particle: (size,).

        `moves`: how often every particle is changed at most after something was heard.
        """
        self.seats, self.cards, self.size, self.moves = seats, cards, size, moves
        self._log_likelihood = log_likelihood
        self._rng = np.random.default_rng(seed)
        row = np.repeat(np.arange(seats, dtype=np.int8), cards // seats)
        self._where = np.empty((16, cards, size), dtype=np.int8)
        self._where[0] = self._rng.permuted(np.tile(row[:, None], (1, size)), axis=0)
        self._moved = np.full((16, size), NO_CARD, dtype=np.int16)
        self.last = 0
        """The stage at which the cards lie now; one more with everything that moves."""
        self.weights: Weights = np.full(size, 1.0 / size)
        self._log: Weights = np.zeros(size)
        self._unseen: list[tuple[int, Seat]] = []
        """Stages after which a card moved that not everybody saw, and out of which hand."""

    # What is known ----------------------------------------------------------------------------------------

    @property
    def stages(self) -> npt.NDArray[np.int8]:
        """(stages, cards, particles) → the seat that held the card at that stage."""
        return self._where[: self.last + 1]

    @property
    def moved_cards(self) -> npt.NDArray[np.int16]:
        """(stages, particles) → the card that moved next."""
        return self._moved[: self.last + 1]

    @property
    def current(self) -> npt.NDArray[np.int8]:
        """(cards, particles) → the seat that holds the card now."""
        now: npt.NDArray[np.int8] = self._where[self.last]
        return now

    @property
    def deals(self) -> Deals:
        """(particles, cards) → the seat that holds the card now."""
        return np.ascontiguousarray(self.current.T)

    def effective_size(self) -> float:
        """The effective sample size: the number of particles that carry the weight, 1 / Σ w² (Kong 1992)."""
        return float(1.0 / np.square(self.weights).sum())

    # What is seen and heard -------------------------------------------------------------------------------

    def reweigh(self) -> None:
        """Something more was heard."""
        log = self._log_likelihood()
        self._multiply_weights(log - self._log)
        self._log = log
        self._resample_if_needed()

    def place_in_hand(self, card: int, seat: Seat, kept: Sequence[int] = ()) -> None:
        """The card is seen in this hand: where it is elsewhere, it changes history with one of that hand."""
        loose = self.current == seat
        loose[[card, *kept]] = False
        self._repair_histories(self.current[card] != seat, np.full(self.size, card, dtype=np.int16), loose)
        self._resample_if_needed()

    def place_one_in_hand(self, cards: tuple[int, int], seat: Seat) -> None:
        """One of two cards at least is in this hand, and moves out of it next: only then that is a fact."""
        there = self.current[list(cards)] == seat
        card = self._rng.choice(np.array(cards, dtype=np.int16), self.size)
        loose = self.current == seat
        hand = int(loose[:, 0].sum())
        loose[list(cards)] = False
        # As many ways lead to such a particle as away from it, were all deals alike.
        others = int((self.current[:, 0] != ON_TABLE).sum()) - hand - 1
        share = np.where(there.all(axis=0), 1.0, 2 * hand / (2 * hand + others))
        self._multiply_weights(np.log(share))
        self._repair_histories(~there.any(axis=0), card, loose)

    def _repair_histories(self, wrong: Mask, card: CardPerParticle, loose: Mask) -> None:
        """Where it is wrong, the card exchanges its history with one of these: each is tried, one is taken.

        The better a way is, the more likely it is taken; the better all are, the more the particle counts.
        """
        rows = np.flatnonzero(wrong & loose.any(axis=0))
        hand = np.argsort(~loose[:, rows], axis=0, kind="stable").astype(np.int16)
        whole = np.zeros(len(rows), dtype=np.int64)
        ways = []
        for other in hand[: int(loose.sum(axis=0).max(initial=0))]:
            there = loose[other, rows]
            for first in (
                (whole, self._sample_parting_stage(rows, card[rows], other)) if self.last else (whole,)
            ):
                self._exchange_from(rows, card[rows], other, first)
                log = np.where(there, self._log_likelihood()[rows], 2 * LOG_IMPOSSIBLE * self.cards)
                self._exchange_from(rows, card[rows], other, first)
                ways.append((log, other, first))
        if len(rows):
            logs = np.stack([log for log, _, _ in ways])
            best = (logs - np.log(-np.log(self._rng.random(logs.shape)))).argmax(axis=0)
            column = np.arange(len(rows))
            other, first = (np.stack([way[part] for way in ways])[best, column] for part in (1, 2))
            self._exchange_from(rows, card[rows], other, first)
        log = self._log_likelihood()
        gain = log - self._log
        if len(rows):
            gain[rows] = (
                np.logaddexp.reduce(logs, axis=0)
                - np.log((1 + (self.last > 0)) * loose[:, rows].sum(axis=0))
                - self._log[rows]
            )
        self._multiply_weights(gain)
        self._log = log

    def _sample_parting_stage(
        self, rows: ParticleRows, one: CardPerParticle, other: CardPerParticle
    ) -> ParticleRows:
        """A stage after one, chosen evenly, at which two cards lay together; 0 if they never did."""
        where = self.stages
        here = where[:, one, rows]
        together = (here == where[:, other, rows]) & (here != ON_TABLE)
        lots = np.where(together, self._rng.random(together.shape, dtype=np.float32), 0.0)
        parted: ParticleRows = np.where(together.any(axis=0), lots.argmax(axis=0) + 1, 0)
        return parted

    def _exchange_from(
        self, rows: ParticleRows, one: CardPerParticle, other: CardPerParticle, first: ParticleRows
    ) -> None:
        """In each particle two cards exchange their histories from that particle's stage on."""
        for stage in np.unique(first):
            part = first == stage
            self._exchange(rows[part], one[part], other[part], int(stage), self.last + 1)

    def _multiply_weights(self, gain: Weights) -> None:
        weights = self.weights * np.exp(gain - gain.max())
        self.weights = weights / weights.sum()

    # What moves -------------------------------------------------------------------------------------------

    def _add_stage(self) -> npt.NDArray[np.int8]:
        """One more stage, so far as the one before it."""
        if self.last + 1 == len(self._where):
            self._where = np.concatenate([self._where, np.empty_like(self._where)])
            self._moved = np.concatenate([self._moved, np.empty_like(self._moved)])
        self._moved[self.last] = NO_CARD
        self.last += 1
        self._where[self.last] = self._where[self.last - 1]
        return self.current

    def pass_card(self, card: CardPerParticle, giver: Seat, taker: Seat, *, seen: bool) -> int:
        """In each particle this card goes from hand to hand; the stage before that."""
        now = self._add_stage()
        now[card, np.arange(self.size)] = taker
        self._moved[self.last - 1] = card
        if not seen:
            self._unseen.append((self.last - 1, giver))
        return self.last - 1

    def keep_weights(self) -> None:
        """The move was drawn with the probability that it has, so the weights stay as they are."""
        self._log = self._log_likelihood()
        self._resample_if_needed()

    def lay_on_table(self, cards: Sequence[int]) -> None:
        """These cards are on the table from now on."""
        self._add_stage()[list(cards)] = ON_TABLE

    def swap_hands(self, one: Seat, other: Seat) -> None:
        """Two decks change places."""
        now = self._add_stage()
        here, there = now == one, now == other
        now[here], now[there] = other, one

    def choose_cards(self, there: Mask, liking: Weights | None = None) -> CardPerParticle:
        """In each particle one of the cards in `there`, by liking or evenly: (particles,) of card indices.

        `there` and `liking`: (cards, particles). Weighted sampling by keys: Efraimidis and Spirakis, 2006.
        """
        lots = self._rng.random(there.shape)
        if liking is not None:
            lots = lots ** (1.0 / np.maximum(liking, 1e-9))
        picked: CardPerParticle = np.where(there, lots, -1.0).argmax(axis=0).astype(np.int16)
        return picked

    # Particles that change ----------------------------------------------------------------------------------

    def _exchange(
        self, rows: ParticleRows, one: CardPerParticle, other: CardPerParticle, first: int, end: int
    ) -> None:
        """In these particles two cards exchange their histories from stage `first` until before `end`.

        They lie together before the first of these stages, or there is none; and so at the other end. So what
        moves out of that hand is changed at the one end, and not at the other.
        """
        where, moved = self._where[first:end], self._moved[max(0, first - 1) : end - (end <= self.last)]
        here = where[:, one, rows]
        where[:, one, rows] = where[:, other, rows]
        where[:, other, rows] = here
        went = moved[:, rows]
        moved[:, rows] = np.where(went == one, other, np.where(went == other, one, went))

    def _resample_if_needed(self) -> None:
        carrying = self.effective_size()
        if carrying >= self.size / 2:
            return
        steps = (np.arange(self.size) + self._rng.random()) / self.size
        rows = np.searchsorted(np.cumsum(self.weights), steps).clip(max=self.size - 1)
        self._where[: self.last + 1] = self._where[: self.last + 1, :, rows]
        self._moved[: self.last + 1] = self._moved[: self.last + 1, rows]
        self._log = self._log[rows]
        self.weights = np.full(self.size, 1.0 / self.size)
        self.mix_particles(min(self.moves, int(self.cards * np.log2(self.size / carrying))))

    def mix_particles(self, moves: int) -> None:
        """Change every particle so often; the belief they stand for stays the same."""
        for _ in range(moves):
            self._metropolis_step()

    def _metropolis_step(self) -> None:
        """One Metropolis step in every particle: two cards exchange histories where that is likely enough."""
        size, rows = self.size, np.arange(self.size)
        live = np.flatnonzero(self.current[:, 0] != ON_TABLE).astype(np.int16)
        first, end = 0, self.last + 1
        lot = self._rng.random()
        if lot < 0.5 or not self._unseen:
            one, other = self._rng.choice(live, size), self._rng.choice(live, size)
            tried = one != other
        else:
            stage, giver = self._unseen[self._rng.integers(len(self._unseen))]
            one = self._moved[stage].copy()
            loose = self._where[stage] == giver
            loose[one, rows] = False
            other = self.choose_cards(loose)
            tried = loose.any(axis=0)
            if lot < 0.75:
                first = stage + 1
                tried &= (self.current[one, rows] != ON_TABLE) & (self.current[other, rows] != ON_TABLE)
            else:
                end = stage + 1
        rows = np.flatnonzero(tried)
        self._exchange(rows, one[rows], other[rows], first, end)
        log = self._log_likelihood()
        kept = np.log(self._rng.random(size)) < log - self._log
        self._log = np.where(kept, log, self._log)
        back = rows[~kept[rows]]
        self._exchange(back, one[back], other[back], first, end)
