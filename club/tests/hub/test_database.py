"""The database of hub and desk: the same on both engines, a newer one refused, two editors told apart."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Engine, select, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session
from sqlalchemy.orm.exc import StaleDataError

from companion.core.errors import CompanionError, InputError
from companion_club.hub.database import (
    change_number,
    fold_name,
    make_engine,
    mark_changed,
    migrate,
    writing_sessions,
)
from companion_club.hub.model import (
    Base,
    ClubRecord,
    EventRecord,
    PlayerRecord,
    PodRecord,
    PodSeat,
    RoundRecord,
)

NOON = "2026-11-25T12:00:00+00:00"


def test_the_migrations_make_the_tables_of_the_model(engine: Engine) -> None:
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []


def test_hub_and_desk_may_start_together_on_an_empty_database(address: str) -> None:
    engines = [make_engine(address) for _ in range(4)]
    with ThreadPoolExecutor(len(engines)) as together:
        list(together.map(migrate, engines))
    with Session(engines[0]) as session:
        assert session.query(ClubRecord).count() == 1
    for engine in engines:
        engine.dispose()


def test_a_server_that_was_set_up_without_a_language_keeps_every_name(shared: str) -> None:
    """Debian's PostgreSQL is, where LANG was not set: its databases keep bytes."""
    owner = make_engine(shared)
    kind = "ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"
    with owner.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text(f"CREATE DATABASE bytes {kind}"))
        there = make_engine(owner.url.set(database="bytes").render_as_string(hide_password=False))
        migrate(there)
        with Session(there) as session:
            session.add(PlayerRecord(nickname="Zoë", folded=fold_name("Zoë"), made=NOON))
            session.commit()
            assert session.scalars(select(PlayerRecord.nickname)).all() == ["Zoë"]
        there.dispose()
        connection.execute(text("DROP DATABASE bytes"))
    owner.dispose()


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps no such permissions")
def test_a_new_file_is_its_owners_alone(tmp_path: Path) -> None:
    file = tmp_path / "club.sqlite"
    made = make_engine(str(file))
    migrate(made)
    with made.connect():
        assert {one.stat().st_mode & 0o777 for one in tmp_path.iterdir()} == {0o600}
    made.dispose()


def test_migrating_twice_changes_nothing(engine: Engine) -> None:
    with Session(engine) as session:
        mark_changed(session)
        session.commit()
    migrate(engine)
    with Session(engine) as session:
        assert change_number(session) == 1


def test_tables_of_a_newer_version_are_refused_and_stay(engine: Engine) -> None:
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = 'later'"))
    with pytest.raises(
        CompanionError, match=r"newer version \(its tables are later\): update the program first"
    ):
        migrate(engine)


def test_two_who_edit_a_player_at_once_do_not_overwrite_each_other(engine: Engine) -> None:
    new = writing_sessions(engine)
    with new.begin() as session:
        session.add(PlayerRecord(nickname="Ada", folded=fold_name("Ada"), made=NOON))
    with Session(engine.execution_options(reads=True), expire_on_commit=False) as reading:
        first = reading.get_one(PlayerRecord, 1)
    with Session(engine.execution_options(reads=True), expire_on_commit=False) as reading:
        second = reading.get_one(PlayerRecord, 1)
    first.nickname, second.nickname = "Ada L.", "Adele"
    with new.begin() as session:
        session.add(first)
    with pytest.raises(StaleDataError), new.begin() as session:
        session.add(second)
    with new() as session:
        assert session.get_one(PlayerRecord, 1).nickname == "Ada L."


def test_a_player_is_in_one_pod_of_a_round(engine: Engine) -> None:
    new = writing_sessions(engine)
    with new.begin() as session:
        player = PlayerRecord(nickname="Ada", folded=fold_name("Ada"), made=NOON)
        event = EventRecord(name="Wednesday", seed="s", made=NOON)
        session.add_all([player, event])
        session.flush()
        turn = RoundRecord(event_id=event.id, number=1, made=NOON)
        session.add(turn)
        session.flush()
        pods = [PodRecord(round_id=turn.id, number=number) for number in (1, 2)]
        session.add_all(pods)
        session.flush()
        session.add(PodSeat(round_id=turn.id, pod_id=pods[0].id, player_id=player.id))
    with pytest.raises(IntegrityError), new.begin() as session:
        session.add(PodSeat(round_id=1, pod_id=2, player_id=1))


@pytest.mark.parametrize("name", ["Robert'); DROP TABLE players;--", "<b>Ada</b>", "ΑΔΑ 🎲", "%s {0} :x ?"])
def test_a_nickname_is_only_text(engine: Engine, name: str) -> None:
    with writing_sessions(engine).begin() as session:
        session.add(PlayerRecord(nickname=name, folded=fold_name(name), made=NOON))
    with Session(engine) as session:
        assert session.query(PlayerRecord).one().nickname == name


@pytest.mark.parametrize("text", ["mysql://root@localhost/club", "http://club", "oracle://x"])
def test_another_kind_of_database_is_refused_by_a_sentence(text: str) -> None:
    with pytest.raises(InputError, match="is no database for a club"):
        make_engine(text)


def test_a_database_that_does_not_answer_is_named_without_its_password(tmp_path: Path) -> None:
    engine = make_engine(f"postgresql://club:secret@/club?host={tmp_path}")
    with pytest.raises(CompanionError) as problem:
        migrate(engine)
    assert "secret" not in str(problem.value)
    assert str(tmp_path) in str(problem.value)


def test_names_are_compared_as_people_see_them() -> None:
    assert fold_name(" ADA  Lovelace ") == fold_name("ada lovelace")
    assert fold_name("Zoë") == fold_name("Zoe\u0308")
    assert fold_name("Ada") != fold_name("Ida")
