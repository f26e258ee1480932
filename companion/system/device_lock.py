"""Check whether another program holds the camera or the pins, before a verb opens them."""

from companion.core.errors import CompanionError
from companion.system.machine import Machine

SERVICE_UNIT = "/companion.service"
DEVICES = ("dev/media*", "dev/video[0-9]*")


def require_camera_free(kind: str, machine: Machine | None = None) -> None:
    """Raise `CompanionError` if our own service, or another program, has a camera of this kind."""
    if kind not in {"auto", "pi", "usb"}:
        return
    machine = machine or Machine()
    if is_service_running(machine):
        raise CompanionError(
            "the service is using the camera: use Settings on its own screen, or stop it first: "
            "sudo systemctl stop companion"
        )
    for pattern in DEVICES:
        for device in machine.find(pattern):
            holder = machine.device_holder(device)
            if holder is not None:
                raise CompanionError(f"{holder} is using the camera: end that program first.")


def require_pins_free(machine: Machine | None = None) -> None:
    """Raise `CompanionError` if our own service has the pins."""
    if is_service_running(machine or Machine()):
        raise CompanionError(
            "the service is using the pins: press the buttons at its table, or stop it first: "
            "sudo systemctl stop companion"
        )


def is_service_running(machine: Machine) -> bool:
    """Whether our service is up: anybody may read a process's group, only its owner what it holds."""
    groups = machine.find("proc/[0-9]*/cgroup")
    return any(SERVICE_UNIT in machine.read_text(str(path.relative_to(machine.root))) for path in groups)
