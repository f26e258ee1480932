"""Nothing that follows about hands leaves the rules: two deals that differ in hidden cards look the same."""

from __future__ import annotations

import pytest

from companion.games.hearts.players import HeartsPeople
from companion.games.kit.cards import DECK, VALUES
from tests.games.hearts.hearts_table import RULES, Table
from tests.games.kit.hidden_hands import check_that_hidden_hands_are_not_seen


@pytest.mark.parametrize("seed", range(3))
def test_two_deals_that_differ_in_hidden_hands_alone_look_the_same(seed: int) -> None:
    check_that_hidden_hands_are_not_seen(lambda: Table(opens=None), HeartsPeople, seed)


def test_what_was_played_before_the_last_trick_changes_nothing_that_is_seen() -> None:
    """Who failed to follow, and which cards are out: the screen counts neither."""
    followed, discarded = Table(), Table()
    followed.lay("♣K ♣5 ♣A ♦2 ♦3 ♦4 ♦K")
    discarded.lay("♣K ♦7 ♣A ♦2 ♦3 ♦4 ♦K")
    for table in (followed, discarded):
        table.lay("♠2 ♠3")
    assert RULES.view(followed.state) == RULES.view(discarded.state)
    assert RULES.legal_actions(followed.state) == RULES.legal_actions(discarded.state)


def test_the_choice_is_always_the_whole_deck() -> None:
    table = Table()
    table.lay("♣K ♣5 ♣A ♦2 ♦3 ♦4 ♦K")
    offered = {action.value for action in RULES.legal_actions(table.state) if action.verb == "play"}
    assert offered == {*VALUES}
    assert len(offered) == DECK.bit_count()
    assert all(choice.press for choice in RULES.view(table.state).chairs[table.state.seat].choices)
