"""Switching off by holding a button: not by accident, and seen while it burns."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from companion.appliance.hold_to_power_off import BLOWN, SHOWN, HoldToPowerOff
from companion.core.actions import SECOND


def held(fuse: HoldToPowerOff, since: int, until: int, step: int = SECOND // 20) -> list[bool]:
    return [fuse.burn(now, down=True) for now in range(since, until + 1, step)]


def test_a_button_held_long_enough_switches_off_once() -> None:
    fuse = HoldToPowerOff()
    assert held(fuse, 7, 7 + 2 * BLOWN).count(True) == 1


def test_a_button_let_go_in_time_switches_nothing_off() -> None:
    fuse = HoldToPowerOff()
    assert not any(held(fuse, 0, BLOWN - SECOND // 20))
    assert not fuse.burn(BLOWN, down=False)
    assert not any(held(fuse, BLOWN, 2 * BLOWN - SECOND // 20))


def test_a_short_press_shows_nothing() -> None:
    fuse = HoldToPowerOff()
    held(fuse, 0, SHOWN - SECOND // 20)
    assert not fuse.burning
    assert fuse.lit(8) == 0


@given(lamps=st.integers(1, 8))
def test_one_lamp_after_the_other_glows_and_all_of_them_at_the_end(lamps: int) -> None:
    fuse = HoldToPowerOff()
    glowing = []
    for now in range(0, BLOWN + 1, SECOND // 10):
        fuse.burn(now, down=True)
        glowing.append(fuse.lit(lamps))
    assert glowing == sorted(glowing)
    assert glowing[-1] == lamps
    assert set(glowing) == set(range(lamps + 1))
    fuse.burn(BLOWN + 1, down=False)
    assert fuse.lit(lamps) == 0


def test_a_clock_that_begins_anew_does_not_switch_off() -> None:
    fuse = HoldToPowerOff()
    held(fuse, 100 * SECOND, 100 * SECOND + SHOWN)
    assert not any(held(fuse, 0, BLOWN - SECOND // 20))
    assert fuse.burn(BLOWN, down=True)
