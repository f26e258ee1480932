"""Host of a demo: a simulated table instead of a real one."""

import random
import secrets
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from companion.core import observations as ob
from companion.core.actions import Chair, Cue, CueStarted, Micros, Options, Setup
from companion.core.clock import Clock
from companion.core.rules import Rules
from companion.core.view import Sentence, SoundEffect
from companion.games import GAMES
from companion.programs.narrator import Narrator
from companion.programs.simulated_host import SimulatedHost
from companion.referee.journal import MemoryJournal, make_header
from companion.referee.loop import GRACE, Announcement
from companion.simulation.game_simulation import random_styles
from companion.simulation.simulated_table import WATCHFUL_INTERVAL, SimulatedTable
from companion.system.fault_isolation import run_and_log
from companion.table.runtime import Runtime
from companion.table.session import SILENT_LEAD_IN, Session, Speaker
from companion.ui.frame import DemoInfo
from hardware.camera_worker import CameraWorker
from hardware.simulated_panel import FingerThread, SimulatedCamera, SimulatedPanel

Moved = Callable[[Callable[[SimulatedPanel], None]], None]
"""Hands a job to the thread that moves the buttons."""


class RealTimeVoice:
    """A voice that is only heard at its own speed; at any other the count is shown instead."""

    def __init__(self, voice: Speaker, clock: Clock) -> None:
        self._voice = voice
        self._clock = clock
        self._cues: list[CueStarted] = []

    @property
    def _is_real_time(self) -> bool:
        return self._clock.speed == 1.0

    @property
    def available(self) -> bool:
        return self._voice.available

    @property
    def sounded(self) -> bool:
        return not self._is_real_time or self._voice.sounded

    @property
    def caption(self) -> Sentence | None:
        return self._voice.caption if self._is_real_time else None

    def announce(
        self, sentences: Sequence[Sentence], urgent: Collection[str] = (), quiet: Collection[str] = ()
    ) -> None:
        if self._is_real_time:
            self._voice.announce(sentences, urgent, quiet)

    def say(self, sentences: Sequence[Sentence], first: Collection[str] = ()) -> None:
        if self._is_real_time:
            self._voice.say(sentences, first)

    def play_effect(self, name: SoundEffect) -> None:
        if self._is_real_time:
            self._voice.play_effect(name)

    def play_cue(self, cue: Cue) -> None:
        if self._is_real_time:
            self._voice.play_cue(cue)
        elif self._voice.available:
            self._cues.append(CueStarted(cue, self._clock.now() + SILENT_LEAD_IN))

    def stop_cue(self) -> None:
        self._voice.stop_cue()
        self._cues.clear()

    def poll(self, now: Micros) -> Iterable[CueStarted]:
        cues, self._cues = self._cues, []
        return (*cues, *self._voice.poll(now))


class DemoHost(SimulatedHost):
    """One demo game; with threads at a real clock, without any under a manual one."""

    def __init__(
        self,
        open_table: Callable[[Moved | None], SimulatedTable],
        shared: Runtime,
        *,
        threads: bool,
        listeners: Sequence[Callable[[Announcement], None]] = (),
        narrated: bool = False,
    ) -> None:
        """`narrated`: the game's story is told with it."""
        super().__init__(shared)
        clock = self.clock
        self._fingers: FingerThread | None = None
        self._worker: CameraWorker | None = None
        self.people = self.table = open_table(self._run_job if threads else None)
        if threads:
            self._fingers = FingerThread(self.table.panel, clock)
            self._fingers.start()
        if threads and self.table.watcher is not None:
            self._worker = CameraWorker(
                lambda: SimulatedCamera(self.table.render_picture, clock),
                self.table.read_picture,
                shared.inbox.put,
                clock,
                interval=WATCHFUL_INTERVAL,
            )
            self._worker.start()
        voice = RealTimeVoice(shared.voice, clock)
        rules = self.table.game.referee.rules
        story = GAMES[rules.name].story.told if narrated and rules.name in GAMES else ()
        self.narrator = Narrator(rules.name, story, voice, clock)
        self.table.people.are_listening = self.narrator.is_telling
        self.session = Session(
            self.table.game,
            clock=clock,
            voice=voice,
            lamps=self.table.panel.lamps,
            ask=None if self._worker is None else self._worker.request_look,
            listeners=(
                self.parts.wrap("people", self.table.handle_ruling, None),
                self.narrator.handle_ruling,
                *listeners,
            ),
            card_pictures=self.table.card_pictures,
            parts=self.parts,
        )
        self.table.is_watched = lambda: bool(self.session.watched_places)

    def _run_job(self, job: Callable[[SimulatedPanel], None]) -> None:
        if self._fingers is not None:
            self._fingers.run_job(job)

    # The app's host ---------------------------------------------------------------------------------------

    def close_session(self, session: Session) -> None:
        if self._worker is not None:
            self._worker.close()
        if self._fingers is not None:
            self._fingers.close()
        run_and_log("Giving the demo up", lambda: self._give_up(session))
        super().close_session(session)
        self.table.close()

    def _give_up(self, session: Session) -> None:
        if not session.game.over:
            session.game.post(ob.AbandonRequested(at=self.clock.now()))
            session.game.step(self.clock.now() + GRACE)

    def tick(self) -> None:
        self.narrator.advance(self.clock.now())
        super().tick()
        if self._worker is None and not self._over:
            self.parts.run("preview", lambda: self.table.update_picture(self.clock.now()), None)

    def picture(self) -> Any:
        return self.table.picture

    def reread_table(self) -> None:
        if self.table.watcher is not None:
            self.table.watcher.read_again()

    def take_over_chair(self, chair: Chair) -> None:
        if chair in self.table.game.referee.state.setup.chairs:
            self.table.people.seized.add(chair)

    def demo_info(self) -> DemoInfo | None:
        seized, narrator = self.table.people.seized, self.narrator
        caption = narrator.line if narrator.is_telling() or not narrator.is_over else None
        if seized:
            caption = Sentence("ui.demo.seized", (("chair", max(seized)),))
        return DemoInfo(
            speed=self.clock.speed,
            paused=self.session.game.referee.state.desk.paused,
            caption=caption or Sentence("ui.demo.take_over"),
            told=narrator.told,
            steps=narrator.steps,
            seized=frozenset(seized),
            has_camera=self.session.game.referee.rules.reads_cards,
        )


def build_guest_demo(
    rules: Rules[Any],
    options: Options,
    shared: Runtime,
    *,
    seats: int = 0,
    seed: int | None = None,
    narrated: bool = False,
) -> DemoHost:
    """A demo of which nothing is kept; `seats` 0: as many as usual, `seed` None: another one each time."""
    seed = secrets.randbelow(1_000_000) if seed is None else seed
    players = seats or rules.default_players or rules.players[0]
    header = make_header(rules.name, Setup(tuple(range(players)), options), kind="demo", seed=seed)

    def open_table(fingers: Moved | None) -> SimulatedTable:
        return SimulatedTable(
            rules,
            MemoryJournal(header),
            seed=seed,
            styles=random_styles(players, random.Random(seed)),
            clock=shared.clock,
            inbox=shared.inbox,
            fingers=fingers,
        )

    return DemoHost(open_table, shared, threads=True, narrated=narrated)
