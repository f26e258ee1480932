"""`companion completion`: what a shell needs to complete commands, options and files."""

from __future__ import annotations

import argparse
from pathlib import Path

from companion.core.errors import CompanionError
from companion.settings.model import Settings
from companion.settings.terminal import hand_over

NAME = "completion"
HELP = "print what your shell needs to complete commands: bash, zsh, fish"
GROUP = "Set up"
EXAMPLES = (
    "companion completion bash > ~/.local/share/bash-completion/completions/companion",
    "companion completion fish > ~/.config/fish/completions/companion.fish",
)
SHELLS = ("bash", "zsh", "fish")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, help="your shell")


def run(args: argparse.Namespace, settings: Settings) -> int:
    try:
        import shtab
    except ImportError:
        raise CompanionError(
            "This needs the library shtab: pip install 'table-companion[completion]'"
        ) from None
    from companion.cli.command import whole_parser

    parser = whole_parser()
    _complete_files(parser, shtab.FILE)
    hand_over(shtab.complete(parser, args.shell))
    return 0


def _complete_files(parser: argparse.ArgumentParser, files: object) -> None:
    """Every argument that is a path, those of commands too, is completed by `files`."""
    for action in parser._actions:  # noqa: SLF001 (argparse tells nobody else)
        if action.type is Path:
            action.complete = files  # type: ignore[attr-defined]  # as shtab's manual has it
        if isinstance(action.choices, dict):
            for part in action.choices.values():
                _complete_files(part, files)
