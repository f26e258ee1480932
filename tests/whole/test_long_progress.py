"""A long run says how far it is."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from tests.progress import Progress


def progress(known: dict[str, float]) -> Progress:
    config: Any = SimpleNamespace(option=SimpleNamespace(numprocesses=2))
    return Progress(config, known)


def ran(how_far: Progress, test: str, seconds: float) -> None:
    for when, took in (("setup", 0.0), ("call", seconds), ("teardown", 0.0)):
        report: Any = SimpleNamespace(nodeid=test, when=when, duration=took)
        how_far.pytest_runtest_logreport(report)


def test_what_is_left_takes_as_long_as_in_the_last_run() -> None:
    how_far = progress({"a": 60.0, "b": 600.0, "c": 1200.0})
    for _ in ("one worker", "and the other"):
        how_far.pytest_xdist_node_collection_finished(None, ["a", "b", "c"])
    assert how_far.line() == "0 of 3, about 16 min left"
    ran(how_far, "a", 30.0)
    assert how_far.line() == "1 of 3, about 15 min left"


def test_in_the_first_run_what_is_left_takes_as_long_as_what_was_done() -> None:
    how_far = progress({})
    how_far.pytest_xdist_node_collection_finished(None, ["a", "b", "c", "d", "e"])
    assert how_far.line() == "0 of 5"
    ran(how_far, "a", 300.0)
    assert how_far.line() == "1 of 5, about 10 min left"
