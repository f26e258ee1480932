"""The simulated panel: a switch's physics on mock pins, through the real button and lamp classes."""

from __future__ import annotations

from queue import SimpleQueue
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.core.clock import GameClock, ManualClock
from companion.core.debounce import Debouncer
from companion.core.observations import ButtonPressed, ButtonReleased
from companion.core.switch import Edge
from companion.core.view import LampSignal
from hardware.simulated_panel import FingerThread, SimulatedPanel


@pytest.fixture
def table():
    clock, edges = ManualClock(), []
    panel = SimulatedPanel(clock, edges.append, chance=Random(1))
    yield clock, edges, panel
    panel.close()


def judged(edges, until=10_000_000):
    lockout = Debouncer()
    for edge in edges:
        lockout.add_edge(edge)
    return lockout.advance(until)


def test_a_clean_press_is_one_edge_stamped_with_game_time(table):
    clock, edges, panel = table
    clock.move_to(123_457)
    panel.press(3, bounce_ms=0)
    assert edges == [Edge(3, "seat", level=True, at=123_457)]


def test_an_edge_keeps_its_own_stamp_when_the_program_is_late(table):
    clock, edges, panel = table
    panel.press(0, at=5_000, bounce_ms=0)
    assert edges == []
    clock.move_to(21_000)
    panel.advance(clock.now())
    assert edges == [Edge(0, "seat", level=True, at=5_000)]


def test_a_bouncing_press_is_a_burst_that_ends_down(table):
    clock, edges, panel = table
    panel.press(0, bounce_ms=8.0)
    clock.move_to(20_000)
    panel.advance(clock.now())
    assert len(edges) > 3
    assert [edge.level for edge in edges] == [n % 2 == 0 for n in range(len(edges))]
    assert edges[0].at == 0
    assert edges[-1].level
    assert edges[-1].at <= 8_000
    assert panel.buttons.read_levels()[0, "seat"]


def test_the_pins_say_what_is_down(table):
    _, _, panel = table
    panel.press(7, bounce_ms=0)
    panel.press(None, "ok", bounce_ms=0)
    down = {line for line, level in panel.buttons.read_levels().items() if level}
    assert down == {(7, "seat"), (None, "ok")}
    assert panel.buttons.read_level(7, "seat") is True
    assert panel.buttons.read_level(0, "seat") is False
    assert panel.buttons.read_level(9, "seat") is None


def test_a_lost_edge_leaves_the_level_behind(table):
    _, edges, panel = table
    panel.change_without_edge(2, at=0, down=True)
    assert edges == []
    assert panel.buttons.read_level(2, "seat") is True
    panel.release(2, bounce_ms=0)
    assert edges == [Edge(2, "seat", level=False, at=0)]


def test_a_spike_on_a_long_cable_is_no_press(table):
    clock, edges, panel = table
    panel.spike(1, at=100)
    clock.move_to(1_000)
    panel.advance(clock.now())
    assert len(edges) == 2
    assert judged(edges) == []


@given(seed=st.integers(0, 2**16), chair=st.integers(0, 7), bounce_ms=st.floats(0.0, 12.0))
def test_however_it_bounces_a_tap_is_one_press_and_one_release(seed, chair, bounce_ms):
    clock, edges = ManualClock(1_000), []
    panel = SimulatedPanel(clock, edges.append, chance=Random(seed))
    panel.press(chair, bounce_ms=bounce_ms, hold=120_000)
    clock.move_to(1_000_000)
    panel.advance(clock.now())
    panel.close()
    assert judged(edges) == [
        ButtonPressed(at=1_000, chair=chair),
        ButtonReleased(at=121_000, chair=chair),
    ]


def test_fingers_that_get_their_turn_late_press_late(table):
    clock, edges, panel = table
    panel.press(3, at=clock.now() + 1_000, bounce_ms=0, hold=120_000)
    fingers = FingerThread(panel, clock)
    clock.move_to(clock.now() + 91_000)
    fingers.move_due()
    clock.move_to(clock.now() + 120_000)
    fingers.move_due()
    assert [(edge.level, edge.at) for edge in edges] == [(True, clock.now() - 120_000), (False, clock.now())]


def test_one_seed_presses_alike_twice():
    runs = []
    for _ in range(2):
        clock, edges = ManualClock(), []
        panel = SimulatedPanel(clock, edges.append, chance=Random(9))
        for chair in range(8):
            panel.tap(chair, at=chair * 100_000)
        clock.move_to(2_000_000)
        panel.advance(clock.now())
        panel.close()
        runs.append(edges)
    assert runs[0] == runs[1]
    assert len(runs[0]) > 16


def test_lamps_are_read_back_from_their_pins(table):
    _, _, panel = table
    panel.lamps.show_states({0: LampSignal.LIT, 1: LampSignal.DARK, 2: LampSignal.FAST}, at=0)
    assert [panel.is_lamp_lit(chair) for chair in range(4)] == [True, False, True, False]
    panel.lamps.show_states({2: LampSignal.FAST}, at=125_000)
    assert not any(panel.is_lamp_lit(chair) for chair in range(8))


def test_fingers_press_from_a_thread_of_their_own():
    clock: GameClock = GameClock()
    edges: SimpleQueue[Edge] = SimpleQueue()
    panel = SimulatedPanel(clock, edges.put, chance=Random(4))
    fingers = FingerThread(panel, clock)
    fingers.start()
    fingers.run_job(lambda panel: panel.press(5, bounce_ms=0, hold=1_000))
    down, up = edges.get(timeout=10), edges.get(timeout=10)
    fingers.close()
    panel.close()
    assert (down.chair, down.level, up.level) == (5, True, False)
    assert up.at - down.at >= 1_000
