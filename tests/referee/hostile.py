"""Files as strangers make them."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterable
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from companion.cli.checks.journal_replay import replay_steps
from companion.core.errors import CompanionError
from companion.games import RULES
from companion.referee.dry_run import check_journal
from companion.referee.journal import json_lines
from companion.referee.store import GameStore
from companion.referee.store_errors import explain_store_errors
from tests.thorough import examples

HERE = Path(__file__).parents[1]
PLAYED = sorted((HERE / "playthroughs").glob("*/*.jsonl"))
MOST_LINES = 60
"""Enough of a game to hold every kind of entry, and quick to judge."""
thorough = settings(
    max_examples=int(os.environ.get("FUZZ_EXAMPLES", examples(500))),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@cache
def played(path: Path) -> tuple[bytes, ...]:
    return tuple(path.read_bytes().splitlines(keepends=True)[:MOST_LINES])


def replaced(value: Any, path: tuple[Any, ...], by: Any) -> Any:
    if not path:
        return by
    changed = deepcopy(value)
    place = changed
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = by
    return changed


def take_in(raw: bytes) -> None:
    """Everything the program does with a journal of a stranger."""
    try:
        with explain_store_errors("stranger.jsonl"):
            header, entries = json_lines.parse_journal(raw, RULES)
            rules = RULES[header.game]
            check_journal(rules, header, entries)
            for step in replay_steps(rules, header, entries):
                assert step.view.chairs
    except CompanionError as refused:
        sentence = str(refused)
        assert sentence
        assert "\n" not in sentence


@cache
def stored() -> bytes:
    """A store that holds one game."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games.sqlite"
        header, entries = json_lines.parse_journal(b"".join(played(PLAYED[0])), RULES)
        with GameStore(path, RULES) as store:
            journal = store.create_game(header)
            for entry in entries:
                journal.append(entry)
            assert journal.close()
        return path.read_bytes()


Reader = Callable[[Path], object]


def refused(read: Reader, path: Path) -> str:
    """The one sentence in which a file is refused."""
    with pytest.raises(CompanionError) as refusal, explain_store_errors(str(path)):
        read(path)
    assert "\n" not in str(refusal.value)
    return str(refusal.value)


def header(**more: Any) -> dict[str, Any]:
    return {"format": 1, "game": "kinapa", "setup": {"chairs": [0, 1, 2, 3]}, "rules": 1, **more}


def journal(entries: Iterable[dict[str, Any]], **more: Any) -> bytes:
    rows = (header(**more), *({"seq": seq, **entry} for seq, entry in enumerate(entries)))
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)
