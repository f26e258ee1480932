"""A game at the table: what is told when, the count, the lamps, the camera, and what stays hidden."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from companion.core import events as ev
from companion.core import observations as ob
from companion.core.actions import SECOND, Micros
from companion.core.clock import ManualClock
from companion.core.switch import Edge
from companion.core.view import Sentence, View, ViewMode
from companion.games.kinapa.rules import Kinapa, model
from companion.games.kinapa.rules.model import KinapaOptions
from companion.referee.journal import StorageFailure
from companion.referee.loop import RefereedGame
from companion.table.frames import most_pressing_trouble
from companion.table.session import SILENT_LEAD_IN, TABLE_NOTICE_TIME, Session
from tests.games.hearts.hearts_table import Table as HeartsTable
from tests.table.loop import LEAD_IN, MILLI, ListVoice, Loop, SlowJournal, kinapa_header, looked, said
from tests.table.session_parts import announced, of

# The count --------------------------------------------------------------------------------------------------


def test_the_heard_cue_opens_the_window_and_sets_its_beats() -> None:
    loop = Loop(draws=False)
    announced(loop)
    ((played, cue),) = loop.voice.cues
    assert (cue.value, cue.attempt, cue.beats) == (7, 1, 3)
    loop.run(played + LEAD_IN + 4 * SECOND)
    assert of(loop, model.CountOpened) == [model.CountOpened(played + LEAD_IN, "sound")]
    timers = [e.cause.at for e in loop.journal.entries if isinstance(e.cause, ob.TimerElapsed)]
    assert timers == [played + LEAD_IN + beat * SECOND for beat in (1, 2, 3)]


def test_without_sound_the_shown_frame_opens_the_window() -> None:
    loop = Loop(sound=False)
    announced(loop)
    shown = next(at for at, view in loop.views if view.cue is not None)
    loop.run(shown + 2 * SECOND)
    assert of(loop, model.CountOpened) == [model.CountOpened(shown + SILENT_LEAD_IN, "screen")]


def test_if_neither_comes_the_timer_opens_the_window_after_two_seconds() -> None:
    loop = Loop(sound=False, draws=False)
    at = announced(loop)
    loop.run(at + 3 * SECOND)
    assert of(loop, model.CountOpened) == [model.CountOpened(at + 2 * SECOND, "timer")]
    assert "kinapa.CountOpened" in loop.voice.words(), "and it is said"


def test_a_frame_does_not_open_a_window_that_a_voice_will_open() -> None:
    loop = Loop()
    announced(loop)
    loop.run(loop.clock.now() + 2 * SECOND)
    assert [opened.by for opened in of(loop, model.CountOpened)] == ["sound"]


def test_the_same_number_in_the_next_turn_is_shown_anew() -> None:
    loop = Loop(sound=False)
    announced(loop)
    loop.run(loop.clock.now() + 5 * SECOND)
    for _ in range(2):  # take back the verdict, then the announcement
        loop.after(ob.UndoRequested(at=loop.clock.now()))
    assert loop.state.phase == "announcing"
    loop.say(0, "announce", 7, wait=2 * SECOND)
    assert [opened.by for opened in of(loop, model.CountOpened)] == ["screen", "screen"]


def test_the_closing_beep_is_left_to_sound() -> None:
    loop = Loop()
    loop.begin()
    loop.count(7)
    assert loop.state.phase == "pairing"
    assert loop.voice.stopped == []


def test_an_undo_takes_back_only_what_was_announced_when_it_was_asked_for() -> None:
    loop = Loop()
    loop.begin()
    at = loop.clock.now()
    loop.session.submit(said(at, 0, "announce", 7))
    loop.session.submit(ob.UndoRequested(at=at + MILLI))
    loop.run(at + SECOND)
    assert [entry.retracts for entry in loop.journal.entries if entry.retracts is not None] == []
    assert loop.session.game.undo_overtaken
    loop.after(ob.UndoRequested(at=loop.clock.now()))
    assert loop.state.phase == "announcing", "now it was seen"


@pytest.mark.parametrize("later", [0, MILLI])
def test_two_undos_that_are_both_asked_for_before_the_first_is_told_take_back_one_ruling(
    later: int,
) -> None:
    loop = Loop(sound=False)
    announced(loop)
    loop.run(loop.clock.now() + 5 * SECOND)
    at = loop.clock.now()
    loop.session.submit(ob.UndoRequested(at=at))
    loop.session.submit(ob.UndoRequested(at=at + later))
    loop.run(at + SECOND)
    assert sum(entry.retracts is not None for entry in loop.journal.entries) == 1
    assert loop.session.game.undo_overtaken


@pytest.mark.parametrize("by", ["pause", "undo"])
def test_a_void_count_falls_silent_and_is_asked_for_again(by: str) -> None:
    loop = Loop()
    announced(loop)
    loop.run(loop.clock.now() + 2 * SECOND)
    assert loop.state.phase == "counting"
    at = loop.clock.now()
    loop.after(ob.PauseRequested(at=at) if by == "pause" else ob.UndoRequested(at=at))
    (stopped,) = loop.voice.stopped
    assert stopped <= at + 50 * MILLI
    assert of(loop, ev.WindowVoided) == [ev.WindowVoided(by)]
    if by == "pause":
        loop.after(ob.ResumeRequested(at=loop.clock.now()))
    loop.say(0, "recount", wait=6 * SECOND)
    assert [cue.attempt for _, cue in loop.voice.cues] == [1, 2]
    assert loop.state.phase == "pairing"


def test_a_void_count_falls_silent_although_its_verdict_is_not_durable_yet() -> None:
    loop = Loop(takes=300 * MILLI)
    announced(loop)
    loop.run(loop.clock.now() + 2 * SECOND)
    at = loop.clock.now()
    loop.after(ob.PauseRequested(at=at))
    assert loop.voice.stopped[0] <= at + 50 * MILLI


def test_the_announcement_is_not_said_twice() -> None:
    loop = Loop()
    announced(loop)
    assert "kinapa.NumberAnnounced" not in loop.voice.words(), "the count's own clip says it"
    assert loop.session.latest_sentence == Sentence("kinapa.NumberAnnounced", (("number", 7),))


# Slow and failing storage -----------------------------------------------------------------------------------


def played(takes: Micros) -> Loop:
    """Two turns' worth of a silent table, with presses in the count."""
    loop = Loop(takes=takes, sound=False)
    presses = [Edge(2, "seat", level=True, at=3_500 * MILLI), Edge(2, "seat", level=False, at=3_600 * MILLI)]
    says = [said(SECOND, 0, "claim_cat"), said(2 * SECOND, 0, "announce", 7), said(8 * SECOND, 0, "no_pair")]
    draws = [said(9 * SECOND, 0, "draw_from", 1), said(10 * SECOND, 0, "drawn")]
    loop.run(40 * SECOND, *says, *presses, *draws)
    return loop


@pytest.mark.parametrize("takes", [300 * MILLI, 3 * SECOND])
def test_slow_commits_disturb_neither_beats_nor_stamps_nor_frames(takes: Micros) -> None:
    quick, slow = played(0), played(takes)
    assert slow.journal.entries == quick.journal.entries
    assert slow.views == quick.views
    assert slow.lamps.shown == quick.lamps.shown
    assert slow.asked == quick.asked


@pytest.mark.parametrize("takes", [300 * MILLI, 3 * SECOND])
def test_nothing_is_told_before_it_is_durable(takes: Micros) -> None:
    loop = played(takes)
    assert isinstance(loop.journal, SlowJournal)
    assert [told.entry.seq for _, told in loop.told] == list(range(len(loop.journal.entries)))
    assert all(at >= loop.journal.when_durable(told.entry.seq) for at, told in loop.told)
    instants = {at for at, _ in loop.told}
    assert all(at in instants for at, _ in loop.voice.said)
    by_cue = {"kinapa.NumberAnnounced"}  # said by the count's clip, or afterwards if it came too late
    assert [key for key in loop.voice.words() if key not in by_cue] == played(0).voice.words()


def test_with_a_voice_a_slow_commit_delays_the_count_and_not_its_beats() -> None:
    loop = Loop(takes=300 * MILLI)
    at = announced(loop)
    loop.run(at + 8 * SECOND)
    ((asked, _),) = loop.voice.cues
    assert asked >= at + 300 * MILLI
    (opened,) = of(loop, model.CountOpened)
    assert opened.first_beat == asked + LEAD_IN
    timers = [e.cause.at for e in loop.journal.entries if isinstance(e.cause, ob.TimerElapsed)]
    assert timers == [opened.first_beat + beat * SECOND for beat in (1, 2, 3)]


def test_a_count_that_opened_by_itself_is_not_announced_afterwards() -> None:
    loop = Loop(takes=3 * SECOND, draws=False)
    at = announced(loop)
    loop.run(at + 12 * SECOND)
    assert [opened.by for opened in of(loop, model.CountOpened)] == ["timer"]
    assert loop.voice.cues == []
    assert "kinapa.NumberAnnounced" in loop.voice.words()


def test_storage_that_fails_is_said_once_and_so_is_its_end() -> None:
    loop = Loop()
    loop.begin()
    assert isinstance(loop.journal, SlowJournal)
    loop.journal.trouble = StorageFailure("storage.full", "no space left")
    loop.count(7, 2)
    assert loop.voice.words().count("shared.storage.full") == 1
    assert loop.state.phase == "pairing"
    assert "kinapa.HandsLocked" in loop.voice.words(), "what is not saved is told all the same"
    loop.journal.trouble = None
    loop.run(loop.clock.now() + SECOND)
    assert [told.entry.seq for _, told in loop.told] == list(range(len(loop.journal.entries)))
    assert loop.voice.words()[-1] == "shared.storage.back"
    loop.journal.trouble = StorageFailure("storage.full", "no space left")
    loop.run(loop.clock.now() + SECOND)
    assert loop.voice.words().count("shared.storage.full") == 2


def test_a_game_that_had_to_be_written_again_is_told_on_the_screen_for_a_while() -> None:
    loop = Loop()
    loop.begin()
    assert isinstance(loop.journal, SlowJournal)
    loop.journal.rewrite_count = 1
    loop.run(loop.clock.now() + SECOND)
    assert most_pressing_trouble(loop.session, loop.clock.now()) == Sentence("shared.storage.again")
    loop.run(loop.clock.now() + TABLE_NOTICE_TIME)
    assert most_pressing_trouble(loop.session, loop.clock.now()) is None
    assert "shared.storage.again" not in loop.voice.words()


# Hidden is hidden -------------------------------------------------------------------------------------------

SEEN = ("1-2", "5-6")


class Outputs:
    """All that leaves a session: screens, log, voice, lamps, looks, each with its instant."""

    def __init__(self, loop: Loop, logs: list[tuple[Micros, Any]]) -> None:
        self.parts: dict[str, list[tuple[Micros, Any]]] = {
            "views": loop.views,
            "said": list(loop.voice.said),
            "cues": list(loop.voice.cues),
            "stopped": [(at, None) for at in loop.voice.stopped],
            "lamps": loop.lamps.shown,
            "looks": loop.asked,
            "logs": logs,
        }

    def since(self, at: Micros) -> dict[str, list[tuple[Micros, Any]]]:
        return {
            name: [(when, what) for when, what in part if when >= at] for name, part in self.parts.items()
        }

    def times(self) -> dict[str, list[Micros]]:
        return {name: [at for at, _ in part] for name, part in self.parts.items()}


def history(
    label: str, *, by_hand: bool, undone: bool, rules: Kinapa | None = None
) -> tuple[Outputs, Micros]:
    """Slot 3 is turned, shows `label` and is hidden again; then another turn. Since when it is hidden."""
    loop = Loop(rules=rules)
    logs: list[tuple[Micros, Any]] = []

    def note() -> None:
        log = (
            loop.session.history.recent_lines(),
            loop.session.latest_sentence,
            loop.session.history.last_reading(),
            loop.session.next_due(),
        )
        logs.append((loop.clock.now(), log))

    def turn(slot: int, face: str, number: int) -> None:
        loop.count(number, 1)
        emperor = loop.state.emperor
        loop.say(emperor, "no_pair")
        lowered = loop.state.lowered[0]
        loop.say(emperor, "draw_from", lowered)
        loop.say(emperor, "drawn")
        loop.say(emperor, "return")
        note()
        if by_hand:
            loop.say(emperor, "turn", f"{face}@{slot}", wait=SECOND)
        else:
            loop.see(f"slot:{slot}", f"object:{face}", wait=SECOND)
        note()

    loop.begin()
    turn(3, label, 7)
    if undone:
        loop.after(ob.UndoRequested(at=loop.clock.now()))
        loop.see("slot:3", "back:blue")
        assert loop.state.phase == "turning"
    elif by_hand:
        loop.say(0, "hide")
    else:
        loop.see("slot:3", "back:blue")
    hidden = loop.clock.now()
    note()
    if undone:
        loop.see("slot:4", "object:7-8")
        loop.see("slot:4", "back:blue")
        note()
    if loop.state.phase == "succeeding":
        loop.say(0, "crown", loop.state.turn.candidates[0])
    note()
    turn(5, "3-4", 6)
    loop.after(ob.PauseRequested(at=loop.clock.now()))
    note()
    return Outputs(loop, logs), hidden


@pytest.mark.parametrize("by_hand", [False, True])
@pytest.mark.parametrize("undone", [False, True])
def test_what_lies_hidden_again_changes_no_screen_no_log_no_word_no_lamp_and_no_instant(
    by_hand: bool, undone: bool
) -> None:
    (one, since), (other, _) = (history(label, by_hand=by_hand, undone=undone) for label in SEEN)
    assert one.since(since) == other.since(since)
    assert one.times() == other.times()


class LeakyHint(Kinapa):
    """Tells by its hint what lies under a card."""

    def view(self, state: Any, mode: ViewMode = ViewMode.PLAY) -> View:
        hint = Sentence("leak", (("label", state.slots[2].label),))
        return replace(super().view(state, mode), hint=hint)


class LeakyLog(Kinapa):
    """Names in the log what lies hidden again."""

    def public_parts(self, state: Any, event: Any) -> tuple[tuple[str, str | int], ...]:
        return self.sentence_parts(state, event)


class LeakyTiming(Kinapa):
    """Looks longer for one label than for another."""

    def awaited_regions(self, state: Any) -> frozenset[str]:
        awaited = super().awaited_regions(state)
        return frozenset() if state.slots[2].label == "5-6" and state.phase == "turning" else awaited


@pytest.mark.parametrize("leaky", [LeakyHint(), LeakyLog(), LeakyTiming()])
def test_a_leak_planted_on_purpose_is_found(leaky: Kinapa) -> None:
    (one, since), (other, _) = (history(label, by_hand=False, undone=False, rules=leaky) for label in SEEN)
    alike = one.since(since) == other.since(since) and one.times() == other.times()
    assert not alike


# Odds and ends ----------------------------------------------------------------------------------------------


def test_a_session_says_when_it_has_something_to_do() -> None:
    loop = Loop()
    loop.session.submit(said(0, 0, "claim_cat"))
    loop.session.submit(said(1_000, 0, "announce", 3))
    steps = 0
    while loop.state.phase != "pairing":
        due = loop.session.next_due()
        assert due is not None
        loop.clock.move_to(max(due, loop.clock.now() + 1))
        loop.session.step()
        steps += 1
        assert steps < 400
    assert [opened.by for opened in of(loop, model.CountOpened)] == ["sound"]


def test_a_session_without_lamps_and_camera_goes_on() -> None:
    loop = Loop(options=KinapaOptions(count_seconds=5))
    bare = Session(loop.session.game, clock=loop.clock, voice=ListVoice(loop.clock))
    bare.submit(looked(0, "slot:3", "back:blue"))
    bare.submit(said(0, 0, "claim_cat"))
    loop.clock.move_to(SECOND)
    assert [told.entry.seq for told in bare.step()] == [0, 1]
    assert bare.view.phase == "announcing"
    assert loop.journal.header == kinapa_header(count_seconds=5)


def test_a_card_that_may_have_to_be_checked_keeps_the_picture_it_was_read_by_until_its_deal_is_over() -> None:
    table = HeartsTable(opens=None)
    lying: dict[str, tuple[str, object]] = {
        "seat_card:0": ("clubs:2", "first"),
        "seat_card:1": ("clubs:9", "early"),
    }
    clock = ManualClock()
    game = RefereedGame(table.referee, chance=lambda many: 0)
    session = Session(game, clock=clock, voice=ListVoice(clock), card_pictures=lambda: lying)

    def happens(seen: ob.AnyObservation) -> object:
        session.submit(seen)
        for _ in range(3):
            clock.move_to(clock.now() + SECOND)
            session.step()
        return session.card_pictures

    first = {("seat_card:0", "clubs:2"): "first"}
    assert happens(looked(clock.now(), "seat_card:0", "clubs:2")) == first
    lying.clear()
    assert happens(said(clock.now(), 1, "play", "clubs|K")) == first
    assert happens(ob.UndoRequested(at=clock.now())) == first
    assert happens(ob.UndoRequested(at=clock.now())) == {}
