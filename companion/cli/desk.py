"""`companion desk`: pairs a club's players, and shows and keeps their results, in browsers of its network."""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import closing
from typing import TYPE_CHECKING

from companion.core.errors import InputError
from companion.settings.extras import need
from companion.settings.model import Settings

if TYPE_CHECKING:
    from companion.desk.serve import Where

MOST_TABLES = 60
"""Simulated ones, on one laptop."""


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Serve the desk until it is ended, set a password, or simulate an evening.

    Raises `CompanionError` where a library is not installed, `InputError` for a port that cannot be and for
    options that go with simulated tables alone.
    """
    need("club")
    from companion.desk.serve import Where, new_password, opened, serve

    where = Where(args.host, args.port, args.certificate, args.key, tuple(args.name or ()))
    if args.simulate is not None:
        return _simulated(args, where)
    if args.by_hand or args.game:
        raise InputError("--by-hand and --game are for simulated tables: companion desk --simulate")
    with closing(opened(args.database or settings.club_database(), club=settings.club.name)) as desk:
        return new_password(desk, args.password) if args.password else serve(desk, where)


def _simulated(args: argparse.Namespace, where: Where) -> int:
    """An evening of simulated tables; it is forgotten at the end, unless a database was named."""
    from tempfile import TemporaryDirectory

    from companion.desk.serve import opened, serve, with_logins
    from companion.desk.simulated import Room, Wish, prepared, told
    from companion.games.asked import game_named

    if not 1 <= args.simulate <= MOST_TABLES:
        raise InputError(f"one laptop simulates 1 to {MOST_TABLES} tables")
    if not 0 < args.speed <= 10_000:
        raise InputError("--speed is how many times as fast as people: more than 0, at most 10000")
    game = game_named(args.game).name if args.game else ""
    wish = Wish(args.simulate, args.speed, args.rounds, by_hand=args.by_hand, game=game, seed=args.seed)
    with (
        TemporaryDirectory(prefix="companion-desk-") as folder,
        closing(opened(args.database or f"{folder}/club.sqlite")) as desk,
    ):
        with_logins(desk)
        event = prepared(desk, wish)
        told(wish)
        with Room(desk, wish, event).running():
            return serve(desk, where, began=_shown if not args.no_browser else lambda _: None)


def _shown(where: Where) -> None:
    """Open the desk in a browser on this screen, if there is one."""
    if sys.stdout.isatty() and (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        import webbrowser

        webbrowser.open(where.address)
