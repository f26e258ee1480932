"""Abstract base class of what each game's rules define, with defaults.

What all games share of their rules is in `companion.core.rules`.
"""

from abc import ABC, abstractmethod
from collections.abc import Container, Hashable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

from companion.core import observations as ob
from companion.core.actions import Action, Chair, Cue, Micros, Options, Outcome, Prompt, Setup, Timer
from companion.core.events import Event
from companion.core.exhibits import Exhibit, PhotoFinish
from companion.core.game_status import BUTTON_EVENTS, S
from companion.core.narration import Narration
from companion.core.observations import Observation
from companion.core.view import View, ViewMode


class OpenFace(NamedTuple):
    """A card that lies open, whether or not somebody could read it."""

    place: str
    """Where: for `forget`, and for a place of the view as the view names it."""
    position: Hashable
    """Where among all positions of the game: another card that comes to lie there has another position, or
    nothing lies there in between. A card that moves and stays open may keep it."""
    is_known: bool = True
    """Whether the state says which card it is."""


class GameRules(Narration[S], ABC):
    """The part of the rules that each game writes: what must be there, and the rest with defaults.

    `S` is the game's state: what the referee knows.
    """

    players: ClassVar[range]
    """The possible numbers of players."""
    players_with_bot: ClassVar[range] = range(0)
    """The numbers of players with whom a BOT deck may be dealt."""
    default_players: ClassVar[int | None] = None
    """The number of players unless one is asked for; None: the smallest."""
    options: ClassVar[type[Options]]
    """The class of its house rules."""
    events: ClassVar[Any]
    """The union of all its events."""
    button_events: ClassVar[tuple[type[Event], ...]] = BUTTON_EVENTS
    """Events that only step through a list, or begin a choice, and so complete none."""
    former_defaults: ClassVar[Mapping[int, Mapping[str, Any]]] = MappingProxyType({})
    """Former defaults of house rules: revision of the rules → option → default."""
    forgets_first: ClassVar[bool] = False
    """Whether a correction judges on without the cards that were covered since: what may be done depends on
    which card lies open.
    """

    @abstractmethod
    def initial_state(self, setup: Setup) -> S:
        """The state before the first event."""

    @abstractmethod
    def prompts(self, state: S) -> tuple[Prompt, ...]:
        """Which players are asked to choose, and among which actions."""

    @abstractmethod
    def judge(self, state: S, action: Action, at: Micros) -> tuple[Event, ...]:
        """The ruling on an action, whether it is legal or not."""

    @abstractmethod
    def evolve_game(self, state: S, event: Event) -> S:
        """The state after one of this game's own events."""

    @abstractmethod
    def outcome(self, state: S) -> Outcome | None:
        """How the game ended; None while it goes on."""

    @abstractmethod
    def view(self, state: S, mode: ViewMode = ViewMode.PLAY) -> View:
        """The public view of a state."""

    @abstractmethod
    def find_violation(self, state: S) -> str | None:
        """The first invariant of docs/rules.md that the state violates, as a sentence; None: it is sound."""

    @abstractmethod
    def redact(self, state: S) -> S:
        """The state with every hidden card redacted. Whatever is made public depends on this alone."""

    def open_faces(self, state: S) -> Iterable[OpenFace]:
        """The cards that lie open, one per place; which ones must never depend on a hidden face.

        From them the referee derives which entry laid each (`companion.referee.faces`). It does not show what
        was covered since when rulings are undone, redone or corrected.
        """
        return ()

    def forget(self, state: S, place: str) -> Event | None:
        """The silent event that forgets the card in `place` until it is seen or named again.

        None: what lay open there stays public, and only a redo must not show it.
        """
        return None

    def persistent(self, state: S, now: S) -> Iterable[Event]:
        """Silent events for what a return to the earlier `state` leaves as it is: which buttons are down."""
        return ()

    def hand_count(self, setup: Setup) -> int:
        """Number of hands, BOT decks included, for which the mat is laid out."""
        return setup.players

    def valid_field_values(self, setup: Setup) -> Mapping[str, Container[Any]]:
        """Valid values of event fields, by the field's name; fields that are not listed may have any value.

        The events of an imported journal are checked against it.
        """
        return {}

    def judge_reading(self, state: S, seen: ob.TableSeen | ob.HandShown) -> tuple[Event, ...]:
        """The ruling on a reading of the camera."""
        return ()

    def judge_timer(self, state: S, timer: str, at: Micros) -> tuple[Event, ...]:
        """The ruling on a timer that expired."""
        return ()

    def judge_cue(self, state: S, cue: ob.CueHeard) -> tuple[Event, ...]:
        """The ruling on a cue's first beat."""
        return ()

    def judge_draw(self, state: S, lot: ob.RandomDraw) -> tuple[Event, ...]:
        """The ruling on a random draw."""
        return ()

    def judge_declaration(self, state: S, table: ob.TableDeclared) -> tuple[Event, ...]:
        """The ruling on what the players declared; `table` holds only what differs from the referee's belief.

        An action that a player chose on the screen, `ob.Declared`, comes to `judge` instead.
        """
        return ()

    def judge_race_press(self, state: S, chair: Chair, seen: ob.ButtonPressed) -> tuple[Event, ...] | None:
        """The ruling on a press in a race, where the resolution of its source counts; None: no race is on."""
        return None

    def judge_idle_press(self, state: S, chair: Chair, at: Micros) -> tuple[Event, ...]:
        """The ruling on a press of a chair without a prompt."""
        return ()

    def judge_idle_release(self, state: S, chair: Chair, at: Micros) -> tuple[Event, ...]:
        """The ruling on a release that ends no tap."""
        return ()

    def timer(self, state: S) -> Timer | None:
        """The next timer, as if the game were not paused."""
        return None

    def is_window_open(self, state: S) -> bool:
        """Whether a timed window is open; anything that interrupts one voids it."""
        return False

    def is_race_on(self, state: S) -> bool:
        """Whether presses compete for being first now, and no timer ends the race."""
        return False

    def is_press_a_report(self, state: S, chair: Chair) -> bool:
        """Whether a press of this chair now reports what the player did, such as raising a hand."""
        return self.is_window_open(state)

    def awaited_regions(self, state: S) -> frozenset[str]:
        """The regions that the camera must read with certainty now."""
        return frozenset()

    def awaited_draw(self, state: S) -> tuple[str, ...] | None:
        """The choices of a random draw that is due; None: no draw is due."""
        return None

    def awaited_cue(self, state: S) -> Cue | None:
        """The cue whose first beat opens the next timed window."""
        return None

    def extra_actions(self, state: S) -> Iterable[Action]:
        """Legal actions that no prompt lists, because they take touch or the camera instead of a button."""
        return ()

    def correction_choices(self, state: S, seen: Observation) -> Iterable[Action]:
        """The actions that a correction may put in place of `seen`."""
        return (action for prompt in self.prompts(state) for action in prompt.actions)

    def recap_statistics(self, standing: Iterable[Any]) -> tuple[tuple[str, int], ...]:
        """Statistics of a finished game: a name, worded by `ui.recap.<name>`, and its number."""
        return ()

    def photo_finishes(self, state: S, standing: Iterable[Any]) -> tuple[PhotoFinish, ...]:
        """The photo finishes of a game, oldest first; `standing`: its standing entries, newest first."""
        return ()

    def exhibit(self, state: S, standing: Iterable[Any]) -> Exhibit | None:
        """What the screen shows instead of the table, if anything; `standing`: as in `finishes`."""
        return None

    @classmethod
    def table_sizes(cls) -> tuple[tuple[int, bool], ...]:
        """All table sizes: number of players, and whether a BOT deck is dealt."""
        return (
            *((players, False) for players in cls.players),
            *((players, True) for players in cls.players_with_bot),
        )
