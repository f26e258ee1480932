"""`companion games`: what is stored."""

from __future__ import annotations

import argparse
import json

from companion.settings import Settings

NAME = "games"
HELP = "list the stored games"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print the list as JSON")


def run(args: argparse.Namespace, settings: Settings) -> int:
    import msgspec

    from companion.cli._games import stored_games

    games = stored_games(settings)
    if args.json:
        print(json.dumps([msgspec.to_builtins(game) for game in games], indent=2, ensure_ascii=False))
        return 0
    if not games:
        print(f"No games are stored for the table {settings.table.name!r} yet.")
    for game in games:
        names = dict(game.names)
        people = ", ".join(names.get(chair) or f"chair {chair + 1}" for chair in game.chairs)
        if game.problem:
            ended = f"cannot be opened ({game.problem})"
        elif game.outcome is None:
            ended = "unfinished"
        elif game.outcome.winners:
            winners = ", ".join(names.get(chair) or f"chair {chair + 1}" for chair in game.outcome.winners)
            ended = f"won by {winners}"
        else:
            ended = game.outcome.termination
        print(f"{game.game:>4}  {game.date[:16].replace('T', ' '):<16}  {game.name:<10}  {ended}  ({people})")
    return 0
