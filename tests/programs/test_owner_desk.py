"""What the table makes for its owner: by the PIN, of games that are over, without a name, at a low rate."""

from __future__ import annotations

import json
import random
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.cli import developer
from companion.core.actions import Setup
from companion.core.errors import CompanionError
from companion.games import RULES
from companion.network.messages import (
    ClientHello,
    OwnerPageDenied,
    OwnerPagePart,
    OwnerRequest,
    TableHello,
    decode_for_client,
    encode_line,
)
from companion.network.table_server import TableServer
from companion.programs.child_programs import (
    CACHE_TIME,
    CHUNK_SIZE,
    MAX_WRONG_PINS,
    MIN_INTERVAL,
    NO_GAME,
    NOT_OVER,
    OwnerResponder,
    PendingRequest,
    make_in_child,
)
from companion.referee.journal import make_header
from companion.referee.journal.recovery_log import RecoveryLog
from companion.referee.store import GameStore
from companion.settings.files import load_settings
from companion.settings.model import Settings
from companion.simulation.game_simulation import GameSimulation, random_styles


class Now:
    def __init__(self) -> None:
        self.at = 10 * CACHE_TIME

    def __call__(self) -> int:
        return self.at


class Maker:
    """Makes what it is told to, and keeps what it was asked for."""

    def __init__(self, made: str | int = "{}") -> None:
        self.made = made
        self.wishes: list[PendingRequest] = []

    def __call__(self, wish: PendingRequest) -> str | int:
        self.wishes.append(wish)
        return self.made


@pytest.fixture
def now() -> Now:
    return Now()


@pytest.fixture
def door() -> Iterator[TableServer]:
    ours, theirs = socket.socketpair()
    one = TableServer(None, ours, run="r")
    one.start()
    yield one
    one.close()
    theirs.close()


def wrong(desk: OwnerResponder) -> str:
    return f"{(int(desk.pin) + 1) % 1_000_000:06}"


def test_without_the_pin_nothing_is_made_and_after_thirty_guesses_there_is_another(
    door: TableServer, now: Now
) -> None:
    maker = Maker()
    desk = OwnerResponder(door, maker, now=now)
    first = desk.pin
    for _ in range(MAX_WRONG_PINS):
        assert desk.answer_request(OwnerRequest("a", wrong(desk), "games")) == OwnerPageDenied("a", "pin")
    assert maker.wishes == []
    assert desk.pin != first
    assert desk.answer_request(OwnerRequest("a", "é", "games")) == OwnerPageDenied("a", "pin")


def test_what_is_long_comes_in_pieces_and_is_made_once(door: TableServer, now: Now) -> None:
    text = json.dumps("x" * (2 * CHUNK_SIZE))
    maker = Maker(text)
    desk = OwnerResponder(door, maker, now=now)
    told = [desk.answer_request(OwnerRequest("a", desk.pin, "recap", 7, "de", part)) for part in range(3)]
    assert "".join(one.data for one in told if isinstance(one, OwnerPagePart)) == text
    assert maker.wishes == [("recap", 7, "de")]
    assert desk.answer_request(OwnerRequest("a", desk.pin, "recap", 7, "de", 3)) == OwnerPageDenied(
        "a", "none"
    )
    assert desk.answer_request(OwnerRequest("a", desk.pin, "recap", 7, "de", -1)) == OwnerPageDenied(
        "a", "none"
    )


def test_the_next_thing_is_made_after_a_rest_and_what_was_made_is_not_kept(
    door: TableServer, now: Now
) -> None:
    maker = Maker()
    desk = OwnerResponder(door, maker, now=now)
    assert isinstance(desk.answer_request(OwnerRequest("a", desk.pin, "games")), OwnerPagePart)
    assert desk.answer_request(OwnerRequest("a", desk.pin, "doctor")) == OwnerPageDenied("a", "busy")
    now.at += MIN_INTERVAL
    assert isinstance(desk.answer_request(OwnerRequest("a", desk.pin, "doctor")), OwnerPagePart)
    now.at += CACHE_TIME + 1
    desk.answer_request(OwnerRequest("a", desk.pin, "doctor", part=1))
    assert len(maker.wishes) == 3, "after a minute it is made again"


def test_for_the_stream_the_pin_is_compared_and_nothing_is_made(door: TableServer, now: Now) -> None:
    maker = Maker()
    desk = OwnerResponder(door, maker, now=now)
    assert desk.answer_request(OwnerRequest("a", desk.pin, "stream")) == OwnerPagePart("a", 0, 1, "{}")
    assert desk.answer_request(OwnerRequest("a", wrong(desk), "stream")) == OwnerPageDenied("a", "pin")
    assert maker.wishes == []


@pytest.mark.parametrize(("code", "why"), [(NO_GAME, "none"), (NOT_OVER, "not_over"), (1, "failed")])
def test_what_cannot_be_made_says_why(door: TableServer, now: Now, code: int, why: str) -> None:
    desk = OwnerResponder(door, Maker(code), now=now)
    assert desk.answer_request(OwnerRequest("a", desk.pin, "log")) == OwnerPageDenied("a", why)  # type: ignore[arg-type]


def test_a_page_asks_through_the_door_and_the_tables_own_thread_never_hears_of_it() -> None:
    ours, theirs = socket.socketpair()
    door = TableServer(None, ours, run="r")
    door.start()
    desk = OwnerResponder(door, Maker('{"games":[]}'), now=Now())
    desk.start()
    theirs.settimeout(10)
    with theirs, theirs.makefile("rb") as lines:
        theirs.sendall(encode_line(ClientHello()))
        assert decode_for_client(lines.readline()) == TableHello("r")
        theirs.sendall(encode_line(OwnerRequest("a", desk.pin, "games")))
        assert decode_for_client(lines.readline()) == OwnerPagePart("a", 0, 1, '{"games":[]}')
        assert door.incoming.empty()
        door.close()


# Made by the process that makes it --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """A table with a game that is over, one that is not, and a name in both."""
    folder = tmp_path_factory.mktemp("store")
    settings = load_settings(overrides={"storage.folder": str(folder)}, environ={})
    rules = RULES["kobayakawa"]
    setup = Setup((0, 1, 2), rules.options())
    with GameStore(settings.store_file(), RULES) as store:
        for steps in (None, 6):
            header = make_header(
                "kobayakawa", setup, date="2026-11-20T20:15:00", names=((0, "Ada Lovelace"),)
            )
            simulation = GameSimulation(rules, setup, seed=5, styles=random_styles(3, random.Random(5)))
            simulation.run()
            journal = store.create_game(header)
            outcome = rules.outcome(simulation.referee.state)
            for entry in simulation.referee.journal.entries[:steps]:
                journal.append(entry, outcome if steps is None else None)
            journal.close()
    return settings


@pytest.mark.slow
def test_only_games_that_are_over_are_told_and_nobody_by_name(kept: Settings) -> None:
    make = make_in_child(kept)
    listed: Any = json.loads(str(make(("games", 0, "de"))))
    assert [game["number"] for game in listed["games"]] == [1]
    assert [seat["name"] for seat in listed["games"][0]["chairs"]] == ["Rot", "Blau", "Grün"]
    log: Any = json.loads(str(make(("log", 0, "en"))))
    assert log["number"] == 1
    assert len(log["lines"]) > 10
    recap = str(make(("recap", 1, "fr")))
    assert '<html lang=\\"fr\\">' in recap
    assert make(("recap", 2, "fr")) == NOT_OVER
    for told in (json.dumps(listed), json.dumps(log), recap):
        assert "Lovelace" not in told


def test_of_no_game_and_of_one_that_is_not_over_nothing_is_made(kept: Settings) -> None:
    for number, code in ((2, NOT_OVER), (99, NO_GAME)):
        for make in (developer._game_log, developer._game_recap):
            with pytest.raises(CompanionError) as refused:
                make(developer.OwnerQuery(kept, "log", number, "en"))
            assert refused.value.exit_code == code


def test_of_a_game_that_was_won_nothing_is_made_while_it_can_be_taken_back(kept: Settings) -> None:
    """It lies on the table: whoever read its log would know what is hidden if it goes on."""
    query = developer.OwnerQuery(kept, "log", 1, "en")
    assert developer._game_log(query)["lines"]
    header, entries = GameStore(kept.store_file(), RULES).read_game(1)
    beside = RecoveryLog(kept.store_file(), header)  # as the journal of a game on the table has one
    beside.write(entries, 1)
    try:
        for make in (developer._game_log, developer._game_recap):
            with pytest.raises(CompanionError) as refused:
                make(query)
            assert refused.value.exit_code == NOT_OVER
    finally:
        beside.delete()


@pytest.mark.slow
def test_the_doctors_findings_are_those_of_the_command(kept: Settings, tmp_path: Path) -> None:
    found: Any = json.loads(str(make_in_child(kept)(("doctor", 0, "en"))))
    assert {"python", "storage", "decks"} <= {one["part"] for one in found["findings"]}
