"""Two hubs of one club at one broker, with the rights of the sample and with older ones."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from queue import SimpleQueue
from threading import Thread

import pytest
from sqlalchemy.orm import Session

from club.tests.hub.deployed import MOST_SAID, PROGRAMS, Machine, Somebody, of_the_hub
from club.tests.hub.evening import status
from club.tests.uplink.club_tables import ClubListener
from companion.core.errors import CompanionError
from companion.settings.model import ClubSettings
from companion_club.hub.broker import HubBroker
from companion_club.hub.database import make_engine, migrate
from companion_club.hub.hub import Hub
from companion_club.hub.model import CallRecord
from companion_club.hub.transport import Inbox, TransportEnded
from companion_club.messages import make_topic
from tests.home.uplinked_tables import LONGEST_S
from tests.outside_programs import needs

STORE = "a" * 32


class OneHub:
    """A hub at the broker, with a database of its own, in a thread."""

    def __init__(self, access: ClubSettings, folder: Path, name: str) -> None:
        self.engine = make_engine(str(folder / f"{name}.sqlite"))
        migrate(self.engine)
        self.inbox = Inbox()
        self.said: SimpleQueue[str] = SimpleQueue()
        self.ended: SimpleQueue[CompanionError | None] = SimpleQueue()
        self.broker = HubBroker(access, "pair", self.inbox, say=self.said.put)
        self._hub = Hub(self.engine, "pair", self.broker, self.inbox, say=self.said.put)
        Thread(target=self._run, daemon=True).start()
        self.broker.start()

    def _run(self) -> None:
        try:
            self._hub.run()
        except CompanionError as error:
            self.ended.put(error)
        else:
            self.ended.put(None)

    def until_said(self, words: str) -> None:
        for _ in range(MOST_SAID):
            if words in self.said.get(timeout=LONGEST_S):
                return
        raise AssertionError(words)

    def calls(self) -> int:
        with Session(self.engine.execution_options(reads=True)) as session:
            return session.query(CallRecord).count()

    def close(self) -> CompanionError | None:
        self.inbox.put(TransportEnded())
        ended = self.ended.get(timeout=LONGEST_S)
        self.let_go()
        return ended

    def let_go(self) -> None:
        """Whatever a test left of it; a second time is allowed."""
        self.inbox.put(TransportEnded())
        self.broker.stop()
        self.engine.dispose()


def test_of_two_hubs_the_later_stops_with_a_sentence_and_has_taken_nothing_in(
    machine: Machine, tmp_path: Path, stack: ExitStack
) -> None:
    def started(name: str) -> OneHub:
        one = OneHub(of_the_hub(tmp_path, port=machine.port), tmp_path, name)
        stack.callback(one.let_go)
        return one

    first = started("first")
    first.until_said("Connected")
    later = started("later")
    table = Somebody(machine, "table-1", "of table-1")
    stack.callback(table.close)
    table._client.publish(make_topic("pair", "table-1", "call"), b'{"id":"1","at":""}', qos=1)
    ended = later.ended.get(timeout=LONGEST_S)
    assert ended is not None
    assert ended.exit_code == 3
    assert "Another hub of pair runs on" in str(ended)
    assert later.calls() == 0
    later.let_go()
    first.until_said("only one may run, and that one stops")
    listener = ClubListener(
        machine.port, "companion/v1/pair/+/ask", user="companion-hub", password="of companion-hub"
    )
    table._client.publish(make_topic("pair", "table-1", "status"), status(STORE, results=1), qos=1)
    listener.next("ask")
    listener.close()
    assert first.close() is None
    assert first.calls() == 1, "it heard what was said meanwhile"
    third = started("third")
    third.until_said("Connected")
    assert third.broker._only.alone, "the first said that it went, so nobody is waited for"
    assert third.close() is None


@pytest.mark.slow
@needs(*PROGRAMS)
def test_a_hub_works_where_the_broker_does_not_let_it_say_that_it_runs(
    tmp_path: Path, stack: ExitStack
) -> None:
    """Its rights are older than the program; mosquitto breaks the connection over what it refuses."""
    machine = Machine(Path(__file__).parents[3], without="topic readwrite companion/v1/+/hub\n")
    stack.callback(machine.close)
    hub = OneHub(of_the_hub(tmp_path, port=machine.port), tmp_path, "hub")
    stack.callback(hub.let_go)
    hub.until_said("give its user the right to read and write companion/v1/+/hub.")
    hub.until_said("Connected")
    assert hub.close() is None
