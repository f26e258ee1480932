"""The checks of `companion doctor` that open a device: pins, lamps, screen.

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
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

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
from companion.core.errors import CompanionError
from companion.settings.model import CameraSettings, Settings
from companion.system.boot_config import HAT, BootConfig, read_boot_config
from companion.system.desktop import (
    DESKTOP_REMEDY,
    GRAPHICS_LIBRARIES,
    GRAPHICS_PACKAGES,
    UNTOLD_SCREEN_REMEDY,
    find_desktop,
    find_monitors,
    second_screen_remedy,
    take_screen,
    untold_screens,
)
from companion.system.device_lock import STARTS, running_table
from companion.system.input_list import list_inputs
from companion.system.machine import SCREEN_PROGRAMS, Machine, read_output
from companion.system.sound_cards import mixer_command
from companion.system.sound_server import read_sinks
from companion.system.terminal import count_with_noun

if TYPE_CHECKING:
    from hardware.buttons import PinFactory
    from hardware.camera import Camera
    from hardware.camera_lock import AnyCameraLock
    from hardware.errors import PinError
    from hardware.pin_table import PinTable


def _open_pins(chip: int | None, devices: Path) -> PinFactory:
    from hardware.buttons import open_pin_factory

    return open_pin_factory(chip, devices)


def _open_camera(chosen: CameraSettings, clock: Clock, root: Path, lock: AnyCameraLock | None) -> Camera:
    from hardware.camera_selection import open_camera

    return open_camera(chosen.kind, chosen.device, clock, size=chosen.size, lock=lock, root=root)


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
    return read_output("systemctl", "show", "companion", "--property=ActiveState,NRestarts,ExecMainStatus")


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
    camera: Callable[[CameraSettings, Clock, Path, AnyCameraLock | None], Camera] = _open_camera
    """From the settings, a clock, the machine's root, and what calibrating locked; raises `HardwareError`."""
    sound: Callable[[str], str] = _open_sound
    """From `sound.device`: why nothing would be heard; empty where the output opened. It is closed again."""
    mixer: Callable[[str], str] = _read_mixer
    """From a sound card's id: what `amixer scontents` prints of it; empty where that is not there."""
    sinks: Callable[[], str] = read_sinks
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
    """As `check_service` reads it: what `systemctl show` prints of the table's service; or empty."""


REMOTE_DESKTOPS = MappingProxyType(
    {"XRDP_SESSION": "xrdp", "VNCDESKTOP": "VNC", "CHROME_REMOTE_DESKTOP_SESSION": "Chrome"}
)
"""By the variable that sets it: programs that make a desktop of their own for somebody far away."""
DESKTOP_DRIVERS = MappingProxyType({"wayland": "WAYLAND_DISPLAY", "x11": "DISPLAY"})
"""SDL's drivers for desktops, and the variable that tells each where one is."""
CUT_REMEDY = (
    "if nobody pulled the plug: another supply or cable, its plug pushed home, fewer things on USB; "
    "this is told until that game is over, or left"
)
UNSET_DRIVER = "unset SDL_VIDEODRIVER, and take it out of ~/.bashrc or whatever else sets it"
MIN_SIZE, WIDTH_OF_4K = (800, 480), 3840
"""Pixels of the smallest screen that the guide has, and from how many across a Pi 4 is slow."""
TOUCH_KEY = 0x14A
"""The key that all have which can be touched (BTN_TOUCH)."""
CMDLINE = "/boot/firmware/cmdline.txt"
PI_4 = 4
TURN_REMEDY = (
    "to turn the picture, hang the screen the other way round, or use a desktop (Screen Configuration)"
)
PIGPIO, COMMANDS = "pigpiod", "proc/[0-9]*/comm"
LOOK = "black all the same? Choose its input (source); edges cut off? In its own menu (just scan, 1:1)"
PLUG_SCREEN = "plug it into HDMI 0, beside the power socket, and switch it on before the table"


def power(machine: Machine, settings: Settings, devices: Devices | None = None) -> CheckVerdict:
    """Whether the machine had enough power, and stayed cool enough, since it was started."""
    from companion.table.games import count_power_cuts

    found = check_power(machine, "" if devices is None else devices.firmware())
    if found.state != "fault" and (cuts := count_power_cuts(settings.store_folder())):
        what = f"the power went off during the game ({count_with_noun(cuts, 'time')})"
        return fault_verdict(what, CUT_REMEDY)
    return found


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
    if not all(failure.board for failure in found.buttons) and (hat := machine.read_text(HAT)):
        faults.append((f"a HAT is on the header ({hat}), which takes pins by itself", "take it off"))
    if meant := find_header_numbers(settings.buttons.pins, settings.buttons.lamps):
        faults.append(split_remedy(header_number_error(meant)))
    if found.down:
        named = ", ".join(found.down)
        fix = "let it go; if nobody holds it, its wires are on NC, or touch, or it locks or is a touch sensor"
        faults.append((f"down without a hand: {named}", fix))
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
    if chosen.are_on_usb(has_encoder=bool(machine.joysticks())):
        return absent_verdict("the buttons are on USB, so no pin was tried")
    if any(
        machine.read_text(str(file.relative_to(machine.root))) == PIGPIO for file in machine.find(COMMANDS)
    ):
        what = f"{PIGPIO} runs, which reads and sets pins past the kernel"
        return fault_verdict(what, f"sudo systemctl disable --now {PIGPIO}")
    past = next(filter(None, map(machine.device_holder, machine.find("dev/gpiomem*"))), None)
    if past is not None:
        return fault_verdict(f"{past} reads and sets pins past the kernel (/dev/gpiomem)", past.remedy())
    if not machine.find("dev/gpiochip*"):
        _, fix = machine.find_sandbox() or ("", "update the system; the kernel shows no GPIO")
        return fault_verdict("no /dev/gpiochip*", fix)
    if not machine.module("gpiod") and not machine.module("lgpio"):
        what = "this Python can't find libgpiod or lgpio"
        return fault_verdict(what, machine.package_remedy("python3-libgpiod", "gpiod"))
    if devices is None or running_table(machine):
        return untried_verdict("the table has them itself", free_remedy(machine))
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


def free_remedy(machine: Machine) -> str:
    """How the parts that the running table has come free to be tried."""
    return f"{STARTS[running_table(machine) or 'service'][1]}, then companion doctor again"


def _pin_fault(failure: PinError) -> tuple[str, str]:
    """What is wrong with a pin, and its remedy."""
    text = str(failure).rstrip(".")
    return text.removesuffix(f": {failure.fix}"), failure.fix


# The screen ---------------------------------------------------------------------------------------------


def screen(machine: Machine, settings: Settings, devices: Devices | None = None) -> CheckVerdict:
    """What the table would be drawn on, and who has it."""
    driver = machine.environ.get("SDL_VIDEODRIVER", "")
    if driver in {"dummy", "offscreen"}:
        return absent_verdict(f"SDL_VIDEODRIVER is {driver}: nothing is shown", UNSET_DRIVER)
    on_desktop = machine.environ.get("WAYLAND_DISPLAY") or machine.environ.get("DISPLAY")
    draws = any(machine.environ.get(DESKTOP_DRIVERS.get(one, "")) for one in driver.split(","))
    if machine.platform == "linux" and on_desktop and driver and not draws:
        return fault_verdict(
            f"SDL_VIDEODRIVER is {driver}, which does not draw on this desktop", UNSET_DRIVER
        )
    if machine.platform != "linux" or on_desktop:
        return _check_desktop_screen(machine, devices)
    cards = [card for card in machine.find("dev/dri/card*") if _has_connectors(machine, card)]
    if not cards:
        return _driver_fault(machine) or absent_verdict("not connected: voice and lamps lead the game")
    if driver not in {"", "kmsdrm", "KMSDRM"}:
        return fault_verdict(f"SDL_VIDEODRIVER is {driver}, and no desktop is there", UNSET_DRIVER)
    if (desktop := find_desktop(machine.root)) is not None:
        if machine.find(UNIT):
            what = f"{desktop} has the screen: a table that starts as a service can't draw on it"
            return fault_verdict(
                what, "run the installer again: it sees the desktop, and starts the table on it"
            )
        return untried_verdict(f"{desktop} has the screen", DESKTOP_REMEDY)
    if (blocked := _backlight_fault(machine) or _bare_screen_fault(machine, cards)) is not None:
        return blocked
    if devices is None or running_table(machine):
        return untried_verdict(
            "the table has it itself", "look at it; nothing there: journalctl -u companion"
        )
    monitors = find_monitors(machine.root)
    if monitors == ():
        what = "no screen answers: voice and lamps lead the game"
        return absent_verdict(what, "; ".join([PLUG_SCREEN, *_screen_lines_off(machine)]))
    if reason := devices.screen(cards[0]):
        if any(library in reason for library in GRAPHICS_LIBRARIES):
            return fault_verdict(f"nothing is drawn: {reason}", f"sudo apt install {GRAPHICS_PACKAGES}")
        holder = machine.find_holder(cards, SCREEN_PROGRAMS)
        who = f"{holder} has {cards[0].name}" if holder else f"{cards[0].name}: {reason}"
        end = holder.remedy() if holder else "end that program"
        return fault_verdict(who, f"{end}, or start the table on its desktop")
    named = (
        "; ".join(_describe_monitor(machine, *each) for each in monitors or ())
        or "full screen without a desktop"
    )
    if untold_screens(machine.root):
        what = f"{named}, which does not tell what it is (no EDID): it is drawn small, and HDMI has no sound"
        lines = [f"{told}: {fix}" for told, fix in _ineffective_lines(machine)]
        return absent_verdict(what, "; ".join([UNTOLD_SCREEN_REMEDY, *lines]))
    if several := second_screen_remedy(monitors):
        drawn, _, fix = several.partition(": ")
        return absent_verdict(f"{named}; {drawn}", fix)
    if (odd := _size_note(machine, named, monitors or ())) is not None:
        return odd
    found = _add_touch(machine, ok_verdict(f"{named}; it is free, nothing was drawn now", LOOK))
    if notes := list(_ineffective_lines(machine)):
        return absent_verdict("; ".join([found.what, *(what for what, _ in notes)]), notes[0][1])
    return found


def _size_note(machine: Machine, named: str, monitors: Sequence[tuple[str, str]]) -> CheckVerdict | None:
    """What of a screen's size is worth telling; `named`: how it is described."""
    for socket, mode in monitors:
        width, height = _pixels(mode)
        if width < height:
            what = f"{'; '.join(' '.join(each) for each in monitors)} stands upright, and so it is drawn"
            return absent_verdict(what, "lying it shows more: a desktop's Screen Configuration turns it")
        if 0 < width < MIN_SIZE[0] or 0 < height < MIN_SIZE[1]:
            what = f"{named}: that is smaller than {MIN_SIZE[0]} × {MIN_SIZE[1]}, so text is cut or tiny"
            return absent_verdict(what, "use a larger screen, or a television")
        if machine.pi_generation() == PI_4 and width >= WIDTH_OF_4K:
            what = f"{named}: at so many pixels a Pi 4 shows 30 pictures a second"
            fix = f"write video={socket}:1920x1080@60 at the end of {CMDLINE}, and restart"
            return absent_verdict(what, fix)
    return None


def _ineffective_lines(machine: Machine) -> Iterator[tuple[str, str]]:
    """Lines of other guides by which people wanted the picture otherwise, and which do nothing here."""
    config = read_boot_config(machine)
    if config is None:
        return
    if unread := config.unread_by_kms:
        asked = re.match(r"(\d+)\s+(\d+)", config.value("hdmi_cvt"))
        size = "1920x1080" if asked is None else "x".join(asked.groups())
        fix = f"take it out; a size is set at the end of {CMDLINE}: video=HDMI-A-1:{size}@60; {TURN_REMEDY}"
        yield f"{config.path} has {', '.join(unread)}, which vc4-kms-v3d does not read", fix
    if turned := [one for one in config.values("dtoverlay") if re.search(r"\b(?:invx|invy|swapxy)\b", one)]:
        what = f"dtoverlay={turned[0]} turns the touch, and the picture is not turned without a desktop"
        yield what, f"take invx, invy and swapxy out of {config.path}; {TURN_REMEDY}"
    if "rotate=" in machine.read_text("proc/cmdline"):
        yield f"rotate= in {CMDLINE} turns the console's text alone", TURN_REMEDY


def _pixels(mode: str) -> tuple[int, int]:
    """A screen's width and height, by the kernel's name of its mode; (0, 0): it tells none."""
    size = re.match(r"(\d+)x(\d+)", mode)
    return (0, 0) if size is None else (int(size[1]), int(size[2]))


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
    if config is None or config.has_graphics_driver:
        return None
    what = f"{config.path} does not load vc4-kms-v3d: nothing can be drawn, and HDMI has no sound"
    fix = "write dtoverlay=vc4-kms-v3d there, and restart"
    return fault_verdict(what, "; ".join([fix, *_tell_header_screen(config)]))


def _check_desktop_screen(machine: Machine, devices: Devices | None) -> CheckVerdict:
    """A window of the desktop, which opens also where no monitor shows it."""
    if machine.environ.get("SSH_CONNECTION") and machine.environ.get("DISPLAY", "").startswith("localhost:"):
        what = "this terminal came by ssh -X: a window opens on the computer that you type at"
        return untried_verdict(what, "ask again without -X, or in a terminal on the table's own screen")
    if remote := [name for mark, name in REMOTE_DESKTOPS.items() if machine.environ.get(mark)]:
        what = (
            f"this desktop is drawn for {remote[0]} alone: the table's own screen and loudspeaker get nothing"
        )
        return fault_verdict(what, "start it on the machine's own desktop, not on a remote one")
    found = _try_window(devices)
    if found.state != "fault" and find_monitors(machine.root) == ():
        what = (
            "no monitor is plugged in: the desktop draws where nobody sees it, voice and lamps lead the game"
        )
        return absent_verdict(what, PLUG_SCREEN)
    if found.state == "ok" and len(find_monitors(machine.root) or ()) > 1:
        what = f"{found.what}; of several monitors it opens on the main one"
        return absent_verdict(what, "to have another, drag it there (F11 makes it a window and whole again)")
    return _add_touch(machine, found) if found.state == "ok" else found


def _add_touch(machine: Machine, found: CheckVerdict) -> CheckVerdict:
    """A verdict on a Pi's screen with whether one can be touched; many need a second cable for it."""
    inputs = list_inputs(machine)
    if not inputs or not machine.is_pi() or any(device.has_key(TOUCH_KEY) for device in inputs):
        return found
    return ok_verdict(f"{found.what}; no touch answers", f"a touch screen needs its USB cable, too; {LOOK}")


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


def _backlight_fault(machine: Machine) -> CheckVerdict | None:
    """Whether the light behind a screen on a ribbon is off, or turned down to nothing."""
    for light in machine.find("sys/class/backlight/*"):
        place = light.relative_to(machine.root)
        if machine.read_text(f"{place}/bl_power") == "4" or machine.read_text(f"{place}/brightness") == "0":
            fix = f"echo 0 | sudo tee /{place}/bl_power, and echo 100 | sudo tee /{place}/brightness"
            return fault_verdict(f"the screen's backlight ({light.name}) is off", fix)
    return None


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
