"""Pebbles against the clock: who thinks for more than twenty seconds takes one pebble, like it or not."""

from msgspec.structs import replace

from companion.core.actions import SECOND, Action, Micros, Setup, Timer
from companion.core.events import Event, SilentEvent
from companion.core.game_status import GameStatus
from companion.core.view import ClockView, View, ViewMode
from pebbles.rules import Pebbles, PebblesState, PebblesTaken

LIMIT = 20 * SECOND


class TimedState(PebblesState, frozen=True):
    began: Micros | None = None
    """What the table's clocks showed when this turn began; None: nobody has taken any yet."""


class TurnBegan(SilentEvent, frozen=True):
    at: Micros

    def apply(self, state: TimedState) -> TimedState:
        return replace(state, began=self.at)


class TimedPebbles(Pebbles):
    events = Pebbles.events | TurnBegan
    has_clocks = True

    def initial_state(self, setup: Setup) -> TimedState:
        return TimedState(setup=setup, desk=GameStatus(), left=setup.options.heap)

    def judge(self, state: TimedState, action: Action, at: Micros) -> tuple[Event, ...]:
        ruled = super().judge(state, action, at)
        goes_on = any(isinstance(event, PebblesTaken) for event in ruled)
        return (*ruled, TurnBegan(state.desk.clock_time(at))) if goes_on else ruled

    def timer(self, state: TimedState) -> Timer | None:
        if state.over or state.began is None:
            return None
        return Timer("limit", state.desk.game_time(state.began + LIMIT))

    def judge_timer(self, state: TimedState, timer: str, at: Micros) -> tuple[Event, ...]:
        due = self.timer(state)
        if due is None or due.name != timer:
            return ()
        return self.judge(state, Action(state.seat, "take", 1), at)

    def view(self, state: TimedState, mode: ViewMode = ViewMode.PLAY) -> View:
        view = super().view(state, mode)
        chairs = [replace(chair, clock=_clock(state)) if chair.asked else chair for chair in view.chairs]
        return replace(view, chairs=tuple(chairs))


def _clock(state: TimedState) -> ClockView | None:
    """What is left of the turn; in a pause nobody is asked, and no clock is shown."""
    if state.began is None:
        return None
    return ClockView(reading=LIMIT, since=state.desk.game_time(state.began), whole=LIMIT)


TIMED_PEBBLES = TimedPebbles()
