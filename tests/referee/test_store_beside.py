"""Nothing announced is lost while our own readers and other programs come and go at the store in mid-game."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random

import pytest

from companion.referee.journal import json_lines
from companion.referee.store import GameStore
from tests.processes import running
from tests.referee import foreign_program
from tests.referee.lantern_play import RULES
from tests.referee.store_writer import saved, started

HERE = Path(__file__).parent
SHARED, DMS = 0x4000_0002, 128
"""Where SQLite locks the database, and its -shm, for as long as a connection is open."""
ROUNDS, FEW = 20, 3
"""Rounds of one part in `make long`, and in `make test`."""
PARTS = 10


class Child:
    """A process that answers each line with a line."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def order(self, word: str) -> str:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


@contextmanager
def child(script: str, path: Path) -> Iterator[Child]:
    tests = HERE.parent
    found = os.pathsep.join(map(str, (tests, tests / "lantern", tests.parent)))
    words = [sys.executable, HERE / script, path]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with running(words, **pipes, env={**os.environ, "PYTHONPATH": found}) as process:
        yield Child(process)


def holds_locks(pid: int, path: Path) -> bool:
    """Whether the process has SQLite's locks on the store and its -shm."""
    wanted = {(path.stat().st_ino, SHARED), (path.with_name(path.name + "-shm").stat().st_ino, DMS)}
    held = set()
    for line in Path("/proc/locks").read_text(encoding="ascii").splitlines():
        words = line.split()
        if words[1] == "POSIX" and int(words[4]) == pid:
            held.add((int(words[5].rpartition(":")[2]), int(words[6])))
    return wanted <= held


def kept(path: Path) -> int:
    """How many entries a new process finds in the only game."""
    with GameStore(path, RULES) as store:
        (game,) = store.list_games()
        return len(store.read_game(game.game)[1])


def beside(path: Path, chance: Random, player: Child, others: dict[str, Child]) -> tuple[int, bool]:
    """Play while everybody comes and goes, then kill the player; what was announced, and whether all held."""
    announced, locked = 0, True
    for _ in range(chance.randint(20, 60)):
        what = chance.choice(("step", "step", "step", "step", "ours", "theirs", "foreign", "foreign"))
        if what == "step" or not announced:
            answer, number = player.order("step").split()
            assert answer == "durable"
            announced = int(number)
        elif what in {"ours", "theirs"}:
            locked = (player if what == "ours" else others["reader"]).order("look") == "looked" and locked
        else:
            assert others["foreign"].order(chance.choice((*foreign_program.DOES, "backup"))) == "done"
        locked = locked and holds_locks(player.process.pid, path)
    player.kill()
    return announced, locked


def play_round(folder: Path, seed: int) -> tuple[int, int, bool]:
    """What was announced, what was kept, and whether the locks were held all the time."""
    path = folder / str(seed) / "games.sqlite"
    path.parent.mkdir(parents=True)
    with ExitStack() as stack:
        player = stack.enter_context(child("store_child.py", path))
        reader = stack.enter_context(child("store_child.py", path))
        foreign = stack.enter_context(child("foreign_program.py", path))
        announced, locked = beside(path, Random(seed), player, {"reader": reader, "foreign": foreign})
    return announced, kept(path), locked


def test_a_plain_open_of_a_store_in_the_package_is_found(tmp_path: Path) -> None:
    """`conftest.py` listens in every test."""
    with GameStore(tmp_path / "games.sqlite", RULES) as store:
        saved(store, started)
        store.list_games()
        with pytest.raises(AssertionError, match=r"journal/json_lines.py opens .* without SQLite"):
            json_lines.read_journal_file(store.path, RULES)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root plays into another user's store")
def test_whoever_plays_into_another_users_store_keeps_its_locks_too(tmp_path: Path) -> None:
    path = tmp_path / "table" / "games.sqlite"
    path.parent.mkdir()
    with child("store_child.py", path) as player:
        player.order("step")
        os.chown(path, 12345, 12345)
        assert player.order("look") == "looked"
        assert holds_locks(player.process.pid, path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "first", [0, *(pytest.param(ROUNDS * part, marks=pytest.mark.long) for part in range(1, PARTS))]
)
def test_whoever_comes_and_goes_what_was_announced_survives_a_kill(tmp_path: Path, first: int) -> None:
    """200 rounds in `make long`, each with new processes; a few of them in `make test`."""
    lost, unlocked = {}, []
    for seed in range(first, first + (ROUNDS if os.environ.get("THOROUGH") else FEW)):
        announced, found, locked = play_round(tmp_path, seed)
        if found < announced:
            lost[seed] = announced - found
        if not locked:
            unlocked.append(seed)
    assert (lost, unlocked) == ({}, [])
