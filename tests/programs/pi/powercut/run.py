"""Cuts the power over the product's own journal, thousands of times: `make powercut`.

replay     every block write of a played evening is recorded; the disk is built as of a random write, with
           unflushed writes dropped at random, and judged
kills      a frozen guest is resumed, mounts the disk, goes on with the game, and is killed; again and again
processes  a process that plays is killed (kill -9), without a machine around it
disks      a full disk, a disk that turns read-only, and back

After each: every acknowledged ruling is there, no half step, SQLite and the file system find nothing to
repair, and the program resumes the game, rules and reads it again. Two controls must lose something, else the
rig sees nothing: `synchronous=OFF`, and a file system that sends no flushes.
usage: run.py [replay kills processes disks] [--cuts N] [--kills N] [--processes N] [--steps N]
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from judge import judge, repaired, take_out
from plug import GuestError, Plug, Told, fresh_disk, prepare, work_folder
from processes import full_and_readonly, kill_processes
from replay import DROPS, Recording, Sweep, record
from sitting import open_store

SEED = 6
CONTROL_CUTS = 200


def say(what: str) -> None:
    print(what, flush=True)


def figures(name: str, lost: list[int], extra: int, wrong: list[str], seconds: float) -> None:
    cuts = len(lost)
    cut_lost = sum(1 for each in lost if each)
    say(
        f"{name}: {cuts} cuts, {cut_lost} lost an acknowledged ruling ({sum(lost)} steps in all), "
        f"{len(wrong)} found something wrong, {extra} steps were there before anybody was told; "
        f"{seconds:.0f} s, {seconds / max(cuts, 1):.2f} s each"
    )
    for what, times in Counter(wrong).most_common(5):
        say(f"  {times} x {what}")


def sweep(recording: Recording, cuts: int, drops: tuple[float, ...], name: str) -> tuple[int, int]:
    """(cuts that lost something, cuts with something else wrong)."""
    begun = time.monotonic()
    rng = random.Random(SEED)
    lost: list[int] = []
    extra = 0
    wrong: list[str] = []
    with tempfile.TemporaryDirectory(dir=memory()) as folder:
        over = Sweep(recording, Path(folder))
        told = len(recording.acknowledged)
        say(f"{name}: {over.count} writes, {over.flushes} flushes, {told} acknowledged steps")
        # From before the file system holds a store at all to the last acknowledged step.
        points = sorted(rng.randint(1, recording.acknowledged[-1][0]) for _ in range(cuts))
        for number, point in enumerate(points):
            gone, more, what = over.cut(point, rng.choice(drops), number)
            lost.append(gone)
            extra += more
            if what and not gone:
                wrong.append("; ".join(what))
    figures(name, lost, extra, wrong, time.monotonic() - begun)
    return sum(1 for each in lost if each), len(wrong)


def memory() -> str | None:
    """Where the many small disks are built: in memory, if there is room."""
    shm = Path("/dev/shm")
    return str(shm) if shm.is_dir() and shutil.disk_usage(shm).free > 1 << 28 else None


def replays(work: Path, frozen: Path, cuts: int, steps: int) -> bool:
    say(f"Recording {steps} steps three times")
    proper = record(work, frozen, "proper", steps=steps, options="defaults", commit="proper")
    off = record(work, frozen, "off", steps=steps // 2, options="defaults", commit="careless")
    mute = record(work, frozen, "mute", steps=steps // 2, options="nobarrier", commit="proper")
    lost, wrong = sweep(proper, cuts, DROPS, "replay, as shipped")
    lost_off, _ = sweep(off, CONTROL_CUTS, (1.0,), "control, synchronous=OFF")
    lost_mute, _ = sweep(mute, CONTROL_CUTS, (1.0,), "control, no flushes")
    return not lost and not wrong and bool(lost_off) and bool(lost_mute)


def kill_guests(work: Path, frozen: Path, kills: int, commit: str, name: str) -> tuple[int, int]:
    """(kills that lost something, kills with something else wrong); the evening goes on over all of them."""
    begun = time.monotonic()
    rng = random.Random(SEED)
    disk = work / "cut.img"
    fresh_disk(disk)
    told = Told()
    lost: list[int] = []
    extra = resumed = 0
    wrong: list[str] = []
    for number in range(kills):
        plug = Plug(disk, frozen=frozen)
        plug.say(f"go defaults {commit} {number} 0")
        told.found.clear()
        plug.expect(told, "begun")
        if number:
            resumed += bool(told.found)
        end = time.monotonic() + rng.uniform(0.2, 1.5)
        while (left := end - time.monotonic()) > 0:
            line = plug.line(left)
            if line is not None:
                told.hear(line)
        for line in plug.cut():
            told.hear(line)
        with tempfile.TemporaryDirectory(dir=memory()) as folder:
            image = Path(folder) / "copy.img"
            shutil.copy(disk, image)
            broken = repaired(image)
            store = take_out(image, Path(folder))
            untouched = Path(folder) / "after"
            untouched.mkdir()
            there = take_out(image, untouched)
            verdict = judge(store, told.steps, told.acknowledged)
            lost.append(verdict.lost)
            extra += verdict.extra
            what = [*verdict.wrong, *([f"disk: {broken}"] if broken else [])]
            if what:
                wrong.append("; ".join(what))
            told.forget(stored(there))
    figures(name, lost, extra, wrong, time.monotonic() - begun)
    steps = sum(told.acknowledged.values())
    say(f"  {len(told.acknowledged)} games, {steps} steps; {resumed} times the guest went on with them")
    return sum(1 for each in lost if each), len(wrong)


def stored(store: Path) -> dict[int, int]:
    with open_store(store) as opened:
        return {game.game: game.entries for game in opened.list_games()}


def kills_of_guests(work: Path, frozen: Path, kills: int) -> bool:
    lost, wrong = kill_guests(work, frozen, kills, "proper", "kills, as shipped")
    lost_off, _ = kill_guests(work, frozen, 8, "careless", "control, synchronous=OFF")
    return breaks(work, frozen) and not lost and not wrong and bool(lost_off)


def breaks(work: Path, frozen: Path) -> bool:
    """The kernel turns the disk read-only in mid-game; after the next power-on the game goes on."""
    disk = work / "cut.img"
    fresh_disk(disk)
    told = Told()
    plug = Plug(disk, frozen=frozen)
    plug.say("go errors=remount-ro proper 5 1")
    said = ""
    for number in range(40):
        try:
            plug.expect(told, "ack")
        except GuestError as trouble:
            said = str(trouble)
            break
        plug.say("break" if number == 30 else "on")
    plug.cut()
    plug = Plug(disk, frozen=frozen)
    plug.say("go defaults proper 6 1")
    again = Told()
    plug.expect(again, "ack")
    plug.cut()
    ends = [end for end, _ in told.steps[1]]
    there = again.found.get(1, 0) >= ends[told.acknowledged[1] - 1]
    # Its first word is an I/O error; opened anew, the disk is read-only.
    held = ("storage.readonly" in said or "storage.lost" in said) and there
    say(f"a disk error in mid-game: after {told.acknowledged[1]} steps {said!r}; the game goes on: {there}")
    return held


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", default=["disks", "processes", "kills", "replay"])
    parser.add_argument("--cuts", type=int, default=2400)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--processes", type=int, default=1000)
    parser.add_argument("--steps", type=int, default=400)
    wanted = parser.parse_args()
    work = work_folder()
    frozen = prepare(work) if {"replay", "kills"} & set(wanted.parts) else work
    parts: dict[str, Callable[[], bool]] = {
        "disks": lambda: full_and_readonly(say),
        "processes": lambda: kill_processes(wanted.processes, say),
        "kills": lambda: kills_of_guests(work, frozen, wanted.kills),
        "replay": lambda: replays(work, frozen, wanted.cuts, wanted.steps),
    }
    held = [parts[part]() for part in wanted.parts]
    say("Everything held." if all(held) else "Something did not hold.")
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
