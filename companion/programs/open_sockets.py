"""Opens the table's sockets for web page or uplink, if systemd handed them over."""

import os
import secrets
from collections.abc import Callable
from typing import NamedTuple

from companion.network.table_server import TableServer
from companion.network.uplink_server import UplinkServer
from companion.system.machine import program_version
from companion.system.socket_activation import inherited_sockets

PAGE, UPLINK = "page", "uplink"
"""The sockets' `FileDescriptorName` in `systemd/companion-table-page.socket` and `…-uplink.socket`."""


class TableSockets(NamedTuple):
    """Both doors, and whether systemd handed each one's socket over.

    Without one a door opens when its process is started as a child.
    """

    page: TableServer
    page_handed: bool
    uplink: UplinkServer
    uplink_handed: bool

    def close(self) -> None:
        """Let everybody go."""
        self.page.close()
        self.uplink.close()


def open_table_sockets(wake: Callable[[], None], name: str, called: str) -> TableSockets:
    """The doors of the table, for clubs `name`, for phones `called`; those with a socket serve at once."""
    sockets = inherited_sockets(os.environ)
    listening = [sockets.pop(which, None) for which in (PAGE, UPLINK)]
    for other in sockets.values():
        other.close()
    run = secrets.token_hex(8)
    page = TableServer(listening[0], run=run, table=called, wake=wake)
    uplink = UplinkServer(listening[1], run=run, name=name, program=program_version(), wake=wake)
    for door, one in zip((page, uplink), listening, strict=True):
        if one is not None:
            door.start()
    return TableSockets(page, listening[0] is not None, uplink, listening[1] is not None)
