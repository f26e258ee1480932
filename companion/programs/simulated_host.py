"""Hosts of simulated people, for a demo and for `companion practice`: nothing is opened or stored.

A demo is narrated: one sentence at the first of each of some rulings. Its words are the catalogue's,
`GAME.show.NAME`; `Game.story` says which rulings they explain.
"""

import random
import secrets
import signal
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Protocol

from companion.core import observations as ob
from companion.core.actions import SECOND, Chair, Cue, CueStarted, Micros, Options, Setup
from companion.core.clock import Clock, GameClock
from companion.core.errors import EXIT_INTERRUPTED
from companion.core.events import kind_of
from companion.core.game import make_people
from companion.core.rules import Rules
from companion.core.view import Sentence, SoundEffect
from companion.games import GAMES, RULES, default_player_count
from companion.programs.build_app import build_app, build_runtime
from companion.programs.display import require_screen
from companion.referee.journal import MemoryJournal, make_header
from companion.referee.loop import GRACE, Announcement, RefereedGame
from companion.referee.referee import Referee
from companion.settings.model import Settings
from companion.simulation.game_simulation import random_styles
from companion.simulation.practice import PracticeGame
from companion.simulation.simulated_table import WATCHFUL_INTERVAL, SimulatedTable
from companion.system.fault_isolation import report_thread_failures, run_and_log
from companion.system.signals import stop_on_signals
from companion.table.app import App
from companion.table.host import GuestHost
from companion.table.runtime import AppParts, Runtime
from companion.table.session import SILENT_LEAD_IN, Session, Speaker
from companion.ui import commands as do
from companion.ui.frame import DemoInfo
from hardware.camera_worker import CameraWorker
from hardware.simulated_panel import FingerThread, SimulatedCamera, SimulatedPanel


class ActingPeople(Protocol):
    """People who act by themselves."""

    def step(self, now: Micros) -> None:
        """Do what is due."""

    def next_step_due(self) -> Micros | None:
        """When they do something next."""


class SimulatedHost:
    """One game of simulated people, who act until it is closed."""

    session: Session
    people: ActingPeople

    def __init__(self, shared: Runtime) -> None:
        self.parts = shared.parts
        self.clock = shared.clock
        self._over = False
        """Whether another game is on the table, or none."""

    # The app's host ---------------------------------------------------------------------------------------

    def close_session(self, session: Session) -> None:
        self._over = True
        session.game.referee.journal.close()

    def tick(self) -> None:
        if not self._over:
            self.parts.run("people", lambda: self.people.step(self.clock.now()), None)

    def next_due(self) -> Micros | None:
        return self.parts.run("people", self.people.next_step_due, None)

    def demo_info(self) -> DemoInfo | None:
        return None

    def take_over_chair(self, chair: Chair) -> None:
        """Only the player's own chair is a person's."""

    def show_lamps(self, lit: frozenset[Chair]) -> None:
        """There is always a game, which lights its own."""

    def needs_keyboard(self) -> bool:
        return True

    def is_stuck(self, chair: Chair | None, button: str) -> bool:
        return False

    def parts_trouble(self) -> Sentence | None:
        return None

    def picture(self) -> Any:
        return None

    def reread_table(self) -> None:
        """What is there is known."""


BEGINNING = "begin"
"""What is told before the first ruling."""
PATIENCE: Micros = 12 * SECOND
"""A sentence that was not said by then never will be."""


class Narrator:
    """Tells the story of one game; people wait until each sentence was said."""

    def __init__(self, game: str, story: Sequence[str], voice: Speaker, clock: Clock) -> None:
        self.steps = len(story)
        self.line: Sentence | None = None
        """What was told last."""
        self._game = game
        self._remaining = list(story)
        self._voice = voice
        self._clock = clock
        self._since: Micros | None = None
        """Since when it waits to be said, or is; None: it was."""
        self._was_heard = False
        if BEGINNING in self._remaining:
            self._tell(BEGINNING)

    @property
    def sentences_told(self) -> int:
        """How many sentences were told."""
        return self.steps - len(self._remaining)

    @property
    def is_over(self) -> bool:
        """Whether everything was told and said."""
        return not self._remaining and self._since is None

    def is_telling(self) -> bool:
        """Whether people listen."""
        return self._since is not None

    def handle_ruling(self, ruling: Announcement) -> None:
        """A ruling was announced: the first of its kind is explained."""
        for name in map(kind_of, ruling.news):
            if name in self._remaining:
                self._tell(name)

    def advance(self, now: Micros) -> None:
        """Notice that the sentence was said."""
        if self._since is None:
            return
        said = self._voice.caption == self.line
        if (self._was_heard and not said) or now - self._since > PATIENCE:
            self._since = None
        self._was_heard = said

    def _tell(self, name: str) -> None:
        self._remaining.remove(name)
        self.line = Sentence(f"{self._game}.show.{name}")
        self._since, self._was_heard = self._clock.now(), False
        self._voice.say((self.line,), (self.line.key,))  # what was ruled is said after it


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
    def count_finished(self) -> bool:
        return not self._is_real_time or self._voice.count_finished

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
            told=narrator.sentences_told,
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


class PracticeHost(SimulatedHost):
    """One practice game; nothing of it is stored."""

    def __init__(
        self, wanted: do.StartPractice, settings: Settings, shared: Runtime, *, seed: int | None = None
    ) -> None:
        """`seed`: the same cards again."""
        super().__init__(shared)
        rules = RULES[wanted.game]
        seed = secrets.randbelow(1_000_000) if seed is None else seed
        chairs = tuple(range(wanted.players or default_player_count(rules)))
        setup = Setup(chairs, settings.house_rules(rules.name), wanted.bot)
        header = make_header(rules.name, setup, kind="practice", seed=seed)
        game = RefereedGame(Referee(rules, MemoryJournal(header)), chance=random.Random(seed).randrange)
        strengths = ("medium", *(wanted.strength for _ in chairs[1:]))
        self.people = self.practice = PracticeGame(
            game,
            make_people(GAMES[rules.name], "opponents", setup, random.Random(seed), strengths),
            person=0,
            put=shared.inbox.put,
            say=shared.voice.say,
            now=shared.clock.now,
            is_open=wanted.is_open,
        )
        self.session = Session(
            game, clock=shared.clock, voice=shared.voice, guide=self.practice, parts=self.parts
        )


def run_practice(settings: Settings, wanted: do.StartPractice, *, seed: int | None) -> int:
    """Run it: 0 when somebody left."""
    require_screen("companion practice")
    shared = build_runtime(settings, GameClock())
    app = build_practice_app(settings, shared, wanted, seed=seed)

    try:
        with (
            stop_on_signals(shared.request_stop) as signals,
            report_thread_failures(shared.parts, shared.wake_loop),
        ):
            require_screen("companion practice", app.window)
            app.run()
    finally:
        shared.voice.close()
    return EXIT_INTERRUPTED if signal.SIGINT in signals.came else 0


def build_practice_app(
    settings: Settings, shared: Runtime, wanted: do.StartPractice, *, seed: int | None = None
) -> App:
    """The program round a practice game, and round those that are asked for after it."""

    def another(chosen: do.StartPractice) -> GuestHost:
        shared.clock.restart()
        return PracticeHost(chosen, settings, shared)

    host = PracticeHost(wanted, settings, shared, seed=seed)
    return build_app(
        settings,
        host,
        shared,
        AppParts(session=host.session, again=wanted, practice=another),
        caption="Table companion: practice",
        game=wanted.game,
    )
