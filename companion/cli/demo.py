"""`companion demo`: a whole game with a simulated table, through pins, pixels, screen and voice."""

from __future__ import annotations

import argparse
from pathlib import Path

from companion.settings.model import Settings

NAME = "demo"
SEATS = 4
HELP = "watch a simulated game"
GROUP = "Play"
EXAMPLES = ("companion demo", "companion demo GAME", "companion demo GAME --seats 6 --seed 7")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", metavar="GAME", nargs="?", help="which game to watch")
    parser.add_argument(
        "--seats",
        type=int,
        metavar="N",
        help=f"how many players (default: {SEATS}, or as close as the game allows)",
    )
    parser.add_argument("--bot", action="store_true", help="add a BOT hand")
    parser.add_argument(
        "--seed",
        type=int,
        default=1,
        metavar="S",
        help="random seed: the same one deals the same cards (default: %(default)s)",
    )
    parser.add_argument("--fast", action="store_true", help="play as fast as this computer can")
    parser.add_argument(
        "--record", type=Path, metavar="DIR", help="save journal, camera pictures, screens and sound in DIR"
    )


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
