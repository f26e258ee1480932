"""USB encoder: the same edges, with their source."""

from __future__ import annotations

import errno
from types import SimpleNamespace

import pytest

from companion.core.clock import ManualClock
from companion.core.observations import AdapterLost
from companion.core.switch import Edge
from hardware.errors import EncoderError, LibraryMissingError
from hardware.usb_encoder import (
    DEFAULT_CODES,
    FIRST_BUTTON,
    RETRY_INTERVAL,
    UsbEncoder,
    find_encoder,
    open_encoder,
)


def event(code: int, value: int, at: int, kind: int = 1):
    return SimpleNamespace(type=kind, code=code, value=value, sec=at // 1_000_000, usec=at % 1_000_000)


class Device:
    """What stands for an evdev device: batches of events, then nothing, or trouble."""

    def __init__(self, *batches):
        self.batches, self.closed = list(batches), False

    def read(self):
        if not self.batches:
            raise BlockingIOError(errno.EAGAIN, "nothing there")
        batch = self.batches.pop(0)
        if isinstance(batch, Exception):
            raise batch
        return iter(batch)

    def close(self):
        self.closed = True


def encoder(*devices, clock=None):
    """An encoder that finds these devices one after the other, and its lists of edges and observations."""
    waiting, edges, posted = list(devices), [], []

    def open_device():
        if not waiting or waiting[0] is None:
            if waiting:
                waiting.pop(0)
            raise EncoderError("There is no USB encoder with buttons: plug it in.")
        return waiting.pop(0)

    return (
        UsbEncoder(open_device, clock or ManualClock(), edges.append, posted.append, DEFAULT_CODES),
        edges,
        posted,
    )


def test_sockets_are_chairs_and_carry_the_kernel_s_stamp():
    device = Device([event(FIRST_BUTTON, 1, 1_500_000), event(FIRST_BUTTON + 7, 1, 1_500_900)])
    usb, edges, _ = encoder(device, clock=ManualClock(1_508_000))
    assert usb.poll() == 2
    assert edges == [
        Edge(0, "seat", level=True, at=1_500_000, source="usb"),
        Edge(7, "seat", level=True, at=1_500_900, source="usb"),
    ]
    assert usb.poll() == 0


def test_sockets_nine_to_eleven_are_the_shared_buttons():
    device = Device([event(FIRST_BUTTON + 8 + n, 1, n) for n in range(3)])
    usb, edges, _ = encoder(device)
    usb.poll()
    assert [(edge.chair, edge.button) for edge in edges] == [(None, "back"), (None, "next"), (None, "ok")]


def test_repeats_other_axes_and_unknown_sockets_are_no_edges():
    device = Device([event(FIRST_BUTTON, 2, 0), event(0, 128, 0, kind=3), event(FIRST_BUTTON + 30, 1, 0)])
    usb, edges, _ = encoder(device)
    assert usb.poll() == 0
    assert edges == []


def test_an_unplugged_encoder_lets_its_buttons_go_and_is_told_once():
    gone = OSError(errno.ENODEV, "No such device")
    clock = ManualClock(0)
    usb, edges, posted = encoder(Device([event(FIRST_BUTTON + 2, 1, 0)], gone), clock=clock)
    usb.poll()
    clock.move_to(5_000)
    usb.poll()
    usb.poll()
    assert edges[-1] == Edge(2, "seat", level=False, at=5_000, source="usb")
    assert posted == [
        AdapterLost(at=5_000, adapter="usb", reason="The USB buttons are gone (it was unplugged).")
    ]


def test_an_encoder_that_is_plugged_in_again_is_found_with_patience():
    gone = OSError(errno.ENODEV, "No such device")
    clock = ManualClock(0)
    usb, edges, posted = encoder(
        Device(gone), None, Device([event(FIRST_BUTTON, 1, RETRY_INTERVAL * 2)]), clock=clock
    )
    usb.poll()
    assert usb.poll() == 0
    clock.move_to(RETRY_INTERVAL)
    assert usb.poll() == 0
    clock.move_to(RETRY_INTERVAL * 2)
    assert usb.is_unplugged
    assert usb.poll() == 1
    assert not usb.is_unplugged
    assert posted[1:] == [AdapterLost(at=RETRY_INTERVAL * 2, adapter="usb")]
    assert [edge.level for edge in edges] == [True]


def test_an_encoder_that_was_lost_before_a_new_game_began_is_tried_in_it():
    gone = OSError(errno.ENODEV, "No such device")
    clock = ManualClock(900 * RETRY_INTERVAL)
    usb, _, _ = encoder(Device(gone), Device(), clock=clock)
    usb.poll()
    clock.restart()
    usb.poll()
    assert not usb.is_unplugged


def test_without_evdev_the_package_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(__import__("sys").modules, "evdev", None)
    with pytest.raises(LibraryMissingError, match="apt install python3-evdev"):
        find_encoder()


class EvdevLibrary:
    """What stands for the evdev module: devices by path, with their names and sockets."""

    def __init__(self, **devices):
        self.devices = {f"/dev/input/{name}": about for name, about in devices.items()}
        self.closed = []
        library = self

        class InputDevice:
            def __init__(self, path):
                if path not in library.devices:
                    raise FileNotFoundError(errno.ENOENT, "No such file", path)
                self.path, self.fd = path, 9
                self.name, self.sockets = library.devices[path]

            def capabilities(self):
                return {1: self.sockets}

            def close(self):
                library.closed.append(self.path)

        self.InputDevice = InputDevice

    def list_devices(self):
        return list(self.devices)


@pytest.fixture
def clocks(monkeypatch: pytest.MonkeyPatch):
    """The clock ids that were asked for, instead of the kernel."""
    asked = []
    monkeypatch.setattr("fcntl.ioctl", lambda fd, code, value: asked.append((fd, code, value)))
    return asked


def use(monkeypatch: pytest.MonkeyPatch, **devices) -> EvdevLibrary:
    library = EvdevLibrary(**devices)
    monkeypatch.setitem(__import__("sys").modules, "evdev", library)
    return library


def test_the_first_joystick_is_found_and_stamped_on_the_monotonic_clock(monkeypatch, clocks):
    library = use(
        monkeypatch,
        event0=("Keyboard", [30, 31]),
        event1=("DragonRise Inc.", [FIRST_BUTTON, FIRST_BUTTON + 1]),
    )
    assert find_encoder().path == "/dev/input/event1"
    assert library.closed == ["/dev/input/event0"]
    eviocsclockid = (1 << 30) | (4 << 16) | (ord("E") << 8) | 0xA0
    assert clocks == [(9, eviocsclockid, b"\x01\x00\x00\x00")]


def test_an_encoder_can_be_named_or_given_by_path(monkeypatch, clocks):
    use(monkeypatch, event1=("Pad", [FIRST_BUTTON]), event2=("DragonRise Inc.", [FIRST_BUTTON]))
    assert find_encoder("dragon").path == "/dev/input/event2"
    assert find_encoder("/dev/input/event1").path == "/dev/input/event1"


def test_an_encoder_that_is_not_there_is_named(monkeypatch, clocks):
    use(monkeypatch, event0=("Keyboard", [30]))
    with pytest.raises(EncoderError, match="no USB encoder with buttons"):
        find_encoder()
    with pytest.raises(EncoderError, match="'dragon'"):
        find_encoder("dragon")
    with pytest.raises(EncoderError, match="does not open"):
        find_encoder("/dev/input/event7")


def test_settings_name_the_device_and_move_single_sockets(monkeypatch, clocks):
    library = use(monkeypatch, event1=("Pad", [FIRST_BUTTON]), event2=("DragonRise Inc.", [FIRST_BUTTON]))
    edges = []
    usb = open_encoder("dragon", {"1": 304}, ManualClock(), edges.append, edges.append)
    pressed = [event(304, 1, 10), event(FIRST_BUTTON, 1, 20), event(FIRST_BUTTON + 1, 1, 30)]
    library.InputDevice.read = lambda device: iter(pressed if device.path == "/dev/input/event2" else [])
    usb.poll()
    assert [(edge.chair, edge.at) for edge in edges] == [(0, 10), (1, 30)]
