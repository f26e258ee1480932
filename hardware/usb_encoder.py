"""Reads buttons that are wired to a USB arcade encoder, or are any other device with keys.

The kernel stamps its events, so the main loop may poll: a press that is fetched late still says when it was.
Which key is whose button is the order of the keys, what the settings say, or what was learnt by pressing.
"""

import errno
import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, pairwise
from pathlib import Path
from typing import NamedTuple, Protocol

from companion.core.actions import SECOND, Micros
from companion.core.clock import Clock
from companion.core.observations import AdapterLost, Observation
from companion.core.switch import ButtonId, Edge
from hardware.buttons import PutEdge
from hardware.errors import EncoderError, EncoderForbiddenError
from hardware.input_devices import (
    DEVICE_FOLDER,
    FORBIDDEN,
    KEY_COUNT,
    InputDevice,
    KeyEvent,
    has_input_devices,
    is_any_forbidden,
    open_input_devices,
)
from hardware.pin_table import SHARED_BUTTON_NAMES, button_name_of, parse_button_name

log = logging.getLogger(__name__)
FIRST_BUTTON, FIRST_PAD_BUTTON = 0x120, 0x130
"""BTN_TRIGGER and BTN_SOUTH: joysticks number their buttons from the one, pads from the other."""
RETRY_INTERVAL: Micros = 2 * SECOND
"""How long a lost encoder is left alone before it is looked for again."""
SOCKET_BUTTONS: Sequence[ButtonId] = (
    *((chair, "seat") for chair in range(8)),
    *((None, name) for name in SHARED_BUTTON_NAMES),
)
"""Sockets 1 to 8 are the chairs, 9 to 11 back, next, OK."""
BUZZ_DEVICES = frozenset({(0x054C, 0x0002), (0x054C, 0x1000)})
"""Vendor and product of Sony's Buzz! controllers, wired and wireless (Linux's hid-ids.h).

Four hand sets on one plug, of five keys each, the large red one first.
"""
BUZZ_KEYS = 5
DIRECTION = (
    "A button sits in the encoder's socket for directions (a stick's): move its plug to K1 to K11, or teach "
    "it in Settings, USB buttons, or by companion press --learn."
)
"""For the log."""
MANY = (
    "More than one USB encoder is plugged in, and only the first is read: learn all, in Settings, "
    "USB buttons, or by companion press --learn."
)
"""For the log."""
REPEATS, SLOWEST_REPEAT, REPEAT_SPREAD = 12, SECOND * 3 // 20, SECOND // 80
"""So many presses, so quick and each as long after the one before as the others, are no finger's: turbo."""
TURBO = "{} repeats by itself {} times a second: switch the encoder's turbo off, or plug it in again."
"""For the log."""


class Repeat(NamedTuple):
    """A button that the encoder itself presses as long as it is held."""

    line: ButtonId
    rate: int
    """Presses a second."""
    at: Micros
    """Of the newest."""


class InputKey(NamedTuple):
    """A key of a device, as settings write it: `288@DragonRise Inc. Generic USB Joystick`."""

    code: int
    device: str
    """What `InputDevice.is_called` knows it by."""

    @classmethod
    def parse(cls, text: str) -> "InputKey":
        """Of what `str` gives; the settings' model has checked it."""
        code, _, device = text.partition("@")
        return cls(int(code), device)

    def __str__(self) -> str:
        return f"{self.code}@{self.device}"


class KeySource(Protocol):
    """An open device with keys."""

    def read(self) -> Iterable[KeyEvent]:
        """What came since it was read last; `OSError` once it is unplugged."""

    def close(self) -> None: ...


class ButtonDevice(NamedTuple):
    """An open device, and which of its keys is which button."""

    source: KeySource
    lines: Mapping[int, ButtonId]
    is_one_of_many: bool = False
    """Whether others would do as well, which are not read."""


def number_buttons(keys: Sequence[int], *, is_buzz: bool = False) -> dict[int, ButtonId]:
    """What the keys of a device are, by their order: its codes from the first button on, ascending."""
    sockets = [code for code in keys if FIRST_BUTTON <= code < KEY_COUNT][:: BUZZ_KEYS if is_buzz else 1]
    return dict(zip(sockets, SOCKET_BUTTONS, strict=False))


def change_sockets(lines: Mapping[int, ButtonId], changed: Mapping[str, int]) -> dict[int, ButtonId]:
    """The same with what settings change (`buttons.usb`: part → evdev code)."""
    moved = {code: parse_button_name(part) for part, code in changed.items()}
    return {code: line for code, line in lines.items() if line not in moved.values()} | moved


class UsbEncoder:
    """One device, polled by the main loop; unplugged, it is told once and looked for again."""

    def __init__(
        self,
        open_device: Callable[[], ButtonDevice],
        clock: Clock,
        put: PutEdge,
        post: Callable[[Observation], None],
        *,
        may_come_later: bool = False,
    ) -> None:
        """`open_device` raises `EncoderError`; a Bluetooth button that sleeps `may_come_later`."""
        self._open_device = open_device
        self._clock = clock
        self._put = put
        self._post = post
        self._down: set[ButtonId] = set()
        self._presses: dict[ButtonId, deque[Micros]] = {}
        self.repeats: dict[ButtonId, Repeat] = {}
        self._dropped_at: Micros | None = None
        self._direction_at: Micros | None = None
        """When a direction came that is nobody's button."""
        self._retry_at: Micros | None = None
        self._device: ButtonDevice | None = None
        self.is_forbidden = False
        """Whether this user may not read what may be it."""
        try:
            self._device = open_device()
        except EncoderError as trouble:
            if not may_come_later:
                raise
            self.is_forbidden = isinstance(trouble, EncoderForbiddenError)
            self._retry_at = clock.now() + RETRY_INTERVAL

    @property
    def is_unplugged(self) -> bool:
        """Whether it was unplugged and is not back."""
        return self._device is None

    @property
    def is_one_of_many(self) -> bool:
        """As `ButtonDevice.is_one_of_many`."""
        return self._device is not None and self._device.is_one_of_many

    @property
    def has_direction(self) -> bool:
        """Whether something was pressed that sits in a socket for directions, and is nobody's button."""
        return self._direction_at is not None

    def had_direction(self, now: Micros, within: Micros) -> bool:
        """Whether it was in the time up to now."""
        return self._direction_at is not None and 0 <= now - self._direction_at < within

    def has_dropped(self, now: Micros, within: Micros) -> bool:
        """Whether presses may have been lost in the time up to now; game time starts again with each game."""
        return self._dropped_at is not None and 0 <= now - self._dropped_at < within

    def poll(self) -> int:
        """Hand over what happened since the last poll; the number of edges."""
        device = self._device or self._try_reopen()
        found = 0
        if device is not None:
            try:
                for event in device.source.read():
                    found += self._handle_event(event, device.lines)
            except OSError as trouble:
                self._handle_unplugged(trouble)
        return found

    def close(self) -> None:
        """What is held down is let go: nobody will ever tell us otherwise."""
        if self._device is not None:
            self._device.source.close()
            self._device = None
        for line in sorted(self._down, key=str):
            self._put_edge(line, down=False, at=self._clock.now())

    def _handle_event(self, event: KeyEvent, lines: Mapping[int, ButtonId]) -> int:
        line = lines.get(event.code)
        if line is None and event.code >= KEY_COUNT and event.down and not event.lost:
            if self._direction_at is None:
                log.warning("%s", DIRECTION)
            self._direction_at = self._clock.now()
        if event.lost:
            self._dropped_at = self._clock.now()
        if line is None or (event.lost and event.down == (line in self._down)):
            return 0
        at = self._clock.from_monotonic_ns(event.at_ns)
        self._put_edge(line, down=event.down, at=at, gap=event.lost)
        return 1

    def _put_edge(self, line: ButtonId, *, down: bool, at: Micros, gap: bool = False) -> None:
        (self._down.add if down else self._down.discard)(line)
        if down:
            self._note_press(line, at)
        self._put(Edge(line[0], line[1], level=down, at=at, source="usb", gap=gap))

    def _note_press(self, line: ButtonId, at: Micros) -> None:
        presses = self._presses.setdefault(line, deque(maxlen=REPEATS))
        presses.append(at)
        gaps = [after - before for before, after in pairwise(presses)]
        if len(presses) < REPEATS or max(gaps) > SLOWEST_REPEAT or max(gaps) - min(gaps) > REPEAT_SPREAD:
            return
        rate = round(SECOND * len(gaps) / sum(gaps))
        if line not in self.repeats:
            name = button_name_of(line)
            log.warning(TURBO.format(name if line[0] is None else f"Chair {name}'s button", rate))
        self.repeats[line] = Repeat(line, rate, at)

    def _handle_unplugged(self, trouble: OSError) -> None:
        now = self._clock.now()
        words = "it was unplugged" if trouble.errno == errno.ENODEV else str(trouble)
        self.close()
        self._retry_at = now + RETRY_INTERVAL
        log.warning("The USB buttons are gone (%s): plug them in again.", words)
        self._post(AdapterLost(at=now, adapter="usb", reason=f"The USB buttons are gone ({words})."))

    def _try_reopen(self) -> ButtonDevice | None:
        now = self._clock.now()
        # Game time starts again with each game: then the next try lies far ahead.
        if self._retry_at is None or 0 < self._retry_at - now <= RETRY_INTERVAL:
            return None
        try:
            self._device = self._open_device()
        except EncoderError:
            self._retry_at = now + RETRY_INTERVAL
            return None
        self.is_forbidden = False
        self._post(AdapterLost(at=now, adapter="usb"))
        return self._device


class UsbButtons:
    """All devices whose keys are buttons."""

    def __init__(self, devices: Sequence[UsbEncoder]) -> None:
        self._devices = devices

    @property
    def is_unplugged(self) -> bool:
        """Whether one of them was unplugged and is not back."""
        return any(device.is_unplugged for device in self._devices)

    @property
    def is_forbidden(self) -> bool:
        """As `UsbEncoder.is_forbidden`, of any of them."""
        return any(device.is_forbidden for device in self._devices)

    @property
    def is_one_of_many(self) -> bool:
        """As `ButtonDevice.is_one_of_many`, of any of them."""
        return any(device.is_one_of_many for device in self._devices)

    @property
    def repeats(self) -> tuple[Repeat, ...]:
        """Those of all of them."""
        return tuple(one for device in self._devices for one in device.repeats.values())

    def has_dropped(self, now: Micros, within: Micros) -> bool:
        """As `UsbEncoder.has_dropped`, of any of them."""
        return any(device.has_dropped(now, within) for device in self._devices)

    @property
    def has_direction(self) -> bool:
        """As of one."""
        return any(device.has_direction for device in self._devices)

    def had_direction(self, now: Micros, within: Micros) -> bool:
        """As of one."""
        return any(device.had_direction(now, within) for device in self._devices)

    def poll(self) -> int:
        """Hand over what happened since the last poll; the number of edges."""
        return sum(device.poll() for device in self._devices)

    def close(self) -> None:
        for device in self._devices:
            device.close()


def open_usb_buttons(
    wanted: str,
    changed: Mapping[str, int],
    learned: Mapping[str, str],
    *,
    clock: Clock,
    put: PutEdge,
    post: Callable[[Observation], None],
    folder: Path = DEVICE_FOLDER,
) -> UsbButtons:
    """The buttons of the settings: each device of `buttons.learned`, else one encoder.

    `wanted` and `changed` are `buttons.usb_device` and `buttons.usb`. Raises `EncoderError`.
    """
    if not learned:
        return UsbButtons([UsbEncoder(lambda: find_encoder(wanted, changed, folder), clock, put, post)])
    lines: dict[str, dict[int, ButtonId]] = {}
    for part, text in learned.items():
        key = InputKey.parse(text)
        lines.setdefault(key.device, {})[key.code] = parse_button_name(part)
    return UsbButtons(
        [
            UsbEncoder(_opener(device, lines, folder), clock, put, post, may_come_later=True)
            for device in lines
        ]
    )


def find_encoder(
    wanted: str = "", changed: Mapping[str, int] | None = None, folder: Path = DEVICE_FOLDER
) -> ButtonDevice:
    """Open the encoder with this path or (part of a) name, or the first joystick. Raises `EncoderError`."""
    if not has_input_devices():
        raise EncoderError(
            "This system has no /dev/input: USB buttons are read with the screen, or not at all."
        )
    devices = _open_devices(folder, are_joysticks=True)
    fitting = [device for device in devices if _is_encoder(device, wanted)]
    chosen = fitting[0] if fitting else None
    for device in devices:
        if device is not chosen:
            device.close()
    if chosen is None:
        if _is_joystick_plugged(folder) and is_any_forbidden(folder):
            raise EncoderForbiddenError(FORBIDDEN)
        what = f"that matches {wanted!r}" if wanted else "with buttons"
        raise EncoderError(f"There is no USB encoder {what}: plug it in, or change buttons.usb_device.")
    is_buzz = (chosen.vendor, chosen.product) in BUZZ_DEVICES
    lines = change_sockets(number_buttons(chosen.keys, is_buzz=is_buzz), changed or {})
    return ButtonDevice(chosen, lines, is_one_of_many=len(fitting) > 1)


def _is_joystick_plugged(folder: Path) -> bool:
    """Whether the kernel lists one, which anybody sees: it does so beside its events."""
    return any(folder.glob("js*"))


def _open_devices(folder: Path, *, are_joysticks: bool) -> list[InputDevice]:
    """As `open_input_devices`; no joystick that is wanted is forbidden where none is plugged in."""
    try:
        return open_input_devices(folder)
    except EncoderForbiddenError:
        if are_joysticks and not _is_joystick_plugged(folder):
            return []
        raise


def _is_encoder(device: InputDevice, wanted: str) -> bool:
    if wanted and device.is_called(wanted):
        return True
    has_buttons = not {FIRST_BUTTON, FIRST_PAD_BUTTON}.isdisjoint(device.keys)
    return has_buttons and wanted.lower() in device.name.lower()


class _DeviceGroup:
    """The devices of one plug or one Bluetooth button, which may be several; read as one."""

    def __init__(self, devices: Sequence[InputDevice]) -> None:
        self._devices = devices

    def read(self) -> Iterator[KeyEvent]:
        return chain.from_iterable(device.read() for device in self._devices)

    def close(self) -> None:
        for device in self._devices:
            with suppress(OSError):
                device.close()


def _opener(
    called: str, learned: Mapping[str, Mapping[int, ButtonId]], folder: Path
) -> Callable[[], ButtonDevice]:
    """Opens what is called so and has one of its learnt keys; `EncoderError` where nothing is.

    A shutter's Enter or Volume Up would press what is marked on the screen, too, or turn the volume up: so it
    is had alone, unless no keyboard is left to type on.
    """
    lines = learned[called]

    def open_device() -> ButtonDevice:
        are_joysticks = min(lines) >= FIRST_BUTTON
        devices = _open_devices(folder, are_joysticks=are_joysticks) if has_input_devices() else []
        found = [one for one in devices if one.is_called(called) and not lines.keys().isdisjoint(one.keys)]
        others = [device for device in devices if device not in found]
        unlearned = [one for one in others if not any(map(one.is_called, learned))]
        types = any(device.is_keyboard for device in unlearned)
        for device in others:
            device.close()
        for device in found:
            if types or not device.is_keyboard:
                with suppress(OSError):  # another program has it alone
                    device.grab()
        if not found:
            raise EncoderError(f"There is no button {called!r}: plug it in, or wake it by a press.")
        return ButtonDevice(_DeviceGroup(found), lines)

    return open_device


MODIFIERS = frozenset({29, 42, 54, 56, 97, 100, 125, 126})
"""Ctrl, Shift, Alt and the logo key: with them people talk to the terminal."""
STEERING_KEYS = frozenset({1, 15, 28, 57, 103, 105, 106, 108})
"""Escape, Tab, Enter, space, arrows: on a keyboard they steer the screen."""
POINTING_KEYS = frozenset({*range(0x110, 0x118), *range(0x140, 0x150)})
"""Of mice, touch screens and pens."""
SETTLE_NS = 400_000_000
"""A remote that sends two keys for one press has sent both by then."""


class ButtonLearner:
    """Learns whose button a key is, by its first press."""

    def __init__(
        self, devices: Sequence[InputDevice], wanted: Sequence[ButtonId], *, beside_screen: bool = False
    ) -> None:
        """`wanted`: the buttons that are asked for, in order.

        `beside_screen`: people steer a screen meanwhile, by touch, mouse and keyboard.
        """
        self.devices = list(devices)
        """All that are listened to; who closes them may change them."""
        self._wanted = list(wanted)
        self._beside_screen = beside_screen
        self._held: set[tuple[Path, int]] = set()
        self._quiet_from = -SETTLE_NS
        self.learned: dict[str, str] = {}
        """As `buttons.learned` has it."""
        self.repeated = ""
        """Whose key was just pressed once more, as settings name it; empty: nobody's."""
        self.is_steering = False
        """Whether the last key was one that steers the screen, and so can't be a button."""

    @property
    def asked(self) -> ButtonId | None:
        """Whose button is to be pressed now; None: all are known."""
        return self._wanted[0] if self._wanted else None

    def skip(self) -> None:
        """The button that is asked for is not there."""
        del self._wanted[:1]
        self.repeated = ""

    def poll(self) -> dict[ButtonId, InputKey]:
        """What was just learnt."""
        found: dict[ButtonId, InputKey] = {}
        for device in self.devices:
            with suppress(OSError):  # unplugged: it can't be pressed any more
                for event in device.read():
                    asked = self.asked
                    if asked is not None and (key := self._handle_event(device, event, asked)) is not None:
                        found[asked] = key
        return found

    def _handle_event(self, device: InputDevice, event: KeyEvent, asked: ButtonId) -> InputKey | None:
        if event.code in MODIFIERS:
            (self._held.add if event.down else self._held.discard)((device.path, event.code))
            return None
        if not event.down or self._held or event.at_ns - self._quiet_from < SETTLE_NS:
            return None
        self.is_steering = self._beside_screen and device.is_keyboard and event.code in STEERING_KEYS
        if self.is_steering or (self._beside_screen and event.code in POINTING_KEYS):
            return None
        key = InputKey(event.code, self._name(device, event.code))
        self.repeated = next((part for part, known in self.learned.items() if known == str(key)), "")
        if self.repeated:
            return None
        self._quiet_from = event.at_ns
        self.learned[button_name_of(asked)] = str(key)
        self._wanted.pop(0)
        return key

    def _name(self, device: InputDevice, code: int) -> str:
        """The shortest that only this one is called by."""
        alike = [one for one in self.devices if one.name == device.name and code in one.keys]
        return device.name if len(alike) == 1 else device.serial or device.socket or str(device.path)


class JoystickButtons:
    """Buttons that only the screen's library can read: it numbers them from 0, and they have no stamp.

    So a press is as exact as the screen is asked for input: every 4 ms while its instant may decide.
    """

    def __init__(
        self, changed: Mapping[str, int], learned: Mapping[str, str], clock: Clock, put: PutEdge
    ) -> None:
        """`changed` and `learned` as `open_usb_buttons` has them; a key's code is its button's number."""
        self._clock = clock
        self._put = put
        self._changed = change_sockets(number_buttons(range(FIRST_BUTTON, KEY_COUNT)), changed)
        self._buzz = number_buttons(range(FIRST_BUTTON, KEY_COUNT), is_buzz=True)
        self._learned = {InputKey.parse(text): parse_button_name(part) for part, text in learned.items()}
        self._first = ""
        """The device that was pressed first: where nothing was learnt, it alone is heard."""

    @property
    def is_used(self) -> bool:
        """Whether a button of one was pressed."""
        return bool(self._first)

    def handle_button(self, device: str, number: int, down: bool) -> None:  # noqa: FBT001 (a window's callback)
        """A button of a joystick, by the joystick's name, went down or came up just now."""
        self._first = self._first or device
        if self._learned:
            line = self._learned.get(InputKey(number, device))
        else:
            sockets = self._buzz if "buzz" in device.lower() else self._changed
            line = sockets.get(FIRST_BUTTON + number) if device == self._first else None
        if line is not None:
            self._put(Edge(*line, level=down, at=self._clock.now(), source="usb"))
