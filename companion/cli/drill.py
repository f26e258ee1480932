"""`companion drill`: trains the reaction to the Stop signal, outside any game."""

import argparse

from companion.core.errors import InputError
from companion.settings.model import Settings


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Train the Stop. Raises `InputError` for a number of signals outside 1 to 100."""
    if not 1 <= args.signals <= 100:
        raise InputError(f"--signals takes a number from 1 to 100, not {args.signals}.")
    from companion.programs.drill import run_drill

    return run_drill(
        settings, signals=args.signals, simulate=args.simulate, seed=args.seed, as_json=args.json
    )
