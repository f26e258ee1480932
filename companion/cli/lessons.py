"""`companion lessons`: what can be learnt here, and whether a lesson's file is right."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from companion.settings.model import Settings
from companion.settings.terminal import say

if TYPE_CHECKING:
    from companion.teach.check_file import Problem
    from companion.teach.lesson import Lesson

NAME = "lessons"
HELP = "list the lessons, or check a lesson file"
GROUP = "Play"
EXAMPLES = ("companion lessons", "companion lessons check")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what",
        choices=("list", "check"),
        nargs="?",
        default="list",
        help="list them, or check one (default: list)",
    )
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        type=Path,
        help="the lesson to check (default: all that come with the program)",
    )


def run(args: argparse.Namespace, settings: Settings) -> int:
    from companion.teach.lesson import load, shipped
    from companion.ui.language import Language

    if args.what == "list":
        language = Language(settings.table.language)
        for file in shipped():
            lesson = load(file)
            title = language.tr(lesson.title)
            say(f"{lesson.game:<12} {lesson.mode:<6} {title} ({lesson.steps} steps): {file}")
        return 0
    files = [args.file] if args.file is not None else list(shipped())
    return max([_check(file) for file in files], default=0)


def amiss(lesson: Lesson, file: Path, *, walked: bool) -> tuple[Problem, ...]:
    """What is wrong in a lesson's file; unless `walked`, only what is seen without going through it."""
    from companion.games.languages import codes
    from companion.teach.check_file import problems
    from companion.teach.lesson import source_of
    from companion.ui.language import Language

    catalogues = {code: Language(code) for code in codes()}
    source = source_of(file)
    return problems(lesson, source, lambda code, key: key in catalogues[code], codes(), walked=walked)


def _check(file: Path) -> int:
    from companion.teach.lesson import load

    lesson = load(file)
    found = amiss(lesson, file, walked=True)
    for problem in found:
        say(f"{file}, {problem}.")
    if not found:
        say(f"{file}: {lesson.steps} steps, no mistakes.")
    return 1 if found else 0
