"""`companion doctor --press`: somebody presses the button that is lit."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from companion.cli.checks.device_checks import Devices
from companion.cli.checks.doctor import PartFinding
from companion.cli.checks.lamp_walk import walk_lamps, walk_usb
from companion.core.actions import SECOND
from companion.core.clock import ManualClock, monotonic_ns
from companion.core.switch import ButtonId
from companion.settings.model import Settings, TableSettings
from hardware.pin_table import build_pin_table, button_name_of
from hardware.simulated_panel import ClockedFactory
from tests.cli.checks.conftest import Make
from tests.hardware.input_kernel import InputKernel

LINES = [line for line, _ in build_pin_table(chairs=2).buttons]


def walk(
    machine: Make,
    finger: Callable[[ButtonId, frozenset[int]], ButtonId | None],
    bridged: frozenset[ButtonId] = frozenset(),
    chairs: int = 2,
) -> list[PartFinding]:
    """`finger` says which button is pressed while one is asked for and these lamps are lit.

    A second passes from one press to the next. `bridged`: buttons whose wires touch.
    """
    clock = ManualClock()
    factory = ClockedFactory(clock)
    table = build_pin_table(chairs=chairs)
    asked = iter([line for line, _ in table.buttons])

    def press(told: str) -> None:
        if not told.startswith("Press"):
            return
        clock.move_to(clock.now() + SECOND)
        lit = frozenset(chair for chair, bcm in table.lamps if factory.pin(f"GPIO{bcm}").state)
        if (line := finger(next(asked), lit)) is not None:
            lines = sorted({line} | bridged, key=str) if line in bridged else [line]
            pins = [factory.pin(f"GPIO{table.button_pin(one)}") for one in lines]
            for pin in pins:
                pin.drive_low()
            for pin in pins:
                pin.drive_high()

    devices = replace(Devices(), pins=lambda chip, dev: factory)
    settings = Settings(table=TableSettings(chairs=chairs))
    return list(walk_lamps(machine(), settings, devices, tell=press, patience=0))


def test_who_presses_what_is_lit_tries_lamp_and_button_together(machine: Make) -> None:
    seen: list[Any] = []

    def lit(asked: ButtonId, lamps: frozenset[int]) -> ButtonId:
        seen.append(lamps)
        return asked

    found = walk(machine, lit)
    assert [(one.part, one.state) for one in found] == [
        (f"button {button_name_of(line)}", "ok") for line in LINES
    ]
    assert seen == [{0}, {1}, set(), set(), set()]
    assert found[0].what == "its press came; its lamp is good if it was lit", (
        "he may have pressed it by its name"
    )


def test_a_press_that_does_not_come_names_lamp_and_switch(machine: Make) -> None:
    first, *others = walk(machine, lambda asked, lamps: None if asked == (0, "seat") else asked)
    assert (first.part, first.state) == ("button 1", "fault")
    assert "change the lamp's two wires" in first.fix
    assert first.fix.endswith("no such chair: set table.chairs")
    assert {one.state for one in others} == {"ok"}


def test_where_no_chair_answers_what_they_share_is_named(machine: Make) -> None:
    *_, last = walk(machine, lambda asked, lamps: asked if asked[0] is None else None)
    assert (last.part, last.what) == ("buttons", "no chair's press came")
    assert last.fix.startswith("did none light up, join the driver's ground (its pin 9) with the Pi's")
    assert last.fix.endswith("the one ground of all switches"), "back, next and OK came by the same plug"
    *_, last = walk(machine, lambda asked, lamps: None)
    assert last.fix.endswith("a plug of 40 contacts sits on both rows and is not turned round")


def test_where_some_chairs_do_not_answer_the_ground_that_they_share_is_named(machine: Make) -> None:
    dead = {(2, "seat"), (3, "seat")}
    *_, last = walk(machine, lambda asked, _: None if asked in dead else asked, chairs=4)
    assert (last.part, last.what) == ("buttons", "no press came of 2 chairs: 3, 4")
    assert last.fix.startswith("if their ground goes from one to the next, it is broken before the first")


def test_who_sees_no_light_is_asked_to_wait_so_that_a_press_tells_of_the_lamp_too(machine: Make) -> None:
    told: list[str] = []
    clock = ManualClock()
    devices = replace(Devices(), pins=lambda chip, dev: ClockedFactory(clock))
    list(
        walk_lamps(machine(), Settings(table=TableSettings(chairs=2)), devices, tell=told.append, patience=0)
    )
    assert told[0] == "Press the button that is lit: chair 1's. Is none lit, wait."
    assert told[-1].startswith("Did no lamp light up, though the presses came? Then join the driver's ground")
    assert "Was one always lit? Then its minus belongs at the driver's output, not at ground" in told[-1]


def test_two_buttons_that_changed_places_are_told(machine: Make) -> None:
    swapped: dict[ButtonId, ButtonId] = {(0, "seat"): (1, "seat"), (1, "seat"): (0, "seat")}
    first, second, *_ = walk(machine, lambda asked, lamps: swapped.get(asked, asked))
    assert (first.state, first.what) == ("fault", "button 2 came in its place")
    assert "swap their wires" in first.fix
    assert "one lamp is always lit: its minus belongs at the driver's output" in first.fix
    assert (second.state, second.what) == ("fault", "button 1 came in its place")


def test_two_buttons_whose_wires_touch_are_told_and_no_others(machine: Make) -> None:
    pair = frozenset({(0, "seat"), (1, "seat")})
    first, second, *others = walk(machine, lambda asked, lamps: asked, bridged=pair)
    assert (first.state, first.what) == ("fault", "button 2 came with it")
    assert first.fix == (
        "their wires touch: look for a solder bridge or a loose strand between "
        "pin 11 of the header (BCM 17) and pin 13 of the header (BCM 27)"
    )
    assert (second.state, second.what) == ("fault", "button 1 came with it")
    assert {one.state for one in others} == {"ok"}


def test_a_wire_at_the_number_of_the_other_count_is_told_with_both(machine: Make) -> None:
    """Back belongs at BCM 2, which is pin 3 of the header; its wire is at BCM 3, where OK is."""
    back, ok = (None, "back"), (None, "ok")
    found = {one.part: one for one in walk(machine, lambda asked, _: ok if asked == back else asked)}
    assert found["button back"].fix.startswith(
        "its wire is at pin 5 of the header (BCM 3), and belongs at pin 3 of the header (BCM 2): "
    )


def test_a_usb_button_with_turbo_and_one_in_anothers_socket_are_told(
    machine: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = machine("dev/input/js0")
    with closing(InputKernel(table.root / "dev/input", monkeypatch)) as kernel:
        path = kernel.plug("dragonrise-encoder")

        def hold(told: str) -> None:
            now = monotonic_ns() // 1_000
            match told:
                case "Hold button 3 down for two seconds.":
                    for change in range(40):
                        at = now - (40 - change) * SECOND // 30
                        kernel.press(path, 290, at, down=change % 2 == 0)
                case "Hold button 1 down for two seconds.":
                    kernel.press(path, 288, now - 2 * SECOND)
                    kernel.press(path, 288, now, down=False)
                case "Hold button 2 down for two seconds.":
                    kernel.press(path, 291, now)
                    kernel.press(path, 291, now + 1, down=False)

        settings = Settings(table=TableSettings(chairs=4))
        found = list(walk_usb(table, settings, tell=hold, patience=0))
    assert [(one.part, one.state, one.what) for one in found] == [
        ("button 1", "ok", "its press came"),
        ("button 2", "fault", "button 4 came in its place"),
        ("button 3", "fault", "repeats by itself 15 times a second"),
        ("button 4", "fault", "no press came within 0 s"),
    ]
    assert "turbo off" in found[2].fix
