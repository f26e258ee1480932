"""`companion completion`: what a shell needs to complete commands, options and files."""

import argparse
import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from companion.core.errors import CompanionError
from companion.games import names
from companion.settings.extras import to_add
from companion.settings.model import Settings
from companion.settings.terminal import hand_over

HEADER = re.compile(r"^(# .*\n)+", flags=re.MULTILINE)
"""What the library says of itself: another place than bash looks in."""
KEPT: Mapping[str, str] = MappingProxyType(
    {
        "bash": "Keep it as ~/.local/share/bash-completion/completions/companion: new shells find it there.",
        "zsh": "Keep it as _companion in a folder of $fpath.",
        "fish": "Keep it as ~/.config/fish/completions/companion.fish: a new shell finds it there.",
    }
)


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print the completion for one shell. Raises `CompanionError` where shtab is not installed."""
    try:
        import shtab
    except ImportError:
        raise CompanionError(f"This needs the library shtab: {to_add('completion')}") from None
    from companion.cli.command import whole_parser

    parser = whole_parser()
    _complete_words(parser, shtab.FILE)
    made: str = shtab.complete(parser, args.shell)
    hand_over(HEADER.sub(f"# {KEPT[args.shell]}\n", made, count=1))
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
