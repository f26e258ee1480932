"""Lamps: drawn from their states at a time."""

from __future__ import annotations

import pytest

from companion.core.clock import ManualClock
from companion.core.view import LampSignal
from hardware.errors import PinBusyError
from hardware.lamps import LampPanel, is_lit_at
from hardware.pin_table import build_pin_table
from hardware.simulated_panel import ClockedFactory


@pytest.mark.parametrize(
    ("lamp", "pattern"),
    [
        (LampSignal.DARK, "........"),
        (LampSignal.LIT, "########"),
        (LampSignal.SLOW, "####...."),
        (LampSignal.FAST, "#.#.#.#."),
    ],
)
def test_a_lamp_s_second_in_eighths(lamp: LampSignal, pattern: str):
    assert "".join(".#"[is_lit_at(lamp, eighth * 125_000)] for eighth in range(8)) == pattern


def test_lamps_are_dark_when_opened_and_when_closed():
    factory = ClockedFactory(ManualClock())
    pins = build_pin_table()
    panel = LampPanel(factory, pins)
    levels = lambda: [bool(factory.pin(f"GPIO{bcm}").state) for _, bcm in pins.lamps]  # noqa: E731
    assert not any(levels())
    panel.show_states(dict.fromkeys(range(8), LampSignal.LIT), at=0)
    assert all(levels())
    panel.close()
    assert not any(levels())


def test_a_chair_that_is_not_named_goes_dark():
    factory = ClockedFactory(ManualClock())
    pins = build_pin_table()
    panel = LampPanel(factory, pins)
    panel.show_states({5: LampSignal.LIT}, at=0)
    panel.show_states({}, at=1)
    assert not factory.pin(f"GPIO{pins.lamp_pin(5)}").state
    panel.close()


def test_a_lamp_s_pin_that_somebody_holds_is_named():
    factory = ClockedFactory(ManualClock())
    first = LampPanel(factory, build_pin_table())
    with pytest.raises(PinBusyError, match="lamp 1"):
        LampPanel(factory, build_pin_table())
    first.close()
