"""`companion dev misread`: the picture behind a wrong reading becomes a labelled test image."""

from __future__ import annotations

import argparse
from pathlib import Path

from companion.settings.model import Settings
from companion.settings.terminal import say

NAME = "dev misread"
HELP = "export a misread picture as a test case"
GROUP = "Develop"
EXAMPLES = ("companion dev misread 7 123",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", type=int, metavar="GAME", help="its number (see: companion games)")
    parser.add_argument(
        "entry",
        type=int,
        metavar="ENTRY",
        help="the entry with the misread card, numbered as in companion replay",
    )
    parser.add_argument(
        "--card", metavar="CARD", help="the card it really was (default: what the correction says)"
    )
    parser.add_argument("--place", metavar="PLACE", help="where it was, if the entry read several places")
    parser.add_argument("--turned", action="store_true", help="it was the other way up")
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("misread"),
        metavar="DIR",
        help="folder to add it to, for make bench-vision DATA=DIR (default: misread)",
    )


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
