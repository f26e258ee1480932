"""`companion backup`: copies the stored games with the decks to another disk."""

import argparse

from companion.core.errors import CompanionError, InputError
from companion.settings.model import Settings
from companion.system.terminal import count_with_noun, print_lines, show_activity


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Copy the store to the folder that is named, else to the USB stick that is found.

    Raises `CompanionError` where there is neither, `InputError` for what is no folder.
    """
    from companion.core.clock import wall_time
    from companion.games import RULES
    from companion.programs.store_responder import open_store
    from companion.referee.backup import back_up
    from companion.table.power_and_usb import find_stick

    disk = args.folder or find_stick()
    if disk is None:
        raise CompanionError("no USB stick found: plug one in, or name a folder: companion backup FOLDER")
    if not disk.is_dir():
        raise InputError(f"{disk} is not a folder: name an existing one.")
    with open_store(settings), show_activity("Copying and checking"):
        done = back_up(settings.store_folder(), settings.table.name, disk, wall_time(), RULES)
    print_lines(
        f"Copied to {done.folder} and checked: "
        f"{count_with_noun(done.games, 'game')}, {count_with_noun(done.decks, 'deck')}."
    )
    return 0
