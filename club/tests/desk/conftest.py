"""A club's database of either engine, and browsers at a desk on it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from html import unescape
from itertools import combinations
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from sqlalchemy import Engine
from sqlalchemy.orm import Session
from starlette.testclient import TestClient

from club.tests.hub.conftest import engine, server, shared, sqlite_template  # noqa: F401 (fixtures of both engines)
from companion_club.desk import accounts, actions, entrants
from companion_club.desk.actions import Actor
from companion_club.desk.event import PairingRules, load_event
from companion_club.desk.guard import DeskGuard, Network
from companion_club.desk.pages import build_application
from companion_club.desk.web_app import DeskApp
from companion_club.hub.database import make_engine, writing_sessions

PORT = 8430
AT = f"http://192.168.1.5:{PORT}"
PASSWORDS = {"desk": "correct horse", "judge": "battery staple", "screen": "a large one"}
BY = Actor(None, "Olga")
NASTY = (
    "<script>alert(1)</script>",
    "Robert'); DROP TABLE players;--",
    '" onload="alert(1)',
    "=1+1",
    "{{ 7*7 }}",
)


def repeats(pods: Iterable[Sequence[int]], met: Mapping[tuple[int, int], int]) -> int:
    """How many pairs sit together that have before."""
    return sum(pair in met for pod in pods for pair in combinations(sorted(pod), 2))


class Browser:
    """A browser at the desk: follows redirects, sends forms as the page has them."""

    def __init__(self, desk: DeskApp, peer: str, networks: Collection[Network] = ()) -> None:
        app = DeskGuard(build_application(desk), PORT, ("desk.club.example",), networks)
        self.client = TestClient(app, base_url=AT, client=(peer, 50_000))
        self.text = ""
        self.status = 0

    def get(self, path: str, **heads: str) -> str:
        answer = self.client.get(path, headers=heads)
        self.text, self.status = answer.text, answer.status_code
        return self.text

    def post(self, path: str, **fields: str | list[str]) -> str:
        """Send a form to `path`: what its page filled in, and these fields."""
        known = dict(hidden(self.text, path))
        answer = self.client.post(path, data={**known, **fields}, headers={"Origin": AT})
        self.text, self.status = answer.text, answer.status_code
        return self.text

    def log_in(self, name: str, password: str = "") -> str:
        self.get("/login")
        return self.post("/login", name=name, password=password or PASSWORDS[name])

    @property
    def refusal(self) -> str:
        """The sentence that says why not; empty: there is none."""
        found = re.search(r'<p class="refusal" role="alert"[^>]*>(.*?)</p>', self.text, re.DOTALL)
        return unescape(found[1]) if found else ""


Opened = Callable[..., Browser]


def hidden(text: str, action: str) -> Iterator[tuple[str, str]]:
    """The hidden fields of the first form on a page that goes to `action`."""
    for form in re.findall(r'<form[^>]*method="post"[^>]*>.*?</form>', text, re.DOTALL):
        goes_to = re.search(r'<form[^>]*action="([^"]*)"', form)
        if (goes_to[1] if goes_to else action) == action:
            for name, value in re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', form):
                yield name, unescape(value)
            return


@pytest.fixture(scope="session")
def hashes() -> dict[str, str]:
    """The passwords as they are kept, by parameters that cost no time."""
    quick = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    return {role: quick.hash(password) for role, password in PASSWORDS.items()}


@pytest.fixture
def desk(tmp_path: Path, sqlite_template: Path, hashes: dict[str, str]) -> Iterator[DeskApp]:  # noqa: F811
    """A desk with a login of each role."""
    made = make_engine(str(shutil.copy(sqlite_template, tmp_path / "club.sqlite")))
    desk = DeskApp(made, club="Club & Co")
    with desk.writing_sessions.begin() as session:
        for role, kept in hashes.items():
            accounts.add_user(session, BY, role, role, kept)
    yield desk
    made.dispose()


@pytest.fixture
def browser(desk: DeskApp) -> Opened:
    """Opens a browser; with a role it is logged in."""

    def opened(role: str = "", peer: str = "192.168.1.9") -> Browser:
        one = Browser(desk, peer)
        if role:
            one.log_in(role)
            assert one.status == 200, one.text
        return one

    return opened


@pytest.fixture
def event(desk: DeskApp) -> int:
    """An event with a round that is played by seven people whose nicknames are attacks, or nearly."""
    with desk.writing_sessions.begin() as session:
        event = actions.make_event(
            session, BY, name="Evening <b>", game="kabuki", rules=PairingRules(), seed="lamp"
        )
        entrants.enter_players(session, BY, event, [*NASTY, "Ada", "Ben"])
        actions.draw_round(session, BY, event, 0)
        last = load_event(session, event).last
        assert last is not None
        actions.announce_round(session, BY, last.id, last.revision)
    return event


@pytest.fixture
def session(engine: Engine) -> Iterator[Session]:  # noqa: F811 (the fixture)
    with writing_sessions(engine)() as opened:
        yield opened
