"""Monte Carlo simulation of one Kinapa turn over many deals at once.

Every deal is a row, every deck a column, BOT decks after all hands. People are thought of as simulated people
play; what a seat has by then is worth a share of a game.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from companion.core.actions import Seat
from companion.games.kinapa.particle_filter import Deals, Mask, Weights
from companion.games.kinapa.rules import bot_decks
from companion.games.kinapa.rules.state import KinapaState

BLUFF_RATE, RAISE_RATE, AID_UP_RATE = 0.15, 0.8, 0.6
"""How often a hand goes up with the number in it and without it; how often an aid lies up."""
LAID_PAIR_VALUE, PAIR_VALUE, KNOWN_BONUS = 0.6, 0.35, 0.9
"""Worth how much of a game: a pair that lies, a pair in hand, and how much more where its object is known."""
CROWN_VALUE, BROKEN_PAIR_VALUE, FOX_VALUE, GIVEN_CARD_VALUE = 0.25, 0.3, 0.12, 0.02
"""The crown next turn; a pair broken, Foxes, any other card handed over."""


class TurnOutcome(NamedTuple):
    """What becomes of the turn in every deal."""

    giver: npt.NDArray[np.int64]
    """The deck that hands the number over; -1: none does."""
    lied: Mask
    """Its hand or aid was up."""
    down: Mask
    """(deals, decks): down, and a card is drawn from one of them."""
    crown: Weights
    """(deals, decks): how likely it is next."""


class TurnSimulation:
    """Owns deals that may be the true one, as somebody knows them, and the table they lie on."""

    def __init__(
        self, state: KinapaState, deals: Deals, chance: np.random.Generator, known: Sequence[int] = ()
    ) -> None:
        """`known`: numbers whose object the thinking player has seen."""
        self.state = state
        self.deals = deals
        self.seats = len(state.seats)
        self._chance = chance
        self._at = deals.reshape(len(deals), -1, 2)
        self._pairs = self._pair_worth_by_deck(known)
        laid = np.array([LAID_PAIR_VALUE * len(seat.placed) for seat in state.seats])
        self.worth: Weights = self._pairs + laid
        """(deals, decks): what each deck is worth to the player who has it in hand."""

    def _pair_worth_by_deck(self, known: Sequence[int]) -> Weights:
        """Of the pairs in every deck."""
        both = self._at[:, :, 0] == self._at[:, :, 1]
        value = self._pair_values(known)
        return np.stack([(both & (self._at[:, :, 0] == seat)) @ value for seat in range(self.seats)], 1)

    def _pair_values(self, known: Sequence[int]) -> Weights:
        value = np.full(self._at.shape[1], PAIR_VALUE)
        value[[number - 1 for number in known]] *= 1 + KNOWN_BONUS
        return value

    # The count --------------------------------------------------------------------------------------------

    def decks_with_number(self, number: int) -> Mask:
        """(deals, decks): a card of the number is there."""
        both = self._at[:, number - 1]
        return np.stack([(both == seat).any(axis=1) for seat in range(self.seats)], 1)

    def sample_raised_hands(self, has: Mask, fixed: Mapping[Seat, bool]) -> Mask:
        """(deals, decks): which hands are raised, as people do it.

        `fixed`: what is known or assumed of a seat.
        """
        state = self.state
        raises = np.where(has, BLUFF_RATE, RAISE_RATE)
        for seat, deck in enumerate(state.seats):
            if state.is_bot(seat):
                waiting = not state.turn.number or seat in state.turn.aids
                raises[:, seat] = AID_UP_RATE if waiting else float(seat in state.turn.raised)
            if seat in fixed:
                raises[:, seat] = float(fixed[seat])
            elif deck.foxes or not deck.cards:
                raises[:, seat] = 0.0
        up: Mask = self._chance.random(raises.shape) < raises
        up[:, state.emperor] = False
        return up

    # The exchange -----------------------------------------------------------------------------------------

    def simulate_turn(self, number: int, fixed: Mapping[Seat, bool]) -> TurnOutcome:
        """The announced number, the count, who gives, and who may be next."""
        state, crown = self.state, self.state.emperor
        has = self.decks_with_number(number)
        up = self.sample_raised_hands(has, fixed)
        asked = np.zeros(self.seats, dtype=bool)
        asked[list(state.others)] = True
        down = asked & ~up
        lowered = down.sum(axis=1)
        shown = (self._at[:, number - 1] == crown).all(axis=1)
        demanded = (lowered <= 1) & ~shown
        # The player who is down is asked first, then hands, then BOT decks.
        turn = self._chance.random(has.shape) + np.where(down, 4.0, 0.0)
        turn[:, : state.people] += 2.0
        order = np.where(has & asked, turn, -1.0)
        giver = np.where(demanded & (order.max(axis=1) >= 0.0), order.argmax(axis=1), -1)
        lied = (giver >= 0) & up[np.arange(len(up)), giver]
        drawn = down & ((lowered >= 2) | (shown & (lowered == 1)))[:, None]
        return TurnOutcome(giver, lied, drawn, self._crown_chances(up, giver, lied))

    def _crown_chances(self, up: Mask, giver: npt.NDArray[np.int64], lied: Mask) -> Weights:
        """How likely every deck gets the crown."""
        state = self.state
        sheepless = np.array([not seat.sheep for seat in state.seats])
        eligible = np.array([bot_decks.can_be_crowned(state, seat) for seat in range(self.seats)])
        may = up & eligible
        first = may & sheepless
        may = np.where(first.any(axis=1)[:, None], first, may)
        forced = lied & (sheepless & eligible)[giver]
        rows = np.flatnonzero(forced)
        may[rows] = False
        may[rows, giver[rows]] = True
        may[~may.any(axis=1), state.emperor] = True
        share: Weights = may / may.sum(axis=1, keepdims=True)
        return share

    # What it is worth -------------------------------------------------------------------------------------

    def turn_value(
        self, me: Seat, number: int, fixed: Mapping[Seat, bool], known: Sequence[int] = ()
    ) -> float:
        """What a player gains by the turn relative to the others: the mean over all deals.

        In units in which the crown is worth `CROWN`.
        """
        crown = self.state.emperor
        turned = self.simulate_turn(number, fixed)
        rows = np.arange(len(self.deals))
        gain = np.zeros((len(rows), self.seats))
        worth = self._pair_values(known if crown == me else ())
        mine = self._at == crown
        held = mine.sum(axis=2)
        got = turned.giver >= 0
        gain[:, crown] += np.where(got & (held[:, number - 1] == 1), worth[number - 1], 0.0)
        both = (self._at[rows, number - 1] == turned.giver[:, None]).all(axis=1)
        lost = np.where(both, BROKEN_PAIR_VALUE, GIVEN_CARD_VALUE) + np.where(turned.lied, FOX_VALUE, 0.0)
        gain[rows[got], turned.giver[got]] -= lost[got]
        self._add_draw_gains(gain, turned.down, held, worth)
        return float(self.relative_gain(me, gain, turned.crown).mean())

    def _add_draw_gains(self, gain: Weights, down: Mask, held: npt.NDArray[np.int64], worth: Weights) -> None:
        """A card drawn blindly makes a pair of the Emperor's, or breaks one of the other deck."""
        crown = self.state.emperor
        lowered = down.sum(axis=1)
        cards = np.array([seat.cards for seat in self.state.seats])
        twin = np.where(self._at[:, :, 0] == crown, self._at[:, :, 1], self._at[:, :, 0])
        open_to = np.concatenate([down, np.zeros((len(down), 1), dtype=bool)], axis=1)  # -1: on the table
        fits = (held == 1) & np.take_along_axis(open_to, twin.astype(np.int64), axis=1)
        gain[:, crown] += (fits @ worth) / np.maximum(1, down @ cards)
        likely = down / np.maximum(1, lowered)[:, None] * 2 / np.maximum(2, cards)
        gain -= likely * self._pairs * BROKEN_PAIR_VALUE / PAIR_VALUE

    def relative_gain(self, me: Seat, gain: Weights, crown: Weights) -> Weights:
        """(deals,): what `me` has by then less what the others have: decks in hand, and the crown."""
        state = self.state
        worth = self.worth + gain
        total = np.zeros(len(worth))
        for person in range(state.people):
            sign = 1.0 if person == me else -1.0 / (state.people - 1)
            there = crown[:, person].copy()
            has = worth[:, person].copy()
            acts = there * (0.5 + worth[:, person])
            for bot in state.bots:
                takers = bot_decks.possible_switchers(state, bot)
                if person in takers:
                    share = crown[:, bot] / len(takers)
                    has += share * (worth[:, bot] - worth[:, person])
                    acts += share * (0.5 + worth[:, bot])
            total += sign * (has + CROWN_VALUE * acts)
        return total

    def crown_value(self, me: Seat, seat: Seat, taker: Seat | None = None) -> float:
        """The value for `me` of the crown going to `seat`, in the units of `value`.

        `taker`: who takes it for a BOT deck.
        """
        state = self.state
        worth = self.worth.mean(axis=0)
        total = 0.0
        for person in range(state.people):
            deck = seat if person == taker else person
            acts = 0.5 + worth[deck] if deck == seat else 0.0
            sign = 1.0 if person == me else -1.0 / (state.people - 1)
            total += sign * (float(worth[deck]) + CROWN_VALUE * float(acts))
        return total
