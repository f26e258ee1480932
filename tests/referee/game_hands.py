"""What people at a refereed game do."""

from __future__ import annotations

from typing import Any

from companion.core.actions import Micros
from companion.core.switch import Edge
from companion.referee.loop import RefereedGame
from tests.table.loop import MILLI

Edges = list[Edge]
Delivered = list[tuple[Micros, Any]]


def tap(chair: int | None, at: Micros, hold: Micros = 100 * MILLI, button: str = "seat") -> Edges:
    return [Edge(chair, button, level=True, at=at), Edge(chair, button, level=False, at=at + hold)]


def delivered(edges: Edges, delay: Micros = 0) -> Delivered:
    return [(edge.at + delay, edge) for edge in edges]


def run_on(game: RefereedGame, since: Micros, until: Micros, frame: Micros = 5 * MILLI) -> None:
    for now in range(since, until + 1, frame):
        game.step(now)


def lateness(game: RefereedGame) -> list[tuple[int | None, Micros]]:
    """Whose presses were told to be late, and by how much."""
    return [(ruling.entry.cause.chair, ruling.late) for ruling in game.take_announcements() if ruling.late]  # type: ignore[union-attr]
