"""Databases of both engines, and a broker."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from sqlalchemy import Engine, text

from companion.club.database import make_engine, migrate
from tests.club.deployed import PROGRAMS, Machine
from tests.club.servers import Broker, Postgres, broker, postgres
from tests.outside_programs import needs, starts
from tests.uplink.club_tables import Listener, Table

ENGINES = ("sqlite", pytest.param("postgresql", marks=needs("postgresql")))


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
@starts("mosquitto")
def mqtt() -> Iterator[Broker]:
    with broker() as running:
        yield running


@pytest.fixture(params=ENGINES)
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each engine."""
    if request.param == "sqlite":
        return str(tmp_path / "club.sqlite")
    url: str = request.getfixturevalue("shared")
    engine = make_engine(url)
    with engine.begin() as connection:
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))
    engine.dispose()
    return url


@pytest.fixture
def engine(address: str) -> Iterator[Engine]:
    made = make_engine(address)
    migrate(made)
    yield made
    made.dispose()


@pytest.fixture
@starts("mosquitto")
def own() -> Iterator[Broker]:
    """A broker of this test alone."""
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
@starts(*PROGRAMS)
def machine() -> Iterator[Machine]:
    made = Machine(Path(__file__).parents[2])
    yield made
    made.close()
