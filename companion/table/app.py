"""The main loop: takes input, lets the game judge, draws the page; one thread does it all.

One thread owns rules and screen.

The wait for the inbox is the frame's timer: a press wakes the loop at once, an idle table hardly ever.
"""

from collections.abc import Callable, Container, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from companion.core import observations as ob
from companion.core.actions import PALETTE, Chair, Micros
from companion.core.camera_tasks import CameraCommand
from companion.core.clock import Clock
from companion.core.debounce import HoldDetector
from companion.core.events import Infraction
from companion.core.switch import ButtonId, Edge
from companion.core.view import Sentence
from companion.referee.loop import PACE, Inbox
from companion.table.frame_cache import FrameCache
from companion.table.frames import LOG_OVERLAYS
from companion.table.guarded_parts import guard_part
from companion.table.host import DemoOnlyError, Games, Host
from companion.table.navigation import Navigation
from companion.table.notices import Notices
from companion.table.remote.connections import Connections
from companion.table.remote.public_view import PublicTable
from companion.table.runtime import AppParts, run_loop
from companion.table.session import Session, drain_inbox, wait_for_report
from companion.ui import commands as do
from companion.ui.frame import GameDraft, GameFrame, PageFrame, UiState
from companion.ui.pages.base import Page
from companion.ui.toolkit.inputs import CloseRequested, FingerDown, Input, KeyPressed
from companion.ui.toolkit.window import Window


class HiddenCardsWatch:
    """Has it written down once: the log is opened then, or was open when the game was won."""

    def __init__(self, navigation: Navigation) -> None:
        self._at = navigation
        self._looking = False

    def check(self, now: Micros) -> None:
        """Ask again; the game hears of a look that begins."""
        looked, self._looking = self._looking, self._is_viewing()
        if self._looking and not looked and self._at.session is not None:
            self._at.session.submit(ob.HiddenCardsViewed(at=now))

    def _is_viewing(self) -> bool:
        session = self._at.session
        if session is None or not (self._at.page == "recap" or self._at.ui_state.overlay in LOG_OVERLAYS):
            return False
        referee = session.game.referee
        return referee.rules.is_open(referee.state) and not referee.state.desk.uncovered


class CameraStatus:
    """What was last heard of the camera, and whether the game on the table knows it."""

    def __init__(self) -> None:
        self._lost: ob.CameraLost | None = None
        self._told = False

    def note_report(self, seen: object) -> None:
        """What was reported; it reaches the game that is on the table by itself."""
        match seen:
            case ob.CameraLost():
                self._lost, self._told = seen, True
            case ob.CameraRecovered():
                self._lost, self._told = None, True

    def reset_for_game(self) -> None:
        """A game that may believe otherwise."""
        self._told = False

    def take_pending_report(self, *, blind: bool, sees: bool, now: Micros) -> ob.Observation | None:
        """What the game has yet to hear, once: it began without the camera, or goes on with one that is back.

        `blind`: the game believes that the camera is lost; `sees`: there is a picture.
        """
        if self._told or (self._lost is None and not sees):
            return None
        self._told = True
        if self._lost is not None:
            return None if blind else replace(self._lost, at=now)
        return ob.CameraRecovered(at=now) if blind else None


class PagePresses:
    """Hands presses and holds to the page in the order in which they happened."""

    def __init__(
        self,
        navigation: Navigation,
        pages: Mapping[str, Page[Any]],
        *,
        frame: Callable[[], PageFrame],
        handle: Callable[[Any], None],
    ) -> None:
        """`frame` is the frame now; `handle` has the page take a press or a hold."""
        self._at = navigation
        self._pages = pages
        self._frame = frame
        self._handle = handle
        self._holds = HoldDetector()
        self._place: tuple[object, ...] = ()
        """What the presses that are down were for."""

    def next_due(self) -> Micros | None:
        """When the next hold is long enough."""
        return self._holds.next_due()

    def hand_over_presses(self, now: Micros) -> None:
        """Hand over what was pressed and held up to now; what leads to or from a game ends them."""
        session = self._at.session
        if session is None:
            judged = [seen for seen, whose in self._at.idle_buttons.advance(now) if whose == "page"]
        else:
            judged, session.game.page_presses = session.game.page_presses, []
        for pressed in judged:
            if self._at.session is not session:
                return
            self._hand_over_holds(pressed.at)  # a busy round may see press and release at once
            self._holds.note_observation(pressed)
            self._handle(pressed)
        if self._holds.next_due() is not None:  # what nobody holds is for no page: most rounds end here
            self._hand_over_holds(now)

    def _hand_over_holds(self, until: Micros) -> None:
        """A hold counts only if page, overlay and lesson card are still those of its press."""
        page, frame = self._pages[self._at.page], self._frame()
        guide = frame.guide if isinstance(frame, GameFrame) else None
        place = (self._at.page, page.active_overlay(frame), guide and (guide.kind, guide.step, guide.since))
        if place != self._place:
            self._place = place
            self._holds.clear()
        for held in self._holds.advance(until):
            self._handle(held)


GATHERING = frozenset({"home", "setup"})
"""Pages on which people sit down."""
READY, FREE = Sentence("setup.ready"), Sentence("setup.out")


def seating_changes(before: GameDraft, after: GameDraft, players: Container[int]) -> tuple[Sentence, ...]:
    """What changed from one draft to the next; `players`: how many the game is for."""
    told = []
    if after.game != before.game:
        told.append(Sentence(f"{after.game}.name"))
    fresh = {*after.chairs} - {*before.chairs} | {*after.here} & {*after.chairs} - {*before.here}
    told += [Sentence("setup.in", (("chair", chair),)) for chair in sorted(fresh)]
    told += [FREE for chair in before.chairs if chair not in after.chairs][:1]
    first = fresh and not before.here
    if len(after.chairs) in players and (first or len(before.chairs) not in players):
        told.append(READY)
    return tuple(told)


def screen_sentence(words: str) -> Sentence:
    """What is written on the screen, for the voice."""
    return Sentence("spoken.read", (("words", words),))


class SeatingAnnouncer:
    """Tells the pages without a game aloud and by lamp: who is in, and what is marked on the screen."""

    def __init__(self, navigation: Navigation, frame: Callable[[], PageFrame]) -> None:
        """`frame` is the frame now."""
        self._at = navigation
        self._frame = frame
        self._read = ("", "")
        """What was read aloud last: the page's title, and what was marked on it."""

    def lit_chairs(self) -> frozenset[Chair]:
        """Who has joined, and whose button is down."""
        joined = self._at.ui_state.draft.chairs if self._at.page in GATHERING else ()
        down = {chair for chair, _ in self._at.idle_buttons.buttons_maybe_down() if chair is not None}
        return frozenset({*joined, *down})

    def announce_changes(self, games: Games, before: GameDraft) -> None:
        """Who sat down or got up, and when it can begin; what is marked, where that is read aloud."""
        after = self._at.ui_state.draft
        if self._at.page in GATHERING and after != before:
            games.say(seating_changes(before, after, games.setup_limits(after.game).players))
        if self._at.ui_state.aloud:
            self.read_page_aloud(games)

    def read_page_aloud(self, games: Games, *, again: bool = False) -> None:
        """The page's title where it is another page, and what is marked on it; `again`: both in any case."""
        title, marked = self._at.page_guard.describe_focus(self._at.page, self._frame())
        known = ("", "") if again else self._read
        self._read = title, marked
        fresh = [*([title] if title != known[0] else []), *([marked] if self._read != known else [])]
        games.say([screen_sentence(words) for words in fresh if words])


def run_game_command(session: Session, host: Host, command: do.Command, now: Micros) -> None:
    """Hand a command to the game, its guide or its voice; what none of them knows is nothing."""
    match command:
        case do.ControlGuide() if session.guide is not None:
            session.guide.handle_request(command.what)
        case do.SpeakSentences():
            last = () if session.latest_sentence is None else (session.latest_sentence,)
            session.voice.say(command.sentences or last)
        case _:
            if (told := to_observation(command, now)) is not None:
                session.submit(told)
            if isinstance(command, do.UndoRuling) and command.done:
                host.reread_table()  # what is there now is not what was read last


def to_observation(command: do.Command, at: Micros) -> ob.Observation | None:
    """What a command says of the game; None: nothing that its rules hear of."""
    match command:
        case do.DeclareAction():
            return ob.ActionDeclared(at=at, action=command.action)
        case do.UndoRuling():
            return ob.UndoRequested(at=at, done=command.done)
        case do.RedoRuling():
            return ob.UndoRequested(at=at, redo=True)
        case do.CorrectEntry():
            return ob.CorrectionRequested(at=at, seq=command.seq, truth=command.truth)
        case do.RepairTable():
            return ob.TableDeclared(at=at, table=command.table)
        case do.PauseGame():
            return ob.PauseRequested(at=at)
        case do.ContinueGame():
            return ob.ResumeRequested(at=at)
        case do.AbandonGame():
            return ob.AbandonRequested(at=at)
        case do.RevealHiddenCards():
            return ob.HiddenCardsViewed(at=at)
    return None


def declare_table(session: Session, said: ob.TableDeclared) -> Sentence | None:
    """Hand over what the table says is where; why it cannot be so, if it cannot."""
    rules, state = session.game.referee.rules, session.game.referee.state
    wrong = next((event for event in rules.decide(state, said) if isinstance(event, Infraction)), None)
    session.submit(said)
    return None if wrong is None else rules.sentence(state, wrong)


def save_game_recap(session: Session, host: Host, language: str, folder: Path | None) -> Sentence:
    """Save the game's recap as a page in `folder`, in `language`; what to tell of it.

    Raises `DemoOnlyError` where nothing is kept, and `CompanionError` where the page cannot be written.
    """
    from companion.table.recap.save import save_and_report

    if folder is None or host.demo_info() is not None:
        raise DemoOnlyError("this is a demo: nothing of it is kept")
    return save_and_report(session, language, folder)


POLL_INTERVAL = PACE
"""How often the glass is asked for input when nothing moves."""
WINDOW_POLL_INTERVAL: Micros = 4_000
"""While a timed window is open a touch is stamped when it is pumped."""
POWER_BUTTON: ButtonId = (None, "back")
"""The button that switches the machine off when it is held long enough."""
SCREEN_SOURCES = frozenset({"key", "touch"})
"""Where a press comes from that was made on keyboard or screen."""


class App:
    """Owns the glass and whichever game is on it."""

    def __init__(
        self,
        host: Host,
        around: AppParts,
        *,
        window: Window,
        pages: Mapping[str, Page[Any]],
        clock: Clock,
        inbox: Inbox,
        ui_state: UiState,
        names: Mapping[Chair, str] | None = None,
        colours: tuple[str, ...] = PALETTE,
        page: str = "home",
        recaps: Path | None = None,
    ) -> None:
        """`recaps`: the folder where they are kept."""
        self._parts = parts = host.parts
        self._appliance = around.appliance and guard_part("appliance", around.appliance, parts)
        self._workshop = around.workshop and guard_part("bench", around.workshop, parts)
        around = around._replace(appliance=self._appliance, workshop=self._workshop)
        self.notices = Notices(clock, parts, self._appliance)
        self.navigation = Navigation(
            host,
            around,
            pages=pages,
            parts=parts,
            notices=self.notices,
            ui_state=ui_state,
            names=names or {},
            begins=self._prepare_game,
            page=page,
        )
        self._frames = FrameCache(self.navigation, self.notices, parts, around, colours=colours)
        self._outside = Connections(self.navigation, self.notices, parts, around)
        if around.door is not None:
            self._outside.public = PublicTable(around.door, colours)
        self._recaps = recaps
        self.window = window
        self._pages = pages
        self._clock = clock
        self._inbox = inbox
        self._presses = PagePresses(self.navigation, pages, frame=self.frame, handle=self._handle)
        self._looked_at = HiddenCardsWatch(self.navigation)
        self._counting = False
        """Whether a window was open when that was last looked at."""
        self._judged: Micros = 0
        """All holds that were due up to this instant have been handled."""
        self._camera = CameraStatus()
        self._sitting = SeatingAnnouncer(self.navigation, self.frame)
        if self.page == "home" and around.games is not None:
            seat = partial(self.navigation.restore_seats, around.games)
            self.notices.attempt("Reading who sat here last", seat)

    @property
    def host(self) -> Host:
        """What the game is played on now."""
        return self.navigation.host

    @property
    def session(self) -> Session | None:
        """The game that is on the table."""
        return self.navigation.session

    @property
    def page(self) -> str:
        """The name of the page that is on the screen."""
        return self.navigation.page

    @property
    def ui_state(self) -> UiState:
        """What people set at the screen."""
        return self.navigation.ui_state

    @property
    def quit_requested(self) -> bool:
        """Whether somebody left the program."""
        return self.navigation.quit_requested

    # The loop ---------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Until somebody leaves."""
        run_loop(self)
        self.close()

    def close(self) -> None:
        """Everything of the game is written; closing twice is allowed."""
        self.navigation.close()

    def run_once(self) -> None:
        """One round: take input, act, judge, draw; what waits at the glass happened before."""
        self.handle_input()
        self.step()
        self.draw()
        self.notices.tell_failed_parts(self.session)

    def step(self) -> None:
        """What people, senses and rules do now."""
        self._parts.run("host", self.navigation.own_host.tick, None, stays=True)
        if (guest := self.host) is not self.navigation.own_host:
            self._parts.run("host", guest.tick, None, stays=True)
        if self._appliance is not None:
            self._appliance.tick(
                self._clock.now(), held=POWER_BUTTON in self.navigation.buttons.buttons_maybe_down()
            )
        for seen in self._drain_inbox():
            self._dispatch(seen)
        self._outside.receive_messages()
        glow = self._lamp_override()
        if self.session is not None:
            self._forward_camera_status(self.session)
            self.session.lamp_override = glow
            self.session.step()
            self._close_overlay_if_urgent(self.session)
            self._looked_at.check(self._clock.now())
        self._presses.hand_over_presses(self._as_of())
        if self.session is None:
            self.host.show_lamps(self._sitting.lit_chairs() if glow is None else glow)
            if self.navigation.games is not None:
                self.navigation.games.continue_speaking()
        self._judged = self._as_of()
        self._outside.send_updates(self._clock.now())

    def _as_of(self) -> Micros:
        """The instant as of which presses are judged now: the game's may lie back for a moment."""
        return self._clock.now() if self.session is None else self.session.game.as_of

    def _lamp_override(self) -> frozenset[Chair] | None:
        """The lamps, where they say what no game does: how long a hold still lasts, who is asked for."""
        held = None if self._appliance is None else self._appliance.lit_lamps()
        return self._outside.lamp_override() if held is None else held

    def update_screen(self) -> None:
        """What happens at the glass now: input, then drawing."""
        self.handle_input()
        self.draw()

    def handle_input(self) -> None:
        """Take what was entered at the glass."""
        entered: list[Input] = self._parts.run("screen", self.window.read_events, [], stays=True)
        for one in entered:
            self._handle(one)

    def wait(self) -> None:
        """Sleep in the inbox until something is reported or due."""
        wait_for_report(self._inbox, self._clock, self.next_due())

    def next_due(self) -> Micros:
        """When the next round is worth it, if nothing is reported before."""
        now = self._clock.now()
        session = self.session
        moving = self.navigation.page_guard.redraw_interval(self.page, self.frame())
        counting = session is not None and session.game.referee.rules.is_window_open(
            session.game.referee.state
        )
        dues = [
            now + (WINDOW_POLL_INTERVAL if counting else min(POLL_INTERVAL, moving or POLL_INTERVAL)),
            self.host.next_due(),
        ]
        dues += [
            self.navigation.buttons.next_due() if session is None else session.next_due(),
            self._presses.next_due(),
        ]
        return min(due for due in dues if due is not None)

    def _dispatch(self, seen: Edge | ob.Observation) -> None:
        """What was reported goes to the game; a press to the page where that has the button now."""
        if isinstance(seen, Edge) and seen.chair is None and seen.source not in SCREEN_SOURCES:
            self.navigation.ui_state = replace(self.ui_state, buttons=True)
        if self.session is None:
            if isinstance(seen, Edge):
                self.navigation.idle_buttons.add_edge(seen)
            return
        self.session.submit(seen, aside=isinstance(seen, Edge) and seen.level and self._is_page_button(seen))

    def _is_page_button(self, edge: Edge) -> bool:
        """Whether this button is the page's now: shared ones are while something lies over the game."""
        stage, page, frame = self.navigation.page_guard, self.page, self.frame()
        return (
            stage.takes_shared_buttons(page, frame)
            if edge.chair is None
            else stage.takes_chair_buttons(page, frame)
        )

    def _make_edge(self, line: ButtonId, source: str, *, down: bool) -> Edge:
        """A key or a finger stands in for a button now."""
        edge = Edge(*line, level=down, at=self._clock.now(), source=source)
        return edge if down else self.navigation.buttons.stamp_late_release(edge, judged=self._judged)

    def _drain_inbox(self) -> Iterator[Edge | ob.Observation]:
        """What was reported, but for what concerns the program itself."""
        for seen in drain_inbox(self._inbox):
            if isinstance(seen, ob.ShutdownRequested):
                self.navigation.quit_requested = True
                continue
            self._camera.note_report(seen)
            yield seen

    def _close_overlay_if_urgent(self, session: Session) -> None:
        """A Stop, or a count that begins, puts away whatever lies over the table."""
        counting = session.game.referee.rules.is_window_open(session.game.referee.state)
        begins, self._counting = counting and not self._counting, counting
        if (session.has_new_urgent_ruling() or begins) and self.page == "game" and self.ui_state.overlay:
            self.navigation.close_overlay()

    # Drawing ----------------------------------------------------------------------------------------------

    def draw(self) -> bool:
        """Draw if there is anything new to see; whether there was."""
        now, frame, page = self._clock.now(), self.frame(), self.page
        if not self.navigation.page_guard.needs_redraw(page, frame, now):
            return False
        if self.navigation.page_guard.draw(page, self.window.surface, frame, now):
            self._parts.run("screen", self.window.flip, None, stays=True)
        if self.session is not None:
            view = frame.view if isinstance(frame, GameFrame) and not frame.ui_state.overlay else None
            self.session.note_frame_shown(view, now)
        return True

    def save_screenshot(self, path: Path) -> None:
        """Keep what is on the glass."""
        self.window.save_screenshot(path)

    def frame(self) -> PageFrame:
        """One frozen moment of everything that may be seen; the same object while nothing changes."""
        return self._frames.frame()

    # Handling ---------------------------------------------------------------------------------------------

    def _handle(self, entered: Any) -> None:
        if isinstance(entered, CloseRequested) and not self._confirms_closing():
            self.navigation.quit_requested = True
            return
        before = self.ui_state.draft
        ui_state, wanted = self.navigation.page_guard.handle(self.page, entered, self.frame())
        if isinstance(entered, FingerDown | KeyPressed) and not any(
            isinstance(one, do.SharedPress) for one in wanted
        ):
            ui_state = replace(ui_state, buttons=False)
        self.navigation.ui_state = (
            replace(ui_state, aloud=False) if isinstance(entered, FingerDown) else ui_state
        )
        for command in wanted:
            self.notices.attempt(f"Carrying out {type(command).__name__}", partial(self.carry_out, command))
        self._looked_at.check(self._clock.now())
        if self.session is None and self.navigation.games is not None:
            self.notices.attempt(
                "Telling who is in", partial(self._sitting.announce_changes, self.navigation.games, before)
            )

    def _confirms_closing(self) -> bool:
        """Whether a game is played here; a window that is closed again while that is asked closes."""
        playing = self.session is not None and self.session.view.outcome is None and self.page == "game"
        return playing and self.host.demo_info() is None and self.ui_state.overlay != "close"

    def carry_out(self, command: do.Command) -> None:
        """Do what a page asked for."""
        if self.navigation.navigate(command):
            return
        match command:
            case do.ChangeSetting():
                if command.setting in UiState.__struct_fields__:
                    self.navigation.ui_state = replace(self.ui_state, **{command.setting: command.value})
                if command.setting == "level" and self.session is not None and self.session.guide is not None:
                    self.session.guide.set_level(str(command.value))
                self.host.change_setting(command.setting, command.value)
            case do.RereadTable():
                self.host.reread_table()
                told = "shared.CameraWentDark" if self.host.picture() is None else "ui.read_again.now"
                self.notices.show(Sentence(told))
            case do.SaveRecap() if self.session is not None:
                saved = partial(
                    save_game_recap, self.session, self.host, self.ui_state.language, self._recaps
                )
                self.notices.attempt("Keeping the recap", lambda: self.notices.show(saved()))
            case do.ManagePhones() | do.CallJudge():
                self._outside.carry_out(command)
            case do.CopyGames() if self._appliance is not None:
                self._appliance.copy_to_stick()
            case do.InstallUpdate() if self._appliance is not None:
                self._appliance.install_update(command.digest, command.pin)
            case do.SwitchOff() if self._appliance is not None:
                self._appliance.switch_off()
            case CameraCommand() if self._workshop is not None:
                self._workshop.carry_out(command)
            case _:
                self._send_to_game(command)

    def _send_to_game(self, command: do.Command) -> None:
        session, now = self.session, self._clock.now()
        if isinstance(command, do.ChairPress):
            if command.down:
                self.host.take_over_chair(command.chair)
            self._dispatch(self._make_edge((command.chair, "seat"), command.source, down=command.down))
            return
        if isinstance(command, do.SharedPress) and not command.down:
            self._dispatch(self._make_edge((None, command.button), command.source, down=False))
            return
        if session is None:
            if isinstance(command, do.SpeakSentences) and self.navigation.games is not None:
                self.navigation.games.say(command.sentences)
            if isinstance(command, do.ReadPageAloud) and self.navigation.games is not None:
                self._sitting.read_page_aloud(self.navigation.games, again=True)
            return
        if isinstance(command, do.SharedPress):
            # Past the page: it is the game's.
            session.submit(self._make_edge((None, command.button), command.source, down=True))
        elif isinstance(command, do.RepairTable):
            self._repair_game(session, ob.TableDeclared(at=now, table=command.table))
        else:
            run_game_command(session, self.host, command, now)

    def _repair_game(self, session: Session, said: ob.TableDeclared) -> None:
        """The table says how it stands; what cannot be stays on the glass, with the reason."""
        reason = declare_table(session, said)
        if reason is None:
            self.navigation.ui_state = replace(self.ui_state, overlay="", declared=(), typed="")
        else:
            self.notices.show(reason)

    def _prepare_game(self, session: Session) -> None:
        """A game is open: its buttons are down as they were, and the camera has news for it."""
        for seen in self._drain_inbox():
            if isinstance(seen, Edge):  # left from before this game, and stamped by another
                self.navigation.idle_buttons.add_edge(seen)
        session.game.buttons.take_over_from(self.navigation.idle_buttons)
        self._camera.reset_for_game()

    def _forward_camera_status(self, session: Session) -> None:
        blind, sees = session.game.referee.state.desk.blind, self.host.picture() is not None
        owed = self._camera.take_pending_report(blind=blind, sees=sees, now=self._clock.now())
        if owed is not None:
            session.submit(owed)
