"""The doctor's checks that open a device, on machines and devices that these tests make up."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import pytest

from companion.camera.calibration_file import TableCalibration, save_calibration
from companion.cli.checks.camera_checks import camera, describe_picture
from companion.cli.checks.device_checks import (
    Devices,
    lamps,
    pins,
    power,
    screen,
    service,
)
from companion.cli.checks.doctor import run_checks
from companion.cli.checks.machine_checks import clock, system
from companion.cli.checks.sound_checks import sound
from companion.cli.doctor import STATE_LABELS
from companion.core.actions import SECOND, Micros
from companion.core.check_verdict import CheckVerdict
from companion.core.clock import GameClock
from companion.games import mat_layout
from companion.settings.model import (
    ButtonSettings,
    CameraSettings,
    Settings,
    StorageSettings,
    TableSettings,
)
from companion.vision.calibration import make_saved_calibration
from companion.vision.layout import Calibration
from companion.vision.renderer import EASY, TableRenderer, TableScene, Textures
from hardware.buttons import open_pin_factory
from hardware.camera import CameraFrame, Image
from hardware.camera_lock import WebcamLock
from hardware.camera_usb import UsbCamera
from hardware.errors import CameraError, HardwareError, NoCameraError
from hardware.gpiod_pins import GpiodFactory
from tests.camera.calibration_cameras import see_at_a_slant
from tests.cli.checks.conftest import Make
from tests.hardware.kernel_lines import Gpiod, Value

PI4 = "proc/device-tree/model=Raspberry Pi 4 Model B Rev 1.4"
PI5 = "proc/device-tree/model=Raspberry Pi 5 Model B Rev 1.0"
SERVICE = "proc/812/cgroup=0::/system.slice/companion.service"
PINNED = {"modules": ("gpiod",)}


def never(*_: object) -> Any:
    raise AssertionError("this is not opened here")


NOTHING = Devices(
    pins=never,
    camera=never,
    sound=never,
    screen=never,
    window=never,
    firmware=lambda: "throttled=0x0",
    unit=str,
)
"""Whoever opens anything but what its test hands in fails."""


@pytest.fixture
def gpiod() -> Gpiod:
    return Gpiod()


@pytest.fixture
def wired(gpiod: Gpiod, monkeypatch: pytest.MonkeyPatch) -> Devices:
    """Pins on these lines."""
    monkeypatch.setattr(GpiodFactory, "_get_revision", lambda _: 0xC03115)
    return replace(NOTHING, pins=lambda chip, dev: open_pin_factory(chip, dev, library=gpiod))


# Pins and lamps -------------------------------------------------------------------------------------------


def test_pins_in_the_header_s_numbers_are_a_fault_though_they_open(machine: Make, wired: Devices) -> None:
    pi = machine(PI5, "dev/gpiochip0", **PINNED)
    chosen = Settings(buttons=ButtonSettings(pins={"1": 11, "2": 13}), table=TableSettings(chairs=2))
    found = pins(pi, chosen, wired)
    assert (found.state, found.fix.partition(",")[0]) == ("fault", "take such lines out")
    unopened = Settings(buttons=ButtonSettings(pins={"3": 15}))
    assert pins(pi, unopened, NOTHING).fix.startswith("take such lines out")


def test_each_pin_of_this_table_is_opened_and_let_go(machine: Make, wired: Devices, gpiod: Gpiod) -> None:
    found = pins(machine(PI5, "dev/gpiochip0", **PINNED), Settings(), wired)
    assert found.state == "ok"
    assert found.what.startswith("11 buttons opened")
    four = Settings(table=TableSettings(chairs=4))
    assert pins(machine(PI5, "dev/gpiochip0", **PINNED), four, wired).what.startswith("7 buttons opened")
    assert gpiod.held == {}


def test_a_pin_that_spi_holds_is_named_with_what_switches_it_off(
    machine: Make, wired: Devices, gpiod: Gpiod
) -> None:
    gpiod.take(8, "spi0 CS0")
    found = pins(machine(PI5, "dev/gpiochip0", **PINNED), Settings(), wired)
    assert found == CheckVerdict(
        "fault",
        "BCM 8 (button 7) is in use by spi0 CS0",
        "switch SPI off: sudo raspi-config nonint do_spi 1, then restart",
    )


def test_two_parts_on_one_pin_are_named_with_the_pin_and_no_lamp_is_called_unconnected(
    machine: Make, wired: Devices
) -> None:
    twice = Settings(buttons=ButtonSettings(pins={"1": 27}))
    table = machine(PI5, "dev/gpiochip0", **PINNED)
    found = pins(table, twice, wired)
    assert found.state == "fault"
    assert found.what.startswith("buttons.pins.1 and buttons.pins.2 are both on BCM 27 (pin 13)")
    assert found.what.endswith("no button on a pin is read, and the lamps stay dark")
    assert "companion wiring" not in found.fix  # it cannot draw such a table either
    assert lamps(table, twice, wired) == CheckVerdict(
        "absent", "none opens: chairs light up on the screen", found.fix
    )


@pytest.mark.parametrize("buttons", [ButtonSettings(learned={"1": "288@Pad"}), ButtonSettings()])
def test_where_the_buttons_are_on_usb_no_pin_is_blamed(
    machine: Make, wired: Devices, gpiod: Gpiod, buttons: ButtonSettings
) -> None:
    gpiod.take(8, "spi0 CS0")
    plugged = () if buttons.learned else ("dev/input/js0",)
    table = machine(PI5, "dev/gpiochip0", *plugged, **PINNED)
    for check in (pins, lamps):
        found = check(table, Settings(buttons=buttons), wired)
        assert (found.state, found.what.partition(",")[0]) == ("absent", "the buttons are on USB")
        assert "SPI" not in found.fix


def test_a_hat_that_may_hold_a_pin_is_named(machine: Make, wired: Devices, gpiod: Gpiod) -> None:
    gpiod.take(17, "fan")
    hat = "proc/device-tree/hat/product=PoE+ HAT\0"
    found = pins(machine(PI5, "dev/gpiochip0", hat, **PINNED), Settings(), wired)
    assert "a HAT is on the header (PoE+ HAT)" in found.what
    assert found.fix.endswith("; take it off")


def test_a_board_that_has_a_bus_switched_on_is_told_and_not_the_bus(
    machine: Make, wired: Devices, gpiod: Gpiod, monkeypatch: pytest.MonkeyPatch
) -> None:
    gpiod.take(8, "spi0 CS0")
    table = machine(PI5, "dev/gpiochip0", "proc/device-tree/hat/product=Sense HAT\0", **PINNED)
    monkeypatch.setattr(GpiodFactory, "root", table.root, raising=False)
    found = pins(table, Settings(), wired)
    assert found.what == "BCM 8 (button 7) is in use by the board on the header (Sense HAT)"
    assert found.fix.startswith("take it off, or wire those buttons to other pins")


def test_two_pins_that_one_thing_holds_have_one_remedy(machine: Make, wired: Devices, gpiod: Gpiod) -> None:
    gpiod.take(8, "spi0 CS0")
    gpiod.take(7, "spi0 CS1")
    found = pins(machine(PI5, "dev/gpiochip0", **PINNED), Settings(), wired)
    assert "BCM 8 (button 7)" in found.what
    assert "BCM 7 (button 8)" in found.what
    assert found.fix.count("do_spi") == 1


def test_a_button_that_is_down_without_a_hand_is_a_fault(machine: Make, wired: Devices, gpiod: Gpiod) -> None:
    gpiod.levels[22] = Value.INACTIVE
    found = pins(machine(PI5, "dev/gpiochip0", **PINNED), Settings(), wired)
    assert (found.state, found.what) == ("fault", "down without a hand: 3")


def test_a_lamp_s_pin_is_tried_and_its_light_is_not(machine: Make, wired: Devices, gpiod: Gpiod) -> None:
    table = machine(PI5, "dev/gpiochip0", **PINNED)
    found = lamps(table, Settings(), wired)
    assert found.state == "untried"
    assert found.fix.startswith("companion doctor --press")
    gpiod.take(24, "gpio-fan")
    found = lamps(table, Settings(), wired)
    assert (found.state, found.what) == ("fault", "BCM 24 (lamp 2) is in use by gpio-fan")
    assert pins(table, Settings(), wired).state == "ok"


def test_pins_that_the_running_table_has_are_not_tried(machine: Make) -> None:
    for found in (
        pins(machine(PI5, "dev/gpiochip0", SERVICE, **PINNED), Settings(), NOTHING),
        pins(machine(PI5, "dev/gpiochip0", **PINNED), Settings(), None),
    ):
        assert (found.state, found.what) == ("untried", "the table has them itself")


def test_a_laptop_without_pins_is_no_fault(machine: Make) -> None:
    assert pins(machine("dev/gpiochip0"), Settings(), NOTHING).state == "absent"


def test_a_daemon_that_sets_pins_past_the_kernel_is_a_fault(machine: Make) -> None:
    found = pins(machine(PI4, "dev/gpiochip0", "proc/612/comm=pigpiod\n", **PINNED), Settings(), NOTHING)
    assert (found.state, found.fix) == ("fault", "sudo systemctl disable --now pigpiod")


def test_a_pi_without_a_library_for_pins_names_the_package(machine: Make) -> None:
    found = pins(machine(PI5, "dev/gpiochip0"), Settings(), NOTHING)
    assert found.state == "fault"
    assert "python3-libgpiod" in found.fix


def test_a_chip_that_is_not_there_is_a_fault(machine: Make, wired: Devices) -> None:
    settings = Settings(buttons=ButtonSettings(chip=4))

    class NoChip(Gpiod):
        def Chip(self, path: str) -> Any:
            raise FileNotFoundError(path)

    missing = replace(wired, pins=lambda chip, dev: open_pin_factory(chip, dev, library=NoChip()))
    found = pins(machine(PI5, "dev/gpiochip0", **PINNED), settings, missing)
    assert found.state == "fault"
    assert "there is gpiochip0" in found.what
    assert found.fix.startswith("set buttons.chip")


def test_a_chip_that_is_not_the_header_s_is_a_fault_where_that_is_there(
    machine: Make, gpiod: Gpiod, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hardware.buttons.read_chip_label", lambda _, n: {0: "pinctrl-rp1", 10: "brcmstb"}[n])
    pi = machine(PI5, "dev/gpiochip0", "dev/gpiochip10", **PINNED)
    devices = replace(NOTHING, pins=lambda chip, dev: open_pin_factory(chip, dev, library=gpiod))
    found = pins(pi, Settings(buttons=ButtonSettings(chip=10)), devices)
    assert found.what == "buttons.chip is 10, but the header's pins are on gpiochip0"
    assert found.fix == "take that line out of the settings"


@pytest.mark.parametrize(
    ("keys", "is_encoder"), [("ffff00000000 0 0 0 0", True), ("10000 0 0 0 0", False), ("", True)]
)
def test_what_passes_for_a_joystick_without_its_buttons_is_no_encoder(
    machine: Make, keys: str, *, is_encoder: bool
) -> None:
    pi = machine(PI5, "dev/input/js0", f"sys/class/input/js0/device/capabilities/key={keys}\n")
    assert bool(pi.joysticks()) == is_encoder


def test_a_pin_that_is_kept_for_the_console_is_a_fault_anywhere(machine: Make) -> None:
    found = pins(machine(), Settings(buttons=ButtonSettings(pins={"1": 14})), NOTHING)
    assert found.state == "fault"
    assert "console" in found.what


# The camera -----------------------------------------------------------------------------------------------


class OnePicture:
    """A camera that has one picture."""

    def __init__(self, image: Image) -> None:
        self.image = image
        self.closed = False

    def capture(self, newer_than: Micros) -> CameraFrame:
        return CameraFrame(self.image, newer_than + 1)

    def lock_exposure(self, hertz: int = 50) -> None:
        return None

    def close(self) -> None:
        self.closed = True


def fails(error: HardwareError) -> Devices:
    def refuse(*_: object) -> Any:
        raise error

    return replace(NOTHING, camera=refuse)


def shows(image: Image) -> Devices:
    return replace(NOTHING, camera=lambda *_: OnePicture(image))


@pytest.fixture(scope="module")
def mat() -> Callable[[], Image]:
    """Kinapa's bare mat, as an overhead camera sees it."""
    from companion.system.asset_paths import bundled_assets_folder

    layout = mat_layout("kinapa", 8)
    textures = Textures.load(bundled_assets_folder() / "decks" / "kinapa")
    image = TableRenderer(textures, layout, EASY).render(TableScene(), np.random.default_rng(1))
    return image.copy


def test_a_picture_is_taken_and_described(machine: Make, mat: Callable[[], Image]) -> None:
    found = camera(machine("dev/video0"), Settings(), shows(mat()))
    assert found.state == "ok", found
    assert found.what.startswith("webcam, 1280 × 720, light ")
    assert found.what.endswith("100% of the mat, sharp")


def test_a_mat_that_does_not_fit_says_by_how_much_the_camera_has_to_be_raised(
    mat: Callable[[], Image],
) -> None:
    """As Camera Module 3 sees it that is asked for a part of its sensor."""
    whole = mat()
    part = whole[whole.shape[0] // 5 :]
    found = describe_picture(np.ascontiguousarray(part), "Pi camera", (66.0, 41.0))
    assert found.state == "fault"
    share = int(found.what.removeprefix("it shows ").partition("%")[0])
    assert 75 < share < 100
    assert found.fix.startswith("raise the camera by ")
    centimetres = int(found.fix.removeprefix("raise the camera by ").partition(" cm")[0])
    assert 5 < centimetres < 60
    unknown = describe_picture(np.ascontiguousarray(part), "webcam", None)
    assert "% of its height" in unknown.fix


def test_a_camera_that_hangs_much_too_high_makes_cards_small(mat: Callable[[], Image]) -> None:
    import cv2

    whole = mat()
    small = cv2.resize(whole, (640, 360), interpolation=cv2.INTER_AREA)
    around = cv2.copyMakeBorder(small, 180, 180, 320, 320, cv2.BORDER_REPLICATE)
    found = describe_picture(np.asarray(around, np.uint8), "webcam", None)
    assert found.state == "fault"
    assert "times as high as it needs: cards are small" in found.what
    share = re.search(r"lower it by (\d+)% of its height, until the mat fills the picture", found.fix)
    assert share is not None
    assert 40 <= int(share[1]) <= 55
    assert "lower it by 5" in describe_picture(np.asarray(around, np.uint8), "Pi camera", (66.0, 41.0)).fix


def test_of_two_webcams_the_other_is_named(machine: Make, mat: Callable[[], Image]) -> None:
    two = machine("dev/video0", "dev/video2")
    found = camera(two, Settings(), shows(mat()))
    assert found.what.startswith(
        f"webcam; another is {two.root}/dev/video2: set camera.device to have that one"
    )
    chosen = Settings(camera=CameraSettings(device="/dev/video2"))
    assert camera(two, chosen, shows(mat())).what.startswith("webcam, 1280")


def test_a_black_picture_a_white_one_and_a_blurred_one_are_faults(mat: Callable[[], Image]) -> None:
    import cv2

    for level, fix in ((4, "take the cap off the lens"), (254, "shade the lens")):
        found = describe_picture(np.full((720, 1280, 3), level, np.uint8), "webcam", None)
        assert found.state == "fault"
        assert found.fix.startswith(fix)
    blurred = np.asarray(cv2.GaussianBlur(mat(), (0, 0), 4.0), np.uint8)
    by_hand = describe_picture(blurred, "webcam", None)
    assert "blurred by" in by_hand.what
    assert by_hand.fix.startswith("focus its lens: turn it")
    for wide, blur in ((1280, 3.0), (1920, 2.0), (2304, 3.0)):
        soft = cv2.GaussianBlur(cv2.resize(mat(), (wide, wide * 9 // 16)), (0, 0), blur)
        assert "pages" not in describe_picture(np.asarray(soft, np.uint8), "webcam", None).what
    assert describe_picture(blurred, "Pi camera", None, focuses=True).fix.startswith(
        "take the protective film"
    )
    covered = mat().copy()
    covered[:240, :320] = 90
    for spoilt, what, fix in (
        (covered, "the mat's mark at the top left is not seen", "uncover it"),
        (mat()[:, ::-1], "mirrored", "print the mat anew without mirroring"),
        (mat() * 0.2, "dark", "switch a lamp on"),
        (cv2.GaussianBlur(mat(), (0, 0), 9.0), "nothing in the picture is sharp", "focus its lens"),
        (cv2.resize(mat(), (640, 360), interpolation=cv2.INTER_AREA), "cards are small", "1280 × 720"),
    ):
        seen = describe_picture(np.ascontiguousarray(spoilt, np.uint8), "webcam", None)
        assert (seen.state, what in seen.what, fix in seen.fix) == ("fault", True, True)


def test_a_dark_picture_names_no_mark_that_is_only_unseen_for_want_of_light(
    mat: Callable[[], Image],
) -> None:
    covered = mat().copy()
    covered[:240, :320] = 90
    found = describe_picture(np.asarray(covered * 0.35, np.uint8), "webcam", None)
    assert found.what == "the picture is dark: the white of the mat's marks is grey"
    assert found.fix == "switch a lamp on, or one more"


def test_a_camera_turned_by_a_few_degrees_is_to_be_turned_straight_and_not_raised(
    mat: Callable[[], Image],
) -> None:
    import cv2

    turn = cv2.getRotationMatrix2D((640, 360), 6, 1.0)
    turned = cv2.warpAffine(mat(), turn, (1280, 720), borderMode=cv2.BORDER_REPLICATE)
    found = describe_picture(np.asarray(turned, np.uint8), "webcam", None)
    assert found.what.startswith("it shows 9")
    assert found.fix == "turn the camera by 6°, so that the mat lies straight in the picture"


@pytest.mark.parametrize(("degrees", "is_told"), [(20, False), (45, True)])
def test_a_camera_that_looks_at_a_slant_is_to_be_hung_over_the_mat(
    mat: Callable[[], Image], degrees: int, is_told: bool
) -> None:
    found = describe_picture(see_at_a_slant(mat(), degrees), "webcam", None)
    assert ("at a slant (about 45°)" in found.what) == is_told
    assert ("hang it over the middle, straight down" in found.fix) == is_told
    assert "turn the camera" not in found.fix


def test_a_camera_is_looked_through_with_the_exposure_that_a_game_holds(
    machine: Make, mat: Callable[[], Image], tmp_path: Path
) -> None:
    layout, seen = mat_layout("kinapa", 8), mat()
    kept = make_saved_calibration("marks", seen, Calibration.from_marks(seen, layout))
    lock = WebcamLock(exposure=156.0)
    settings = Settings(storage=StorageSettings(folder=str(tmp_path)))
    save_calibration(settings.store_folder(), TableCalibration(kept, lock=lock))
    asked: list[object] = []

    def opened(chosen: object, clock: object, root: object, lock: object) -> Any:
        asked.append(lock)
        return OnePicture(seen)

    camera(machine("dev/video0"), settings, replace(NOTHING, camera=opened))
    assert asked == [lock]


def test_a_lamp_that_flickers_is_a_fault(machine: Make, mat: Callable[[], Image]) -> None:
    class Flickering(OnePicture):
        def capture(self, newer_than: Micros) -> CameraFrame:
            self.taken += 1
            rows = np.arange(len(self.image)) / len(self.image)
            light = 1 + 0.15 * np.sin(2 * np.pi * (100 / 30 * rows + 0.381966 * self.taken))
            lit = np.clip(self.image * light[:, None, None], 0, 255).astype(np.uint8)
            return CameraFrame(lit, newer_than + 1)

        taken = 0

    found = camera(machine("dev/video0"), Settings(), replace(NOTHING, camera=lambda *_: Flickering(mat())))
    assert found.state == "fault"
    assert found.what.startswith("the light flickers by 1")


def test_what_a_table_without_a_mat_cannot_show_is_not_said_to_be_ok() -> None:
    found = describe_picture(np.full((720, 1280, 3), 120, np.uint8), "Pi camera", (66.0, 41.0))
    assert found.state == "untried"
    assert "sees 66° × 41°" in found.what
    assert "how much of the mat it shows was not tried" in found.what
    assert found.fix.startswith("lay the mat below it; if it lies there, turn the picture's long side")


def test_a_pi_with_its_codecs_and_no_camera_has_no_camera(machine: Make, tmp_path: Path) -> None:
    """`/dev/media*` and `/dev/video1*` are on every Pi 4 (rpicam-apps issues 478 and 591)."""
    nodes = ("dev/media0", "dev/media1", "dev/video10", "dev/video11", "dev/video31")
    pi = machine(PI4, *nodes, modules=("picamera2", "libcamera"))
    settings = Settings(storage=StorageSettings(folder=str(tmp_path)))
    none = NoCameraError("The Pi sees no camera: switch it off, seat both ends of the ribbon cable.")
    found = camera(pi, settings, fails(none))
    assert found == CheckVerdict(
        "absent",
        "The Pi sees no camera; the cards are told by hand",
        "switch it off, seat both ends of the ribbon cable",
    )
    asked_for = Settings(camera=CameraSettings(kind="pi"))
    assert camera(pi, asked_for, fails(none)).state == "fault"


UPDATED = (
    "proc/sys/kernel/osrelease=6.12.34+rpt-rpi-v8\n",
    "lib/modules/6.12.47+rpt-rpi-v8/modules.dep",
    "sys/bus/usb/devices/1-1.3/product=C920\n",
    "sys/bus/usb/devices/1-1.3:1.0/bInterfaceClass=0e\n",
    "sys/bus/usb/devices/1-1.3:1.2/bInterfaceClass=01\n",
    "sys/bus/usb/devices/1-1.4/product=USB Audio Device\n",
    "sys/bus/usb/devices/1-1.4:1.0/bInterfaceClass=01\n",
)
"""A webcam with a microphone and a loudspeaker, which the old kernel that still runs finds no drivers for."""


def test_after_an_update_without_a_restart_the_machine_has_to_be_restarted(machine: Make) -> None:
    pi = machine(PI4, *UPDATED)
    found = camera(pi, Settings(camera=CameraSettings(kind="usb")), Devices())
    assert (found.state, found.what.partition(",")[0]) == ("fault", "C920 is plugged in")
    assert found.fix == "restart"
    assert "USB Audio Device is plugged in" in sound(pi, Settings(), NOTHING).what
    assert system(pi, Settings()).fix == "restart: sudo reboot"


def test_parts_that_their_drivers_have_need_no_restart(machine: Make) -> None:
    pi = machine(PI4, *UPDATED, "lib/modules/6.12.34+rpt-rpi-v8/modules.dep")
    for interface in (pi.root / "sys/bus/usb/devices").glob("*:*"):
        (interface / "driver").mkdir()
    assert pi.find_undriven_usb("0e") == pi.find_undriven_usb("01") == ""
    assert system(pi, Settings()).state == "ok"


def test_a_camera_that_another_program_holds_names_it(machine: Make) -> None:
    held = machine("dev/video0", "proc/4711/comm=rpicam-hello")
    (held.root / "proc/4711/fd").mkdir()
    (held.root / "proc/4711/fd/9").symlink_to(held.root / "dev/video0")
    found = camera(held, Settings(), fails(CameraError("The webcam does not open: plug it in.")))
    assert "process 4711 (rpicam-hello)" in found.what


def test_a_camera_that_fails_says_what_its_error_says(machine: Make) -> None:
    loose = CameraError("The Pi's camera gives no pictures: check its ribbon cable.")
    found = camera(machine(PI5, modules=("picamera2", "libcamera")), Settings(), fails(loose))
    assert found == CheckVerdict("fault", "The Pi's camera gives no pictures", "check its ribbon cable")


def test_a_camera_that_the_running_table_has_is_not_tried(machine: Make) -> None:
    assert camera(machine(SERVICE), Settings(), NOTHING).state == "untried"
    assert camera(machine(), Settings(), None).state == "untried"


@pytest.mark.parametrize(
    ("modules", "fix"), [((), "python3-picamera2"), (("picamera2",), "python3-libcamera")]
)
def test_what_a_pi_camera_lacks_is_named_with_its_package(
    machine: Make, modules: tuple[str, ...], fix: str
) -> None:
    pi = machine(PI5, modules=modules)
    found = camera(pi, Settings(camera=CameraSettings(kind="pi")), NOTHING)
    assert found.state == "fault"
    assert f"sudo apt install {fix}" in found.fix
    none = NoCameraError("No camera was found: plug in a webcam, or set camera.kind.")
    assert f"sudo apt install {fix}" in camera(pi, Settings(), fails(none)).fix, "with auto, too"


def test_a_folder_of_pictures_has_to_hold_some(machine: Make, tmp_path: Path) -> None:
    settings = Settings(camera=CameraSettings(kind="folder", device=str(tmp_path)))
    assert camera(machine(), settings).state == "fault"
    (tmp_path / "one.PNG").write_bytes(b"")
    assert camera(machine(), settings).what == f"1 picture in {tmp_path}"


def test_a_camera_that_is_turned_off_is_absent(machine: Make) -> None:
    assert camera(machine(), Settings(camera=CameraSettings(kind="none")), NOTHING).state == "absent"


# The screen -----------------------------------------------------------------------------------------------

BARE = ("dev/dri/card1", "dev/input/event0")
MONITOR = (
    "sys/class/drm/card1-HDMI-A-1/status=connected\n",
    "sys/class/drm/card1-HDMI-A-1/modes=1920x1080\n1280x720\n",
)
SESSION = (
    "run/systemd/sessions/1=UID=1000\nUSER=ada\nACTIVE=1\nTYPE=wayland\nCLASS=user\nSEAT=seat0\n"
    "SERVICE=lightdm-autologin\n"
)
FREE = replace(NOTHING, screen=lambda card: "")


@pytest.mark.parametrize(
    ("files", "environ", "state"),
    [
        ((), {}, "absent"),
        (("dev/dri/card1",), {}, "fault"),
        (BARE, {}, "ok"),
        (("dev/dri/card1",), {"SDL_VIDEODRIVER": "dummy"}, "absent"),
        (BARE, {"SDL_VIDEODRIVER": "x11"}, "fault"),
        ((*BARE, SERVICE), {}, "untried"),
        ((*BARE, "sys/class/drm/card1-HDMI-A-1/status=disconnected\n"), {}, "absent"),
        (("dev/dri/card0", "sys/class/drm/card1-HDMI-A-1/status=connected\n"), {}, "absent"),
    ],
)
def test_the_screen_is_judged_by_what_is_there(
    machine: Make, files: tuple[str, ...], environ: dict[str, str], state: str
) -> None:
    assert screen(machine(*files, environ=environ), Settings(), FREE).state == state


def test_a_window_is_tried_on_the_desktop(machine: Make) -> None:
    desktop = machine(environ={"WAYLAND_DISPLAY": "wayland-0"})
    opens = replace(NOTHING, window=lambda: (1920, 1080))
    assert screen(desktop, Settings(), opens).what == "a window of the desktop, 1920 × 1080"

    def refuse() -> tuple[int, int]:
        raise OSError("No available video device")

    refused = screen(desktop, Settings(), replace(NOTHING, window=refuse))
    assert refused.state == "fault"
    assert "No available video device" in refused.what


def test_a_desktop_without_a_monitor_says_that_nobody_sees_it(machine: Make) -> None:
    desktop = machine("sys/class/drm/card1-HDMI-A-1/status=disconnected\n", environ={"WAYLAND_DISPLAY": "w"})
    found = screen(desktop, Settings(), replace(NOTHING, window=lambda: (1920, 1080)))
    assert found.state == "absent"
    assert found.what.startswith("no monitor is plugged in")
    assert found.fix.startswith("plug it into HDMI 0")


@pytest.mark.parametrize(
    ("files", "who"),
    [
        ((SESSION,), "the desktop of ada (lightdm-autologin)"),
        (("etc/systemd/system/display-manager.service=",), "the desktop that display-manager starts"),
    ],
)
def test_a_desktop_that_has_the_screen_is_named(machine: Make, files: tuple[str, ...], who: str) -> None:
    held = machine(*BARE, *MONITOR, *files)
    looked = screen(held, Settings(), NOTHING)
    assert (looked.state, looked.what) == ("untried", f"{who} has the screen")
    found = screen(machine("etc/systemd/system/companion.service="), Settings(), NOTHING)
    assert found.state == "fault"
    assert found.what.startswith(f"{who} has the screen: a table that starts as a service can't draw")
    assert found.fix.startswith("run the installer again")


def test_sockets_that_config_txt_switches_off_are_named_where_no_screen_answers(machine: Make) -> None:
    config = "boot/firmware/config.txt=dtoverlay=vc4-kms-v3d,nohdmi\n"
    found = screen(
        machine(*BARE, "sys/class/drm/card1-DSI-1/status=disconnected\n", config), Settings(), FREE
    )
    assert found.state == "absent"
    assert found.fix.endswith(
        "one on a ribbon needs display_auto_detect=1 in /boot/firmware/config.txt; "
        "for HDMI take nohdmi out of /boot/firmware/config.txt"
    )


def test_a_screen_that_stands_upright_and_a_pi_without_a_driver_are_told(machine: Make) -> None:
    upright = ("sys/class/drm/card1-DSI-1/status=connected\n", "sys/class/drm/card1-DSI-1/modes=720x1280\n")
    found = screen(machine(*BARE, *upright), Settings(), FREE)
    assert (found.state, found.what) == ("absent", "DSI-1 720x1280 stands upright, and so it is drawn")
    bare = machine("boot/firmware/config.txt=camera_auto_detect=1\n")
    for file in (*bare.find("dev/dri/*"), *bare.find("sys/class/drm/*/*")):
        file.unlink()
    assert screen(bare, Settings(), NOTHING).fix == "write dtoverlay=vc4-kms-v3d there, and restart"


def test_a_screen_that_another_program_draws_on_is_a_fault(machine: Make) -> None:
    taken = replace(NOTHING, screen=lambda card: "another program has it")
    found = screen(machine(*BARE, *MONITOR), Settings(), taken)
    assert (found.state, found.what) == ("fault", "card1: another program has it")


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ("400 0 0 0 0 0", ("nothing was drawn now", "")),
        (
            "1000000000007 ff9f207ac14057ff febeffdfffefffff fffffffffffffffe",
            ("no touch answers", "USB cable"),
        ),
    ],
)
def test_a_pi_s_screen_that_cannot_be_touched_says_so(
    machine: Make, keys: str, told: tuple[str, str]
) -> None:
    """Lines of a touch screen and of a keyboard, as the kernel's input_devices_seq_show prints them."""
    inputs = f"proc/bus/input/devices=B: PROP=0\nB: EV=120013\nB: KEY={keys}\n"
    found = screen(machine(PI5, *BARE, *MONITOR, inputs), Settings(), FREE)
    assert found.state == "ok"
    assert found.what.endswith(told[0])
    assert told[1] in found.fix
    assert bool(told[1]) == ("USB cable" in found.fix)


@pytest.mark.parametrize(("model", "drawn"), [(PI4, ", drawn at 1280 × 720"), (PI5, "")])
def test_the_screen_says_in_which_size_it_is_drawn(machine: Make, model: str, drawn: str) -> None:
    found = screen(machine(model, *BARE, *MONITOR), Settings(), FREE)
    said = f"HDMI-A-1, 1920 × 1080{drawn}; it is free, nothing was drawn now"
    assert (found.state, found.what) == ("ok", said)
    assert "edges cut off" in found.fix


def test_the_pygame_wheel_without_a_desktop_is_a_fault(machine: Make, tmp_path: Path) -> None:
    (tmp_path / "site" / "pygame.libs").mkdir(parents=True)
    console = machine(
        *BARE,
        versions={"pygame": "2.6.1"},
        module=lambda name: tmp_path / "site" / name / "__init__.py",
    )
    assert "KMSDRM" in screen(console, Settings(), NOTHING).what


# The machine ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("told", "state", "words"),
    [
        ("throttled=0x0", "ok", "enough, and cool"),
        ("throttled=0x50005", "fault", "under-voltage: the supply or its cable gives too little (now)"),
        ("throttled=0x10000", "fault", "gives too little (since the start)"),
        ("throttled=0x80008", "fault", "it grew too hot and slowed down (now)"),
        ("", "untried", "neither vcgencmd nor the kernel"),
    ],
)
def test_throttling_is_told_in_words(machine: Make, told: str, state: str, words: str) -> None:
    found = power(machine(PI4), Settings(), replace(NOTHING, firmware=lambda: told))
    assert found.state == state
    assert words in found.what


def test_a_supply_that_gives_too_little_is_not_told_as_heat(machine: Make) -> None:
    weak = power(machine(PI4), Settings(), replace(NOTHING, firmware=lambda: "throttled=0x50005"))
    assert "hot" not in weak.what
    slowed = power(machine(PI4), Settings(), replace(NOTHING, firmware=lambda: "throttled=0x40000"))
    assert "it grew too hot and slowed down (since the start)" in slowed.what


def test_without_vcgencmd_the_kernel_s_alarm_is_read(machine: Make) -> None:
    silent = replace(NOTHING, firmware=lambda: "")
    hot = machine(PI4, "sys/class/thermal/thermal_zone0/temp=84500\n")
    assert "too hot" in power(hot, Settings(), silent).what
    machine("sys/class/thermal/thermal_zone0/temp=61000\n")
    hwmon = "sys/class/hwmon/hwmon1/"
    calm = machine(PI4, f"{hwmon}name=rpi_volt\n", f"{hwmon}in0_lcrit_alarm=0\n")
    assert power(calm, Settings(), silent).state == "ok"
    low = power(machine(PI4, f"{hwmon}in0_lcrit_alarm=1\n"), Settings(), silent)
    assert low.state == "fault"
    assert "under-voltage" in low.what


def test_a_clock_that_starts_in_1970_is_a_fault_and_one_that_nobody_set_is_untried(machine: Make) -> None:
    first = clock(machine(wall_time=lambda: "1970-01-01T00:01:10+00:00"), Settings())
    assert (first.state, first.what.partition(":")[0]) == ("fault", "the clock says 1970-01-01 00")
    assert "sudo date -s" in first.fix
    now = {"wall_time": lambda: "2026-11-29T20:00:00+00:00"}
    assert clock(machine(**now), Settings()).state == "untried"
    heard = clock(machine("run/systemd/timesync/synchronized", **now), Settings())
    assert heard.state == "ok"
    assert (heard.what, "timedatectl set-timezone" in heard.fix) == ("2026-11-29 20:00 UTC", True)
    assert clock(machine("dev/rtc0", **now), Settings()).state == "ok"


def test_a_usb_socket_that_was_switched_off_and_a_weak_supply_are_told(machine: Make, tmp_path: Path) -> None:
    quiet = replace(NOTHING, firmware=lambda: "throttled=0x0")
    port = "sys/bus/usb/devices/1-0:1.0/usb1-port2/over_current_count"
    told = power(machine(PI5, f"{port}=3\n"), Settings(), quiet)
    assert (told.state, "(usb1-port2)" in told.what) == ("fault", True)
    (tmp_path / "root" / port).write_text("0\n")
    supply = machine(PI5, "proc/device-tree/chosen/power/max_current")
    file = supply.root / "proc/device-tree/chosen/power/max_current"
    file.write_bytes((3000).to_bytes(4, "big"))
    weak = power(supply, Settings(), quiet)
    assert (weak.state, weak.what.partition(":")[0]) == ("absent", "the supply promises 3 A of 5")
    (tmp_path / "root" / port).write_text("2\n")
    both = power(supply, Settings(), quiet)
    assert ("(usb1-port2)" in both.what, "3 A of 5" in both.what) == (True, True)
    (tmp_path / "root" / port).write_text("0\n")
    file.write_bytes((5000).to_bytes(4, "big"))
    assert power(supply, Settings(), quiet).state == "ok"


def test_who_asks_with_sudo_is_told_that_the_table_is_another_s(
    machine: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("companion.cli.checks.machine_checks.is_root", lambda: True)
    found = system(machine(PI5, environ={"SUDO_USER": "ana"}), Settings())
    assert (found.state, "sudo -u companion companion doctor" in found.fix) == ("untried", True)
    assert system(machine(PI5, environ={}), Settings()).state == "ok"


@pytest.mark.parametrize(
    ("files", "state", "words"),
    [
        (("etc/os-release=VERSION_CODENAME=bullseye\n",), "fault", "bullseye: its libraries"),
        (("etc/os-release=VERSION_CODENAME=trixie\n",), "ok", ", trixie"),
        (
            ("boot/firmware/config.txt=dtparam=audio=on\n", "boot/config.txt=dtoverlay=hifiberry-dac\n"),
            "fault",
            "/boot/config.txt says dtoverlay=hifiberry-dac, and is read no more",
        ),
        (("boot/firmware/config.txt=dtparam=i2c=on\n", "boot/config.txt=dtparam=i2c=on\n"), "ok", "64-bit"),
        (("boot/config.txt=dtoverlay=hifiberry-dac\n",), "ok", "64-bit"),
        (("proc/meminfo=MemTotal: 900000 kB\nMemAvailable: 90000 kB\n",), "fault", "only 90 MB of memory"),
        (("proc/meminfo=MemTotal: 900000 kB\nMemAvailable: 400000 kB\n",), "ok", "64-bit"),
        (
            (
                "etc/apt/sources.list.d/debian.sources=Suites: bookworm bookworm-updates\n",
                "etc/apt/sources.list=#deb http://x bullseye main\ndeb http://x trixie main\n",
            ),
            "fault",
            "apt fetches from bookworm and trixie",
        ),
    ],
)
def test_a_system_of_another_release_or_of_two_is_a_fault(
    machine: Make, files: tuple[str, ...], state: str, words: str
) -> None:
    found = system(machine(PI5, *files), Settings())
    assert (found.state, words in found.what) == (state, True)


ENABLED = "etc/systemd/system/multi-user.target.wants/companion.service"
UNIT = "etc/systemd/system/companion.service"
AUTOSTART = "home/ana/.config/autostart/companion.desktop"
DESKTOP = "etc/systemd/system/display-manager.service"
LIGHTDM = "etc/lightdm/lightdm.conf"


@pytest.mark.parametrize(
    ("files", "state", "words"),
    [
        ((), "absent", "started by hand"),
        ((UNIT,), "fault", "does not start with the machine"),
        ((UNIT, ENABLED), "fault", "does not run now"),
        ((UNIT, ENABLED, SERVICE), "ok", "and runs"),
        ((AUTOSTART,), "fault", "none starts with the machine"),
        ((AUTOSTART, DESKTOP), "ok", "the desktop of ana"),
        ((AUTOSTART, DESKTOP, f"{LIGHTDM}=[Seat:*]\n#autologin-user=\n"), "fault", "once somebody logs in"),
        ((AUTOSTART, DESKTOP, f"{LIGHTDM}=[Seat:*]\nautologin-user=ana\n"), "ok", "the desktop of ana"),
        ((AUTOSTART, DESKTOP, f"{LIGHTDM}=[Seat:*]\nautologin-user=bob\n"), "fault", "but bob is logged in"),
    ],
)
def test_whether_the_table_starts_with_the_machine_is_told(
    machine: Make, files: tuple[str, ...], state: str, words: str
) -> None:
    found = service(machine(*files), Settings())
    assert (found.state, words in found.what) == (state, True)
    assert found.fix or state == "ok"


@pytest.mark.parametrize(
    ("own", "pulled", "words"),
    [
        ("0.1.0", 1_790_000_001, "this checkout was updated since"),
        ("0.2.0", 1_780_000_000, "runs version 0.1.0, and this is 0.2.0"),
        ("0.1.0", 1_780_000_000, "and runs"),
    ],
)
def test_a_service_of_an_older_version_than_is_asked_is_told(
    machine: Make, tmp_path: Path, own: str, pulled: int, words: str
) -> None:
    table = machine(UNIT, ENABLED, SERVICE, versions={"table-companion": own})
    (table.root / "opt/companion").mkdir(parents=True)
    (table.root / "opt/companion/current").symlink_to("/opt/companion/releases/0.1.0-1790000000")
    (tmp_path / ".git/logs").mkdir(parents=True)
    moves = f"0 1 Ana <a@b.c> 1780000000 +0100\tclone: from x\n1 2 Ana <a@b.c> {pulled} +0100\tpull: fast\n"
    (tmp_path / ".git/logs/HEAD").write_text(moves)
    found = service(table, Settings())
    assert (words in found.what, "systemd/install.sh" in found.fix) == (True, words != "and runs")


def test_a_service_that_starts_again_and_again_is_a_fault_while_it_starts(machine: Make) -> None:
    installed = machine(UNIT, ENABLED, SERVICE)
    loop = replace(NOTHING, unit=lambda: "NRestarts=41\nActiveState=activating\n")
    found = service(installed, Settings(), loop)
    assert (found.state, found.what) == ("fault", "the table was started again 41 times and never got ready")
    assert "journalctl -u companion -b" in found.fix
    for told in ("NRestarts=41\nActiveState=active\n", "NRestarts=0\nActiveState=activating\n", ""):
        assert service(installed, Settings(), replace(NOTHING, unit=lambda told=told: told)).state == "ok"


@pytest.mark.parametrize(("status", "line"), [("217", "User="), ("203", "ExecStart=")])
def test_a_line_of_the_unit_that_systemd_cannot_follow_is_named(
    machine: Make, status: str, line: str
) -> None:
    """As where a unit of somebody's own has User=pi, which no new system has."""
    for state in ("activating", "failed"):
        told = f"NRestarts=7\nExecMainStatus={status}\nActiveState={state}\n"
        found = service(machine(UNIT, ENABLED), Settings(), replace(NOTHING, unit=lambda told=told: told))
        assert (found.state, f"for its {line}" in found.what) == ("fault", True)
        assert f"mend {line} (sudo systemctl edit" in found.fix


@pytest.mark.parametrize(("now", "state"), [("python3.13", "fault"), ("python3.11", "ok")])
def test_a_service_whose_python_was_replaced_by_an_upgrade_is_told(
    machine: Make, now: str, state: str
) -> None:
    table = machine(UNIT, ENABLED, SERVICE, "opt/companion/current/venv/lib/python3.11/x", "usr/bin/x")
    (table.root / "usr/bin/python3").symlink_to(now)
    found = service(table, Settings())
    assert (found.state, "installed for python3.11" in found.what) == (state, state == "fault")


def test_a_service_that_is_masked_never_starts(machine: Make) -> None:
    masked = machine("etc/systemd/system/x")
    (masked.root / UNIT).symlink_to("/dev/null")
    assert service(masked, Settings()).fix == "sudo systemctl unmask companion"


def test_a_system_of_32_bits_is_a_fault(machine: Make) -> None:
    found = system(machine(PI4, bits=32), Settings())
    assert (found.state, found.fix) == ("fault", "flash the 64-bit Raspberry Pi OS")
    release = "etc/os-release=VERSION_CODENAME=trixie\n"
    assert system(machine(PI4, release), Settings()).what == "Raspberry Pi 4 Model B Rev 1.4, 64-bit, trixie"


def test_without_devices_nothing_that_opens_is_ok(machine: Make) -> None:
    """As the table's own page asks: the program itself has them."""
    table = machine(PI5, "dev/gpiochip0", *BARE, modules=("gpiod", "picamera2", "libcamera"))
    found = {one.part: one.state for one in run_checks(table, Settings())}
    assert {found[part] for part in ("power", "pins", "lamps", "camera", "screen")} == {"untried"}


def test_the_wiring_page_shows_what_the_doctor_says(
    machine: Make, wired: Devices, mat: Callable[[], Image], checkout: Path
) -> None:
    table = machine(PI5, "dev/gpiochip0", modules=("gpiod", "picamera2", "libcamera"))
    page = (checkout / "docs" / "build" / "wiring.md").read_text(encoding="utf-8")
    for part, found in (
        ("pins", pins(table, Settings(), wired)),
        ("lamps", lamps(table, Settings(), wired)),
        ("camera", describe_picture(mat(), "Pi camera", (66.0, 41.0))),
    ):
        assert f"{part:<11} {STATE_LABELS[found.state]:<8} {found.what}\n" in page


@pytest.mark.parametrize(("rate", "told"), [(0.0, ""), (30.0, ""), (5.0, "it sends 5 pictures a second")])
def test_a_webcam_that_sends_few_pictures_is_told(
    machine: Make, mat: Callable[[], Image], rate: float, told: str
) -> None:
    opened = SimpleNamespace(
        isOpened=lambda: True,
        set=lambda *_: True,
        get=lambda what: rate if what == cv2.CAP_PROP_FPS else 0.0,
        grab=lambda: True,
        retrieve=lambda: (True, mat()),
        release=lambda: None,
    )
    webcam = partial(UsbCamera, 0, open_device=lambda _: opened)
    devices = replace(NOTHING, camera=lambda about, clock, root, lock: webcam(clock))
    found = camera(machine("dev/video0"), Settings(), devices)
    assert found.state == ("untried" if told else "ok")
    assert told in found.what
    assert ("MJPEG" in found.fix) is bool(told)


@pytest.mark.parametrize(
    ("seconds", "grabs", "told"),
    [
        (0.033, 1, ""),
        (0.067, 1, ""),
        (0.15, 1, "takes 7 pictures a second"),
        (0.25, 1, "takes 4 pictures a second"),
        (0.167, 5, ""),
        (0.4, 5, "takes 2 pictures a second"),
    ],
)
def test_a_webcam_that_exposes_long_for_want_of_light_is_told(
    machine: Make, mat: Callable[[], Image], seconds: float, grabs: int, told: str
) -> None:
    exposures = count(1)
    opened = SimpleNamespace(
        isOpened=lambda: True, set=lambda *_: True, get=lambda what: 30.0, release=lambda: None
    )
    webcam = UsbCamera(0, GameClock(), open_device=lambda _: opened)
    webcam.grabs_each = grabs
    webcam.capture = lambda _: CameraFrame(mat(), round(next(exposures) * seconds * SECOND))  # type: ignore[method-assign]
    devices = replace(NOTHING, camera=lambda *_: webcam)
    found = camera(machine("dev/video0"), Settings(), devices)
    assert (told in found.what, "switch a lamp on" in found.fix) == (True, bool(told))
