"""A table as a process of its own that others stop and press: `python -m … GAME FOLDER FRAME LEVELS LINE…`.

Real here: gpiozero's pins on `GpiodFactory` and its thread, the clock, the inbox, the session and its loop,
the journal on the disk and its writer. The kernel's side of the pins is another process: each line is a pipe
of edges with their stamps, its level a byte of the memory LEVELS. In place of the sound card a thread hands
on blocks of samples, each before it is heard; when it was late the sound has been silent, and is late from
then on. In place of the page a frame takes FRAME seconds of the processor.

For each line that it reads it prints two JSON objects: `{"first": …}` once it is known when the first beat of
a count is heard, then what was ruled, how late the picture of each beat and the sound of the end were, and
the journal.
"""

from __future__ import annotations

import json
import mmap
import os
import select
import struct
import sys
import threading
import time
from collections.abc import Collection, Iterator, Sequence
from enum import Enum
from pathlib import Path
from queue import SimpleQueue
from types import SimpleNamespace
from typing import Any

from companion.core import events as ev
from companion.core import observations as ob
from companion.core.actions import SECOND, Action, Chair, Cue, CueStarted, Micros, Setup
from companion.core.clock import GameClock
from companion.core.view import Sentence, SoundEffect
from companion.games import RULES
from companion.games.kabuki.rules.model import CallerAsked, CallsDropped, StopAssigned
from companion.games.kinapa.rules.model import CountOpened, HandsLocked
from companion.referee.journal import make_header
from companion.referee.loop import MAX_ROUND_INTERVAL, Inbox, RefereedGame
from companion.referee.referee import Referee
from companion.referee.store import GameStore
from companion.system.fault_isolation import drain_queue
from companion.table.runtime import TOUCH_POLL_INTERVAL, wait_for_report
from companion.table.session import Session
from hardware.buttons import ButtonPanel
from hardware.gpiod_pins import GpiodFactory
from hardware.pin_table import PinTable, build_pin_table

EDGE = struct.Struct("<?q")
"""What stands in a pipe: whether the line is high now, and since when."""
LEAD: Micros = 400_000
"""From the start of the sound to the first beat."""
BLOCK = 0.023
"""Seconds of a block of samples."""
HELD = 2 * BLOCK
"""Seconds that the card holds, and plays although the program stands still."""
PI = 0xC03115
"""The revision of a Pi 4."""
CHAIRS = (0, 1, 2, 3)


class Value(Enum):
    INACTIVE = 0
    ACTIVE = 1


class Event:
    Type = Enum("Type", "RISING_EDGE FALLING_EDGE")

    def __init__(self, high: bool, stamp: int, number: int) -> None:
        self.event_type = self.Type.RISING_EDGE if high else self.Type.FALLING_EDGE
        self.timestamp_ns, self.line_seqno = stamp, number


class Request:
    """One line: its pipe, if somebody presses it, and its level."""

    def __init__(self, number: int, descriptor: int | None, levels: mmap.mmap) -> None:
        self._number, self._levels, self._seen = number, levels, 0
        self.fd = os.eventfd(0) if descriptor is None else descriptor

    def wait_edge_events(self, timeout: float) -> bool:
        return bool(select.select([self.fd], [], [], timeout)[0])

    def read_edge_events(self) -> Iterator[Event]:
        for high, stamp in EDGE.iter_unpack(os.read(self.fd, 256 * EDGE.size)):
            self._seen += 1
            yield Event(high, stamp, self._seen)

    def get_value(self, number: int) -> Value:
        return Value(self._levels[number])

    def release(self) -> None:
        """The pipe is the other process's, and stays."""


class Kernel:
    """What stands for the module gpiod."""

    Settings = Enum("Settings", "NONE INPUT OUTPUT PULL_UP PULL_DOWN DISABLED RISING FALLING BOTH")
    line = SimpleNamespace(Value=Value, Direction=Settings, Bias=Settings, Edge=Settings)

    def __init__(self, pipes: dict[int, int], levels: mmap.mmap) -> None:
        self._pipes, self._levels = pipes, levels

    def Chip(self, path: str) -> Any:
        return threading.Lock()

    @staticmethod
    def LineSettings(**settings: Any) -> Any:
        return settings

    def request_lines(self, path: str, config: dict[int, Any], **_: Any) -> Request:
        (number,) = config
        return Request(number, self._pipes.get(number), self._levels)


class Card:
    """A voice that only counts, on a card that runs at its own pace."""

    available = True
    caption: Sentence | None = None

    def __init__(self, clock: GameClock) -> None:
        self._clock = clock
        self._begun: list[CueStarted] = []
        self._jobs: SimpleQueue[tuple[float, float]] = SimpleQueue()
        self.count_finished = True
        self.first: Micros | None = None
        """When the first beat of the count that was begun last is heard."""
        self.late = 0.0
        """Seconds by which the end of the last count was heard late."""
        threading.Thread(target=self._run, daemon=True).start()

    def announce(
        self, sentences: Sequence[Sentence], urgent: Collection[str] = (), quiet: Collection[str] = ()
    ) -> None: ...

    def say(self, sentences: Sequence[Sentence], first: Collection[str] = ()) -> None: ...

    def play_effect(self, name: SoundEffect) -> None: ...

    def stop_cue(self) -> None: ...

    def play_cue(self, cue: Cue) -> None:
        self.count_finished = False
        self._jobs.put((time.monotonic() + HELD, (LEAD + cue.beats * SECOND) / SECOND))
        self.first = self._clock.now() + round(HELD * SECOND) + LEAD
        self._begun.append(CueStarted(cue, self.first))

    def poll(self, now: Micros) -> tuple[CueStarted, ...]:
        begun, self._begun = self._begun, []
        return tuple(begun)

    def _run(self) -> None:
        """Hand on each block while the card still holds two: what comes later is heard when it comes."""
        while True:
            begun, length = self._jobs.get()
            late, at = 0.0, 0.0
            while at < length:
                heard = begun + late + at
                time.sleep(max(0.0, heard - HELD - time.monotonic()))
                late += max(0.0, time.monotonic() - heard)
                at += BLOCK
            self.late, self.count_finished = late, True


class Table:
    """One game, and the loop around it."""

    def __init__(self, game: str, folder: Path, kernel: Kernel, pins: PinTable, frame: float) -> None:
        GpiodFactory._get_revision = lambda _: PI  # there is no Pi here
        self.clock, self.inbox, self.frame = GameClock(), Inbox(), frame
        self.voice = Card(self.clock)
        rules = RULES[game]
        header = make_header(game, Setup(CHAIRS, rules.options()))
        journal = GameStore(folder / "games.sqlite", RULES).create_game(
            header, wake=lambda: self.inbox.put(None)
        )
        self.panel = panel = ButtonPanel(GpiodFactory(0, kernel), pins, self.clock, self.inbox.put)
        panel.leave_reading(lambda: self.inbox.put(None))
        self.game = RefereedGame(
            Referee(rules, journal), chance=lambda _: 0, levels=panel.read_levels, level=panel.read_level
        )
        self.session = Session(self.game, clock=self.clock, voice=self.voice)
        self.frames: list[tuple[Micros, Micros, Micros]] = []
        """Of the window that is open: what was pictured, and between which instants it was flipped."""

    def turn(self) -> None:
        self.panel.read_waiting()
        for seen in drain_queue(self.inbox):
            if seen is not None:
                self.session.submit(seen)
        self.session.step()
        now = self.clock.now()
        if not self.frames or now >= self.frames[-1][0] + MAX_ROUND_INTERVAL:
            end = time.thread_time() + self.frame
            while time.thread_time() < end:
                pass
            before = self.clock.now()
            self.session.note_frame_shown(self.session.view, now)
            self.frames.append((now, before, self.clock.now()))
        interval = TOUCH_POLL_INTERVAL if self.game.are_presses_timed() else MAX_ROUND_INTERVAL
        due = [self.session.next_due(), now + interval]
        wait_for_report(self.inbox, self.clock, min(at for at in due if at is not None))

    def run(self, seconds: float) -> None:
        until = self.clock.now() + round(seconds * SECOND)
        while self.clock.now() < until:
            self.turn()

    def say(self, *actions: Action) -> None:
        for action in actions:
            entries = self.game.referee.journal.entries
            before, declared = len(entries), ob.ActionDeclared(at=self.clock.now(), action=action)
            self.session.submit(declared)
            while not any(entry.cause is declared for entry in entries[before:]):
                self.turn()

    def until(self, *kinds: type, since: int) -> list[Any]:
        """Run until one of these was ruled since that entry; all of them."""
        while not (found := [event for event in self.events(since) if isinstance(event, kinds)]):
            self.turn()
        return found

    def events(self, since: int) -> list[Any]:
        return [event for entry in self.game.referee.journal.entries[since:] for event in entry.events]

    def journal_lines(self, since: int) -> list[str]:
        """What was written down since that entry, with the kernel's milliseconds."""
        return [
            f"{self.clock.to_monotonic_ns(entry.cause.at) / 1e6:.3f} {entry.cause} {entry.events}"
            for entry in self.game.referee.journal.entries[since:]
        ]

    def back(self, seq: int) -> int:
        """Back to before the window; the next entry."""
        self.run(0.1)
        self.game.rewind_to(seq, self.clock.now())
        self.run(0.1)
        self.frames.clear()
        self.voice.first = None
        return len(self.game.referee.journal.entries)

    def tell(self, **what: Any) -> None:
        print(json.dumps(what), flush=True)


def counts(table: Table) -> None:
    """One count after another."""
    table.say(Action(0, "claim_cat"))
    begun = len(table.game.referee.journal.entries)
    while waited():
        since = table.back(begun)
        table.say(Action(0, "announce", 7))
        while (heard := table.voice.first) is None and not any(
            isinstance(event, CountOpened) for event in table.events(since)
        ):
            table.turn()
        asked = table.clock.now() if heard is None else heard
        table.tell(first=table.clock.to_monotonic_ns(asked))
        ended = table.until(HandsLocked, ev.WindowVoided, since=since)[-1]
        (opened,) = table.until(CountOpened, since=since)
        pictured = []
        for beat in range(opened.first_beat, opened.first_beat + 4 * SECOND, SECOND):
            least, most = next(
                ((before - beat, after - beat) for at, before, after in table.frames if at >= beat),
                (table.clock.now() - beat,) * 2,
            )
            pictured.append((least, most))
        while not table.voice.count_finished:
            table.turn()
        table.tell(
            first=table.clock.to_monotonic_ns(opened.first_beat),
            void=isinstance(ended, ev.WindowVoided),
            raised=getattr(ended, "raised", ()),
            pictured=pictured,
            sound=None if heard is None else heard - opened.first_beat + round(table.voice.late * SECOND),
            journal=table.journal_lines(since),
        )
        table.run(0.3)


def races(table: Table) -> None:
    """One Stop after another."""
    for action in (Action(0, "begin"), Action(0, "place", "sun@1"), Action(1, "place", "wave@2")):
        table.say(action)
    begun = len(table.game.referee.journal.entries)
    while waited():
        since = table.back(begun)
        table.tell(first=table.clock.to_monotonic_ns(table.clock.now()))
        ended = table.until(StopAssigned, CallsDropped, CallerAsked, since=since)[-1]
        table.tell(
            seat=getattr(ended, "seat", None),
            tied=getattr(ended, "among", ()) or getattr(ended, "tied", ()),
            journal=table.journal_lines(since),
        )
        table.run(0.5)


def waited() -> bool:
    """Whether another window is wanted, once somebody says so."""
    return bool(sys.stdin.readline())


def line_of(pins: PinTable, chair: Chair) -> int:
    return pins.button_pin((chair, "seat"))


def main() -> None:
    game, folder, frame, levels, *descriptors = sys.argv[1:]
    pins = build_pin_table()
    pipes = {line_of(pins, chair): int(each) for chair, each in enumerate(descriptors)}
    table = Table(game, Path(folder), Kernel(pipes, mmap.mmap(int(levels), 0)), pins, float(frame))
    (counts if game == "kinapa" else races)(table)


if __name__ == "__main__":
    main()
