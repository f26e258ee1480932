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
BOUNCE = 4 * MS
FRAME = 0.002
"""Seconds of the processor for a frame: what `stage` measures at 1280×720."""
QUOTAS = Path("/sys/fs/cgroup/cpu")
HANDS = range(1, len(CHAIRS))
"""The Emperor's chair, 0, raises none."""

Plan = list[tuple[int, Callable[[], object]]]


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
        levels = folder / "levels"
        levels.write_bytes(b"\x01" * 64)  # pulled up
        self._levels = os.open(levels, os.O_WRONLY)
        ends = [os.pipe() for _ in CHAIRS]
        self._lines = [write for _, write in ends]
        reads = [read for read, _ in ends]
        module = "tests.programs.bench.standstill_table"
        self.process = subprocess.Popen(
            [sys.executable, "-m", module, game, str(folder), str(levels), str(frame), *map(str, reads)],
            cwd=ROOT,
            env=quiet_environment(str(folder)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=reads,
            text=True,
        )
        for read in reads:
            os.close(read)
        self.found: Counter[str] = Counter()

    def windows(self, left: Iterator[int]) -> None:
        """Play until none is left."""
        judged = self._count if self._game == "kinapa" else self._race
        for _ in left:
            judged(self.begun())

    def begun(self) -> int:
        """Begin a window; when its first beat will be heard."""
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return int(self._answer()["first"])

    def close(self) -> None:
        self.process.kill()
        self.process.__exit__(None, None, None)
        os.close(self._levels)
        for line in self._lines:
            os.close(line)

    def _answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer

    # A count ----------------------------------------------------------------------------------------------

    def _count(self, first: int) -> None:
        chance, end = self._chance, first + COUNT
        stamps: dict[int, int] = {}
        plan: Plan = []
        for chair in HANDS:
            away = chance.choice(
                (0, -chance.randint(1, 80), chance.randint(1, 80), -chance.randint(500, 2_400))
            )
            if away:
                plan += self._tap(chair, end + away * MS, stamps)
        stopped = self._stops and chance.random() < 0.8
        if stopped:
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
            plan += self._still(at, length)
        act(plan)
        answer = self._answer()
        late = [(least > limit, most > limit) for (least, most), limit in self._limits(answer)]
        surely, perhaps = any(each for each, _ in late), any(each for _, each in late)
        found = self.found
        found["windows"] += 1
        if answer["void"]:
            found["void"] += 1
            found["void without need"] += not perhaps
            found["void and never stopped"] += not stopped
            return
        found["ruled though it stood still"] += surely
        for chair in HANDS:
            in_time = chair in stamps and stamps[chair] // 1_000 <= end // 1_000
            found["in time"] += in_time
            found["lost"] += in_time and chair not in answer["raised"]
            found["wrong"] += not in_time and chair in answer["raised"]

    @staticmethod
    def _limits(answer: dict[str, Any]) -> Iterator[tuple[Sequence[int], int]]:
        """How late everything was at least and at most, and how late it may be."""
        yield from zip(answer["pictured"], (BEGIN, LIMIT, LIMIT, LIMIT), strict=True)
        yield (answer["sound"] - 50_000, answer["sound"]), LIMIT  # the card holds two blocks

    # A race -----------------------------------------------------------------------------------------------

    def _race(self, now: int) -> None:
        chance = self._chance
        start, stamps = now + 300 * MS, dict[int, int]()
        one, other = chance.sample((0, 2, 3), 2)  # the third mask is not placed: 1 placed the last
        plan = self._tap(one, start, stamps)
        plan += self._tap(other, start + chance.randint(2_000, 30_000) * MS // 1_000, stamps)
        if chance.random() < 0.8:
            length = chance.choice((chance.randint(30, 450), 3_000)) * MS
            plan += self._still(start + chance.randint(-100, 40) * MS, length)
        act(plan)
        answer, found = self._answer(), self.found
        first = min(stamps, key=stamps.__getitem__)
        apart = abs(stamps[one] - stamps[other])
        found["races"] += 1
        if answer["tied"]:
            found["told equal"] += apart >= MS
        elif answer["seat"] != first:
            found["wrong Stops"] += apart >= MS

    # What is done to it -----------------------------------------------------------------------------------

    def _tap(self, chair: int, at: int, stamps: dict[int, int]) -> Plan:
        """A press that bounces, and its release; its stamp is when it was really made."""

        def move(*, down: bool) -> None:
            if not down:  # we may be late, too; a finger rests for so long at least
                rested = stamps[chair] + BOUNCE + 50 * MS
                time.sleep(max(0.0, (rested - time.monotonic_ns()) / SECOND))
            stamp, chance = time.monotonic_ns() - BOUNCE, self._chance
            if down:
                stamps[chair] = stamp
            edges = EDGE.pack(not down, stamp)
            for opens in sorted(
                chance.sample(range(300_000, BOUNCE - 300_000, 400_000), chance.randint(0, 4))
            ):
                edges += EDGE.pack(down, stamp + opens) + EDGE.pack(not down, stamp + opens + 100_000)
            os.pwrite(self._levels, bytes([not down]), line_of(self._pins, chair))
            os.write(self._lines[chair], edges)

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
    if os.geteuid():
        yield missing("counts at a table that stood still", "windows", "needs root: a disk is frozen")
        return
    for kind in KINDS:
        found = played("kinapa", kind, round(windows * kind.share))
        yield from count_rows(kind, found)
    stops = played("kabuki", Kind("stopped", 1.0), windows * STOPS // WINDOWS)
    yield Row(
        figure=f"wrong Stops in {stops['races']:,} races: stopped for up to 3 s",
        value=stops["wrong Stops"],
        unit="races",
        aim="0",
        met=not stops["wrong Stops"],
        note=f"two calls at least 1 ms apart; {stops['told equal']} of them were told to be equal",
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
    note += f"{found['void and never stopped']} of them in windows in which nobody stopped the process"
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
