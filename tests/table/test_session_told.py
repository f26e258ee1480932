"""What a session announces: voice, lamps, and what the camera is asked."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from companion.core import events as ev
from companion.core import observations as ob
from companion.core.actions import SECOND, Action
from companion.core.switch import Edge
from companion.core.view import ClockView, LampSignal, Sentence, View, ViewMode
from companion.games.kinapa.rules import Kinapa, model
from companion.language.language import Language
from companion.referee.journal import MemoryJournal
from companion.table.history import _natural_sort_key
from companion.table.session import NEWS_TIME, NOTICE_TIME, NUDGE_AFTER
from tests.table.loop import MILLI, Loop, said
from tests.table.session_parts import announced, of, turning

# Told -------------------------------------------------------------------------------------------------------


def test_a_game_gone_on_with_is_drawn_as_it_stood_and_silent_about_the_past() -> None:
    before = Loop()
    before.begin()
    before.count(7, 2)
    loop = Loop(journal=MemoryJournal(before.journal.header, before.journal.entries))
    loop.run(loop.clock.now() + SECOND)
    assert loop.session.view == before.session.view
    assert loop.voice.words() == ["shared.GameRestarted"]


def test_a_choice_that_somebody_steps_through_is_told_only_where_all_is() -> None:
    """In Liar's Dice each press said a number and left no room for the bids."""
    loop, told = Loop(), list[set[str]]()
    loop.voice.announce = lambda sentences, urgent=(), quiet=(): told.append(set(quiet))  # type: ignore[method-assign]
    loop.begin()
    assert all("kinapa.do." in quiet for quiet in told)
    assert told


def test_what_is_taken_back_is_not_the_newest_sentence_any_more() -> None:
    loop = Loop()
    loop.begin()
    loop.after(ob.UndoRequested(at=loop.clock.now()))
    assert loop.session.latest_sentence == Sentence("shared.TakenBack")
    loop.after(ob.UndoRequested(at=loop.clock.now(), redo=True))
    assert loop.session.latest_sentence == Sentence("shared.BroughtBack")


def test_the_caption_is_gone_with_the_headline_it_came_with() -> None:
    loop = Loop()
    loop.begin()
    loop.count(7, 2)
    caption, headline = loop.session.caption, loop.session.view.headline
    assert caption is not None, "the count's end was announced"
    loop.say(0, "no_pair")
    while loop.session.view.headline == headline:
        loop.run(loop.clock.now() + SECOND)
    assert loop.session.caption != caption
    loop.voice.caption = caption
    assert loop.session.caption is None, "said late it is no news either"
    nudge = Sentence("shared.nudge")
    loop.voice.caption = nudge
    assert loop.session.caption == nudge


def test_a_verdict_does_not_stay_beside_the_next_question() -> None:
    loop = Loop()
    loop.begin()
    crowned = loop.session.latest_sentence
    loop.voice.caption = None
    assert crowned is not None
    assert crowned.event in {*Kinapa.board.good_news_events, *Kinapa.board.full_screen_words}
    assert loop.session.caption == crowned
    loop.run(loop.clock.now() + NEWS_TIME)
    assert loop.session.caption is None
    assert loop.session.latest_sentence == crowned, "it can be said again"


def test_only_kinapa_speaks_of_hands_where_a_window_was_voided() -> None:
    hands = {"en": "hands", "de": "Hände", "fr": "main"}
    for language, word in hands.items():
        for reason in ("pause", "restart", "undo", "correction", "repair", "adapter", "stalled"):
            voided, text = ev.WindowVoided(reason), Language(language).text
            assert word in text(Sentence(Kinapa().sentence_key(voided)))
            assert word not in text(Sentence(f"shared.WindowVoided.{reason}"))


def test_of_a_correction_only_the_difference_is_told() -> None:
    loop = Loop()
    loop.begin()
    loop.count(7, 2)
    loop.say(0, "no_pair")
    chosen = next(
        e.seq for e in loop.journal.entries if any(isinstance(x, model.PairDenied) for x in e.events)
    )
    told = len(loop.voice.said)
    loop.after(ob.CorrectionRequested(at=loop.clock.now(), seq=chosen, truth=said(0, 0, "show_pair")))
    assert loop.voice.words()[told:] == ["shared.Corrected", "kinapa.PairShown"]


def test_what_lies_hidden_again_is_not_corrected() -> None:
    """The menu offers only that it was hidden."""
    loop = turning()
    loop.say(0, "turn", "1-2@2")
    loop.say(0, "hide")
    turned = next(
        e.seq for e in loop.journal.entries if any(isinstance(x, model.ObjectTurned) for x in e.events)
    )
    told = len(loop.voice.said)
    loop.after(ob.CorrectionRequested(at=loop.clock.now(), seq=turned, truth=said(0, 0, "turn", "3-4@2")))
    reading = loop.session.history.last_reading()
    assert reading is not None
    assert reading.seq > turned
    assert loop.voice.said[told:] == []


def test_a_label_that_was_said_wrongly_keeps_its_place() -> None:
    loop = turning()
    loop.say(0, "turn", "1-2@2")
    reading = loop.session.history.last_reading()
    assert reading is not None
    values = {truth.action.value for _, truth in reading.choices if truth is not None}
    assert values == {f"{label}@2" for label in ("1-2", "3-4", "5-6", "7-8")}


def test_everybody_who_pressed_in_vain_is_told_at_the_own_panel_for_a_while() -> None:
    loop = Loop()
    loop.begin()
    now = loop.clock.now()
    strangers = [Edge(chair, "seat", level=True, at=now, source="key") for chair in (1, 2, 7)]
    loop.after(*strangers)
    early = Sentence("ui.too_early")
    assert set(loop.session.press_notices()) == {
        (1, early),
        (2, early),
        (7, Sentence("shared.not_in_game", (("chair", 7),))),
    }
    loop.run(now + NOTICE_TIME + SECOND)
    assert loop.session.press_notices() == ()


def test_who_is_not_asked_while_another_is_sees_so_on_the_own_panel() -> None:
    """In every game, also where the rules have no word for such a press."""
    loop = turning()
    now = loop.clock.now()
    loop.after(*(Edge(chair, "seat", level=True, at=now, source="key") for chair in (0, 1)))
    assert loop.session.press_notices() == ((1, Sentence("ui.not_your_turn")),)


def test_the_log_keeps_what_was_taken_back_marked() -> None:
    loop = Loop()
    loop.begin()
    loop.say(0, "announce", 7)
    loop.after(ob.PauseRequested(at=loop.clock.now()), ob.UndoRequested(at=loop.clock.now() + 1))
    lines = {line.sentence.key: line.taken_back for line in loop.session.history.recent_lines()}
    assert lines["kinapa.NumberAnnounced"] is True
    assert lines["kinapa.EmperorCrowned"] is False


def test_the_log_tells_what_was_corrected_both_ways_and_what_stays_alike_once() -> None:
    loop = Loop()
    loop.begin()
    loop.say(0, "announce", 7)
    announced = len(loop.journal.entries) - 1
    loop.after(ob.PauseRequested(at=loop.clock.now()), ob.ResumeRequested(at=loop.clock.now() + 1))
    loop.after(ob.CorrectionRequested(at=loop.clock.now(), seq=announced, truth=said(0, 0, "announce", 6)))
    lines = [
        (line.sentence.key, dict(line.sentence.parts).get("number"), line.taken_back)
        for line in loop.session.history.recent_lines()
    ]
    assert lines.count(("kinapa.NumberAnnounced", 7, True)) == 1
    assert lines.count(("kinapa.NumberAnnounced", 6, False)) == 1
    assert lines.count(("shared.GameResumed", None, False)) == 1
    assert len(lines) == len(set(lines))


def test_the_last_reading_can_be_said_otherwise() -> None:
    loop = Loop()
    loop.begin()
    loop.say(0, "announce", 7)
    reading = loop.session.history.last_reading()
    assert reading is not None
    assert loop.journal.entries[reading.seq].cause.action.verb == "announce"  # type: ignore[union-attr]
    numbers = [truth.action.value for _, truth in reading.choices if truth is not None]
    assert numbers == list(range(1, 9))
    assert reading.choices[-1] == (Sentence("ui.correct.did_not_happen"), None)


def test_the_choices_of_a_correction_are_in_the_order_of_their_numbers() -> None:
    shown = [Action(1, "show", number) for number in (10, 9, 15, 2)]
    assert [action.value for action in sorted(shown, key=_natural_sort_key)] == [2, 9, 10, 15]


# Waiting ----------------------------------------------------------------------------------------------------


def test_after_a_while_without_action_it_says_whose_move_it_is() -> None:
    loop = Loop()
    loop.begin()
    since = loop.clock.now()
    loop.run(since + NUDGE_AFTER - SECOND, frame=50 * MILLI)
    assert "shared.nudge" not in loop.voice.words()
    due = loop.session.next_due()
    assert due is not None
    loop.run(due)
    assert loop.voice.said[-1] == (due, Sentence("shared.nudge", (("chair", 0),)))
    loop.run(due + NUDGE_AFTER - SECOND, frame=50 * MILLI)
    assert loop.voice.words().count("shared.nudge") == 1
    assert loop.state.phase == "announcing", "nobody is timed out"


def test_nobody_is_nudged_where_everybody_is_asked() -> None:
    loop = Loop()
    loop.run(2 * NUDGE_AFTER, frame=SECOND)
    assert loop.voice.said == []


class Timed(Kinapa):
    """Everybody's thinking is timed; the first one's clock shows 60 seconds and runs."""

    has_clocks = True

    def view(self, state: Any, mode: ViewMode = ViewMode.PLAY) -> View:
        shown: View = super().view(state, mode)
        first, *others = shown.chairs
        clock = ClockView(60 * SECOND, since=0, whole=90 * SECOND)
        return replace(shown, chairs=(replace(first, clock=clock), *others))


def test_where_thinking_is_timed_the_clock_is_told_and_nobody_is_nudged() -> None:
    loop = Loop(rules=Timed())
    loop.begin()
    entries = len(loop.journal.entries)
    loop.run(2 * NUDGE_AFTER, frame=SECOND // 8)
    told = [(at // SECOND, said.key) for at, said in loop.voice.said if said.key.startswith("shared.clock")]
    assert told == [(30, "shared.clock.30"), (50, "shared.clock.10")]
    assert "shared.nudge" not in loop.voice.words()
    assert len(loop.journal.entries) == entries


def test_the_camera_is_asked_for_what_the_rules_await_and_let_go_after() -> None:
    loop = turning()
    assert loop.asked[-1][1] == frozenset(f"slot:{slot}" for slot in range(1, 9))
    asked = len(loop.asked)
    loop.see("slot:3", "object:5-6")
    assert len(loop.asked) == asked, "the same look stands"
    loop.see("slot:3", "back:blue")
    assert loop.asked[-1][1] == frozenset()


def test_a_card_that_cannot_be_read_is_asked_for_by_its_place() -> None:
    loop = turning()
    loop.see("slot:3", "unknown")
    assert loop.session.unread_place == "slot:3"
    loop.after(Edge(0, "seat", level=True, at=loop.clock.now()))
    assert loop.session.unread_place == "slot:3", "a press that rules nothing answers nothing"
    loop.see("slot:3", "object:5-6")
    assert loop.session.unread_place is None


def test_an_unread_card_in_a_place_nobody_asks_for_is_nobodys_business() -> None:
    loop = Loop()
    loop.begin()
    loop.see("slot:3", "unknown")
    assert loop.session.unread_place is None


def test_an_unread_card_is_forgotten_when_it_was_declared() -> None:
    loop = turning()
    loop.see("slot:3", "unknown")
    loop.say(0, "turn", "5-6@3")
    loop.say(0, "hide")
    assert loop.session.unread_place is None


def test_a_lost_camera_is_told_and_the_game_goes_on_by_hand() -> None:
    loop = turning()
    loop.after(ob.CameraLost(at=loop.clock.now(), reason="unplugged"))
    assert loop.voice.words()[-1] == "shared.CameraWentDark"
    assert loop.session.view.by_hand
    loop.say(0, "turn", "5-6@3")
    loop.say(0, "hide")
    loop.after(ob.CameraRecovered(at=loop.clock.now()))
    assert not loop.session.view.by_hand
    assert "shared.CameraCameBack" in loop.voice.words()
    assert loop.state.phase == "announcing"


# Lamps ------------------------------------------------------------------------------------------------------


def test_a_press_in_the_count_lights_its_lamp_at_once() -> None:
    loop = Loop()
    announced(loop)
    loop.run(loop.clock.now() + 1_500 * MILLI)
    assert loop.lamps.now[2] is LampSignal.DARK
    at = loop.clock.now()
    loop.session.submit(Edge(2, "seat", level=True, at=at))
    loop.session.step()
    assert loop.lamps.shown[-1] == (at, {**loop.lamps.now, 2: LampSignal.LIT})
    loop.run(at + 200 * MILLI)
    assert loop.state.turn.raised == (2,)
    assert loop.lamps.now[2] is LampSignal.LIT


def test_a_lowered_hand_is_dark_although_the_finger_still_rests_on_the_button() -> None:
    loop = Loop()
    announced(loop)
    loop.run(loop.clock.now() + 1_500 * MILLI)
    now = loop.clock.now()
    tap = [Edge(2, "seat", level=True, at=now), Edge(2, "seat", level=False, at=now + 80 * MILLI)]
    again = Edge(2, "seat", level=True, at=now + 300 * MILLI)
    loop.run(now + SECOND, *tap, again)
    assert loop.state.turn.raised == ()
    assert loop.lamps.now[2] is LampSignal.DARK


def test_the_lamp_of_a_hand_that_is_too_early_stays_dark() -> None:
    loop = Loop()
    loop.begin()
    since = loop.clock.now()
    loop.after(Edge(2, "seat", level=True, at=since))
    assert all(states[2] is LampSignal.DARK for at, states in loop.lamps.shown if at >= since)
    assert loop.lamps.now[2] is LampSignal.DARK
    assert of(loop, model.HandTooEarly) == [model.HandTooEarly(2)]


def test_a_foxed_seat_that_raises_gets_no_light() -> None:
    loop = Loop()
    loop.begin()
    loop.after(ob.TableDeclared(at=loop.clock.now(), table=(("foxes:2", 2),)))
    loop.say(0, "announce", 7, wait=1_500 * MILLI)
    shown = len(loop.lamps.shown)
    loop.after(Edge(2, "seat", level=True, at=loop.clock.now()))
    assert of(loop, ev.Infraction)[-1].rule == "hand.foxed"
    assert all(states[2] is LampSignal.DARK for _, states in loop.lamps.shown[shown:])
