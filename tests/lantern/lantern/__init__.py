"""Everything that is known about Lantern."""

from __future__ import annotations

from pathlib import Path

from companion.core.game import Game, late
from lantern.rules import LANTERN

GAME = Game(
    rules=LANTERN,
    players=late("lantern.players:LanternWorld"),
    mat=late("lantern.mat:layout"),
    mat_hands=range(4, 5),
    assets=str(Path(__file__).parent / "assets"),
)
