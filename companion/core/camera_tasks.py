"""Progress and results of the camera's tasks outside a game (calibration, enrolment, live readings, photos of
boxes), as plain values for the screen.
"""

from dataclasses import dataclass, field
from typing import Any, Protocol

from companion.core.actions import Micros, Value
from companion.core.view import Sentence

Corners = tuple[tuple[float, float], ...]
"""Points (x, y) in the camera's picture, as fractions of its width and height."""


class Zone(Value, frozen=True):
    """A region of the table in the camera's picture."""

    name: str
    label: str
    """The label printed on it, such as a slot's number; may be empty."""
    corners: Corners
    read: bool = True
    """Whether the camera reads it; otherwise it is only printed on the mat."""
    fault: str = ""
    """`glare` or `shadow`."""


class CalibrationView(Value, frozen=True):
    """The state of a calibration."""

    game: str
    games: tuple[str, ...]
    method: str
    """`marks`, `corners` or `sheet`."""
    hint: Sentence
    """What to do now."""
    mat: Sentence | None = None
    """The mat that was recognised, if the game has several or it is another game's."""
    warnings: tuple[Sentence, ...] = ()
    zones: tuple[Zone, ...] = ()
    corners: Corners = ()
    """The four corners set by hand."""
    outline: Corners = ()
    """The whole mat's outline while a part of it may be outside the picture."""
    aim: str = ""
    """What is being moved by hand: `corners`, `zones`, or empty."""
    chosen: int = 0
    """The index of the corner or zone being moved."""
    fine: bool = False
    """Whether it is moved in the smallest steps."""
    ready: bool = False
    """Whether the table was found, so that the calibration can be saved."""
    kept: bool = False


class SimilarCards(Value, frozen=True):
    """Two cards that are easily confused."""

    one: str
    other: str
    apart: float
    """Their distance relative to the least that is safe; above 1 is easy."""
    advice: Sentence


class EnrolView(Value, frozen=True):
    """The state of the enrolment of a deck."""

    game: str
    games: tuple[str, ...]
    phase: str
    """`choose` a game, `show` a card, `turn` it, `clash` with another card, `done` with the self-check."""
    hint: Sentence
    card: str = ""
    """The card to show to the camera."""
    cards: tuple[str, ...] = ()
    """The whole deck, in its order."""
    known: frozenset[str] = frozenset()
    """Cards enrolled."""
    outline: Corners = ()
    """The outline of the card in the picture."""
    other: str = ""
    """In a clash: the card as which this face was enrolled before."""
    can_go_back: bool = False
    twins: tuple[SimilarCards, ...] = ()
    read: str = ""
    """When done: the card in front of the camera as read with the new deck."""
    spoken: tuple[int, Sentence | None] = (0, None)
    """A running number and the sentence to speak when it changes."""


class SpottedCard(Value, frozen=True):
    """A card in the camera's picture."""

    card: str
    """Empty: a card that can't be read; unless the deck is complete, it may also be one it doesn't have."""
    confidence: float
    corners: Corners
    """Clockwise from the card's own top left corner."""
    why: str = ""
    """The best card, its rival and the decision, for terminal output."""


class WatchView(Value, frozen=True):
    """The readings of the newest picture."""

    deck: str
    """The game whose deck is used, or the file of a deck."""
    games: tuple[str, ...]
    named: bool = True
    """Whether the catalogues have names for these cards."""
    complete: bool = False
    """Whether the deck has all cards of its print."""
    trouble: Sentence | None = None
    seen: tuple[SpottedCard, ...] = ()
    """Most certain first; cards that can't be read last."""
    faults: tuple[str, ...] = ()
    """`blur`, `dark`."""
    pictures: int = 0
    spent: Micros = 0
    """Time spent on this picture, in microseconds."""


class PhotoView(Value, frozen=True):
    """The state of a photo for the lid of a box."""

    game: str
    box: str
    """What the box's file is called, as in `Preset.file`."""
    hint: Sentence
    """What to do now."""
    ready: bool = False
    """Whether the picture can be kept."""
    kept: bool = False
    """Whether the picture that is shown was kept just now."""
    has_photo: bool = False
    """Whether there is a photo beside the box's file."""


@dataclass(frozen=True, slots=True)
class CameraPageInput:
    """The input of a camera page: the view, the camera's picture, and pictures of cards."""

    view: CalibrationView | EnrolView | WatchView | PhotoView
    camera: Any = field(default=None, compare=False)
    """The newest picture: uint8 array, height × width × 3, BGR; or None."""
    cards: tuple[tuple[str, Any], ...] = field(default=(), compare=False)
    """Card → its picture as enrolled, or else from the shipped deck."""


class CameraCommand(Value, frozen=True):
    """A command for the current camera task; one of `companion.ui.commands.Command`."""

    what: str
    """`keep`, `method`, `game`, `aim`, `point`, `move`, `turn`, `next`, `fine`, `retake`, `back`, `mine`…"""
    values: tuple[str | int | float, ...] = ()


class CameraTasks(Protocol):
    """The user of the camera while there is no game."""

    def has_camera(self) -> bool:
        """Whether a camera gives pictures here."""

    def open_page(self, page: str, game: str, box: str = "") -> None:
        """Begin the task `calibrate`, `enrol`, `watch` or `photo`; any other page ends it.

        `box`: of which a photo is taken, as in `Preset.file`.
        """

    def carry_out(self, wanted: CameraCommand) -> None:
        """Carry out a command, at the latest with the next picture."""

    def page_input(self) -> CameraPageInput | None:
        """What to draw; None if there is no task."""
