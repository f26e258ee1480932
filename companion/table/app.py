"""The main loop: inbox → session → page; glass → page → commands → session. One thread owns rules and screen.

The wait for the inbox is the frame's timer: a press wakes the loop at once, an idle table hardly ever.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from queue import Empty
from typing import Any

from msgspec.structs import replace

from companion.core import observations as ob
from companion.core.actions import SECOND, Chair, Micros
from companion.core.appliance import Appliance, Machine
from companion.core.camera_views import Work, Workshop
from companion.core.clock import Clock
from companion.core.debounce import Holds
from companion.core.errors import CompanionError
from companion.core.events import Infraction
from companion.core.one_button import Edge, Line
from companion.core.view import Sentence
from companion.referee.buttons import Buttons
from companion.referee.parts import caught
from companion.table.camera_news import CameraNews
from companion.table.frames import (
    OPEN_LOG,
    Common,
    bare_frame,
    game_frame,
    game_key,
    home_frame,
    recap_frame,
    setup_frame,
    trouble_of,
)
from companion.table.gathered import gathered, read_out
from companion.table.guarded import GuardedAppliance, GuardedWorkshop
from companion.table.host import Games, Guests, Host, OnlyADemo
from companion.table.observed import observation_of
from companion.table.rounds import rounds
from companion.table.session import Inbox, Session, drained
from companion.table.stage import Stage
from companion.ui import commands as do
from companion.ui.bench import BenchFrame
from companion.ui.frame import PALETTE, Frame, GameFrame
from companion.ui.glass import Draft, Glass
from companion.ui.inputs import Closed, Input, KeyPressed, Tap
from companion.ui.pages.base import Page
from companion.ui.pages.plain import PlainPage
from companion.ui.window import Window

log = logging.getLogger(__name__)

PUMP: Micros = SECOND // 30
"""How often the glass is asked for input when nothing moves."""
PUMP_IN_WINDOW: Micros = 4_000
"""While a timed window is open a touch is stamped when it is pumped."""
TROUBLE_SHOWN: Micros = 8 * SECOND
FAILED = Sentence("shared.trouble.other")
GAME_PAGES = frozenset({"game", "recap"})
"""Pages that need a game."""
GATHERING = frozenset({"home", "setup"})
"""Pages on which people sit down."""
OFF: Line = (None, "back")
"""The button that switches the machine off when it is held long enough."""
GLASS = frozenset({"key", "touch"})
"""Where a press comes from that was made on keyboard or screen."""
BENCHES = frozenset({"calibrate", "enrol", "watch"})
"""Pages that need the camera for themselves."""


class App:
    """Owns the glass and whichever game is on it."""

    def __init__(
        self,
        host: Host,
        *,
        window: Window,
        pages: Mapping[str, Page[Any]],
        clock: Clock,
        inbox: Inbox,
        glass: Glass,
        names: Mapping[Chair, str] | None = None,
        colours: tuple[str, ...] = PALETTE,
        session: Session | None = None,
        page: str = "home",
        again: do.Practice | None = None,
        games: Games | None = None,
        guests: Guests | None = None,
        recaps: Path | None = None,
        workshop: Workshop | None = None,
        appliance: Appliance | None = None,
    ) -> None:
        """`session` runs already, and `again` opens another of its kind; `recaps`: where they are kept."""
        self.host = self._own = host
        self._parts = parts = host.parts
        self._games = games
        self._guests = guests or Guests()
        self._recaps = recaps
        self._appliance = None if appliance is None else GuardedAppliance(appliance, parts)
        self._workshop = None if workshop is None else GuardedWorkshop(workshop, parts)
        self.session = session
        self.glass = glass
        self.page = page if session is None else "game"
        self.left = False
        self.window = window
        self._pages = pages
        plain = PlainPage(next(iter(pages.values())).screen)
        self._stage = Stage(pages, plain, parts, close=self._fold)
        self._clock = clock
        self._inbox = inbox
        self._names = dict(names or {})
        self._colours = colours
        self._without = Buttons(usual="page")
        """The buttons while there is no game; a game has them itself."""
        self._holds = Holds()
        """Of the presses that are the page's."""
        self._place: tuple[object, ...] = ()
        """What those presses were for."""
        self._looking = False
        """Whether something was shown that names everything, now that the game is over."""
        self._counting = False
        """Whether a window was open when that was last looked at."""
        self._judged: Micros = 0
        """All holds that were due up to this instant have been handled."""
        self._last_start: do.Start | do.Learn | do.Practice | None = again
        self._trouble: tuple[Micros, Sentence] | None = None
        self._known: tuple[Any, Frame] | None = None
        self._camera = CameraNews()
        self._read = ("", "")
        """What was read aloud last: the page, and what was marked on it."""
        if self.page == "home" and games is not None:
            self._try("Reading who sat here last", partial(self._sit_again, games))

    # The loop ---------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Until somebody leaves."""
        rounds(self)
        self.close()

    def close(self) -> None:
        """Everything of the game is written; closing twice is allowed."""
        session, self.session = self.session, None
        if session is not None:
            self.host.put_away(session)

    def turn(self) -> None:
        """One round: take input, act, judge, draw; what waits at the glass happened before."""
        self.pump()
        self.act()
        self.draw()
        self._tell_parts()

    def act(self) -> None:
        """What people, senses and rules do now."""
        self._parts.run("host", self._own.tick, None, stays=True)
        if (guest := self.host) is not self._own:
            self._parts.run("host", guest.tick, None, stays=True)
        if self._appliance is not None:
            self._appliance.tick(self._clock.now(), held=OFF in self._buttons.lit())
        for seen in self._drained():
            self._take(seen)
        if self.session is not None:
            self._tell_camera(self.session)
            self.session.step()
            self._unveil(self.session)
            self._note_looking()
        self._press_page()
        if self.session is None:
            self._light_setup()
            if self._games is not None:
                self._games.talk_on()
        self._judged = self._clock.now()
        glow = None if self._appliance is None else self._appliance.lamps()
        if glow is not None:
            self.host.show_lamps(glow)

    def look(self) -> None:
        """What happens at the glass now: input, then drawing."""
        self.pump()
        self.draw()

    def pump(self) -> None:
        """Take what was entered at the glass."""
        entered: list[Input] = self._parts.run("screen", self.window.pump, [], stays=True)
        for one in entered:
            self._handle(one)

    def wait(self) -> None:
        """Sleep in the inbox until something is reported or due."""
        timeout = self._clock.seconds_until(self.due())
        try:
            seen = self._inbox.get(timeout=timeout) if timeout > 0 else None
        except Empty:
            return
        if seen is not None:
            self._inbox.put(seen)  # at its end: what was sensed is ordered by stamp, not by its place in here

    def due(self) -> Micros:
        """When the next round is worth it, if nothing is reported before."""
        now = self._clock.now()
        session = self.session
        moving = self._stage.pace(self.page, self.frame())
        counting = session is not None and session.game.referee.rules.window_open(session.game.referee.state)
        dues = [now + (PUMP_IN_WINDOW if counting else min(PUMP, moving or PUMP)), self.host.next_due()]
        dues += [self._buttons.next_due() if session is None else session.next_due(), self._holds.due()]
        return min(due for due in dues if due is not None)

    @property
    def _own_games(self) -> Games:
        if self._games is None:
            raise OnlyADemo("this is a demo: companion play begins a game of your own")
        return self._games

    @property
    def _buttons(self) -> Buttons:
        return self._without if self.session is None else self.session.game.buttons

    def _take(self, seen: Edge | ob.Observation) -> None:
        """What was reported goes to the game; a press to the page where that has the button now."""
        if isinstance(seen, Edge) and seen.chair is None and seen.source not in GLASS:
            self.glass = replace(self.glass, buttons=True)
        if self.session is None:
            if isinstance(seen, Edge):
                self._without.edge(seen)
            return
        self.session.take(seen, aside=isinstance(seen, Edge) and seen.level and self._is_ours(seen))

    def _is_ours(self, edge: Edge) -> bool:
        """Whether this button is the page's now: shared ones are while something lies over the game."""
        stage, page, frame = self._stage, self.page, self.frame()
        return stage.takes_shared(page, frame) if edge.chair is None else stage.takes_chairs(page, frame)

    def _edge(self, line: Line, source: str, *, down: bool) -> Edge:
        """A key or a finger stands in for a button now."""
        edge = Edge(*line, level=down, at=self._clock.now(), source=source)
        return edge if down else self._buttons.let_go(edge, judged=self._judged)

    def _drained(self) -> Iterator[Edge | ob.Observation]:
        """What was reported, but for what concerns the program itself."""
        for seen in drained(self._inbox):
            if isinstance(seen, ob.ShutdownRequested):
                self.left = True
                continue
            self._camera.heard(seen)
            yield seen

    def _light_setup(self) -> None:
        """Without a game a lamp says who has joined, and which button is down."""
        joined = self.glass.draft.chairs if self.page in GATHERING else ()
        down = {chair for chair, _ in self._without.lit() if chair is not None}
        self.host.show_lamps(frozenset({*joined, *down}))

    def _unveil(self, session: Session) -> None:
        """A Stop, or a count that begins, puts away whatever lies over the table."""
        counting = session.game.referee.rules.window_open(session.game.referee.state)
        begins, self._counting = counting and not self._counting, counting
        if (session.summoned() or begins) and self.page == "game" and self.glass.overlay:
            self.glass = self.glass.bare()

    def _press_page(self) -> None:
        """The presses that are the page's; what leads to or from a game ends them."""
        now, session = self._clock.now(), self.session
        if session is None:
            judged = [seen for seen, whose in self._without.advance(now) if whose == "page"]
        else:
            judged, session.game.aside = session.game.aside, []
        for pressed in judged:
            if self.session is not session:
                return
            self._hold_page(pressed.at)  # a busy round may see press and release at once
            self._holds.seen(pressed)
            self._handle(pressed)
        self._hold_page(now)

    def _hold_page(self, until: Micros) -> None:
        """A hold counts only if page, overlay and card of the lesson are still those of its press."""
        page, frame = self._pages[self.page], self.frame()
        guide = frame.guide if isinstance(frame, GameFrame) else None
        place = (self.page, page.overlay(frame), guide and (guide.kind, guide.step, guide.since))
        if place != self._place:
            self._place = place
            self._holds.forget()
        for held in self._holds.advance(until):
            self._handle(held)

    # Drawing ----------------------------------------------------------------------------------------------

    def draw(self) -> bool:
        """Draw if there is anything new to see; whether there was."""
        now, frame, page = self._clock.now(), self.frame(), self.page
        if not self._stage.needs_redraw(page, frame, now):
            return False
        if self._stage.draw(page, self.window.surface, frame, now):
            self._parts.run("screen", self.window.flip, None, stays=True)
        if isinstance(frame, GameFrame) and self.session is not None:
            self.session.shown(frame.view.cue)
        return True

    def screenshot(self, path: Path) -> None:
        """Keep what is on the glass."""
        self.window.screenshot(path)

    def frame(self) -> Frame:
        """One frozen moment of everything that may be seen; the same object while nothing changes."""
        key = (self.page, self.glass, self._trouble_now(), *self._game_key())
        if self._known is None or self._known[0] != key:
            found = self._parts.run("frame", self._frame, None, stays=True)
            self._known = key, found or self._bare()
        return self._known[1]

    def _bare(self) -> Frame:
        """What is left to see where the frame could not be put together."""
        page = "home" if self.session is None else "game"
        if page != self.page:
            self.page = page
            self._fold()
        return bare_frame(self.session, self.glass, self._names, self._colours, self._trouble_now())

    def _fold(self) -> None:
        self.glass = self.glass.bare()

    def _game_key(self) -> tuple[Any, ...]:
        session = self.session
        if session is None:
            machine = None if self._appliance is None else self._appliance.machine()
            notes = () if self._games is None else self._games.notes()
            return (notes, self._without.lit(), machine, *self._bench_key())
        return game_key(session, self.host)

    def _bench_key(self) -> tuple[Any, ...]:
        bench = None if self._workshop is None else self._workshop.bench()
        return () if bench is None else (bench.view, id(bench.camera), tuple(map(id, bench.cards)))

    def _frame(self) -> Frame:
        common: Common = {
            "glass": self.glass,
            "names": self._names,
            "colours": self._colours,
            "trouble": self._trouble_now(),
        }
        session = self.session
        if session is not None and self.page == "recap":
            return recap_frame(session, common)
        if session is not None and self.page == "game":
            return game_frame(session, self.host, common)
        bench = None if self._workshop is None else self._workshop.bench()
        if bench is not None and self.page in BENCHES:
            return BenchFrame(**common, bench=bench)
        down = frozenset(chair for chair, _ in self._without.lit() if chair is not None)
        if self.page == "setup":
            return setup_frame(self._own_games.gathering(self.glass.draft.game), common, down)
        machine = Machine() if self._appliance is None else self._appliance.machine()
        return home_frame(self.page, self._games, common, machine, down)

    def _trouble_now(self) -> Sentence | None:
        """The most pressing thing the table has to know besides the game."""
        session, now = self.session, self._clock.now()
        pressing = None if self._appliance is None else self._appliance.notice(now)
        if pressing is None and session is not None:
            pressing = trouble_of(session, now)
        if pressing is not None:
            return pressing
        if self._trouble is not None and 0 <= now - self._trouble[0] < TROUBLE_SHOWN:
            return self._trouble[1]
        return None if session is None else self.host.trouble()

    # Handling ---------------------------------------------------------------------------------------------

    def _handle(self, entered: Any) -> None:
        if isinstance(entered, Closed) and not self._asks_first():
            self.left = True
            return
        before = self.glass.draft
        glass, wanted = self._stage.handle(self.page, entered, self.frame())
        if isinstance(entered, Tap | KeyPressed) and not any(
            isinstance(one, do.SharedPress) for one in wanted
        ):
            glass = replace(glass, buttons=False)
        self.glass = replace(glass, aloud=False) if isinstance(entered, Tap) else glass
        for command in wanted:
            self._try(f"Carrying out {type(command).__name__}", partial(self.carry_out, command))
        self._note_looking()
        if self.session is None and self._games is not None:
            self._try("Telling who is in", partial(self._tell_gathering, self._games, before))

    def _tell_gathering(self, games: Games, before: Draft) -> None:
        """Who sat down or got up, and when it can begin; what is marked, where that is read aloud."""
        after = self.glass.draft
        if self.page in GATHERING and after != before:
            games.tell(gathered(before, after, games.gathering(after.game).players))
        if self.glass.aloud:
            self._read_out(games)

    def _read_out(self, games: Games, *, again: bool = False) -> None:
        """The page where it is another one, and what is marked on it."""
        title, marked = self._stage.heard(self.page, self.frame())
        known = ("", "") if again else self._read
        self._read = title, marked
        fresh = [*([title] if title != known[0] else []), *([marked] if self._read != known else [])]
        games.tell([read_out(words) for words in fresh if words])

    def _asks_first(self) -> bool:
        """Whether a game is played here; a window that is closed again while that is asked closes."""
        playing = self.session is not None and self.session.view.outcome is None and self.page == "game"
        return playing and self.host.demo() is None and self.glass.overlay != "close"

    def _try(self, what: str, step: Callable[[], object]) -> bool:
        """Whether it succeeded; what stood in the way is told, and nothing else happens."""
        failure = caught(what, step)
        if failure is not None:
            trouble = failure.sentence() if isinstance(failure, CompanionError) else FAILED
            self._trouble = (self._clock.now(), trouble)
        return failure is None

    def _tell_parts(self) -> None:
        """Which parts failed, once: on the screen, and aloud where a game has a voice."""
        for sentence in self._parts.news():
            self._trouble = (self._clock.now(), sentence)
            if self.session is not None:
                self.session.voice.say([sentence])

    def _note_looking(self) -> None:
        """Have it written down once: the log is opened then, or stood open when the game was won."""
        looked, self._looking = self._looking, self._looks()
        if self._looking and not looked and self.session is not None:
            self.session.take(ob.Uncovered(at=self._clock.now()))

    def _looks(self) -> bool:
        """Whether somebody looks at what lay hidden in a game that is over: it cannot go on after that."""
        if self.session is None or not (self.page == "recap" or self.glass.overlay in OPEN_LOG):
            return False
        referee = self.session.game.referee
        return referee.rules.is_open(referee.state) and not referee.state.desk.uncovered

    def carry_out(self, command: do.Command) -> None:
        """Do what a page asked for."""
        match command:
            case do.Leave(program=True):
                self.left = True
            case do.Leave():
                self._leave()
            case do.Show():
                self._show(command.page, command.game)
            case do.Start():
                self._last_start = command
                self._open(lambda: self._own_games.start(command))
            case do.Learn():
                self._last_start = command
                self._open(lambda: self._own_games.learn(command))
            case do.Practice():
                self._last_start = command
                self._open(lambda: self._visit_practice(command))
            case do.Resume():
                self._open(lambda: self._own_games.resume(command.game_id))
            case do.Rematch() if self._last_start is not None:
                self.carry_out(self._last_start)
            case do.Rematch():
                self._show("setup")
            case do.Change():
                if command.setting in Glass.__struct_fields__:
                    self.glass = replace(self.glass, **{command.setting: command.value})
                if command.setting == "level" and self.session is not None and self.session.guide is not None:
                    self.session.guide.change(str(command.value))
                self.host.change(command.setting, command.value)
            case do.ReadAgain():
                self.host.read_again()
                told = "shared.CameraWentDark" if self.host.picture() is None else "ui.read_again.now"
                self._trouble = (self._clock.now(), Sentence(told))
            case do.SaveRecap() if self.session is not None:
                self._keep_recap(self.session)
            case do.CopyGames() if self._appliance is not None:
                self._appliance.copy()
            case do.SwitchOff() if self._appliance is not None:
                self._appliance.switch_off()
            case Work() if self._workshop is not None:
                self._workshop.work(command)
            case _:
                self._tell_game(command)

    def _tell_game(self, command: do.Command) -> None:
        session, now = self.session, self._clock.now()
        if isinstance(command, do.ChairPress):
            if command.down:
                self.host.seized(command.chair)
            self._take(self._edge((command.chair, "seat"), command.source, down=command.down))
            return
        if isinstance(command, do.SharedPress) and not command.down:
            self._take(self._edge((None, command.button), command.source, down=False))
            return
        if session is None:
            if isinstance(command, do.Tell) and self._games is not None:
                self._games.tell(command.sentences)
            if isinstance(command, do.ReadOut) and self._games is not None:
                self._read_out(self._games, again=True)
            return
        match command:
            case do.SharedPress():
                # Past the page: it is the game's.
                session.take(self._edge((None, command.button), command.source, down=True))
            case do.Guide() if session.guide is not None:
                session.guide.wanted(command.what)
            case do.Tell():
                last = () if session.spoken is None else (session.spoken,)
                session.voice.say(command.sentences or last)
            case do.Repair():
                self._repair(session, ob.TableDeclared(at=now, table=command.table))
            case _:
                if (told := observation_of(command, now)) is not None:
                    session.take(told)
                if isinstance(command, do.TakeBack) and command.done:
                    self.host.read_again()  # what lies there now is not what was read last

    def _repair(self, session: Session, said: ob.TableDeclared) -> None:
        """The table says how it stands; what cannot be stays on the glass, with the reason."""
        rules, state = session.game.referee.rules, session.game.referee.state
        wrong = next((event for event in rules.decide(state, said) if isinstance(event, Infraction)), None)
        session.take(said)
        reason = None if wrong is None else rules.sentence(state, wrong)
        if reason is None:
            self.glass = replace(self.glass, overlay="", declared=(), typed="")
        else:
            self._trouble = (said.at, reason)

    def _keep_recap(self, session: Session) -> None:
        from companion.table.save_recap import kept_recap

        def kept() -> None:
            if self._recaps is None or self.host.demo() is not None:
                raise OnlyADemo("this is a demo: nothing of it is kept")
            self._trouble = (self._clock.now(), kept_recap(session, self.glass.language, self._recaps))

        self._try("Keeping the recap", kept)

    def _open(self, opened: Callable[[], Session]) -> None:
        """Put a game on the glass; what stands in the way is told, and nothing else happens."""
        self._visit("", "")
        self._close_game()
        self._parts.anew()
        self._stage.anew()
        if not self._try("Opening the game", lambda: self._begin(opened())):
            self._close_game()
            if self.page in GAME_PAGES:
                self._show("home")
            return
        assert self.session is not None
        for seen in self._drained():
            if isinstance(seen, Edge):  # left from before this game, and stamped by another
                self._without.edge(seen)
        self.session.game.buttons.inherit(self._without)
        self._camera.game_begins()
        self._names = dict(self.session.game.referee.journal.header.names)
        self._note_seats(self.session)
        self.page = "game"
        self.glass = self.glass.bare()

    def _begin(self, session: Session) -> None:
        self.session = session
        if session.view.outcome is None:
            log.debug("%s begins", session.view.game)

    def _tell_camera(self, session: Session) -> None:
        blind, sees = session.game.referee.state.desk.blind, self.host.picture() is not None
        owed = self._camera.owed(blind=blind, sees=sees, now=self._clock.now())
        if owed is not None:
            session.take(owed)

    def _show(self, page: str, game: str = "") -> None:
        draft = self.glass.draft
        if page == "setup" and self._games is None:
            raise OnlyADemo("there is nothing to set up here: companion play begins a game of your own")
        if game and game != draft.game:
            # Whoever sat down stays; the house rules were the other game's.
            most = self._own_games.gathering(game).players[-1]
            draft = replace(draft, game=game, options=None, chairs=draft.chairs[:most])
            self.glass = replace(self.glass, draft=draft)
        if page in {"home", "setup", "games", "settings", "demo", *BENCHES}:
            self._close_game()
        if page == "demo":
            self._open(self._visit_demo)
            return
        self._visit(page, game or draft.game)
        self._stage.anew()
        self.page = page
        self.glass = self.glass.bare()

    def _sit_again(self, games: Games) -> None:
        """Who sat here last time sits here again, until they say otherwise."""
        last = games.last()
        self.glass = replace(self.glass, draft=last if last.game else self.glass.draft)

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
            self.left = self._own.demo() is not None
            self._close_game()
            self.page = "home"
            self.glass = self.glass.bare()
            return
        self.left = True

    def _close_game(self) -> None:
        if self.session is not None:
            session, self.session = self.session, None
            self._without = Buttons(usual="page")
            self._without.inherit(session.game.buttons)
            self._try("Putting the game away", lambda: self.host.put_away(session))
            self.host = self._own
