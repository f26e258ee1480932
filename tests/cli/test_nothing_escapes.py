"""No traceback is printed: every verb, every way in; the log has it, and one sentence says where that is."""

from __future__ import annotations

import json
import logging
import os
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import companion
from companion.__main__ import EXIT_INTERRUPTED, main
from companion.cli import load_commands
from companion.games import RULES
from companion.programs.log_file import ProgramLog, is_journal_stream
from companion.programs.run_table import _exit_code
from companion.referee.store import GameStore

WORDS: dict[str, list[str]] = {
    "completion": ["bash"], "demo": ["kinapa"],
    "dev misread": ["1", "1"], "dev owner": ["games"], "dev schema": ["journal"], "dev simulate": ["dnup"],
    "enrol": ["kinapa"], "export": ["1"], "forget": ["Ann"], "import": ["x.jsonl"],
    "practice": ["dnup"], "recap": ["1"], "recognise": ["--deck", "dnup", "x.jpg"], "replay": ["x.jsonl"],
    "teach": ["kinapa"], "voice": ["check", "x"], "watch": ["kinapa"],
}  # fmt: skip
"""What a verb cannot be called without."""
PLANTED = """
import sys
from companion.__main__ import main
{plant}
sys.exit(main(sys.argv[1:]))
"""
A_VERB = """
from companion import cli
def broken(args, settings):
    raise ZeroDivisionError("planted")
cli.CliCommand.load = lambda self: (broken, None)
"""
THE_SETTINGS = """
from companion.cli import command
def broken(**more):
    raise ZeroDivisionError("planted")
command.load_settings = broken
"""
THE_JUDGE = """
from companion.table.app import App
from companion.games.dnup.rules import Dnup
from companion.ui import commands as do
begun = App.next_due
def acted(app):
    app.carry_out(do.ContinueGame())
    for action in sorted(Dnup().legal_actions(app.session.game.referee.state), key=str)[:1]:
        app.carry_out(do.DeclareAction(action))
    return begun(app)
def broken(rules, state, action, at):
    raise ZeroDivisionError("planted")
App.next_due, Dnup._judge_action = acted, broken
"""
THE_LOOP = """
from companion.table.app import App
def broken(app):
    raise ZeroDivisionError("planted")
App.next_due = broken
"""


def run(plant: str, folder: Path, *words: str, **more: Any) -> subprocess.CompletedProcess[str]:
    script = PLANTED.format(plant=plant)
    settings = ["--set", f"storage.folder={folder}", "--set", "camera.kind=none"]
    return subprocess.run(
        [sys.executable, "-c", script, *settings, *words],
        capture_output=True, text=True, check=False, timeout=300, **more,
    )  # fmt: skip


def assert_one_sentence(done: subprocess.CompletedProcess[str], log: Path) -> None:
    assert done.returncode == 1
    assert not {"Traceback", "ZeroDivisionError"} & set(re.findall(r"\w+", done.stdout + done.stderr))
    *_, line = done.stderr.splitlines()
    assert line.startswith("companion: ")
    assert str(log) in line
    assert "ZeroDivisionError: planted" in log.read_text(encoding="utf-8")
    assert "Traceback" in log.read_text(encoding="utf-8")
    assert stat.S_IMODE(log.stat().st_mode) == 0o600


EACH = (
    A_VERB
    + """
import json, os
for folder, *words in json.load(sys.stdin):
    if os.fork() == 0:
        for stream, name in ((1, "out"), (2, "err")):
            os.dup2(os.open(f"{folder}/{name}", os.O_WRONLY | os.O_CREAT), stream)
        sys.exit(main(words))
    print(os.waitstatus_to_exitcode(os.wait()[1]), flush=True)
"""
)
"""A program of its own for each verb; what all of them import is imported once."""


def test_a_library_that_does_not_load_is_named_and_who_knows_what_to_do(tmp_path: Path) -> None:
    broken = "import sys; sys.modules['cv2'] = None"
    done = run(broken, tmp_path, "watch", "kinapa", "--simulate", "--once")
    assert done.returncode == 1
    assert done.stderr.startswith("companion: a library doesn't load (import of cv2 halted")
    assert "companion doctor says what to do" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_verb_that_breaks_is_one_sentence_and_names_the_log(tmp_path: Path) -> None:
    names = [verb.name for verb in load_commands()]
    asked = []
    for name in names:
        folder = tmp_path / name
        folder.mkdir()
        settings = ["--set", f"storage.folder={folder}", "--set", "camera.kind=none"]
        asked.append([str(folder), *settings, *name.split(), *WORDS.get(name, [])])
    script = PLANTED.format(plant=EACH).replace("sys.exit(main(sys.argv[1:]))", "")
    each = subprocess.run(
        [sys.executable, "-c", script],
        input=json.dumps(asked), capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    codes = [int(line) for line in each.stdout.splitlines()]
    assert len(codes) == len(names), each.stderr
    for name, code in zip(names, codes, strict=True):
        folder = tmp_path / name
        out, err = ((folder / stream).read_text(encoding="utf-8") for stream in ("out", "err"))
        done = subprocess.CompletedProcess([name], code, out, err)
        assert_one_sentence(done, folder / "table" / "log")
        assert len(err.splitlines()) == 1, name


def test_what_breaks_before_the_settings_are_known_is_in_the_usual_place(tmp_path: Path) -> None:
    environ = {**os.environ, "XDG_DATA_HOME": str(tmp_path / "data")}
    done = run(THE_SETTINGS, tmp_path / "games", "settings", env=environ)
    assert_one_sentence(done, tmp_path / "data" / "companion" / "table" / "log")


@pytest.mark.parametrize(
    "words",
    [
        ["play"],
        pytest.param(["play", "dnup", "--chairs", "1,2"], marks=pytest.mark.long),
        ["demo", "dnup", "--fast"],
    ],
)
def test_a_loop_that_breaks_is_one_sentence(words: list[str], tmp_path: Path) -> None:
    done = run(THE_LOOP, tmp_path, *words)
    assert_one_sentence(done, tmp_path / "table" / "log")


def test_a_judge_that_breaks_twice_ends_the_program_and_the_game_goes_on_at_the_next_start(
    tmp_path: Path,
) -> None:
    done = run(THE_JUDGE, tmp_path, "play", "dnup", "--chairs", "1,2")
    assert_one_sentence(done, tmp_path / "table" / "log")
    *failures, last = done.stderr.splitlines()
    assert "companion resume" in last
    assert len(failures) == 2
    assert all(line.startswith("companion.system.fault_isolation: Judging ") for line in failures)
    with GameStore(tmp_path / "table" / "games.sqlite", RULES) as store:
        broken = store.find_unfinished()
        assert broken is not None
        _, entries = store.read_game(broken.game)
    assert entries
    assert not (tmp_path / "table" / "left").exists(), "nobody left it: the service goes on with it"
    leaves = """
from companion.table.app import App
App.next_due = lambda app: setattr(app.navigation, "quit_requested", True)
"""
    again = run(leaves, tmp_path, "play", "--go-on")
    assert (again.returncode, again.stderr) == (0, "")
    with GameStore(tmp_path / "table" / "games.sqlite", RULES) as store:
        _, longer = store.read_game(broken.game)
    assert longer[: len(entries)] == entries
    assert len(longer) > len(entries)


def test_under_systemd_the_traceback_is_the_journal_s(tmp_path: Path) -> None:
    journal, words = tmp_path / "journal", ["--set", f"storage.folder={tmp_path}", "games"]
    with journal.open("w", encoding="utf-8") as stream:
        found = os.fstat(stream.fileno())
        environ = {**os.environ, "JOURNAL_STREAM": f"{found.st_dev}:{found.st_ino}"}
        done = subprocess.run(
            [sys.executable, "-c", PLANTED.format(plant=A_VERB), *words],
            stdout=subprocess.PIPE, stderr=stream, text=True, check=False, timeout=300, env=environ,
        )  # fmt: skip
    said = journal.read_text(encoding="utf-8").splitlines()
    assert done.returncode == 1
    assert said[-1].startswith("companion: ")
    assert said[-1].endswith("journalctl -u companion")
    assert "<3>ZeroDivisionError: planted" in said
    assert all(line.startswith("<3>") for line in said[:-1])
    assert not (tmp_path / "table" / "log").exists()


def test_a_terminal_that_inherits_the_journal_s_variable_is_no_journal(tmp_path: Path) -> None:
    with (tmp_path / "terminal").open("w", encoding="utf-8") as stream:
        assert not is_journal_stream({"JOURNAL_STREAM": "8:12345"}, stream)


def test_a_log_that_cannot_be_written_where_it_belongs_is_written_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "table").write_text("in the way", encoding="utf-8")
    environ = {**os.environ, "TMPDIR": str(tmp_path)}
    done = run(A_VERB, tmp_path, "dev", "schema", "journal", env=environ)
    (log,) = tmp_path.glob("companion-*.log")
    assert_one_sentence(done, log)


def test_a_full_log_is_put_aside(tmp_path: Path) -> None:
    with ProgramLog() as logbook:
        logbook.folder = lambda: tmp_path
        for _ in range(30):
            logbook.log_crash(ValueError("x" * 100_000))
    kept = sorted(path.name for path in tmp_path.iterdir())
    assert kept == ["log", "log.1", "log.2"]
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o600}


def test_a_thread_that_ends_prints_nothing(tmp_path: Path) -> None:
    plant = A_VERB.replace(
        'raise ZeroDivisionError("planted")',
        "import threading; one = threading.Thread(target=lambda: 1 / 0); one.start(); one.join(); return 0",
    )
    done = run(plant, tmp_path, "dev", "schema", "journal")
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert "ZeroDivisionError" in (tmp_path / "table" / "log").read_text(encoding="utf-8")


READING = """
import atexit, sys, threading
from companion.__main__ import main
threading.Thread(target=threading.Event().wait, name="camera", daemon=True).start()
atexit.register(print, "the interpreter was taken apart")
sys.argv = ["companion", "wiring"]
raise SystemExit(main())
"""


def test_the_program_ends_while_a_picture_is_still_being_read() -> None:
    done = subprocess.run([sys.executable, "-c", READING], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stdout
    assert "taken apart" not in done.stdout


class _Interrupts:
    """Somebody presses Ctrl-C while the command is imported."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name == "companion.cli.command":
            raise KeyboardInterrupt


def test_ctrl_c_while_the_program_is_imported_is_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "companion.cli.command", raising=False)
    monkeypatch.setattr(sys, "meta_path", [_Interrupts(), *sys.meta_path])
    assert main(["games"]) == EXIT_INTERRUPTED


def test_an_installation_that_is_not_whole_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "companion.cli.command", None)
    assert main(["games"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("companion: this installation is not whole (")
    assert said.endswith(f"; make demo in {Path(companion.__file__).parents[1]}\n"), "as after git pull"
    assert "Error" not in said


def test_what_could_not_be_saved_is_told_and_is_a_fault(capsys: pytest.CaptureFixture[str]) -> None:
    assert _exit_code(saved=True, restorable=False, interrupted=False, waits=False) == 0
    assert capsys.readouterr().out == ""
    assert _exit_code(saved=False, restorable=False, interrupted=False, waits=True) == 1
    assert "Couldn't save" in capsys.readouterr().out
    assert _exit_code(saved=False, restorable=True, interrupted=False, waits=True) == 1
    assert "the next start puts it there" in capsys.readouterr().out


@pytest.mark.parametrize(("waits", "said"), [(True, "companion resume"), (False, "Stopped.\n")])
def test_whoever_stops_is_told_of_resume_only_where_a_game_waits(
    waits: bool, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _exit_code(saved=True, restorable=False, interrupted=True, waits=waits) == 130
    told = capsys.readouterr().out
    assert said in told
    assert ("resume" in told) is waits


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device without room is Linux's")
def test_a_program_whose_log_finds_no_room_ends_without_a_traceback(tmp_path: Path) -> None:
    (tmp_path / "log").symlink_to("/dev/full")
    told = ProgramLog()
    told.folder = lambda: tmp_path
    with told:
        logging.getLogger("companion").warning("lost")
