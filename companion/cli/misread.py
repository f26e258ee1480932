"""`companion misread`: the picture behind a wrong reading becomes a labelled test image."""

from __future__ import annotations

import argparse
from pathlib import Path

from companion.settings.model import Settings
from companion.settings.terminal import say

NAME = "misread"
HELP = "make a labelled test image of the picture behind a wrong reading"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", type=int, metavar="GAME", help="its number in: companion games")
    parser.add_argument(
        "entry", type=int, metavar="ENTRY", help="the entry that read it, as companion replay counts them"
    )
    parser.add_argument("--card", metavar="CARD", help="what lay there; else what the correction says")
    parser.add_argument("--place", metavar="PLACE", help="where it lay, if the entry read several places")
    parser.add_argument("--turned", action="store_true", help="it lay the other way up than it was read")
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("misread"),
        metavar="DIR",
        help="folder to add it to, as make bench-vision DATA=DIR reads it (misread)",
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
    say(f"make bench-vision DATA={args.out} ARGS='--sets {made.game} --alone' measures with it.")
    return 0
