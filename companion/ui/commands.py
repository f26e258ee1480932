"""What pages ask for; the app carries it out."""

from __future__ import annotations

from companion.core.actions import Action, Chair, Options, Value
from companion.core.camera_views import Work
from companion.core.observations import ButtonPressed, Declared, HandShown, TableSeen
from companion.core.view import Sentence

Truth = TableSeen | Declared | HandShown | ButtonPressed | None
"""What a reading should have been, as in `Corrected`; None: it did not happen."""


class Say(Value, frozen=True):
    """Somebody chose this on the screen."""

    action: Action


class ChairPress(Value, frozen=True):
    """A key or a finger stands in for a chair's button."""

    chair: Chair
    down: bool
    source: str = "touch"
    """`touch` or `key`: each source has its own resolution."""


class SharedPress(Value, frozen=True):
    """A key or a finger stands in for a shared button: back, next, ok."""

    button: str
    down: bool
    source: str = "touch"


class TakeBack(Value, frozen=True):
    """Undo the last ruling."""

    done: bool = False
    """Whether something had to be put back on the table, and was."""


class PutBack(Value, frozen=True):
    """Redo what was taken back."""


class Correct(Value, frozen=True):
    """Entry `seq` should have been `truth`."""

    seq: int
    truth: Truth


class Repair(Value, frozen=True):
    """The table says what is where."""

    table: tuple[tuple[str, str | int], ...]


class ReadAgain(Value, frozen=True):
    """The camera reads the table afresh."""


class Pause(Value, frozen=True):
    """The game is paused."""


class Continue(Value, frozen=True):
    """The game goes on."""


class Abandon(Value, frozen=True):
    """The game ends here, without a winner."""


class Uncover(Value, frozen=True):
    """Look at everything that lies hidden in a game that has ended; it cannot go on after that."""


class Start(Value, frozen=True):
    """A new game."""

    game: str
    chairs: tuple[Chair, ...]
    options: Options | None
    names: tuple[tuple[Chair, str], ...] = ()
    bot: bool = False
    """Whether a deck is dealt that nobody holds."""


class Resume(Value, frozen=True):
    """Go on with a stored game."""

    game_id: str


class Rematch(Value, frozen=True):
    """The same people, the same rules, once more."""


class Show(Value, frozen=True):
    """Another page: home, setup, game, games, settings, recap, demo, calibrate, enrol, watch."""

    page: str
    game: str = ""
    """Which game is set up or watched; empty: the one before."""


class Change(Value, frozen=True):
    """A setting: language, volume, mute, brightness; in a demo also speed and paused."""

    setting: str
    value: str | int | float | bool


class Leave(Value, frozen=True):
    """Away from here: from a demo to where it was started, from home out of the program."""

    program: bool = False
    """Out of the program from wherever this is."""


class SaveRecap(Value, frozen=True):
    """The recap of the game that is over, as a page beside the games."""


class CopyGames(Value, frozen=True):
    """Games and decks onto the USB stick."""


class SwitchOff(Value, frozen=True):
    """Switch the machine off."""


class Tell(Value, frozen=True):
    """Say this aloud; without sentences: the last one again."""

    sentences: tuple[Sentence, ...] = ()


class ReadOut(Value, frozen=True):
    """Say what this page is, and what is marked on it."""


class Learn(Value, frozen=True):
    """A lesson, by its file or the name of its game."""

    lesson: str
    chairs: tuple[Chair, ...] = ()
    """Empty: the first chairs, as many as the lesson needs."""
    pupils: tuple[Chair, ...] = ()
    """Who learns, in turn; empty: everybody."""


class Practice(Value, frozen=True):
    """A game alone against simulated people, of which nothing is kept."""

    game: str
    strength: str = "medium"
    """Of the others: easy, medium, strong."""
    is_open: bool = False
    """Whether all cards lie open."""
    players: int = 0
    """How many sit at the table; 0: as many as usually."""
    bot: bool = False
    """Whether a deck is dealt that nobody holds."""


class Guide(Value, frozen=True):
    """Said to whoever teaches: next, again, skip, repeat, show, answer:2."""

    what: str


Command = (
    Say
    | ChairPress
    | SharedPress
    | TakeBack
    | PutBack
    | Correct
    | Repair
    | ReadAgain
    | Pause
    | Continue
    | Abandon
    | Uncover
    | Start
    | Resume
    | Rematch
    | Show
    | Change
    | Guide
    | Learn
    | Practice
    | Tell
    | ReadOut
    | SaveRecap
    | CopyGames
    | SwitchOff
    | Leave
    | Work
)
