"""A phone in Chromium over a bad link: how far the stamp of its press is from the touch.

The table is the real one (door, phones, session), its page a process, the browser in a network namespace at
the far end of `bad_link.py`. When a finger touched is read from the browser past the link: its clock is laid
beside the kernel's through the debugger's pipe, which is no part of what is measured.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median, quantiles
from threading import Event, Thread
from typing import Any, NamedTuple

from companion.core.actions import Action, Setup
from companion.core.clock import GameClock
from companion.core.observations import ActionDeclared, ButtonPressed
from companion.games import RULES
from companion.games.kinapa.rules.model import KinapaOptions
from companion.network.table_server import TableServer
from companion.referee.journal import Entry, MemoryJournal, make_header
from companion.referee.loop import RefereedGame
from companion.referee.phone_chairs import PHONE_SOURCE
from companion.referee.referee import Referee
from companion.table.remote.phone_seats import TablePhones
from companion.table.session import Session
from tests.outside_programs import found, program
from tests.programs.bench.bad_link import HERE, SPACE
from tests.programs.bench.door_table import Silent
from tests.programs.bench.figures import Row, missing, no_browser

NAME = "link"
FIGURE = "a phone's stamp off its touch, Chromium"
COLOURS = ("red", "blue", "green", "yellow")
CHAIR = 1
PRESSES = 60
LINKS = {
    "no delay": "0 0 0 0",
    "80 ± 40 ms each way, 2 % lost, 25 % overtake": "80 40 0.02 0.25",
}
WAITS_MS = 60_000
TOUCHED = """
window.touches = [];
addEventListener("pointerdown", (event) => {
  if (event.target.closest(".choice")) window.touches.push(event.timeStamp);
}, true);
"""


class Press(NamedTuple):
    """One touch and what became of it; milliseconds after the touch."""

    stamp: float
    low: float | None
    high: float | None
    arrived: float


class Noted(TablePhones):
    """Remembers when presses arrived."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.arrived: list[int] = []

    def _press(self, message: Any) -> None:
        self.arrived.append(message.arrived_ns)
        super()._press(message)


class Table(Thread):
    """A count of Kinapa that nobody closes, at which one phone plays."""

    def __init__(self, door: TableServer) -> None:
        super().__init__(daemon=True)
        rules = RULES["kinapa"]
        setup = Setup((0, 1, 2, 3), KinapaOptions(count_seconds=0))
        referee: Referee[Any] = Referee(rules, MemoryJournal(make_header("kinapa", setup, kind="simulation")))
        self.clock = GameClock()
        self.entries = referee.journal.entries
        self.ended = Event()
        self._session = Session(
            RefereedGame(referee, chance=lambda lots: 0), clock=self.clock, voice=Silent()
        )
        self.phones = Noted(door, self.clock, COLOURS)
        self.phones.admit_phones()

    def run(self) -> None:
        for action in (Action(0, "claim_cat"), Action(0, "announce", 1)):
            self._session.submit(ActionDeclared(at=self.clock.now(), action=action))
            self._turn()
        while not self.ended.wait(0.002):
            self._turn()

    def _turn(self) -> None:
        self.phones.receive_messages(self._session)
        for chair in self.phones.requested_chairs:
            self.phones.grant_chair(chair)
        self._session.step()
        self._session.note_frame_shown(self._session.view)
        self.phones.send_updates()


def rows() -> Iterator[Row]:
    if why := no_browser():
        yield missing(FIGURE, "ms", why)
        return
    from playwright.sync_api import sync_playwright

    if os.geteuid() or not Path("/dev/net/tun").exists() or found("ip") is None:
        yield missing(FIGURE, "ms", "a network of its own needs root, /dev/net/tun and iproute2")
        return
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="companion-bench-")))
        link = stack.enter_context(linked())
        table, address = stack.enter_context(served(folder))
        far = folder / "chromium"
        far.write_text(
            f'#!/bin/sh\nexec ip netns exec {SPACE} {program("chromium")} "$@"\n', encoding="utf-8"
        )
        far.chmod(0o755)
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=str(far), args=["--no-sandbox"])
        page = seated(browser, address)
        for name, how in LINKS.items():
            print(how, file=link, flush=True)
            page.wait_for_timeout(3_000)
            yield from told(name, pressed(page, table))
        browser.close()


def told(link: str, presses: list[Press]) -> Iterator[Row]:
    """What is found on one link."""
    off = [abs(one.stamp) for one in presses]
    late = [one.arrived for one in presses]
    halves = sorted(
        (one.high - one.low) / 2 for one in presses if one.low is not None and one.high is not None
    )
    outside = sum(one.low is not None and not one.low <= 0 <= (one.high or 0) for one in presses)
    placed = f"{len(halves)} of {len(presses)} placed"
    note = (
        f"{placed}, half-widths {', '.join(f'{half:.1f}' for half in halves[:: max(1, len(halves) // 4)])} ms"
    )
    for name, of in (("median", median), ("p95", lambda all_: quantiles(all_, n=20)[-1])):
        yield Row(
            figure=f"{FIGURE}, {link} ({name})",
            value=of(off),
            unit="ms",
            baseline="by arrival",
            beside=of(late),
            ratio=of(off) / of(late),
            note=note,
        )
    yield Row(
        figure=f"touches outside the interval of their press, {link}",
        value=outside,
        unit="presses",
        aim="0",
        met=outside == 0,
    )
    early = -min(one.stamp for one in presses)
    yield Row(figure=f"the earliest stamp before its touch, {link}", value=max(0.0, early), unit="ms")


def pressed(page: Any, table: Table) -> list[Press]:
    """Touch the one button again and again; each is a ruling."""
    found = []
    for _ in range(PRESSES):
        page.wait_for_selector(".choice:not([disabled])", timeout=WAITS_MS)
        before = len(table.entries)
        page.tap(".choice")
        ahead = beside(page)
        touched = 1e6 * (page.evaluate("window.touches.pop()") + ahead)
        end = time.monotonic() + WAITS_MS / 1000
        while (judged := first_press(table.entries[before:])) is None:
            if time.monotonic() > end:
                raise AssertionError("a press was lost")
            page.wait_for_timeout(20)
        found.append(press_of(judged, table, touched))
    return found


def first_press(entries: Sequence[Entry[Any]]) -> ButtonPressed | None:
    causes = (one.cause for one in entries)
    return next(
        (one for one in causes if isinstance(one, ButtonPressed) and one.source == PHONE_SOURCE), None
    )


def press_of(cause: ButtonPressed, table: Table, touched: float) -> Press:
    def after(at: int) -> float:
        return (table.clock.to_monotonic_ns(at) - touched) / 1e6

    within = cause.within
    low, high = (None, None) if within is None else (after(within[0]), after(within[1]))
    return Press(after(cause.at), low, high, (table.phones.arrived[-1] - touched) / 1e6)


def beside(page: Any) -> float:
    """Milliseconds that the kernel's clock is ahead of the browser's, by the quickest of some looks."""
    looks: list[tuple[float, float]] = []
    for _ in range(15):
        began = time.monotonic_ns()
        shown = page.evaluate("performance.now()")
        ended = time.monotonic_ns()
        looks.append((ended - began, (began + ended) / 2e6 - shown))
    return min(looks)[1]


def seated(browser: Any, address: str) -> Any:
    """A phone on its chair."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.add_init_script(TOUCHED)
    page.set_default_timeout(WAITS_MS)
    page.goto(address)
    page.tap("button[value='/seat']")
    page.wait_for_selector(".chair")
    page.tap(f".chair:nth-child({CHAIR + 1})")
    page.wait_for_selector("body.holds")
    return page


@contextmanager
def linked() -> Iterator[Any]:
    """The link; what is written to it says how it is from then on."""
    words = [sys.executable, "-m", "tests.programs.bench.bad_link"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as link:
        assert link.stdout is not None
        assert link.stdin is not None
        if link.stdout.readline() != "up\n":
            raise RuntimeError("the link does not come up")
        yield link.stdin
        link.stdin.close()


@contextmanager
def served(folder: Path) -> Iterator[tuple[Table, str]]:
    """A table, and where phones join it."""
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listening.bind(str(folder / "door"))
    listening.listen(8)
    door = TableServer(listening, run="bench")
    door.start()
    table = Table(door)
    table.start()
    words = ["page", "--socket", str(folder / "door"), "--host", HERE, "--port", "0"]
    with subprocess.Popen(
        [sys.executable, "-m", "companion", *words], stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        found = (re.search(r"Join: (\S+)", line) for line in running.stdout)
        address = next(match[1] for match in found if match)
        while not table.phones.phone_table().pin:
            time.sleep(0.1)
        yield table, re.sub(r"#\d{6}", f"#{table.phones.phone_table().pin}", address)
        running.terminate()
    table.ended.set()
    table.join()
    door.close()


if __name__ == "__main__":
    print(*rows(), sep="\n")
