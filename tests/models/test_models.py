"""The rules of the games agree with models written from docs/rules.md alone, under every house rule."""

from __future__ import annotations

import pytest

from companion.core.actions import Options
from tests.models.compare import Game, Table, alone, difference, house_rules, mistaken, pairs, tables, triples
from tests.models.dnup import DNUP
from tests.models.euchre import EUCHRE
from tests.models.hearts import HEARTS
from tests.models.in_order import IN_ORDER
from tests.models.kabuki import KABUKI
from tests.models.kinapa import KINAPA
from tests.models.kobayakawa import KOBAYAKAWA
from tests.models.liars_dice import LIARS_DICE
from tests.models.roses import ROSES
from tests.models.spades import SPADES

GAMES = (KINAPA, KABUKI, KOBAYAKAWA, DNUP, LIARS_DICE, ROSES, HEARTS, IN_ORDER, SPADES, EUCHRE)
EACH, PAIRS, TRIPLES = 20, 100, 100
"""Games for each value of each house rule; sets of two house rules, and of three."""
MANY = 2_000
"""Games of each of the classics."""
TRIES = 300
"""Games in which a wrong house rule has to be noticed."""


def named(part: object) -> str:
    return house_rules(part) if isinstance(part, Options) else str(part)


@pytest.mark.parametrize(
    ("game", "options"), [(game, options) for game in GAMES for options in alone(game)], ids=named
)
def test_the_rules_agree_with_the_model_under_every_house_rule(game: Game, options: Options) -> None:
    (table,) = tables(game, options, 1)
    assert (found := difference(game, table, steps=game.begun)) is None, found


@pytest.mark.long
@pytest.mark.hours
@pytest.mark.parametrize(
    ("game", "options"),
    [
        (game, options)
        for game in (LIARS_DICE, ROSES, HEARTS, IN_ORDER, SPADES, EUCHRE)
        for options in alone(game)
    ],
    ids=named,
)
def test_they_agree_in_two_thousand_games_of_the_classics(game: Game, options: Options) -> None:
    many = -(-MANY // len(list(alone(game))))
    found = [difference(game, table) for table in tables(game, options, many)]
    assert not any(found), "\n\n".join(filter(None, found))


@pytest.mark.long
@pytest.mark.parametrize(
    ("game", "options"), [(game, options) for game in GAMES for options in alone(game)], ids=named
)
def test_they_agree_in_twenty_games_of_each(game: Game, options: Options) -> None:
    found = [difference(game, table) for table in tables(game, options, EACH)]
    assert not any(found), "\n\n".join(filter(None, found))


@pytest.mark.long
@pytest.mark.parametrize(
    ("game", "options"), [(game, options) for game in GAMES for options in pairs(game, PAIRS)], ids=named
)
def test_they_agree_under_a_hundred_pairs_of_house_rules(game: Game, options: Options) -> None:
    many = -(-PAIRS // len(pairs(game, PAIRS)))
    found = [difference(game, table) for table in tables(game, options, many)]
    assert not any(found), "\n\n".join(filter(None, found))


@pytest.mark.long
@pytest.mark.parametrize(
    ("game", "options"), [(game, options) for game in GAMES for options in triples(game, TRIPLES)], ids=named
)
def test_they_agree_under_three_house_rules_at_once(game: Game, options: Options) -> None:
    (table,) = tables(game, options, 1)
    assert (found := difference(game, table)) is None, found


@pytest.mark.parametrize(
    "table",
    [
        Table(
            6420107,
            3,
            False,
            KINAPA.rules.options(
                second_liar="none", fox_draw="choice", giveback="number", place="must", count_seconds=0
            ),
        ),
        Table(
            4056527,
            7,
            True,
            KINAPA.rules.options(second_liar="one_each", fox_first_tick="this_turn", bot_checker="neighbour"),
        ),
        Table(6751803, 5, True, KINAPA.rules.options(second_liar="none", false_denial_penalty="always")),
    ],
    ids=["a spared liar is told last", "K-T70", "K-T69"],
)
def test_what_three_house_rules_at_once_once_showed(table: Table) -> None:
    assert (found := difference(KINAPA, table)) is None, found


@pytest.mark.long
@pytest.mark.parametrize(
    ("game", "played", "believed"),
    [(game, *options) for game in GAMES for options in mistaken(game)],
    ids=named,
)
def test_the_model_notices_a_house_rule_that_is_not_its_own(
    game: Game, played: Options, believed: Options
) -> None:
    """What agreed with another value all the same would prove nothing about this one."""
    assert any(difference(game, table, believed) for table in tables(game, played, TRIES))
