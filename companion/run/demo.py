"""Puts a demo together, runs it at its clock, and says what was seen and who won."""

import random
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, SimpleQueue
from tempfile import TemporaryDirectory
from typing import Any

from companion.appliance.machine import program_version
from companion.core.actions import SECOND, Micros, Setup
from companion.core.clock import GameClock, ManualClock, wall_time
from companion.core.errors import InputError
from companion.core.plain import counted
from companion.core.rules import Rules
from companion.games import RULES
from companion.referee.journal import header_of
from companion.referee.loop import Announced
from companion.referee.parts import caught, watched_threads
from companion.referee.store import Store
from companion.run.build_app import build_app, build_shared
from companion.run.demo_host import DemoHost, Moved
from companion.run.display import headless
from companion.run.recorder import Recorder
from companion.run.simulated_table import SimulatedTable
from companion.run.stopping import Signals
from companion.settings.model import Settings
from companion.settings.terminal import say, say_if_heard
from companion.simulation.play import styles_for
from companion.table.app import App
from companion.table.around import Around
from companion.table.rounds import rounds
from companion.table.shared import Shared
from companion.ui.language import Language
from companion.ui.window import Window

LONGEST = 3600 * SECOND
"""A game of simulated people that is not over by then never will be."""
LINGER = 20 * SECOND
"""How long the winner is shown before the demo ends by itself."""


def run_demo(
    rules: Rules[Any],
    settings: Settings,
    *,
    seats: int,
    seed: int,
    fast: bool,
    record: Path | None,
    bot: bool = False,
    window: Window | None = None,
) -> int:
    """The verb: 0 when the game ended or somebody left it, 1 when it never would end."""
    no_display = headless()
    if no_display:
        say("No display: the rulings are printed here.")
    with _folder(record) as folder:
        recorder = Recorder(record, rules) if record else None
        shared = build_shared(
            settings,
            ManualClock() if fast else GameClock(),
            silent=fast,
            track=recorder.track if recorder else None,
        )
        store = Store(folder / "journal.sqlite", RULES)
        woken: SimpleQueue[None] = SimpleQueue()
        setup = Setup(tuple(range(seats)), settings.house_rules(rules.name), bot)
        header = header_of(
            rules.name, setup, kind="demo", date=wall_time(), software=program_version(), seed=seed
        )
        journal = store.create(header, wake=(lambda: woken.put(None)) if fast else shared.wake)
        # Where nothing is shown or recorded, a demo that nobody reads is over.
        tell = say if no_display and record is None else say_if_heard
        heard = _listeners(rules, settings, shared, recorder, say=tell if no_display else None)

        def open_table(fingers: Moved | None) -> SimulatedTable:
            return SimulatedTable(
                rules,
                journal,
                seed=seed,
                styles=styles_for(seats, random.Random(f"{seed} styles")),
                clock=shared.clock,
                inbox=shared.inbox,
                fingers=fingers,
                pictures=recorder.picture if recorder else None,
            )

        host = DemoHost(open_table, shared, threads=not fast, heard=heard)
        app = demo_app(settings, host, shared, window)
        signals = Signals(shared.stop)
        signal.signal(signal.SIGTERM, signals.heard)
        if recorder:
            recorder.watch(app)
        try:
            with watched_threads(shared.parts, shared.wake):
                if isinstance(shared.clock, ManualClock):
                    draws = not no_display or record is not None
                    fast_one = Fast(app, host, shared.clock, woken, draws=draws)
                    rounds(fast_one, over=fast_one.over)
                else:
                    rounds(app, over=_lingered(host, 0 if no_display else LINGER))
        finally:
            signals.noticed()
            caught("Closing the demo", app.close)
            store.close()
            if recorder:
                keeper = recorder
                caught("Closing the recording", lambda: keeper.close(journal))
            _report(host, tell)
    return 0 if app.left or host.session.game.over else 1


def demo_app(settings: Settings, host: DemoHost, shared: Shared, window: Window | None = None) -> App:
    """The program round a demo."""
    return build_app(settings, host, shared, Around(session=host.session), window=window)


def _listeners(
    rules: Rules[Any],
    settings: Settings,
    shared: Shared,
    recorder: Recorder | None,
    *,
    say: Callable[[str], None] | None,
) -> list[Callable[[Announced], None]]:
    """Who hears of every ruling besides the screen; `say` prints them on the terminal."""
    heard: list[Callable[[Announced], None]] = []
    if recorder:
        heard.append(shared.parts.guard("record", recorder.announced, None))
    if say is not None:
        tell = _teller(rules, shared.words(settings.table.language), say)
        heard.append(shared.parts.guard("listener", tell, None))
    return heard


@contextmanager
def _folder(record: Path | None) -> Iterator[Path]:
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


def _lingered(host: DemoHost, linger: Micros) -> Callable[[], bool]:
    """Whether the winner was shown for so long."""
    ended: list[Micros] = []

    def over() -> bool:
        if not host.session.game.over or host.session.game.waiting:
            return False
        ended.extend([] if ended else [host.clock.now()])
        return host.clock.now() - ended[0] >= linger

    return over


class Fast:
    """A demo without a pause: its clock stands still until the one thread, the journal's, has written."""

    def __init__(
        self, app: App, host: DemoHost, clock: ManualClock, woken: SimpleQueue[None], *, draws: bool
    ) -> None:
        self._app = app
        self._session = host.session
        self._clock = clock
        self._woken = woken
        self._draws = draws

    @property
    def left(self) -> bool:
        return self._app.left

    def over(self) -> bool:
        return self._session.game.over or self._clock.now() > LONGEST

    def turn(self) -> None:
        session = self._session
        self._app.act()
        while session.game.waiting and session.game.trouble is None:
            try:
                self._woken.get(timeout=1.0)
            except Empty:
                continue
            session.step()
        if self._draws:
            self._app.look()
        elif session.voice.available is False:
            session.shown(session.view)

    def wait(self) -> None:
        self._clock.move_to(max(self._app.due(), self._clock.now() + 1))


def _teller(rules: Rules[Any], language: Language, say: Callable[[str], None]) -> Callable[[Announced], None]:
    """Rulings as lines on the terminal."""

    def tell(ruling: Announced) -> None:
        for event in ruling.news:
            sentence = rules.sentence(ruling.state, event)
            if sentence is not None:
                say(f"{ruling.entry.cause.at / SECOND:7.2f}  {language.text(sentence)}")

    return tell


def _report(host: DemoHost, say: Callable[[str], None]) -> None:
    """The last two lines: what was shown, how it ended, and what comes next."""
    table, game = host.table, host.session.game
    rules = game.referee.rules
    outcome = rules.outcome(game.referee.state)
    watcher = table.watcher
    say(
        f"The table pressed and the camera read: {game.presses} presses, {table.frames} pictures, "
        f"{watcher.readings} readings, {watcher.asked} of them unsure."
    )
    rulings = sum(not rules.silent(event) for entry in game.referee.journal.entries for event in entry.events)
    winners = " and ".join(f"chair {chair + 1}" for chair in outcome.winners) if outcome else ""
    left = outcome is None or outcome.termination == "abandoned"
    ended = f"Won by {winners} after" if winners else "Demo closed after" if left else "Nobody won after"
    say(f"{ended} {counted(rulings, 'ruling')}. Play yourself: companion play {rules.name}")
