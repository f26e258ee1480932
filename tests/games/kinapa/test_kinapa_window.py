"""The window of a count: opened by the beat that is heard, and void as a whole when it is cut."""

from __future__ import annotations

import pytest

from companion.core.actions import SECOND, Micros
from companion.core.events import WindowVoided
from companion.core.observations import (
    AdapterLost,
    CountStalled,
    CueHeard,
    PauseRequested,
    ProgramRestarted,
    ResumeRequested,
)
from companion.games.kinapa.rules.model import CountOpened, HandsLocked
from tests.games.kinapa.kinapa_table import RULES, A, B, C, D, Table, given

FIRST_BEAT: Micros = 1_234_567
END: Micros = FIRST_BEAT + 3 * SECOND


def announced(number: int = 7, **options: object) -> Table:
    table = given(**options)
    table.say(A, "announce", number)
    return table


def counting(**options: object) -> Table:
    table = announced(**options)
    table.cue(FIRST_BEAT)
    return table


def test_the_window_opens_with_the_beat_that_is_heard():
    table = announced()
    assert table.cue(FIRST_BEAT) == (CountOpened(first_beat=FIRST_BEAT, by="sound"),)


def test_an_unheard_count_opens_by_itself_after_two_seconds_and_says_so():
    table = announced()
    said = table.at
    table.elapse(said + 2 * SECOND - 1)
    assert table.of(CountOpened) == []
    table.elapse(said + 2 * SECOND)
    assert table.of(CountOpened) == [CountOpened(first_beat=said + 2 * SECOND, by="timer")]


def test_a_beat_of_another_asking_opens_nothing():
    table = announced()
    cue = RULES.awaited_cue(table.state)
    assert cue is not None
    assert table.observe(CueHeard(at=table.at + 1, cue=cue.name, attempt=cue.attempt + 1)) == ()
    assert table.observe(CueHeard(at=table.at + 1, cue="another", attempt=cue.attempt)) == ()
    assert table.of(CountOpened) == []


def test_a_beat_heard_twice_moves_nothing():
    table = announced()
    cue = RULES.awaited_cue(table.state)
    assert cue is not None
    table.cue(FIRST_BEAT)
    assert table.observe(CueHeard(at=FIRST_BEAT + SECOND, cue=cue.name, attempt=cue.attempt)) == ()
    table.elapse(END)
    assert len(table.of(HandsLocked)) == 1


@pytest.mark.parametrize(
    ("cut", "reason"),
    [
        (PauseRequested(at=FIRST_BEAT + SECOND), "pause"),
        (ProgramRestarted(at=FIRST_BEAT + SECOND), "restart"),
        (AdapterLost(at=FIRST_BEAT + SECOND, adapter="usb", reason="gone"), "adapter"),
        (CountStalled(at=FIRST_BEAT + SECOND), "stalled"),
    ],
)
def test_a_count_that_is_cut_is_void_and_asked_for_again(
    cut: PauseRequested | ProgramRestarted | AdapterLost | CountStalled, reason: str
):
    table = counting()
    table.press(B)
    assert WindowVoided(reason) in table.observe(cut)
    table.observe(ResumeRequested(at=table.at + 1))
    assert RULES.next_timer(table.state) is None
    assert table.state.turn.number == 7, "The announcement stands"
    assert table.state.raised == (), "Hands of a void window do not count"
    assert table.say(A, "recount")
    table.press(C)
    table.cue()
    table.elapse(table.at + 3 * SECOND)
    assert table.of(HandsLocked) == [HandsLocked(raised=(C,), lowered=(B, D))]


def test_a_pause_between_announcement_and_first_beat_voids_the_window_too():
    table = announced()
    table.press(B)
    assert WindowVoided("pause") in table.observe(PauseRequested(at=table.at + 1))
    table.observe(ResumeRequested(at=table.at + 1))
    assert table.state.raised == ()


def test_a_voided_count_does_not_open_by_the_old_beat():
    table = announced()
    old = RULES.awaited_cue(table.state)
    assert old is not None
    table.observe(PauseRequested(at=table.at + 1))
    table.observe(ResumeRequested(at=table.at + 1))
    table.say(A, "recount")
    new = RULES.awaited_cue(table.state)
    assert new is not None
    assert new.attempt != old.attempt
    table.observe(CueHeard(at=table.at + 1, cue=old.name, attempt=old.attempt))
    assert table.of(CountOpened) == []


def test_nothing_counts_while_the_game_is_paused():
    table = given()
    table.observe(PauseRequested(at=table.at + 1))
    assert table.say(A, "announce", 3) == ()
    assert table.legal == frozenset()
    assert RULES.controls(table.state) == {}


def test_under_hold_a_button_that_stays_down_over_a_pause_is_raised_at_the_next_first_beat():
    table = counting(hand="hold")
    table.press(B)
    table.observe(PauseRequested(at=table.at + 1))
    table.observe(ResumeRequested(at=table.at + 1))
    table.say(A, "recount")
    table.cue()
    table.elapse(table.at + 3 * SECOND)
    assert table.of(HandsLocked)[-1].raised == (B,)


def test_under_hold_a_button_let_go_during_a_pause_is_not_raised():
    table = counting(hand="hold")
    table.press(B)
    table.observe(PauseRequested(at=table.at + 1))
    table.release(B)
    table.observe(ResumeRequested(at=table.at + 1))
    table.say(A, "recount")
    table.cue()
    table.elapse(table.at + 3 * SECOND)
    assert table.of(HandsLocked)[-1].raised == ()
