"""Sockets that systemd opened for this process (sd_listen_fds(3)), by the names of their units."""

import os
import socket
from collections.abc import MutableMapping

FIRST = 3
"""The first descriptor that is handed over."""
TOLD_BY = ("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES")


def handed_over(environ: MutableMapping[str, str] = os.environ) -> dict[str, socket.socket]:
    """Each socket by its `FileDescriptorName`; empty where none was meant for this process.

    The variables are taken out of `environ`, so that no child takes the sockets for its own.
    """
    pid, count, names = (environ.pop(name, "") for name in TOLD_BY)
    if pid != str(os.getpid()) or not count.isdigit():
        return {}
    found: dict[str, socket.socket] = {}
    for place, name in zip(range(int(count)), names.split(":"), strict=False):
        fd = FIRST + place
        os.set_inheritable(fd, False)  # noqa: FBT003 (the os module's own spelling)
        found[name] = socket.socket(fileno=fd)
    return found
