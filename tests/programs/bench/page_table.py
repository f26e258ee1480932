"""A table that people play at by wire while its page is idle, flooded, stopped and killed: `python -m …`.

It is `companion play` with four chairs, a store on the disk and a door handed over as by systemd; the
page is a process of its own at the weight that its unit gives it. Somebody raises and lowers a hand in a
count that nobody closes: from the edge, as the kernel would stamp it, to the ruling, told. Prints one JSON
object.
"""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median, quantiles
from threading import Thread
from typing import Any

from companion.core.actions import Action
from companion.core.observations import ActionDeclared, ButtonPressed
from companion.core.switch import Edge
from companion.programs.child_programs import FIRST_DESCRIPTOR
from companion.table.runtime import wait_for_report
from companion.ui.commands import ManagePhones
from tests.programs.bench.page_crowd import HELD
from tests.programs.bench.table import run

ROUNDS, PRESSES = 4, 30
CHAIR = 1
DOWN_S, UP_S = 0.06, 0.14
SETTLES_S, LONGEST_S = 0.6, 60.0
NICER, NICE = "nice", 10
"""`Nice` of `systemd/companion-page.service`; the crowd, who in truth are other machines, are at 19."""
Took = tuple[float, float]
"""Milliseconds that passed, and that the table's own thread worked meanwhile."""


class Finger(Thread):
    """Presses a wired button again and again; the table is told of each edge at once."""

    def __init__(self, app: Any) -> None:
        super().__init__(daemon=True)
        self._app = app

    def run(self) -> None:
        for _ in range(PRESSES):
            for down, wait in ((True, DOWN_S), (False, UP_S)):
                clock = self._app._clock
                self._app._shared.inbox.put(Edge(CHAIR, "seat", level=down, at=clock.now()))
                time.sleep(wait)


def pressed(app: Any) -> list[Took]:
    """One bout of presses: how long each took to its ruling."""
    took: list[Took] = []
    finger, seen = Finger(app), app.session.announced_seq
    finger.start()
    end, worked = time.monotonic() + LONGEST_S, time.thread_time()
    while len(took) < PRESSES:
        if time.monotonic() > end:
            raise AssertionError(f"{len(took)} of {PRESSES} presses were ruled on")
        app.run_once()
        told, now = app.session.announced_seq, app._clock.now()
        for entry in app.session.game.referee.journal.entries[seen + 1 : told + 1]:
            if isinstance(entry.cause, ButtonPressed) and entry.cause.chair == CHAIR:
                took.append(((now - entry.cause.at) / 1e3, (time.thread_time() - worked) * 1e3))
                worked = time.thread_time()
        seen = told
        wait_for_report(app._shared.inbox, app._clock, app.next_due())
    finger.join()
    return took


@contextmanager
def page(app: Any, place: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The page, open to phones, and its address."""
    words = ["page", "--socket", place, "--host", "127.0.0.1", "--port", "0"]
    with subprocess.Popen(
        [NICER, f"-n{NICE}", sys.executable, "-m", "companion", *words], stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        found = (re.search(r"//([\d.]+:\d+)/watch#", line) for line in running.stdout)
        match = next(one for one in found if one)
        Thread(target=running.stdout.read, daemon=True).start()
        while not app._phone_state._phones.shown().runs:
            run(app, 0.05)
        app.carry_out(ManagePhones("open"))
        run(app, SETTLES_S)
        yield running, match[1]
        running.kill()
    app.carry_out(ManagePhones("close"))
    run(app, SETTLES_S)


@contextmanager
def crowd(app: Any, address: str, how: str) -> Iterator[None]:
    """A crowd, once its phones are in; meanwhile the table turns on."""
    pin = app._phone_state._phones.shown().pin
    words = [NICER, "-n19", sys.executable, "-m", "tests.programs.bench.page_crowd", address, pin, how]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as there:
        assert there.stdout is not None
        waiting = Thread(target=there.stdout.readline)
        waiting.start()
        while waiting.is_alive():
            run(app, 0.05)
        run(app, SETTLES_S)
        yield
        there.kill()


def by_wire(app: Any, place: str) -> Iterator[tuple[str, list[Took]]]:
    """One round without phones on chairs, way by way."""
    yield "none", pressed(app)
    with page(app, place) as (running, address):
        yield "idle", pressed(app)
        with crowd(app, address, "flood"):
            yield "flooded", pressed(app)
            running.send_signal(signal.SIGSTOP)
            yield "stopped", pressed(app)
            running.send_signal(signal.SIGCONT)
            run(app, SETTLES_S)
            running.kill()
            yield "killed", pressed(app)


def beside_phones(app: Any, place: str) -> Iterator[tuple[str, list[Took]]]:
    """One round with two of them; the longer grace stays then, as the count is never closed."""
    with page(app, place) as (_, address):
        for how, way in (("hold", "held"), ("press", "pressing")):
            with crowd(app, address, how):
                granted(app)
                yield way, pressed(app)


def granted(app: Any) -> None:
    """The table says yes to the two phones."""
    phones, end = app._phone_state._phones, time.monotonic() + 20
    while phones.holding()[0] != set(HELD):
        for chair in phones.asked:
            app.carry_out(ManagePhones("yes", chair))
        run(app, 0.05)
        if time.monotonic() > end:
            raise AssertionError("no phone asks for its chair")
    run(app, SETTLES_S)


def watch(app: Any) -> None:
    """In the place of the loop: the same loop, with a watch in hand."""
    run(app, 2.0)
    for action in (Action(0, "claim_cat"), Action(0, "announce", 1)):
        app.session.submit(ActionDeclared(at=app._clock.now(), action=action))
        run(app, 0.5)
    rules = app.session.game.referee.rules
    while not rules.is_window_open(app.session.game.referee.state):
        run(app, 0.1)
    pressed(app)  # warm
    found: dict[str, list[Took]] = {}
    for bouts in (by_wire, beside_phones):
        for _ in range(ROUNDS):
            for way, took in bouts(app, os.environ["BENCH_DOOR"]):
                found.setdefault(way, []).extend(took)
    told = {
        way: {
            "median": median(passed for passed, _ in took),
            "p95": quantiles((passed for passed, _ in took), n=20)[-1],
            "most": max(passed for passed, _ in took),
            "work": median(worked for _, worked in took),
            "presses": len(took),
        }
        for way, took in found.items()
    }
    print(json.dumps(told), flush=True)


def handed_door(place: str) -> None:
    """A socket at `place`, handed over to this process as systemd would."""
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listening.bind(place)
    listening.listen(16)
    os.dup2(listening.detach(), FIRST_DESCRIPTOR)
    os.environ |= {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "1", "LISTEN_FDNAMES": "page"}
    os.environ["BENCH_DOOR"] = place


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="companion-bench-") as folder:
        handed_door(f"{folder}/door")
        from companion.__main__ import main as companion
        from companion.table.app import App

        App.run = watch  # type: ignore[method-assign, assignment]
        settings = ("camera.kind=none", "rules.kinapa.count_seconds=0")
        words = [word for pair in settings for word in ("--set", pair)]
        companion([*words, "play", "kinapa", "--chairs", "1,2,3,4"])


if __name__ == "__main__":
    main()
