"""Cups, a bluffing game without cards: docs/add-a-game.md shows all of it."""

from pathlib import Path

from companion.core.game import Game, lazy_import
from cups.rules import CUPS

GAME = Game(
    rules=CUPS,
    simulated_players=lazy_import("cups.players:CupsPeople"),
    opponents=lazy_import("cups.players:CupsPeople"),
    assets=str(Path(__file__).parent / "assets"),
)
