"""Runs in the guest as its first process: mounts the disk, plays into a store, tells each step.

Orders come over the virtio port named `cut`: `go MOUNT_OPTIONS COMMIT SEED LOCKSTEP`. Before a step is
written it says `step GAME ENTRIES DIGEST`, when it is durable `ack GAME`; in lockstep it then waits for a
line, and `break` makes the disk read-only.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

sys.path[:0] = ["/opt", "/opt/packages"]

from sitting import Sitting, careless, commit, open_store  # noqa: E402

DISK = Path("/tmp/disk")
STORE = DISK / "table/games.sqlite"


def main() -> None:
    ports = Path("/sys/class/virtio-ports").glob("*/name")
    name = next(port.parent.name for port in ports if port.read_text().strip() == "cut")
    port = os.open(f"/dev/{name}", os.O_RDWR)

    def tell(line: str) -> None:
        os.write(port, f"{line}\n".encode())

    heard = b""

    def ask() -> str:
        nonlocal heard
        while b"\n" not in heard:
            more = os.read(port, 4096)
            if not more:
                time.sleep(0.005)
            heard += more
        line, heard = heard.split(b"\n", 1)
        return line.decode()

    _warm()
    tell("ready")
    try:
        _play(ask, tell)
    except Exception as trouble:  # noqa: BLE001 - whatever it is, the host shall read it
        tell(f"failed {trouble!r}")
    ask()


def _warm() -> None:
    """Everything is loaded before the machine is frozen: each resumed cut is then a matter of a second."""
    with open_store(Path("/tmp/warm/games.sqlite")) as store:
        table = Sitting(store, seed=0)
        next(table.steps())
        table.write()
        table.journal.close()


def _play(ask: Callable[[], str], tell: Callable[[str], None]) -> None:
    _, options, how, seed, lockstep = ask().split()
    DISK.mkdir(exist_ok=True)
    mounted = subprocess.run(
        ["mount", "-t", "ext4", "-o", options, "/dev/vdc", DISK], capture_output=True, text=True, check=False
    )
    if mounted.returncode:
        tell(f"failed {mounted.stderr.strip()}")
        return
    store = open_store(STORE)
    for game in reversed(store.list_games()):
        tell(f"found {game.game} {game.entries}")
    table = Sitting(store, int(seed), careless if how == "careless" else commit)
    tell(f"begun {int(table.resumed)}")
    number = len(store.list_games(kind=None)) + (not table.resumed)
    journal = table.journal
    for length, name in table.steps():
        if table.journal is not journal:
            journal = table.journal
            number += 1
        tell(f"step {number} {length} {name}")
        if not table.write():
            tell(f"failed {journal.trouble}")
            return
        tell(f"ack {number}")
        if lockstep == "1" and ask() == "break":
            # The kernel meets an error on the disk: mounted with errors=remount-ro it takes no more writes.
            Path("/sys/fs/ext4/vdc/trigger_fs_error").write_text("power cut rig")


main()
