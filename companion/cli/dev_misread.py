"""`companion dev misread`: makes a labelled test image of a misread card."""

import argparse

from companion.settings.model import Settings
from companion.system.terminal import print_lines


def run(args: argparse.Namespace, settings: Settings) -> int:
    from companion.cli.checks.misread_pictures import write_labelled_picture

    made = write_labelled_picture(
        settings,
        args.game,
        args.entry,
        card=args.card,
        place=args.place,
        turned=args.turned,
        out=args.out,
    )
    print_lines(f"{made.photo}: {made.card} at {made.place}, read as {made.read}")
    print_lines(f"Measure with it: make bench-vision DATA={args.out} ARGS='--sets {made.game} --alone'")
    return 0
