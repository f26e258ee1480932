"""What surrounds the app in a demo: a simulated table instead of a real one."""

import random
import secrets
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from companion.core import observations as ob
from companion.core.actions import Chair, Cue, Micros, Options, Setup, Started
from companion.core.clock import Clock, GameClock
from companion.core.rules import Rules
from companion.core.view import Sentence
from companion.referee.journal import MemoryJournal, header_of
from companion.referee.loop import GRACE, Announced
from companion.referee.parts import caught
from companion.run.simulated_table import WATCHFUL, SimulatedTable
from companion.simulation.play import styles_for
from companion.table import guarded
from companion.table.session import SILENT_LEAD, Session
from companion.table.shared import Shared
from companion.ui.frame import DemoInfo
from hardware.camera_worker import CameraWorker
from hardware.simulated import Fingers, SimulatedCamera, SimulatedPanel

Moved = Callable[[Callable[[SimulatedPanel], None]], None]
"""Hands a job to the thread that moves the buttons."""


class PacedVoice:
    """A voice that is only heard at its own speed; at any other the count is shown instead."""

    def __init__(self, voice: guarded.Voice, clock: Clock) -> None:
        self._voice = voice
        self._clock = clock
        self._cues: list[Started] = []

    @property
    def _natural(self) -> bool:
        return self._clock.speed == 1.0

    @property
    def available(self) -> bool:
        return self._voice.available

    @property
    def sounded(self) -> bool:
        return not self._natural or self._voice.sounded

    @property
    def caption(self) -> Sentence | None:
        return self._voice.caption if self._natural else None

    def say(self, sentences: Sequence[Sentence], first: Collection[str] = ()) -> None:
        if self._natural:
            self._voice.say(sentences, first)

    def play_cue(self, cue: Cue) -> None:
        if self._natural:
            self._voice.play_cue(cue)
        elif self._voice.available:
            self._cues.append(Started(cue, self._clock.now() + SILENT_LEAD))

    def stop_cue(self) -> None:
        self._voice.stop_cue()
        self._cues.clear()

    def poll(self, now: Micros) -> Iterable[Started]:
        cues, self._cues = self._cues, []
        return (*cues, *self._voice.poll(now))


class DemoHost:
    """One demo game; with threads at a real clock, without any under a manual one."""

    def __init__(
        self,
        open_table: Callable[[Moved | None], SimulatedTable],
        shared: Shared,
        *,
        threads: bool,
        heard: Sequence[Callable[[Announced], None]] = (),
    ) -> None:
        self.parts = shared.parts
        self.clock = clock = shared.clock
        self._shared = shared
        self._fingers: Fingers | None = None
        self._worker: CameraWorker | None = None
        self.table = open_table(self._do if threads else None)
        if threads:
            self._fingers = Fingers(self.table.panel, clock)
            self._worker = CameraWorker(
                lambda: SimulatedCamera(self.table.render, clock),
                self.table.read,
                shared.inbox.put,
                clock,
                interval=WATCHFUL,
            )
            self._fingers.start()
            self._worker.start()
        self.session = Session(
            self.table.game,
            clock=clock,
            voice=PacedVoice(shared.voice, clock),
            lamps=self.table.panel.lamps,
            ask=None if self._worker is None else self._worker.ask,
            heard=(self.parts.guard("people", self.table.announced, None), *heard),
            parts=self.parts,
        )

    def _do(self, job: Callable[[SimulatedPanel], None]) -> None:
        if self._fingers is not None:
            self._fingers.do(job)

    # The app's host ---------------------------------------------------------------------------------------

    def put_away(self, session: Session) -> None:
        if self._worker is not None:
            self._worker.close()
        if self._fingers is not None:
            self._fingers.close()
        caught("Giving the demo up", lambda: self._give_up(session))
        session.game.referee.journal.close()
        self.table.close()

    def _give_up(self, session: Session) -> None:
        if not session.game.over:
            session.game.post(ob.Abandoned(at=self.clock.now()))
            session.game.step(self.clock.now() + GRACE)

    def tick(self) -> None:
        now = self.clock.now()
        self.parts.run("people", lambda: self.table.act(now), None)
        if self._worker is None:
            watchful = bool(self.session.watching)
            self.parts.run("preview", lambda: self.table.look(now, watchful=watchful), None)

    def next_due(self) -> Micros | None:
        if self._worker is None:
            watchful = bool(self.session.watching)
            return self.parts.run("people", lambda: self.table.next_due(watchful=watchful), None)
        return self.parts.run("people", self.table.people.next_due, None)

    def picture(self) -> Any:
        return self.table.picture

    def demo(self) -> DemoInfo | None:
        seized = sorted(self.table.people.seized)
        caption = Sentence("ui.demo.seized", (("chair", seized[-1]),)) if seized else None
        paused = self.session.game.referee.state.desk.paused
        return DemoInfo(
            speed=self.clock.speed, paused=paused, caption=caption or Sentence("ui.demo.take_over")
        )

    def change(self, setting: str, value: str | float | bool) -> None:  # noqa: FBT001
        """As `Fittings.change`; `speed` is in game seconds per real second."""
        now = self.clock.now()
        if setting == "speed" and isinstance(self.clock, GameClock):
            self.clock.pace(float(value))
        elif setting == "paused":
            self._shared.inbox.put(ob.Paused(at=now) if value else ob.Resumed(at=now))
        self._shared.change(setting, value)

    def read_again(self) -> None:
        self.table.watcher.read_again()

    def seized(self, chair: Chair) -> None:
        if chair in self.table.game.referee.setup.chairs:
            self.table.people.seized.add(chair)

    def show_lamps(self, lit: frozenset[Chair]) -> None:
        """A demo always has its game."""

    def trouble(self) -> Sentence | None:
        return None

    def by_keys(self) -> bool:
        return True


def guest_demo(
    rules: Rules[Any], options: Options, shared: Shared, *, seats: int = 0, seed: int | None = None
) -> DemoHost:
    """A demo of which nothing is kept; `seats` 0: as many as usual, `seed` None: another one each time."""
    seed = secrets.randbelow(1_000_000) if seed is None else seed
    players = seats or rules.usual or rules.players[0]
    header = header_of(rules.name, Setup(tuple(range(players)), options), kind="demo", seed=seed)

    def open_table(fingers: Moved | None) -> SimulatedTable:
        return SimulatedTable(
            rules,
            MemoryJournal(header),
            seed=seed,
            styles=styles_for(players, random.Random(seed)),
            clock=shared.clock,
            inbox=shared.inbox,
            fingers=fingers,
        )

    return DemoHost(open_table, shared, threads=True)
