"""Checks before a verb opens parts in vain: whether they are held, and whether the table is this user's."""

import os
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from companion.core.errors import CompanionError
from companion.system.file_owner import other_owner
from companion.system.machine import Machine

SERVICE_UNIT = "/companion.service"
INSTALLED = "/opt/companion/"
STARTS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "service": ("the service", "stop it first: sudo systemctl stop companion"),
        "desktop": ("the table on the desktop", "leave it there first: More, Quit"),
    }
)
"""Who has the parts, and how they come free, by how the table was started."""
DEVICES = ("dev/media*", "dev/video[0-9]*")


def require_table_free(machine: Machine | None = None) -> None:
    """Raise `CompanionError` if the installed table runs already: camera, pins and screen are its.

    That table itself may ask, too.
    """
    machine = machine or Machine()
    if SERVICE_UNIT not in machine.read_text("proc/self/cgroup"):
        _require_no_table(machine, "camera, the pins and the screen", "play at its screen")


def require_camera_free(kind: str, machine: Machine | None = None) -> None:
    """Raise `CompanionError` if the installed table, or another program, has a camera of this kind."""
    if kind not in {"auto", "pi", "usb"}:
        return
    machine = machine or Machine()
    _require_no_table(machine, "camera", "use Settings on its own screen")
    for device in chain.from_iterable(map(machine.find, DEVICES)):
        holder = machine.device_holder(device)
        if holder is not None:
            raise CompanionError(f"{holder} is using the camera: {holder.remedy()}.")


def require_pins_free(machine: Machine | None = None) -> None:
    """Raise `CompanionError` if the installed table has the pins."""
    _require_no_table(machine or Machine(), "pins", "press the buttons at its table")


def require_sound_free(machine: Machine | None = None) -> None:
    """Raise `CompanionError` if the installed table has the sound card."""
    _require_no_table(machine or Machine(), "sound", "choose Loudspeaker in Settings on its own screen")


def _require_no_table(machine: Machine, part: str, instead: str) -> None:
    if (start := running_table(machine)) is not None:
        who, end = STARTS[start]
        raise CompanionError(f"{who} is using the {part}: {instead}, or {end}")


def require_own_table(folder: Path, command: str) -> None:
    """Raise `CompanionError` if the files of the table, in `folder`, belong to another user.

    What a `command` saves would never reach the table then: each user has settings of their own.
    """
    if (owner := other_owner(folder)) is not None:
        raise CompanionError(f"this table belongs to the user {owner}: sudo -u {owner} companion {command}")


def running_table(machine: Machine) -> Literal["service", "desktop"] | None:
    """How the installed table was started, if it runs; None: it does not, or it is this process.

    Anybody may read a process's group and command, only its owner what it holds.
    """
    pids = [folder.name for folder in machine.find("proc/[0-9]*")]
    if any(SERVICE_UNIT in machine.read_text(f"proc/{pid}/cgroup") for pid in pids):
        return "service"
    others = [pid for pid in pids if pid != str(os.getpid())]
    commands = (machine.read_text(f"proc/{pid}/cmdline").split("\0") for pid in others)
    return "desktop" if any(map(_is_installed_table, commands)) else None


def _is_installed_table(command: Sequence[str]) -> bool:
    """Whether a command plays, run from where the installer put the program."""
    return len(command) > 1 and command[1].startswith(INSTALLED) and "play" in command
