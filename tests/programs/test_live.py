"""What `make live` runs and how it judges: every line of the README is tried, what is wrong is seen."""

from __future__ import annotations

import os
import re
import sys
from contextlib import suppress
from pathlib import Path
from select import select

import pytest

from companion.cli import load_commands
from companion.cli.command import CLUB_COMMANDS
from companion.games import RULES
from companion.teach.lesson import find_lesson_files
from tests.programs.live.readme import lines, of_the_pages
from tests.programs.live.run import Followed, judged
from tests.programs.live.tries import EXEMPT, Try, besides, understood, verb_of

VERBS = frozenset({*CLUB_COMMANDS, *(verb.name for verb in load_commands())})


def test_every_line_of_the_pages_is_run_or_exempt() -> None:
    tries, unknown = understood(of_the_pages(), VERBS)
    assert unknown == []
    assert {verb_of(one.line) for one in tries} | {"dev misread", "import", "voice"} >= VERBS


def test_every_exemption_spares_a_line() -> None:
    for form, reason in EXEMPT:
        assert any(re.fullmatch(form, line) for line in of_the_pages()), reason


def test_lines_are_taken_from_blocks_text_and_tables() -> None:
    page = """
    Type `companion games --league`, or `ls`.
    | `companion drill` | train |
    ```console
.venv/bin/companion play kinapa   # with four
```
    """
    assert lines(page) == ("companion play kinapa", "companion games --league", "companion drill")


def test_a_verb_that_nobody_knows_is_not_passed_over() -> None:
    assert understood(["companion juggle"], VERBS) == ([], ["companion juggle"])


def test_every_game_is_shown_at_its_smallest_and_its_largest_table_and_every_lesson_taught() -> None:
    tried = [one.line for one in besides()]
    for game, rules in RULES.items():
        for seats in (rules.players[0], rules.players[-1]):
            assert any(f"demo {game} --seats {seats} " in line for line in tried)
    assert sum(" teach " in line for line in tried) == len(find_lesson_files())


RULING = re.compile("ruled")
BEGINS_ANOTHER = """
import signal, subprocess, sys
other = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
print("ruled", other.pid, flush=True)
signal.pause()
"""
UNTIL_TOLD = """
import signal, sys
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
print("ruled", flush=True)
signal.pause()
"""
DEAF = UNTIL_TOLD.replace("sys.exit(0)", "None") + "while True: signal.pause()"


@pytest.mark.parametrize(
    ("program", "one", "trouble"),
    [
        ("print('well')", Try(""), ""),
        ("raise SystemExit(1)", Try(""), "ended with code 1"),
        ("raise SystemExit(1)", Try("", codes=(0, 1, 2)), ""),
        ("1 / 0", Try("", codes=(0, 1)), "a traceback"),
        ("print('Traceback'); raise SystemExit(3)", Try(""), "a traceback; ended with code 3"),
        ("print('ruled')", Try("", goal=RULING, count=2), "ended with code 0 after 1 of 2"),
        (UNTIL_TOLD, Try("", goal=RULING, count=1), ""),
        (
            "import signal; signal.pause()",
            Try("", goal=RULING, count=2, patience=0.5),
            "stuck at 0 of 2: nothing for 0 s",
        ),
    ],
)
def test_what_is_wrong_with_a_program_is_seen(program: str, one: Try, trouble: str, tmp_path: Path) -> None:
    child = Followed([sys.executable, "-c", program], tmp_path, {}, leaves=60.0)
    assert judged(one, child) == trouble


def test_a_program_that_does_not_end_when_it_is_told_to_is_seen(tmp_path: Path) -> None:
    child = Followed([sys.executable, "-c", DEAF], tmp_path, {}, leaves=0.2)
    assert judged(Try("", goal=RULING, count=1), child) == "does not end within 0 s of SIGTERM"


def test_nothing_is_left_of_what_a_program_began_once_it_is_judged(tmp_path: Path) -> None:
    child = Followed([sys.executable, "-c", BEGINS_ANOTHER], tmp_path, {}, leaves=60.0)
    assert judged(Try("", goal=RULING, count=1, patience=60.0), child) == ""
    (line,) = child.lines
    with suppress(ProcessLookupError):  # it is gone; else its end is on the way
        other = os.pidfd_open(int(line.split()[1]))
        assert select([other], [], [], 60.0)[0], "it lives"
        os.close(other)
