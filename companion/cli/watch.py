"""`companion watch`: shows live which cards the camera recognises."""

import argparse

from companion.core.errors import InputError
from companion.settings.model import Settings


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Show or print what is read.

    Raises `InputError` for options that exclude each other, and for a source that is not there.
    """
    if args.simulate and args.source is not None:
        raise InputError("use either --simulate or --from, not both.")
    if args.deck is not None and args.game is not None:
        raise InputError("use either GAME or --deck, not both.")
    if args.frames is not None and args.frames < 1:
        raise InputError("--frames must be at least 1.")
    if args.source is not None and not args.source.exists():
        raise InputError(f"can't find {args.source}; name a folder of pictures, a picture or a video.")
    from companion.games import find_deck_file, find_game_rules

    if args.deck is not None:
        find_deck_file(args.deck)
    elif args.game is not None:
        find_game_rules(args.game)
    from companion.programs.camera_programs import watch_in_window, watch_on_terminal

    if args.once or args.printed or args.explain or args.json or args.frames is not None:
        most = 1 if args.once else args.frames
        return watch_on_terminal(settings, args, most=most)
    return watch_in_window(settings, args)
