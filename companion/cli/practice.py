"""`companion practice`: plays a game against simulated opponents."""

import argparse

from companion.core.errors import InputError
from companion.settings.model import Settings


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Play against simulated people. Raises `InputError` for a game without practice."""
    from companion.games import GAMES, check_player_count, default_player_count, find_game_rules

    rules = find_game_rules(args.game)
    practised = [name for name, game in GAMES.items() if game.opponents is not None]
    if rules.name not in practised:
        raise InputError(f"There is no practice for {rules.name} yet; choose from: {', '.join(practised)}.")
    players = args.players or default_player_count(rules)
    check_player_count(rules, players, bot=args.bot)
    from companion.programs.practice import run_practice
    from companion.ui.commands import StartPractice

    wanted = StartPractice(rules.name, args.strength, args.open, players, args.bot)
    return run_practice(settings, wanted, seed=args.seed)
