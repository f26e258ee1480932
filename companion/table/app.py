"""The main loop: takes input, lets the game judge, draws the page. Its thread alone owns rules and screen.

The wait for the inbox is the frame's timer: a press wakes the loop at once, an idle table hardly ever.

`App` is the loop and carries out commands; `Navigation` has what is on the table and on the screen now;
`FrameBuilder` makes of both what a page draws.
"""

from collections.abc import Callable, Container, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from msgspec.structs import asdict, replace

from companion.core import observations as ob
from companion.core.actions import PALETTE, SECOND, Chair, Micros
from companion.core.camera_tasks import CameraCommand
from companion.core.clock import GameClock, earliest
from companion.core.debounce import HoldDetector
from companion.core.events import Infraction
from companion.core.switch import ButtonId, Edge
from companion.core.view import Sentence
from companion.referee.loop import MAX_ROUND_INTERVAL
from companion.system.fault_isolation import drain_queue
from companion.table.frames import LOG_OVERLAYS, FrameBuilder
from companion.table.host import DemoOnlyError, Host
from companion.table.navigation import GATHERING_PAGES, Navigation
from companion.table.remote.connections import Connections
from companion.table.runtime import TOUCH_POLL_INTERVAL, AppParts, Runtime, run_loop
from companion.table.session import Session, guard_part
from companion.ui import commands as do
from companion.ui.frame import GameDraft, GameFrame, PageFrame, UiState
from companion.ui.pages.base import InputResult, Page
from companion.ui.toolkit.inputs import CloseRequested, FingerDown, Input, KeyPressed
from companion.ui.toolkit.window import Window

POWER_BUTTON: ButtonId = (None, "back")
"""The button that switches the machine off when it is held long enough."""
PUT_BACK_REMINDER: Micros = 30 * SECOND
"""How long after the camera saw something move it is said again what to put back before an undo."""
SCREEN_SOURCES = frozenset({"key", "touch"})
"""Where a press comes from that was made on keyboard or screen."""


class App:
    """The loop over the glass and whichever game is on the table; and every command of a page."""

    def __init__(
        self,
        host: Host,
        shared: Runtime,
        around: AppParts,
        *,
        window: Window,
        pages: Mapping[str, Page[Any]],
        ui_state: UiState,
        names: Mapping[Chair, str] | None = None,
        colours: tuple[str, ...] = PALETTE,
        page: str = "home",
        recaps: Path | None = None,
        draws: bool = True,
    ) -> None:
        """`recaps`: the folder where they are kept; without `draws` nobody sees or touches a screen."""
        self._draws = draws
        self.window = window
        self._shared = shared
        self._clock, self._parts = shared.clock, shared.parts
        self._appliance = around.appliance and guard_part("appliance", around.appliance, self._parts)
        tasks = around.camera_tasks and guard_part(
            "bench", around.camera_tasks, self._parts
        )  # as it is spoken of
        around = around._replace(appliance=self._appliance, camera_tasks=tasks)
        self.navigation = Navigation(
            host, shared, around, pages=pages, ui_state=ui_state, names=names or {}, page=page
        )
        self._frames = FrameBuilder(
            self.navigation,
            shared,
            around,
            colours=colours,
            is_seen=lambda: draws and not window.is_invisible,
        )
        self._connections = Connections(self.navigation, shared, around, colours=colours)
        self._commands = self._command_table(around)
        self._pages = pages
        self._recaps = recaps
        self._holds = HoldDetector()
        """Of the presses that are the page's."""
        self._held_for: tuple[object, ...] = ()
        """What the presses that are down were for."""
        self._judged: Micros = 0
        """All holds that were due up to this instant have been handled."""
        self._entered_at: Micros | None = None
        """When it was last asked what was entered; None: not yet."""
        self._asked_before: Micros | None = None
        """When it was asked the time before: what is entered now was not there yet."""
        self._counting = False
        """Whether a window was open when that was last looked at."""
        self._hidden_viewed = False
        """Whether somebody looks at what was hidden in a game that is over."""
        self._overlooked: Micros | None = None
        """When something was read while the table was put back, and is to be read anew, or it was said since
        what to put back."""
        self._camera_lost: ob.CameraLost | None = None
        """What was last heard of the camera; None: that it is back, or nothing."""
        self._camera_told = False
        """Whether the game on the table knows."""
        self._read_aloud = ("", "")
        """What was read aloud last: the page's title, and what was marked on it."""
        if self.page == "home" and around.games is not None:
            seat = partial(self.navigation.restore_seats, around.games)
            self.navigation.attempt("Reading who sat here last", seat)

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
        run_loop(self, self._clock, self._shared.inbox)
        self.close()

    def close(self) -> None:
        """Everything of the game is written; closing twice is allowed."""
        self.navigation.close()

    def run_once(self) -> None:
        """One round: take input, act, judge, draw; what waits at the glass happened before."""
        self.handle_input()
        self.step()
        self.draw()
        for failed in self._parts.unreported_failures():
            self.navigation.show_notice(failed, aloud=True)

    def step(self) -> None:
        """What people, senses and rules do now."""
        navigation = self.navigation
        self._parts.run("host", navigation.own_host.tick, None, stays=True)
        if (guest := navigation.host) is not navigation.own_host:
            self._parts.run("host", guest.tick, None, stays=True)
        if self._appliance is not None:
            held = POWER_BUTTON in navigation.buttons.debouncer.buttons_maybe_down()
            self._appliance.tick(self._clock.now(), held=held)
        for report in self._drain_inbox():
            self._dispatch(report)
        self._connections.receive_messages()
        if self._overlooked is not None:
            self._follow_put_back(self._overlooked)
        glow = self._lamp_override()
        if self.session is not None:
            self._forward_camera_status(self.session)
            self.session.lamp_override = glow
            put_back = self._is_put_back()  # for the ruling that is the newest before anything happens
            entries = [ruling.entry for ruling in self.session.step()]
            unread = ob.ProgramStalled | ob.CameraRecovered | ob.UndoRequested | ob.CorrectionRequested
            if any(isinstance(entry.cause, unread) for entry in entries):
                self.host.reread_table()  # what lies there may be unread now, and it tells nothing twice
            chosen = self.session.game.referee.chosen_action
            goes_on = put_back and any(chosen(entry) for entry in entries)
            if goes_on:
                navigation.close_overlay()
            if self.session.game.undo_overtaken or goes_on:
                self.session.game.undo_overtaken = False
                navigation.show_notice(Sentence("ui.take_back.overtaken"))
            self._close_overlay_if_urgent(self.session)
            self._note_hidden_cards_viewed()
        self._hand_over_presses(self._as_of())
        if self.session is None:
            self.host.show_lamps(navigation.lit_chairs() if glow is None else glow)
            if navigation.games is not None:
                navigation.games.continue_speaking()
        self._judged = self._as_of()
        self._connections.send_updates(self._clock.now())

    def _as_of(self) -> Micros:
        """The instant as of which presses are judged now: the game's may lie back for a moment."""
        return self._clock.now() if self.session is None else self.session.game.as_of

    def _lamp_override(self) -> frozenset[Chair] | None:
        """The lamps, where they say what no game does: how long a hold still lasts, who is asked for."""
        lamps = None if self._appliance is None else self._appliance.lit_lamps()
        return self._connections.lamp_override() if lamps is None else lamps

    def handle_input(self) -> None:
        """Take what was entered at the glass."""
        if not self._draws:
            return
        self._asked_before, self._entered_at = self._entered_at, self._clock.now()
        inputs: list[Input] = self._parts.run("screen", self.window.read_events, [], stays=True)
        for entered in inputs:
            self._handle(entered)

    def next_due(self) -> Micros:
        """When the next round is worth it, if nothing is reported before."""
        judging = self.navigation.buttons.debouncer if self.session is None else self.session
        due = earliest(self.host.next_due(), judging.next_due(), self._holds.next_due())
        polled = self._clock.now() + self._poll_interval()
        return polled if due is None else min(due, polled)

    def _poll_interval(self) -> Micros:
        """How long the glass may go without being asked for input, and what moves without being drawn."""
        if self.session is not None and self.session.game.are_presses_timed():
            return TOUCH_POLL_INTERVAL
        if not self._draws:
            return MAX_ROUND_INTERVAL
        frame = self.frame()
        moving = self.navigation.ask_page(frame, lambda page: page.redraw_interval(frame), 0)
        return min(MAX_ROUND_INTERVAL, moving or MAX_ROUND_INTERVAL)

    def _drain_inbox(self) -> Iterator[Edge | ob.Observation]:
        """What was reported, but for what concerns the program itself."""
        for report in drain_queue(self._shared.inbox):
            match report:
                case None:
                    continue
                case ob.ShutdownRequested():
                    self.navigation.quit_requested = True
                    continue
                case ob.CameraLost():
                    self._camera_lost, self._camera_told = report, True
                case ob.CameraRecovered():
                    self._camera_lost, self._camera_told = None, True
            yield report

    def _forward_camera_status(self, session: Session) -> None:
        """What the game has yet to hear, once: it began without the camera, or it is back."""
        if self._camera_told or (self._camera_lost is None and self.host.picture() is None):
            return
        self._camera_told = True
        now, blind = self._clock.now(), session.game.referee.state.desk.blind
        if self._camera_lost is not None and not blind:
            session.submit(replace(self._camera_lost, at=now))
        elif self._camera_lost is None and blind:
            session.submit(ob.CameraRecovered(at=now))

    def _close_overlay_if_urgent(self, session: Session) -> None:
        """A Stop, or a count that begins, puts away whatever lies over the table."""
        counting = _is_counting(session)
        begins, self._counting = counting and not self._counting, counting
        if (session.has_new_urgent_ruling() or begins) and self.page == "game" and self.ui_state.overlay:
            self.navigation.close_overlay()

    def _note_hidden_cards_viewed(self) -> None:
        """Have it written down once: the log is opened then, or was open when the game was won."""
        session, before = self.session, self._hidden_viewed
        log_shown = self.page == "recap" or self.ui_state.overlay in LOG_OVERLAYS
        self._hidden_viewed = session is not None and log_shown and not session.history.is_log_safe
        if self._hidden_viewed and not before and session is not None:
            session.submit(ob.HiddenCardsViewed(at=self._clock.now()))

    # Buttons ----------------------------------------------------------------------------------------------

    def _dispatch(self, report: Edge | ob.Observation) -> None:
        """What was reported goes to the game; a press to the page where that has the button now."""
        if isinstance(report, Edge) and report.chair is None and report.source not in SCREEN_SOURCES:
            self.navigation.ui_state = replace(self.ui_state, buttons=True)
        if isinstance(report, ob.TableSeen) and self._is_put_back():
            self._overlooked = self._clock.now() if self._overlooked is None else self._overlooked
        elif self.session is not None:
            aside = isinstance(report, Edge) and report.level and self._is_page_button(report)
            self.session.submit(report, aside=aside)
        elif isinstance(report, Edge):
            self.navigation.idle_buttons.add_edge(report)

    def _is_put_back(self) -> bool:
        """Whether people are asked to put the table back before an undo: what they move is no move."""
        session = self.session if self.page == "game" and self.ui_state.overlay == "take_back" else None
        return session is not None and bool(session.game.referee.undo_instructions())

    def _follow_put_back(self, since: Micros) -> None:
        """Read anew what was overlooked once the table is put back; say what to do if that was forgotten."""
        if not self._is_put_back():
            self._overlooked = None
            self.host.reread_table()
        elif self.session is not None and self._clock.now() - since >= PUT_BACK_REMINDER:
            self._overlooked = self._clock.now()
            steps = self.session.game.referee.undo_instructions()
            self.session.voice.say([Sentence("ui.take_back"), Sentence("ui.take_back.first"), *steps])

    def _is_page_button(self, edge: Edge) -> bool:
        """Whether this button is the page's now: shared ones are while something lies over the game."""
        frame = self.frame()

        def takes_button(page: Page[Any]) -> bool:
            return page.takes_shared_buttons(frame) if edge.chair is None else page.takes_chair_buttons(frame)

        return self.navigation.ask_page(frame, takes_button, otherwise=False)

    def _make_edge(self, line: ButtonId, source: str, *, down: bool) -> Edge:
        """A key or a finger stands in for a button, since the glass was asked for input last."""
        edge = Edge(*line, level=down, at=self._clock.now(), source=source, since=self._asked_before)
        return edge if down else self.navigation.buttons.stamp_late_release(edge, judged=self._judged)

    def _hand_over_presses(self, now: Micros) -> None:
        """Hand the page what was pressed and held up to now, in the order in which it happened.

        What leads to or from a game ends it.
        """
        session = self.session
        if session is None:
            presses = [press for press, owner in self.navigation.idle_buttons.advance(now) if owner == "page"]
        else:
            presses, session.game.page_presses = session.game.page_presses, []
        for press in presses:
            if self.session is not session:
                return
            self._hand_over_holds(press.at)  # a busy round may see press and release at once
            self._holds.note_observation(press)
            self._handle(press)
        if self._holds.next_due() is not None:  # what nobody holds is for no page: most rounds end here
            self._hand_over_holds(now)

    def _hand_over_holds(self, until: Micros) -> None:
        """A hold counts only if page, overlay and lesson card are still those of its press."""
        frame = self.frame()
        guide = frame.guide if isinstance(frame, GameFrame) else None
        overlay = self._pages[self.page].active_overlay(frame)
        held_for = (self.page, overlay, guide and (guide.kind, guide.step, guide.since))
        if held_for != self._held_for:
            self._held_for = held_for
            self._holds.clear()
        for hold in self._holds.advance(until):
            if not (isinstance(hold, ob.ButtonHeld) and self.host.is_stuck(hold.chair, hold.button)):
                self._handle(hold)

    # Drawing ----------------------------------------------------------------------------------------------

    def frame(self) -> PageFrame:
        """One frozen moment of everything that may be seen; the same object while nothing changes."""
        return self._frames.frame()

    def draw(self) -> bool:
        """Draw if there is anything new to see; whether there was."""
        if not self._draws:
            if self.session is not None:
                self.session.note_frame_shown(self.session.view)
            return False
        now, frame, ask = self._clock.now(), self.frame(), self.navigation.ask_page
        if not ask(frame, lambda page: page.needs_redraw(frame, now), otherwise=True):
            return False

        def draw_page(page: Page[Any]) -> bool:
            page.draw(self.window.surface, frame, now)
            return True

        if ask(frame, draw_page, otherwise=False):
            self._parts.run("screen", self.window.flip, None, stays=True)
        if self.session is not None:
            view = frame.view if isinstance(frame, GameFrame) and not frame.ui_state.overlay else None
            self.session.note_frame_shown(view, now)
        return True

    # Input and commands -----------------------------------------------------------------------------------

    def _handle(self, entered: Any) -> None:
        """Hand what was entered at the glass to the page, and do what it asks for."""
        navigation = self.navigation
        if isinstance(entered, CloseRequested) and not self._confirms_closing():
            navigation.quit_requested = True
            return
        before, frame = self.ui_state.draft, self.frame()
        nothing: InputResult = (frame.ui_state.without_overlay(), ())
        ui_state, commands = navigation.ask_page(frame, lambda page: page.handle(entered, frame), nothing)
        by_button = any(isinstance(command, do.SharedPress) for command in commands)
        if isinstance(entered, FingerDown | KeyPressed) and not by_button:
            ui_state = replace(ui_state, buttons=False)
        navigation.ui_state = replace(ui_state, aloud=False) if isinstance(entered, FingerDown) else ui_state
        for command in commands:
            navigation.attempt(f"Carrying out {type(command).__name__}", partial(self.carry_out, command))
        self._note_hidden_cards_viewed()
        navigation.attempt("Telling who is in", partial(self._announce_changes, before))

    def _confirms_closing(self) -> bool:
        """Whether a game is played here; a window that is closed again while that is asked closes."""
        playing = self.session is not None and self.session.view.outcome is None and self.page == "game"
        return playing and self.host.demo_info() is None and self.ui_state.overlay != "close"

    def carry_out(self, command: do.Command) -> None:
        """Do what a page asked for; what cannot be had here is nothing."""
        session, carry_out = self.session, self._commands.get(type(command))
        if carry_out is not None:
            carry_out(command)
        if self.session is not session and self.session is not None:
            self._prepare_game(self.session)

    def _command_table(self, around: AppParts) -> Mapping[type, Callable[[Any], object]]:
        """What each command does: commands are told apart here and nowhere else."""
        navigation, connections, appliance = self.navigation, self._connections, around.appliance
        commands: dict[type, Callable[[Any], object]] = {
            do.LeaveOrQuit: lambda command: navigation.leave(program=command.program),
            do.ShowPage: lambda command: navigation.show_page(command.page, command.game),
            do.StartGame: navigation.start,
            do.StartLesson: navigation.start,
            do.StartPractice: navigation.start,
            do.ResumeGame: lambda command: navigation.resume(command.game_id),
            do.Rematch: lambda _: navigation.start_again(),
            do.ChairPress: self._press_chair,
            do.SharedPress: self._press_shared_button,
            do.DeclareAction: partial(self._report_to_game, ob.ActionDeclared),
            do.UndoRuling: self._undo_ruling,
            do.RedoRuling: partial(self._report_to_game, partial(ob.UndoRequested, redo=True)),
            do.CorrectEntry: partial(self._report_to_game, ob.CorrectionRequested),
            do.PauseGame: partial(self._report_to_game, ob.PauseRequested),
            do.ContinueGame: partial(self._report_to_game, ob.ResumeRequested),
            do.AbandonGame: partial(self._report_to_game, ob.AbandonRequested),
            do.RevealHiddenCards: partial(self._report_to_game, ob.HiddenCardsViewed),
            do.RepairTable: self._repair_game,
            do.RereadTable: self._reread_table,
            do.ControlGuide: self._ask_guide,
            do.SpeakSentences: self._speak,
            do.CompareVoices: self._compare_voices,
            do.ReadPageAloud: lambda _: self._read_page_aloud(again=True),
            do.ChangeSetting: self._change_setting,
            do.ChangeSpeed: self._change_speed,
            do.TakeOverChair: lambda command: self.host.take_over_chair(command.chair),
            do.SaveRecap: lambda _: navigation.attempt("Keeping the recap", self._save_recap),
            do.ManagePhones: connections.manage_phones,
            do.CallJudge: lambda _: connections.toggle_judge_call(),
        }
        if appliance is not None:
            commands |= {
                do.CopyGames: lambda _: appliance.copy_to_stick(),
                do.InstallUpdate: lambda command: appliance.install_update(command.digest, command.pin),
                do.SwitchOff: lambda _: appliance.switch_off(),
            }
        if around.button_learning is not None:
            commands[do.LearnButtons] = around.button_learning.carry_out
        if around.camera_tasks is not None:
            commands[CameraCommand] = around.camera_tasks.carry_out
        return commands

    def _prepare_game(self, session: Session) -> None:
        """A game is open: its buttons are down as they were, and the camera has news for it."""
        for report in self._drain_inbox():
            if isinstance(report, Edge):  # left from before this game, and stamped by another
                self.navigation.idle_buttons.add_edge(report)
        session.game.buttons.take_over_from(self.navigation.idle_buttons)
        self._camera_told = False

    def _press_chair(self, command: do.ChairPress) -> None:
        if command.down:
            self.host.take_over_chair(command.chair)
        self._dispatch(self._make_edge((command.chair, "seat"), command.source, down=command.down))

    def _press_shared_button(self, command: do.SharedPress) -> None:
        edge = self._make_edge((None, command.button), command.source, down=command.down)
        if not command.down:
            self._dispatch(edge)
        elif self.session is not None:  # past the page: it is the game's
            self.session.submit(edge)

    def _report_to_game(self, kind: Callable[..., ob.Observation], command: do.Command) -> None:
        """The game hears what a command says, as an observation of `kind` with the same fields."""
        if self.session is not None:
            self.session.submit(kind(at=self._clock.now(), **asdict(command)))

    def _undo_ruling(self, command: do.UndoRuling) -> None:
        self._report_to_game(ob.UndoRequested, command)
        if self.session is not None and command.done:
            self.host.reread_table()  # what is there now is not what was read last

    def _repair_game(self, command: do.RepairTable) -> None:
        """The table says how it stands; what cannot be stays on the glass, with the reason."""
        if (session := self.session) is None:
            return
        declaration = ob.TableDeclared(at=self._clock.now(), table=command.table)
        rules, state = session.game.referee.rules, session.game.referee.state
        rulings = rules.decide(state, declaration)
        infraction = next((event for event in rulings if isinstance(event, Infraction)), None)
        session.submit(declaration)
        reason = None if infraction is None else rules.sentence(state, infraction)
        if reason is None:
            self.navigation.ui_state = replace(self.ui_state, overlay="", declared=(), typed="")
        else:
            self.navigation.show_notice(reason)

    def _reread_table(self, _: do.RereadTable) -> None:
        self.host.reread_table()
        key = "shared.CameraWentDark" if self.host.picture() is None else "ui.read_again.now"
        self.navigation.show_notice(Sentence(key))

    def _ask_guide(self, command: do.ControlGuide) -> None:
        if self.session is not None and self.session.guide is not None:
            self.session.guide.handle_request(command.what)

    def _change_setting(self, command: do.ChangeSetting) -> None:
        """The screen has it; voice and guide follow, and the table keeps it."""
        navigation, before = self.navigation, self.ui_state
        navigation.ui_state = now = replace(before, **{command.setting: command.value})
        self._shared.follow_screen(before, now)
        if now.level != before.level and self.session is not None and self.session.guide is not None:
            self.session.guide.set_level(now.level)
        if navigation.games is not None:
            navigation.games.keep_setting(command.setting, command.value)

    def _change_speed(self, command: do.ChangeSpeed) -> None:
        if isinstance(self._clock, GameClock):
            self._clock.set_speed(command.speed)

    def _save_recap(self) -> None:
        """Save the game's recap as a page, in the screen's language."""
        from companion.table.recap.save import save_and_report

        if self._recaps is None or self.host.demo_info() is not None:
            raise DemoOnlyError("this is a demo: nothing of it is kept")
        if self.session is not None:
            notice = save_and_report(self.session, self.ui_state.language, self._recaps)
            self.navigation.show_notice(notice)

    # Aloud ------------------------------------------------------------------------------------------------

    def _speak(self, command: do.SpeakSentences) -> None:
        session, games = self.session, self.navigation.games
        if session is not None:
            last = () if session.latest_sentence is None else (session.latest_sentence,)
            session.voice.say(command.sentences or last)
        elif games is not None:
            games.say(command.sentences)

    def _compare_voices(self, _: do.CompareVoices) -> None:
        self.navigation.show_page("voice")
        if self.navigation.games is not None:
            self.navigation.games.compare_voices(self.ui_state.language)

    def _announce_changes(self, before: GameDraft) -> None:
        """Without a game, who sat down or got up, and when it can begin; what is marked, where it is read."""
        games, after = self.navigation.games, self.ui_state.draft
        if self.session is not None or games is None:
            return
        if self.page in GATHERING_PAGES and after != before:
            games.say(seating_changes(before, after, games.setup_limits(after.game).players))
        if self.ui_state.aloud:
            self._read_page_aloud()

    def _read_page_aloud(self, *, again: bool = False) -> None:
        """The page's title where it is another page, and what is marked on it; `again`: both in any case."""
        games, frame = self.navigation.games, self.frame()
        if self.session is not None or games is None:
            return
        title, marked = self.navigation.ask_page(frame, lambda page: page.describe_focus(frame), ("", ""))
        last = ("", "") if again else self._read_aloud
        self._read_aloud = title, marked
        fresh = [*([title] if title != last[0] else []), *([marked] if (title, marked) != last else [])]
        games.say([Sentence("spoken.read", (("words", words),)) for words in fresh if words])


def _is_counting(session: Session) -> bool:
    """Whether a timed window is open, in which every press counts."""
    return session.game.referee.rules.is_window_open(session.game.referee.state)


def seating_changes(before: GameDraft, after: GameDraft, players: Container[int]) -> tuple[Sentence, ...]:
    """What changed from one draft to the next; `players`: how many the game is for."""
    sentences = []
    if after.game != before.game:
        sentences.append(Sentence(f"{after.game}.name"))
    newcomers = {*after.chairs} - {*before.chairs} | {*after.here} & {*after.chairs} - {*before.here}
    sentences += [Sentence("setup.in", (("chair", chair),)) for chair in sorted(newcomers)]
    sentences += [Sentence("setup.out") for chair in before.chairs if chair not in after.chairs][:1]
    first = newcomers and not before.here
    if len(after.chairs) in players and (first or len(before.chairs) not in players):
        sentences.append(Sentence("setup.ready" if after.is_settled else "setup.choose"))
    return tuple(sentences)
