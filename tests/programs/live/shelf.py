"""What lies in the folder in which a line is run: the files that the README's lines name."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from tests.programs.live.readme import CHECKOUT
from tests.vision.spread import photograph_spread

GAMES_STORED = ("players-2", "players-3", "players-4")
CUT = 40
"""Entries of the game that is not over."""


def room_for(folder: Path) -> Mapping[str, str]:
    """The environment of somebody whose home is in this folder, and who has set nothing."""
    home = folder / "home"
    home.mkdir(parents=True, exist_ok=True)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "COMPANION_"))}
    return {
        **kept,
        "HOME": str(home),
        "SDL_AUDIODRIVER": "dummy",
        "PYGAME_HIDE_SUPPORT_PROMPT": "1",
        "PYTHONUNBUFFERED": "1",
        "PYTHONPATH": str(CHECKOUT),
    }


def lay_out(folder: Path) -> list[list[str]]:
    """The files that lines name, and the commands that fill the store: run in this order."""
    played = CHECKOUT / "tests" / "playthroughs" / "kinapa"
    commands = []
    for name in GAMES_STORED:
        shutil.copy(played / f"{name}.jsonl", folder / f"{name}.jsonl")
        commands.append(["companion", "import", f"{name}.jsonl"])
    whole = (played / "players-5.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    # Simulated people played it, but here it is the game that a table left.
    left = whole[0].replace('"kind":"simulation"', '"kind":"game"')
    (folder / "game.jsonl").write_text("".join((left, *whole[1:CUT])), encoding="utf-8")
    commands.append(["companion", "import", "game.jsonl"])
    cards = sorted((CHECKOUT / "assets" / "decks" / "kinapa" / "enrol").glob("*.jpg"))
    (folder / "my-cards").mkdir()
    for card in cards[:12]:
        shutil.copy(card, folder / "my-cards" / card.name)
    commands.append(["companion", "enrol", "--from", "my-cards", "--out", "kinapa.deck"])
    (folder / "four-photos").mkdir()
    photograph_spread(folder / "four-photos")
    shutil.copy(CHECKOUT / "assets" / "decks" / "kinapa" / "mat.jpg", folder / "table.jpg")
    return commands
