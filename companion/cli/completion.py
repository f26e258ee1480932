"""`companion completion`: what a shell needs to complete commands, options and files."""

from __future__ import annotations

import argparse
from pathlib import Path

from companion.core.errors import CompanionError
from companion.games import names
from companion.settings.model import Settings
from companion.settings.terminal import hand_over


def run(args: argparse.Namespace, settings: Settings) -> int:
    try:
        import shtab
    except ImportError:
        raise CompanionError(
            "This needs the library shtab: pip install 'table-companion[completion]'"
        ) from None
    from companion.cli.command import whole_parser

    parser = whole_parser()
    _complete_words(parser, shtab.FILE)
    hand_over(shtab.complete(parser, args.shell))
    return 0


def _complete_words(parser: argparse.ArgumentParser, files: object) -> None:
    """Paths are completed by `files` and games by their names, those of every command too."""
    for action in parser._actions:  # noqa: SLF001 (argparse tells nobody else)
        if action.type is Path:
            action.complete = files  # type: ignore[attr-defined]  # as shtab's manual has it
        elif action.metavar == "GAME" and action.type is None:
            action.choices = names()
        elif isinstance(action.choices, dict):
            for part in action.choices.values():
                _complete_words(part, files)
