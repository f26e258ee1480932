"""USB buttons: the same edges, with their source, from whatever device they are."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.core.actions import SECOND
from companion.core.clock import ManualClock
from companion.core.observations import AdapterLost
from companion.core.switch import Edge
from hardware.errors import EncoderError, EncoderForbiddenError
from hardware.input_devices import KeyEvent, open_input_devices
from hardware.usb_encoder import (
    FIRST_BUTTON,
    RETRY_INTERVAL,
    ButtonDevice,
    ButtonLearner,
    JoystickButtons,
    UsbEncoder,
    find_encoder,
    number_buttons,
    open_usb_buttons,
)
from tests.hardware.input_kernel import FOLDER, InputKernel, recorded


def event(code: int, value: int, at: int) -> KeyEvent:
    return KeyEvent(code, value == 1, at * 1000)


class Device:
    """What stands for an open device: batches of events, then nothing, or trouble."""

    def __init__(self, *batches):
        self.batches, self.closed = list(batches), False

    def read(self):
        batch = self.batches.pop(0) if self.batches else []
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
        return ButtonDevice(waiting.pop(0), number_buttons(range(FIRST_BUTTON, FIRST_BUTTON + 16)))

    return UsbEncoder(open_device, clock or ManualClock(), edges.append, posted.append), edges, posted


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


def test_other_sockets_are_no_edges():
    usb, edges, _ = encoder(Device([event(FIRST_BUTTON + 30, 1, 0)]))
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


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[InputKernel]:
    found = InputKernel(tmp_path, monkeypatch)
    yield found
    found.close()


class Table:
    """Buttons of a table on the stand-in kernel, and what it hears."""

    def __init__(self, kernel: InputKernel, wanted: str = "", changed=None, learned=None) -> None:
        self.clock, self.edges, self.posted = ManualClock(), [], []
        self.usb = open_usb_buttons(
            wanted, changed or {}, learned or {},
            clock=self.clock, put=self.edges.append, post=self.posted.append, folder=kernel.folder,
        )  # fmt: skip

    def pressed(self) -> list[tuple[int | str, int]]:
        """The chairs or shared buttons that went down, with their stamps."""
        self.usb.poll()
        found = [
            (edge.button if edge.chair is None else edge.chair, edge.at) for edge in self.edges if edge.level
        ]
        self.edges.clear()
        return found


def test_every_recorded_device_says_from_where_it_is() -> None:
    files = sorted(FOLDER.glob("*.toml"))
    assert len(files) == 5
    for file in files:
        text = file.read_text(encoding="utf-8")
        assert "recorded" in recorded(file.stem)["source"] or "sources" in recorded(file.stem)["source"]
        assert "github.com" in text or "ouya.world" in text


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("dragonrise-encoder", [288, 289, 290, 291, 296, 297, 298]),
        ("xbox-360-pad", [0x130, 0x131, 0x133, 0x134, 0x13C, 0x13D, 0x13E]),
        ("thrustmaster-pad", [304, 305, 306, 307, 312, 313, 314]),
    ],
)
def test_a_device_with_buttons_is_chairs_and_shared_buttons_by_their_order(
    kernel: InputKernel, name: str, keys: list[int]
) -> None:
    path = kernel.plug(name)
    table = Table(kernel)
    assert kernel.clocks == [path]
    for place, code in enumerate(keys):
        kernel.press(path, code, 1_000_000 + place * 900)
    told = [0, 1, 2, 3, "back", "next", "ok"]
    assert table.pressed() == [(who, 1_000_000 + place * 900) for place, who in enumerate(told)]


def test_of_buzz_controllers_the_four_large_buttons_are_the_chairs(kernel: InputKernel) -> None:
    path = kernel.plug("buzz-controller")
    table = Table(kernel)
    for code in (288, 289, 293, 294, 298, 303, 707):
        kernel.press(path, code, code)
    assert table.pressed() == [(0, 288), (1, 293), (2, 298), (3, 303)]


def test_axes_and_a_key_that_repeats_are_no_presses(kernel: InputKernel) -> None:
    path = kernel.plug("dragonrise-encoder")
    table = Table(kernel)
    kernel.press(path, 0, 5, kind=3)
    kernel.press(path, 288, 6, down=False)
    assert (table.usb.poll(), [edge.level for edge in table.edges]) == (1, [False])


def test_where_the_kernel_s_queue_ran_over_the_keys_are_told_as_they_are_now(kernel: InputKernel) -> None:
    path = kernel.plug("dragonrise-encoder")
    table = Table(kernel)
    kernel.press(path, 289, 100)
    table.usb.poll()
    kernel.held = {290, 291}
    kernel.overflow(path, 5_000)
    kernel.press(path, 291, 6_000)
    table.usb.poll()
    told = [(edge.chair, edge.level, edge.at, edge.gap) for edge in table.edges]
    assert told == [
        (1, True, 100, False),
        (1, False, 5_000, True),
        (2, True, 5_000, True),
        (3, True, 6_000, False),
    ]


def test_a_press_after_the_kernel_s_queue_ran_over_has_its_own_stamp_alone(kernel: InputKernel) -> None:
    """Also of what the kernel drops once it is asked how the keys are now."""
    path = kernel.plug("dragonrise-encoder")
    table = Table(kernel)
    kernel.overflow(path, 5_000)
    for at in range(6_000, 6_100):
        kernel.press(path, 0, at, down=False, kind=0)
    kernel.press(path, 289, 7_000)
    kernel.press(path, 290, 8_000)
    kernel.press(path, 290, 9_000, down=False)
    kernel.held = {288, 289}
    table.usb.poll()
    told = [(edge.chair, edge.level, edge.at, edge.gap) for edge in table.edges]
    assert told == [
        (0, True, 5_000, True),
        (1, True, 7_000, False),
        (2, True, 8_000, False),
        (2, False, 9_000, False),
    ]


def test_presses_that_the_kernel_s_queue_may_have_lost_are_told_for_a_while(kernel: InputKernel) -> None:
    """Also when every key is as it was: it may have gone down and up again."""
    path = kernel.plug("dragonrise-encoder")
    table = Table(kernel)
    kernel.press(path, 288, 7)
    assert table.pressed() == [(0, 7)]
    assert not table.usb.has_dropped(table.clock.now(), SECOND)
    kernel.held = {288}
    kernel.overflow(path, 5_000)
    table.clock.move_to(SECOND)
    assert table.usb.poll() == 0
    assert table.usb.has_dropped(table.clock.now(), SECOND)
    assert not table.usb.has_dropped(table.clock.now() + SECOND, SECOND)
    assert not table.usb.has_dropped(0, SECOND), "of a game before"


def test_keyboards_that_may_not_be_read_do_not_keep_a_joystick_from_being_found(kernel: InputKernel) -> None:
    kernel.forbidden = {kernel.plug("bluetooth-shutter")}
    path = kernel.plug("dragonrise-encoder")
    table = Table(kernel)
    kernel.press(path, 288, 7)
    assert table.pressed() == [(0, 7)]
    kernel.forbidden.add(path)
    with pytest.raises(EncoderError, match="no USB encoder with buttons"):
        find_encoder(folder=kernel.folder)
    (kernel.folder / "js0").touch()
    with pytest.raises(EncoderForbiddenError, match="usermod -aG input"):
        find_encoder(folder=kernel.folder)
    learned = open_usb_buttons(
        "", {}, {"1": "288@DragonRise"}, clock=ManualClock(), put=print, post=print, folder=kernel.folder
    )
    assert learned.is_unplugged
    assert learned.is_forbidden


def test_an_encoder_can_be_named_or_given_by_path_and_its_sockets_changed(kernel: InputKernel) -> None:
    pad, stick = kernel.plug("xbox-360-pad"), kernel.plug("dragonrise-encoder")
    for wanted in ("dragon", str(stick)):
        table = Table(kernel, wanted, {"1": 299})
        for code in (299, 288, 289):
            kernel.press(stick, code, code)
        kernel.press(pad, 0x130, 1)
        assert table.pressed() == [(0, 299), (1, 289)]


def test_an_encoder_that_is_not_there_is_named(kernel: InputKernel) -> None:
    kernel.plug("bluetooth-shutter")
    with pytest.raises(EncoderError, match="no USB encoder with buttons"):
        find_encoder(folder=kernel.folder)
    with pytest.raises(EncoderError, match="'dragon'"):
        find_encoder("dragon", folder=kernel.folder)


def test_an_encoder_that_is_unplugged_and_plugged_in_again_is_read_on(kernel: InputKernel) -> None:
    path = kernel.plug("dragonrise-encoder")
    table = Table(kernel)
    kernel.unplug(path)
    assert table.pressed() == []
    assert table.usb.is_unplugged
    path = kernel.plug("dragonrise-encoder")
    table.clock.move_to(RETRY_INTERVAL)
    kernel.press(path, 289, 9)
    assert table.pressed() == [(1, 9)]
    assert [lost.reason for lost in table.posted] == ["The USB buttons are gone (it was unplugged).", ""]


# Learnt by pressing -----------------------------------------------------------------------------------------


def learn(kernel: InputKernel, *presses: tuple[Path, int]) -> ButtonLearner:
    """The chairs pressed one after the other, a second apart."""
    chairs = [(chair, "seat") for chair in range(8)]
    learner = ButtonLearner(open_input_devices(kernel.folder), chairs)
    for number, (path, code) in enumerate(presses, 1):
        kernel.press(path, code, number * 1_000_000)
        learner.poll()
        kernel.press(path, code, number * 1_000_000 + 90_000, down=False)
        learner.poll()
    return learner


def test_any_key_of_any_device_is_a_button_once_it_was_pressed(kernel: InputKernel) -> None:
    shutter, pad, buzz = (
        kernel.plug(name) for name in ("bluetooth-shutter", "xbox-360-pad", "buzz-controller")
    )
    presses = [(buzz, 303), (shutter, 115), (pad, 0x13B)]
    learned = learn(kernel, *presses).learned
    assert learned == {
        "1": "303@Logitech Logitech Buzz(tm) Controller V1",
        "2": "115@AB Shutter3",
        "3": "315@Microsoft X-Box 360 pad",
    }
    table = Table(kernel, learned=learned)
    for path, code in [*presses, (buzz, 288), (pad, 0x130)]:
        kernel.press(path, code, code)
    assert sorted(table.pressed()) == [(0, 303), (1, 115), (2, 0x13B)]


KEYBOARD = tuple(range(1, 120))


def test_a_shutter_s_keys_are_had_alone_unless_it_is_the_last_keyboard(kernel: InputKernel) -> None:
    shutter = kernel.plug("bluetooth-shutter", keys=KEYBOARD)
    Table(kernel, learned={"1": "115@AB Shutter3"})
    assert kernel.grabbed == set()
    kernel.plug("bluetooth-shutter", keys=KEYBOARD, serial="another", socket="")
    Table(kernel, learned={"1": "115@2a:07:98:10:34:ff"})
    assert kernel.grabbed == {shutter}
    kernel.grabbed.clear()
    Table(kernel, learned={"1": "115@2a:07:98:10:34:ff", "2": "2@another"})
    assert kernel.grabbed == set(), "somebody has to be able to type"
    pad = kernel.plug("xbox-360-pad")
    Table(kernel, learned={"1": "304@Microsoft X-Box 360 pad"})
    assert pad in kernel.grabbed


def test_two_shutters_of_one_name_are_told_apart_by_their_addresses(kernel: InputKernel) -> None:
    one = kernel.plug("bluetooth-shutter")
    other = kernel.plug("bluetooth-shutter", serial="2a:07:98:10:35:00")
    learned = learn(kernel, (other, 115), (one, 115)).learned
    assert learned == {"1": "115@2a:07:98:10:35:00", "2": "115@2a:07:98:10:34:ff"}
    table = Table(kernel, learned=learned)
    kernel.press(one, 115, 4)
    assert table.pressed() == [(1, 4)]


def test_two_encoders_of_one_name_are_told_apart_by_their_sockets(kernel: InputKernel) -> None:
    left = kernel.plug("dragonrise-encoder")
    right = kernel.plug("dragonrise-encoder", socket="usb-0000:01:00.0-1.4/input0")
    table = Table(kernel, learned=learn(kernel, (left, 288), (right, 288)).learned)
    kernel.press(right, 288, 3)
    kernel.press(left, 288, 4)
    assert sorted(table.pressed()) == [(0, 4), (1, 3)]


def test_a_shutter_that_sleeps_when_the_table_starts_is_found_once_it_wakes(kernel: InputKernel) -> None:
    table = Table(kernel, learned={"1": "115@AB Shutter3"})
    assert table.usb.is_unplugged
    path = kernel.plug("bluetooth-shutter")
    table.clock.move_to(RETRY_INTERVAL)
    kernel.press(path, 115, 8)
    assert table.pressed() == [(0, 8)]


def test_one_press_that_sends_two_keys_is_learnt_once_and_no_key_twice(kernel: InputKernel) -> None:
    path = kernel.plug("bluetooth-shutter")
    learner = ButtonLearner(open_input_devices(kernel.folder), [(0, "seat"), (1, "seat")])
    for code, at in ((115, 1_000_000), (28, 1_020_000), (115, 3_000_000)):
        kernel.press(path, code, at)
        learner.poll()
    assert learner.learned == {"1": "115@AB Shutter3"}
    assert learner.asked == (1, "seat")


def test_ctrl_c_that_ends_the_learning_is_no_button(kernel: InputKernel) -> None:
    path = kernel.plug("bluetooth-shutter", keys=[28, 29, 46])
    learner = ButtonLearner(open_input_devices(kernel.folder), [(0, "seat")])
    for code in (29, 46):
        kernel.press(path, code, 2_000_000)
        learner.poll()
    assert learner.learned == {}


# Where the kernel's devices are not to be had ---------------------------------------------------------------


def test_what_the_window_tells_of_a_joystick_is_a_press_at_this_moment() -> None:
    clock, edges = ManualClock(50), []
    sticks = JoystickButtons({}, {}, clock, edges.append)
    assert not sticks.is_used
    sticks.handle_button("DragonRise Inc. Generic USB Joystick", 3, down=True)
    clock.move_to(70)
    sticks.handle_button("DragonRise Inc. Generic USB Joystick", 3, down=False)
    sticks.handle_button("another", 0, down=True)
    assert edges == [
        Edge(3, "seat", level=True, at=50, source="usb"),
        Edge(3, "seat", level=False, at=70, source="usb"),
    ]
    assert sticks.is_used


def test_the_window_s_joysticks_know_buzz_controllers_changed_sockets_and_what_was_learnt() -> None:
    def chairs(*presses: tuple[str, int], changed=None, learned=None) -> list[int]:
        edges = []
        sticks = JoystickButtons(changed or {}, learned or {}, ManualClock(), edges.append)
        for device, number in presses:
            sticks.handle_button(device, number, down=True)
        return [edge.chair for edge in edges]

    buzz = "Logitech Buzz(tm) Controller V1"
    assert chairs((buzz, 0), (buzz, 1), (buzz, 5), (buzz, 15)) == [0, 1, 3]
    assert chairs(("Pad", 7), ("Pad", 0), changed={"1": FIRST_BUTTON + 7}) == [0]
    assert chairs(("Pad", 7), ("Stick", 0), ("Pad", 0), learned={"2": "7@Pad", "5": "0@Stick"}) == [1, 4]


@pytest.mark.parametrize(
    ("gaps", "rates"),
    [
        ([33_000] * 30, [15]),
        ([16_000, 17_000] * 30, [30]),
        ([60_000, 90_000, 75_000, 60_000, 100_000, 66_000] * 5, []),  # a drummer
        ([250_000] * 30, []),
    ],
)
def test_a_button_that_the_encoder_presses_by_itself_is_told_once(
    gaps: list[int],
    rates: list[int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    kernel = InputKernel(tmp_path, monkeypatch)
    path, at = kernel.plug("dragonrise-encoder"), SECOND
    usb = open_usb_buttons(
        "", {}, {}, clock=ManualClock(), put=lambda _: None, post=lambda _: None, folder=tmp_path
    )
    for place, gap in enumerate(gaps):
        at += gap
        kernel.press(path, 290, at, down=place % 2 == 0)
        usb.poll()
    assert [(one.line, one.rate) for one in usb.repeats] == [((2, "seat"), rate) for rate in rates]
    assert caplog.text.count("Chair 3's button repeats by itself") == len(rates)
    assert caplog.text.count("switch the encoder's turbo off") == len(rates)
    usb.close()
    kernel.close()


def test_a_button_in_a_socket_for_directions_is_told_and_can_be_learnt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    kernel = InputKernel(tmp_path, monkeypatch)
    path = kernel.plug("dragonrise-encoder")
    heard: list[Edge] = []
    clock = ManualClock()
    usb = open_usb_buttons("", {}, {}, clock=clock, put=heard.append, post=lambda _: None, folder=tmp_path)
    for value, at in ((127, 1), (255, 2), (127, 3)):
        kernel.lean(path, 0, value, at * SECOND)
    usb.poll()
    assert (heard, usb.has_direction, usb.had_direction(clock.now(), SECOND)) == ([], True, True)
    assert "move its plug to K1 to K11" in caplog.text
    usb.close()
    devices = open_input_devices(tmp_path)
    learner = ButtonLearner(devices, [(0, "seat"), (1, "seat")])
    for axis, value, at in ((0, 255, 4), (16, -1, 6)):
        kernel.lean(path, axis, value, at * SECOND)
        kernel.lean(path, axis, 0 if axis == 16 else 127, (at + 1) * SECOND)
        learner.poll()
    assert learner.learned == {"1": f"769@{devices[0].name}", "2": f"800@{devices[0].name}"}
    for device in devices:
        device.close()
    learnt = open_usb_buttons(
        "", {}, learner.learned, clock=clock, put=heard.append, post=lambda _: None, folder=tmp_path
    )
    kernel.lean(path, 0, 255, 8 * SECOND)
    kernel.lean(path, 0, 127, 9 * SECOND)
    learnt.poll()
    assert [(edge.chair, edge.level, edge.at) for edge in heard] == [
        (0, True, 8 * SECOND),
        (0, False, 9 * SECOND),
    ]
    assert not learnt.has_direction
    learnt.close()
    kernel.close()
