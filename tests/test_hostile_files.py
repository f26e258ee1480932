"""Files of strangers: journals, settings and decks are read, or refused in a sentence, and nothing else.

The mutations know the structure: a value is replaced by one of another type or size, lines change places,
bytes flip. What once broke something is kept in `tests/corpus` and tried on every run; `make fuzz` looks
further.
"""

from __future__ import annotations

import io
import json
import os
import re
import tempfile
import zipfile
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.core.errors import CompanionError
from companion.diagnostics.replay import final_state, steps
from companion.games import RULES
from companion.referee.journal import lines
from companion.referee.store import Store
from companion.referee.store_errors import told
from companion.settings.files import load
from companion.settings.model import Settings
from companion.vision.decks import Deck, DeckError

HERE = Path(__file__).parent
CORPUS = sorted((HERE / "corpus").glob("*"))
PLAYED = sorted((HERE / "playthroughs").glob("*/*.jsonl"))
MOST_LINES = 60
"""Enough of a game to hold every kind of entry, and quick to judge."""
thorough = settings(
    max_examples=int(os.environ.get("FUZZ_EXAMPLES", "60")),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
HOSTILE: tuple[Any, ...] = (
    None, True, -1, 0, 1, 7, 99, 2**31, 2**63, -(2**63), 10**30, 1e308, "", "x" * 5_000, "\x00", "../../x",
    "\ud83d",
    [], {}, [[]], [0] * 300, {"kind": "Wormhole"}, {"a": {"a": {}}},
)  # fmt: skip


@cache
def played(path: Path) -> tuple[bytes, ...]:
    return tuple(path.read_bytes().splitlines(keepends=True)[:MOST_LINES])


def places(value: Any) -> list[tuple[Any, ...]]:
    """The path to every value inside a value."""
    found: list[tuple[Any, ...]] = [()]
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inner:
        found += [(key, *path) for path in places(part)]
    return found


def replaced(value: Any, path: tuple[Any, ...], by: Any) -> Any:
    if not path:
        return by
    changed = deepcopy(value)
    place = changed
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = by
    return changed


@st.composite
def journals(draw: st.DrawFn) -> bytes:
    """A real game in which somebody meddled."""
    rows = list(played(draw(st.sampled_from(PLAYED))))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(rows) - 1))
        match draw(st.sampled_from(["value", "value", "value", "swap", "drop", "double", "bytes"])):
            case "value":
                try:
                    value = json.loads(rows[at])
                except ValueError:  # an earlier meddling went deeper
                    continue
                path = draw(st.sampled_from(places(value)))
                rows[at] = json.dumps(replaced(value, path, draw(st.sampled_from(HOSTILE)))).encode() + b"\n"
            case "swap":
                other = draw(st.integers(0, len(rows) - 1))
                rows[at], rows[other] = rows[other], rows[at]
            case "drop" if len(rows) > 1:
                del rows[at]
            case "double":
                rows.insert(at, rows[at])
            case "bytes":
                raw = bytearray(rows[at])
                for _ in range(draw(st.integers(1, 8))):
                    raw[draw(st.integers(0, len(raw) - 1))] = draw(st.integers(0, 255))
                rows[at] = bytes(raw)
    return b"".join(rows)


def take_in(raw: bytes) -> None:
    """Everything the program does with a journal of a stranger."""
    try:
        with told("stranger.jsonl"):
            header, entries = lines.parse(raw, RULES)
            rules = RULES[header.game]
            final_state(rules, header, entries)
            for step in steps(rules, header, entries):
                assert step.view.chairs
    except CompanionError as refused:
        sentence = str(refused)
        assert sentence
        assert "\n" not in sentence


@thorough
@given(journals())
def test_a_strangers_journal_is_judged_or_refused_in_a_sentence(raw: bytes) -> None:
    take_in(raw)


@pytest.mark.parametrize(
    "path", [path for path in CORPUS if path.suffix == ".jsonl"], ids=lambda path: path.stem
)
def test_journals_that_once_broke_something_do_no_longer(path: Path) -> None:
    take_in(path.read_bytes())


@thorough
@given(raw=st.binary(max_size=2_000), at=st.integers(0, 4_096), length=st.integers(1, 400))
def test_a_damaged_store_is_listed_or_refused(
    raw: bytes, at: int, length: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("store") / "games.sqlite"
    whole = bytearray(stored())
    start = min(at, len(whole) - 1)
    whole[start : start + len(raw[:length])] = raw[:length]
    path.write_bytes(whole)
    try:
        with told("the store"), Store(path, RULES) as store:
            for game in store.games():
                if not game.problem:
                    store.read(game.game)
    except CompanionError as refused:
        sentence = str(refused)
        assert sentence


@cache
def stored() -> bytes:
    """A store that holds one game."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games.sqlite"
        header, entries = lines.parse(b"".join(played(PLAYED[0])), RULES)
        with Store(path, RULES) as store:
            journal = store.create(header)
            for entry in entries:
                journal.append(entry)
            assert journal.close()
        return path.read_bytes()


TOML = st.recursive(
    st.one_of(st.integers(), st.booleans(), st.floats(), st.text(max_size=20)).map(repr),
    lambda inner: st.lists(inner, max_size=4).map(lambda parts: f"[{', '.join(parts)}]"),
    max_leaves=6,
)
KEYS = st.sampled_from(
    ["table.chairs", "table.name", "table.names", "screen.size", "sound.volume", "camera.kind",
     "buttons.pins", "buttons.pins.1", "buttons.keys.1", "rules.kinapa.hand", "rules.kabuki", "rules",
     "storage.folder", "x", "table"]
)  # fmt: skip


@thorough
@given(pairs=st.lists(st.tuples(KEYS, TOML), max_size=5), tail=st.binary(max_size=30))
def test_a_strangers_settings_are_understood_or_refused(
    pairs: list[tuple[str, str]], tail: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("settings") / "settings.toml"
    file.write_bytes("".join(f"{key} = {value}\n" for key, value in pairs).encode("utf-8", "replace") + tail)
    try:
        found = load(file=file, environ={})
    except CompanionError as refused:
        sentence = str(refused)
        assert sentence
    else:
        assert isinstance(found, Settings)


@cache
def deck() -> bytes:
    return (HERE.parent / "assets" / "decks" / "kabuki" / "kabuki.deck").read_bytes()


@thorough
@given(
    flips=st.lists(st.tuples(st.integers(0, 1 << 22), st.integers(0, 255)), max_size=6),
    about=st.one_of(st.none(), st.tuples(st.integers(0, 40), st.sampled_from(HOSTILE))),
)
def test_a_strangers_deck_is_opened_or_refused(
    flips: list[tuple[int, int]],
    about: tuple[int, Any] | None,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    raw = bytearray(deck())
    if about is not None:
        raw = bytearray(with_description(*about))
    for at, byte in flips:
        raw[at % len(raw)] = byte
    path = tmp_path_factory.mktemp("deck") / "stranger.deck"
    path.write_bytes(raw)
    try:
        found = Deck.load(path)
    except DeckError as refused:
        sentence = str(refused)
        assert sentence
    else:
        assert found.cards


def with_description(at: int, by: Any) -> bytes:
    """The deck with one value of its description replaced."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(deck())) as old, zipfile.ZipFile(made, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "deck.json":
                value = json.loads(content)
                found = places(value)
                content = json.dumps(replaced(value, found[at % len(found)], by)).encode()
            new.writestr(name, content)
    return made.getvalue()


def test_what_is_read_from_strangers_is_never_unpickled() -> None:
    sources = [*(HERE.parent / "companion").rglob("*.py"), *(HERE.parent / "hardware").glob("*.py")]
    for path in sources:
        text = path.read_text(encoding="utf-8")
        for word in ("pickle", "allow_pickle=True", "eval(", "exec(", "yaml.load", "marshal", "shelve"):
            assert not re.search(rf"(?<![\w.\"'`]){re.escape(word)}", text), f"{path} uses {word}"
