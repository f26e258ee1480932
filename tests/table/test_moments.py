"""A verdict has its moment: from the ruling that tells it until its time is over, or anybody goes on."""

from __future__ import annotations

from typing import Any

import pytest

from companion.core import observations as ob
from companion.core.actions import SECOND, Action
from companion.games import RULES
from companion.ui import commands as do
from companion.ui.toolkit.theme import VERDICT_TIME
from tests.table.app_table import Table
from tests.table.loop import MILLI
from tests.table.test_panels import AnyHost


@pytest.fixture
def wrong() -> Table:
    """Kabuki: a Stop was called for nothing, and the stack is about to be judged."""
    table = Table()
    table.host = table.app.navigation.host = table.app.navigation.own_host = table.app.navigation.games = (
        AnyHost(table.clock)
    )
    table.app.carry_out(do.StartGame("kabuki", (0, 1, 2), RULES["kabuki"].options()))
    table.run()
    for seat, verb, value in ((0, "begin", None), (0, "place", "sun@1")):
        table.app.carry_out(do.DeclareAction(Action(seat, verb, value)))
        table.run()
    table.press(2)
    table.run(3 * SECOND)
    assert table.state.phase == "stopped"
    table.app.carry_out(do.DeclareAction(Action(2, "look")))
    table.run()
    table.app.carry_out(do.DeclareAction(Action(2, "twins", 0)))
    table.run(100 * MILLI)
    return table


def moment(table: Table) -> Any:
    frame: Any = table.app.frame()
    return frame.current_verdict


def test_a_judged_stop_has_its_moment_and_then_the_table_is_back(wrong: Table) -> None:
    said, since = moment(wrong)
    assert (said.key, dict(said.parts)["chair"]) == ("kabuki.StopWrong", 2)
    wrong.run(VERDICT_TIME - (wrong.clock.now() - since) - 50 * MILLI)
    assert moment(wrong) is not None
    wrong.run(100 * MILLI)
    assert moment(wrong) is None


def test_whoever_presses_goes_on_at_once(wrong: Table) -> None:
    assert moment(wrong) is not None
    wrong.press(1)
    assert moment(wrong) is None


def test_undo_takes_the_moment_along(wrong: Table) -> None:
    wrong.inbox.put(ob.UndoRequested(at=wrong.clock.now(), done=True))
    wrong.run(100 * MILLI)
    assert moment(wrong) is None


def test_a_touch_puts_it_away_and_says_nothing_to_the_game(wrong: Table) -> None:
    entries = len(wrong.session.game.referee.journal.entries)
    wrong.touch("moment:ok")
    keys = {target.key for target in wrong.app._pages["game"].painted_sheet(wrong.app.frame()).targets}
    assert "moment:ok" not in keys
    assert len(wrong.session.game.referee.journal.entries) == entries
