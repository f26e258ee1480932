"""The owner's pages: the PIN at both ends, pieces put together, what is refused and in which words."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from companion.network.messages import FromTable, OwnerPageDenied, OwnerPagePart, OwnerRequest
from companion.network.web import static_files
from companion.network.web.audience import Audience
from companion.network.web.guard import LOCKOUT_TIME, MAX_WRONG_PER_ADDRESS
from companion.network.web.owner_pages import MAX_BUSY_RETRIES, MAX_REQUESTS, OwnerPages
from companion.network.web.web_app import build_web_app
from tests.network.web.moved import run_moved

PORT = 8420
OURS = f"http://192.168.1.5:{PORT}"
PIN = "123456"


class Table:
    """Answers every wish at once, as `companion.programs.child_programs` does."""

    def __init__(self, *answers: FromTable | str | None) -> None:
        self.answers = list(answers)
        self.asked: list[OwnerRequest] = []
        self.owners: OwnerPages | None = None

    def say(self, look: Any) -> bool:
        self.asked.append(look)
        answer = self.answers.pop(0) if self.answers else OwnerPagePart("", 0, 1, "{}")
        if answer is None:
            return False
        if isinstance(answer, str):
            answer = OwnerPageDenied("", answer)  # type: ignore[arg-type]
        assert self.owners is not None
        found = {name: getattr(answer, name) for name in answer.__struct_fields__}
        self.owners.handle_message(type(answer)(**{**found, "ask": look.ask}))
        return True


class Now:
    def __init__(self) -> None:
        self.at = 0

    def __call__(self) -> int:
        return self.at


@pytest.fixture
def now() -> Now:
    return Now()


@pytest.fixture
def browser(now: Now) -> Callable[[Table], TestClient]:
    def opened(table: Table) -> TestClient:
        table.owners = OwnerPages(table.say, now)
        app = build_web_app(
            Audience(static_files.find_pictures()), now=now, port=PORT, more=table.owners.routes()
        )
        return TestClient(app, base_url=OURS, client=("192.168.1.9", 50_000))

    return opened


def asked(client: TestClient, *wishes: dict[str, Any]) -> list[Any]:
    """The last answer to each wish of one connection."""
    found = []
    url = OURS.replace("http", "ws") + "/owner"
    with client.websocket_connect(url, headers={"origin": OURS}) as session:
        for wish in wishes:
            session.send_text(json.dumps({"type": "look", "pin": PIN, **wish}))
            while (answer := json.loads(session.receive_text()))["type"] == "making":
                pass
            found.append(answer)
    return found


def test_pieces_are_put_together_in_their_order(browser: Callable[[Table], TestClient]) -> None:
    table = Table(
        OwnerPagePart("", 0, 3, '{"html'), OwnerPagePart("", 1, 3, '":"ab'), OwnerPagePart("", 2, 3, 'c"}')
    )
    told = asked(browser(table), {"what": "recap", "number": 7, "lang": "de"})
    assert told == [{"type": "shown", "what": "recap", "told": {"html": "abc"}}]
    assert [(look.what, look.number, look.language, look.part) for look in table.asked] == [
        ("recap", 7, "de", part) for part in range(3)
    ]
    assert {look.pin for look in table.asked} == {PIN}


@pytest.mark.parametrize(
    ("why", "said"),
    [
        ("none", "There’s no finished game with that number."),
        ("not_over", "This game isn’t over, or its cards were never shown."),
        ("failed", "That didn’t work. The table’s log says why."),
        (None, "The table doesn’t answer. Trying again …"),
    ],
)
def test_what_is_not_shown_is_said_in_one_sentence_and_one_may_ask_on(
    browser: Callable[[Table], TestClient], why: str | None, said: str
) -> None:
    first, second = asked(browser(Table(why)), {"what": "log"}, {"what": "games"})
    assert (first["type"], first["text"]) == ("no", said)
    assert second["type"] == "shown"


def test_five_wrong_pins_of_an_address_and_the_table_is_not_even_asked(
    browser: Callable[[Table], TestClient], now: Now
) -> None:
    table = Table(*["pin"] * MAX_WRONG_PER_ADDRESS)
    client = browser(table)
    told = [asked(client, {"what": "games"})[0]["why"] for _ in range(MAX_WRONG_PER_ADDRESS + 1)]
    assert told == ["pin"] * MAX_WRONG_PER_ADDRESS + ["rest"]
    assert len(table.asked) == MAX_WRONG_PER_ADDRESS
    now.at = LOCKOUT_TIME + 1
    assert asked(client, {"what": "games"})[0]["type"] == "shown"


def test_a_thousand_guesses_reach_the_table_five_times_a_minute(
    browser: Callable[[Table], TestClient], now: Now
) -> None:
    table = Table(*["pin"] * 1_000)
    client = browser(table)
    for _ in range(100):
        asked(client, {"what": "games"})
    assert len(table.asked) == MAX_WRONG_PER_ADDRESS


@pytest.mark.parametrize(
    "said",
    [
        "garbage",
        '{"type":"look"}',
        '{"type":"look","pin":"1","what":"camera"}',
        '{"type":"look","pin":"1","what":"games","more":1}',
        '{"type":"look","pin":"1","what":"recap","number":"../x"}',
        "[" * 4_000,
    ],
)
def test_what_is_no_wish_ends_the_connection(browser: Callable[[Table], TestClient], said: str) -> None:
    table = Table()
    url = OURS.replace("http", "ws") + "/owner"
    with browser(table).websocket_connect(url, headers={"origin": OURS}) as session:
        session.send_text(said)
        assert session.receive()["type"] == "websocket.close"
    assert table.asked == []


def test_whoever_asks_again_and_again_is_let_go(browser: Callable[[Table], TestClient]) -> None:
    table = Table()
    url = OURS.replace("http", "ws") + "/owner"
    with browser(table).websocket_connect(url, headers={"origin": OURS}) as session:
        for _ in range(MAX_REQUESTS):
            session.send_text(json.dumps({"type": "look", "pin": PIN, "what": "games"}))
            while json.loads(session.receive_text())["type"] == "making":
                pass
        assert session.receive()["type"] == "websocket.close"


def test_the_streams_address_is_told_and_renewed_to_whoever_has_the_pin(
    browser: Callable[[Table], TestClient],
) -> None:
    table = Table()
    first, second, third = asked(
        browser(table), {"what": "stream"}, {"what": "stream", "renew": True}, {"what": "stream"}
    )
    assert first["told"]["address"].startswith(f"{OURS}/overlay?key=")
    assert first["told"] != second["told"] == third["told"]
    (refused,) = asked(browser(Table("pin")), {"what": "stream", "renew": True})
    assert refused["why"] == "pin"


@pytest.mark.parametrize("path", ["/games", "/log", "/log/3", "/recap", "/recap/12", "/doctor", "/stream"])
def test_the_pages_tell_nothing_before_the_pin(browser: Callable[[Table], TestClient], path: str) -> None:
    table = Table()
    answer = browser(table).get(path)
    assert answer.status_code == 200
    assert table.asked == []
    policy = answer.headers["content-security-policy"]
    assert "script-src 'self'; style-src 'self'" in policy
    assert ("img-src 'self' data:" in policy) == path.startswith("/recap")


@pytest.mark.parametrize("origin", ["http://evil.example", "null", ""])
def test_another_sites_script_cannot_ask(browser: Callable[[Table], TestClient], origin: str) -> None:
    table = Table()
    url = OURS.replace("http", "ws") + "/owner"
    with pytest.raises(WebSocketDisconnect):
        browser(table).websocket_connect(url, headers={"origin": origin}).__enter__()
    assert table.asked == []


@pytest.mark.parametrize("path", ["/recap/x", "/recap/-1", "/log/3/4", "/doctor/1", "/recap/..%2f1"])
def test_other_paths_are_none(browser: Callable[[Table], TestClient], path: str) -> None:
    assert browser(Table()).get(path).status_code == 404


def test_a_table_that_makes_something_else_is_asked_again_and_not_for_ever(now: Now) -> None:
    table = Table(*["busy"] * 3, OwnerPagePart("", 0, 1, '{"a":1}'))
    owners = table.owners = OwnerPages(table.say, now)

    async def far(part: int, parts: int) -> None:
        """Nobody looks."""

    look = OwnerRequest("", PIN, "games")
    assert bytes(run_moved(owners._fetch_page(look, far))) == b'{"a":1}'  # type: ignore[arg-type]
    table.answers = ["busy"] * (MAX_BUSY_RETRIES + 1)
    assert run_moved(owners._fetch_page(look, far)) == "busy"


def test_a_table_that_goes_away_in_the_middle_is_no_answer(now: Now) -> None:
    def silent(look: Any) -> bool:
        owners.handle_message(None)
        return True

    owners = OwnerPages(silent, now)

    async def far(part: int, parts: int) -> None:
        """Nobody looks."""

    assert run_moved(owners._fetch_page(OwnerRequest("", PIN, "games"), far)) == "away"
