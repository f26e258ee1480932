"""Hearts under every house rule: what every game promises."""

from __future__ import annotations

import pytest

from companion.core import observations as ob
from companion.core.actions import Setup
from companion.games.hearts.rules.model import HeartsOptions
from companion.games.kit.cards import FACES
from companion.testing import conformance
from companion.testing.random_walks import GameCase
from tests.games.hearts.hearts_table import RULES, A, B, C, Table
from tests.thorough import examples, some

HOUSE_RULES = {
    "usual": HeartsOptions(),
    "all": HeartsOptions(revoke="all", jack=True, queen_breaks=True, tie="more", passing="no_hold"),
    "again": HeartsOptions(revoke="again", moon="own", first_trick="any", target=50),
    "choice": HeartsOptions(moon="choice", heart_leads="any", queen_or_hearts=True, passing="none"),
}
CASES = [
    pytest.param(GameCase(RULES, Setup((2, 4, 5, 7), options), FACES[:5]), id=name)
    for name, options in HOUSE_RULES.items()
]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(examples(8)))
@pytest.mark.parametrize("check", conformance.CONFORMANCE_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("case", some(CASES))
def test_every_house_rule_keeps_what_every_game_promises(
    case: GameCase, check: conformance.ConformanceCheck, seed: int
) -> None:
    check(case, seed)


def trick(table: Table) -> list[tuple[int | None, str, int, bool]]:
    """What is in the middle: before whom, which card, in which order, and whether it is marked."""
    places = RULES.view(table.state).places
    return [(place.chair, place.card, place.number, place.marked) for place in places]


def test_the_cards_of_this_trick_lie_before_who_played_them_in_order() -> None:
    table = Table()
    table.lay("♣K ♦5")
    assert trick(table) == [
        (A, "clubs:2", 1, False),
        (B, "clubs:K", 2, False),
        (C, "diamonds:5", 3, False),
    ]


def test_a_whole_trick_stays_with_its_taker_marked_until_the_next_is_led() -> None:
    table = Table()
    table.lay("♣K ♦5 ♣3")
    assert [marked for *_, marked in trick(table)] == [False, True, False, False]
    table.lay("♠4")
    assert trick(table) == [(B, "spades:4", 1, False)]


def test_who_has_to_check_a_card_sees_which() -> None:
    table = Table()
    table.lay("♦4 ♣5 ♣3 ♦2 ♦3 ♦5 ♦6 ♣9")
    assert trick(table) == [(B, "diamonds:4", 2, True)]
    table.say(B, "right")
    assert trick(table) == [(B, "clubs:9", 1, True)]


def test_where_no_camera_reads_the_card_is_asked_for_in_two_steps() -> None:
    table = Table()
    hint = RULES.view(table.state).hint
    assert hint is not None
    assert hint.key == "hearts.hint.play"
    table.see(ob.CameraLost(at=table.at + 1))
    hint = RULES.view(table.state).hint
    assert hint is not None
    assert hint.key == "hearts.hint.play.by_hand"
