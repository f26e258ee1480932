"""The referee: judging, taking back, bringing back, correcting, and windows that count whole or not."""

from __future__ import annotations

import pytest
from lantern.rules import (
    BACK,
    LANTERN,
    BeatFell,
    CardLaid,
    Caught,
    Lantern,
    LanternState,
)
from msgspec.structs import replace

from companion.core import events as ev
from companion.core import observations as ob
from companion.core.actions import SECOND, Micros, Outcome, Timer
from companion.core.events import Event
from companion.core.view import Sentence
from companion.referee.journal import Entry, MemoryJournal
from companion.referee.referee import Referee, StuckTimerError
from tests.referee.lantern_play import (
    COUNT,
    END,
    FIRST,
    OTHER,
    before_the_count,
    declared,
    header,
    in_the_window,
    new,
    seen,
)
from tests.referee.refereed import LATER, announced


def causes(entries: list[Entry[Event]]) -> list[str]:
    return [ev.kind_of(entry.cause) for entry in entries]


# Judging ----------------------------------------------------------------------------------------------------


def test_an_observation_is_written_with_what_was_ruled() -> None:
    referee = announced()
    assert referee.journal.entries[1] == Entry(1, seen(1_000_000, 0, "sun"), (CardLaid(0, "sun"),))
    assert referee.state.phase == "call"


def test_an_observation_that_means_nothing_is_written_all_the_same() -> None:
    referee = announced()
    state = referee.state
    pressed = ob.ButtonPressed(at=3_500_000, chair=OTHER)
    assert referee.observe(pressed) == Entry(4, pressed, ())
    assert referee.state is state


def test_a_very_long_game_writes_no_press_that_means_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A contact that chatters would make it longer than a journal that can be read."""
    monkeypatch.setattr("companion.referee.referee.MAX_WITH_IDLE_PRESSES", 4)
    referee = announced()
    for at in (3_500_000, 3_600_000):
        referee.observe(ob.ButtonPressed(at=at, chair=OTHER))
        assert referee.ticket is not None
        assert referee.ticket.announceable
    assert len(referee.journal.entries) == 4
    referee.observe(COUNT)
    assert len(referee.journal.entries) == 5


def test_timers_are_judged_in_order_at_their_due_times() -> None:
    referee = announced()
    referee.observe(COUNT)
    fired = referee.fire_timers(LATER)
    assert [entry.cause for entry in fired] == [
        ob.TimerElapsed(at=COUNT.at + 1 * SECOND, timer="beat"),
        ob.TimerElapsed(at=COUNT.at + 2 * SECOND, timer="beat"),
        ob.TimerElapsed(at=COUNT.at + 3 * SECOND, timer="end"),
    ]
    assert referee.next_timer() is None


def test_a_timer_due_at_the_instant_itself_waits_for_what_is_stamped_there() -> None:
    referee = in_the_window()
    referee.fire_timers(END)
    assert referee.state.phase == "window"
    assert referee.observe(ob.ButtonPressed(at=END, chair=OTHER)).events == (Caught(OTHER),)
    referee.fire_timers(END + 1)
    assert referee.state.phase == "answer"


class Stuck(Lantern):
    """A game whose timer comes back for ever."""

    def timer(self, state: LanternState) -> Timer | None:
        return Timer("again", 5)

    def judge_timer(self, state: LanternState, timer: str, at: Micros) -> tuple[Event, ...]:
        return (BeatFell(1),)


def test_a_timer_that_stands_after_its_own_ruling_raises_and_is_not_written() -> None:
    referee = Referee(Stuck(), MemoryJournal(header()))
    with pytest.raises(StuckTimerError, match="again"):
        referee.fire_timers(6)
    assert list(referee.journal.entries) == []


def test_the_journal_is_told_how_the_game_stands_ended() -> None:
    told: list[Outcome | None] = []

    class Listening(MemoryJournal):
        def append(self, entry: Entry[Event], outcome: Outcome | None = None):  # type: ignore[no-untyped-def]
            told.append(outcome)
            return super().append(entry, outcome)

    referee = new(Listening(header()))
    referee.observe(before_the_count()[0])
    referee.observe(ob.AbandonRequested(at=2))
    referee.undo(3)
    assert told == [None, Outcome("abandoned", ()), None]


def test_a_referee_resumes_where_the_journal_stands() -> None:
    played = in_the_window()
    played.undo(END - 1)
    resumed = new(MemoryJournal(played.journal.header, played.journal.entries))
    assert resumed.state == played.state
    assert [resumed.state_before(seq) for seq in range(7)] == [played.state_before(seq) for seq in range(7)]
    assert resumed.find_redoable() == played.find_redoable() is not None


def test_the_clock_goes_on_from_the_latest_instant_even_if_it_was_not_written_last() -> None:
    referee = announced()
    referee.observe(ob.ButtonPressed(at=1, chair=OTHER))
    assert referee.at == 3_000_000
    assert new().at == 0


# Taking back ------------------------------------------------------------------------------------------------


def test_undo_takes_back_the_last_ruling() -> None:
    referee = announced()
    entry = referee.undo(9)
    assert entry == Entry(4, ob.UndoRequested(at=9), (), retracts=3)
    assert referee.state == referee.state_before(3)


def test_undo_again_and_again_comes_to_the_beginning_but_no_lot_is_drawn_again() -> None:
    referee = announced()
    for _ in range(3):
        assert referee.undo(9) is not None
    assert referee.state == referee.state_after(0)
    assert isinstance(referee.journal.entries[0].cause, ob.RandomDraw)
    assert referee.undo(9) is None
    assert len(referee.journal.entries) == 7


def test_bookkeeping_and_idle_observations_are_no_rulings_to_take_back() -> None:
    referee = announced()
    referee.undo(9)  # asked for a number again
    for idle in (
        ob.ButtonPressed(at=10, chair=FIRST),
        ob.ButtonReleased(at=11, chair=FIRST),
        seen(12, 3, BACK),
        ob.CameraLost(at=13),
        ob.ProgramRestarted(at=14),
        ob.PauseRequested(at=15),
        ob.ResumeRequested(at=16),
    ):
        referee.observe(idle)
    undone = referee.undo(20)
    assert undone is not None
    assert undone.retracts == 2


def test_a_camera_that_is_lost_stays_lost_whatever_is_taken_back() -> None:
    referee = announced()
    referee.observe(ob.CameraLost(at=9))
    undone = referee.undo(10)
    assert undone is not None
    assert undone.events == (ev.CameraWentDark(),)
    assert referee.state.desk.blind


def test_a_paused_game_stays_paused_whatever_is_taken_back() -> None:
    referee = announced()
    referee.observe(ob.PauseRequested(at=9))
    undone = referee.undo(10)
    assert undone is not None
    assert undone.events == (ev.GamePaused(),)
    assert referee.state == replace(referee.state_before(3), desk=replace(referee.state.desk, paused=True))


def test_a_game_ended_by_mistake_is_brought_back() -> None:
    referee = announced()
    before = referee.state
    referee.observe(ob.AbandonRequested(at=9))
    assert LANTERN.outcome(referee.state) is not None
    referee.undo(10)
    assert referee.state == before


def test_what_is_to_be_put_back_is_asked_before_it_is_taken_back() -> None:
    referee = new()
    for observation in before_the_count()[:3]:
        referee.observe(observation)
    assert referee.undo_instructions() == (Sentence("lantern.put_back", (("slot", "place-0"),)),)
    assert len(referee.journal.entries) == 3
    assert new().undo_instructions() == ()


# Bringing back ----------------------------------------------------------------------------------------------


def test_redo_brings_back_exactly_what_stood() -> None:
    referee = announced()
    before = referee.state
    referee.undo(9)
    entry = referee.redo(10)
    assert entry == Entry(5, ob.UndoRequested(at=10, redo=True), (), retracts=4)
    assert referee.state == before


def test_several_undos_are_brought_back_one_by_one() -> None:
    referee = announced()
    states = [referee.state]
    for _ in range(3):
        referee.undo(9)
        states.append(referee.state)
    for state in states[-2::-1]:
        assert referee.redo(10) is not None
        assert referee.state == state
    assert referee.redo(11) is None


def test_redo_ends_where_something_new_is_ruled() -> None:
    referee = announced()
    referee.undo(9)
    referee.observe(declared(10, 0, "name", 5))
    assert referee.redo(11) is None


def test_redo_is_still_possible_after_a_restart() -> None:
    referee = announced()
    before = referee.state
    referee.undo(9)
    resumed = new(MemoryJournal(referee.journal.header, referee.journal.entries))
    resumed.observe(ob.ProgramRestarted(at=10))
    resumed.redo(11)
    assert resumed.state == before


def test_without_an_undo_there_is_nothing_to_bring_back() -> None:
    assert announced().redo(9) is None


def test_undo_and_redo_come_as_observations_too() -> None:
    referee, other = announced(), announced()
    referee.observe(ob.UndoRequested(at=9))
    referee.observe(ob.UndoRequested(at=10, redo=True))
    other.undo(9)
    other.redo(10)
    assert list(referee.journal.entries) == list(other.journal.entries)
    assert new().observe(ob.UndoRequested(at=1)) == Entry(0, ob.UndoRequested(at=1), ())


# Windows ----------------------------------------------------------------------------------------------------


def test_undo_inside_a_window_voids_it_and_the_announcement_stands() -> None:
    referee = in_the_window()
    referee.observe(ob.ButtonPressed(at=5_500_000, chair=OTHER))
    undone = referee.undo(5_600_000)
    assert undone is not None
    assert undone.events == (ev.WindowVoided("undo"),)
    assert (referee.state.phase, referee.state.number, referee.state.attempt) == ("call", 3, 1)


def test_undo_of_the_verdict_asks_for_the_whole_window_again() -> None:
    referee = in_the_window()
    referee.fire_timers(END + 1)
    undone = referee.undo(END + 5)
    assert undone is not None
    assert undone.events == (ev.WindowVoided("undo"),)
    assert referee.state.phase == "call"


@pytest.mark.parametrize(
    "void",
    [ob.PauseRequested(at=5_600_000), ob.ProgramRestarted(at=5_600_000), ob.UndoRequested(at=5_600_000)],
)
def test_after_a_voided_window_undo_takes_back_the_announcement_next(void: ob.AnyObservation) -> None:
    """Nothing of the window is left to take back, and that it was opened is nothing anybody sees."""
    referee = in_the_window()
    referee.observe(ob.ButtonPressed(at=5_500_000, chair=OTHER))
    referee.observe(void)
    undone = referee.undo(5_700_000)
    assert undone is not None
    assert undone.retracts == 3
    assert referee.state.phase == "name"


def test_bringing_back_what_was_taken_inside_a_window_does_not_bring_back_half_a_window() -> None:
    referee = in_the_window()
    referee.undo(5_600_000)
    redone = referee.redo(5_700_000)
    assert redone is not None
    assert redone.events == (ev.WindowVoided("undo"),)
    assert referee.state.phase == "call"


def test_a_correction_inside_a_window_voids_it() -> None:
    referee = in_the_window()
    corrected = referee.correct(3, declared(0, 0, "name", 4), 5_600_000)
    assert corrected.events == (ev.WindowVoided("correction"),)
    assert (referee.state.phase, referee.state.number) == ("call", 4)


def test_a_restart_inside_a_window_voids_it_before_any_timer() -> None:
    played = in_the_window()
    resumed = new(MemoryJournal(played.journal.header, played.journal.entries))
    resumed.observe(ob.ProgramRestarted(at=resumed.at))
    assert resumed.fire_timers(LATER) == []
    assert resumed.state.phase == "call"
