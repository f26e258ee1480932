"""How each line is run, what it has to reach, and what ends it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from typing import NamedTuple

from companion.games import GAMES, RULES
from companion.teach.lesson import find_lesson_files, load_lesson

EXEMPT: tuple[tuple[str, str], ...] = (
    (r"make (?!demo).*", "a target of the Makefile: it sets up, tests, measures, packs or starts QEMU"),
    (r"sudo .*", "changes the machine"),
    (
        r"companion --(settings|table|set) .*",
        "the general form of an option; every line here is run with --set",
    ),
    (r".*\b(FILE|NAME)\b.*", "the general form: the same verb is run without it"),
    (
        r"companion voice.*",
        "needs a microphone and somebody who speaks; tests/cli/test_record_voice.py has both",
    ),
    (r"companion dev misread.*", "needs the kept picture of a ruling; tests/cli/test_misread.py takes one"),
)
"""Lines that are not run, and why."""

TOLD = re.compile(r"^ *\d+\.\d\d  \S")
"""A ruling as the demo prints it."""
SERVES = re.compile(r"^(?:Watch|The desk): http://")
HEARD = re.compile(r"^@ruling \d+")
STEP = re.compile(r"^@step \d+")
ANYTHING = re.compile(r".")
MUCH, SOME, FEW = 10, 5, 3
"""Rulings that are reached: at the smallest and the largest table, elsewhere, and beside a busy machine."""
STEPS = 3
"""Steps of a lesson."""


class Try(NamedTuple):
    """One command, run as a user runs it."""

    line: str
    person: bool = False
    """Somebody touches what the screen offers; else nobody is there."""
    goal: re.Pattern[str] | None = None
    """Lines that are waited for; None: it ends by itself."""
    count: int = 0  # type: ignore[assignment]  # nobody counts in a try
    stays: float = 0.0
    """Without a goal: it is let run for so many seconds, if it does not end by itself."""
    patience: float = 45.0
    """Seconds without a line that is waited for, or without an end, after which it is stuck."""
    codes: tuple[int, ...] = (0,)
    """How it may end by itself."""
    new: str = ""
    """A file that it writes, and that must not be there before."""
    beside: bool = False
    """Run beside a process that saturates every core."""


ABSENT = (0, 1, 2)
"""How a verb ends that a part is missing for: with one sentence."""
WITHOUT_PARTS = frozenset({"enrol", "watch", "calibrate", "press", "backup", "update"})
WITHOUT_CLUB = frozenset(
    {"companion uplink", "companion hub", "companion hub backup", "companion hub restore evening.club"}
)
"""They end with one sentence where no broker and no file is named, or that file is not there."""
AT_THE_GLASS = frozenset({"play", "practice", "resume", "teach", "drill"})


def try_of(line: str) -> Try | None:
    """How a line of the README is run; None: it is exempt or unknown."""
    if exempt(line) is not None:
        return None
    _, *words = shlex.split(line)
    if line.startswith("make demo"):
        words = ["demo", *shlex.split(" ".join(words[1:]).removeprefix("ARGS="))]
    verb, plain = words[0], "companion " + " ".join(words)
    simulated = "--simulate" in words
    if verb == "demo":
        return Try(plain, goal=TOLD, count=SOME)
    if verb == "page":  # lines run side by side, and one port serves one page
        return Try(plain if words == ["page", "--simulate"] else f"{plain} --port 8421", goal=SERVES, count=1)
    if verb == "desk":
        named = "--password" in words  # of a login that is not there
        return Try(plain, codes=(2,)) if named else Try(f"{plain} --port 0", goal=SERVES, count=1)
    if verb == "teach":
        if simulated:
            return Try(plain, person=True, goal=STEP, count=STEPS)
        return Try(plain, person=True, stays=6.0)
    if verb == "practice" or (verb == "play" and len(words) > 1):
        return Try(plain, person=True, goal=HEARD, count=SOME)
    if verb == "export":
        return Try(plain, new=words[-1])
    if verb in AT_THE_GLASS:
        return Try(plain, person=True, stays=6.0)
    if line in WITHOUT_CLUB:
        return Try(plain, stays=6.0, codes=(2,))
    asks_for_parts = verb in WITHOUT_PARTS or (verb == "doctor" and len(words) > 1)
    if asks_for_parts and not simulated and "--from" not in words:
        return Try(plain, stays=6.0, codes=ABSENT)
    if simulated:
        return Try(plain, person=verb == "enrol", stays=10.0)
    return Try(plain, patience=100.0)


def exempt(line: str) -> str | None:
    """Why a line is not run; None: it is run."""
    return next((reason for form, reason in EXEMPT if re.fullmatch(form, line)), None)


def understood(lines: Iterable[str], verbs: frozenset[str]) -> tuple[list[Try], list[str]]:
    """The tries of these lines, and the lines that are neither run nor exempt."""
    tries, unknown = [], []
    for line in lines:
        if exempt(line) is not None:
            continue
        one = try_of(line)
        if one is None or verb_of(one.line) not in {*verbs, "--help"}:
            unknown.append(line)
        elif one not in tries:
            tries.append(one)
    return tries, unknown


def verb_of(line: str) -> str:
    """The command of a line: `dev` has one more word."""
    first, *more = line.split()[1:]
    return f"{first} {more[0]}" if first == "dev" and more else first


def besides() -> list[Try]:
    """What the README says in words: every game, table, lesson, and each bench without its part."""
    tries = []
    for seed, (game, rules) in enumerate(RULES.items(), 1):
        for seats in (rules.players[0], rules.players[-1]):
            line = f"companion demo {game} --seats {seats} --seed {seed + 10 * seats}"
            tries.append(Try(line, goal=TOLD, count=MUCH))
        taken_over = f"companion demo {game} --seed {seed + 90}"
        tries.append(Try(taken_over, person=True, goal=HEARD, count=SOME))
        tries.append(Try(f"companion play {game}", person=True, goal=HEARD, count=SOME))
        if GAMES[game].opponents is not None:
            tries.append(Try(f"companion practice {game} --seed {seed}", person=True, goal=HEARD, count=SOME))
    for file in find_lesson_files():
        lesson = load_lesson(file)
        line = f"companion teach {lesson.game}/{lesson.mode} --simulate"
        tries.append(Try(line, person=True, goal=STEP, count=STEPS))
    tries += [
        Try("companion watch kinapa --simulate --once"),
        Try("companion watch kinapa --simulate --json", goal=ANYTHING, count=3),
        Try("companion watch kinapa --simulate", stays=8.0),
        Try("companion watch kinapa --from table.jpg --once"),
        Try("companion enrol kinapa --simulate", person=True, stays=12.0),
        Try("companion calibrate --simulate", person=True, stays=8.0),
        Try("companion calibrate --simulate --once"),
        Try("companion drill --simulate --signals 2"),
        Try("companion press --simulate"),
        Try("companion press --simulate --certify"),
    ]
    return tries


def beside_a_busy_machine() -> list[Try]:
    """The same games where every core has something else to do."""
    tries = []
    for seed, (game, rules) in enumerate(RULES.items(), 70):
        line = f"companion demo {game} --seats {rules.players[-1]} --seed {seed}"
        tries.append(Try(line, goal=TOLD, count=FEW, patience=90.0, beside=True))
    tries.append(
        Try("companion demo dnup --seats 2 --seed 75", goal=TOLD, count=FEW, patience=90.0, beside=True)
    )
    tries.append(Try("companion press --simulate", patience=60.0, beside=True))
    tries.append(Try("companion play kinapa", person=True, goal=HEARD, count=FEW, patience=90.0, beside=True))
    return tries
