"""The lockout, by numbers: edges in, presses and releases out."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from companion.core.actions import HOLD_TIME
from companion.core.debounce import CALM, PIN_POLL_INTERVAL, Debouncer, HoldDetector
from companion.core.observations import ButtonHeld, ButtonPressed, ButtonReleased, Observation
from companion.core.switch import MAX_EDGE_DELAY, SWITCH_TIMING, TOGETHER, Edge

GRACE = 40_000
"""What the loop waits before it judges (ARCHITECTURE §6); the lockout must be done by then."""
LATER = 10_000_000


def edges(*marks: tuple[int, bool], chair: int = 0, source: str = "gpio") -> list[Edge]:
    return [Edge(chair, "seat", level=level, at=at, source=source) for at, level in marks]


def ruled(seen: list[Edge], level: bool | None = None) -> list[Observation]:
    lockout = Debouncer(level=lambda chair, button: level)
    for edge in seen:
        lockout.add_edge(edge)
    return lockout.advance(LATER)


def pressed(at: int, chair: int = 0, source: str = "gpio", since: int | None = None) -> ButtonPressed:
    return ButtonPressed(at=at, chair=chair, source=source, since=since)


def released(at: int, chair: int = 0, source: str = "gpio", since: int | None = None) -> ButtonReleased:
    return ButtonReleased(at=at, chair=chair, source=source, since=since)


def test_a_press_is_its_first_edge_however_long_the_switch_bounces():
    burst = [
        (1_000, True),
        (1_200, False),
        (1_300, True),
        (4_000, False),
        (4_100, True),
        (9_000, False),
        (9_200, True),
    ]
    assert ruled(edges(*burst)) == [pressed(1_000)]


def test_a_bouncing_switch_is_before_a_clean_one_that_came_later():
    lockout = Debouncer()
    for at, level in [
        (0, True),
        (200, False),
        (400, True),
        (3_100, False),
        (3_300, True),
        (8_000, False),
        (8_100, True),
    ]:
        lockout.add_edge(Edge(5, "seat", level=level, at=at))
    lockout.add_edge(Edge(2, "seat", level=True, at=3_000))
    assert lockout.advance(LATER) == [pressed(0, chair=5), pressed(3_000, chair=2)]


def test_a_spike_is_a_glitch_that_is_counted_and_never_ruled():
    lockout = Debouncer()
    for edge in edges((0, True), (1_900, False)):
        lockout.add_edge(edge)
    assert lockout.advance(LATER) == []
    assert lockout.statistics()["gpio", 0, "seat"].glitches == 1


def test_a_level_that_stays_for_most_of_four_milliseconds_counts():
    assert ruled(edges((0, True), (2_001, False), (50_000, True), (100_000, False)))[0] == pressed(0)
    assert ruled(edges((0, True), (2_000, False), (50_000, True), (100_000, False)))[0] == pressed(50_000)


def test_a_press_right_after_a_spike_has_its_own_stamp():
    assert ruled(edges((0, True), (500, False), (3_000, True))) == [pressed(3_000)]


def test_a_tap_that_ends_inside_the_lockout_is_let_go_where_the_lockout_ends():
    assert ruled(edges((0, True), (9_000, False))) == [pressed(0), released(SWITCH_TIMING.lockout)]


def test_a_release_is_its_first_edge_too():
    held = edges((0, True), (100_000, False), (100_300, True), (100_500, False))
    assert ruled(held) == [pressed(0), released(100_000)]


def test_a_contact_that_opens_for_a_moment_while_held_releases_nothing():
    assert ruled(edges((0, True), (500_000, False), (500_900, True))) == [pressed(0)]


def test_thirty_millisecond_taps_are_all_seen():
    taps = [mark for tap in range(10) for mark in ((tap * 80_000, True), (tap * 80_000 + 30_000, False))]
    assert [seen.at for seen in ruled(edges(*taps)) if isinstance(seen, ButtonPressed)] == [
        tap * 80_000 for tap in range(10)
    ]


def test_a_lost_release_is_found_when_the_lockout_ends():
    lockout = Debouncer(level=lambda chair, button: False)
    lockout.add_edge(Edge(0, "seat", level=True, at=0))
    assert lockout.advance(MAX_EDGE_DELAY - 1) == [], "the second edge of a spike may be under way"
    assert lockout.advance(MAX_EDGE_DELAY) == [pressed(0)]
    assert lockout.advance(LATER) == [released(MAX_EDGE_DELAY - 1, since=0)], "when the pin was read first"
    assert lockout.statistics()["gpio", 0, "seat"].lost == 1


def test_a_spike_whose_second_edge_comes_late_is_no_press():
    lockout = Debouncer(level=lambda chair, button: False)
    lockout.add_edge(Edge(0, "seat", level=True, at=0))
    assert lockout.advance(50_000) == []
    lockout.add_edge(Edge(0, "seat", level=False, at=700))
    assert lockout.advance(LATER) == []
    assert lockout.statistics()["gpio", 0, "seat"].glitches == 1


def test_a_burst_that_trickles_in_late_is_judged_when_it_is_whole():
    """Seen in the virtual Pi: the first 0.5 ms of a bouncing press were taken for a spike."""
    burst = edges((0, True), (500, False), (700, True), (1_300, False), (1_500, True))
    for pin_read_again in (False, True):
        lockout = Debouncer(level=lambda chair, button: True)
        for count, edge in enumerate(burst):
            now = 90_000 + count
            lockout.add_edge(edge, arrived=now)
            if pin_read_again:
                lockout.compare_levels(now, {(0, "seat"): True})
            said = lockout.advance(now) if not edge.level else []
            assert said == [], "the pin is down: a closing edge is under way"
        assert lockout.advance(90_010) == [pressed(0)]


def test_a_closing_edge_that_was_lost_is_not_waited_for_without_end():
    lockout = Debouncer(level=lambda chair, button: True)
    for edge in edges((0, True), (500, False)):
        lockout.add_edge(edge, arrived=90_000)
    assert lockout.advance(90_000 + MAX_EDGE_DELAY - 1) == []
    assert lockout.advance(90_000 + MAX_EDGE_DELAY) == []
    assert lockout.advance(LATER) == [pressed(90_000 + MAX_EDGE_DELAY - 1, since=0)], (
        "down it was when the pin was read first, since when nobody knows"
    )
    tally = lockout.statistics()["gpio", 0, "seat"]
    assert (tally.glitches, tally.lost) == (1, 1)


BOUNCE = ((0, True), (600, False), (800, True), (1_500, False), (1_700, True), (2_300, False), (2_500, True))
"""A press that bounces on for a moment longer."""


@pytest.mark.parametrize("hold", [25_000, 54_000, 60_000, 66_000])
def test_a_tap_whose_bounce_lost_its_last_closing_edge_is_one_press(hold: int) -> None:
    down = True
    lockout = Debouncer(level=lambda chair, button: down)
    for edge in edges(*BOUNCE, (2_850, False)):
        lockout.add_edge(edge, arrived=3_000)
    decided = [seen for now in range(4_000, hold, 1_000) for seen in lockout.advance(now)]
    down = False
    lockout.add_edge(*edges((hold, False)), arrived=hold)
    assert decided + lockout.advance(LATER) == [pressed(0), released(hold)]


def test_a_tap_whose_bounce_a_disturbance_on_other_pins_cut_short_is_one_press() -> None:
    down = True
    lockout = Debouncer(level=lambda chair, button: down and chair == 0)
    for edge in (*edges(*BOUNCE, (2_850, False)), *disturbed((3_000, True), (3_400, False), chair=5)):
        lockout.add_edge(edge, arrived=edge.at)
    decided = [seen for now in range(4_000, 80_000, 1_000) for seen in lockout.advance(now)]
    down = False
    lockout.add_edge(*edges((80_000, False)), arrived=80_000)
    assert decided + lockout.advance(LATER) == [pressed(54_000, since=0), released(80_000)]


def test_a_press_of_which_only_spikes_arrived_and_that_is_let_go_meanwhile_is_found():
    """Its first edge and its last closing one are lost; the pin said once that it is down."""
    down = True
    lockout = Debouncer(level=lambda chair, button: down)
    lockout.compare_levels(0, {(0, "seat"): False})
    burst = ((21_000, False), (21_100, True), (21_500, False), (23_000, True), (23_100, False))
    for edge in edges(*burst):
        lockout.add_edge(edge, arrived=24_000)
    assert lockout.advance(60_000) == []
    lockout.add_edge(*edges((82_000, False)), arrived=82_000)
    down = False
    assert lockout.advance(LATER) == [pressed(60_000, since=0), released(82_000)]


def test_a_press_that_is_read_right_before_it_is_let_go_counts_although_it_is_seen_for_a_moment():
    """The edge is lost, so it is not known how long it was down before."""
    lockout = Debouncer(level=lambda chair, button: False)
    lockout.compare_levels(0, {(0, "seat"): False})
    lockout.compare_levels(45_000, {(0, "seat"): True})
    lockout.add_edge(*edges((46_000, False)))
    assert lockout.advance(LATER)[0] == pressed(45_000, since=0)


def test_an_interval_begins_before_it_ends_although_the_pin_was_read_while_edges_were_under_way():
    lockout = Debouncer(level=lambda chair, button: True)
    lockout.compare_levels(50_000, {(0, "seat"): False})
    lockout.compare_levels(66_500, {(0, "seat"): False})  # open for a moment: it bounces
    for edge in edges((60_400, False), (61_000, True)):
        lockout.add_edge(edge, arrived=67_000)
    assert lockout.advance(LATER) == [pressed(61_000, since=50_000)]


def test_a_press_after_a_lost_release_is_a_press_with_its_own_stamp():
    lockout = Debouncer(level=lambda chair, button: True)
    lockout.add_edge(Edge(0, "seat", level=True, at=0))
    lockout.add_edge(Edge(0, "seat", level=True, at=500_000))
    assert lockout.advance(LATER) == [pressed(0), released(500_000, since=0), pressed(500_000)]
    assert lockout.statistics()["gpio", 0, "seat"].lost == 1


def test_an_edge_of_a_burst_that_comes_after_its_lockout_is_no_new_press():
    lockout = Debouncer(level=lambda chair, button: True)
    for edge in edges((0, True), (9_000, False)):
        lockout.add_edge(edge)
    assert lockout.advance(SWITCH_TIMING.lockout + SWITCH_TIMING.delivery) == [pressed(0)]
    lockout.add_edge(Edge(0, "seat", level=True, at=9_100))
    assert lockout.advance(LATER) == [], "the pin says that it is down still"
    lockout.add_edge(Edge(0, "seat", level=False, at=200_000))
    assert lockout.advance(LATER) == [released(200_000)]


def test_a_lost_press_is_found_by_rereading_and_stamped_there():
    lockout = Debouncer()
    lockout.compare_levels(20_000, {(3, "seat"): False, (4, "seat"): False})
    lockout.compare_levels(50_000, {(3, "seat"): True, (4, "seat"): False})
    assert lockout.advance(LATER) == [pressed(50_000, chair=3, since=20_000)], "it fell between the two"
    assert lockout.statistics()["gpio", 3, "seat"].lost == 1


def test_an_edge_under_way_while_its_level_is_read_keeps_its_own_stamp():
    lockout = Debouncer()
    lockout.compare_levels(50_000, {(3, "seat"): True})
    lockout.add_edge(Edge(3, "seat", level=True, at=49_000), arrived=56_000)
    assert lockout.advance(LATER) == [pressed(49_000, chair=3)]
    assert lockout.statistics()["gpio", 3, "seat"].lost == 0


def test_an_edge_between_the_clock_and_the_reading_is_not_made_earlier():
    lockout = Debouncer()
    lockout.compare_levels(3_000_000, {(3, "seat"): True})
    lockout.add_edge(Edge(3, "seat", level=True, at=3_000_001))
    assert lockout.advance(LATER) == [pressed(3_000_001, chair=3)]


def test_an_edge_that_came_while_the_level_at_the_end_of_a_window_was_read_late_keeps_its_own_stamp():
    lockout = Debouncer()
    lockout.compare_levels(50_000, {(0, "seat"): True}, wait=GRACE, read_at=62_000)
    for edge in edges((70_000, True), (190_000, False)):
        lockout.add_edge(edge)
    assert lockout.advance(LATER)[0] == pressed(70_000)


def test_a_later_press_does_not_make_a_lost_one_later():
    lockout = Debouncer()
    lockout.compare_levels(50_000, {(3, "seat"): True})
    lockout.add_edge(Edge(3, "seat", level=True, at=500_000))  # the release was lost as well
    assert lockout.advance(LATER) == [pressed(50_000, chair=3, since=0)]


def test_two_readings_of_a_lost_press_count_from_the_first():
    lockout = Debouncer()
    lockout.compare_levels(50_000, {(3, "seat"): True})
    lockout.compare_levels(51_000, {(3, "seat"): True})
    assert lockout.advance(LATER) == [pressed(50_000, chair=3, since=0)]


def test_a_worn_switch_is_pressed_where_it_first_touches():
    """It is open for most of the first 4 ms, and then stays."""
    touches = [(0, True), (200, False), (1_400, True), (1_600, False), (3_000, True), (3_200, False)]
    assert ruled(edges(*touches, (4_500, True), (100_000, False))) == [pressed(0), released(100_000)]


def test_spikes_that_come_to_nothing_are_no_press_however_many():
    spikes = [mark for place in range(6) for mark in ((place * 1_500, True), (place * 1_500 + 200, False))]
    assert ruled(edges(*spikes)) == []


def test_the_first_closing_edge_that_was_lost_is_told_by_the_opening_one_and_leaves_an_interval():
    lockout = Debouncer()
    lockout.compare_levels(1_000_000, {(0, "seat"): False})
    for edge in edges((1_030_200, False), (1_030_300, True)):
        lockout.add_edge(edge)
    assert lockout.advance(LATER) == [pressed(1_030_300, since=1_000_000)]


def test_a_reading_in_the_middle_of_a_bounce_says_nothing():
    lockout = Debouncer(level=lambda chair, button: True)
    lockout.add_edge(Edge(0, "seat", level=True, at=0))
    lockout.compare_levels(2_000, {(0, "seat"): False})
    assert lockout.advance(LATER) == [pressed(0)]


def test_rereading_what_is_known_says_nothing():
    lockout = Debouncer()
    lockout.add_edge(Edge(0, "seat", level=True, at=0))
    lockout.compare_levels(5_000, {(0, "seat"): True})
    lockout.compare_levels(55_000, {(0, "seat"): True})
    assert lockout.advance(LATER) == [pressed(0)]


def test_a_button_held_down_at_the_start_was_not_pressed():
    lockout = Debouncer()
    lockout.set_initial_levels({(0, "seat"): True})
    lockout.add_edge(Edge(0, "seat", level=False, at=1_000_000))
    assert lockout.advance(LATER) == [released(1_000_000)]


def test_two_equal_edges_in_a_row_count_one_as_lost():
    lockout = Debouncer()
    for edge in edges((0, True), (200_000, True)):
        lockout.add_edge(edge)
    assert lockout.advance(LATER) == [pressed(0)]
    assert lockout.statistics()["gpio", 0, "seat"].lost == 1


def test_a_key_pressed_and_let_go_at_one_instant_is_a_press_at_once():
    lockout = Debouncer()
    for edge in edges((7, True), (7, False), source="key"):
        lockout.add_edge(edge)
    assert lockout.advance(7) == [pressed(7, source="key"), released(7, source="key")]


def test_a_key_and_the_button_of_the_same_chair_are_two_switches():
    lockout = Debouncer()
    lockout.add_edge(Edge(0, "seat", level=True, at=0, source="gpio"))
    lockout.add_edge(Edge(0, "seat", level=True, at=10, source="key"))
    lockout.add_edge(Edge(0, "seat", level=False, at=20, source="key"))
    assert lockout.advance(LATER) == [pressed(0), pressed(10, source="key"), released(20, source="key")]


def test_the_tally_knows_bounce_and_delay():
    lockout = Debouncer()
    for at, level in [(0, True), (3_000, False), (3_200, True)]:
        lockout.add_edge(Edge(0, "seat", level=level, at=at), arrived=at + 700)
    lockout.advance(LATER)
    tally = lockout.statistics()["gpio", 0, "seat"]
    assert (tally.presses, tally.bounce, tally.delay, tally.glitches) == (1, 3_200, 700, 0)


def test_first_light_comes_with_the_edge():
    lockout = Debouncer()
    assert lockout.buttons_maybe_down() == frozenset()
    lockout.add_edge(Edge(6, "seat", level=True, at=0))
    assert lockout.advance(100) == []
    assert lockout.buttons_maybe_down() == {(6, "seat")}


def test_next_due_is_when_the_next_judgement_can_be_made():
    lockout = Debouncer()
    assert lockout.next_due() is None
    lockout.add_edge(Edge(0, "seat", level=True, at=1_000))
    due = lockout.next_due()
    assert due is not None
    assert lockout.advance(due - 1) == []
    assert lockout.advance(due) == [pressed(1_000)]


def test_every_word_on_an_edge_falls_inside_the_grace():
    assert SWITCH_TIMING.settle + SWITCH_TIMING.delivery <= GRACE
    assert SWITCH_TIMING.lockout + SWITCH_TIMING.settle + SWITCH_TIMING.delivery <= GRACE


@st.composite
def bursts(draw):
    """Alternating edges of two chairs, each with a delay of delivery that keeps the order of its line."""
    heard = []
    for chair in (0, 1):
        at, level, last = 0, False, 0
        for _ in range(draw(st.integers(0, 14))):
            at += draw(st.one_of(st.integers(1, 900), st.integers(900, 9_000), st.integers(9_000, 120_000)))
            level = not level
            last = max(last, at + draw(st.integers(0, SWITCH_TIMING.delivery)))
            last = min(last, at + SWITCH_TIMING.delivery)
            heard.append((last, Edge(chair, "seat", level=level, at=at)))
    return sorted(heard, key=lambda pair: pair[0])


@given(bursts(), st.lists(st.integers(0, 2_000_000), max_size=60))
def test_rulings_depend_neither_on_delivery_nor_on_how_often_the_loop_looks(heard, looks):
    at_leisure = ruled([edge for _, edge in heard])

    lockout, found = Debouncer(), []
    arriving = list(heard)
    for now in [*sorted({*looks, *(arrival for arrival, _ in heard)}), LATER]:
        while arriving and arriving[0][0] <= now:
            lockout.add_edge(arriving.pop(0)[1])
        found += lockout.advance(now)
    assert sorted(found, key=lambda seen: (seen.at, seen.chair)) == sorted(
        at_leisure, key=lambda seen: (seen.at, seen.chair)
    )


@given(bursts(), st.lists(st.integers(0, 2_000_000), max_size=60))
def test_an_observation_is_found_before_its_grace_is_over_and_never_before_it_happened(heard, looks):
    presses = [[edge.at for _, edge in heard if edge.level and edge.chair == chair] for chair in (0, 1)]
    together = any(abs(one - other) <= TOGETHER for one, other in product(*presses))
    grace = MAX_EDGE_DELAY if together else GRACE  # a third pin's edge may be under way
    lockout, arriving, before = Debouncer(), list(heard), 0
    for now in [*sorted({*looks, *(arrival for arrival, _ in heard)}), LATER]:
        while arriving and arriving[0][0] <= now:
            lockout.add_edge(arriving.pop(0)[1])
        for seen in lockout.advance(now):
            assert before - grace < seen.at <= now
        before = now


@given(bursts())
def test_presses_and_releases_of_a_button_alternate(heard):
    found = ruled([edge for _, edge in heard])
    for chair in (0, 1):
        kinds = [isinstance(seen, ButtonPressed) for seen in found if seen.chair == chair]
        assert kinds == [n % 2 == 0 for n in range(len(kinds))]


@given(bursts())
def test_the_last_word_is_the_level_that_stayed(heard):
    found = ruled([edge for _, edge in heard])
    for chair in (0, 1):
        marks = [edge for _, edge in heard if edge.chair == chair]
        said = [seen for seen in found if seen.chair == chair]
        down = bool(said) and isinstance(said[-1], ButtonPressed)
        assert down == (bool(marks) and marks[-1].level)


@given(
    gaps=st.lists(st.tuples(st.integers(100, 90_000), st.booleans()), max_size=12),
    delay=st.integers(0, SWITCH_TIMING.delivery),
)
def test_whatever_edges_are_lost_the_level_has_the_last_word(gaps, delay):
    at, level, timeline = 0, False, []
    for gap, lost in gaps:
        at, level = at + gap, not level
        timeline.append((Edge(0, "seat", level=level, at=at), lost))

    def down(now: int) -> bool:
        return next((edge.level for edge, _ in reversed(timeline) if edge.at <= now), False)

    now = 0
    lockout = Debouncer(level=lambda chair, button: down(now))
    arriving = [edge for edge, lost in timeline if not lost]
    found: list[Observation] = []
    for now in range(0, at + 300_000, 5_000):
        while arriving and arriving[0].at + delay <= now:
            lockout.add_edge(arriving.pop(0))
        if now % PIN_POLL_INTERVAL == 0:
            lockout.compare_levels(now, {(0, "seat"): down(now)})
        found += lockout.advance(now)
    kinds = [isinstance(seen, ButtonPressed) for seen in found]
    assert kinds == [n % 2 == 0 for n in range(len(kinds))]
    assert (kinds[-1] if kinds else False) == level


def test_a_hold_falls_at_press_plus_hold():
    holds = HoldDetector()
    holds.note_observation(pressed(1_000, chair=2))
    assert holds.next_due() == 1_000 + HOLD_TIME
    assert holds.advance(1_000 + HOLD_TIME - 1) == []
    assert holds.advance(1_000 + HOLD_TIME) == [ButtonHeld(at=1_000 + HOLD_TIME, chair=2)]
    assert holds.next_due() is None


def test_a_release_before_the_hold_makes_it_a_tap():
    holds = HoldDetector()
    holds.note_observation(pressed(0))
    holds.note_observation(released(HOLD_TIME - 1))
    assert holds.advance(LATER) == []


def test_holds_fall_in_the_order_of_their_presses():
    holds = HoldDetector()
    for at, chair in ((20, 1), (10, 4), (30, 0)):
        holds.note_observation(pressed(at, chair=chair))
    assert [held.chair for held in holds.advance(LATER)] == [4, 1, 0]


def test_a_forgotten_press_becomes_no_hold():
    holds = HoldDetector()
    holds.note_observation(pressed(0))
    holds.clear()
    assert holds.advance(LATER) == []


def test_holds_of_one_instant_fall_those_of_the_shared_buttons_first():
    holds = HoldDetector()
    for chair, button in ((3, "seat"), (None, "ok"), (0, "seat"), (None, "back")):
        holds.note_observation(ButtonPressed(at=0, chair=chair, button=button))
    fallen = [(held.chair, held.button) for held in holds.advance(HOLD_TIME)]
    assert fallen == [(None, "back"), (None, "ok"), (0, "seat"), (3, "seat")]


@pytest.mark.parametrize("short", [900, 8_000], ids=["half of the time", "in a few long contacts"])
def test_a_release_whose_contact_flutters_for_30_ms_is_one_press(short: int) -> None:
    for seed in range(200):
        chance = Random(seed)
        moment, level = 200_000, False
        marks = [(100_000, True), (moment, False)]
        while (moment := moment + chance.randint(150, short)) < 230_000:
            level = not level
            marks.append((moment, level))
        if level:
            marks.append((230_000, False))
        lockout = Debouncer()
        for edge in edges(*marks):
            lockout.add_edge(edge)
        judged = lockout.advance(LATER)
        assert [type(seen) for seen in judged] == [ButtonPressed, ButtonReleased], seed


def test_a_button_pressed_again_40_ms_after_it_was_let_go_has_its_stamp() -> None:
    lockout = Debouncer()
    for edge in edges((100_000, True), (150_000, False), (190_000, True)):
        lockout.add_edge(edge)
    assert lockout.advance(LATER)[-1] == pressed(190_000)


def test_a_press_before_which_the_kernel_dropped_edges_has_the_interval_in_which_it_was() -> None:
    lockout = Debouncer()
    lockout.compare_levels(50_000, {(0, "seat"): False})
    for edge in edges((100_000, True), (200_000, False)):
        lockout.add_edge(replace(edge, gap=edge.level))
    assert lockout.advance(LATER)[0] == pressed(100_000, since=50_000)


# Disturbances -----------------------------------------------------------------------------------------------


def disturbed(*marks: tuple[int, bool], chair: int) -> list[Edge]:
    return [replace(edge, disturbed=True) for edge in edges(*marks, chair=chair)]


BURST = [(at + up, level) for at in range(20_000, 40_000, 1_000) for up, level in ((0, True), (550, False))]
"""Something a cable picks up for 20 ms: a level that is down for most of the time."""
CALM_AT = BURST[-1][0] + CALM
BOUNCING = ((-9_000, True), (-5_000, False), (-4_000, True), (-200, False), (300, True))
"""A press in the calm whose contact is open as the calm ends, counted from there."""


def test_a_press_soon_after_a_release_that_no_edge_dates_has_an_interval():
    lockout = Debouncer(level=lambda chair, button: True)
    lockout.set_initial_levels({(0, "seat"): True})
    lockout.add_edge(Edge(0, "seat", level=False, at=100_000, gap=True))
    lockout.add_edge(Edge(0, "seat", level=True, at=118_000))
    decided = [seen for now in range(120_000, LATER, 1_000) for seen in lockout.advance(now)]
    assert decided[1:] == [pressed(128_000, since=100_000)]


@pytest.mark.parametrize(("let_go", "arrives"), [(133_000, 134_000), (141_000, 150_000)])
def test_such_a_press_is_found_although_it_is_let_go_by_the_time_it_is_judged(let_go: int, arrives: int):
    lockout = Debouncer(level=lambda chair, button: now < let_go)
    lockout.set_initial_levels({(0, "seat"): True})
    lockout.add_edge(Edge(0, "seat", level=False, at=100_000, gap=True))
    lockout.add_edge(Edge(0, "seat", level=True, at=110_000))
    decided = []
    for now in range(120_000, 400_000, 1_000):
        if now == arrives:
            lockout.add_edge(Edge(0, "seat", level=False, at=let_go))
        decided += lockout.advance(now)
    assert decided[1] == pressed(128_000, since=100_000)


def in_a_burst(down: set[int]) -> Debouncer:
    """Three pins have picked up a burst; the first two edges were no sign of it yet."""
    lockout = Debouncer(level=lambda chair, button: chair in down)
    for chair in (0, 1):
        for edge in edges(*BURST, chair=chair):
            lockout.add_edge(edge)
    for edge in disturbed(*BURST, chair=2):
        lockout.add_edge(edge)
    return lockout


def test_what_cables_pick_up_on_three_pins_is_no_press():
    lockout = in_a_burst(set())
    assert lockout.next_due() == CALM_AT
    assert lockout.advance(LATER) == []
    assert lockout.buttons_maybe_down() == frozenset()


def test_what_is_still_closed_after_a_disturbance_was_pressed_in_it_nobody_knows_when():
    lockout = in_a_burst({1})
    assert lockout.advance(CALM_AT - 1) == []
    assert lockout.advance(CALM_AT) == []
    assert lockout.next_due() == CALM_AT + SWITCH_TIMING.settle + SWITCH_TIMING.delivery
    assert lockout.advance(LATER) == [pressed(CALM_AT, chair=1, since=20_000 - TOGETHER)]


def test_edges_of_a_disturbance_say_nothing_however_late_they_come():
    lockout = in_a_burst(set())
    assert lockout.advance(CALM_AT + 1) == []
    for edge in edges((30_000, True), chair=5):
        lockout.add_edge(edge)
    lockout.compare_levels(30_500, {(5, "seat"): True})
    assert lockout.advance(LATER) == []


@pytest.mark.parametrize("told_last", [False, True], ids=["disturbance first", "disturbance last"])
def test_a_press_that_settled_before_a_disturbance_and_one_after_it_have_their_edges(
    *, told_last: bool
) -> None:
    lockout = Debouncer(level=lambda chair, button: chair in {3, 4})
    lockout.set_initial_levels({(3, "seat"): False, (4, "seat"): False})
    before = edges((15_000, True), chair=4) + edges((19_000, True), chair=3)
    shaken = disturbed(*BURST, chair=2)
    for edge in before + shaken if told_last else shaken + before:
        lockout.add_edge(edge)
    for edge in edges((CALM_AT + 10_000, True), chair=5):
        lockout.add_edge(edge)
    assert lockout.advance(CALM_AT) == [pressed(15_000, chair=4)]
    unsettled = pressed(CALM_AT, chair=3, since=19_000)
    assert lockout.advance(LATER) == [unsettled, pressed(CALM_AT + 10_000, chair=5)]


@pytest.mark.parametrize("told_last", [False, True], ids=["disturbance first", "disturbance last"])
def test_a_press_that_bounces_beyond_the_calm_after_a_disturbance_was_in_it_nobody_knows_when(
    *, told_last: bool
) -> None:
    lockout = Debouncer(level=lambda chair, button: chair == 4)
    bounce = edges(*((CALM_AT + at, level) for at, level in BOUNCING), chair=4)
    shaken = disturbed(*BURST, chair=2)
    for edge in bounce + shaken if told_last else shaken + bounce:
        lockout.add_edge(edge)
    assert lockout.advance(LATER) == [pressed(CALM_AT + 300, chair=4, since=20_000 - TOGETHER)]


def test_what_a_pin_said_just_before_a_disturbance_is_no_press_after_a_second_one_either():
    lockout = Debouncer(level=lambda chair, button: False)
    spike = (20_000, True), (20_300, False)
    for edge in edges((17_000, True), (20_000, False), (20_300, True), chair=4) + disturbed(*spike, chair=2):
        lockout.add_edge(edge)
    calm = 20_300 + CALM
    assert [lockout.advance(at) for at in (50_000, calm + 5_000)] == [[], []]  # the pin contradicts its edge
    for edge in disturbed((calm + 3_000, True), (calm + 3_300, False), chair=2):
        lockout.add_edge(edge)
    assert [lockout.advance(at) for at in (calm + 6_000, LATER, LATER + CALM)] == [[], [], []]


def test_a_button_that_stays_down_through_a_disturbance_is_not_pressed_again():
    lockout = Debouncer(level=lambda chair, button: chair == 4)
    for edge in edges((1_000, True), chair=4):
        lockout.add_edge(edge)
    assert lockout.advance(22_000) == [pressed(1_000, chair=4)]
    for edge in disturbed(*BURST, chair=2) + edges(*BURST, chair=4):
        lockout.add_edge(edge)
    assert lockout.advance(LATER) == []
    assert lockout.pressed_buttons() == [("gpio", 4, "seat")]


def test_what_was_judged_before_the_disturbance_was_noticed_does_not_stay_so():
    down = {0}
    lockout = Debouncer(level=lambda chair, button: chair in down)
    for edge in edges((20_000, True), chair=0):
        lockout.add_edge(edge)
    assert lockout.advance(41_000) == [pressed(20_000)]
    for edge in disturbed((20_050, True), chair=2):
        lockout.add_edge(edge)
    assert lockout.pressed_buttons() == []
    assert lockout.advance(20_050 + CALM) == []
    again = pressed(20_050 + CALM, since=20_050 - TOGETHER)
    assert lockout.advance(LATER) == [again], "it is down, and was pressed"


def test_an_encoder_and_keys_go_on_while_the_pins_are_disturbed():
    lockout = in_a_burst(set())
    for edge in edges((30_000, True), chair=6, source="usb") + edges((30_500, True), chair=7, source="key"):
        lockout.add_edge(edge)
    assert lockout.advance(LATER) == [
        pressed(30_000, chair=6, source="usb"),
        pressed(30_500, chair=7, source="key"),
    ]


# After the program stood still ------------------------------------------------------------------------------


def test_a_level_that_was_read_nobody_knows_when_is_what_its_edge_led_to():
    """It was read just after the press, or when the program went on, and is no second press."""
    lockout = Debouncer(level=lambda chair, button: False)
    before, after = edges((100_000, True), (135_000, False))
    lockout.compare_levels(100_000, {(0, "seat"): True})
    lockout.add_edge(before)
    lockout.postpone_readings(90_000, 300_000)
    lockout.add_edge(after)
    assert lockout.advance(LATER) == [pressed(100_000), released(135_000)]


def test_a_level_that_was_read_nobody_knows_when_was_read_before_the_edge_that_ends_it():
    lockout = Debouncer(level=lambda chair, button: False)
    lockout.compare_levels(50_000, {(0, "seat"): False})
    lockout.compare_levels(100_000, {(0, "seat"): True})
    lockout.postpone_readings(90_000, 300_000)
    for edge in edges((160_000, False)):
        lockout.add_edge(edge)
    assert lockout.advance(LATER)[0] == pressed(159_999, since=50_000)


def test_what_was_let_go_before_the_pins_are_read_after_a_disturbance_was_pressed_in_it():
    lockout = in_a_burst(set())
    for edge in edges((CALM_AT + 41_000, False), chair=1):
        lockout.add_edge(edge)
    assert lockout.advance(LATER) == [
        pressed(CALM_AT, chair=1, since=20_000 - TOGETHER),
        released(CALM_AT + 41_000, chair=1),
    ]


def test_a_release_that_a_second_disturbance_hid_is_not_before_its_press():
    lockout = Debouncer(level=lambda chair, button: False)
    for edge in edges((140_000, True), (164_000, False), chair=1) + disturbed(
        (0, True), (150_000, True), chair=2
    ):
        lockout.add_edge(edge)
    told = lockout.advance(400_000, 400_000) + lockout.advance(LATER)
    assert told == [pressed(140_000, chair=1), released(400_000, chair=1, since=140_000)]


def test_a_press_after_a_disturbance_whose_edge_was_dropped_is_not_before_the_pins_could_be_believed():
    """The program stood still, so the next edge tells what the pin was: up to that edge, not to the calm."""
    lockout = in_a_burst(set())
    lockout.add_edge(replace(edges((CALM_AT + 41_000, False), chair=1)[0], gap=True))
    assert lockout.advance(LATER)[0] == pressed(CALM_AT + 40_999, chair=1, since=20_000 - TOGETHER)


def test_disturbances_of_which_each_pin_tells_in_turn_are_no_press():
    lockout = Debouncer(level=lambda chair, button: False)
    second = [(at + 200_000, level) for at, level in BURST]
    for chair in (0, 1):
        for edge in edges(*BURST, *second, chair=chair):
            lockout.add_edge(edge)
    for chair in (2, 3):
        for edge in disturbed(*BURST, *second, chair=chair):
            lockout.add_edge(edge)
    for edge in edges(*second, chair=4) + edges(*BURST, chair=5):
        lockout.add_edge(edge)
    assert lockout.advance(2 * LATER) == []


def test_two_pins_that_close_together_at_an_instant_may_still_be_presses_up_to_it():
    lockout = Debouncer()
    for edge in edges((100_000, True), chair=0) + edges((100_050, True), chair=1):
        lockout.add_edge(edge)
    assert lockout.advance(150_000) == []
    assert lockout.may_find_press(100_000)
    assert not lockout.may_find_press(99_999)
