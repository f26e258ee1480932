"""What a broker sends again and again costs the hub no more than once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from queue import SimpleQueue

import pytest
from sqlalchemy import Engine, event

from club.tests.hub.evening import games, hub, kept, recorded, status
from club.tests.uplink.club_tables import ClubListener
from companion.settings.model import ClubSettings
from companion_club.hub import presence
from companion_club.hub.broker import HubBroker
from companion_club.hub.hub import MAX_BATCH, MAX_BATCH_BYTES, Hub, TableRequest
from companion_club.hub.ingest import MAX_OPEN_CALLS
from companion_club.hub.model import Audit, CallRecord, JournalPiece, TableRecord, UnreadMessage
from companion_club.hub.transport import Inbox, Loopback, MessageArrived, TransportConnected, TransportEnded
from companion_club.messages import (
    JournalSlice,
    JudgeCall,
    ResendRequest,
    decode_payload,
    encode_payload,
    make_topic,
)
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
    at_broker = HubBroker(ClubSettings(broker="127.0.0.1", port=own.port), "club", inbox, say=lambda _: None)
    at_broker.start()
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
        at_broker.publish(make_topic("club", "table-0", "task"), b"{}", retain=False)
        tables.next("task")  # so the broker has heard what went before it
    own.stop()
    own.start()
    with closing(ClubListener(own.port)) as tables:
        tables.publish(make_topic("club", "table-0", "call"), b'{"id":"1","at":""}')
        kinds, _ = collect(inbox, status=TABLES, call=1)
    assert kinds == {"status": TABLES, "call": 1}, (
        "the session has the rest, so nothing retained was asked for"
    )
    at_broker.stop()


@contextmanager
def statements(engine: Engine) -> Iterator[list[str]]:
    """What is asked of the database in the block."""
    asked: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_more: object) -> None:
        asked.append(statement)

    event.listen(engine, "before_cursor_execute", note)
    yield asked
    event.remove(engine, "before_cursor_execute", note)


def work_off(engine: Engine, connections: int, messages: list[MessageArrived]) -> int:
    """How many statements a hub makes of so many connections, each of which brings all these messages."""
    inbox = Inbox()
    for _ in range(connections):
        inbox.drop_messages()
        inbox.put(TransportConnected())
        for one in messages:
            inbox.put(one)
    inbox.put(TransportEnded())
    with statements(engine) as asked:
        Hub(engine, "club", Loopback("club"), inbox).run()
    return len(asked)


def test_ten_thousand_duplicates_over_five_connections_cost_what_one_connection_costs(engine: Engine) -> None:
    game = recorded()[0]
    result = game.result("a" * 32, "1")
    told = [encode_payload(result), *map(encode_payload, game.pieces(result.game_id))]
    kinds = ("result", *("entries" for _ in told[1:]))
    once = [
        MessageArrived(make_topic("club", "one", kind), payload)
        for kind, payload in zip(kinds, told, strict=True)
    ]
    assert work_off(engine, 1, once) > 0
    one, five = (work_off(engine, count, (once * 2000)[:2000]) for count in (1, 5))
    assert five < one + 60, "but for looks at what the desk has changed"
    assert one < 15 * 2000 / MAX_BATCH + 60, "a batch of duplicates takes a few statements"
    (found,) = games(engine)
    assert (len(found.versions), found.lines) == (1, len(game.lines))


def test_a_status_that_says_nothing_new_costs_no_statement(engine: Engine) -> None:
    def say(times: int) -> int:
        at = [MessageArrived(make_topic("club", f"t{of}", "status"), status(f"{of:032x}")) for of in range(9)]
        return work_off(engine, 1, at * times)

    say(1)
    assert say(100) < say(1) + 20, "but for looks at what the desk has changed"


def test_a_status_is_shown_at_once_and_when_it_was_heard_within_a_minute(engine: Engine) -> None:
    with hub(engine) as evening:
        for online in (True, False):
            evening.say("one", "status", status("a" * 32, online=online))
            assert [table.online for table in kept(engine, TableRecord)] == [online]


def test_a_journal_that_comes_before_its_result_is_asked_for_and_that_of_no_game_is_not_kept(
    engine: Engine,
) -> None:
    game = recorded()[0]
    result = game.result("a" * 32, "1")
    asked: SimpleQueue[ResendRequest] = SimpleQueue()
    with hub(engine) as evening:

        def hear(kind: str, payload: bytes) -> None:
            if kind == "ask":
                asked.put(decode_payload(kind, payload))

        evening.loopback.add_table("one", hear)
        for piece in game.pieces(result.game_id):
            evening.say("one", "entries", encode_payload(piece))
        assert kept(engine, JournalPiece) == []
        evening.tell("one", result)
        assert asked.get(timeout=LONGEST_S).game_id == result.game_id
        for piece in game.pieces(result.game_id):
            evening.say("one", "entries", encode_payload(piece))
    assert games(engine)[0].lines == len(game.lines)


def test_messages_that_are_large_are_taken_a_few_at_a_time(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []

    def commit(_hub: Hub, batch: Sequence[MessageArrived]) -> list[TableRequest]:
        sizes.append(sum(len(one.payload) for one in batch))
        return []

    monkeypatch.setattr(Hub, "_commit", commit)
    work_off(engine, 1, [MessageArrived(make_topic("club", "one", "view"), b"0" * 1_000_000)] * 20)
    assert sum(sizes) == 20_000_000
    assert max(sizes) <= MAX_BATCH_BYTES


def test_lines_count_before_they_are_packed_and_who_sends_too_many_is_in_the_audit_trail_once(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(presence, "MAX_DAILY_BYTES", 50_000)
    game = recorded()[0]
    result = game.result("a" * 32, "1")
    with hub(engine) as evening:
        evening.say("bad", "status", status("a" * 32, name="By the window"))
        evening.tell("bad", result)
        for first in range(5):
            zeros = JournalSlice(
                game_id=result.game_id, first=first, lines=("0" * 30_000,), total=9, digest="d" * 64
            )
            evening.say("bad", "entries", encode_payload(zeros))
    assert len(kept(engine, JournalPiece)) == 1
    audit = [(one.who, one.verb, one.subject) for one in kept(engine, Audit)]
    assert audit == [("By the window", "table.flooded", "table:bad")]


def test_a_table_that_floods_the_club_is_cut_short_with_a_sentence_and_the_others_are_not(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(presence, "MAX_DAILY_BYTES", 20_000)
    result = recorded()[0].result("a" * 32, "1")
    with hub(engine) as evening:
        evening.say("bad", "status", status("a" * 32))
        for at in range(60):
            evening.say("bad", "call", encode_payload(JudgeCall(str(at), "")))
            evening.say("bad", "result", b"[%d" % at)
            evening.tell("bad", recorded()[0].result("a" * 32, str(at)))
        evening.say("bad", "status", status("a" * 32))
        evening.say("good", "status", status("b" * 32))
        evening.tell("good", recorded()[0].result("b" * 32, "1"))
        evening.say("good", "call", encode_payload(JudgeCall("1", "")))
    tables = {table.slug: table for table in kept(engine, TableRecord)}
    assert (tables["bad"].problem, tables["good"].problem) == ("ui.club.too_much", "")
    calls = Counter(call.table_id for call in kept(engine, CallRecord))
    assert calls[tables["bad"].id] <= MAX_OPEN_CALLS
    assert calls[tables["good"].id] == 1
    assert sum(game.table_id == tables["bad"].id for game in games(engine)) < 20
    assert sum(game.table_id == tables["good"].id for game in games(engine)) == 1
    assert len(kept(engine, UnreadMessage)) < 60
    assert result.game_id in {game.id for game in games(engine)}
