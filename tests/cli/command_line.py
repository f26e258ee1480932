"""What the tests of the verbs share: the command as they see it, and journals to give it."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from companion.core.actions import Setup
from companion.core.events import Event
from companion.games import RULES
from companion.referee.journal import Entry, Header, json_lines, make_header
from companion.simulation.game_simulation import GameSimulation, random_styles


@dataclass(frozen=True)
class Said:
    """What one command said and how it ended."""

    code: int
    out: str
    err: str


Command = Callable[..., Said]


def played(
    seed: int = 3, *, upto: int | None = None, kind: str = "game"
) -> tuple[Header, list[Entry[Event]]]:
    """A game of four as the simulator plays it, whole or cut after `upto` entries."""
    rules = RULES["kinapa"]
    setup = Setup((0, 1, 2, 3), rules.options())
    simulation = GameSimulation(rules, setup, seed=seed, styles=random_styles(4, random.Random(seed)))
    simulation.run()
    header = make_header("kinapa", setup, kind=kind, date="2026-11-20T20:00:00+00:00", names=((0, "Ann"),))  # type: ignore[arg-type]
    return header, list(simulation.referee.journal.entries)[:upto]


def file_of(folder: Path, game: tuple[Header, list[Entry[Event]]], name: str = "game.jsonl") -> Path:
    path = folder / name
    path.write_bytes(json_lines.encode_journal(*game))
    return path
