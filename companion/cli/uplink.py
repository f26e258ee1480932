"""`companion uplink`: a club's desk and Home Assistant hear this table through a broker."""

import argparse
import os
import sys
from importlib.util import find_spec
from pathlib import Path

from companion.core.errors import CompanionError, InputError
from companion.settings.extras import to_add
from companion.settings.model import Settings


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Serve the uplink until it is ended.

    Raises `CompanionError` where paho-mqtt is not installed, `InputError` where no table was ever started.
    """
    if find_spec("paho") is None:
        raise CompanionError(f"This needs the library paho-mqtt: {to_add('uplink')}")
    from companion.uplink.serve import serve

    if args.connected is None:
        own = os.environ.get("STATE_DIRECTORY")
        folder = Path(own) if own else settings.store_folder()
        if not own and not folder.is_dir():
            raise InputError(f"there is no table in {folder}; start it first: companion play")
        return serve(settings, folder=folder, path=args.socket)
    import socket

    import msgspec

    settings = msgspec.json.decode(sys.stdin.buffer.read(), type=Settings)
    connected = socket.socket(fileno=args.connected)
    return serve(settings, folder=settings.store_folder(), connected=connected)
