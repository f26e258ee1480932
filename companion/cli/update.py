"""`companion update`: another version from a bundle, or the one before; the owner's PIN for it."""

from __future__ import annotations

import argparse
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.core import strangers
from companion.core.actions import SECOND
from companion.core.errors import CompanionError, InputError
from companion.core.strangers import Most
from companion.settings.model import Settings
from companion.settings.terminal import say

if TYPE_CHECKING:
    from companion.appliance.bundle import Bundle

SETTINGS, SCREEN = Path("/etc/companion/settings.toml"), Path("/dev/tty1")
IN_FRONT = Path("/sys/class/tty/tty0/active")
"""The console that the screen shows."""
RUNNING = Path("/run/systemd/system")
"""Where systemd runs."""
WITHIN, HOLD = 60 * SECOND, 2 * SECOND


def run(args: argparse.Namespace, settings: Settings) -> int:
    bundle = _shown(args.folder)
    say(f"To install it: sudo companion update {bundle.folder} --digest {bundle.digest}")
    return 0


def run_unsettled(args: argparse.Namespace) -> int | None:
    """What changes the system: a version that came with broken settings has to go back, too.

    Raises `InputError` where not root, and for a digest that is not the bundle's.
    """
    if not (args.back or args.asked or args.digest or args.new_pin or args.installed):
        return None
    from companion.appliance.updating import asked_for, back, install, install_asked

    if getattr(os, "geteuid", lambda: -1)() != 0:
        raise InputError("this changes the system: put sudo before it.")
    if args.back:
        say(f"Version {back()} is in place again; games it can't open are marked in: companion games")
    elif args.asked:
        say(f"Version {install_asked(args.asked, held=_held)} is in place.")
    elif args.new_pin:
        from companion.appliance.owner import new_pin

        pin = new_pin(no_ok=True if args.no_ok_button else None)
        say(f"The owner's PIN for updates is {pin[:4]} {pin[4:]}. Write it down: it is kept nowhere else.")
    elif args.installed:
        from companion.appliance.machine import program_version
        from companion.appliance.owner import record

        record(program_version(), ok_button=_finds_pins())
    else:
        bundle = _shown(args.folder)
        if args.digest.replace(" ", "").lower() != bundle.digest:
            raise InputError("this bundle has another digest: it isn't the one you name.")
        say(f"Version {install(Path(bundle.folder), asked_for(bundle))} is in place.")
    return 0


def _shown(folder: Path | None) -> Bundle:
    """The bundle, and who vouches for it, said on the terminal."""
    from companion.appliance.bundle import KEY, find_bundle, grouped, looked_at
    from companion.appliance.owner import is_older
    from companion.appliance.power_and_usb import find_stick

    stick = find_stick() if folder is None else None
    place = folder or (stick and find_bundle(stick))
    if not place:
        raise CompanionError("no bundle found: plug a stick with one in, or name its folder.")
    bundle = looked_at(place)
    say(f"Version {bundle.version} in {bundle.folder}", f"Digest  {grouped(bundle.digest)}")
    if is_older(bundle.version):
        say("Older   than a version that this table has had")
    if bundle.signed:
        say("Signed  with this table's key")
    else:
        say(f"Signed  unknown: this table has no key (/{KEY}); compare the digest with its maker's")
    return bundle


# What root reads itself -------------------------------------------------------------------------------------


def _buttons() -> tuple[int, int]:
    """Pin and chip of the OK button, of the machine's own settings: root alone writes them."""
    from hardware.pins import SHARED_BUTTONS

    found: dict[str, Any] = {}
    with suppress(OSError, ValueError):
        found = strangers.toml(strangers.text(SETTINGS, Most.SETTINGS)).get("buttons", {})
    pin, chip = SHARED_BUTTONS[2], -1
    if isinstance(found, dict):
        pins = found.get("pins", {})
        pin = pins.get("ok", pin) if isinstance(pins, dict) else pin
        chip = found.get("chip", chip)
    if not (isinstance(pin, int) and isinstance(chip, int)):
        raise InputError(f"{SETTINGS}: pin or chip of the OK button is no number.")
    return pin, chip


def _finds_pins() -> bool:
    """Whether this machine has the pins on which the OK button is; of an image it is taken that it has."""
    from hardware.buttons import open_factory
    from hardware.errors import HardwareError

    if not RUNNING.is_dir():
        return True
    try:
        open_factory(_buttons()[1]).close()
    except (HardwareError, ImportError):
        return False
    return True


def _held(words: str) -> bool:
    """Whether somebody holds OK, asked for on the bare screen; the table is stopped by now.

    Where the screen cannot say what it is held for, it is not asked for.
    """
    from hardware.buttons import ok_is_held

    try:
        with SCREEN.open("w", encoding="ascii", errors="replace") as screen:
            screen.write(f"\033[2J\033[H\n{words}\n\nHold OK for {HOLD // SECOND} seconds to install it.\n")
            screen.write(f"Otherwise wait {WITHIN // SECOND} seconds, and everything stays as it is.\n")
        if strangers.text(IN_FRONT, Most.NOTE).strip() != SCREEN.name:
            return False
    except (OSError, ValueError):
        return False
    bcm, chip = _buttons()
    return ok_is_held(bcm, chip, WITHIN, HOLD)
