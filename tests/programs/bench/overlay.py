"""The stream's overlay: from a ruling to its pixel in Chromium, and what a day of it leaves in memory."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median, quantiles
from typing import Any

from companion.core.clock import ManualClock
from companion.network.messages import TableHello
from companion.network.table_server import TableServer
from companion.network.web import static_files
from companion.network.web.audience import Audience
from companion.referee.journal import MemoryJournal
from companion.referee.loop import RefereedGame
from companion.referee.referee import Referee
from companion.table.remote.public_view import PublicTable
from companion.table.session import Session
from tests.network.web.test_overlay import day
from tests.outside_programs import program
from tests.programs.bench.door_table import Silent
from tests.programs.bench.figures import Row, missing, no_browser
from tests.programs.bench.games import recorded

NAME = "overlay"
FIGURE = "from a ruling to its pixel, overlay in Chromium"
AIM_MS, AIM_KB = 150.0, 40.0
APART_S = 0.15
"""From one ruling to the next: slower than any of them takes, so that each is seen alone."""
HOURS, EVERY_S = 24, 6
COLOURS = ("red", "blue", "green", "yellow")
WATCHED = """
window.seen = [];
document.addEventListener("DOMContentLoaded", () => new MutationObserver(() => {
  const seq = Number(document.body.dataset.seq);
  requestAnimationFrame(() => requestAnimationFrame(
    () => window.seen.push([seq, performance.timeOrigin + performance.now()])));
}).observe(document.body, { attributes: true, attributeFilter: ["data-seq"] }));
"""
"""The instant of the second frame after a change: by then the first is on the glass."""


def rows() -> Iterator[Row]:
    yield from _pixels()
    audience = Audience(static_files.find_pictures())
    audience.handle_message(TableHello("run"))
    held = day(audience, HOURS, every_s=EVERY_S)
    grown = (held[-1] - held[1]) / 1000
    yield Row(
        figure=f"memory after hour {HOURS} beside hour 2, clock moved",
        value=grown,
        unit="kB",
        aim=f"≤ {AIM_KB:.0f}",
        met=grown <= AIM_KB,
        note=f"two streams, one 30 s late, a view and a line every {EVERY_S} s; bytes that Python holds",
    )


def _pixels() -> Iterator[Row]:
    if why := no_browser():
        yield missing(FIGURE, "ms", why)
        return
    from playwright.sync_api import sync_playwright

    with _page() as (door, address), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program("chromium"), args=["--no-sandbox"])
        page = browser.new_context(viewport={"width": 1920, "height": 1080}).new_page()
        page.add_init_script(WATCHED)
        page.goto(address)
        took = _played(door, page)
        browser.close()
    p95 = quantiles(took, n=20)[-1]
    for name, value in (("p95", p95), ("median", median(took))):
        yield Row(
            figure=f"{FIGURE} ({name})",
            value=value,
            unit="ms",
            aim=f"≤ {AIM_MS:.0f}" if name == "p95" else "",
            met=value <= AIM_MS if name == "p95" else None,
            note=f"{len(took)} rulings of a game of Kinapa at 1920×1080 over loopback, a process each for "
            "table, page and browser; two frames of the browser are part of it",
        )


@contextmanager
def _page() -> Iterator[tuple[TableServer, str]]:
    """A door, and the address of the overlay of a page that reads along."""
    with tempfile.TemporaryDirectory(prefix="companion-bench-") as folder:
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listening.bind(f"{folder}/door")
        listening.listen(8)
        door = TableServer(listening, run="bench")
        door.start()
        words = ["page", "--socket", f"{folder}/door", "--host", "127.0.0.1", "--port", "0"]
        with subprocess.Popen(
            [sys.executable, "-m", "companion", *words], stdout=subprocess.PIPE, text=True
        ) as running:
            assert running.stdout is not None
            found = (re.search(r"Stream: (\S+)", line) for line in running.stdout)
            yield door, next(match[1] for match in found if match)
            running.terminate()
        door.close()


def _played(door: TableServer, page: Any) -> list[float]:
    """Milliseconds from each cause that changes the view to the frame that shows it."""
    game = recorded("kinapa", players=4, seed=3)
    clock = ManualClock()
    played = RefereedGame(Referee(game.referee().rules, MemoryJournal(game.header)), chance=lambda lots: 0)
    session = Session(played, clock=clock, voice=Silent())
    public = PublicTable(door, COLOURS)
    while not door.has_readers:
        time.sleep(0.1)
    began: dict[int, float] = {}
    for entry in game.entries:
        clock.move_to(entry.cause.at + 41_000)
        at = 1000 * time.time()
        session.submit(entry.cause)
        session.step()
        public.send_changes(session, clock.now())
        began.setdefault(session.announced_seq, at)
        page.wait_for_timeout(1000 * APART_S)
    seen: dict[int, float] = {}
    for seq, at in page.evaluate("window.seen"):
        seen.setdefault(int(seq), at)
    return [at - began[seq] for seq, at in seen.items() if seq in began]


if __name__ == "__main__":
    print(*rows(), sep="\n")
