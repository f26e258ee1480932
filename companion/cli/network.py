"""The commands that serve a process beside the table: `page` and `uplink`."""

import argparse
import os
from pathlib import Path

from companion.core.errors import CompanionError, InputError
from companion.settings.files import settings_from_stdin
from companion.settings.model import Settings
from companion.system.extras import require_extra

PAGE_STATE_FOLDER = "/var/lib/companion-page"
"""The page's own folder on an appliance; `StateDirectory` in `systemd/companion-page.service`."""


def page_command(args: argparse.Namespace, settings: Settings) -> int:
    """Serve the page until it is ended, manage the stream's key, or show simulated people.

    Raises `CompanionError` where a library is not installed, `InputError` for a port that cannot be and for
    options that go with --simulate alone.
    """
    require_extra("page")
    if args.overlay or args.new_key:
        return _print_overlay_address(args)
    if (args.certificate is None) != (args.key is None):
        raise InputError("--certificate and --key belong together: name both files")
    tls = () if args.certificate is None else (args.certificate, args.key)
    for file in tls:
        if not file.is_file():
            raise InputError(f"there is no file {file}")
    if tls:
        _check_certificate(*tls)
    if args.simulate:
        from companion.programs.simulated_broadcast import run_broadcast

        return run_broadcast(
            settings,
            game=args.game,
            seats=args.seats,
            seed=args.seed,
            host=args.host,
            port=args.port,
            tls=tls,
        )
    if args.game or args.seats:
        raise InputError("GAME and --seats are for simulated people: companion page --simulate")
    from companion.network.web import table_link
    from companion.network.web.serve import serve_page

    if args.connected is None:
        own = os.environ.get("STATE_DIRECTORY")
        folder = Path(own) if own else None
        opened = table_link.open_at(args.socket)
        return serve_page(opened, host=args.host, port=args.port, folder=folder, tls=tls)
    import socket

    connected = socket.socket(fileno=args.connected)
    return serve_page(table_link.open_over(connected), host=args.host, port=args.port, once=True, tls=tls)


def _check_certificate(certificate: Path, key: Path) -> None:
    """Raise `InputError` where the page could not be served with these files."""
    import ssl

    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key)
    except ssl.SSLError:  # it names neither file
        raise InputError(
            f"{certificate} is no certificate that goes with the key {key}: make both again, as"
            " docs/play/phones.md says"
        ) from None
    except OSError as error:
        raise InputError(
            f"the certificate or its key can't be read ({error.strerror}): {certificate}, {key}"
        ) from None


def _print_overlay_address(args: argparse.Namespace) -> int:
    """Where a stream shows the table of this appliance."""
    from companion.network.web.overlay import OverlayKey
    from companion.network.web.serve import browser_address, overlay_url
    from companion.system.terminal import print_lines

    if not Path(PAGE_STATE_FOLDER).is_dir():
        raise CompanionError(
            "The page was never on here: sudo systemctl enable --now companion-page"
            " (with --simulate it prints the stream's address itself)"
        )
    if not os.access(PAGE_STATE_FOLDER, os.R_OK | os.X_OK):
        raise CompanionError("The stream's address is the page's own: sudo companion page --overlay")
    keys = OverlayKey(Path(PAGE_STATE_FOLDER))
    key = keys.renew() if args.new_key else keys.key or keys.renew()
    print_lines(overlay_url(browser_address(args.host), args.port, key))
    return 0


def uplink_command(args: argparse.Namespace, settings: Settings) -> int:
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
