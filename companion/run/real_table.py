"""A real table put together, run until somebody leaves, and taken apart in reverse."""

import signal
from collections.abc import Callable

from companion.appliance.power_and_usb import TableAppliance
from companion.camera.tools import Simulated
from companion.core.clock import GameClock
from companion.core.errors import INTERRUPTED, CompanionError
from companion.games import RULES
from companion.referee.parts import caught, watched_threads
from companion.run.build_app import build_app, build_shared
from companion.run.club_desk import ClubDesk
from companion.run.display import need_screen, tell_if_blind
from companion.run.door import Doors, doors_of
from companion.run.looks import colours_of
from companion.run.opening import Beginning
from companion.run.owner import owner_desk
from companion.run.page_runner import PageRunner
from companion.run.stopping import stopped_in_order
from companion.run.uplink_runner import UplinkRunner
from companion.settings.model import Settings
from companion.settings.terminal import say
from companion.table.app import App
from companion.table.around import Around
from companion.table.club import TableClub
from companion.table.games import TableGames, locked_store
from companion.table.host import Guest, Guests
from companion.table.outside import Outlets
from companion.table.phones import TablePhones
from companion.table.real import Drawing, TableHost
from companion.table.shared import Shared
from companion.ui.commands import Practice, Resume, Show
from companion.ui.window import Window


def run_table(settings: Settings, window: Window | None, begin: Beginning) -> int:
    """What `companion.run.play.run_play` says, in a window that stands open, or in one that is opened now."""
    command = begin.command
    at_screen = f"companion {command.page}" if isinstance(command, Show) else ""
    shared = build_shared(settings, GameClock(), own_words=begin.own_words)
    fallen: list[BaseException] = []

    with stopped_in_order(shared.stop) as signals:
        table = RealTable(
            settings,
            shared,
            stopping=lambda: bool(signals.came or fallen),
            camera=begin.camera,
            drawn=_drawing() if begin.drawn else None,
        )
        table.host.workshop.deck = begin.watched
        broken = table.games.interrupted() if begin.go_on else None
        if broken is not None:
            command = Resume(broken)
        doors = doors_of(shared.wake, settings.called_in_club(), settings.called())
        runner = PageRunner(doors.page, handed=doors.page_handed)
        uplink = UplinkRunner(doors.uplink, settings, handed=doors.uplink_handed)
        app = table.app(begin.page, begin.game, window, doors, runner)
        try:
            if at_screen:
                need_screen(at_screen, app.window)
            tell_if_blind(app.window, heard=shared.voice.available)
            uplink.start()
            with watched_threads(shared.parts, shared.wake):
                if command is not None:
                    app.carry_out(command)
                app.run()
        except BaseException as failure:
            fallen.append(failure)  # the game was broken into, nobody left it
            raise
        finally:
            signals.noticed()
            closings = [("game", app.close), ("table", table.close), ("window", app.window.close)]
            closings += [("page", runner.close), ("uplink", uplink.close), ("doors", doors.close)]
            for what, closing in closings:
                caught(f"Closing the {what}", closing)
    interrupted = signal.SIGINT in signals.came
    return _ended(
        saved=table.host.saved, interrupted=interrupted, waits=interrupted and table.games.waiting()
    )


def _drawing() -> Drawing:
    from companion.run.lesson_table import DrawnTable

    return DrawnTable


class RealTable:
    """A real table: its store, its parts, its games, and the program round them."""

    def __init__(
        self,
        settings: Settings,
        shared: Shared,
        *,
        stopping: Callable[[], bool] = bool,
        camera: Simulated | None = None,
        drawn: Drawing | None = None,
    ) -> None:
        self._settings = settings
        self._shared = shared
        store = locked_store(settings)
        self.host = TableHost(settings, shared, stopping=stopping, camera=camera, drawn=drawn)
        self.games = TableGames(settings, shared, self.host, store)
        self._store = store

    def app(
        self,
        page: str = "home",
        game: str = "",
        window: Window | None = None,
        doors: Doors | None = None,
        runner: PageRunner | None = None,
    ) -> App:
        """The program, beginning on this page; phones come by its door once `runner` has started theirs."""
        settings, shared = self._settings, self._shared
        phones, club = None, None
        if doors is not None:
            colours = colours_of(settings)
            phones = TablePhones(
                doors.page, shared.clock, colours[: settings.table.chairs], settings.called()
            )
            self.games.holding = phones.holding
            desk = owner_desk(doors.page, settings)
            phones.owner = lambda: desk.pin
            club = TableClub(doors.uplink)
            told = ClubDesk(doors.uplink, self._store, colours=colours, nicknames=settings.club.nicknames)
            told.start()
        around = Around(
            games=self.games,
            guests=Guests(demo=self._demo, practice=self._practice),
            workshop=self.host.workshop,
            appliance=TableAppliance(
                settings.store_folder(),
                settings.table.name,
                lamps=settings.table.chairs,
                games=RULES,
                wake=shared.wake,
            ),
            door=None if doors is None else Outlets(doors.page, doors.uplink),
            phones=phones,
            runner=runner,
            club=club,
        )
        return build_app(settings, self.host, shared, around, page=page, game=game, window=window)

    def _demo(self, game: str) -> Guest:
        from companion.run.demo_host import guest_demo

        self.host.rest()
        return guest_demo(RULES[game], self._settings.house_rules(game), self._shared)

    def _practice(self, wanted: Practice) -> Guest:
        from companion.run.practice import PracticeHost

        self.host.rest()
        return PracticeHost(wanted, self._settings, self._shared)

    def close(self) -> None:
        """Everything in the reverse of its opening."""
        self.host.close()
        self.games.close()


def _ended(*, saved: bool, interrupted: bool, waits: bool) -> int:
    """What is left to say at the end, and the exit code; `waits`: a game is not over."""
    if not saved:
        say("Couldn't save the end of this game: make room, or set another storage.folder.")
    if interrupted:
        if saved:
            say("Stopped. To continue your game: companion resume" if waits else "Stopped.")
        return INTERRUPTED
    return 0 if saved else CompanionError.exit_code
