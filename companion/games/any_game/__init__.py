"""`Game` record of any game: turns, time and score for a box that the table does not know."""

from companion.core.game import Cover, Game, lazy_import
from companion.games.any_game.rules import AnyGame

GAME = Game(
    rules=AnyGame(),
    simulated_players=lazy_import("companion.games.any_game.people:AnyGamePeople"),
    highlights=lazy_import("companion.games.any_game.rules.view:find_highlights"),
    presets=lazy_import("companion.games.any_game.cupboard:list_presets"),
    cover=Cover(line="any_game.line", motif="clock", ground="#3B2A5E"),
)
