"""The referee: judging, taking back, bringing back, correcting, and windows that count whole or not."""

from __future__ import annotations

import pytest
from lantern.rules import (
    BACK,
    LANTERN,
    Answered,
    BeatFell,
    CardLaid,
    CardTurned,
    Caught,
    Lantern,
    LanternState,
    NumberNamed,
    WindowClosed,
    WindowOpened,
)
from lantern_play import (
    COUNT,
    END,
    FIRST,
    OTHER,
    SETUP,
    before_the_count,
    declared,
    header,
    in_the_window,
    new,
    next_turn,
    seen,
)
from msgspec.structs import replace

from companion.core import events as ev
from companion.core import observations as ob
from companion.core.actions import SECOND, Micros, Outcome, Timer
from companion.core.events import Event
from companion.core.view import Sentence
from companion.referee.journal import Entry, MemoryJournal, Rejudged, header_of, replay
from companion.referee.referee import NotCorrectable, Referee, StuckTimer

LATER = 60 * SECOND


def announced() -> Referee[LanternState]:
    referee = new()
    for observation in before_the_count():
        referee.observe(observation)
    return referee


def causes(entries: list[Entry[Event]]) -> list[str]:
    return [type(entry.cause).__name__ for entry in entries]


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

    def elapsed(self, state: LanternState, timer: str, at: Micros) -> tuple[Event, ...]:
        return (BeatFell(1),)


def test_a_timer_that_stands_after_its_own_ruling_raises_and_is_not_written() -> None:
    referee = Referee(Stuck(), MemoryJournal(header()))
    with pytest.raises(StuckTimer, match="again"):
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
    referee.observe(ob.Abandoned(at=2))
    referee.undo(3)
    assert told == [None, Outcome("abandoned", ()), None]


def test_a_referee_resumes_where_the_journal_stands() -> None:
    played = in_the_window()
    played.undo(END - 1)
    resumed = new(MemoryJournal(played.journal.header, played.journal.entries))
    assert resumed.state == played.state
    assert [resumed.state_before(seq) for seq in range(7)] == [played.state_before(seq) for seq in range(7)]
    assert resumed.redoable() == played.redoable() is not None


def test_the_clock_goes_on_from_the_latest_instant_even_if_it_was_not_written_last() -> None:
    referee = announced()
    referee.observe(ob.ButtonPressed(at=1, chair=OTHER))
    assert referee.at == 3_000_000
    assert new().at == 0


# Taking back ------------------------------------------------------------------------------------------------


def test_undo_takes_back_the_last_ruling() -> None:
    referee = announced()
    entry = referee.undo(9)
    assert entry == Entry(4, ob.TakenBack(at=9), (), retracts=3)
    assert referee.state == referee.state_before(3)


def test_undo_again_and_again_comes_to_the_beginning_but_no_lot_is_drawn_again() -> None:
    referee = announced()
    for _ in range(3):
        assert referee.undo(9) is not None
    assert referee.state == referee.state_after(0)
    assert isinstance(referee.journal.entries[0].cause, ob.Drawn)
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
        ob.Restarted(at=14),
        ob.Paused(at=15),
        ob.Resumed(at=16),
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
    referee.observe(ob.Paused(at=9))
    undone = referee.undo(10)
    assert undone is not None
    assert undone.events == (ev.GamePaused(),)
    assert referee.state == replace(referee.state_before(3), desk=replace(referee.state.desk, paused=True))


def test_a_game_ended_by_mistake_is_brought_back() -> None:
    referee = announced()
    before = referee.state
    referee.observe(ob.Abandoned(at=9))
    assert LANTERN.outcome(referee.state) is not None
    referee.undo(10)
    assert referee.state == before


def test_what_is_to_be_put_back_is_asked_before_it_is_taken_back() -> None:
    referee = new()
    for observation in before_the_count()[:3]:
        referee.observe(observation)
    assert referee.undo_puts_back() == (Sentence("lantern.put_back", (("slot", "place-0"),)),)
    assert len(referee.journal.entries) == 3
    assert new().undo_puts_back() == ()


# Bringing back ----------------------------------------------------------------------------------------------


def test_redo_brings_back_exactly_what_stood() -> None:
    referee = announced()
    before = referee.state
    referee.undo(9)
    entry = referee.redo(10)
    assert entry == Entry(5, ob.TakenBack(at=10, redo=True), (), retracts=4)
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
    resumed.observe(ob.Restarted(at=10))
    resumed.redo(11)
    assert resumed.state == before


def test_without_an_undo_there_is_nothing_to_bring_back() -> None:
    assert announced().redo(9) is None


def test_undo_and_redo_come_as_observations_too() -> None:
    referee, other = announced(), announced()
    referee.observe(ob.TakenBack(at=9))
    referee.observe(ob.TakenBack(at=10, redo=True))
    other.undo(9)
    other.redo(10)
    assert list(referee.journal.entries) == list(other.journal.entries)
    assert new().observe(ob.TakenBack(at=1)) == Entry(0, ob.TakenBack(at=1), ())


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
    "void", [ob.Paused(at=5_600_000), ob.Restarted(at=5_600_000), ob.TakenBack(at=5_600_000)]
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
    resumed.observe(ob.Restarted(at=resumed.at))
    assert resumed.fire_timers(LATER) == []
    assert resumed.state.phase == "call"


# Correcting -------------------------------------------------------------------------------------------------


def test_a_misread_card_is_corrected_and_what_followed_stands_under_its_old_number() -> None:
    referee = in_the_window()
    referee.fire_timers(END + 1)
    entry = referee.correct(1, seen(0, 0, "star"), LATER)
    assert entry.corrects == 1
    assert entry.events == ()
    assert [(ruling.seq, ruling.events) for ruling in entry.rejudged] == [
        (1, (CardLaid(0, "star"),)),
        (2, (CardTurned(0),)),
        (3, (NumberNamed(0, 3),)),
        (4, (WindowOpened(COUNT.at),)),
        (5, (BeatFell(1),)),
        (6, (BeatFell(2),)),
        (7, (WindowClosed(0, None, 1),)),
    ]
    assert referee.state.cards[0] == "star"
    assert referee.state == replace(referee.state_before(8), cards=("star", "", "", ""))
    assert replay(LANTERN, SETUP, referee.journal.entries) == referee.state


def test_what_a_correction_changed_is_told_and_nothing_else() -> None:
    referee = in_the_window()
    referee.fire_timers(END + 1)
    assert referee.news(referee.correct(1, seen(0, 0, "star"), LATER)) == (CardLaid(0, "star"),)


def test_the_truth_happened_when_what_was_corrected_happened() -> None:
    referee = announced()
    entry = referee.correct(1, seen(999, 0, "star"), LATER)
    assert isinstance(entry.cause, ob.Corrected)
    assert entry.cause.truth is not None
    assert (entry.cause.at, entry.cause.truth.at) == (LATER, 1_000_000)


def test_a_corrected_entry_can_be_corrected_again() -> None:
    referee = announced()
    referee.correct(1, seen(0, 0, "star"), LATER)
    referee.correct(1, seen(0, 0, "moon"), LATER + 1)
    assert referee.state.cards[0] == "moon"
    referee.correct(3, declared(0, 0, "name", 5), LATER + 2)
    assert (referee.state.cards[0], referee.state.number) == ("moon", 5)
    assert replay(LANTERN, SETUP, referee.journal.entries) == referee.state


def test_undo_takes_back_a_correction_as_a_whole_and_redo_brings_it_back() -> None:
    referee = announced()
    before = referee.state
    referee.correct(1, seen(0, 0, "star"), LATER)
    corrected = referee.state
    referee.undo(LATER + 1)
    assert referee.state == before
    referee.redo(LATER + 2)
    assert referee.state == corrected


def test_something_that_did_not_happen_is_gone_and_the_table_is_told_where_it_stands() -> None:
    """The catch did not happen: the answer to it means nothing any more, and the uncaught seat has scored."""
    referee = in_the_window()
    caught = referee.observe(ob.ButtonPressed(at=5_500_000, chair=OTHER))
    referee.fire_timers(END + 1)
    answered = referee.observe(declared(8_000_000, 0, "give"))
    assert answered.events == (Answered(0, gave=True, next_seat=1),)
    entry = referee.correct(caught.seq, None, LATER)
    assert entry.events == (ev.Repair("correction_stopped"),)
    assert (referee.state.seat, referee.state.points) == (1, (1, 0))
    assert [type(one.cause).__name__ for one in referee.standing()][:2] == ["Corrected", "TimerElapsed"]


def test_timers_are_judged_anew_where_they_now_fall() -> None:
    """Recorded timers are not judged again; they fall between the presses as the loop would let them."""
    referee = in_the_window()
    referee.observe(ob.ButtonPressed(at=5_500_000, chair=OTHER))
    referee.fire_timers(END + 1)
    entry = referee.correct(3, declared(0, 0, "name", 2), LATER)
    timers = [ruling.timer for ruling in entry.rejudged if ruling.timer is not None]
    assert [timer.at for timer in timers] == [COUNT.at + SECOND, COUNT.at + 2 * SECOND, END]
    order = [ruling.events for ruling in entry.rejudged][-4:]
    assert order == [(BeatFell(1),), (Caught(OTHER),), (BeatFell(2),), (WindowClosed(0, OTHER, None),)]


def test_timers_that_fell_due_before_the_correction_are_judged_with_it() -> None:
    """What was heard as nonsense was a number, so the count that was heard after it did open the window."""
    referee = new()
    for observation in (*before_the_count()[:3], declared(3_000_000, 0, "name", 9), COUNT):
        referee.observe(observation)
    assert referee.state.phase == "name"
    entry = referee.correct(3, declared(0, 0, "name", 2), LATER)
    assert entry.events == ()
    assert [ruling.seq for ruling in entry.rejudged] == [3, 4, 5, 5, 5]
    assert entry.rejudged[-1].events == (WindowClosed(0, None, 1),)
    assert entry.rejudged[-1].timer == ob.TimerElapsed(at=END, timer="end")
    assert replay(LANTERN, SETUP, referee.journal.entries) == referee.state


def test_what_was_lawful_as_ruled_then_becomes_a_repair_and_never_an_infraction() -> None:
    """Seat 0 named 4, not 3; seat 1 then lawfully named 4."""
    referee = in_the_window()
    referee.fire_timers(END + 1)
    next_turn(referee, END + 10, 4)
    entry = referee.correct(3, declared(0, 0, "name", 4), LATER)
    rulings = [event for ruling in entry.rejudged for event in ruling.events]
    assert ev.Repair("was_lawful", where=4, seat=1) in rulings
    assert not any(isinstance(event, ev.Infraction) for event in rulings)


def test_an_infraction_that_was_ruled_then_stays_one() -> None:
    referee = in_the_window()
    referee.fire_timers(END + 1)
    fault = ev.Infraction("name.twice", 1, 3)
    referee.observe(declared(END + 10, 1, "lay", "sun"))
    referee.observe(declared(END + 11, 1, "turn"))
    assert referee.observe(declared(END + 12, 1, "name", 3)).events == (fault,)
    entry = referee.correct(1, seen(0, 0, "star"), LATER)
    assert fault in [event for ruling in entry.rejudged for event in ruling.events]


def test_the_truth_itself_may_be_an_infraction_while_nothing_followed_it() -> None:
    referee = in_the_window()
    referee.fire_timers(END + 1)
    at = END + 10
    referee.observe(declared(at, 1, "lay", "sun"))
    referee.observe(declared(at, 1, "turn"))
    named = referee.observe(declared(at, 1, "name", 4))
    entry = referee.correct(named.seq, declared(at, 1, "name", 3), LATER)
    assert entry.rejudged == (Rejudged(named.seq, (ev.Infraction("name.twice", 1, 3),)),)


def test_circumstances_hold_through_a_correction() -> None:
    referee = announced()
    referee.observe(ob.CameraLost(at=3_100_000))
    referee.observe(ob.Paused(at=3_200_000))
    referee.correct(1, seen(0, 0, "star"), LATER)
    assert referee.state.desk.blind
    assert referee.state.desk.paused


def test_a_correction_is_looked_at_before_it_is_made() -> None:
    referee = announced()
    shown = referee.corrected(1, seen(0, 0, "star"), LATER)
    assert len(referee.journal.entries) == 4
    assert referee.correct(1, seen(0, 0, "star"), LATER) == shown


@pytest.mark.parametrize("seq", [0, 4, 99, -1])
def test_lots_cues_and_what_does_not_stand_are_not_to_be_corrected(seq: int) -> None:
    referee = in_the_window()
    assert not referee.correctable(seq)
    with pytest.raises(NotCorrectable):
        referee.correct(seq, None, LATER)


def test_what_was_taken_back_is_not_to_be_corrected() -> None:
    referee = announced()
    referee.undo(9)
    assert not referee.correctable(3)
    assert referee.correctable(1)


def test_a_correction_comes_as_an_observation_too() -> None:
    referee, other = announced(), announced()
    referee.observe(ob.Corrected(at=LATER, seq=1, truth=seen(0, 0, "star")))
    other.correct(1, seen(0, 0, "star"), LATER)
    assert list(referee.journal.entries) == list(other.journal.entries)


def test_a_header_with_other_house_rules_gives_another_game() -> None:
    setup = replace(SETUP, options=replace(SETUP.options, highest=2))  # type: ignore[type-var]
    referee = Referee(LANTERN, MemoryJournal(header_of("lantern", setup)))
    for observation in before_the_count()[:3]:
        referee.observe(observation)
    assert referee.observe(declared(9, 0, "name", 3)).events == ()
