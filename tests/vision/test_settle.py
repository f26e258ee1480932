"""Settling, by value: looks that agree, a hand is no look, and since when a card has lain there."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.core.observations import RegionReading, SeenCard
from companion.vision.settling import (
    MAX_SAME_ROTATION,
    MIN_VOTE_LEAD,
    UNKNOWN_AFTER,
    UNREAD,
    UNREAD_WEIGHT,
    Content,
    ReadingVote,
    has_unread_card,
    is_same_content,
)

BACK: Content = (SeenCard("back:blue"),)
OBJECT: Content = (SeenCard("object:5-6"),)
OTHER: Content = (SeenCard("object:7-8"),)
BARE: Content = ()
HAND = None
"""What is no reading."""


def settled(readings: Sequence[Content | None], needed: int = MIN_VOTE_LEAD) -> list[RegionReading]:
    """What a row of readings, a microsecond apart, settles to."""
    settle = ReadingVote(needed)
    found = (settle.step("slot:3", content, at) for at, content in enumerate(readings, 1))
    return [region for region in found if region is not None]


def test_a_card_settles_with_the_third_equal_reading() -> None:
    assert settled([OBJECT, OBJECT]) == []
    assert settled([OBJECT] * 3) == [RegionReading("slot:3", OBJECT, clear_until=0, lies_since=1)]


def test_what_settled_is_told_once() -> None:
    assert len(settled([OBJECT] * 50)) == 1


def test_a_reading_tells_until_when_it_was_clear_and_since_when_the_card_lies() -> None:
    first, second = settled([BACK] * 5 + [HAND] * 2 + [OBJECT] * 3)
    assert first == RegionReading("slot:3", BACK, 0, 1)
    assert second == RegionReading("slot:3", OBJECT, clear_until=5, lies_since=8)


def test_a_hand_between_two_readings_starts_the_row_anew() -> None:
    assert settled([OBJECT, OBJECT, HAND, OBJECT, OBJECT]) == []
    assert settled([OBJECT, OBJECT, HAND] + [OBJECT] * 3) == [RegionReading("slot:3", OBJECT, 0, 4)]


def test_a_look_that_could_not_be_read_counts_half_against_the_card_and_does_not_start_the_row_anew() -> None:
    assert settled([UNREAD, OBJECT, UNREAD, OBJECT, OBJECT]) == []
    assert settled([UNREAD, OBJECT, UNREAD, OBJECT, OBJECT, OBJECT]) == [
        RegionReading("slot:3", OBJECT, 0, 1)
    ]


def test_a_card_that_was_read_as_another_once_has_to_be_read_once_more_for_it() -> None:
    assert settled([OBJECT, OBJECT, OTHER, OBJECT]) == []
    assert settled([OBJECT, OBJECT, OTHER, OBJECT, OBJECT]) == [RegionReading("slot:3", OBJECT, 0, 1)]


def test_two_names_for_one_card_are_none_and_somebody_is_asked() -> None:
    settle = ReadingVote()
    for at, content in enumerate([OBJECT, OTHER] * 4):
        assert settle.step("slot:3", content, at) is None
    assert not settle.is_certain("slot:3")
    assert settle.step("slot:3", OTHER, UNKNOWN_AFTER - 1, looked=False) is None
    assert settle.step("slot:3", OTHER, UNKNOWN_AFTER, looked=False) == RegionReading("slot:3", UNREAD, 0, 0)
    assert settle.step("slot:3", OTHER, UNKNOWN_AFTER + 1, looked=False) is None


def test_what_was_not_looked_at_again_says_nothing_more() -> None:
    settle = ReadingVote()
    settle.step("slot:3", OBJECT, 1)
    assert all(settle.step("slot:3", OBJECT, at, looked=False) is None for at in range(2, 20))
    settle.step("slot:3", OBJECT, 20)
    assert settle.step("slot:3", OBJECT, 21) == RegionReading("slot:3", OBJECT, 0, 1)
    settle.step("slot:3", OBJECT, 30, looked=False)
    settle.step("slot:3", HAND, 31)
    found = [settle.step("slot:3", OTHER, at) for at in (32, 33, 34)]
    assert found[-1] == RegionReading("slot:3", OTHER, clear_until=30, lies_since=32)


def test_a_hand_over_a_settled_card_says_nothing_and_takes_nothing_away() -> None:
    assert settled([OBJECT] * 3 + [HAND] * 9 + [OBJECT] * 9) == [RegionReading("slot:3", OBJECT, 0, 1)]


def test_a_card_that_was_looked_at_and_put_back_says_nothing() -> None:
    assert len(settled([BACK] * 3 + [HAND, OTHER, OTHER, HAND] + [BACK] * 9)) == 1


def test_it_is_clear_until_the_last_frame_that_showed_what_lay_there() -> None:
    """Two stray readings of something else in the row do not make the old card lie longer."""
    *_, last = settled([BACK] * 4 + [OTHER] + [BACK] + [HAND] + [OBJECT] * 3)
    assert (last.clear_until, last.lies_since) == (6, 8)


def test_bare_cloth_is_a_reading() -> None:
    assert settled([OBJECT] * 3 + [HAND] + [BARE] * 3)[-1] == RegionReading("slot:3", BARE, 3, 5)


@pytest.mark.parametrize(
    ("turn", "alike"), [(0, True), (MAX_SAME_ROTATION, True), (350, True), (30, False), (180, False)]
)
def test_a_card_may_lie_a_little_askew_and_a_turned_one_is_another_reading(turn: int, alike: bool) -> None:
    assert is_same_content((SeenCard("mask:heron", 0),), (SeenCard("mask:heron", turn),)) is alike
    assert is_same_content((SeenCard("mask:heron", turn),), (SeenCard("mask:heron", 0),)) is alike


def test_a_back_has_no_way_up() -> None:
    """Most backs look the same upside down: the angle that is read of them may jump by half a turn."""
    assert is_same_content((SeenCard("back:blue", 3),), (SeenCard("back:blue", 183),))
    assert not is_same_content((SeenCard("back:blue", 3),), (SeenCard("back:white", 3),))


def test_a_card_that_looks_the_same_upside_down_settles_though_its_way_up_jumps() -> None:
    one, other = (SeenCard("poker:QH", 3),), (SeenCard("poker:QH", 183),)
    assert settled([one, other, other, one, other]) == []
    assert settled([one, other, other, one, other, other]) == [RegionReading("slot:3", other, 0, 1)]
    assert settled([one, other] * 3 + [one]) == [RegionReading("slot:3", one, 0, 1)], "as most of them say"


def test_a_look_that_has_a_card_the_other_way_up_counts_against_it() -> None:
    turned = (SeenCard("object:5-6", 180),)
    assert settled([OBJECT, turned, OBJECT, OBJECT]) == []
    assert settled([OBJECT, turned, OBJECT, OBJECT, OBJECT]) == [RegionReading("slot:3", OBJECT, 0, 1)]


def test_more_cards_are_not_the_same_cards() -> None:
    assert not is_same_content(OBJECT, (*OBJECT, SeenCard("animal:5")))
    assert is_same_content(BARE, BARE)
    assert not is_same_content(BARE, BACK)


def test_a_card_that_cannot_be_read_settles_only_when_a_hand_would_have_gone() -> None:
    settle = ReadingVote()
    told = [settle.step("slot:1", UNREAD, at) for at in range(0, 2_000_000, 100_000)]
    assert [region for region in told[:15] if region] == []
    assert told[15] == RegionReading("slot:1", UNREAD, 0, 0)
    assert told[16:] == [None] * 4


def test_places_settle_each_for_itself() -> None:
    settle = ReadingVote()
    for at in range(1, 4):
        settle.step("slot:1", BACK, at)
        settle.step("slot:2", OBJECT if at > 1 else HAND, at)
    assert settle.settled_content("slot:1") == BACK
    assert settle.settled_content("slot:2") is None


def test_a_place_that_is_forgotten_is_told_again() -> None:
    settle = ReadingVote()
    for at in range(1, 4):
        settle.step("slot:1", BACK, at)
    settle.forget("slot:1")
    assert settle.settled_content("slot:1") is None
    told = [settle.step("slot:1", BACK, at) for at in range(4, 7)]
    assert told == [None, None, RegionReading("slot:1", BACK, 0, 4)]


readings = st.lists(st.sampled_from([HAND, BARE, BACK, OBJECT, OTHER, UNREAD]), max_size=40)


@given(readings, st.integers(1, 5))
def test_whatever_is_read_only_what_leads_all_else_settles_and_times_are_in_order(
    row: list[Content | None], needed: int
) -> None:
    settle = ReadingVote(needed)
    before: Content | None = None
    looks: list[Content] = []
    for at, content in enumerate(row, 1):
        looks = [] if content is None else [*looks, content]
        region = settle.step("slot:1", content, at)
        if region is None:
            continue
        for_it, unread_ones = looks.count(region.faces), sum(map(has_unread_card, looks))
        assert for_it - (len(looks) - for_it - unread_ones) - UNREAD_WEIGHT * unread_ones >= needed
        assert region.faces != before
        assert region.clear_until < region.lies_since <= at
        before = region.faces
        assert settle.settled_content("slot:1") == before
