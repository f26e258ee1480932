"""Nothing that follows about hands leaves the rules: deals that differ in hidden cards look the same."""

from __future__ import annotations

from functools import partial

import pytest

from companion.games.euchre.players import EuchrePeople
from tests.games.euchre.euchre_table import RULES, Table
from tests.games.kit.hidden_hands import check_that_hidden_hands_are_not_seen


@pytest.mark.parametrize("seed", range(4))
def test_two_deals_that_differ_in_hidden_hands_alone_look_the_same(seed: int) -> None:
    check_that_hidden_hands_are_not_seen(partial(Table, up=""), EuchrePeople, seed, (2, 4, 7, 10))


def test_who_failed_to_follow_changes_nothing_that_is_seen() -> None:
    """C takes the first trick and leads."""
    followed, discarded = Table("order"), Table("order")
    followed.lay("♣9 ♣10 ♣A ♣Q")
    discarded.lay("♣9 ♦10 ♣A ♠Q")
    for table in (followed, discarded):
        table.lay("♦9 ♦A")
    assert RULES.view(followed.state) == RULES.view(discarded.state)
    assert RULES.legal_actions(followed.state) == RULES.legal_actions(discarded.state)
