"""`companion update`: installs another version of the program from a bundle."""

from __future__ import annotations

import argparse
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.core.actions import SECOND
from companion.core.errors import CompanionError, InputError
from companion.settings.model import Settings
from companion.system import safe_files
from companion.system.safe_files import SizeLimit
from companion.system.terminal import print_lines

if TYPE_CHECKING:
    from companion.system.bundle import Bundle

SETTINGS_FILE, CONSOLE_DEVICE = Path("/etc/companion/settings.toml"), Path("/dev/tty1")
IN_FRONT = Path("/sys/class/tty/tty0/active")
"""The console that the screen shows."""
RUNNING = Path("/run/systemd/system")
"""Where systemd runs."""
CONFIRM_TIMEOUT, CONFIRM_HOLD = 60 * SECOND, 2 * SECOND


def run(args: argparse.Namespace, settings: Settings) -> int:
    bundle = _print_bundle(args.folder)
    print_lines(f"To install it: sudo companion update {bundle.folder} --digest {bundle.digest}")
    return 0


def run_without_settings(args: argparse.Namespace) -> int | None:
    """What changes the system: a version that came with broken settings has to go back, too.

    Raises `InputError` where not root, and for a digest that is not the bundle's.
    """
    if not (args.back or args.asked or args.digest or args.new_pin or args.installed):
        return None
    from companion.system.update_install import (
        install_bundle,
        install_requested,
        restore_previous,
        update_request,
    )

    if getattr(os, "geteuid", lambda: -1)() != 0:
        raise InputError("this changes the system: put sudo before it.")
    if args.back:
        print_lines(
            f"Version {restore_previous()} is in place again; "
            "games it can't open are marked in: companion games"
        )
    elif args.asked:
        print_lines(f"Version {install_requested(args.asked, held=_is_ok_held)} is in place.")
    elif args.new_pin:
        from companion.system.update_permissions import make_pin

        pin = make_pin(no_ok=args.no_ok_button, ok_button=_has_pins())
        print_lines(
            f"The owner's PIN for updates is {pin[:4]} {pin[4:]}. Write it down: it is kept nowhere else."
        )
    elif args.installed:
        from companion.system.machine import program_version
        from companion.system.update_permissions import record_installation

        record_installation(program_version(), ok_button=_has_pins())
    else:
        bundle = _print_bundle(args.folder)
        if args.digest.replace(" ", "").lower() != bundle.digest:
            raise InputError("this bundle has another digest: it isn't the one you name.")
        print_lines(f"Version {install_bundle(Path(bundle.folder), update_request(bundle))} is in place.")
    return 0


def _print_bundle(folder: Path | None) -> Bundle:
    """The bundle, and who vouches for it, said on the terminal."""
    from companion.system.bundle import OWNER_KEY_FILE, find_bundle, group_digest, inspect_bundle
    from companion.system.update_permissions import is_older
    from companion.table.power_and_usb import find_stick

    stick = find_stick() if folder is None else None
    place = folder or (stick and find_bundle(stick))
    if not place:
        raise CompanionError("no bundle found: plug a stick with one in, or name its folder.")
    bundle = inspect_bundle(place)
    print_lines(f"Version {bundle.version} in {bundle.folder}", f"Digest  {group_digest(bundle.digest)}")
    if is_older(bundle.version):
        print_lines("Older   than a version that this table has had")
    if bundle.signed:
        print_lines("Signed  with this table's key")
    else:
        print_lines(
            f"Signed  unknown: this table has no key (/{OWNER_KEY_FILE}); compare the digest with its maker's"
        )
    return bundle


# What root reads itself -------------------------------------------------------------------------------------


def _ok_button_line() -> tuple[int, int]:
    """Pin and chip of the OK button, of the machine's own settings: root alone writes them."""
    from hardware.pin_table import SHARED_BUTTON_PINS

    found: dict[str, Any] = {}
    with suppress(OSError, ValueError):
        found = safe_files.parse_toml(safe_files.read_text(SETTINGS_FILE, SizeLimit.SETTINGS)).get(
            "buttons", {}
        )
    pin, chip = SHARED_BUTTON_PINS[2], -1
    if isinstance(found, dict):
        pins = found.get("pins", {})
        pin = pins.get("ok", pin) if isinstance(pins, dict) else pin
        chip = found.get("chip", chip)
    if not (isinstance(pin, int) and isinstance(chip, int)):
        raise InputError(f"{SETTINGS_FILE}: pin or chip of the OK button is no number.")
    return pin, chip


def _has_pins() -> bool:
    """Whether this machine has the pins on which the OK button is; of an image it is taken that it has."""
    from hardware.buttons import open_pin_factory
    from hardware.errors import HardwareError

    if not RUNNING.is_dir():
        return True
    try:
        open_pin_factory(_ok_button_line()[1]).close()
    except (HardwareError, ImportError):
        return False
    return True


def _is_ok_held(words: str) -> bool:
    """Whether somebody holds OK, asked for on the bare screen; the table is stopped by now.

    Where the screen cannot say what it is held for, it is not asked for.
    """
    from hardware.buttons import is_ok_button_held

    try:
        with CONSOLE_DEVICE.open("w", encoding="ascii", errors="replace") as screen:
            screen.write(
                f"\033[2J\033[H\n{words}\n\nHold OK for {CONFIRM_HOLD // SECOND} seconds to install it.\n"
            )
            screen.write(
                f"Otherwise wait {CONFIRM_TIMEOUT // SECOND} seconds, and everything stays as it is.\n"
            )
        if safe_files.read_text(IN_FRONT, SizeLimit.NOTE).strip() != CONSOLE_DEVICE.name:
            return False
    except (OSError, ValueError):
        return False
    bcm, chip = _ok_button_line()
    return is_ok_button_held(bcm, chip, CONFIRM_TIMEOUT, CONFIRM_HOLD)
