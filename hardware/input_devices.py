"""Reads keys of any input device from the kernel: USB encoders, pads, quiz buzzers, Bluetooth shutters.

Through /dev/input/event* alone (linux/input.h), so that no library has to be compiled for it. The kernel
stamps every key on the monotonic clock if asked to.
"""

import os
import struct
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from hardware.errors import EncoderForbiddenError

DEVICE_FOLDER = Path("/dev/input")
EV_SYN, EV_KEY = 0, 1
SYN_REPORT, SYN_DROPPED = 0, 3
"""The end of what happened at once; a queue that ran over: what it held is lost up to the next report."""
KEY_COUNT = 0x300
"""KEY_CNT: codes of keys and buttons are below."""
CLOCK_MONOTONIC = 1
_EVENT = struct.Struct("llHHi")
"""struct input_event: seconds and microseconds, type, code, value."""
_ID = struct.Struct("HHHH")
"""struct input_id: bus, vendor, product, version."""
_MAX_EVENTS = 64
_MAX_TEXT = 256
_READ, _WRITE = 2, 1


def _request(direction: int, number: int, size: int) -> int:
    """The number of an ioctl of evdev's (asm-generic/ioctl.h)."""
    return direction << 30 | size << 16 | ord("E") << 8 | number


EVIOCGID = _request(_READ, 0x02, _ID.size)
EVIOCGNAME = _request(_READ, 0x06, _MAX_TEXT)
EVIOCGPHYS = _request(_READ, 0x07, _MAX_TEXT)
EVIOCGUNIQ = _request(_READ, 0x08, _MAX_TEXT)
EVIOCGBIT_KEY = _request(_READ, 0x20 + EV_KEY, KEY_COUNT // 8)
EVIOCGKEY = _request(_READ, 0x18, KEY_COUNT // 8)
EVIOCGRAB = _request(_WRITE, 0x90, 4)
EVIOCSCLOCKID = _request(_WRITE, 0xA0, 4)
TYPING_KEYS = frozenset({1, 28, 30})
"""Escape, Enter, A: what has all of them can be a keyboard."""


class KeyEvent(NamedTuple):
    """A key of a device went down or came up."""

    code: int
    """As linux/input-event-codes.h numbers it."""
    down: bool
    at_ns: int
    """CLOCK_MONOTONIC, by the kernel's microsecond stamp."""
    lost: bool = False
    """Whether keys were lost before it: it is as the key was then, and may have been so for long."""


class _Event(NamedTuple):
    """A struct input_event, its stamp in nanoseconds."""

    at_ns: int
    kind: int
    code: int
    value: int


class InputDevice:
    """One open device. Its user polls and closes it."""

    def __init__(self, path: Path) -> None:
        """Raises `OSError` where it does not open, or is none."""
        self.path = path
        self._overflowed = False
        self._fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        try:
            self._ask(EVIOCSCLOCKID, struct.pack("i", CLOCK_MONOTONIC))
            _, self.vendor, self.product, _ = _ID.unpack(self._ask(EVIOCGID, bytes(_ID.size)))
            self.name = self._ask_text(EVIOCGNAME)
            self.socket = self._ask_text(EVIOCGPHYS)
            """Where it is plugged in; of a Bluetooth device the adapter's address."""
            self.serial = self._ask_text(EVIOCGUNIQ)
            """Its own number, of a Bluetooth device its address; often empty."""
            self.keys = self._ask_keys(EVIOCGBIT_KEY)
            """The codes of its keys, ascending."""
        except BaseException:
            self.close()
            raise

    def fileno(self) -> int:
        """For `selectors`."""
        return self._fd

    def is_called(self, wanted: str) -> bool:
        """Whether this is its path, its name, its socket or its own number."""
        return wanted in {str(self.path), self.name, self.socket, self.serial} - {""}

    @property
    def is_keyboard(self) -> bool:
        """Whether one could type on it; a shutter may say so, too."""
        return set(self.keys) >= TYPING_KEYS

    def grab(self) -> None:
        """Have its keys to ourselves: neither desktop nor screen sees them, until it is closed."""
        import fcntl

        fcntl.ioctl(self._fd, EVIOCGRAB, 1)

    def read(self) -> Iterator[KeyEvent]:
        """What came since it was read last; `OSError` once it is unplugged.

        Where the kernel's queue ran over, every key is told as it was then (Linux: input/event-codes.rst).
        The kernel says how keys are now, and drops what it holds of them: that is read first.
        """
        try:
            events = self._read_events()
        except BlockingIOError:
            return
        if self._overflowed or any(event[1:3] == (EV_SYN, SYN_DROPPED) for event in events):
            with suppress(BlockingIOError):
                while more := self._read_events():
                    events += more
        for place, (at_ns, kind, code, value) in enumerate(events):
            if kind == EV_SYN and code == SYN_DROPPED:
                self._overflowed = True
            elif self._overflowed and kind == EV_SYN and code == SYN_REPORT:
                self._overflowed = False
                yield from self._tell_keys(at_ns, events[place + 1 :])
            elif kind == EV_KEY and value in {0, 1} and not self._overflowed:  # 2: a key that is held repeats
                yield KeyEvent(code, value == 1, at_ns)

    def _read_events(self) -> list[_Event]:
        """What waits, at most `_MAX_EVENTS`; `BlockingIOError` if nothing does."""
        data = os.read(self._fd, _EVENT.size * _MAX_EVENTS)
        whole = len(data) // _EVENT.size * _EVENT.size
        found = _EVENT.iter_unpack(data[:whole])
        return [_Event(seconds * 10**9 + micros * 1000, *what) for seconds, micros, *what in found]

    def _tell_keys(self, at_ns: int, later: Sequence[_Event]) -> Iterator[KeyEvent]:
        """How every key was at an instant, by what came of it `later`, else as it is now."""
        held = self._ask_keys(EVIOCGKEY)
        turned = {event.code: event.value != 1 for event in reversed(later) if event.kind == EV_KEY}
        return (KeyEvent(key, turned.get(key, key in held), at_ns, lost=True) for key in self.keys)

    def close(self) -> None:
        os.close(self._fd)

    def _ask(self, request: int, answer: bytes) -> bytes:
        import fcntl

        return fcntl.ioctl(self._fd, request, answer)

    def _ask_keys(self, request: int) -> tuple[int, ...]:
        """The codes of the keys that are so, ascending."""
        bits = int.from_bytes(self._ask(request, bytes(KEY_COUNT // 8)), "little")
        return tuple(code for code in range(KEY_COUNT) if bits >> code & 1)

    def _ask_text(self, request: int) -> str:
        try:
            return self._ask(request, bytes(_MAX_TEXT)).partition(b"\0")[0].decode(errors="replace").strip()
        except OSError:  # it has none
            return ""


FORBIDDEN = "You may not read input devices: sudo usermod -aG input $USER, then log in again."
"""What is said where this user's groups keep them shut."""


def has_input_devices() -> bool:
    """Whether this system has the kernel interface that is read here."""
    return sys.platform == "linux"


def is_any_forbidden(folder: Path = DEVICE_FOLDER) -> bool:
    """Whether there is a device that this user may not read."""
    return not all(os.access(path, os.R_OK) for path in folder.glob("event*"))


def open_input_devices(folder: Path = DEVICE_FOLDER) -> list[InputDevice]:
    """Every device with keys that this user may read, by number; `EncoderForbiddenError` if it may none.

    A desktop lets its user read joysticks, but no keyboards.
    """
    found, forbidden = [], False
    for path in sorted(folder.glob("event*"), key=lambda path: (len(path.name), path.name)):
        try:
            device = InputDevice(path)
        except PermissionError:
            forbidden = True
            continue
        except OSError:  # just unplugged
            continue
        if device.keys:
            found.append(device)
        else:
            device.close()
    if forbidden and not found:
        raise EncoderForbiddenError(FORBIDDEN)
    return found
