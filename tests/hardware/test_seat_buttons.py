"""The button class on plain gpiozero pins: what it relies on, and what it says when a pin does not open."""

from __future__ import annotations

import inspect
import threading
from pathlib import Path
from random import Random

import gpiozero
import pytest
from gpiozero.pins.mock import MockFactory

from companion.core.actions import SECOND
from companion.core.clock import ManualClock
from companion.core.switch import Edge
from hardware.buttons import (
    ButtonPanel,
    Coincidence,
    SeatButton,
    chip_error,
    find_header_chip,
    is_pressed_and_held,
    pin_error,
)
from hardware.errors import GpioForbiddenError, GpioMissingError, PinBusyError, PinError
from hardware.pin_table import build_pin_table
from hardware.simulated_panel import ClockedFactory, SimulatedPanel

BCM = 17


@pytest.fixture
def factory():
    factory = ClockedFactory(ManualClock(7_000))
    yield factory
    factory.close()


def test_gpiozero_still_hands_every_edge_to_pin_changed_with_its_tick():
    """If this fails, gpiozero changed under us: look at `SeatButton` before anything else."""
    base = gpiozero.DigitalInputDevice
    assert list(inspect.signature(base._pin_changed).parameters) == ["self", "ticks", "state"]
    assert "self.pin.when_changed = self._pin_changed" in inspect.getsource(base.__init__)


def test_a_button_starts_no_thread(factory):
    before = threading.enumerate()
    button = SeatButton(BCM, (0, "seat"), ManualClock(), [].append, factory)
    factory.pin("GPIO17").drive_low()
    assert threading.enumerate() == before
    button.close()


def test_both_edges_arrive_and_gpiozero_keeps_its_own_callbacks(factory):
    clock, edges, called = ManualClock(), [], []
    button = SeatButton(BCM, (4, "seat"), clock, edges.append, factory)
    button.when_activated = lambda: called.append("pressed")
    button.when_deactivated = lambda: called.append("released")
    factory.pin("GPIO17").drive_low()
    factory.pin("GPIO17").drive_high()
    button.close()
    assert edges == [
        Edge(4, "seat", level=True, at=7_000),
        Edge(4, "seat", level=False, at=7_000),
    ]
    assert called == ["pressed", "released"]


def test_a_button_is_pulled_up_and_never_debounced_by_the_driver(factory):
    button = SeatButton(BCM, (0, "seat"), ManualClock(), [].append, factory)
    assert (button.pull_up, button.pin.bounce, button.is_active) == (True, None, False)
    button.close()


def test_a_press_before_the_button_was_opened_is_a_level_and_no_edge(factory):
    class HeldPin(type(factory.pin("GPIO17"))):
        def _set_pull(self, value):
            super()._set_pull(value)
            self.drive_low()

    factory.pins.clear()
    factory.pin("GPIO17", pin_class=HeldPin)
    edges = []
    button = SeatButton(BCM, (0, "seat"), ManualClock(), edges.append, factory)
    assert button.is_active
    assert edges == []
    button.close()


def test_the_clock_s_stamp_survives_the_way_through_gpiozero_s_seconds(factory):
    clock, edges = ManualClock(), []
    panel = SimulatedPanel(clock, edges.append, chance=Random(0))
    stamps = [3, 1_000_001, 86_400_000_001, 40 * 86_400_000_000 + 7]
    for at in stamps:
        clock.move_to(at)
        panel.spike(0, at=at, micros=0)
    panel.close()
    assert sorted({edge.at for edge in edges}) == stamps


def test_a_pin_that_somebody_holds_is_named_with_the_fix(factory):
    first = ButtonPanel(factory, build_pin_table(), ManualClock(), [].append)
    with pytest.raises(PinBusyError, match=r"BCM 17 \(button 1\) is in use .*systemctl stop companion"):
        ButtonPanel(factory, build_pin_table(), ManualClock(), [].append)
    first.close()


def test_the_pins_that_open_are_kept_and_the_one_that_does_not_is_told(factory):
    table = build_pin_table()
    blocker = gpiozero.Button(table.button_pin((None, "ok")), pin_factory=factory)
    panel = ButtonPanel(factory, table, ManualClock(), [].append)
    (failure,) = panel.failures
    assert "button ok" in str(failure)
    assert panel.read_level(None, "ok") is None
    assert panel.read_level(3, "seat") is False
    panel.close()
    blocker.close()
    whole = ButtonPanel(factory, table, ManualClock(), [].append)
    assert whole.failures == []
    whole.close()


def test_lgpio_s_busy_is_understood():
    class LgError(Exception):
        """As lgpio raises it: `lgpio.error('GPIO busy')`, printed in quotes."""

    assert isinstance(pin_error(LgError("GPIO busy"), 5, 3, "4"), PinBusyError)
    other = pin_error(LgError("bad GPIO number"), 5, 3, "4")
    assert type(other) is PinError
    assert "bad GPIO number" in str(other)


@pytest.mark.parametrize(
    ("labels", "number"),
    [
        (("pinctrl-bcm2711",), 0),
        (("pinctrl-rp1", "gpio-brcmstb@107d508500"), 0),
        (("gpio-brcmstb@107d508500", "raspberrypi-exp-gpio", None, "brcmvirt-gpio", "pinctrl-rp1"), 4),
        (("raspberrypi-exp-gpio", None), None),
    ],
)
def test_the_header_s_chip_is_found_by_its_label_whatever_its_number(
    labels: tuple[str | None, ...], number: int | None, tmp_path: Path
):
    for place in range(len(labels)):
        (tmp_path / f"gpiochip{place}").touch()
    assert find_header_chip(labels.__getitem__, tmp_path) == number


def test_without_a_chip_the_sentence_says_so(tmp_path: Path):
    error = chip_error(Exception("can not open gpiochip"), None, tmp_path)
    assert isinstance(error, GpioMissingError)
    assert "no pins here" in str(error)


def test_a_chip_number_that_is_not_there_names_those_that_are(tmp_path: Path):
    (tmp_path / "gpiochip0").touch()
    error = chip_error(Exception("can not open gpiochip"), 4, tmp_path)
    assert isinstance(error, GpioMissingError)
    assert "there is gpiochip0" in str(error)


def test_a_chip_that_is_forbidden_names_the_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "gpiochip0").touch()
    monkeypatch.setattr("os.access", lambda *_: False)
    error = chip_error(Exception("can not open gpiochip"), None, tmp_path)
    assert isinstance(error, GpioForbiddenError)
    assert "usermod -aG gpio" in str(error)


def test_no_global_pin_factory_is_set():
    panel = SimulatedPanel(ManualClock(), [].append, chance=Random(0))
    panel.close()
    assert gpiozero.Device.pin_factory is None or not isinstance(
        gpiozero.Device.pin_factory, (MockFactory, ClockedFactory)
    )


# Held for root ----------------------------------------------------------------------------------------------


class Told:
    """A button that answers as written down: `up`, `down`, or `late` where nothing comes in time."""

    def __init__(self, *answers: str) -> None:
        self.answers, self.now = list(answers), 0

    def clock(self) -> int:
        return self.now

    def wait_for_release(self, seconds: float) -> bool:
        return self._wait("up", seconds)

    def wait_for_press(self, seconds: float) -> bool:
        return self._wait("down", seconds)

    def _wait(self, wanted: str, seconds: float) -> bool:
        answer = self.answers.pop(0) if self.answers else "late"
        if answer == "late":
            self.now += round(seconds * SECOND)
        return answer == wanted


@pytest.mark.parametrize(
    ("answers", "held"),
    [
        (("up", "down", "late"), True),
        (("up", "down", "up", "up", "down", "up", "up", "down", "late"), True),
        ((), False),
        (("up",), False),
        (("up", "down", "up"), False),
    ],
    ids=["held", "held after bounces", "down from the start", "never pressed", "only tapped"],
)
def test_only_a_press_that_begins_afterwards_and_is_held_counts(answers: tuple[str, ...], held: bool) -> None:
    button = Told(*answers)
    assert is_pressed_and_held(button, 60 * SECOND, 2 * SECOND, button.clock) is held


# Disturbances -----------------------------------------------------------------------------------------------


def handed_on(*edges: tuple[int, int, bool]) -> list[tuple[int | None, int, bool]]:
    """Which of these edges (chair, instant, level) are marked."""
    put: list[Edge] = []
    panel = Coincidence(put.append)
    for chair, at, level in edges:
        panel.edge(Edge(chair, "seat", level=level, at=at))
    assert [(edge.chair, edge.at, edge.level) for edge in put] == list(edges)
    return [(edge.chair, edge.at, edge.level) for edge in put if edge.disturbed]


def test_the_same_edge_on_three_pins_within_100_microseconds_is_marked():
    assert handed_on((1, 1_000, True), (2, 1_040, True), (3, 1_100, True)) == [(3, 1_100, True)]
    assert handed_on((1, 1_100, True), (2, 1_000, True), (3, 1_040, True)) == [(3, 1_040, True)]


def test_a_pin_of_which_the_kernel_s_queue_ran_over_is_marked():
    put: list[Edge] = []
    panel = Coincidence(put.append)
    for gap in (True, False):
        panel.edge(Edge(1, "seat", level=gap, at=1_000, gap=gap))
    assert [edge.disturbed for edge in put] == [True, False]


def test_two_pins_three_that_are_further_apart_and_other_levels_are_fingers():
    assert handed_on((1, 1_000, True), (2, 1_000, True), (2, 1_050, False), (1, 1_050, False)) == []
    assert handed_on((1, 1_000, True), (2, 1_050, True), (3, 1_101, True)) == []
    assert handed_on((1, 1_000, True), (2, 1_000, True), (3, 1_000, False)) == []
    assert handed_on((1, 1_000, True), (1, 1_020, True), (2, 1_030, True)) == []


def test_contacts_that_bounce_at_the_same_time_are_fingers():
    bounces = [(1, 1_000), (2, 1_300), (3, 1_650), (2, 2_020), (3, 2_050), (1, 2_100)]
    edges = [(chair, at + after, level) for chair, at in bounces for after, level in ((0, True), (90, False))]
    assert handed_on(*sorted(edges, key=lambda edge: edge[1])) == []


def test_a_finger_on_one_of_the_lines_does_not_hide_a_disturbance():
    finger, cable = [(1, 500, True), (1, 900, False)], [(1, 1_000, True), (2, 1_010, True), (3, 1_020, True)]
    assert handed_on(*finger, *cable) == [(3, 1_020, True)]


def test_a_disturbance_that_has_begun_goes_on_however_closely_its_edges_follow():
    edges = [
        (chair, at, level)
        for at in range(1_000, 200_000, 400)
        for at, level in ((at, True), (at + 200, False))
        for chair in (1, 2, 3)
    ]
    assert handed_on(*edges) == [edge for edge in edges if edge[0] == 3]


def test_a_burst_is_found_also_where_each_pin_s_edges_are_read_together():
    edges = [(chair, at + chair, True) for chair in (1, 2, 3) for at in range(0, 100_000, 1_000)]
    assert handed_on(*edges) == edges[200:]


def test_what_came_in_the_game_before_is_no_coincidence():
    assert (
        handed_on((1, 90_000, True), (2, 90_000, True), (1, 500, True), (2, 89_990, True), (3, 520, True))
        == []
    )


def test_a_panel_marks_what_comes_on_three_of_its_pins():
    put: list[Edge] = []
    panel = SimulatedPanel(ManualClock(1_000), put.append, chance=Random(0))
    for chair in (0, 3, 6):
        panel.press(chair, at=1_000, bounce_ms=0)
    panel.close()
    assert [(edge.chair, edge.disturbed) for edge in put] == [(0, False), (3, False), (6, True)]
