"""Sockets handed over by systemd, as sd_listen_fds(3) says."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

import pytest

from companion.programs.child_programs import SYSTEMD_VARIABLES, inherited_sockets

ASKED = """
import os, sys
from companion.programs.child_programs import inherited_sockets
os.dup2(int(sys.argv[1]), 3)
os.environ["LISTEN_PID"] = str(os.getpid())
print({name: sock.getsockname() for name, sock in inherited_sockets().items()}, "LISTEN_FDS" in os.environ)
"""


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"LISTEN_PID": "1", "LISTEN_FDS": "1", "LISTEN_FDNAMES": "page"},
        {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "many"},
    ],
)
def test_what_was_not_meant_for_this_process_is_left_alone(environ: dict[str, str]) -> None:
    assert inherited_sockets(environ) == {}
    assert not environ.keys() & set(SYSTEMD_VARIABLES)


def test_a_socket_is_found_by_its_name_and_no_child_takes_it_for_its_own() -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        listening.bind(f"\0companion-{os.getpid()}")
        done = subprocess.run(
            [sys.executable, "-c", ASKED, str(listening.fileno())],
            env={**os.environ, "LISTEN_FDS": "1", "LISTEN_FDNAMES": "page"},
            pass_fds=[listening.fileno()],
            capture_output=True,
            text=True,
            check=True,
        )
    assert done.stdout.strip() == f"{{'page': b'\\x00companion-{os.getpid()}'}} False"
