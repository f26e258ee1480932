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
from companion.core.view import Sentence
from companion.doors.client import MOST_LINES
from companion.doors.door import GREETS_WITHIN, MOST_BEHIND, MOST_CLIENTS, MOST_WRONG, Door
from companion.doors.messages import (
    LONGEST,
    Ask,
    Counted,
    FromTable,
    Greeting,
    Held,
    Hello,
    Line,
    Presence,
    Press,
    Refused,
    Seat,
    View,
    heard_by_client,
    line_of,
)
from companion.phones.flood import PRESSES_A_CHAIR, PRESSES_IN_ALL

LARGE = View(game="kinapa", phase="x" * 60_000)


class Reader:
    """A client: what it says and hears. Every read ends, at the latest with an error after 10 s."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        sock.settimeout(10)
        self._lines = sock.makefile("rb")

    def say(self, what: bytes) -> None:
        self.sock.sendall(what)

    def greet(self) -> FromTable:
        self.say(line_of(Greeting()))
        return self.hear()

    def hear(self) -> FromTable:
        return heard_by_client(self._lines.readline())

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
def door(place: Path, now: Now) -> Iterator[Door]:
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listening.bind(str(place))
    listening.listen(MOST_CLIENTS + 8)
    opened = Door(listening, run="r", now=now)
    opened.start()
    yield opened
    opened.close()


@pytest.fixture
def reader(door: Door, place: Path) -> Iterator[Callable[[], Reader]]:
    with ExitStack() as stack:

        def come() -> Reader:
            sock = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
            sock.connect(str(place))
            one = Reader(sock)
            stack.callback(one._lines.close)
            return one

        yield come


def test_nothing_is_told_before_hello_and_what_stands_is_told_after_it(
    door: Door, reader: Callable[[], Reader]
) -> None:
    first, second = reader(), reader()
    assert first.greet() == Hello("r")
    door.tell(View(seq=3))
    door.tell(Line(3, Sentence("kinapa.x")))
    assert (first.hear(), first.hear()) == (View(seq=3), Line(3, Sentence("kinapa.x")))
    door.tell(View(seq=4))
    assert first.hear() == View(seq=4)
    assert second.greet() == Hello("r")
    assert second.hear() == View(seq=4)  # nor the line, nor what is over
    door.tell(View(seq=5))
    assert second.hear() == View(seq=5)


def test_somebody_reads_from_hello_on_and_nobody_once_the_last_has_gone(
    door: Door, reader: Callable[[], Reader]
) -> None:
    one = reader()
    assert not door.read
    one.greet()
    other = reader()
    other.greet()
    assert (door.read, door.opened) == (True, 1)
    door.tell(View(seq=1))
    one.hear()
    one.sock.shutdown(socket.SHUT_WR)
    assert one.is_let_go()
    assert door.read
    other.sock.shutdown(socket.SHUT_WR)
    assert other.is_let_go()
    third = reader()
    assert third.greet() == Hello("r")
    door.tell(View(seq=9))
    assert third.hear() == View(seq=9), "what stood when nobody read is not told"
    assert door.opened == 2


def test_a_reader_that_never_reads_is_dropped_and_others_hear_everything(
    door: Door, reader: Callable[[], Reader]
) -> None:
    lazy, eager = reader(), reader()
    lazy.greet()
    eager.greet()
    for seq in range(20):
        door.tell(View(seq=seq, phase=LARGE.phase))
        heard = eager.hear()
        assert isinstance(heard, View)
        assert heard.seq == seq
    assert door.tally.behind == 1
    assert 20 * len(line_of(LARGE)) > MOST_BEHIND
    assert lazy.is_let_go()


def test_sixty_four_readers_hear_the_same_bytes_and_the_next_is_turned_away(
    door: Door, reader: Callable[[], Reader]
) -> None:
    many = [reader() for _ in range(MOST_CLIENTS)]
    for one in many:
        assert one.greet() == Hello("r")
    assert reader().is_let_go()
    assert door.tally.turned_away == 1
    for seq in range(5):
        door.tell(View(seq=seq))
    assert {tuple(one.hear() for _ in range(5)) for one in many} == {tuple(View(seq=seq) for seq in range(5))}


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
    door: Door, reader: Callable[[], Reader], wrong: bytes
) -> None:
    one = reader()
    one.say(wrong + b"\n")
    assert one.greet() == Hello("r")
    assert door.tally.wrong == 1
    one.say((wrong + b"\n") * MOST_WRONG)
    assert one.is_let_go()
    assert door.tally.wrong == MOST_WRONG + 1


def test_any_bytes_at_all_leave_the_door_open(door: Door, reader: Callable[[], Reader]) -> None:
    chance = random.Random(24)
    for _ in range(30):
        noisy = reader()
        try:
            noisy.say(chance.randbytes(chance.randrange(1, 20_000)))
            noisy.sock.shutdown(socket.SHUT_WR)
        except OSError:  # dropped in the middle of it
            pass
        assert noisy.is_let_go()
    assert reader().greet() == Hello("r")


def test_a_line_without_an_end_is_not_kept(door: Door, reader: Callable[[], Reader]) -> None:
    one = reader()
    one.greet()
    one.say(b"x" * LONGEST)
    assert one.is_let_go()
    assert door.tally.too_long == 1


def test_whoever_says_too_much_in_a_second_is_dropped_and_not_later(
    door: Door, reader: Callable[[], Reader], now: Now
) -> None:
    calm, loud = reader(), reader()
    calm.greet()
    for _ in range(3):
        calm.say(line_of(Presence("a", awake=True)) * (MOST_LINES // 2))
        calm.say(line_of(Press("a", 0, 0)))
        assert calm.hear() == Refused("a", "no_chair")
        now.at += SECOND
    loud.say(line_of(Presence("a", awake=True)) * (MOST_LINES + 1))
    assert loud.is_let_go()
    assert door.tally.flooded == 1


def test_whoever_says_no_hello_is_dropped(door: Door, reader: Callable[[], Reader], now: Now) -> None:
    silent = reader()
    reader().greet()  # by now the silent one is in, too
    now.at = GREETS_WITHIN + 1
    reader().greet()
    assert silent.is_let_go()
    assert door.tally.silent == 1


def test_what_the_table_started_itself_may_take_long_to_say_hello(now: Now) -> None:
    """Python alone takes seconds on a busy machine; nobody starts an uplink a second time."""
    first, second = socket.socketpair(), socket.socketpair()
    door = Door(None, run="r", now=now)
    door.start()
    late, prompt = (Reader(theirs) for _, theirs in (first, second))
    door.meet(first[0])
    now.at = 100 * GREETS_WITHIN
    door.meet(second[0])
    assert prompt.greet() == Hello("r")
    door.tell(View(seq=1))
    assert prompt.hear() == View(seq=1)  # by now whoever is silent is dropped
    assert late.greet() == Hello("r")
    assert door.tally.silent == 0
    door.close()
    for one in (late, prompt):
        one._lines.close()
        one.sock.close()


HELD = Held((Seat(0, "red", "mine"), Seat(1, "blue")), is_open=True)


def test_what_a_phone_asks_reaches_the_tables_thread_and_wakes_it(now: Now) -> None:
    rung: SimpleQueue[str] = SimpleQueue()
    ours, theirs = socket.socketpair()
    door = Door(None, ours, run="r", now=now, wake=lambda: rung.put("!"))
    door.start()
    one = Reader(theirs)
    one.say(line_of(Ask("early", 0)))  # before its hello nothing is heard
    one.greet()
    one.say(line_of(Ask("mine", 2)) + line_of(Press("mine", 0, 0)))
    assert one.hear() == Refused("mine", "no_chair")
    assert door.heard.get(timeout=10) == Ask("mine", 2)
    one._lines.close()
    theirs.close()
    assert door.heard.get(timeout=10) is None, "who read along has gone"
    assert [rung.get(timeout=10) for _ in range(2)] == ["!", "!"]
    door.close()
    assert door.heard.empty()
    assert rung.empty()


def test_only_a_phone_that_holds_a_chair_presses_and_nobody_else_hears_of_its_refusal(
    door: Door, reader: Callable[[], Reader]
) -> None:
    one, other = reader(), reader()
    one.greet()
    other.greet()
    door.tell(HELD)
    assert one.hear() == other.hear() == HELD
    one.say(line_of(Press("forged", 3, 0)) + line_of(Press("mine", 3, 0)))
    assert one.hear() == Refused("forged", "no_chair")
    assert door.heard.get(timeout=10) == Press("mine", 3, 0)
    door.tell(View(seq=0))
    assert other.hear() == View(seq=0)


def test_presses_of_a_chair_beyond_ten_a_second_are_dropped_counted_and_told(
    door: Door, reader: Callable[[], Reader], now: Now
) -> None:
    one = reader()
    one.greet()
    door.tell(HELD)
    one.hear()
    press = Press("mine", 3, 0)
    one.say(line_of(press) * (PRESSES_A_CHAIR + 2))
    assert [one.hear(), one.hear()] == [Counted("mine", 3, "dropped", dropped=n) for n in (1, 2)]
    assert [door.heard.get(timeout=10) for _ in range(PRESSES_A_CHAIR)] == [press] * PRESSES_A_CHAIR
    now.at += SECOND
    one.say(line_of(press))
    assert door.heard.get(timeout=10) == press
    door.tell(Held())
    one.hear()
    one.say(line_of(press))
    assert one.hear() == Refused("mine", "no_chair")


def test_all_phones_together_press_eighty_times_a_second(door: Door, reader: Callable[[], Reader]) -> None:
    one = reader()
    one.greet()
    many = PRESSES_IN_ALL // PRESSES_A_CHAIR + 1
    door.tell(Held(tuple(Seat(chair, "red", f"phone {chair}") for chair in range(many))))
    one.hear()
    for chair in range(many):
        one.say(line_of(Press(f"phone {chair}", 3, 0)) * PRESSES_A_CHAIR)
    last = f"phone {many - 1}"
    told = [one.hear() for _ in range(PRESSES_A_CHAIR)]
    assert told == [Counted(last, 3, "dropped", dropped=n + 1) for n in range(PRESSES_A_CHAIR)]
    assert door.heard.qsize() == PRESSES_IN_ALL


def test_a_connection_made_later_is_served_too(door: Door, reader: Callable[[], Reader]) -> None:
    reader().greet()
    ours, theirs = socket.socketpair()
    door.meet(ours)
    one = Reader(theirs)
    assert one.greet() == Hello("r")
    one._lines.close()
    theirs.close()


def test_a_door_over_one_connection_serves_it(now: Now) -> None:
    ours, theirs = socket.socketpair()
    door = Door(None, ours, run="pair", now=now)
    door.start()
    one = Reader(theirs)
    assert one.greet() == Hello("pair")
    door.close()
    assert one.is_let_go()
    one._lines.close()
    theirs.close()


def test_to_tell_costs_the_table_no_wait_whoever_reads(door: Door, reader: Callable[[], Reader]) -> None:
    """More than every buffer holds is told at one go: the queue takes it, and the slow one is dropped."""
    lazy = reader()
    lazy.greet()
    for seq in range(200):
        door.tell(View(seq=seq, phase=LARGE.phase))
    assert lazy.is_let_go()
    assert door.tally.behind == 1
    assert not door.read
