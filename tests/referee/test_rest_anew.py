"""What has to rest before the camera rests anew wherever nothing was judged for a while."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from companion.core import observations as ob
from companion.core.actions import SECOND
from companion.core.clock import ManualClock
from companion.core.events import Infraction
from companion.games.dnup.rules.model import SetPlayed
from companion.games.kabuki.rules.model import MaskPlaced, StopAssigned
from companion.games.kit.trick_table import CardPlayed
from companion.referee.journal.valid_entries import fold
from companion.referee.loop import RefereedGame
from companion.referee.referee import Referee
from companion.table.session import Session
from companion.testing.random_walks import GameCase, walk_randomly
from tests.games.dnup.dnup_table import face
from tests.games.test_choices import CASES
from tests.referee.game_hands import tap
from tests.referee.test_standstill_unseen import Still
from tests.table.loop import MILLI, ListVoice

AWAY = 30 * SECOND


def away(table: Still, how: str) -> None:
    """Nobody judges for a while, and then the camera has had time to read."""
    if how == "restart":
        rules = table.game.referee.rules
        table.game = RefereedGame(Referee(rules, table.game.referee.journal), chance=lambda _: 0)
        table.clock = clock = ManualClock(table.game.referee.at)
        table.session = Session(table.game, clock=clock, voice=ListVoice(clock, available=False))
        table.run(3 * SECOND)  # the camera is opened
    else:
        table.session.submit(ob.PauseRequested(at=table.now))
        table.run(AWAY)
        table.session.submit(ob.ResumeRequested(at=table.now))
        table.run(700 * MILLI)


def masks() -> Still:
    table = Still("kabuki")
    for seat, verb, value in ((0, "begin", None), (0, "place", "sun@1"), (1, "place", "wave@2")):
        table.say(seat, verb, value)
    table.run(2 * SECOND)
    return table


def a_set() -> Still:
    table = Still("dnup", settle_s=2)
    table.say(0, "prepared")
    table.say(0, "star")
    table.see("set:1", face("3/8"))
    table.run(1600 * MILLI)
    return table


def sets(table: Still) -> list[tuple[int, int]]:
    return [(played.seat, played.count) for played in table.events(SetPlayed)]


@pytest.mark.parametrize("how", ["pause", "restart"])
def test_an_arm_that_left_while_nothing_was_judged_is_no_mask(how: str) -> None:
    table = masks()
    table.see("stack:2", ob.SeenCard("unknown"))
    table.run(500 * MILLI)
    away(table, how)
    table.see("stack:2", ob.SeenCard("mask:wave"))
    table.run(8 * SECOND)
    assert len(table.events(MaskPlaced)) == 2
    assert table.replayed() == table.game.referee.state


@pytest.mark.parametrize("how", ["pause", "restart"])
def test_a_card_that_was_laid_while_nothing_was_judged_belongs_to_the_set(how: str) -> None:
    table = a_set()
    away(table, how)
    table.see("set:1", face("3/8"), face("3/7"))
    table.run(8 * SECOND)
    assert sets(table) == [(0, 2)]
    assert table.replayed() == table.game.referee.state


@pytest.mark.parametrize("how", ["pause", "restart"])
def test_what_lay_still_counts_after_it_has_lain_still_once_more(how: str) -> None:
    table = a_set()
    away(table, how)
    if how == "restart":
        table.run(8 * SECOND)
        assert sets(table) == [], "nobody has seen it since"
        table.see("set:1", face("3/8"))
    assert sets(table) == []
    table.run(8 * SECOND)
    assert sets(table) == [(0, 1)]


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


def test_a_mask_that_waits_keeps_its_name_once_it_was_read_anew() -> None:
    table = masks()
    table.say(0, "stop")
    table.run(4 * SECOND)
    for _ in range(2):
        table.see("stack:3", ob.SeenCard("mask:leaf"))
        table.run(SECOND)
        waits = table.game.referee.state.pending.placement
        assert (waits.stack, waits.design) == (3, "leaf")
        table.stand(SECOND)
        table.run(200 * MILLI)
        assert not table.game.referee.state.pending.placement.design
    table.see("stack:3", ob.SeenCard("mask:leaf"))
    table.run(SECOND)
    table.say(0, "withdraw")
    assert table.events(MaskPlaced)[-1].mask == "leaf"
    assert table.replayed() == table.game.referee.state


def test_masks_that_lie_wrong_still_do_when_they_are_read_anew_one_after_the_other() -> None:
    table = masks()
    both = [
        ob.RegionReading(f"stack:{at}", (ob.SeenCard(f"mask:{one}"),), 1, 2)
        for at, one in ((3, "leaf"), (4, "lion"))
    ]
    table.session.submit(ob.TableSeen(at=table.now, regions=tuple(both)))
    table.run(SECOND)
    table.stand(SECOND)
    for region in both:
        table.session.submit(ob.TableSeen(at=table.now, regions=(region,)))
        table.run(3 * SECOND)
    assert len(table.events(MaskPlaced)) == 2
    assert [fault.rule for fault in table.events(Infraction)] == ["place.two_stacks"]
    table.see("stack:4", ob.SeenCard("actor:4"))
    table.run(SECOND)
    assert table.events(MaskPlaced)[-1].mask == "leaf"


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


def test_undo_goes_past_what_was_only_read_anew_after_the_undo_before_it() -> None:
    table = masks()
    table.see("stack:1", ob.SeenCard("mask:leaf"))
    table.run(3 * SECOND)
    for placed in (2, 1):
        table.session.submit(ob.UndoRequested(at=table.now, done=True))
        table.run(700 * MILLI)
        table.see("stack:1", ob.SeenCard("mask:sun"))  # the table is read anew
        table.run(3 * SECOND)
        assert table.game.referee.state.placed == placed


@pytest.mark.parametrize("how", ["pause", "standstill"])
def test_the_time_that_a_camera_needs_to_start_is_cut_short_by_nothing(how: str) -> None:
    table = a_set()
    if how == "pause":
        pause(table)
    away(table, "restart")
    if how == "pause":
        table.session.submit(ob.ResumeRequested(at=table.now))
    else:
        table.stand(300 * MILLI)
        table.run(SECOND)
    table.see("set:1", face("3/8"))
    table.run(2500 * MILLI)
    assert sets(table) == []
    table.run(2500 * MILLI)
    assert sets(table) == [(0, 1)]


# What was read in a pause -----------------------------------------------------------------------------------


def pause(table: Still) -> None:
    table.session.submit(ob.PauseRequested(at=table.now))
    table.run(SECOND)


def resume(table: Still) -> None:
    table.session.submit(ob.ResumeRequested(at=table.now))
    table.run(8 * SECOND)


@pytest.mark.parametrize("started_again", [False, True])
def test_what_was_read_in_a_pause_is_judged_when_play_goes_on(started_again: bool) -> None:
    table = a_set()
    pause(table)
    table.see("set:1", face("3/8"), face("3/7"))
    table.run(AWAY)
    if started_again:
        away(table, "restart")
        table.see("set:1", face("3/8"), face("3/7"))  # the camera reads the whole table anew
        table.run(SECOND)
    assert sets(table) == []
    resume(table)
    assert sets(table) == [(0, 2)]
    assert table.replayed() == table.game.referee.state


def test_only_what_a_place_was_read_to_hold_last_is_told_after_a_pause() -> None:
    """The wave was covered meanwhile: nobody may be told that it ever lay there."""
    table = masks()
    pause(table)
    table.see("stack:3", ob.SeenCard("mask:lion"))
    table.run(SECOND)
    table.see("stack:3", ob.SeenCard("mask:leaf"))
    table.run(SECOND)
    resume(table)
    assert [placed.mask for placed in table.events(MaskPlaced)] == ["sun", "wave", "leaf"]
    assert "lion" not in str(table.session.view)


def test_masks_that_were_laid_in_a_pause_are_judged_one_after_the_other() -> None:
    table = masks()
    pause(table)
    for stack, mask in ((3, "leaf"), (4, "lion")):
        table.see(f"stack:{stack}", ob.SeenCard(f"mask:{mask}"))
        table.run(2 * SECOND)
    resume(table)
    assert [placed.mask for placed in table.events(MaskPlaced)] == ["sun", "wave", "leaf", "lion"]


def test_a_second_pause_tells_nothing_of_the_first_again() -> None:
    table = a_set()
    pause(table)
    table.see("set:1", face("3/8"), face("3/7"))
    resume(table)
    entries = len(table.game.referee.journal.entries)
    pause(table)
    resume(table)
    seen = [e for e in table.game.referee.journal.entries[entries:] if isinstance(e.cause, ob.TableSeen)]
    assert seen == []


def cards(*laid: tuple[int, str]) -> Still:
    table = Still("hearts")
    for seat, card in laid:
        table.see(f"seat_card:{seat}", ob.SeenCard(card))
        table.run(SECOND)
    return table


@pytest.mark.parametrize("how", ["restart", "dark", "standstill"])
def test_what_was_read_in_a_pause_before_nobody_saw_the_table_counts_once_it_is_read_again(how: str) -> None:
    table = cards((3, "clubs:2"))
    pause(table)
    table.see("seat_card:0", ob.SeenCard("diamonds:8"))
    table.run(SECOND)
    if how == "restart":
        away(table, how)
    elif how == "dark":
        table.session.submit(ob.CameraLost(at=table.now))
        table.run(SECOND)
    else:
        table.stand(300 * MILLI)
        table.run(SECOND)
    resume(table)
    assert [play.seat for play in table.events(CardPlayed)] == []
    table.see("seat_card:0", ob.SeenCard("diamonds:8"))
    table.run(SECOND)
    assert [play.seat for play in table.events(CardPlayed)] == [0]


@pytest.mark.parametrize("meanwhile", ["taken up", "restart", "another"])
def test_what_lay_early_before_a_game_was_given_up_counts_as_it_is_read_then(meanwhile: str) -> None:
    table = cards((3, "clubs:2"), (1, "diamonds:8"))
    table.session.submit(ob.AbandonRequested(at=table.now))
    table.run(SECOND)
    if meanwhile == "restart":
        away(table, "restart")
    else:
        table.see("seat_card:1", *[ob.SeenCard("diamonds:9")] * (meanwhile == "another"))
        table.run(SECOND)
    table.session.submit(ob.UndoRequested(at=table.now))
    table.run(SECOND)
    table.say(0, "play", "clubs|5")
    played = [(play.seat, play.card) for play in table.events(CardPlayed)]
    assert played == [(0, "clubs|5"), (1, "diamonds|9")][: 1 + (meanwhile == "another")]
    assert table.replayed() == table.game.referee.state


# In every game ----------------------------------------------------------------------------------------------

GOES_ON: dict[str, Any] = {
    "pause": (ob.PauseRequested, ob.ResumeRequested),
    "restart": (ob.ProgramRestarted,),
    "undo": (ob.UndoRequested,),
}


@pytest.mark.parametrize("how", GOES_ON)
@pytest.mark.parametrize("case", CASES)
def test_no_wait_is_over_at_once_when_a_table_goes_on(case: GameCase, how: str) -> None:
    """A count begins anew, a clock has what was left, and what rests rests for its whole time."""
    rules = case.rules
    for seed in range(2):
        for referee in walk_randomly(case, Random(seed), steps=30, nonsense=0):
            before, when = referee.state, referee.at + AWAY
            if rules.outcome(before) is not None:
                continue
            if how != "undo":
                waits = rules.next_timer(before)
                since, state = referee.at, before
                for kind, at in zip(GOES_ON[how], (since, when), strict=False):
                    state = fold(rules.evolve, state, rules.decide(state, kind(at=at)))
                when = at
            elif (target := referee.find_undoable()) is not None:
                earlier = referee.state_before(target.seq)
                waits, since = rules.next_timer(earlier), target.cause.at
                state = fold(rules.evolve, earlier, referee.judge(ob.UndoRequested(at=when)).events)
            else:
                continue
            timer = rules.next_timer(state)
            if timer is not None and timer.name == "placed":
                continue  # a mask that lies there, and only waited for a Stop that is void
            if waits is not None and waits.due > since:
                assert timer is None or timer.due > when, f"{timer} after {waits} when it goes on at {when}"


def test_a_set_that_was_said_is_no_reading_of_the_camera_after_nobody_saw_the_table() -> None:
    """Taken back, the values that were said would have lain there as if read, and been a set."""
    table = a_set()
    referee = table.game.referee
    referee.observe(ob.TableDeclared(at=table.now, table=(("size:1", 1), ("value:1", 9))))
    table.see("set:2", face("2/5"))
    table.run(SECOND)
    assert referee.state.areas[1].seen == ("2/5",)
    referee.observe(ob.ProgramRestarted(at=table.now))
    assert referee.state.areas[1].seen is None


def test_a_set_in_a_game_that_was_over_is_read_anew_whatever_is_corrected_before() -> None:
    table = a_set()
    referee = table.game.referee
    reading = next(entry for entry in referee.standing_entries() if isinstance(entry.cause, ob.TableSeen))
    referee.observe(ob.AbandonRequested(at=table.now))
    referee.observe(ob.UndoRequested(at=table.now))
    unread = referee.state
    assert unread.due is None
    referee.observe(ob.CorrectionRequested(at=table.now, seq=reading.seq, truth=reading.cause))
    assert referee.state == unread
