"""Observed facts of a Kinapa game and their likelihood in each particle.

Nothing here changes a particle: facts are listed with the stage at which they came, and weighed all at once.
"""

from enum import Enum, auto

import numpy as np
import numpy.typing as npt

from companion.core.actions import Value
from companion.games.kinapa.particle_filter import LOG_IMPOSSIBLE, Mask, ParticleFilter, Weights

Column = npt.NDArray[np.int64]
"""One number of every fact of a kind."""
Columns = npt.NDArray[np.int64]
"""(numbers, facts)."""

MAX_COUNTED_HANDS = 64
"""Hands of one person with the number in them, up or down; more tell no more."""


class KinapaPlayModel(Value, frozen=True):
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
    """Announces a number of which one card is in the player's own hand, if there is one."""
    keeps: float = 0.95
    """Gives back a card that belongs to no pair, if there is one."""


class FactKind(Enum):
    """What a fact tells, and of which numbers it consists; the stage comes first."""

    PLACE = auto()
    """Stage, card, hand, 1 or 0: it is there, or it is not."""
    HAND = auto()
    """Stage, hand, number, 1 or 0: raised, or not."""
    CLAIM = auto()
    """Stage, hand, number, this many cards at least, 1 or 0: said so, or said not."""
    WANT = auto()
    """Stage, Emperor, number announced, how many numbers were left."""
    HIDDEN = auto()
    """Stage, Emperor, number: its object lay open, and no pair was laid."""
    HANDED = auto()
    """Stage, hand, number: a card of it moved out of the hand next."""
    RETURNED = auto()
    """Stage, Emperor, stage before which a card came: another than this moved out of the hand next."""


class FactLog:
    """Owns the list of what was seen and heard."""

    def __init__(self, seats: int, honesty: KinapaPlayModel) -> None:
        self.seats, self.honesty = seats, honesty
        self._columns: dict[FactKind, Columns] = {}
        count = np.arange(MAX_COUNTED_HANDS)
        bold, shy = (
            count[:, None] * np.log(share) + count * np.log(1 - share)
            for share in (honesty.bold, honesty.shy)
        )
        self._of_people: Weights = np.logaddexp(bold, shy) - np.log(2)
        """(hands up, hands down), all with the number in them: the logarithm of how likely, of anybody."""
        self._weighed = {
            FactKind.PLACE: self._log_places,
            FactKind.HAND: self._log_hands,
            FactKind.CLAIM: self._log_claims,
            FactKind.WANT: self._log_wants,
            FactKind.HIDDEN: self._log_hidden,
            FactKind.HANDED: self._log_handed,
            FactKind.RETURNED: self._log_returned,
        }

    def add(self, kind: FactKind, *numbers: int) -> None:
        """One fact more."""
        new = np.array(numbers, dtype=np.int64)[:, None]
        known = self._columns.get(kind)
        self._columns[kind] = new if known is None else np.concatenate([known, new], axis=1)

    def log_likelihood(self, particles: ParticleFilter) -> Weights:
        """(particles,): the logarithm of how likely all these facts are."""
        log = np.zeros(particles.size)
        for kind, columns in self._columns.items():
            log += self._weighed[kind](particles, columns)
        return log

    def _log_places(self, particles: ParticleFilter, columns: Columns) -> Weights:
        stage, card, seat, there = columns
        wrong = (particles.stages[stage, card] == seat[:, None]) != there.astype(bool)[:, None]
        log: Weights = LOG_IMPOSSIBLE * wrong.sum(axis=0)
        return log

    def _cards_held(
        self, particles: ParticleFilter, stage: Column, seat: Column, number: Column
    ) -> tuple[Mask, Mask]:
        """Whether each card of a number was in a hand."""
        one = particles.stages[stage, 2 * number - 2] == seat[:, None]
        other = particles.stages[stage, 2 * number - 1] == seat[:, None]
        return one, other

    def _log_hands(self, particles: ParticleFilter, columns: Columns) -> Weights:
        stage, seat, number, up = columns
        one, other = self._cards_held(particles, stage, seat, number)
        has = (one | other).astype(np.float32)
        honest = self.honesty
        without = np.log(np.array([1 - honest.raises, honest.raises], dtype=np.float32))[up]
        log: Weights = (without.sum() - without @ has).astype(np.float64)
        whose = (seat == np.arange(self.seats)[:, None]).astype(np.float32)
        lies = ((whose * up) @ has).astype(np.int64).clip(max=MAX_COUNTED_HANDS - 1)
        lowered = ((whose * (1 - up)) @ has).astype(np.int64).clip(max=MAX_COUNTED_HANDS - 1)
        of_people: Weights = self._of_people[lies, lowered].sum(axis=0)
        return log + of_people

    def _log_claims(self, particles: ParticleFilter, columns: Columns) -> Weights:
        stage, seat, number, least, said = columns
        one, other = self._cards_held(particles, stage, seat, number)
        true = (one.astype(np.int8) + other >= least[:, None]) == said.astype(bool)[:, None]
        true_odds = self.honesty.answers / (1 - self.honesty.answers)
        log: Weights = np.log(true_odds) * true.sum(axis=0)
        return log

    def _hand_at_stage(self, particles: ParticleFilter, stage: Column, seat: Column) -> tuple[Mask, Mask]:
        """(facts, numbers, particles): whether each card was in a hand."""
        hand = particles.stages[stage] == seat[:, None, None]
        return hand[:, 0::2], hand[:, 1::2]

    def _log_wants(self, particles: ParticleFilter, columns: Columns) -> Weights:
        """The player who has one card of a number wants the other."""
        stage, crown, number, left = columns
        one, other = self._hand_at_stage(particles, stage, crown)
        single = one ^ other
        count = single.sum(axis=1, dtype=np.int8)
        chosen = single[np.arange(len(stage)), number - 1]
        wants, even = self.honesty.wants, 1.0 / left[:, None]
        share = np.where(count, (1 - wants) * even + wants * chosen / np.maximum(count, 1), even)
        log: Weights = np.log(share).sum(axis=0)
        return log

    def _log_hidden(self, particles: ParticleFilter, columns: Columns) -> Weights:
        stage, crown, number = columns
        one, other = self._cards_held(particles, stage, crown, number)
        log: Weights = np.log(1 - self.honesty.lays) * (one & other).sum(axis=0)
        return log

    def _log_handed(self, particles: ParticleFilter, columns: Columns) -> Weights:
        stage, seat, number = columns
        one, other = self._cards_held(particles, stage, seat, number)
        right = particles.moved_cards[stage] // 2 == number[:, None] - 1
        log: Weights = (np.where(one & other, np.log(0.5), 0.0) + np.where(right, 0.0, LOG_IMPOSSIBLE)).sum(
            axis=0
        )
        return log

    def _log_returned(self, particles: ParticleFilter, columns: Columns) -> Weights:
        """Cards of a pair in hand are given back rarely."""
        stage, crown, came = columns
        one, other = self._hand_at_stage(particles, stage, crown)
        both = one & other
        hand = (particles.stages[stage, :, 0] == crown[:, None]).sum(axis=1)
        received, given = particles.moved_cards[came], particles.moved_cards[stage]
        facts, rows = np.arange(len(stage))[:, None], np.arange(particles.size)
        paired = 2 * both.sum(axis=1, dtype=np.int8) - both[facts, received // 2, rows]
        keeps = self.honesty.keeps
        ratio = (1 - keeps) / keeps
        counts = np.arange(16)
        total = np.maximum(hand[:, None] - 1 - counts, 0) + ratio * np.maximum(counts, 1e-9)
        log: Weights = (
            np.where(both[facts, given // 2, rows], np.log(ratio), 0.0)
            - np.log(total)[facts, paired]
            + np.where(received == given, LOG_IMPOSSIBLE, 0.0)
        ).sum(axis=0)
        return log
