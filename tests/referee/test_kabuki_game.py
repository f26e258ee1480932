"""Kabuki in the loop: edges of real switches in, Stops and their photo finish out."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import pytest

from companion.core import observations as ob
from companion.core.actions import SECOND, Action, Micros, Setup
from companion.core.clock import ManualClock
from companion.core.debounce import PIN_POLL_INTERVAL
from companion.core.events import WindowVoided
from companion.core.exhibits import PhotoFinish
from companion.core.switch import Edge
from companion.core.view import Sentence
from companion.games import RULES
from companion.games.kabuki.rules.model import CallerAsked, StopAssigned, StopCalled, StopRight, StopWrong
from companion.language.language import Language
from companion.referee.journal import MemoryJournal, make_header
from companion.referee.loop import STUCK_AFTER, RefereedGame
from companion.referee.referee import Referee
from companion.table.frames import most_pressing_trouble
from companion.table.history import JournalHistory, LastReading
from companion.table.session import Session
from hardware.buttons import Coincidence
from tests.table.loop import ListVoice
from tests.thorough import examples

MS: Micros = 1_000
KABUKI = RULES["kabuki"]


def at_play(options: Mapping[str, Any] | None = None, **more: Any) -> RefereedGame:
    """Chair 1 began, three masks lie; the fourth chair is in turn."""
    header = make_header("kabuki", Setup((0, 1, 2, 3), KABUKI.options(**(options or {}))), kind="simulation")
    referee: Referee[Any] = Referee(KABUKI, MemoryJournal(header))
    game = RefereedGame(referee, chance=lambda choices: 0, **more)
    game.step(100 * MS)
    said = ((0, "begin", None), (0, "place", "sun@1"), (1, "place", "wave@1"), (2, "place", "sun@1"))
    for second, (seat, verb, value) in enumerate(said, 1):
        game.post(ob.ActionDeclared(at=second * SECOND, action=Action(seat, verb, value)))
    run(game, SECOND, 5 * SECOND)
    return game


def run(game: RefereedGame, since: Micros, until: Micros) -> None:
    for now in range(since, until + 1, 5 * MS):
        game.step(now)


def bouncing(chair: int, at: Micros, hold: Micros = 90 * MS) -> list[Edge]:
    """A press whose contact opens twice, and its release."""
    marks = [(0, True), (700, False), (800, True), (2_900, False), (3_000, True), (hold, False)]
    return [Edge(chair, "seat", level=level, at=at + after) for after, level in marks]


def of(game: RefereedGame, kind: type) -> list[Any]:
    return [e for entry in game.referee.journal.entries for e in entry.events if isinstance(e, kind)]


def test_two_switches_less_than_two_milliseconds_apart_have_their_finish_in_the_journal() -> None:
    game = at_play()
    at = 6 * SECOND
    first, second = bouncing(1, at), bouncing(0, at + 1_300)
    for edge in (*second, *first):  # the later one is delivered before
        game.post(edge)
    run(game, at, at + 3 * SECOND)
    (assigned,) = of(game, StopAssigned)
    assert (assigned.seat, assigned.at) == (1, at)
    found = KABUKI.exhibit(game.referee.state, game.referee.standing_entries())
    assert isinstance(found, PhotoFinish)
    assert sorted(press.at for press in found.presses)[:2] == [at, at + 1_300]
    assert [(press.chair, press.source, press.verdict) for press in found.presses] == [
        (1, "gpio", "counts"),
        (0, "gpio", "void"),
    ]


def test_a_stop_whose_only_edge_was_lost_is_found_by_its_level_and_has_its_interval() -> None:
    down: set[int] = set()
    game = at_play(levels=lambda: {(chair, "seat"): chair in down for chair in range(4)})
    at = 6 * SECOND
    run(game, 5 * SECOND, at)
    down.add(1)
    run(game, at + 5 * MS, at + 90 * MS)
    down.clear()
    run(game, at + 95 * MS, at + 3 * SECOND)
    (assigned,) = of(game, StopAssigned)
    (called,) = of(game, StopCalled)
    assert assigned.seat == 1
    assert called.since <= at < called.at <= called.since + PIN_POLL_INTERVAL


def test_the_order_of_a_stop_waits_for_who_else_was_down_when_an_edge_came_late() -> None:
    """That another is down was read 30 ms after its press, and is judged when no edge of it can come."""
    down: set[int] = set()
    game = at_play(
        level=lambda chair, button: chair in down,
        levels=lambda: {(chair, "seat"): chair in down for chair in range(4)},
    )
    at = 6 * SECOND
    run(game, 5 * SECOND, at)
    down |= {0, 1}  # the edge of 0 is lost
    run(game, at + 5 * MS, at + 30 * MS)
    game.post(Edge(1, "seat", level=True, at=at + 2 * MS), at + 32 * MS)
    leaf = ob.RegionReading("stack:3", (ob.SeenCard("mask:leaf"),), at - 700 * MS, at - 300 * MS)
    game.post(ob.TableSeen(at=at + 33 * MS, regions=(leaf,)))
    run(game, at + 35 * MS, at + 3 * SECOND)
    (asked,) = of(game, CallerAsked)
    assert asked.among == (0, 1)
    assert of(game, StopAssigned) == []


@pytest.mark.parametrize(
    ("pressed", "shaken"),
    [([(1, 0), (0, 50)], []), ([(1, 0)], [-20 * MS])],
    ids=["two within 0.1 ms", "in a disturbance"],
)
@pytest.mark.parametrize("what", ["mask", "pause"])
def test_what_comes_right_after_a_stop_waits_until_the_pins_tell_of_that(
    pressed: list[tuple[int, Micros]], shaken: list[Micros], what: str
) -> None:
    down = dict.fromkeys(range(4), False)
    game = at_play(
        level=lambda chair, button: chair in down and down[chair],
        levels=lambda: {(chair, "seat"): level for chair, level in down.items()},
    )
    moves = [(at + chair, chair, True) for at in shaken for chair in range(4)]
    moves += [(at + 300 + chair, chair, False) for at in shaken for chair in range(4)]
    moves += [(at, chair, True) for chair, at in pressed]
    begin = 6 * SECOND
    cable = Coincidence(lambda edge: game.post(edge, begin))
    for at, chair, level in sorted(moves):
        down[chair] = level
        cable.edge(Edge(chair, "seat", level=level, at=begin + at))
    at = begin + 10 * MS
    mask = ob.ActionDeclared(at=at, action=Action(3, "place", "wave@2"))
    game.post(mask if what == "mask" else ob.PauseRequested(at=at))
    run(game, begin, begin + 3 * SECOND)
    assert [called.seat for called in of(game, StopCalled)] == [1]
    stops = [entry for entry in game.referee.journal.entries if entry.cause.at >= begin]
    assert isinstance(stops[0].events[0], StopCalled), "it was called before"


def test_a_mask_waits_for_the_pins_although_one_a_second_before_did_so_too() -> None:
    game = at_play(level=lambda chair, button: False, levels=dict)
    begin = 6 * SECOND
    game.post(Edge(None, "back", level=True, at=begin, disturbed=True))
    game.post(ob.ActionDeclared(at=begin + 5 * MS, action=Action(3, "place", "wave@4")))
    run(game, begin, begin + SECOND)
    at = begin + SECOND + 25 * MS
    for chair in (1, 2):
        for edge in bouncing(chair, at + 50 * (chair - 1)):
            game.post(edge)
    game.post(ob.ActionDeclared(at=at + 10 * MS, action=Action(0, "place", "moon@2")))
    run(game, at + 10 * MS, at + 3 * SECOND)
    later = [entry.events for entry in game.referee.journal.entries if entry.cause.at >= at]
    assert isinstance(later[0][0], StopCalled), "it was called before"


def test_when_somebody_presses_it_is_read_at_once_who_else_is_down() -> None:
    """So a press whose edge is lost is never told later than one that came after it."""
    down: set[int] = set()
    game = at_play(levels=lambda: {(chair, "seat"): chair in down for chair in range(4)})
    at = 6 * SECOND
    run(game, 5 * SECOND, at)
    down.add(0)  # its edge is lost
    run(game, at + 5 * MS, at + 10 * MS)
    down.add(1)
    game.post(Edge(1, "seat", level=True, at=at + 12 * MS), at + 14 * MS)
    run(game, at + 15 * MS, at + 3 * SECOND)
    (asked,) = of(game, CallerAsked)
    assert set(asked.among) == {0, 1}


def test_a_button_that_sticks_is_one_call_is_said_and_stops_nobody_else() -> None:
    game = at_play()
    at = 6 * SECOND
    game.post(Edge(1, "seat", level=True, at=at))
    run(game, at, at + 3 * SECOND)
    assert [event.seat for event in of(game, StopCalled)] == [1]
    for after, (seat, verb, value) in enumerate(
        ((1, "look", None), (1, "twins", 1), (1, "restored", None), (3, "place", "moon@2")), 4
    ):
        game.post(ob.ActionDeclared(at=at + after * SECOND, action=Action(seat, verb, value)))
    run(game, at + 3 * SECOND, at + 8 * SECOND)
    assert game.stuck_button(at + STUCK_AFTER) is None
    assert game.stuck_button(at + STUCK_AFTER + 1) == (1, "seat")
    for edge in bouncing(2, at + 9 * SECOND):
        game.post(edge)
    run(game, at + 8 * SECOND, at + 12 * SECOND)
    assert [event.seat for event in of(game, StopAssigned)] == [1, 2]
    assert of(game, StopWrong) == []


class Loop:
    """As much of a session as its troubles are asked of."""

    def __init__(self, game: RefereedGame) -> None:
        self.game = game
        self.unread_place = None

    def press_notices(self) -> tuple[Any, ...]:
        return ()

    storage_alarm = None

    def table_notice(self, now: Micros) -> None:
        return None


def test_the_table_is_told_which_button_sticks() -> None:
    game = at_play()
    game.post(Edge(1, "seat", level=True, at=6 * SECOND))
    run(game, 6 * SECOND, 17 * SECOND)
    told = most_pressing_trouble(Loop(game), 17 * SECOND)  # type: ignore[arg-type]
    assert told is not None
    assert (told.key, dict(told.parts)) == ("shared.stuck", {"chair": 1})


def test_a_cable_pulled_while_the_order_is_open_voids_the_call_and_loses_nothing() -> None:
    game = at_play()
    at = 6 * SECOND
    game.post(Edge(1, "seat", level=True, at=at, source="usb"))
    game.post(Edge(1, "seat", level=False, at=at + 10 * MS, source="usb"))
    game.post(ob.AdapterLost(at=at + 10 * MS, adapter="usb", reason="The USB buttons are gone."))
    run(game, at, at + 2 * SECOND)
    assert of(game, WindowVoided) == [WindowVoided("adapter")]
    assert of(game, StopAssigned) == []
    for edge in bouncing(0, at + 3 * SECOND):
        game.post(edge)
    run(game, at + 2 * SECOND, at + 6 * SECOND)
    assert [event.seat for event in of(game, StopAssigned)] == [0], "the mask may still be stopped"


def in_a_check(design: str = "leaf") -> RefereedGame:
    """C's mask over a sun and a wave was read as this one; B stopped it and lifts the stack."""
    game = at_play()
    game.post(ob.ActionDeclared(at=6 * SECOND, action=Action(3, "place", f"{design}@1")))
    run(game, 6 * SECOND, 7 * SECOND)
    game.post(ob.ButtonPressed(at=7 * SECOND, chair=1))
    run(game, 7 * SECOND, 10 * SECOND)
    game.post(ob.ActionDeclared(at=11 * SECOND, action=Action(1, "look")))
    run(game, 11 * SECOND, 12 * SECOND)
    assert game.referee.state.phase == "checking"
    return game


def the_reading(game: RefereedGame) -> LastReading | None:
    return JournalHistory(game.referee).last_reading()


def test_b_t45_a_misread_mask_found_in_a_check_is_corrected_and_the_check_goes_on() -> None:
    game = in_a_check()
    assert game.referee.find_undoable() is None, "The stack is lifted: the Stop stands"
    reading = the_reading(game)
    assert reading is not None
    wave = ob.ActionDeclared(at=0, action=Action(3, "place", "wave@1"))
    assert wave.action in {truth.action for _, truth in reading.choices if truth is not None}
    game.post(ob.CorrectionRequested(at=13 * SECOND, seq=reading.seq, truth=wave))
    game.post(ob.ActionDeclared(at=14 * SECOND, action=Action(1, "twins", 1)))
    run(game, 13 * SECOND, 15 * SECOND)
    (right,) = of(game, StopRight)
    assert (right.seat, right.placer, right.count) == (1, 3, 1)


def test_b_t45_the_stop_and_the_look_are_no_misreading() -> None:
    game = in_a_check()
    causes = [entry.cause for entry in game.referee.correctable_entries()]
    assert causes
    assert all(isinstance(cause, ob.ActionDeclared) and cause.action.verb == "place" for cause in causes)
    reading = the_reading(game)
    assert reading is not None
    assert all(truth is not None for _, truth in reading.choices), "Without the mask there was no Stop"


def test_b_t45_once_the_result_of_the_check_is_told_no_mask_before_it_is_corrected() -> None:
    game = in_a_check("sun")
    mask = the_reading(game)
    assert mask is not None
    game.post(ob.ActionDeclared(at=13 * SECOND, action=Action(1, "twins", 2)))
    run(game, 13 * SECOND, 14 * SECOND)
    assert of(game, StopRight)
    assert not game.referee.is_correctable(mask.seq)
    said = the_reading(game)
    assert said is not None, "How many twins there are may have been said wrongly"
    assert said.seq > mask.seq


def burst(chance: Random, lines: int) -> list[Edge]:
    """What a cable with so many buttons on it picks up for a while: all are down for 55 % of the time."""
    found: list[Edge] = []
    at, end = 6 * SECOND, 6 * SECOND + chance.randint(10, 120) * MS
    while at < end:
        period = chance.randint(300, 5_000)
        for moment, level in ((at, True), (at + period * 55 // 100, False)):
            found += [
                Edge(line, "seat", level=level, at=moment + chance.randint(0, 40)) for line in range(lines)
            ]
        at += period
    return found


def delivered(edges: list[Edge], chance: Random, latest: int) -> list[tuple[Micros, Edge]]:
    """Late by up to `latest`, but each pin's edges in their order."""
    arrived: dict[int | None, Micros] = {}
    found = []
    for edge in sorted(edges, key=lambda edge: edge.at):
        arrived[edge.chair] = max(arrived.get(edge.chair, 0), edge.at + chance.randint(0, latest))
        found.append((arrived[edge.chair], edge))
    return sorted(found, key=lambda came: came[0])


@pytest.mark.parametrize("latest", [1, 16 * MS])
@pytest.mark.parametrize("pressed", [False, True])
def test_what_a_cable_picks_up_is_no_stop_and_a_press_meanwhile_is_one_of_unknown_order(
    latest: int, *, pressed: bool
) -> None:
    for seed in range(examples(100, 8)):
        chance = Random(seed)
        down: set[int] = set()
        game = at_play(
            level=lambda chair, button, down=down: chair in down,
            levels=lambda down=down: {(chair, "seat"): chair in down for chair in range(4)},
        )
        panel = Coincidence(lambda edge: game.post(edge, edge.at))  # noqa: B023 - used in this round
        waiting = delivered(burst(chance, chance.randint(3, 4)), chance, latest)
        for now in range(5 * SECOND, 8 * SECOND, 2 * MS):
            while waiting and waiting[0][0] <= now:
                panel.edge(waiting.pop(0)[1])
            if pressed and now == 6 * SECOND + 10 * MS:
                down.add(1)
            game.step(now)
        calls = [(call.seat, call.since is not None) for call in of(game, StopCalled)]
        assert calls == ([(1, True)] if pressed else []), seed


def test_the_table_is_told_for_a_while_to_check_the_cable_and_the_panel_that_a_press_has_no_exact_time() -> (
    None
):
    down = {1}
    game = at_play(level=lambda chair, button: chair in down)
    clock = ManualClock(5 * SECOND)
    session = Session(game, clock=clock, voice=ListVoice(clock, available=False))
    put: list[Edge] = []
    panel, at = Coincidence(put.append), 6 * SECOND
    clock.move_to(at)
    for chair in (0, 1, 2):
        panel.edge(Edge(chair, "seat", level=True, at=at))
        session.submit(put.pop())
    while clock.now() < at + SECOND:
        session.step()
        clock.move_to(clock.now() + 5 * MS)
    assert most_pressing_trouble(session, clock.now()) == Sentence("ui.disturbed")
    assert session.press_notices() == ((1, Sentence("ui.late.unknown", (("ms", 50),))),)
    assert most_pressing_trouble(session, at + 9 * SECOND) is None


@pytest.mark.parametrize(
    ("code", "again"), [("en", "press again"), ("de", "noch einmal"), ("fr", "de nouveau")]
)
def test_three_taps_at_one_instant_that_are_taken_for_a_disturbance_are_asked_for_again(
    code: str, again: str
) -> None:
    game, at = at_play(level=lambda chair, button: False), 6 * SECOND
    clock = ManualClock(5 * SECOND)
    session = Session(game, clock=clock, voice=ListVoice(clock, available=False))
    panel = Coincidence(session.submit)
    clock.move_to(at)
    for chair in (0, 1, 2):
        for edge in bouncing(chair, at + 30 * chair, hold=40 * MS):
            panel.edge(edge)
    run(game, at, at + SECOND)
    clock.move_to(at + SECOND)
    assert of(game, StopCalled) == []
    told = most_pressing_trouble(session, clock.now())
    assert told is not None
    assert again in Language(code).tr(told.key)
