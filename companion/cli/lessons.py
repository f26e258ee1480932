"""The commands of lessons: `lessons` lists and checks them, `teach` runs one at the table."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from companion.core.errors import InputError
from companion.settings.model import Settings
from companion.system.terminal import print_json, print_lines, show_activity

if TYPE_CHECKING:
    from companion.language.language import Language
    from companion.teach.lesson import Lesson
    from companion.teach.lint import LessonProblem


def lessons_command(args: argparse.Namespace, settings: Settings) -> int:
    """List the lessons, or check one or all; 1 if a lesson has a problem.

    Raises `InputError` for a lesson to list.
    """
    from companion.language.language import Language
    from companion.teach.lesson import find_lesson_files, load_lesson

    if args.what == "list":
        if args.lesson is not None:
            raise InputError(f"the list takes no lesson; to check one: companion lessons check {args.lesson}")
        _print_lessons(Language(settings.table.language), as_json=args.json)
        return 0
    chosen = find_lesson_files() if args.lesson is None else (_find_lesson_file(args.lesson),)
    checked = []
    for file in chosen:
        with show_activity(f"Going through {file.stem} of {file.parent.name}"):
            one = _check_lesson(file, load_lesson(file))
        checked.append(one)
        if not args.json:
            _print_check(one)
    if args.json:
        print_json([one.to_dict() for one in checked])
    return int(any(one.problems for one in checked))


def _print_check(checked: LessonCheck) -> None:
    for problem in checked.problems:
        print_lines(f"{checked.lesson}, {problem}.")
    if not checked.problems:
        print_lines(f"{checked.lesson}: {checked.steps} steps, no mistakes.")


def _print_lessons(words: Language, *, as_json: bool) -> None:
    from companion.teach.lesson import find_lesson_files, load_lesson

    lessons = [load_lesson(file) for file in find_lesson_files()]
    if as_json:
        print_json(
            [
                {
                    "lesson": f"{lesson.game}/{lesson.mode}",
                    "game": lesson.game,
                    "title": words.tr(lesson.title),
                    "players": lesson.players,
                    "steps": lesson.step_count,
                }
                for lesson in lessons
            ]
        )
        return
    for lesson in lessons:
        print_lines(
            f"{f'{lesson.game}/{lesson.mode}':<16} {words.tr(lesson.title)} ({lesson.step_count} steps)"
        )


def _find_lesson_file(wanted: str) -> Path:
    """The file that is meant by its path or by the name that the list has for it."""
    from companion.teach.lesson import find_lesson_files, load_lesson

    if wanted.endswith(".toml"):
        return Path(wanted)
    named = {
        f"{lesson.game}/{lesson.mode}": file
        for file in find_lesson_files()
        for lesson in (load_lesson(file),)
    }
    if wanted not in named:
        raise InputError(f"There is no lesson {wanted!r}; choose from: {', '.join(named)}, or name a file.")
    return named[wanted]


def find_lesson_problems(lesson: Lesson, file: Path, *, walked: bool) -> tuple[LessonProblem, ...]:
    """What is wrong in a lesson's file; unless `walked`, only what is seen without going through it."""
    from companion.language.installed_languages import language_codes
    from companion.language.language import Language
    from companion.teach.lesson import read_lesson_text
    from companion.teach.lint import find_problems

    catalogues = {code: Language(code) for code in language_codes()}
    source = read_lesson_text(file)
    return find_problems(
        lesson, source, lambda code, key: key in catalogues[code], language_codes(), walked=walked
    )


class LessonCheck(NamedTuple):
    """What came of one lesson's check."""

    lesson: str
    """Its name on the list; of a file, where it is."""
    steps: int
    problems: tuple[LessonProblem, ...]

    def to_dict(self) -> dict[str, object]:
        return self._asdict() | {"problems": [problem._asdict() for problem in self.problems]}


def _check_lesson(file: Path, lesson: Lesson) -> LessonCheck:
    from companion.teach.lesson import find_lesson_files

    name = f"{lesson.game}/{lesson.mode}" if file in find_lesson_files() else str(file)
    return LessonCheck(name, lesson.step_count, find_lesson_problems(lesson, file, walked=True))


def teach_command(args: argparse.Namespace, settings: Settings) -> int:
    """Teach a lesson. Raises `InputError` for one with a mistake, and for chairs that do not fit it."""
    from msgspec.structs import replace

    from companion.cli.play import parse_chairs
    from companion.teach.lesson import find_lesson

    lesson = find_lesson(args.game)
    if args.game.endswith(".toml") and (wrong := find_lesson_problems(lesson, Path(args.game), walked=False)):
        raise InputError(f"{args.game}, {wrong[0]}. See all mistakes: companion lessons check {args.game}")
    seated = settings.table.chairs
    chairs = tuple(range(lesson.players))
    if args.chairs is not None:
        chairs = parse_chairs(args.chairs, seated)
    if len(set(chairs)) != lesson.players:
        raise InputError(f"This lesson needs {lesson.players} chairs, e.g. --chairs 1,2,3,4.")
    pupils: tuple[int, ...] = () if args.seat is None else parse_chairs(args.seat, seated)
    if not set(pupils) <= set(chairs):
        raise InputError("--seat must be one of the lesson's chairs.")
    from companion.programs.play import run_play
    from companion.table.runtime import StartOptions
    from companion.ui.commands import StartLesson

    if args.simulate:
        settings = replace(settings, camera=replace(settings.camera, kind="none"))
        pupils = pupils or chairs[:1]
    command = StartLesson(args.game, chairs, pupils)
    return run_play(settings, StartOptions(command=command, drawn=args.simulate, own_words=lesson.text))
