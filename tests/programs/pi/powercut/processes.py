"""Without a machine around it: a process that plays is killed, its disk fills up or turns read-only."""

from __future__ import annotations

import os
import random
import select
import signal
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from judge import judge
from plug import Told
from sitting import Sitting, open_store

Say = Callable[[str], None]
EVENING = 25
"""Kills over one store; then a new one, so that the judge does not read ever longer evenings."""


def kill_processes(kills: int, say: Say) -> bool:
    """Kill -9 at a random instant; each child was forked, so it costs no start of Python."""
    begun = time.monotonic()
    rng = random.Random(9)
    lost = extra = steps = 0
    wrong: list[str] = []
    done = 0
    while done < kills:
        with tempfile.TemporaryDirectory() as folder:
            store = Path(folder) / "table/games.sqlite"
            told = Told()
            for _ in range(min(EVENING, kills - done)):
                _play_and_kill(store, seed=done, after=rng.uniform(0.005, 0.12), told=told)
                done += 1
                with open_store(store) as opened:
                    there = {game.game: game.entries for game in opened.list_games()}
                verdict = judge(_copy(store), told.steps, told.acknowledged)
                lost += verdict.lost
                extra += verdict.extra
                wrong += verdict.wrong
                told.forget(there)
            steps += sum(told.acknowledged.values())
    say(
        f"processes: {done} killed, {steps} acknowledged steps, {lost} lost, "
        f"{len(wrong)} found something wrong, {extra} steps were there before anybody was told; "
        f"{time.monotonic() - begun:.0f} s"
    )
    for what, times in Counter(wrong).most_common(5):
        say(f"  {times} x {what}")
    return not lost and not wrong


def _copy(store: Path) -> Path:
    """The judge plays on in a copy."""
    folder = store.parent.parent / "copy"
    subprocess.run(["rm", "-rf", folder], check=True)
    subprocess.run(["cp", "-r", store.parent, folder], check=True)
    return folder / store.name


def _play_and_kill(store: Path, *, seed: int, after: float, told: Told) -> None:
    hear, say = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(hear)
        try:
            _play(store, seed, say)
        finally:
            os._exit(1)
    os.close(say)
    heard = _until(hear, time.monotonic() + after)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    heard += b"".join(iter(lambda: os.read(hear, 65536), b""))
    os.close(hear)
    *lines, _ = heard.split(b"\n")
    for line in lines:
        told.hear(line.decode())


def _until(hear: int, end: float) -> bytes:
    """What is said until then, but at least until the first step is begun."""
    heard = b""
    while (left := end - time.monotonic()) > 0 or b"step" not in heard:
        ready, _, _ = select.select([hear], [], [], max(0.0, left) or None)
        if ready:
            more = os.read(hear, 65536)
            if not more:
                break
            heard += more
    return heard


def _play(path: Path, seed: int, port: int) -> None:
    store = open_store(path)
    table = Sitting(store, seed)
    number = len(store.list_games(kind=None)) + (not table.resumed)
    journal = table.journal
    for length, name in table.steps():
        if table.journal is not journal:
            journal = table.journal
            number += 1
        os.write(port, f"step {number} {length} {name}\n".encode())
        if not table.write():
            return
        os.write(port, f"ack {number}\n".encode())


@contextmanager
def small_disk(folder: Path, kilobytes: int) -> Iterator[None]:
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "small", folder], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", folder], check=True)


def full_and_readonly(say: Say) -> bool:
    """Rulings wait in memory while the disk takes none, and are written in order when it does again."""
    with tempfile.TemporaryDirectory() as name, small_disk(Path(name), 200):
        full = _waits(Path(name), "full disk", "storage.full", lambda: _remount(Path(name), "size=8m"), say)
    with tempfile.TemporaryDirectory() as name, small_disk(Path(name), 8192):
        path = Path(name) / "table/games.sqlite"
        with open_store(path) as store:
            table = Sitting(store, seed=4)
            steps = table.steps()
            for _ in range(10):
                next(steps)
                table.write()
            table.journal.close()
        _remount(Path(name), "ro")
        readonly = _waits(
            Path(name), "read-only disk", "storage.readonly", lambda: _remount(Path(name), "rw"), say
        )
    return full and readonly


def _waits(folder: Path, what: str, trouble: str, mend: Callable[[], None], say: Say) -> bool:
    path = folder / "table/games.sqlite"
    told = Told()
    with open_store(path) as store:
        table = Sitting(store, seed=3)
        before = len(table.journal.entries) - table.resumed
        steps = table.steps()
        if table.resumed:
            told.hear(f"step 1 {before} {table.chain.name}")
            told.hear("ack 1")
        for length, name in steps:
            told.hear(f"step 1 {length} {name}")
            if not table.write():
                break
            told.hear("ack 1")
        acknowledged = told.acknowledged[1]
        named = table.journal.trouble is not None and table.journal.trouble.key == trouble
        stored = len(store.read_game(1)[1]) == told.steps[1][acknowledged - 1][0]
        for _ in range(10):  # the people play on meanwhile
            length, name = next(steps)
            told.hear(f"step 1 {length} {name}")
            table.journal.flush()
        waiting = len(table.journal.entries) - table.journal.saved
        mend()
        table.journal.retry()
        written = table.journal.close()
        told.hear("ack 1")
    verdict = judge(path, told.steps, told.acknowledged)
    held = named and stored and written and not verdict.lost and not verdict.wrong
    say(
        f"{what}: after {acknowledged} steps {trouble}; {waiting} entries waited, and were "
        f"written when the disk took them again: {'yes' if held else f'NO {named, stored, written, verdict}'}"
    )
    return held


def _remount(folder: Path, options: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{options}", folder], check=True)
