"""A table whose door is read, in a process of its own, beside the same table unread: `python -m …`.

Frames: the game page of `companion play`, painted anew, each with a whole view told before it, which is more
than any game tells. Rulings: every cause of a recorded game of Kinapa through a session and its public table.
Both are measured unread and with 64 readers in turn, so that whatever slows the machine slows all. Prints one
JSON object.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median, quantiles
from typing import Any

from companion.core.clock import ManualClock
from companion.network.messages import TableSnapshot, encode_line
from companion.network.protocol import MAX_CLIENTS
from companion.network.table_server import TableServer
from companion.referee.journal import MemoryJournal
from companion.referee.loop import RefereedGame
from companion.referee.referee import Referee
from companion.table.remote.public_view import PublicTable, to_view_message
from companion.table.session import Session
from tests.programs.bench.games import Recorded, recorded
from tests.programs.bench.table import WARM, repaint, run

WAYS = ("unread", "one", "eager", "lazy", "loud")
ROUNDS = 8
PAINTED = 25
"""Frames of a round."""
Took = tuple[float, float]
"""Seconds that passed, and that the table's own thread worked."""


class Silent:
    """A voice that says nothing and is there, so that nothing else is measured."""

    available = True
    count_finished = True
    caption = None

    def announce(self, sentences: Any, urgent: Any = (), quiet: Any = ()) -> None:
        """Nothing."""

    def say(self, sentences: Any, first: Any = ()) -> None:
        """Nothing."""

    def play_effect(self, name: Any) -> None:
        """Nothing."""

    def play_cue(self, cue: Any) -> None:
        """Nothing."""

    def stop_cue(self) -> None:
        """Nothing."""

    def poll(self, now: int) -> tuple[()]:
        return ()


@contextmanager
def door_read(how: str) -> Iterator[TableServer | None]:
    """A door with 64 readers of this kind; none where it is unread."""
    if how == "unread":
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="companion-bench-") as folder:
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listening.bind(f"{folder}/door")
        listening.listen(MAX_CLIENTS)
        door = TableServer(listening, run="bench")
        door.start()
        words = [sys.executable, "-m", "tests.programs.bench.readers", f"{folder}/door", how]
        with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as readers:
            assert readers.stdout is not None
            assert readers.stdout.readline() == "in\n"
            yield door
            readers.communicate()
        door.close()


def judged(game: Recorded, door: TableServer | None) -> list[Took]:
    """Seconds from each cause to its ruling and what is told of it."""
    clock = ManualClock()
    journal = MemoryJournal(game.header)
    played = RefereedGame(Referee(game.referee().rules, journal), chance=lambda lots: 0)
    session = Session(played, clock=clock, voice=Silent())
    public = None if door is None else PublicTable(door, ("red", "blue", "green", "yellow"))
    took = []
    for entry in game.entries:
        clock.move_to(entry.cause.at + 41_000)
        began, worked = time.perf_counter(), time.thread_time()
        session.submit(entry.cause)
        session.step()
        if public is not None:
            public.send_changes(session, clock.now())
        took.append((time.perf_counter() - began, time.thread_time() - worked))
    return took


def painted(app: Any, door: TableServer | None, view: TableSnapshot) -> list[Took]:
    """Seconds of each frame that is painted anew."""
    took = []
    for _ in range(PAINTED):
        if door is not None:
            door.broadcast(view)
        worked = time.thread_time()
        took.append((repaint(app), time.thread_time() - worked))
    return took


def watch(app: Any) -> None:
    """In the place of the loop: everything in turn, with a watch in hand."""
    run(app, WARM)
    view = to_view_message(app.session.announced_view, seq=1, colours=("red", "blue", "green", "yellow"))
    game = recorded("kinapa", players=4, seed=3)
    frames: dict[str, list[Took]] = {way: [] for way in WAYS}
    rulings: dict[str, list[Took]] = {way: [] for way in WAYS}
    judged(game, None)  # warm
    for _ in range(ROUNDS):
        for way in WAYS:
            with door_read(way) as door:
                rulings[way] += judged(game, door)
                frames[way] += painted(app, door, view)
    told: dict[str, Any] = {
        "view_bytes": len(encode_line(view)),
        "entries": len(game.entries),
    }
    for name, found in (("frame", frames), ("ruling", rulings)):
        for measure, of in MEASURES.items():
            told[f"{name}_{measure}"] = {way: 1e6 * of(found[way]) for way in WAYS}
    print(json.dumps(told), flush=True)


MEASURES: dict[str, Callable[[list[Took]], float]] = {
    "work": lambda times: median(worked for _, worked in times),
    "p95": lambda times: quantiles((passed for passed, _ in times), n=20)[-1],
}


def main() -> None:
    from companion.__main__ import main as companion
    from companion.table.app import App

    App.run = watch  # type: ignore[method-assign, assignment]
    companion(["--set", "camera.kind=none", "play", "kinapa", "--chairs", "1,2,3,4"])


if __name__ == "__main__":
    main()
