"""The doors of page and uplink, where systemd hands their sockets to the table; it makes none itself."""

import os
import secrets
from collections.abc import Callable
from typing import NamedTuple

from companion.appliance.machine import program_version
from companion.doors.door import Door
from companion.doors.handed import handed_over
from companion.doors.uplink_door import UplinkDoor

PAGE, UPLINK = "page", "uplink"
"""The sockets' `FileDescriptorName` in `systemd/companion-table-page.socket` and `…-uplink.socket`."""


class Doors(NamedTuple):
    """Both doors, and whether systemd handed each one's socket over.

    Without one a door opens when its process is started as a child.
    """

    page: Door
    page_handed: bool
    uplink: UplinkDoor
    uplink_handed: bool

    def close(self) -> None:
        """Let everybody go."""
        self.page.close()
        self.uplink.close()


def doors_of(wake: Callable[[], None], name: str, called: str) -> Doors:
    """The doors of the table, for clubs `name`, for phones `called`; those with a socket serve at once."""
    sockets = handed_over(os.environ)
    listening = [sockets.pop(which, None) for which in (PAGE, UPLINK)]
    for other in sockets.values():
        other.close()
    run = secrets.token_hex(8)
    page = Door(listening[0], run=run, table=called, wake=wake)
    uplink = UplinkDoor(listening[1], run=run, name=name, program=program_version(), wake=wake)
    for door, one in zip((page, uplink), listening, strict=True):
        if one is not None:
            door.start()
    return Doors(page, listening[0] is not None, uplink, listening[1] is not None)
