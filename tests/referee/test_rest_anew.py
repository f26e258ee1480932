"""What has to rest before the camera rests anew wherever nothing was judged for a while."""

from __future__ import annotations

import pytest

from companion.core import observations as ob
from companion.core.actions import SECOND
from companion.core.clock import ManualClock
from companion.games.dnup.rules.model import SetPlayed
from companion.games.kabuki.rules.model import MaskPlaced, StopAssigned
from companion.referee.loop import RefereedGame
from companion.referee.referee import Referee
from companion.table.session import Session
from tests.games.dnup.dnup_table import face
from tests.referee.game_hands import tap
from tests.referee.test_standstill_unseen import Still
from tests.table.loop import MILLI, ListVoice


def away(table: Still, how: str) -> None:
    """Nobody judges for a while, and then the camera has had time to read."""
    if how == "restart":
        rules = table.game.referee.rules
        table.game = RefereedGame(Referee(rules, table.game.referee.journal), chance=lambda _: 0)
        table.clock = clock = ManualClock(table.game.referee.at)
        table.session = Session(table.game, clock=clock, voice=ListVoice(clock, available=False))
        table.run(3 * SECOND)  # the camera is opened
    else:
        lost, back = {
            "pause": (ob.PauseRequested, ob.ResumeRequested),
            "camera": (ob.CameraLost, ob.CameraRecovered),
        }[how]
        table.session.submit(lost(at=table.now))
        table.run(20 * SECOND)
        table.session.submit(back(at=table.now))
        table.run(700 * MILLI)


def masks() -> Still:
    table = Still("kabuki")
    for seat, verb, value in ((0, "begin", None), (0, "place", "sun@1"), (1, "place", "wave@2")):
        table.say(seat, verb, value)
    table.run(2 * SECOND)
    return table


@pytest.mark.parametrize("how", ["pause", "camera", "restart"])
def test_an_arm_that_left_while_nothing_was_judged_is_no_mask(how: str) -> None:
    table = masks()
    table.see("stack:2", ob.SeenCard("unknown"))
    table.run(500 * MILLI)
    away(table, how)
    table.see("stack:2", ob.SeenCard("mask:wave"))
    table.run(4 * SECOND)
    assert len(table.events(MaskPlaced)) == 2
    assert table.replayed() == table.game.referee.state


@pytest.mark.parametrize("how", ["pause", "camera", "restart"])
def test_a_card_that_was_laid_while_nothing_was_judged_belongs_to_the_set(how: str) -> None:
    table = Still("dnup", settle_s=2)
    table.say(0, "prepared")
    table.say(0, "star")
    table.see("set:1", face("3/8"))
    table.run(1600 * MILLI)
    away(table, how)
    table.see("set:1", face("3/8"), face("3/7"))
    table.run(3 * SECOND)
    assert [(played.seat, played.count) for played in table.events(SetPlayed)] == [(0, 2)]


def test_a_stop_before_a_pause_waits_after_it_for_the_mask_that_it_is_about() -> None:
    table = masks()
    at = table.now
    for edge in tap(0, at):
        table.session.submit(edge)
    table.run(400 * MILLI)
    away(table, "pause")
    lies = at - 200 * MILLI
    leaf = ob.RegionReading("stack:3", (ob.SeenCard("mask:leaf"),), lies - 50 * MILLI, lies)
    table.session.submit(ob.TableSeen(at=table.now, regions=(leaf,)))
    table.run(4 * SECOND)
    assert [stop.stack for stop in table.events(StopAssigned)] == [3]


def test_what_a_ruling_hid_rests_anew_once_that_is_taken_back() -> None:
    table = masks()
    table.see("stack:3", ob.SeenCard("unknown"))
    table.run(500 * MILLI)
    table.say(2, "place", "leaf@3")
    table.run(20 * SECOND)
    table.session.submit(ob.UndoRequested(at=table.now))
    table.run(700 * MILLI)
    table.see("stack:3", ob.SeenCard("actor:3"))
    table.run(4 * SECOND)
    assert table.game.referee.state.placed == 2
