"""Probability of the values in each dnup hand, sampled from deals that fit what was played.

Only whole hands are rotated and cards travel in sight, so a card that nobody has seen lies where it was
dealt, and which way it was dealt to lie follows from how often its owner has rotated. So every deal of the
unseen cards is as likely as any other, but for one thing: people mostly play the largest set they can, of a
high value, and do anything else only if they can play none. Many deals are kept that agree with what was
seen, and changed a little after every turn, as that makes them likely.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from companion.core.actions import Seat, Value
from companion.core.events import Event
from companion.games.dnup.rules import cards as card
from companion.games.dnup.rules import model
from companion.games.dnup.rules.cards import HIGHEST_VALUE, STAR_CARD, card_values
from companion.games.dnup.rules.model import DnupState

IMPOSSIBLE_COUNT = 99
"""More cards than there are."""
NOBODY = -1
Probabilities = npt.NDArray[np.float64]
Seats = npt.NDArray[np.int8]
Mask = npt.NDArray[np.bool_]


class DnupPlayModel(Value, frozen=True):
    """How people are assumed to play."""

    largest: float = 0.9
    """Does nothing else where a better set could be played."""
    higher: int = 4
    """Of two sets of one size, that one is better whose value is so much higher."""


class NoBetterSetFact(NamedTuple):
    """Somebody acted who would have played a better set: so there hardly was one."""

    seat: Seat
    spun: bool
    """Whether the hand had been rotated an odd number of times."""
    need: tuple[int, ...]
    """By value: this many cards, unseen until now, would have made a better lawful set."""


class DnupBelief:
    """Owns what was seen of a round, and many deals that agree with it."""

    def __init__(
        self,
        seats: int,
        custom: DnupPlayModel | None = None,
        *,
        size: int = 400,
        steps: int = 40,
        seed: int = 0,
    ) -> None:
        self.seats, self.size = seats, size
        self.custom = custom or DnupPlayModel()
        self.steps = steps
        """How often each deal is offered a change after an event."""
        self.unseen: tuple[str, ...] = ()
        """The cards that nobody has seen since the deal."""
        self.spins = [0] * seats
        self.facts: tuple[NoBetterSetFact, ...] = ()
        self.owner: Seats = np.zeros((size, 0), dtype=np.int8)
        """(deals, cards) → the seat; -1: nobody, where the counts do not fit."""
        self.high: Mask = np.zeros((size, 0), dtype=bool)
        """(deals, cards) → whether it was dealt with the higher value up."""
        self._known: Seat | None = None
        self._unread: dict[int, tuple[Seat, Sequence[str]]] = {}
        """Areas with cards of which only the value was said: whose they were, and what was known then."""
        self._rng = np.random.default_rng(seed)

    # The history ------------------------------------------------------------------------------------------

    def observe_event(self, before: DnupState, event: Event) -> None:
        """A ruling, and the state in which it was made."""
        match event:
            case model.DnupRoundBegan():
                self.spins, self.facts, self._known = [0] * self.seats, (), None
                self._unread.clear()
                self._deal(before.cards_in_use, [event.each] * self.seats)
                self._force_into_hand(self.unseen.index(STAR_CARD), event.seat)
            case model.SetPlayed():
                self._note_cards_left(event.seat, event.area, event.cards, before.hands[event.seat].known)
                held = (*event.known, *event.cards)
                self._note_action(before, event.seat, held, event.count, event.value)
            case model.CardAdded():
                self._note_cards_left(event.seat, event.area, (event.card,), before.hands[event.seat].known)
                self._note_action(before, event.seat, (*event.known, event.card), 1)
            case model.SetTaken():
                self._note_action(before, event.seat, before.hands[event.seat].known)
            case model.CardsFilled() if event.area in self._unread:
                read = [one for one in before.areas[event.area].cards if card.card_name(one)]
                seat, known = self._unread.pop(event.area)
                self._note_cards_left(seat, event.area, card.remove_cards(event.cards, read), known)
            case model.HandRotated():
                self._note_action(before, event.seat, before.hands[event.seat].known)
                self.spins[event.seat] += 1
            case model.StarElsewhere() if STAR_CARD in self.unseen:
                # It is about to be seen where it is; until then it may be anywhere.
                self._deal(self.unseen, [int((self.owner[0] == seat).sum()) for seat in range(self.seats)])
                self._metropolis_steps(4 * self.steps)
            case model.HandDoubted():
                lying = Counter(card.card_name(one) for area in before.areas for one in area.cards)
                left = Counter(before.cards_in_use) - lying - Counter(before.gone)
                self.facts, self._known = (), None
                self._deal(tuple(left.elements()), [hand.size for hand in before.hands])

    def learn_hand(self, seat: Seat, cards: Sequence[str]) -> None:
        """Somebody looks into the player's own hand, when the round begins."""
        for one in cards:
            self._assign_dealt_card(card.card_name(one), seat)
        self._known = seat

    def _deal(self, names: Sequence[str], sizes: Sequence[int]) -> None:
        """Any deal of these cards is as likely as any other."""
        self.unseen = tuple(names)
        row = np.repeat(np.arange(self.seats, dtype=np.int8), sizes)[: len(names)]
        row = np.concatenate([row, np.full(len(names) - len(row), NOBODY, dtype=np.int8)])
        self.owner = self._rng.permuted(np.tile(row, (self.size, 1)), axis=1)
        self.high = self._rng.random(self.owner.shape) < 0.5

    def _force_into_hand(self, one: int, seat: Seat) -> None:
        """The card is in this hand in every deal: it changes places with any card of that hand."""
        owner = self.owner
        rows = np.flatnonzero(owner[:, one] != seat)
        lots = np.where(owner[rows] == seat, self._rng.random((len(rows), owner.shape[1])), -1.0)
        if STAR_CARD in self.unseen:
            lots[:, self.unseen.index(STAR_CARD)] = -0.5  # it is where it was said to be
        other = lots.argmax(axis=1)
        owner[rows, other] = owner[rows, one]
        owner[rows, one] = seat

    def _assign_dealt_card(self, name: str, seat: Seat) -> bool:
        """A card turns out to have been dealt to this seat; False: it cannot have been."""
        if name not in self.unseen or not (self.owner[0] == seat).any():
            return False
        place = self.unseen.index(name)
        self._force_into_hand(place, seat)
        self.unseen = (*self.unseen[:place], *self.unseen[place + 1 :])
        self.owner, self.high = np.delete(self.owner, place, axis=1), np.delete(self.high, place, axis=1)
        return True

    def _note_cards_left(self, seat: Seat, area: int, played: Sequence[str], known: Sequence[str]) -> None:
        """Cards were seen to leave a hand of which so much was known: those that are new were dealt to it."""
        if seat == self._known:
            return
        if not all(map(card.card_name, played)):
            self._unread[area] = seat, known  # until they are read, they stay among the unseen
        for one in card.remove_cards(played, known):
            if self._assign_dealt_card(card.card_name(one), seat):
                self.facts = tuple(filter(None, (self._update_fact(fact, seat, one) for fact in self.facts)))

    def _note_action(
        self, before: DnupState, seat: Seat, held: Sequence[str], size: int = 0, worth: int = HIGHEST_VALUE
    ) -> None:
        """Nobody plays `size` cards of `worth` who could do better; `held`: what was known of the hand."""
        if seat == self._known:
            return
        rivals = {
            len(area.cards): before.value(at) for at, area in enumerate(before.areas) if at != before.area
        }
        known = Counter(map(card.active_value, held))
        need = [IMPOSSIBLE_COUNT]
        for value in range(1, HIGHEST_VALUE + 1):
            least = size if size and value >= worth + self.custom.higher else size + 1
            better = (more for more in range(least, before.cards_each + 1) if rivals.get(more, 0) < value)
            need.append(next(better, IMPOSSIBLE_COUNT) - known[value])
        if min(need) > 0:
            self.facts = (*self.facts, NoBetterSetFact(seat, bool(self.spins[seat] % 2), tuple(need)))
        self._metropolis_steps(self.steps)

    def _update_fact(self, fact: NoBetterSetFact, seat: Seat, one: str) -> NoBetterSetFact | None:
        """A card was seen that had been in that hand then; None: there was a better set, nobody knows why."""
        if fact.seat != seat:
            return fact
        up = card.active_value(one if bool(self.spins[seat] % 2) == fact.spun else card.rotate_card(one))
        need = tuple(count - (value == up) for value, count in enumerate(fact.need))
        return fact._replace(need=need) if min(need) > 0 else None

    # Deals that agree ---------------------------------------------------------------------------------------

    def _metropolis_steps(self, steps: int) -> None:
        """Offer every deal small changes: what fits better is taken, else now and then (Metropolis)."""
        if not self.facts or not self.unseen:
            return
        rows = np.arange(self.size)
        fit = self._log_likelihood(self.owner, self.high)
        cards = len(self.unseen)
        for _ in range(steps):
            owner, high = self.owner.copy(), self.high.copy()
            one, other = self._rng.integers(cards, size=(2, self.size))
            owner[rows, one], owner[rows, other] = self.owner[rows, other], self.owner[rows, one]
            high[rows, one] ^= self._rng.random(self.size) < 0.5
            changed = self._log_likelihood(owner, high)
            taken = np.log(self._rng.random(self.size)) < changed - fit
            if STAR_CARD in self.unseen:
                taken &= owner[:, self.unseen.index(STAR_CARD)] == self.owner[:, self.unseen.index(STAR_CARD)]
            self.owner[taken], self.high[taken], fit[taken] = owner[taken], high[taken], changed[taken]

    def _log_likelihood(self, owner: Seats, high: Mask) -> Probabilities:
        """How well each deal agrees with what people did, as a logarithm."""
        pairs = np.array([card_values(name) for name in self.unseen])
        low_is, high_is = (
            np.equal.outer(pairs[:, side], np.arange(HIGHEST_VALUE + 1)) * 1.0 for side in (0, 1)
        )
        odds = np.log(1.0 - self.custom.largest) - np.log(self.custom.largest)
        counts: dict[tuple[Seat, bool], Probabilities] = {}
        larger = np.zeros(len(owner))
        for fact in self.facts:
            key = fact.seat, fact.spun
            if key not in counts:
                there, up = owner == fact.seat, high ^ fact.spun
                counts[key] = (there & ~up) @ low_is + (there & up) @ high_is
            larger += (counts[key] >= fact.need).any(axis=1)
        fit: Probabilities = odds * larger
        return fit

    # What follows -----------------------------------------------------------------------------------------

    def values_up_and_down(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The values that are up and those that are down now: two int64 arrays of shape (deals, cards)."""
        pairs = np.array([card_values(name) for name in self.unseen], dtype=np.int64).reshape(-1, 2)
        odd = np.array([*(spun % 2 == 1 for spun in self.spins), False])[self.owner]
        up = self.high ^ odd
        return np.where(up, pairs[:, 1], pairs[:, 0]), np.where(up, pairs[:, 0], pairs[:, 1])

    def card_probabilities(self, state: DnupState) -> Probabilities:
        """(seats, values from 0): how likely everybody has at least one card with this value up."""
        up, _ = self.values_up_and_down()
        table = np.zeros((self.seats, HIGHEST_VALUE + 1))
        for seat in range(self.seats):
            known = set(map(card.active_value, state.hands[seat].known))
            for value in range(1, HIGHEST_VALUE + 1):
                there = ((self.owner == seat) & (up == value)).any(axis=1)
                table[seat, value] = 1.0 if value in known else float(there.mean())
        return table
