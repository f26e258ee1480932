"""A Stop in Kabuki's first lesson, at a drawn table, however long somebody takes to read."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from tests.teach.learner import Learner


@pytest.mark.parametrize("seconds", [5.0, 10.0, 20.0])
def test_a_stop_counts_however_late_it_is_pressed(seconds: float, tmp_path: Path) -> None:
    with closing(Learner(tmp_path, "kabuki", drawn=True)) as learner:
        while "press Stop" not in learner.card():
            if learner.kind() == "quiz":
                learner.try_out("answer:2")
            elif learner.kind() == "wait":
                learner.run(1.0)
            else:
                learner.touch("next")
                learner.run(1.5)
        learner.run(seconds)
        learner.try_out("say:0:stop")
        assert learner.kind() != "wrong"
        assert "press Stop" not in learner.card()
