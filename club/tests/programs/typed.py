"""Runs a command at a terminal of its own, as somebody who types: `typed.py PASSWORD COMMAND`.

The password is given wherever one is asked for, and to what reads it from /dev/stdin; what asks whether to
continue hears yes.
"""

import os
import pty
import select
import sys

PAUSE_S = 2
"""Nobody types before the command stands there and waits."""


def main(password: str, command: str) -> int:
    child, terminal = pty.fork()
    if child == 0:
        os.execv("/bin/bash", ["bash", "-c", command])
    line = password.encode() + b"\n"
    waiting = [line, b"\x04"] if "/dev/stdin" in command else []
    said = b""
    while True:
        if not select.select([terminal], [], [], PAUSE_S)[0]:
            if said.rstrip().endswith(b"assword:"):
                said = b""
                os.write(terminal, line)
            elif said.rstrip().endswith(b"[Y/n]"):
                said = b""
                os.write(terminal, b"y\n")
            elif waiting:
                os.write(terminal, waiting.pop(0))
            continue
        try:
            more = os.read(terminal, 4096)
        except OSError:  # the terminal hung up
            break
        if not more:
            break
        os.write(1, more)
        said += more
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
