"""`companion demo`: a simulated game on the screen, recorded or at full speed."""

import logging
import random
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from companion.core.actions import SECOND, Micros, Setup
from companion.core.clock import Clock, GameClock, ManualClock, wall_time
from companion.core.errors import InputError
from companion.core.events import kind_of
from companion.core.rules import Rules
from companion.games import GAMES, RULES
from companion.games.kit.world import PlayStyle
from companion.language.language import Language
from companion.language.voice.voice import WavOutput
from companion.programs.build_app import build_app, build_runtime
from companion.programs.display import is_headless
from companion.programs.simulated_host import DemoHost, Moved
from companion.referee.journal import Header, Journal, make_header
from companion.referee.journal.json_lines import encode_journal
from companion.referee.loop import Announcement
from companion.referee.store import GameStore
from companion.settings.model import Settings
from companion.simulation.game_simulation import random_styles
from companion.simulation.simulated_table import SimulatedTable
from companion.system.fault_isolation import report_thread_failures, run_and_log
from companion.system.machine import program_version
from companion.system.signals import SignalHandler
from companion.system.terminal import count_with_noun, print_lines, print_unless_closed
from companion.table.app import App
from companion.table.runtime import AppParts, Runtime, run_loop
from companion.ui.commands import ShowPage
from companion.ui.toolkit.window import Window
from companion.vision.renderer import write_jpeg

log = logging.getLogger(__name__)


class DemoRecorder:
    """Writes into a folder: `journal.jsonl`, `camera/`, `screens/`, `sound.wav`."""

    def __init__(self, folder: Path, rules: Rules[Any]) -> None:
        self._folder = folder
        self._rules = rules
        self._app: App | None = None
        self.full = ""
        """Why nothing more is kept; empty while everything is."""
        self.track = WavOutput()
        for name in ("camera", "screens"):
            (folder / name).mkdir(parents=True, exist_ok=True)
            for old in (folder / name).iterdir():
                old.unlink()

    def attach(self, app: App) -> None:
        """Screens are taken from this app."""
        self._app = app

    def save_picture(self, image: NDArray[np.uint8], at: Micros) -> None:
        """Keep a picture that was read: uint8, height × width × 3, BGR."""
        path = self._folder / "camera" / f"{at / SECOND:08.2f}.jpg"
        self._write(lambda: write_jpeg(path, image, quality=85))

    def handle_ruling(self, ruling: Announcement) -> None:
        """A ruling was announced: its screen is taken as soon as it is drawn."""
        rules = self._rules
        spoken = [event for event in ruling.news if not rules.is_silent(event)]
        if spoken and self._app is not None:
            app = self._app
            app.draw()
            path = self._folder / "screens" / f"{ruling.entry.seq:05d}-{kind_of(spoken[0])}.png"
            self._write(lambda: app.window.save_screenshot(path))

    def close(self, journal: Journal) -> None:
        """Write what is only whole at the end."""
        whole = encode_journal(journal.header, journal.entries)
        self._write(lambda: (self._folder / "journal.jsonl").write_bytes(whole))
        self._write(lambda: self.track.write_wav(self._folder / "sound.wav"))

    def _write(self, write: Callable[[], object]) -> None:
        """Write one thing; when there is no room the game goes on and the recording ends."""
        if self.full:
            return
        try:
            write()
        except OSError as trouble:
            self.full = str(trouble)
            log.warning("The recording stops here (%s); the game continues.", trouble)


MAX_GAME_TIME = 3600 * SECOND
"""A game of simulated people that is not over by then never will be."""
WINNER_TIME = 20 * SECOND
"""How long the winner is shown before the demo ends by itself."""


class Act(NamedTuple):
    """A game of a demo."""

    rules: Rules[Any]
    seats: int
    seed: int
    styles: tuple[PlayStyle, ...] = ()
    """How each plays; empty: the seed says it."""
    bot: bool = False


def show_acts() -> tuple[Act, ...]:
    """What a demo shows that was asked for no game: the games that have a story, the shortest first."""
    games = sorted(
        (game for game in GAMES.values() if game.story.styles), key=lambda game: len(game.story.told)
    )
    return tuple(
        Act(game.rules, len(game.story.styles), game.story.seed, tuple(map(PlayStyle, game.story.styles)))
        for game in games
    )


ACT_TIME: Micros = 60 * SECOND
"""An act whose story was not told by then is over all the same."""
CURTAIN: Micros = 5 * SECOND // 2
"""From the end of a story to the next act."""


class Show:
    """Games one after the other: each gives way to the next once its story was told; the last is played out.

    `open_host` opens the table of an act.
    """

    def __init__(self, acts: Sequence[Act], open_host: Callable[[Act], DemoHost], clock: Clock) -> None:
        self._remaining = list(acts)
        self._open_host = open_host
        self._clock = clock
        self._over_since: Micros | None = None
        """Since when the story is told."""
        self.host = self.open_next()

    def open_next(self, _: str = "") -> DemoHost:
        """The next act; every way to another demo leads there."""
        self.act = self._remaining.pop(0)
        self.host = self._open_host(self.act)
        self._began, self._over_since = self._clock.now(), None
        return self.host

    def advance(self, app: App) -> None:
        """Have the next act if this one is over and nobody plays in it."""
        now = self._clock.now()
        if self._over_since is None and (self.host.narrator.is_over or now - self._began > ACT_TIME):
            self._over_since = now
        over = self._over_since is not None and now - self._over_since >= CURTAIN
        info = self.host.demo_info()
        if over and self._remaining and info is not None and not info.seized and not info.paused:
            app.carry_out(ShowPage("demo"))


def run_demo(
    acts: Sequence[Act],
    settings: Settings,
    *,
    fast: bool,
    record: Path | None,
    window: Window | None = None,
) -> int:
    """Run it: 0 when the last game ended or somebody left it, 1 when it never would end."""
    no_display = is_headless()
    if no_display:
        print_lines("No display: the rulings are printed here.")
    with _recording_folder(record) as folder:
        recorder = DemoRecorder(record, acts[0].rules) if record else None
        shared = build_runtime(
            settings,
            ManualClock() if fast else GameClock(),
            silent=fast,
            track=recorder.track if recorder else None,
        )
        store = GameStore(folder / "journal.sqlite", RULES)
        woken: SimpleQueue[None] = SimpleQueue()
        wake = (lambda: woken.put(None)) if fast else shared.wake_loop
        # Where nothing is shown or recorded, a demo that nobody reads is over.
        tell = print_lines if no_display and record is None else print_unless_closed

        def open_host(act: Act) -> DemoHost:
            journal = store.create_game(demo_header(act, settings), wake=wake)
            listeners = _ruling_listeners(
                act.rules, settings, shared, recorder, say=tell if no_display else None
            )
            pictures = recorder.save_picture if recorder else None
            return open_act(act, shared, journal, threads=not fast, listeners=listeners, pictures=pictures)

        show = Show(acts, open_host, shared.clock)
        draws = not (fast and no_display and record is None)
        app = build_demo_app(settings, show.host, shared, window, draws=draws, demo=show.open_next)
        signals = SignalHandler(shared.request_stop)
        signal.signal(signal.SIGTERM, signals.handle_signal)
        if recorder:
            recorder.attach(app)
        try:
            with report_thread_failures(shared.parts, shared.wake_loop):
                body = FastLoop(app, woken) if fast else app
                over = _build_end_check(show, app, 0 if fast or no_display else WINNER_TIME)
                run_loop(body, shared.clock, shared.inbox, over=over)
        finally:
            signals.cancel_forced_exit()
            run_and_log("Closing the demo", app.close)
            store.close()
            if recorder:
                keeper, journal = recorder, show.host.session.game.referee.journal
                run_and_log("Closing the recording", lambda: keeper.close(journal))
            _print_report(show.host, tell)
    return 0 if app.quit_requested or show.host.session.game.over else 1


def demo_header(act: Act, settings: Settings) -> Header:
    """The header of an act's journal."""
    setup = Setup(tuple(range(act.seats)), settings.house_rules(act.rules.name), act.bot)
    return make_header(
        act.rules.name,
        setup,
        kind="demo",
        date=wall_time(),
        software=program_version(),
        seed=act.seed,
    )


def open_act(
    act: Act,
    shared: Runtime,
    journal: Journal,
    *,
    threads: bool,
    listeners: Sequence[Callable[[Announcement], None]] = (),
    pictures: Callable[[NDArray[np.uint8], Micros], None] | None = None,
) -> DemoHost:
    """The table of an act, with its people."""
    chance = random.Random(f"{act.seed} styles")

    def open_table(fingers: Moved | None) -> SimulatedTable:
        return SimulatedTable(
            act.rules,
            journal,
            seed=act.seed,
            styles=act.styles or random_styles(act.seats, chance),
            clock=shared.clock,
            inbox=shared.inbox,
            fingers=fingers,
            pictures=pictures,
        )

    return DemoHost(open_table, shared, threads=threads, listeners=listeners, narrated=True)


def build_demo_app(
    settings: Settings,
    host: DemoHost,
    shared: Runtime,
    window: Window | None = None,
    *,
    draws: bool = True,
    demo: Callable[[str], DemoHost] | None = None,
) -> App:
    """The program round a demo; `demo` opens the one after it."""
    around = AppParts(session=host.session, demo=demo)
    return build_app(settings, host, shared, around, window=window, draws=draws)


def _ruling_listeners(
    rules: Rules[Any],
    settings: Settings,
    shared: Runtime,
    recorder: DemoRecorder | None,
    *,
    say: Callable[[str], None] | None,
) -> list[Callable[[Announcement], None]]:
    """Who hears of every ruling besides the screen; `say` prints them on the terminal."""
    listeners: list[Callable[[Announcement], None]] = []
    if recorder:
        listeners.append(shared.parts.wrap("record", recorder.handle_ruling, None))
    if say is not None:
        tell = _ruling_printer(rules, shared.words(settings.table.language), say)
        listeners.append(shared.parts.wrap("listener", tell, None))
    return listeners


@contextmanager
def _recording_folder(record: Path | None) -> Iterator[Path]:
    if record is not None:
        try:
            record.mkdir(parents=True, exist_ok=True)
            (record / "journal.sqlite").unlink(missing_ok=True)
            (record / "journal.sqlite").touch()
            (record / "journal.sqlite").unlink()
        except OSError as trouble:
            reason = trouble.strerror or str(trouble)
            raise InputError(f"can't record to {record} ({reason}); name a folder of yours.") from trouble
        yield record
        return
    with TemporaryDirectory(prefix="companion-demo-") as folder:
        yield Path(folder)


def _build_end_check(show: Show, app: App, linger: Micros) -> Callable[[], bool]:
    """Whether the winner was shown for so long, or the game will never be over."""
    ended: list[Micros] = []

    def over() -> bool:
        show.advance(app)
        host = show.host
        if isinstance(host.clock, ManualClock) and host.clock.now() > MAX_GAME_TIME:
            return True
        if not host.session.game.over or host.session.game.waiting:
            return False
        ended.extend([] if ended else [host.clock.now()])
        return host.clock.now() - ended[0] >= linger

    return over


class FastLoop:
    """The rounds of a demo without a pause; each ends once the journal's thread has written."""

    def __init__(self, app: App, woken: SimpleQueue[None]) -> None:
        self.next_due = app.next_due
        self._app = app
        self._wakes = woken

    @property
    def quit_requested(self) -> bool:
        return self._app.quit_requested

    def run_once(self) -> None:
        session = self._app.session
        assert session is not None
        self._app.step()
        while session.game.waiting and session.game.trouble is None:
            with suppress(Empty):
                self._wakes.get(timeout=1.0)
                session.step()
        self._app.handle_input()
        self._app.draw()


def _ruling_printer(
    rules: Rules[Any], language: Language, say: Callable[[str], None]
) -> Callable[[Announcement], None]:
    """Rulings as lines on the terminal."""

    def tell(ruling: Announcement) -> None:
        for event in ruling.news:
            sentence = rules.sentence(ruling.state, event)
            if sentence is not None:
                say(f"{ruling.entry.cause.at / SECOND:7.2f}  {language.text(sentence)}")

    return tell


def _print_report(host: DemoHost, say: Callable[[str], None]) -> None:
    """The last two lines: what was shown, how it ended, and what comes next."""
    table, game = host.table, host.session.game
    rules = game.referee.rules
    outcome = rules.outcome(game.referee.state)
    watcher = table.watcher
    if watcher is None:
        say(f"The table pressed: {game.presses} presses.")
    else:
        say(
            f"The table pressed and the camera read: {game.presses} presses, {table.frames} pictures, "
            f"{watcher.reading_count} readings, {watcher.unknown_count} of them unsure."
        )
    rulings = sum(
        not rules.is_silent(event) for entry in game.referee.journal.entries for event in entry.events
    )
    winners = " and ".join(f"chair {chair + 1}" for chair in outcome.winners) if outcome else ""
    left = outcome is None or outcome.termination == "abandoned"
    ended = f"Won by {winners} after" if winners else "Demo closed after" if left else "Nobody won after"
    say(f"{ended} {count_with_noun(rulings, 'ruling')}. Play yourself: companion play {rules.name}")
