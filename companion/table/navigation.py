"""Owns the current game with the current page, as well as every way to another one."""

import logging
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

from msgspec.structs import replace

from companion.core.actions import Chair, Micros
from companion.referee.button_router import ButtonRouter
from companion.system.fault_isolation import FaultIsolation, run_and_log
from companion.table.host import DemoOnlyError, Games, Host
from companion.table.notices import Notices
from companion.table.runtime import AppParts
from companion.table.session import Session
from companion.ui import commands as do
from companion.ui.frame import GameDraft, PageFrame, UiState
from companion.ui.pages.base import InputResult, Page
from companion.ui.pages.fallback import FallbackPage

T = TypeVar("T")


class PageGuard:
    """Asks the page that is on the glass, or the plain one in its place."""

    def __init__(
        self,
        pages: Mapping[str, Page[Any]],
        plain: Page[Any],
        parts: FaultIsolation,
        *,
        close: Callable[[], None],
    ) -> None:
        """`close` folds away whatever lies over the page."""
        self._pages = pages
        self._plain = plain
        self._parts = parts
        self._close = close
        self._failed: set[str] = set()
        self._plain_failed = False

    def reset(self) -> None:
        """Somebody went to a page: those that failed get another chance."""
        self._failed.clear()

    def redraw_interval(self, name: str, frame: PageFrame) -> Micros:
        return self._ask(name, frame, lambda page: page.redraw_interval(frame), 0)

    def takes_shared_buttons(self, name: str, frame: PageFrame) -> bool:
        return self._ask(name, frame, lambda page: page.takes_shared_buttons(frame), otherwise=False)

    def takes_chair_buttons(self, name: str, frame: PageFrame) -> bool:
        return self._ask(name, frame, lambda page: page.takes_chair_buttons(frame), otherwise=False)

    def describe_focus(self, name: str, frame: PageFrame) -> tuple[str, str]:
        return self._ask(name, frame, lambda page: page.describe_focus(frame), ("", ""))

    def needs_redraw(self, name: str, frame: PageFrame, now: Micros) -> bool:
        return self._ask(name, frame, lambda page: page.needs_redraw(frame, now), otherwise=True)

    def draw(self, name: str, surface: Any, frame: PageFrame, now: Micros) -> bool:
        """Whether the glass shows the frame."""

        def draw_page(page: Page[Any]) -> bool:
            page.draw(surface, frame, now)
            return True

        return self._ask(name, frame, draw_page, otherwise=False)

    def handle(self, name: str, entered: Any, frame: PageFrame) -> InputResult:
        nothing: InputResult = (frame.ui_state.without_overlay(), ())
        return self._ask(name, frame, lambda page: page.handle(entered, frame), nothing)

    def _ask(self, name: str, frame: PageFrame, question: Callable[[Page[Any]], T], otherwise: T) -> T:
        fallen = name in self._failed
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
            self._close()
            return otherwise
        self._failed.add(name)
        self._parts.report_failure("page")
        return self._ask(name, frame, question, otherwise)


log = logging.getLogger(__name__)

GAME_PAGES = frozenset({"game", "recap"})
"""Pages that need a game."""
CAMERA_PAGES = frozenset({"calibrate", "enrol", "watch"})
"""Pages that need the camera for themselves."""
PAGES_WITHOUT_GAME = frozenset({"home", "setup", "games", "settings", "demo"}) | CAMERA_PAGES
"""Pages that end the game on the table."""


class Navigation:
    """Owns the game on the table and the page on the screen; one at a time of each."""

    def __init__(
        self,
        host: Host,
        around: AppParts,
        *,
        pages: Mapping[str, Page[Any]],
        parts: FaultIsolation,
        notices: Notices,
        ui_state: UiState,
        names: Mapping[Chair, str],
        begins: Callable[[Session], None],
        page: str,
    ) -> None:
        """`begins` is called once a game is open."""
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
        plain = FallbackPage(next(iter(pages.values())).resources)
        self.page_guard = PageGuard(pages, plain, parts, close=self.close_overlay)
        self._parts = parts
        self._notices = notices
        self._begins = begins
        self._guests = around.guests
        self._workshop = around.workshop
        self._last_start: do.StartGame | do.StartLesson | do.StartPractice | None = around.again

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

    def close_overlay(self) -> None:
        """Close whatever is shown over the page."""
        self.ui_state = self.ui_state.without_overlay()

    def close(self) -> None:
        """Everything of the game is written; closing twice is allowed."""
        session, self.session = self.session, None
        if session is not None:
            self.host.close_session(session)

    def navigate(self, command: do.Command) -> bool:
        """Carry out a command that leads to another game or page; False for any other command."""
        match command:
            case do.LeaveOrQuit(program=True):
                self.quit_requested = True
            case do.LeaveOrQuit():
                self._leave()
            case do.ShowPage():
                self.show_page(command.page, command.game)
            case do.StartGame() | do.StartLesson() | do.StartPractice():
                self._last_start = command
                self._open_game(partial(self._start_session, command))
            case do.ResumeGame():
                self._open_game(lambda: self.own_games.resume_game(command.game_id))
            case do.Rematch() if self._last_start is not None:
                return self.navigate(self._last_start)
            case do.Rematch():
                self.show_page("setup")
            case _:
                return False
        return True

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
            draft = replace(draft, game=game, options=None, chairs=draft.chairs[:most])
            self.ui_state = replace(self.ui_state, draft=draft)
        if page in PAGES_WITHOUT_GAME:
            self._close_game()
        if page == "demo":
            self._open_game(self._start_demo)
            return
        self._assign_camera(page, game or draft.game)
        self.page_guard.reset()
        self.page = page
        self.close_overlay()

    def restore_seats(self, games: Games) -> None:
        """Who sat here last time sits here again, until they say otherwise."""
        last = games.last_draft()
        self.ui_state = replace(self.ui_state, draft=last if last.game else self.ui_state.draft)

    def _open_game(self, opened: Callable[[], Session]) -> None:
        """Put a game on the glass; what prevents it is shown, and nothing else happens."""
        self._assign_camera("", "")
        self._close_game()
        self._parts.reset()
        self.page_guard.reset()
        if not self._notices.attempt("Opening the game", lambda: self._set_session(opened())):
            self._close_game()
            if self.page in GAME_PAGES:
                self.show_page("home")
            return
        session = self.session
        assert session is not None
        self._begins(session)
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
        header, setup = session.game.referee.journal.header, session.game.referee.setup
        draft = self.ui_state.draft
        if header.kind == "game":
            options = draft.options if draft.game == header.game else None
            seats = GameDraft(header.game, setup.chairs, header.names, setup.bot, last=setup.chairs)
            self.ui_state = replace(self.ui_state, draft=replace(seats, options=options))

    def _assign_camera(self, page: str, game: str) -> None:
        """The camera belongs to this page, or to games again."""
        if self._workshop is not None and (page in CAMERA_PAGES or self.page in CAMERA_PAGES):
            self._workshop.open_page(page, game)

    def _start_demo(self) -> Session:
        """A demo is another host, until it is left."""
        if self._guests.demo is None:
            raise DemoOnlyError("this is a demo already")
        self.host = guest = self._guests.demo(self.ui_state.draft.game)
        return guest.session

    def _start_practice(self, wanted: do.StartPractice) -> Session:
        """Practice, too, is a host of its own until it is left."""
        if self._guests.practice is None:
            raise DemoOnlyError("this is a demo: companion practice opens a game of your own")
        self.host = guest = self._guests.practice(wanted)
        return guest.session

    def _leave(self) -> None:
        if self.session is not None and self.page != "home":
            self.quit_requested = self.own_host.demo_info() is not None
            self._close_game()
            self.page = "home"
            self.close_overlay()
            return
        self.quit_requested = True

    def _close_game(self) -> None:
        if self.session is not None:
            session, self.session = self.session, None
            self.idle_buttons = ButtonRouter(usual="page")
            self.idle_buttons.take_over_from(session.game.buttons)
            self._notices.attempt("Putting the game away", lambda: self.host.close_session(session))
            self.host = self.own_host
