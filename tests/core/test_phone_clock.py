"""What messages to and fro prove of a phone's clock, and when they prove nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.core.phone_clock import (
    DRIFT_PPM,
    EXCHANGE_WINDOW,
    GRAINS,
    MAX_CLOCK_JUMP,
    MAX_RACE_HALF_WIDTH,
    MS,
    SLEEP_GAP,
    ClockExchange,
    Nanos,
    PhoneClock,
    clock_grain,
)

OFFSET: Nanos = 1_000_000 * MS
"""What the table's clock is ahead of the phone's in these tests."""


def exchange(sent: Nanos, up: Nanos = 5 * MS, down: Nanos = 5 * MS, offset: Nanos = OFFSET) -> ClockExchange:
    """Sent at `sent` by the phone's clock; the table answers 1 ms after the message came."""
    received = sent + up
    return ClockExchange(t0=sent, t1=received + offset, t2=received + MS + offset, t3=received + MS + down)


def clock(*exchanges: ClockExchange, grain: Nanos = 0) -> PhoneClock:
    made = PhoneClock(grain)
    for one in exchanges:
        made.add_exchange(one)
    return made


def test_a_press_between_two_exchanges_lies_in_what_the_ways_took() -> None:
    known = clock(exchange(0), exchange(100 * MS)).press_interval(50 * MS)
    assert known is not None
    drift = 50 * DRIFT_PPM * MS // 1_000_000
    assert known.low <= OFFSET + 50 * MS - 5 * MS + drift
    assert known.high >= OFFSET + 50 * MS + 5 * MS - drift
    assert known.half_width < 5 * MS + 100_000
    assert abs(known.middle - OFFSET - 50 * MS) < 100_000


def test_ways_of_unlike_length_move_the_middle_but_not_the_truth_out_of_the_interval() -> None:
    known = clock(exchange(0, 200 * MS, MS), exchange(300 * MS, 200 * MS, MS)).press_interval(280 * MS)
    assert known is not None
    assert known.low <= OFFSET + 280 * MS <= known.high
    assert known.middle > OFFSET + 280 * MS + 90 * MS


def test_the_shortest_way_of_each_direction_decides_though_they_were_of_two_exchanges() -> None:
    known = clock(
        exchange(0, 2 * MS, 90 * MS), exchange(100 * MS, 90 * MS, 2 * MS), exchange(300 * MS)
    ).press_interval(290 * MS)
    assert known is not None
    assert known.half_width < 3 * MS


@pytest.mark.parametrize("pressed", [5 * MS, 400 * MS])
def test_without_an_answer_before_the_press_and_one_after_it_nobody_can_tell(pressed: Nanos) -> None:
    assert clock(exchange(0), exchange(100 * MS)).press_interval(pressed) is None


def test_what_is_older_than_ten_seconds_tells_nothing() -> None:
    pressed = EXCHANGE_WINDOW + 20 * MS
    assert clock(exchange(0), exchange(pressed)).press_interval(pressed) is None
    assert clock(exchange(20 * MS), exchange(pressed)).press_interval(pressed) is not None


def test_an_old_exchange_is_widened_by_a_thousandth_of_its_age() -> None:
    known = clock(exchange(0)).expected_interval(8_000 * MS + 11 * MS)
    assert known is not None
    assert 5 * MS + 8 * MS <= known.half_width <= 5 * MS + 8 * MS + 20_000


def test_the_grain_of_the_clock_widens_both_sides() -> None:
    coarse, fine = (clock(exchange(0), grain=grain).expected_interval(50 * MS) for grain in (MS, 0))
    assert coarse is not None
    assert fine is not None
    assert (fine.low - coarse.low, coarse.high - fine.high) == (GRAINS * MS, GRAINS * MS)


def test_exchanges_that_contradict_each_other_begin_anew_with_the_newest() -> None:
    stepped = clock(exchange(0), exchange(100 * MS, offset=OFFSET + 50 * MS))
    assert stepped.restarts == 1
    assert stepped.press_interval(50 * MS) is None
    known = stepped.expected_interval(120 * MS)
    assert known is not None
    assert known.low <= OFFSET + 50 * MS + 120 * MS <= known.high


@pytest.mark.parametrize(
    "impossible",
    [ClockExchange(20 * MS, OFFSET, OFFSET, 0), ClockExchange(0, OFFSET, OFFSET + 20 * MS, 10 * MS)],
)
def test_an_exchange_that_contradicts_itself_makes_the_phone_unfit_for_good(
    impossible: ClockExchange,
) -> None:
    phone = clock(exchange(0), impossible, exchange(100 * MS), exchange(200 * MS))
    assert phone.is_contradictory
    assert phone.press_interval(150 * MS) is None
    assert not phone.is_fit_for_races(150 * MS)


def heard(*readings: tuple[Nanos, Nanos]) -> int:
    phone = PhoneClock(0)
    for monotonic, date in readings:
        phone.note_clock_reading(monotonic, date)
    return phone.restarts


@pytest.mark.parametrize(
    ("later", "anew"),
    [
        ((1_000 * MS, 1_000 * MS), 0),
        ((1_000 * MS, 1_000 * MS + MAX_CLOCK_JUMP), 0),
        ((1_000 * MS, 1_000 * MS + MAX_CLOCK_JUMP + 1), 1),
        ((1_000 * MS, 1_000 * MS - MAX_CLOCK_JUMP - 1), 1),
        ((SLEEP_GAP, SLEEP_GAP), 0),
        ((SLEEP_GAP + 1, SLEEP_GAP + 1), 1),
        ((-1, 0), 1),
    ],
)
def test_a_clock_that_stood_or_was_set_begins_anew(later: tuple[Nanos, Nanos], anew: int) -> None:
    assert heard((0, 0), later) == anew


def test_a_page_that_was_hidden_knows_nothing_of_before() -> None:
    phone = clock(exchange(0), exchange(20 * MS))
    phone.discard_exchanges(60 * MS)
    phone.add_exchange(exchange(100 * MS))
    assert phone.press_interval(50 * MS) is None
    assert phone.press_interval(30 * MS) is None


def test_an_exchange_that_was_under_way_when_the_page_slept_tells_nothing() -> None:
    phone = clock(exchange(0), exchange(20 * MS))
    phone.discard_exchanges(60 * MS)
    phone.add_exchange(exchange(50 * MS))
    assert phone.expected_interval(70 * MS) is None
    phone.add_exchange(exchange(70 * MS))
    assert phone.expected_interval(90 * MS) is not None


@pytest.mark.parametrize(
    ("way", "fit"), [(5 * MS, True), (MAX_RACE_HALF_WIDTH - MS, True), (MAX_RACE_HALF_WIDTH + MS, False)]
)
def test_a_phone_is_fit_for_races_if_its_interval_is_narrow(way: Nanos, fit: bool) -> None:
    assert clock(exchange(0, way, way)).is_fit_for_races(2 * way + MS) is fit


def test_a_phone_that_was_never_asked_is_not_fit_for_races() -> None:
    assert not PhoneClock(0).is_fit_for_races(0)


def test_the_grain_is_the_smallest_step_a_clock_was_seen_to_make() -> None:
    assert clock_grain([0, 0, MS, MS, 3 * MS, 3 * MS]) == MS
    assert clock_grain([7, 7]) == 0


ways = st.integers(0, 400 * MS)
gaps = st.integers(0, 2_000 * MS)
grains = st.sampled_from([0, 5_000, MS // 10, MS, 16_700_000])


@given(
    st.lists(st.tuples(gaps, ways, ways), min_size=2, max_size=12), grains, st.integers(-800, 800), st.data()
)
def test_the_truth_is_never_outside(
    sent: list[tuple[Nanos, Nanos, Nanos]], grain: Nanos, ppm: int, data: st.DataObject
) -> None:
    """Whatever the ways took, however the phone rounds, and if it runs up to 800 ppm fast or slow."""

    def shown(at: Nanos) -> Nanos:
        exact = at - OFFSET + at * ppm // 1_000_000
        if not grain:
            return exact
        return exact // grain * grain + (grain if data.draw(st.booleans(), label="up") else 0)

    phone, at = PhoneClock(grain), 0
    answered = []
    for gap, up, down in sent:
        at += gap
        phone.add_exchange(ClockExchange(shown(at), at + up, at + up, shown(at + up + down)))
        answered.append(at + up + down)
    assert not phone.is_contradictory
    assert phone.restarts == 0
    truth = data.draw(st.integers(min(answered), max(answered)), label="press")
    known = phone.press_interval(shown(truth))
    if known is not None:
        assert known.low <= truth <= known.high
