"""Tells how far a long run is: `-p tests.progress`, with or without workers.

What has just been begun, how many tests of how many are done, and about how many minutes are left. How long a
test takes is known from the last run, which is kept in build/long.json; a new one is taken to be as long as
the others are on average.
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest

KEPT = Path(__file__).parent.parent / "build" / "long.json"
EVERY = 10.0
"""Seconds between two lines at least."""


class Progress:
    """Knows what is done, and how long it took."""

    def __init__(self, config: pytest.Config, known: dict[str, float]) -> None:
        self._config = config
        self._known = known
        """Test → seconds that it took the last time."""
        self._left: set[str] = set()
        self._all = 0
        self._took: dict[str, float] = {}
        self._told = 0.0

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._begin([item.nodeid for item in session.items])

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: list[str]) -> None:
        if not self._all:  # every worker has collected the same
            self._begin(ids)

    def _begin(self, ids: Collection[str]) -> None:
        self._left, self._all = set(ids), len(ids)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        if time.monotonic() - self._told >= EVERY:
            self._told = time.monotonic()
            self._reporter.ensure_newline()
            self._reporter.write_line(f"{self.line()}; now {nodeid}")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._took[report.nodeid] = self._took.get(report.nodeid, 0.0) + report.duration
        if report.when == "teardown":
            self._left.discard(report.nodeid)

    def line(self) -> str:
        """How far it is, and how long what is left takes its workers."""
        done, known = f"{self._all - len(self._left)} of {self._all}", {**self._known, **self._took}
        if not known:
            return done
        usual = sum(known.values()) / len(known)
        workers = getattr(self._config.option, "numprocesses", None) or 1
        minutes = sum(known.get(one, usual) for one in self._left) / workers / 60
        return f"{done}, about {minutes:.0f} min left"

    def pytest_sessionfinish(self) -> None:
        if self._took:
            KEPT.parent.mkdir(exist_ok=True)
            KEPT.write_text(json.dumps({**self._known, **self._took}), encoding="utf-8")

    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """Instead of a dot there is a line."""
        return (report.outcome, "", "PASSED") if report.when == "call" and report.passed else None

    @property
    def _reporter(self) -> Any:
        return self._config.pluginmanager.get_plugin("terminalreporter")


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Progress(config, known()))


def known() -> dict[str, float]:
    """What the last run took, test by test, in seconds."""
    return json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
