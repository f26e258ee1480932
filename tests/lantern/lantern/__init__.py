"""Everything that is known about Lantern."""

from __future__ import annotations

from pathlib import Path

from companion.core.game import Cover, Game, lazy_import
from lantern.rules import LANTERN

GAME = Game(
    rules=LANTERN,
    simulated_players=lazy_import("lantern.players:LanternWorld"),
    mat=lazy_import("lantern.mat:layout"),
    mat_hands=range(4, 5),
    cover=Cover(line="lantern.line", minutes=5, faces=("sun", "moon", "star")),
    assets=str(Path(__file__).parent / "assets"),
)
