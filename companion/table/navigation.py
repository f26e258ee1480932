"""What is on the table and on the screen now, and every way to another game or page."""

import logging
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

from msgspec.structs import replace

from companion.core.actions import SECOND, Chair, Micros
from companion.core.errors import CompanionError
from companion.core.view import Sentence
from companion.referee.button_router import ButtonRouter
from companion.system.fault_isolation import run_and_log
from companion.table.host import DemoOnlyError, Games, Host
from companion.table.runtime import AppParts, Runtime
from companion.table.session import Session
from companion.ui import commands as do
from companion.ui.frame import GameDraft, PageFrame, UiState
from companion.ui.pages.base import Page
from companion.ui.pages.plain_pages import FallbackPage

T = TypeVar("T")

log = logging.getLogger(__name__)

GAME_PAGES = frozenset({"game", "recap"})
"""Pages that need a game."""
GATHERING_PAGES = frozenset({"home", "setup", "prepare"})
"""Pages on which people sit down, and make the table ready."""
CAMERA_PAGES = frozenset({"calibrate", "enrol", "watch", "photo"})
"""Pages that need the camera for themselves."""
PAGES_WITHOUT_GAME = (
    GATHERING_PAGES | CAMERA_PAGES | {"games", "settings", "sound", "voice", "buttons", "demo"}
)
"""Pages that end the game on the table."""
NOTICE_TIME: Micros = 8 * SECOND
UNKNOWN_FAILURE = Sentence("shared.trouble.other")


class Navigation:
    """Owns the game on the table, the page on the screen, and what people set there; one of each."""

    def __init__(
        self,
        host: Host,
        shared: Runtime,
        around: AppParts,
        *,
        pages: Mapping[str, Page[Any]],
        ui_state: UiState,
        names: Mapping[Chair, str],
        page: str,
    ) -> None:
        self.host = self.own_host = host
        """What the game is played on: the table's own host, or a guest until it is left."""
        self.games = around.games
        self.session = around.session
        self.page = page if self.session is None else "game"
        self.ui_state = ui_state
        self.names = dict(names)
        self.quit_requested = False
        self.idle_buttons = ButtonRouter(usual="page")
        """The buttons while there is no game; a game has them itself."""
        self._clock = shared.clock
        self._parts = shared.parts
        self._demo, self._practice = around.demo, around.practice
        self._camera_tasks = around.camera_tasks
        self._button_learning = around.button_learning
        self._last_start: do.StartGame | do.StartLesson | do.StartPractice | None = around.again
        self._newest_notice: tuple[Micros, Sentence] | None = None
        self._pages = pages
        self._plain = FallbackPage(next(iter(pages.values())).resources)
        self.failed_pages: set[str] = set()
        """The plain page stands in for these until somebody goes to a page."""
        self._plain_failed = False

    @property
    def own_games(self) -> Games:
        """What can be played at this table; raises `DemoOnlyError` where nothing can."""
        if self.games is None:
            raise DemoOnlyError("this is a demo: companion play begins a game of your own")
        return self.games

    @property
    def buttons(self) -> ButtonRouter:
        """The buttons as they are down now."""
        return self.idle_buttons if self.session is None else self.session.game.buttons

    def lit_chairs(self) -> frozenset[Chair]:
        """Without a game: who has joined, and whose button is down."""
        joined = self.ui_state.draft.chairs if self.page in GATHERING_PAGES else ()
        down = {chair for chair, _ in self.idle_buttons.debouncer.buttons_maybe_down() if chair is not None}
        return frozenset({*joined, *down})

    # The page on the screen -------------------------------------------------------------------------------

    def ask_page(self, frame: PageFrame, question: Callable[[Page[Any]], T], otherwise: T) -> T:
        """What the page says of `frame`, or the plain one in its place; `otherwise` if both fail.

        An overlay that fails is closed, and a page that fails is asked no more.
        """
        name = self.page
        fallen = name in self.failed_pages
        page = self._plain if fallen else self._pages[name]
        found: list[T] = []
        known = fallen and self._plain_failed
        if run_and_log(f"The page {name}", lambda: found.append(question(page)), known=known) is None:
            return found[0]
        if fallen:
            self._plain_failed = True
            return otherwise
        if frame.ui_state.overlay:
            self._parts.report_failure("overlay")
            self.close_overlay()
            return otherwise
        self.failed_pages.add(name)
        self._parts.report_failure("page")
        return self.ask_page(frame, question, otherwise)

    def close_overlay(self) -> None:
        """Close whatever is shown over the page."""
        self.ui_state = self.ui_state.without_overlay()

    # What is said of the program itself -------------------------------------------------------------------

    def show_notice(self, sentence: Sentence, *, aloud: bool = False) -> None:
        """Show this from now on, for `NOTICE_TIME`; `aloud`: and say it where a game has a voice."""
        self._newest_notice = (self._clock.now(), sentence)
        if aloud and self.session is not None:
            self.session.voice.say([sentence])

    def current_notice(self) -> Sentence | None:
        """The notice that is still shown."""
        newest = self._newest_notice
        return newest[1] if newest is not None and 0 <= self._clock.now() - newest[0] < NOTICE_TIME else None

    def attempt(self, what: str, step: Callable[[], object]) -> bool:
        """Whether `step` succeeded; what it raised is shown. `what` names it in the log."""
        failure = run_and_log(what, step)
        if failure is not None:
            told = failure.screen_sentence() if isinstance(failure, CompanionError) else UNKNOWN_FAILURE
            self.show_notice(told)
        return failure is None

    # Other games and pages --------------------------------------------------------------------------------

    def start(self, wanted: do.StartGame | do.StartLesson | do.StartPractice) -> None:
        """Begin a game of this kind; another is begun by `start_again`."""
        self._last_start = wanted
        self._open_game(partial(self._start_session, wanted))

    def start_again(self) -> None:
        """Another of the last kind; set-up where there was none."""
        if self._last_start is None:
            self.show_page("setup")
        else:
            self.start(self._last_start)

    def resume(self, game_id: str) -> None:
        """Go on with a stored game."""
        self._open_game(lambda: self.own_games.resume_game(game_id))

    def leave(self, *, program: bool = False) -> None:
        """Leave the game; without one, in a demo of its own, or if `program`, the program."""
        if program or self.session is None or self.page == "home":
            self.quit_requested = True
            return
        self.quit_requested = self.own_host.demo_info() is not None
        self._close_game()
        self.page = "home"
        self.close_overlay()

    def show_page(self, page: str, game: str = "") -> None:
        """Turn to a page; `game`: the game it is about, if not the one chosen last.

        Raises `DemoOnlyError` for set-up where no game can be begun.
        """
        draft = self.ui_state.draft
        if page == "setup" and self.games is None:
            raise DemoOnlyError("there is nothing to set up here: companion play begins a game of your own")
        if game and game != draft.game:
            # People who sat down stay; the house rules were the other game's.
            most = self.own_games.setup_limits(game).players[-1]
            draft = replace(draft, game=game, options=None, box="", chairs=draft.chairs[:most])
            self.ui_state = replace(self.ui_state, draft=draft)
        if page in PAGES_WITHOUT_GAME:
            self._close_game()
        if page in {"home", "setup"} and self.games is not None:
            self.games.reread_presets()  # its owner may have put a box there meanwhile
        if page == "setup":
            self.ui_state = replace(self.ui_state, draft=replace(self.ui_state.draft, chosen=True))
        if page == "demo":
            self._open_game(self._start_demo)
            return
        self._assign_parts(page, game or draft.game)
        self.failed_pages.clear()
        self.page = page
        self.close_overlay()

    def restore_seats(self, games: Games) -> None:
        """Who sat here last time sits here again, until they say otherwise."""
        last = games.last_draft()
        self.ui_state = replace(self.ui_state, draft=last if last.game else self.ui_state.draft)

    def close(self) -> None:
        """Everything of the game is written; closing twice is allowed."""
        session, self.session = self.session, None
        if session is not None:
            self.host.close_session(session)

    def _open_game(self, opened: Callable[[], Session]) -> None:
        """Put a game on the glass; what prevents it is shown, and nothing else happens."""
        self._assign_parts("", "")
        self._close_game()
        self._parts.reset()
        self.failed_pages.clear()
        if not self.attempt("Opening the game", lambda: self._set_session(opened())):
            self._close_game()
            if self.page in GAME_PAGES:
                self.show_page("home")
            return
        session = self.session
        assert session is not None
        self.names = dict(session.game.referee.journal.header.names)
        self._remember_seats(session)
        self.page = "game"
        self.close_overlay()

    def _start_session(self, command: do.StartGame | do.StartLesson | do.StartPractice) -> Session:
        match command:
            case do.StartGame():
                return self.own_games.start_game(command)
            case do.StartLesson():
                return self.own_games.start_lesson(command)
            case do.StartPractice():
                return self._start_practice(command)

    def _set_session(self, session: Session) -> None:
        self.session = session
        if session.view.outcome is None:
            log.debug("%s begins", session.view.game)

    def _remember_seats(self, session: Session) -> None:
        """Who plays now sat here last time, when the next game is chosen."""
        header, setup = session.game.referee.journal.header, session.game.referee.state.setup
        draft = self.ui_state.draft
        if header.kind == "game":
            same = draft.game == header.game
            seats = GameDraft(header.game, setup.chairs, header.names, setup.bot, last=setup.chairs)
            self.ui_state = replace(
                self.ui_state,
                draft=replace(seats, options=draft.options if same else None, box=draft.box if same else ""),
            )

    def _assign_parts(self, page: str, game: str) -> None:
        """Camera and USB buttons belong to this page, or to games again."""
        if self._camera_tasks is not None and (page in CAMERA_PAGES or self.page in CAMERA_PAGES):
            self._camera_tasks.open_page(page, game, self.ui_state.draft.box)
        if self._button_learning is not None and "buttons" in {page, self.page}:
            self._button_learning.open_page(page)

    def _start_demo(self) -> Session:
        """A demo is another host, until it is left."""
        if self._demo is None:
            raise DemoOnlyError("this is a demo already")
        self.host = guest = self._demo(self.ui_state.draft.game)
        return guest.session

    def _start_practice(self, wanted: do.StartPractice) -> Session:
        """Practice, too, is a host of its own until it is left."""
        if self._practice is None:
            raise DemoOnlyError("this is a demo: companion practice opens a game of your own")
        self.host = guest = self._practice(wanted)
        return guest.session

    def _close_game(self) -> None:
        if self.session is not None:
            session, self.session = self.session, None
            self.idle_buttons = ButtonRouter(usual="page")
            self.idle_buttons.take_over_from(session.game.buttons)
            self.attempt("Putting the game away", lambda: self.host.close_session(session))
            self.host = self.own_host
