"""The door of the page, where systemd hands its socket to the table."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, MutableMapping

from companion.doors.door import Door
from companion.doors.handed import handed_over

PAGE = "page"
"""The socket's `FileDescriptorName` in `systemd/companion-table-page.socket`."""


def door_of_the_page(
    wake: Callable[[], None], environ: MutableMapping[str, str] = os.environ
) -> tuple[Door, bool]:
    """The door, and whether systemd handed its socket over; the table itself makes none.

    Without one the door opens when the page is started as a child.
    """
    sockets = handed_over(environ)
    listening = sockets.pop(PAGE, None)
    for other in sockets.values():
        other.close()
    door = Door(listening, run=secrets.token_hex(8), wake=wake)
    if listening is not None:
        door.start()
    return door, listening is not None
