"""Puts a demo together, runs it at its clock, and says what was seen and who won."""

from __future__ import annotations

import random
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, SimpleQueue
from tempfile import TemporaryDirectory
from typing import Any

from companion.about import program_version
from companion.core.actions import SECOND, Micros, Setup
from companion.core.clock import GameClock, ManualClock, wall_time
from companion.core.errors import InputError
from companion.core.observations import ShutdownRequested
from companion.core.rules import Rules
from companion.demo.host import DemoHost
from companion.demo.recorder import Recorder
from companion.demo.table import SimulatedTable
from companion.games import RULES
from companion.referee.journal import header_of
from companion.referee.loop import Told
from companion.referee.parts import Parts, caught, watched_threads
from companion.referee.store import Store
from companion.run.display import headless
from companion.settings.model import Settings
from companion.simulation.play import styles_for
from companion.table.app import App
from companion.table.session import Inbox
from companion.table.window import table_window
from companion.ui.glass import Glass
from companion.ui.language import Language
from companion.ui.pages import all_pages
from companion.ui.screen import Screen
from companion.ui.voice import open_voice
from hardware.simulated import SimulatedPanel

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
) -> int:
    """The verb: 0 when the game ended or somebody left it, 1 when it never would end."""
    no_display = headless()
    if no_display:
        print("No display: the demo goes on without a window; its rulings are told here.", flush=True)
    with _folder(record) as folder:
        store = Store(folder / "journal.sqlite", RULES)
        woken: SimpleQueue[None] = SimpleQueue()
        inbox: Inbox = SimpleQueue()
        setup = Setup(tuple(range(seats)), settings.house_rules(rules.name), bot)
        header = header_of(
            rules.name, setup, kind="demo", date=wall_time(), software=program_version(), seed=seed
        )
        journal = store.create(header, wake=lambda: (woken if fast else inbox).put(None))
        clock = ManualClock() if fast else GameClock()
        language = Language(settings.table.language)
        recorder = Recorder(record, rules) if record else None
        voice = open_voice(
            language, settings.sound, clock, silent=fast, track=recorder.track if recorder else None
        )
        parts = Parts()
        heard: list[Callable[[Told], None]] = [parts.guard("record", recorder.told, None)] if recorder else []
        if no_display:
            heard.append(parts.guard("listener", _teller(rules, language), None))

        def open_table(fingers: Callable[[Callable[[SimulatedPanel], None]], None] | None) -> SimulatedTable:
            return SimulatedTable(
                rules,
                journal,
                seed=seed,
                styles=styles_for(seats, random.Random(f"{seed} styles")),
                clock=clock,
                inbox=inbox,
                fingers=fingers,
                pictures=recorder.picture if recorder else None,
            )

        host = DemoHost(
            open_table,
            clock=clock,
            inbox=inbox,
            voice=voice,
            volume=settings.sound.volume,
            mute=settings.sound.mute,
            threads=not fast,
            heard=heard,
            parts=parts,
        )
        app = _app(host, settings, clock, inbox)
        signal.signal(signal.SIGTERM, lambda *_: inbox.put(ShutdownRequested(at=clock.now())))
        if recorder:
            recorder.watch(app)
        try:
            with watched_threads(parts, lambda: inbox.put(None)):
                if isinstance(clock, ManualClock):
                    _run_fast(app, host, clock, woken, draws=not no_display or record is not None)
                else:
                    _run_live(app, host, linger=0 if no_display else LINGER)
        finally:
            caught("Closing the demo", lambda: host.put_away(host.session))
            store.close()
            if recorder:
                keeper = recorder
                caught("Closing the recording", lambda: keeper.close(journal))
            _report(host)
    return 0 if app.left or host.session.game.over else 1


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
            raise InputError(
                f"{record} cannot take a recording ({reason}); name a folder of yours."
            ) from trouble
        yield record
        return
    with TemporaryDirectory(prefix="companion-demo-") as folder:
        yield Path(folder)


def _app(host: DemoHost, settings: Settings, clock: ManualClock | GameClock, inbox: Inbox) -> App:
    window = table_window(settings, "Table companion: demo")
    screen = Screen(settings.screen.size, Language)
    glass = Glass(language=settings.table.language, volume=settings.sound.volume, mute=settings.sound.mute)
    return App(
        host,
        window=window,
        pages=all_pages(screen),
        clock=clock,
        inbox=inbox,
        glass=glass,
        session=host.session,
    )


def _run_live(app: App, host: DemoHost, *, linger: Micros) -> None:
    """At the pace of a table; when the game is over the winner is shown for a while."""
    ended = None
    while not app.left:
        app.turn()
        if host.session.game.over and not host.session.game.waiting:
            ended = ended or host.clock.now()
            if host.clock.now() - ended >= linger:
                return
        app.wait()


def _run_fast(app: App, host: DemoHost, clock: ManualClock, woken: SimpleQueue[None], *, draws: bool) -> None:
    """No thread but the journal's writer, and the clock stands still until it has written."""
    session = host.session
    while not app.left:
        app.act()
        while session.game.waiting and session.game.trouble is None:
            try:
                woken.get(timeout=1.0)
            except Empty:
                continue
            session.step()
        if draws:
            app.look()
        elif session.voice.available is False:
            session.shown(session.view.cue)
        if session.game.over or clock.now() > LONGEST:
            return
        clock.move_to(max(app.due(), clock.now() + 1))


def _teller(rules: Rules[Any], language: Language) -> Callable[[Told], None]:
    """Rulings as lines on the terminal."""

    def tell(told: Told) -> None:
        for event in told.news:
            sentence = rules.sentence(told.state, event)
            if sentence is not None:
                print(f"{told.entry.cause.at / SECOND:7.2f}  {language.text(sentence)}", flush=True)

    return tell


def _report(host: DemoHost) -> None:
    """The last two lines."""
    table, session = host.table, host.session
    outcome = session.game.referee.rules.outcome(session.game.referee.state)
    presses = session.game.presses
    print(
        f"seen: {presses} presses, {table.frames} frames, {table.watcher.readings} readings, "
        f"{table.watcher.asked} asked"
    )
    winners = " ".join(str(chair + 1) for chair in outcome.winners) if outcome else ""
    print(f"outcome: {outcome.termination if outcome else 'abandoned'}; winners: {winners or 'none'}")
