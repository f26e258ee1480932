"""Hearts under every house rule: what every game promises."""

from __future__ import annotations

import pytest

from companion.core.actions import Setup
from companion.games.hearts.rules.model import HeartsOptions
from companion.games.kit.cards import VALUES
from companion.testing import conformance
from companion.testing.random_walks import GameCase
from tests.games.hearts.hearts_table import RULES, A, B, C, Table
from tests.thorough import examples

HOUSE_RULES = {
    "usual": HeartsOptions(),
    "all": HeartsOptions(revoke="all", jack=True, queen_breaks=True, tie="more", passing="no_hold"),
    "again": HeartsOptions(revoke="again", moon="own", first_trick="any", target=50),
    "choice": HeartsOptions(moon="choice", heart_leads="any", queen_or_hearts=True, passing="none"),
}
CASES = [
    pytest.param(GameCase(RULES, Setup((2, 4, 5, 7), options), VALUES[:5]), id=name)
    for name, options in HOUSE_RULES.items()
]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(examples(8)))
@pytest.mark.parametrize("check", conformance.CONFORMANCE_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("case", CASES)
def test_every_house_rule_keeps_what_every_game_promises(
    case: GameCase, check: conformance.ConformanceCheck, seed: int
) -> None:
    check(case, seed)


def tokens(table: Table) -> list[list[tuple[str, str | int | None]]]:
    view = RULES.view(table.state)
    return [[(one.kind, one.value or one.motif) for one in chair.tokens] for chair in view.chairs]


def test_the_cards_of_this_trick_are_on_the_plates_and_in_the_middle() -> None:
    table = Table()
    table.lay("♣K ♦5")
    nothing = [("heart", "heart"), ("points", "")]
    assert tokens(table) == [
        [*nothing, ("card", "suit:clubs"), ("rank", "2")],
        [*nothing, ("card", "suit:clubs"), ("rank", "K")],
        [*nothing, ("card", "suit:diamonds"), ("rank", "5")],
        nothing,
    ]
    played, people = RULES.view(table.state).rows
    assert [(cell.motif, cell.value) for cell in played] == [
        ("suit:clubs", "2"),
        ("suit:clubs", "K"),
        ("suit:diamonds", "5"),
    ]
    assert [cell.chair for cell in people] == [A, B, C]


def test_a_whole_trick_stays_until_the_next_is_led_and_then_is_gone() -> None:
    table = Table()
    table.lay("♣K ♦5 ♣3")
    assert [cell.lit for cell in RULES.view(table.state).rows[1]] == [False, True, False, False]
    table.lay("♠4")
    assert [[cell.motif for cell in row] for row in RULES.view(table.state).rows] == [["suit:spades"], [""]]


def test_who_has_to_check_a_card_sees_which() -> None:
    table = Table()
    table.lay("♦4 ♣5 ♣3 ♦2 ♦3 ♦5 ♦6 ♣9")
    asked = [("card", "suit:diamonds"), ("rank", "4")]
    assert [plate[2:] for plate in tokens(table)] == [[], asked, [], []]
    table.say(B, "right")
    assert tokens(table)[B][2:] == [("card", "suit:clubs"), ("rank", "9")]
