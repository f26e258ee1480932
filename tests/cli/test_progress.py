"""How far a long piece of work is: told where somebody watches."""

from __future__ import annotations

import io
import sys

import pytest

from companion.cli._progress import EVERY, progress


class Terminal(io.StringIO):
    """Somebody watches."""

    def isatty(self) -> bool:
        return True


def test_a_long_piece_of_work_tells_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    tell = progress("entries looked at", 2 * EVERY)
    for done in range(1, 2 * EVERY + 1):
        tell(done)
    assert sys.stderr.getvalue() == "\r500 of 1000 entries looked at\r1000 of 1000 entries looked at\n"


@pytest.mark.parametrize(("stream", "whole"), [(Terminal(), 2 * EVERY - 1), (io.StringIO(), 9 * EVERY)])
def test_a_short_one_and_one_that_nobody_watches_tell_nothing(
    monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, whole: int
) -> None:
    monkeypatch.setattr(sys, "stderr", stream)
    progress("entries", whole)(whole)
    assert stream.getvalue() == ""
