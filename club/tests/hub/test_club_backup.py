"""A club in a file: read back on either engine, whole or not at all, and what was forgotten stays so."""

from __future__ import annotations

import gzip
import hashlib
import resource
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, repeat
from pathlib import Path

import msgspec
import pytest
from sqlalchemy import Engine, func, select, text
from sqlalchemy.orm import Session

from club.tests.hub.conftest import drop_everything
from club.tests.hub.evening import NOON, games, hub, recorded, status
from companion.core.errors import CompanionError, InputError
from companion_club.hub import people
from companion_club.hub.backup import back_up, restore
from companion_club.hub.database import change_number, make_engine, migrate, writing_sessions
from companion_club.hub.forgetting import forget_name
from companion_club.hub.model import (
    Base,
    ClubRecord,
    EventRecord,
    GameRecord,
    LoginSession,
    PlayerRecord,
    User,
)
from companion_club.messages import ForgetSeats, ForgottenSeat, encode_payload, make_game_id
from tests.outside_programs import needs

STORE = "a" * 32


def fill(engine: Engine, *, keys: str = "12") -> None:
    """An evening with two games, their journals, and a player."""
    with hub(engine) as evening:
        for key, game in zip(keys, recorded(), strict=False):
            evening.tell("one", game.result(STORE, key, names=("Ada",)))
            for piece in game.pieces(make_game_id(STORE, key)):
                evening.say("one", "entries", encode_payload(piece))
    with writing_sessions(engine).begin() as session:
        (ada,) = people.add_players(session, ["Ada"], now=NOON)
        ada.full_name, ada.consent = "Ada Lovelace", True
        session.add(EventRecord(name="Wednesday", seed="s", rules={"points": [3, 1]}, made=NOON))


def counted(engine: Engine) -> dict[str, int]:
    with Session(engine) as session:
        tables = Base.metadata.sorted_tables
        return {one.name: session.scalar(select(func.count()).select_from(one)) or 0 for one in tables}


def test_a_backup_of_either_engine_is_read_back_by_both(
    engine: Engine, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    fill(engine)
    done = back_up(engine, tmp_path / "evening.club")
    with pytest.raises(InputError, match="already"):
        back_up(engine, tmp_path / "evening.club")
    other = make_engine(str(tmp_path / "elsewhere.sqlite"))
    restore(other, tmp_path / "evening.club")
    assert counted(other) == counted(engine)
    back_up(other, tmp_path / "again.club")
    with writing_sessions(engine).begin() as session:
        session.add(PlayerRecord(nickname="Later", folded="later", made=NOON))
    restored = restore(engine, tmp_path / "again.club")
    assert (restored.rows, restored.before is not None) == (done.rows, True)
    assert counted(engine) == counted(other)
    with writing_sessions(engine).begin() as session:
        (bob,) = people.add_players(session, ["Bob"], now=NOON)
        assert bob.id not in (None, 1), "counting goes on behind what came back"
        assert session.scalars(select(EventRecord)).one().rules == {"points": [3, 1]}
    other.dispose()


def test_what_was_there_before_a_restore_can_be_put_back(engine: Engine, tmp_path: Path) -> None:
    back_up(engine, tmp_path / "empty.club")
    fill(engine)
    there = counted(engine)
    done = restore(engine, tmp_path / "empty.club")
    assert counted(engine)["games"] == 0
    assert done.before is not None
    restore(engine, done.before)
    assert counted(engine) == there


def test_yesterdays_backup_is_filled_up_by_the_tables_and_nothing_is_doubled(
    engine: Engine, tmp_path: Path
) -> None:
    fill(engine, keys="1")
    back_up(engine, tmp_path / "yesterday.club")
    three = recorded()[:3]
    whole = status(STORE, results=3, entries=sum(len(one.lines) - 1 for one in three))
    with hub(engine) as evening:
        asked: list[bytes] = []
        evening.loopback.add_table(
            "one", lambda kind, payload: asked.append(payload) if kind == "ask" else None
        )
        for key, game in zip("23", three[1:], strict=True):
            evening.tell("one", game.result(STORE, key))
        restore(engine, tmp_path / "yesterday.club")
        evening.say("one", "status", whole)
        assert any(b'"game_id":""' in payload for payload in asked), "the second is in no retained message"
        for key, game in zip("123", three, strict=True):
            evening.tell("one", game.result(STORE, key))
        asked.clear()
        evening.say("one", "status", whole)
        assert all(b'"game_id":""' not in payload for payload in asked), "nothing lacks any more"
    assert counted(engine)["games"] == 3
    assert counted(engine)["result_versions"] == 3


def test_a_hub_that_runs_notices_a_restore_and_asks_for_everything_again(
    engine: Engine, tmp_path: Path
) -> None:
    back_up(engine, tmp_path / "empty.club")
    with hub(engine) as evening:
        evening.say("one", "status", status(STORE))
        evening.tell("one", recorded()[0].result(STORE, "1"))  # the broker retains it
        restore(engine, tmp_path / "empty.club")
        evening.until(lambda: any("came from a backup" in one for one in evening.said))
        evening.tell("one", recorded()[0].result(STORE, "1"))
    assert counted(engine)["games"] == 1


@needs("postgresql")
def test_a_restore_waits_for_whoever_reads_and_neither_stands_in_the_others_way(
    shared: str, tmp_path: Path
) -> None:
    """A reader that has one table and comes to the next, while a restore drops them in another order."""
    engine = make_engine(shared)
    with engine.begin() as connection:
        drop_everything(connection)
    migrate(engine)
    back_up(engine, tmp_path / "empty.club")
    waits = text("SELECT count(*) FROM pg_locks WHERE NOT granted")
    with ThreadPoolExecutor(1) as beside, engine.execution_options(reads=True).connect() as reader:
        tables = Base.metadata.sorted_tables
        reader.execute(select(tables[0]))
        restoring = beside.submit(restore, engine, tmp_path / "empty.club")
        while not restoring.done() and not reader.execute(waits).scalar_one():
            pass
        for table in tables:
            reader.execute(select(table))
        reader.rollback()
        assert restoring.result().before is not None
    engine.dispose()


def test_names_that_were_forgotten_since_are_forgotten_in_a_backup_that_is_read_back(
    engine: Engine, tmp_path: Path
) -> None:
    fill(engine)
    back_up(engine, tmp_path / "evening.club")
    with writing_sessions(engine).begin() as session:
        forget_name(session, "ada", NOON)
    restore(engine, tmp_path / "evening.club")
    with Session(engine) as session:
        assert session.scalars(select(PlayerRecord.nickname)).all() == [None]
        seats = [seat for game in session.scalars(select(GameRecord)) for seat in game.seats]
        assert {seat.nickname for seat in seats} == {None}


def test_open_logins_are_not_in_a_backup_and_a_pulse_goes_on(engine: Engine, tmp_path: Path) -> None:
    with writing_sessions(engine).begin() as session:
        session.add(User(id=1, name="desk", folded="desk", role="desk", password="argon2", made=NOON))
        login = {"token_hash": "t" * 64, "csrf": "c", "made": NOON, "seen": NOON, "expires": NOON}
        session.add(LoginSession(user_id=1, **login))
        session.execute(text("UPDATE club SET pulse = 41"))
        epoch = session.get_one(ClubRecord, 1).epoch
    back_up(engine, tmp_path / "evening.club")
    assert b"tttttt" not in gzip.decompress((tmp_path / "evening.club").read_bytes())
    restore(engine, tmp_path / "evening.club")
    with Session(engine) as session:
        assert change_number(session) == 42
        assert session.get_one(ClubRecord, 1).epoch != epoch
    assert counted(engine)["sessions"] == 0


def test_whom_a_table_had_forgotten_since_does_not_come_back(engine: Engine, tmp_path: Path) -> None:
    fill(engine, keys="1")
    game = recorded()[0]
    back_up(engine, tmp_path / "yesterday.club")
    with hub(engine) as evening:
        seats = (ForgottenSeat(make_game_id(STORE, "1"), game.chairs[0]),)
        evening.say("one", "forget", encode_payload(ForgetSeats("1", seats)))
    restore(engine, tmp_path / "yesterday.club")
    seat = games(engine)[0].seats[0]
    assert (seat.nickname, seat.forgotten, seat.player_id) == (None, True, None)


@pytest.mark.parametrize("damage", ["half", "changed", "other", "empty", "none"])
def test_a_file_that_is_no_whole_backup_changes_nothing(tmp_path: Path, damage: str) -> None:
    engine = make_engine(str(tmp_path / "club.sqlite"))
    migrate(engine)
    fill(engine, keys="1")
    there = counted(engine)
    file = tmp_path / "evening.club"
    back_up(engine, file)
    raw = file.read_bytes()
    match damage:
        case "half":
            file.write_bytes(raw[: len(raw) // 2])
        case "changed":
            file.write_bytes(gzip.compress(gzip.decompress(raw).replace(b"Wednesday", b"Thursdays")))
        case "other":
            file.write_bytes(gzip.compress(b'{"a": 1}\n{"b": 2}\n'))
        case "empty":
            file.write_bytes(b"")
        case _:
            file.unlink()
    with pytest.raises(InputError, match=r"no whole backup of a club; nothing was changed|There is no file"):
        restore(engine, file)
    assert counted(engine) == there
    engine.dispose()


def test_a_backup_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    engine = make_engine(str(tmp_path / "club.sqlite"))
    migrate(engine)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = 'later'"))
    back_up(engine, tmp_path / "later.club")
    other = make_engine(str(tmp_path / "other.sqlite"))
    with pytest.raises(CompanionError, match="newer version"):
        restore(other, tmp_path / "later.club")
    engine.dispose()
    other.dispose()


def packed(file: Path, lines: Iterable[bytes]) -> None:
    """A file whose end fits its lines, as somebody could make it who means harm."""
    digest, rows = hashlib.sha256(), -1
    with gzip.open(file, "wb", compresslevel=1) as out:
        for line in lines:
            digest.update(line + b"\n")
            out.write(line + b"\n")
            rows += 1
        out.write(b'{"rows":%d,"sha256":"%s"}\n' % (rows, digest.hexdigest().encode()))


HEAD = b'{"companion_club":1,"revision":"0001","at":"2026-11-25T12:00:00+00:00"}'
CLUB = b'["club",{"id":1,"slug":"c","pulse":0,"epoch":"e","pepper":"cGVwcGVy"}]'
PLAYER = {"id": 1, "nickname": "A", "folded": "a", "full_name": "", "consent": False, "consented": ""}
PLAYER |= {"made": NOON, "revision": 1}


def player(**change: object) -> bytes:
    return msgspec.json.encode(["players", {**PLAYER, **change}])


HARM: dict[str, Callable[[], Iterable[bytes]]] = {
    "a line of a bomb": lambda: [HEAD, b'["club",{"id":"' + b"a" * 40_000_000 + b'"}]'],
    "a bomb of lines": lambda: chain([HEAD, CLUB], repeat(b"[" + b" " * 1_000_000 + b"]", 200)),
    "a bomb of rows": lambda: chain([HEAD, CLUB], repeat(player(), 300_000), [b"[]"]),
    "spaces": lambda: chain([HEAD, CLUB], repeat(CLUB + b" " * 7_000_000, 30)),
    "depth": lambda: [HEAD, b"[" * 400_000],
    "depth in a row": lambda: [
        HEAD,
        CLUB,
        b'["events",{"id":1,"name":"E","game":"","state":"open","seed":"s","rules":'
        + b"[" * 500
        + b"]" * 500
        + b',"made":"","ended":"","revision":1}]',
    ],
    "a table that nobody knows": lambda: [HEAD, CLUB, b'["alembic_version",{"version_num":"9"}]'],
    "sessions": lambda: [HEAD, CLUB, b'["sessions",{"token_hash":"a"}]'],
    "another column": lambda: [HEAD, CLUB, player(extra=1)],
    "a number for a name": lambda: [HEAD, CLUB, player(nickname=7)],
    "a list for a name": lambda: [HEAD, CLUB, player(nickname=["a"])],
    "a huge number": lambda: [HEAD, CLUB, player(id=2**70)],
    "a name without end": lambda: [HEAD, CLUB, player(nickname="a" * 100_000)],
    "a sign that no database keeps": lambda: [HEAD, CLUB, player(nickname="a\0b")],
    "one player twice": lambda: [HEAD, CLUB, player(), player()],
    "a game of no table": lambda: [
        HEAD,
        CLUB,
        b'["entrants",{"id":1,"event_id":5,"player_id":5,"from_round":1,"until_round":null,"revision":1}]',
    ],
    "no club": lambda: [HEAD, player()],
    "two clubs": lambda: [HEAD, CLUB, CLUB],
    "bytes that are none": lambda: [HEAD, CLUB.replace(b"cGVwcGVy", b"!!")],
    "a key that is too long": lambda: [HEAD, CLUB.replace(b"cGVwcGVy", b"QUFB" * 40)],
    "a header alone": lambda: [HEAD],
    "a header of lists": lambda: [b"[[]]", CLUB],
}


@pytest.mark.parametrize("harm", HARM)
def test_a_file_made_to_do_harm_is_one_sentence_and_leaves_nothing(
    engine: Engine, tmp_path: Path, harm: str
) -> None:
    fill(engine, keys="1")
    folder = tmp_path / "files"
    folder.mkdir()
    file = folder / "theirs.club"
    packed(file, HARM[harm]())
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(InputError, match="no whole backup of a club; nothing was changed"):
        restore(engine, file)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000, "kilobytes"
    assert [one.name for one in folder.iterdir()] == ["theirs.club"], "no copy is left"
    assert len(games(engine)) == 1
