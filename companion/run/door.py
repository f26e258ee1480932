"""The door of the page, where systemd hands its socket to the table."""

from __future__ import annotations

import os
import secrets
from collections.abc import MutableMapping

from companion.doors.door import Door
from companion.doors.handed import handed_over

PAGE = "page"
"""The socket's `FileDescriptorName` in `systemd/companion-table-page.socket`."""


def door_of_the_page(environ: MutableMapping[str, str] = os.environ) -> Door | None:
    """The door, open; None where no socket was handed over. The table itself makes no socket."""
    sockets = handed_over(environ)
    listening = sockets.pop(PAGE, None)
    for other in sockets.values():
        other.close()
    if listening is None:
        return None
    door = Door(listening, run=secrets.token_hex(8))
    door.start()
    return door
