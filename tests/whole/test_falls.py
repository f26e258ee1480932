"""Whatever fails beside the game, the game goes on; what cannot be judged pauses it. Every part, every game.

The real app, host, store, pages and gpiozero classes; each case plants one failure and plays on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from companion.core import observations as ob
from companion.core.actions import SECOND
from companion.core.errors import RepeatedFailureError
from companion.core.view import Sentence
from companion.games import RULES
from companion.referee.journal import SqliteJournal
from companion.ui import commands as do
from companion.ui.frame import GameFrame, UiState
from companion.ui.toolkit.sheet import touch_action
from hardware.camera_worker import CameraWorker
from tests.thorough import a_third, some
from tests.whole.falls_table import GAME, STEP, Table, assert_it_replays, assert_told_in_german, tracebacks


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Table]:
    one = Table(tmp_path / "games", monkeypatch)
    yield one
    monkeypatch.undo()
    one.close()


# The game itself --------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("game", a_third(GAME))
@pytest.mark.parametrize("step", ["decide", "evolve", "view", "prompts", "sentence", "append"])
def test_what_cannot_be_judged_is_not_written_and_the_game_pauses(
    step: str, game: str, table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    table.begin(game)
    table.move()
    while not table.repairable():
        table.move()
    before = len(table.causes)
    bomb = table.plant_in_judging(SqliteJournal if step == "append" else type(RULES[game]), step, times=1)
    table.move()
    assert bomb.raised == 1
    assert [type(cause) for cause in table.causes[before:]] == [ob.PauseRequested]
    frame = table.app.frame()
    assert isinstance(frame, GameFrame)
    assert frame.view.paused
    assert_told_in_german(table, "judging")
    page = table.app._pages["game"]
    assert "wrong" in {target.key for target in page.painted_sheet(frame).targets}
    wrong = replace(frame, ui_state=UiState(overlay="wrong"))
    offered = {t.key: t.action for t in page.painted_sheet(wrong).targets}
    assert offered["repair"] == touch_action(overlay="repair")
    assert offered["take_back"] == (touch_action(overlay="take_back") if frame.can_undo else touch_action())
    assert len(tracebacks(caplog)) == 1
    assert_it_replays(table, game)
    table.ask(do.ContinueGame())
    table.move()
    assert [type(cause) for cause in table.causes[before + 1 : before + 3]] == [
        ob.ResumeRequested,
        ob.ActionDeclared,
    ]
    assert table.app.frame().trouble != Sentence("shared.part.judging")
    assert_it_replays(table, game)


@pytest.mark.parametrize("game", some(GAME))
@pytest.mark.parametrize("mended_after", [59, 61])
def test_the_same_failure_twice_in_a_minute_ends_the_program_with_the_game_stored(
    mended_after: int, game: str, table: Table
) -> None:
    table.begin(game)
    table.plant_in_judging(type(RULES[game]), "decide")
    table.move()
    table.ask(do.ContinueGame())
    number, written = table.session.game.referee.journal.game, len(table.causes)  # type: ignore[attr-defined]
    table.run(mended_after * SECOND - STEP)
    if mended_after > 60:
        table.move()
        assert table.state.desk.paused
        return
    with pytest.raises(RepeatedFailureError):
        table.move()
    table.patch.undo()
    table.app.close()
    table.app.carry_out(do.ResumeGame(str(number)))
    assert len(table.causes) == written + 1
    assert isinstance(table.causes[-1], ob.ProgramRestarted)
    table.patch.setattr(CameraWorker, "start", lambda worker: None)
    table.move()
    assert isinstance(table.causes[-1], ob.ActionDeclared), "what was not written does not come back"
    assert_it_replays(table, game)
