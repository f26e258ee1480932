"""Reads buttons that are wired to a USB arcade encoder.

An encoder is a joystick to Linux. The kernel stamps its events, on the monotonic clock if asked to, so the
main loop may poll: a press that is fetched late still says when it was.
"""

import errno
import struct
from collections.abc import Callable, Mapping
from typing import Any

from companion.core.actions import SECOND, Micros
from companion.core.clock import Clock
from companion.core.observations import AdapterLost, Observation
from companion.core.switch import ButtonId, Edge
from hardware.buttons import PutEdge
from hardware.errors import EncoderError, LibraryMissingError
from hardware.pin_table import SHARED_BUTTON_NAMES, parse_button_name

EV_KEY = 1
FIRST_BUTTON = 0x120
"""BTN_TRIGGER: encoders number their sockets from here."""
EVIOCSCLOCKID = 0x400445A0
CLOCK_MONOTONIC = 1
RETRY_INTERVAL: Micros = 2 * SECOND
"""How long a lost encoder is left alone before it is looked for again."""

DEFAULT_CODES: Mapping[int, ButtonId] = {FIRST_BUTTON + chair: (chair, "seat") for chair in range(8)} | {
    FIRST_BUTTON + 8 + place: (None, name) for place, name in enumerate(SHARED_BUTTON_NAMES)
}
"""Sockets 1 to 8 are the chairs, 9 to 11 back, next, OK."""


def socket_codes(changed: Mapping[str, int]) -> dict[int, ButtonId]:
    """The sockets with what settings change (`buttons.usb`: part → evdev code)."""
    lines = {line: code for code, line in DEFAULT_CODES.items()} | {
        parse_button_name(part): code for part, code in changed.items()
    }
    return {code: line for line, code in lines.items()}


class UsbEncoder:
    """One USB encoder, polled by the main loop; unplugged, it is told once and looked for again."""

    def __init__(
        self,
        open_device: Callable[[], Any],
        clock: Clock,
        put: PutEdge,
        post: Callable[[Observation], None],
        lines: Mapping[int, ButtonId],
    ) -> None:
        """`open_device` gives an evdev device set to monotonic stamps, and raises `EncoderError`."""
        self._open_device = open_device
        self._clock = clock
        self._put = put
        self._post = post
        self._lines = lines
        self._down: set[ButtonId] = set()
        self._retry_at: Micros | None = None
        self._device: Any = open_device()

    @property
    def is_unplugged(self) -> bool:
        """Whether it was unplugged and is not back."""
        return self._device is None

    def poll(self) -> int:
        """Hand over what happened since the last poll; the number of edges."""
        if self._device is None and not self._try_reopen():
            return 0
        found = 0
        try:
            for event in self._device.read():
                found += self._handle_event(event)
        except BlockingIOError:
            pass
        except OSError as trouble:
            self._handle_unplugged(trouble)
        return found

    def close(self) -> None:
        if self._device is not None:
            self._device.close()
            self._device = None

    def _handle_event(self, event: Any) -> int:
        line = self._lines.get(event.code)
        if event.type != EV_KEY or line is None or event.value not in (0, 1):
            return 0
        at = self._clock.from_monotonic_ns(event.sec * 1_000_000_000 + event.usec * 1000)
        self._put_edge(line, down=event.value == 1, at=at)
        return 1

    def _put_edge(self, line: ButtonId, *, down: bool, at: Micros) -> None:
        (self._down.add if down else self._down.discard)(line)
        self._put(Edge(line[0], line[1], level=down, at=at, source="usb"))

    def _handle_unplugged(self, trouble: OSError) -> None:
        now = self._clock.now()
        words = "it was unplugged" if trouble.errno == errno.ENODEV else str(trouble)
        self.close()
        # Whatever was held down is let go: nobody will ever tell us otherwise.
        for line in sorted(self._down, key=str):
            self._put_edge(line, down=False, at=now)
        self._retry_at = now + RETRY_INTERVAL
        self._post(AdapterLost(at=now, adapter="usb", reason=f"The USB buttons are gone ({words})."))

    def _try_reopen(self) -> bool:
        now = self._clock.now()
        # Game time starts again with each game: then the next try lies far ahead.
        if self._retry_at is None or 0 < self._retry_at - now <= RETRY_INTERVAL:
            return False
        try:
            self._device = self._open_device()
        except EncoderError:
            self._retry_at = now + RETRY_INTERVAL
            return False
        self._post(AdapterLost(at=now, adapter="usb"))
        return True


def open_encoder(
    wanted: str, changed: Mapping[str, int], clock: Clock, put: PutEdge, post: Callable[[Observation], None]
) -> UsbEncoder:
    """The encoder of the settings: `buttons.usb_device`, and `buttons.usb` for other sockets."""
    return UsbEncoder(lambda: find_encoder(wanted), clock, put, post, socket_codes(changed))


def find_encoder(wanted: str = "") -> Any:
    """Open the encoder with this path or (part of a) name, or the first joystick; its stamps are monotonic.

    Raises `EncoderError`.
    """
    evdev = _import_evdev()
    try:
        paths = [wanted] if wanted.startswith("/") else sorted(evdev.list_devices())
        for path in paths:
            device = evdev.InputDevice(path)
            sockets = device.capabilities().get(EV_KEY, [])
            named = wanted.lower() in device.name.lower()
            if path == wanted or (named and FIRST_BUTTON in sockets):
                _use_monotonic_stamps(device.fd)
                return device
            device.close()
    except PermissionError as trouble:
        raise EncoderError(
            "You may not read input devices: sudo usermod -aG input $USER, then log in again."
        ) from trouble
    except OSError as trouble:
        raise EncoderError(f"The USB encoder does not open ({trouble}): plug it in again.") from trouble
    what = f"that matches {wanted!r}" if wanted else "with buttons"
    raise EncoderError(f"There is no USB encoder {what}: plug it in, or change buttons.usb_device.")


def _use_monotonic_stamps(fd: int) -> None:
    import fcntl

    fcntl.ioctl(fd, EVIOCSCLOCKID, struct.pack("i", CLOCK_MONOTONIC))


def _import_evdev() -> Any:
    try:
        import evdev
    except ImportError as trouble:
        raise LibraryMissingError("evdev is not installed here: sudo apt install python3-evdev.") from trouble
    return evdev
