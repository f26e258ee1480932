"""`companion teach`: runs a lesson at the table."""

import argparse
from pathlib import Path

from companion.core.errors import InputError
from companion.settings.model import Settings


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Teach a lesson. Raises `InputError` for one with a mistake, and for chairs that do not fit it."""
    from msgspec.structs import replace

    from companion.cli.lessons import find_lesson_problems
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
    from companion.programs.play import StartOptions, run_play
    from companion.ui.commands import StartLesson

    if args.simulate:
        settings = replace(settings, camera=replace(settings.camera, kind="none"))
        pupils = pupils or chairs[:1]
    command = StartLesson(args.game, chairs, pupils)
    return run_play(settings, StartOptions(command=command, drawn=args.simulate, own_words=lesson.text))
