"""House rules, state and events of Liar's Dice: how many dice everybody has, and what was bid of them.

The referee sees no die: it knows what was said, and after a call what everybody told of their own dice.
"""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from itertools import product
from operator import attrgetter
from typing import ClassVar, Literal

from msgspec.structs import replace

from companion.core import game_status
from companion.core.actions import Action, Micros, Options, Seat, nearest_seat
from companion.core.events import Events, Repaired, SeatEvent, apply_events, events_of
from companion.core.verbs import VerbRule, announce, define_verb

FACES = range(1, 7)
FEWEST, NOT_TOLD = 2, -1
Bid = tuple[int, int]
"""How many, and of which face."""


class LiarsDiceOptions(Options, frozen=True):
    dice: Literal[5, 4, 3, 2, 1] = 5
    """Dice that everybody has at first."""
    wild: Literal["ones", "highest", "none"] = "ones"
    """Which dice count for every face."""
    order: Literal["count", "face"] = "count"
    """What makes a bid higher: more dice, or as many of a higher face; or a higher face, or more of it."""
    exact: bool = False
    """May a bid be called exactly right."""
    plain_round: bool = False
    """Is the round after somebody came down to one die played without wild dice, and with one face alone."""
    starter: Literal["loser", "winner"] = "loser"
    """Who begins the next round."""


class LiarsDicePhase(StrEnum):
    START = "start"
    BID = "bid"
    COUNT = "count"
    """Everybody has lifted, and tells."""
    OVER = "over"


class LiarsDiceState(game_status.GameState[LiarsDiceOptions], frozen=True):
    """What the referee knows: all of it is public."""

    dice: tuple[int, ...]
    phase: LiarsDicePhase = LiarsDicePhase.START
    round: int = 1
    turns: int = 0
    seat: Seat = 0
    """Who bids, or has called."""
    bid: Bid | None = None
    """The last one; of the round before, as long as `judged` is set."""
    bidder: Seat = 0
    is_plain: bool = False
    calls_exactly: bool = False
    told: tuple[int, ...] = ()
    """How many of their own dice count, by seat."""
    judged: "BidJudged | None" = None
    """How the round before ended, until somebody bids."""

    @property
    def standing(self) -> Bid | None:
        """The bid that has to be topped or called."""
        return None if self.judged else self.bid

    @property
    def holders(self) -> tuple[Seat, ...]:
        """Who has dice."""
        return tuple(seat for seat, many in enumerate(self.dice) if many)

    @property
    def waiting(self) -> tuple[Seat, ...]:
        """Who has yet to tell."""
        return tuple(seat for seat in self.holders if self.told[seat] == NOT_TOLD)

    @property
    def wild(self) -> int:
        """The face that counts for all; 0: none does."""
        return 0 if self.is_plain else {"ones": FACES[0], "highest": FACES[-1], "none": 0}[self.options.wild]


def next_holder(state: LiarsDiceState, seat: Seat) -> Seat:
    """Who comes after `seat` and has dice."""
    return nearest_seat(seat, state.holders, state.players)


def higher_bids(state: LiarsDiceState) -> Iterator[Bid]:
    """Everything that may be bid now."""
    for bid in product(range(1, sum(state.dice) + 1), FACES):
        if state.standing is None or _is_higher(state, bid, state.standing):
            yield bid


def _is_higher(state: LiarsDiceState, bid: Bid, standing: Bid) -> bool:
    if state.is_plain:
        return bid[1] == standing[1] and bid > standing
    return bid > standing if state.options.order == "count" else bid[::-1] > standing[::-1]


class BiddingBegan(SeatEvent, frozen=True):
    def apply(self, state: LiarsDiceState) -> LiarsDiceState:
        return replace(state, phase=LiarsDicePhase.BID, seat=self.seat)


class BidMade(SeatEvent, frozen=True):
    count: int
    face: int

    def apply(self, state: LiarsDiceState) -> LiarsDiceState:
        state = replace(state, bid=(self.count, self.face), bidder=self.seat, turns=state.turns + 1)
        return replace(state, seat=next_holder(state, self.seat), judged=None, told=())


class BidCalled(SeatEvent, frozen=True):
    """Somebody calls the bid, instead of bidding, and everybody lifts."""

    exactly: ClassVar[bool] = False

    def apply(self, state: LiarsDiceState) -> LiarsDiceState:
        state = replace(state, told=(NOT_TOLD,) * state.players, turns=state.turns + 1)
        return replace(state, phase=LiarsDicePhase.COUNT, calls_exactly=self.exactly)


class BidDoubted(BidCalled, frozen=True):
    """There are fewer."""


class ExactlyCalled(BidCalled, frozen=True):
    """There are neither more nor fewer."""

    exactly = True


class DiceTold(SeatEvent, frozen=True):
    count: int

    def apply(self, state: LiarsDiceState) -> LiarsDiceState:
        return replace(state, told=(*state.told[: self.seat], self.count, *state.told[self.seat + 1 :]))


class BidJudged(SeatEvent, frozen=True):
    """All dice are counted: who loses a die, or gets one back."""

    count: int
    """How many there were."""
    how: Literal["stands", "too_high", "exact", "not_exact"]
    dice: int
    """How many that seat has now."""
    starter: Seat
    plain: bool

    def apply(self, state: LiarsDiceState) -> LiarsDiceState:
        dice = (*state.dice[: self.seat], self.dice, *state.dice[self.seat + 1 :])
        state = replace(state, dice=dice, judged=self, is_plain=self.plain, round=state.round + 1)
        return replace(state, phase=LiarsDicePhase.BID, seat=self.starter)


class DiceGone(SeatEvent, frozen=True):
    """Somebody is out."""


class LiarsDiceWon(SeatEvent, frozen=True, tag="GameWon"):
    def apply(self, state: LiarsDiceState) -> LiarsDiceState:
        return replace(state, phase=LiarsDicePhase.OVER)


def apply_repair(state: LiarsDiceState, repair: Repaired) -> LiarsDiceState:
    """A new round with `dice:SEAT` and `starter` as the table says; `ValueError` if nobody could play it."""
    dice, starter = list(state.dice), state.seat
    for name, value in repair.table:
        if name == "starter":
            starter = int(value)
        else:
            dice[int(name.removeprefix("dice:"))] = int(value)
    state = replace(state, dice=tuple(dice), seat=starter, phase=LiarsDicePhase.BID, round=state.round + 1)
    if len(state.holders) < FEWEST or starter not in state.holders:
        raise ValueError(repair.table)
    return replace(state, bid=None, judged=None, told=(), is_plain=False)


LiarsDiceEvent = events_of(__name__)


def _bid(_: LiarsDiceState, said: Action, at: Micros) -> Events:
    return (BidMade(said.seat, *map(int, said.parts)),)


def _tell(state: LiarsDiceState, said: Action, _: Micros) -> Events:
    told = (DiceTold(said.seat, int(said.value or 0)),)
    after = apply_events(state, told)
    return told if after.waiting else (*told, *judge_bid(after))


_in_turn = attrgetter("seat")
VERBS: Mapping[str, VerbRule[LiarsDiceState]] = {
    "begin": define_verb(announce(BiddingBegan), LiarsDicePhase.START),
    "bid": define_verb(_bid, LiarsDicePhase.BID, who=_in_turn, barred="bid.higher"),
    "doubt": define_verb(announce(BidDoubted), LiarsDicePhase.BID, who=_in_turn),
    "exact": define_verb(announce(ExactlyCalled), LiarsDicePhase.BID, who=_in_turn),
    "tell": define_verb(_tell, LiarsDicePhase.COUNT),
}


def judge_bid(state: LiarsDiceState) -> Events:
    """All have told: who was wrong, who begins, and who is out or has won."""
    assert state.bid is not None
    found, options = sum(state.told[seat] for seat in state.holders), state.options
    wanted, caller, bidder = state.bid[0], state.seat, state.bidder
    if state.calls_exactly:
        how, who, right = ("exact", caller, caller) if found == wanted else ("not_exact", caller, bidder)
    else:
        how, who, right = ("stands", caller, bidder) if found >= wanted else ("too_high", bidder, caller)
    dice = min(options.dice, state.dice[who] + 1) if how == "exact" else state.dice[who] - 1
    starts = right if options.starter == "winner" else who
    if starts == who and not dice:
        starts = next_holder(state, who)
    plain = options.plain_round and how != "exact" and dice == 1
    ruled: Events = (BidJudged(who, found, how, dice, starts, plain),)  # type: ignore[arg-type]
    if not dice:
        ruled += (DiceGone(who),)
    left = apply_events(state, ruled).holders
    return (*ruled, LiarsDiceWon(left[0])) if len(left) == 1 else ruled
