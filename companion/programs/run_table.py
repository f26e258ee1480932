"""Builds a real table, runs it until somebody leaves, closes it in reverse."""

import signal
from collections.abc import Callable

from companion.camera.task_runner import MakeSimulatedCamera
from companion.core.clock import GameClock
from companion.core.errors import EXIT_INTERRUPTED, CompanionError
from companion.games import RULES
from companion.programs.build_app import build_app, build_runtime
from companion.programs.child_programs import (
    PageRunner,
    TableSockets,
    UplinkRunner,
    open_table_sockets,
    start_owner_responder,
)
from companion.programs.display import require_screen, warn_if_invisible
from companion.programs.store_responder import StoreResponder
from companion.settings.model import Settings
from companion.system.desktop import DARK_SCREEN
from companion.system.fault_isolation import report_thread_failures, run_and_log
from companion.system.signals import stop_on_signals
from companion.system.terminal import print_lines
from companion.table.app import App
from companion.table.games import TableGames, open_locked_store
from companion.table.host import GuestHost
from companion.table.power_and_usb import TableAppliance
from companion.table.real_host import DrawnCameraFactory, TableHost
from companion.table.remote.club_link import TableClub
from companion.table.remote.connections import OutletGroup
from companion.table.remote.phone_seats import TablePhones
from companion.table.runtime import AppParts, Runtime, StartOptions, chair_colours
from companion.ui.commands import CompareVoices, ResumeGame, ShowPage, StartPractice
from companion.ui.toolkit.window import Window
from hardware.input_devices import has_input_devices


def run_table(settings: Settings, window: Window | None, begin: StartOptions) -> int:
    """What `companion.programs.play.run_play` says, in a window that stands open, or in one that is
    opened now.
    """
    command = begin.command
    at_screen = f"companion {command.page}" if isinstance(command, ShowPage) else ""
    shared = build_runtime(settings, GameClock(), own_words=begin.own_words)
    failures: list[BaseException] = []

    with stop_on_signals(shared.request_stop) as signals:
        table = RealTable(
            settings,
            shared,
            stopping=lambda: bool(signals.came or failures),
            camera=begin.camera,
            drawn=_drawn_camera_factory() if begin.drawn else None,
        )
        table.host.camera_tasks.deck = begin.watched
        table.games.add_unrestored(begin.unrestored)
        interrupted_game = table.games.interrupted_game() if begin.go_on else None
        if interrupted_game is not None:
            command = ResumeGame(interrupted_game)
        sockets = open_table_sockets(
            shared.wake_loop, settings.club_display_name(), settings.phone_display_name()
        )
        runner = PageRunner(sockets.page, handed=sockets.page_handed)
        uplink = UplinkRunner(sockets.uplink, settings, handed=sockets.uplink_handed)
        offers_voices = not table.host.is_voice_chosen and shared.voice.available
        if command is None and begin.page == "home" and offers_voices:
            command = CompareVoices()
        app = table.build_app(begin.page, begin.game, window, sockets, runner)
        try:
            if at_screen:
                require_screen(at_screen, app.window)
            trouble = warn_if_invisible(app.window, heard=shared.voice.available)
            if app.window.is_invisible:
                shared.voice.set_verbosity("all")
            if trouble == DARK_SCREEN:
                table.host.tell_screen_dark()
            elif trouble is not None:
                shared.voice.say([trouble])
            uplink.start()
            with report_thread_failures(shared.parts, shared.wake_loop):
                if command is not None:
                    app.carry_out(command)
                app.run()
        except BaseException as failure:
            failures.append(failure)  # the game was broken into, nobody left it
            raise
        finally:
            signals.cancel_forced_exit()
            closings = [("game", app.close), ("table", table.close), ("window", app.window.close)]
            closings += [("page", runner.close), ("uplink", uplink.close), ("doors", sockets.close)]
            for what, closing in closings:
                run_and_log(f"Closing the {what}", closing)
    interrupted = signal.SIGINT in signals.came
    return _exit_code(
        saved=table.host.saved,
        restorable=table.host.restorable,
        interrupted=interrupted,
        waits=interrupted and table.games.has_unfinished_game(),
    )


def _drawn_camera_factory() -> DrawnCameraFactory:
    from companion.simulation.simulated_table import DrawnTable

    return DrawnTable


class RealTable:
    """A real table: its store, its parts, its games, and the program round them."""

    def __init__(
        self,
        settings: Settings,
        shared: Runtime,
        *,
        stopping: Callable[[], bool] = bool,
        camera: MakeSimulatedCamera | None = None,
        drawn: DrawnCameraFactory | None = None,
    ) -> None:
        settings = settings if has_input_devices() else settings.with_unstamped_usb()
        self._settings = settings
        self._shared = shared
        store = open_locked_store(settings)
        self.host = TableHost(settings, shared, stopping=stopping, camera=camera, drawn=drawn)
        self.games = TableGames(settings, shared, self.host, store)
        self._store = store

    def build_app(
        self,
        page: str = "home",
        game: str = "",
        window: Window | None = None,
        sockets: TableSockets | None = None,
        runner: PageRunner | None = None,
    ) -> App:
        """The program, beginning on this page; phones reach its socket once `runner` has started theirs."""
        settings, shared = self._settings, self._shared
        phones, club = None, None
        if sockets is not None:
            colours = chair_colours(settings)
            phones = TablePhones(
                sockets.page, shared.clock, colours[: settings.table.chairs], settings.phone_display_name()
            )
            self.games.phone_chairs = phones.held_chairs
            owner = start_owner_responder(sockets.page, settings)
            phones.owner = lambda: owner.pin
            club = TableClub(sockets.uplink)
            responder = StoreResponder(
                sockets.uplink, self._store, colours=colours, nicknames=settings.club.nicknames
            )
            responder.start()
        around = AppParts(
            games=self.games,
            demo=self._build_demo,
            practice=self._build_practice,
            camera_tasks=self.host.camera_tasks,
            button_learning=self.host.button_learning,
            appliance=TableAppliance(
                settings.store_folder(),
                settings.table.name,
                lamps=settings.table.chairs,
                games=RULES,
                wake=shared.wake_loop,
            ),
            door=None if sockets is None else OutletGroup(sockets.page, sockets.uplink),
            phones=phones,
            runner=runner,
            club=club,
        )
        app = build_app(settings, self.host, shared, around, page=page, game=game, window=window)
        if self.host.joysticks is not None:
            app.window.on_joystick_button = self.host.joysticks.handle_button
        return app

    def _build_demo(self, game: str) -> GuestHost:
        from companion.programs.simulated_host import build_guest_demo

        self.host.release()
        return build_guest_demo(RULES[game], self._settings.house_rules(game), self._shared, narrated=True)

    def _build_practice(self, wanted: StartPractice) -> GuestHost:
        from companion.programs.simulated_host import PracticeHost

        self.host.release()
        return PracticeHost(wanted, self._settings, self._shared)

    def close(self) -> None:
        """Everything in the reverse of its opening."""
        self.host.close()
        self.games.close()


def _exit_code(*, saved: bool, restorable: bool, interrupted: bool, waits: bool) -> int:
    """What is left to say at the end, and the exit code.

    `restorable`: what could not be saved is beside the store; `waits`: a game is not over.
    """
    if not saved and restorable:
        print_lines("The end of this game is kept beside the saved games; the next start puts it there.")
    elif not saved:
        print_lines("Couldn't save the end of this game: make room, or set another storage.folder.")
    if interrupted:
        if saved:
            print_lines("Stopped. To continue your game: companion resume" if waits else "Stopped.")
        return EXIT_INTERRUPTED
    return 0 if saved else CompanionError.exit_code
