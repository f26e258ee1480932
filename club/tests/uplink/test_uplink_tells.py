"""The uplink between a real store and a real broker: results go once, whole, and in their newest version."""

from __future__ import annotations

import signal
import sqlite3
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import msgspec

from club.tests.uplink.club_tables import ClubListener, journal_of, told_all, uplinked, version
from companion.core.actions import Outcome
from companion.core.observations import UndoRequested
from companion.games import RULES
from companion.network import uplink_messages as door
from companion.network.messages import TableSnapshot
from companion.referee.journal import Entry
from companion.referee.journal.codec import add_checksum
from companion.referee.journal.json_lines import parse_journal
from companion.referee.store import GameStore
from companion_club import messages as club
from tests.home.played import BEGAN, GAME, played, simulated
from tests.home.servers import Broker
from tests.home.uplinked_tables import Said, Table, offline, online


def test_a_game_that_is_over_reaches_the_broker_with_its_whole_journal(
    table: Table, listener: ClubListener
) -> None:
    with uplinked(table):
        listener.until(online)
        table.play(names=((0, "Ada Lovelace"),))
        heard = listener.until(told_all(1))
    (result,) = [one.read() for one in heard if one.kind == "result"]
    assert (result.game, result.outcome, result.began) == (GAME, simulated(1)[1], BEGAN)
    raw = journal_of(heard, result.game_id)
    header, entries = parse_journal(raw, RULES)
    assert tuple(entries) == simulated(1)[0]
    assert header.names == ()
    assert club.journal_digest(raw.decode().splitlines()) == result.digest
    assert b"Ada" not in b"".join(one.payload for one in heard), "nobody consented"
    listener.until(offline)


def test_what_was_told_is_not_told_again_and_what_was_played_meanwhile_is(
    table: Table, listener: ClubListener
) -> None:
    played(table.path, seed=1)
    with uplinked(table):
        first = listener.until(told_all(1))
    played(table.path, seed=2)
    with uplinked(table):
        again = listener.until(told_all(2))
    (one,) = {said.read().game_id for said in first if said.kind == "result"}
    assert [said.read().game_id == one for said in again if said.kind == "result"] == [False]


def test_a_broker_that_went_in_the_middle_gets_everything_once_it_is_back(
    own: Broker, table: Table, stack: ExitStack
) -> None:
    hub = ClubListener(own.port, name="hub", kept=True)
    for seed in range(3):
        played(table.path, seed=seed)
    with uplinked(table):
        hub.next("result")
        own.stop(signal.SIGKILL)
        own.lose_everything()
        table.play(seed=3)
        own.start()
        heard = hub.until(told_all(4))
        results = {one.read().game_id for one in heard if one.kind == "result"}
        if len(results) < 4:  # it was told before the broker forgot it, so the hub asks
            hub.publish(club.make_topic("home", "table", "ask"), club.encode_payload(club.ResendRequest()))
            heard = hub.until(lambda said: said.kind == "result" and complete(results, said))
    hub.close()
    assert len(results) == 4


def complete(results: set[str], said: Said) -> bool:
    results.add(said.read().game_id)
    return len(results) == 4


def test_a_broker_that_lost_what_it_retained_has_it_again(
    own: Broker, table: Table, stack: ExitStack
) -> None:
    first = ClubListener(own.port)
    played(table.path)
    with uplinked(table):
        table.door.broadcast(TableSnapshot(seq=3, game=GAME))
        first.until(told_all(1))
        first.close()
        own.stop()
        own.lose_everything()
        own.start()
        other = ClubListener(own.port, name="other")
        heard = other.until(lambda said: online(said) and not said.read().trouble)
        if not any(one.kind == "result" and one.payload for one in heard):
            heard += other.until(lambda said: said.kind == "result")
        other.close()
    assert heard[-1].payload


def test_a_win_that_was_taken_back_is_withdrawn_and_a_newer_outcome_replaces_it(
    table: Table, listener: ClubListener
) -> None:
    number = played(table.path)
    with uplinked(table):
        first = listener.until(told_all(1))
        outcome, entries = simulated(1)[1], len(simulated(1)[0])
        said = []
        for more, now in ((1, None), (2, outcome)):
            _rewrite(table.path, number, more, now)
            table.door.broadcast(door.CurrentGame(number, GAME, entries + more, over=now is not None))
            said.append(listener.next("result").read())
    versions = [version(one.read()) for one in first if one.kind == "result"]
    versions += list(map(version, said))
    assert versions == sorted(set(versions))
    assert [version[2] for version in versions] == [True, False, True]


def _rewrite(path: Path, number: int, more: int, outcome: Outcome | None) -> None:
    """As a table does when something is taken back: entries are added, and the outcome changes."""
    entries = len(simulated(1)[0])
    entry: Any = Entry(entries + more - 1, UndoRequested(at=10**12 + more))
    with closing(sqlite3.connect(path)) as raw, raw:
        (last,) = raw.execute(
            "SELECT body FROM entries WHERE game = ? ORDER BY seq DESC", (number,)
        ).fetchone()
        line = add_checksum(msgspec.json.encode(entry), last)
        raw.execute("INSERT INTO entries VALUES (?, ?, ?)", (number, entry.seq, line))
        raw.execute(
            "UPDATE games SET entries = ?, outcome = ? WHERE id = ?",
            (entries + more, None if outcome is None else msgspec.json.encode(outcome), number),
        )


def test_a_nickname_goes_only_with_consent_and_forget_reaches_the_club(
    own: Broker, listener: ClubListener, tmp_path: Path, stack: ExitStack
) -> None:
    table = Table(tmp_path / "open", own, club__nicknames="true")
    stack.callback(table.close)
    number = played(table.path, names=((0, "Ada"), (1, "Ben")))
    with uplinked(table):
        heard = listener.until(told_all(1))
    (result,) = [one.read() for one in heard if one.kind == "result"]
    assert [one.nickname for one in result.players] == ["Ada", "Ben", ""]
    assert _of_outbox(table).find(b"Ada") == -1
    with GameStore(table.path, RULES) as store:
        store.forget_name("Ada")
    listener.until(offline)
    with uplinked(table):
        heard = listener.until(lambda said: said.kind == "result" and bool(said.payload))
    (forget,) = [one.read() for one in heard if one.kind == "forget"]
    assert forget.seats == (club.ForgottenSeat(result.game_id, 0),)
    assert b"Ada" not in b"".join(one.payload for one in heard)
    cleared, told = (one for one in heard if one.kind == "result")
    assert cleared.payload == b""
    assert [one.nickname for one in told.read().players] == ["", "Ben", ""]
    assert number == 1


def test_a_broker_that_lost_all_hears_again_who_is_to_be_forgotten(
    own: Broker, tmp_path: Path, stack: ExitStack
) -> None:
    """The hub was away, and what the broker kept for it is gone: results it would ask for, a name not."""
    table = Table(tmp_path / "open", own, club__nicknames="true")
    stack.callback(table.close)
    played(table.path, names=((0, "Ada"), (1, "Ben")))
    first = ClubListener(own.port)
    with uplinked(table):
        first.until(told_all(1))
    with GameStore(table.path, RULES) as store:
        store.forget_name("Ada")
    with uplinked(table):
        (forget,) = [
            one.payload for one in first.until(lambda said: said.kind == "forget") if one.kind == "forget"
        ]
        first.close()
        own.stop(signal.SIGKILL)
        own.lose_everything()
        own.start()
        again = ClubListener(own.port)
        assert again.next("forget").payload == forget
        again.close()


def _of_outbox(table: Table) -> bytes:
    return b"".join(file.read_bytes() for file in table.settings.store_folder().glob("uplink.sqlite*"))


def test_the_hub_asks_and_is_told_again(table: Table, listener: ClubListener) -> None:
    for seed in range(2):
        played(table.path, seed=seed, began=f"2026-11-2{seed}T18:00:00+00:00")
    ask = club.make_topic("home", "table", "ask")
    with uplinked(table):
        first = listener.until(told_all(2))
        older, newer = (one.read().game_id for one in first if one.kind == "result")
        listener.publish(ask, club.encode_payload(club.ResendRequest(game_id=older)))
        again = listener.until(lambda said: online(said) and said.read().results == 2)
        assert {one.read().game_id for one in again if one.kind == "result"} == {older}
        assert journal_of(again, older) == journal_of(first, older)
        listener.publish(ask, club.encode_payload(club.ResendRequest(since="2026-11-21T00:00:00+00:00")))
        again = listener.until(lambda said: online(said) and said.read().results == 2)
        assert {one.read().game_id for one in again if one.kind == "result"} == {newer}
    late = ClubListener(table.settings.club.port, club.make_topic("home", "table", "result"), name="late")
    assert late.next("result").read().game_id == newer, "the newest is retained, whatever was asked for"
    late.close()


def test_what_the_hub_asks_while_the_table_is_away_is_told_when_it_is_back(
    table: Table, listener: ClubListener
) -> None:
    """The broker keeps the question, and brings it before the table knows that its name is its own."""
    played(table.path)
    with uplinked(table):
        first = listener.until(told_all(1))
    (game,) = {one.read().game_id for one in first if one.kind == "result"}
    listener.publish(
        club.make_topic("home", "table", "ask"), club.encode_payload(club.ResendRequest(game_id=game))
    )
    with uplinked(table):
        listener.until(online)
        again = listener.until(told_all(1))
    assert journal_of(again, game) == journal_of(first, game)


def test_views_come_in_order_and_the_last_one_is_told_and_stays(table: Table, listener: ClubListener) -> None:
    """How rare they are is seen under a clock moved by hand, in test_uplink_alone.py."""
    with uplinked(table):
        listener.until(online)
        for seq in range(50):
            table.door.broadcast(TableSnapshot(seq=seq, game=GAME))
        heard = listener.until(lambda said: said.kind == "view" and said.read().seq == 49)
    seen = [one.read().seq for one in heard if one.kind == "view"]
    assert seen == sorted(set(seen))
    late = ClubListener(table.settings.club.port, club.make_topic("home", "table", "view"), name="late")
    assert late.next("view").read().seq == 49
    late.close()
