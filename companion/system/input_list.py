"""What the kernel lists of input devices, for all to read: /proc/bus/input/devices."""

import re
from typing import NamedTuple

from companion.system.machine import Machine

INPUTS = "proc/bus/input/devices"
USB, BLUETOOTH = 0x03, 0x05
"""Buses (linux/input.h)."""
TYPING_KEYS = (1, 28, 30)
"""Escape, Enter, A: what has all of them can be a keyboard."""
ARROW_KEYS = frozenset({103, 105, 106, 108})
BOARD_MAKERS = frozenset({0xD209, 0x1B4F, 0x2341, 0x2A03, 0x239A, 0x16C0, 0xCAFE})
"""Vendors of boards that people wire buttons to: Ultimarc, SparkFun, Arduino, Adafruit, Teensy, TinyUSB."""
BOARD_NAMES = re.compile(
    r"(?i)makey|i-?pac\b|ultimarc|gp2040|arduino|leonardo|pro micro|teensy|pico\b|encoder|arcade|circuitp"
    r"|picade|xin-?mo|zero.?delay|buzzer|foot.?switch|pedal"
)


class ListedInput(NamedTuple):
    """One device."""

    bus: int
    vendor: int
    name: str
    address: str
    """Its own, of a Bluetooth device; often empty."""
    handlers: tuple[str, ...]
    keys: int
    """A bit for each code."""

    def has_key(self, code: int) -> bool:
        return bool(self.keys >> code & 1)

    @property
    def is_board(self) -> bool:
        """Whether it types as a keyboard does and is none: people wire buttons to it."""
        is_joystick = any(handler.startswith("js") for handler in self.handlers)
        is_known = self.vendor in BOARD_MAKERS or BOARD_NAMES.search(self.name) is not None
        types = "kbd" in self.handlers and any(map(self.has_key, (*TYPING_KEYS, *ARROW_KEYS)))
        return self.bus == USB and is_known and types and not is_joystick


def list_inputs(machine: Machine) -> tuple[ListedInput, ...]:
    """In the kernel's order; nothing where it lists none."""
    return tuple(map(_parse, filter(None, machine.read_text(INPUTS).split("\n\n"))))


def keyboard_boards(machine: Machine) -> tuple[str, ...]:
    """The names of boards that type as keyboards, each once."""
    return tuple(dict.fromkeys(device.name for device in list_inputs(machine) if device.is_board))


def _parse(text: str) -> ListedInput:
    def field(pattern: str) -> str:
        found = re.search(pattern, text, re.MULTILINE)
        return "" if found is None else found[1].strip()

    words = field(r"^B: KEY=([0-9a-f ]+)$").split()  # of 64 bits
    return ListedInput(
        int(field(r"\bBus=([0-9a-fA-F]+)") or "0", 16),
        int(field(r"\bVendor=([0-9a-fA-F]+)") or "0", 16),
        field(r'^N: Name="(.*)"$'),
        field(r"^U: Uniq=(.*)$"),
        tuple(field(r"^H: Handlers=(.*)$").split()),
        int("".join(word.zfill(16) for word in words) or "0", 16),
    )
