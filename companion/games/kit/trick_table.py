"""What a referee is told in a game of tricks, who played which card, and what it rules on that alone.

A game's state is a `TrickState`, its events are `TrickEvent` and its own. A card that was told before is not
taken; what is wrong with a deal is told, the cards that a proof rests on are looked at again, and only then a
revoke is proved (`companion.games.kit.proof`).
"""

from abc import abstractmethod
from typing import Any, TypeVar

from msgspec.structs import replace

from companion.core.actions import Seat
from companion.core.events import Event, Events, SeatEvent, apply_events, events_of
from companion.core.game_status import GameState
from companion.games.kit.cards import CARDS, VALUES
from companion.games.kit.proof import Deal, examine
from companion.games.kit.tricks import Play, TrickRules, next_seat, takers


class TrickState(GameState[Any], frozen=True, kw_only=True):
    """The cards that were told in this deal; plays are named by their number in it, from 0."""

    deal: int = 1
    plays: tuple[Play, ...] = ()
    revokes: frozenset[int] = frozenset()
    """Plays that were proved to be unlawful."""
    confirmed: frozenset[int] = frozenset()
    checks: tuple[int, ...] = ()
    """Plays whose cards have to be looked at again; play stands still meanwhile."""
    lying: tuple[str, ...] = ("",) * 4
    """What the camera saw last before each seat (`companion.games.kit.trick_camera`)."""
    warned: bool = False
    """Whether it was told that the cards of this deal cannot all be right."""

    @property
    @abstractmethod
    def rules(self) -> TrickRules: ...

    @property
    def seat(self) -> Seat:
        """Whose turn it is, once somebody has played."""
        return next_seat(self.rules, self.plays)

    @property
    def is_played(self) -> bool:
        """Whether the deal is at its end, and nothing has to be looked at any more."""
        return len(self.plays) == self.rules.deck.bit_count() and not self.checks

    def tricks(self) -> tuple[tuple[Seat, tuple[Play, ...]], ...]:
        """The whole tricks, each with who has taken it."""
        size, taken = self.rules.players, takers(self.rules, self.plays)
        return tuple((seat, self.plays[size * at : size * (at + 1)]) for at, seat in enumerate(taken))

    def trick_of(self, number: int) -> int:
        """The number, from 1, of the trick to which a play belongs."""
        return number // self.rules.players + 1

    def play_in(self, trick: int, seat: Seat) -> int:
        """The number of a seat's play to a trick; `ValueError` if there is none."""
        for number, play in enumerate(self.plays):
            if play.seat == seat and self.trick_of(number) == trick:
                return number
        raise ValueError(trick)

    def check_of(self, seat: Seat) -> int | None:
        """The earliest play of a seat that has to be looked at again."""
        return next((number for number in self.checks if self.plays[number].seat == seat), None)


T = TypeVar("T", bound=TrickState)


def without_cards(state: T) -> T:
    """The state before a deal; what lies there is of the one before."""
    none: frozenset[int] = frozenset()
    lying = tuple("?" if card else "" for card in state.lying)
    return replace(state, plays=(), revokes=none, confirmed=none, checks=(), warned=False, lying=lying)


def _looked_at(state: T, number: int) -> T:
    checks = tuple(other for other in state.checks if other != number)
    return replace(state, confirmed=state.confirmed | {number}, checks=checks)


class CardPlayed(SeatEvent, frozen=True):
    card: str

    def apply(self, state: T) -> T:
        return replace(state, plays=(*state.plays, Play(self.seat, CARDS[self.card])))


class CardTwice(SeatEvent, frozen=True):
    """A card was told that another play of this deal has told: it is not taken, and nothing changes."""

    card: str
    trick: int


class CardsDisagree(Event, frozen=True):
    """The cards cannot all be right, and nobody knows whose are not; by this trick it will be known."""

    trick: int

    def apply(self, state: T) -> T:
        return replace(state, warned=True)


class CheckAsked(SeatEvent, frozen=True):
    """The card that this seat played to this trick has to be looked at again."""

    trick: int
    card: str

    def apply(self, state: T) -> T:
        return replace(state, checks=(*state.checks, state.play_in(self.trick, self.seat)))


class CardConfirmed(SeatEvent, frozen=True):
    trick: int

    def apply(self, state: T) -> T:
        return _looked_at(state, state.play_in(self.trick, self.seat))


class CardCorrected(SeatEvent, frozen=True):
    """It was another card; nothing else has to be looked at any more."""

    trick: int
    card: str

    def apply(self, state: T) -> T:
        number = state.play_in(self.trick, self.seat)
        plays = (*state.plays[:number], Play(self.seat, CARDS[self.card]), *state.plays[number + 1 :])
        misread = self.seat, VALUES[state.plays[number].card]
        lying = tuple("?" if here == misread else here[1] for here in enumerate(state.lying))
        return _looked_at(replace(state, plays=plays, checks=(), lying=lying), number)


class RevokeProved(SeatEvent, frozen=True):
    """The play to `trick` was unlawful: the play to `proof` shows it."""

    trick: int
    proof: int

    def apply(self, state: T) -> T:
        return replace(state, revokes=state.revokes | {state.play_in(self.trick, self.seat)})


TrickEvent = events_of(__name__)


def tell_card(state: TrickState, seat: Seat, card: str) -> Events:
    """Somebody played a card: it is taken, unless it was told before."""
    return _told_before(state, seat, card) or (CardPlayed(seat, card),)


def look_again(state: TrickState, seat: Seat, card: str | None) -> Events:
    """The seat's earliest card that is asked for was so (None), or was another one."""
    number = state.check_of(seat)
    assert number is not None
    if card is None or CARDS[card] == state.plays[number].card:
        return (CardConfirmed(seat, state.trick_of(number)),)
    return _told_before(state, seat, card) or (CardCorrected(seat, state.trick_of(number), card),)


def _told_before(state: TrickState, seat: Seat, card: str) -> Events:
    same = [number for number, play in enumerate(state.plays) if play.card == CARDS[card]]
    return tuple(CardTwice(seat, card, state.trick_of(number)) for number in same)


def what_is_wrong(state: TrickState) -> Events:
    """What follows from the cards: which to look at again, what is proved, or that something is wrong."""
    ruled: Events = ()
    while not state.checks and (more := _next_finding(state)):
        ruled, state = (*ruled, *more), apply_events(state, more)
    return ruled


def _next_finding(state: TrickState) -> Events:
    found = examine(state.rules, Deal(state.plays, state.revokes, state.confirmed))
    if found is None or (found.conflict is None and state.warned):
        return ()
    if found.conflict is None:
        return (CardsDisagree(found.known_by),)
    if found.check:
        plays = ((number, *state.plays[number]) for number in found.check)
        return tuple(CheckAsked(seat, state.trick_of(number), VALUES[card]) for number, seat, card in plays)
    seat, proof = state.plays[found.conflict.number].seat, state.trick_of(found.conflict.number)
    return tuple(RevokeProved(seat, state.trick_of(number), proof) for number in found.conflict.earlier)
