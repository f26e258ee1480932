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
import socket
import tomllib
import zipfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.core.errors import CompanionError
from companion.games import RULES
from companion.referee.backup import back_up
from companion.referee.journal import json_lines
from companion.referee.store import GameStore
from companion.referee.store_errors import explain_store_errors
from companion.settings.files import load_settings, read_file
from companion.settings.model import Settings
from companion.system.safe_files import SizeLimit
from companion.system.toml_lines import find_key_lines
from companion.teach.lesson import load_lesson as lesson_in
from companion.vision.decks import Deck, DeckError
from companion.vision.pictures import read_picture as picture_in
from tests.referee.hostile import HERE, PLAYED, Reader, played, refused, replaced, stored, take_in, thorough

CORPUS = sorted((HERE / "whole" / "corpus").glob("*"))
HOSTILE: tuple[Any, ...] = (
    None, True, -1, 0, 1, 7, 99, 2**31, 2**63, -(2**63), 10**30, 1e308, "", "x" * 5_000, "\x00", "../../x",
    "\ud83d",
    [], {}, [[]], [0] * 300, {"kind": "Wormhole"}, {"a": {"a": {}}},
)  # fmt: skip


def places(value: Any) -> list[tuple[Any, ...]]:
    """The path to every value inside a value."""
    found: list[tuple[Any, ...]] = [()]
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inner:
        found += [(key, *path) for path in places(part)]
    return found


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


@pytest.mark.slow
@thorough
@given(journals())
def test_a_strangers_journal_is_judged_or_refused_in_a_sentence(raw: bytes) -> None:
    take_in(raw)


@pytest.mark.parametrize(
    "path", [path for path in CORPUS if path.suffix == ".jsonl"], ids=lambda path: path.stem
)
def test_journals_that_once_broke_something_do_no_longer(path: Path) -> None:
    take_in(path.read_bytes())


@pytest.mark.slow
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
        with explain_store_errors("the store"), GameStore(path, RULES) as store:
            for game in store.list_games():
                if not game.problem:
                    store.read_game(game.game)
    except CompanionError as refused:
        sentence = str(refused)
        assert sentence


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


@pytest.mark.slow
@thorough
@given(pairs=st.lists(st.tuples(KEYS, TOML), max_size=5), tail=st.binary(max_size=30))
def test_a_strangers_settings_are_understood_or_refused(
    pairs: list[tuple[str, str]], tail: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("settings") / "settings.toml"
    file.write_bytes("".join(f"{key} = {value}\n" for key, value in pairs).encode("utf-8", "replace") + tail)
    try:
        found = load_settings(file=file, environ={})
    except CompanionError as refused:
        sentence = str(refused)
        assert sentence
    else:
        assert isinstance(found, Settings)


@cache
def deck() -> bytes:
    return (HERE.parent / "assets" / "decks" / "kabuki" / "kabuki.deck").read_bytes()


@pytest.mark.slow
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


READERS: Mapping[str, Reader] = {
    "journal": lambda path: json_lines.read_journal_file(path, RULES),
    "settings": read_file,
    "lesson": lesson_in,
    "deck": Deck.load,
    "picture": picture_in,
    "store": lambda path: GameStore(path, RULES).list_games(),
    "backup": lambda path: back_up(path.parent, "table", path.parent, "2026-11-22T20:00:00", RULES),
}
"""Whatever is given a file by strangers."""


def socket_at(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def sparse_at(path: Path) -> None:
    path.touch()
    os.truncate(path, 3 << 30)


LYING: Mapping[str, tuple[Callable[[Path], object], str]] = {
    "pipe": (os.mkfifo, "it is a pipe, not a file"),
    "folder": (Path.mkdir, "folder"),
    "socket": (socket_at, "it is a socket, not a file"),
    "zeros": (lambda path: path.symlink_to("/dev/zero"), "it is a device, not a file"),
    "terminal": (lambda path: path.symlink_to("/dev/tty"), "it is a device, not a file"),
    "sparse": (sparse_at, ""),
    "below_a_file": (lambda path: path.parent.rmdir() or path.parent.touch(), ""),
}
"""What lies where a file is looked for, and what is said of it."""


@pytest.mark.skipif(os.name == "nt", reason="pipes and devices are no files there")
@pytest.mark.parametrize("what", LYING)
@pytest.mark.parametrize("reader", READERS)
def test_what_is_no_file_or_too_large_is_refused_at_once(reader: str, what: str, tmp_path: Path) -> None:
    """A pipe would be waited for and a device read for ever: then this test would not end."""
    # Only SQLite may open what is called like a store.
    path = tmp_path / "s" / ("games.sqlite" if reader == "backup" else "anything")
    path.parent.mkdir()
    make, said = LYING[what]
    make(path)
    sentence = refused(READERS[reader], path)
    assert said in sentence


@pytest.mark.parametrize("reader", ["journal", "settings", "lesson", "picture"])
def test_a_file_is_held_to_the_size_of_its_kind(reader: str, tmp_path: Path) -> None:
    path = tmp_path / "large"
    path.touch()
    os.truncate(path, SizeLimit[reader.upper()] + 1)
    assert "larger than" in refused(READERS[reader], path)


READS = re.compile(
    r"(?<!safe_files)(?<!machine)\.read_(text|bytes)\(|\.open\((\"rb?\"|encoding)"
    r"|(?<!def )(?<![\w.])open\(|sqlite3\.connect\(|ZipFile\(path"
)
"""Where a file is opened to be read."""


DOORS = {"system/safe_files.py"}
OF_OURS = {
    *(
        "build_hook.py",
        "cli/__init__.py",
        "table/recap/save.py",
        "language/voice/clips.py",
        "ui/toolkit/theme.py",
    ),
    *("printing/deck_file.py", "printing/sheets.py", "teach/lint.py", "teach/rulebook.py"),
    *(
        "network/web/static_files.py",
        "desk/pages.py",
        "desk/web_app.py",
        "camera/enrolment_task.py",
        "testing/random_walks.py",
        "testing/playthroughs.py",
        "vision/renderer.py",
    ),
}
"""They read what comes with the program."""


OF_THE_SYSTEM = {
    *("system/machine.py", "system/sound_cards.py", "system/desktop.py"),
    "cli/checks/machine_checks.py",  # what the kernel says of power
}
OF_ITS_OWN = {"network/web/overlay.py", "home/uplink_file.py", "cli/checks/club_check.py"}
"""They read back what they alone write, into a folder nobody else may write to."""
CHECKED = {
    *("referee/journal/read_only.py", "referee/journal/sqlite.py", "referee/journal/copying.py"),
    "referee/journal/damaged_store.py",  # whether a file is there and how long it is
    "referee/backup.py",
    *("cli/report.py", "cli/checks/misread_pictures.py", "programs/log_file.py"),
}
"""They ask the door first, or open what was made just before: SQLite opens its files itself."""


def test_every_reader_of_files_goes_through_one_door() -> None:
    readers = {
        path.relative_to(folder).as_posix()
        for folder in (HERE.parent / "companion", HERE.parent / "club" / "companion_club")
        for path in folder.rglob("*.py")
        if READS.search(path.read_text(encoding="utf-8"))
    }
    assert readers == DOORS | OF_OURS | OF_THE_SYSTEM | OF_ITS_OWN | CHECKED


SECTIONED = st.sampled_from(["[table]", "[sound]", "[rules.kinapa]", "[x]", "[[x]]", "[a.b.c]", "#", ""])
STATEMENTS = st.one_of(
    SECTIONED,
    st.builds("{} = {}".format, KEYS, st.sampled_from(["1", "{x = 1}", "[[], [{}]]", "'#'"])),
    st.builds('{} = """{}"""'.format, KEYS, st.sampled_from(["", "\n", "#\n[", "don't\n", "\\n\n\n"])),
    st.builds("{} = [{}]".format, KEYS, st.sampled_from(["\n", "1,\n2\n", "#]\n", '"]",\n'])),
)


@pytest.mark.slow
@thorough
@given(st.lists(STATEMENTS, max_size=8))
def test_the_line_of_a_key_is_that_after_which_the_file_has_it(statements: list[str]) -> None:
    text = "\n".join(statements)
    try:
        tree = tomllib.loads(text)
    except ValueError:
        return
    found = find_key_lines(text)
    for key in ((name,) for name in tree):
        assert key in found
        begun = "\n".join(text.split("\n")[: found[key] - 1])
        try:
            assert key[0] not in tomllib.loads(begun)
        except tomllib.TOMLDecodeError:
            pytest.fail(f"{key} begins in the middle of another statement")


@pytest.mark.slow
@thorough
@given(
    lines=st.lists(STATEMENTS, max_size=4),
    times=st.sampled_from([1, 10, 1_000]),
    mistake=st.sampled_from(HOSTILE),
)
def test_settings_of_a_thousand_lines_are_refused_as_fast_as_they_are_read(
    lines: list[str], times: int, mistake: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("settings") / "settings.toml"
    ending = f"\n{'#' * (times > 1)}\n" * times + f"langauge = {json.dumps(mistake)}\n"
    file.write_bytes(("\n".join(lines) + ending).encode("utf-8", "replace"))
    with suppress(CompanionError):
        load_settings(file=file, environ={})


@pytest.mark.slow
@thorough
@given(
    parts=st.lists(
        st.sampled_from(["'", '"', "\n", "a", ".", "[", "]", "=", "1", "#", "{", "}", "\\"]), max_size=60
    )
)
def test_a_strangers_lesson_is_understood_or_refused(
    parts: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("lesson") / "lesson.toml"
    file.write_text("".join(parts) * 20, encoding="utf-8")
    assert "\n" not in refused(lesson_in, file)
