"""Checks before a verb opens parts in vain: whether they are held, and whether the table is this user's."""

from itertools import chain
from pathlib import Path

from companion.core.errors import CompanionError
from companion.system.file_owner import other_owner
from companion.system.machine import Machine

SERVICE_UNIT = "/companion.service"
DEVICES = ("dev/media*", "dev/video[0-9]*")


def require_table_free(machine: Machine | None = None) -> None:
    """Raise `CompanionError` if our own service plays at this table: camera, pins and screen are its.

    The service itself may ask, too.
    """
    machine = machine or Machine()
    if SERVICE_UNIT not in machine.read_text("proc/self/cgroup"):
        _require_no_service(machine, "camera, the pins and the screen", "play at its screen")


def require_camera_free(kind: str, machine: Machine | None = None) -> None:
    """Raise `CompanionError` if our own service, or another program, has a camera of this kind."""
    if kind not in {"auto", "pi", "usb"}:
        return
    machine = machine or Machine()
    _require_no_service(machine, "camera", "use Settings on its own screen")
    for device in chain.from_iterable(map(machine.find, DEVICES)):
        holder = machine.device_holder(device)
        if holder is not None:
            raise CompanionError(f"{holder} is using the camera: {holder.remedy()}.")


def require_pins_free(machine: Machine | None = None) -> None:
    """Raise `CompanionError` if our own service has the pins."""
    _require_no_service(machine or Machine(), "pins", "press the buttons at its table")


def require_sound_free(machine: Machine | None = None) -> None:
    """Raise `CompanionError` if our own service has the sound card."""
    _require_no_service(machine or Machine(), "sound", "choose Loudspeaker in Settings on its own screen")


def _require_no_service(machine: Machine, part: str, instead: str) -> None:
    if is_service_running(machine):
        raise CompanionError(
            f"the service is using the {part}: {instead}, or stop it first: sudo systemctl stop companion"
        )


def require_own_table(folder: Path, command: str) -> None:
    """Raise `CompanionError` if the files of the table, in `folder`, belong to another user.

    What a `command` saves would never reach the table then: each user has settings of their own.
    """
    if (owner := other_owner(folder)) is not None:
        raise CompanionError(f"this table belongs to the user {owner}: sudo -u {owner} companion {command}")


def is_service_running(machine: Machine) -> bool:
    """Whether our service is up: anybody may read a process's group, only its owner what it holds."""
    groups = machine.find("proc/[0-9]*/cgroup")
    return any(SERVICE_UNIT in machine.read_text(str(path.relative_to(machine.root))) for path in groups)
