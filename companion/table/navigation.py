"""Which game is on the table and which page is on the screen, and every way from one to the next."""

import logging
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from msgspec.structs import replace

from companion.core.actions import Chair
from companion.referee.buttons import Buttons
from companion.referee.parts import Parts
from companion.table.around import Around
from companion.table.host import Games, Host, OnlyADemo
from companion.table.notices import Notices
from companion.table.session import Session
from companion.table.stage import Stage
from companion.ui import commands as do
from companion.ui.glass import Draft, Glass
from companion.ui.pages.base import Page
from companion.ui.pages.plain import PlainPage

log = logging.getLogger(__name__)

GAME_PAGES = frozenset({"game", "recap"})
"""Pages that need a game."""
BENCHES = frozenset({"calibrate", "enrol", "watch"})
"""Pages that need the camera for themselves."""
WITHOUT_A_GAME = frozenset({"home", "setup", "games", "settings", "demo"}) | BENCHES
"""Pages that end the game on the table."""


class Navigation:
    """Owns the game on the table and the page on the screen; one at a time of each."""

    def __init__(
        self,
        host: Host,
        around: Around,
        *,
        pages: Mapping[str, Page[Any]],
        parts: Parts,
        notices: Notices,
        glass: Glass,
        names: Mapping[Chair, str],
        begins: Callable[[Session], None],
        page: str,
    ) -> None:
        """`begins` is called once a game is open."""
        self.host = self.own = host
        """What the game is played on: the table's own host, or a guest until it is left."""
        self.games = around.games
        self.session = around.session
        self.page = page if self.session is None else "game"
        self.glass = glass
        self.names = dict(names)
        self.left = False
        self.without = Buttons(usual="page")
        """The buttons while there is no game; a game has them itself."""
        plain = PlainPage(next(iter(pages.values())).screen)
        self.stage = Stage(pages, plain, parts, close=self.fold)
        self._parts = parts
        self._notices = notices
        self._begins = begins
        self._guests = around.guests
        self._workshop = around.workshop
        self._last_start: do.Start | do.Learn | do.Practice | None = around.again

    @property
    def own_games(self) -> Games:
        """What can be played at this table; raises `OnlyADemo` where nothing can."""
        if self.games is None:
            raise OnlyADemo("this is a demo: companion play begins a game of your own")
        return self.games

    @property
    def buttons(self) -> Buttons:
        """The buttons as they are down now."""
        return self.without if self.session is None else self.session.game.buttons

    def fold(self) -> None:
        """Close whatever is shown over the page."""
        self.glass = self.glass.bare()

    def close(self) -> None:
        """Everything of the game is written; closing twice is allowed."""
        session, self.session = self.session, None
        if session is not None:
            self.host.put_away(session)

    def go(self, command: do.Command) -> bool:
        """Carry out a command that leads to another game or page; False for any other command."""
        match command:
            case do.Leave(program=True):
                self.left = True
            case do.Leave():
                self._leave()
            case do.Show():
                self.show(command.page, command.game)
            case do.Start() | do.Learn() | do.Practice():
                self._last_start = command
                self._open(partial(self._started, command))
            case do.Resume():
                self._open(lambda: self.own_games.resume(command.game_id))
            case do.Rematch() if self._last_start is not None:
                return self.go(self._last_start)
            case do.Rematch():
                self.show("setup")
            case _:
                return False
        return True

    def show(self, page: str, game: str = "") -> None:
        """Turn to a page; `game`: the game it is about, if not the one chosen last.

        Raises `OnlyADemo` for set-up where no game can be begun.
        """
        draft = self.glass.draft
        if page == "setup" and self.games is None:
            raise OnlyADemo("there is nothing to set up here: companion play begins a game of your own")
        if game and game != draft.game:
            # People who sat down stay; the house rules were the other game's.
            most = self.own_games.gathering(game).players[-1]
            draft = replace(draft, game=game, options=None, chairs=draft.chairs[:most])
            self.glass = replace(self.glass, draft=draft)
        if page in WITHOUT_A_GAME:
            self._close_game()
        if page == "demo":
            self._open(self._visit_demo)
            return
        self._visit(page, game or draft.game)
        self.stage.reset()
        self.page = page
        self.fold()

    def seat_as_before(self, games: Games) -> None:
        """Who sat here last time sits here again, until they say otherwise."""
        last = games.last()
        self.glass = replace(self.glass, draft=last if last.game else self.glass.draft)

    def _open(self, opened: Callable[[], Session]) -> None:
        """Put a game on the glass; what prevents it is shown, and nothing else happens."""
        self._visit("", "")
        self._close_game()
        self._parts.reset()
        self.stage.reset()
        if not self._notices.attempt("Opening the game", lambda: self._begin(opened())):
            self._close_game()
            if self.page in GAME_PAGES:
                self.show("home")
            return
        session = self.session
        assert session is not None
        self._begins(session)
        self.names = dict(session.game.referee.journal.header.names)
        self._note_seats(session)
        self.page = "game"
        self.fold()

    def _started(self, command: do.Start | do.Learn | do.Practice) -> Session:
        match command:
            case do.Start():
                return self.own_games.start(command)
            case do.Learn():
                return self.own_games.learn(command)
            case do.Practice():
                return self._visit_practice(command)

    def _begin(self, session: Session) -> None:
        self.session = session
        if session.view.outcome is None:
            log.debug("%s begins", session.view.game)

    def _note_seats(self, session: Session) -> None:
        """Who plays now sat here last time, when the next game is chosen."""
        header, setup = session.game.referee.journal.header, session.game.referee.setup
        draft = self.glass.draft
        if header.kind == "game":
            options = draft.options if draft.game == header.game else None
            seats = Draft(header.game, setup.chairs, header.names, setup.bot, last=setup.chairs)
            self.glass = replace(self.glass, draft=replace(seats, options=options))

    def _visit(self, page: str, game: str) -> None:
        """The camera belongs to this page, or to games again."""
        if self._workshop is not None and (page in BENCHES or self.page in BENCHES):
            self._workshop.visit(page, game)

    def _visit_demo(self) -> Session:
        """A demo is another host, until it is left."""
        if self._guests.demo is None:
            raise OnlyADemo("this is a demo already")
        self.host = guest = self._guests.demo(self.glass.draft.game)
        return guest.session

    def _visit_practice(self, wanted: do.Practice) -> Session:
        """Practice, too, is a host of its own until it is left."""
        if self._guests.practice is None:
            raise OnlyADemo("this is a demo: companion practice opens a game of your own")
        self.host = guest = self._guests.practice(wanted)
        return guest.session

    def _leave(self) -> None:
        if self.session is not None and self.page != "home":
            self.left = self.own.demo() is not None
            self._close_game()
            self.page = "home"
            self.fold()
            return
        self.left = True

    def _close_game(self) -> None:
        if self.session is not None:
            session, self.session = self.session, None
            self.without = Buttons(usual="page")
            self.without.inherit(session.game.buttons)
            self._notices.attempt("Putting the game away", lambda: self.host.put_away(session))
            self.host = self.own
