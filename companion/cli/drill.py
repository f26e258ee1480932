"""`companion drill`: train the Stop; it is no game, and nothing is kept."""

from __future__ import annotations

import argparse

from companion.core.errors import InputError
from companion.settings.model import Settings

NAME = "drill"
HELP = "train your Stop: reaction time, early presses, misses"
GROUP = "Play"
EXAMPLES = ("companion drill", "companion drill --simulate")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--signals",
        type=int,
        default=10,
        metavar="N",
        help="how many twins to press for (default: %(default)s)",
    )
    parser.add_argument("--simulate", action="store_true", help="let the program press, without buttons")
    parser.add_argument("--json", action="store_true", help="print each drill as one line of JSON")
    parser.add_argument("--seed", type=int, metavar="S", help="random seed: repeat the same order of masks")


def run(args: argparse.Namespace, settings: Settings) -> int:
    if not 1 <= args.signals <= 100:
        raise InputError(f"--signals takes a number from 1 to 100, not {args.signals}.")
    from companion.run.drill import run_drill

    return run_drill(
        settings, signals=args.signals, simulate=args.simulate, seed=args.seed, as_json=args.json
    )
