"""What can be wrong with a table, one row each: what it does to the machine, and what has to be said of it.

`excuse` says why a machine cannot have it; `unsaid` says of a channel why it need not speak.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import cv2
import msgspec
import numpy as np
from msgspec.structs import replace

from companion.camera.calibration_file import TableCalibration
from companion.vision.calibration import SavedCalibration
from hardware.pin_table import SHARED_BUTTON_NAMES, SHARED_BUTTON_PINS
from tests.hardware.input_kernel import recorded
from tests.programs.pi_matrix.worlds import (
    ALSA_FILE,
    CONFIG,
    GLES,
    SENSORS,
    SHIPPED_CONFIG,
    WEBCAMS,
    SoundCard,
    World,
    draw_table,
)

NO_PINS = "it has no header"
CHANNELS = ("doctor", "screen", "log")


def _never(world: World) -> str:
    return ""


def _without_pins(world: World) -> str:
    return "" if world.is_pi else NO_PINS


def _without_ribbon(world: World) -> str:
    return "" if "csi" in world.machine else "its camera is on USB: it has no socket for a ribbon"


def _drawn_elsewhere(world: World) -> str:
    """Of rows that only the picture decides, and that take long to draw."""
    return (
        "" if world.title.startswith(("Pi 4, trixie lite", "laptop")) else "the picture is read as on a Pi 4"
    )


def _with_desktop(world: World) -> str:
    return "the desktop's own programs open it, not the table" if world.has_desktop else ""


def _served_sound(world: World) -> Mapping[str, str]:
    why = "a sound server takes it, which may have an output of another kind"
    return {"screen": why, "log": why} if world.has_desktop else {}


def _memory_told(world: World) -> Mapping[str, str]:
    why = "a computer with a desktop has others to tell of that"
    return {} if world.is_pi else {"screen": why, "log": why}


def _quiet(**why: str) -> Callable[[World], Mapping[str, str]]:
    return lambda world: why


UNSEEN = "nobody sees it"
_looked_at = _quiet(log="nothing has failed: somebody has to look at the picture")
"""Of rows about the picture, which the page that calibrates has to name."""
_only_doctor = _quiet(screen="only doctor looks there", log="only doctor looks there")


def _of_desktops(world: World) -> str:
    return "" if world.has_desktop else "it has no desktop"


def _of_laptops(world: World) -> str:
    return "it is a Pi" if world.is_pi else ""


def _with_two_sockets(world: World) -> str:
    return "" if len(world.machine["drm"]["hdmi"]) > 1 else "it has one socket"


@dataclass(frozen=True)
class Fault:
    """One row of the matrix."""

    name: str
    parts: tuple[str, ...]
    """Of doctor's list: one of them has to be found at fault, and no other."""
    cause: Callable[[World], None]
    part: str
    """As a regular expression: what the sentence calls the part."""
    remedy: str
    """The same: what the sentence tells people to do."""
    excuse: Callable[[World], str] = _never
    unsaid: Callable[[World], Mapping[str, str]] = lambda world: {}

    @property
    def calibrates(self) -> bool:
        """Whether its screen is the page that calibrates the camera."""
        return self.unsaid is _looked_at


def without_camera(world: World) -> None:
    """Rows about other parts leave it out: it is opened twice in each cell."""
    world.settings = replace(world.settings, camera=replace(world.settings.camera, kind="none"))


@dataclass(frozen=True)
class Variant:
    """A row in which nothing is wrong: another camera, another wiring."""

    name: str
    cause: Callable[[World], None]
    excuse: Callable[[World], str] = _never
    parts: tuple[str, ...] = ("camera",)
    """Of doctor's list: what is another."""


def as_it_is(world: World) -> None:
    """A Camera Module 3, or a C920 where there is no socket for a ribbon."""


def other_sensor(name: str) -> Callable[[World], None]:
    def change(world: World) -> None:
        world.unplug_cameras()
        world.plug_sensor(name)

    return change


def other_webcam(name: str) -> Callable[[World], None]:
    def change(world: World) -> None:
        world.unplug_cameras()
        world.plug_webcam(name)

    return change


def webcam_beside_ribbon(world: World) -> None:
    world.plug_webcam("c920")


def spi_on_at_four(world: World) -> None:
    """Its pins are those of chairs 7 and 8."""
    spi_on(world)
    seat(world, 4)


def encoder_plugged(world: World) -> None:
    """Its buttons are the table's: whatever is wrong with pins, nobody wired one."""
    world.encoder = "dragonrise-encoder"
    spi_on(world)
    one_wire_on(world)
    lamp_held(world)


def encoder_learnt(world: World) -> None:
    """The same of buttons that were learnt, where this user may not open a pin either."""
    encoder_plugged(world)
    pins_forbidden(world)
    learned = {
        str(chair): f"{287 + chair}@{recorded(world.encoder)['name'].strip()}" for chair in range(1, 9)
    }
    world.settings = replace(world.settings, buttons=replace(world.settings.buttons, learned=learned))


# Camera --------------------------------------------------------------------------------------------------


def camera_unplugged(world: World) -> None:
    world.unplug_cameras()


def camera_held(world: World) -> None:
    for camera in world.cameras:
        camera.is_held = True
    for node in world.nodes.values():
        node.is_held = node.driver == "uvcvideo"
    world.hold("dev/media0" if "csi" in world.machine else "dev/video0", "motion")
    if "csi" in world.machine:
        world.hold(f"dev/video{world.machine['csi']['nodes'][0]}", "motion", 813)


def camera_held_by_service(world: World) -> None:
    """The same by another user's, whose open files are hidden."""
    camera_held(world)
    for pid in (812, 813):
        world.links.pop(f"proc/{pid}/fd/5", None)
        world.files.pop(f"proc/{pid}/comm", None)
    world.serve("motion", 812, "/usr/bin/motion\0-n\0")


def camera_held_in_container(world: World) -> None:
    camera_held_by_service(world)
    del world.files["proc/812/comm"], world.files["proc/812/cmdline"]
    world.serve("frigate", 812)
    world.files["proc/812/cgroup"] = f"0::/system.slice/docker-{'0123456789ab' * 5}.scope\n"


def cable_damaged(world: World) -> None:
    for camera in world.cameras:
        camera.is_silent = True


def other_sensor_named(world: World) -> None:
    """Its driver asks for a sensor that is not there, and no other is looked for."""
    world.unplug_cameras()
    world.files[CONFIG] = f"{_unsought()}dtoverlay=imx219,cam0\n"


def camera_not_sought(world: World) -> None:
    world.unplug_cameras()
    world.files[CONFIG] = _unsought()


def sensor_under_another_machine(world: World) -> None:
    """As a sensor needs that no firmware knows; the line was written at the end of another's section."""
    world.unplug_cameras()
    world.files[CONFIG] = SHIPPED_CONFIG.replace("otg_mode=1", "otg_mode=1\ndtoverlay=arducam-pivariety")


def board_under_another_machine(world: World) -> None:
    amplifier_without_line(world)
    world.files[CONFIG] = SHIPPED_CONFIG.replace("dr_mode=host", "dr_mode=host\ndtoverlay=hifiberry-dac")


def camera_given_to_old_programs(world: World) -> None:
    world.unplug_cameras()
    world.files[CONFIG] = f"{SHIPPED_CONFIG}start_x=1\ngpu_mem=128\n"


def own_sensor_named(world: World) -> None:
    """As a sensor needs that no firmware knows; what other machines are told counts for nothing here."""
    world.files[CONFIG] = f"{_unsought()}dtoverlay=imx708\n[pi2]\ndtoverlay=imx219\n"


def _unsought() -> str:
    return SHIPPED_CONFIG.replace("camera_auto_detect=1", "camera_auto_detect=0")


def cap_on_lens(world: World) -> None:
    world.show(lambda width, height: np.full((height, width, 3), 3, np.uint8))


def sun_on_lens(world: World) -> None:
    world.show(lambda width, height: np.full((height, width, 3), 254, np.uint8))


def out_of_focus(world: World) -> None:
    world.show(partial(_blurred, 1 / 350))


def calibrated_with_another(world: World) -> None:
    """The webcam of the first evenings is at home."""
    kept = SavedCalibration("marks", (1280, 720), (2.0, 0.0, 40.0, 0.0, 2.0, 20.0, 0.0, 0.0, 1.0))
    found = TableCalibration(kept, "2026-11-02T20:00:00", camera="Trust Webcam")
    world.files["games/table/calibration.json"] = msgspec.json.encode(found)


def far_out_of_focus(world: World) -> None:
    """So far that not even the mat's marks are found."""
    world.show(partial(_blurred, 1 / 160))


def half_out_of_focus(world: World) -> None:
    """So that no mark is read, though something of the picture is left."""
    world.show(partial(_blurred, 1 / 250))


def a_little_out_of_focus(world: World) -> None:
    """So that one mark is not read."""
    world.show(partial(_blurred, 1 / 320))


@cache
def _blurred(share: float, width: int, height: int) -> np.ndarray[Any, Any]:
    """By a share of the picture's width."""
    return cv2.GaussianBlur(draw_table(width, height), (0, 0), width * share)


def hangs_too_low(world: World) -> None:
    world.show(_near)


@cache
def _near(width: int, height: int) -> np.ndarray[Any, Any]:
    """Two thirds of what it should see, from one corner on."""
    seen = draw_table(width, height)[: height * 2 // 3, : width * 2 // 3]
    return cv2.resize(seen, (width, height))


def hangs_too_high(world: World) -> None:
    world.show(_far)


@cache
def _far(width: int, height: int) -> np.ndarray[Any, Any]:
    """Twice as high: the mat is half as wide."""
    small = cv2.resize(draw_table(width, height), (width // 2, height // 2), interpolation=cv2.INTER_AREA)
    above, left = (height - height // 2) // 2, (width - width // 2) // 2
    rest = height - height // 2 - above, width - width // 2 - left
    return cv2.copyMakeBorder(small, above, rest[0], left, rest[1], cv2.BORDER_REPLICATE)


def mirrored(world: World) -> None:
    """Printed for ironing on, or a webcam that shows people as a mirror does."""
    world.show(_mirrored)


@cache
def _mirrored(width: int, height: int) -> np.ndarray[Any, Any]:
    return np.ascontiguousarray(draw_table(width, height)[:, ::-1])


def mark_covered(world: World) -> None:
    world.show(_covered)


@cache
def _covered(width: int, height: int) -> np.ndarray[Any, Any]:
    """A box lies on the corner at the top left."""
    seen = draw_table(width, height).copy()
    seen[: height // 3, : width // 4] = 90
    return seen


def ipa_missing(world: World) -> None:
    """As a half of an update leaves it: the kernel has the sensor, libcamera has nothing that steers it."""
    world.cameras.clear()


def heap_forbidden(world: World) -> None:
    """Without it libcamera lists no camera of a Pi 3 or 4 (its pipeline/rpi/vc4)."""
    ipa_missing(world)
    world.forbidden += ["dev/dma_heap"]


def clock_ahead(world: World) -> None:
    world.wall_time = "2099-01-01T00:01:10+00:00"


def dark_room(world: World) -> None:
    world.show(partial(_dim, 0.2))


def lamp_off(world: World) -> None:
    world.show(partial(_dim, 0.35))


@cache
def _dim(light: float, width: int, height: int) -> np.ndarray[Any, Any]:
    """A share of the light that was there."""
    return (draw_table(width, height) * light).astype(np.uint8)


def coloured_light(world: World) -> None:
    world.show(_blue)


@cache
def _blue(width: int, height: int) -> np.ndarray[Any, Any]:
    """As of a strip of LEDs that somebody set to blue."""
    return (draw_table(width, height) * (1.0, 0.2, 0.05)).astype(np.uint8)


def hangs_a_little_askew(world: World) -> None:
    world.show(_a_little_askew)


@cache
def _a_little_askew(width: int, height: int) -> np.ndarray[Any, Any]:
    """By six degrees, so that the mat's corners are cut off."""
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), 6, 1.0)
    return cv2.warpAffine(draw_table(width, height), turn, (width, height), borderMode=cv2.BORDER_REPLICATE)


def sun_on_mat(world: World) -> None:
    world.show(_sunny)


@cache
def _sunny(width: int, height: int) -> np.ndarray[Any, Any]:
    """White over the mat's middle, between its marks."""
    seen = draw_table(width, height).copy()
    part = seen[height // 3 : 2 * height // 3, width // 4 : width // 2]
    part[:] = np.clip(part.astype(np.int32) + 160, 0, 255)
    return seen


def small_webcam(world: World) -> None:
    world.unplug_cameras()
    world.plug_webcam("c270").size = (640, 480)


def pages_exchanged(world: World) -> None:
    """A mat of six pages, of which A1 and A3 changed places."""
    world.show(_wrongly_taped)


@cache
def _wrongly_taped(width: int, height: int) -> np.ndarray[Any, Any]:
    seen = draw_table(width, height).copy()
    deep = width * 9 // 16
    left, right = width * 152 // 1280, width * 1129 // 1280
    top, middle = (height - deep) // 2 + deep * 15 // 720, height // 2
    across = (right - left) // 3
    one, other = seen[top:middle, left : left + across], seen[top:middle, right - across : right]
    one[:], other[:] = other.copy(), one.copy()
    return seen


def pages_uncut(gap_mm: float) -> Callable[[World], None]:
    """The same with its pages' white margins between its columns; less than 0: each lies over the next."""
    return lambda world: world.show(partial(_with_gaps, gap_mm))


@cache
def _with_gaps(gap_mm: float, width: int, height: int) -> np.ndarray[Any, Any]:
    seen = draw_table(width, height)
    left, right = width * 152 // 1280, width * 1129 // 1280
    across, gap = (right - left) // 3, round(gap_mm * (right - left) / 594)
    white = np.full((height, max(0, gap), 3), 225, np.uint8)
    columns = [seen[:, left + place * across : left + (place + 1) * across] for place in range(3)]
    shown = [columns[0], white, columns[1], white, columns[2]]
    if gap < 0:
        shown = [columns[0][:, :gap], columns[1][:, :gap], columns[2]]
    mat = np.hstack(shown)
    before = max(0, (width - mat.shape[1]) // 2)
    after = max(0, width - mat.shape[1] - before)
    return cv2.copyMakeBorder(mat, 0, 0, before, after, cv2.BORDER_REPLICATE)[:, :width]


def other_webcam_over_table(world: World) -> None:
    """The first looks at something else, and the settings name none."""
    world.unplug_cameras()
    world.plug_webcam("c920")
    world.plug_webcam("c270")
    world.show(lambda width, height: np.full((height, width, 3), 120, np.uint8))


def hangs_across(world: World) -> None:
    """A quarter turn, at the height that would do: the mat's long ends are out of the picture."""
    world.show(partial(_across, 0.2))


def hangs_across_over_the_middle(world: World) -> None:
    """The same, so that not one of the corners is seen, nor a mark."""
    world.show(partial(_across, 0.5))


@cache
def _across(place: float, width: int, height: int) -> np.ndarray[Any, Any]:
    """The mat by a quarter turned, as large as it should be; `place` of what is beyond is beyond one end."""
    seen = draw_table(width, height)
    left = round((width - height) * place)
    beside = (width - height) // 2
    part = cv2.copyMakeBorder(
        seen[:, left : left + height], beside, width - height - beside, 0, 0, cv2.BORDER_REPLICATE
    )
    return np.ascontiguousarray(np.rot90(part))


def hangs_askew(world: World) -> None:
    world.show(_askew)


@cache
def _askew(width: int, height: int) -> np.ndarray[Any, Any]:
    """By 35 degrees."""
    turned = cv2.getRotationMatrix2D((width / 2, height / 2), 35, 0.95)
    return cv2.warpAffine(draw_table(width, height), turned, (width, height), borderMode=cv2.BORDER_REPLICATE)


def wide_lens(world: World) -> None:
    """libcamera adds the kind to the sensor's name by its address on the bus."""
    world.cameras[0].model = "imx708_wide"


def wide_lens_too_high(world: World) -> None:
    """At the height that the guide has for the one that is not Wide."""
    wide_lens(world)
    hangs_too_high(world)


def no_filter(world: World) -> None:
    world.cameras[0].model = "imx708_noir"


def pigpio_runs(world: World) -> None:
    world.files["proc/612/comm"] = "pigpiod\n"


def webcam_without_room(world: World) -> None:
    """Behind a hub: it opens, and the kernel starts no stream (ENOSPC)."""
    world.unplug_cameras()
    world.plug_webcam("c920").is_starved = True


def webcam_without_mjpeg(world: World) -> None:
    """Raw pictures of 1280 × 720 fill USB 2 at five a second."""
    world.unplug_cameras()
    world.plug_webcam("c920").rate = 5.0


def webcam_on_long_cable(world: World) -> None:
    """It comes up as USB 1 does."""
    webcam_without_mjpeg(world)
    world.files["sys/bus/usb/devices/1-1.2/speed"] = "12\n"
    world.files["sys/bus/usb/devices/1-1.2/product"] = "HD Pro Webcam C920\n"
    world.files["sys/bus/usb/devices/1-1.2:1.0/bInterfaceClass"] = "0e\n"
    world.links["sys/bus/usb/devices/1-1.2:1.0/driver"] = "/sys/bus/drivers/uvcvideo"


def webcam_silent(world: World) -> None:
    """On a longer cable yet: it does not even tell what it is (Linux: drivers/usb/core/hub.c)."""
    world.unplug_cameras()
    world.kernel_log = (
        "[    4.1] usb 1-1.2: device descriptor read/64, error -71\n"
        "[    9.8] usb 1-1-port2: unable to enumerate USB device\n"
    )


def memory_reserved_by_hand(world: World) -> None:
    """A tutorial's `cma=64M`, of which the screen has most."""
    world.files["proc/cmdline"] = "console=tty1 rootfstype=ext4 cma=64M rootwait\n"
    world.is_heap_full = True


def upside_down(world: World) -> None:
    world.show(lambda width, height: np.ascontiguousarray(draw_table(width, height)[::-1, ::-1]))


def named_webcam_gone(world: World) -> None:
    world.unplug_cameras()
    device = "/dev/v4l/by-id/usb-046d_C270-video-index0"
    world.settings = replace(world.settings, camera=replace(world.settings.camera, kind="usb", device=device))


def webcam_set_beside_ribbon(world: World) -> None:
    world.settings = replace(world.settings, camera=replace(world.settings.camera, kind="usb"))


def ribbon_set_beside_webcam(world: World) -> None:
    world.unplug_cameras()
    world.plug_webcam("c920")
    world.settings = replace(world.settings, camera=replace(world.settings.camera, kind="pi"))


def ribbon_without_socket(world: World) -> None:
    world.unplug_cameras()
    world.settings = replace(world.settings, camera=replace(world.settings.camera, kind="pi"))


def picamera2_missing(world: World) -> None:
    world.missing |= {"picamera2"}


def libcamera_missing(world: World) -> None:
    world.missing |= {"libcamera"}


def libraries_out_of_sight(world: World) -> None:
    """apt has installed them, and the program is pipx's, or in an environment of somebody's own."""
    world.missing |= {"picamera2", "libcamera", "gpiod", "lgpio"}
    for name in ("picamera2", "gpiod"):
        world.files[f"usr/lib/python3/dist-packages/{name}/__init__.py"] = ""


def camera_forbidden(world: World) -> None:
    world.forbidden += ["dev/media", "dev/video"]
    world.cameras.clear()  # libcamera lists what it can open


def other_device_set(world: World) -> None:
    """A webcam has a second device, of what it says about its pictures; settings name that one."""
    world.unplug_cameras()
    world.plug_webcam("c920")
    number = next(node.number for node in world.nodes.values() if node.driver == "uvcvideo" and node.index)
    camera = replace(world.settings.camera, kind="usb", device=str(number))
    world.settings = replace(world.settings, camera=camera)


# Pins ----------------------------------------------------------------------------------------------------


def seat(world: World, chairs: int) -> None:
    world.settings = replace(world.settings, table=replace(world.settings.table, chairs=chairs))


def spi_on(world: World) -> None:
    seat(world, 8)
    world.header.users.update({7: "spi0 CS1", 8: "spi0 CS0"})


def one_wire_on(world: World) -> None:
    world.header.users[4] = "onewire@0"


def button_held(world: World) -> None:
    world.header.users[17] = "portduino"


def shared_button_held(world: World) -> None:
    world.header.users[SHARED_BUTTON_PINS[0]] = "portduino"


def pin_given_to_the_kernel(world: World) -> None:
    """A guide's button that switches the Pi off."""
    world.header.users[3] = "shutdown"
    world.files[CONFIG] = f"{SHIPPED_CONFIG}dtoverlay=gpio-shutdown\n"


def pin_given_to_a_receiver(world: World) -> None:
    world.header.users[17] = "ir-receiver@11"
    world.files[CONFIG] = f"{SHIPPED_CONFIG}dtoverlay=gpio-ir,gpio_pin=17\n"


def lamp_given_to_a_fan(world: World) -> None:
    world.header.users[23] = "gpio-fan@0"
    world.files[CONFIG] = f"{SHIPPED_CONFIG}dtoverlay=gpio-fan,gpiopin=23,temp=60000\n"


def small_screen_on_header(world: World) -> None:
    """The cheapest, with the line of its maker's guide: SPI, its touch and its own wires take pins."""
    seat(world, 8)
    world.header.users.update({17: "ADS7846", 24: "dc", 8: "spi0 CS0", 7: "spi0 CS1"})
    world.files[CONFIG] = f"{SHIPPED_CONFIG}dtparam=spi=on\ndtoverlay=tft35a:rotate=90\n"


def sound_board_on_header(world: World) -> None:
    """Its driver has it reset and muted by pins of ours (Linux: overlays/hifiberry-amp100-overlay.dts)."""
    world.header.users.update({17: "reset", 4: "mute"})
    world.sound.append(SoundCard("sndrpihifiberry", "RPi-simple", "snd_rpi_hifiberry_amp100"))
    world.files[CONFIG] = f"{SHIPPED_CONFIG}dtoverlay=hifiberry-amp100\n"


def sound_board_that_names_itself(world: World) -> None:
    """The firmware loads its overlay by what the board tells of itself."""
    sound_board_on_header(world)
    del world.files[CONFIG]
    world.files["proc/device-tree/hat/product"] = "Amp100\0"


def amplifier_takes_a_pin(world: World) -> None:
    """As its overlay has it where the line does not say otherwise (overlays/README: max98357a)."""
    world.header.users[4] = "sdmode"
    world.sound.append(SoundCard("MAX98357A", "simple-card", "MAX98357A"))
    world.files[CONFIG] = f"{SHIPPED_CONFIG}dtoverlay=max98357a\n"


def script_runs(world: World) -> None:
    """The builder's own, of day one: the kernel calls its user as the library does (lgpio: lg)."""
    world.header.users[17] = "lg" if world.release == "trixie" else "gpiozero"  # lgpio's stand-in is "lg"
    world.hold("dev/gpiochip0", "python3", 903)
    world.files["proc/903/cmdline"] = "python3\0/home/ana/test_button.py\0"


def button_on_nc(world: World) -> None:
    """Chair 2's: the pin is low while nobody presses."""
    world.header.low.add(27)


def service_has_a_pin(world: World) -> None:
    """Of a box with a fan (Argon ONE): root's, so that its open files are hidden."""
    world.header.users[17] = "lg" if world.release == "trixie" else "gpiozero"
    world.files["proc/640/comm"] = "python3\n"
    world.files["proc/640/cmdline"] = "/usr/bin/python3\0/etc/argon/argononed.py\0SERVICE\0"
    world.files["proc/640/cgroup"] = "0::/system.slice/argononed.service\n"


def service_has_a_lamp_pin(world: World) -> None:
    """Its open files can be seen."""
    world.header.users[23] = "retrogame"
    world.hold("dev/gpiochip0", "retrogame", 641)
    world.files["proc/641/cgroup"] = "0::/system.slice/retrogame.service\n"


def service_called_as_it_asks(world: World) -> None:
    """Its name says nothing of pins, but it asked for one by it."""
    world.header.users[17] = "meshtasticd"
    world.serve("meshtasticd", 642)


def pin_exported(world: World) -> None:
    """As old guides have it, by a script that has ended."""
    world.header.users[17] = "sysfs"


def lamp_held(world: World) -> None:
    world.header.users[23] = "portduino"


def all_pins_held(world: World) -> None:
    world.header.users.update(dict.fromkeys(range(2, 28), "companion"))


def two_parts_on_one_pin(world: World) -> None:
    """Chair 1's button is set on the pin that chair 2's has as shipped."""
    world.settings = replace(world.settings, buttons=replace(world.settings.buttons, pins={"1": 27}))


def header_numbers_set(world: World) -> None:
    """Where the parts are as shipped, in the header's numbers."""
    world.settings = replace(world.settings, buttons=replace(world.settings.buttons, pins={"1": 11, "2": 13}))


def header_numbers_reserved(world: World) -> None:
    """One of them is the console's in BCM, so that no pin opens."""
    pins = {"1": 11, "2": 13, "3": 15}
    world.settings = replace(world.settings, buttons=replace(world.settings.buttons, pins=pins))
    seat(world, 4)


def button_in_a_socket_for_directions(world: World) -> None:
    """Chair 1's, in the encoder's; somebody presses it."""
    world.encoder = "dragonrise-encoder"
    world.leans = (0, 255)


def turbo_on(world: World) -> None:
    world.encoder = "dragonrise-encoder"
    world.has_turbo = True


def encoder_forbidden(world: World) -> None:
    world.encoder = "dragonrise-encoder"
    world.forbidden += ["dev/input"]


def pins_forbidden(world: World) -> None:
    world.forbidden += ["dev/gpiochip"]


def group_without_login(world: World) -> None:
    """What doctor said was typed, and the same terminal goes on."""
    pins_forbidden(world)
    world.files["etc/group"] = "gpio:x:986:ana\nvideo:x:44:ana\n"


def pin_library_missing(world: World) -> None:
    world.missing |= {"gpiod", "lgpio"}


def wrong_chip(world: World) -> None:
    world.settings = replace(world.settings, buttons=replace(world.settings.buttons, chip=9))


def chip_of_another_machine(world: World) -> None:
    """As a Pi 4's settings say it on a Pi 5 of the first kernels: there hang the board's own parts."""
    other = next(number for number, chip in world.chips.items() if chip is not world.header)
    world.settings = replace(world.settings, buttons=replace(world.settings.buttons, chip=other))


def encoder_of_another_name(world: World) -> None:
    world.encoder = "dragonrise-encoder"
    world.files["sys/class/input/js0/device/name"] = "DragonRise Inc.   Generic   USB  Joystick\n"
    world.settings = replace(world.settings, buttons=replace(world.settings.buttons, usb_device="Xin-Mo"))


MAKEY = (
    "I: Bus=0003 Vendor=1b4f Product=2b75 Version=0111\n"
    'N: Name="JoyLabz Makey Makey v1.20aa13"\nH: Handlers=sysrq kbd mouse0 event0 \n'
    "B: KEY=70000 0 0 7 ff9f207ac14057ff febeffdfffefffff fffffffffffffffe\n"
)


def encoder_types(world: World) -> None:
    """A board that is a keyboard: no joystick, and the kernel calls no key of it a button."""
    world.files["proc/bus/input/devices"] = f"{MAKEY}\n{TOUCH}"


TOUCH = (
    "I: Bus=0003 Vendor=0eef Product=0005 Version=0111\n"
    'N: Name="WaveShare WaveShare"\nH: Handlers=mouse1 event1 \nB: KEY=400 0 0 0 0 0\n'
)


def two_encoders(world: World) -> None:
    """Of a kit for eight: both are called the same, and socket 1 of each would be chair 1."""
    world.encoder, world.encoders = "dragonrise-encoder", 2


def no_gpiochip(world: World) -> None:
    world.chips.clear()


# Sound ---------------------------------------------------------------------------------------------------


def no_sound_card(world: World) -> None:
    world.sound.clear()


def hdmi_off(world: World) -> None:
    world.sound = [card for card in world.sound if card.driver == "vc4-hdmi"]
    world.monitors.clear()


def amplifier_without_line(world: World) -> None:
    """On I2S: nothing tells of it. What is there besides is a socket for headphones, or HDMI."""
    world.sound = [card for card in world.sound if card.driver != "USB-Audio"]
    monitor_without_loudspeakers(world, keeps_socket=True)


def line_of_another_board(world: World) -> None:
    """Its driver finds no such chip, so no card comes up."""
    amplifier_without_line(world)
    world.files[CONFIG] = f"{SHIPPED_CONFIG}dtoverlay=hifiberry-dacplus\n"


def monitor_without_loudspeakers(world: World, *, keeps_socket: bool = False) -> None:
    """And nothing else to play on, as a Pi 5 has no socket for headphones."""
    kept = {"vc4-hdmi", *(["bcm2835_headpho"] if keeps_socket else [])}
    world.sound = [card for card in world.sound if card.driver in kept]
    card = world.machine["drm"]["card"]
    for connector in world.monitors:
        world.files[f"sys/class/drm/card{card}-{connector}/edid"] = bytes(256)


def unknown_card(world: World) -> None:
    world.settings = replace(world.settings, sound=replace(world.settings.sound, device="Jabra"))


def sound_forbidden(world: World) -> None:
    world.forbidden += ["dev/snd"]


def sound_group_without_login(world: World) -> None:
    sound_forbidden(world)
    world.files["etc/group"] = "audio:x:29:ana\n"


def sound_held(world: World) -> None:
    for card in world.sound:
        card.is_held = True
    for number, _ in enumerate(world.sound):
        world.hold(f"dev/snd/pcmC{number}D0p", "mpd", 820 + number)


def alsa_file_of_a_guide(world: World) -> None:
    """For another machine's cards."""
    world.files[ALSA_FILE] = "pcm.!default { type hw card 3 }\n"


def sound_held_by_service(world: World) -> None:
    """Another user's, whose open files are hidden; ALSA says who plays."""
    for number, card in enumerate(world.sound):
        card.is_held = True
        world.files[f"proc/asound/card{number}/pcm0p/sub0/status"] = "state: RUNNING\nowner_pid   : 820\n"
    world.serve("shairport-sync", 820)


def started_with_sudo(world: World) -> None:
    """On a desktop, whose sound server has the card, and whose screen root does not see."""
    world.environ.clear()
    world.screen_holder = "labwc"
    world.files["proc/901/comm"] = "pipewire\n"
    for number, card in enumerate(world.sound):
        card.is_held = True
        world.files[f"proc/asound/card{number}/pcm0p/sub0/status"] = "state: RUNNING\nowner_pid   : 901\n"


def desktop_plays_on_hdmi(world: World) -> None:
    world.default_sink = "vc4-hdmi"


def bluetooth_on_bare_screen(world: World) -> None:
    world.files["sys/class/bluetooth/hci0:11/type"] = "link\n"


def bluetooth_alone(world: World) -> None:
    """Beside a monitor without loudspeakers, or a socket for headphones with nothing in it."""
    world.sound = [card for card in world.sound if card.driver != "USB-Audio"]
    world.files["sys/class/bluetooth/hci0/address"] = ""
    bluetooth_on_bare_screen(world)


def bluetooth_shutter(world: World) -> None:
    """A button, and a loudspeaker on USB that is well."""
    bluetooth_on_bare_screen(world)
    world.files["proc/bus/input/devices"] = (
        'I: Bus=0005 Vendor=0a5c Product=8502 Version=011b\nN: Name="AB Shutter3"\n'
        "P: Phys=b8:27:eb:00:00:01\nU: Uniq=ff:00:12:34:56:78\nH: Handlers=kbd event3 \n"
        f"B: KEY=1 0 0 0 0 0 0 0 0 0 0 0 0 8 0 800000000000 0 0 0 10000000\n\n{TOUCH}"
    )


def sound_turned_down(world: World) -> None:
    for card in world.sound:
        card.volume = 4


def desktop_muted(world: World) -> None:
    world.is_sink_muted = True


def bluetooth_asleep(world: World) -> None:
    """The desktop has no output of that name while the loudspeaker sleeps."""
    world.settings = replace(world.settings, sound=replace(world.settings.sound, device="JBL Go"))


def sound_off_in_config(world: World) -> None:
    world.sound.clear()
    text = SHIPPED_CONFIG.replace("audio=on", "audio=off").replace("vc4-kms-v3d", "vc4-kms-v3d,noaudio")
    world.files[CONFIG] = text


def volume_of_five(world: World) -> None:
    world.settings = replace(world.settings, sound=replace(world.settings.sound, volume=5))


def old_audio_driver(world: World) -> None:
    world.environ["SDL_AUDIODRIVER"] = "dsp"


def sound_elsewhere(world: World) -> None:
    world.environ["PULSE_SERVER"] = "tcp:192.168.1.20"


def bluetooth_blocked(world: World) -> None:
    bluetooth_asleep(world)
    world.files |= {"sys/class/rfkill/rfkill0/type": "bluetooth\n", "sys/class/rfkill/rfkill0/soft": "1\n"}


def sound_muted(world: World) -> None:
    for card in world.sound:
        card.is_muted = True


# Screen --------------------------------------------------------------------------------------------------


def screen_off(world: World) -> None:
    world.monitors.clear()


def desktop_draws(world: World) -> None:
    world.screen_holder = "labwc"
    world.environ.clear()


def started_by_ssh(world: World) -> None:
    desktop_draws(world)
    world.environ["SSH_CONNECTION"] = "192.168.1.2 50022 192.168.1.3 22"


def screen_held_by_service(world: World) -> None:
    """Another user's, whose open files are hidden."""
    world.screen_holder = "kodi"
    world.serve("kodi", 830, "/usr/lib/kodi/kodi.bin_v8\0--standalone\0")


def screen_forbidden(world: World) -> None:
    world.forbidden += ["dev/dri"]


def driver_not_loaded(world: World) -> None:
    world.has_graphics = False
    world.files[CONFIG] = SHIPPED_CONFIG.replace("dtoverlay=vc4-kms-v3d\n", "")


def graphics_library_missing(world: World) -> None:
    """On a lite system nothing depends on it (pyinstaller issue 5757)."""
    world.missing |= {GLES}


def screen_upright(world: World) -> None:
    """Touch Display 2 is 720 wide and 1280 high (raspberrypi/documentation issue 3922)."""
    _set_mode(world, "720x1280")


def wrong_video_driver(world: World) -> None:
    world.environ["SDL_VIDEODRIVER"] = "x11"


def old_video_driver(world: World) -> None:
    """As guides of before pygame 2 have it for a small screen."""
    world.environ["SDL_VIDEODRIVER"] = "fbcon"


def two_monitors(world: World) -> None:
    """A laptop's own and a television, or both sockets of a Pi."""
    drm = world.machine["drm"]
    world.monitors |= {drm["hdmi"][-1], drm.get("panel", drm["hdmi"][0])}


def backlight_off(world: World) -> None:
    world.files["sys/class/backlight/10-0045/bl_power"] = "4\n"


def screen_too_small(world: World) -> None:
    drm = world.machine["drm"]
    world.files[f"sys/class/drm/card{drm['card']}-{drm['hdmi'][0]}/modes"] = "480x320\n"


def settings_of_another_name(world: World) -> None:
    world.files[f"{Path.home()}/.config/companion/Settings.toml".lstrip("/")] = "[table]\nchairs = 4\n"


def hdmi_switched_off(world: World) -> None:
    world.monitors.clear()
    world.files[CONFIG] = SHIPPED_CONFIG.replace("vc4-kms-v3d", "vc4-kms-v3d,nohdmi")


def screen_untold(world: World) -> None:
    """An adapter that lacks the wires by which a screen says what it is."""
    card = world.machine["drm"]["card"]
    world.sound = [one for one in world.sound if one.driver == "vc4-hdmi"]
    for connector in world.monitors:
        place = f"sys/class/drm/card{card}-{connector}"
        world.files[f"{place}/edid"] = b""
        world.files[f"{place}/modes"] = "1024x768\n800x600\n"


def screen_untold_with_old_lines(world: World) -> None:
    """With what the leaflet of a 7-inch screen has."""
    screen_untold(world)
    world.files[CONFIG] = f"{SHIPPED_CONFIG}hdmi_group=2\nhdmi_mode=87\nhdmi_cvt 1024 600 60 6 0 0 0\n"


def screen_of_four_to_three(world: World) -> None:
    _set_mode(world, "1024x768")


def _set_mode(world: World, mode: str) -> None:
    card = world.machine["drm"]["card"]
    for connector in world.monitors:
        world.files[f"sys/class/drm/card{card}-{connector}/modes"] = f"{mode}\n"


def two_screens(world: World) -> None:
    world.monitors = {"HDMI-A-1", "HDMI-A-2"}


def second_socket(world: World) -> None:
    world.monitors = {"HDMI-A-2"}


# Machine -------------------------------------------------------------------------------------------------


def under_voltage(world: World) -> None:
    world.firmware = "throttled=0x50005"
    world.files["sys/class/hwmon/hwmon0/in0_lcrit_alarm"] = "1\n"


def under_voltage_before(world: World) -> None:
    """Since the start, and calm now."""
    world.firmware = "throttled=0x50000"


def hot(world: World) -> None:
    world.firmware = "throttled=0xe0008"
    world.files["sys/class/thermal/thermal_zone0/temp"] = "84500\n"


def weak_supply(world: World) -> None:
    world.files["proc/device-tree/chosen/power/max_current"] = (3000).to_bytes(4, "big")


def weak_supply_overdrawn(world: World) -> None:
    weak_supply(world)
    usb_switched_off(world)


def on_battery(world: World, left: int = 63) -> None:
    for name, told in (("type", "Battery"), ("status", "Discharging"), ("capacity", str(left))):
        world.files[f"sys/class/power_supply/BAT0/{name}"] = f"{told}\n"


def battery_low(world: World) -> None:
    on_battery(world, 9)


def usb_silent(world: World) -> None:
    """An encoder, or a loudspeaker: what is there beside it is well."""
    world.kernel_log = "[    9.8] usb 1-1-port2: unable to enumerate USB device\n"


def fan_still(world: World) -> None:
    world.files["sys/class/hwmon/hwmon1/name"] = "pwmfan\n"
    world.files["sys/class/hwmon/hwmon1/fan1_input"] = "0\n"
    world.files["sys/class/thermal/thermal_zone0/temp"] = "81000\n"


def clock_without_battery(world: World) -> None:
    """A Pi 5 has a clock of its own, and its battery is sold apart."""
    time_untold(world)
    world.files["dev/rtc0"] = ""
    world.files["sys/class/rtc/rtc0/battery_voltage"] = "35000\n"


def pins_past_the_kernel(world: World) -> None:
    """A script of old libraries, which ask nobody for a pin."""
    world.files["dev/gpiomem"] = ""
    world.hold("dev/gpiomem", "python3", 905)
    world.files["proc/905/cmdline"] = "python3\0/home/ana/lights.py\0"


def lines_of_old_drivers(world: World) -> None:
    world.files[CONFIG] = f"{SHIPPED_CONFIG}display_hdmi_rotate=2\nhdmi_group=2\nhdmi_mode=82\n"


def touch_turned(world: World) -> None:
    world.files[CONFIG] = f"{SHIPPED_CONFIG}dtoverlay=vc4-kms-dsi-7inch,invx,invy\n"


def screen_of_4k(world: World) -> None:
    _set_mode(world, "3840x2160")


def ribbon_screen_not_sought(world: World) -> None:
    """It is the only one."""
    world.monitors.clear()
    world.files[CONFIG] = SHIPPED_CONFIG.replace("display_auto_detect=1\n", "")


def socket_off_in_cmdline(world: World) -> None:
    world.monitors.clear()
    world.files["proc/cmdline"] = "console=tty1 rootfstype=ext4 video=HDMI-A-1:d rootwait\n"


def other_ribbon_camera(world: World) -> None:
    """Of two, the first looks elsewhere."""
    world.plug_sensor("imx219")
    world.show(lambda width, height: np.full((height, width, 3), 120, np.uint8))


def webcam_over_table_beside_ribbon(world: World) -> None:
    world.plug_webcam("c920")
    world.show(lambda width, height: np.full((height, width, 3), 120, np.uint8))


def plain_debian(world: World) -> None:
    """Its archive has no picamera2."""
    world.missing |= {"picamera2", "libcamera"}
    world.files["etc/apt/sources.list.d/debian.sources"] = (
        "URIs: http://deb.debian.org/debian\nSuites: trixie\n"
    )


def ubuntu(world: World) -> None:
    world.files["etc/os-release"] = 'NAME="Ubuntu"\nVERSION_CODENAME=noble\n'


def ubuntu_without_camera(world: World) -> None:
    ubuntu(world)
    world.missing |= {"picamera2", "libcamera"}


def starts_twice(world: World) -> None:
    service_failed(world)
    world.files["proc/900/cgroup"] = "0::/system.slice/companion.service\n"
    world.files[AUTOSTART] = "[Desktop Entry]\n"


def firewalld_on(world: World) -> None:
    wifi_off(world)
    world.files["proc/702/comm"] = "firewalld\n"


def usb_switched_off(world: World) -> None:
    world.files["sys/bus/usb/devices/1-0:1.0/usb1-port2/over_current_count"] = "2\n"


def kernel_updated(world: World) -> None:
    """The running kernel's drivers are gone; then a webcam and a loudspeaker are plugged in."""
    world.unplug_cameras()
    world.sound = [card for card in world.sound if card.driver != "USB-Audio"]
    world.files["proc/sys/kernel/osrelease"] = "6.12.34+rpt-rpi-v8\n"
    world.files["lib/modules/6.12.47+rpt-rpi-v8/modules.dep"] = ""
    for part, kind, name in (("1-1.3", "0e", "HD Pro Webcam C920"), ("1-1.4", "01", "USB Audio Device")):
        world.files[f"sys/bus/usb/devices/{part}/product"] = f"{name}\n"
        world.files[f"sys/bus/usb/devices/{part}:1.0/bInterfaceClass"] = f"{kind}\n"


def line_in_old_config(world: World) -> None:
    """A sound HAT's, as a guide of before bookworm has it."""
    world.files["boot/config.txt"] = (
        "DO NOT EDIT THIS FILE\n\nThe file you are looking for has moved to /boot/firmware/config.txt\n"
        "dtoverlay=hifiberry-dac\n"
    )


def old_release(world: World) -> None:
    world.files["etc/os-release"] = 'NAME="Debian GNU/Linux"\nVERSION_CODENAME=bullseye\n'


def two_releases(world: World) -> None:
    world.files["etc/apt/sources.list.d/debian.sources"] = "Types: deb\nSuites: bookworm bookworm-updates\n"
    world.files["etc/apt/sources.list.d/raspi.list"] = (
        "deb http://archive.raspberrypi.com/debian trixie main\n"
    )


SERVICE = "etc/systemd/system/companion.service"
AUTOSTART = "home/ana/.config/autostart/companion.desktop"


def service_not_enabled(world: World) -> None:
    world.files[SERVICE] = "[Unit]\n"


def settings_of_another_user(world: World) -> None:
    """Who typed them; the service never sees them."""
    service_not_enabled(world)
    world.files["home/ana/.config/companion/settings.toml"] = "[table]\nchairs = 4\n"


def service_failed(world: World) -> None:
    service_not_enabled(world)
    world.links["etc/systemd/system/multi-user.target.wants/companion.service"] = f"/{SERVICE}"


def service_runs(world: World) -> None:
    """And somebody asks by ssh."""
    service_failed(world)
    world.files["proc/900/cgroup"] = "0::/system.slice/companion.service\n"
    world.unit = "NRestarts=0\nActiveState=active\n"
    camera_held(world)
    world.header.users.update(dict.fromkeys(range(2, 28), "companion"))
    sound_held(world)
    world.screen_holder = "companion"


def desktop_table_runs(world: World) -> None:
    """And somebody asks in a terminal on that desktop."""
    program = "/opt/companion/current/venv/bin"
    world.files[AUTOSTART] = "[Desktop Entry]\n"
    for camera in world.cameras:
        camera.is_held = True
    world.hold("dev/media0" if "csi" in world.machine else "dev/video0", "companion", 640)
    world.files["proc/640/cmdline"] = f"{program}/python3\0{program}/companion\0play\0--go-on\0"
    world.header.users.update(dict.fromkeys(range(2, 28), "companion"))


def service_in_a_loop(world: World) -> None:
    service_failed(world)
    world.files["proc/900/cgroup"] = "0::/system.slice/companion.service\n"
    world.unit = "NRestarts=41\nActiveState=activating\n"


def service_of_no_user(world: World) -> None:
    """A unit of somebody's own, after a guide for older systems, with User=pi."""
    service_failed(world)
    world.unit = "NRestarts=5\nExecMainStatus=217\nActiveState=failed\n"


def service_masked(world: World) -> None:
    world.links[SERVICE] = "/dev/null"


def nobody_logged_in(world: World) -> None:
    world.files[AUTOSTART] = "[Desktop Entry]\n"
    world.files["etc/lightdm/lightdm.conf"] = "[Seat:*]\n#autologin-user=\n"


def desktop_for_nobody(world: World) -> None:
    world.files[AUTOSTART] = "[Desktop Entry]\n"


def firewall_on(world: World) -> None:
    """The page listens at port 8420."""
    wifi_off(world)
    world.files["etc/ufw/ufw.conf"] = "ENABLED=yes\n"
    world.files["etc/ufw/user.rules"] = "*filter\n"


def memory_little(world: World) -> None:
    world.files["proc/meminfo"] = "MemTotal: 426000 kB\nMemAvailable: 290000 kB\n"


def memory_low(world: World) -> None:
    world.files["proc/meminfo"] = "MemTotal: 930000 kB\nMemAvailable: 61000 kB\n"


def programs_ended(world: World) -> None:
    world.files["proc/vmstat"] = "nr_free_pages 31000\noom_kill 3\n"


def time_untold(world: World) -> None:
    """Its clock goes on from where it stopped; a laptop has one that does not stop."""
    del world.files["run/systemd/timesync/synchronized"]


def overlay_on(world: World) -> None:
    """raspi-config's read-only mode: what is written is in memory."""
    world.files["proc/self/mounts"] = "overlay / overlay rw 0 0\n"


def another_logged_in(world: World) -> None:
    world.files[AUTOSTART] = "[Desktop Entry]\n"
    world.files["etc/lightdm/lightdm.conf"] = "[Seat:*]\nautologin-user=bob\n"


def wifi_off(world: World) -> None:
    """The page listens at port 8420, and the radio has no country."""
    world.files["proc/net/tcp"] = " sl local_address\n 0: 00000000:20E4 00000000:0000 0A 00000000:00000000\n"
    world.files["sys/class/rfkill/rfkill0/type"] = "wlan\n"
    world.files["sys/class/rfkill/rfkill0/soft"] = "1\n"


def no_network_for_an_old_line(world: World) -> None:
    """Of a project that had a cable."""
    no_network(world)
    world.files[CONFIG] = f"{SHIPPED_CONFIG}dtoverlay=disable-wifi\n"


def second_serial_line(world: World) -> None:
    """An old guide's `dtoverlay` has a button's pin; the kernel names the driver alone."""
    world.files[CONFIG] = f"{SHIPPED_CONFIG}dtoverlay=uart3\n"
    world.header.users[4] = "fe201600.serial"


def in_a_container(world: World) -> None:
    world.files[".dockerenv"] = ""
    world.unplug_cameras()


def remote_desktop(world: World) -> None:
    world.environ |= {"DISPLAY": ":10.0", "XRDP_SESSION": "1"}


def lid_closed(world: World) -> None:
    world.files["proc/acpi/button/lid/LID0/state"] = "state:      closed\n"


def camera_beside_usb(world: World) -> None:
    """A laptop's own hangs at the processor (drivers/media/pci/intel/ipu6)."""
    world.unplug_cameras()
    world.files["sys/bus/pci/drivers/intel-ipu6/uevent"] = ""


def update_cut_short(world: World) -> None:
    world.files["var/lib/dpkg/updates/0001"] = "Package: libcamera0.7\n"


def no_network(world: World) -> None:
    """Its password was mistyped; the page is off."""
    world.files["proc/net/route"] = "Iface\tDestination\tGateway\n"
    world.files["sys/class/rfkill/rfkill0/type"] = "wlan\n"
    world.files["sys/class/rfkill/rfkill0/soft"] = "0\n"


def vpn_on(world: World) -> None:
    wifi_off(world)
    world.files["proc/net/route"] = "Iface\tDestination\ntun0\t00000000\nwlan0\t00000000\n"


def no_network_for_wifi_is_off(world: World) -> None:
    """A new Pi does not know its country; the page is off."""
    no_network(world)
    world.files["sys/class/rfkill/rfkill0/soft"] = "1\n"


def port_taken(world: World) -> None:
    wifi_off(world)
    world.files["proc/1/comm"] = "systemd\n"
    world.files["proc/701/cmdline"] = "nginx: master process\0"


def card_full(world: World) -> None:
    world.free_bytes = 3_000_000


def card_read_only(world: World) -> None:
    world.forbidden += ["games"]
    world.is_read_only = True


def games_of_another_user(world: World) -> None:
    world.forbidden += ["games"]


def card_fails(world: World) -> None:
    world.kernel_log = "[ 812.4] blk_update_request: I/O error, dev mmcblk0, sector 1214 op 0x1:(WRITE)\n"


def card_not_grown(world: World) -> None:
    """The system uses 4 GB of a card of 32, and they are full."""
    world.free_bytes = 3_000_000
    for name, size in (("", 62_333_952), ("mmcblk0p1/", 1_048_576), ("mmcblk0p2/", 7_340_032)):
        world.files[f"sys/block/mmcblk0/{name}size"] = f"{size}\n"


def no_inodes(world: World) -> None:
    world.has_inodes = False


def card_slow(world: World) -> None:
    world.write_seconds = 0.7


def power_cut(world: World) -> None:
    """The game that is played, and the three starts of the machine in which it was."""
    world.files["games/table/starts"] = "2026-11-29T18:00:00+00:00\nfirst\nsecond\nthird\n"


def clock_of_1970(world: World) -> None:
    world.wall_time = "1970-01-01T00:01:10+00:00"


def small_system(world: World) -> None:
    world.bits = 32


GROUP = r"usermod -aG|group|doctor"
FAULTS = (
    Fault(
        "camera unplugged",
        ("camera",),
        camera_unplugged,
        "camera|webcam",
        "cable|[Pp]lug",
        unsaid=lambda world: {} if world.is_pi else {"screen": "nobody misses what was never set up"},
    ),
    Fault(
        "a camera of another maker, without its line",
        ("camera",),
        camera_unplugged,
        "sees no camera",
        "another maker needs its dtoverlay line",
        _without_ribbon,
        _quiet(screen="it says what helps most: the cable, or a webcam"),
    ),
    Fault(
        "the camera is another than was calibrated",
        ("camera",),
        calibrated_with_another,
        "Trust Webcam",
        "[Cc]alibrat|Settings",
    ),
    Fault("camera held by another program", ("camera",), camera_held, "camera|webcam", "stop|close|end"),
    Fault(
        "another user's service has the camera",
        ("camera",),
        camera_held_by_service,
        "camera.*motion|motion.*camera",
        "systemctl disable --now motion.service",
    ),
    Fault(
        "a container has the camera",
        ("camera",),
        camera_held_in_container,
        "camera.*frigate|frigate.*camera",
        "docker stop 0123456789ab",
    ),
    Fault("camera's ribbon is damaged", ("camera",), cable_damaged, "camera", "cable", _without_ribbon),
    Fault(
        "config.txt names another sensor",
        ("camera",),
        other_sensor_named,
        "config.txt.*imx219",
        "camera_auto_detect=1",
        _without_ribbon,
    ),
    Fault(
        "config.txt looks for no camera",
        ("camera",),
        camera_not_sought,
        "config.txt",
        "camera_auto_detect=1",
        _without_ribbon,
    ),
    Fault(
        "a camera's line is under another machine's name",
        ("system", "camera"),
        sensor_under_another_machine,
        r"dtoverlay=arducam-pivariety under \[cm4\]",
        r"write it under \[all\]",
        _without_ribbon,
    ),
    Fault(
        "a sound board's line is under another machine's name",
        ("system", "sound"),
        board_under_another_machine,
        r"dtoverlay=hifiberry-dac under \[cm5\]",
        r"write it under \[all\]",
        _without_pins,
    ),
    Fault(
        "config.txt gives the camera to old programs",
        ("camera",),
        camera_given_to_old_programs,
        "config.txt",
        "no start_x=1|take start_x=1 out",
        _without_ribbon,
    ),
    Fault("the lens has its cap on", ("camera",), cap_on_lens, "black", "cap", unsaid=_looked_at),
    Fault("the sun is on the lens", ("camera",), sun_on_lens, "white", "shade", unsaid=_looked_at),
    Fault(
        "the lens is out of focus",
        ("camera",),
        out_of_focus,
        "^(?!.*pages).*(blurred|sharp)",
        "lens",
        unsaid=_looked_at,
    ),
    Fault(
        "the lens is far out of focus",
        ("camera",),
        far_out_of_focus,
        "no mark of a mat|not sharp",
        "lens",
        unsaid=_looked_at,
    ),
    *(
        Fault(
            f"the lens is {how} out of focus",
            ("camera",),
            lay,
            "blurred|not sharp",
            "lens",
            unsaid=_looked_at,
        )
        for how, lay in (("half", half_out_of_focus), ("a little", a_little_out_of_focus))
    ),
    Fault("the camera hangs too low", ("camera",), hangs_too_low, "of the mat", "raise", unsaid=_looked_at),
    Fault(
        "the camera hangs too high",
        ("camera",),
        hangs_too_high,
        "as high|too high",
        "lower .*by",
        unsaid=_looked_at,
    ),
    Fault(
        "two pages of the mat are exchanged",
        ("camera",),
        pages_exchanged,
        "do not lie as on the mat|changed places",
        "in their order|in order",
        unsaid=_looked_at,
    ),
    *(
        Fault(
            f"the mat's pages {how}",
            ("camera",),
            pages_uncut(gap_mm),
            f"pages {how}",
            "edge to edge",
            unsaid=_looked_at,
        )
        for how, gap_mm in (("lie apart", 12), ("overlap", -14))
    ),
    Fault(
        "of two webcams the other hangs over the table",
        ("camera",),
        other_webcam_over_table,
        "webcam; another is|hang over it",
        "[Ss]et camera.device to",
        unsaid=_looked_at,
    ),
    Fault(
        "the camera hangs across",
        ("camera",),
        hangs_across,
        "of the mat|camera",
        "by a quarter",
        unsaid=_looked_at,
    ),
    Fault(
        "the camera hangs across, over the mat's middle",
        ("camera",),
        hangs_across_over_the_middle,
        "no mark of a mat|four marks",
        "long side along the mat's|by a quarter",
        _drawn_elsewhere,
        unsaid=_looked_at,
    ),
    Fault(
        "the camera hangs askew",
        ("camera",),
        hangs_askew,
        "of the mat|the mat is",
        "[Tt]urn the camera (by 35°|until)",
        _drawn_elsewhere,
        unsaid=_looked_at,
    ),
    Fault("a Wide lens", ("camera",), wide_lens, "Wide", "not Wide", _without_ribbon, _looked_at),
    Fault(
        "a Wide lens, so that the camera hangs too high",
        ("camera",),
        wide_lens_too_high,
        "as high.*Wide|too high",
        "lower",
        _without_ribbon,
        _looked_at,
    ),
    Fault(
        "a camera without filter",
        ("camera",),
        no_filter,
        "NoIR|filter",
        "not NoIR|has it",
        _without_ribbon,
        _looked_at,
    ),
    Fault("the mat is mirrored", ("camera",), mirrored, "mirrored", "[Pp]rint", unsaid=_looked_at),
    Fault(
        "something lies on a mark of the mat",
        ("camera",),
        mark_covered,
        "mark at the top left|top-left mark",
        "uncover",
        unsaid=_looked_at,
    ),
    Fault(
        "libcamera lists no camera, and the kernel has one",
        ("camera",),
        ipa_missing,
        "libcamera|camera’s library",
        "libcamera-ipa|doctor",
        _without_ribbon,
    ),
    Fault(
        "no right to the memory of pictures",
        ("camera",),
        heap_forbidden,
        "dma_heap|may not open the camera",
        "usermod -aG video.*raspberrypi-sys-mods|doctor",
        _without_ribbon,
    ),
    Fault("the clock is in 2099", ("clock",), clock_ahead, "clock says 2099-01-01", "network|doctor"),
    Fault("the room is dark", ("camera",), dark_room, "dark", "lamp", unsaid=_looked_at),
    Fault(
        "the light is blue",
        ("camera",),
        coloured_light,
        "light is coloured",
        "white light",
        unsaid=_looked_at,
    ),
    Fault("one lamp is off", ("camera",), lamp_off, "dark", "lamp", unsaid=_looked_at),
    Fault(
        "the camera hangs a little askew",
        ("camera",),
        hangs_a_little_askew,
        "of the mat|the mat is",
        "[Tt]urn the camera (by 6°|until)",
        _drawn_elsewhere,
        unsaid=_looked_at,
    ),
    Fault("the sun lies on half of the mat", ("camera",), sun_on_mat, "[Gg]lare", "lamp", unsaid=_looked_at),
    Fault(
        "a webcam of 640 × 480",
        ("camera",),
        small_webcam,
        "cards are small|too small",
        "1280 × 720",
        unsaid=_looked_at,
    ),
    Fault(
        "a webcam behind a hub without room",
        ("camera",),
        webcam_without_room,
        "webcam",
        "without a hub",
    ),
    Fault(
        "a webcam that sends raw pictures alone",
        ("camera",),
        webcam_without_mjpeg,
        "webcam.*5 pictures a second",
        "MJPEG",
        unsaid=_quiet(screen="cards are read, only late", log="cards are read, only late"),
    ),
    Fault(
        "a webcam on a long cable",
        ("camera",),
        webcam_on_long_cable,
        "slow as USB 1",
        "shorter cable",
    ),
    Fault(
        "a webcam that does not answer",
        ("camera", "power"),
        webcam_silent,
        "USB.*answer",
        "shorter cable",
    ),
    Fault(
        "cmdline.txt leaves the camera no memory",
        ("camera",),
        memory_reserved_by_hand,
        "cma=64M|memory",
        "cmdline.txt|doctor",
        _without_ribbon,
    ),
    Fault(
        "a webcam is set, and the ribbon has the camera",
        ("camera",),
        webcam_set_beside_ribbon,
        "ribbon|settings name a camera",
        "camera.kind|doctor",
        _without_ribbon,
    ),
    Fault(
        "the ribbon is set, and a webcam is the camera",
        ("camera",),
        ribbon_set_beside_webcam,
        "webcam|settings name a camera",
        "camera.kind|doctor",
        _without_ribbon,
    ),
    Fault(
        "a webcam is set that is gone",
        ("camera",),
        named_webcam_gone,
        r"camera\.device|settings name a camera",
        "plug|doctor",
    ),
    Fault(
        "a camera's ribbon is wanted that fits nowhere",
        ("camera",),
        ribbon_without_socket,
        "no socket",
        "webcam",
        lambda world: "it has a socket for it" if "csi" in world.machine else _without_pins(world),
    ),
    Fault(
        "picamera2 not installed", ("camera",), picamera2_missing, "camera", "install|doctor", _without_ribbon
    ),
    Fault("libcamera not seen", ("camera",), libcamera_missing, "camera", "install|doctor", _without_ribbon),
    Fault(
        "the environment does not see the system's packages",
        ("camera", "pins", "lamps"),
        libraries_out_of_sight,
        "picamera2|camera",
        "only this environment does not see it.*--system-site-packages|companion doctor",
        _without_ribbon,
    ),
    Fault("no right to the camera", ("camera",), camera_forbidden, "camera|video", GROUP),
    Fault("a webcam's other device is set", ("camera",), other_device_set, "camera", "camera.device|doctor"),
    Fault("SPI is on", ("pins",), spi_on, "SPI", "off", _without_pins),
    Fault("1-Wire is on", ("pins",), one_wire_on, "1-Wire", "off", _without_pins),
    Fault("a button's pin is held", ("pins",), button_held, "portduino", "[Ee]nd", _without_pins),
    Fault(
        "a shared button's pin is held",
        ("pins",),
        shared_button_held,
        f"(?i)\\b{SHARED_BUTTON_NAMES[0]}\\b",
        "[Ee]nd",
        _without_pins,
    ),
    Fault(
        "config.txt gives a shared button's pin to the kernel",
        ("pins",),
        pin_given_to_the_kernel,
        "dtoverlay=gpio-shutdown",
        "[Tt]ake .*out",
        _without_pins,
    ),
    Fault(
        "config.txt gives a button's pin to a receiver",
        ("pins",),
        pin_given_to_a_receiver,
        "dtoverlay=gpio-ir",
        "[Tt]ake .*out",
        _without_pins,
    ),
    Fault(
        "config.txt gives a lamp's pin to a fan",
        ("lamps",),
        lamp_given_to_a_fan,
        "lamp.*gpio-fan",
        "[Tt]ake .*out",
        _without_pins,
    ),
    Fault(
        "a small screen on the header",
        ("pins", "lamps"),
        small_screen_on_header,
        "button.*dtoverlay=tft35a",
        "[Tt]ake .*out",
        _without_pins,
    ),
    Fault(
        "a sound board has two buttons' pins",
        ("pins",),
        sound_board_on_header,
        "board on the header .*hifiberry-amp100",
        "to a pin that is free|companion doctor",
        _without_pins,
    ),
    Fault(
        "a sound board that names itself has two buttons' pins",
        ("pins",),
        sound_board_that_names_itself,
        "board on the header .*Amp100",
        "to a pin that is free|companion doctor",
        _without_pins,
    ),
    Fault(
        "an amplifier's line without no-sdmode",
        ("pins",),
        amplifier_takes_a_pin,
        "board on the header .*max98357a",
        "no-sdmode|companion doctor",
        _without_pins,
    ),
    Fault(
        "a script has a button's pin",
        ("pins",),
        script_runs,
        r"test_button\.py",
        "[Ee]nd",
        _without_pins,
    ),
    Fault(
        "a service of the box has a button's pin",
        ("pins",),
        service_has_a_pin,
        "button.*argononed",
        r"systemctl disable --now argononed\.service",
        _without_pins,
    ),
    Fault(
        "a service has a lamp's pin",
        ("lamps",),
        service_has_a_lamp_pin,
        "lamp.*retrogame",
        r"systemctl disable --now retrogame\.service",
        _without_pins,
    ),
    Fault(
        "a service asked for a button's pin by its name",
        ("pins",),
        service_called_as_it_asks,
        "button.*meshtasticd",
        r"systemctl disable --now meshtasticd\.service",
        _without_pins,
    ),
    Fault(
        "a script exported a button's pin",
        ("pins",),
        pin_exported,
        "/sys/class/gpio|sysfs",
        "restart|[Ee]nd",
        _without_pins,
    ),
    Fault("a button's wires are on NC", ("pins",), button_on_nc, "down", "NC", _without_pins),
    Fault("a lamp's pin is held", ("lamps",), lamp_held, "lamp.*portduino", "[Ee]nd", _without_pins),
    Fault(
        "all pins are held",
        ("pins", "lamps"),
        all_pins_held,
        "button|pins",
        "stop|[Ee]nd|doctor",
        _without_pins,
    ),
    Fault("pigpio runs", ("pins", "lamps"), pigpio_runs, "pigpiod", "disable", _without_pins, _only_doctor),
    Fault(
        "two parts are set on one pin",
        ("pins", "lamps"),
        two_parts_on_one_pin,
        r"buttons\.pins\.1 and buttons\.pins\.2 .*BCM 27.*lamps stay dark",
        "another pin|[Cc]hange",
        _without_pins,
    ),
    Fault(
        "pins are set in the header's numbers",
        ("pins",),
        header_numbers_set,
        "buttons.pins.1.*header",
        "[Tt]ake .*out",
        _without_pins,
    ),
    Fault(
        "pins are set in the header's numbers, one of which is reserved",
        ("pins", "lamps"),
        header_numbers_reserved,
        "buttons.pins.1.*header",
        "[Tt]ake .*out",
        _without_pins,
    ),
    Fault("no right to the pins", ("pins", "lamps"), pins_forbidden, "button|gpio", GROUP, _without_pins),
    Fault(
        "a group was joined since the login",
        ("pins", "lamps"),
        group_without_login,
        "button|gpio",
        "log out and in again|companion doctor",
        _without_pins,
    ),
    Fault(
        "libgpiod and lgpio not seen",
        ("pins", "lamps"),
        pin_library_missing,
        "button|gpio",
        "install|doctor",
        _without_pins,
    ),
    Fault(
        "a gpiochip that is not here",
        ("pins", "lamps"),
        wrong_chip,
        "button|chip",
        "buttons.chip|doctor|settings",
        _without_pins,
    ),
    Fault(
        "a gpiochip of another machine is set",
        ("pins", "lamps"),
        chip_of_another_machine,
        "buttons",
        "take that line out|doctor",
        lambda world: _without_pins(world) or ("" if len(world.chips) > 1 else "it has one chip"),
    ),
    Fault(
        "no gpiochip", ("pins", "lamps"), no_gpiochip, "button|gpio", "update|keyboard|doctor", _without_pins
    ),
    Fault(
        "another encoder is set", ("encoder",), encoder_of_another_name, "USB", "buttons.usb_device|doctor"
    ),
    Fault(
        "a USB button in a socket for directions",
        ("encoder",),
        button_in_a_socket_for_directions,
        "socket.* for directions",
        "move its plug to K1",
    ),
    Fault(
        "an encoder's turbo is on", ("encoder",), turbo_on, "button.*15 times|counts many times", "turbo off"
    ),
    Fault(
        "two USB encoders",
        ("encoder",),
        two_encoders,
        "USB|first is read",
        "learn.* all|Settings, USB buttons",
    ),
    Fault(
        "an encoder that types as a keyboard",
        ("encoder",),
        encoder_types,
        "keyboard",
        "teach .*Settings, USB buttons",
    ),
    Fault(
        "no right to a USB encoder", ("encoder", "screen"), encoder_forbidden, "USB|input", "usermod|group"
    ),
    Fault(
        "no sound card",
        ("sound",),
        no_sound_card,
        "[Ss]ound|heard",
        "loudspeaker|screen",
        unsaid=_served_sound,
    ),
    Fault(
        "HDMI is off, and no other card",
        ("sound",),
        hdmi_off,
        "[Ss]ound|HDMI|hdmi|heard",
        "monitor|loudspeaker",
        lambda world: "its card is no HDMI" if not world.is_pi else "",
        _served_sound,
    ),
    Fault(
        "a monitor without loudspeakers, and no other card",
        ("sound",),
        monitor_without_loudspeakers,
        "[Ss]ound|heard|HDMI",
        "USB",
        lambda world: "its card is no HDMI" if not world.is_pi else "",
        _served_sound,
    ),
    Fault(
        "a loudspeaker that takes only power from USB",
        ("sound",),
        monitor_without_loudspeakers,
        "no monitor with loudspeakers",
        "has only its power from there needs a USB sound adapter",
        lambda world: "its card is no HDMI" if not world.is_pi else "",
        _quiet(screen="it has one sentence", log="it says so where no sound server takes it"),
    ),
    Fault(
        "an amplifier on the header without its line",
        ("sound",),
        amplifier_without_line,
        "amplifier|[Ss]ound|socket|HDMI",
        "dtoverlay=max98357a",
        _without_pins,
        _quiet(
            screen="the page that chooses the loudspeaker says it (tests/ui/pages/test_games_page.py)",
            log="nothing tells of it",
        ),
    ),
    Fault(
        "a line of another sound board",
        ("sound",),
        line_of_another_board,
        "dtoverlay=hifiberry-dacplus",
        "line of your board|that of your board",
        _without_pins,
    ),
    Fault("a sound card that is not here", ("sound",), unknown_card, "Jabra|is heard", "plug it in|doctor"),
    Fault("no right to the sound", ("sound",), sound_forbidden, "[Ss]ound|heard", GROUP, _with_desktop),
    Fault(
        "the group of the sound was joined since the login",
        ("sound",),
        sound_group_without_login,
        "[Ss]ound|heard|snd",
        "log out and in again|companion doctor",
        _with_desktop,
    ),
    Fault(
        "sound held by another program",
        ("sound",),
        sound_held,
        "in use by|mpd",
        "[Ee]nd",
        _with_desktop,
    ),
    Fault(
        "a guide's file says which card is opened",
        ("sound",),
        alsa_file_of_a_guide,
        "/etc/asound.conf",
        "move .* away",
        _with_desktop,
    ),
    Fault(
        "another user's service plays",
        ("sound",),
        sound_held_by_service,
        "shairport-sync.*(loudspeaker|card)|in use by.*shairport-sync",
        r"systemctl disable --now shairport-sync\.service",
        _with_desktop,
    ),
    Fault(
        "a table that sudo started beside a desktop",
        ("sound", "screen"),
        started_with_sudo,
        "pipewire|desktop has the loudspeaker",
        "not with sudo|without sudo",
        _of_desktops,
    ),
    Fault(
        "a desktop plays on HDMI beside a USB loudspeaker",
        ("sound",),
        desktop_plays_on_hdmi,
        "HDMI.*USB",
        "choose|sound.device",
        lambda world: (
            "no sound server, so USB comes first"
            if not world.has_desktop
            else ""
            if world.is_pi
            else "its card is no HDMI"
        ),
    ),
    Fault(
        "a Bluetooth loudspeaker without a desktop",
        ("sound",),
        bluetooth_alone,
        "Bluetooth",
        "desktop",
        _with_desktop,
    ),
    Fault(
        "sound is turned down in the card's mixer",
        ("sound",),
        sound_turned_down,
        "turned down",
        "amixer|doctor",
    ),
    Fault(
        "a desktop is muted",
        ("sound",),
        desktop_muted,
        "muted on the desktop|muted, or turned down",
        "turn it up",
        _of_desktops,
    ),
    Fault(
        "a driver of old systems is set for the sound",
        ("sound",),
        old_audio_driver,
        "SDL_AUDIODRIVER is dsp",
        "unset",
        unsaid=_quiet(screen="what SDL says is in the log", log="SDL's own words"),
    ),
    Fault(
        "sound goes to another machine",
        ("sound",),
        sound_elsewhere,
        "PULSE_SERVER is tcp",
        "unset",
        _of_desktops,
        _only_doctor,
    ),
    Fault(
        "a desktop's Bluetooth is switched off",
        ("sound",),
        bluetooth_blocked,
        "JBL Go",
        "rfkill unblock bluetooth",
        _of_desktops,
        _only_doctor,
    ),
    Fault(
        "a desktop's Bluetooth loudspeaker sleeps",
        ("sound",),
        bluetooth_asleep,
        "JBL Go|[Ss]ound|heard",
        "wake|doctor",
        _of_desktops,
        _served_sound,
    ),
    Fault(
        "config.txt switches sound off, and no other card",
        ("sound",),
        sound_off_in_config,
        "[Ss]ound|heard",
        "audio=on|loudspeaker",
        _without_pins,
        _served_sound,
    ),
    Fault(
        "a volume of five",
        ("sound",),
        volume_of_five,
        "volume is 5",
        "sound.volume",
        unsaid=_quiet(screen="somebody chose it there", log="somebody chose it"),
    ),
    Fault(
        "sound is muted in the card's mixer",
        ("sound",),
        sound_muted,
        "muted",
        "amixer|doctor",
    ),
    Fault(
        "no screen is on",
        ("screen",),
        screen_off,
        "[Nn]o screen answers|no monitor is plugged in",
        "HDMI 0|HDMI-0",
        lambda world: "" if world.is_pi else "its panel is always there",
        _quiet(screen=UNSEEN),
    ),
    Fault(
        "no driver for the screen",
        ("screen",),
        driver_not_loaded,
        "vc4-kms-v3d",
        "config.txt|dtoverlay",
        lambda world: _with_desktop(world) or _without_pins(world),
        _quiet(screen=UNSEEN),
    ),
    Fault(
        "no library for drawing without a desktop",
        ("screen",),
        graphics_library_missing,
        "libGLESv2",
        "apt install.* libgles2|doctor",
        _with_desktop,
        _quiet(screen=UNSEEN),
    ),
    Fault(
        "a driver of another desktop is set",
        ("screen",),
        wrong_video_driver,
        "SDL_VIDEODRIVER is x11",
        "unset",
        _with_desktop,
        _quiet(screen=UNSEEN, log="voice and lamps lead the game"),
    ),
    Fault(
        "a driver that draws on no desktop is set",
        ("screen",),
        old_video_driver,
        "SDL_VIDEODRIVER is fbcon",
        "unset",
        _of_desktops,
        _quiet(screen=UNSEEN, log="its line has SDL's own words"),
    ),
    Fault(
        "a desktop with two monitors",
        ("screen",),
        two_monitors,
        "several monitors",
        "drag",
        lambda world: _of_desktops(world) or (_with_two_sockets(world) if world.is_pi else ""),
        _only_doctor,
    ),
    Fault(
        "the screen's backlight is off",
        ("screen",),
        backlight_off,
        "backlight",
        "tee",
        lambda world: _without_pins(world) or _with_desktop(world),
        _quiet(screen=UNSEEN, log="what is drawn is drawn"),
    ),
    Fault(
        "a screen of 480 × 320",
        ("screen",),
        screen_too_small,
        "smaller than 800",
        "larger",
        lambda world: _without_pins(world) or _with_desktop(world),
        _only_doctor,
    ),
    Fault(
        "the settings file has another name",
        ("settings",),
        settings_of_another_name,
        "Settings.toml is not read",
        "rename",
        unsaid=_quiet(screen="it may be nobody's"),
    ),
    Fault(
        "config.txt switches HDMI off",
        ("screen",),
        hdmi_switched_off,
        "screen",
        "nohdmi|[Pp]lug it into",
        lambda world: _with_desktop(world) or _without_pins(world),
        _quiet(screen=UNSEEN),
    ),
    Fault(
        "the screen stands upright",
        ("screen",),
        screen_upright,
        "upright",
        "turn",
        _with_desktop,
        _quiet(screen="it is drawn so", log="it is drawn so"),
    ),
    Fault(
        "two screens without a desktop",
        ("screen",),
        two_screens,
        "HDMI-A-1 and HDMI-A-2",
        "to have another, unplug HDMI-A-1",
        lambda world: _with_desktop(world) or _with_two_sockets(world),
        _quiet(screen="it is drawn, on one of them"),
    ),
    Fault(
        "a screen that does not say what it is",
        ("screen", "sound"),
        screen_untold,
        "not tell|EDID|say what it is",
        "another HDMI cable or adapter",
        lambda world: _with_desktop(world) or _without_pins(world),
    ),
    Fault(
        "a screen that does not say what it is, with a leaflet's lines",
        ("screen", "sound"),
        screen_untold_with_old_lines,
        "no EDID",
        "another HDMI cable.*hdmi_cvt=1024 600 60.*does not read.*video=HDMI-A-1:1024x600@60",
        lambda world: _with_desktop(world) or _without_pins(world),
        _quiet(screen="it is the row before", log="it is the row before"),
    ),
    Fault(
        "a desktop has the screen",
        ("screen",),
        desktop_draws,
        "screen",
        "desktop",
        lambda world: "" if world.has_desktop else "it has no desktop",
        _quiet(screen=UNSEEN),
    ),
    Fault(
        "the table is started by ssh, and a desktop has the screen",
        ("screen",),
        started_by_ssh,
        "has the screen",
        "in a terminal on that desktop.*WAYLAND_DISPLAY=wayland-0",
        _of_desktops,
        _quiet(screen=UNSEEN),
    ),
    Fault(
        "another user's service has the screen",
        ("screen",),
        screen_held_by_service,
        "kodi.* has",
        r"systemctl disable --now kodi\.service",
        _with_desktop,
        _quiet(screen=UNSEEN),
    ),
    Fault(
        "no right to the screen",
        ("screen",),
        screen_forbidden,
        "screen|dri",
        GROUP,
        _with_desktop,
        _quiet(screen=UNSEEN),
    ),
    Fault(
        "under-voltage",
        ("power",),
        under_voltage,
        "volt|power",
        "supply",
        lambda world: "" if world.is_pi else "only a Pi's firmware tells",
    ),
    Fault(
        "under-voltage that is over",
        ("power",),
        under_voltage_before,
        "volt|power",
        "supply",
        lambda world: "" if world.is_pi else "only a Pi's firmware tells",
    ),
    Fault(
        "too hot",
        ("power",),
        hot,
        "hot|heat|temperature",
        "cool|fan|heat sink",
        lambda world: "" if world.is_pi else "only a Pi's firmware tells",
    ),
    *(
        Fault(
            f"a laptop {how}",
            ("power",),
            cause,
            "battery",
            "supply",
            lambda world: "it has no battery" if world.is_pi else "",
            unsaid,
        )
        for how, cause, unsaid in (
            ("on its battery", on_battery, _only_doctor),
            ("whose battery is low", battery_low, lambda world: {}),
        )
    ),
    Fault(
        "a supply of 3 A",
        ("power",),
        weak_supply,
        "3 A of 5",
        "5 V 5 A|hub",
        lambda world: "" if "Pi 5" in world.title else "only a Pi 5 asks its supply",
        _only_doctor,
    ),
    Fault(
        "a USB socket was switched off",
        ("power",),
        usb_switched_off,
        "USB socket",
        "hub",
        unsaid=_memory_told,
    ),
    Fault(
        "a supply of 3 A, by which a USB socket was switched off",
        ("power",),
        weak_supply_overdrawn,
        "switched off.*3 A of 5|^A USB socket was switched off",
        "5 V 5 A|hub",
        lambda world: "" if "Pi 5" in world.title else "only a Pi 5 asks its supply",
    ),
    Fault(
        "something on USB does not answer",
        ("power",),
        usb_silent,
        "USB.*answer",
        "shorter cable",
        unsaid=_memory_told,
    ),
    Fault(
        "the fan stands still",
        ("power",),
        fan_still,
        "fan stands still|too hot|hotter",
        "FAN socket|fan",
        lambda world: "" if "Pi 5" in world.title else "its board has no socket for one",
    ),
    Fault(
        "the Pi's own clock has no battery",
        ("clock",),
        clock_without_battery,
        "no network told",
        "join a network",
        lambda world: "" if "Pi 5" in world.title else "its board has no clock",
        _quiet(screen="the date may be right", log="the date may be right"),
    ),
    Fault(
        "a script sets pins past the kernel",
        ("pins", "lamps"),
        pins_past_the_kernel,
        r"lights\.py.* past the kernel",
        "kill 905",
        _without_pins,
        _only_doctor,
    ),
    Fault(
        "lines that only old drivers read",
        ("screen",),
        lines_of_old_drivers,
        "display_hdmi_rotate=2.* not read",
        "take it out",
        lambda world: _with_desktop(world) or _without_pins(world),
        _quiet(screen="it is drawn, only otherwise", log="it is drawn, only otherwise"),
    ),
    Fault(
        "the touch is turned against the picture",
        ("screen",),
        touch_turned,
        "turns the touch",
        "take invx",
        lambda world: _with_desktop(world) or _without_pins(world),
        _quiet(screen="it is drawn, only touched otherwise", log="nobody knows where it was meant"),
    ),
    Fault(
        "a screen of 4K",
        ("screen",),
        screen_of_4k,
        "30 pictures a second",
        "1920x1080@60",
        lambda world: _with_desktop(world) or ("" if "Pi 4" in world.title else "only a Pi 4 is so slow"),
        _quiet(screen="it is drawn, only slowly", log="it is drawn, only slowly"),
    ),
    Fault(
        "a screen on a ribbon is not looked for",
        ("screen",),
        ribbon_screen_not_sought,
        "no screen answers|No screen answers",
        "display_auto_detect=1|[Pp]lug",
        lambda world: _with_desktop(world) or _without_pins(world),
        _quiet(screen=UNSEEN),
    ),
    Fault(
        "cmdline.txt switches a socket off",
        ("screen",),
        socket_off_in_cmdline,
        "no screen answers|No screen answers",
        "take video=HDMI-A-1:d out|[Pp]lug",
        lambda world: _with_desktop(world) or _without_pins(world),
        _quiet(screen=UNSEEN),
    ),
    Fault(
        "of two cameras on ribbons the other hangs over the table",
        ("camera",),
        other_ribbon_camera,
        "another camera is plugged in",
        "camera.device to 1",
        lambda world: "" if world.title.startswith("Pi 5,") else "it has one socket, or none",
        _quiet(screen="it says that it sees no mark", log="nothing has failed"),
    ),
    Fault(
        "beside a camera on the ribbon the webcam hangs over the table",
        ("camera",),
        webcam_over_table_beside_ribbon,
        "another camera is plugged in",
        "camera.kind to usb",
        _without_ribbon,
        _quiet(screen="it says that it sees no mark", log="nothing has failed"),
    ),
    Fault(
        "plain Debian on a Pi",
        ("camera",),
        plain_debian,
        "picamera2|camera",
        "flash Raspberry Pi OS|doctor",
        _without_ribbon,
    ),
    Fault(
        "Ubuntu on a Pi, without picamera2",
        ("camera", "system"),
        ubuntu_without_camera,
        "picamera2",
        "apt has no python3-picamera2: flash Raspberry Pi OS",
        _without_ribbon,
        _quiet(screen="it sends to doctor"),
    ),
    Fault("Ubuntu on a Pi", ("system",), ubuntu, "noble", "flash", _without_pins, _only_doctor),
    Fault(
        "the table starts twice",
        ("service", "screen"),
        starts_twice,
        "starts twice",
        "disable --now companion",
        _of_desktops,
        _only_doctor,
    ),
    Fault("firewalld is on", ("page",), firewalld_on, "firewalld", "add-port=8420", unsaid=_only_doctor),
    Fault(
        "the system was updated and not restarted",
        ("camera", "sound", "system"),
        kernel_updated,
        "C920.*no driver",
        "restart",
    ),
    Fault(
        "a line was written into the old config.txt",
        ("system",),
        line_in_old_config,
        "dtoverlay=hifiberry-dac",
        "write it into /boot/firmware/config.txt",
        _without_pins,
        _only_doctor,
    ),
    Fault("an old system", ("system",), old_release, "bullseye", "flash", _without_pins, _only_doctor),
    Fault(
        "a system of two releases",
        ("system",),
        two_releases,
        "bookworm and trixie",
        "flash",
        _without_pins,
        _only_doctor,
    ),
    Fault(
        "the service is not enabled",
        ("service", "screen"),
        service_not_enabled,
        "start",
        "enable",
        unsaid=_only_doctor,
    ),
    Fault(
        "settings are in a user's folder, and a service runs the table",
        ("settings", "service", "screen"),
        settings_of_another_user,
        "reads /etc/companion/settings.toml, not .*/home/ana/.config/companion/settings.toml",
        "write into the first",
        unsaid=_only_doctor,
    ),
    Fault(
        "the service does not run",
        ("service", "screen"),
        service_failed,
        "does not run",
        "journalctl",
        unsaid=_only_doctor,
    ),
    Fault(
        "the service starts again and again",
        ("service", "screen"),
        service_in_a_loop,
        "41 times",
        "journalctl",
        unsaid=_only_doctor,
    ),
    Fault(
        "the service is that of a user who is not there",
        ("service", "screen"),
        service_of_no_user,
        "no such user",
        "mend User=",
        unsaid=_only_doctor,
    ),
    Fault(
        "the table runs already, as a service",
        ("pins", "lamps", "camera", "screen", "sound"),
        service_runs,
        "the table has them itself",
        "systemctl stop companion",
        _without_pins,
        _quiet(
            screen="a second table does not start (companion/system/device_lock.py)",
            log="a second table does not start",
        ),
    ),
    Fault(
        "the table runs already, on the desktop",
        ("pins", "lamps", "camera"),
        desktop_table_runs,
        "the table has them itself",
        "More, Quit",
        lambda world: _of_desktops(world) or _without_pins(world),
        _quiet(
            screen="a second table does not start (companion/system/device_lock.py)",
            log="a second table does not start",
        ),
    ),
    Fault("the service is masked", ("service",), service_masked, "masked", "unmask", unsaid=_only_doctor),
    Fault(
        "nobody is logged in on the desktop",
        ("service",),
        nobody_logged_in,
        "logs in",
        "raspi-config",
        _of_desktops,
        _only_doctor,
    ),
    Fault(
        "the table waits for a desktop that is not there",
        ("service",),
        desktop_for_nobody,
        "none starts",
        "install.sh",
        lambda world: "a desktop starts" if world.has_desktop else "",
        _only_doctor,
    ),
    Fault(
        "config.txt gives a button's pin to a serial line",
        ("pins",),
        second_serial_line,
        "dtoverlay=uart3|fe201600.serial",
        "[Tt]ake (?:dtoverlay=uart3|that line) out",
        _without_pins,
    ),
    Fault(
        "the table is started in a container",
        ("system", "camera"),
        in_a_container,
        "runs in a container",
        "outside",
    ),
    Fault(
        "the table is started on a remote desktop",
        ("screen",),
        remote_desktop,
        "drawn for xrdp alone",
        "machine's own desktop",
        _of_desktops,
        _only_doctor,
    ),
    Fault(
        "a laptop's lid is closed",
        ("power",),
        lid_closed,
        "lid is closed",
        "open it",
        _of_laptops,
        _only_doctor,
    ),
    Fault(
        "a laptop's own camera is not on USB",
        ("camera",),
        camera_beside_usb,
        "own camera is not on USB",
        "plug in a webcam",
        _of_laptops,
        _quiet(screen="it plays without one"),
    ),
    Fault(
        "an update was cut short",
        ("system",),
        update_cut_short,
        "update of the system was cut short",
        "dpkg --configure -a",
        unsaid=_only_doctor,
    ),
    Fault("a firewall is on", ("page",), firewall_on, "firewall", "ufw allow 8420", unsaid=_only_doctor),
    Fault(
        "memory is short",
        ("system",),
        memory_low,
        "memory",
        "[Cc]lose",
        unsaid=_memory_told,
    ),
    Fault(
        "a Pi of 512 MB",
        ("system",),
        memory_little,
        "memory",
        "2 GB|[Cc]lose",
        lambda world: "" if world.is_pi else "it is no Pi",
    ),
    Fault(
        "the kernel ended programs, for memory ran out",
        ("system",),
        programs_ended,
        "memory",
        "[Cc]lose",
        unsaid=_memory_told,
    ),
    Fault(
        "no network has told the time",
        ("clock",),
        time_untold,
        "no network told",
        "join a network",
        unsaid=_quiet(screen="the date may be right", log="the date may be right"),
    ),
    Fault(
        "the card is written in memory only",
        ("storage",),
        overlay_on,
        "forgets|forgotten",
        "disable_overlayfs|doctor",
        _without_pins,
    ),
    Fault(
        "another is logged in on the desktop",
        ("service",),
        another_logged_in,
        "bob",
        "install.sh",
        _of_desktops,
        _only_doctor,
    ),
    Fault("in no network", ("page",), no_network, "no network", "nmtui", unsaid=_only_doctor),
    Fault(
        "in no network, for Wi-Fi is off",
        ("page",),
        no_network_for_wifi_is_off,
        "Wi-Fi is switched off",
        "rfkill.*WLAN country",
        unsaid=_only_doctor,
    ),
    Fault(
        "in no network, for config.txt switches Wi-Fi off",
        ("page",),
        no_network_for_an_old_line,
        "dtoverlay=disable-wifi",
        "take that line out",
        _without_pins,
        _only_doctor,
    ),
    Fault("the page is on, and Wi-Fi is off", ("page",), wifi_off, "Wi-Fi", "rfkill", unsaid=_only_doctor),
    Fault("the page is on, and a VPN, too", ("page",), vpn_on, "VPN", "leave the VPN", unsaid=_only_doctor),
    Fault(
        "another program has the page's port",
        ("page",),
        port_taken,
        "port 8420",
        "end it",
        unsaid=_only_doctor,
    ),
    Fault("the card is full", ("storage",), card_full, "3 MB|saved", "apt clean|companion doctor tells"),
    Fault("the card is read-only", ("storage",), card_read_only, "read-only|saved", "new card|doctor"),
    Fault(
        "the games are another user's",
        ("storage",),
        games_of_another_user,
        "write|saved",
        "chown|install -d|doctor",
    ),
    Fault(
        "the card fails",
        ("storage",),
        card_fails,
        "mmcblk0|card has errors",
        "new card",
        unsaid=_memory_told,
    ),
    Fault(
        "the system uses a part of the card, which is full",
        ("storage",),
        card_not_grown,
        "3 MB|saved",
        "do_expand_rootfs|doctor",
    ),
    Fault("the card has no inodes left", ("storage",), no_inodes, "inodes|saved", "room|doctor"),
    Fault("the card is slow", ("storage",), card_slow, "0.7 s", "card", unsaid=_only_doctor),
    Fault(
        "the power went off twice in the game",
        ("power",),
        power_cut,
        "power went off during the game .2 times",
        "supply or cable.*until that game is over",
        unsaid=_quiet(screen="it is said when the game goes on", log="it is said when the game goes on"),
    ),
    Fault("the clock is in 1970", ("clock",), clock_of_1970, "clock says 1970-01-01", "network|doctor"),
    Fault(
        "a 32-bit system",
        ("system",),
        small_system,
        "32",
        "64",
        lambda world: "" if world.is_pi else "Debian's installer takes 64 bits there",
        _quiet(screen="the installer refuses it", log="the installer refuses it"),
    ),
)
VARIANTS = (
    Variant("nothing", as_it_is),
    *(Variant(name, other_sensor(name), _without_ribbon) for name in SENSORS if name != "imx708"),
    *(Variant(name, other_webcam(name)) for name in WEBCAMS),
    Variant("config.txt names the sensor that is there", own_sensor_named, _without_ribbon),
    Variant("the camera is upside down", upside_down),
    Variant("the monitor is at the second socket", second_socket, _with_two_sockets, ("screen",)),
    Variant("a monitor of 4:3", screen_of_four_to_three, parts=("screen",)),
    Variant("a Bluetooth shutter", bluetooth_shutter, parts=("sound",)),
    Variant("a webcam beside the ribbon", webcam_beside_ribbon, _without_ribbon),
    Variant("SPI is on at a table of four", spi_on_at_four, _without_pins, ("pins",)),
    Variant("a USB encoder, and pins that are held", encoder_plugged, _without_pins, ("pins", "encoder")),
    Variant(
        "USB buttons that were learnt, and no right to pins",
        encoder_learnt,
        _without_pins,
        ("pins", "encoder"),
    ),
)
