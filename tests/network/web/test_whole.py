"""Table, page and browser as processes over real sockets: what is told, and what dies without harm."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.request import urlopen

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from companion.core.clock import GameClock, monotonic_ns
from companion.core.view import Sentence
from companion.network.messages import BrowserProblem, RulingMessage, TableSnapshot
from companion.network.protocol import MAX_CLIENTS
from companion.network.table_server import TableServer
from companion.network.web.guard import WARNING_INTERVAL
from companion.network.web.serve import MAX_OPEN_CONNECTIONS
from companion.table.remote.phone_seats import TablePhones
from tests.processes import running

TABLE = TableSnapshot(
    seq=1,
    game="kabuki",
    colours=("red", "blue"),
    headline=Sentence("kabuki.phase.playing", (("chair", 0),)),
)


class Page(NamedTuple):
    """A running page."""

    process: subprocess.Popen[str]
    port: int
    pin: str

    @contextmanager
    def watched(self, *, origin: str = "", by: str = "127.0.0.1") -> Iterator[Any]:
        """A browser that watches from the address `by`; every wait ends after 20 s."""
        ours = f"http://127.0.0.1:{self.port}"
        more = {"source_address": (by, 0), "open_timeout": 20, "origin": origin or ours}
        with connect(f"ws://127.0.0.1:{self.port}/live", **more) as live:  # type: ignore[arg-type]
            live.send(json.dumps({"type": "watch", "pin": self.pin, "lang": "en"}))
            yield live


def heard(live: Any, kind: str) -> Any:
    """The next message of this type."""
    while (message := json.loads(live.recv(timeout=20)))["type"] != kind:
        pass
    return message


def told(door: TableServer, view: TableSnapshot, live: Any) -> Any:
    """What a browser is told of this table; the page tries once a second to find it."""
    while True:
        door.broadcast(view)
        try:
            message = json.loads(live.recv(timeout=0.2))
        except TimeoutError:
            continue
        if message["type"] == "table":
            return message


def is_let_go(live: Any) -> bool:
    """Whether the page ends this connection; what it told before is read away."""
    try:
        while True:
            live.recv(timeout=20)
    except ConnectionClosed:
        return True


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "page.sock"


def opened(place: Path, run: str = "run", table: str = "") -> TableServer:
    place.unlink(missing_ok=True)
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listening.bind(str(place))
    listening.listen(MAX_CLIENTS)
    door = TableServer(listening, run=run, table=table)
    door.start()
    return door


@pytest.fixture
def door(place: Path) -> Iterator[TableServer]:
    one = opened(place)
    yield one
    one.close()


@contextmanager
def served(place: Path) -> Iterator[Page]:
    """A page of its own at this table; it is killed at the end."""
    words = ["page", "--socket", str(place), "--host", "127.0.0.1", "--port", "0"]
    with running([sys.executable, "-m", "companion", *words], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        found = (re.search(r":(\d+)/watch#(\d{6})", line) for line in process.stdout)
        match = next((one for one in found if one), None)
        assert match is not None, "it ended"
        yield Page(process, int(match[1]), match[2])


@pytest.fixture
def page(place: Path, door: TableServer) -> Iterator[Page]:
    with served(place) as one:
        yield one


@pytest.mark.slow
def test_a_ruling_reaches_a_browser_in_words(page: Page, door: TableServer) -> None:
    with page.watched() as live:
        assert told(door, TABLE, live)["game"] == "Kabuki"
        door.broadcast(RulingMessage(1, Sentence("kabuki.StopCalled", (("chair", 1),))))
        assert "Blue" in heard(live, "line")["text"]


@pytest.mark.slow
def test_a_table_that_is_restarted_is_found_again_and_nothing_old_is_told(
    page: Page, door: TableServer, place: Path
) -> None:
    with page.watched() as live:
        told(door, TABLE, live)
        door.close()
        heard(live, "away")
        again = opened(place)
        try:
            with page.watched() as late:
                heard(late, "away")
                another = TableSnapshot(seq=2, game="dnup", colours=("red",))
                assert told(again, another, late)["game"] == "dnup"
        finally:
            again.close()


@pytest.mark.slow
def test_a_page_that_is_killed_is_gone_from_the_table_and_the_door_serves_the_next(
    page: Page, door: TableServer, place: Path
) -> None:
    with page.watched() as live:
        told(door, TABLE, live)
        assert door.has_readers
        page.process.kill()
        page.process.wait()
        assert is_let_go(live)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as next_one:
        next_one.connect(str(place))
        next_one.settimeout(20)
        next_one.sendall(b'{"type":"hello"}\n')
        assert b'"type":"hello"' in next_one.recv(4096)


@pytest.mark.slow
def test_hostile_browsers_are_let_go_and_the_next_one_watches(page: Page, door: TableServer) -> None:
    with pytest.raises(InvalidStatus), page.watched(origin="http://evil.example"):
        pass
    with page.watched() as loud:
        loud.send("x" * 5_000)  # more than a message may have
        assert is_let_go(loud)
    with page.watched() as chatty:
        with suppress(ConnectionClosed):  # it may be let go before it has said all
            for _ in range(25):
                chatty.send("again")
        assert is_let_go(chatty)
    for _ in range(300):
        # So many of one address are cut off.
        with (
            suppress(ConnectionError),
            socket.create_connection(("127.0.0.1", page.port), timeout=20) as idle,
        ):
            idle.sendall(b"GET / HTTP/1.1\r\nHost: ")
    with page.watched(by="127.0.0.2") as live:
        assert told(door, TABLE, live)["game"] == "Kabuki"
    assert page.process.poll() is None


@pytest.mark.slow
def test_beside_160_connections_that_ask_nothing_a_page_is_served_and_somebody_watches(
    page: Page, door: TableServer
) -> None:
    with ExitStack() as idle:
        for number in range(MAX_OPEN_CONNECTIONS):
            one = idle.enter_context(socket.socket(socket.AF_INET, socket.SOCK_STREAM))
            one.bind((f"127.1.{number // 10}.1", 0))
            one.connect(("127.0.0.1", page.port))
        with urlopen(f"http://127.0.0.1:{page.port}/", timeout=20) as answer:
            assert (answer.status, b"<title>Join the table" in answer.read()) == (200, True)
        with page.watched(by="127.0.0.2") as live:
            assert told(door, TABLE, live)["game"] == "Kabuki"


@pytest.mark.slow
def test_ten_thousand_connections_are_bounded_and_the_next_one_watches(
    page: Page, door: TableServer, checkout: Path
) -> None:
    began = monotonic_ns()
    here, unit = Path(f"/proc/{page.process.pid}/fd"), checkout / "systemd" / "companion-page.service"
    limit = re.search(r"^LimitNOFILE=(\d+)", unit.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert limit is not None
    for crowd in range(50):
        with ExitStack() as idle:
            for number in range(200):
                one = idle.enter_context(socket.socket(socket.AF_INET, socket.SOCK_STREAM))
                one.setblocking(False)
                one.bind((f"127.{1 + crowd}.0.{1 + number}", 0))
                one.connect_ex(("127.0.0.1", page.port))
            assert len(list(here.iterdir())) < int(limit[1])
    with page.watched(by="127.0.0.2") as live:
        assert told(door, TABLE, live)["game"] == "Kabuki"
    said = [door.incoming.get_nowait() for _ in range(door.incoming.qsize())]
    most = 1 + (monotonic_ns() - began) // WARNING_INTERVAL
    assert 1 <= said.count(BrowserProblem("crowd")) <= most, "the table is told, once a minute"


@pytest.mark.slow
@pytest.mark.parametrize(
    "asked",
    [
        "GET /../../etc/passwd HTTP/1.1",
        "GET /art/../../../../etc/passwd HTTP/1.1",
        "GET http://evil.example/ HTTP/1.1",
        "GET //etc/passwd HTTP/1.1",
        "CONNECT 127.0.0.1:22 HTTP/1.1",
        "GET /" + "x" * 20_000 + " HTTP/1.1",
    ],
)
def test_what_no_browser_asks_gets_nothing(page: Page, asked: str) -> None:
    with socket.create_connection(("127.0.0.1", page.port), timeout=20) as raw:
        raw.sendall(f"{asked}\r\nHost: 127.0.0.1:{page.port}\r\nConnection: close\r\n\r\n".encode())
        answer = b""
        with suppress(ConnectionResetError):
            while part := raw.recv(4096):
                answer += part
    assert re.match(rb"HTTP/1.1 (400|403|404|405)", answer), answer[:80]
    assert b"root:" not in answer


COLOURS = ("red", "blue", "green", "yellow")


class Seats:
    """The table's end of phones, as its loop turns it."""

    def __init__(self, door: TableServer) -> None:
        self.phones = TablePhones(door, GameClock(), COLOURS)
        self.phones.admit_phones()

    def found_by(self, page: Page) -> Page:
        """Turn until the page has heard of this table; before that it tells every phone to try again."""
        for _ in range(2000):
            self.phones.receive_messages(None)
            self.phones.send_updates()
            with playing(page, token="0" * 32) as stranger:
                if heard(stranger, "no")["why"] != "away":
                    return page
        raise AssertionError("away")

    def until(self, live: Any, kind: str, **wanted: Any) -> Any:
        """Turn until a phone is told this; the table says yes to whoever asks."""
        for _ in range(200):
            self.phones.receive_messages(None)
            for chair in self.phones.requested_chairs:
                self.phones.grant_chair(chair)
            self.phones.send_updates()
            try:
                message = json.loads(live.recv(timeout=0.1))
            except TimeoutError:
                continue
            if message["type"] == kind and wanted.items() <= message.items():
                return message
        raise AssertionError(kind)


@contextmanager
def playing(page: Page, **first: str) -> Iterator[Any]:
    """A phone that comes in."""
    ours = f"http://127.0.0.1:{page.port}"
    with connect(f"ws://127.0.0.1:{page.port}/phone", origin=ours, open_timeout=20) as live:  # type: ignore[arg-type]
        live.send(json.dumps({"type": "enter", "lang": "en", **first}))
        yield live


@pytest.mark.slow
def test_a_phone_finds_its_chair_again_after_its_page_was_killed_and_not_after_the_table_was_restarted(
    place: Path,
) -> None:
    door = opened(place)
    seats = Seats(door)
    with served(place) as first, playing(seats.found_by(first), pin=first.pin) as live:
        token = seats.until(live, "you")["token"]
        seats.until(live, "chairs", open=True)
        live.send(json.dumps({"type": "ask", "chair": 2}))
        seats.until(live, "chairs", mine=2)
        first.process.kill()
        assert is_let_go(live)
    with served(place) as second, playing(seats.found_by(second), token="0" * 32) as stranger:
        assert seats.until(stranger, "no")["why"] == "gone"
        with playing(second, token=token) as live:
            assert seats.until(live, "chairs", open=True)["mine"] == 2
            assert seats.phones.held_chairs()[0] == {2}
            door.close()
            again = opened(place, run="another run")
            try:
                assert Seats(again).until(live, "end")["why"] == "restarted"
            finally:
                again.close()


@pytest.mark.slow
def test_two_tables_in_one_network_are_told_apart_and_neither_takes_the_others_phone(tmp_path: Path) -> None:
    with ExitStack() as evening:
        found: list[tuple[Page, Seats]] = []
        for number, name in enumerate(("Kitchen", "")):
            door = opened(tmp_path / f"{number}.sock", table=name)
            evening.callback(door.close)
            page = evening.enter_context(served(tmp_path / f"{number}.sock"))
            found.append((page, seats := Seats(door)))
            seats.found_by(page)
            shown = evening.enter_context(urlopen(f"http://127.0.0.1:{page.port}/")).read().decode()
            assert f"<title>Join the table · {name or 'Table 1'}</title>" in shown
        (kitchen, mine), (other, theirs) = found
        wrong = f"{(int(other.pin) + 1) % 1_000_000:06}" if kitchen.pin == other.pin else kitchen.pin
        with playing(other, pin=wrong) as lost:
            told = theirs.until(lost, "no")
            assert (told["why"], "Table 1’s PIN" in told["text"]) == ("wrong", True)
        with playing(kitchen, pin=kitchen.pin) as live:
            token = mine.until(live, "you")["token"]
        with playing(other, token=token) as astray:
            told = theirs.until(astray, "no")
            assert (told["why"], "another table" in told["text"]) == ("gone", True)
        assert not theirs.phones.requested_chairs | theirs.phones.held_chairs()[0]
