"""How far a long piece of work is: told where somebody watches."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from companion.cli.checks.journal_replay import replay_steps
from companion.games import RULES
from companion.referee.journal import json_lines
from companion.system.terminal import REPORT_INTERVAL, make_progress_bar, show_activity

PLAYTHROUGHS = Path(__file__).parents[1] / "playthroughs"


class Terminal(io.StringIO):
    """Somebody watches."""

    def isatty(self) -> bool:
        return True


def test_a_long_piece_of_work_tells_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    tell = make_progress_bar(2 * REPORT_INTERVAL)
    for done in range(1, 2 * REPORT_INTERVAL + 1):
        tell(done)
    said = sys.stderr.getvalue()
    assert [line.rpartition("] ")[2] for line in said.split("\r")[1:]] == ["500/1000", "1000/1000\n"]


@pytest.mark.parametrize(
    ("stream", "whole"), [(Terminal(), 2 * REPORT_INTERVAL - 1), (io.StringIO(), 9 * REPORT_INTERVAL)]
)
def test_a_short_one_and_one_that_nobody_watches_tell_nothing(
    monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, whole: int
) -> None:
    monkeypatch.setattr(sys, "stderr", stream)
    make_progress_bar(whole)(whole)
    assert stream.getvalue() == ""


def test_what_is_being_done_is_told_while_it_lasts_and_then_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    with show_activity("Drawing kinapa: mat"):
        assert sys.stderr.getvalue() == "\rDrawing kinapa: mat … "
    assert sys.stderr.getvalue().endswith("\r\033[K")
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with show_activity("Drawing kinapa: mat"):
        pass
    assert sys.stderr.getvalue() == ""


def test_a_replay_tells_how_far_it_looked_before_its_first_line() -> None:
    raw = (PLAYTHROUGHS / "kinapa" / "players-4.jsonl").read_bytes()
    header, entries = json_lines.parse_journal(raw, RULES)
    told: list[int] = []
    next(replay_steps(RULES["kinapa"], header, entries[:60], looked=told.append))
    assert told == sorted(set(told))
    assert told[-1] == 60
