"""What Bluetooth brings to the table: buttons everywhere, sound on a desktop alone."""

from companion.system.boot_config import read_boot_config
from companion.system.input_list import BLUETOOTH, list_inputs
from companion.system.machine import Machine

CONTROLLERS, LINKS = "sys/class/bluetooth/hci*", "sys/class/bluetooth/hci*:*"
"""Radios, and what is connected by them now, as the kernel lists both."""
REMOTE = "(AVRCP)"
"""The end of the name of a loudspeaker's own keys, which are listed among input devices."""
BLUETOOTH_REMEDY = "a Bluetooth loudspeaker plays on a desktop only (sudo systemd/install.sh there)"


def has_bluetooth(machine: Machine) -> bool:
    """Whether there is a radio for it."""
    return bool(machine.find(CONTROLLERS))


def bluetooth_off_remedy(machine: Machine) -> str:
    """How Bluetooth comes on where it is switched off; empty: it is on, or there is none."""
    config = read_boot_config(machine)
    if config is not None and "disable-bt" in config.overlays:
        return f"take dtoverlay=disable-bt out of {config.path}, which switches Bluetooth off, and restart"
    is_off = machine.is_blocked("bluetooth")
    return "sudo rfkill unblock bluetooth, for that is switched off" if is_off else ""


def has_bluetooth_loudspeaker(machine: Machine) -> bool:
    """Whether something is connected that is no button: a loudspeaker, or a telephone."""
    listed = [device for device in list_inputs(machine) if device.bus == BLUETOOTH]
    buttons = {device.address or device.name for device in listed if not device.name.endswith(REMOTE)}
    return len(machine.find(LINKS)) > len(buttons)
