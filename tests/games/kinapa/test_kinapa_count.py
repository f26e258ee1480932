"""The announcement and the count: which hands are up when the third second ends, to the microsecond."""

from __future__ import annotations

import pytest

from companion.core.actions import SECOND, Action, Micros
from companion.core.observations import (
    AbandonRequested,
    ActionDeclared,
    ButtonPressed,
    ButtonReleased,
    CorrectionRequested,
    CueHeard,
    Observation,
    ProgramRestarted,
    UndoRequested,
)
from companion.games.kinapa.rules.model import (
    BeatStruck,
    HandRaised,
    HandsLocked,
    HandTooEarly,
    LiarPunished,
    ObjectTurned,
    PairPlaced,
)
from companion.referee.journal import MemoryJournal, make_header
from companion.referee.referee import Referee
from tests.games.game_table import broken, kinds
from tests.games.kinapa.kinapa_table import RULES, A, B, C, D, Table, crowned, given, setup

FIRST_BEAT: Micros = 1_234_567
END: Micros = FIRST_BEAT + 3 * SECOND
BOTH_HANDS = pytest.mark.parametrize("hand", ["toggle", "hold"])


def announced(number: int = 7, **options: object) -> Table:
    table = given(**options)
    table.say(A, "announce", number)
    return table


def counting(**options: object) -> Table:
    table = announced(**options)
    table.cue(FIRST_BEAT)
    return table


def hands(table: Table) -> HandsLocked:
    """How the hands stood, once a second has passed after the count."""
    table.elapse(END + SECOND)
    (locked,) = table.of(HandsLocked)
    return locked


def test_k_t04_others_may_raise_or_do_nothing_while_three_seconds_are_counted():
    table = announced()
    assert table.legal == {Action(seat, "raise") for seat in (B, C, D)}
    table.cue(FIRST_BEAT)
    assert table.legal == {Action(seat, "raise") for seat in (B, C, D)}
    assert kinds(table.rulings) == ["NumberAnnounced", "CountOpened"]
    table.elapse(END - 1)
    assert table.of(HandsLocked) == []
    table.elapse(END)
    assert table.of(HandsLocked) == [HandsLocked(raised=(), lowered=(B, C, D))]


def test_k_t04_no_button_at_the_end_is_a_lowered_hand():
    table = counting()
    table.press(C)
    assert hands(table) == HandsLocked(raised=(C,), lowered=(B, D))


def test_the_beats_strike_at_one_and_two_seconds():
    table = counting()
    table.elapse(FIRST_BEAT + SECOND - 1)
    assert table.of(BeatStruck) == []
    table.elapse(FIRST_BEAT + SECOND)
    assert table.of(BeatStruck) == [BeatStruck(1)]
    table.elapse(FIRST_BEAT + 2 * SECOND)
    assert table.of(BeatStruck) == [BeatStruck(1), BeatStruck(2)]


@BOTH_HANDS
def test_k_t43_a_hand_before_the_announcement_is_too_early_and_does_not_count(hand: str):
    table = given(hand=hand)
    assert HandTooEarly(B) in table.press(B)
    table.release(B)
    table.say(A, "announce", 7)
    table.cue(FIRST_BEAT)
    assert hands(table).raised == ()


def test_k_t43_under_toggle_a_button_kept_down_since_before_the_announcement_does_not_count():
    table = given(hand="toggle")
    table.press(B)
    table.say(A, "announce", 7)
    table.cue(FIRST_BEAT)
    assert hands(table).raised == ()


def test_k_t43_under_hold_a_button_down_at_the_first_beat_is_raised():
    table = given(hand="hold")
    assert HandTooEarly(B) in table.press(B)
    table.say(A, "announce", 7)
    assert table.state.raised == ()
    assert HandRaised(B) in table.cue(FIRST_BEAT)
    assert hands(table).raised == (B,)


def test_under_hold_a_button_held_since_the_count_before_is_raised_again():
    table = given(players=5, hand="hold")
    table.say(A, "announce", 7)
    table.press(B)
    table.say(C, "raise")  # by touch: no button is down
    table.cue()
    table.elapse(table.at + 5 * SECOND)
    table.say(A, "no_pair")
    table.draw(D)
    table.miss()
    table.say(A, "crown", C)
    table.say(C, "announce", 6)
    assert HandRaised(B) in table.cue()
    table.release(B)
    assert table.state.raised == ()


def test_under_hold_a_button_pressed_after_the_count_is_raised_at_the_next_one():
    table = given(hand="hold")
    table.turn(7)
    table.press(B)
    table.say(A, "announce", 6)
    assert table.state.raised == ()
    assert HandRaised(B) in table.cue()


def test_under_hold_no_button_is_taken_to_be_down_after_a_restart():
    table = given(hand="hold")
    table.press(B)
    table.observe(ProgramRestarted(at=table.at + 1))
    table.say(A, "announce", 7)
    table.cue()
    assert table.state.raised == ()


def counted(*causes: Observation, hand: str = "hold", until: Micros = END + 1) -> Referee:
    """A game in which all this happened, and last a count ran, to its end unless otherwise said."""
    referee = Referee(RULES, MemoryJournal(make_header("kinapa", setup(hand=hand))))
    for cause in causes:
        referee.observe(cause)
    cue = RULES.awaited_cue(referee.state)
    assert cue is not None
    referee.observe(CueHeard(at=FIRST_BEAT, cue=cue.name, attempt=cue.attempt))
    referee.fire_timers(until)
    return referee


def said(at: Micros, verb: str, value: int | None = None) -> ActionDeclared:
    return ActionDeclared(at=at, action=Action(A, verb, value))


def test_under_hold_a_button_stays_down_where_something_before_an_undo_is_corrected():
    down = ButtonPressed(at=2, chair=C)  # in a turn that does not stand
    referee = counted(
        said(0, "claim_cat"),
        said(1, "announce", 7),
        down,
        UndoRequested(at=3),
        UndoRequested(at=4),
        said(5, "announce", 6),
    )
    assert referee.state.turn.raised == (C,)
    referee.observe(CorrectionRequested(at=END + 1, seq=0, truth=said(0, "claim_cat")))
    assert referee.state.turn.raised == (C,)


def test_under_hold_a_button_that_came_up_stays_up_where_something_before_an_undo_is_corrected():
    referee = counted(
        said(0, "claim_cat"),
        ButtonPressed(at=1, chair=C),
        said(2, "announce", 7),
        ButtonReleased(at=3, chair=C),
        UndoRequested(at=4),
        said(5, "announce", 6),
    )
    assert referee.state.turn.raised == ()
    referee.observe(CorrectionRequested(at=END + 1, seq=0, truth=said(0, "claim_cat")))
    assert referee.state.turn.raised == ()


def test_a_count_in_which_a_correction_stopped_does_not_run_on_in_the_next_one():
    """What was lowered had not been raised: the count is repeated, whatever is corrected after that."""
    referee = counted(said(0, "claim_cat"), said(1, "announce", 7), hand="toggle", until=FIRST_BEAT)
    raised, _ = [
        referee.observe(ActionDeclared(at=FIRST_BEAT + 1, action=Action(B, verb)))
        for verb in ("raise", "lower")
    ]
    referee.fire_timers(END + 1)
    referee.observe(CorrectionRequested(at=END + 1, seq=raised.seq, truth=None))
    assert referee.state.phase == "recounting"
    for at in (END + 2, END + 3):  # the one is judged again in the other
        referee.observe(CorrectionRequested(at=at, seq=0, truth=said(0, "claim_cat")))
        assert referee.state.phase == "recounting"


def test_a_press_that_a_correction_gave_no_meaning_gets_none_in_the_next_one():
    referee = Referee(RULES, MemoryJournal(make_header("kinapa", setup())))
    first = referee.observe(ButtonReleased(at=0, chair=B))
    claimed = referee.observe(said(1, "claim_cat"))
    referee.observe(ButtonPressed(at=2, chair=A))  # to announce
    referee.observe(CorrectionRequested(at=3, seq=claimed.seq, truth=None))
    assert referee.state.phase == "starting"
    referee.observe(CorrectionRequested(at=4, seq=first.seq, truth=first.cause))
    assert referee.state.phase == "starting"


@pytest.mark.parametrize("meanwhile", [ButtonReleased(at=3, chair=C), ProgramRestarted(at=3)])
def test_under_hold_no_button_is_taken_to_be_down_once_the_end_of_a_game_is_undone(meanwhile: Observation):
    referee = counted(
        said(0, "claim_cat"),
        ButtonPressed(at=1, chair=C),
        AbandonRequested(at=2),
        meanwhile,
        UndoRequested(at=4),
        said(5, "announce", 6),
    )
    assert referee.state.turn.raised == ()


def test_under_hold_a_button_down_at_the_first_beat_may_still_come_up():
    table = given(hand="hold")
    table.press(B)
    table.say(A, "announce", 7)
    table.cue(FIRST_BEAT)
    table.release(B, at=END)
    assert hands(table).raised == ()


def test_under_hold_a_foxed_seats_button_down_at_the_first_beat_is_not_raised():
    table = given(LiarPunished(B, 2, True), *crowned(), hand="hold")
    table.press(B)
    table.say(A, "announce", 7)
    table.cue(FIRST_BEAT)
    assert hands(table).raised == ()


@BOTH_HANDS
def test_k_t44_a_hand_between_the_announcement_and_the_first_beat_counts(hand: str):
    table = announced(hand=hand)
    assert HandRaised(B) in table.press(B, at=FIRST_BEAT - 1)
    table.cue(FIRST_BEAT)
    assert hands(table).raised == (B,)


@BOTH_HANDS
def test_k_t45_a_hand_at_three_seconds_sharp_counts(hand: str):
    table = counting(hand=hand)
    assert HandRaised(B) in table.press(B, at=END)
    assert hands(table).raised == (B,)


@BOTH_HANDS
def test_k_t46_a_hand_one_microsecond_later_is_late_and_does_not_count(hand: str):
    table = counting(hand=hand)
    late = table.press(B, at=END + 1)
    assert "HandRaised" not in kinds(late)
    assert late, "The table is told that the hand came too late"
    assert hands(table) == HandsLocked(raised=(), lowered=(B, C, D))


def test_under_toggle_the_press_raises_and_the_next_press_lowers():
    table = counting()
    table.tap(B)
    table.tap(C)
    table.press(B, at=END)
    assert hands(table).raised == (C,)


def test_under_toggle_a_second_press_after_the_end_does_not_lower():
    table = counting()
    table.press(B, at=END)
    table.release(B, at=END)
    table.press(B, at=END + 1)
    assert hands(table).raised == (B,)


def test_under_toggle_letting_go_changes_nothing():
    table = counting()
    table.tap(B)
    assert hands(table).raised == (B,)


@pytest.mark.parametrize(("released", "raised"), [(END - 1, ()), (END, ()), (END + 1, (B,))])
def test_under_hold_the_hand_is_up_while_the_button_is_down(released: Micros, raised: tuple[int, ...]):
    table = counting(hand="hold")
    table.press(B)
    table.release(B, at=released)
    assert hands(table).raised == raised


def test_under_hold_a_button_may_come_up_and_go_down_again():
    table = announced(hand="hold")
    for _ in range(3):
        table.tap(B)
    table.press(B)
    table.cue(FIRST_BEAT)
    assert hands(table).raised == (B,)


@BOTH_HANDS
def test_two_chairs_at_the_same_instant_both_count(hand: str):
    table = counting(hand=hand)
    instant = FIRST_BEAT + SECOND
    table.press(B, at=instant)
    table.press(D, at=instant)
    assert hands(table).raised == (B, D)


def test_the_emperor_has_no_hand_to_raise():
    table = counting()
    table.press(A)
    assert broken(table.say(A, "raise"))
    assert hands(table) == HandsLocked(raised=(), lowered=(B, C, D))


def test_k_t19_a_foxed_seat_may_not_raise_and_counts_as_lowered():
    table = given(LiarPunished(B, 2, True), *crowned())
    table.say(A, "announce", 7)
    table.cue(FIRST_BEAT)
    assert table.legal_seats("raise") == {C, D}
    by_button, by_touch = broken(table.press(B)), broken(table.say(B, "raise"))
    assert by_button == by_touch != []
    assert hands(table) == HandsLocked(raised=(), lowered=(B, C, D))


def test_k_t33_a_number_whose_pair_lies_is_rejected_and_another_must_be_said():
    table = given(ObjectTurned("5-6", 1), PairPlaced(A, 5, 1), *crowned())
    assert 5 not in table.legal_values("announce")
    assert broken(table.say(table.emperor, "announce", 5))
    assert table.phase == "announcing"
    assert broken(table.say(table.emperor, "announce", 6)) == []


@pytest.mark.parametrize("number", [0, -1, 9, "seven", None])
def test_only_numbers_in_play_can_be_announced(number: str | int | None):
    table = given()
    assert broken(table.say(A, "announce", number))
    assert table.phase == "announcing"


def test_only_the_emperor_announces():
    table = given()
    assert broken(table.say(B, "announce", 7))
    assert table.phase == "announcing"


def test_the_number_stands_once_it_is_said():
    table = announced()
    assert broken(table.say(A, "announce", 3))
    assert table.state.turn.number == 7
