"""Who may see and do what at the desk: roles, hosts, logins and sessions."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from club.tests.desk.conftest import AT, PASSWORDS, Opened
from companion.network.web.guard import MAX_WRONG_PER_ADDRESS
from companion_club.desk.accounts import LOCKOUT_S, MAX_FAILURES, MAX_LOCKOUT_S
from companion_club.desk.event import load_event
from companion_club.desk.web_app import COOKIE, DeskApp
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


def test_a_judges_login_is_not_guessed(browser: Opened, desk: DeskApp) -> None:
    one = browser()
    for _ in range(MAX_WRONG_PER_ADDRESS):
        one.log_in("judge", "guess")
        assert (one.status, one.refusal) == (403, "Name or password isn’t right.")
    one.log_in("judge")
    assert one.refusal.startswith("Too many wrong passwords")
    other = browser(peer="192.168.1.77")
    other.log_in("judge")
    assert other.refusal.startswith("Too many wrong passwords")
    browser("desk", peer="192.168.1.78")
    with desk.writing_sessions.begin() as session:
        user = session.scalar(select(model.User).where(model.User.name == "judge"))
        assert user is not None
        assert user.misses == MAX_FAILURES + 1
        user.locked_until = ""
    browser("judge", peer="192.168.1.79")
    with desk.reading_sessions() as session:
        assert session.scalar(select(model.User.misses).where(model.User.name == "judge")) == 0


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
