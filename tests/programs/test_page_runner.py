"""The page as the table starts it: a child beside a program, a service of systemd on an appliance."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.core.view import Sentence
from companion.network.table_server import TableServer
from companion.programs.child_programs import STARTS_WITHIN_NS, UNIT, PageLacksError, PageRunner
from companion.system import extras
from companion.system.machine import Machine


@pytest.fixture
def door() -> Iterator[TableServer]:
    opened = TableServer(run="r")
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


def test_a_child_is_started_once_and_ends_with_the_table(door: TableServer) -> None:
    started = Started("import signal; signal.pause()")
    runner = PageRunner(door, handed=False, run=started)
    runner.start()
    runner.start()
    (words,) = started.words
    assert words[1:4] == ["-m", "companion", "page"]
    assert runner.trouble() is None
    runner.close()
    assert started.ended() == [-signal.SIGTERM]


def test_a_firewall_that_may_keep_phones_out_is_in_the_log_once(
    door: TableServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "etc/ufw").mkdir(parents=True)
    (tmp_path / "etc/ufw/ufw.conf").write_text("ENABLED=yes\n")
    monkeypatch.setattr("companion.programs.child_programs.Machine", lambda: Machine(root=tmp_path))
    started = Started("pass")
    runner = PageRunner(door, handed=True, run=started)
    runner.start()
    assert started.ended() == [0]
    runner.start()
    assert started.ended() == [0, 0]
    told = "Phones may be kept out, for a firewall (ufw) is on: sudo ufw allow 8420/tcp"
    assert [record.getMessage() for record in caplog.records] == [told]
    assert runner.firewall_remedy == "sudo ufw allow 8420/tcp"
    runner.close()


def test_where_systemd_has_the_door_it_is_asked_to_start_its_unit(door: TableServer) -> None:
    started = Started("pass")
    runner = PageRunner(door, handed=True, run=started)
    runner.start()
    assert started.words == [UNIT]
    assert UNIT[-1] == "companion-page.service"
    assert started.ended() == [0]
    assert runner.trouble() is None
    runner.close()


def test_a_page_that_cannot_serve_is_told_at_the_table_and_started_again_when_it_is_asked_for(
    door: TableServer,
) -> None:
    started = Started("raise SystemExit(1)")
    runner = PageRunner(door, handed=False, run=started)
    runner.start()
    assert started.ended() == [1]
    assert runner.trouble() == Sentence("ui.phones.ended")
    runner.start()
    assert started.ended() == [1, 1]
    runner.close()


def test_a_page_whose_port_is_taken_is_told_as_that(door: TableServer) -> None:
    """By a second table's page, or one that was started by hand: the page itself is what is started here."""
    running: list[subprocess.Popen[bytes]] = []

    def run(words: Any, **more: Any) -> subprocess.Popen[bytes]:
        running.append(subprocess.Popen(words, stderr=subprocess.PIPE, **more))
        return running[-1]

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        words = ("--host", "127.0.0.1", "--port", port)
        runner = PageRunner(door, handed=False, words=words, run=run)
        runner.start()
        _, said = running[0].communicate(timeout=60)
        assert b"is the page running already?" in said
        assert runner.trouble() == Sentence("ui.phones.taken")
        runner.close()


def test_a_service_that_does_not_come_is_told_as_late(door: TableServer) -> None:
    """systemd starts it again and again; the table hears of none of that."""
    now = [5_000_000]
    started = Started("pass")
    runner = PageRunner(door, handed=True, run=started, now=lambda: now[0])
    runner.start()
    assert started.ended() == [0]
    now[0] += STARTS_WITHIN_NS - 1
    assert runner.trouble() is None
    now[0] += 1
    assert runner.trouble() == Sentence("ui.phones.late")


def test_without_its_libraries_the_table_says_so(door: TableServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    with pytest.raises(PageLacksError, match=r"pip install") as refused:
        PageRunner(door, handed=False).start()
    assert refused.value.screen_sentence() == Sentence("shared.trouble.page_libraries")
