"""`companion watch`: shows live what is read, how surely, and the time per picture."""

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
