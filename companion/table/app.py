"""The main loop: inbox → session → page; glass → page → commands → session. One thread owns rules and screen.

The wait for the inbox is the frame's timer: a press wakes the loop at once, an idle table hardly ever.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from companion.core import observations as ob
from companion.core.actions import Chair, Micros
from companion.core.camera_views import Work
from companion.core.clock import Clock
from companion.core.one_button import Edge, Line
from companion.core.view import Sentence
from companion.referee.loop import PACE
from companion.table.around import Around
from companion.table.camera_news import CameraNews
from companion.table.frame_now import FrameNow
from companion.table.game_commands import keep_recap, repair, tell_game
from companion.table.gathered import SittingDown
from companion.table.guarded import guarded
from companion.table.host import Host
from companion.table.looked_at import LookedAt
from companion.table.navigation import Navigation
from companion.table.notices import Notices
from companion.table.outside import Outside
from companion.table.page_presses import PagePresses
from companion.table.public import PublicTable
from companion.table.rounds import rounds
from companion.table.session import Inbox, Session, drained, wait_in
from companion.ui import commands as do
from companion.ui.frame import PALETTE, Frame, GameFrame
from companion.ui.glass import Glass
from companion.ui.inputs import Closed, Input, KeyPressed, Tap
from companion.ui.pages.base import Page
from companion.ui.window import Window

PUMP = PACE
"""How often the glass is asked for input when nothing moves."""
PUMP_IN_WINDOW: Micros = 4_000
"""While a timed window is open a touch is stamped when it is pumped."""
OFF: Line = (None, "back")
"""The button that switches the machine off when it is held long enough."""
GLASS = frozenset({"key", "touch"})
"""Where a press comes from that was made on keyboard or screen."""


class App:
    """Owns the glass and whichever game is on it."""

    def __init__(
        self,
        host: Host,
        around: Around,
        *,
        window: Window,
        pages: Mapping[str, Page[Any]],
        clock: Clock,
        inbox: Inbox,
        glass: Glass,
        names: Mapping[Chair, str] | None = None,
        colours: tuple[str, ...] = PALETTE,
        page: str = "home",
        recaps: Path | None = None,
    ) -> None:
        """`recaps`: the folder where they are kept."""
        self._parts = parts = host.parts
        self._appliance = around.appliance and guarded("appliance", around.appliance, parts)
        self._workshop = around.workshop and guarded("bench", around.workshop, parts)
        around = around._replace(appliance=self._appliance, workshop=self._workshop)
        self.notices = Notices(clock, parts, self._appliance)
        self.at = Navigation(
            host,
            around,
            pages=pages,
            parts=parts,
            notices=self.notices,
            glass=glass,
            names=names or {},
            begins=self._begins,
            page=page,
        )
        self._frames = FrameNow(self.at, self.notices, parts, around, colours=colours)
        self._outside = Outside(self.at, self.notices, parts, around)
        if around.door is not None:
            self._outside.public = PublicTable(around.door, colours)
        self._recaps = recaps
        self.window = window
        self._pages = pages
        self._clock = clock
        self._inbox = inbox
        self._presses = PagePresses(self.at, pages, frame=self.frame, handle=self._handle)
        self._looked_at = LookedAt(self.at)
        self._counting = False
        """Whether a window was open when that was last looked at."""
        self._judged: Micros = 0
        """All holds that were due up to this instant have been handled."""
        self._camera = CameraNews()
        self._sitting = SittingDown(self.at, self.frame)
        if self.page == "home" and around.games is not None:
            seat = partial(self.at.seat_as_before, around.games)
            self.notices.attempt("Reading who sat here last", seat)

    @property
    def host(self) -> Host:
        """What the game is played on now."""
        return self.at.host

    @property
    def session(self) -> Session | None:
        """The game that is on the table."""
        return self.at.session

    @property
    def page(self) -> str:
        """The name of the page that is on the screen."""
        return self.at.page

    @property
    def glass(self) -> Glass:
        """What people set at the screen."""
        return self.at.glass

    @property
    def left(self) -> bool:
        """Whether somebody left the program."""
        return self.at.left

    # The loop ---------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Until somebody leaves."""
        rounds(self)
        self.close()

    def close(self) -> None:
        """Everything of the game is written; closing twice is allowed."""
        self.at.close()

    def turn(self) -> None:
        """One round: take input, act, judge, draw; what waits at the glass happened before."""
        self.pump()
        self.act()
        self.draw()
        self.notices.tell_failed_parts(self.session)

    def act(self) -> None:
        """What people, senses and rules do now."""
        self._parts.run("host", self.at.own.tick, None, stays=True)
        if (guest := self.host) is not self.at.own:
            self._parts.run("host", guest.tick, None, stays=True)
        if self._appliance is not None:
            self._appliance.tick(self._clock.now(), held=OFF in self.at.buttons.lit())
        for seen in self._drained():
            self._take(seen)
        self._outside.take_in()
        glow = self._glow()
        if self.session is not None:
            self._tell_camera(self.session)
            self.session.glow = glow
            self.session.step()
            self._unveil(self.session)
            self._looked_at.note(self._clock.now())
        self._presses.judge(self._as_of())
        if self.session is None:
            self.host.show_lamps(self._sitting.lit() if glow is None else glow)
            if self.at.games is not None:
                self.at.games.talk_on()
        self._judged = self._as_of()
        self._outside.tell(self._clock.now())

    def _as_of(self) -> Micros:
        """The instant as of which presses are judged now: the game's may lie back for a moment."""
        return self._clock.now() if self.session is None else self.session.game.as_of

    def _glow(self) -> frozenset[Chair] | None:
        """The lamps, where they say what no game does: how long a hold still lasts, who is asked for."""
        held = None if self._appliance is None else self._appliance.lamps()
        return self._outside.lamps() if held is None else held

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
        wait_in(self._inbox, self._clock, self.due())

    def due(self) -> Micros:
        """When the next round is worth it, if nothing is reported before."""
        now = self._clock.now()
        session = self.session
        moving = self.at.stage.pace(self.page, self.frame())
        counting = session is not None and session.game.referee.rules.window_open(session.game.referee.state)
        dues = [now + (PUMP_IN_WINDOW if counting else min(PUMP, moving or PUMP)), self.host.next_due()]
        dues += [self.at.buttons.next_due() if session is None else session.next_due(), self._presses.due()]
        return min(due for due in dues if due is not None)

    def _take(self, seen: Edge | ob.Observation) -> None:
        """What was reported goes to the game; a press to the page where that has the button now."""
        if isinstance(seen, Edge) and seen.chair is None and seen.source not in GLASS:
            self.at.glass = replace(self.glass, buttons=True)
        if self.session is None:
            if isinstance(seen, Edge):
                self.at.without.edge(seen)
            return
        self.session.take(seen, aside=isinstance(seen, Edge) and seen.level and self._is_ours(seen))

    def _is_ours(self, edge: Edge) -> bool:
        """Whether this button is the page's now: shared ones are while something lies over the game."""
        stage, page, frame = self.at.stage, self.page, self.frame()
        return stage.takes_shared(page, frame) if edge.chair is None else stage.takes_chairs(page, frame)

    def _edge(self, line: Line, source: str, *, down: bool) -> Edge:
        """A key or a finger stands in for a button now."""
        edge = Edge(*line, level=down, at=self._clock.now(), source=source)
        return edge if down else self.at.buttons.let_go(edge, judged=self._judged)

    def _drained(self) -> Iterator[Edge | ob.Observation]:
        """What was reported, but for what concerns the program itself."""
        for seen in drained(self._inbox):
            if isinstance(seen, ob.ShutdownRequested):
                self.at.left = True
                continue
            self._camera.heard(seen)
            yield seen

    def _unveil(self, session: Session) -> None:
        """A Stop, or a count that begins, puts away whatever lies over the table."""
        counting = session.game.referee.rules.window_open(session.game.referee.state)
        begins, self._counting = counting and not self._counting, counting
        if (session.summoned() or begins) and self.page == "game" and self.glass.overlay:
            self.at.fold()

    # Drawing ----------------------------------------------------------------------------------------------

    def draw(self) -> bool:
        """Draw if there is anything new to see; whether there was."""
        now, frame, page = self._clock.now(), self.frame(), self.page
        if not self.at.stage.needs_redraw(page, frame, now):
            return False
        if self.at.stage.draw(page, self.window.surface, frame, now):
            self._parts.run("screen", self.window.flip, None, stays=True)
        if self.session is not None:
            view = frame.view if isinstance(frame, GameFrame) and not frame.glass.overlay else None
            self.session.shown(view, now)
        return True

    def screenshot(self, path: Path) -> None:
        """Keep what is on the glass."""
        self.window.screenshot(path)

    def frame(self) -> Frame:
        """One frozen moment of everything that may be seen; the same object while nothing changes."""
        return self._frames.frame()

    # Handling ---------------------------------------------------------------------------------------------

    def _handle(self, entered: Any) -> None:
        if isinstance(entered, Closed) and not self._asks_first():
            self.at.left = True
            return
        before = self.glass.draft
        glass, wanted = self.at.stage.handle(self.page, entered, self.frame())
        if isinstance(entered, Tap | KeyPressed) and not any(
            isinstance(one, do.SharedPress) for one in wanted
        ):
            glass = replace(glass, buttons=False)
        self.at.glass = replace(glass, aloud=False) if isinstance(entered, Tap) else glass
        for command in wanted:
            self.notices.attempt(f"Carrying out {type(command).__name__}", partial(self.carry_out, command))
        self._looked_at.note(self._clock.now())
        if self.session is None and self.at.games is not None:
            self.notices.attempt("Telling who is in", partial(self._sitting.tell, self.at.games, before))

    def _asks_first(self) -> bool:
        """Whether a game is played here; a window that is closed again while that is asked closes."""
        playing = self.session is not None and self.session.view.outcome is None and self.page == "game"
        return playing and self.host.demo() is None and self.glass.overlay != "close"

    def carry_out(self, command: do.Command) -> None:
        """Do what a page asked for."""
        if self.at.go(command):
            return
        match command:
            case do.Change():
                if command.setting in Glass.__struct_fields__:
                    self.at.glass = replace(self.glass, **{command.setting: command.value})
                if command.setting == "level" and self.session is not None and self.session.guide is not None:
                    self.session.guide.change(str(command.value))
                self.host.change(command.setting, command.value)
            case do.ReadAgain():
                self.host.read_again()
                told = "shared.CameraWentDark" if self.host.picture() is None else "ui.read_again.now"
                self.notices.show(Sentence(told))
            case do.SaveRecap() if self.session is not None:
                saved = partial(keep_recap, self.session, self.host, self.glass.language, self._recaps)
                self.notices.attempt("Keeping the recap", lambda: self.notices.show(saved()))
            case do.Phones() | do.CallJudge():
                self._outside.carry_out(command)
            case do.CopyGames() if self._appliance is not None:
                self._appliance.copy()
            case do.Install() if self._appliance is not None:
                self._appliance.install(command.digest, command.pin)
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
            if isinstance(command, do.Tell) and self.at.games is not None:
                self.at.games.tell(command.sentences)
            if isinstance(command, do.ReadOut) and self.at.games is not None:
                self._sitting.read(self.at.games, again=True)
            return
        if isinstance(command, do.SharedPress):
            # Past the page: it is the game's.
            session.take(self._edge((None, command.button), command.source, down=True))
        elif isinstance(command, do.Repair):
            self._repair(session, ob.TableDeclared(at=now, table=command.table))
        else:
            tell_game(session, self.host, command, now)

    def _repair(self, session: Session, said: ob.TableDeclared) -> None:
        """The table says how it stands; what cannot be stays on the glass, with the reason."""
        reason = repair(session, said)
        if reason is None:
            self.at.glass = replace(self.glass, overlay="", declared=(), typed="")
        else:
            self.notices.show(reason)

    def _begins(self, session: Session) -> None:
        """A game is open: its buttons are down as they were, and the camera has news for it."""
        for seen in self._drained():
            if isinstance(seen, Edge):  # left from before this game, and stamped by another
                self.at.without.edge(seen)
        session.game.buttons.inherit(self.at.without)
        self._camera.game_begins()

    def _tell_camera(self, session: Session) -> None:
        blind, sees = session.game.referee.state.desk.blind, self.host.picture() is not None
        owed = self._camera.owed(blind=blind, sees=sees, now=self._clock.now())
        if owed is not None:
            session.take(owed)
