"""Inputs of the referee: what buttons, camera, clock and players reported.

An observation has already happened, so it is never refused. `at` is when it happened, in game time
(microseconds), and observations are judged in the order of `at`. The journal stores each, even one without
effect, as a JSON object tagged by `kind`.
"""

from msgspec import Struct

from companion.core.actions import Action, Chair, Micros, Seat, Value

UNKNOWN = "unknown"
"""The name of a card that was seen but could not be read."""


class SeenCard(Value, frozen=True):
    """One card on the table: `card` is an id of the deck, `back:…` or `unknown`."""

    card: str
    turn: int = 0
    """Rotation in degrees clockwise, 0..359; 0 is upright for the region's owner."""
    confidence: float = 1.0

    @property
    def is_named(self) -> bool:
        """Whether it says which card it is."""
        return self.card != UNKNOWN and not self.card.startswith("back:")


class RegionReading(Value, frozen=True):
    """The settled content of one region of the table, bottom card first; no faces: the region is empty."""

    name: str
    faces: tuple[SeenCard, ...]
    clear_until: Micros
    """Exposure time of the last frame that still showed the previous content."""
    lies_since: Micros
    """Exposure time of the first frame that showed this content at rest."""

    @property
    def content(self) -> tuple[tuple[str, int], ...]:
        """Which cards lie there, and how."""
        return tuple((face.card, face.turn) for face in self.faces)


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
    """Something that happened at `at`."""

    at: Micros


class _ButtonMoved(Observation, frozen=True, kw_only=True):
    """A button moved: a chair's own button is `seat`; the shared `back`, `next`, `ok` have no chair."""

    chair: Chair | None
    button: str = "seat"
    source: str = "gpio"
    """Where the edge came from: gpio, usb, key, touch, phone, or a simulated person's hand (simulation).

    The settings state each real source's resolution.
    """
    since: Micros | None = None
    """Of what was found by polling, not by an edge: when the button was last read as it had been before."""
    within: tuple[Micros, Micros] | None = None
    """The interval in which it must have happened: of a phone's press as evidence, which no ruling uses, and
    of one that counts as at the end of a window because nobody knows whether it came before."""

    @property
    def found(self) -> Micros:
        """When it was found, if that was by polling: the last instant at which it may have been."""
        return self.at if self.since is None or self.within is None else self.within[1]


class ButtonPressed(_ButtonMoved, frozen=True, kw_only=True):
    """A button went down."""


class ButtonReleased(_ButtonMoved, frozen=True, kw_only=True):
    """A button came up."""


class ButtonHeld(Observation, frozen=True, kw_only=True):
    """A button was still down `HOLD_TIME` after its edge; made by the loop, stamped edge + `HOLD_TIME`."""

    chair: Chair | None
    button: str = "seat"
    source: str = "gpio"


class ActionDeclared(Observation, frozen=True, kw_only=True, tag="Declared"):
    """An action that a player chose on the screen, such as announcing 7."""

    action: Action
    source: str = "touch"


class TableSeen(Observation, frozen=True, kw_only=True):
    """The camera's reading of each region whose content changed; `at` is when it settled."""

    regions: tuple[RegionReading, ...]


class HandShown(Observation, frozen=True, kw_only=True):
    """Cards shown to the camera alone, at an audit or a showdown."""

    seat: Seat
    faces: tuple[SeenCard, ...]


class CueHeard(Observation, frozen=True, kw_only=True):
    """A cue's first beat is heard (or seen) at `at`, which may be in the future."""

    cue: str
    attempt: int = 0
    by: str = "sound"
    """`sound` or `screen`."""


class CountStalled(Observation, frozen=True, kw_only=True):
    """A count could not be followed up to its beat at `at`: its picture or its sound came too late."""


class ProgramStalled(Observation, frozen=True, kw_only=True):
    """The program did not run from `at` to `until`, and saw nothing meanwhile; None: that is over at `at`."""

    until: Micros | None = None


class TimerElapsed(Observation, frozen=True, kw_only=True):
    """A timer expired; `at` is when it was due, not when the frame noticed."""

    timer: str


class RandomDraw(Observation, frozen=True, kw_only=True, tag="Drawn"):
    """A random draw: `choices[index]` was drawn."""

    choices: tuple[str, ...]
    index: int


class TableDeclared(Observation, frozen=True, kw_only=True):
    """The players declared what is where, as names and values. Each game defines the names: `View.fields`."""

    table: tuple[tuple[str, str | int], ...]


class PauseRequested(Observation, frozen=True, kw_only=True, tag="Paused"):
    """The game was paused."""

    chair: Chair | None = None


class ResumeRequested(Observation, frozen=True, kw_only=True, tag="Resumed"):
    """The game was continued."""

    chair: Chair | None = None


class ProgramRestarted(Observation, frozen=True, kw_only=True, tag="Restarted"):
    """The program was started with a journal that already had entries."""


class CameraLost(Observation, frozen=True, kw_only=True):
    """The camera stopped delivering pictures."""

    reason: str = ""


class CameraRecovered(Observation, frozen=True, kw_only=True, tag="CameraBack"):
    """The camera delivers pictures again."""


class AdapterLost(Observation, frozen=True, kw_only=True):
    """A source of presses was lost, or, with an empty `reason`, is back."""

    adapter: str
    reason: str = ""


class AbandonRequested(Observation, frozen=True, kw_only=True, tag="Abandoned"):
    """The players gave up the game."""


class HiddenCardsViewed(Observation, frozen=True, kw_only=True, tag="Uncovered"):
    """After the end, the players looked at the hidden cards; the game can no longer be resumed."""


class UndoRequested(Observation, frozen=True, kw_only=True, tag="TakenBack"):
    """The last ruling was undone, or redone."""

    redo: bool = False
    done: bool = False
    """Whether the players confirmed that the cards are back where they were: then nothing can be redone."""


class CorrectionRequested(Observation, frozen=True, kw_only=True, tag="Corrected"):
    """The players corrected entry `seq`."""

    seq: int
    truth: TableSeen | ActionDeclared | HandShown | ButtonPressed | ButtonReleased | ButtonHeld | None
    """What it should have been; None: it did not happen."""


class ShutdownRequested(Observation, frozen=True, kw_only=True):
    """The machine is about to shut down; never journalled."""


Unseen = ProgramStalled | ProgramRestarted | CameraLost
"""Nobody saw the table for a while, and then the camera reads it anew."""
AnyObservation = (
    ButtonPressed
    | ButtonReleased
    | ButtonHeld
    | ActionDeclared
    | TableSeen
    | HandShown
    | CueHeard
    | CountStalled
    | ProgramStalled
    | TimerElapsed
    | RandomDraw
    | TableDeclared
    | PauseRequested
    | ResumeRequested
    | ProgramRestarted
    | CameraLost
    | CameraRecovered
    | AdapterLost
    | AbandonRequested
    | HiddenCardsViewed
    | UndoRequested
    | CorrectionRequested
)
"""Everything a journal may hold as a cause."""
