"""Probability of where each Kinapa card is, from public history and assumed honesty.

Raised hands may lie, so they only weigh; answers to a demand are a duty and weigh more; cards that were seen
are certain. What somebody announces, gives back and does not lay tells a little too. The aid of a BOT deck
tells nothing: the player who lays it does not know what lies under it.

A particle is one possible history of all cards, with a weight. A move that nobody saw is drawn at random in
each; what is seen or heard weighs it. A card that is seen somewhere is brought there: it exchanges its
history with another card's, or the part since both were in one hand, and the new history is weighed by
everything that was heard. When few particles carry the weight, they are resampled and changed in the same way
(resample-move: W. R. Gilks and C. Berzuini, "Following a moving target", 2001).
"""

from collections.abc import Callable, Iterable, Sequence
from enum import Enum, auto

import numpy as np
import numpy.typing as npt

from companion.core.actions import Seat, Value
from companion.core.events import Event
from companion.games.kinapa.rules import model
from companion.games.kinapa.rules.model import HAND_SIZE, KinapaPhase, KinapaState, object_numbers

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


# What was observed, listed with the stage at which it came --------------------------------------------------


Column = npt.NDArray[np.int64]
"""One number of every fact of a kind."""
Columns = npt.NDArray[np.int64]
"""(numbers, facts)."""

_MAX_COUNTED_HANDS = 64
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
        count = np.arange(_MAX_COUNTED_HANDS)
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
        lies = ((whose * up) @ has).astype(np.int64).clip(max=_MAX_COUNTED_HANDS - 1)
        lowered = ((whose * (1 - up)) @ has).astype(np.int64).clip(max=_MAX_COUNTED_HANDS - 1)
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


def _card_index(name: str) -> int:
    """`animal:5` → 8, `shelter:5` → 9."""
    kind, _, number = name.partition(":")
    return 2 * (int(number) - 1) + (kind == "shelter")


def _pair_indices(number: int) -> tuple[int, int]:
    """The two cards of a number."""
    return 2 * (number - 1), 2 * (number - 1) + 1


class KinapaBelief:
    """Owns what can be known of the hands."""

    def __init__(
        self,
        seats: int,
        honesty: KinapaPlayModel | None = None,
        *,
        hand: int = HAND_SIZE,
        size: int = 400,
        moves: int = 160,
        seed: int = 0,
    ) -> None:
        """`seats`: every deck that is dealt, BOT decks too; `hand`: cards of each."""
        self.seats = seats
        self.honesty = honesty or KinapaPlayModel()
        self.facts = FactLog(seats, self.honesty)
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

    def learn_hand(self, seat: Seat, cards: Iterable[str]) -> None:
        """Somebody looks into a hand."""
        self._see_in_hand([_card_index(name) for name in cards], seat)

    see_cards = learn_hand

    def _see_in_hand(self, cards: Sequence[int], seat: Seat) -> None:
        """These cards are seen to be in this hand."""
        for place, card in enumerate(cards):
            self.facts.add(FactKind.PLACE, self.sample.last, card, seat, 1)
            self.sample.place_in_hand(card, seat, cards[:place])

    def card_probabilities(self) -> npt.NDArray[np.float64]:
        """(seats, numbers), 0 to 1: how likely it is that at least one card of the number is there."""
        one, other = self.sample.current[0::2], self.sample.current[1::2]
        return np.stack(
            [((one == seat) | (other == seat)) @ self.sample.weights for seat in range(self.seats)]
        )

    def pair_probabilities(self, seat: Seat) -> npt.NDArray[np.float64]:
        """(numbers,): the probability that this seat holds both cards of the number."""
        one, other = self.sample.current[0::2], self.sample.current[1::2]
        both: npt.NDArray[np.float64] = ((one == seat) & (other == seat)) @ self.sample.weights
        return both

    # The history ------------------------------------------------------------------------------------------

    def observe_event(self, before: KinapaState, event: Event, card: str = "") -> None:  # noqa: C901 - one a ruling
        """A ruling, and the state in which it was made; `card`: which one moved, if it was seen."""
        sample, facts, turn, crown = self.sample, self.facts, before.turn, before.emperor
        at = sample.last
        match event:
            case model.EmperorCrowned() if before.phase is KinapaPhase.STARTING:
                self._see_in_hand([_card_index(f"animal:{before.lowest}")], event.seat)
            case model.AnimalMissing():
                self._see_in_hand([_card_index(f"animal:{event.number}")], before.bots[0])
            case model.DecksSwitched():
                if before.phase is KinapaPhase.STARTING:
                    facts.add(FactKind.PLACE, at, _card_index(f"animal:{before.lowest}"), event.seat, 0)
                    sample.reweigh()
                sample.swap_hands(event.seat, event.bot)
            case model.NumberAnnounced():
                facts.add(FactKind.WANT, at, crown, event.number, self.numbers - len(before.placed_numbers))
                sample.reweigh()
            case model.HandsLocked():
                for seat in (*event.raised, *event.lowered):
                    if not before.seats[seat].foxes and not before.is_bot(seat):
                        facts.add(FactKind.HAND, at, seat, turn.number, seat in event.raised)
                sample.reweigh()
            case model.PairShown():
                self._see_in_hand(_pair_indices(event.number), crown)
            case model.PairDenied() if turn.number not in before.placed_numbers:
                self._add_claim(crown, turn.number, 2, said=False)
            case model.KinapaCardDrawn():
                self._apply_draw(event.seat, crown, event.card or card)
            case model.CardHanded():
                self._apply_handover(event.seat, crown, event.number, event.card or card)
            case model.CardReturned():
                self._apply_return(crown, event.seat, card)
            case model.NumberAdmitted() | model.CardFound():
                self._add_claim(event.seat, turn.number, 1, said=True)
            case model.NumberDenied() | model.CardNotFound():
                self._add_claim(event.seat, turn.number, 1, said=False)
            case model.PairPlaced():
                self._see_in_hand(_pair_indices(event.number), event.seat)
                sample.lay_on_table(_pair_indices(event.number))
            case model.OpenCardsSeen():
                white = [name for name in event.cards if name.partition(":")[0] in {"animal", "shelter"}]
                self.see_cards(event.seat, white)
            case model.ObjectHidden() if turn.label:
                for number in object_numbers(turn.label):
                    facts.add(FactKind.HIDDEN, at, crown, number)
                sample.reweigh()

    def _add_claim(self, seat: Seat, number: int, least: int, *, said: bool) -> None:
        self.facts.add(FactKind.CLAIM, self.sample.last, seat, number, least, said)
        self.sample.reweigh()

    def _see_card_leave(self, giver: Seat, card: str) -> npt.NDArray[np.int16]:
        """The card that is seen to leave a hand."""
        self._see_in_hand([_card_index(card)], giver)
        return np.full(self.sample.size, _card_index(card), dtype=np.int16)

    def _apply_draw(self, giver: Seat, taker: Seat, card: str) -> None:
        """A card goes from hand to hand: this one, or any."""
        moved = (
            self._see_card_leave(giver, card)
            if card
            else self.sample.choose_cards(self.sample.current == giver)
        )
        self._came = self.sample.pass_card(moved, giver, taker, seen=bool(card))

    def _apply_handover(self, giver: Seat, taker: Seat, number: int, card: str) -> None:
        """A card of this number goes from hand to hand."""
        pair = _pair_indices(number)
        if card:
            moved = self._see_card_leave(giver, card)
        else:
            self.sample.place_one_in_hand(pair, giver)
            there = np.zeros(self.sample.current.shape, dtype=bool)
            there[list(pair)] = self.sample.current[list(pair)] == giver
            moved = self.sample.choose_cards(there)
        self._came = self.sample.pass_card(moved, giver, taker, seen=bool(card))
        self.facts.add(FactKind.HANDED, self._came, giver, number)
        self._update_weights(card)

    def _apply_return(self, crown: Seat, taker: Seat, card: str) -> None:
        """Another card than the last received goes back."""
        sample, rows = self.sample, np.arange(self.sample.size)
        loose = sample.current == crown
        loose[sample.moved_cards[self._came], rows] = False
        moved = (
            self._see_card_leave(crown, card)
            if card
            else sample.choose_cards(loose, self._return_weights(crown))
        )
        at = sample.pass_card(moved, crown, taker, seen=bool(card))
        self.facts.add(FactKind.RETURNED, at, crown, self._came)
        self._update_weights(card)

    def _update_weights(self, card: str) -> None:
        """What was seen weighs; what was drawn as likely as it is does not weigh once more."""
        if card:
            self.sample.reweigh()
        else:
            self.sample.keep_weights()

    def _return_weights(self, crown: Seat) -> Weights:
        """Cards of a pair in hand are given back rarely."""
        keeps, hand = self.honesty.keeps, self.sample.current == crown
        both = np.repeat(hand[0::2] & hand[1::2], 2, axis=0)
        return np.where(both, (1 - keeps) / keeps, 1.0)
