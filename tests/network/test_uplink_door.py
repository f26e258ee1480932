"""The door of the uplink: its closed list, over real sockets, and what the store's desk answers there."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue
from typing import Any, get_args

import jsonschema
import msgspec
import pytest

from companion.core.actions import ABANDONED, Outcome, Setup
from companion.core.observations import HiddenCardsViewed
from companion.core.view import Sentence
from companion.games import RULES
from companion.network import uplink_messages as ms
from companion.network.messages import (
    ChairHolders,
    ClientHello,
    CountBeat,
    RulingMessage,
    TableSnapshot,
    encode_line,
)
from companion.network.table_server import UplinkServer
from companion.network.uplink_messages import GameResult, JournalSlice, JudgeCall, ResultPlayer, TableTask
from companion.programs.store_responder import StoreResponder
from companion.referee.journal import make_header
from companion.referee.journal.json_lines import parse_journal
from companion.referee.referee import Referee
from companion.referee.store import GameStore
from tests.home.played import BEGAN, GAME, played, simulated

COLOURS = ("red", "blue", "green", "yellow")
RESULT = GameResult(
    store="5" * 32,
    game_id="a" * 32,
    entries=2,
    outcome=Outcome("won", (1,)),
    game=GAME,
    players=(ResultPlayer(0, "red"),),
    began=BEGAN,
)
TOLD: tuple[ms.FromTable, ...] = (
    ms.UplinkHello("run", "table", "0.1.0"),
    TableSnapshot(seq=3, game=GAME),
    CountBeat(1, 3, 7),
    ms.CurrentGame(3, GAME, 40, over=True),
    ms.StoredGameHeads("5" * 32, (ms.StoredGameHead(1, "a" * 32, 2, True, BEGAN, (0,)),), more=True),
    ms.ResultAnswer(1, RESULT),
    ms.ResultAnswer(2, None, "none"),
    ms.JournalPart(JournalSlice(game_id="a" * 32, first=0, lines=("{}",), total=1)),
    ms.JudgeCallMessage(JudgeCall("c", BEGAN)),
    ms.JudgeCallMessage(None),
)
HEARD: tuple[ms.ToTable, ...] = (
    ClientHello(),
    ms.ListGamesAfter(4),
    ms.ResultRequest(2, 7),
    ms.NextTask(TableTask(id="t", round=2, expires=BEGAN, game=GAME, players=("Ada",))),
    ms.NextTask(None),
    ms.BrokerStatus(now=True),
)


def test_the_list_is_closed_and_each_message_is_read_back_and_fits_the_schema() -> None:
    assert {type(one) for one in TOLD} == set(get_args(ms.FromTable))
    assert {type(one) for one in HEARD} == set(get_args(ms.ToTable))
    validator = jsonschema.Draft202012Validator(ms.uplink_schema())
    for told in TOLD:
        assert ms.decode_for_uplink(encode_line(told)) == told
        validator.validate(json.loads(encode_line(told)))
    for heard in HEARD:
        assert ms.decode_for_table(encode_line(heard)) == heard
        validator.validate(json.loads(encode_line(heard)))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "games.sqlite"


class End:
    """The uplink's end of the door. Every read ends, at the latest with an error after 10 s."""

    def __init__(self, sock: socket.socket) -> None:
        sock.settimeout(10)
        self.sock = sock
        self.lines = sock.makefile("rb")

    def say(self, message: Any) -> None:
        self.sock.sendall(encode_line(message))

    def hear(self) -> ms.FromTable:
        return ms.decode_for_uplink(self.lines.readline())


@pytest.fixture
def end(path: Path) -> Iterator[tuple[UplinkServer, End]]:
    ours, theirs = socket.socketpair()
    door = UplinkServer(None, ours, run="r", name="table", program="0.1.0")
    StoreResponder(door, GameStore(path, RULES), colours=COLOURS, nicknames=True).start()
    door.start()
    other = End(theirs)
    yield door, other
    door.close()
    other.lines.close()
    theirs.close()


def test_nothing_that_is_only_the_pages_passes(end: tuple[UplinkServer, End]) -> None:
    door, uplink = end
    uplink.say(ClientHello())
    assert uplink.hear() == ms.UplinkHello("r", "table", "0.1.0")
    for message in (
        RulingMessage(1, Sentence("x")),
        ChairHolders(),
        TableSnapshot(seq=1),
        CountBeat(1, 3, 7),
    ):
        door.broadcast(message)
    assert (uplink.hear(), uplink.hear()) == (TableSnapshot(seq=1), CountBeat(1, 3, 7))


@pytest.mark.parametrize(
    "line", [b'{"type":"press","phone":"p"}', b'{"type":"look","what":"log"}', b"x", b"{}"]
)
def test_what_only_a_page_may_say_is_not_taken(end: tuple[UplinkServer, End], line: bytes) -> None:
    door, uplink = end
    uplink.say(ClientHello())
    uplink.hear()
    uplink.sock.sendall(line + b"\n")
    uplink.say(ms.BrokerStatus(now=True))
    assert door.incoming_tasks.get(timeout=10) == ms.BrokerStatus(now=True)
    assert door.drop_counts.wrong == 1
    assert door.incoming.empty()


def test_a_game_that_is_over_is_given_whole_with_its_digest_and_no_name_in_its_lines(
    end: tuple[UplinkServer, End], path: Path
) -> None:
    number = played(path, names=((0, "Ada Lovelace"),))
    _, uplink = end
    uplink.say(ClientHello())
    uplink.hear()
    uplink.say(ms.ListGamesAfter(0))
    heads: Any = uplink.hear()
    (head,) = heads.heads
    assert (head.number, head.over, head.named, heads.more) == (number, True, (0,), False)
    lines: list[str] = []
    total = 1
    while len(lines) < total:
        uplink.say(ms.ResultRequest(number, len(lines)))
        given: Any = uplink.hear()
        piece: Any = uplink.hear()
        assert piece.piece.first == len(lines)
        lines += piece.piece.lines
        total = piece.piece.total
    result = given.result
    assert (result.game_id, result.entries, total) == (head.game_id, head.entries, head.entries + 1)
    assert result.players == (
        ResultPlayer(0, "red", "Ada Lovelace"),
        ResultPlayer(1, "blue"),
        ResultPlayer(2, "green"),
    )
    assert result.digest == ms.journal_digest(lines)
    assert "Ada" not in "".join(lines)
    header, entries = parse_journal("".join(f"{line}\n" for line in lines).encode(), RULES)
    assert (header.names, tuple(entries)) == ((), simulated(1)[0])
    assert result.began == BEGAN < result.ended


def test_of_a_game_that_is_not_over_or_was_given_up_no_line_is_told(path: Path) -> None:
    begun = played(path, seed=2, steps=6)
    given_up = played(path, seed=3, steps=6, outcome=Outcome(ABANDONED, ()))
    door = UplinkServer(run="r")
    desk = StoreResponder(door, GameStore(path, RULES), colours=COLOURS, nicknames=False)
    for number in (begun, given_up):
        (given,) = desk.answer_request(ms.ResultRequest(number))
        assert isinstance(given, ms.ResultAnswer)
        assert given.result is not None
        assert given.result.digest == ""
    assert list(desk.answer_request(ms.ResultRequest(99))) == [ms.ResultAnswer(99, None, "none")]
    door.close()


def test_of_a_game_that_was_won_no_line_is_told_while_it_can_be_taken_back(path: Path) -> None:
    """It lies on the table: with its lines the club would show what is hidden if it goes on."""
    door = UplinkServer(run="r")
    desk = StoreResponder(door, GameStore(path, RULES), colours=COLOURS, nicknames=False)
    rules = RULES[GAME]
    written = SimpleQueue[None]()

    def save() -> None:
        journal.flush()
        while journal.saved < len(journal.entries):
            written.get(timeout=20)

    with GameStore(path, RULES) as store:
        header = make_header(GAME, Setup((0, 1, 2), rules.options()), date=BEGAN)
        journal = store.create_game(header, wake=lambda: written.put(None))
        referee = Referee(rules, journal)
        for entry in simulated(1)[0]:
            referee.append_entry(entry)
            save()
        (given,) = desk.answer_request(ms.ResultRequest(1))
        assert isinstance(given, ms.ResultAnswer)
        assert given.result is not None
        assert (given.result.outcome, given.result.digest) == (simulated(1)[1], "")
        referee.observe(HiddenCardsViewed(at=referee.at))
        save()
        given, piece = desk.answer_request(ms.ResultRequest(1))
        assert isinstance(piece, ms.JournalPart)
        journal.close()
    door.close()


def test_without_consent_no_name_leaves_and_a_name_that_was_forgotten_is_gone(path: Path) -> None:
    played(path, names=((0, "Ada"), (1, "Ben")))
    door = UplinkServer(run="r")
    asked = StoreResponder(door, GameStore(path, RULES), colours=COLOURS, nicknames=True)
    silent = StoreResponder(door, GameStore(path, RULES), colours=COLOURS, nicknames=False)
    assert b"Ada" in b"".join(map(encode_line, asked.answer_request(ms.ResultRequest(1))))
    told = b"".join(
        encode_line(one)
        for what in (ms.ListGamesAfter(0), ms.ResultRequest(1))
        for one in silent.answer_request(what)
    )
    assert b"Ada" not in told
    assert b"Ben" not in told
    with GameStore(path, RULES) as store:
        store.forget_name("Ada")
    heads: Any = next(iter(asked.answer_request(ms.ListGamesAfter(0))))
    assert heads.heads[0].named == (1,)
    assert b"Ada" not in b"".join(map(encode_line, asked.answer_request(ms.ResultRequest(1))))
    door.close()


def test_many_games_come_page_by_page_oldest_first(path: Path) -> None:
    for seed in range(3):
        played(path, seed=seed, steps=2)
    with GameStore(path, RULES) as store:
        assert [one.game for one in store.games_after(0, 2)] == [1, 2]
        assert [one.game for one in store.games_after(2, 2)] == [3]


def test_a_store_that_cannot_be_read_is_told_as_that(path: Path) -> None:
    path.write_text("this is no store of anybody, and long enough to be looked at" * 9)
    door = UplinkServer(run="r")
    desk = StoreResponder(door, GameStore(path, RULES), colours=COLOURS, nicknames=True)
    assert list(desk.answer_request(ms.ListGamesAfter(0))) == []
    assert list(desk.answer_request(ms.ResultRequest(1))) == [ms.ResultAnswer(1, None, "failed")]
    door.close()


def secrets_in(lines: bytes) -> set[str]:
    """Every name of a field that passes."""
    found: set[str] = set()

    def look(value: Any) -> None:
        if isinstance(value, dict):
            found.update(value)
            for one in value.values():
                look(one)
        elif isinstance(value, list):
            for one in value:
                look(one)

    for line in lines.splitlines():
        look(msgspec.json.decode(line))
    return found


def test_what_is_told_of_a_game_that_goes_on_are_these_fields_and_no_others(path: Path) -> None:
    played(path, seed=2, steps=6, names=((0, "Ada"),))
    door = UplinkServer(run="r")
    desk = StoreResponder(door, GameStore(path, RULES), colours=COLOURS, nicknames=True)
    told = b"".join(
        encode_line(one)
        for what in (ms.ListGamesAfter(0), ms.ResultRequest(1))
        for one in desk.answer_request(what)
    )
    assert secrets_in(told) <= {
        *{"type", "store", "heads", "more", "number", "game_id", "entries", "over", "began", "named"},
        *{"result", "why", "outcome", "game", "players", "chair", "colour", "nickname", "ended", "digest"},
        *{"task", "store_proof"},
    }
    door.close()
