"""Every part that may fail while a game goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any, NamedTuple

import pytest

from companion.camera import evidence as _evidence
from companion.camera.evidence import EvidenceRecorder
from companion.camera.table_reader import TableReader
from companion.core import observations as ob
from companion.core.actions import SECOND, Action, Cue
from companion.core.view import Sentence
from companion.games import RULES
from companion.language.voice.voice import Voice
from companion.referee.journal import SqliteJournal
from companion.simulation.simulated_players import PlayerSimulator
from companion.system.fault_isolation import FaultIsolation, report_thread_failures
from companion.table.history import JournalHistory
from companion.table.real_host import TableHost
from companion.table.recap import save
from companion.teach.assistance import Assistance
from companion.teach.runner import LessonRunner
from companion.ui import commands as do
from companion.ui.overlays import OVERLAYS
from companion.ui.pages.game import GamePage
from companion.ui.toolkit.window import Window
from hardware.camera_worker import CameraWorker
from hardware.lamps import LampPanel
from hardware.usb_encoder import UsbEncoder
from tests.thorough import a_third
from tests.whole.falls_table import (
    GAME,
    PLAYERS,
    TRIED,
    Bomb,
    Boom,
    IdleAppliance,
    StillCamera,
    Table,
    assert_it_replays,
    assert_told_in_german,
    tracebacks,
)


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Table]:
    one = Table(tmp_path / "games", monkeypatch)
    yield one
    monkeypatch.undo()
    one.close()


# Everything else --------------------------------------------------------------------------------------------


class Part(NamedTuple):
    """A part, how it fails, what makes somebody notice, and what is told of it."""

    told: str
    plant: Callable[[Table], Bomb]
    then: Callable[[Table], None] = lambda table: table.move()


def plain(table: Table) -> None:
    """The plain page is on the glass, and the keys still play."""
    table.move()
    assert table.app.navigation.failed_pages == {"game"}
    table.key("u")


def plain_by_key(table: Table) -> None:
    """The key that failed is answered by the plain page from then on."""
    table.key("m")
    assert table.app.navigation.failed_pages == {"game"}
    table.key("1")
    table.move()


def log_closes(table: Table) -> None:
    table.key("l")
    table.run()
    assert table.app.ui_state.overlay == ""
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
    "lamps": Part("lamps", lambda table: table.plant(LampPanel, "show_states")),
    "page paints": Part("page", lambda table: table.plant(GamePage, "paint"), plain),
    "page handles": Part("page", lambda table: table.plant(GamePage, "handle"), plain_by_key),
    "overlay": Part("overlay", lambda table: table.plant_item(OVERLAYS, "log"), log_closes),
    "evidence": Part("evidence", lambda table: table.plant(_evidence, "is_ruling")),
    "evidence sees": Part("evidence", lambda table: table.plant(EvidenceRecorder, "add_picture")),
    "guide": Part("guide", lambda table: table.plant(Assistance, "advance")),
    "guide admits": Part("guide", lambda table: table.plant(Assistance, "admits")),
    "preview": Part("preview", lambda table: table.plant(CameraWorker, "take_preview")),
    "encoder": Part("encoder", lambda table: table.plant(UsbEncoder, "poll")),
    "appliance": Part("appliance", lambda table: table.plant(IdleAppliance, "tick")),
    "host": Part("other", lambda table: table.plant(TableHost, "tick")),
    "frame": Part("page", lambda table: table.plant(JournalHistory, "recent_lines")),
    "flip": Part("screen", lambda table: table.plant(Window, "flip")),
}


EACH_PART = [
    pytest.param(
        name, game, id=f"{name}-{game}", marks=[pytest.mark.long] * ((place - turn) % len(TRIED) > 0)
    )
    for place, name in enumerate(PARTS)
    for turn, game in enumerate(TRIED)
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
    assert sum(isinstance(cause, ob.ActionDeclared) for cause in table.causes[written:]) >= 2
    assert not table.state.desk.paused
    assert_it_replays(table, game)


@pytest.mark.parametrize("name", ["say", "play_cue", "poll"])
def test_a_count_whose_voice_fails_is_opened_by_the_screen(name: str, table: Table) -> None:
    table.begin("kinapa")
    table.plant(Voice, name)
    table.inbox.put(ob.ActionDeclared(at=table.clock.now(), action=Action(0, "claim_cat")))
    table.run()
    table.inbox.put(ob.ActionDeclared(at=table.clock.now(), action=Action(0, "announce", 7)))
    table.run(2 * SECOND)
    (heard,) = [cause for cause in table.causes if isinstance(cause, ob.CueHeard)]
    assert heard.by == "screen"
    assert table.state.phase == "counting"


@pytest.mark.slow
@pytest.mark.parametrize("game", a_third(GAME))
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
    assert any(isinstance(cause, ob.CameraRecovered) for cause in table.causes)
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
    table.plant(save, "save_and_report")
    table.ask_by_key(do.SaveRecap())
    assert Sentence("shared.trouble.other") in table.told
    assert len(tracebacks(caplog)) == 1
    assert_it_replays(table, game)


@pytest.mark.parametrize("game", GAME)
def test_opponents_that_fail_leave_the_game_to_the_person(
    game: str, table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    table.app.carry_out(do.StartPractice(game))
    table.run()
    table.plant(PlayerSimulator, "plan_actions")
    table.run(SECOND)
    assert_told_in_german(table, "people")
    assert len(tracebacks(caplog)) == 1
    assert table.app.next_due() > table.clock.now(), "nobody waits for people who do not come any more"
    written = len(table.causes)
    table.ask(do.PauseGame())
    assert isinstance(table.causes[written], ob.PauseRequested)
    assert_it_replays(table, game)


@pytest.mark.parametrize("game", GAME)
def test_a_lesson_whose_guide_fails_goes_on_as_a_game(
    game: str, table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    table.app.carry_out(do.StartLesson(game))
    table.run()
    table.plant(LessonRunner, "advance")
    table.run()
    assert_told_in_german(table, "guide")
    assert len(tracebacks(caplog)) == 1
    written = len(table.causes)
    table.move()
    assert any(isinstance(cause, ob.ActionDeclared) for cause in table.causes[written:])
    assert_it_replays(table, game)


@pytest.mark.parametrize("game", GAME)
def test_a_game_that_cannot_be_opened_is_told_on_the_first_page(
    game: str, table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    table.plant(type(RULES[game]), "view")
    table.app.carry_out(do.StartGame(game, tuple(range(PLAYERS[game])), None))
    table.run()
    assert table.app.page == "home"
    assert Sentence("shared.trouble.other") in table.told
    assert tracebacks(caplog)


def test_a_thread_that_ends_is_a_part_that_failed(caplog: pytest.LogCaptureFixture) -> None:
    parts, woken = FaultIsolation(), SimpleQueue[None]()

    def ends() -> None:
        raise Boom("planted")

    with report_thread_failures(parts, lambda: woken.put(None)):
        thread = Thread(target=ends, name="edges")
        thread.start()
        woken.get(timeout=30)
        thread.join()
    assert list(parts.unreported_failures()) == [Sentence("shared.part.buttons")]
    assert parts.run("buttons", lambda: 1, 0) == 0
    assert len(tracebacks(caplog)) == 1


def test_another_game_is_another_chance(table: Table) -> None:
    table.begin("dnup")
    bomb = table.plant(LampPanel, "show_states")
    table.move()
    assert Sentence("shared.part.lamps") in table.host.warnings()
    bomb.left, raised = 0, bomb.raised
    table.begin("dnup")
    assert table.host.warnings() == ()
    assert raised == 1
