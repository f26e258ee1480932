"""What was ruled, in the past tense: the events that every game shares.

An event carries its own consequences, so that `evolve` never judges. Each game declares the union of its own
events and these.
"""

from __future__ import annotations

from msgspec import Struct

from companion.core.actions import Action, Chair, Seat


class Event(
    Struct, frozen=True, gc=False, tag_field="kind", tag=True, forbid_unknown_fields=True, omit_defaults=True
):
    """One fact the referee established."""


class PressBegan(Event, frozen=True):
    """A button went down under a prompt where the length of the press decides."""

    chair: Chair
    options: tuple[Action, ...]
    """What the chair was offered: a press begun under one prompt never answers another."""


class PressEnded(Event, frozen=True):
    """That button came up, or its hold was used."""

    chair: Chair


class ChoiceStepped(Event, frozen=True):
    """The mark in a chair's list of choices moved to `cursor`."""

    chair: Chair
    cursor: int
    options: tuple[Action, ...]


class Infraction(Event, frozen=True):
    """Something the rules forbid was done in public; `rule` is the key of the rule."""

    rule: str
    seat: Seat | None = None
    what: str | int | None = None
    """The one thing the sentence names: a number, a label, a slot."""


class Repair(Event, frozen=True):
    """What to do on the table so that it agrees with the rules again; never an accusation."""

    what: str
    """Key of the instruction."""
    where: str | int | None = None
    seat: Seat | None = None


class WindowVoided(Event, frozen=True):
    """A timed window does not count and is asked for again; the announcement stands."""

    reason: str


class GamePaused(Event, frozen=True):
    """All controls but `resume` are closed."""


class GameResumed(Event, frozen=True):
    """Play goes on."""


class GameRestarted(Event, frozen=True):
    """The program came back to this game."""


class GameAbandoned(Event, frozen=True):
    """The table ended the game."""


class GameUncovered(Event, frozen=True):
    """The table looks at everything that lay hidden when the game ended; the ending stands."""


class CameraWentDark(Event, frozen=True):
    """The referee no longer sees the table; the game goes on by hand."""


class CameraCameBack(Event, frozen=True):
    """The referee sees the table again."""


class Repaired(Event, frozen=True):
    """The table said what is where, and that is how it stands now."""

    table: tuple[tuple[str, str | int], ...]
    keeps: bool = False
    """`table` names only what was otherwise, and all else stays; without it (0.1) a turn may begin anew."""


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
    | CameraWentDark
    | CameraCameBack
    | Repaired
)
