"""Socket activation: sockets that systemd opened for this process, by unit name."""

import os
import socket
from collections.abc import MutableMapping

FIRST_DESCRIPTOR = 3
"""The first descriptor that is handed over."""
SYSTEMD_VARIABLES = ("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES")


def inherited_sockets(environ: MutableMapping[str, str] = os.environ) -> dict[str, socket.socket]:
    """Each socket by its `FileDescriptorName`; empty where none was meant for this process.

    The variables are taken out of `environ`, so that no child takes the sockets for its own.
    """
    pid, count, names = (environ.pop(name, "") for name in SYSTEMD_VARIABLES)
    if pid != str(os.getpid()) or not count.isdigit():
        return {}
    found: dict[str, socket.socket] = {}
    for place, name in zip(range(int(count)), names.split(":"), strict=False):
        fd = FIRST_DESCRIPTOR + place
        os.set_inheritable(fd, False)  # noqa: FBT003 (the os module's own spelling)
        found[name] = socket.socket(fileno=fd)
    return found
