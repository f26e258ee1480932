"""Game state that all games share: pauses, a lost camera, pending presses."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from msgspec.structs import replace

from companion.core import events as ev
from companion.core.actions import Action, Chair, Micros, Options, Prompt, Seat, Setup, Value
from companion.core.events import Event


class PendingChoice(Value, frozen=True):
    """A chair's button: the choices it was offered, the current step, and whether it is still down."""

    actions: tuple[Action, ...]
    cursor: int = 0
    down: bool = False


class GameStatus(Value, frozen=True):
    """The part of a game's state that all games share."""

    paused: bool = False
    blind: bool = False
    """Whether the camera is lost."""
    abandoned: bool = False
    uncovered: bool = False
    """Whether the hidden cards were looked at after the end."""
    marks: tuple[tuple[Chair, PendingChoice], ...] = ()
    clocks_behind: Micros = 0
    """How far the table's clocks are behind game time: what passed in pauses and was taken back."""
    clocks_stopped: Micros | None = None
    """Since when, in game time, they stand still; None: they run."""
    unseen_until: Micros = 0
    """Up to when nobody saw the table, or judged what was seen: what has to rest rests from then on."""

    def clock_time(self, at: Micros) -> Micros:
        """What the table's clocks show at `at`: times that a game reckons with."""
        stopped = self.clocks_stopped
        return (at if stopped is None else stopped) - self.clocks_behind

    def game_time(self, clock_time: Micros) -> Micros:
        """The instant at which the clocks show this, if they go on."""
        return clock_time + self.clocks_behind

    def rest_end(self, due: Micros, rest: Micros) -> Micros:
        """When what would have lain still for `rest` by `due` has done so before somebody's eyes."""
        return max(due, self.unseen_until + rest)

    def pending_choice(self, chair: Chair) -> PendingChoice | None:
        if not self.marks:
            return None
        return next((mark for owner, mark in self.marks if owner == chair), None)

    def with_pending_choice(self, chair: Chair, mark: PendingChoice | None) -> GameStatus:
        others = tuple(pair for pair in self.marks if pair[0] != chair)
        return replace(self, marks=others if mark is None else (*others, (chair, mark)))

    def choice_index(self, prompt: Prompt) -> int:
        """The index of the current step among a prompt's actions."""
        mark = self.pending_choice(prompt.chair)
        return mark.cursor if mark and mark.actions == prompt.actions else 0

    def has_press_begun(self, prompt: Prompt) -> bool:
        """Whether the chair's button went down under exactly this prompt."""
        mark = self.pending_choice(prompt.chair)
        return mark is not None and mark.down and mark.actions == prompt.actions

    def apply_event(self, event: Event) -> GameStatus:
        """The desk after a `StatusEvent`."""
        match event:
            case ev.PressBegan():
                mark = self.pending_choice(event.chair)
                cursor = mark.cursor if mark and mark.actions == event.actions else 0
                return self.with_pending_choice(
                    event.chair, PendingChoice(actions=event.actions, cursor=cursor, down=True)
                )
            case ev.PressEnded():
                return self.with_pending_choice(event.chair, None)
            case ev.ChoiceStepped():
                return self.with_pending_choice(
                    event.chair, PendingChoice(actions=event.actions, cursor=event.cursor)
                )
            case ev.GamePaused():
                return replace(self, paused=True, marks=())
            case ev.GameResumed():
                return replace(self, paused=False)
            case ev.CameraWentDark():
                return replace(self, blind=True)
            case ev.CameraCameBack():
                return replace(self, blind=False)
            case ev.GameAbandoned():
                return replace(self, abandoned=True, paused=False)
            case ev.GameRestarted():
                return replace(self, marks=())
            case ev.ClocksStopped():
                return replace(self, clocks_stopped=event.at)
            case ev.ClocksShifted():
                return replace(self, clocks_behind=self.clocks_behind + event.by, clocks_stopped=None)
            case ev.TableUnseen():
                return replace(self, unseen_until=max(self.unseen_until, event.until))
            case ev.GameUncovered():
                return replace(self, uncovered=True)
        return self


Op = TypeVar("Op", bound=Options)
"""The house rules of a game."""


class GameState(Value, Generic[Op], frozen=True):
    """What the referee knows of one game; each game has a subclass."""

    setup: Setup
    desk: GameStatus

    @property
    def options(self) -> Op:
        """The house rules that are played by."""
        return self.setup.options  # type: ignore[return-value]  # the journal's header types it by the game

    @property
    def players(self) -> int:
        """How many people play."""
        return self.setup.players

    def chair_of(self, seat: Seat) -> Chair:
        """The chair of a seat."""
        return self.setup.chairs[seat]

    def seat_of(self, chair: Chair) -> Seat | None:
        """The seat of a chair; None if it is not in the game."""
        return self.setup.chairs.index(chair) if chair in self.setup.chairs else None


S = TypeVar("S", bound=GameState[Any])
