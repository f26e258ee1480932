"""`companion demo`: a whole game with a simulated table, through pins, pixels, screen and voice."""

import argparse

from companion.settings.model import Settings

SEATS = 4


def run(args: argparse.Namespace, settings: Settings) -> int:
    from companion.games.asked import game_named, sits_down

    rules = game_named(args.game)
    seats = min(max(SEATS, rules.players[0]), rules.players[-1]) if args.seats is None else args.seats
    sits_down(rules, seats, bot=args.bot)
    from companion.run.opening import opened

    window = opened(settings, "Table companion: demo")
    from companion.run.demo import run_demo

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
