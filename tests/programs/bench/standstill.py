"""Counts and Stops at a table that stands still: stopped, crowded out, its disk blocked, on a quarter core.

`python -m tests.programs.bench.standstill 100` tries so many windows. Every table is a process
(`standstill_table`) with real threads, stopped by SIGSTOP; hands move here, beyond its reach, and are
stamped here. Six more processes do nothing but count. The disk is a file system of its own that is frozen
for up to three seconds; the quarter of a core is a quota of the kernel. Both need root.

Wrong is a hand that was ruled otherwise than its stamp says, and a count that was ruled although a picture or
the sound of its end came more than 150 ms late. Void without need is one of which all came within that.
"""

from __future__ import annotations

import json
import mmap
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from hardware.pin_table import build_pin_table
from tests.processes import busy_cores
from tests.programs.bench.figures import ROOT, Row, missing, quiet_environment
from tests.programs.bench.standstill_table import CHAIRS, EDGE, line_of

NAME = "standstill"
WINDOWS, STOPS = 2_000, 1_000
TABLES = 16
"""Processes side by side."""
BUSY = 6
MS = 1_000_000
"""Nanoseconds, as all stamps here."""
SECOND = 1_000 * MS
COUNT = 3 * SECOND
LIMIT = 150_000
"""Microseconds that a picture or the sound may be late; `STALL` of the session."""
BEGIN = LIMIT + 40_000
"""The same for the first beat, which is judged a grace later."""
HANDED = 69_000
"""The last block is handed to the card so long before all of it has been heard: the table knows no more."""
BOUNCE = 4 * MS
LATE_FINGER = 5 * MS
"""A kernel queues an edge as it stamps it. Where we took longer the window says nothing about the table."""
FRAME = 0.002
"""Seconds of the processor for a frame: what `stage` measures at 1280×720."""
QUOTAS = Path("/sys/fs/cgroup/cpu")
HANDS = range(1, len(CHAIRS))
"""The Emperor's chair, 0, raises none."""

Plan = list[tuple[int, Callable[[], object]]]
Stop = tuple[int, int] | None
"""When the process is stopped, and for how long."""


class Kind(NamedTuple):
    """Under what the windows stand."""

    name: str
    share: float
    stops: bool = True
    busy: bool = False
    blocked: bool = False
    quarter: bool = False


KINDS = (
    Kind("stopped, six busy loops, a blocked disk", 0.5, busy=True, blocked=True),
    Kind("stopped", 0.25),
    Kind("a quarter of a core, never stopped", 0.25, stops=False, quarter=True),
)


class Table:
    """One process, its pins, and what came of its windows."""

    def __init__(self, game: str, folder: Path, place: int, *, frame: float, stops: bool) -> None:
        self._stops, self._game = stops, game
        self._chance = random.Random(f"{game} {place}")
        self._pins = build_pin_table()
        folder.mkdir(parents=True)
        levels = os.memfd_create("levels")  # not on the disk, which may be blocked
        os.write(levels, b"\x01" * 64)  # pulled up
        self._levels = mmap.mmap(levels, 0)
        ends = [os.pipe() for _ in CHAIRS]
        self._lines = [write for _, write in ends]
        reads = [read for read, _ in ends]
        module = "tests.programs.bench.standstill_table"
        self.process = subprocess.Popen(
            [sys.executable, "-m", module, game, str(folder), str(frame), str(levels), *map(str, reads)],
            cwd=ROOT,
            env=quiet_environment(str(folder)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=[levels, *reads],
            text=True,
        )
        for descriptor in (levels, *reads):
            os.close(descriptor)
        self.found: Counter[str] = Counter()

    def windows(self, left: Iterator[int]) -> None:
        """Play until none is left."""
        judge = self._judge_count if self._game == "kinapa" else self._judge_race
        for _ in left:
            first = self.begun()
            stamps: dict[int, int] = {}
            self._slowest = 0
            plan, stopped = (self._count if self._game == "kinapa" else self._race)(first, stamps)
            act(plan)
            answer = self._answer()
            if self._slowest > LATE_FINGER:
                self.found["fingers late"] += 1  # it is not the table that was
            elif failed := judge(answer, stamps, stopped=bool(stopped)):
                what = f"{self._game}, {failed}: stamps {stamps}, stopped {stopped}"
                print(what, *answer.pop("journal"), answer, sep="\n  ", file=sys.stderr)

    def begun(self) -> int:
        """Begin a window; when its first beat will be heard."""
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return int(self._answer()["first"])

    def close(self) -> None:
        self.process.kill()
        self.process.__exit__(None, None, None)
        self._levels.close()
        for line in self._lines:
            os.close(line)

    def _answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer

    # A count ----------------------------------------------------------------------------------------------

    def _count(self, first: int, stamps: dict[int, int]) -> tuple[Plan, Stop]:
        chance, end = self._chance, first + COUNT
        plan: Plan = []
        for chair in HANDS:
            away = chance.choice(
                (0, -chance.randint(1, 80), chance.randint(1, 80), -chance.randint(500, 2_400))
            )
            if away:
                plan += self._tap(chair, end + away * MS, stamps)
        if not self._stops or chance.random() >= 0.8:
            return plan, None
        near_end = end - chance.randint(0, 140) * MS
        beat = first + chance.randint(0, 3) * SECOND - chance.randint(0, 150) * MS
        at, length = chance.choice(
            (
                (near_end, chance.randint(30, 140) * MS),
                (near_end, chance.randint(30, 140) * MS),
                (near_end, chance.randint(30, 450) * MS),
                (beat, chance.randint(30, 600) * MS),
                (first + chance.randint(0, 2_900) * MS, chance.randint(500, 3_000) * MS),
            )
        )
        return plan + self._still(at, length), (at, length)

    def _judge_count(self, answer: dict[str, Any], stamps: dict[int, int], *, stopped: bool) -> str:
        """Count what came of it; what was wrong with it, if anything."""
        end, found = answer["first"] + COUNT, self.found
        late = [(least > limit, most > limit) for (least, most), limit in self._limits(answer)]
        surely, perhaps = any(each for each, _ in late), any(each for _, each in late)
        found["windows"] += 1
        if answer["void"]:
            found["void"] += 1
            found["void without need"] += not perhaps
            found["void and never stopped"] += not stopped
            return "" if perhaps else "void without need"
        found["ruled though it stood still"] += surely
        failed = "ruled though it stood still" * surely
        for chair in HANDS:
            in_time = chair in stamps and stamps[chair] // 1_000 <= end // 1_000
            found["in time"] += in_time
            if in_time is not (chair in answer["raised"]):
                failed = "lost" if in_time else "wrong"
                found[failed] += 1
        return failed

    @staticmethod
    def _limits(answer: dict[str, Any]) -> Iterator[tuple[Sequence[int], int]]:
        """How late everything was at least and at most, and how late it may be."""
        yield from zip(answer["pictured"], (BEGIN, LIMIT, LIMIT, LIMIT), strict=True)
        sound = answer["sound"]
        late = COUNT // 1_000 if sound is None else sound  # it never began
        yield (late - HANDED, late), LIMIT

    # A race -----------------------------------------------------------------------------------------------

    def _race(self, now: int, stamps: dict[int, int]) -> tuple[Plan, Stop]:
        chance, start = self._chance, now + 300 * MS
        one, other = chance.sample((0, 2, 3), 2)  # the third mask is not placed: 1 placed the last
        plan = self._tap(one, start, stamps)
        plan += self._tap(other, start + chance.randint(2_000, 30_000) * MS // 1_000, stamps)
        if not self._stops or chance.random() >= 0.8:
            return plan, None
        at = start + chance.randint(-100, 40) * MS
        length = chance.choice((chance.randint(30, 450), 3_000)) * MS
        return plan + self._still(at, length), (at, length)

    def _judge_race(self, answer: dict[str, Any], stamps: dict[int, int], *, stopped: bool) -> str:
        """Count what came of it; what was wrong with it, if anything."""
        found = self.found
        one, other = sorted(stamps, key=stamps.__getitem__)
        apart = stamps[other] - stamps[one] >= MS
        found["races"] += 1
        if answer["tied"]:
            found["told equal"] += apart
            return "told equal" * apart
        if answer["seat"] == one or not apart:
            return ""
        found["wrong Stops"] += 1
        return "wrong Stop"

    # What is done to it -----------------------------------------------------------------------------------

    def _tap(self, chair: int, at: int, stamps: dict[int, int]) -> Plan:
        """A press that bounces, and its release; its stamp is when it was really made."""

        def move(*, down: bool) -> None:
            if not down:  # we may be late, too; a finger rests for so long at least
                rested = stamps[chair] + BOUNCE + 50 * MS
                time.sleep(max(0.0, (rested - time.monotonic_ns()) / SECOND))
            chance = self._chance
            bounces = sorted(chance.sample(range(300_000, BOUNCE - 300_000, 400_000), chance.randint(0, 4)))
            stamp = time.monotonic_ns() - BOUNCE
            if down:
                stamps[chair] = stamp
            edges = EDGE.pack(not down, stamp)
            for opens in bounces:
                edges += EDGE.pack(down, stamp + opens) + EDGE.pack(not down, stamp + opens + 100_000)
            self._levels[line_of(self._pins, chair)] = not down
            os.write(self._lines[chair], edges)
            self._slowest = max(self._slowest, time.monotonic_ns() - BOUNCE - stamp)

        return [
            (at + BOUNCE, lambda: move(down=True)),
            (at + BOUNCE + self._chance.randint(60, 200) * MS, lambda: move(down=False)),
        ]

    def _still(self, at: int, length: int) -> Plan:
        process = self.process
        return [
            (at, lambda: process.send_signal(signal.SIGSTOP)),
            (at + length, lambda: process.send_signal(signal.SIGCONT)),
        ]


def act(plan: Plan) -> None:
    """Do everything at its time."""
    for at, deed in sorted(plan, key=lambda step: step[0]):
        time.sleep(max(0.0, (at - time.monotonic_ns()) / SECOND))
        deed()


# What slows it ----------------------------------------------------------------------------------------------


@contextmanager
def disk(folder: Path) -> Iterator[Path]:
    """A file system of its own in `folder`."""
    image, place = folder / "disk", folder / "mounted"
    place.mkdir()
    with image.open("wb") as file:
        file.truncate(256 << 20)
    run("mkfs.ext4", "-q", str(image))
    run("mount", "-o", "loop", str(image), str(place))
    try:
        yield place
    finally:
        run("umount", "--lazy", str(place))


@contextmanager
def blocked(place: Path) -> Iterator[None]:
    """Nothing can be written there for a while, again and again."""
    over = threading.Event()

    def freeze() -> None:
        chance = random.Random(0)
        while not over.wait(chance.uniform(0.5, 3)):
            run("fsfreeze", "-f", str(place))
            over.wait(chance.uniform(0.3, 3))
            run("fsfreeze", "-u", str(place))

    freezer = threading.Thread(target=freeze)
    freezer.start()
    try:
        yield
    finally:
        over.set()
        freezer.join()


@contextmanager
def quarter(process: subprocess.Popen[str], name: str) -> Iterator[None]:
    """This process has a quarter of a core."""
    group = QUOTAS / name
    group.mkdir()
    (group / "cpu.cfs_quota_us").write_text("25000")
    (group / "cgroup.procs").write_text(str(process.pid))
    try:
        yield
    finally:
        (group.parent / "cgroup.procs").write_text(str(process.pid))
        group.rmdir()


def run(*command: str) -> None:
    subprocess.run(command, check=True)


def played(game: str, kind: Kind, windows: int) -> Counter[str]:
    """What came of so many windows at all tables together."""
    left = iter(range(windows))
    lock = threading.Lock()

    def taken() -> Iterator[int]:
        while True:
            with lock:
                each = next(left, None)
            if each is None:
                return
            yield each

    with tempfile.TemporaryDirectory(prefix="companion-bench-") as given, ExitStack() as stack:
        folder = stack.enter_context(disk(Path(given))) if kind.blocked else Path(given)
        frame = FRAME if kind.quarter else 0.0
        many = range(min(TABLES, windows))
        tables = [Table(game, folder / str(place), place, frame=frame, stops=kind.stops) for place in many]
        for table in tables:
            stack.callback(table.close)
        each_does(tables, lambda table: table.windows(iter(range(1))))  # once they all run
        for table in tables:
            table.found.clear()
        with ExitStack() as load:
            if kind.blocked:
                load.enter_context(blocked(folder))
            if kind.busy:
                load.enter_context(busy_cores(BUSY))
            for place, table in enumerate(tables if kind.quarter else ()):
                load.enter_context(quarter(table.process, f"companion-bench-{os.getpid()}-{place}"))
            each_does(tables, lambda table: table.windows(taken()))
    found: Counter[str] = Counter()
    for table in tables:
        found.update(table.found)
    sys.stderr.write(f"{game}, {kind.name}: {dict(found)}\n")
    return found


def rows(windows: int = WINDOWS) -> Iterator[Row]:
    """The rows of this bench; what failed is printed with its stamps and its journal."""
    if os.geteuid():
        yield missing("counts at a table that stood still", "windows", "needs root: a disk is frozen")
        return
    # Fingers wait for no processor; tables do, so it does not hold for them.
    os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(1))
    for kind in KINDS:
        found = played("kinapa", kind, round(windows * kind.share))
        yield from count_rows(kind, found)
    for kind in KINDS:
        stops = played("kabuki", kind, round(windows * kind.share * STOPS / WINDOWS))
        yield Row(
            figure=f"wrong Stops in {stops['races']:,} races: {kind.name}",
            value=stops["wrong Stops"],
            unit="races",
            aim="0",
            met=not stops["wrong Stops"],
            note=f"two calls at least 1 ms apart; {stops['told equal']} of them were told to be equal; "
            f"{stops['fingers late']} more races not judged, as a finger came late here",
        )


def each_does(tables: Sequence[Table], deed: Callable[[Table], object]) -> None:
    """All tables at the same time."""
    threads = [threading.Thread(target=deed, args=(table,)) for table in tables]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def count_rows(kind: Kind, found: Counter[str]) -> Iterator[Row]:
    windows = found["windows"]
    wrong = found["wrong"] + found["ruled though it stood still"]
    note = f"{kind.name}: {found['in time']:,} hands in time; {found['void']:,} counts void, "
    note += f"{found['void and never stopped']} of them in windows in which nobody stopped the process; "
    note += f"{found['fingers late']} more windows not judged, as a finger came late here"
    for what, value, unit, most in (
        ("ruled wrongly", wrong, "", 0),
        ("in-time hands lost", found["lost"], "hands", 0),
        ("void without need", found["void without need"], "", max(1, windows // 1_000)),
    ):
        yield Row(
            figure=f"{what} in {windows:,} counts: {kind.name}",
            value=value,
            unit=unit or "counts",
            aim=f"≤ {most}",
            met=value <= most,
            note=note,
        )


def main() -> None:
    from tests.programs.bench.__main__ import table

    print(table(list(rows(int(sys.argv[1]) if len(sys.argv) > 1 else WINDOWS))))


if __name__ == "__main__":
    main()
