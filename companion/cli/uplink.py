"""`companion uplink`: a club's desk and Home Assistant hear this table through a broker."""

import argparse
import os
from pathlib import Path

from companion.core.errors import InputError
from companion.settings.extras import need
from companion.settings.files import given
from companion.settings.model import Settings


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Serve the uplink until it is ended.

    Raises `CompanionError` where paho-mqtt is not installed, `InputError` where no table was ever started.
    """
    need("uplink")
    from companion.uplink.serve import serve

    if args.connected is None:
        own = os.environ.get("STATE_DIRECTORY")
        folder = Path(own) if own else settings.store_folder()
        if not own and not folder.is_dir():
            raise InputError(f"there is no table in {folder}; start it first: companion play")
        return serve(settings, folder=folder, path=args.socket)
    import socket

    settings = given()
    connected = socket.socket(fileno=args.connected)
    return serve(settings, folder=settings.store_folder(), connected=connected)
