"""Everything that is known about Pebbles, the smallest game: docs/add-a-game.md shows all of it."""

from companion.core.game import Game, lazy_import
from pebbles.rules import PEBBLES

GAME = Game(rules=PEBBLES, simulated_players=lazy_import("pebbles.players:PebblesWorld"))
