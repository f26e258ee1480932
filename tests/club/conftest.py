"""Databases of both engines, and a broker; what this machine lacks is skipped by its name."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from sqlalchemy import Engine, text

from companion.club.database import engine_of, migrate
from tests.club.club_tables import Listener, Table
from tests.club.deployed import Machine
from tests.club.servers import Broker, Postgres, broker, mosquitto, pg_bin, postgres

ENGINES = ("sqlite", "postgresql")


@pytest.fixture(scope="session")
def server() -> Iterator[Postgres]:
    if pg_bin() is None:
        pytest.skip("PostgreSQL is not here (Debian: postgresql)")
    with postgres(durable=False) as running:
        yield running


@pytest.fixture(scope="session")
def shared(server: Postgres) -> str:
    """A database that tests use one after the other."""
    return server.database("shared")


@pytest.fixture(scope="session")
def mqtt() -> Iterator[Broker]:
    if mosquitto() is None:
        pytest.skip("mosquitto is not here (Debian: mosquitto)")
    with broker() as running:
        yield running


@pytest.fixture(params=ENGINES)
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each engine."""
    if request.param == "sqlite":
        return str(tmp_path / "club.sqlite")
    url: str = request.getfixturevalue("shared")
    engine = engine_of(url)
    with engine.begin() as connection:
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))
    engine.dispose()
    return url


@pytest.fixture
def engine(address: str) -> Iterator[Engine]:
    made = engine_of(address)
    migrate(made)
    yield made
    made.dispose()


@pytest.fixture
def own() -> Iterator[Broker]:
    """A broker of this test alone."""
    if mosquitto() is None:
        pytest.skip("mosquitto is not here (Debian: mosquitto)")
    with broker("log_dest stderr\nlog_type information\n") as running:
        yield running


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as all_of_it:
        yield all_of_it


@pytest.fixture
def listener(own: Broker, stack: ExitStack) -> Listener:
    one = Listener(own.port)
    stack.callback(one.close)
    return one


@pytest.fixture
def table(own: Broker, tmp_path: Path, stack: ExitStack) -> Table:
    one = Table(tmp_path / "table", own)
    stack.callback(one.close)
    return one


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    if mosquitto() is None or shutil.which("mosquitto_passwd") is None or shutil.which("openssl") is None:
        pytest.skip("mosquitto or openssl is not here (Debian: mosquitto, openssl)")
    made = Machine(Path(__file__).parents[2])
    yield made
    made.close()
