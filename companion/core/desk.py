"""What every game's state carries besides the game: a pause, a lost camera, presses that are half done."""

from __future__ import annotations

from typing import TypeVar

from msgspec.structs import replace

from companion.core import events as ev
from companion.core.actions import Action, Chair, Prompt, Setup, Value
from companion.core.events import Event

STEERING = (ev.PressBegan, ev.PressEnded, ev.ChoiceStepped)
"""How a button is pressed, and nothing of the game."""
DESK_EVENTS = frozenset(
    {
        ev.PressBegan,
        ev.PressEnded,
        ev.ChoiceStepped,
        ev.GamePaused,
        ev.GameResumed,
        ev.GameRestarted,
        ev.GameAbandoned,
        ev.GameUncovered,
        ev.CameraWentDark,
        ev.CameraCameBack,
    }
)
"""Events that change the desk. A class pattern that does not match is slow, so most events pass them by."""


class Mark(Value, frozen=True):
    """Where a chair's button stands: the choices it was offered, its step, whether it is down since then."""

    options: tuple[Action, ...]
    cursor: int = 0
    down: bool = False


class Desk(Value, frozen=True):
    """What every game's state carries besides the game."""

    paused: bool = False
    blind: bool = False
    """The camera is lost."""
    abandoned: bool = False
    uncovered: bool = False
    """The game has ended, and everything was looked at."""
    marks: tuple[tuple[Chair, Mark], ...] = ()

    def mark(self, chair: Chair) -> Mark | None:
        if not self.marks:
            return None
        return next((mark for owner, mark in self.marks if owner == chair), None)

    def marked(self, chair: Chair, mark: Mark | None) -> Desk:
        others = tuple(pair for pair in self.marks if pair[0] != chair)
        return replace(self, marks=others if mark is None else (*others, (chair, mark)))

    def cursor(self, prompt: Prompt) -> int:
        """Where the mark stands among a prompt's options."""
        mark = self.mark(prompt.chair)
        return mark.cursor if mark and mark.options == prompt.options else 0

    def begun(self, prompt: Prompt) -> bool:
        """Whether the prompt's button went down for these very choices."""
        mark = self.mark(prompt.chair)
        return mark is not None and mark.down and mark.options == prompt.options

    def after(self, event: Event) -> Desk:
        """The desk after one of `DESK_EVENTS`."""
        match event:
            case ev.PressBegan():
                mark = self.mark(event.chair)
                cursor = mark.cursor if mark and mark.options == event.options else 0
                return self.marked(event.chair, Mark(options=event.options, cursor=cursor, down=True))
            case ev.PressEnded():
                return self.marked(event.chair, None)
            case ev.ChoiceStepped():
                return self.marked(event.chair, Mark(options=event.options, cursor=event.cursor))
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
            case ev.GameUncovered():
                return replace(self, uncovered=True)
        return self


class State(Value, frozen=True):
    """What the referee knows of one game; every game derives its own."""

    setup: Setup
    desk: Desk


S = TypeVar("S", bound=State)
