"""`companion teach`: learn a game at the table, with one's own hands."""

import argparse
from pathlib import Path

from companion.core.errors import InputError
from companion.settings.model import Settings


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Teach a lesson. Raises `InputError` for one with a mistake, and for chairs that do not fit it."""
    from msgspec.structs import replace

    from companion.cli.lessons import problems_in
    from companion.cli.play import chairs_named
    from companion.teach.lesson import lesson_named

    lesson = lesson_named(args.game)
    if args.game.endswith(".toml") and (wrong := problems_in(lesson, Path(args.game), walked=False)):
        raise InputError(f"{args.game}, {wrong[0]}. See all mistakes: companion lessons check {args.game}")
    seated = settings.table.chairs
    chairs = tuple(range(lesson.players))
    if args.chairs is not None:
        chairs = chairs_named(args.chairs, seated)
    if len(set(chairs)) != lesson.players:
        raise InputError(f"This lesson needs {lesson.players} chairs, e.g. --chairs 1,2,3,4.")
    pupils: tuple[int, ...] = () if args.seat is None else chairs_named(args.seat, seated)
    if not set(pupils) <= set(chairs):
        raise InputError("--seat must be one of the lesson's chairs.")
    from companion.run.opening import Beginning
    from companion.run.play import run_play
    from companion.ui.commands import Learn

    if args.simulate:
        settings = replace(settings, camera=replace(settings.camera, kind="none"))
        pupils = pupils or chairs[:1]
    command = Learn(args.game, chairs, pupils)
    return run_play(settings, Beginning(command=command, drawn=args.simulate, own_words=lesson.text))
