"""Protocols of what the app runs on: a host, its parts, the games it offers."""

from collections.abc import Sequence
from typing import Any, Protocol

from msgspec import Struct

from companion.core.actions import SECOND, Chair, Micros, Options
from companion.core.errors import CompanionError
from companion.core.game import Preset
from companion.core.view import Sentence
from companion.table.session import Session
from companion.ui import commands as do
from companion.ui.frame import DemoInfo, GameDraft, GameOffer, StoredGame

DISTURBED_FOR: Micros = 8 * SECOND
"""How long it is said that a cable picked something up, or that presses may be lost."""


class DemoOnlyError(CompanionError):
    """Something was asked of a demo that only a table of one's own can do."""

    on_screen = "demo"


class SetupLimits(Struct, frozen=True):
    """What a table sets a game up with."""

    chairs: int
    """Chairs round the table."""
    players: range
    options: Options
    """The table's house rules."""
    mixed_sources: bool = False
    """Whether presses come from sources of different resolution."""


class Host(Protocol):
    """What a game is played on: buttons, lamps, camera and who sits there."""

    def tick(self) -> None:
        """Let the parts, or simulated people, act."""

    def next_due(self) -> Micros | None:
        """When `tick` has something to do."""

    def close_session(self, session: Session) -> None:
        """The game is left: everything of it is written."""

    def demo_info(self) -> DemoInfo | None:
        """How the demo runs, if this is one."""

    def take_over_chair(self, chair: Chair) -> None:
        """Somebody pressed a chair's button by key or touch: in a demo the chair is theirs."""

    def show_lamps(self, lit: frozenset[Chair]) -> None:
        """Light these chairs, whatever a game would light."""

    def needs_keyboard(self) -> bool:
        """Whether keys of the keyboard have to stand in for the chairs' buttons."""

    def is_stuck(self, chair: Chair | None, button: str) -> bool:
        """Whether a button was down before anybody could press it, so that no hold of it is meant."""

    def parts_trouble(self) -> Sentence | None:
        """What ails the parts while a game runs."""

    def picture(self) -> Any:
        """The newest picture of the table (height, width, 3), BGR; None without a camera."""

    def reread_table(self) -> None:
        """The camera reads the table again."""


class GuestHost(Host, Protocol):
    """A host with its own game, which runs already."""

    session: Session


class Games(Protocol):
    """What can be played at a table of one's own, and what was."""

    def list_offers(self, *, lessons: bool = False) -> tuple[GameOffer, ...]:
        """The games that can be played here; `lessons`: with those of each, which have to be read."""

    def unfinished_games(self) -> tuple[StoredGame, ...]:
        """The newest stored game that is not over, if there is one."""

    def last_draft(self) -> GameDraft:
        """What was played here last, and who sat where; nothing of it where nothing was."""

    def stored_games(self) -> tuple[StoredGame, ...]:
        """The stored games, newest first."""

    def warnings(self) -> tuple[Sentence, ...]:
        """What is missing at this table."""

    def voices(self, code: str) -> tuple[tuple[str, str], ...]:
        """The voice packs in a language: what `sound.voice_pack` says of each, and who speaks."""

    def sound_outputs(self) -> tuple[tuple[str, str], ...]:
        """What the voice may be heard from, each with how people call it."""

    def playing_output(self, wanted: str) -> str:
        """Which of them plays where the setting is `wanted`; `default`: the system chooses."""

    def lacks_board_line(self) -> bool:
        """Whether a sound board on a Pi's header would be silent for want of its line in config.txt."""

    def setup_limits(self, game: str) -> SetupLimits:
        """What set-up starts from."""

    def list_presets(self, game: str) -> tuple[tuple[Preset, ...], tuple[Sentence, ...]]:
        """The boxes of a game's cupboard, and what cannot be used; read once, until it is asked anew."""

    def reread_presets(self) -> None:
        """The cupboard may have changed."""

    def say(self, sentences: Sequence[Sentence]) -> None:
        """Say this aloud while no game runs."""

    def compare_voices(self, code: str) -> None:
        """Say one sentence in each voice of a language."""

    def continue_speaking(self) -> None:
        """Say what is next of it; called each round while no game runs."""

    def keep_setting(self, setting: str, value: str | int | float | bool) -> None:  # noqa: FBT001 (its value)
        """A setting was changed on the screen; `value` in the unit that the settings file has it in."""

    def start_game(self, wanted: do.StartGame) -> Session:
        """A new game; `CompanionError` says why not."""

    def resume_game(self, game_id: str) -> Session:
        """A stored game, to go on with."""

    def start_lesson(self, wanted: do.StartLesson) -> Session:
        """A lesson, on a journal in memory."""


class PageProcess(Protocol):
    """What runs the page for phones."""

    firewall_remedy: str
    """As in `PhoneTable`."""

    def start(self) -> None:
        """Have it run, and return at once; `CompanionError` says why it cannot."""

    def trouble(self) -> Sentence | None:
        """Why it does not run, once it was started."""
