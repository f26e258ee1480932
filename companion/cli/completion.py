"""`companion completion`: prints the script that completes commands in a shell."""

import argparse
import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from companion.core.errors import CompanionError
from companion.games import game_names
from companion.settings.model import Settings
from companion.system.extras import install_command
from companion.system.terminal import print_text

HEADER_PATTERN = re.compile(r"^(# .*\n)+", flags=re.MULTILINE)
"""What the library says of itself: another place than bash looks in."""
INSTALL_HINTS: Mapping[str, str] = MappingProxyType(
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
        raise CompanionError(f"This needs the library shtab: {install_command('completion')}") from None
    from companion.cli.command import build_full_parser

    parser = build_full_parser()
    _set_completers(parser, shtab.FILE)
    made: str = shtab.complete(parser, args.shell)
    print_text(HEADER_PATTERN.sub(f"# {INSTALL_HINTS[args.shell]}\n", made, count=1))
    return 0


def _set_completers(parser: argparse.ArgumentParser, files: object) -> None:
    """Paths are completed by `files` and games by their names, those of every command too."""
    for action in parser._actions:  # noqa: SLF001 (argparse tells nobody else)
        if action.type is Path:
            action.complete = files  # type: ignore[attr-defined]  # as shtab's manual has it
        elif action.metavar == "GAME" and action.type is None:
            action.choices = game_names()
        elif isinstance(action.choices, dict):
            for part in action.choices.values():
                _set_completers(part, files)
