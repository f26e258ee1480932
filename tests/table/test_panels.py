"""What lies over the table is put away when something happens there that everybody has to see."""

from __future__ import annotations

from typing import Any

import pytest

from companion.core import observations as ob
from companion.core.actions import SECOND, Action
from companion.core.switch import Edge
from companion.games import RULES
from companion.games.kabuki.rules.model import StopCalled
from companion.referee.journal import MemoryJournal
from companion.referee.loop import RefereedGame
from companion.referee.referee import Referee
from companion.table.session import Session
from companion.ui import commands as do
from companion.ui.frame import GameFrame
from tests.table.app_table import ListHost, Table
from tests.table.loop import MILLI, first

PANELS = ("menu", "log", "why", "settings", "take_back", "correct", "repair", "may", "help", "leave")


class AnyHost(ListHost):
    """A table for every game."""

    def _open_session(self, journal: MemoryJournal) -> Session:
        game = RefereedGame(Referee(RULES[journal.header.game], journal), chance=first)
        return Session(game, clock=self.clock, voice=self.voice)


@pytest.fixture
def table() -> Table:
    one = Table()
    one.host = one.app.navigation.host = one.app.navigation.own_host = one.app.navigation.games = AnyHost(
        one.clock
    )
    return one


@pytest.fixture
def masks(table: Table) -> Table:
    """Kabuki: one mask lies, chair 2 is in turn."""
    table.app.carry_out(do.StartGame("kabuki", (0, 1, 2), RULES["kabuki"].options()))
    table.run()
    for seat, verb, value in ((0, "begin", None), (0, "place", "sun@1")):
        table.app.carry_out(do.DeclareAction(Action(seat, verb, value)))
        table.run()
    assert table.state.phase == "playing"
    return table


@pytest.fixture
def hands(table: Table) -> Table:
    """Kinapa: chair 1 is Emperor."""
    table.begin()
    return table


def stops(table: Table) -> list[Any]:
    entries = table.session.game.referee.journal.entries
    return [event for entry in entries for event in entry.events if isinstance(event, StopCalled)]


@pytest.mark.parametrize("panel", PANELS)
def test_a_stop_puts_every_panel_away_in_the_frame_after_it_is_judged(masks: Table, panel: str) -> None:
    masks.app.carry_out(do.ChangeSetting("overlay", panel))
    masks.run()
    masks.inbox.put(Edge(2, "seat", level=True, at=masks.clock.now()))
    while not stops(masks):
        assert masks.overlay == panel, "not before it is known to be a Stop"
        masks.clock.move_to(masks.app.next_due())
        masks.app.step()
    flips = masks.window.flips
    masks.app.draw()
    assert masks.window.flips == flips + 1
    frame = masks.app.frame()
    assert isinstance(frame, GameFrame)
    assert (frame.ui_state.overlay, masks.app._pages["game"].active_overlay(frame)) == ("", "")
    assert frame.view.headline.key == "kabuki.phase.called"
    assert dict(frame.view.headline.parts)["chair"] == 2


def test_after_a_stop_a_panel_can_be_opened_again(masks: Table) -> None:
    masks.press(2)
    masks.run(3 * SECOND)
    assert masks.state.phase == "stopped"
    masks.key("w")
    masks.run(SECOND)
    assert masks.overlay == "why"


def test_while_the_game_is_paused_a_press_is_no_stop_and_closes_nothing(masks: Table) -> None:
    masks.key("p")
    frame = masks.app.frame()
    assert isinstance(frame, GameFrame)
    assert masks.app._pages["game"].active_overlay(frame) == "menu"
    for panel in ("", "log"):
        masks.app.carry_out(do.ChangeSetting("overlay", panel))
        masks.press(2)
        assert (stops(masks), masks.overlay) == ([], panel)
    masks.app.carry_out(do.ChangeSetting("overlay", ""))
    masks.app.carry_out(do.ContinueGame())
    masks.run(SECOND)
    assert stops(masks) == [], "it is not made up for afterwards"


def test_a_count_that_begins_closes_the_panel_and_it_stays_closed_when_hands_are_down(hands: Table) -> None:
    hands.app.carry_out(do.ChangeSetting("overlay", "log"))
    hands.app.carry_out(do.DeclareAction(Action(0, "announce", 7)))
    hands.run(1_500 * MILLI)
    assert (hands.state.phase, hands.overlay) == ("counting", "")
    hands.run(4 * SECOND)
    assert (hands.state.phase == "counting", hands.overlay) == (False, "")


def test_a_panel_opened_in_a_count_voids_it_and_stays_open(hands: Table) -> None:
    hands.app.carry_out(do.DeclareAction(Action(0, "announce", 7)))
    hands.run(1_500 * MILLI)
    hands.key("l")
    hands.run(SECOND)
    assert (hands.overlay, hands.state.desk.paused) == ("log", True)
    causes = [entry.cause for entry in hands.session.game.referee.journal.entries]
    assert isinstance(causes[-1], ob.PauseRequested)


def test_why_asked_of_an_old_ruling_is_about_the_newest_when_it_is_asked_again(hands: Table) -> None:
    hands.app.carry_out(do.DeclareAction(Action(0, "announce", 7)))
    hands.run(SECOND)
    hands.key("l")
    old = min(line.seq for line in _told(hands).log if line.why)
    hands.touch(f"line:{old}")
    assert (hands.overlay, hands.app.ui_state.about) == ("why", old)
    hands.key("w")
    hands.key("w")
    assert (hands.overlay, hands.app.ui_state.about) == ("why", -1)
    hands.key("a")
    assert (hands.overlay, hands.app.ui_state.about) == ("may", -1)


def test_bring_back_is_offered_only_while_there_is_something_to_bring_back(hands: Table) -> None:
    def offered() -> bool:
        page = hands.app._pages["game"]
        return "put_back" in {target.key for target in page.painted_sheet(hands.app.frame()).targets}

    hands.key("m")
    hands.touch("wrong")
    assert not offered()
    hands.app.carry_out(do.UndoRuling())
    hands.run()
    assert offered()
    hands.touch("put_back")
    hands.key("m")
    hands.touch("wrong")
    assert not offered()


def _told(table: Table) -> GameFrame:
    frame = table.app.frame()
    assert isinstance(frame, GameFrame)
    return frame
