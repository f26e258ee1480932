"""Commands that pages send to the app."""

from typing import Literal

from companion.core.actions import Action, Chair, Options, Value
from companion.core.camera_tasks import CameraCommand
from companion.core.observations import ActionDeclared, ButtonPressed, HandShown, TableSeen
from companion.core.view import Sentence

CorrectedValue = TableSeen | ActionDeclared | HandShown | ButtonPressed | None
"""What an observation should have been, as in `CorrectionRequested`; None: it did not happen."""


class DeclareAction(Value, frozen=True):
    """A player chose an action on the screen."""

    action: Action


class ChairPress(Value, frozen=True):
    """A key or a touch in place of a chair's button."""

    chair: Chair
    down: bool
    source: str = "touch"
    """`touch` or `key`, which have different time resolutions."""


class SharedPress(Value, frozen=True):
    """A key or a touch in place of a shared button: back, next, ok."""

    button: str
    down: bool
    source: str = "touch"


class UndoRuling(Value, frozen=True):
    """Undo the last ruling."""

    done: bool = False
    """Whether the players confirmed that they put back what had to be put back."""


class RedoRuling(Value, frozen=True):
    """Redo the last ruling that was undone."""


class CorrectEntry(Value, frozen=True):
    """Correct entry `seq` to `truth`."""

    seq: int
    truth: CorrectedValue


class RepairTable(Value, frozen=True):
    """Set the state to what the players say is where."""

    table: tuple[tuple[str, str | int], ...]


class RereadTable(Value, frozen=True):
    """Have the camera read the whole table again."""


class PauseGame(Value, frozen=True):
    """Pause the game."""


class ContinueGame(Value, frozen=True):
    """Continue the paused game."""


class AbandonGame(Value, frozen=True):
    """End the game without a winner."""


class RevealHiddenCards(Value, frozen=True):
    """Show the hidden cards of a game that has ended; it cannot be resumed after that."""


class StartGame(Value, frozen=True):
    """Start a new game."""

    game: str
    chairs: tuple[Chair, ...]
    options: Options | None
    names: tuple[tuple[Chair, str], ...] = ()
    bot: bool = False
    """Whether a BOT deck is dealt."""


class ResumeGame(Value, frozen=True):
    """Resume a stored game."""

    game_id: str


class Rematch(Value, frozen=True):
    """Start another game with the same players and rules."""


class ShowPage(Value, frozen=True):
    """Go to a page: home, setup, prepare, game, games, settings, sound, buttons, recap, demo, phones.

    Or to the camera's: calibrate, enrol, watch and photo.
    """

    page: str
    game: str = ""
    """The game to set up or watch; empty: the last one."""


class ChangeSetting(Value, frozen=True):
    """Change what the screen has of the settings: language, volume, mute, brightness, level."""

    setting: str
    """A field of `UiState`."""
    value: str | int | float | bool


class ChangeSpeed(Value, frozen=True):
    """Let a demo run at this speed, in game seconds per real second."""

    speed: float


class TakeOverChair(Value, frozen=True):
    """Play a chair of a demo from now on."""

    chair: Chair


class LeaveOrQuit(Value, frozen=True):
    """Leave: from a demo back to where it was started, from the home page out of the program."""

    program: bool = False
    """Quit the program from any page."""


class SaveRecap(Value, frozen=True):
    """Save the recap of the finished game as a page in the games' folder."""


class CopyGames(Value, frozen=True):
    """Copy games and decks to the USB stick."""


class InstallUpdate(Value, frozen=True):
    """The update on the stick, to which somebody said yes as it was shown."""

    digest: str
    pin: str = ""
    """What was typed for the owner's."""


class SwitchOff(Value, frozen=True):
    """Switch the machine off."""


class SpeakSentences(Value, frozen=True):
    """Speak these sentences; none: repeat the last one."""

    sentences: tuple[Sentence, ...] = ()


class CompareVoices(Value, frozen=True):
    """Speak a sentence in every voice of the language, on the page on which one is chosen."""


class ReadPageAloud(Value, frozen=True):
    """Read the page's title and the focused control aloud."""


class StartLesson(Value, frozen=True):
    """Start a lesson, named by its file or its game."""

    lesson: str
    chairs: tuple[Chair, ...] = ()
    """Empty: as many chairs as the lesson needs, from the first on."""
    pupils: tuple[Chair, ...] = ()
    """The chairs that are taught, in turn; empty: all."""


class StartPractice(Value, frozen=True):
    """Start a practice game against simulated opponents, which is not stored."""

    game: str
    strength: str = "medium"
    """Strength of the opponents: easy, medium, strong."""
    is_open: bool = False
    """Whether all cards are shown."""
    players: int = 0
    """Number of players; 0: the usual number."""
    bot: bool = False
    """Whether a BOT deck is dealt."""


class ManagePhones(Value, frozen=True):
    """Let phones join or not; say yes or no to the phone that asks for a chair, or take the chair back."""

    what: Literal["open", "close", "yes", "no"]
    chair: Chair = -1


class LearnButtons(Value, frozen=True):
    """On the page that learns USB buttons: begin again, go on without the button, keep what was learnt."""

    what: Literal["again", "skip", "keep"]


class CallJudge(Value, frozen=True):
    """Ask the club's desk for a judge; if one is wanted, take that back."""


class ControlGuide(Value, frozen=True):
    """Control a lesson: next, again, skip, repeat, show, answer:2."""

    what: str


Command = (
    DeclareAction
    | ChairPress
    | SharedPress
    | UndoRuling
    | RedoRuling
    | CorrectEntry
    | RepairTable
    | RereadTable
    | PauseGame
    | ContinueGame
    | AbandonGame
    | RevealHiddenCards
    | StartGame
    | ResumeGame
    | Rematch
    | ShowPage
    | ChangeSetting
    | ChangeSpeed
    | TakeOverChair
    | ControlGuide
    | ManagePhones
    | LearnButtons
    | CallJudge
    | StartLesson
    | StartPractice
    | SpeakSentences
    | CompareVoices
    | ReadPageAloud
    | SaveRecap
    | CopyGames
    | InstallUpdate
    | SwitchOff
    | LeaveOrQuit
    | CameraCommand
)
