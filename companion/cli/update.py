"""`companion update`: another version from a bundle, or the one before."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from companion.core.errors import CompanionError, InputError
from companion.settings.model import Settings
from companion.settings.terminal import say

if TYPE_CHECKING:
    from companion.appliance.bundle import Bundle


def run(args: argparse.Namespace, settings: Settings) -> int:
    bundle = _shown(args.folder)
    say(f"To install it: sudo companion update {bundle.folder} --digest {bundle.digest}")
    return 0


def run_unsettled(args: argparse.Namespace) -> int | None:
    """What changes the system: a version that came with broken settings has to go back, too.

    Raises `InputError` where not root, and for a digest that is not the bundle's.
    """
    if not (args.back or args.asked or args.digest):
        return None
    from companion.appliance.updating import asked_for, back, install, install_asked

    if getattr(os, "geteuid", lambda: -1)() != 0:
        raise InputError("this changes the system: put sudo before it.")
    if args.back:
        say(f"Version {back()} is in place again; games it can't open are marked in: companion games")
        return 0
    if args.asked:
        say(f"Version {install_asked(args.asked)} is in place.")
        return 0
    bundle = _shown(args.folder)
    if args.digest.replace(" ", "").lower() != bundle.digest:
        raise InputError("this bundle has another digest: it isn't the one you name.")
    say(f"Version {install(Path(bundle.folder), asked_for(bundle))} is in place.")
    return 0


def _shown(folder: Path | None) -> Bundle:
    """The bundle, and who vouches for it, said on the terminal."""
    from companion.appliance.bundle import KEY, find_bundle, grouped, looked_at
    from companion.appliance.power_and_usb import find_stick

    stick = find_stick() if folder is None else None
    place = folder or (stick and find_bundle(stick))
    if not place:
        raise CompanionError("no bundle found: plug a stick with one in, or name its folder.")
    bundle = looked_at(place)
    say(f"Version {bundle.version} in {bundle.folder}", f"Digest  {grouped(bundle.digest)}")
    if bundle.signed:
        say("Signed  with this table's key")
    else:
        say(f"Signed  unknown: this table has no key (/{KEY}); compare the digest with its maker's")
    return bundle
