"""The photo finish of a Stop and a round looked back on, from the journal alone."""

from __future__ import annotations

from typing import Any

import pytest

from companion.core import observations as ob
from companion.core.exhibits import PhotoFinish, RoundRecap
from companion.games.kit.world import PlayStyle
from companion.simulation.game_simulation import GameSimulation, random_styles
from tests.games.kabuki.kabuki_table import MS, RULES, SECOND, A, B, C, D, E, F, Table, table

LAID = (("wave", 1), ("leaf", 1), ("sun", 2), ("wave", 1))
"""A, B, C and D have placed: a wave lies on a wave."""


def shown(game: Table) -> Any:
    return RULES.exhibit(game.state, game.standing)


def finish(game: Table) -> PhotoFinish:
    found = RULES.photo_finishes(game.state, game.standing)
    return found[-1]


def told(found: PhotoFinish) -> list[tuple[int, str, int]]:
    """Who, what became of it, and how far from the first, in microseconds."""
    return [(press.chair, press.verdict, press.at - found.zero_time) for press in found.presses]


def test_every_press_of_a_contested_stop_is_on_the_line_with_its_distance() -> None:
    game = table(6).lay(LAID)
    at = game.at + 300 * MS
    game.press(B, at)
    game.press(A, at + 1_800)
    game.press(C, at + 44 * MS)
    game.wait(2 * SECOND)
    game.press(E, game.at + 5 * MS)
    found = shown(game)
    assert isinstance(found, PhotoFinish)
    assert told(found)[:3] == [(B, "counts", 0), (A, "void", 1_800), (C, "void", 44 * MS)]
    assert told(found)[3][:2] == (E, "void"), "while the stack is not lifted a later call is told too"
    assert (found.winner, found.stack, found.placer) == (B, 1, D)


def test_the_line_begins_where_the_mask_was_seen_not_to_lie_yet() -> None:
    game = table(4).lay(LAID[:3])
    start = game.at + 4 * SECOND
    game.stack(1, "mask:wave", clear=start, since=start + 500 * MS)
    game.press(A, start + 800 * MS)
    game.press(B, start + 801 * MS)
    game.wait(2 * SECOND)
    found = finish(game)
    assert (found.clear_until, found.lies_since) == (start, start + 500 * MS)


def test_presses_closer_than_the_coarser_source_tells_are_equal_and_the_line_says_how_close_that_is() -> None:
    game = table(4).lay(LAID)
    at = game.at + 300 * MS
    game.press(B, at)
    game.press(A, at + 400)
    game.wait(2 * SECOND)
    found = finish(game)
    assert told(found) == [(B, "equal", 0), (A, "counts", 400)], "A is nearest clockwise after D"
    assert found.resolution == 1_000
    mixed = table(4).lay(LAID)
    at = mixed.at + 300 * MS
    mixed.press(B, at)
    mixed.press(A, at + 7 * MS, source="usb")
    mixed.wait(2 * SECOND)
    assert told(finish(mixed)) == [(B, "equal", 0), (A, "counts", 7 * MS)]
    assert finish(mixed).resolution == 8_000


def test_the_placers_own_press_and_a_second_press_are_on_the_line_too() -> None:
    game = table(4).lay(LAID)
    at = game.at + 300 * MS
    game.press(D, at)
    game.press(A, at + 10 * MS)
    game.press(A, at + 300 * MS)
    game.wait(2 * SECOND)
    assert told(finish(game)) == [(D, "own", -10 * MS), (A, "counts", 0), (A, "again", 290 * MS)]


def test_a_press_that_was_for_nothing_counts_once_the_stop_is_found_to_be_about_the_next_mask() -> None:
    game = table(4).lay(LAID)
    at = game.at + 300 * MS
    game.press(D, at)
    game.press(A, at)
    game.wait(2 * SECOND)
    assert told(finish(game)) == [(D, "own", 0), (A, "counts", 0)]
    game.say(A, "place", "crab@3")
    assert told(finish(game)) == [(D, "counts", 0), (A, "own", 0)]


def test_a_single_press_is_no_contest_and_stays_in_the_journal() -> None:
    game = table(4).lay(LAID)
    game.stop(A)
    assert shown(game) is None
    assert [found.chairs for found in RULES.photo_finishes(game.state, game.standing)] == [(A,)]


def test_a_withdrawn_stop_is_told_as_withdrawn_and_stays_on_the_line_of_the_next() -> None:
    game = table(4).lay(LAID)
    game.stop(A)
    game.say(A, "withdraw")
    assert [press.verdict for press in finish(game).presses] == ["withdrawn"]
    game.stop(B)
    found = shown(game)
    assert isinstance(found, PhotoFinish)
    assert [(press.chair, press.verdict) for press in found.presses] == [(A, "withdrawn"), (B, "counts")]


def test_a_press_in_a_cooldown_is_on_the_line() -> None:
    game = table(4, cooldown_ms=2000).lay(LAID)
    game.press(D)  # the own mask: void, and the button rests
    game.wait(2 * SECOND)
    game.place("crab", 3)
    game.press(D, game.at - 100 * MS)
    game.press(B, game.at + 200 * MS)
    game.wait(2 * SECOND)
    verdicts = {press.verdict for press in finish(game).presses}
    assert "counts" in verdicts


def test_who_is_asked_which_mask_was_meant_presses_nothing_on_the_line() -> None:
    game = table(4).lay(LAID[:3])
    clear = game.at + 4 * SECOND
    game.press(A, clear + 300 * MS)
    game.press(B, clear + 302 * MS)
    game.stack(1, "mask:wave", clear=clear, since=clear + 600 * MS)
    assert game.phase == "asking"
    game.say(A, "newer")
    assert told(finish(game)) == [(A, "counts", 0), (B, "void", 2 * MS)]


def test_all_six_at_once_are_six_presses_on_one_line() -> None:
    game = table(6).lay(LAID)
    at = game.at + 300 * MS
    for seat in (F, E, D, C, B, A):
        game.press(seat, at)
    game.wait(2 * SECOND)
    assert {(chair, verdict) for chair, verdict, _ in told(finish(game))} == {
        (E, "counts"), (F, "equal"), (A, "equal"), (B, "equal"), (C, "equal"), (D, "own"),
    }  # fmt: skip


def test_a_finish_is_the_same_at_any_later_time() -> None:
    game = table(4).lay(LAID)
    at = game.at + 300 * MS
    game.press(B, at)
    game.press(A, at + 1_800)
    game.wait(2 * SECOND)
    now = shown(game)
    game.check(1)
    game.restore()
    game.lay((("moon", 3), ("storm", 4)))
    game.settle(C, 0)
    assert RULES.photo_finishes(game.state, game.standing)[0] == now
    assert len(RULES.photo_finishes(game.state, game.standing)) == 2


# A round looked back on -------------------------------------------------------------------------------------


def test_after_a_round_everybody_sees_what_was_won_wasted_and_not_noticed() -> None:
    game = table(4).hand_out(1, 5, 5, 5)
    game.lay((("wave", 1), ("leaf", 1), ("sun", 2), ("leaf", 1)))  # D lays a leaf on a leaf: nobody calls
    game.place("wave", 1)  # A lays a wave on a wave
    game.press(B, game.at + 200 * MS)
    game.press(C, game.at + 90 * MS)
    game.wait(2 * SECOND)
    game.check(1)
    recap = shown(game)
    assert isinstance(recap, RoundRecap)
    assert [(missed.face, missed.chair, missed.stack) for missed in recap.missed] == [("mask:leaf", D, 1)]
    a, b, c, _ = recap.players
    assert (a.tokens, b.tokens) == (0, 6)
    assert (b.won, b.gained, b.wasted, b.vain) == (1, 1, 0, 0)
    assert (c.won, c.vain) == (0, 1)
    (reaction,) = b.reactions
    assert reaction.most - reaction.least == 500 * MS, "the pictures between which the mask came to lie"


@pytest.mark.parametrize("players", [2, 4, 6])
def test_every_simulated_stop_has_its_finish_and_every_round_its_recap(players: int) -> None:
    from random import Random

    from companion.core.actions import Setup
    from companion.games.kabuki.rules.model import KabukiRoundEnded, StopAssigned

    simulation = GameSimulation(
        RULES,
        Setup(tuple(range(players)), RULES.options()),
        seed=players,
        styles=random_styles(players, Random(players), tuple(PlayStyle)),
    )
    recaps = 0
    for _ in simulation.run_entries():
        referee = simulation.referee
        entry = referee.journal.entries[-1]
        if any(isinstance(event, KabukiRoundEnded) for event in entry.events):
            assert isinstance(RULES.exhibit(referee.state, referee.standing_entries()), RoundRecap)
            recaps += 1
        if any(isinstance(event, StopAssigned) for event in entry.events):
            live = RULES.exhibit(referee.state, referee.standing_entries())
            (*_, last) = RULES.photo_finishes(referee.state, referee.standing_entries())
            assert live == last if last.contested else live is None
            assert last.winner is not None
    assert recaps == 3
    assert all(isinstance(entry.cause, ob.Observation) for entry in simulation.referee.journal.entries)
