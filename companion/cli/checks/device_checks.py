"""The checks of `companion doctor` that open a device: pins, lamps, camera, screen.

Nothing is ok that was not tried, and what could not be tried says so. Without `Devices` nothing is opened:
the table that asks has them itself.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, NamedTuple

from companion.camera.calibration_file import load_calibration
from companion.cli.checks.machine_checks import UNIT, check_power, check_service
from companion.core.check_verdict import (
    CheckVerdict,
    absent_verdict,
    fault_verdict,
    join_faults,
    ok_verdict,
    untried_verdict,
)
from companion.core.clock import Clock, monotonic_ns
from companion.core.errors import CompanionError, InputError
from companion.games import games_with_mat, printed_mat
from companion.settings.model import CameraSettings, Settings
from companion.system.boot_config import BootConfig, read_boot_config
from companion.system.desktop import (
    UNTOLD_SCREEN_REMEDY,
    find_desktop,
    find_monitors,
    take_screen,
    untold_screens,
)
from companion.system.device_lock import is_service_running
from companion.system.input_list import list_inputs
from companion.system.machine import SCREEN_PROGRAMS, SILENT_USB_REMEDY, Machine, read_output
from companion.system.sound_cards import mixer_command
from companion.system.terminal import count_with_noun

if TYPE_CHECKING:
    from companion.vision.framing import MatFraming, MatView
    from hardware.buttons import PinFactory
    from hardware.camera import Camera, Image
    from hardware.errors import PinError
    from hardware.pin_table import PinTable


def _open_pins(chip: int | None, devices: Path) -> PinFactory:
    from hardware.buttons import open_pin_factory

    return open_pin_factory(chip, devices)


def _open_camera(chosen: CameraSettings, clock: Clock, root: Path) -> Camera:
    from hardware.camera_selection import open_camera

    return open_camera(chosen.kind, chosen.device, clock, size=chosen.size, root=root)


def _open_sound(device: str) -> str:
    from companion.language.voice.mixer import Mixer

    card = Mixer(device)
    card.close()
    return card.silence_reason


def _open_window() -> tuple[int, int]:
    from companion.ui.toolkit.window import read_desktop_size

    return read_desktop_size()


def _read_throttling() -> str:
    return read_output("vcgencmd", "get_throttled")


def _read_unit() -> str:
    return read_output("systemctl", "show", "companion", "--property=ActiveState,NRestarts")


def _read_sinks() -> str:
    """In English, whatever the desktop's language is."""
    pactl = (("pactl", "info"), ("pactl", "list", "sinks"))
    wpctl = (("wpctl", "status"), ("wpctl", "status", "--name"))
    told = (
        "\n".join(read_output("env", "LC_ALL=C", *command) for command in asked) for asked in (pactl, wpctl)
    )
    return next((text for text in told if text.strip()), "")


def _time_write(folder: Path) -> float:
    """Write a page and have the disk keep it, as the journal does; the worst of three."""
    worst = 0.0
    with TemporaryFile(dir=folder) as file:
        for _ in range(3):
            began = monotonic_ns()
            file.write(bytes(4096))
            file.flush()
            os.fsync(file.fileno())
            worst = max(worst, (monotonic_ns() - began) / 1e9)
    return worst


def _read_mixer(card: str) -> str:
    return read_output(*mixer_command(card))


@dataclass(frozen=True, slots=True, kw_only=True)
class Devices:
    """How each part is opened; a part is closed again by the check that opened it."""

    pins: Callable[[int | None, Path], PinFactory] = _open_pins
    """From a gpiochip's number, or None for the board's own, and the folder with the devices; raises
    `HardwareError`."""
    camera: Callable[[CameraSettings, Clock, Path], Camera] = _open_camera
    """From the settings, a clock, and the machine's root; raises `HardwareError`."""
    sound: Callable[[str], str] = _open_sound
    """From `sound.device`: why nothing would be heard; empty where the output opened. It is closed again."""
    mixer: Callable[[str], str] = _read_mixer
    """From a sound card's id: what `amixer scontents` prints of it; empty where that is not there."""
    sinks: Callable[[], str] = _read_sinks
    """What `pactl`, or else `wpctl`, prints of a desktop's sound; empty where neither is there."""
    write_time: Callable[[Path], float] = _time_write
    """Seconds until a disk has kept what is written into this folder; raises `OSError`."""
    screen: Callable[[Path], str] = take_screen
    """From a graphics card's device: why nothing could be drawn on it; empty where it could."""
    window: Callable[[], tuple[int, int]] = _open_window
    """The size of the desktop on which a window opens; raises `OSError`."""
    firmware: Callable[[], str] = _read_throttling
    """What `vcgencmd get_throttled` prints; empty where it is not there."""
    unit: Callable[[], str] = _read_unit
    """What `systemctl show` prints of the table's service: its ActiveState and NRestarts; or empty."""


JOYSTICKS = "dev/input/js*"
"""USB encoders, as Linux lists them beside their events."""
TOUCH_KEY = 0x14A
"""The key that all have which can be touched (BTN_TOUCH)."""
HAT = "proc/device-tree/hat/product"
"""What a board on the header calls itself, whose overlay the firmware loads by itself."""
CMDLINE = "/boot/firmware/cmdline.txt"
PI_4 = 4
TURN_REMEDY = (
    "to turn the picture, hang the screen the other way round, or use a desktop (Screen Configuration)"
)
PIGPIO, COMMANDS = "pigpiod", "proc/[0-9]*/comm"
STOP_SERVICE = "sudo systemctl stop companion, then companion doctor again"
PLUG_SCREEN = "plug it into HDMI 0, beside the power socket, and switch it on before the table"
MARKS_REMEDY = (
    "lay the mat below it; if it lies there, turn the picture's long side along the mat's, raise the camera "
    "until all four corners are seen, and focus its lens"
)
LENS_REMEDY = (
    "focus its lens: turn it until the mat's marks are sharp; take its protective film off, and wipe it"
)
FOCUS_REMEDY = (
    "take the protective film off its lens, wipe it, keep everything 10 cm away from it, then companion "
    "calibrate: it focuses anew"
)
MIRROR_REMEDY = (
    "print the mat anew without mirroring; or it is the webcam that mirrors: switch that off in it"
)
LIGHT_REMEDY = "clear the table; if it is bare, turn the lamp, shade the sun, or put a second lamp opposite"
LIGHT_FAULTS = {"glare": "glare (or a card)", "shadow": "shadow"}
LENSES = {
    "wide": ("it is a Wide one, which bends what is far from the middle", "use one that is not Wide"),
    "noir": ("it is a NoIR one, which sees infrared, so that colours are wrong", "use one that is not NoIR"),
}
"""What the kinds of a Pi's camera, as `lens_kind` has them, are no good for, and the remedy."""
SLOW_WEBCAM = 10
"""Pictures a second: with fewer a card that was laid is told after half a second and more."""
WHOLE_MAT = 0.995
"""Share of the mat from which all of it is in the picture, as exactly as its marks tell."""


def power(machine: Machine, settings: Settings, devices: Devices | None = None) -> CheckVerdict:
    """Whether the machine had enough power, and stayed cool enough, since it was started."""
    return check_power(machine, "" if devices is None else devices.firmware())


def service(machine: Machine, settings: Settings, devices: Devices | None = None) -> CheckVerdict:
    """Whether the table starts with the machine, and runs."""
    return check_service(machine, "" if devices is None else devices.unit())


# Buttons and lamps --------------------------------------------------------------------------------------


def pins(
    machine: Machine, settings: Settings, devices: Devices | None = None, tried: PinTries | None = None
) -> CheckVerdict:
    """Whether the pin of each button of this table opens, and who has those that do not."""
    from hardware.pin_table import find_header_numbers, header_number_error

    found = (tried or try_pins)(machine, settings, devices)
    if isinstance(found, CheckVerdict):
        return found
    faults = [_pin_fault(failure) for failure in found.buttons]
    if faults and (hat := machine.read_text(HAT)):
        faults.append((f"a HAT is on the header ({hat}), which takes pins by itself", "take it off"))
    if meant := find_header_numbers(settings.buttons.pins, settings.buttons.lamps):
        faults.append(split_remedy(header_number_error(meant)))
    if found.down:
        named = ", ".join(found.down)
        faults.append(
            (f"down without a hand: {named}", "let it go; if nobody holds it, its wires are on NC, or touch")
        )
    return join_faults(faults) or ok_verdict(
        f"{count_with_noun(found.opened, 'button')} opened, none is down; companion press tries each"
    )


def lamps(
    machine: Machine, settings: Settings, devices: Devices | None = None, tried: PinTries | None = None
) -> CheckVerdict:
    """Whether the pin of each chair's lamp opens; whether it lights, people see."""
    found = (tried or try_pins)(machine, settings, devices)
    if isinstance(found, CheckVerdict):
        if found.state == "untried":
            return found
        why = found.what.partition(":")[0] if found.state == "absent" else "none opens"
        return absent_verdict(f"{why}: chairs light up on the screen", found.fix)
    return join_faults([_pin_fault(failure) for failure in found.lamps]) or untried_verdict(
        f"{count_with_noun(settings.table.chairs, 'pin')} opened; nobody saw whether a lamp lights",
        "companion doctor --press lights each and waits for its button",
    )


class PinTrial(NamedTuple):
    """What opening the pins of this table showed."""

    opened: int
    """Buttons that opened."""
    down: tuple[str, ...]
    """Buttons that were down, as settings name them."""
    buttons: tuple[PinError, ...]
    lamps: tuple[PinError, ...]


PinTries = Callable[[Machine, Settings, "Devices | None"], "PinTrial | CheckVerdict"]
"""As `try_pins`, which opens every pin, or what that found before."""


def try_pins(machine: Machine, settings: Settings, devices: Devices | None) -> PinTrial | CheckVerdict:
    """Open every pin of this table and let it go; a verdict where there is nothing to open."""
    from hardware.errors import HardwareError
    from hardware.pin_table import UNOPENED, HeaderNumberError, build_pin_table

    chosen = settings.buttons
    try:
        table = build_pin_table(chosen.pins, chosen.lamps, chairs=settings.table.chairs)
    except HeaderNumberError as trouble:
        what, fix = split_remedy(trouble)
        return fault_verdict(f"{what}; {UNOPENED}", fix)
    except CompanionError as trouble:
        return fault_verdict(
            f"{str(trouble).rstrip('.')}; {UNOPENED}",
            "change or take out that line of the settings; companion settings --files lists the files",
        )
    if not machine.is_pi():
        return absent_verdict("not a Raspberry Pi: use the keyboard, touch or a USB encoder")
    if chosen.are_on_usb(has_encoder=bool(machine.find(JOYSTICKS))):
        return absent_verdict("the buttons are on USB, so no pin was tried")
    factory = machine.environ.get("GPIOZERO_PIN_FACTORY", "lgpio")
    if factory != "lgpio":
        what = f"GPIOZERO_PIN_FACTORY is {factory}, so the real pins are not read"
        return fault_verdict(what, "unset GPIOZERO_PIN_FACTORY")
    if any(
        machine.read_text(str(file.relative_to(machine.root))) == PIGPIO for file in machine.find(COMMANDS)
    ):
        what = f"{PIGPIO} runs, which reads and sets pins past the kernel"
        return fault_verdict(what, f"sudo systemctl disable --now {PIGPIO}")
    past = next(filter(None, map(machine.device_holder, machine.find("dev/gpiomem*"))), None)
    if past is not None:
        return fault_verdict(f"{past} reads and sets pins past the kernel (/dev/gpiomem)", past.remedy())
    if not machine.find("dev/gpiochip*"):
        return fault_verdict("no /dev/gpiochip*", "update the system; the kernel shows no GPIO")
    if not machine.module("gpiod") and not machine.module("lgpio"):
        what = "this Python can't find libgpiod or lgpio"
        return fault_verdict(what, machine.package_remedy("python3-libgpiod", "gpiod"))
    if devices is None or is_service_running(machine):
        return untried_verdict("the table has them itself", STOP_SERVICE)
    try:
        return _open_and_close(table, chosen.chip, machine, devices)
    except HardwareError as trouble:
        return fault_verdict(*split_remedy(trouble))


def _open_and_close(table: PinTable, chip: int, machine: Machine, devices: Devices) -> PinTrial:
    from companion.core.clock import GameClock
    from hardware.buttons import ButtonPanel
    from hardware.errors import PinError
    from hardware.lamps import LampPanel
    from hardware.pin_table import button_name_of

    dev = machine.root / "dev"
    with closing(devices.pins(chip if chip >= 0 else None, dev)) as factory:
        with closing(ButtonPanel(factory, table, GameClock(), lambda _: None)) as buttons:
            levels = buttons.read_levels()
            failures = tuple(buttons.failures)
        try:
            with closing(LampPanel(factory, table)) as lit:
                dark = tuple(lit.failures)
        except PinError as trouble:
            dark = (trouble,)
    down = tuple(button_name_of(line) for line, pressed in levels.items() if pressed)
    return PinTrial(len(levels), down, failures, dark)


def _pin_fault(failure: PinError) -> tuple[str, str]:
    """What is wrong with a pin, and its remedy."""
    text = str(failure).rstrip(".")
    return text.removesuffix(f": {failure.fix}"), failure.fix


# The camera ---------------------------------------------------------------------------------------------


def camera(machine: Machine, settings: Settings, devices: Devices | None = None) -> CheckVerdict:
    """One picture of the camera: its light, its sharpness, and how much of the mat it shows."""
    chosen = settings.camera
    if chosen.kind == "none":
        what = "turned off in the settings: tell me the cards by hand"
        return absent_verdict(what, "to have one, set camera.kind to auto")
    if chosen.kind == "folder":
        return _check_picture_folder(chosen.device)
    lacking = _picture_library_fault(machine, chosen.kind)
    if lacking is not None and chosen.kind == "pi":
        return lacking
    if devices is None or is_service_running(machine):
        return untried_verdict(
            "the table has it itself; Camera in its settings shows the picture", STOP_SERVICE
        )
    from hardware.camera_selection import find_camera_nodes
    from hardware.errors import (
        HardwareError,
        NoCameraError,
        NoDriverError,
        OtherSensorError,
        UsbSilentError,
    )

    try:
        return _describe_camera(machine, settings, devices)
    except (OtherSensorError, NoDriverError, UsbSilentError) as trouble:
        return fault_verdict(*split_remedy(trouble))
    except NoCameraError as trouble:
        told = lacking or fault_verdict(*split_remedy(trouble))
        wanted = chosen.kind != "auto" or _was_calibrated(machine, settings)
        return told if wanted else absent_verdict(f"{told.what}; the cards are told by hand", told.fix)
    except HardwareError as trouble:
        if slow := machine.find_slow_webcam():
            return fault_verdict(f"{slow} came up as slow as USB 1, too slow for pictures", SILENT_USB_REMEDY)
        if holder := machine.find_holder(find_camera_nodes(machine)):
            return fault_verdict(f"the camera is in use by {holder}", holder.remedy())
        return fault_verdict(*split_remedy(trouble))


def _picture_library_fault(machine: Machine, kind: str) -> CheckVerdict | None:
    """What a Pi's own camera lacks of libraries."""
    if not (kind == "pi" or (kind == "auto" and machine.is_pi())):
        return None
    if not machine.module("picamera2"):
        fix = machine.package_remedy("python3-picamera2 --no-install-recommends", "picamera2")
        return fault_verdict("this Python can't find picamera2", fix)
    if not machine.module("libcamera"):
        fix = machine.package_remedy("python3-libcamera", "libcamera")
        return fault_verdict("picamera2 is here, but libcamera is not", fix)
    return None


def _was_calibrated(machine: Machine, settings: Settings) -> bool:
    """Whether this table once had a camera."""
    try:
        return load_calibration(settings.store_folder(machine.environ)) is not None
    except CompanionError:
        return True


def _describe_camera(machine: Machine, settings: Settings, devices: Devices) -> CheckVerdict:
    from companion.core.clock import GameClock
    from companion.vision.lighting import MIN_FLICKER_FRAMES, measure_flicker
    from hardware.camera_pi import PiCamera
    from hardware.camera_selection import find_webcams, webcam_name
    from hardware.camera_usb import UsbCamera

    def called(device: str) -> str:
        name = webcam_name(device, machine.root)
        return device if name == device else f"{name!r} ({device})"

    clock = GameClock()
    rate = 0.0
    with closing(devices.camera(settings.camera, clock, machine.root)) as opened:
        frames = [opened.capture(clock.now()).image for _ in range(2 * MIN_FLICKER_FRAMES)]
        picture = frames[-1]
        moving = measure_flicker(frames[MIN_FLICKER_FRAMES:])  # its exposure has settled by then
        if moving is not None and moving.exceeds_limit:
            return fault_verdict(
                f"the light flickers by {moving.value:.0%}, {moving.limit:.0%} at most",
                "turn the lamp up, or use another one; then calibrate: the exposure fits the mains",
            )
        if isinstance(opened, UsbCamera):
            rate = opened.picture_rate
        if isinstance(opened, PiCamera):
            focuses, model = opened.has_autofocus, opened.model
            found = describe_picture(picture, "Pi camera", opened.field_of_view(), focuses=focuses)
            return _add_others(
                _add_lens_warning(found, model), settings, opened.others, find_webcams(machine.root)
            )
    others = () if settings.camera.device else [*map(called, find_webcams(machine.root)[1:])]
    also = f"; another is {', '.join(others)}: set camera.device to have that one" if others else ""
    found = describe_picture(picture, f"webcam{also}", None)
    if others and found.fix == MARKS_REMEDY:
        over = f"if another hangs over the table, set camera.device to {others[0]}; else {MARKS_REMEDY}"
        found = found._replace(fix=over)
    return found if rate == 0 or rate >= SLOW_WEBCAM else _add_slowness(machine, found, rate)


def _add_others(
    found: CheckVerdict, settings: Settings, ribbons: Sequence[int], webcams: Sequence[str]
) -> CheckVerdict:
    """A verdict on a Pi's camera that shows no mat, with the cameras that may hang over the table instead."""
    named = [f"camera.kind to pi and camera.device to {number}" for number in ribbons]
    named += [f"camera.kind to usb and camera.device to {webcam}" for webcam in webcams]
    if not named or found.fix != MARKS_REMEDY:
        return found
    over = f"if another camera hangs over the table, set {' or '.join(named)}; else {MARKS_REMEDY}"
    return found._replace(what=f"{found.what}; another camera is plugged in", fix=over)


def _add_slowness(machine: Machine, found: CheckVerdict, rate: float) -> CheckVerdict:
    """A verdict on a webcam that sends few pictures."""
    if found.state == "fault":
        return found
    what = f"{found.what}; it sends {rate:.0f} pictures a second, so cards are read late"
    if machine.find_slow_webcam():
        what = f"{what}: it came up as slow as USB 1"
        return untried_verdict(what, SILENT_USB_REMEDY)
    return untried_verdict(what, "use one that sends MJPEG in this size, as most do")


def _add_lens_warning(found: CheckVerdict, model: str) -> CheckVerdict:
    """A verdict on a Pi's camera with what its kind is no good for."""
    from hardware.camera_pi import lens_kind

    kind = lens_kind(model)
    if not kind:
        return found
    warning, fix = LENSES[kind]
    if found.state == "fault":
        return fault_verdict(f"{found.what}; {warning}", f"{found.fix}; {fix}")
    return untried_verdict(f"{found.what}; {warning}", fix)


def describe_picture(
    picture: Image, name: str, angles: tuple[float, float] | None, *, focuses: bool = False
) -> CheckVerdict:
    """The verdict on a camera by one picture, BGR; `angles`: what it sees, in degrees across and down.

    `focuses`: whether it does so by itself.
    """
    from companion.vision.framing import MAX_LIGHT, MIN_LIGHT, explain_no_mark, look_at_mat, mean_light

    height, width = picture.shape[:2]
    light = mean_light(picture)
    told = [f"{name}, {width} × {height}"]
    if angles is not None:
        told.append(f"sees {angles[0]:.0f}° × {angles[1]:.0f}°")
    told.append(f"light {light:.0%}")
    faults = []
    if light < MIN_LIGHT:
        faults.append(
            ("the picture is black", "take the cap off the lens, open its shutter, or switch a light on")
        )
    elif light > MAX_LIGHT:
        faults.append(("the picture is white", "shade the lens from the lamp or the sun"))
    mats, focus = [printed_mat(game) for game in games_with_mat()], FOCUS_REMEDY if focuses else LENS_REMEDY
    try:
        view = look_at_mat(picture, mats)
    except InputError as trouble:
        return fault_verdict(*split_remedy(trouble))
    if view is None:
        why = "" if faults else explain_no_mark(picture, mats)
        if why == "mirrored":
            faults.append(("the mat's marks are mirrored in the picture", MIRROR_REMEDY))
        elif why == "unsharp":
            faults.append(("no mark of a mat, for nothing in the picture is sharp: it is blurred", focus))
        told.append("no mark of a mat, so how sharp it is and how much of the mat it shows was not tried")
    else:
        told.append(f"{view.share:.0%} of the mat")
        if view.blur is not None:
            told.append("not sharp" if view.blur.exceeds_limit else "sharp")
        faults += _view_faults(view, angles, focus)
    if (found := join_faults(faults)) is not None:
        return found
    if view is None:
        return untried_verdict(", ".join(told), MARKS_REMEDY)
    if view.framing.lies_across:
        return untried_verdict(f"{', '.join(told)}; the mat lies across it", _turn_remedy(view.framing))
    if view.uneven:
        kinds = " and ".join(dict.fromkeys(LIGHT_FAULTS[one.fault] for one in view.uneven))
        places = len({one.place for one in view.uneven})
        what = f"{', '.join(told)}; {kinds} at {count_with_noun(places, 'place')} of the mat"
        return untried_verdict(what, LIGHT_REMEDY)
    return ok_verdict(", ".join(told))


def _view_faults(view: MatView, angles: tuple[float, float] | None, focus: str) -> Iterator[tuple[str, str]]:
    """What is wrong with how a picture shows the mat, and the remedies; `focus`: that of a blur."""
    framing, is_blurred = view.framing, view.blur is not None and view.blur.exceeds_limit
    if view.hidden and not is_blurred:  # which may be why
        what = f"the mat's mark at the {' and the '.join(view.hidden)} is not seen"
        yield what, "uncover it, or turn the lamp that shines on it"
    if view.is_dark:
        yield "the picture is dark: the white of the mat's marks is grey", "switch a lamp on, or one more"
    if framing.is_coarse:
        what = f"a millimetre of the mat is {framing.pixels_per_mm:.1f} pixels wide: cards are small"
        yield what, "set camera.size to 1280 × 720, or use a camera that has so many pixels"
    if framing.is_too_high:
        what = f"it hangs {1 / framing.straight_ratio:.1f} times as high as it needs: cards are small"
        turn = f"{_turn_remedy(framing)}, and " if framing.lies_across else ""
        yield what, f"{turn}{_lower_remedy(framing, angles)}"
    if view.share < WHOLE_MAT:
        yield f"it shows {view.share:.0%} of the mat", _height_remedy(framing, angles)
    if view.blur is not None and is_blurred:
        yield f"the picture is blurred by {view.blur.value:.1f} mm, {view.blur.limit:.1f} at most", focus


def _height_remedy(framing: MatFraming, angles: tuple[float, float] | None) -> str:
    """How much higher the camera has to hang, or that it hangs beside the mat's middle."""
    if framing.lies_across:
        return _turn_remedy(framing)
    if framing.height_ratio <= 1:
        return "move it over the mat's middle"
    if angles is None:
        return f"raise the camera by {framing.height_ratio - 1:.0%} of its height, over the mat's middle"
    return f"raise the camera by {framing.raise_mm(angles[0]) / 10:.0f} cm, over the mat's middle"


def _lower_remedy(framing: MatFraming, angles: tuple[float, float] | None) -> str:
    if angles is None:
        return f"lower it by {1 - framing.straight_ratio:.0%} of its height, until the mat fills the picture"
    return f"lower it by {framing.lower_mm(angles[0]) / 10:.0f} cm, until the mat fills the picture"


def _turn_remedy(framing: MatFraming) -> str:
    if framing.is_quarter_turned:
        return "turn the camera by a quarter: the picture's long side has to lie along the mat's"
    return f"turn the camera by {framing.turn_degrees:.0f}°, so that the mat lies straight in the picture"


def _check_picture_folder(named: str) -> CheckVerdict:
    folder = Path(named).expanduser()
    if not named or not folder.is_dir():
        return fault_verdict(f"the folder {named!r} is missing", "set camera.device to a folder of pictures")
    pictures = [path for path in folder.iterdir() if path.suffix.lower() in {".png", ".jpg", ".jpeg"}]
    if not pictures:
        return fault_verdict(f"no pictures in {folder}", "put PNG or JPEG pictures there")
    return ok_verdict(f"{count_with_noun(len(pictures), 'picture')} in {folder}")


# The screen ---------------------------------------------------------------------------------------------


def screen(machine: Machine, settings: Settings, devices: Devices | None = None) -> CheckVerdict:
    """What the table would be drawn on, and who has it."""
    driver = machine.environ.get("SDL_VIDEODRIVER", "")
    if driver in {"dummy", "offscreen"}:
        return absent_verdict(f"SDL_VIDEODRIVER is {driver}: nothing is shown")
    on_desktop = machine.environ.get("WAYLAND_DISPLAY") or machine.environ.get("DISPLAY")
    if machine.platform != "linux" or on_desktop:
        return _check_desktop_screen(machine, devices)
    cards = [card for card in machine.find("dev/dri/card*") if _has_connectors(machine, card)]
    if not cards:
        return _driver_fault(machine) or absent_verdict("not connected: voice and lamps lead the game")
    if driver not in {"", "kmsdrm", "KMSDRM"}:
        return fault_verdict(f"SDL_VIDEODRIVER is {driver}, and no desktop is there", "unset SDL_VIDEODRIVER")
    if (desktop := find_desktop(machine.root)) is not None:
        if machine.find(UNIT):
            what = f"{desktop} has the screen: a table that starts as a service can't draw on it"
            return fault_verdict(
                what, "run the installer again: it sees the desktop, and starts the table on it"
            )
        return untried_verdict(f"{desktop} has the screen", "ask again in a terminal on that desktop")
    if (blocked := _bare_screen_fault(machine, cards)) is not None:
        return blocked
    if devices is None or is_service_running(machine):
        return untried_verdict(
            "the table has it itself", "look at it; nothing there: journalctl -u companion"
        )
    monitors = find_monitors(machine.root)
    if monitors == ():
        what = "no screen answers: voice and lamps lead the game"
        return absent_verdict(what, "; ".join([PLUG_SCREEN, *_screen_lines_off(machine)]))
    if reason := devices.screen(cards[0]):
        holder = machine.find_holder(cards, SCREEN_PROGRAMS)
        who = f"{holder} has {cards[0].name}" if holder else f"{cards[0].name}: {reason}"
        end = holder.remedy() if holder else "end that program"
        return fault_verdict(who, f"{end}, or start the table on its desktop")
    if any(_is_upright(mode) for _, mode in monitors or ()):
        what = f"{'; '.join(' '.join(each) for each in monitors or ())} stands upright, and so it is drawn"
        return absent_verdict(what, "lying it shows more: a desktop's Screen Configuration turns it")
    named = (
        "; ".join(_describe_monitor(machine, *each) for each in monitors or ())
        or "full screen without a desktop"
    )
    if untold_screens(machine.root):
        what = f"{named}, which does not tell what it is (no EDID): it is drawn small, and HDMI has no sound"
        return absent_verdict(what, UNTOLD_SCREEN_REMEDY)
    if machine.pi_generation() == PI_4 and any(_is_4k(mode) for _, mode in monitors or ()):
        what = f"{named}: at so many pixels a Pi 4 shows 30 pictures a second"
        socket = next(socket for socket, mode in monitors or () if _is_4k(mode))
        fix = f"write video={socket}:1920x1080@60 at the end of {CMDLINE}, and restart"
        return absent_verdict(what, fix)
    found = _add_touch(machine, ok_verdict(f"{named}; it is free, nothing was drawn now"))
    if notes := list(_ineffective_lines(machine)):
        return absent_verdict("; ".join([found.what, *(what for what, _ in notes)]), notes[0][1])
    return found


def _ineffective_lines(machine: Machine) -> Iterator[tuple[str, str]]:
    """Lines of other guides by which people wanted the picture otherwise, and which do nothing here."""
    config = read_boot_config(machine)
    if config is None:
        return
    if unread := config.unread_by_kms:
        fix = (
            f"take it out; a size is set at the end of {CMDLINE}: video=HDMI-A-1:1920x1080@60; {TURN_REMEDY}"
        )
        yield f"{config.path} has {', '.join(unread)}, which vc4-kms-v3d does not read", fix
    if turned := [one for one in config.values("dtoverlay") if re.search(r"\b(?:invx|invy|swapxy)\b", one)]:
        what = f"dtoverlay={turned[0]} turns the touch, and the picture is not turned without a desktop"
        yield what, f"take invx, invy and swapxy out of {config.path}; {TURN_REMEDY}"
    if "rotate=" in machine.read_text("proc/cmdline"):
        yield f"rotate= in {CMDLINE} turns the console's text alone", TURN_REMEDY


def _is_4k(mode: str) -> bool:
    size = re.match(r"(\d+)x(\d+)", mode)
    return size is not None and int(size[1]) >= 3840


def _screen_lines_off(machine: Machine) -> Iterator[str]:
    """How a socket for screens that config.txt switches off on a Pi is switched on."""
    config = read_boot_config(machine)
    if config is None:
        return
    if config.value("display_auto_detect") != "1" and not any("dsi" in one for one in config.overlays):
        yield f"one on a ribbon needs display_auto_detect=1 in {config.path}"
    if any("nohdmi" in value for value in config.values("dtoverlay")):
        yield f"for HDMI take nohdmi out of {config.path}"
    if off := re.search(r"video=(HDMI-A-\d|DSI-\d):d\b", machine.read_text("proc/cmdline")):
        yield f"take {off[0]} out of {CMDLINE}, which switches that socket off"
    yield from _tell_header_screen(config)


def _tell_header_screen(config: BootConfig) -> Iterator[str]:
    """That what people may take for the table's screen is none of ours."""
    if config.header_screen:
        yield f"a small screen on the header (dtoverlay={config.header_screen}) can't show the table"


def _driver_fault(machine: Machine) -> CheckVerdict | None:
    """Whether a Pi has no graphics card because config.txt loads no driver for it."""
    config = read_boot_config(machine)
    if config is None or any(overlay.startswith("vc4-kms-v3d") for overlay in config.overlays):
        return None
    what = f"{config.path} does not load vc4-kms-v3d: nothing can be drawn, and HDMI has no sound"
    fix = "write dtoverlay=vc4-kms-v3d there, and restart"
    return fault_verdict(what, "; ".join([fix, *_tell_header_screen(config)]))


def _check_desktop_screen(machine: Machine, devices: Devices | None) -> CheckVerdict:
    """A window of the desktop, which opens also where no monitor shows it."""
    if machine.environ.get("SSH_CONNECTION") and machine.environ.get("DISPLAY", "").startswith("localhost:"):
        what = "this terminal came by ssh -X: a window opens on the computer that you type at"
        return untried_verdict(what, "ask again without -X, or in a terminal on the table's own screen")
    found = _try_window(devices)
    if found.state != "fault" and find_monitors(machine.root) == ():
        what = (
            "no monitor is plugged in: the desktop draws where nobody sees it, voice and lamps lead the game"
        )
        return absent_verdict(what, PLUG_SCREEN)
    return _add_touch(machine, found) if found.state == "ok" else found


def _add_touch(machine: Machine, found: CheckVerdict) -> CheckVerdict:
    """A verdict on a Pi's screen with whether one can be touched; many need a second cable for it."""
    inputs = list_inputs(machine)
    if not inputs or not machine.is_pi() or any(device.has_key(TOUCH_KEY) for device in inputs):
        return found
    return ok_verdict(f"{found.what}; no touch answers", "a touch screen needs its USB cable, too")


def _try_window(devices: Devices | None) -> CheckVerdict:
    if devices is None:
        return untried_verdict("the table has a window", "look at it")
    try:
        width, height = devices.window()
    except OSError as trouble:
        return fault_verdict(
            f"no window opens ({trouble})", "start it in a terminal on the desktop, as its user"
        )
    return ok_verdict(f"a window of the desktop, {width} × {height}")


def _has_connectors(machine: Machine, card: Path) -> bool:
    """Whether a screen can be plugged into this card: a Pi has another one, which only computes."""
    shown = machine.find("sys/class/drm/card*-*")
    return not shown or any(path.name.startswith(f"{card.name}-") for path in shown)


def _bare_screen_fault(machine: Machine, cards: Sequence[Path]) -> CheckVerdict | None:
    """What keeps a program from a screen without a desktop."""
    if not any(map(is_readable, cards)):
        return fault_verdict("this user may not open /dev/dri/card*", machine.join_groups("video,render"))
    if not any(map(is_readable, machine.find("dev/input/event*"))):
        what = "full screen without a keyboard or touch: you could not leave it"
        return fault_verdict(what, machine.join_groups("input"))
    pygame = machine.module("pygame")
    if machine.version("pygame") and pygame and (pygame.parent.parent / "pygame.libs").is_dir():
        # The folder is where a wheel keeps its own SDL; Debian's package has none.
        what = "the pygame wheel cannot draw without a desktop (no KMSDRM)"
        return fault_verdict(what, "sudo apt install python3-pygame, or pip install pygame-ce instead")
    return None


def _is_upright(mode: str) -> bool:
    size = re.match(r"(\d+)x(\d+)", mode)
    return size is not None and int(size[1]) < int(size[2])


def _describe_monitor(machine: Machine, socket: str, mode: str) -> str:
    from companion.ui.toolkit.window import fit_drawing_size, max_drawing_size

    if (size := re.fullmatch(r"(\d+)x(\d+)\w*", mode)) is None:
        return socket
    shown = int(size[1]), int(size[2])
    drawn = fit_drawing_size(shown, (1280, 720), max_drawing_size(machine.pi_generation()))
    enlarged = "" if drawn == shown else f", drawn at {drawn[0]} × {drawn[1]}"
    return f"{socket}, {shown[0]} × {shown[1]}{enlarged}"


# Words --------------------------------------------------------------------------------------------------


def split_remedy(trouble: CompanionError) -> tuple[str, str]:
    """What an error says is wrong, and, behind its first colon, what it says to do."""
    what, _, fix = str(trouble).rstrip(".").partition(": ")
    return (what, fix) if fix else (what, "see the log")


def is_readable(path: Path) -> bool:
    return os.access(path, os.R_OK)
