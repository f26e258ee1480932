"""Everything that is known about Pebbles, the smallest game: docs/add-a-game.md shows all of it."""

from companion.core.game import Game, late
from pebbles.rules import PEBBLES

GAME = Game(rules=PEBBLES, players=late("pebbles.players:PebblesWorld"))
