"""A broker of the test's own, and a table at it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.home.servers import Broker, broker
from tests.home.uplinked_tables import Table
from tests.outside_programs import starts


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
def table(own: Broker, tmp_path: Path, stack: ExitStack) -> Table:
    one = Table(tmp_path / "table", own)
    stack.callback(one.close)
    return one
