"""The protocol of the table without sockets: the same class at both ends, bytes in and messages out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.core.actions import SECOND
from companion.network import messages as ms
from companion.network.messages import ClientHello, PhonePress, TableHello, decode_for_client, encode_line
from companion.network.protocol import (
    GREETING_TIMEOUT,
    MAX_LINES_PER_SECOND,
    MAX_TOTAL_LINES,
    MAX_UNSENT_BYTES,
    Connection,
    LineRate,
    ProtocolViolationError,
    TableProtocol,
)

PAGE, WATCHER, CHILD = 3, 4, 5
HELLO = TableHello("run", "kitchen")
SEATS = ms.ChairHolders((ms.ChairHolder(0, "red", holder="a"),))
AWAKE = encode_line(ms.PhonePresence("a", awake=True))


class Client:
    """The other end of one connection, its bytes carried by hand, so many at a time."""

    def __init__(self, table: TableProtocol, key: int, chunk: int = 1 << 16) -> None:
        self.table, self.key, self.chunk = table, key, chunk
        self.connection: Connection[Any] = Connection(decode_for_client)
        table.connect(key, 0, patience=GREETING_TIMEOUT)

    def say(self, data: bytes, now: int = 0) -> None:
        for first in range(0, len(data), self.chunk):
            self.table.receive(self.key, data[first : first + self.chunk], now)

    def hear(self) -> list[Any]:
        return list(self._hear())

    def _hear(self) -> Iterator[Any]:
        while data := self.table.data_to_send(self.key)[: self.chunk]:
            self.table.mark_sent(self.key, len(data))
            yield from self.connection.receive_messages(data)


def greeted(table: TableProtocol, key: int = PAGE) -> Client:
    client = Client(table, key)
    client.say(encode_line(ClientHello()))
    assert client.hear()[:1] == [HELLO]
    return client


@pytest.fixture
def table() -> TableProtocol:
    return TableProtocol(HELLO)


@pytest.mark.parametrize("chunk", [1, 7, 1 << 16])
def test_messages_are_the_same_however_the_bytes_are_cut(table: TableProtocol, chunk: int) -> None:
    client = Client(table, PAGE, chunk)
    client.say(encode_line(ClientHello()))
    table.broadcast(SEATS)
    assert client.hear() == [HELLO, SEATS]
    client.say(encode_line(PhonePress("a", 3, 0)) * 2)
    assert [table.incoming.get_nowait() for _ in range(2)] == [PhonePress("a", 3, 0)] * 2


def test_nothing_is_said_or_heard_before_hello(table: TableProtocol) -> None:
    client = Client(table, PAGE)
    table.broadcast(SEATS)
    client.say(AWAKE)
    assert not client.hear()
    assert table.incoming.empty()
    assert not table.has_readers


def test_what_stands_is_told_to_a_newcomer_as_long_as_anybody_reads(table: TableProtocol) -> None:
    first = greeted(table)
    table.broadcast(SEATS)
    assert first.hear() == [SEATS]
    second = Client(table, WATCHER)
    second.say(encode_line(ClientHello()))
    assert second.hear() == [HELLO, SEATS]
    for key in (PAGE, WATCHER):
        table.disconnect(key)
    assert greeted(table, WATCHER).hear() == []
    assert table.connection_count == 2


def test_a_reader_that_takes_nothing_is_dropped_and_the_others_are_told(table: TableProtocol) -> None:
    behind, reads = greeted(table), greeted(table, WATCHER)
    large = ms.TableSnapshot(phase="x" * (MAX_UNSENT_BYTES // 3))
    for _ in range(4):
        table.broadcast(large)
        assert reads.hear() == [large]
    assert table.dropped == [PAGE]
    assert table.drop_counts.behind == 1
    assert behind.hear() == []
    assert table.incoming.get_nowait() is None, "the table hears that a reader has gone"


def test_limits_count_in_each_second_alone_and_of_everybody_together(table: TableProtocol) -> None:
    many = [greeted(table, n) for n in range(MAX_TOTAL_LINES // MAX_LINES_PER_SECOND + 1)]
    most = AWAKE * MAX_LINES_PER_SECOND
    for client in many[:-1]:
        client.say(most, now=SECOND)
    assert not table.dropped
    many[-1].say(AWAKE, now=SECOND)
    assert table.dropped == [many[-1].key]
    many[0].say(most, now=2 * SECOND)
    assert table.dropped == [many[-1].key]
    many[0].say(AWAKE, now=3 * SECOND - 1)
    assert table.dropped == [many[-1].key, many[0].key]
    assert table.drop_counts.flooded == 2


def test_who_is_silent_goes_but_not_one_of_the_tables_own(table: TableProtocol) -> None:
    Client(table, WATCHER)
    table.connect(CHILD, 0, patience=None)
    table.drop_silent(GREETING_TIMEOUT)
    assert not table.dropped
    table.drop_silent(GREETING_TIMEOUT + 1)
    assert table.dropped == [WATCHER]
    assert not table.awaits_greeting, "the child may take as long as it likes"


def test_news_are_told_once(table: TableProtocol) -> None:
    client = greeted(table)
    assert not table.take_news()
    client.say(AWAKE * 3)
    assert table.take_news()
    assert not table.take_news()


@given(st.lists(st.binary(max_size=300), max_size=20))
def test_any_bytes_leave_the_table_whole_and_the_others_served(said: list[bytes]) -> None:
    table = TableProtocol(HELLO)
    stranger, other = Client(table, WATCHER), greeted(table)
    for data in said:
        stranger.say(data)
    table.broadcast(SEATS)
    assert other.hear() == [SEATS]
    assert table.dropped in ([], [WATCHER])


def test_a_page_ends_at_the_first_line_it_does_not_know() -> None:
    page: Connection[Any] = Connection(decode_for_client)
    assert page.receive_messages(encode_line(HELLO)[:5]) == []
    assert page.receive_messages(encode_line(HELLO)[5:]) == [HELLO]
    with pytest.raises(ProtocolViolationError) as raised:
        page.receive_messages(b'{"type": "of another version"}\n')
    assert raised.value.why == "wrong"


def test_a_line_without_an_end_is_not_kept() -> None:
    page: Connection[Any] = Connection(decode_for_client, max_line=100)
    page.receive_lines(b"x" * 99)
    with pytest.raises(ProtocolViolationError, match="too_long"):
        page.receive_lines(b"x")


def test_a_rate_begins_anew_a_second_after_its_first_line() -> None:
    rate = LineRate(lines=2, size=10)
    assert not rate.exceeds(5, 2, 10)
    assert rate.exceeds(6, 0, 1)
    assert not rate.exceeds(5 + SECOND, 1, 1)
