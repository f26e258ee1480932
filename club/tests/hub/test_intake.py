"""What a broker sends again and again costs the hub no more than once."""

from __future__ import annotations

from collections import Counter
from contextlib import closing

import pytest

from club.tests.hub.evening import recorded, status
from club.tests.uplink.club_tables import ClubListener
from companion.settings.model import ClubSettings
from companion_club.hub.broker import HubBroker
from companion_club.hub.transport import Inbox, MessageArrived, TransportConnected
from companion_club.messages import encode_payload, make_topic
from tests.home.servers import Broker
from tests.home.uplinked_tables import LONGEST_S

TABLES = 40


def collect(inbox: Inbox, **wanted: int) -> tuple[Counter[str], list[MessageArrived]]:
    """What a new connection brings, until so many of these kinds are there."""
    kinds: Counter[str] = Counter()
    found: list[MessageArrived] = []
    assert isinstance(inbox.get(timeout=LONGEST_S), TransportConnected), "nothing of an earlier one is left"
    while any(kinds[kind] < count for kind, count in wanted.items()):
        one = inbox.get(timeout=LONGEST_S)
        assert isinstance(one, MessageArrived)
        kinds[one.topic.rpartition("/")[2]] += 1
        found.append(one)
    return kinds, found


@pytest.mark.slow
def test_a_connection_that_breaks_leaves_nothing_to_be_worked_off(own: Broker) -> None:
    inbox = Inbox()
    hub = HubBroker(ClubSettings(broker="127.0.0.1", port=own.port), "club", inbox, say=lambda _: None)
    hub.start()
    with closing(ClubListener(own.port)) as tables:
        for at in range(TABLES):
            for kind, payload in (
                ("result", encode_payload(recorded()[0].result(f"{at:032x}", "1"))),
                ("status", status(f"{at:032x}", results=1)),
            ):
                tables.publish(make_topic("club", f"table-{at}", kind), payload, retain=True)
        _, found = collect(inbox, status=TABLES, result=TABLES)
    for _ in range(2):
        for one in found:
            inbox.put(one)  # as if the hub had not come to them
        own.stop()
        own.start()
        kinds, found = collect(inbox, status=TABLES, result=TABLES)
        assert kinds == {"status": TABLES, "result": TABLES}, "what was not acknowledged comes again, once"
    with closing(ClubListener(own.port)) as tables:
        for one in found:
            one.done()
        hub.publish(make_topic("club", "table-0", "task"), b"{}", retain=False)
        tables.next("task")  # so the broker has heard what went before it
    own.stop()
    own.start()
    with closing(ClubListener(own.port)) as tables:
        tables.publish(make_topic("club", "table-0", "call"), b'{"id":"1","at":""}')
        kinds, _ = collect(inbox, status=TABLES, call=1)
    assert kinds == {"status": TABLES, "call": 1}, (
        "the session has the rest, so nothing retained was asked for"
    )
    hub.stop()
