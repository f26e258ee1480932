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
EV_SYN, EV_KEY, EV_ABS = 0, 1, 3
SYN_REPORT, SYN_DROPPED = 0, 3
"""The end of what happened at once; a queue that ran over: what it held is lost up to the next report."""
KEY_COUNT = 0x300
"""KEY_CNT: codes of keys and buttons are below."""
JOYSTICK_KEYS = range(0x120, 0x140)
"""Buttons of joysticks, pads and encoders."""
DIRECTION_AXES = (*range(6), 0x10, 0x11)
"""What a stick or a hat leans along (ABS_X to ABS_RZ, ABS_HAT0X, ABS_HAT0Y)."""
CLOCK_MONOTONIC = 1
_EVENT = struct.Struct("llHHi")
"""struct input_event: seconds and microseconds, type, code, value."""
_ID = struct.Struct("HHHH")
"""struct input_id: bus, vendor, product, version."""
_AXIS = struct.Struct("6i")
"""struct input_absinfo: value, least, most, and three more."""
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
EVIOCGBIT_ABS = _request(_READ, 0x20 + EV_ABS, 8)
EVIOCGKEY = _request(_READ, 0x18, KEY_COUNT // 8)
EVIOCGRAB = _request(_WRITE, 0x90, 4)
EVIOCSCLOCKID = _request(_WRITE, 0xA0, 4)
TYPING_KEYS = frozenset({1, 28, 30})
"""Escape, Enter, A: what has all of them can be a keyboard."""


def direction_code(axis: int, side: int) -> int:
    """The code of an axis that leans to a side, -1 or 1, as of a key: above those of all keys."""
    return KEY_COUNT + 2 * axis + (side > 0)


class KeyEvent(NamedTuple):
    """A key of a device went down or came up."""

    code: int
    """As linux/input-event-codes.h numbers it; of a direction as `direction_code` does."""
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
            """The codes of its keys, ascending, and of a joystick's directions: a button may sit there."""
            self._axes = dict(self._find_axes()) if set(JOYSTICK_KEYS) & set(self.keys) else {}
            """Up to which value and from which one each axis leans."""
            self._leaning: dict[int, int] = {}
            """To which side each axis leans now."""
            self.keys += tuple(direction_code(axis, side) for axis in self._axes for side in (-1, 1))
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
            elif kind == EV_ABS and code in self._axes and not self._overflowed:
                yield from self._lean(code, value, at_ns)

    def _find_axes(self) -> Iterator[tuple[int, tuple[int, int]]]:
        """The axes that rest in the middle now; a trigger or a pedal rests at an end."""
        try:
            bits = int.from_bytes(self._ask(EVIOCGBIT_ABS, bytes(8)), "little")
        except OSError:
            return
        for axis in (axis for axis in DIRECTION_AXES if bits >> axis & 1):
            value, least, most = self._read_axis(axis)
            low, high = least + (most - least) // 4, most - (most - least) // 4
            if low < value < high:
                yield axis, (low, high)

    def _read_axis(self, axis: int) -> tuple[int, int, int]:
        """Its value, and the least and the most that it may be."""
        value, least, most, *_ = _AXIS.unpack(
            self._ask(_request(_READ, 0x40 + axis, _AXIS.size), bytes(_AXIS.size))
        )
        return value, least, most

    def _side(self, axis: int, value: int) -> int:
        low, high = self._axes[axis]
        return (value >= high) - (value <= low)

    def _lean(self, axis: int, value: int, at_ns: int) -> Iterator[KeyEvent]:
        """An axis has this value: what it leant to comes up, what it leans to goes down."""
        side, before = self._side(axis, value), self._leaning.get(axis, 0)
        self._leaning[axis] = side
        if side != before and before:
            yield KeyEvent(direction_code(axis, before), down=False, at_ns=at_ns)
        if side != before and side:
            yield KeyEvent(direction_code(axis, side), down=True, at_ns=at_ns)

    def _read_events(self) -> list[_Event]:
        """What waits, at most `_MAX_EVENTS`; `BlockingIOError` if nothing does."""
        data = os.read(self._fd, _EVENT.size * _MAX_EVENTS)
        whole = len(data) // _EVENT.size * _EVENT.size
        found = _EVENT.iter_unpack(data[:whole])
        return [_Event(seconds * 10**9 + micros * 1000, *what) for seconds, micros, *what in found]

    def _tell_keys(self, at_ns: int, later: Sequence[_Event]) -> Iterator[KeyEvent]:
        """How every key was at an instant, by what came of it `later`, else as it is now."""
        self._leaning = {axis: self._side(axis, self._read_axis(axis)[0]) for axis in self._axes}
        leaning = (direction_code(axis, side) for axis, side in self._leaning.items() if side)
        held = {*self._ask_keys(EVIOCGKEY), *leaning}
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
