"""What is seen and done at the camera outside a game: calibrating, enrolling, watching what is read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from companion.core.actions import Micros, Value
from companion.core.view import Sentence

Corners = tuple[tuple[float, float], ...]
"""Points of the camera's picture, as shares of its width and height."""


class Zone(Value, frozen=True):
    """A place of the table as the picture shows it."""

    name: str
    label: str
    """What stands on it, if anything: a slot's number."""
    corners: Corners
    read: bool = True
    """Whether the camera reads there; else it is only printed on the mat."""
    fault: str = ""
    """`glare` or `shadow`."""


class CalibrationView(Value, frozen=True):
    """One moment of calibrating."""

    game: str
    games: tuple[str, ...]
    method: str
    """`marks`, `corners` or `sheet`."""
    hint: Sentence
    """What to do now."""
    mat: Sentence | None = None
    """Which mat lies there, where a game has several or it is another game's."""
    warnings: tuple[Sentence, ...] = ()
    zones: tuple[Zone, ...] = ()
    corners: Corners = ()
    """The four corners that are told by hand."""
    aim: str = ""
    """What is moved by hand now: `corners`, `zones`, or nothing."""
    chosen: int = 0
    """Which corner or which zone that is."""
    fine: bool = False
    """Whether it is moved by the smallest step."""
    ready: bool = False
    """Whether the table is found, so that it can be kept."""
    kept: bool = False


class Twins(Value, frozen=True):
    """Two cards that are hard to tell apart."""

    one: str
    other: str
    apart: float
    """By how much, as a share of what is plainly told apart; above 1 is easy."""
    advice: Sentence


class EnrolView(Value, frozen=True):
    """One moment of enrolling a deck."""

    game: str
    games: tuple[str, ...]
    phase: str
    """`choose` a game, `show` a card, `turn` it, `clash` with another card, `done` with the self-check."""
    hint: Sentence
    card: str = ""
    """The card that is asked for."""
    taken: int = 0
    total: int = 0
    """Cards enrolled, and of how many."""
    outline: Corners = ()
    """Where a card is seen now."""
    other: str = ""
    """In a clash: the card that this face was shown as before."""
    can_go_back: bool = False
    twins: tuple[Twins, ...] = ()
    read: str = ""
    """When done: the card that lies before the camera, as the new deck reads it."""
    spoken: tuple[int, Sentence | None] = (0, None)
    """What the voice says once for each number."""


class Spotted(Value, frozen=True):
    """A card in the camera's picture."""

    card: str
    """Empty: a card that is none of the deck."""
    confidence: float
    corners: Corners
    """From the card's own top left, clockwise."""
    why: str = ""
    """The best card, its rival and what was decided, for a terminal."""


class WatchView(Value, frozen=True):
    """What is read in the camera's newest picture."""

    deck: str
    """The game whose deck is read, or a deck's file."""
    games: tuple[str, ...]
    named: bool = True
    """Whether the catalogue has names for these cards."""
    trouble: Sentence | None = None
    seen: tuple[Spotted, ...] = ()
    """The surest first; cards that are none of the deck come last."""
    pictures: int = 0
    spent: Micros = 0
    """On this picture."""
    read: Micros = 0
    """On the last picture in which something had changed."""


@dataclass(frozen=True, slots=True)
class Bench:
    """What the page draws: the view, the camera's picture, and pictures of cards."""

    view: CalibrationView | EnrolView | WatchView
    camera: Any = field(default=None, compare=False)
    """Height × width × 3, BGR; the newest."""
    cards: tuple[tuple[str, Any], ...] = field(default=(), compare=False)
    """Card → its picture as it was enrolled, or as the plain deck has it."""


class Work(Value, frozen=True):
    """What somebody wants at the bench; `companion.ui.commands` has it among its commands."""

    what: str
    """`keep`, `method`, `game`, `aim`, `point`, `move`, `turn`, `next`, `fine`, `retake`, `back`, `mine`…"""
    values: tuple[str | int | float, ...] = ()


class Workshop(Protocol):
    """Whoever has the camera while no game is on."""

    def visit(self, page: str, game: str) -> None:
        """`calibrate`, `enrol` or `watch` begins; any other page ends it."""

    def work(self, wanted: Work) -> None:
        """Carried out with the next picture."""

    def bench(self) -> Bench | None:
        """What is seen there now; None if nothing is going on."""
