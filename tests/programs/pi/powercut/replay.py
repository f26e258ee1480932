"""A recorded log of every block the guest wrote, and the disk as it was at any point of it.

The log is QEMU's `blklogwrites` in the format of the kernel's dm-log-writes. A disk with a volatile cache may
lose any write after the last flush that completed; writes with FUA are never lost.
"""

from __future__ import annotations

import json
import random
import shutil
import struct
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from judge import Steps, judge, repaired, take_out
from plug import Plug, Told, fresh_disk, log_length

MAGIC = 0x6A736677736872
FLUSH, FUA, DISCARD = 1, 2, 4
DROPS = (0.0, 0.1, 0.5, 0.9, 1.0)
"""The chance with which each unflushed write is lost; each cut takes one of these."""


@dataclass(frozen=True)
class Write:
    """One entry of the log."""

    offset: int
    length: int
    flags: int
    data: int
    """Where its bytes lie in the log."""


@dataclass(frozen=True)
class Recording:
    """A disk before, every write to it, and what was acknowledged after how many writes."""

    base: Path
    log: Path
    steps: Steps
    acknowledged: tuple[tuple[int, int], ...]
    """(writes in the log, game) of each acknowledged step, in order."""


def record(folder: Path, frozen: Path, name: str, *, steps: int, options: str, commit: str) -> Recording:
    """Play in lockstep, so that the log stands still whenever a step was acknowledged."""
    base, disk, log = (folder / f"{name}.{end}" for end in ("base", "disk", "log"))
    fresh_disk(base)
    shutil.copy(base, disk)
    with log.open("wb") as empty:
        empty.truncate(1 << 20)
    told = Told()
    plug = Plug(disk, frozen=frozen, log=log)
    acknowledged = []
    try:
        plug.say(f"go {options} {commit} 7 1")
        for _ in range(steps):
            plug.expect(told, "ack")
            game = max(told.acknowledged)
            acknowledged.append((log_length(log), game))
            plug.say("on")
    finally:
        plug.cut()
    text = json.dumps({"steps": told.steps, "acknowledged": acknowledged})
    (folder / f"{name}.json").write_text(text)
    return Recording(base, log, dict(told.steps), tuple(acknowledged))


def writes(log: Path) -> Iterator[Write]:
    with log.open("rb") as file:
        magic, _, count, sector = struct.unpack("<QQQI", file.read(28))
        assert magic == MAGIC, f"{log} is no log of writes"
        at = sector
        for _ in range(count):
            file.seek(at)
            first, sectors, flags, _ = struct.unpack("<QQQQ", file.read(32))
            yield Write(first * sector, sectors * sector, flags, at + sector)
            at += sector + (0 if flags & DISCARD else sectors * sector)


class Sweep:
    """Cuts of one recording, in the order of the log: what is flushed is built once and kept."""

    def __init__(self, recording: Recording, folder: Path) -> None:
        self._recording = recording
        self._writes = list(writes(recording.log))
        self._folder = folder
        self._flushed = folder / "flushed.img"
        self._built = 0
        shutil.copy(recording.base, self._flushed)
        self.flushes = sum(1 for write in self._writes if write.flags & FLUSH)
        self.count = len(self._writes)

    def cut(self, at: int, drop: float, seed: int) -> tuple[int, int, list[str]]:
        """The power goes after `at` writes: (acknowledged steps lost, untold ones kept, what is wrong)."""
        self._flush_up_to(max((i for i in range(at) if self._writes[i].flags & FLUSH), default=-1) + 1)
        image = self._folder / "cut.img"
        shutil.copy(self._flushed, image)
        rng = random.Random(seed)
        kept = (w for w in self._writes[self._built : at] if w.flags & FUA or rng.random() >= drop)
        self._apply(kept, image)
        broken = repaired(image)
        store = take_out(image, self._folder)
        done = self._recording.acknowledged[: bisect_right(self._recording.acknowledged, (at, 1 << 30))]
        told: dict[int, int] = {}
        for _, game in done:
            told[game] = told.get(game, 0) + 1
        verdict = judge(store, self._recording.steps, told)
        return verdict.lost, verdict.extra, [*verdict.wrong, *([f"disk: {broken}"] if broken else [])]

    def _flush_up_to(self, end: int) -> None:
        assert end >= self._built, "cuts come in the order of the log"
        self._apply(iter(self._writes[self._built : end]), self._flushed)
        self._built = end

    def _apply(self, some: Iterator[Write], image: Path) -> None:
        with self._recording.log.open("rb") as log, image.open("r+b") as disk:
            for write in some:
                if write.length and not write.flags & DISCARD:
                    log.seek(write.data)
                    disk.seek(write.offset)
                    disk.write(log.read(write.length))
