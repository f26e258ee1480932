"""`companion dev schema`: the JSON Schema of what this program writes."""

from __future__ import annotations

import argparse

from companion.settings.model import Settings
from companion.settings.terminal import say_json

NAME = "dev schema"
HELP = "print the JSON Schema of a journal or the settings"
GROUP = "Develop"
EXAMPLES = ("companion dev schema journal", "companion dev schema settings")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", choices=("journal", "settings"), help="which schema to print")
    parser.add_argument(
        "game", nargs="?", metavar="GAME", help="which game's journal (default: the first game installed)"
    )


def run(args: argparse.Namespace, settings: Settings) -> int:
    from companion.games.asked import game_named
    from companion.referee.journal import schema as journal_schema
    from companion.settings.files import schema as settings_schema

    printed = settings_schema() if args.what == "settings" else journal_schema(game_named(args.game))
    say_json(printed)
    return 0
