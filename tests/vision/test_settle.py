"""Settling, by value: equal readings in a row, a hand is no reading, and since when a card has lain there."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.core.observations import Face, Region
from companion.vision.settle import ABOUT_THE_SAME, NEEDED, Content, Settle, same

BACK: Content = (Face("back:blue"),)
OBJECT: Content = (Face("object:5-6"),)
OTHER: Content = (Face("object:7-8"),)
BARE: Content = ()
HAND = None
"""What is no reading."""


def settled(readings: Sequence[Content | None], needed: int = NEEDED) -> list[Region]:
    """What a row of readings, a second apart from 1 s on, settles to."""
    settle = Settle(needed)
    found = (settle.step("slot:3", content, second) for second, content in enumerate(readings, 1))
    return [region for region in found if region is not None]


def test_a_card_settles_with_the_third_equal_reading() -> None:
    assert settled([OBJECT, OBJECT]) == []
    assert settled([OBJECT] * 3) == [Region("slot:3", OBJECT, clear_until=0, lies_since=1)]


def test_what_settled_is_told_once() -> None:
    assert len(settled([OBJECT] * 50)) == 1


def test_a_reading_tells_until_when_it_was_clear_and_since_when_the_card_lies() -> None:
    first, second = settled([BACK] * 5 + [HAND] * 2 + [OBJECT] * 3)
    assert first == Region("slot:3", BACK, 0, 1)
    assert second == Region("slot:3", OBJECT, clear_until=5, lies_since=8)


def test_a_hand_between_two_readings_starts_the_row_anew() -> None:
    assert settled([OBJECT, OBJECT, HAND, OBJECT, OBJECT]) == []
    assert settled([OBJECT, OBJECT, HAND] + [OBJECT] * 3) == [Region("slot:3", OBJECT, 0, 4)]


def test_another_card_in_between_starts_the_row_anew() -> None:
    assert settled([OBJECT, OBJECT, OTHER, OBJECT, OBJECT]) == []


def test_a_hand_over_a_settled_card_says_nothing_and_takes_nothing_away() -> None:
    assert settled([OBJECT] * 3 + [HAND] * 9 + [OBJECT] * 9) == [Region("slot:3", OBJECT, 0, 1)]


def test_a_card_that_was_looked_at_and_put_back_says_nothing() -> None:
    assert len(settled([BACK] * 3 + [OTHER, OTHER] + [BACK] * 9)) == 1


def test_it_is_clear_until_the_last_frame_that_showed_what_lay_there() -> None:
    """Two stray readings of something else in the row do not make the old card lie longer."""
    *_, last = settled([BACK] * 4 + [OTHER] + [BACK] + [OBJECT] * 3)
    assert (last.clear_until, last.lies_since) == (6, 7)


def test_bare_cloth_is_a_reading() -> None:
    assert settled([OBJECT] * 3 + [BARE] * 3)[-1] == Region("slot:3", BARE, 3, 4)


@pytest.mark.parametrize(
    ("turn", "alike"), [(0, True), (ABOUT_THE_SAME, True), (350, True), (30, False), (180, False)]
)
def test_a_card_may_lie_a_little_askew_and_a_turned_one_is_another_reading(turn: int, alike: bool) -> None:
    assert same((Face("mask:heron", 0),), (Face("mask:heron", turn),)) is alike
    assert same((Face("mask:heron", turn),), (Face("mask:heron", 0),)) is alike


def test_a_back_has_no_way_up() -> None:
    """Most backs look the same upside down: the angle that is read of them may jump by half a turn."""
    assert same((Face("back:blue", 3),), (Face("back:blue", 183),))
    assert not same((Face("back:blue", 3),), (Face("back:white", 3),))


def test_more_cards_are_not_the_same_cards() -> None:
    assert not same(OBJECT, (*OBJECT, Face("animal:5")))
    assert same(BARE, BARE)
    assert not same(BARE, BACK)


def test_a_card_that_cannot_be_read_settles_only_when_a_hand_would_have_gone() -> None:
    settle = Settle()
    unread: Content = (Face("unknown", 0, 0.0),)
    told = [settle.step("slot:1", unread, at) for at in range(0, 2_000_000, 100_000)]
    assert [region for region in told[:15] if region] == []
    assert told[15] == Region("slot:1", unread, 0, 0)
    assert told[16:] == [None] * 4


def test_places_settle_each_for_itself() -> None:
    settle = Settle()
    for at in range(1, 4):
        settle.step("slot:1", BACK, at)
        settle.step("slot:2", OBJECT if at > 1 else HAND, at)
    assert settle.settled("slot:1") == BACK
    assert settle.settled("slot:2") is None


def test_a_place_that_is_forgotten_is_told_again() -> None:
    settle = Settle()
    for at in range(1, 4):
        settle.step("slot:1", BACK, at)
    settle.forget("slot:1")
    assert settle.settled("slot:1") is None
    told = [settle.step("slot:1", BACK, at) for at in range(4, 7)]
    assert told == [None, None, Region("slot:1", BACK, 0, 4)]


readings = st.lists(st.sampled_from([HAND, BARE, BACK, OBJECT, OTHER]), max_size=40)


@given(readings, st.integers(1, 5))
def test_whatever_is_read_only_rows_of_equal_readings_settle_and_times_are_in_order(
    row: list[Content | None], needed: int
) -> None:
    settle = Settle(needed)
    before: Content | None = None
    for at, content in enumerate(row, 1):
        region = settle.step("slot:1", content, at)
        if region is None:
            continue
        assert row[at - needed : at] == [region.faces] * needed
        assert region.faces != before
        assert region.clear_until < region.lies_since == at - needed + 1
        before = region.faces
        assert settle.settled("slot:1") == before
