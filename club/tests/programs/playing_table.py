"""A table whose people play Kinapa as in a demo, with a real store behind the uplink's real door.

`python -m club.tests.programs.playing_table FOLDER`: the settings are settings.toml there, the door is
uplink.sock. The first line on the standard input begins the game, each other is somebody who presses *Call
a judge*. It ends with the input.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any

from companion.core.actions import SECOND, Micros, Setup
from companion.core.clock import GameClock
from companion.games import RULES
from companion.games.kinapa.players import card_number
from companion.games.kit.world import Plan, PlayStyle, PressOwnButton
from companion.network.table_server import UplinkServer
from companion.programs.build_app import build_runtime
from companion.programs.simulated_host import DemoHost, Moved
from companion.programs.store_responder import StoreResponder
from companion.referee.journal import make_header
from companion.referee.store import GameStore
from companion.settings.files import load_settings
from companion.simulation.simulated_table import SimulatedTable
from companion.system.fault_isolation import drain_queue, report_thread_failures
from companion.table.remote.club_link import TableClub
from companion.table.remote.public_view import PublicTable
from companion.table.runtime import Runtime, chair_colours, run_loop

GAME, CHAIRS, SEED = "kinapa", (0, 1, 2, 3), 32
PUMP: Micros = SECOND // 30


def host_of(shared: Runtime, store: GameStore) -> DemoHost:
    """Four people before their first press, with cards for a short game: two pairs each."""
    rules = RULES[GAME]
    header = make_header(GAME, Setup(CHAIRS, rules.options()), date="2026-11-20T20:15:00", seed=SEED)

    def open_table(fingers: Moved | None) -> SimulatedTable:
        return SimulatedTable(
            rules,
            store.create_game(header, wake=shared.wake_loop),
            seed=SEED,
            styles=(PlayStyle.LAWFUL,) * len(CHAIRS),
            clock=shared.clock,
            inbox=shared.inbox,
            fingers=fingers,
        )

    host = DemoHost(open_table, shared, threads=True)
    world = host.table.people.world
    cards = sorted((card for hand in world.hands for card in hand), key=card_number)
    for seat, hand in enumerate(world.hands):
        hand[:] = cards[4 * seat : 4 * seat + 4]
    slow = world.plan

    def quick(state: Any) -> Plan:
        """They think a third as long as others; a count lasts as long as ever."""
        return [(at if isinstance(deed, PressOwnButton) else at // 3, deed) for at, deed in slow(state)]

    world.plan = quick  # type: ignore[method-assign]
    return host


class PlayingTable:
    """One game, told through the door as the program's own table tells it."""

    def __init__(
        self, shared: Runtime, door: UplinkServer, colours: tuple[str, ...], begin: Callable[[], DemoHost]
    ) -> None:
        self.quit_requested = False
        self._shared, self._begin = shared, begin
        self._public, self._club = PublicTable(door, colours), TableClub(door)
        self._host: DemoHost | None = None
        self._pressed: SimpleQueue[bool] = SimpleQueue()
        Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        for _ in sys.stdin:
            self._pressed.put(True)
        self._pressed.put(False)

    def run_once(self) -> None:
        self._club.receive_messages()
        while not self._pressed.empty():
            self._press(more=self._pressed.get())
        session = None if self._host is None else self._host.session
        if self._host is not None and session is not None:
            self._host.tick()
            for seen in drain_queue(self._shared.inbox):
                if seen is not None:
                    session.submit(seen)
            session.step()
            session.note_frame_shown(session.view)
        self._public.send_changes(session, self._shared.clock.now())
        self._club.send_updates(session)

    def _press(self, *, more: bool) -> None:
        if not more:
            self.quit_requested = True
        elif self._host is None:
            self._host = self._begin()
        else:
            self._club.toggle_judge_call()

    def next_due(self) -> Micros:
        return self._shared.clock.now() + PUMP

    def close(self) -> None:
        if self._host is not None:
            self._host.close_session(self._host.session)


def main(folder: Path) -> int:
    settings = load_settings(
        overrides={"storage.folder": str(folder)}, environ={}, file=folder / "settings.toml"
    )
    shared = build_runtime(settings, GameClock(), silent=True)
    settings.store_folder().mkdir(parents=True, exist_ok=True)
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listening.bind(str(folder / "uplink.sock"))
    listening.listen(4)
    door = UplinkServer(
        listening,
        run=f"{os.getpid():016x}",
        name=settings.club_display_name(),
        program="0.1.0",
        wake=shared.wake_loop,
    )
    colours = chair_colours(settings)
    with GameStore(settings.store_file(), RULES) as store:
        StoreResponder(door, store, colours=colours, nicknames=settings.club.nicknames).start()
        door.start()
        table = PlayingTable(shared, door, colours, lambda: host_of(shared, store))
        with report_thread_failures(shared.parts, shared.wake_loop):
            run_loop(table, shared.clock, shared.inbox)
        table.close()
        door.close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1])))
