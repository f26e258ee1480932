"""`companion demo`: plays a whole game at a simulated table."""

import argparse

from companion.settings.model import Settings

DEFAULT_SEATS = 4


def run(args: argparse.Namespace, settings: Settings) -> int:
    from companion.games import check_player_count, find_game_rules

    rules = find_game_rules(args.game)
    seats = min(max(DEFAULT_SEATS, rules.players[0]), rules.players[-1]) if args.seats is None else args.seats
    check_player_count(rules, seats, bot=args.bot)
    from companion.programs.splash import open_splash_window

    window = open_splash_window(settings, "Table companion: demo")
    from companion.programs.demo import run_demo

    return run_demo(
        rules,
        settings,
        seats=seats,
        bot=args.bot,
        seed=args.seed,
        fast=args.fast,
        record=args.record,
        window=window,
    )
