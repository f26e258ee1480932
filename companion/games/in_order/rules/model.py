"""House rules, state and events of In Order: who has how many numbers, who has pressed, what was told.

The referee sees no number: it is told each once it is laid, and how many were laid away after a mistake.
"""

from enum import StrEnum
from typing import Literal

from msgspec.structs import replace

from companion.core import game_status
from companion.core.actions import Micros, Options, Seat
from companion.core.events import Event, Repaired, SeatEvent, SilentEvent, events_of
from companion.games.kit.race import RaceCall

HEAP = "heap"
"""The place on the mat where all lay their numbers."""
NUMBERS = range(1, 61)
ROW = 10
"""Numbers of one step of the choice in two."""
MOST_DEALT = 40


class InOrderOptions(Options, frozen=True):
    lives: Literal[5, 1, 2, 3, 4, 7] = 5
    levels: Literal[10, 3, 5] = 10
    """After which level all have won, if as many numbers can be dealt."""
    shows: Literal[2, 0, 1, 3] = 2
    """How often all may show their lowest number."""


class InOrderPhase(StrEnum):
    READY = "ready"
    PLAY = "play"
    AWAY = "away"
    """After a mistake everybody lays lower numbers away."""
    OVER = "over"


class InOrderState(game_status.GameState[InOrderOptions], frozen=True):
    """What the referee knows: all of it is public."""

    lives: int
    shows: int
    hands: tuple[int, ...]
    """How many numbers everybody has."""
    level: int = 1
    phase: InOrderPhase = InOrderPhase.READY
    done: tuple[Seat, ...] = ()
    """Who is ready, or has told how many were laid away."""
    laid: tuple[int, ...] = ()
    """The numbers that were told in this level, in that order."""
    line: tuple[RaceCall, ...] = ()
    """Who has pressed and not told a number yet; game time."""
    heap: int = 0
    """The number that the camera read uppermost; 0: none."""
    owed: bool = False
    """Whether nobody is known yet to have laid that one."""
    last_call: RaceCall | None = None
    """The press of the highest number, as long as somebody waits who pressed before it was told."""

    @property
    def last(self) -> int:
        """The last level."""
        return min(self.options.levels, MOST_DEALT // self.players)

    @property
    def top(self) -> int:
        return max(self.laid, default=0)

    @property
    def first(self) -> Seat | None:
        """Who is the first in the line, and tells a number."""
        return self.line[0].seat if self.line else None

    @property
    def holders(self) -> tuple[Seat, ...]:
        """Who has numbers."""
        return tuple(seat for seat, many in enumerate(self.hands) if many)

    @property
    def waiting(self) -> tuple[Seat, ...]:
        """Who has yet to be ready, to press, or to tell how many were lower."""
        gone = (*self.done, *(call.seat for call in self.line))
        return tuple(seat for seat in self.holders if seat not in gone)

    def row_choices(self) -> tuple[tuple[str, int], ...]:
        """Every number that is not laid with its row; the rows above the highest number come first."""
        first = self.top // ROW * ROW
        return tuple(
            (row_of(number), number)
            for number in sorted(NUMBERS, key=lambda number: (number <= first, number))
            if number not in self.laid
        )


def row_of(number: int) -> str:
    """The first step of a number's choice: the ten among which it is."""
    first = (number - 1) // ROW * ROW + 1
    return f"{first}-{first + ROW - 1}"


def begin_level(state: InOrderState, level: int) -> InOrderState:
    """Everybody has as many numbers as the level says, and nobody is ready."""
    hands = (level,) * state.players
    state = replace(state, level=level, hands=hands, phase=InOrderPhase.READY, done=())
    return replace(state, laid=(), line=(), last_call=None, owed=False)


def take_numbers(state: InOrderState, seat: Seat, many: int) -> InOrderState:
    """This seat has fewer numbers."""
    return replace(state, hands=(*state.hands[:seat], state.hands[seat] - many, *state.hands[seat + 1 :]))


class PlayerReady(SeatEvent, SilentEvent, frozen=True):
    def apply(self, state: InOrderState) -> InOrderState:
        return replace(state, done=(*state.done, self.seat))


class LevelBegan(Event, frozen=True):
    level: int

    def apply(self, state: InOrderState) -> InOrderState:
        return replace(state, phase=InOrderPhase.PLAY, done=())


class LayPressed(SeatEvent, frozen=True):
    """Somebody says that their lowest number is next."""

    at: Micros
    source: str
    since: Micros | None
    how: Literal["first", "after", "together"]
    ms: int
    """How much later than the one before in the line."""

    @property
    def call(self) -> RaceCall:
        return RaceCall(self.seat, self.at, self.source, self.since)

    def apply(self, state: InOrderState) -> InOrderState:
        line = tuple(sorted((*state.line, self.call), key=lambda call: call.at))
        return replace(state, line=line, last_call=state.last_call if state.line else None)


class NumberLaid(SeatEvent, frozen=True):
    number: int
    how: Literal["up", "together", "low"]

    def apply(self, state: InOrderState) -> InOrderState:
        call = state.line[0] if self.how == "up" else state.last_call
        owed = state.owed and self.number != state.heap
        state = replace(
            state, laid=(*state.laid, self.number), line=state.line[1:], last_call=call, owed=owed
        )
        return take_numbers(state, self.seat, 1)


class HeapSeen(SilentEvent, frozen=True):
    """What the camera read uppermost; 0: nothing, or what it cannot read."""

    number: int
    owed: bool

    def apply(self, state: InOrderState) -> InOrderState:
        return replace(state, heap=self.number, owed=self.owed)


class LifeLost(Event, frozen=True):
    left: int

    def apply(self, state: InOrderState) -> InOrderState:
        return replace(state, lives=self.left, phase=InOrderPhase.AWAY, line=(), done=())


class LowerLaid(SeatEvent, frozen=True):
    """Numbers lower than the highest one are laid away."""

    count: int

    def apply(self, state: InOrderState) -> InOrderState:
        state = take_numbers(replace(state, done=(*state.done, self.seat)), self.seat, self.count)
        return state if state.waiting else replace(state, phase=InOrderPhase.PLAY, done=())


class LowestShown(SeatEvent, frozen=True):
    """All lay their lowest number away, as this player asked."""

    def apply(self, state: InOrderState) -> InOrderState:
        hands = tuple(max(0, many - 1) for many in state.hands)
        return replace(state, shows=state.shows - 1, hands=hands)


class LevelWon(Event, frozen=True):
    level: int

    def apply(self, state: InOrderState) -> InOrderState:
        return state if self.level == state.last else begin_level(state, self.level + 1)


class InOrderWon(Event, frozen=True, tag="GameWon"):
    level: int

    def apply(self, state: InOrderState) -> InOrderState:
        return replace(state, phase=InOrderPhase.OVER)


class GameLost(Event, frozen=True):
    level: int

    def apply(self, state: InOrderState) -> InOrderState:
        return replace(state, phase=InOrderPhase.OVER)


def apply_repair(state: InOrderState, repair: Repaired) -> InOrderState:
    """The level begins again, with what the table says; `ValueError` for what cannot be."""
    told = dict(repair.table)
    level, lives, shows = (
        int(told.pop(name, there))
        for name, there in (("level", state.level), ("lives", state.lives), ("shows", state.shows))
    )
    if told or not 1 <= level <= state.last or not 1 <= lives <= state.options.lives:
        raise ValueError(repair.table)
    return begin_level(replace(state, lives=lives, shows=shows), level)


InOrderEvent = events_of(__name__)
