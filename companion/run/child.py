"""A process of this program beside the table, with a connection to one of the table's doors."""

import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from companion.doors.door import Door

Child = subprocess.Popen[bytes]
Run = Callable[..., Child]


def started(door: Door, *words: str, run: Run = subprocess.Popen, **how: Any) -> Child:
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
    door.meet(ours)
    return child


def end(child: Child) -> None:
    """Have it end; one that does not is not waited for."""
    child.terminate()
    with suppress(subprocess.TimeoutExpired):
        child.wait(2.0)
