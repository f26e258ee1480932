"""House rules, state and events of Roses and Thorns: what lies face down, what was bid, what was turned.

The referee knows no card that lies face down, and nobody's hand: it knows how many there are.
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Literal

from msgspec.structs import replace

from companion.core import game_status
from companion.core.actions import Chair, Options, Seat, Value, nearest_seat
from companion.core.events import Repaired, SeatEvent, SilentEvent, events_of

FACES = ("rose", "thorn")
ROSE, THORN = (f"flower:{face}" for face in FACES)
HAND, FEWEST = 4, 2
BEDS: Mapping[int, tuple[int, ...]] = MappingProxyType(
    {3: (1, 3, 5), 4: (1, 2, 4, 5), 5: (1, 2, 3, 4, 5), 6: (1, 2, 3, 4, 5, 6)}
)
"""The mat has six beds; at which of them this many players sit, clockwise."""
PLACES = range(1, HAND + 1)
"""In each bed, from its owner's left."""


class RosesOptions(Options, frozen=True):
    wins: Literal[2, 1, 3] = 2
    """Rounds that win the game."""
    starter: Literal["turner", "next"] = "turner"
    """Who begins the next round: who turned over, or the one after who began."""


class RosesPhase(StrEnum):
    START = "start"
    LAY = "lay"
    """Everybody lays the first card."""
    BID = "bid"
    NUMBER = "number"
    """Whoever bids says how many."""
    TURN = "turn"
    OVER = "over"


class OpenCard(Value, frozen=True):
    """A card that was turned over in this round."""

    owner: Seat
    face: str
    place: str = ""
    """Where it lies; empty: nobody said."""


class RosesState(game_status.GameState[RosesOptions], frozen=True):
    """What the referee knows: all of it is public."""

    cards: tuple[int, ...]
    """In hand and in the bed, by seat."""
    laid: tuple[int, ...]
    points: tuple[int, ...]
    phase: RosesPhase = RosesPhase.START
    round: int = 1
    starter: Seat = 0
    seat: Seat = 0
    """Who is asked, or turns over."""
    bid: int = 0
    """0: none stands. With `opened` it stays in sight until the next round's first card is laid."""
    bidder: Seat = 0
    passed: tuple[Seat, ...] = ()
    named: Seat | None = None
    """Whose bed is turned over now, as far as it is known."""
    opened: tuple[OpenCard, ...] = ()
    stale: tuple[str, ...] = ()
    """Places where a card of the round before was open, and nobody has seen it gone."""

    @property
    def holders(self) -> tuple[Seat, ...]:
        """Who has cards."""
        return tuple(seat for seat, many in enumerate(self.cards) if many)

    @property
    def waiting(self) -> tuple[Seat, ...]:
        """Who has yet to lay the first card."""
        return tuple(seat for seat in self.holders if not self.laid[seat])

    @property
    def left(self) -> int:
        """How many roses the bidder still needs."""
        return self.bid - sum(card.face == "rose" for card in self.opened)

    def face_down(self, seat: Seat) -> int:
        return self.laid[seat] - sum(card.owner == seat for card in self.opened)

    @property
    def turnable(self) -> tuple[Seat, ...]:
        """Whose bed may be turned: the bidder's own as long as a card of it is face down, then any other."""
        if self.face_down(self.bidder):
            return (self.bidder,)
        return tuple(seat for seat in range(self.players) if self.face_down(seat))

    def bed_of(self, seat: Seat) -> int:
        return BEDS[self.players][seat]

    def places_of(self, seat: Seat) -> tuple[str, ...]:
        """The regions of a seat's bed."""
        return tuple(f"bed:{self.bed_of(seat)}.{place}" for place in PLACES)

    def owner_of(self, place: str) -> Seat | None:
        return next((seat for seat in self.holders if place in self.places_of(seat)), None)


def add_at(row: tuple[int, ...], seat: Seat, more: int) -> tuple[int, ...]:
    """The row with `more` at one seat."""
    return tuple(many + more * (at == seat) for at, many in enumerate(row))


def ask_seat(state: RosesState, seat: Seat) -> RosesState:
    """It is this seat's turn; without a card to add it can but bid."""
    bids = not state.bid and state.laid[seat] == state.cards[seat]
    return replace(state, seat=seat, phase=RosesPhase.NUMBER if bids else RosesPhase.BID)


def ask_next(state: RosesState) -> RosesState:
    """The next one who has not passed is asked; the bidder, if nobody else is left or no bid is higher."""
    among = [seat for seat in state.holders if seat not in state.passed]
    if state.bid and (state.bid == sum(state.laid) or among == [state.bidder]):
        return name_bed(replace(state, phase=RosesPhase.TURN, seat=state.bidder))
    return ask_seat(state, nearest_seat(state.seat, among, state.players))


def name_bed(state: RosesState) -> RosesState:
    """Where only one bed may be turned it is known which."""
    return replace(state, named=state.turnable[0] if len(state.turnable) == 1 else None)


def begin_round(state: RosesState, starter: Seat) -> RosesState:
    """Everybody takes the cards back; what was turned is shown until somebody lays."""
    stale = {*state.stale, *filter(None, (card.place for card in state.opened))}
    return replace(
        state, phase=RosesPhase.LAY, seat=starter, starter=starter, laid=(0,) * state.players, passed=(),
        named=None, round=state.round + 1, stale=tuple(sorted(stale)),
    )  # fmt: skip


class StarterNamed(SeatEvent, frozen=True):
    def apply(self, state: RosesState) -> RosesState:
        return replace(state, phase=RosesPhase.LAY, seat=self.seat, starter=self.seat)


class CardLaid(SeatEvent, frozen=True):
    """The first card of a round, or one more."""

    def apply(self, state: RosesState) -> RosesState:
        state = replace(state, laid=add_at(state.laid, self.seat, 1))
        if state.phase is RosesPhase.BID:
            return ask_next(state)
        state = replace(state, bid=0, opened=())
        return state if state.waiting else ask_seat(state, state.starter)


class BidBegun(SilentEvent, frozen=True):
    """Somebody wants to bid, and is asked how many."""

    seat: Seat

    def apply(self, state: RosesState) -> RosesState:
        return replace(state, phase=RosesPhase.NUMBER)


class NumberBid(SeatEvent, frozen=True):
    count: int

    def apply(self, state: RosesState) -> RosesState:
        return ask_next(replace(state, bid=self.count, bidder=self.seat))


class BidPassed(SeatEvent, frozen=True):
    def apply(self, state: RosesState) -> RosesState:
        return ask_next(replace(state, passed=(*state.passed, self.seat)))


class BedNamed(SilentEvent, frozen=True):
    """The bidder says whose card is next."""

    owner: Seat

    def apply(self, state: RosesState) -> RosesState:
        return replace(state, named=self.owner)


class CardTurned(SeatEvent, frozen=True):
    """A card of this seat's bed is open."""

    face: str
    place: str

    def apply(self, state: RosesState) -> RosesState:
        card = OpenCard(self.seat, self.face, self.place)
        return name_bed(replace(state, opened=(*state.opened, card)))


class PlaceKnown(SilentEvent, frozen=True):
    """The camera sees where a rose lies that was told."""

    owner: Seat
    place: str

    def apply(self, state: RosesState) -> RosesState:
        cards, told = list(state.opened), OpenCard(self.owner, "rose")
        if told in cards:  # else it is known already
            cards[cards.index(told)] = OpenCard(self.owner, "rose", self.place)
        return replace(state, opened=tuple(cards))


class PlaceCleared(SilentEvent, frozen=True):
    """A card of the round before is gone."""

    place: str

    def apply(self, state: RosesState) -> RosesState:
        return replace(state, stale=tuple(place for place in state.stale if place != self.place))


class RoundEnded(SeatEvent, frozen=True):
    """All roses that were bid are open: a point; or a thorn is, the own or another's: a card less."""

    how: Literal["won", "own_thorn", "thorn"]
    owner_chair: Chair
    """Whose card was the last."""
    starter: Seat

    def apply(self, state: RosesState) -> RosesState:
        won = self.how == "won"
        points, cards = add_at(state.points, self.seat, won), add_at(state.cards, self.seat, won - 1)
        return begin_round(replace(state, points=points, cards=cards), self.starter)


class PlayerEliminated(SeatEvent, frozen=True):
    """Somebody has no cards."""


class RosesWon(SeatEvent, frozen=True, tag="GameWon"):
    how: Literal["points", "last"]

    def apply(self, state: RosesState) -> RosesState:
        return replace(state, phase=RosesPhase.OVER, seat=self.seat)


def apply_repair(state: RosesState, repair: Repaired) -> RosesState:
    """A new round with `cards:SEAT`, `points:SEAT` and `starter` as said; `ValueError` for what cannot be."""
    cards, points, starter = list(state.cards), list(state.points), state.seat
    for name, value in repair.table:
        kind, _, seat = name.partition(":")
        if kind == "starter":
            starter = int(value)
        else:
            (points if kind == "points" else cards)[int(seat)] = int(value)
    told = replace(state, cards=tuple(cards), points=tuple(points), bid=0, opened=(), stale=())
    if len(told.holders) < FEWEST or starter not in told.holders or max(points) >= state.options.wins:
        raise ValueError(repair.table)
    return begin_round(told, starter)


RosesEvent = events_of(__name__)
