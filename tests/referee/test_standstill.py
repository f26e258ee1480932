"""The program stands still for a while: what was pressed meanwhile is judged when it has been delivered."""

from __future__ import annotations

import pytest

from companion.cli.checks.journal_replay import replay_steps
from companion.core import events as ev
from companion.core import observations as ob
from companion.core.actions import SECOND, Action, Micros
from companion.core.clock import ManualClock
from companion.core.switch import ButtonId, Edge
from companion.games.kabuki.rules.model import StopAssigned
from companion.games.kinapa.rules import model
from companion.referee.journal import replay_state
from companion.referee.loop import GRACE, MAX_ROUND_INTERVAL
from companion.table.session import SILENT_LEAD_IN, Session
from tests.referee import test_kabuki_game
from tests.referee.game_hands import tap
from tests.table.loop import KINAPA, MILLI, ListVoice, Loop, SlowJournal
from tests.table.session_parts import announced, of

FRAME: Micros = 4 * MILLI


def counting(down: set[int] | None = None) -> tuple[Loop, Micros]:
    """A count that runs, and the instant at which it will be over; `down`: whose pins are closed."""
    levels = None if down is None else lambda: {(chair, "seat"): chair in down for chair in range(4)}
    loop = Loop(levels=levels)
    announced(loop)
    loop.run(loop.clock.now() + SECOND + 500 * MILLI, frame=FRAME)
    (opened,) = of(loop, model.CountOpened)
    return loop, opened.first_beat + 3 * SECOND


@pytest.mark.parametrize("delivered_after", [0, 1, 20 * MILLI])
@pytest.mark.parametrize("still", [60 * MILLI, 120 * MILLI])
def test_a_hand_in_time_counts_although_the_loop_wakes_before_the_thread_that_delivers_it(
    still: Micros, delivered_after: Micros
) -> None:
    loop, end = counting()
    loop.run(end - 20 * MILLI, frame=FRAME)
    loop.clock.move_to(end - 20 * MILLI + still)
    loop.session.step()
    loop.clock.move_to(loop.clock.now() + delivered_after)
    for edge in tap(2, end - 10 * MILLI, 5 * MILLI + still):
        loop.session.submit(edge)
    loop.run(end + SECOND, frame=FRAME)
    assert of(loop, model.HandsLocked) == [model.HandsLocked((2,), (1, 3))]
    assert of(loop, model.HandTooLate) == []


def test_a_hand_that_is_read_just_after_the_end_is_too_late_although_its_edge_is_delivered_35_ms_later() -> (
    None
):
    down: set[int] = set()
    loop, end = counting(down)
    loop.run(end - MILLI, frame=FRAME)
    down.add(2)
    for after in (3 * MILLI, 38 * MILLI):
        loop.clock.move_to(end + after)
        loop.session.step()
    loop.session.submit(Edge(2, "seat", level=True, at=end + 2 * MILLI))
    loop.run(end + SECOND, frame=FRAME)
    assert of(loop, model.HandsLocked) == [model.HandsLocked((), (1, 2, 3))]
    assert of(loop, model.HandTooLate) == [model.HandTooLate(2)]


def test_half_a_burst_that_came_before_the_stop_is_no_glitch() -> None:
    loop, end = counting()
    at = end - SECOND
    loop.run(at, frame=FRAME)
    loop.session.submit(Edge(2, "seat", level=True, at=at))
    loop.session.submit(Edge(2, "seat", level=False, at=at + 700))
    loop.clock.move_to(at + 120 * MILLI)
    loop.session.step()
    loop.session.submit(Edge(2, "seat", level=True, at=at + 800))
    loop.run(end + SECOND, frame=FRAME)
    assert of(loop, model.HandRaised) == [model.HandRaised(2)]
    assert [e.cause.at for e in loop.journal.entries if isinstance(e.cause, ob.ButtonPressed)] == [at]


@pytest.mark.parametrize("still", [100 * MILLI, 3 * SECOND])
def test_of_two_stops_the_first_has_it_although_the_program_stood_still_between_their_deliveries(
    still: Micros,
) -> None:
    game = test_kabuki_game.at_play()
    clock = ManualClock(5 * SECOND)
    session = Session(game, clock=clock, voice=ListVoice(clock, available=False))

    def run(until: Micros) -> None:
        while clock.now() < until:
            clock.move_to(clock.now() + MAX_ROUND_INTERVAL)
            session.step()

    at = 6 * SECOND
    run(at)
    first, second = test_kabuki_game.bouncing(1, at), test_kabuki_game.bouncing(0, at + 5 * MILLI)
    for edge in second[:5]:
        session.submit(edge)
    clock.move_to(at + 5 * MILLI + still)
    session.step()
    for edge in (*first, *second[5:]):
        session.submit(edge)
    run(at + still + 4 * SECOND)
    (assigned,) = [
        e for entry in game.referee.journal.entries for e in entry.events if type(e) is StopAssigned
    ]
    assert (assigned.seat, assigned.at) == (1, at)


@pytest.mark.parametrize("late", [0, 17 * MILLI, 26 * MILLI, 38 * MILLI])
def test_a_pin_that_is_read_late_in_a_round_is_not_thought_to_be_read_at_its_beginning(late: Micros) -> None:
    clock = ManualClock(5 * SECOND)
    presses: dict[int, Micros] = {}

    def levels() -> dict[ButtonId, bool]:
        if clock.now() >= 6 * SECOND and not presses:
            presses.update({3: clock.now() + 8 * MILLI, 2: clock.now() + 22 * MILLI})
            clock.move_to(clock.now() + late)
        return {(chair, "seat"): clock.now() >= presses.get(chair, 7 * SECOND) for chair in range(4)}

    game = test_kabuki_game.at_play(levels=levels, level=lambda chair, _: levels()[chair, "seat"])
    session = Session(game, clock=clock, voice=ListVoice(clock, available=False))
    submitted = set[int]()
    while clock.now() < 6 * SECOND + 500 * MILLI:
        clock.move_to(clock.now() + FRAME)
        for chair, at in presses.items():
            if at <= clock.now() and chair not in submitted:
                submitted.add(chair)
                session.submit(Edge(chair, "seat", level=True, at=at))
        session.step()
    causes = [entry.cause for entry in game.referee.journal.entries]
    found = [(one.chair, one.at) for one in causes if isinstance(one, ob.ButtonPressed)]
    assert found == list(presses.items())


def test_a_loop_whose_every_round_is_late_still_judges_a_round_later() -> None:
    loop = Loop(draws=False)
    announced(loop)
    loop.run(20 * SECOND, frame=GRACE + MAX_ROUND_INTERVAL + 1)
    assert of(loop, model.HandsLocked) == [model.HandsLocked((), (1, 2, 3))]


def test_after_a_stop_the_loop_is_due_when_a_grace_has_passed() -> None:
    loop, end = counting()
    loop.clock.move_to(end - SECOND)
    loop.session.step()
    assert loop.session.next_due() == end - SECOND + GRACE


# A count that nobody could follow is void -------------------------------------------------------------------


def asked(loop: Loop) -> Micros:
    """When the frame was shown that asks for the count and opens its window."""
    shown = [at for at, view in loop.views if view.cue is not None]
    return shown[-1]


def still(loop: Loop, at: Micros, length: Micros) -> None:
    """The program does not run from `at` on for so long."""
    loop.run(at, frame=FRAME)
    loop.clock.move_to(at + length)


@pytest.mark.parametrize("beat", [0, 1, 2, 3])
@pytest.mark.parametrize(("length", "void"), [(140 * MILLI, False), (260 * MILLI, True), (3 * SECOND, True)])
def test_a_count_is_void_if_a_beat_was_on_the_screen_too_late(beat: int, length: Micros, void: bool) -> None:
    """The program stops just before a beat; the fourth one is the end of the count."""
    loop = Loop(sound=False)
    announced(loop)
    first = asked(loop) + SILENT_LEAD_IN
    end = first + 3 * SECOND
    still(loop, first + beat * SECOND - 5 * MILLI, length)
    loop.run(end + 4 * SECOND, frame=FRAME)
    assert of(loop, ev.WindowVoided) == ([ev.WindowVoided("stalled")] if void else [])
    assert len(of(loop, model.HandsLocked)) == (0 if void else 1)
    assert (loop.state.phase == "recounting") is void
    assert ("kinapa.WindowVoided.stalled" in loop.voice.words()) is void


def test_a_stop_between_two_beats_that_the_sound_did_not_share_voids_nothing() -> None:
    loop, end = counting()
    still(loop, end - 900 * MILLI, 800 * MILLI)
    loop.run(end + SECOND, frame=FRAME)
    assert of(loop, ev.WindowVoided) == []
    assert len(of(loop, model.HandsLocked)) == 1


@pytest.mark.parametrize(("late", "void"), [(100 * MILLI, False), (149 * MILLI, False), (160 * MILLI, True)])
def test_a_count_is_void_if_its_sound_came_to_the_end_too_late(late: Micros, void: bool) -> None:
    loop, end = counting()
    loop.voice.count_finished = False
    loop.run(end + late, frame=FRAME)
    assert of(loop, model.HandsLocked) == [], "not before it is known"
    loop.voice.count_finished = True
    loop.run(end + SECOND, frame=FRAME)
    assert of(loop, ev.WindowVoided) == ([ev.WindowVoided("stalled")] if void else [])
    assert len(of(loop, model.HandsLocked)) == (0 if void else 1)


def test_a_sound_that_ended_too_late_while_judging_waited_after_a_second_stop_is_noticed() -> None:
    """No picture was more than 60 ms late; the sound, which stood still in both stops, was 168 ms late."""
    loop, end = counting()
    loop.voice.count_finished = False
    for begin, length in ((end - 90 * MILLI, 150 * MILLI), (end + 64 * MILLI, 90 * MILLI)):
        loop.run(begin, frame=FRAME)
        still(loop, begin, length)
    loop.run(end + 168 * MILLI, frame=FRAME)
    assert of(loop, model.HandsLocked) == [], "judging waits a grace"
    loop.voice.count_finished = True
    loop.run(end + SECOND, frame=FRAME)
    assert of(loop, ev.WindowVoided) == [ev.WindowVoided("stalled")]


@pytest.mark.parametrize(("length", "void"), [(40 * MILLI, False), (300 * MILLI, True)])
def test_a_sound_that_was_overdue_before_a_second_stop_did_not_end_before_it(
    length: Micros, void: bool
) -> None:
    """The card had been handed less than all when it should have ended, so it had nothing to play on."""
    loop, end = counting()
    loop.voice.count_finished = False
    loop.run(end + 60 * MILLI, frame=FRAME)
    still(loop, end + 60 * MILLI, length)
    loop.voice.count_finished = True
    loop.run(end + SECOND, frame=FRAME)
    assert of(loop, ev.WindowVoided) == ([ev.WindowVoided("stalled")] if void else [])


@pytest.mark.parametrize(("behind", "void"), [(140 * MILLI, False), (218 * MILLI, True)])
def test_a_sound_that_began_late_is_late_although_the_card_has_the_last_of_it_already(
    behind: Micros, void: bool
) -> None:
    loop = Loop()
    loop.begin()
    assert isinstance(loop.journal, SlowJournal)
    loop.journal.takes = SECOND + behind - 40 * MILLI
    loop.say(0, "announce", 7)
    loop.voice.count_finished = False
    loop.run(loop.clock.now() + 3 * SECOND, frame=FRAME)
    (opened,) = of(loop, model.CountOpened)
    assert opened.by == "timer"
    end = opened.first_beat + 3 * SECOND
    loop.run(end + behind - 69 * MILLI, frame=FRAME)
    loop.voice.count_finished = True
    loop.run(end + SECOND, frame=FRAME)
    assert of(loop, ev.WindowVoided) == ([ev.WindowVoided("stalled")] if void else [])


def test_a_sound_that_a_timer_preceded_is_in_time_however_seldom_the_table_is_drawn() -> None:
    """The disk was slow, so the sound is 132 ms behind the count: that is not more than 150."""
    loop = Loop()
    loop.begin()
    assert isinstance(loop.journal, SlowJournal)
    loop.journal.takes = SECOND + 92 * MILLI
    loop.say(0, "announce", 7)
    loop.voice.count_finished = False
    loop.run(loop.clock.now() + 3 * SECOND, frame=FRAME)
    (opened,) = of(loop, model.CountOpened)
    assert opened.by == "timer"
    end = opened.first_beat + 3 * SECOND
    loop.run(end + 4 * MILLI, frame=FRAME)
    loop.draws = False
    loop.run(end + 132 * MILLI, frame=FRAME)
    loop.voice.count_finished = True
    loop.run(end + 160 * MILLI, frame=FRAME)
    loop.draws = True
    loop.run(end + SECOND, frame=FRAME)
    assert of(loop, ev.WindowVoided) == []
    assert len(of(loop, model.HandsLocked)) == 1


def test_a_hand_in_time_counts_although_the_end_of_the_count_waits_for_its_sound() -> None:
    loop, end = counting()
    loop.voice.count_finished = False
    in_time, too_late = tap(2, end - 5 * MILLI), tap(1, end + 20 * MILLI)
    loop.run(end + 100 * MILLI, *in_time[:1], *too_late[:1], frame=FRAME)
    loop.voice.count_finished = True
    loop.run(end + SECOND, *in_time[1:], *too_late[1:], frame=FRAME)
    assert of(loop, model.HandsLocked) == [model.HandsLocked((2,), (1, 3))]
    assert of(loop, model.HandTooLate) == [model.HandTooLate(1)]


def test_a_count_is_void_that_began_and_ended_while_the_program_stood_still() -> None:
    loop = Loop(sound=False)
    announced(loop)
    at = asked(loop)
    loop.clock.move_to(at + 20 * SECOND)
    loop.run(at + 21 * SECOND, frame=FRAME)
    assert of(loop, ev.WindowVoided) == [ev.WindowVoided("stalled")]
    assert of(loop, model.HandsLocked) == []


def test_a_count_that_nobody_heard_because_the_disk_stood_still_is_void() -> None:
    """A timer began it 2 s after the announcement, which was durable, and said, only 5 s after."""
    loop = Loop()
    loop.begin()
    assert isinstance(loop.journal, SlowJournal)
    loop.journal.takes = 5 * SECOND
    loop.say(0, "announce", 7)
    loop.run(loop.clock.now() + 8 * SECOND, *tap(2, loop.clock.now() + 3 * SECOND, 80 * MILLI), frame=FRAME)
    assert [opened.by for opened in of(loop, model.CountOpened)] == ["timer"]
    assert of(loop, model.HandsLocked) == []
    assert of(loop, ev.WindowVoided) == [ev.WindowVoided("stalled")]


def test_a_count_that_was_asked_for_and_begun_within_one_round_is_void() -> None:
    """The program stood still from the Emperor's word until just after a timer began the count."""
    loop = Loop()
    loop.begin()
    at = loop.clock.now()
    loop.session.submit(ob.ActionDeclared(at=at, action=Action(0, "announce", 7)))
    loop.clock.move_to(at + 2 * SECOND + 60 * MILLI)
    loop.run(at + 8 * SECOND, frame=FRAME)
    assert [opened.by for opened in of(loop, model.CountOpened)] == ["timer"]
    assert loop.voice.cues == []
    assert of(loop, ev.WindowVoided) == [ev.WindowVoided("stalled")]


@pytest.mark.parametrize(
    ("at", "still", "void"),
    [
        (36 * MILLI, 60 * MILLI, False),
        (36 * MILLI, 300 * MILLI, True),
        (60 * MILLI, 300 * MILLI, False),  # the card has the rest
    ],
)
def test_a_count_that_a_timer_began_before_its_sound_is_void_if_nobody_knows_how_late_that_ended(
    at: Micros, still: Micros, void: bool
) -> None:
    """The disk was slow, so the sound is 100 ms behind the count; the program stands still over its end."""
    loop = Loop()
    loop.begin()
    assert isinstance(loop.journal, SlowJournal)
    loop.journal.takes = SECOND + 60 * MILLI
    loop.say(0, "announce", 7)
    loop.voice.count_finished = False
    loop.run(loop.clock.now() + 3 * SECOND, frame=FRAME)
    (opened,) = of(loop, model.CountOpened)
    assert opened.by == "timer"
    end = opened.first_beat + 3 * SECOND
    loop.run(end + at, frame=FRAME)
    loop.clock.move_to(end + at + still)
    loop.voice.count_finished = True
    loop.run(end + SECOND, frame=FRAME)
    assert of(loop, ev.WindowVoided) == ([ev.WindowVoided("stalled")] if void else [])
    assert len(of(loop, model.HandsLocked)) == (0 if void else 1)


def test_without_a_screen_the_sound_alone_is_asked() -> None:
    loop = Loop(draws=False)
    announced(loop)
    loop.run(loop.clock.now() + 2 * SECOND, frame=FRAME)
    still(loop, loop.clock.now(), SECOND)
    loop.run(loop.clock.now() + 4 * SECOND, frame=FRAME)
    assert of(loop, ev.WindowVoided) == []
    assert len(of(loop, model.HandsLocked)) == 1


def test_a_menu_over_the_table_is_no_picture_that_stands_still() -> None:
    loop, end = counting()
    loop.draws = False
    loop.session.note_frame_shown(None)
    loop.run(end + SECOND, frame=FRAME)
    assert len(of(loop, model.HandsLocked)) == 1


def test_a_void_count_is_replayed_as_it_was_judged() -> None:
    loop = Loop(sound=False)
    announced(loop)
    still(loop, asked(loop) + SILENT_LEAD_IN + 2 * SECOND - 5 * MILLI, SECOND)
    loop.run(loop.clock.now() + SECOND, frame=FRAME)
    assert ob.CountStalled(at=of(loop, model.CountOpened)[-1].first_beat + 2 * SECOND) in [
        entry.cause for entry in loop.journal.entries
    ]
    entries = list(loop.journal.entries)
    assert replay_state(KINAPA, loop.session.game.referee.setup, entries) == loop.state
    assert [step.differs for step in replay_steps(KINAPA, loop.journal.header, entries)] == [""] * len(
        entries
    )
