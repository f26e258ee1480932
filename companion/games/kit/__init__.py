"""What the bundled games share; here, how the record of one is made."""

from collections.abc import Mapping
from typing import Any

from companion.core.game import NO_STORY, Cover, Game, Story, lazy_import
from companion.core.rules import Rules

PARTS: Mapping[str, str] = {
    "simulated_players": "players:{}World",
    "opponents": "opponents:{}Opponents",
    "open_table": "commentary:{}OpenTable",
    "mat": "mat:build_mat_layout",
    "draw_mat": "mat:draw_mat",
    "highlights": "commentary:find_highlights",
    "score_lead": "commentary:lead_scores",
}
"""Field of `Game` → module of the game's package and what it is called there; `{}` is the rules' class."""


def game_record(
    rules: Rules[Any], *, mat_hands: range, cover: Cover, story: Story = NO_STORY, **more: str
) -> Game:
    """The record of a game in `companion.games`; `more` are parts that not every game has, as in `PARTS`."""
    places = {part: where.format(type(rules).__name__) for part, where in {**PARTS, **more}.items()}
    late: dict[str, Any] = {
        part: lazy_import(f"companion.games.{rules.name}.{where}") for part, where in places.items()
    }
    return Game(rules=rules, mat_hands=mat_hands, cover=cover, story=story, **late)
