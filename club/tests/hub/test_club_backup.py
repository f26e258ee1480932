"""A club in a file: read back on either engine, whole or not at all, and what was forgotten stays so."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from sqlalchemy import Engine, func, select, text
from sqlalchemy.orm import Session

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
