"""Corrections: a misread card, what followed it, and what is announced of it."""

from __future__ import annotations

import pytest
from lantern.rules import (
    LANTERN,
    Answered,
    BeatFell,
    CardLaid,
    CardTurned,
    Caught,
    NumberNamed,
    WindowClosed,
    WindowOpened,
)
from msgspec.structs import replace

from companion.core import events as ev
from companion.core import observations as ob
from companion.core.actions import SECOND, Action, Setup
from companion.games import RULES
from companion.referee.journal import MemoryJournal, RejudgedRuling, make_header, replay_state
from companion.referee.referee import NotCorrectableError, Referee
from tests.referee.lantern_play import (
    COUNT,
    END,
    OTHER,
    SETUP,
    before_the_count,
    declared,
    in_the_window,
    new,
    next_turn,
    seen,
)
from tests.referee.refereed import LATER, announced

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
    assert replay_state(LANTERN, SETUP, referee.journal.entries) == referee.state


def test_what_a_correction_changed_is_told_and_nothing_else() -> None:
    referee = in_the_window()
    referee.fire_timers(END + 1)
    assert referee.new_events(referee.correct(1, seen(0, 0, "star"), LATER)) == (CardLaid(0, "star"),)


def test_the_truth_happened_when_what_was_corrected_happened() -> None:
    referee = announced()
    entry = referee.correct(1, seen(999, 0, "star"), LATER)
    assert isinstance(entry.cause, ob.CorrectionRequested)
    assert entry.cause.truth is not None
    assert (entry.cause.at, entry.cause.truth.at) == (LATER, 1_000_000)


def test_a_corrected_entry_can_be_corrected_again() -> None:
    referee = announced()
    referee.correct(1, seen(0, 0, "star"), LATER)
    referee.correct(1, seen(0, 0, "moon"), LATER + 1)
    assert referee.state.cards[0] == "moon"
    referee.correct(3, declared(0, 0, "name", 5), LATER + 2)
    assert (referee.state.cards[0], referee.state.number) == ("moon", 5)
    assert replay_state(LANTERN, SETUP, referee.journal.entries) == referee.state


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
    assert [ev.kind_of(one.cause) for one in referee.standing_entries()][:2] == ["Corrected", "TimerElapsed"]


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


def test_a_window_that_was_gone_back_into_does_not_run_on_in_a_correction() -> None:
    """The count ended and was gone back to: it is void, and a correction of anything before leaves it so."""
    referee = in_the_window()
    referee.observe(ob.ButtonPressed(at=5_500_000, chair=OTHER))
    referee.fire_timers(END + 1)
    referee.observe(declared(8_000_000, 0, "give"))
    for at in (1, 2):
        assert referee.undo(9_000_000 + at) is not None
    before = referee.state
    assert (before.phase, before.attempt) == ("call", 1)
    referee.correct(1, seen(0, 0, "star"), LATER)
    assert referee.state == replace(before, cards=referee.state.cards)


def test_an_undo_that_found_nothing_voids_no_window_in_a_correction() -> None:
    referee = in_the_window()
    assert referee.observe(ob.UndoRequested(at=COUNT.at + SECOND + 2, redo=True)).retracts is None
    referee.fire_timers(END + 1)
    before = referee.state
    referee.correct(1, seen(0, 0, "star"), LATER)
    assert referee.state == replace(before, cards=referee.state.cards)


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
    assert replay_state(LANTERN, SETUP, referee.journal.entries) == referee.state


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
    assert entry.rejudged == (RejudgedRuling(named.seq, (ev.Infraction("name.twice", 1, 3),)),)


def test_circumstances_hold_through_a_correction() -> None:
    referee = announced()
    referee.observe(ob.CameraLost(at=3_100_000))
    referee.observe(ob.PauseRequested(at=3_200_000))
    referee.correct(1, seen(0, 0, "star"), LATER)
    assert referee.state.desk.blind
    assert referee.state.desk.paused


def test_a_correction_is_looked_at_before_it_is_made() -> None:
    referee = announced()
    shown = referee.build_correction(1, seen(0, 0, "star"), LATER)
    assert len(referee.journal.entries) == 4
    assert referee.correct(1, seen(0, 0, "star"), LATER) == shown


@pytest.mark.parametrize("seq", [0, 4, 99, -1])
def test_lots_cues_and_what_does_not_stand_are_not_to_be_corrected(seq: int) -> None:
    referee = in_the_window()
    assert not referee.is_correctable(seq)
    with pytest.raises(NotCorrectableError):
        referee.correct(seq, None, LATER)


def test_what_was_taken_back_is_not_to_be_corrected() -> None:
    referee = announced()
    referee.undo(9)
    assert not referee.is_correctable(3)
    assert referee.is_correctable(1)


def test_a_correction_comes_as_an_observation_too() -> None:
    referee, other = announced(), announced()
    referee.observe(ob.CorrectionRequested(at=LATER, seq=1, truth=seen(0, 0, "star")))
    other.correct(1, seen(0, 0, "star"), LATER)
    assert list(referee.journal.entries) == list(other.journal.entries)


def test_a_header_with_other_house_rules_gives_another_game() -> None:
    setup = replace(SETUP, options=replace(SETUP.options, highest=2))  # type: ignore[type-var]
    referee = Referee(LANTERN, MemoryJournal(make_header("lantern", setup)))
    for observation in before_the_count()[:3]:
        referee.observe(observation)
    assert referee.observe(declared(9, 0, "name", 3)).events == ()


def test_a_mask_that_was_covered_stays_unknown_although_a_correction_has_it_still_to_be_placed() -> None:
    """Its place has another name then: it lies over the stack, until the check is over."""
    rules = RULES["kabuki"]
    referee = Referee(rules, MemoryJournal(make_header("kabuki", Setup((0, 1, 2, 3), rules.options()))))

    def say(at: int, seat: int, verb: str, value: str | int | None = None) -> int:
        referee.fire_timers(at * SECOND)
        said = ob.ActionDeclared(at=at * SECOND, action=Action(seat, verb, value))
        return referee.observe(said).seq

    referee.observe(ob.RandomDraw(at=1, choices=("0", "1", "2", "3"), index=0))
    say(1, 0, "begin")
    for seat, where in enumerate(("ghost@2", "demon@1", "demon@1")):
        say(3 * (seat + 1), seat, "place", where)
    say(12, 3, "stop")
    say(15, 3, "place", "crab@2")
    withdrawn = say(18, 3, "withdraw")
    say(21, 0, "place", 2)
    assert referee.undo(21 * SECOND) is not None
    lion = ob.RegionReading("stack:2", (ob.SeenCard("mask:lion"),), 22 * SECOND, 22 * SECOND)
    referee.observe(ob.TableSeen(at=23 * SECOND, regions=(lion,)))
    look = ob.ActionDeclared(at=0, action=Action(3, "look"))
    referee.correct(withdrawn, look, 23 * SECOND)
    for at, verb, count in ((24, "twins", 2), (27, "twins", 1), (30, "restored", None)):
        say(at, 3, verb, count)
    assert referee.state.phase == "playing"
    (top,) = [place.card for place in rules.view(referee.state).places if place.region == "stack:2"]
    assert top == "unknown"


def test_a_mask_that_was_shown_and_covered_since_is_not_named_by_what_was_shown() -> None:
    """It was in hand when it was shown, and came to lie while play was stopped."""
    rules = RULES["kabuki"]
    referee = Referee(rules, MemoryJournal(make_header("kabuki", Setup((0, 1, 2, 3), rules.options()))))

    def say(at: int, seat: int, verb: str, value: str | None = None) -> None:
        referee.fire_timers(at * SECOND)
        referee.observe(ob.ActionDeclared(at=at * SECOND, action=Action(seat, verb, value)))

    def read(at: int, mask: str) -> int:
        referee.fire_timers(at * SECOND)
        lies = ob.RegionReading("stack:2", (ob.SeenCard(mask),), (at - 1) * SECOND, (at - 1) * SECOND)
        return referee.observe(ob.TableSeen(at=at * SECOND, regions=(lies,))).seq

    referee.observe(ob.RandomDraw(at=1, choices=("0", "1", "2", "3"), index=0))
    say(1, 0, "begin")
    for seat, where in enumerate(("ghost@2", "demon@1", "demon@1")):
        say(3 * (seat + 1), seat, "place", where)
    say(12, 3, "show", "lion")
    say(13, 0, "stop")
    lay = read(16, "mask:lion")
    referee.correct(lay, None, 17 * SECOND)
    read(19, "mask:sun")
    assert referee.undo(20 * SECOND) is not None
    say(21, 0, "withdraw")
    (top,) = [place.card for place in rules.view(referee.state).places if place.region == "stack:2"]
    assert top == "unknown"
