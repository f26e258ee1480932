"""`companion calibrate`: where the table lies in the picture, how well it is lit, and the camera's lock."""

import argparse

from companion.core.errors import InputError
from companion.settings.model import Settings


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Calibrate at the screen, or once and print it. Raises `InputError` for --from with --simulate."""
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
