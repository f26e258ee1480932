"""How much of what phones send is taken in."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from companion.core.phone_rate_limit import (
    MAX_CHAIR_PRESSES,
    MAX_TOTAL_PRESSES,
    SECOND,
    PressLimiter,
    TokenBucket,
)


def held(*chairs: int) -> PressLimiter:
    flood = PressLimiter()
    for chair in chairs:
        flood.add_chair(chair)
    return flood


def test_a_chair_presses_ten_times_a_second_and_what_is_more_is_counted() -> None:
    flood = held(0)
    taken = [flood.admit_press(0, SECOND) for _ in range(25)]
    assert taken == [True] * MAX_CHAIR_PRESSES + [False] * (25 - MAX_CHAIR_PRESSES)
    assert flood.dropped_count(0) == 25 - MAX_CHAIR_PRESSES
    assert [flood.admit_press(0, SECOND + SECOND // 10) for _ in range(2)] == [True, False]


def test_a_flood_from_one_chair_costs_no_other_its_press() -> None:
    flood = held(0, 1)
    for _ in range(1_000):
        flood.admit_press(0, SECOND)
    assert flood.admit_press(1, SECOND)
    assert flood.dropped_count(1) == 0


def test_all_chairs_together_have_a_limit_too() -> None:
    flood = held(*range(20))
    taken = sum(flood.admit_press(chair, SECOND) for _ in range(10) for chair in range(20))
    assert taken == MAX_TOTAL_PRESSES


def test_a_chair_that_no_phone_holds_is_not_listened_to() -> None:
    flood = held(0)
    assert not flood.admit_press(1, SECOND)
    flood.remove_chair(0)
    assert not flood.admit_press(0, SECOND)


@given(st.integers(1, 20), st.lists(st.integers(0, 2 * SECOND), max_size=60))
def test_no_stretch_of_time_lets_more_through_than_its_seconds_and_one_burst(
    rate: int, gaps: list[int]
) -> None:
    bucket, now, taken = TokenBucket(rate), 0, []
    for gap in gaps:
        now += gap
        if bucket.try_take(now):
            taken.append(now)
    for first, start in enumerate(taken):
        for last in range(first, len(taken)):
            assert last - first + 1 <= rate + (taken[last] - start) * rate / SECOND
