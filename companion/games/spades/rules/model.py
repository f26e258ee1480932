"""House rules, state and events of Spades: who bid what, and who played which card.

The referee sees no hand. What is in the state was told at the table.
"""

from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from types import MappingProxyType
from typing import Literal

from msgspec.structs import replace

from companion.core.actions import Options, Seat
from companion.core.events import Event, SeatEvent, events_of
from companion.core.verbs import VerbRule, define_verb
from companion.games.kit.cards import DECK, SUIT_SETS, SUITS, Card, CardSet, suit_set
from companion.games.kit.trick_camera import TrickCameraEvent
from companion.games.kit.trick_table import PLAYERS, SIDES, TrickEvent, TrickState, partner_of, without_cards
from companion.games.kit.tricks import TrickRules

SPADES = SUIT_SETS[SUITS.index("spades")]
MOST_TRICKS = 13
NIL_POINTS, TRICK_POINTS, BAG_LIMIT, BAG_PENALTY, FLOOR = 100, 10, 10, 100, -200
FEWEST_POINTS = -999


class SpadesOptions(Options, frozen=True):
    target: Literal[500, 300, 250] = 500
    """Points that end the game."""
    spade_leads: Literal["broken", "any"] = "broken"
    """May spades be led before one was played on another suit."""
    failed_nil: Literal["apart", "counts"] = "apart"
    """Do tricks of a failed nil bid help the partner's bid, or are they only bags."""
    bags: Literal["penalty", "none"] = "penalty"
    """Do ten bags cost a hundred points."""
    floor: Literal["none", "200"] = "none"
    """Does a side with minus 200 points lose at once."""
    revoke: Literal["stands", "again"] = "stands"
    """What follows from a proved revoke: nothing, or a new deal."""


class SpadesPhase(StrEnum):
    BID = "bid"
    PLAY = "play"
    OVER = "over"


class SpadesState(TrickState, frozen=True, kw_only=True):
    """What the referee knows: all of it is public. Points and bags are by side."""

    points: tuple[int, ...] = (0,) * SIDES
    bags: tuple[int, ...] = (0,) * SIDES
    phase: SpadesPhase = SpadesPhase.BID
    bids: tuple[int, ...] = ()
    """Of this deal, in the order in which they were made."""
    scored: tuple[int, ...] = ()
    """What the deal before brought, until the next bid."""

    @property
    def options(self) -> SpadesOptions:
        options = self.setup.options
        assert isinstance(options, SpadesOptions)
        return options

    @property
    def rules(self) -> TrickRules:
        return trick_rules(self.options)

    @property
    def limits(self) -> Mapping[str, range]:
        bags = {"bags": range(BAG_LIMIT)} if self.options.bags == "penalty" else {}
        return {"points": range(FEWEST_POINTS, self.options.target), **bags}

    def new_deal(self, deal: int) -> "SpadesState":
        return replace(without_cards(self), phase=SpadesPhase.BID, deal=deal, bids=(), scored=())

    @property
    def leader(self) -> Seat:
        """Who bids first and leads to the first trick."""
        return (self.deal - 1) % PLAYERS

    @property
    def seat(self) -> Seat:
        """Whose turn it is to bid or to play."""
        return super().seat if self.plays else (self.leader + len(self.bids)) % PLAYERS

    def bid_of(self, seat: Seat) -> int | None:
        """How many tricks a seat has bid in this deal; None: it has not."""
        place = (seat - self.leader) % PLAYERS
        return self.bids[place] if place < len(self.bids) else None

    @property
    def most_tricks(self) -> int:
        """The highest bid that the seat in turn can make: partners together cannot take more than all."""
        return MOST_TRICKS - (self.bid_of(partner_of(self.seat)) or 0)

    def taken_tricks(self) -> tuple[int, ...]:
        """How many tricks each seat has taken, with those that were claimed."""
        return tuple(self.takers().count(seat) for seat in range(PLAYERS))


@cache
def trick_rules(options: SpadesOptions) -> TrickRules:
    """What a play of Spades excludes under these house rules."""

    def excludes(number: int, led: Card | None, seen: CardSet, card: Card) -> CardSet:
        if led is None:
            is_early = options.spade_leads == "broken" and SPADES >> card & 1 and not seen & SPADES
            return DECK & ~SPADES if is_early else 0
        return 0 if suit_set(led) >> card & 1 else suit_set(led)

    return TrickRules(excludes, SUIT_SETS, DECK, PLAYERS, trumps=SPADES)


def side_result(state: SpadesState, side: int) -> tuple[int, int]:
    """What a deal that is played brings to a side, and the bags that it has then."""
    options, taken = state.options, state.taken_tricks()
    seats = range(side, PLAYERS, SIDES)
    nil = [seat for seat in seats if not state.bid_of(seat)]
    apart = sum(taken[seat] for seat in nil) if options.failed_nil == "apart" else 0
    contract = sum(state.bid_of(seat) or 0 for seat in seats)
    over = sum(taken[seat] for seat in seats) - apart - contract
    points = TRICK_POINTS * contract + over if over >= 0 else -TRICK_POINTS * contract
    points += sum(-NIL_POINTS if taken[seat] else NIL_POINTS for seat in nil)
    if options.bags == "none":
        return points, 0
    tens, bags = divmod(state.bags[side] + max(over, 0) + apart, BAG_LIMIT)
    return points - BAG_PENALTY * tens, bags


class SpadesBidMade(SeatEvent, frozen=True, tag="BidMade"):
    tricks: int

    def apply(self, state: SpadesState) -> SpadesState:
        bids = (*state.bids, self.tricks)
        phase = SpadesPhase.PLAY if len(bids) == PLAYERS else SpadesPhase.BID
        return replace(state, bids=bids, phase=phase, scored=())


class SpadesTrickTaken(SeatEvent, frozen=True, tag="TrickTaken"):
    """Four cards were played: whose they are."""


class SpadesDealScored(Event, frozen=True, tag="DealScored"):
    points: tuple[int, ...]
    """What each side gets."""
    bags: tuple[int, ...]
    """What each side has now."""

    def apply(self, state: SpadesState) -> SpadesState:
        total = tuple(have + more for have, more in zip(state.points, self.points, strict=True))
        after = state.new_deal(state.deal + 1)
        return replace(after, points=total, bags=self.bags, scored=self.points)


SpadesEvent = TrickEvent | TrickCameraEvent | events_of(__name__)


VERBS: Mapping[str, VerbRule[SpadesState]] = MappingProxyType(
    {
        "bid": define_verb(
            lambda _, said, __: (SpadesBidMade(said.seat, int(said.value or 0)),),
            SpadesPhase.BID,
            who=lambda state: state.seat,
        )
    }
)
