"""Who may see and do what at the desk: roles, hosts, logins and sessions."""

from __future__ import annotations

from html import unescape

import anyio
import pytest
from sqlalchemy import select
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import Message

from club.tests.desk.conftest import AT, BY, PASSWORDS, PORT, Browser, Opened
from club.tests.hub.evening import NOON
from companion.core.errors import InputError
from companion.network.web.guard import MAX_WRONG_PER_ADDRESS
from companion_club.desk import accounts
from companion_club.desk.accounts import LOCKOUT_S, MAX_FAILURES, MAX_LOCKOUT_S
from companion_club.desk.event import load_event
from companion_club.desk.guard import MAX_OF_ONE_SOURCE, PasswordQueue, parse_networks
from companion_club.desk.web_app import COOKIE, DeskApp, read_form
from companion_club.hub import model


def test_who_is_not_logged_in_sees_nothing(browser: Opened, event: int) -> None:
    one = browser()
    for path in ("/", f"/events/{event}", "/tables", "/logins", f"/events/{event}/archive.html"):
        answer = one.client.get(path, follow_redirects=False)
        assert (answer.status_code, answer.headers["location"].partition("?")[0]) == (303, "/login")
    assert one.client.get("/live").status_code == 403
    answer = one.client.post("/", headers={"Origin": AT}, data={"name": "x"}, follow_redirects=False)
    assert answer.headers["location"] == "/login"


@pytest.mark.parametrize(
    ("role", "path", "may"),
    [
        *(("judge", path, True) for path in ("/tables", "/pods/1", "/events/1/history")),
        *(("judge", path, False) for path in ("/logins",)),
        *(("screen", path, True) for path in ("/events/1", "/events/1/screen", "/events/1/print")),
        *(("screen", path, False) for path in ("/tables", "/pods/1", "/events/1/results.csv", "/logins")),
    ],
)
def test_each_role_sees_what_it_may(browser: Opened, event: int, role: str, path: str, may: bool) -> None:
    one = browser(role)
    one.get(path)
    assert one.status == (200 if may else 403)
    assert one.refusal == ("" if may else "Your login may not do that. Ask the desk.")


@pytest.mark.parametrize("role", ["judge", "screen"])
def test_no_form_does_what_a_role_may_not(browser: Opened, desk: DeskApp, event: int, role: str) -> None:
    one = browser(role)
    one.get(f"/events/{event}")
    with desk.reading_sessions() as session:
        csrf = session.scalar(select(model.LoginSession.csrf).join(model.User).where(model.User.name == role))
    for path in ("/", f"/events/{event}/draw", f"/events/{event}/people", "/logins", "/logins/1"):
        one.post(path, csrf=str(csrf), nicknames="Eve", name="Eve", role="desk", password="12345678")
        assert one.refusal == "Your login may not do that. Ask the desk.", path
    with desk.reading_sessions() as session:
        assert len(load_event(session, event).entrants) == 7
        assert len(session.scalars(select(model.User)).all()) == 3


def test_a_form_that_was_not_shown_to_this_session_changes_nothing(
    browser: Opened, desk: DeskApp, event: int
) -> None:
    one = browser("desk")
    one.get(f"/events/{event}/people")
    for csrf in ("", "x", "ü" * 30):
        one.post(f"/events/{event}/people", csrf=csrf, nicknames="Eve")
        assert one.refusal.startswith("This page was too old")
    for origin in ("http://evil.example", "null", ""):
        answer = one.client.post(
            f"/events/{event}/people", data={"nicknames": "Eve"}, headers={"Origin": origin}
        )
        assert answer.status_code == 403
    with desk.reading_sessions() as session:
        assert len(load_event(session, event).entrants) == 7


@pytest.mark.parametrize("host", ["evil.example:8430", "192.168.1.5:80", "8.8.8.8:8430"])
def test_a_host_that_could_be_rebound_is_refused(browser: Opened, host: str) -> None:
    assert browser().client.get("/login", headers={"Host": host}).status_code == 403


def test_a_name_that_the_desk_was_given_is_answered(browser: Opened) -> None:
    assert browser().client.get("/login", headers={"Host": "desk.club.example:8430"}).status_code == 200


def test_by_tls_the_certificate_says_which_host_it_is(browser: Opened) -> None:
    one = browser()
    one.client.base_url = "https://club.example.org:8430"
    assert one.client.get("/login").status_code == 200
    for origin, status in (("https://club.example.org:8430", 303), ("http://club.example.org:8430", 403)):
        answer = one.client.post(
            "/login",
            data={"name": "desk", "password": PASSWORDS["desk"]},
            headers={"Origin": origin},
            follow_redirects=False,
        )
        assert answer.status_code == status


def test_a_peer_from_elsewhere_is_refused(browser: Opened) -> None:
    assert browser(peer="8.8.8.8").client.get("/login").status_code == 403


@pytest.mark.parametrize(
    ("peer", "status"),
    [
        ("fd12::7", 200),
        ("fe80::1%eth0", 200),
        ("::ffff:192.168.1.9", 200),
        ("::ffff:8.8.8.8", 403),
        ("2001:db8::7", 403),
        ("100.64.1.2", 403),
        ("", 403),
    ],
)
def test_private_networks_are_answered_of_either_kind(browser: Opened, peer: str, status: int) -> None:
    assert browser(peer=peer).client.get("/login").status_code == status


def test_other_networks_are_answered_where_they_are_named(desk: DeskApp) -> None:
    named = parse_networks(["100.64.0.0/10", "2001:db8::/32"])
    for peer, status in (("100.64.1.2", 200), ("2001:db8::7", 200), ("2001:db9::7", 403)):
        assert Browser(desk, peer, named).client.get("/login").status_code == status
    one = Browser(desk, "2001:db8::7", named)
    for host, status in (
        (f"[2001:db8::1]:{PORT}", 200),
        (f"[fd12::1]:{PORT}", 200),
        (f"[2001:db9::1]:{PORT}", 403),
        ("[2001:db8::1]:80", 403),
        ("[2001:db8::1", 403),
    ):
        assert one.client.get("/login", headers={"Host": host}).status_code == status, host


@pytest.mark.parametrize("named", ["the hall", "300.1.1.1", "10.0.0.0/64", ""])
def test_a_network_that_is_none_is_said(named: str) -> None:
    with pytest.raises(InputError, match="write an address, or a network"):
        parse_networks([named])


def test_a_judges_login_is_not_guessed_from_one_place(browser: Opened, desk: DeskApp) -> None:
    one = browser()
    for _ in range(MAX_WRONG_PER_ADDRESS):
        one.log_in("judge", "guess")
        assert (one.status, one.refusal) == (403, "Name or password isn’t right.")
    one.log_in("judge")
    assert one.refusal.startswith("Too many wrong passwords")
    with desk.reading_sessions() as session:
        told = session.scalars(select(model.Audit).where(model.Audit.verb == "login.guessed")).all()
    assert [line.after for line in told] == [{"count": MAX_FAILURES, "from": "192.168.1.9"}]


def test_guesses_that_come_at_once_are_counted_as_if_one_came_after_the_other(desk: DeskApp) -> None:
    found: list[str] = []

    async def guess() -> None:
        async def receive() -> Message:
            return {"type": "http.request", "body": b"name=judge&password=guess"}

        scope = {"type": "http", "method": "POST", "path": "/login", "query_string": b"", "headers": []}
        answer = await desk.log_in(Request({**scope, "client": ("192.168.1.66", 50_000)}, receive))
        found.append(bytes(answer.body).decode())

    async def guess_together() -> None:
        async with anyio.create_task_group() as group:
            for _ in range(20):
                group.start_soon(guess)

    anyio.run(guess_together)
    compared = sum("Name or password isn’t right." in text for text in found)
    assert compared == MAX_OF_ONE_SOURCE


async def ask(queue: PasswordQueue, source: str, compared: list[str]) -> None:
    """Has a password of this source compared, and writes down when its turn came."""
    async with queue.turn(source, 0):
        compared.append(source)


def test_whoever_was_never_wrong_is_compared_before_forty_addresses_that_guess() -> None:
    queue, compared = PasswordQueue(1), list[str]()

    async def guess_and_log_in() -> None:
        async with anyio.create_task_group() as group, queue.turn("first", 0):
            for number in range(40 * MAX_OF_ONE_SOURCE):
                group.start_soon(ask, queue, f"guesser {number % 40}", compared)
            await anyio.wait_all_tasks_blocked()
            group.start_soon(ask, queue, "honest", compared)
            await anyio.wait_all_tasks_blocked()

    anyio.run(guess_and_log_in)
    assert compared[0] == "honest"
    assert len({*compared[1:41]}) == 40, "each address once before any a second time"
    assert len(compared) == 40 * MAX_OF_ONE_SOURCE + 1


def test_who_leaves_the_queue_of_passwords_holds_nobody_up() -> None:
    queue, compared = PasswordQueue(1), list[str]()

    async def leave() -> None:
        async with anyio.create_task_group() as group, queue.turn("first", 0):
            async with anyio.create_task_group() as leaving:
                leaving.start_soon(ask, queue, "left", compared)
                await anyio.wait_all_tasks_blocked()
                leaving.cancel_scope.cancel()
            group.start_soon(ask, queue, "stays", compared)
            await anyio.wait_all_tasks_blocked()

    anyio.run(leave)
    assert compared == ["stays"]
    assert not any(queue.is_crowded(one) for one in ("first", "left", "stays"))


def test_the_logins_page_says_who_guessed_and_what_tables_did(browser: Opened, desk: DeskApp) -> None:
    for _ in range(MAX_WRONG_PER_ADDRESS):
        browser(peer="192.168.1.66").log_in("judge", "guess")
    with desk.writing_sessions.begin() as session:
        line = model.Audit(at=NOON, who="Bar", verb="table.flooded", subject="table:table-9")
        session.add(line)
    shown = unescape(browser("desk").get("/logins"))
    assert "5 wrong passwords in a row for judge, from 192.168.1.66." in shown
    assert "Bar sent more than is kept of one table in a day." in shown


def test_a_strangers_guesses_keep_nobody_out(browser: Opened, desk: DeskApp) -> None:
    known = browser("judge", peer="192.168.1.77")
    for guesser in ("192.168.1.66", "192.168.1.77"):
        stranger = browser(peer=guesser)
        for _ in range(MAX_FAILURES + 1):
            stranger.log_in("judge", "guess")
        assert stranger.refusal.startswith("Too many wrong passwords")
        browser("judge", peer="192.168.1.79")  # from elsewhere
        known.client.cookies.delete(COOKIE)
        known.log_in("judge")  # a browser that has been here, also from the stranger's address
        assert known.status == 200
        assert known.refusal == ""


def test_a_browser_that_is_known_cannot_guess_on_either(browser: Opened) -> None:
    known = browser("judge", peer="192.168.1.77")
    known.client.cookies.delete(COOKIE)
    for _ in range(MAX_FAILURES):
        known.log_in("judge", "guess")
    known.log_in("judge")
    assert known.refusal.startswith("Too many wrong passwords")
    other = browser(peer="192.168.1.77")
    for _ in range(MAX_WRONG_PER_ADDRESS):
        other.log_in("desk", "guess")
    known.log_in("desk")
    assert known.refusal.startswith("Too many wrong passwords"), "known as the judge's, not the desk's"


def test_a_new_password_forgets_devices_and_guesses(browser: Opened, desk: DeskApp) -> None:
    browser("judge", peer="192.168.1.77")
    for _ in range(MAX_FAILURES):
        browser(peer="192.168.1.66").log_in("judge", "guess")
    with desk.writing_sessions.begin() as session:
        accounts.add_user(session, BY, "judge", "judge", accounts.hash_password("another one"))
    with desk.reading_sessions() as session:
        assert session.scalars(select(model.LoginDevice)).all() == []
        assert session.scalars(select(model.LoginFailures)).all() == []


def test_what_is_counted_of_guesses_and_devices_stays_small(desk: DeskApp, browser: Opened) -> None:
    browser("judge")
    with desk.writing_sessions.begin() as session:
        for place in range(accounts.MAX_SOURCES + 20):
            accounts.record_failure(session, "judge", f"10.0.{place // 250}.{place % 250}")
        for _ in range(accounts.MAX_DEVICES + 3):
            accounts.remember_device(session, "judge", "")
    with desk.reading_sessions() as session:
        assert len(session.scalars(select(model.LoginFailures)).all()) == accounts.MAX_SOURCES
        assert len(session.scalars(select(model.LoginDevice)).all()) == accounts.MAX_DEVICES


def test_an_ipv6_house_has_one_count() -> None:
    assert accounts.address_source("2001:db8:1:2:3:4:5:6") == accounts.address_source("2001:db8:1:2::9%eth0")
    assert accounts.address_source("192.168.1.5") == "192.168.1.5"
    assert accounts.address_source("nonsense") == "unknown"


def test_a_login_that_is_guessed_rests_longer_each_time_and_never_for_ever() -> None:
    rests = [min(LOCKOUT_S << min(misses, 10), MAX_LOCKOUT_S) for misses in range(12)]
    assert rests == sorted(rests)
    assert rests[-1] == MAX_LOCKOUT_S


def test_a_name_that_is_nobodys_is_answered_as_a_wrong_password(browser: Opened) -> None:
    one = browser()
    one.log_in("nobody", "guess")
    assert (one.status, one.refusal) == (403, "Name or password isn’t right.")


def test_a_session_is_in_a_cookie_that_no_script_reads_and_not_in_the_database(
    browser: Opened, desk: DeskApp
) -> None:
    one = browser()
    answer = one.client.post(
        "/login",
        data={"name": "desk", "password": PASSWORDS["desk"]},
        headers={"Origin": AT},
        follow_redirects=False,
    )
    said = answer.headers["set-cookie"]
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= {part.strip() for part in said.split(";")}
    token = one.client.cookies[COOKIE]
    with desk.reading_sessions() as session:
        kept = session.scalars(select(model.LoginSession)).all()
    assert len(kept) == 1
    assert token not in (kept[0].token_hash, kept[0].csrf)


def test_logging_out_and_a_new_password_end_the_session(browser: Opened, desk: DeskApp) -> None:
    one, other = browser("judge"), browser("desk")
    other.get("/logins")
    other.post("/logins", name="judge", role="judge", password="another one")
    assert "/login" in one.client.get("/tables", follow_redirects=False).headers["location"]
    other.post("/logout")
    assert "Password" in other.get("/")


def test_where_somebody_goes_after_logging_in_is_never_elsewhere(browser: Opened) -> None:
    for then, goes in (
        ("/tables", "/tables"),
        ("//evil.example", "/"),
        ("http://evil.example", "/"),
        ("/\\evil", "/"),
    ):
        one = browser()
        answer = one.client.post(
            "/login",
            params={"then": then},
            data={"name": "desk", "password": PASSWORDS["desk"]},
            headers={"Origin": AT},
            follow_redirects=False,
        )
        assert answer.headers["location"] == goes


def test_a_browser_that_leaves_in_its_form_has_sent_none() -> None:
    came: list[Message] = [
        {"type": "http.request", "body": b"csrf=1&name=E", "more_body": True},
        {"type": "http.disconnect"},
    ]

    async def receive() -> Message:
        return came.pop(0)

    async def asked() -> None:
        await read_form(Request({"type": "http", "method": "POST", "headers": []}, receive))

    with pytest.raises(HTTPException) as refused:
        anyio.run(asked)
    assert refused.value.status_code == 408


def test_a_form_that_does_not_come_is_not_waited_for() -> None:
    async def stalled() -> Message:
        await anyio.sleep_forever()
        raise AssertionError

    async def asked() -> None:
        await read_form(Request({"type": "http", "method": "POST", "headers": []}, stalled), patience_s=0)

    with pytest.raises(HTTPException) as refused:
        anyio.run(asked)
    assert refused.value.status_code == 408
