"""The live connection of a phone, and where it is found."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from starlette.testclient import TestClient, WebSocketTestSession
from starlette.websockets import WebSocketDisconnect

from companion.core.phone_rate_limit import MAX_CHAIR_EXCHANGES
from companion.language.language import Language
from companion.network import messages as ms
from companion.network.web.audience import CLOSED_FULL, CLOSED_WRONG, send_queued
from companion.network.web.phone_connection import (
    CLOSED_FLOOD,
    CLOSED_REENTER,
    MAX_MESSAGES_PER_SECOND,
    SILENCE_LIMIT,
    ClockSync,
    PhoneConnection,
)
from companion.network.web.phone_players import phone_id
from companion.network.web.serve import Announcer, qr_rows
from tests.network.web.moved import run_moved
from tests.network.web.player_pages import OURS, PORT, SECOND, TOKEN, Table


@pytest.fixture
def table() -> Table:
    return Table()


# The live connection ----------------------------------------------------------------------------------------


@contextmanager
def live(client: TestClient, **first: Any) -> Iterator[WebSocketTestSession]:
    with client.websocket_connect(OURS.replace("http", "ws") + "/phone", headers={"origin": OURS}) as one:
        one.send_text(json.dumps({"type": "enter", "readings": [0.0, 0.1, 0.2], **first}))
        yield one


def until(session: WebSocketTestSession, kind: str) -> Any:
    while (message := json.loads(session.receive_text()))["type"] != kind:
        pass
    return message


def ends(session: WebSocketTestSession) -> int:
    """Why it was closed; what was told before is read away."""
    try:
        while True:
            session.receive_text()
    except WebSocketDisconnect as closed:
        return closed.code


@pytest.fixture
def granted(table: Table) -> Iterator[tuple[TestClient, WebSocketTestSession, str]]:
    """A phone that holds chair 1, and its name."""
    with table.client() as client, live(client, pin=table.pins.pin) as session:
        phone = phone_id(until(session, "you")["token"])
        held = ms.ChairHolders(table.seats(chair_1=phone), is_open=True)
        assert client.portal is not None
        client.portal.call(table.hear, held)
        while until(session, "chairs")["mine"] != 1:
            pass
        table.outbox.told.clear()
        yield client, session, phone


def answered(session: WebSocketTestSession, number: int = 0) -> None:
    """All that was said before is done once the time is told."""
    session.send_text(json.dumps({"type": "time", "n": number, "t0": 0.0}))
    assert until(session, "time")["n"] == number


def test_a_press_is_handed_on_with_the_interval_it_fell_in(table: Table, granted: Any) -> None:
    _, session, phone = granted
    ahead = table.now - 5 * SECOND  # the phone's clock began five seconds ago
    for number, at in ((1, 0), (2, 40_000_000)):
        table.now += at
        shown = (table.now - ahead) / 1e6
        session.send_text(json.dumps({"type": "time", "n": number, "t0": shown}))
        until(session, "time")
        if number == 2:
            session.send_text(json.dumps({"type": "press", "offer": 7, "at": shown - 10}))
        session.send_text(json.dumps({"type": "timed", "n": number, "t3": shown}))
    answered(session, 3)
    (press,) = (one for one in table.outbox.told if isinstance(one, ms.PhonePress))
    pressed = table.now - 10_000_000
    assert (press.phone, press.offer, press.arrived_ns) == (phone, 7, table.now)
    assert press.from_ns <= pressed <= press.until_ns
    assert press.until_ns - press.from_ns < 1_000_000


def test_a_press_that_nobody_can_place_is_handed_on_at_once(table: Table, granted: Any) -> None:
    client, session, phone = granted
    session.send_text(json.dumps({"type": "press", "offer": 7, "at": 5.0, "choice": 2}))
    answered(session)
    assert table.outbox.told == [ms.PhoneChoice(phone, 7, 2, table.now)]
    client.portal.call(table.hear, ms.ChairOffers((ms.ChairOffer(1, 8, fact=True),)))
    session.send_text(json.dumps({"type": "press", "offer": 8, "at": 5.0}))
    assert until(session, "counted")["text"] == Language("en").tr("ui.late.arrival")


def test_a_press_whose_connection_ends_before_it_is_placed_counts_from_its_arrival(
    table: Table, granted: Any
) -> None:
    """After a standstill the page reads at once what was pressed, and that the phone gave up waiting."""
    _, session, phone = granted
    session.send_text(json.dumps({"type": "time", "n": 1, "t0": 5.0}))
    until(session, "time")
    session.send_text(json.dumps({"type": "timed", "n": 1, "t3": 5.0}))
    session.send_text(json.dumps({"type": "press", "offer": 7, "at": 15.0}))
    answered(session, 2)
    assert table.outbox.told == [], "an answer may still place it"
    session.close()
    ends(session)
    assert table.outbox.told == [
        ms.PhonePress(phone, 7, table.now),
        ms.PhonePresence(phone, awake=False),
    ]


def test_questions_for_the_time_have_a_bucket_of_their_own(table: Table, granted: Any) -> None:
    client, session, phone = granted
    client.portal.call(table.hear, ms.ChairOffers((ms.ChairOffer(1, 7, fact=True),)))
    for number in range(MAX_CHAIR_EXCHANGES + 5):
        session.send_text(json.dumps({"type": "time", "n": number, "t0": 0.0}))
    session.send_text(json.dumps({"type": "press", "offer": 7, "at": 0.0}))
    for number in range(MAX_CHAIR_EXCHANGES):
        assert until(session, "time")["n"] == number
    until(session, "counted")  # by now what was said before the press is dropped: the clock may move
    table.now += SECOND
    answered(session, 99)
    assert table.outbox.told == [ms.PhonePress(phone, 7, table.now - SECOND)]


def test_presence_is_what_the_script_says_each_second(table: Table, granted: Any) -> None:
    _, session, phone = granted
    for seen in (True, False):
        session.send_text(json.dumps({"type": "here", "now": 1.0, "date": 1.0, "seen": seen}))
    answered(session)
    assert table.outbox.told == [ms.PhonePresence(phone, awake=True), ms.PhonePresence(phone, awake=False)]


def test_a_phone_whose_clock_nobody_knows_finely_is_unfit_after_some_seconds(
    table: Table, granted: Any
) -> None:
    """Battery saver: its script runs, but the time comes back late."""
    _, session, _ = granted
    for second in range(4):
        table.now += SECOND
        said_at = {"now": second * 1_000.0, "date": second * 1_000.0, "seen": True}
        session.send_text(json.dumps({"type": "here", **said_at}))
    answered(session)
    assert [one.fit for one in table.outbox.told if isinstance(one, ms.PhonePresence)] == [
        True,
        True,
        False,
        False,
    ]


def test_a_clock_that_is_set_by_an_hour_places_no_press_that_was_made_before_and_its_phone_says_so(
    table: Table, granted: Any
) -> None:
    client, session, phone = granted
    client.portal.call(table.hear, ms.ChairOffers((ms.ChairOffer(1, 7, fact=True),)))
    session.send_text(json.dumps({"type": "here", "now": 1_000.0, "date": 1_000.0, "seen": True}))
    session.send_text(json.dumps({"type": "time", "n": 1, "t0": 1_000.0}))
    until(session, "time")
    session.send_text(json.dumps({"type": "timed", "n": 1, "t3": 1_000.0}))
    hour = 3_600_000.0
    session.send_text(json.dumps({"type": "here", "now": 2_000.0, "date": 2_000.0 + hour, "seen": True}))
    session.send_text(json.dumps({"type": "press", "offer": 7, "at": 2_000.0}))
    assert until(session, "counted")["text"] == Language("en").tr("ui.late.arrival")
    assert table.outbox.told[-1] == ms.PhonePress(phone, 7, table.now)


@pytest.mark.parametrize(
    "wrong",
    [
        "garbage",
        '{"type":"press","offer":1,"at":0,"chair":3}',  # there is no such thing as another one's chair
        '{"type":"enter","pin":"1"}{',
        '{"type":"kick","chair":1}',
        '{"type":"close"}',
        '{"type":"press","offer":"x","at":0}',
        "[" * 3_000,
    ],
)
def test_what_is_no_message_ends_the_connection_and_reaches_nobody(
    table: Table, granted: Any, wrong: str
) -> None:
    _, session, phone = granted
    session.send_text(wrong)
    ends(session)
    assert set(table.outbox.told) <= {ms.PhonePresence(phone, awake=False)}


def test_a_phone_that_says_far_too_much_is_let_go_with_a_sentence(table: Table, granted: Any) -> None:
    _, session, _ = granted
    for _ in range(MAX_MESSAGES_PER_SECOND + 1):
        session.send_text(json.dumps({"type": "anew", "now": 0.0}))
    assert until(session, "end")["text"] == Language("en").tr("ui.page.end.loud")
    assert ends(session) == CLOSED_FLOOD


def test_a_restart_of_the_table_is_told_on_the_phone(table: Table, granted: Any) -> None:
    client, session, _ = granted
    client.portal.call(table.hear, ms.TableHello("another run"))
    assert until(session, "end")["text"] == Language("en").tr("ui.page.end.restarted")
    assert ends(session) == CLOSED_REENTER


@pytest.mark.parametrize(
    ("first", "why", "code"),
    [
        ({"pin": "x"}, "wrong", CLOSED_WRONG),
        ({"token": TOKEN}, "gone", CLOSED_WRONG),
        ({"pin": "closed"}, "closed", CLOSED_FULL),
    ],
)
def test_why_nobody_is_let_in_is_told_in_the_browsers_language(
    table: Table, first: dict[str, str], why: str, code: int
) -> None:
    """Last week's code, a phone in the next room with another table's seat, a table that is closed."""
    if why == "closed":
        table.hear(ms.ChairHolders(table.seats()))
    with table.client() as client, live(client, lang="fr", **first) as session:
        told = until(session, "no")
        assert (told["why"], told["text"]) == (why, Language("fr").tr(f"ui.page.no.{why}", table="Table 5"))
        assert ends(session) == code


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "", f"http://192.168.1.6:{PORT}"])
def test_another_sites_script_cannot_play(table: Table, origin: str) -> None:
    with table.client() as client, pytest.raises(WebSocketDisconnect):
        client.websocket_connect(
            OURS.replace("http", "ws") + "/phone", headers={"origin": origin}
        ).__enter__()
    assert table.outbox.told == []


def test_nothing_but_who_it_is_is_taken_as_the_first_message(table: Table) -> None:
    with table.client() as client:
        for text in ('{"type":"press","offer":1,"at":0}', "{}", '{"type":"watch","pin":"1"}'):
            with client.websocket_connect(
                OURS.replace("http", "ws") + "/phone", headers={"origin": OURS}
            ) as session:
                session.send_text(text)
                assert ends(session) == 1008
    assert table.outbox.told == []


class Frames:
    """A socket that keeps what it is sent."""

    def __init__(self) -> None:
        self.sent: list[str] = []

    async def send_text(self, text: str) -> None:
        self.sent.append(text)


def test_a_browser_that_is_told_nothing_hears_four_times_a_second_that_it_is_there(table: Table) -> None:
    """Its script can't see the protocol's own pings: without this it would sit at a dead connection."""
    frames, watcher = Frames(), table.audience.add_watcher("en")
    while not watcher.waiting.empty():
        watcher.waiting.get_nowait()

    async def watched() -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(send_queued(frames, watcher), 1.125)  # type: ignore[arg-type]

    run_moved(watched())
    assert frames.sent == ['{"type":"alive"}'] * 4


def test_a_phone_that_says_nothing_for_six_seconds_is_let_go(table: Table) -> None:
    async def silent() -> float:
        loop = asyncio.get_running_loop()
        players, player = table.players, table.enter()
        phone = PhoneConnection(Frames(), player, players, ClockSync(()), lambda: round(loop.time() * 1e9))  # type: ignore[arg-type]
        await phone.wait_for_silence()
        return loop.time()

    assert run_moved(silent()) == SILENCE_LIMIT / 1e9 == 6


# The address ------------------------------------------------------------------------------------------------


def test_the_table_is_told_where_phones_find_the_page_and_the_code_says_the_same(table: Table) -> None:
    cv2 = pytest.importorskip("cv2")
    numpy = pytest.importorskip("numpy")
    announcer = Announcer(table.outbox, table.pins, lambda: "192.168.1.5", PORT)
    announcer.announce()
    (told,) = table.outbox.told
    assert isinstance(told, ms.PageAddress)
    modules = numpy.array([[int(one) for one in row] for row in told.code], numpy.uint8)
    picture = 255 - 255 * numpy.kron(numpy.pad(modules, 4), numpy.ones((8, 8), numpy.uint8))
    read, *_ = cv2.QRCodeDetector().detectAndDecode(picture)
    assert read == f"http://192.168.1.5:{PORT}/#{table.pins.pin}"
    assert len(ms.encode_line(told)) < ms.MAX_LINE_BYTES


def test_without_a_network_there_is_no_address_and_no_code(table: Table) -> None:
    announcer = Announcer(table.outbox, table.pins, lambda: "", PORT)
    assert announcer.current_address() == ms.PageAddress("", PORT, table.pins.pin)


def test_the_longest_address_has_a_code_that_fits_through_the_door() -> None:
    code = qr_rows("http://192.168.100.100:65535/#012345")
    assert len(ms.encode_line(ms.PageAddress("192.168.100.100", 65_535, "012345", code))) < ms.MAX_LINE_BYTES
