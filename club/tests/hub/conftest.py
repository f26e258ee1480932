"""Databases of both engines, and a broker."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, text

from club.tests.hub.deployed import PROGRAMS, Machine
from club.tests.hub.postgres import Postgres, postgres
from club.tests.uplink.club_tables import ClubListener
from companion_club.hub.database import MIGRATIONS, make_engine, migrate, revision_of
from companion_club.hub.model import Base
from tests.home.conftest import own, stack  # noqa: F401 (fixtures)
from tests.home.servers import Broker, broker
from tests.outside_programs import needs, starts

ENGINES = ("sqlite", pytest.param("postgresql", marks=needs("postgresql")))
NEWEST = ScriptDirectory(str(MIGRATIONS)).get_current_head()


@pytest.fixture(scope="session")
@starts("postgresql")
def server() -> Iterator[Postgres]:
    with postgres(durable=False) as running:
        yield running


@pytest.fixture(scope="session")
def shared(server: Postgres) -> str:
    """A database that tests use one after the other."""
    return server.database("shared")


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A club's SQLite file in which nobody has written yet, to be copied: its tables are made once."""
    file = tmp_path_factory.mktemp("club") / "template.sqlite"
    made = make_engine(str(file))
    migrate(made)
    made.dispose()  # the last connection leaves no log beside the file
    return file


@pytest.fixture(scope="session")
@starts("mosquitto")
def mqtt() -> Iterator[Broker]:
    with broker() as running:
        yield running


def drop_everything(connection: Connection) -> None:
    connection.execute(text("DROP SCHEMA public CASCADE"))
    connection.execute(text("CREATE SCHEMA public"))


def delete_every_row(connection: Connection) -> None:
    """Leave the tables as a migration made them; TRUNCATE would make each file of theirs anew."""
    for table in reversed(Base.metadata.sorted_tables):
        connection.execute(table.delete())
    connection.execute(text("SELECT setval(oid, 1, false) FROM pg_class WHERE relkind = 'S'"))


@pytest.fixture(params=ENGINES)
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each engine."""
    if request.param == "sqlite":
        return str(tmp_path / "club.sqlite")
    url: str = request.getfixturevalue("shared")
    engine = make_engine(url)
    with engine.begin() as connection:
        drop_everything(connection)
    engine.dispose()
    return url


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    """A database of each engine with a club's tables, in which nobody has written yet."""
    if request.param == "sqlite":
        template = request.getfixturevalue("sqlite_template")
        made = make_engine(str(shutil.copy(template, tmp_path / "club.sqlite")))
    else:
        made = make_engine(request.getfixturevalue("shared"))
        with made.begin() as connection:  # the test before may have left it without tables, or of no revision
            is_ours = revision_of(connection) == NEWEST
            (delete_every_row if is_ours else drop_everything)(connection)
        migrate(made)
    yield made
    made.dispose()


@pytest.fixture
def listener(own: Broker, stack: ExitStack) -> ClubListener:  # noqa: F811 (fixtures)
    one = ClubListener(own.port)
    stack.callback(one.close)
    return one


@pytest.fixture(scope="module")
@starts(*PROGRAMS)
def machine() -> Iterator[Machine]:
    made = Machine(Path(__file__).parents[3])
    yield made
    made.close()
