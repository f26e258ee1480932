"""A Kabuki table for tests: what was sensed goes in, what was ruled comes out; timers fall as in the loop."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from typing import NamedTuple

from companion.core.actions import SECOND, Micros, Seat, Setup
from companion.core.events import Event
from companion.core.observations import (
    Observation,
    RegionReading,
    SeenCard,
    TimerElapsed,
)
from companion.games.kabuki.rules import Kabuki
from companion.games.kabuki.rules.model import (
    AssignedStop,
    KabukiOptions,
    KabukiPhase,
    KabukiState,
    PlacedMask,
)
from tests.games.game_table import GameTable, broken, kinds

RULES = Kabuki()
A, B, C, D, E, F = range(6)
MS: Micros = 1_000
BLINK: Micros = 100 * MS
"""Time that passes between two things that nobody stamps."""
TURN: Micros = 4 * SECOND
"""From one placement to the next, where nothing else is said."""


def setup(players: int = 4, **options: object) -> Setup:
    return Setup(chairs=tuple(range(players)), options=KabukiOptions(**options))  # type: ignore[arg-type]


def fold(state: KabukiState, events: Iterable[Event]) -> KabukiState:
    return reduce(RULES.evolve, events, state)


class Judged(NamedTuple):
    """An entry as a journal would hold it."""

    seq: int
    cause: Observation
    events: tuple[Event, ...]


class Table(GameTable[KabukiState]):
    """Kabuki under test; it keeps its entries, too."""

    def __init__(self, players: int = 4, rules: Kabuki = RULES, **options: object) -> None:
        super().__init__(rules, rules.initial_state(setup(players, **options)))
        self.entries: list[Judged] = []

    # Sensing -------------------------------------------------------------------------------------------

    def see(
        self, *regions: tuple[str, tuple[str, ...]], clear: Micros, since: Micros, at: Micros | None = None
    ) -> tuple[Event, ...]:
        """The camera settled, by default two fifths of a second after the cards came to lie."""
        at = max(self.at, since + 400 * MS) if at is None else at
        read = tuple(
            RegionReading(name, tuple(map(SeenCard, faces)), clear, since) for name, faces in regions
        )
        return self.regions(*read, at=at)

    def stack(self, stack: int, card: str, *, clear: Micros, since: Micros) -> tuple[Event, ...]:
        return self.see((f"stack:{stack}", (card,)), clear=clear, since=since)

    def looks(self, name: str, *cards: str) -> tuple[Event, ...]:
        """The camera reads a place, at no instant in particular."""
        at = self._next()
        return self.see((name, cards), clear=at - 2, since=at - 1, at=at)

    # Whole stretches of play -----------------------------------------------------------------------------

    def begin(self, starter: Seat = A) -> Table:
        """The lot falls, the masks are shuffled."""
        if self.state.phase is KabukiPhase.STARTING:
            self.lot(starter)
        self.say(self.state.drawer, "begin")
        return self

    def place(self, design: str, stack: int) -> tuple[Event, ...]:
        """The player in turn lays a mask: a hand is over the stack for half a second, then it lies."""
        start = self.at + TURN
        top = self.state.top(stack)
        if top is not None and top.design == design:  # the camera sees no change: it is said
            self.elapse(start + 900 * MS)
            ruled = self.say(self.state.drawer, "place", f"{design}@{stack}")
        else:
            ruled = self.stack(stack, f"mask:{design}", clear=start, since=start + 500 * MS)
        assert "MaskPlaced" in kinds(ruled), ruled
        return ruled

    def lay(self, stacks: Iterable[tuple[str, int]]) -> Table:
        """Many masks, one turn after another."""
        for design, stack in stacks:
            self.place(design, stack)
        return self

    def hand_out(self, *tokens: int) -> Table:
        """The table says who has how many tokens."""
        assert not broken(self.declare(**{f"tokens_{seat}": count for seat, count in enumerate(tokens)}))
        return self

    def stop(self, seat: Seat) -> tuple[Event, ...]:
        """A Stop that nothing disturbs, until it is settled whom and what it is about."""
        return (*self.press(seat), *self.wait(2 * SECOND))

    def check(self, count: int) -> tuple[Event, ...]:
        """The stack is lifted, looked through, and the caller says how many twins lie there."""
        assert self.state.stop is not None
        seat = self.state.stop.seat
        return (*self.say(seat, "look"), *self.say(seat, "twins", count))

    def restore(self) -> tuple[Event, ...]:
        assert self.state.stop is not None
        return self.say(self.state.stop.seat, "restored")

    def settle(self, seat: Seat, count: int) -> tuple[Event, ...]:
        """Stop, check and put back."""
        ruled = (*self.stop(seat), *self.check(count))
        return (*ruled, *(self.restore() if self.state.phase is KabukiPhase.RESTORING else ()))

    # Reading ---------------------------------------------------------------------------------------------

    @property
    def tokens(self) -> tuple[int, ...]:
        tokens: tuple[int, ...] = self.state.tokens
        return tokens

    @property
    def last(self) -> PlacedMask:
        last: PlacedMask | None = self.state.last
        assert last is not None
        return last

    @property
    def about(self) -> AssignedStop:
        stop: AssignedStop | None = self.state.stop
        assert stop is not None
        return stop

    def designs(self, stack: int) -> tuple[str, ...]:
        return tuple(mask.design for mask in self.state.stacks[stack - 1])

    @property
    def standing(self) -> Iterator[Judged]:
        """The entries, newest first, as a referee tells them."""
        return reversed(self.entries)

    @property
    def timers(self) -> list[TimerElapsed]:
        return [cause for cause in self.causes if isinstance(cause, TimerElapsed)]

    def _judge(self, seen: Observation) -> tuple[Event, ...]:
        ruled = super()._judge(seen)
        self.entries.append(Judged(len(self.entries), seen, ruled))
        return ruled


def table(players: int = 4, starter: Seat = A, **options: object) -> Table:
    """A table whose first round has begun."""
    return Table(players, **options).begin(starter)  # type: ignore[arg-type]


def whole_deck() -> list[str]:
    """Fifty masks in an order in which no design follows itself."""
    from companion.games.kabuki.rules.model import COPIES_PER_DESIGN, DESIGNS

    return list(DESIGNS) * COPIES_PER_DESIGN
