"""What was sensed. It already happened; nothing here is ever refused.

Every observation carries `at`, the instant it happened in game time (microseconds), which also decides the
order in which it is judged. The journal stores observations as JSON objects tagged by `kind`.
"""

from __future__ import annotations

from msgspec import Struct

from companion.core.actions import Action, Chair, Micros, Seat, Value

UNKNOWN = "unknown"
"""What a card is called that lies there and could not be read."""


class Face(Value, frozen=True):
    """One card as it lies: `card` is an id of the deck, `back:…` or `unknown`."""

    card: str
    turn: int = 0
    """Degrees clockwise from upright for the region's owner, 0..359."""
    confidence: float = 1.0


class Region(Value, frozen=True):
    """The settled content of one place on the table, bottom card first; no faces: the cloth is bare."""

    name: str
    faces: tuple[Face, ...]
    clear_until: Micros
    """Exposure of the last frame in which the region was as before."""
    lies_since: Micros
    """Exposure of the first frame of the settled run."""


class Observation(
    Struct,
    frozen=True,
    gc=False,
    kw_only=True,
    tag_field="kind",
    tag=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
):
    """Something sensed at the instant `at`."""

    at: Micros


class ButtonPressed(Observation, frozen=True, kw_only=True):
    """A button went down: a chair's own is `seat`; the shared `back`, `next`, `ok` have no chair."""

    chair: Chair | None
    button: str = "seat"
    source: str = "gpio"
    """Where the edge was seen: gpio, usb, key, touch. Each source has its stated resolution."""
    since: Micros | None = None
    """No edge told it: the button was read up then, and down at `at`; None: its edge did."""


class ButtonReleased(Observation, frozen=True, kw_only=True):
    """A button came up."""

    chair: Chair | None
    button: str = "seat"
    source: str = "gpio"


class ButtonHeld(Observation, frozen=True, kw_only=True):
    """A button was still down `HOLD` after its edge; made by the loop, stamped edge + HOLD."""

    chair: Chair | None
    button: str = "seat"
    source: str = "gpio"


class Declared(Observation, frozen=True, kw_only=True):
    """Said on the screen: announce 7, draw from that chair."""

    action: Action
    source: str = "touch"


class TableSeen(Observation, frozen=True, kw_only=True):
    """The camera's reading of every region whose settled content changed; `at` is when it settled."""

    regions: tuple[Region, ...]


class HandShown(Observation, frozen=True, kw_only=True):
    """Secret cards shown to the camera alone, at an audit or a showdown."""

    seat: Seat
    faces: tuple[Face, ...]


class CueHeard(Observation, frozen=True, kw_only=True):
    """A cue's first beat is heard (or seen) at `at`, which may lie in the future."""

    cue: str
    attempt: int = 0
    by: str = "sound"
    """`sound` or `screen`."""


class TimerElapsed(Observation, frozen=True, kw_only=True):
    """A timer of the rules fell due; stamped with its due time, not with the frame's."""

    timer: str


class Drawn(Observation, frozen=True, kw_only=True):
    """Chance spoke: `choices[index]` was drawn."""

    choices: tuple[str, ...]
    index: int


class TableDeclared(Observation, frozen=True, kw_only=True):
    """The table says what is where: pairs of a place's name and what is there; each game knows its names."""

    table: tuple[tuple[str, str | int], ...]


class Paused(Observation, frozen=True, kw_only=True):
    """Somebody paused the game."""

    chair: Chair | None = None


class Resumed(Observation, frozen=True, kw_only=True):
    """Play goes on."""

    chair: Chair | None = None


class Restarted(Observation, frozen=True, kw_only=True):
    """The program was started on a journal that already had entries."""


class CameraLost(Observation, frozen=True, kw_only=True):
    """No pictures any more."""

    reason: str = ""


class CameraBack(Observation, frozen=True, kw_only=True):
    """Pictures again."""


class AdapterLost(Observation, frozen=True, kw_only=True):
    """A source of presses is gone, or back when `reason` is empty."""

    adapter: str
    reason: str = ""


class Abandoned(Observation, frozen=True, kw_only=True):
    """The table ends the game before its end."""


class Uncovered(Observation, frozen=True, kw_only=True):
    """The game has ended, and the table looks at everything: from now on it cannot go on any more."""


class TakenBack(Observation, frozen=True, kw_only=True):
    """The table took the last ruling back (undo), or brought it back (redo)."""

    redo: bool = False
    done: bool = False
    """The table has put back what was asked of it, so that nothing can be brought back any more."""


class Corrected(Observation, frozen=True, kw_only=True):
    """The table says what entry `seq` should have been."""

    seq: int
    truth: TableSeen | Declared | HandShown | ButtonPressed | ButtonReleased | ButtonHeld | None
    """None: it did not happen."""


class ShutdownRequested(Observation, frozen=True, kw_only=True):
    """The machine wants to stop; never journalled."""


AnyObservation = (
    ButtonPressed
    | ButtonReleased
    | ButtonHeld
    | Declared
    | TableSeen
    | HandShown
    | CueHeard
    | TimerElapsed
    | Drawn
    | TableDeclared
    | Paused
    | Resumed
    | Restarted
    | CameraLost
    | CameraBack
    | AdapterLost
    | Abandoned
    | Uncovered
    | TakenBack
    | Corrected
)
"""Everything a journal may hold as a cause."""
