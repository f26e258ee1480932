"""`companion calibrate`: calibrates the camera, at the screen or from one picture."""

import argparse

from companion.core.errors import InputError
from companion.settings.model import Settings


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Calibrate at the screen, or once and print it. Raises `InputError` for --from with --simulate."""
    from companion.games import find_game_rules, games_with_mat
    from companion.programs.camera_programs import calibrate_on_screen, calibrate_once, simulate_bare_mat

    game = games_with_mat()[0] if args.game is None else find_game_rules(args.game).name
    if args.source is not None:
        if args.simulate:
            raise InputError("use either --from or --simulate, not both.")
        camera = {"kind": "folder", "device": str(args.source)}
        from msgspec.structs import replace

        settings = replace(settings, camera=replace(settings.camera, **camera))
    simulated = simulate_bare_mat(game) if args.simulate else None
    if args.once or args.json:
        return calibrate_once(settings, game, simulated, as_json=args.json)
    return calibrate_on_screen(settings, game, simulated)
