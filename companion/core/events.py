"""The rulings that all games share, as events in the past tense.

An event carries all its consequences, so that `evolve` only applies them and never judges. Each game declares
the union of its own events and these.
"""

import sys
from collections.abc import Iterable
from functools import reduce
from typing import Any, TypeVar, Union, get_args

from msgspec import Struct, field

from companion.core.actions import Action, Chair, Micros, Seat

T = TypeVar("T")


class Event(
    Struct, frozen=True, gc=False, tag_field="kind", tag=True, forbid_unknown_fields=True, omit_defaults=True
):
    """One fact the referee established."""

    def apply(self, state: Any) -> Any:
        """The game's state after this event; an event that only tells something changes nothing."""
        return state


def kind_of(value: Struct | type[Struct]) -> str:
    """What an event, an observation or its class is called on disk, in catalogues and in lessons."""
    return str(value.__struct_config__.tag)


Events = tuple[Event, ...]
"""A ruling: what was established by one observation, in order."""


class SeatEvent(Event, frozen=True):
    """Base class of events about one seat."""

    seat: Seat


class SilentEvent(Event, frozen=True):
    """Base class of events that are never announced: bookkeeping, or they would reveal something hidden."""


class InterimEvent(SilentEvent, frozen=True):
    """Base class of events that complete no choice: a step through a list, a button that goes down, a hidden
    card that is forgotten. They stand in no log.
    """


class StatusEvent(Event, frozen=True):
    """Base class of events that change the `GameStatus`, which all games share."""


class PressBegan(InterimEvent, StatusEvent, frozen=True):
    """A button went down under a prompt whose answer depends on the length of the press."""

    chair: Chair
    actions: tuple[Action, ...] = field(name="options")
    """The prompt's actions: a press that began under one prompt never answers another."""


class PressEnded(InterimEvent, StatusEvent, frozen=True):
    """That button was released, or a choice was taken: the next one begins anew."""

    chair: Chair


class ChoiceStepped(InterimEvent, StatusEvent, frozen=True):
    """A chair stepped to `cursor` in its list of actions."""

    chair: Chair
    cursor: int
    actions: tuple[Action, ...] = field(name="options")


class Infraction(Event, frozen=True):
    """Something against the rules was done in public; `rule` is the key of the rule."""

    rule: str
    seat: Seat | None = None
    what: str | int | None = None
    """What the sentence names: a number, a label or a slot."""


class Repair(Event, frozen=True):
    """An instruction to put something right; it accuses nobody. What players declare is in `Repaired`."""

    what: str
    """Catalogue key of the instruction."""
    where: str | int | None = None
    seat: Seat | None = None


class WindowVoided(Event, frozen=True):
    """A timed window was interrupted and will be repeated; the announcement that opened it stands."""

    reason: str


class GamePaused(StatusEvent, frozen=True):
    """The game was paused: only `resume` is accepted."""


class GameResumed(StatusEvent, frozen=True):
    """The game continues."""


class GameRestarted(StatusEvent, frozen=True):
    """The program was started again and resumed this game."""


class GameAbandoned(StatusEvent, frozen=True):
    """The players gave up the game."""


class GameUncovered(SilentEvent, StatusEvent, frozen=True):
    """The players looked at the hidden cards after the end; the game can no longer be resumed."""


class ClocksStopped(SilentEvent, StatusEvent, frozen=True):
    """The table's clocks stand still from `at` on."""

    at: Micros


class ClocksShifted(SilentEvent, StatusEvent, frozen=True):
    """The table's clocks go on, and what passed meanwhile counts for nobody."""

    by: Micros


class TableUnseen(SilentEvent, StatusEvent, frozen=True):
    """Nobody saw the table up to `until`: what has to lie still before the camera lies still from then on."""

    until: Micros


class CameraWentDark(StatusEvent, frozen=True):
    """The camera was lost; from now on the players declare what is on the table."""


class CameraCameBack(StatusEvent, frozen=True):
    """The camera works again."""


class Repaired(Event, frozen=True):
    """The players declared what is where (`TableDeclared`), and the state was set to it."""

    table: tuple[tuple[str, str | int], ...]
    keeps: bool = False
    """True where a game names only what differed; nothing reads it."""


SharedEvent = (
    PressBegan
    | PressEnded
    | ChoiceStepped
    | Infraction
    | Repair
    | WindowVoided
    | GamePaused
    | GameResumed
    | GameRestarted
    | GameAbandoned
    | GameUncovered
    | ClocksStopped
    | ClocksShifted
    | TableUnseen
    | CameraWentDark
    | CameraCameBack
    | Repaired
)
GameRuling = Infraction | Repair | WindowVoided | GameAbandoned | Repaired
"""Those of the shared events that a game's `evolve_game` has to handle. The others change the desk alone."""


def apply_events(state: T, events: Iterable[Event]) -> T:
    """The state after several events of a game, one after the other."""
    return reduce(lambda before, event: event.apply(before), events, state)


def events_of(module: str) -> Any:
    """The union of all events that a module defines and those that all games share: what a journal holds.

    An event from which others are derived is only their common part.
    """
    kinds = [kind for kind in vars(sys.modules[module]).values() if isinstance(kind, type)]
    own = [kind for kind in kinds if issubclass(kind, Event) and kind.__module__ == module]
    return Union[(*(kind for kind in own if not kind.__subclasses__()), *get_args(SharedEvent))]
