"""Cups: everybody has dice under a cup, bids go up, until somebody doubts; who was wrong loses a die.

The referee sees no die. It asks for all that it cannot see: after a doubt, how many there were.
"""

from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from companion.core import events as ev
from companion.core.actions import Action, Micros, Options, Prompt, Result, Seat, Setup, seat_after
from companion.core.events import Event, events_of
from companion.core.game_status import GameState, GameStatus
from companion.core.rules import Rules
from companion.core.verbs import ask
from companion.core.view import Board, Cell, Sentence, Token, View, ViewMode
from companion.games.kit.rows import row_view

FACES = range(1, 7)


class CupsOptions(Options, frozen=True):
    dice: Annotated[int, Meta(ge=1, le=10)] = 5


class CupsState(GameState, frozen=True):
    dice: tuple[int, ...]
    seat: Seat = 0
    bid: tuple[int, int] | None = None
    """How many, of which face."""
    bidder: Seat = 0
    phase: str = "bid"


class BidMade(Event, frozen=True):
    seat: Seat
    count: int
    face: int

    def apply(self, state: CupsState) -> CupsState:
        following = next_holder(state, self.seat)
        return replace(state, bid=(self.count, self.face), bidder=self.seat, seat=following)


class BidDoubted(Event, frozen=True):
    seat: Seat

    def apply(self, state: CupsState) -> CupsState:
        return replace(state, phase="count")


class DieLost(Event, frozen=True):
    seat: Seat
    count: int
    """How many there were."""

    def apply(self, state: CupsState) -> CupsState:
        dice = tuple(many - (seat == self.seat) for seat, many in enumerate(state.dice))
        left = replace(state, dice=dice, bid=None, phase="bid", seat=self.seat)
        over = sum(map(bool, dice)) == 1
        return replace(left, phase="over" if over else "bid", seat=next_holder(left, self.seat - 1))


def next_holder(state: CupsState, seat: Seat) -> Seat:
    """Who comes after `seat` and has dice."""
    seat = seat_after(seat, state.players)
    return seat if state.dice[seat] else next_holder(state, seat)


def higher_bids(state: CupsState) -> Iterator[tuple[int, int]]:
    """More of any face, or as many of a higher one."""
    least, above = state.bid or (1, 0)
    for count in range(least, sum(state.dice) + 1):
        yield from ((count, face) for face in FACES if count > least or face > above)


class Cups(Rules[CupsState]):
    name = "cups"
    cardless_parts = frozenset({"face"})
    players = range(2, 9)
    options = CupsOptions
    reads_cards = False
    board = Board(second_pictures={"bid": "die"})
    events = events_of(__name__)

    def initial_state(self, setup: Setup) -> CupsState:
        return CupsState(setup=setup, desk=GameStatus(), dice=(setup.options.dice,) * setup.players)

    def prompts(self, state: CupsState) -> tuple[Prompt, ...]:
        seat = state.seat
        if state.phase == "count":
            return (ask(state.chair_of(seat), seat, ("count", range(sum(state.dice) + 1))),)
        doubt = ("doubt",) if state.bid else ()
        offered = tuple(higher_bids(state)) if state.phase == "bid" else ()
        return (ask(state.chair_of(seat), seat, *doubt, ("bid", offered)),) if doubt or offered else ()

    def judge(self, state: CupsState, action: Action, at: Micros) -> tuple[Event, ...]:
        if action not in self.legal_actions(state):
            known = action.verb in {"bid", "doubt", "count"} and 0 <= action.seat < state.players
            return (ev.Infraction("turn", action.seat),) if known else ()
        match action.verb:
            case "bid":
                count, face = map(int, action.parts)
                return (BidMade(action.seat, count, face),)
            case "doubt":
                return (BidDoubted(action.seat),)
        assert state.bid is not None
        count = int(action.value or 0)
        return (DieLost(state.bidder if count < state.bid[0] else action.seat, count),)

    def after_abandonment(self, state: CupsState) -> CupsState:
        return replace(state, phase="over", bid=None)

    def result(self, state: CupsState) -> Result | None:
        left = tuple(seat for seat, many in enumerate(state.dice) if many)
        return ("last", left) if len(left) == 1 else None

    def find_violation(self, state: CupsState) -> str | None:
        return None if min(state.dice) >= 0 else f"somebody has {min(state.dice)} dice"

    def redact(self, state: CupsState) -> CupsState:
        return state

    def view(self, state: CupsState, mode: ViewMode = ViewMode.PLAY) -> View:
        count, face = state.bid or (0, 0)
        said = (("chair", state.chair_of(state.seat)), ("count", count), ("face", face))
        headline = Sentence(f"cups.phase.{state.phase if count or state.phase != 'bid' else 'first'}", said)
        standing = (Cell(chair=state.chair_of(state.bidder), value=f"{count} × {face}", lit=True),)
        return row_view(
            self,
            state,
            phase=state.phase,
            headline=headline,
            tokens=[(Token("dice", many, motif="die:5"),) if many else () for many in state.dice],
            rows=(standing,) if state.bid else (),
        )


CUPS = Cups()
