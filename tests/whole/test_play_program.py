"""A game as a program of its own: killed, stopped, without a cable or a picture."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace

from companion.camera.evidence import list_pictures
from companion.core import observations as ob
from companion.core.actions import SECOND, Micros, Setup
from companion.core.clock import ManualClock
from companion.core.errors import CompanionError
from companion.core.events import WindowVoided
from companion.core.view import Sentence
from companion.games import RULES
from companion.referee.journal import Entry, make_header
from companion.referee.store import GameStore
from companion.settings.model import Settings, StorageSettings
from companion.ui import commands as do
from hardware.camera import CameraFrame
from hardware.camera_worker import CameraWorker
from tests.processes import running
from tests.whole.playing import Open, Playing, seated

# As a program of its own ------------------------------------------------------------------------------------

CHILD = """
import sys
from queue import SimpleQueue
from pathlib import Path
from companion.core.actions import SECOND, Setup
from companion.referee.loop import RefereedGame
from companion.referee.journal import make_header
from companion.core import observations as ob
from companion.core.actions import Action
from companion.referee.referee import Referee
from companion.games import RULES
from companion.referee.store import GameStore
woken = SimpleQueue()
rules = RULES["kinapa"]
journal = GameStore(Path(sys.argv[1]), RULES).create_game(
    make_header("kinapa", Setup((0, 1, 2, 3), rules.options())), wake=lambda: woken.put(None))
game = RefereedGame(Referee(rules, journal), chance=lambda lots: 0)
game.post(ob.ActionDeclared(at=SECOND, action=Action(0, "claim_cat")))
game.post(ob.ActionDeclared(at=2 * SECOND, action=Action(0, "announce", 7)))
game.post(ob.CueHeard(at=3 * SECOND, cue="kinapa.count", attempt=1))
game.post(ob.ButtonPressed(at=5 * SECOND, chair=2))
game.step(5 * SECOND + 100_000)
told = 0
while told < len(journal.entries):
    woken.get()
    told += len(game.take_announcements())
print(told, flush=True)
sys.stdin.read()
"""


class Pulled:
    """USB buttons whose cable is pulled."""

    is_unplugged = True
    is_forbidden = False
    repeats = ()

    def has_dropped(self, now: Micros, within: Micros) -> bool:
        return False

    def had_direction(self, now: Micros, within: Micros) -> bool:
        return False

    def poll(self) -> int:
        return 0

    def close(self) -> None:
        """Nothing is open."""


def test_a_game_that_a_wrong_clock_dates_is_played_and_the_log_says_so(
    play: Open, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("companion.table.games.wall_time", lambda: "1970-01-01T00:01:10+00:00")
    table = seated(play("setup"))
    assert table.session.game.referee.journal.header.date.startswith("1970")
    assert "kept with a wrong date, for the clock says 1970-01-01" in caplog.text


def test_while_the_usb_cable_is_pulled_the_screen_says_so_and_keys_count(play: Open) -> None:
    table = seated(play("setup"))
    cable = Pulled()
    table.host._encoder = cable  # type: ignore[assignment]
    assert table.app.frame().trouble == Sentence("shared.trouble.unplugged")
    table.key("3")
    assert table.state.emperor == 1
    cable.is_unplugged = False
    assert table.app.frame().trouble is None


def test_killed_in_mid_count_nothing_told_is_lost_and_the_count_is_asked_for_again(
    play: Open, tmp_path: Path
) -> None:
    settings = Settings(storage=StorageSettings(folder=str(tmp_path / "games")))
    with running(
        [sys.executable, "-c", CHILD, str(settings.store_file())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as child:
        assert child.stdout is not None
        told = int(child.stdout.readline())
        child.send_signal(signal.SIGKILL)
    table = play()
    table.app.carry_out(do.ResumeGame("1"))
    table.run()
    entries = table.session.game.referee.journal.entries
    assert [type(entry.cause) for entry in entries[told:]] == [ob.ProgramRestarted, ob.CameraLost]
    assert entries[told].events[0] == WindowVoided("restart")
    assert (table.state.phase, table.state.turn.number, table.state.turn.raised) == ("recounting", 7, ())
    table.run(5 * SECOND)
    assert table.state.phase == "recounting", "no timer of the void count falls"
    table.choose("recount")
    table.run(5 * SECOND)
    assert table.state.phase == "pairing"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_a_signal_ends_the_program_in_order(tmp_path: Path, number: signal.Signals, code: int) -> None:
    settings = f"storage.folder={tmp_path / 'games'}"
    words = ["--verbose", "--set", settings, "--set", "camera.kind=none", "play", "kinapa"]
    with running(
        [sys.executable, "-m", "companion", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        assert child.stderr is not None
        for line in child.stderr:
            if "No buttons on pins" in line:  # its parts are being opened: signals are heard by now
                break
        child.send_signal(number)
        out, err = child.communicate(timeout=120)
    assert child.returncode == code
    assert "Traceback" not in err
    assert "No display" in out
    assert ("Stopped." in out) is (number is signal.SIGINT)


class Eyed:
    """A camera's worker that shows one picture and does jobs at once."""

    interval = 0
    frozen = False
    trouble = None

    def __init__(self, clock: ManualClock) -> None:
        self.clock = clock

    def take_preview(self) -> CameraFrame:
        return CameraFrame(np.full((48, 64, 3), 77, np.uint8), self.clock.now())

    def run_job(self, job: Callable[[Any], None]) -> None:
        job(None)

    def request_look(self, look: Any) -> None:
        """Everything is looked at always."""

    def start(self) -> None:
        """There is no thread."""

    def close(self) -> None:
        """Nothing is held."""


def test_a_camera_that_shows_one_picture_for_a_minute_is_told(play: Open) -> None:
    table = play("setup")
    eye = Eyed(table.clock)
    table.host._worker = cast("CameraWorker", eye)
    seated(table)
    assert table.app.frame().trouble is None
    eye.frozen = True
    table.run()
    assert table.app.frame().trouble == Sentence("shared.camera.frozen")


@pytest.mark.parametrize("wanted", [False, True])
def test_pictures_of_rulings_are_kept_only_where_the_settings_ask_for_it(
    play: Open, tmp_path: Path, wanted: bool
) -> None:
    table = play("setup")
    table.host.settings = replace(
        table.settings, storage=StorageSettings(folder=table.settings.storage.folder, evidence=wanted)
    )
    table.host._worker = cast("CameraWorker", Eyed(table.clock))
    seated(table)
    table.key("3")
    assert table.state.emperor == 1
    assert bool(list_pictures(table.settings.store_folder())) is wanted


def test_a_stored_game_that_no_table_could_have_played_is_refused_before_it_is_shown(tmp_path: Path) -> None:
    rules = RULES["kinapa"]
    header = make_header("kinapa", Setup((0, 1, 2, 3), rules.options()))
    crowned = msgspec.convert({"kind": "EmperorCrowned", "seat": 99}, rules.events)
    with GameStore(tmp_path / "table" / "games.sqlite", RULES) as store:
        journal = store.create_game(header)
        journal.append(Entry(0, ob.ButtonPressed(at=1, chair=0), (crowned,)))
        assert journal.close()
    table = Playing(tmp_path)
    with pytest.raises(CompanionError, match="game 1: line 2: no table could come to this"):
        table.table.games.resume_game("1")
    table.close()


@pytest.mark.parametrize("opened", ["before", "after"])
def test_whoever_has_the_log_of_a_won_game_open_cannot_take_the_end_back(play: Open, opened: str) -> None:
    one = play()
    one.app.carry_out(do.StartGame("kobayakawa", (0, 1, 2), None))
    one.run()
    rules, rng = one.session.game.referee.rules, random.Random(1)
    if opened == "before":
        one.key("l")
    while not one.session.game.over:
        actions = sorted(rules.legal_actions(one.state), key=str)
        one.inbox.put(ob.ActionDeclared(at=one.clock.now(), action=rng.choice(actions)))
        one.run()
    assert (one.app.ui_state.overlay == "log") == (opened == "before")
    if opened == "after":
        assert one.session.game.referee.find_undoable() is not None
        assert not one.app.frame().log, "what the log names is not on its way to the screen before"
        one.key("l")
    assert one.app.ui_state.overlay == "log"
    assert one.session.game.referee.find_undoable() is None
