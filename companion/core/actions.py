"""What people can choose, and what the rules ask of the world: values only."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Chair = int
"""A person's place, clockwise from 0; shown as 1..8. Owns a button, a lamp, a colour, a shape."""
Seat = int
"""A hand of cards in the rules, clockwise from 0. In most games seat and chair are the same person."""
Micros = int
"""Game time in microseconds. The wall clock appears only in the journal's header."""

SECOND: Micros = 1_000_000
HOLD: Micros = 600_000
"""A press becomes a hold when the button is still down this long after its edge."""

Press = Literal["press", "tap", "hold"]
"""`press` acts at the edge; `tap` when let go before HOLD; `hold` at HOLD after the edge."""


class Value(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """The base of every value that is compared, hashed and written down.

    Frozen values make no cycles, so the garbage collector need not know them: it would visit every entry.
    """


class Action(Value, frozen=True):
    """One choice of one seat, e.g. `Action(2, "announce", 7)`; `value` is None where the verb says all."""

    seat: Seat
    verb: str
    value: str | int | None = None

    def __str__(self) -> str:
        return f"{self.seat}:{self.verb}" + ("" if self.value is None else f"={self.value}")


class Prompt(Value, frozen=True):
    """What one chair is asked now, in the order its button steps through."""

    chair: Chair
    options: tuple[Action, ...]


class Timer(Value, frozen=True):
    """A ruling that falls by itself at `due` unless something happens before."""

    name: str
    due: Micros


class Look(Value, frozen=True):
    """Where the camera's certainty is needed, and since when a reading counts."""

    regions: frozenset[str]
    since: Micros


class Cue(Value, frozen=True):
    """A sound (or its picture) whose first beat opens a window. `attempt` tells two askings apart."""

    name: str
    value: int
    attempt: int
    beats: int
    """Beats of one second each; the window closes `beats` seconds after the first."""
    said: str = ""
    """The catalogue's key of what is said before the first beat, of a `number`; empty: nothing."""


class Started(Value, frozen=True):
    """A cue began to sound; its first beat is heard at `first_beat`, which may lie in the future."""

    cue: Cue
    first_beat: Micros


ABANDONED = "abandoned"
"""How a game ended that was given up."""


class Outcome(Value, frozen=True):
    """How a game ended. `winners` is empty when it was abandoned."""

    termination: str
    winners: tuple[Chair, ...]
    uncovered: bool = False
    """The table has looked at everything: the game cannot go on."""

    @property
    def is_open(self) -> bool:
        """Whether nothing lies hidden any more; a game that was given up stays shut until it is uncovered."""
        return self.uncovered or self.termination != ABANDONED


class Options(Value, frozen=True):
    """House rules of one game; every game derives its own."""

    def clash(self) -> tuple[str, str] | None:
        """Two keys whose answers do not go together; None where all do."""
        return None


class Setup(Value, frozen=True):
    """Who plays, under which house rules."""

    chairs: tuple[Chair, ...]
    """The chairs in the game, clockwise."""
    options: Options
    bot: bool = False

    @property
    def players(self) -> int:
        return len(self.chairs)
