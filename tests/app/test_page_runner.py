"""The page as the table starts it: a child beside a program, a service of systemd on an appliance."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from companion.cli import page
from companion.core.view import Sentence
from companion.doors.door import Door
from companion.run import page_runner
from companion.run.page_runner import NEEDS, UNIT, PageLacksError, PageRunner


@pytest.fixture
def door() -> Iterator[Door]:
    opened = Door(run="r")
    yield opened
    opened.close()


class Started:
    """Starts another program instead of the page."""

    def __init__(self, code: str) -> None:
        self.words: list[Any] = []
        self.running: list[subprocess.Popen[bytes]] = []
        self._code = code

    def __call__(self, words: Any, **more: Any) -> subprocess.Popen[bytes]:
        self.words.append(words)
        self.running.append(subprocess.Popen([sys.executable, "-c", self._code], **more))
        return self.running[-1]

    def ended(self) -> list[int]:
        """How each of them ended."""
        return [one.wait(20) for one in self.running]


def test_a_child_is_started_once_and_ends_with_the_table(door: Door) -> None:
    started = Started("import signal; signal.pause()")
    runner = PageRunner(door, handed=False, run=started)
    runner.start()
    runner.start()
    (words,) = started.words
    assert words[1:4] == ["-m", "companion", "page"]
    assert runner.trouble() is None
    runner.close()
    assert started.ended() == [-signal.SIGTERM]


def test_where_systemd_has_the_door_it_is_asked_to_start_its_unit(door: Door) -> None:
    started = Started("pass")
    runner = PageRunner(door, handed=True, run=started)
    runner.start()
    assert started.words == [UNIT]
    assert UNIT[-1] == "companion-page.service"
    assert started.ended() == [0]
    assert runner.trouble() is None
    runner.close()


def test_a_page_that_cannot_serve_is_told_at_the_table_and_started_again_when_it_is_asked_for(
    door: Door,
) -> None:
    """The port is taken: a second table's page, or one that was started by hand."""
    started = Started("raise SystemExit(1)")
    runner = PageRunner(door, handed=False, run=started)
    runner.start()
    assert started.ended() == [1]
    assert runner.trouble() == Sentence("ui.phones.ended")
    runner.start()
    assert started.ended() == [1, 1]
    runner.close()


def test_without_its_libraries_the_table_says_so(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_runner, "find_spec", lambda name: None)
    with pytest.raises(PageLacksError, match=r"pip install") as refused:
        PageRunner(door, handed=False).start()
    assert refused.value.sentence() == Sentence("shared.trouble.page_libraries")


def test_it_asks_for_the_libraries_that_the_command_needs() -> None:
    assert NEEDS == page.NEEDS
