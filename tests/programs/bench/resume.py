"""Resume of a game of 10,000 entries from its store, beside reading the same rows as plain JSON.

Ours: open the store, decode and check every entry, fold the state, and make the view of it. The floor beside
it: the same file through sqlite3 and `json.loads`, and nothing done with it.
"""

from __future__ import annotations

import json
import random
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from companion.core import observations as ob
from companion.core.actions import SECOND, Setup
from companion.games import RULES
from companion.referee.journal import Journal, make_header
from companion.referee.referee import Referee
from companion.referee.store import GameStore
from tests.programs.bench.figures import Row, cpu_us, least, rounds

NAME = "resume"
ENTRIES = 10_000
ROUNDS = 7


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory(prefix="companion-bench-") as folder:
        path = Path(folder) / "table.sqlite"
        with GameStore(path, RULES) as store:
            rules = RULES["kinapa"]
            setup = Setup(tuple(range(6)), rules.options())
            journal = store.create_game(
                make_header("kinapa", setup, kind="simulation", seed=1), wake=lambda: None
            )
            endless(journal)
            journal.close()
        found = rounds(
            ROUNDS,
            {"ours": lambda: cpu_us(lambda: resumed(path)), "json": lambda: cpu_us(lambda: plain(path))},
        )
    value, beside = least(found["ours"]) / 1000, least(found["json"]) / 1000
    yield Row(
        figure=f"resume of a {ENTRIES:,}-entry journal",
        value=value,
        unit="ms",
        baseline="sqlite3 and json.loads of the same rows",
        beside=beside,
        ratio=value / beside,
        note=f"{1000 * value / ENTRIES:.1f} µs an entry, the view included",
    )


def endless(journal: Journal) -> None:
    """Lawful turns in which nobody ever places a pair."""
    referee: Referee[Any] = Referee(RULES[journal.header.game], journal)
    rules, chance, at = referee.rules, random.Random(1), 0
    while len(journal.entries) < ENTRIES:
        state, at = referee.state, at + SECOND // 4
        cue, lots, timer = rules.awaited_cue(state), rules.awaited_draw(state), rules.next_timer(state)
        choices = [action for action in rules.legal_actions(state) if action.verb != "place"]
        if lots is not None:
            referee.observe(ob.RandomDraw(at=at, choices=lots, index=chance.randrange(len(lots))))
        elif cue is not None and chance.random() < 0.3:
            referee.observe(ob.CueHeard(at=at, cue=cue.name, attempt=cue.attempt))
        elif timer is not None and timer.due <= at:
            at = timer.due
            referee.observe(ob.TimerElapsed(at=timer.due, timer=timer.name))
        elif choices:
            action = chance.choice(sorted(choices, key=str))
            referee.observe(ob.ActionDeclared(at=at, action=action))


def resumed(path: Path) -> None:
    """What `companion resume` does before it draws."""
    with GameStore(path, RULES) as store:
        journal = store.open_game(1, wake=lambda: None)
        referee: Referee[Any] = Referee(RULES[journal.header.game], journal)
        if len(journal.entries) != ENTRIES:
            raise AssertionError("not the whole journal was read")
        referee.rules.view(referee.state)
        journal.close()


def plain(path: Path) -> None:
    """The same rows, and nothing done with them."""
    reader = sqlite3.connect(path)
    tables = [name for (name,) in reader.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    for table in tables:
        for row in reader.execute(f"SELECT * FROM {table}"):
            for cell in row:
                if isinstance(cell, (str, bytes)) and cell[:1] in {"{", b"{"}:
                    json.loads(cell)
    reader.close()
