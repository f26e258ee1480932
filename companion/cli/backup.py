"""`companion backup`: games and decks copied to another disk, and read back."""

import argparse

from companion.core.errors import CompanionError, InputError
from companion.core.plain import counted
from companion.settings.model import Settings
from companion.settings.progress import working
from companion.settings.terminal import say


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Copy the store to the folder that is named, else to the USB stick that is found.

    Raises `CompanionError` where there is neither, `InputError` for what is no folder.
    """
    from companion.appliance.power_and_usb import find_stick
    from companion.core.clock import wall_time
    from companion.games import RULES
    from companion.referee.backup import back_up
    from companion.referee.store_errors import explained
    from companion.settings.stored_games import tell_store

    disk = args.folder or find_stick()
    if disk is None:
        raise CompanionError("no USB stick found: plug one in, or name a folder: companion backup FOLDER")
    if not disk.is_dir():
        raise InputError(f"{disk} is not a folder: name an existing one.")
    tell_store(settings)
    with explained(str(settings.store_file())), working("Copying and checking"):
        done = back_up(settings.store_folder(), settings.table.name, disk, wall_time(), RULES)
    say(f"Copied to {done.folder} and checked: {counted(done.games, 'game')}, {counted(done.decks, 'deck')}.")
    return 0
