"""Pins on libgpiod keep the promises of all pins: the kernel's stamps, both edges, nothing debounced."""

from __future__ import annotations

import sys
from pathlib import Path
from queue import SimpleQueue
from types import SimpleNamespace

import gpiozero
import pytest

from companion.core.clock import GameClock
from companion.core.switch import Edge
from hardware.buttons import ButtonPanel, SeatButton, open_pin_factory
from hardware.errors import LibraryMissingError, PinBusyError
from hardware.gpiod_pins import GpiodFactory
from hardware.lamps import LampPanel
from hardware.pin_table import build_pin_table
from tests.hardware.kernel_lines import LINE, Gpiod, Kind, Value

BCM = 17
PATIENCE = 20.0
"""Seconds after which a test that waits for an edge has failed; never waited for otherwise."""


class Inbox:
    def __init__(self) -> None:
        self.queue: SimpleQueue[Edge] = SimpleQueue()

    def next(self) -> Edge:
        return self.queue.get(timeout=PATIENCE)


@pytest.fixture
def gpiod() -> Gpiod:
    return Gpiod()


@pytest.fixture
def factory(gpiod, monkeypatch):
    monkeypatch.setattr(GpiodFactory, "_get_revision", lambda _: 0xC03115)
    made = GpiodFactory(0, gpiod)
    yield made
    made.close()
    made.pins.clear()


def test_an_edge_arrives_with_the_kernel_s_stamp_and_its_own_level(factory, gpiod):
    clock, inbox = GameClock(), Inbox()
    button = SeatButton(BCM, (3, "seat"), clock, inbox.queue.put, factory)
    stamps = [clock.to_monotonic_ns(at) for at in (1_000, 2_000, 2_500)]
    for number, (stamp, kind) in enumerate(
        zip(stamps, (Kind.FALLING_EDGE, Kind.RISING_EDGE, Kind.FALLING_EDGE), strict=True), 1
    ):
        gpiod.held[BCM].edge(kind, stamp, number)
    assert [inbox.next() for _ in range(3)] == [
        Edge(3, "seat", level=True, at=1_000),
        Edge(3, "seat", level=False, at=2_000),
        Edge(3, "seat", level=True, at=2_500),
    ]
    assert button.pin.lost == 0
    button.close()


def test_a_button_is_an_input_that_is_pulled_up_and_reports_both_edges(factory, gpiod):
    button = SeatButton(BCM, (0, "seat"), GameClock(), lambda _: None, factory)
    settings = gpiod.held[BCM].settings
    assert (settings.direction, settings.bias) == (LINE.Direction.INPUT, LINE.Bias.PULL_UP)
    assert settings.edge_detection is LINE.Edge.BOTH
    assert (button.pull_up, button.pin.bounce) == (True, None)
    button.close()


def test_the_level_is_read_from_the_pin(factory, gpiod):
    button = SeatButton(BCM, (0, "seat"), GameClock(), lambda _: None, factory)
    assert not button.is_active
    gpiod.levels[BCM] = Value.INACTIVE
    assert button.is_active
    button.close()


def test_an_edge_that_the_kernel_dropped_is_counted(factory, gpiod):
    inbox = Inbox()
    button = SeatButton(BCM, (0, "seat"), GameClock(), inbox.queue.put, factory)
    gpiod.held[BCM].edge(Kind.FALLING_EDGE, 10**9, 1)
    gpiod.held[BCM].edge(Kind.FALLING_EDGE, 2 * 10**9, 4)
    inbox.next(), inbox.next()
    assert button.pin.lost == 2
    button.close()


def test_the_driver_debounces_nothing(factory):
    with pytest.raises(gpiozero.PinInvalidBounce):
        gpiozero.Button(BCM, bounce_time=0.02, pin_factory=factory)


def test_lamps_are_lines_that_are_set(factory, gpiod):
    led = gpiozero.LED(23, pin_factory=factory)
    assert gpiod.held[23].settings.direction is LINE.Direction.OUTPUT
    led.on()
    assert gpiod.held[23].level is Value.ACTIVE
    led.off()
    assert gpiod.held[23].level is Value.INACTIVE
    led.close()


def test_a_whole_table_opens_and_lets_every_line_go(factory, gpiod):
    pins = build_pin_table()
    buttons = ButtonPanel(factory, pins, GameClock(), lambda _: None)
    lamps = LampPanel(factory, pins)
    assert len(gpiod.held) == len(pins.buttons) + len(pins.lamps)
    lamps.close()
    buttons.close()
    assert gpiod.held == {}


@pytest.mark.parametrize(
    ("consumer", "name", "remedy"),
    [
        ("spi0 CS0", "SPI", "raspi-config nonint do_spi 1"),
        ("onewire@4", "1-Wire", "raspi-config nonint do_onewire 1"),
        ("fan0", "fan0", "take what asks for fan0 out of /boot/firmware/config.txt"),
        ("companion", "companion", "sudo systemctl stop companion"),
    ],
)
def test_a_line_that_somebody_holds_is_named_with_its_remedy_and_the_others_open(
    factory, gpiod, consumer: str, name: str, remedy: str
):
    gpiod.take(8, consumer)
    pins = build_pin_table()
    panel = ButtonPanel(factory, pins, GameClock(), lambda _: None)
    (failure,) = panel.failures
    assert isinstance(failure, PinBusyError)
    assert failure.holder == name
    assert f"BCM 8 (button 7) is in use by {consumer}: " in str(failure)
    assert remedy in str(failure)
    assert len(panel.read_levels()) == len(pins.buttons) - 1
    panel.close()
    gpiod.held[8].release()


def test_a_pin_that_did_not_open_opens_once_it_is_free(factory, gpiod):
    for bcm in (8, 23):
        gpiod.take(bcm, "spi0 CS0")
    pins = build_pin_table()
    buttons, lamps = ButtonPanel(factory, pins, GameClock(), lambda _: None), LampPanel(factory, pins)
    assert [failure.chair for failure in (*buttons.failures, *lamps.failures)] == [6, 0]
    lamps.close()
    buttons.close()
    for bcm in (8, 23):
        gpiod.held[bcm].release()
    again, lit = ButtonPanel(factory, pins, GameClock(), lambda _: None), LampPanel(factory, pins)
    assert again.failures == lit.failures == []
    lit.close()
    again.close()


def test_libgpiod_is_taken_where_its_version_2_is(
    gpiod: Gpiod, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "gpiochip0").touch()
    monkeypatch.setattr(GpiodFactory, "_get_revision", lambda _: 0xC03115)
    monkeypatch.setitem(sys.modules, "gpiod", gpiod)
    taken = open_pin_factory(None, tmp_path)
    assert isinstance(taken, GpiodFactory)
    taken.close()
    # Version 1, which bookworm has, and no lgpio: the sentence names both.
    monkeypatch.setitem(sys.modules, "gpiod", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "lgpio", None)
    with pytest.raises(LibraryMissingError, match="python3-libgpiod python3-lgpio"):
        open_pin_factory(None, tmp_path)


def test_an_edge_after_a_gap_of_the_kernel_s_queue_says_so(factory, gpiod):
    """The kernel drops the oldest: what is left may be the middle of a bounce."""
    inbox = Inbox()
    button = SeatButton(BCM, (0, "seat"), GameClock(), inbox.queue.put, factory)
    for number, kind in ((4, Kind.FALLING_EDGE), (5, Kind.RISING_EDGE), (7, Kind.FALLING_EDGE)):
        gpiod.held[BCM].edge(kind, number * 10**9, number)
    assert [inbox.next().gap for _ in range(3)] == [True, False, True]
    assert button.pin.lost == 4
    button.close()


def test_edges_that_wait_are_handed_over_to_whoever_asks_although_the_thread_had_no_turn(factory, gpiod):
    clock, inbox, woken = GameClock(), Inbox(), SimpleQueue[None]()
    panel = ButtonPanel(factory, build_pin_table(chairs=4), clock, inbox.queue.put)
    panel.leave_reading(lambda: woken.put(None))
    for at, bcm in ((1_000, 17), (2_000, 27)):
        gpiod.held[bcm].edge(Kind.FALLING_EDGE, clock.to_monotonic_ns(at), 1)
    woken.get(timeout=PATIENCE)
    assert inbox.queue.empty(), "it only wakes"
    panel.read_waiting()
    assert {inbox.queue.get(block=False).at for _ in range(2)} == {1_000, 2_000}
    panel.read_waiting()
    assert inbox.queue.empty()
    panel.close()
