"""`companion desk`: serves the web pages on which a club runs its tournaments."""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import closing
from typing import TYPE_CHECKING

from companion.core.errors import InputError
from companion.settings.model import Settings
from companion_club.cli import require_hub_libraries

if TYPE_CHECKING:
    from companion_club.desk.serve import DeskAddress

MAX_SIMULATED_TABLES = 60
"""Simulated ones, on one laptop."""


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Serve the desk until it is ended, set a password, or simulate an evening.

    Raises `CompanionError` where a library is not installed, `InputError` for a port that cannot be and for
    options that go with simulated tables alone, or a network that is none.
    """
    require_hub_libraries()
    from companion_club.desk.guard import parse_networks
    from companion_club.desk.serve import DeskAddress, new_password, open_desk, serve_desk

    where = DeskAddress(
        args.host,
        args.port,
        args.certificate,
        args.key,
        tuple(args.name or ()),
        parse_networks(args.network or ()),
        parse_networks(args.proxy or ()),
    )
    if args.simulate is not None:
        return _run_simulated_evening(args, where)
    if args.by_hand or args.game:
        raise InputError("--by-hand and --game are for simulated tables: companion desk --simulate")
    with closing(open_desk(args.database or settings.club_database(), club=settings.club.name)) as desk:
        return new_password(desk, args.password) if args.password else serve_desk(desk, where)


def _run_simulated_evening(args: argparse.Namespace, where: DeskAddress) -> int:
    """An evening of simulated tables; it is forgotten at the end, unless a database was named."""
    from tempfile import TemporaryDirectory

    from companion.games import find_game_rules
    from companion_club.desk.serve import create_logins, open_desk, serve_desk
    from companion_club.desk.simulated_evening import (
        SimulatedClub,
        SimulatedClubOptions,
        prepare_event,
        print_summary,
    )

    if not 1 <= args.simulate <= MAX_SIMULATED_TABLES:
        raise InputError(f"one laptop simulates 1 to {MAX_SIMULATED_TABLES} tables")
    if not 0 < args.speed <= 10_000:
        raise InputError("--speed is how many times as fast as people: more than 0, at most 10000")
    game = find_game_rules(args.game).name if args.game else ""
    wish = SimulatedClubOptions(
        args.simulate, args.speed, args.rounds, by_hand=args.by_hand, game=game, seed=args.seed
    )
    with (
        TemporaryDirectory(prefix="companion-desk-") as folder,
        closing(open_desk(args.database or f"{folder}/club.sqlite")) as desk,
    ):
        create_logins(desk)
        event = prepare_event(desk, wish)
        print_summary(wish)
        with SimulatedClub(desk, wish, event).run_in_thread():
            return serve_desk(desk, where, began=_open_in_browser if not args.no_browser else lambda _: None)


def _open_in_browser(where: DeskAddress) -> None:
    """Open the desk in a browser on this screen, if there is one."""
    if sys.stdout.isatty() and (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        import webbrowser

        webbrowser.open(where.address)
