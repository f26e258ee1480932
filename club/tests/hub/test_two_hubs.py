"""Of two hubs of one database the later stops; two with one name at one broker are told of each other."""

from __future__ import annotations

from queue import SimpleQueue

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.exc import OperationalError

from club.tests.hub.evening import hub
from companion.settings.model import ClubSettings
from companion_club.hub.broker import HubBroker
from companion_club.hub.database import make_engine
from companion_club.hub.hub import AnotherHubError, Hub, HubLock
from companion_club.hub.transport import Inbox, Loopback, TransportEnded
from tests.home.servers import Broker
from tests.home.uplinked_tables import LONGEST_S
from tests.outside_programs import needs


def another(engine: Engine) -> Engine:
    """The same database, as another process opens it."""
    return make_engine(engine.url.render_as_string(hide_password=False))


def test_of_two_hubs_the_later_stops_with_a_sentence_and_never_connects(engine: Engine) -> None:
    connected: list[str] = []
    with hub(engine) as evening:
        evening.say("one", "status", b'{"online": true}')
        other = another(engine)
        later = Hub(other, "club", Loopback("club"), Inbox(), connect=lambda: connected.append("later"))
        with pytest.raises(AnotherHubError, match="Another hub works on this database") as ended:
            later.run()
    assert (ended.value.exit_code, connected) == (3, [])
    inbox = Inbox()
    inbox.put(TransportEnded())
    Hub(other, "club", Loopback("club"), inbox, connect=lambda: connected.append("next")).run()
    assert connected == ["next"], "the first let go of it"
    other.dispose()


@needs("postgresql")
def test_a_hub_whose_lock_was_lost_takes_it_again_or_stops(shared: str) -> None:
    """The server ended its connection, and another hub may have come meanwhile."""
    engine, other = make_engine(shared), make_engine(shared)
    first, second = HubLock(engine), HubLock(other)
    first.hold(verify=True)
    first.hold(verify=True)
    with other.begin() as connection:
        ours = "datname = current_database() AND pid <> pg_backend_pid()"
        connection.execute(text(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {ours}"))
    second.hold(verify=True)
    with pytest.raises(OperationalError):
        first.hold(verify=True)
    with pytest.raises(AnotherHubError):
        first.hold(verify=True)
    second.release()
    first.hold(verify=True)
    first.release()
    for one in (engine, other):
        one.dispose()


def test_two_hubs_with_databases_of_their_own_are_said_to_be_two(own: Broker) -> None:
    """To the broker they are one client, and the later throws the earlier out, in turns."""
    access = ClubSettings(broker="127.0.0.1", port=own.port)
    said: SimpleQueue[str] = SimpleQueue()
    pair = [HubBroker(access, "pair", Inbox(), say=said.put) for _ in range(2)]
    for one in pair:
        one.start()
    while "perhaps another hub of pair runs with another database" not in said.get(timeout=LONGEST_S):
        pass
    for one in pair:
        one.stop()
