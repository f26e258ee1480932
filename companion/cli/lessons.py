"""`companion lessons`: what can be learnt here, and whether a lesson's file is right."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from companion.core.errors import InputError
from companion.settings.model import Settings
from companion.settings.progress import working
from companion.settings.terminal import say, say_json

if TYPE_CHECKING:
    from companion.teach.check_file import Problem
    from companion.teach.lesson import Lesson
    from companion.ui.language import Language


def run(args: argparse.Namespace, settings: Settings) -> int:
    """List the lessons, or check one or all; 1 if a lesson has a problem.

    Raises `InputError` for a lesson to list.
    """
    from companion.teach.lesson import load, shipped
    from companion.ui.language import Language

    if args.what == "list":
        if args.lesson is not None:
            raise InputError(f"the list takes no lesson; to check one: companion lessons check {args.lesson}")
        _list(Language(settings.table.language), as_json=args.json)
        return 0
    chosen = shipped() if args.lesson is None else (_file(args.lesson),)
    checked = []
    for file in chosen:
        with working(f"Going through {file.stem} of {file.parent.name}"):
            one = _check(file, load(file))
        checked.append(one)
        if not args.json:
            _tell(one)
    if args.json:
        say_json([one.plain() for one in checked])
    return int(any(one.problems for one in checked))


def _tell(checked: Checked) -> None:
    for problem in checked.problems:
        say(f"{checked.lesson}, {problem}.")
    if not checked.problems:
        say(f"{checked.lesson}: {checked.steps} steps, no mistakes.")


def _list(words: Language, *, as_json: bool) -> None:
    from companion.teach.lesson import load, shipped

    lessons = [load(file) for file in shipped()]
    if as_json:
        say_json(
            [
                {
                    "lesson": f"{lesson.game}/{lesson.mode}",
                    "game": lesson.game,
                    "title": words.tr(lesson.title),
                    "players": lesson.players,
                    "steps": lesson.steps,
                }
                for lesson in lessons
            ]
        )
        return
    for lesson in lessons:
        say(f"{f'{lesson.game}/{lesson.mode}':<16} {words.tr(lesson.title)} ({lesson.steps} steps)")


def _file(wanted: str) -> Path:
    """The file that is meant by its path or by the name that the list has for it."""
    from companion.teach.lesson import load, shipped

    if wanted.endswith(".toml"):
        return Path(wanted)
    named = {f"{lesson.game}/{lesson.mode}": file for file in shipped() for lesson in (load(file),)}
    if wanted not in named:
        raise InputError(f"There is no lesson {wanted!r}; choose from: {', '.join(named)}, or name a file.")
    return named[wanted]


def problems_in(lesson: Lesson, file: Path, *, walked: bool) -> tuple[Problem, ...]:
    """What is wrong in a lesson's file; unless `walked`, only what is seen without going through it."""
    from companion.games.languages import codes
    from companion.teach.check_file import problems
    from companion.teach.lesson import source_of
    from companion.ui.language import Language

    catalogues = {code: Language(code) for code in codes()}
    source = source_of(file)
    return problems(lesson, source, lambda code, key: key in catalogues[code], codes(), walked=walked)


class Checked(NamedTuple):
    """What came of one lesson's check."""

    lesson: str
    """Its name on the list; of a file, where it is."""
    steps: int
    problems: tuple[Problem, ...]

    def plain(self) -> dict[str, object]:
        return self._asdict() | {"problems": [problem._asdict() for problem in self.problems]}


def _check(file: Path, lesson: Lesson) -> Checked:
    from companion.teach.lesson import shipped

    name = f"{lesson.game}/{lesson.mode}" if file in shipped() else str(file)
    return Checked(name, lesson.steps, problems_in(lesson, file, walked=True))
