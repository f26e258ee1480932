"""Calls by phones: one stamp decides, the interval is evidence, and equal is what is near the leader."""

from __future__ import annotations

from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.core import observations as ob
from companion.core.actions import Micros, Setup, nearest_seat
from companion.games.kabuki.rules.model import KabukiOptions, StopAssigned
from companion.games.kabuki.rules.recap import photo_finishes
from companion.referee.journal import make_header
from tests.games.kabuki.kabuki_table import MS, RULES, SECOND, Table, table

PHONE: Micros = 60 * MS
PLACER = 1
Within = tuple[Micros, Micros]
callers = st.permutations([0, 2, 3, 4, 5]).flatmap(lambda seats: st.integers(1, 5).map(lambda n: seats[:n]))
instants = st.integers(0, 300 * MS)
reaches = st.integers(0, 400 * MS)


def race(calls: list[tuple[int, Micros, str, Within | None]]) -> Table:
    """Everybody's stamp, source and interval; judged in the order of the stamps."""
    game = table(6, phone_us=PHONE).lay([("wave", 1), ("leaf", 2)])
    start = game.at + SECOND
    for seat, at, source, within in sorted(calls, key=lambda call: call[1]):
        known = within and (start + within[0], start + within[1])
        game.observe(ob.ButtonPressed(at=start + at, chair=seat, source=source, within=known))
    game.wait(2 * SECOND)
    return game


@given(callers, st.data())
def test_widening_an_interval_never_changes_what_is_ruled(seats: list[int], data: st.DataObject) -> None:
    stamps = data.draw(st.lists(instants, min_size=len(seats), max_size=len(seats)), label="stamps")

    def ruled() -> list[object]:
        wide = data.draw(st.lists(reaches, min_size=len(seats), max_size=len(seats)), label="reaches")
        calls: list[tuple[int, Micros, str, Within | None]] = [
            (seat, at, "phone", (at - reach, at + reach))
            for seat, at, reach in zip(seats, stamps, wide, strict=True)
        ]
        return list(race(calls).rulings)

    assert ruled() == ruled()


@given(callers, st.data())
def test_a_press_farther_than_the_resolution_behind_the_leader_never_wins(
    seats: list[int], data: st.DataObject
) -> None:
    many = {"min_size": len(seats), "max_size": len(seats)}
    stamps = data.draw(st.lists(instants, **many), label="stamps")  # type: ignore[arg-type]
    sources = data.draw(st.lists(st.sampled_from(["phone", "gpio"]), **many), label="sources")  # type: ignore[arg-type]
    game = race([(*call, None) for call in zip(seats, stamps, sources, strict=True)])
    at, by = dict(zip(seats, stamps, strict=True)), dict(zip(seats, sources, strict=True))
    lead = min(stamps)
    leaders = [seat for seat in seats if at[seat] == lead]
    (assigned,) = game.of(StopAssigned)
    resolution = max(60 * MS if by[seat] == "phone" else MS for seat in (assigned.seat, *leaders))
    assert at[assigned.seat] - lead < resolution
    equal = [
        seat
        for seat in seats
        if all(at[seat] - at[other] < (PHONE if "phone" in {by[seat], by[other]} else MS) for other in seats)
    ]
    assert assigned.seat == nearest_seat(PLACER, equal, 6), "of those that nobody certainly precedes"


def test_a_worse_connection_does_not_help_whoever_was_later() -> None:
    """70 ms later, and known to 200 ms only: were overlapping intervals equal, seat 2 would have the Stop."""
    game = race([(5, 0, "phone", (-MS, MS)), (2, 70 * MS, "phone", (-130 * MS, 270 * MS))])
    assert game.about.seat == 5


def test_the_photo_finish_keeps_the_interval_of_a_phone_and_its_resolution() -> None:
    game = race([(5, 10 * MS, "phone", (0, 20 * MS)), (2, 30 * MS, "gpio", None)])
    start = game.at - 2 * SECOND - 30 * MS
    (found,) = photo_finishes(tuple(range(6)), game.state.options, game.entries)
    assert [press.within for press in found.presses] == [(start, start + 20 * MS), None]
    assert found.resolution == PHONE


def test_a_game_without_phones_is_written_as_ever() -> None:
    plain = make_header("kabuki", Setup((0, 1), KabukiOptions())).setup.options
    assert "phone_us" not in plain
    with_phones = make_header("kabuki", Setup((0, 1), KabukiOptions(phone_us=PHONE))).setup.options
    assert with_phones == {**plain, "phone_us": PHONE}
    assert KabukiOptions().coarsest_resolution == 16 * MS
    assert KabukiOptions(phone_us=PHONE).coarsest_resolution == PHONE


def test_in_a_game_with_phones_the_order_stays_open_as_long_as_a_press_may_be_equal() -> None:
    game = table(phone_us=PHONE).lay([("wave", 1)])
    game.press(1, source="phone")
    timer = RULES.next_timer(game.state)
    assert timer is not None
    assert timer.due == game.at + PHONE


@pytest.mark.parametrize("phones", ["all_phones", "mixed", "no"])
def test_b_t53_only_all_phones_may_call_or_each_that_is_quick_enough_or_none(phones: str) -> None:
    chairs = frozenset((0, 1, 2))
    some = [frozenset(held) for count in range(4) for held in combinations(chairs, count)]
    for held, fit in product(some, some):
        if not fit <= held:
            continue
        may = {"no": frozenset(), "mixed": fit, "all_phones": fit if fit == chairs else frozenset()}[phones]
        options = KabukiOptions(phones=phones).adapt_to_phones(chairs, held, fit)  # type: ignore[arg-type]
        assert options.chairs_allowed_phones(chairs, held, fit) == may, (held, fit)
