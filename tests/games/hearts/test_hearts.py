"""Hearts under every house rule: what every game promises."""

from __future__ import annotations

import pytest

from companion.core.actions import Setup
from companion.games.hearts.rules.model import HeartsOptions
from companion.games.kit.cards import VALUES
from companion.testing import conformance
from companion.testing.random_walks import GameCase
from tests.games.hearts.hearts_table import RULES
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
