"""Starts this program in a child process that gets a connection to the table."""

import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from companion.network.table_server import TableServer

Child = subprocess.Popen[bytes]
Run = Callable[..., Child]


def start_child(door: TableServer, *words: str, run: Run = subprocess.Popen, **how: Any) -> Child:
    """Start `companion WORDS` in a session of its own, and serve it; `how` as `Popen` has it.

    Raises `OSError` if it does not start.
    """
    door.start()
    ours, theirs = socket.socketpair()
    with theirs:
        try:
            child = run(
                [sys.executable, "-m", "companion", *words, "--connected", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                start_new_session=True,
                **how,
            )
        except OSError:
            ours.close()
            raise
    door.add_connection(ours)
    return child


def stop_child(child: Child) -> None:
    """Have it end; one that does not is not waited for."""
    child.terminate()
    with suppress(subprocess.TimeoutExpired):
        child.wait(2.0)
