"""`companion uplink`: publishes this table to a club or to Home Assistant over MQTT."""

import argparse
import os
from pathlib import Path

from companion.core.errors import InputError
from companion.settings.files import settings_from_stdin
from companion.settings.model import Settings
from companion.system.extras import require_extra


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Serve the uplink until it is ended.

    Raises `CompanionError` where paho-mqtt is not installed, `InputError` where no table was ever started.
    """
    require_extra("home")
    from companion.home.serve import serve_uplink

    if args.connected is None:
        own = os.environ.get("STATE_DIRECTORY")
        folder = Path(own) if own else settings.store_folder()
        if not own and not folder.is_dir():
            raise InputError(f"there is no table in {folder}; start it first: companion play")
        return serve_uplink(settings, folder=folder, path=args.socket)
    import socket

    settings = settings_from_stdin()
    connected = socket.socket(fileno=args.connected)
    return serve_uplink(settings, folder=settings.store_folder(), connected=connected)
