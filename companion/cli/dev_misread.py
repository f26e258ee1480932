"""`companion dev misread`: the picture behind a wrong reading becomes a labelled test image."""

import argparse

from companion.settings.model import Settings
from companion.settings.terminal import say


def run(args: argparse.Namespace, settings: Settings) -> int:
    from companion.diagnostics.misread import labelled

    made = labelled(
        settings,
        args.game,
        args.entry,
        card=args.card,
        place=args.place,
        turned=args.turned,
        out=args.out,
    )
    say(f"{made.photo}: {made.card} at {made.place}, read as {made.read}")
    say(f"Measure with it: make bench-vision DATA={args.out} ARGS='--sets {made.game} --alone'")
    return 0
