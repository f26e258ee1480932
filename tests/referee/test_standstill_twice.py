"""Standstills, disturbances and lost edges, one after another: nothing is ruled that nobody saw."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from companion.core import events as ev
from companion.core import observations as ob
from companion.core.actions import HOLD_TIME, SECOND, Chair, Micros
from companion.core.clock import ManualClock
from companion.core.switch import Edge
from companion.games.kabuki.rules.model import CallerAsked, StopAssigned, StopVoided
from companion.games.kinapa.rules import model
from companion.referee.loop import RefereedGame
from companion.referee.phone_chairs import PhoneAnswer
from companion.table.session import SILENT_LEAD_IN, Session
from hardware.buttons import Coincidence
from tests.referee.game_hands import tap
from tests.referee.test_kabuki_game import at_play, run
from tests.table.loop import MILLI, ListVoice, Loop
from tests.table.session_parts import announced, of

FRAME: Micros = 4 * MILLI


def counting(down: set[int], hand: str = "toggle") -> tuple[Loop, Micros]:
    """A count that runs, and the instant at which it will be over; `down`: whose pins are closed."""
    loop = Loop(
        options=model.KinapaOptions(hand=hand),
        level=lambda chair, button: chair in down,
        levels=lambda: {(chair, "seat"): chair in down for chair in range(4)},
    )
    announced(loop)
    loop.run(loop.clock.now() + SECOND + 500 * MILLI, frame=FRAME)
    (opened,) = of(loop, model.CountOpened)
    return loop, opened.first_beat + 3 * SECOND


def woken(loop: Loop, at: Micros) -> None:
    """The program stood still, and its loop runs at `at` before the thread of the pins does."""
    loop.clock.move_to(at)
    loop.session.step()
    loop.session.note_frame_shown(loop.session.view)


# The program stands still once ------------------------------------------------------------------------------


@pytest.mark.parametrize("still", [45 * MILLI, 70 * MILLI])
def test_a_disturbance_in_a_short_stop_while_stops_are_possible_is_no_press(still: Micros) -> None:
    """After it the thread of the pins hands over one pin after another."""
    game = at_stops(set())
    clock = ManualClock(5 * SECOND)
    session = Session(game, clock=clock, voice=ListVoice(clock, available=False))
    at = 6 * SECOND

    def run_on(until: Micros) -> None:
        while clock.now() < until:
            clock.move_to(clock.now() + FRAME)
            session.step()

    run_on(at)
    clock.move_to(at + still)
    panel = Coincidence(session.submit)
    for chair in (0, 1, 3):
        for begun in range(at, at + 12 * MILLI, MILLI):
            for edge in tap(chair, begun + 7 * chair, 550):
                panel.edge(edge)
        session.step()
        clock.move_to(clock.now() + MILLI)
    run_on(at + 3 * SECOND)
    assert pressed(game) == []


# The program stands still twice over the end of a count -----------------------------------------------------


def test_a_pin_that_is_read_after_a_second_stop_does_not_say_what_it_was_after_the_first() -> None:
    down: set[int] = set()
    loop, end = counting(down)
    loop.run(end - 60 * MILLI, frame=FRAME)
    woken(loop, end + 5 * MILLI)
    down.add(2)
    woken(loop, end + 130 * MILLI)
    loop.clock.move_to(end + 131 * MILLI)
    loop.session.submit(Edge(2, "seat", level=True, at=end + 100 * MILLI))
    loop.run(end + SECOND, frame=FRAME)
    assert of(loop, ev.WindowVoided) == []
    assert of(loop, model.HandTooLate) == [model.HandTooLate(2)]
    assert of(loop, model.HandsLocked) == [model.HandsLocked((), (1, 2, 3))]


@pytest.mark.parametrize("awake", [MILLI, 20 * MILLI])
def test_a_hand_in_time_counts_although_the_thread_that_delivers_it_runs_only_after_a_second_stop(
    awake: Micros,
) -> None:
    loop, end = counting(set())
    loop.run(end - 60 * MILLI, frame=FRAME)
    woken(loop, end + 60 * MILLI)
    woken(loop, end + 60 * MILLI + awake + 50 * MILLI)
    for edge in tap(2, end - 10 * MILLI, 90 * MILLI):
        loop.session.submit(edge)
    loop.run(end + SECOND, frame=FRAME)
    assert of(loop, ev.WindowVoided) == []
    assert of(loop, model.HandsLocked) == [model.HandsLocked((2,), (1, 3))]


def test_a_pin_that_is_read_after_a_stop_does_not_say_what_it_was_when_the_round_began() -> None:
    """The program is stopped between a look at the clock and one at the pins; the second one was not down."""
    down: set[int] = set()

    def levels() -> dict[tuple[Chair | None, str], bool]:
        return {(chair, "seat"): chair in down for chair in range(4)}

    game = at_play(level=lambda chair, button: chair in down, levels=levels)
    at = 6 * SECOND
    run(game, 5 * SECOND, at)
    edges = [
        Edge(chair, "seat", level=True, at=at + after) for chair, after in ((1, 60 * MILLI), (0, 140 * MILLI))
    ]
    down |= {0, 1}  # when it goes on in the round that began at 50 ms
    game.step(at + 50 * MILLI)
    game.stood_still(at + 150 * MILLI)
    game.step(at + 150 * MILLI)
    for edge in edges:
        game.post(edge)
    run(game, at + 155 * MILLI, at + 3 * SECOND)
    presses = [(chair, when) for kind, chair, when in pressed(game) if kind == "ButtonPressed"]
    assert presses == [(1, at + 60 * MILLI), (0, at + 140 * MILLI)]
    events = [event for entry in game.referee.journal.entries for event in entry.events]
    assert [(event.seat, event.tied) for event in events if isinstance(event, StopAssigned)] == [(1, ())]


def test_two_hands_at_the_very_end_of_a_count_are_in_time() -> None:
    """They may be two of a disturbance's, and are judged only when a third pin's edge must have come."""
    down: set[int] = set()
    loop, end = counting(down)
    loop.run(end - MILLI, frame=FRAME)
    for chair in (1, 2):
        down.add(chair)
        loop.session.submit(Edge(chair, "seat", level=True, at=end))
    loop.run(end + SECOND, frame=FRAME)
    assert of(loop, model.HandsLocked) == [model.HandsLocked((1, 2), (3,))]


def test_a_hand_that_is_read_at_the_end_and_let_go_while_the_program_stands_still_went_up_once() -> None:
    down: set[int] = set()
    loop, end = counting(down)
    loop.run(end - MILLI, frame=FRAME)
    down.add(2)
    pressing, letting_go = tap(2, end, 35 * MILLI)
    loop.clock.move_to(end + 2 * MILLI)
    loop.session.step()
    loop.session.submit(pressing)
    loop.session.step()
    down.clear()
    loop.clock.move_to(end + 100 * MILLI)
    loop.session.submit(letting_go)
    loop.run(end + SECOND, frame=FRAME)
    assert of(loop, model.HandsLocked) == [model.HandsLocked((2,), (1, 3))]
    presses = [entry.cause for entry in loop.journal.entries if isinstance(entry.cause, ob.ButtonPressed)]
    assert [(press.chair, press.at) for press in presses] == [(2, end)]


def test_a_stop_whose_release_no_edge_tells_is_waited_for_however_long_the_program_stood_still() -> None:
    game, at = at_stops(set()), 6 * SECOND
    run(game, 5 * SECOND, at - 50 * MILLI)
    woke = at + 3 * SECOND
    game.stood_still(woke)
    for edge in (*tap(0, at, 160 * MILLI)[:1], *tap(3, at + 22 * MILLI, 80 * MILLI)):
        game.post(edge, woke)
    run(game, woke, woke + 3 * SECOND)
    events = [event for entry in game.referee.journal.entries for event in entry.events]
    assert [(event.seat, event.tied) for event in events if isinstance(event, StopAssigned)] == [(0, ())]


def test_standing_still_is_no_waiting_for_a_disturbance_to_end() -> None:
    game, at = at_stops(down := set[int]()), 6 * SECOND
    run(game, 5 * SECOND, at - 5 * MILLI)
    game.post(Edge(3, "seat", level=True, at=at + 10 * MILLI, source="usb"))
    down.add(0)
    shaken(game, at, at + 150 * MILLI)
    game.stood_still(at + 2 * SECOND)
    shaken(game, at + 2 * SECOND, at + 2_200 * MILLI)
    run(game, at + 2_200 * MILLI, at + 4 * SECOND)
    events = [event for entry in game.referee.journal.entries for event in entry.events]
    assert [set(event.among) for event in events if isinstance(event, CallerAsked)] == [{0, 3}]


def test_the_end_of_a_stop_s_order_does_not_shorten_the_interval_of_a_press() -> None:
    """The placer's own press, which is no Stop, opens the order; the key came before or after the pin's."""
    game, at = at_stops(down := set[int]()), 6 * SECOND
    run(game, 5 * SECOND, at)
    down.add(2)
    game.post(Edge(2, "seat", level=True, at=at))
    run(game, at, at + 10 * MILLI)
    woke = at + 160 * MILLI
    game.post(Edge(0, "seat", level=True, at=woke, source="key", since=at + 8 * MILLI))
    game.stood_still(woke)
    for edge in tap(1, at + 70 * MILLI, 80 * MILLI):
        game.post(edge)
    run(game, woke, woke + 3 * SECOND)
    events = [event for entry in game.referee.journal.entries for event in entry.events]
    asked = [event for event in events if isinstance(event, CallerAsked)]
    assert [(event.among, event.within) for event in asked] == [((0, 1), 152 * MILLI)]


# A disturbance is noticed late ------------------------------------------------------------------------------


def at_stops(down: set[int], **options: Any) -> RefereedGame:
    """A Stop is possible; `down`: whose pins are closed."""
    return at_play(
        options=options,
        level=lambda chair, button: chair in down,
        levels=lambda: {(chair, "seat"): chair in down for chair in range(4)},
    )


def pressed(game: RefereedGame) -> list[tuple[str, int | None, Micros]]:
    """What buttons did, as the journal has it."""
    kinds = (ob.ButtonPressed, ob.ButtonReleased, ob.ButtonHeld)
    causes = [entry.cause for entry in game.referee.journal.entries]
    return [(type(cause).__name__, cause.chair, cause.at) for cause in causes if isinstance(cause, kinds)]


def test_a_disturbance_whose_third_pin_is_delivered_60_ms_late_is_no_press() -> None:
    game, at = at_stops(set()), 6 * SECOND
    run(game, 5 * SECOND, at)
    panel = Coincidence(game.post)
    for chair in (0, 1):
        for edge in tap(chair, at, 30 * MILLI):
            panel.edge(edge)
    run(game, at, at + 60 * MILLI)
    for edge in tap(2, at + 50, 30 * MILLI):
        panel.edge(edge)
    run(game, at + 60 * MILLI, at + 3 * SECOND)
    assert pressed(game) == []


def test_two_fingers_at_the_same_instant_are_two_presses_a_little_later() -> None:
    game, at = at_stops(set()), 6 * SECOND
    run(game, 5 * SECOND, at)
    for chair in (0, 1):
        for edge in tap(chair, at + 50 * chair, 30 * MILLI):
            game.post(edge)
    run(game, at, at + 3 * SECOND)
    presses = [(chair, when) for kind, chair, when in pressed(game) if kind == "ButtonPressed"]
    assert presses == [(0, at), (1, at + 50)]
    events = [event for entry in game.referee.journal.entries for event in entry.events]
    assert [len(event.tied) for event in events if isinstance(event, StopAssigned)] == [1]


def test_what_was_judged_before_a_disturbance_was_noticed_is_let_go_again_and_becomes_no_hold() -> None:
    """The third pin's edges come 80 ms late: by then two presses are judged, and their releases are not."""
    game, at = at_stops(set()), 6 * SECOND
    run(game, 5 * SECOND, at)
    panel = Coincidence(game.post)
    for chair in (0, 1):
        for edge in tap(chair, at, 30 * MILLI):
            panel.edge(edge)
    run(game, at, at + 80 * MILLI)
    for edge in tap(2, at + 50, 30 * MILLI):
        panel.edge(edge)
    run(game, at + 80 * MILLI, at + 12 * SECOND)
    assert [(kind, chair) for kind, chair, _ in pressed(game)] == [
        *(("ButtonPressed", 0), ("ButtonPressed", 1)),
        *(("ButtonReleased", 0), ("ButtonReleased", 1)),
    ]
    assert game.stuck_button(at + 12 * SECOND) is None


def test_a_press_that_was_judged_before_a_disturbance_was_noticed_is_not_judged_again() -> None:
    down: set[int] = set()
    game, at = at_stops(down), 6 * SECOND
    run(game, 5 * SECOND, at)
    down.add(1)
    panel = Coincidence(game.post)
    for edge in (*tap(0, at, 30 * MILLI), *tap(1, at, 400 * MILLI)[:1]):
        panel.edge(edge)
    run(game, at, at + 80 * MILLI)
    for edge in tap(2, at + 50, 30 * MILLI):
        panel.edge(edge)
    run(game, at + 80 * MILLI, at + 350 * MILLI)
    assert [chair for kind, chair, _ in pressed(game) if kind == "ButtonPressed"] == [0, 1]


# A disturbance over the end of a window ---------------------------------------------------------------------


def shaken(
    game: RefereedGame, since: Micros, until: Micros, step: Callable[[Micros], None] | None = None
) -> None:
    """Three pins pick something up every 5 ms, as long as that."""
    for at in range(since, until, 5 * MILLI):
        for level, after in ((True, 0), (False, 300)):
            for chair in (0, 1, 3):
                game.post(Edge(chair, "seat", level=level, at=at + after, disturbed=chair == 3))
        (step or game.step)(at)


@pytest.mark.parametrize("before", [30 * MILLI, MILLI])
def test_a_hand_that_went_up_in_a_disturbance_over_the_end_of_the_count_is_not_too_late(
    before: Micros,
) -> None:
    down: set[int] = set()
    loop, end = counting(down)
    loop.run(end - before, frame=FRAME)
    shaken(loop.session.game, end - before, end - before + 5 * MILLI)
    down.add(2)
    loop.run(end + 200 * MILLI, frame=FRAME)
    assert of(loop, model.HandsLocked) == [model.HandsLocked((2,), (1, 3))]
    assert of(loop, model.HandTooLate) == []
    (raised,) = [entry.cause for entry in loop.journal.entries if isinstance(entry.cause, ob.ButtonPressed)]
    assert raised.since is not None
    assert raised.since < raised.at <= end
    assert loop.session.press_notices() == (), "who was first matters to nobody here"


@pytest.mark.parametrize(
    ("hand", "up", "told"),
    [
        ("hold", -20, ["ui.late.unknown"]),  # in the disturbance, and read after the end
        ("hold", 60, []),  # its edge tells
        ("toggle", -20, []),  # what it means is over
    ],
)
def test_a_hand_of_which_nobody_knows_whether_it_came_down_in_time_is_up_and_its_panel_says_so(
    hand: str, up: int, told: list[str]
) -> None:
    down: set[int] = set()
    loop, end = counting(down, hand)
    loop.run(end - 300 * MILLI, frame=FRAME)
    down.add(2)
    loop.session.submit(Edge(2, "seat", level=True, at=end - 300 * MILLI))
    loop.run(end - 30 * MILLI, frame=FRAME)
    shaken(loop.session.game, end - 30 * MILLI, end - 25 * MILLI)
    loop.run(end + up * MILLI, frame=FRAME)
    down.discard(2)
    loop.session.submit(Edge(2, "seat", level=False, at=end + up * MILLI))
    loop.run(end + 300 * MILLI, frame=FRAME)
    assert of(loop, model.HandsLocked) == [model.HandsLocked((2,), (1, 3))]
    assert [said.key for chair, said in loop.session.press_notices() if chair == 2] == told


def test_a_hand_that_goes_up_after_a_disturbance_over_the_end_of_the_count_is_too_late() -> None:
    down: set[int] = set()
    loop, end = counting(down)
    loop.run(end - 30 * MILLI, frame=FRAME)
    shaken(loop.session.game, end - 30 * MILLI, end - 25 * MILLI)
    loop.run(end + 40 * MILLI, frame=FRAME)
    down.add(2)
    loop.session.submit(Edge(2, "seat", level=True, at=end + 40 * MILLI))
    loop.run(end + 200 * MILLI, frame=FRAME)
    assert of(loop, model.HandsLocked) == [model.HandsLocked((), (1, 2, 3))]
    assert of(loop, model.HandTooLate) == [model.HandTooLate(2)]


def test_a_count_waits_no_longer_than_a_second_for_a_disturbance_to_end() -> None:
    loop, end = counting(set())
    loop.run(end - 30 * MILLI, frame=FRAME)
    until = end + SECOND + 200 * MILLI
    shaken(loop.session.game, end - 30 * MILLI, until, lambda at: loop.run(at, frame=FRAME))
    assert of(loop, model.HandsLocked) == [model.HandsLocked((), (1, 2, 3))]


@pytest.mark.parametrize("source", ["usb", "touch"])
def test_a_stop_found_after_a_disturbance_is_not_later_than_one_that_no_pin_told(source: str) -> None:
    down: set[int] = set()
    game, at = at_stops(down), 6 * SECOND
    run(game, 5 * SECOND, at - 5 * MILLI)
    leaf = ob.RegionReading("stack:3", (ob.SeenCard("mask:leaf"),), at - 700 * MILLI, at - 300 * MILLI)
    game.post(ob.TableSeen(at=at + 20 * MILLI, regions=(leaf,)))
    game.post(Edge(0, "seat", level=True, at=at + MILLI, source=source))
    shaken(game, at, at + 25 * MILLI)
    down.add(1)
    run(game, at + 25 * MILLI, at + 3 * SECOND)
    events = [event for entry in game.referee.journal.entries for event in entry.events]
    assert [type(event) for event in events if isinstance(event, StopVoided | StopAssigned)] == []
    (asked,) = [event for event in events if isinstance(event, CallerAsked)]
    assert set(asked.among) == {0, 1}


@pytest.mark.parametrize(
    ("released", "lost", "late", "held"),
    [
        (120 * MILLI, True, 0, False),
        (120 * MILLI, False, 0, False),
        (2 * SECOND, True, 0, True),
        (HOLD_TIME + 20 * MILLI, False, 70 * MILLI, True),
        (HOLD_TIME - 20 * MILLI, False, 80 * MILLI, False),
    ],
)
def test_a_button_whose_release_no_edge_tells_in_time_was_held_only_if_its_pin_says_so(
    released: Micros, *, lost: bool, late: Micros, held: bool
) -> None:
    down: set[int] = set()
    game, at = at_stops(down), 6 * SECOND
    down.add(0)
    game.post(Edge(0, "seat", level=True, at=at))
    run(game, at, at + released)
    down.clear()
    run(game, at + released, at + released + late)
    if not lost:
        game.post(Edge(0, "seat", level=False, at=at + released))
    run(game, at + released + late, at + 4 * SECOND)
    told = [kind for kind, chair, _ in pressed(game) if chair == 0]
    assert told[1] == ("ButtonHeld" if held else "ButtonReleased")
    assert ("ButtonHeld" in told) is held


def bursts(*begins: Micros) -> list[Edge]:
    """A disturbance of half a millisecond on the shared buttons, at each of these instants."""
    lines = enumerate(("back", "next", "ok"))
    return [
        Edge(None, name, level=level, at=at + after + 9 * place)
        for place, name in lines
        for at in begins
        for level, after in ((True, 0), (False, 500))
    ]


def contacts(chair: int, at: Micros, *after: Micros) -> list[Edge]:
    """A contact that closes at `at` and changes so long after it."""
    return [Edge(chair, "seat", level=not place % 2, at=at + one) for place, one in enumerate((0, *after))]


def delivered(game: RefereedGame, edges: list[Edge], until: Micros, down: set[int]) -> None:
    """Edges come in in order, as the pins are; the loop goes round every 2 ms."""
    panel = Coincidence(game.post)
    left = sorted(edges, key=lambda edge: edge.at)
    for now in range(left[0].at - 10 * MILLI, until, 2 * MILLI):
        while left and left[0].at <= now:
            edge = left.pop(0)
            if edge.chair is not None:
                (down.add if edge.level else down.discard)(edge.chair)
            panel.edge(edge)
        game.step(now)


def test_a_press_whose_first_contact_a_disturbance_followed_may_have_been_so_early() -> None:
    down: set[int] = set()
    game, at = at_stops(down), 6 * SECOND
    mine = contacts(3, at, 900, 1100, 2000, 2500, 200 * MILLI)
    other = contacts(0, at + 1100, 90 * MILLI)
    delivered(game, [*mine, *other, *bursts(at + 2350)], at + 2 * SECOND, down)
    events = [event for entry in game.referee.journal.entries for event in entry.events]
    assert [event.among for event in events if isinstance(event, CallerAsked)] == [(0, 3)]


def test_a_hand_whose_first_contact_was_in_time_is_not_too_late_for_a_disturbance_after_the_end() -> None:
    down: set[int] = set()
    loop, end = counting(down)
    at = end - 1500
    edges = [*contacts(2, at, 900, 1100, 1900, 2500, 200 * MILLI), *bursts(at + 2300)]
    delivered(loop.session.game, edges, end + 60 * MILLI, down)
    loop.run(end + SECOND, frame=FRAME)
    assert of(loop, model.HandsLocked)[0].raised == (2,)


def test_a_press_whose_edge_was_lost_before_a_disturbance_may_have_come_before_that() -> None:
    down: set[int] = set()
    game, at = at_stops(down), 6 * SECOND
    for now in range(5 * SECOND, at, 4 * MILLI):
        game.step(now)
    down.add(1)  # its edge is lost
    for edge in (*tap(0, at + 4 * MILLI), *bursts(at + 8 * MILLI)):
        game.post(edge if edge.chair == 0 else Edge(None, edge.button, edge.level, edge.at, disturbed=True))
    for now in range(at + 10 * MILLI, at + 3 * SECOND, 4 * MILLI):
        game.step(now)
    events = [event for entry in game.referee.journal.entries for event in entry.events]
    assert [asked.among for asked in events if isinstance(asked, CallerAsked)] == [(0, 1)]


def test_a_second_disturbance_does_not_hide_that_a_press_bounced_on_after_the_first() -> None:
    game, at = at_stops(set()), 6 * SECOND
    mine = contacts(3, at + 44 * MILLI, 2 * MILLI, 2300, 6400, 8600, 96 * MILLI)
    other = contacts(0, at + 51 * MILLI, 59 * MILLI)
    panel = Coincidence(game.post)
    woke = at + 380 * MILLI
    for edge in sorted([*mine, *other, *bursts(at, at + 138 * MILLI)], key=lambda edge: str(edge.button)):
        panel.edge(edge)  # one pin after another, as after a standstill
    game.stood_still(woke)
    run(game, woke, woke + 2 * SECOND)
    events = [event for entry in game.referee.journal.entries for event in entry.events]
    assert [event.among for event in events if isinstance(event, CallerAsked)] == [(0, 3)]


@pytest.mark.parametrize("shakes", [True, False], ids=["disturbed", "edge lost, loop late"])
def test_a_stop_at_the_end_of_a_timed_window_is_not_too_late_if_nobody_knows(*, shakes: bool) -> None:
    down: set[int] = set()
    game, at = at_stops(down, stop_until="seconds"), 4 * SECOND
    until = game.referee.state.until
    assert until is not None
    run(game, at, until - 10 * MILLI)
    if shakes:
        shaken(game, until - 10 * MILLI, until + 5 * MILLI)
    down.add(1)
    run(game, until + 30 * MILLI, until + 3 * SECOND)
    events = [event for entry in game.referee.journal.entries for event in entry.events]
    assert [event.seat for event in events if isinstance(event, StopAssigned)] == [1]


# A disturbance and what else a button can mean --------------------------------------------------------------


def back_held(released: Micros) -> list[tuple[str, int | None, Micros]]:
    """`back` goes down, pins are disturbed from 0.1 to 0.7 s after it, and it is let go then."""
    down: set[str] = set()
    game, at = (
        at_play(
            level=lambda chair, button: button in down,
            levels=lambda: {(chair, "seat"): False for chair in range(4)},
        ),
        6 * SECOND,
    )
    run(game, 5 * SECOND, at)
    down.add("back")
    game.post(Edge(None, "back", level=True, at=at))
    run(game, at, at + 100 * MILLI)

    def step(now: Micros) -> None:
        if now >= at + released:
            down.discard("back")
        game.step(now)

    shaken(game, at + 100 * MILLI, at + 700 * MILLI, step)
    run(game, at + 700 * MILLI, at + 2 * SECOND)
    assert game.referee.state.desk.paused is (released > SECOND)
    return pressed(game)


def test_a_tap_whose_release_a_disturbance_hides_is_no_hold() -> None:
    assert [kind for kind, *_ in back_held(120 * MILLI)] == ["ButtonPressed", "ButtonReleased"]


def test_a_button_that_is_still_down_after_a_disturbance_was_held() -> None:
    assert [kind for kind, *_ in back_held(3 * SECOND)] == ["ButtonPressed", "ButtonHeld"]


def test_a_press_that_was_the_page_s_stays_the_page_s_after_a_disturbance() -> None:
    game, at = at_stops(down := set[int]()), 6 * SECOND
    run(game, 5 * SECOND, at)
    down.add(1)
    for chair in (0, 1, 3):
        game.post(Edge(chair, "seat", level=True, at=at, disturbed=chair == 3), at, "page")
    for chair in (0, 3):
        game.post(Edge(chair, "seat", level=False, at=at + 300, disturbed=chair == 3), at)
    run(game, at, at + SECOND)
    assert pressed(game) == []
    assert [(type(seen).__name__, seen.chair) for seen in game.page_presses] == [("ButtonPressed", 1)]


def test_a_hand_raised_by_phone_and_found_down_after_a_disturbance_is_one_hand() -> None:
    down: set[int] = set()
    loop, end = counting(down)
    game = loop.session.game
    game.set_phone_chairs([2])
    loop.run(end - 60 * MILLI, frame=FRAME)
    shaken(game, end - 60 * MILLI, end - 20 * MILLI)
    number, *_ = game.phones.current_offer(2)
    game.post(PhoneAnswer(2, number, end - 15 * MILLI))
    down.add(2)
    loop.run(end + SECOND, frame=FRAME)
    presses = [entry.cause for entry in loop.journal.entries if isinstance(entry.cause, ob.ButtonPressed)]
    assert [press.source for press in presses] == ["phone"]
    assert of(loop, model.HandsLocked) == [model.HandsLocked((2,), (1, 3))]


# A menu after a stop ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("length", "void"), [(100 * MILLI, False), (500 * MILLI, True)])
def test_a_menu_that_opens_after_a_stop_does_not_hide_that_the_picture_stood_still(
    length: Micros, *, void: bool
) -> None:
    loop = Loop(sound=False)
    announced(loop)
    shown = [at for at, view in loop.views if view.cue is not None][-1]
    beat = shown + SILENT_LEAD_IN + 2 * SECOND
    loop.run(beat - 5 * MILLI, frame=FRAME)
    loop.clock.move_to(beat - 5 * MILLI + length)
    loop.session.step()
    loop.draws = False
    loop.session.note_frame_shown(None)
    loop.run(beat + 600 * MILLI, frame=FRAME)
    loop.draws = True
    loop.run(beat + 4 * SECOND, frame=FRAME)
    assert of(loop, ev.WindowVoided) == ([ev.WindowVoided("stalled")] if void else [])


def test_a_beat_under_a_menu_that_closes_later_voids_nothing() -> None:
    loop = Loop(sound=False)
    announced(loop)
    shown = [at for at, view in loop.views if view.cue is not None][-1]
    beat = shown + SILENT_LEAD_IN + 2 * SECOND
    loop.run(beat - 300 * MILLI, frame=FRAME)
    loop.draws = False
    loop.session.note_frame_shown(None)
    loop.run(beat + 300 * MILLI, frame=FRAME)
    loop.draws = True
    loop.run(beat + 4 * SECOND, frame=FRAME)
    assert of(loop, ev.WindowVoided) == []
