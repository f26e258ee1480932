"""Probability of where each Kinapa card is, from public history and assumed honesty.

Raised hands may lie, so they only weigh; answers to a demand are a duty and weigh more; cards that were seen
are certain. What somebody announces, gives back and does not lay tells a little too. The aid of a BOT deck
tells nothing: the player who lays it does not know what lies under it.
"""

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from companion.core.actions import Seat
from companion.core.events import Event
from companion.games.kinapa.belief_facts import FactKind, FactLog, KinapaPlayModel
from companion.games.kinapa.particle_filter import ParticleFilter, Weights
from companion.games.kinapa.rules import events as ev
from companion.games.kinapa.rules.state import HAND_SIZE, KinapaPhase, KinapaState, object_numbers


def card_index(name: str) -> int:
    """`animal:5` → 8, `shelter:5` → 9."""
    kind, _, number = name.partition(":")
    return 2 * (int(number) - 1) + (kind == "shelter")


def pair_indices(number: int) -> tuple[int, int]:
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
        self._see_in_hand([card_index(name) for name in cards], seat)

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
            case ev.EmperorCrowned() if before.phase is KinapaPhase.STARTING:
                self._see_in_hand([card_index(f"animal:{before.lowest}")], event.seat)
            case ev.AnimalMissing():
                self._see_in_hand([card_index(f"animal:{event.number}")], before.bots[0])
            case ev.DecksSwitched():
                if before.phase is KinapaPhase.STARTING:
                    facts.add(FactKind.PLACE, at, card_index(f"animal:{before.lowest}"), event.seat, 0)
                    sample.reweigh()
                sample.swap_hands(event.seat, event.bot)
            case ev.NumberAnnounced():
                facts.add(FactKind.WANT, at, crown, event.number, self.numbers - len(before.placed_numbers))
                sample.reweigh()
            case ev.HandsLocked():
                for seat in (*event.raised, *event.lowered):
                    if not before.seats[seat].foxes and not before.is_bot(seat):
                        facts.add(FactKind.HAND, at, seat, turn.number, seat in event.raised)
                sample.reweigh()
            case ev.PairShown():
                self._see_in_hand(pair_indices(event.number), crown)
            case ev.PairDenied() if turn.number not in before.placed_numbers:
                self._add_claim(crown, turn.number, 2, said=False)
            case ev.KinapaCardDrawn():
                self._apply_draw(event.seat, crown, event.card or card)
            case ev.CardHanded():
                self._apply_handover(event.seat, crown, event.number, event.card or card)
            case ev.CardReturned():
                self._apply_return(crown, event.seat, card)
            case ev.NumberAdmitted() | ev.CardFound():
                self._add_claim(event.seat, turn.number, 1, said=True)
            case ev.NumberDenied() | ev.CardNotFound():
                self._add_claim(event.seat, turn.number, 1, said=False)
            case ev.PairPlaced():
                self._see_in_hand(pair_indices(event.number), event.seat)
                sample.lay_on_table(pair_indices(event.number))
            case ev.OpenCardsSeen():
                white = [name for name in event.cards if name.partition(":")[0] in {"animal", "shelter"}]
                self.see_cards(event.seat, white)
            case ev.ObjectHidden() if turn.label:
                for number in object_numbers(turn.label):
                    facts.add(FactKind.HIDDEN, at, crown, number)
                sample.reweigh()

    def _add_claim(self, seat: Seat, number: int, least: int, *, said: bool) -> None:
        self.facts.add(FactKind.CLAIM, self.sample.last, seat, number, least, said)
        self.sample.reweigh()

    def _see_card_leave(self, giver: Seat, card: str) -> npt.NDArray[np.int16]:
        """The card that is seen to leave a hand."""
        self._see_in_hand([card_index(card)], giver)
        return np.full(self.sample.size, card_index(card), dtype=np.int16)

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
        pair = pair_indices(number)
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
