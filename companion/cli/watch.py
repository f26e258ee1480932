"""`companion watch`: shows live what is read, how surely, and the time per picture."""

from __future__ import annotations

import argparse
from pathlib import Path

from companion.core.errors import InputError
from companion.settings.model import Settings

NAME = "watch"
HELP = "show live what the camera reads"
GROUP = "Set up"
EXAMPLES = ("companion watch GAME", "companion watch GAME --from table.jpg --once")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "game", nargs="?", metavar="GAME", help="which deck to read (default: the first game)"
    )
    parser.add_argument("--deck", metavar="DECK", help="a deck file from companion enrol, instead of GAME")
    parser.add_argument(
        "--from",
        dest="source",
        type=Path,
        metavar="PATH",
        help="read pictures or a video instead of the camera: a folder or a file",
    )
    parser.add_argument("--simulate", action="store_true", help="use a drawn table and simulated people")
    parser.add_argument("--once", action="store_true", help="read one picture, print the cards, and stop")
    parser.add_argument(
        "--print",
        dest="printed",
        action="store_true",
        help="print changes instead of opening a window (default without a display)",
    )
    parser.add_argument(
        "--frames",
        type=int,
        metavar="N",
        help="print, and stop after N pictures",
    )
    parser.add_argument(
        "--explain",
        action="store_true",
        help="print the best match for each card, the next best, and why it was refused",
    )
    parser.add_argument("--json", action="store_true", help="print one line of JSON per picture")


def run(args: argparse.Namespace, settings: Settings) -> int:
    if args.simulate and args.source is not None:
        raise InputError("use either --simulate or --from, not both.")
    if args.deck is not None and args.game is not None:
        raise InputError("use either GAME or --deck, not both.")
    if args.frames is not None and args.frames < 1:
        raise InputError("--frames must be at least 1.")
    if args.source is not None and not args.source.exists():
        raise InputError(f"can't find {args.source}; name a folder of pictures, a picture or a video.")
    from companion.games.asked import deck_named, game_named

    if args.deck is not None:
        deck_named(args.deck)
    elif args.game is not None:
        game_named(args.game)
    from companion.run.watch import printed, shown

    if args.once or args.printed or args.explain or args.json or args.frames is not None:
        most = 1 if args.once else args.frames
        return printed(settings, args, most=most)
    return shown(settings, args)
