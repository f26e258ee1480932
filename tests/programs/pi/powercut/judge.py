"""What must hold of a store after the power was cut, and what a disk image holds."""

from __future__ import annotations

import sqlite3
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from sitting import Chain, Sitting, open_store

STORE = "table/games.sqlite"
"""Where the store lies on the disk whose power is cut."""
CLEAN = 0

Steps = Mapping[int, Sequence[tuple[int, str]]]
"""Of each game, the ends of its steps in order: how many entries, and their digest."""


@dataclass
class Verdict:
    """What one cut left behind."""

    lost: int = 0
    """Acknowledged steps that are not there."""
    extra: int = 0
    """Steps that are there although nobody had been told."""
    wrong: list[str] = field(default_factory=list)
    """Promises that did not hold, but for `lost`."""


def judge(store: Path, steps: Steps, told: Mapping[int, int]) -> Verdict:
    """Compare a store with the steps that were begun and how many of each game's were acknowledged."""
    verdict = Verdict()
    acknowledged = {game: count for game, count in told.items() if count}
    if not store.exists():
        verdict.lost = sum(acknowledged.values())
        return verdict
    try:
        with closing(sqlite3.connect(store)) as connection:
            (answer,) = connection.execute("PRAGMA integrity_check").fetchone()
            if answer != "ok":
                verdict.wrong.append(f"integrity: {answer}")
            made = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    except sqlite3.Error as error:
        verdict.wrong.append(f"sqlite: {error}")
        return verdict
    if not made:
        verdict.lost = sum(acknowledged.values())
        return verdict
    with open_store(store) as opened:
        found = {game.game: game for game in opened.list_games()}
        for game in sorted({*found, *acknowledged}):
            ends = steps.get(game, ())
            count, problem = _steps_there(opened, game, ends) if game in found else (0, "")
            if problem:
                verdict.wrong.append(problem)
                continue
            if game in found and found[game].entries != (ends[count - 1][0] if count else 0):
                verdict.wrong.append(f"game {game}: its row says {found[game].entries} entries")
            verdict.lost += max(0, acknowledged.get(game, 0) - count)
            verdict.extra += max(0, count - acknowledged.get(game, 0))
    if not verdict.wrong:
        verdict.wrong += _goes_on(store)
    return verdict


def _steps_there(opened: object, game: int, ends: Sequence[tuple[int, str]]) -> tuple[int, str]:
    """How many whole steps of a game are stored, or what is wrong with it."""
    _, entries = opened.read(game)  # type: ignore[attr-defined]
    chain = Chain(entries)
    for number, (length, name) in enumerate(ends, 1):
        if length == len(entries):
            return number, "" if name == chain.name else f"game {game}: other rulings than were made"
    return 0, f"game {game}: half a step, {len(entries)} entries" if entries else ""


def _goes_on(store: Path) -> list[str]:
    """Resume as the program would, judge three more steps, make them durable, read them again."""
    with open_store(store) as opened:
        broken = opened.find_unfinished()
        table = Sitting(opened, seed=1)
        if (broken is not None) != table.resumed:
            return ["the game that was broken into is not the one on the table"]
        table.referee.rules.view(table.referee.state)
        steps = table.steps()
        for _ in range(3):
            length, name = next(steps)
            if not table.write():
                return [f"does not go on: {table.journal.trouble}"]
        game = table.journal.game
        table.journal.close()
        assert game is not None
        _, entries = opened.read_game(game)
    again = len(entries) == length and Chain(entries).name == name
    return [] if again else ["what was ruled after the cut is not there"]


def repaired(image: Path) -> str:
    """Mount-time recovery of a copy of the disk; what a check finds to repair afterwards."""
    subprocess.run(["e2fsck", "-E", "journal_only", "-p", image], stdout=subprocess.DEVNULL, check=False)
    check = subprocess.run(["e2fsck", "-fn", image], capture_output=True, text=True, check=False)
    return "" if check.returncode == CLEAN else check.stdout.strip().replace("\n", "; ")


def take_out(image: Path, folder: Path) -> Path:
    """The store's files from a disk image; the path of the store."""
    store = folder / "games.sqlite"
    orders = []
    for each in ("", "-wal"):
        (folder / f"games.sqlite{each}").unlink(missing_ok=True)
        orders.append(f"dump /{STORE}{each} {store}{each}\n")
    (folder / "games.sqlite-shm").unlink(missing_ok=True)
    subprocess.run(
        ["debugfs", "-f", "/dev/stdin", image],
        input="".join(orders), text=True, capture_output=True, check=True,
    )  # fmt: skip
    return store
