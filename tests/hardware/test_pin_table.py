"""The pin table: 19 wires, clear of what a Pi keeps for itself."""

from __future__ import annotations

import pytest

from companion.core.errors import InputError
from hardware.pin_table import (
    PHYSICAL_PINS,
    RESERVED_PINS,
    HeaderNumberError,
    build_pin_table,
    button_name_of,
    find_header_numbers,
    header_number_error,
    parse_button_name,
)

PARTS = [*"12345678", "back", "next", "ok"]


def test_every_wire_has_a_pin_of_its_own_and_none_is_reserved():
    table = build_pin_table()
    wires = [bcm for _, bcm in table.buttons] + [bcm for _, bcm in table.lamps]
    assert len(wires) == len(set(wires)) == 19
    assert not set(wires) & set(RESERVED_PINS)
    assert set(wires) <= set(PHYSICAL_PINS)


def test_no_lamp_is_on_a_pin_that_a_pi_pulls_up_at_power_on():
    assert all(bcm >= 9 for _, bcm in build_pin_table().lamps)


def test_gpiozero_agrees_on_the_physical_pins():
    from gpiozero.pins.mock import MockFactory

    board = MockFactory().board_info
    for bcm, physical in PHYSICAL_PINS.items():
        pins = [info for _, info in board.find_pin(f"GPIO{bcm}")]
        assert {info.number for info in pins} == {physical}


def test_parts_and_lines_translate_both_ways():
    assert [button_name_of(parse_button_name(part)) for part in PARTS] == PARTS
    assert [button_name_of(line) for line, _ in build_pin_table().buttons] == PARTS


def test_settings_change_single_wires():
    table = build_pin_table({"1": 25, "ok": 17}, {"8": 3})
    assert table.button_pin((0, "seat")) == 25
    assert table.button_pin((None, "ok")) == 17
    assert table.lamp_pin(7) == 3
    assert table.button_pin((1, "seat")) == 27


@pytest.mark.parametrize(
    ("pins", "lamps", "words"),
    [
        ({"3": 14}, {}, r"buttons\.pins\.3: BCM 14 is reserved for the serial console"),
        ({"2": 17}, {}, r"buttons\.pins\.1 and buttons\.pins\.2 are both on BCM 17 \(pin 11\)"),
        ({}, {"5": 24}, r"buttons\.lamps\.2 and buttons\.lamps\.5 are both on BCM 24 \(pin 18\)"),
        ({"1": 40}, {}, r"buttons\.pins\.1: BCM 40 is not on the 40-pin header"),
        ({}, {"ok": 25}, r"buttons\.lamps\.ok: only chairs have lamps"),
    ],
)
def test_a_pin_that_cannot_be_used_is_named_with_its_key(pins, lamps, words):
    with pytest.raises(InputError, match=words):
        build_pin_table(pins, lamps)


def test_the_rows_name_all_wires():
    rows = list(build_pin_table().wiring_rows())
    assert len(rows) == 19
    assert rows[0] == ("chair 1 button", 17, 11)
    assert rows[1] == ("chair 1 lamp", 23, 16)


def test_a_chair_that_the_table_does_not_have_leaves_its_pins_to_others():
    table = build_pin_table({"1": 6}, {"2": 26}, chairs=4)
    assert table.button_pin((0, "seat")) == 6
    assert table.lamp_pin(1) == 26
    assert len(table.buttons) == 4 + 3
    with pytest.raises(InputError, match=r"buttons\.pins\.1 and buttons\.pins\.5 are both on BCM 6"):
        build_pin_table({"1": 6}, chairs=5)


@pytest.mark.parametrize(
    ("pins", "lamps", "meant"),
    [
        ({"1": 11, "2": 13}, {}, {"buttons.pins.1": 17, "buttons.pins.2": 27}),
        ({"1": 11}, {"1": 16, "2": 18}, {"buttons.pins.1": 17, "buttons.lamps.1": 23, "buttons.lamps.2": 24}),
        ({"back": 3, "ok": 2}, {}, {}),  # changed round
        ({"1": 11, "2": 25, "3": 17}, {}, {}),  # one of three may be a choice
        ({"1": 25}, {}, {}),
        ({}, {}, {}),
    ],
)
def test_the_header_s_numbers_in_the_settings_are_told_from_a_choice(pins, lamps, meant):
    assert find_header_numbers(pins, lamps) == meant


def test_one_header_number_looks_like_one_and_two_look_like_two():
    one, two = ({"buttons.pins.1": 17}, {"buttons.pins.1": 17, "buttons.pins.2": 27})
    assert "(for BCM 17) looks like a number on the header" in str(header_number_error(one))
    assert "(for BCM 27) look like numbers on the header" in str(header_number_error(two))


def test_a_pin_that_cannot_be_used_because_the_header_s_numbers_were_set_says_so():
    with pytest.raises(HeaderNumberError, match=r"buttons\.pins\.3 = 15 \(for BCM 22\).*take such lines out"):
        build_pin_table({"3": 15})
