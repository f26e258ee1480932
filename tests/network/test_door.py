"""The door of the page, over real sockets: who reads, who is dropped; nobody costs the table a wait."""

from __future__ import annotations

import random
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from queue import SimpleQueue

import pytest

from companion.core.actions import SECOND
from companion.core.phone_rate_limit import MAX_CHAIR_PRESSES, MAX_TOTAL_PRESSES
from companion.core.view import Sentence
from companion.network.messages import (
    MAX_LINE_BYTES,
    ChairHolder,
    ChairHolders,
    ChairRequest,
    ClientHello,
    FromTable,
    PhonePresence,
    PhonePress,
    PressResult,
    RequestRefused,
    RulingMessage,
    TableHello,
    TableSnapshot,
    decode_for_client,
    encode_line,
)
from companion.network.protocol import (
    GREETING_TIMEOUT,
    MAX_CLIENTS,
    MAX_INVALID_LINES,
    MAX_LINES_PER_SECOND,
    MAX_UNSENT_BYTES,
)
from companion.network.table_server import TableServer

LARGE = TableSnapshot(game="kinapa", phase="x" * 60_000)


class Reader:
    """A client: what it says and hears. Every read ends, at the latest with an error after 10 s."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        sock.settimeout(10)
        self._lines = sock.makefile("rb")

    def say(self, what: bytes) -> None:
        self.sock.sendall(what)

    def greet(self) -> FromTable:
        self.say(encode_line(ClientHello()))
        return self.hear()

    def hear(self) -> FromTable:
        return decode_for_client(self._lines.readline())

    def is_let_go(self) -> bool:
        """Whether the door closed this connection; what it said before that is read away."""
        try:
            while self.sock.recv(1 << 16):
                pass
        except ConnectionResetError:
            return True
        return True


class Now:
    """The door's clock, moved by hand."""

    def __init__(self) -> None:
        self.at = 0

    def __call__(self) -> int:
        return self.at


@pytest.fixture
def now() -> Now:
    return Now()


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "page.sock"


@pytest.fixture
def door(place: Path, now: Now) -> Iterator[TableServer]:
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listening.bind(str(place))
    listening.listen(MAX_CLIENTS + 8)
    opened = TableServer(listening, run="r", now=now)
    opened.start()
    yield opened
    opened.close()


@pytest.fixture
def reader(door: TableServer, place: Path) -> Iterator[Callable[[], Reader]]:
    with ExitStack() as stack:

        def come() -> Reader:
            sock = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
            sock.connect(str(place))
            one = Reader(sock)
            stack.callback(one._lines.close)
            return one

        yield come


def test_nothing_is_told_before_hello_and_what_stands_is_told_after_it(
    door: TableServer, reader: Callable[[], Reader]
) -> None:
    first, second = reader(), reader()
    assert first.greet() == TableHello("r")
    door.broadcast(TableSnapshot(seq=3))
    door.broadcast(RulingMessage(3, Sentence("kinapa.x")))
    assert (first.hear(), first.hear()) == (TableSnapshot(seq=3), RulingMessage(3, Sentence("kinapa.x")))
    door.broadcast(TableSnapshot(seq=4))
    assert first.hear() == TableSnapshot(seq=4)
    assert second.greet() == TableHello("r")
    assert second.hear() == TableSnapshot(seq=4)  # nor the line, nor what is over
    door.broadcast(TableSnapshot(seq=5))
    assert second.hear() == TableSnapshot(seq=5)


def test_somebody_reads_from_hello_on_and_nobody_once_the_last_has_gone(
    door: TableServer, reader: Callable[[], Reader]
) -> None:
    one = reader()
    assert not door.has_readers
    one.greet()
    other = reader()
    other.greet()
    assert (door.has_readers, door.connection_count) == (True, 1)
    door.broadcast(TableSnapshot(seq=1))
    one.hear()
    one.sock.shutdown(socket.SHUT_WR)
    assert one.is_let_go()
    assert door.has_readers
    other.sock.shutdown(socket.SHUT_WR)
    assert other.is_let_go()
    third = reader()
    assert third.greet() == TableHello("r")
    door.broadcast(TableSnapshot(seq=9))
    assert third.hear() == TableSnapshot(seq=9), "what stood when nobody read is not told"
    assert door.connection_count == 2


def test_a_reader_that_never_reads_is_dropped_and_others_hear_everything(
    door: TableServer, reader: Callable[[], Reader]
) -> None:
    lazy, eager = reader(), reader()
    lazy.greet()
    eager.greet()
    for seq in range(20):
        door.broadcast(TableSnapshot(seq=seq, phase=LARGE.phase))
        heard = eager.hear()
        assert isinstance(heard, TableSnapshot)
        assert heard.seq == seq
    assert door.drop_counts.behind == 1
    assert 20 * len(encode_line(LARGE)) > MAX_UNSENT_BYTES
    assert lazy.is_let_go()


def test_sixty_four_readers_hear_the_same_bytes_and_the_next_is_turned_away(
    door: TableServer, reader: Callable[[], Reader]
) -> None:
    many = [reader() for _ in range(MAX_CLIENTS)]
    for one in many:
        assert one.greet() == TableHello("r")
    assert reader().is_let_go()
    assert door.drop_counts.turned_away == 1
    for seq in range(5):
        door.broadcast(TableSnapshot(seq=seq))
    assert {tuple(one.hear() for _ in range(5)) for one in many} == {
        tuple(TableSnapshot(seq=seq) for seq in range(5))
    }


@pytest.mark.parametrize(
    "wrong",
    [
        b"garbage",
        b"{}",
        b'{"type":"view"}',
        b'{"type":"hello","version":"x"}',
        b'{"type":"ask","phone":"a","chair":0,"more":1}',
        b"[" * 3_000,
        b"\xff\xfe\x00",
        b"",
    ],
)
def test_what_is_no_message_is_counted_and_changes_nothing(
    door: TableServer, reader: Callable[[], Reader], wrong: bytes
) -> None:
    one = reader()
    one.say(wrong + b"\n")
    assert one.greet() == TableHello("r")
    assert door.drop_counts.wrong == 1
    one.say((wrong + b"\n") * MAX_INVALID_LINES)
    assert one.is_let_go()
    assert door.drop_counts.wrong == MAX_INVALID_LINES + 1


def test_any_bytes_at_all_leave_the_door_open(door: TableServer, reader: Callable[[], Reader]) -> None:
    chance = random.Random(24)
    for _ in range(30):
        noisy = reader()
        try:
            noisy.say(chance.randbytes(chance.randrange(1, 20_000)))
            noisy.sock.shutdown(socket.SHUT_WR)
        except OSError:  # dropped in the middle of it
            pass
        assert noisy.is_let_go()
    assert reader().greet() == TableHello("r")


def test_a_line_without_an_end_is_not_kept(door: TableServer, reader: Callable[[], Reader]) -> None:
    one = reader()
    one.greet()
    one.say(b"x" * MAX_LINE_BYTES)
    assert one.is_let_go()
    assert door.drop_counts.too_long == 1


def test_whoever_says_too_much_in_a_second_is_dropped_and_not_later(
    door: TableServer, reader: Callable[[], Reader], now: Now
) -> None:
    calm, loud = reader(), reader()
    calm.greet()
    for _ in range(3):
        calm.say(encode_line(PhonePresence("a", awake=True)) * (MAX_LINES_PER_SECOND // 2))
        calm.say(encode_line(PhonePress("a", 0, 0)))
        assert calm.hear() == RequestRefused("a", "no_chair")
        now.at += SECOND
    loud.say(encode_line(PhonePresence("a", awake=True)) * (MAX_LINES_PER_SECOND + 1))
    assert loud.is_let_go()
    assert door.drop_counts.flooded == 1


def test_whoever_says_no_hello_is_dropped(door: TableServer, reader: Callable[[], Reader], now: Now) -> None:
    silent = reader()
    reader().greet()  # by now the silent one is in, too
    now.at = GREETING_TIMEOUT + 1
    reader().greet()
    assert silent.is_let_go()
    assert door.drop_counts.silent == 1


def test_what_the_table_started_itself_may_take_long_to_say_hello(now: Now) -> None:
    """Python alone takes seconds on a busy machine; nobody starts an uplink a second time."""
    first, second = socket.socketpair(), socket.socketpair()
    door = TableServer(None, run="r", now=now)
    door.start()
    late, prompt = (Reader(theirs) for _, theirs in (first, second))
    door.add_connection(first[0])
    now.at = 100 * GREETING_TIMEOUT
    door.add_connection(second[0])
    assert prompt.greet() == TableHello("r")
    door.broadcast(TableSnapshot(seq=1))
    assert prompt.hear() == TableSnapshot(seq=1)  # by now whoever is silent is dropped
    assert late.greet() == TableHello("r")
    assert door.drop_counts.silent == 0
    door.close()
    for one in (late, prompt):
        one._lines.close()
        one.sock.close()


HELD = ChairHolders((ChairHolder(0, "red", "mine"), ChairHolder(1, "blue")), is_open=True)


def test_what_a_phone_asks_reaches_the_tables_thread_and_wakes_it(now: Now) -> None:
    rung: SimpleQueue[str] = SimpleQueue()
    ours, theirs = socket.socketpair()
    door = TableServer(None, ours, run="r", now=now, wake=lambda: rung.put("!"))
    door.start()
    one = Reader(theirs)
    one.say(encode_line(ChairRequest("early", 0)))  # before its hello nothing is heard
    one.greet()
    one.say(encode_line(ChairRequest("mine", 2)) + encode_line(PhonePress("mine", 0, 0)))
    assert one.hear() == RequestRefused("mine", "no_chair")
    assert door.incoming.get(timeout=10) == ChairRequest("mine", 2)
    one._lines.close()
    theirs.close()
    assert door.incoming.get(timeout=10) is None, "who read along has gone"
    assert [rung.get(timeout=10) for _ in range(2)] == ["!", "!"]
    door.close()
    assert door.incoming.empty()
    assert rung.empty()


def test_only_a_phone_that_holds_a_chair_presses_and_nobody_else_hears_of_its_refusal(
    door: TableServer, reader: Callable[[], Reader]
) -> None:
    one, other = reader(), reader()
    one.greet()
    other.greet()
    door.broadcast(HELD)
    assert one.hear() == other.hear() == HELD
    one.say(encode_line(PhonePress("forged", 3, 0)) + encode_line(PhonePress("mine", 3, 0)))
    assert one.hear() == RequestRefused("forged", "no_chair")
    assert door.incoming.get(timeout=10) == PhonePress("mine", 3, 0)
    door.broadcast(TableSnapshot(seq=0))
    assert other.hear() == TableSnapshot(seq=0)


def test_presses_of_a_chair_beyond_ten_a_second_are_dropped_counted_and_told(
    door: TableServer, reader: Callable[[], Reader], now: Now
) -> None:
    one = reader()
    one.greet()
    door.broadcast(HELD)
    one.hear()
    press = PhonePress("mine", 3, 0)
    one.say(encode_line(press) * (MAX_CHAIR_PRESSES + 2))
    assert [one.hear(), one.hear()] == [PressResult("mine", 3, "dropped", dropped=n) for n in (1, 2)]
    assert [door.incoming.get(timeout=10) for _ in range(MAX_CHAIR_PRESSES)] == [press] * MAX_CHAIR_PRESSES
    now.at += SECOND
    one.say(encode_line(press))
    assert door.incoming.get(timeout=10) == press
    door.broadcast(ChairHolders())
    one.hear()
    one.say(encode_line(press))
    assert one.hear() == RequestRefused("mine", "no_chair")


def test_all_phones_together_press_eighty_times_a_second(
    door: TableServer, reader: Callable[[], Reader]
) -> None:
    one = reader()
    one.greet()
    many = MAX_TOTAL_PRESSES // MAX_CHAIR_PRESSES + 1
    door.broadcast(ChairHolders(tuple(ChairHolder(chair, "red", f"phone {chair}") for chair in range(many))))
    one.hear()
    for chair in range(many):
        one.say(encode_line(PhonePress(f"phone {chair}", 3, 0)) * MAX_CHAIR_PRESSES)
    last = f"phone {many - 1}"
    told = [one.hear() for _ in range(MAX_CHAIR_PRESSES)]
    assert told == [PressResult(last, 3, "dropped", dropped=n + 1) for n in range(MAX_CHAIR_PRESSES)]
    assert door.incoming.qsize() == MAX_TOTAL_PRESSES


def test_a_connection_made_later_is_served_too(door: TableServer, reader: Callable[[], Reader]) -> None:
    reader().greet()
    ours, theirs = socket.socketpair()
    door.add_connection(ours)
    one = Reader(theirs)
    assert one.greet() == TableHello("r")
    one._lines.close()
    theirs.close()


def test_a_door_over_one_connection_serves_it(now: Now) -> None:
    ours, theirs = socket.socketpair()
    door = TableServer(None, ours, run="pair", now=now)
    door.start()
    one = Reader(theirs)
    assert one.greet() == TableHello("pair")
    door.close()
    assert one.is_let_go()
    one._lines.close()
    theirs.close()


def test_to_tell_costs_the_table_no_wait_whoever_reads(
    door: TableServer, reader: Callable[[], Reader]
) -> None:
    """More than every buffer holds is told at one go: the queue takes it, and the slow one is dropped."""
    lazy = reader()
    lazy.greet()
    for seq in range(200):
        door.broadcast(TableSnapshot(seq=seq, phase=LARGE.phase))
    assert lazy.is_let_go()
    assert door.drop_counts.behind == 1
    assert not door.has_readers
