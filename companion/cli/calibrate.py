"""`companion calibrate`: where the table lies in the picture, how well it is lit, and the camera's lock."""

from __future__ import annotations

import argparse
from pathlib import Path

from companion.core.errors import InputError
from companion.settings.model import Settings

NAME = "calibrate"
HELP = "find the mat in the camera's picture, check the light and lock the camera"
GROUP = "Set up"
EXAMPLES = ("companion calibrate", "companion calibrate --simulate")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", metavar="GAME", nargs="?", help="whose places to show first")
    parser.add_argument(
        "--from", dest="source", type=Path, metavar="DIR", help="use a folder of pictures instead of a camera"
    )
    parser.add_argument(
        "--simulate", action="store_true", help="use a drawn table instead of a camera; nothing is saved"
    )
    parser.add_argument(
        "--once",
        action="store_true",
        help="without a screen: look for the mat's marks, print what was found, and save it",
    )
    parser.add_argument("--json", action="store_true", help="as --once, and print what was found as JSON")


def run(args: argparse.Namespace, settings: Settings) -> int:
    from companion.games import mats
    from companion.games.asked import game_named
    from companion.run.calibrate import at_the_screen, once, simulated_table

    game = mats()[0] if args.game is None else game_named(args.game).name
    if args.source is not None:
        if args.simulate:
            raise InputError("use either --from or --simulate, not both.")
        camera = {"kind": "folder", "device": str(args.source)}
        from msgspec.structs import replace

        settings = replace(settings, camera=replace(settings.camera, **camera))
    simulated = simulated_table(game) if args.simulate else None
    if args.once or args.json:
        return once(settings, game, simulated, as_json=args.json)
    return at_the_screen(settings, game, simulated)
