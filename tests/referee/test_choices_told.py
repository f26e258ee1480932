"""Choices in the log, and what *Take back* and *Correct* are headed with."""

from __future__ import annotations

from companion.core import observations as ob
from companion.core.actions import Action
from companion.core.switch import Edge
from companion.core.view import Sentence
from companion.referee.game_log import RulingLine
from tests.table.loop import Loop

NO_PAIR = Sentence("kinapa.do.no_pair")
LATE = Sentence("kinapa.HandTooLate", (("chair", 3),))


def after_no_pair(*, by_button: bool) -> Loop:
    """Red says "No pair" after somebody's hand came too late; two hands are down to draw from."""
    loop = Loop()
    loop.begin()
    loop.count(7, 1)
    now = loop.clock.now()
    loop.after(ob.ButtonPressed(at=now, chair=3), ob.ButtonReleased(at=now + 1, chair=3))
    if by_button:
        loop.after(Edge(0, "seat", level=True, at=loop.clock.now()))
        loop.after(Edge(0, "seat", level=False, at=loop.clock.now()))
    else:
        loop.say(0, "no_pair")
    assert loop.state.phase == "choosing"
    return loop


def heads(loop: Loop) -> RulingLine:
    line = loop.session.history.next_undo()
    assert line is not None
    return line


def test_a_choice_that_no_ruling_tells_has_a_line_in_the_log() -> None:
    for by_button in (False, True):
        late, chosen = after_no_pair(by_button=by_button).session.history.recent_lines()[-2:]
        assert (late.sentence, late.by) == (LATE, None)
        assert (chosen.sentence, chosen.by, chosen.why) == (NO_PAIR, 0, "X3")


def test_take_back_and_correct_are_headed_with_the_choice_and_not_with_what_was_told_before() -> None:
    for by_button in (False, True):
        loop = after_no_pair(by_button=by_button)
        assert (heads(loop).sentence, heads(loop).by) == (NO_PAIR, 0)
        reading = loop.session.history.last_reading()
        assert reading is not None
        assert (reading.sentence, reading.by, reading.seq) == (NO_PAIR, 0, heads(loop).seq)
        truths = [truth.action for _, truth in reading.choices if truth is not None]
        assert Action(0, "show_pair") in truths


def test_taking_a_choice_back_takes_back_nothing_before_it() -> None:
    loop = after_no_pair(by_button=False)
    loop.after(ob.UndoRequested(at=loop.clock.now()))
    assert loop.state.phase == "pairing"
    late, chosen = loop.session.history.recent_lines()[-2:]
    assert (late.sentence, late.taken_back) == (LATE, False)
    assert (chosen.sentence, chosen.taken_back) == (NO_PAIR, True)
    assert heads(loop).sentence == LATE


def test_a_choice_is_named_with_its_ruling_and_with_whoever_made_it() -> None:
    loop = after_no_pair(by_button=False)
    loop.say(0, "draw_from", 2)
    assert (heads(loop).sentence.key, heads(loop).by) == ("kinapa.PartnerChosen", 0)


def test_a_correction_of_a_choice_is_logged_with_what_was_so() -> None:
    loop = after_no_pair(by_button=False)
    truth = ob.ActionDeclared(at=0, action=Action(0, "show_pair"))
    loop.after(ob.CorrectionRequested(at=loop.clock.now(), seq=heads(loop).seq, truth=truth))
    lines = [(line.sentence.key, line.taken_back) for line in loop.session.history.recent_lines()[-2:]]
    assert lines == [("kinapa.do.no_pair", True), ("kinapa.PairShown", False)]


def test_a_pause_is_not_taken_back_along_with_a_ruling_and_is_told_once() -> None:
    loop = after_no_pair(by_button=False)
    loop.after(ob.PauseRequested(at=loop.clock.now()))
    assert heads(loop).sentence == NO_PAIR
    loop.after(ob.UndoRequested(at=loop.clock.now()))
    assert loop.state.desk.paused
    pauses = [
        line for line in loop.session.history.recent_lines() if line.sentence.key == "shared.GamePaused"
    ]
    assert [line.taken_back for line in pauses] == [False]
    assert loop.voice.words().count("shared.GamePaused") == 1
    assert loop.voice.words()[-1] == "shared.TakenBack"
    loop.after(ob.ResumeRequested(at=loop.clock.now()))
    assert loop.state.phase == "pairing"
