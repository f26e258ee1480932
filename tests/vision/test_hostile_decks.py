"""Decks of strangers are opened or refused in one sentence, however archive and description were made.

Two hundred meddlings in `make test`; `make fuzz` looks further.
"""

from __future__ import annotations

import io
import json
import logging
import os
import struct
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.camera import table_reader
from companion.camera.table_reader import TableReader
from companion.cli.command import run
from companion.core.actions import SECOND
from companion.core.clock import ManualClock
from companion.games import game_assets_folder, printed_mat
from companion.vision.decks import Deck, DeckError
from companion.vision.renderer import MIDDLE, TableRenderer, TableScene, Textures
from tests.thorough import examples

OLDER_DECK = Path(__file__).parents[1] / "whole" / "written_by_3d656623" / "cards.deck"
thorough = settings(
    max_examples=int(os.environ.get("FUZZ_EXAMPLES", examples(500))),
    suppress_health_check=[HealthCheck.too_slow],
)
DEEP = b"[" * 100_000 + b"]" * 100_000
TEXTS = (
    DEEP, b'{"a":' * 3_000 + b"1" + b"}" * 3_000, b"[" * 100_000, b"Infinity", b"-Infinity", b"NaN",
    b"9" * 400, b"-" + b"9" * 400, b"9" * 5_000, b"9." + b"9" * 400, b"1e400", b"-1e999999", b"1e-999999",
    b"null", b"true", b"0", b"-1", b"1.5", b"1e308", b"2147483648", b"9223372036854775808", b'""', b'"x"',
    rb'"\ud83d"', rb'"\u0000"', rb'"\u202e"', b"[]", b"{}", b"[[]]", b"[0,0,0]", b'{"flaw":1}', b"", b"\x00",
)  # fmt: skip
"""What stands in the place of a value: JSON, or what resembles it."""
FIELDS = {"version": (6, 4), "flags": (8, 6), "method": (10, 8), "packed": (20, 18), "size": (24, 22)}
"""Where an entry's fields lie in its record of the archive's list, and in the one before its content."""
NUMBERS = (0, 1, 8, 9, 14, 0x20, 0x40, 0x41, 99, 0x0800, 0xFFFF)
ENCRYPTED = ("flags", 1)


@cache
def pictures() -> dict[str, bytes]:
    with zipfile.ZipFile(OLDER_DECK) as file:
        return {name: file.read(name) for name in file.namelist() if name.endswith(".png")}


@cache
def description() -> Any:
    """The description of a small deck in today's form."""
    deck = Deck.load(OLDER_DECK)
    limits = {"flaws": deck.limits.flaws, "rival": deck.limits.rival}
    about = {
        "format": 3,
        "complete": True,
        "name": "x",
        "cards": deck.cards,
        "owners": deck.owners,
        "lying": deck.lying,
    }
    return json.loads(json.dumps({**about, "limits": limits}))


def places(value: Any) -> list[tuple[Any, ...]]:
    """The path to every value inside a value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [(), *((key, *path) for key, part in inner for path in places(part))]


def with_text(path: tuple[Any, ...], text: bytes) -> bytes:
    """The description in which this text stands for one value."""

    def put(value: Any, path: tuple[Any, ...]) -> Any:
        if not path:
            return "@@"
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        changed = {key: put(part, path[1:]) if key == path[0] else part for key, part in pairs}
        return changed if isinstance(value, dict) else list(changed.values())

    return json.dumps(put(description(), path)).encode().replace(b'"@@"', text)


def archive(about: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        for name, content in {"deck.json": about, **pictures()}.items():
            file.writestr(name, content)
    return made.getvalue()


def meddled(raw: bytes, field: str, number: int, *, entry: int = 0) -> bytes:
    """The archive in which an entry says something else about itself, in its list and before its content."""
    changed = bytearray(raw)
    for mark, offset in zip((b"PK\x01\x02", b"PK\x03\x04"), FIELDS[field], strict=True):
        at = -1
        for _ in range(entry + 1):
            at = raw.index(mark, at + 1)
        changed[at + offset : at + offset + 2] = struct.pack("<H", number)
    return bytes(changed)


KNOWN = {
    "nested without end": archive(with_text(("name",), DEEP)),
    "nested in what nobody reads": archive(b'{"format": 2, "more": ' + DEEP + b"}"),
    "an endless number": archive(with_text(("limits", "rival"), b"Infinity")),
    "no number": archive(with_text(("limits", "flaws", 0), b"NaN")),
    "an owner without end": archive(with_text(("owners", 0), b"Infinity")),
    "400 digits as an owner": archive(with_text(("owners", 0), b"9" * 400)),
    "400 digits as a limit": archive(with_text(("limits", "rival"), b"9" * 400)),
    "400 digits as the format": archive(with_text(("format",), b"9" * 400)),
    "half a letter": archive(with_text(("name",), rb'"\ud83d"')),
    "an encrypted description": meddled(archive(with_text((), b"{}")), *ENCRYPTED),
    "an encrypted picture": meddled(archive(json.dumps(description()).encode()), *ENCRYPTED, entry=1),
    "patched data": meddled(archive(b"{}"), "flags", 0x20),
    "a zip of the future": meddled(archive(b"{}"), "version", 99),
}


@pytest.mark.parametrize("kind", KNOWN)
@pytest.mark.parametrize("words", [("recognise", "nowhere.png"), ("watch", "--simulate", "--once")])
def test_a_verb_refuses_a_strangers_deck_in_one_sentence(
    kind: str, words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "stranger.deck"
    path.write_bytes(KNOWN[kind])
    assert run(["--set", f"storage.folder={tmp_path}", *words, "--deck", str(path)]) == 2
    said = capsys.readouterr().err
    assert said.startswith("companion: stranger.deck ")
    assert said.count("\n") == 1


@pytest.mark.slow
@thorough
@given(
    text=st.sampled_from(TEXTS),
    at=st.integers(0, 40),
    field=st.none() | st.tuples(st.sampled_from(sorted(FIELDS)), st.sampled_from(NUMBERS), st.integers(0, 1)),
    flips=st.lists(st.tuples(st.integers(0, 1 << 18), st.integers(0, 255)), max_size=3),
)
def test_a_strangers_deck_is_opened_or_refused_however_it_was_made(
    text: bytes,
    at: int,
    field: tuple[str, int, int] | None,
    flips: list[tuple[int, int]],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    where = places(description())
    raw = bytearray(archive(with_text(where[at % len(where)], text)))
    if field is not None:
        raw = bytearray(meddled(bytes(raw), field[0], field[1], entry=field[2]))
    for place, byte in flips:
        raw[place % len(raw)] = byte
    path = tmp_path_factory.getbasetemp() / "meddled.deck"
    path.write_bytes(raw)
    try:
        found = Deck.load(path)
    except DeckError as refused:
        sentence = str(refused)
        assert sentence.startswith("meddled.deck ")
    else:
        assert found.cards


def test_what_is_no_file_is_no_deck_and_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.deck")
    for name in ("pipe.deck", ".", "missing.deck"):
        with pytest.raises(DeckError):
            Deck.load(tmp_path / name)


def test_a_deck_that_fails_in_play_is_logged_once_and_then_once_a_minute(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "decks").mkdir()
    (tmp_path / "decks" / "kinapa.deck").write_bytes(KNOWN["nested without end"])
    clock = ManualClock()
    eye = TableReader(clock, tmp_path)
    eye.begin_game("kinapa", 4)
    textures = Textures.load(game_assets_folder("kinapa") / "decks" / "kinapa")
    mat = TableRenderer(textures, printed_mat("kinapa"), MIDDLE).render(
        TableScene(), np.random.default_rng(1)
    )
    lines: list[int] = []
    with caplog.at_level(logging.WARNING):
        for _ in range(0, 61 * SECOND, table_reader.RETRY_INTERVAL):
            clock.move_to(clock.now() + table_reader.RETRY_INTERVAL)
            list(eye.step(mat, clock.now()))
            lines.append(len(caplog.records))
    assert eye.trouble is not None
    assert eye.trouble.key == "ui.watch.no_deck"
    assert (lines[0], lines[-2], lines[-1]) == (1, 1, 2)
