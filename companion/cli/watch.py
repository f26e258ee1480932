"""`companion watch`: shows live what is read, how surely, and the time per picture."""

from __future__ import annotations

import argparse
from pathlib import Path

from companion.core.errors import InputError
from companion.settings.model import Settings

NAME = "watch"
HELP = "show live what the camera reads, how surely, and the time per picture"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", nargs="?", metavar="GAME", help="whose deck is read; else the first")
    parser.add_argument("--deck", metavar="DECK", help="a file made by companion enrol, in place of GAME")
    parser.add_argument(
        "--from",
        dest="source",
        type=Path,
        metavar="PATH",
        help="a folder of pictures, a picture, or a video in place of the camera",
    )
    parser.add_argument("--simulate", action="store_true", help="a drawn table, and somebody who lays cards")
    parser.add_argument("--once", action="store_true", help="read one picture, print it, and end")
    parser.add_argument(
        "--print",
        dest="printed",
        action="store_true",
        help="no window: print whatever changes; the default where there is no display",
    )
    parser.add_argument(
        "--frames",
        type=int,
        metavar="N",
        help="print, and end after N pictures; a folder or video is read once",
    )
    parser.add_argument(
        "--explain",
        action="store_true",
        help="with each card the best card, the next, and what refused it (printed; --json has it anyway)",
    )
    parser.add_argument("--json", action="store_true", help="print each picture as a line of JSON")


def run(args: argparse.Namespace, settings: Settings) -> int:
    if args.simulate and args.source is not None:
        raise InputError("--simulate and --from are two tables; name one.")
    if args.deck is not None and args.game is not None:
        raise InputError("GAME and --deck are two decks; name one.")
    if args.frames is not None and args.frames < 1:
        raise InputError("--frames takes a number from 1 on.")
    if args.source is not None and not args.source.exists():
        raise InputError(f"There is no {args.source}; name a folder of pictures, a picture or a video.")
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
