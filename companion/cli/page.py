"""`companion page`: the table on telephones and televisions of the same network, to be watched."""

import argparse
import os
from pathlib import Path

from companion.core.errors import CompanionError, InputError
from companion.settings.extras import need
from companion.settings.model import Settings

FOLDER = "/var/lib/companion-page"
"""The page's own folder on an appliance; `StateDirectory` in `systemd/companion-page.service`."""


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Serve the page until it is ended, manage the stream's key, or show simulated people.

    Raises `CompanionError` where a library is not installed, `InputError` for a port that cannot be and for
    options that go with --simulate alone.
    """
    need("page")
    if args.overlay or args.new_key:
        return _overlay(args)
    if args.simulate:
        from companion.run.watched import simulate

        return simulate(
            settings, game=args.game, seats=args.seats, seed=args.seed, host=args.host, port=args.port
        )
    if args.game or args.seats:
        raise InputError("GAME and --seats are for simulated people: companion page --simulate")
    from companion.page import link
    from companion.page.serve import serve

    if args.connected is None:
        own = os.environ.get("STATE_DIRECTORY")
        folder = Path(own) if own else None
        return serve(link.at(args.socket), host=args.host, port=args.port, folder=folder)
    import socket

    connected = socket.socket(fileno=args.connected)
    return serve(link.over(connected), host=args.host, port=args.port, once=True)


def _overlay(args: argparse.Namespace) -> int:
    """Where a stream shows the table of this appliance."""
    from companion.page.keys import Keys
    from companion.page.serve import overlay_at, reached_at
    from companion.settings.terminal import say

    if not Path(FOLDER).is_dir():
        raise CompanionError(
            "The page was never on here: sudo systemctl enable --now companion-page"
            " (with --simulate it prints the stream's address itself)"
        )
    if not os.access(FOLDER, os.R_OK | os.X_OK):
        raise CompanionError("The stream's address is the page's own: sudo companion page --overlay")
    keys = Keys(Path(FOLDER))
    key = keys.renew() if args.new_key else keys.key or keys.renew()
    say(overlay_at(reached_at(args.host), args.port, key))
    return 0
