"""A Kabuki table for tests: what was sensed goes in, what was ruled comes out; timers fall as in the loop."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from typing import NamedTuple, TypeVar

from companion.core.actions import SECOND, Action, Chair, Micros, Seat, Setup
from companion.core.events import Event, Infraction
from companion.core.observations import (
    ButtonPressed,
    Declared,
    Drawn,
    Face,
    Observation,
    Region,
    TableDeclared,
    TableSeen,
    TimerElapsed,
)
from companion.games.kabuki.rules import Kabuki
from companion.games.kabuki.rules.options import KabukiOptions
from companion.games.kabuki.rules.state import KabukiState, Mask, Phase, Stop

RULES = Kabuki()
A, B, C, D, E, F = range(6)
MS: Micros = 1_000
BLINK: Micros = 100 * MS
"""Time that passes between two things that nobody stamps."""
TURN: Micros = 4 * SECOND
"""From one placement to the next, where nothing else is said."""

Kind = TypeVar("Kind", bound=Event)


def setup(players: int = 4, **options: object) -> Setup:
    return Setup(chairs=tuple(range(players)), options=KabukiOptions(**options))  # type: ignore[arg-type]


def fold(state: KabukiState, events: Iterable[Event]) -> KabukiState:
    return reduce(RULES.evolve, events, state)


class Judged(NamedTuple):
    """An entry as a journal would hold it."""

    seq: int
    cause: Observation
    events: tuple[Event, ...]


class Table:
    """A game under test: owns the state so far, the instant, and all rulings in order."""

    def __init__(self, players: int = 4, rules: Kabuki = RULES, **options: object) -> None:
        self.rules = rules
        self.state = rules.initial_state(setup(players, **options))
        self.at: Micros = 0
        self.rulings: list[Event] = []
        self.entries: list[Judged] = []
        self.timers: list[TimerElapsed] = []

    # Sensing -------------------------------------------------------------------------------------------

    def observe(self, seen: Observation) -> tuple[Event, ...]:
        """Timers due before it fall first, as in the loop; then `seen` is judged."""
        self.elapse(seen.at - 1)
        return self._judge(seen)

    def elapse(self, until: Micros) -> tuple[Event, ...]:
        """Let every timer due up to and with `until` fall."""
        ruled: tuple[Event, ...] = ()
        for _ in range(100):
            timer = self.rules.next_timer(self.state)
            if timer is None or timer.due > until:
                self.at = max(self.at, until)
                return ruled
            elapsed = TimerElapsed(at=timer.due, timer=timer.name)
            self.timers.append(elapsed)
            ruled += self._judge(elapsed)
        raise AssertionError(f"A timer stands after its own ruling: {timer}")

    def wait(self, time: Micros) -> tuple[Event, ...]:
        return self.elapse(self.at + time)

    def say(self, seat: Seat, verb: str, value: str | int | None = None) -> tuple[Event, ...]:
        return self.observe(Declared(at=self._next(), action=Action(seat, verb, value)))

    def press(
        self, chair: Chair | None, at: Micros | None = None, *, button: str = "seat", source: str = "gpio"
    ) -> tuple[Event, ...]:
        return self.observe(ButtonPressed(at=self._next(at), chair=chair, button=button, source=source))

    def see(
        self, *regions: tuple[str, tuple[str, ...]], clear: Micros, since: Micros, at: Micros | None = None
    ) -> tuple[Event, ...]:
        """The camera settled, by default two fifths of a second after the cards came to lie."""
        at = max(self.at, since + 400 * MS) if at is None else at
        read = tuple(Region(name, tuple(map(Face, faces)), clear, since) for name, faces in regions)
        return self.observe(TableSeen(at=at, regions=read))

    def stack(self, stack: int, card: str, *, clear: Micros, since: Micros) -> tuple[Event, ...]:
        return self.see((f"stack:{stack}", (card,)), clear=clear, since=since)

    def looks(self, name: str, *cards: str) -> tuple[Event, ...]:
        """The camera reads a place, at no instant in particular."""
        at = self._next()
        return self.see((name, cards), clear=at - 2, since=at - 1, at=at)

    # Whole stretches of play -----------------------------------------------------------------------------

    def begin(self, starter: Seat = A) -> Table:
        """The lot falls, the masks are shuffled."""
        if self.state.phase is Phase.STARTING:
            lots = self.rules.awaited_draw(self.state)
            assert lots is not None
            self.observe(Drawn(at=self._next(), choices=lots, index=starter))
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
        told = tuple((f"tokens:{seat}", count) for seat, count in enumerate(tokens))
        assert not broken(self.observe(TableDeclared(at=self._next(), table=told)))
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
        return (*ruled, *(self.restore() if self.state.phase is Phase.RESTORING else ()))

    # Reading ---------------------------------------------------------------------------------------------

    @property
    def phase(self) -> str:
        return self.state.phase

    @property
    def tokens(self) -> tuple[int, ...]:
        return self.state.tokens

    @property
    def last(self) -> Mask:
        assert self.state.last is not None
        return self.state.last

    @property
    def about(self) -> Stop:
        assert self.state.stop is not None
        return self.state.stop

    @property
    def legal(self) -> frozenset[Action]:
        return self.rules.legal_actions(self.state)

    def designs(self, stack: int) -> tuple[str, ...]:
        return tuple(mask.design for mask in self.state.stacks[stack - 1])

    @property
    def standing(self) -> Iterator[Judged]:
        """The entries, newest first, as a referee tells them."""
        return reversed(self.entries)

    def of(self, kind: type[Kind]) -> list[Kind]:
        """All rulings of one kind so far."""
        return [event for event in self.rulings if isinstance(event, kind)]

    def _judge(self, seen: Observation) -> tuple[Event, ...]:
        ruled = self.rules.decide(self.state, seen)
        self.entries.append(Judged(len(self.entries), seen, ruled))
        self.state = fold(self.state, ruled)
        self.at = max(self.at, seen.at)
        self.rulings += ruled
        return ruled

    def _next(self, at: Micros | None = None) -> Micros:
        return self.at + BLINK if at is None else at


def broken(events: Iterable[Event]) -> list[str]:
    """The keys of the rules that were broken."""
    return [event.rule for event in events if isinstance(event, Infraction)]


def kinds(events: Iterable[Event]) -> list[str]:
    return [type(event).__name__ for event in events]


def table(players: int = 4, starter: Seat = A, **options: object) -> Table:
    """A table whose first round has begun."""
    return Table(players, **options).begin(starter)


def whole_deck() -> list[str]:
    """Fifty masks in an order in which no design follows itself."""
    from companion.games.kabuki.rules.state import COPIES, DESIGNS

    return list(DESIGNS) * COPIES
