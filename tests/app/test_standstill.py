"""The program stands still for a while: what was pressed meanwhile is judged when it has been delivered."""

from __future__ import annotations

import pytest
from loop import MILLI, ListVoice, Loop

from companion.core import observations as ob
from companion.core.actions import SECOND, Micros
from companion.core.clock import ManualClock
from companion.core.one_button import Edge
from companion.games.kabuki.rules.events import StopAssigned
from companion.games.kinapa.rules import events as kinapa
from companion.referee.loop import GRACE, PACE
from companion.table.session import Session
from tests.app import test_kabuki_game
from tests.app.game_hands import tap
from tests.app.session_parts import announced, of

FRAME: Micros = 4 * MILLI


def counting() -> tuple[Loop, Micros]:
    """A count that runs, and the instant at which it will be over."""
    loop = Loop()
    announced(loop)
    loop.run(loop.clock.now() + SECOND + 500 * MILLI, frame=FRAME)
    (opened,) = of(loop, kinapa.CountOpened)
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
        loop.session.take(edge)
    loop.run(end + SECOND, frame=FRAME)
    assert of(loop, kinapa.HandsLocked) == [kinapa.HandsLocked((2,), (1, 3))]
    assert of(loop, kinapa.HandTooLate) == []


def test_half_a_burst_that_came_before_the_stop_is_no_glitch() -> None:
    loop, end = counting()
    at = end - SECOND
    loop.run(at, frame=FRAME)
    loop.session.take(Edge(2, "seat", level=True, at=at))
    loop.session.take(Edge(2, "seat", level=False, at=at + 700))
    loop.clock.move_to(at + 120 * MILLI)
    loop.session.step()
    loop.session.take(Edge(2, "seat", level=True, at=at + 800))
    loop.run(end + SECOND, frame=FRAME)
    assert of(loop, kinapa.HandRaised) == [kinapa.HandRaised(2)]
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
            clock.move_to(clock.now() + PACE)
            session.step()

    at = 6 * SECOND
    run(at)
    first, second = test_kabuki_game.bouncing(1, at), test_kabuki_game.bouncing(0, at + 5 * MILLI)
    for edge in second[:5]:
        session.take(edge)
    clock.move_to(at + 5 * MILLI + still)
    session.step()
    for edge in (*first, *second[5:]):
        session.take(edge)
    run(at + still + 4 * SECOND)
    (assigned,) = [
        e for entry in game.referee.journal.entries for e in entry.events if type(e) is StopAssigned
    ]
    assert (assigned.seat, assigned.at) == (1, at)


def test_a_loop_whose_every_round_is_late_still_judges_a_round_later() -> None:
    loop = Loop(draws=False)
    announced(loop)
    loop.run(20 * SECOND, frame=GRACE + PACE + 1)
    assert of(loop, kinapa.HandsLocked) == [kinapa.HandsLocked((), (1, 2, 3))]


def test_after_a_stop_the_loop_is_due_when_a_grace_has_passed() -> None:
    loop, end = counting()
    loop.clock.move_to(end - SECOND)
    loop.session.step()
    assert loop.session.next_due() == end - SECOND + GRACE
