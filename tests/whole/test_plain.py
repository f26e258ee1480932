"""What files, headers and devices say is shown on the terminal and on the screen, and steers neither."""

from __future__ import annotations

import ast
import json
import logging
from pathlib import Path

import pygame
import pytest
from msgspec.structs import replace

from companion.cli.command import run
from companion.core.view import Sentence
from companion.games import RULES
from companion.language.language import Language
from companion.referee.journal import json_lines
from companion.system.terminal import count_with_noun, print_json, print_lines, to_printable
from companion.ui.toolkit.text_painter import TextPainter

ROOT = Path(__file__).parents[2]
FORGED = "Ann\n   9  2026-11-20 20:00  kinapa      won by Eve  (Eve)\x1b[2K\u202e\x9b1A\x00"
NAME = "Ann\n   9  2026\x1b[2K\u202e\x9b1A\x00"
"""As long as a name may be."""
STEERING = (
    "\r\x1b\x07\x00\x9b\u061c\u200e\u200f\u202a\u202e\u2028\u2029\u2066\u2069\udc9b"
    "\u00ad\u200b\u2060\u2064\ufeff\ufffb\U000e0041"
)
EDGES = {
    "system/terminal.py",
    "__main__.py",
    "system/setup_opencv.py",
}
"""The edge itself, bars of progress, and what runs without the rest of the program."""


@pytest.fixture
def forged(tmp_path: Path) -> list[str]:
    """The beginning of a command line, at whose table somebody is called so."""
    journal = ROOT / "tests" / "playthroughs" / "kinapa" / "players-4.jsonl"
    header, entries = json_lines.parse_journal(journal.read_bytes(), RULES)
    header = replace(
        header,
        names=tuple((chair, NAME) for chair in header.setup.chairs),
        kind="game",
        date="2026-11-20\x1b[1A\u202e\u200b",
    )
    file = tmp_path / "strange.jsonl"
    file.write_bytes(json_lines.encode_journal(header, entries))
    assert run(["--set", f"storage.folder={tmp_path}", "import", str(file)]) == 0
    return ["--set", f"storage.folder={tmp_path}"]


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    run(words)
    said = capsys.readouterr()
    return said.out + said.err


@pytest.mark.parametrize(
    "words",
    [("games",), ("games", "--league"), ("games", "--json"), ("forget",), ("recap", "1"), ("export", "1")],
)
def test_a_name_forges_no_line_and_steers_no_terminal(
    words: tuple[str, ...], forged: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    said = printed(capsys, *forged, *words)
    assert "Ann" in said, "the name is told"
    assert not set(STEERING) & set(said)
    assert not [line for line in said.splitlines() if line.startswith("   9  2026")]


def test_an_exported_journal_on_the_terminal_is_the_same_journal(
    forged: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run([*forged, "export", "1", str(tmp_path / "game.jsonl")])
    capsys.readouterr()
    run([*forged, "export", "1"])
    printed = capsys.readouterr().out.encode()
    assert json_lines.parse_journal(printed, RULES) == json_lines.parse_journal(
        (tmp_path / "game.jsonl").read_bytes(), RULES
    )


def test_an_error_and_the_log_keep_to_their_own_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = tmp_path / "cards\ncompanion: all is well\x1b[2K.deck"
    where.write_bytes(b"no deck")
    said = printed(capsys, "recognise", "x.png", "--deck", str(where))
    assert not [line for line in said.splitlines() if line.startswith("companion: all")]
    assert "\x1b" not in said


def test_a_warning_of_the_log_is_one_plain_line_on_the_terminal() -> None:
    from companion.programs.log_file import _OneLineFormatter

    record = logging.makeLogRecord({"name": "x", "msg": f"odd {FORGED}", "levelno": 30})
    told = _OneLineFormatter("%(message)s", lambda: "log").format(record)
    assert told == to_printable(told)


def test_json_says_the_same_in_plain_signs(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"name": FORGED + STEERING})
    said = capsys.readouterr().out
    assert json.loads(said) == {"name": FORGED + STEERING}
    assert not set(STEERING) & set(said)


def test_words_of_every_writing_stay_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    print_lines("Zoë, Łukasz, משה, 李雷, Ανθή, 👩‍👧 – “ok”")
    assert capsys.readouterr().out == "Zoë, Łukasz, משה, 李雷, Ανθή, 👩‍👧 – “ok”\n"


def test_a_name_in_a_sentence_is_one_line_of_the_screen() -> None:
    words = Language("en")
    for told in (
        words.chair_name(0, {0: FORGED}),
        words.text(Sentence("ui.watch.no_deck", (("deck", FORGED),))),
    ):
        assert "Ann" in told
        assert told == to_printable(told)


def test_the_screen_draws_any_text() -> None:
    painter = TextPainter(720)
    assert isinstance(painter.render_text(FORGED + STEERING), pygame.Surface)
    fitted = painter.fit_text(f"first\n{STEERING}", 800, 200)
    assert fitted.lines[0] == "first"
    assert all(line == to_printable(line) for line in fitted.lines)


def test_only_the_edge_prints_what_is_not_written_in_the_source() -> None:
    for path in sorted([*(ROOT / "companion").rglob("*.py"), *(ROOT / "club/companion_club").rglob("*.py")]):
        if path in {ROOT / "companion" / edge for edge in EDGES}:
            continue
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call):
                name = ast.unparse(call.func)
                assert name not in {"print", "sys.stdout.write", "sys.stderr.write"}, f"{path}: {name}"


def test_one_of_a_thing_is_said_in_the_singular() -> None:
    assert [count_with_noun(count, "game") for count in (0, 1, 2)] == ["0 games", "1 game", "2 games"]
    assert [count_with_noun(count, "entry", "entries") for count in (1, 2)] == ["1 entry", "2 entries"]
