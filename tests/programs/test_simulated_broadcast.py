"""A broadcast's people make room for a phone, and the next game begins with the phone in its chair."""

from __future__ import annotations

import time
from queue import SimpleQueue

import pytest

from companion.core import observations as ob
from companion.core.clock import GameClock
from companion.network import messages as ms
from companion.programs import simulated_broadcast
from companion.programs.build_app import build_app, build_runtime
from companion.programs.simulated_broadcast import SimulatedBroadcast
from companion.programs.simulated_host import DemoHost
from companion.settings.model import Settings
from companion.table.remote.phone_seats import TablePhones
from companion.table.runtime import AppParts, run_loop

PATIENCE = 60.0


class OpenDoor:
    """A door with one reader; what is told is a list."""

    has_readers = True
    connection_count = 1

    def __init__(self) -> None:
        self.incoming: SimpleQueue[ms.ToTable | None] = SimpleQueue()
        self.told: list[ms.FromTable] = []

    def broadcast(self, message: ms.FromTable) -> None:
        self.told.append(message)


@pytest.mark.slow
def test_a_phone_gets_a_chair_and_keeps_it_in_the_next_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulated_broadcast, "GRANT_AFTER", 0)
    monkeypatch.setattr(simulated_broadcast, "WINNER_TIME", 0)
    shared, door = build_runtime(Settings(), GameClock(), silent=True), OpenDoor()
    hosts = simulated_broadcast._demo_hosts(Settings(), shared, ["kobayakawa"], seats=3, seed=1)
    phones = TablePhones(door, shared.clock, ("white", "pink", "red"))
    phones.admit_phones()
    first = next(hosts)
    around = AppParts(session=first.session, demo=lambda _: next(hosts), door=door, phones=phones)
    app = build_app(Settings(), first, shared, around, draws=False)
    door.incoming.put(ms.PhoneJoined("phone"))
    door.incoming.put(ms.ChairRequest("phone", 1))
    until = time.monotonic() + PATIENCE

    def has_moved_on() -> bool:
        assert time.monotonic() < until
        assert app.session is not None
        if first.table.people.seized == {1} and not first.session.game.over:
            app.session.submit(ob.AbandonRequested(at=shared.clock.now()))
        return app.session is not first.session

    body = SimulatedBroadcast(app, phones, shared.clock)
    run_loop(body, shared.clock, shared.inbox, over=has_moved_on)
    body.run_once()
    assert isinstance(app.host, DemoHost)
    assert app.host.table.people.seized == {1}
    assert sum(isinstance(one, ms.ChairGranted) for one in door.told) == 1
    app.close()
