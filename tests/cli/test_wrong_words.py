"""A wrong word is answered in one plain sentence, before anything heavy is imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from companion.cli.command import run
from companion.system.extras import CLUB_PACKAGE, install_command

WRONG = (
    ("recognise --deck missing.deck x.jpg", "there is no deck missing.deck"),
    ("recognise --deck kinappa x.jpg", "there is no deck kinappa: did you mean 'kinapa'?"),
    ("watch --from nofolder", "can't find nofolder"),
    ("watch --deck missing.deck", "there is no deck missing.deck"),
    ("watch nogame", "there is no game 'nogame'"),
    ("play kobayakawa --chairs 9,1,2", "this table has no chair '9'"),
    ("demo --seats 9", "for 2 to 8 players, not 9"),
    ("demo hearts --seats 5", "hearts is for 4 players, not 5"),
    ("play any_game --chairs 1,2,3,4,5,6,7,8,9,10", "this table has no chair '9'"),
    ("teach kinapa --chairs 9", "this table has no chair '9'"),
    ("drill --signals 0", "number from 1 to 100"),
    ("enrol --from nofolder --out x.deck", "there is no folder nofolder"),
    ("enrol --out x.deck", "use --from and --out together"),
    ("recap missing.jsonl", "missing.jsonl"),
    ("replay missing.jsonl", "missing.jsonl"),
)
SCRIPT = """
import sys
from companion.cli.command import run
for line in sys.argv[2:]:
    assert run(["--set", f"storage.folder={sys.argv[1]}", *line.split()]) == 2, line
    heavy = {"pygame", "cv2"} & set(sys.modules)
    assert not heavy, (line, heavy)
"""


def test_paths_and_numbers_are_looked_at_before_anything_heavy_is_imported(tmp_path: Path) -> None:
    lines, told = zip(*WRONG, strict=True)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path), *lines],
        check=False,
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    said = done.stderr.splitlines()
    assert len(said) == len(WRONG)
    for sentence, part in zip(said, told, strict=True):
        assert sentence.startswith("companion: ")
        assert part in sentence


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("demo --seats x", "--seats takes a whole number, not 'x'; see: companion demo --help"),
        ("practice --strength huge", "--strength cannot be 'huge'; choose from: "),
        ("demo --seats", "--seats needs a value; see: companion demo --help"),
        ("recognise x.jpg", "missing: --deck; see: companion recognise --help"),
        ("games --leage", "there is no option or argument --leage; did you mean --league? See: "),
        ("demo --players 3", "there is no option or argument --players; did you mean --seats? See: "),
        ("practice --seats 3", "there is no option or argument --seats; did you mean --players? See: "),
        ("play --players=3", "there is no option or argument --players=3; did you mean --chairs? See: "),
        ("games --json=yes", "--json takes no value such as 'yes'; see: companion games --help"),
    ],
)
def test_what_argparse_finds_wrong_is_one_plain_sentence(
    line: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(line.split()) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"companion: {said}")
    assert told.count("\n") == 1


@pytest.mark.parametrize(
    "words",
    [
        ("export", "9" * 5000),
        ("--set", "a" * 5000, "games"),
        ("x" * 5000,),
        ("games", "--since", "\x1b" * 5000),
        ("games", "--since", "a " * 5000),
    ],
)
def test_a_long_word_is_answered_shortly(
    words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["--set", f"storage.folder={tmp_path}", *words]) == 2
    said = capsys.readouterr().err
    assert said.startswith("companion: ")
    assert "…" in said
    assert "\x1b" not in said
    assert len(said) < 1200


@pytest.mark.parametrize("command", ["desk", "hub"])
def test_a_command_of_a_club_names_the_package_that_has_it(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("companion.cli.load_extensions", lambda group: {})
    assert run([command, "--simulate"]) == 1
    said = capsys.readouterr().err
    adds = install_command("hub", package=CLUB_PACKAGE)
    assert said == f"companion: the command {command} is in the package {CLUB_PACKAGE}: {adds}\n"


def test_the_schema_of_a_club_names_the_package_that_has_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("companion.cli.developer.load_extensions", lambda group: {})
    assert run(["dev", "schema", "club"]) == 1
    assert install_command(package=CLUB_PACKAGE) in capsys.readouterr().err
