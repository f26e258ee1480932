"""What a referee is told in a game of tricks, who played which card, and what it rules on that alone.

A game's state is a `TrickState`, its events are `TrickEvent` and its own. A card that was told before is not
taken; what is wrong with a deal is told, the cards that a proof rests on are looked at again, and only then a
revoke is proved (`companion.games.kit.proof`).
"""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Self, TypeVar

from msgspec.structs import replace

from companion.core.actions import Seat
from companion.core.events import Event, Events, Repaired, SeatEvent, SilentEvent, apply_events, events_of
from companion.core.game_status import GameState
from companion.core.view import Cell, Sentence, SentenceParts
from companion.games.kit.cards import CARDS, VALUES
from companion.games.kit.proof import Deal, examine, is_undecided
from companion.games.kit.tricks import Play, TrickRules, next_seat, takers


class TrickState(GameState[Any], frozen=True, kw_only=True):
    """The cards that were told in this deal; plays are named by their number in it, from 0."""

    most_deals: ClassVar[int] = 40
    """The last deal that a table may be put right to."""
    points: tuple[int, ...] = ()
    """Of the deals before, by seat or by side."""
    phase: str = ""
    """`play` while cards are played and checked."""
    winners: tuple[Seat, ...] = ()
    deal: int = 1
    plays: tuple[Play, ...] = ()
    revokes: frozenset[int] = frozenset()
    """Plays that were proved to be unlawful."""
    confirmed: frozenset[int] = frozenset()
    checks: tuple[int, ...] = ()
    """Plays whose cards have to be looked at again; play stands still meanwhile."""
    lying: tuple[str, ...] = ("",) * 4
    """What the camera saw last before each seat (`companion.games.kit.trick_camera`).

    `?` and a card: it lay there before it could be a play; `??`: it is not known which one that is.
    """
    warned: bool = False
    """Whether it was told that the cards of this deal cannot all be right."""
    upcard: str = ""
    """The card that was turned up; empty: none, or none yet."""
    twice: frozenset[str] = frozenset()
    """Cards that the one in turn has told although other plays had told them."""
    claimed: Seat | None = None
    """Who takes all cards of this deal that are in no whole trick."""
    agreed: frozenset[Seat] = frozenset()
    """Who says so, too."""

    @property
    @abstractmethod
    def rules(self) -> TrickRules: ...

    @property
    @abstractmethod
    def limits(self) -> Mapping[str, range]:
        """What a table may put right of each seat or side, and within which limits."""

    @abstractmethod
    def new_deal(self, deal: int) -> Self:
        """The state in which this deal begins."""

    def over(self, winners: tuple[Seat, ...] = ()) -> Self:
        """The state once these have won, or the game was given up."""
        return replace(self, phase=type(self.phase)("over"), winners=winners)

    @property
    def seat(self) -> Seat:
        """Whose turn it is, once somebody has played."""
        return next_seat(self.rules, self.plays)

    @property
    def is_playing(self) -> bool:
        """Whether the seat in turn may play a card: nothing has to be looked at, and no hand lies open."""
        return self.phase == "play" and not self.checks and self.claimed is None

    @property
    def is_claimed(self) -> bool:
        """Whether somebody takes the rest, and the others say whether that is so."""
        return self.phase == "play" and self.claimed is not None

    @property
    def is_undecided(self) -> bool:
        """Whether what was played does not show that every play was lawful."""
        return is_undecided(self.rules, Deal(self.plays, self.revokes))

    @property
    def is_played(self) -> bool:
        """Whether the deal is at its end, and nothing has to be looked at any more."""
        rules = self.rules
        return len(self.plays) == rules.hand_size * rules.trick_size and not self.checks

    @property
    def is_last_trick(self) -> bool:
        """Whether each hand has one card left, or none: only now one that is a card short is known."""
        rules = self.rules
        return len(self.plays) >= (rules.hand_size - 1) * rules.trick_size

    def takers(self) -> tuple[Seat, ...]:
        """Who has taken each trick, with those that were claimed."""
        taken = takers(self.rules, self.plays)
        claimed = () if self.claimed is None else (self.claimed,) * (self.rules.hand_size - len(taken))
        return taken + claimed

    def tricks(self) -> tuple[tuple[Seat, tuple[Play, ...]], ...]:
        """The whole tricks, each with who has taken it."""
        size, taken = self.rules.trick_size, takers(self.rules, self.plays)
        return tuple((seat, self.plays[size * at : size * (at + 1)]) for at, seat in enumerate(taken))

    def trick_of(self, number: int) -> int:
        """The number, from 1, of the trick to which a play belongs."""
        return number // self.rules.trick_size + 1

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
    none: frozenset[Any] = frozenset()
    lying = tuple(card and f"?{card.lstrip('?') or '?'}" for card in state.lying)
    emptied = replace(state, plays=(), revokes=none, confirmed=none, checks=(), twice=none)
    emptied = replace(emptied, claimed=None, agreed=none)
    return replace(emptied, warned=False, lying=lying)


def unread_cards(state: TrickState) -> tuple[str, ...]:
    """What lies there when a deal begins anew: a card that was laid in it counts once it is read again."""
    return tuple("?" if card in CARDS or card == f"?{state.upcard}" else card for card in state.lying)


def apply_repair(state: T, repair: Repaired) -> T:
    """A deal from its beginning as `deal` and `FIELD:NUMBER`, of a seat or side, say; `ValueError` if it
    cannot.
    """
    fields, deal = {field: list(getattr(state, field)) for field in state.limits}, state.deal
    for name, value in repair.table:
        field, _, number = name.partition(":")
        if name == "deal" and value in range(1, state.most_deals + 1):
            deal = int(value)
        elif value in state.limits.get(field, ()) and number in map(str, range(len(state.points))):
            fields[field][int(number)] = int(value)
        else:
            raise ValueError(repair.table)
    told = {field: tuple(values) for field, values in fields.items()}
    return replace(state.new_deal(deal), lying=unread_cards(state), **told)


def _looked_at(state: T, number: int) -> T:
    checks = tuple(other for other in state.checks if other != number)
    return replace(state, confirmed=state.confirmed | {number}, checks=checks)


class CardPlayed(SeatEvent, frozen=True):
    card: str

    def apply(self, state: T) -> T:
        lying = tuple(
            "?" if at == self.seat and here in state.twice else here for at, here in enumerate(state.lying)
        )
        plays = (*state.plays, Play(self.seat, CARDS[self.card]))
        return replace(state, plays=plays, twice=frozenset(), lying=lying)


class CardTwice(SeatEvent, frozen=True):
    """A card was told that another play of this deal has told: it is not taken."""

    card: str
    trick: int

    def apply(self, state: T) -> T:
        return state if state.checks else replace(state, twice=state.twice | {self.card})


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
    """It was another card; a play that has told that one gets the card that was told here instead.

    Nothing else has to be looked at any more.
    """

    trick: int
    card: str

    def apply(self, state: T) -> T:
        number = state.play_in(self.trick, self.seat)
        right, wrong = CARDS[self.card], state.plays[number].card
        other = {wrong: right, right: wrong}
        plays = tuple(play._replace(card=other.get(play.card, play.card)) for play in state.plays)
        misread = [(seat, VALUES[card]) for seat, card in state.plays if card in other]
        lying = tuple("?" if here in misread else here[1] for here in enumerate(state.lying))
        corrected = replace(state, plays=plays, checks=(), twice=frozenset(), lying=lying)
        return _looked_at(corrected, number)


class RevokeProved(SeatEvent, frozen=True):
    """The play to `trick` was unlawful: the play to `proof` shows it."""

    trick: int
    proof: int

    def apply(self, state: T) -> T:
        return replace(state, revokes=state.revokes | {state.play_in(self.trick, self.seat)})


class TrickDealVoided(Event, frozen=True, tag="DealVoided"):
    """A revoke was proved, and the table plays so: the same deal is dealt again."""

    def apply(self, state: T) -> T:
        return state.new_deal(state.deal)


class MisdealFound(Event, frozen=True):
    """The deck has a card twice, or a hand is a card short: the same deal is dealt again."""

    apply = TrickDealVoided.apply


class RestClaimed(SeatEvent, frozen=True):
    """Who says that all other tricks are theirs; everybody lays their cards open."""

    def apply(self, state: T) -> T:
        return replace(state, claimed=self.seat)


class ClaimAccepted(SilentEvent, frozen=True):
    seat: Seat

    def apply(self, state: T) -> T:
        return replace(state, agreed=state.agreed | {self.seat})


class ClaimRefused(SilentEvent, frozen=True):
    """Somebody plays on; the screen says whose turn it is, as before."""

    seat: Seat

    def apply(self, state: T) -> T:
        return replace(state, claimed=None, agreed=frozenset())


class TrickGameWon(Event, frozen=True, tag="GameWon"):
    seats: tuple[Seat, ...]

    def apply(self, state: T) -> T:
        return state.over(self.seats)


class RevokesUndecided(Event, frozen=True):
    """What a play excludes was not played, so nobody knows whether it was lawful."""


TrickEvent = events_of(__name__)


def tell_card(state: TrickState, seat: Seat, card: str) -> Events:
    """Somebody played a card. If it was told before it is not taken, and if the same is told again, whoever
    told it first looks at that card. If both are sure, the deck has it twice.
    """
    first = _told_by(state, card)
    if first is None:
        return (CardPlayed(seat, card),)
    if card not in state.twice:
        return (CardTwice(seat, card, state.trick_of(first)),)
    return (MisdealFound() if first in state.confirmed else _ask(state, first, card),)


def look_again(state: TrickState, seat: Seat, card: str | None) -> Events:
    """The seat's earliest card that is asked for was so (None), or was another one."""
    number = state.check_of(seat)
    assert number is not None
    told = VALUES[state.plays[number].card]
    if card is None or card == told:
        return (CardConfirmed(seat, state.trick_of(number)),)
    other = _told_by(state, card)
    if other in state.confirmed:
        return (CardTwice(seat, card, state.trick_of(other)),)
    corrected = CardCorrected(seat, state.trick_of(number), card)
    return (corrected,) if other is None else (corrected, _ask(state, other, told))


def _told_by(state: TrickState, card: str) -> int | None:
    """The play that has told a card."""
    return next((number for number, play in enumerate(state.plays) if play.card == CARDS[card]), None)


def _ask(state: TrickState, number: int, card: str) -> CheckAsked:
    """Ask whether a play was this card."""
    return CheckAsked(state.plays[number].seat, state.trick_of(number), card)


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
        return tuple(_ask(state, number, VALUES[state.plays[number].card]) for number in found.check)
    seat, proof = state.plays[found.conflict.number].seat, state.trick_of(found.conflict.number)
    return tuple(RevokeProved(seat, state.trick_of(number), proof) for number in found.conflict.earlier)


PLAYERS, SIDES = 4, 2


def side_of(seat: Seat) -> int:
    return seat % SIDES


def partner_of(seat: Seat) -> Seat:
    return (seat + SIDES) % PLAYERS


def leading_seats(points: Sequence[int]) -> tuple[Seat, ...]:
    """Both partners of the side that has most."""
    return tuple(range(points.index(max(points)), PLAYERS, SIDES))


def partner_parts(state: Any, seat: Seat) -> SentenceParts:
    """What a sentence says of a seat and its partner."""
    return (("chair", state.chair_of(seat)), ("partner_chair", state.chair_of(partner_of(seat))))


def side_rows(game: str, state: Any) -> Iterator[tuple[Cell, ...]]:
    """What the last deal brought to each side."""
    for side, points in enumerate(state.scored):
        words = Sentence(f"{game}.side", partner_parts(state, side))
        yield (Cell(words=words, value=f"{points:+d}", lit=points == max(state.scored)),)


def leading_side(game: str, state: Any) -> Sentence:
    """Which side has more points."""
    if state.points[0] == state.points[1]:
        return Sentence(f"{game}.leads.none")
    return Sentence(f"{game}.leads", partner_parts(state, leading_seats(state.points)[0]))
