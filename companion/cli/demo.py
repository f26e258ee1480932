"""`companion demo`: plays a whole game at a simulated table; without a game, a show of two."""

import argparse

from companion.settings.model import Settings

DEFAULT_SEATS = 4
DEFAULT_SEED = 1


def run(args: argparse.Namespace, settings: Settings) -> int:
    from companion.games import check_player_count, find_game_rules

    wanted = (args.game, args.seats, args.seed, args.record)
    plain = args.bot or any(one is not None for one in wanted)
    rules = find_game_rules(args.game)
    seats = min(max(DEFAULT_SEATS, rules.players[0]), rules.players[-1]) if args.seats is None else args.seats
    check_player_count(rules, seats, bot=args.bot)
    from companion.programs.play import open_splash_window

    window = open_splash_window(settings, "Table companion: demo")
    from companion.programs.demo import Act, run_demo, show_acts

    seed = DEFAULT_SEED if args.seed is None else args.seed
    acts = (Act(rules, seats, seed, bot=args.bot),) if plain else show_acts()
    return run_demo(acts, settings, fast=args.fast, record=args.record, window=window)
