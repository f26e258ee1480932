"""Simulated people test the referee of Kabuki: the sharp are never penalised, and counts are true."""

from __future__ import annotations

import tomllib
from collections import Counter

import pytest

from companion.games.kabuki.rules.model import COPIES_PER_DESIGN, DESIGN_COLOURS
from companion.games.kit.world import PlayStyle
from companion.simulation.game_simulation import simulate_game
from companion.system.asset_paths import bundled_assets_folder
from tests.thorough import examples

LAWFUL, BLUFFING, CARELESS, CHEATING = PlayStyle


@pytest.mark.parametrize("players", range(2, 7))
@pytest.mark.parametrize("style", [*PlayStyle, None])
def test_every_promise_holds_with_people_of_every_habit(players: int, style: PlayStyle | None) -> None:
    styles = None if style is None else (style,) * players
    for seed in range(examples(2)):
        played = simulate_game("kabuki", players=players, seed=seed, styles=styles)
        assert played.faults == ()
        assert played.outcome is not None
        assert played.outcome.termination == "three_rounds"


def test_every_habit_shows() -> None:
    """A simulator in which nobody errs would prove nothing."""
    seen = {
        style: {kind for seed in range(4) for kind in simulate_one(style, seed)}
        for style in (LAWFUL, BLUFFING, CARELESS, CHEATING)
    }
    assert "StopRight" in seen[BLUFFING]
    assert not seen[LAWFUL] & {"StopWrong", "Infraction", "OwnMaskCalled", "StopTooEarly"}
    assert seen[CARELESS] >= {"StopWrong", "OwnMaskCalled", "StopTooEarly", "StopVoided", "StopWithdrawn"}
    assert seen[CHEATING] >= {"Infraction", "CheckDiffers", "StackRead"}


def simulate_one(style: PlayStyle, seed: int) -> set[str]:
    return set(simulate_game("kabuki", players=4, seed=seed, styles=(style,) * 4).events)


def test_the_box_holds_ten_masks_in_five_colours_five_times_and_four_actors() -> None:
    deck = tomllib.loads((bundled_assets_folder() / "decks" / "kabuki.toml").read_text(encoding="utf-8"))
    masks = [card for card in deck["card"] if card["id"].startswith("mask:")]
    assert [card["id"].partition(":")[2] for card in masks] == list(DESIGN_COLOURS)
    assert deck["default"]["copies"] == COPIES_PER_DESIGN
    assert Counter(DESIGN_COLOURS.values()) == {"green": 1, "yellow": 2, "red": 2, "purple": 2, "blue": 3}
    by_colour = {
        (DESIGN_COLOURS[card["id"].partition(":")[2]], card["ground"], card["skin"]) for card in masks
    }
    assert len(by_colour) == 5, "masks of one colour differ by their features alone"
    features = {tuple(card[part] for part in ("crown", "brow", "eyes", "cheek", "mouth")) for card in masks}
    assert len(features) == 10
    assert sum(card["id"].startswith("actor:") for card in deck["card"]) == 4
