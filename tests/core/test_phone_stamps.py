"""One stamp decides: at most its arrival, at most 100 ms before it, and told before it is judged."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from companion.core.actions import MAX_PHONE_LAG
from companion.core.phone_clock import (
    MAX_LAG,
    MAX_WAIT,
    MS,
    ClockExchange,
    Nanos,
    PendingPresses,
    PhoneClock,
    PressStamp,
    TimeInterval,
    stamp_press,
)

NOON: Nanos = 1_000_000 * MS


def at_once(within: TimeInterval | None, arrival: Nanos) -> PressStamp:
    return stamp_press(within, arrival, arrival)


def test_a_press_counts_from_the_middle_of_its_interval() -> None:
    assert at_once(TimeInterval(NOON - 30, NOON - 20), NOON) == PressStamp(
        NOON - 25, TimeInterval(NOON - 30, NOON - 20), NOON
    )


def test_a_press_that_nobody_can_place_counts_from_its_arrival() -> None:
    assert at_once(None, NOON) == PressStamp(NOON, None, NOON)


def test_a_slow_link_counts_later_and_is_told_by_how_much() -> None:
    middle = NOON - MAX_LAG - 30 * MS
    late = at_once(TimeInterval(middle - MS, middle + MS), NOON)
    assert (late.at, late.added_delay) == (NOON - MAX_LAG, 30 * MS)


def test_no_press_counts_after_it_arrived() -> None:
    assert at_once(TimeInterval(NOON, NOON + 400 * MS), NOON).at == NOON


instants = st.integers(NOON - 1_000 * MS, NOON + 1_000 * MS)
halves = st.integers(0, 400 * MS)


@given(instants, halves, halves, instants)
def test_how_wide_an_interval_is_changes_no_stamp(
    middle: Nanos, half: Nanos, other: Nanos, arrival: Nanos
) -> None:
    one, two = (at_once(TimeInterval(middle - reach, middle + reach), arrival) for reach in (half, other))
    assert one.at == two.at


@given(instants, instants, instants, st.integers(0, MAX_WAIT))
def test_a_stamp_is_at_most_a_lag_before_its_arrival_and_not_behind_what_is_judged(
    low: Nanos, high: Nanos, arrival: Nanos, waited: Nanos
) -> None:
    stamp = stamp_press(TimeInterval(low, high), arrival, arrival + waited)
    assert arrival - MAX_PHONE_LAG * 1_000 <= stamp.at <= arrival
    assert arrival + waited - stamp.at <= MAX_WAIT


# Waiting for the exchange that follows ----------------------------------------------------------------------


def exchange(sent: Nanos, way: Nanos = 5 * MS) -> ClockExchange:
    """By a phone whose clock is the table's."""
    return ClockExchange(sent, sent + way, sent + way, sent + 2 * way)


def waiting() -> tuple[PhoneClock, PendingPresses]:
    """A phone with one exchange behind it; it pressed at 100 ms, which arrived 5 ms later."""
    clock = PhoneClock(0)
    clock.add_exchange(exchange(0))
    presses = PendingPresses(clock)
    presses.add_press(100 * MS, 105 * MS, "mine")
    return clock, presses


def test_a_press_waits_for_the_answer_that_follows_it_and_keeps_its_instant() -> None:
    clock, presses = waiting()
    assert presses.take_stamped(110 * MS) == []
    clock.add_exchange(exchange(100 * MS))
    ((what, stamp),) = presses.take_stamped(115 * MS)
    assert what == "mine"
    assert abs(stamp.at - 100 * MS) <= 100_000
    assert presses.take_stamped(115 * MS) == []
    assert presses.next_due() is None


def test_a_press_whose_answer_does_not_come_counts_from_its_arrival_before_that_is_judged() -> None:
    _, presses = waiting()
    due = presses.next_due()
    assert due is not None
    assert presses.take_stamped(due - 1) == []
    assert presses.take_stamped(due) == [("mine", PressStamp(105 * MS, None, 105 * MS))]
    assert 100 * MS + 130 * MS < due <= 105 * MS + MAX_WAIT


def test_a_phone_that_was_never_asked_is_not_waited_for() -> None:
    presses = PendingPresses(PhoneClock(0))
    presses.add_press(0, 50 * MS, "mine")
    assert presses.take_stamped(50 * MS) == [("mine", PressStamp(50 * MS, None, 50 * MS))]


def test_a_page_that_was_hidden_after_the_press_lets_it_count_from_its_arrival() -> None:
    clock, presses = waiting()
    clock.discard_exchanges(101 * MS)
    clock.add_exchange(exchange(90 * MS))
    clock.add_exchange(exchange(102 * MS))
    clock.add_exchange(exchange(110 * MS))
    assert presses.take_stamped(121 * MS) == [("mine", PressStamp(105 * MS, None, 105 * MS))]


@given(
    st.lists(st.tuples(*[st.integers(0, 2_000 * MS)] * 4), max_size=8),
    st.integers(-5_000 * MS, 5_000 * MS),
    st.integers(MS, 50 * MS),
)
def test_no_forged_stamp_gains_more_than_the_lag(
    told: list[tuple[Nanos, ...]], claimed: Nanos, frame: Nanos
) -> None:
    """A forger says what she likes of her clock; only t1, t2 and the arrival are the table's."""
    clock, arrival = PhoneClock(0), 1_000 * MS
    presses = PendingPresses(clock)
    before = [ClockExchange(t0, *sorted((t1, t2)), t3) for t0, t1, t2, t3 in told]
    for one in before[::2]:
        clock.add_exchange(one)
    presses.add_press(claimed, arrival, None)
    found: list[tuple[Any, PressStamp]] = presses.take_stamped(arrival)
    for one in before[1::2]:
        clock.add_exchange(one)
    now = arrival
    while not found:
        now += frame
        found = presses.take_stamped(now)
    ((_, stamp),) = found
    assert arrival - MAX_LAG <= stamp.at <= arrival
    assert now - frame - stamp.at <= MAX_WAIT
