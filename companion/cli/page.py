"""`companion page`: the table on telephones and televisions of the same network, to be watched."""

from __future__ import annotations

import argparse
from importlib.util import find_spec

from companion.core.errors import CompanionError, InputError
from companion.settings.model import Settings

NAME = "page"
HELP = "let phones and televisions watch the table"
GROUP = "Play"
EXAMPLES = ("companion page --simulate", "companion page --simulate GAME --seats 5")
PORT = 8420
SOCKET = "/run/companion-table/page.sock"
"""Where systemd has the table's door; `systemd/companion-table-page.socket`."""
NEEDS = ("anyio", "starlette", "uvicorn", "websockets", "segno")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "game", metavar="GAME", nargs="?", help="which game simulated people play (default: all)"
    )
    parser.add_argument("--simulate", action="store_true", help="show a table of simulated people")
    parser.add_argument("--seats", type=int, metavar="N", help="how many simulated people (default: 4)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="random seed (default: %(default)s)")
    parser.add_argument(
        "--host",
        default="0.0.0.0",  # noqa: S104 (phones come from the network; who is not near is refused)
        metavar="ADDRESS",
        help="serve at this IPv4 address only (default: every one of this machine)",
    )
    parser.add_argument("--port", type=int, default=PORT, metavar="N", help="default: %(default)s")
    parser.add_argument(
        "--socket", default=SOCKET, metavar="PATH", help="the table's socket (default: %(default)s)"
    )
    parser.add_argument("--connected", type=int, help=argparse.SUPPRESS)  # by the table that started it


def run(args: argparse.Namespace, settings: Settings) -> int:
    lacking = [name for name in NEEDS if find_spec(name) is None]
    if lacking:
        raise CompanionError(f"This needs the library {lacking[0]}: pip install 'table-companion[page]'")
    if not 0 <= args.port <= 65_535:
        raise InputError(f"there is no port {args.port}; name one from 1024 to 65535")
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
        return serve(link.at(args.socket), host=args.host, port=args.port)
    import socket

    connected = socket.socket(fileno=args.connected)
    return serve(link.over(connected), host=args.host, port=args.port, once=True)
