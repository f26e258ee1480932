"""Switching off by holding a button: not by accident, and seen while it burns."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from companion.core.actions import SECOND
from companion.table.power_and_usb import POWER_OFF_AFTER, WARNING_AFTER, HoldToPowerOff


def held(fuse: HoldToPowerOff, since: int, until: int, step: int = SECOND // 20) -> list[bool]:
    return [fuse.update(now, down=True) for now in range(since, until + 1, step)]


def test_a_button_held_long_enough_switches_off_once() -> None:
    fuse = HoldToPowerOff()
    assert held(fuse, 7, 7 + 2 * POWER_OFF_AFTER).count(True) == 1


def test_a_button_let_go_in_time_switches_nothing_off() -> None:
    fuse = HoldToPowerOff()
    assert not any(held(fuse, 0, POWER_OFF_AFTER - SECOND // 20))
    assert not fuse.update(POWER_OFF_AFTER, down=False)
    assert not any(held(fuse, POWER_OFF_AFTER, 2 * POWER_OFF_AFTER - SECOND // 20))


def test_a_short_press_shows_nothing() -> None:
    fuse = HoldToPowerOff()
    held(fuse, 0, WARNING_AFTER - SECOND // 20)
    assert not fuse.is_counting
    assert fuse.lit_lamp_count(8) == 0


@given(lamps=st.integers(1, 8))
def test_one_lamp_after_the_other_glows_and_all_of_them_at_the_end(lamps: int) -> None:
    fuse = HoldToPowerOff()
    glowing = []
    for now in range(0, POWER_OFF_AFTER + 1, SECOND // 10):
        fuse.update(now, down=True)
        glowing.append(fuse.lit_lamp_count(lamps))
    assert glowing == sorted(glowing)
    assert glowing[-1] == lamps
    assert set(glowing) == set(range(lamps + 1))
    fuse.update(POWER_OFF_AFTER + 1, down=False)
    assert fuse.lit_lamp_count(lamps) == 0


def test_a_clock_that_begins_anew_does_not_switch_off() -> None:
    fuse = HoldToPowerOff()
    held(fuse, 100 * SECOND, 100 * SECOND + WARNING_AFTER)
    assert not any(held(fuse, 0, POWER_OFF_AFTER - SECOND // 20))
    assert fuse.update(POWER_OFF_AFTER, down=True)


def test_while_the_program_stands_still_nobody_holds_the_button() -> None:
    """It was let go meanwhile, which the program hears only after it has asked how long it was held."""
    fuse = HoldToPowerOff()
    held(fuse, 0, SECOND // 2)
    assert not fuse.update(10 * SECOND, down=True)
    assert not fuse.is_counting
    assert held(fuse, 10 * SECOND + 1, 10 * SECOND + POWER_OFF_AFTER).count(True) == 1
