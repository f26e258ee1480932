"""Whatever fails beside the game, the game goes on; what cannot be judged pauses it. Every part, every game.

The real app, host, store, pages and gpiozero classes; each case plants one failure and plays on.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any, NamedTuple

import numpy as np
import pytest

from companion.camera import evidence as _evidence
from companion.camera.evidence import EvidenceRecorder
from companion.camera.reader import TableReader
from companion.core import observations as ob
from companion.core.actions import SECOND, Action, Cue, Micros
from companion.core.appliance import Machine
from companion.core.clock import ManualClock
from companion.core.errors import Stopped
from companion.core.view import Sentence
from companion.games import RULES
from companion.referee.journal import SqliteJournal, replay
from companion.referee.parts import Parts, watched_threads
from companion.referee.referee import Referee
from companion.referee.store import Store
from companion.settings.model import Camera, Settings, Storage
from companion.settings.model import Screen as Small
from companion.settings.model import Table as Seats
from companion.simulation.acts import People
from companion.table import real as _table_host
from companion.table import save_recap
from companion.table.guarded import guarded
from companion.table.history import History
from companion.table.real import TableHost
from companion.teach.assistance import Assistance
from companion.teach.runner import LessonRunner
from companion.ui import commands as do
from companion.ui.frame import GameFrame
from companion.ui.language import Language
from companion.ui.overlays import OVERLAYS
from companion.ui.overlays.repair import repairable
from companion.ui.pages.game import GamePage
from companion.ui.sheet import deed
from companion.ui.voice import Voice
from companion.ui.window import Window
from hardware.camera import Frame
from hardware.camera_worker import CameraWorker
from hardware.encoder import Encoder
from hardware.lamps import LampPanel
from hardware.simulated import ClockedFactory
from tests.app.test_play import SIZED, Playing
from tests.thorough import some

STEP = SECOND // 5
GAME = [pytest.param(game, id=game) for game in RULES]
PLAYERS = {"kinapa": 4, "kabuki": 3, "kobayakawa": 3, "dnup": 2}


class Boom(RuntimeError):
    """Something that nobody foresaw."""


class Bomb:
    """Stands in for a function; raises while it is armed, so many times."""

    def __init__(self, real: Callable[..., Any], times: int = 10**9) -> None:
        self.real = real
        self.left = times
        self.raised = 0

    def __call__(self, *args: Any, **named: Any) -> Any:
        if self.left:
            self.left -= 1
            self.raised += 1
            raise Boom("planted")
        return self.real(*args, **named)


class StillCamera:
    """A camera of an empty table."""

    def __init__(self, clock: ManualClock) -> None:
        self._clock = clock

    def capture(self, newer_than: Micros) -> Frame:
        return Frame(np.full((48, 64, 3), 77, np.uint8), max(self._clock.now(), newer_than + 1))

    def lock(self, hertz: int = 50) -> None:
        """Nothing moves by itself."""

    def close(self) -> None:
        """Nothing is held."""


class IdleAppliance:
    """A machine that has nothing to do."""

    def tick(self, now: Micros, *, held: bool) -> None:
        """Nothing."""

    def machine(self) -> Machine:
        return Machine()

    def notice(self, now: Micros) -> Sentence | None:
        return None

    def lamps(self) -> None:
        return None

    def copy(self) -> None:
        """Nothing."""

    def switch_off(self) -> None:
        """Nothing."""


class SilentDevice:
    """An encoder that nobody presses."""

    def read(self) -> list[Any]:
        return []

    def close(self) -> None:
        """Nothing is held."""


class Table(Playing):
    """Everything a table has, with pins, an encoder and a camera whose rounds the test makes."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.patch = patch
        self.settings = Settings(
            storage=Storage(folder=str(folder), evidence=True),
            camera=Camera(kind="auto"),
            screen=Small(size=(1024, 600)),
            table=Seats(language="de"),
            origins=SIZED,
        )
        self.told: list[Sentence] = []
        patch.setattr(_table_host, "open_factory", lambda chip=None: ClockedFactory(self.clock))
        patch.setattr(CameraWorker, "start", lambda worker: None)
        self.open(camera=lambda clock, workshop: StillCamera(self.clock))
        self.host._encoder = Encoder(SilentDevice, self.clock, self.inbox.put, self.inbox.put, {})
        self.app = self.table.app()
        self.app._appliance = guarded("appliance", IdleAppliance(), self.host.parts)
        self.window = self.app.window
        self.window.pump()

    def run(self, micros: Micros = STEP) -> None:
        assert self.host._worker is not None
        self.host._worker.once()
        until = self.clock.now() + micros
        while self.clock.now() < until:
            super().run(min(SECOND // 20, until - self.clock.now()))
            trouble = self.app.frame().trouble
            if trouble is not None and trouble not in self.told[-1:]:
                self.told.append(trouble)

    def begin(self, game: str) -> None:
        self.ask(do.Start(game, tuple(range(PLAYERS[game])), None))
        self.run()
        self.told.clear()

    def ask(self, command: do.Command) -> None:
        """Somebody asked for it on the screen."""
        self.app.carry_out(command)
        self.run()

    def ask_by_key(self, command: do.Command) -> None:
        """The same through the page that is shown."""
        self.patch.setitem(GamePage.shortcuts, "z", deed(command))  # type: ignore[arg-type]
        self.key("z")

    def move(self) -> None:
        """Somebody says the first thing that is lawful now."""
        rules, state = self.session.game.referee.rules, self.state
        action = min(rules.legal_actions(state), key=str)
        self.inbox.put(ob.Declared(at=self.clock.now(), action=action))
        self.run()

    def repairable(self) -> bool:
        return repairable(self.session.view)

    def plant_in_judging(self, owner: Any, name: str, times: int = 10**9) -> Bomb:
        """Armed only while something is judged that somebody said."""
        bomb, observe, real = Bomb(getattr(owner, name), times), Referee.observe, getattr(owner, name)
        static = isinstance(vars(owner).get(name), staticmethod)
        armed: list[bool] = []

        def judged(referee: Any, seen: Any) -> Any:
            armed[:] = [isinstance(seen, ob.Declared)]
            try:
                return observe(referee, seen)
            finally:
                armed.clear()

        self.patch.setattr(Referee, "observe", judged)

        def planted(*args: Any, **named: Any) -> Any:
            return (bomb if armed == [True] else real)(*args, **named)

        self.patch.setattr(owner, name, staticmethod(planted) if static else planted)
        return bomb

    def plant(self, owner: Any, name: str, times: int = 10**9) -> Bomb:
        bomb = Bomb(getattr(owner, name), times)

        def planted(*args: Any, **named: Any) -> Any:  # bound to whoever has it, as a bomb would not be
            return bomb(*args, **named)

        self.patch.setattr(owner, name, planted)
        return bomb

    def plant_item(self, owner: Any, name: str) -> Bomb:
        bomb = Bomb(owner[name])
        self.patch.setitem(owner, name, bomb)
        return bomb

    @property
    def causes(self) -> list[Any]:
        return [entry.cause for entry in self.session.game.referee.journal.entries]


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Table]:
    one = Table(tmp_path / "games", monkeypatch)
    yield one
    monkeypatch.undo()
    one.close()


def tracebacks(caplog: pytest.LogCaptureFixture) -> list[logging.LogRecord]:
    """What of the planted failures is in the log, with its traceback."""
    return [
        record
        for record in caplog.records
        if record.levelno >= logging.ERROR and record.exc_info and isinstance(record.exc_info[1], Boom)
    ]


def assert_it_replays(table: Table, game: str) -> None:
    """What is written folds to what is played, and can be gone on with."""
    referee = table.session.game.referee
    assert replay(RULES[game], referee.setup, referee.journal.entries) == referee.state
    if not isinstance(referee.journal, SqliteJournal):
        return
    number = referee.journal.game
    assert number is not None
    with Store(table.settings.store_file(), RULES) as store:
        assert store.read(number)[1] == list(referee.journal.entries)


def assert_told_in_german(table: Table, part: str) -> None:
    """Told on the screen, once, in the table's language."""
    sentence = Sentence(f"shared.part.{part}")
    assert table.told.count(sentence) == 1, table.told
    german = Language("de").text(sentence)
    assert german not in {sentence.key, Language("en").text(sentence)}


# The game itself --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAME)
@pytest.mark.parametrize("step", ["decide", "evolve", "view", "prompts", "sentence", "append"])
def test_what_cannot_be_judged_is_not_written_and_the_game_pauses(
    step: str, game: str, table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    table.begin(game)
    while not table.repairable():
        table.move()
    before = len(table.causes)
    bomb = table.plant_in_judging(SqliteJournal if step == "append" else type(RULES[game]), step, times=1)
    table.move()
    assert bomb.raised == 1
    assert [type(cause) for cause in table.causes[before:]] == [ob.Paused]
    frame = table.app.frame()
    assert isinstance(frame, GameFrame)
    assert frame.view.paused
    assert_told_in_german(table, "judging")
    offered = {t.key: t.does for t in table.app._pages["game"].sheet(frame).targets}
    assert offered["repair"] == deed(overlay="repair")
    assert offered["take_back"] == (deed(overlay="take_back") if frame.can_undo else deed())
    assert len(tracebacks(caplog)) == 1
    assert_it_replays(table, game)
    table.ask(do.Continue())
    table.move()
    assert [type(cause) for cause in table.causes[before + 1 : before + 3]] == [ob.Resumed, ob.Declared]
    assert table.app.frame().trouble != Sentence("shared.part.judging")
    assert_it_replays(table, game)


@pytest.mark.parametrize("game", some(GAME))
@pytest.mark.parametrize("mended_after", [59, 61])
def test_the_same_failure_twice_in_a_minute_ends_the_program_with_the_game_stored(
    mended_after: int, game: str, table: Table
) -> None:
    table.begin(game)
    table.plant_in_judging(type(RULES[game]), "decide")
    table.move()
    table.ask(do.Continue())
    number, written = table.session.game.referee.journal.game, len(table.causes)  # type: ignore[attr-defined]
    table.run(mended_after * SECOND - STEP)
    if mended_after > 60:
        table.move()
        assert table.state.desk.paused
        return
    with pytest.raises(Stopped):
        table.move()
    table.patch.undo()
    table.app.close()
    table.app.carry_out(do.Resume(str(number)))
    assert len(table.causes) == written + 1
    assert isinstance(table.causes[-1], ob.Restarted)
    table.patch.setattr(CameraWorker, "start", lambda worker: None)
    table.move()
    assert isinstance(table.causes[-1], ob.Declared), "what was not written does not come back"
    assert_it_replays(table, game)


# Everything else --------------------------------------------------------------------------------------------


class Part(NamedTuple):
    """A part, how it fails, what makes somebody notice, and what is told of it."""

    told: str
    plant: Callable[[Table], Bomb]
    then: Callable[[Table], None] = lambda table: table.move()


def plain(table: Table) -> None:
    """The plain page is on the glass, and the keys still play."""
    table.move()
    assert table.app.at.stage._failed == {"game"}
    table.key("u")


def plain_by_key(table: Table) -> None:
    """The key that failed is answered by the plain page from then on."""
    table.key("m")
    assert table.app.at.stage._failed == {"game"}
    table.key("1")
    table.move()


def log_closes(table: Table) -> None:
    table.key("l")
    table.run()
    assert table.app.glass.overlay == ""
    table.move()


def a_cue(table: Table) -> None:
    table.session.voice.play_cue(
        Cue("kinapa.count", value=7, attempt=1, beats=3, said="kinapa.NumberAnnounced")
    )
    assert not table.session.voice.available
    table.move()


PARTS = {
    "voice says": Part("voice", lambda table: table.plant(Voice, "say")),
    "voice polls": Part("voice", lambda table: table.plant(Voice, "poll")),
    "voice counts": Part("voice", lambda table: table.plant(Voice, "play_cue"), a_cue),
    "lamps": Part("lamps", lambda table: table.plant(LampPanel, "show")),
    "page paints": Part("page", lambda table: table.plant(GamePage, "paint"), plain),
    "page handles": Part("page", lambda table: table.plant(GamePage, "handle"), plain_by_key),
    "overlay": Part("overlay", lambda table: table.plant_item(OVERLAYS, "log"), log_closes),
    "evidence": Part("evidence", lambda table: table.plant(_evidence, "is_ruling")),
    "evidence sees": Part("evidence", lambda table: table.plant(EvidenceRecorder, "seen")),
    "guide": Part("guide", lambda table: table.plant(Assistance, "advance")),
    "guide admits": Part("guide", lambda table: table.plant(Assistance, "admits")),
    "preview": Part("preview", lambda table: table.plant(CameraWorker, "preview")),
    "encoder": Part("encoder", lambda table: table.plant(Encoder, "poll")),
    "appliance": Part("appliance", lambda table: table.plant(IdleAppliance, "tick")),
    "host": Part("other", lambda table: table.plant(TableHost, "tick")),
    "frame": Part("page", lambda table: table.plant(History, "log")),
    "flip": Part("screen", lambda table: table.plant(Window, "flip")),
}


EACH_PART = [
    pytest.param(
        name, game, id=f"{name}-{game}", marks=[pytest.mark.long] * ((place - turn) % len(RULES) > 0)
    )
    for place, name in enumerate(PARTS)
    for turn, game in enumerate(RULES)
]
"""`make test` lets each part fail in one game, another for each; `make long` in all."""


@pytest.mark.parametrize(("name", "game"), EACH_PART)
def test_a_part_that_fails_is_off_and_told_and_the_game_goes_on(
    name: str, game: str, table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    table.begin(game)
    part = PARTS[name]
    written = len(table.causes)
    bomb = part.plant(table)
    part.then(table)
    table.move()
    assert bomb.raised
    assert len(tracebacks(caplog)) == 1, "logged once, however often it fails"
    assert_told_in_german(table, part.told)
    assert sum(isinstance(cause, ob.Declared) for cause in table.causes[written:]) >= 2
    assert not table.state.desk.paused
    assert_it_replays(table, game)


@pytest.mark.parametrize("name", ["say", "play_cue", "poll"])
def test_a_count_whose_voice_fails_is_opened_by_the_screen(name: str, table: Table) -> None:
    table.begin("kinapa")
    table.plant(Voice, name)
    table.inbox.put(ob.Declared(at=table.clock.now(), action=Action(0, "claim_cat")))
    table.run()
    table.inbox.put(ob.Declared(at=table.clock.now(), action=Action(0, "announce", 7)))
    table.run(2 * SECOND)
    (heard,) = [cause for cause in table.causes if isinstance(cause, ob.CueHeard)]
    assert heard.by == "screen"
    assert table.state.phase == "counting"


@pytest.mark.parametrize("game", GAME)
@pytest.mark.parametrize(
    ("owner", "name"), [(StillCamera, "__init__"), (StillCamera, "capture"), (TableReader, "step")]
)
def test_a_camera_that_fails_is_a_lost_camera_until_it_is_back(
    owner: Any, name: str, game: str, table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    bomb = table.plant(owner, name)
    table.begin(game)
    for _ in range(3):
        table.move()
    assert bomb.raised > 2
    assert len(tracebacks(caplog)) == 1
    assert sum(isinstance(cause, ob.CameraLost) for cause in table.causes) == 1
    assert table.state.desk.blind
    bomb.left = 0
    table.run()
    table.run()
    assert any(isinstance(cause, ob.CameraBack) for cause in table.causes)
    assert_it_replays(table, game)


@pytest.mark.parametrize("game", GAME)
def test_a_journal_that_cannot_be_written_is_told_and_written_once_it_can(
    game: str, table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    table.begin(game)
    bomb = table.plant(SqliteJournal, "flush")
    for _ in range(3):
        table.move()
    assert Sentence("shared.alarm.storage.lost") in table.told
    assert len(tracebacks(caplog)) == 1
    bomb.left = 0
    table.move()
    table.run()
    assert table.session.game.trouble is None
    assert_it_replays(table, game)


@pytest.mark.parametrize("game", GAME)
def test_the_thread_that_writes_outlives_what_nobody_foresaw(
    game: str, table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    table.begin(game)
    journal = table.session.game.referee.journal
    assert isinstance(journal, SqliteJournal)
    bomb = table.plant(SqliteJournal, "_write")
    table.move()
    assert Sentence("shared.alarm.storage.lost") in table.told
    bomb.left = 0
    journal.retry()
    table.move()
    assert len(tracebacks(caplog)) == 1
    assert journal.close()
    assert_it_replays(table, game)


@pytest.mark.parametrize("game", GAME)
def test_a_recap_that_fails_is_told_and_the_game_is_kept(
    game: str, table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    table.begin(game)
    table.move()
    table.plant(save_recap, "kept_recap")
    table.ask_by_key(do.SaveRecap())
    assert Sentence("shared.trouble.other") in table.told
    assert len(tracebacks(caplog)) == 1
    assert_it_replays(table, game)


@pytest.mark.parametrize("game", GAME)
def test_opponents_that_fail_leave_the_game_to_the_person(
    game: str, table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    table.app.carry_out(do.Practice(game))
    table.run()
    table.plant(People, "think")
    table.run(SECOND)
    assert_told_in_german(table, "people")
    assert len(tracebacks(caplog)) == 1
    assert table.app.due() > table.clock.now(), "nobody waits for people who do not come any more"
    written = len(table.causes)
    table.ask(do.Pause())
    assert isinstance(table.causes[written], ob.Paused)
    assert_it_replays(table, game)


@pytest.mark.parametrize("game", GAME)
def test_a_lesson_whose_guide_fails_goes_on_as_a_game(
    game: str, table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    table.app.carry_out(do.Learn(game))
    table.run()
    table.plant(LessonRunner, "advance")
    table.run()
    assert_told_in_german(table, "guide")
    assert len(tracebacks(caplog)) == 1
    written = len(table.causes)
    table.move()
    assert any(isinstance(cause, ob.Declared) for cause in table.causes[written:])
    assert_it_replays(table, game)


@pytest.mark.parametrize("game", GAME)
def test_a_game_that_cannot_be_opened_is_told_on_the_first_page(
    game: str, table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    table.plant(type(RULES[game]), "view")
    table.app.carry_out(do.Start(game, tuple(range(PLAYERS[game])), None))
    table.run()
    assert table.app.page == "home"
    assert Sentence("shared.trouble.other") in table.told
    assert tracebacks(caplog)


def test_a_thread_that_ends_is_a_part_that_failed(caplog: pytest.LogCaptureFixture) -> None:
    parts, woken = Parts(), SimpleQueue[None]()

    def ends() -> None:
        raise Boom("planted")

    with watched_threads(parts, lambda: woken.put(None)):
        thread = Thread(target=ends, name="edges")
        thread.start()
        woken.get(timeout=30)
        thread.join()
    assert list(parts.news()) == [Sentence("shared.part.buttons")]
    assert parts.run("buttons", lambda: 1, 0) == 0
    assert len(tracebacks(caplog)) == 1


def test_another_game_is_another_chance(table: Table) -> None:
    table.begin("dnup")
    bomb = table.plant(LampPanel, "show")
    table.move()
    assert Sentence("shared.part.lamps") in table.host.notes()
    bomb.left, raised = 0, bomb.raised
    table.begin("dnup")
    assert table.host.notes() == ()
    assert raised == 1
