"""What Bluetooth brings to the table: buttons everywhere, sound on a desktop alone."""

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


def has_bluetooth_loudspeaker(machine: Machine) -> bool:
    """Whether something is connected that is no button: a loudspeaker, or a telephone."""
    listed = [device for device in list_inputs(machine) if device.bus == BLUETOOTH]
    buttons = {device.address or device.name for device in listed if not device.name.endswith(REMOTE)}
    return len(machine.find(LINKS)) > len(buttons)
