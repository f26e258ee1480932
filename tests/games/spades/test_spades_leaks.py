"""Nothing that follows about hands leaves the rules: two deals that differ in hidden cards look the same."""

from __future__ import annotations

import pytest

from companion.games.kit.cards import VALUES
from companion.games.spades.players import SpadesPeople
from tests.games.kit.hidden_hands import check_that_hidden_hands_are_not_seen
from tests.games.spades.spades_table import RULES, Table


@pytest.mark.parametrize("seed", range(3))
def test_two_deals_that_differ_in_hidden_hands_alone_look_the_same(seed: int) -> None:
    check_that_hidden_hands_are_not_seen(Table, SpadesPeople, seed)


def test_who_failed_to_follow_and_which_spades_are_out_changes_nothing_that_is_seen() -> None:
    """C takes the first trick and leads, and D takes the second one."""
    followed, discarded = Table(3, 3, 3, 3), Table(3, 3, 3, 3)
    followed.lay("♣2 ♣3 ♣K ♣5 ♦2 ♦A ♦4 ♦5")
    discarded.lay("♣2 ♦3 ♣K ♥5 ♦2 ♦A ♦4 ♥7")
    for table in (followed, discarded):
        table.lay("♥2 ♥3")
    assert RULES.view(followed.state) == RULES.view(discarded.state)
    assert RULES.legal_actions(followed.state) == RULES.legal_actions(discarded.state)
    assert {action.value for action in RULES.legal_actions(followed.state)} == {*VALUES, None}
