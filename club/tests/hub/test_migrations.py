"""A club's tables of every revision there was become today's with all their rows, on both engines."""

from __future__ import annotations

import gzip
import shutil
from collections import Counter
from pathlib import Path

import msgspec
import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, func, inspect, select
from sqlalchemy.orm import Session

from club.tests.hub.evening import games
from club.tests.hub.kept_backup import BACKUPS, PEOPLE
from companion_club.hub.backup import EXCLUDED_TABLES, restore
from companion_club.hub.database import MIGRATIONS
from companion_club.hub.model import Base, GameSeat, PlayerRecord
from companion_club.hub.verify import GOOD_VERDICTS, verify_results

REVISIONS = [one.revision for one in ScriptDirectory(str(MIGRATIONS)).walk_revisions()]


def rows(revision: str) -> Counter[str]:
    """How many rows of each table the backup of that revision has."""
    file = BACKUPS / f"{revision}.club"
    assert file.exists(), f"python -m club.tests.hub.kept_backup makes {file.name}"
    _, *lines, _ = gzip.decompress(file.read_bytes()).splitlines()
    return Counter(msgspec.json.decode(line)[0] for line in lines)


def test_the_newest_backup_has_a_row_of_every_table(engine: Engine) -> None:
    assert set(rows(REVISIONS[0])) == set(inspect(engine).get_table_names()) - EXCLUDED_TABLES


@pytest.mark.parametrize("revision", REVISIONS)
def test_it_becomes_todays_with_all_its_rows(engine: Engine, revision: str, tmp_path: Path) -> None:
    file = Path(shutil.copy(BACKUPS / f"{revision}.club", tmp_path))  # what was there is saved beside it
    restore(engine, file)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []
    with Session(engine.execution_options(reads=True)) as session:
        for table, count in rows(revision).items():
            kept = Base.metadata.tables[table]
            assert session.scalar(select(func.count()).select_from(kept)) == count, table
        known = set(session.scalars(select(PlayerRecord.nickname)))
        seated = set(session.scalars(select(GameSeat.nickname)))
    assert (known, seated) == ({*PEOPLE, "Dee", None}, set(PEOPLE))
    assert [game.outcome is not None for game in games(engine)] == [True, True]
    assert {found.verdict for found in verify_results(engine)} <= GOOD_VERDICTS
