"""A table for tests of any game: what was sensed goes in, what was ruled comes out."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import Any, Generic, TypeVar

from companion.core.actions import HOLD_TIME, Action, Chair, Micros, Seat
from companion.core.events import Event, Infraction, kind_of
from companion.core.game_status import S
from companion.core.observations import (
    ActionDeclared,
    ButtonHeld,
    ButtonPressed,
    ButtonReleased,
    HandShown,
    Observation,
    RandomDraw,
    RegionReading,
    SeenCard,
    TableDeclared,
    TableSeen,
    TimerElapsed,
)
from companion.core.rules import Rules

Kind = TypeVar("Kind", bound=Event)


def lawful(rules: Rules[S], state: S, action: Action, at: Micros = 0) -> bool:
    """Whether it does something, and breaks no rule."""
    ruled = rules.decide(state, ActionDeclared(at=at, action=action))
    return bool(ruled) and not any(isinstance(event, Infraction) for event in ruled)


class GameTable(Generic[S]):
    """A game under test: owns the state so far, the instant, and all causes and rulings in order."""

    BLINK: Micros = 100_000
    """Time that passes between two things that nobody stamps."""

    def __init__(self, rules: Rules[S], state: S) -> None:
        self.rules: Any = rules
        self.state: Any = state
        self.at: Micros = 0
        self.rulings: list[Event] = []
        self.causes: list[Observation] = []

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
            ruled += self._judge(TimerElapsed(at=timer.due, timer=timer.name))
        raise AssertionError(f"A timer stands after its own ruling: {timer}")

    def wait(self, time: Micros) -> tuple[Event, ...]:
        return self.elapse(self.at + time)

    def say(self, seat: Seat, verb: str, value: str | int | None = None) -> tuple[Event, ...]:
        return self.observe(ActionDeclared(at=self._next(), action=Action(seat, verb, value)))

    def press(
        self, chair: Chair | None, at: Micros | None = None, *, button: str = "seat", source: str = "gpio"
    ) -> tuple[Event, ...]:
        return self.observe(ButtonPressed(at=self._next(at), chair=chair, button=button, source=source))

    def release(self, chair: Chair | None, at: Micros | None = None) -> tuple[Event, ...]:
        return self.observe(ButtonReleased(at=self._next(at), chair=chair))

    def tap(self, chair: Chair) -> tuple[Event, ...]:
        """A short press: down, and up again at once."""
        return self.press(chair) + self.release(chair)

    def hold(self, chair: Chair) -> tuple[Event, ...]:
        """A long press: down, held, up again."""
        down = self.press(chair)
        held = self.observe(ButtonHeld(at=self.at + HOLD_TIME, chair=chair))
        return down + held + self.release(chair)

    def regions(self, *regions: RegionReading, at: Micros | None = None) -> tuple[Event, ...]:
        """The camera reads these places."""
        return self.observe(TableSeen(at=self._next(at), regions=regions))

    def shows(self, seat: Seat, *faces: SeenCard) -> tuple[Event, ...]:
        """A seat shows its hand to the camera alone."""
        return self.observe(HandShown(at=self._next(), seat=seat, faces=faces))

    def lot(self, index: int) -> tuple[Event, ...]:
        choices = self.rules.awaited_draw(self.state)
        assert choices is not None, f"No lot is awaited in {self.state.phase}"
        return self.observe(RandomDraw(at=self._next(), choices=choices, index=index))

    def declare(self, **told: int) -> tuple[Event, ...]:
        """The table says what is where: `hand_1=3`."""
        table = tuple((name.replace("_", ":"), value) for name, value in told.items())
        return self.observe(TableDeclared(at=self._next(), table=table))

    # Reading -------------------------------------------------------------------------------------------

    @property
    def phase(self) -> str:
        phase: str = self.state.phase
        return phase

    @property
    def legal(self) -> frozenset[Action]:
        legal: frozenset[Action] = self.rules.legal_actions(self.state)
        return legal

    def of(self, kind: type[Kind]) -> list[Kind]:
        """All rulings of one kind so far."""
        return [event for event in self.rulings if isinstance(event, kind)]

    def _judge(self, seen: Observation) -> tuple[Event, ...]:
        ruled: tuple[Event, ...] = self.rules.decide(self.state, seen)
        self.state = reduce(self.rules.evolve, ruled, self.state)
        self.at = max(self.at, seen.at)
        self.rulings += ruled
        self.causes.append(seen)
        return ruled

    def _next(self, at: Micros | None = None) -> Micros:
        return self.at + self.BLINK if at is None else at


def broken(events: Iterable[Event]) -> list[str]:
    """The keys of the rules that were broken."""
    return [event.rule for event in events if isinstance(event, Infraction)]


def kinds(events: Iterable[Event]) -> list[str]:
    return [kind_of(event) for event in events]
