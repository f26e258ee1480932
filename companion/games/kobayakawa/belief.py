"""Exact probability of each card in each Kobayakawa hand, counted over all deals.

Each number exists once, so what lies open is in no hand. What somebody discards, turns up, stakes or passes
weighs the numbers by how people are assumed to choose. Every deal weighs as much as its hands' likelihoods
multiplied; summed over all deals by taking hands one after another over sets of numbers.
"""

import numpy as np
import numpy.typing as npt

from companion.core.actions import Seat, Value
from companion.core.events import Event
from companion.games.kobayakawa.rules import model
from companion.games.kobayakawa.rules.model import CARD_COUNT, KobayakawaState

Probabilities = npt.NDArray[np.float64]


class KobayakawaPlayModel(Value, frozen=True):
    """How people are assumed to play: fitted on games of seeds that no plot is drawn from.

    Of 3,367 choices there none kept the worse card and of 3,028 none passed with a trusted one; once in 500
    is assumed. Three in 100, as before, said .45 of what came true half of the time.
    """

    high: int = 12
    """From this card on people trust to win by themselves; one less beside a low Kobayakawa."""
    low: int = 5
    """Up to this card people hope for the Kobayakawa."""
    keeps: float = 0.998
    """Keeps the card that this makes the better one."""
    tempted: float = 0.5
    """Turns up a new Kobayakawa holding a high or a low card."""
    replaces: float = 0.2
    """Turns one up otherwise."""
    sure: float = 0.998
    """Fights with a card that is trusted."""
    bluffs: float = 0.29
    """Fights with any other."""
    alone: float = 0.8
    """Fights where all others have passed."""

    def is_trusted(self, card: int, kobayakawa: int) -> bool:
        """Whether a card may win by itself."""
        return card >= self.high - (kobayakawa < self.low)

    def keep_probability(self, card: int, other: int, kobayakawa: int) -> float:
        """The probability that a player with `card` and `other` keeps `card` and discards `other`."""
        high, low = max(card, other), min(card, other)
        better = high if self.is_trusted(high, kobayakawa) else low
        return self.keeps if card == better else 1.0 - self.keeps

    def replace_probability(self, card: int) -> float:
        """The probability that a player with this card turns up a new Kobayakawa."""
        return self.tempted if card <= self.low or card >= self.high else self.replaces

    def fight_probability(self, card: int, kobayakawa: int, *, alone: bool) -> float:
        """The probability that a player with this card fights; `alone`: the last to bet, no one fights."""
        helped = card <= self.low and card + kobayakawa > self.high + 1
        if self.is_trusted(card, kobayakawa) or helped:
            return self.sure
        return self.alone if alone else self.bluffs


class KobayakawaBelief:
    """Owns how likely each number is in each hand, but for the others' hands."""

    def __init__(
        self, seats: int, manner: KobayakawaPlayModel | None = None, *, cards: int = CARD_COUNT
    ) -> None:
        self.seats, self.cards = seats, cards
        self.manner = manner or KobayakawaPlayModel()
        self.likely: Probabilities = np.ones((seats, cards + 1))
        """(seats, numbers): how well each number fits what that seat did. There is no number 0."""
        self.playing: tuple[Seat, ...] = ()
        self.open: frozenset[int] = frozenset()

    def learn_hand(self, seat: Seat, card: int) -> None:
        """A player looks at their card, or shows it."""
        self.likely[seat] = 0.0
        self.likely[seat, card] = 1.0

    def observe_event(self, before: KobayakawaState, event: Event) -> None:
        """A ruling, and the state in which it was made."""
        kobayakawa = before.kobayakawa
        match event:
            case model.KobayakawaRoundBegan():
                self.likely[:] = 1.0
                self.playing, self.open = event.order, frozenset({event.number})
            case model.CardDiscarded() if event.number > 0:
                self._reweigh_hand(
                    event.seat, [self._kept_likelihood(n, event.number, kobayakawa) for n in self._numbers]
                )
                self.open |= {event.number}
            case model.CardDiscarded():
                # Nobody saw which card it was: all that is known of the hand is that somebody drew.
                self._reweigh_hand(
                    event.seat, [1.0 - self.manner.replace_probability(n) for n in self._numbers]
                )
            case model.DiscardRead():
                self.open |= {event.number}
            case model.KobayakawaReplaced():
                self._reweigh_hand(event.seat, [self.manner.replace_probability(n) for n in self._numbers])
                self.open |= {event.number}
            case model.PlayerFought() | model.PlayerPassed():
                alone = before.turn == len(before.order) - 1 and not before.fighters
                chances = [self.manner.fight_probability(n, kobayakawa, alone=alone) for n in self._numbers]
                up = isinstance(event, model.PlayerFought)
                self._reweigh_hand(event.seat, [one if up else 1.0 - one for one in chances])
            case model.FighterCardShown():
                self.learn_hand(event.seat, event.number)

    @property
    def _numbers(self) -> range:
        return range(1, self.cards + 1)

    def _reweigh_hand(self, seat: Seat, chances: list[float]) -> None:
        """Somebody did what is so likely with each number."""
        if np.count_nonzero(self.likely[seat]) > 1:
            self.likely[seat, 1:] *= chances

    def _kept_likelihood(self, card: int, gone: int, kobayakawa: int) -> float:
        """Held one of the two and drew the other, whichever; then kept this one."""
        manner = self.manner
        drew = 1.0 - (manner.replace_probability(card) + manner.replace_probability(gone)) / 2
        return drew * manner.keep_probability(card, gone, kobayakawa)

    def _possible_holdings(self) -> Probabilities:
        """What each playing seat may hold: shown cards stay, what lies open falls away."""
        fit = self.likely[list(self.playing), 1:].copy()
        for number in self.open:
            fit[:, number - 1] = 0.0
        return fit

    def card_probabilities(self) -> Probabilities:
        """(seats, numbers from 0): how likely each number is in each hand."""
        table = np.zeros((self.seats, self.cards + 1))
        fit = self._possible_holdings()
        for place, seat in enumerate(self.playing):
            others = np.delete(fit, place, axis=0)
            rest = _deal_weights_without(others)
            count = np.array([fit[place, n] and fit[place, n] * rest[n] for n in range(self.cards)])
            if count.sum() > 0.0:
                table[seat, 1:] = count / count.sum()
        return table

    def sample_deals(
        self, size: int, rng: np.random.Generator
    ) -> tuple[npt.NDArray[np.int64], Probabilities]:
        """Sampled deals, int64 of shape (size, cards): each seat's card in turn order, then the deck.

        The second array, of shape (size,), has their weights, with sum 1.
        """
        fit = self._possible_holdings()
        known = {int(np.flatnonzero(row)[0]) + 1 for row in fit if np.count_nonzero(row) == 1}
        closed = [n for n in self._numbers if n not in self.open and n not in known]
        rows = rng.permuted(np.tile(np.array(closed), (size, 1)), axis=1)
        columns, weights, used = [], np.ones(size), 0
        for row in fit:
            if np.count_nonzero(row) == 1:
                columns.append(np.full(size, int(np.flatnonzero(row)[0]) + 1))
                continue
            columns.append(rows[:, used])
            weights *= row[rows[:, used] - 1]
            used += 1
        total = weights.sum()
        weights = weights / total if total > 0.0 else np.full(size, 1.0 / size)
        return np.concatenate([np.stack(columns, 1), rows[:, used:]], axis=1), weights


def _deal_weights_without(fit: Probabilities) -> Probabilities:
    """For each number: the weight of all deals to these hands, each number once, that leave it out."""
    cards = fit.shape[1]
    sets = np.arange(1 << cards)
    ways = np.zeros(1 << cards)
    ways[0] = 1.0
    for hand in fit:
        onto = np.zeros(1 << cards)
        for number in np.flatnonzero(hand):
            free = sets[(sets >> number) & 1 == 0]
            onto[free | (1 << number)] += ways[free] * hand[number]
        ways = onto
    return np.array([ways[(sets >> number) & 1 == 0].sum() for number in range(cards)])
