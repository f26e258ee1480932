"""`companion drill`: train the Stop; it is no game, and nothing is kept."""

from __future__ import annotations

import argparse

from companion.core.errors import InputError
from companion.settings.model import Settings

NAME = "drill"
HELP = "train the stop: reaction time, early presses, misses; never counted among the games"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--signals", type=int, default=10, metavar="N", help="twins to press for (%(default)s)"
    )
    parser.add_argument("--simulate", action="store_true", help="mock pins that press by themselves")
    parser.add_argument("--seed", type=int, metavar="S", help="which masks come (another order each time)")


def run(args: argparse.Namespace, settings: Settings) -> int:
    if not 1 <= args.signals <= 100:
        raise InputError(f"A drill has 1 to 100 signals, not {args.signals}.")
    from companion.run.drill import run_drill

    return run_drill(settings, signals=args.signals, simulate=args.simulate, seed=args.seed)
