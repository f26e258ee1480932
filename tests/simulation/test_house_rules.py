"""Every house rule of every game can be played to the end, and the referee stays right."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from companion.core.house_rules import house_rule_questions, with_choice
from companion.games import RULES
from companion.simulation.game_simulation import simulate_game
from tests.thorough import examples


def every_choice() -> Iterator[tuple[str, str, str | int]]:
    for game, rules in RULES.items():
        for rule in house_rule_questions(rules.options()):
            for choice in rule.choices:
                if choice != rule.value:
                    yield game, rule.key, choice


@pytest.mark.slow
@pytest.mark.parametrize(("game", "key", "choice"), list(every_choice()))
def test_a_house_rule_is_played_to_the_end(game: str, key: str, choice: str | int) -> None:
    rules = RULES[game]
    options = with_choice(rules.options(), key, choice)
    tables = rules.table_sizes()
    for seed in range(examples(max(4, len(tables)))):
        players, bot = tables[seed % len(tables)]
        played = simulate_game(game, players=players, bot=bot, seed=seed, options=options)
        assert played.faults == ()
        assert played.outcome is not None
        assert played.outcome.termination != "abandoned"
