"""Lamps: drawn from their states at a time."""

from __future__ import annotations

import pytest

from companion.core.clock import ManualClock
from companion.core.view import Lamp
from hardware.errors import PinBusyError
from hardware.lamps import LampPanel, glows
from hardware.pins import pin_table
from hardware.simulated import ClockedFactory


@pytest.mark.parametrize(
    ("lamp", "pattern"),
    [
        (Lamp.DARK, "........"),
        (Lamp.LIT, "########"),
        (Lamp.SLOW, "####...."),
        (Lamp.FAST, "#.#.#.#."),
    ],
)
def test_a_lamp_s_second_in_eighths(lamp: Lamp, pattern: str):
    assert "".join(".#"[glows(lamp, eighth * 125_000)] for eighth in range(8)) == pattern


def test_lamps_are_dark_when_opened_and_when_closed():
    factory = ClockedFactory(ManualClock())
    pins = pin_table()
    panel = LampPanel(factory, pins)
    levels = lambda: [bool(factory.pin(f"GPIO{bcm}").state) for _, bcm in pins.lamps]  # noqa: E731
    assert not any(levels())
    panel.show(dict.fromkeys(range(8), Lamp.LIT), at=0)
    assert all(levels())
    panel.close()
    assert not any(levels())


def test_a_chair_that_is_not_named_goes_dark():
    factory = ClockedFactory(ManualClock())
    pins = pin_table()
    panel = LampPanel(factory, pins)
    panel.show({5: Lamp.LIT}, at=0)
    panel.show({}, at=1)
    assert not factory.pin(f"GPIO{pins.lamp(5)}").state
    panel.close()


def test_a_lamp_s_pin_that_somebody_holds_is_named():
    factory = ClockedFactory(ManualClock())
    first = LampPanel(factory, pin_table())
    with pytest.raises(PinBusyError, match="lamp 1"):
        LampPanel(factory, pin_table())
    first.close()
