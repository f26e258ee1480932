"""The program on a recorded machine: what its doctor, its screen and its log say there.

Libraries are the real ones; what lies below them is the world's (`kernel.py`, `libcamera.py`). Nothing of the
companion is replaced: it is handed other roots, and libraries that answer otherwise.
"""

from __future__ import annotations

import logging
import os
import selectors
import shutil
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, redirect_stdout
from copy import copy
from functools import cache, partial
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple, TypeVar
from unittest.mock import patch

import cv2
import gpiozero.pins.local
import pygame
import pytest
from msgspec.structs import replace

import hardware.camera_pi
from companion.camera import calibration_task
from companion.cli.checks.device_checks import Devices
from companion.cli.checks.doctor import PartFinding, table_checks
from companion.core.actions import SECOND
from companion.core.camera_tasks import CalibrationView
from companion.core.clock import GameClock, monotonic_ns
from companion.language.language import Language
from companion.language.voice import mixer, sounds
from companion.language.voice.clips import read_index
from companion.programs.build_app import build_runtime
from companion.programs.display import warn_if_invisible
from companion.system.machine import Machine
from companion.system.setup_opencv import installed_version
from companion.table import real_host
from companion.ui.toolkit.window import Window
from companion.vision import framing
from companion.vision.calibration import find_marks
from companion.vision.framing import look_at_mat
from hardware.buttons import open_pin_factory
from hardware.camera_selection import open_camera
from hardware.usb_encoder import open_usb_buttons
from tests.hardware.input_kernel import InputKernel
from tests.programs.pi_matrix import libcamera
from tests.programs.pi_matrix.kernel import (
    Kernel,
    fake_gpiod_ext,
    fake_lgpio,
    fake_video_capture,
    silent_modules,
)
from tests.programs.pi_matrix.worlds import ALSA_FILE, GLES, World

PATIENCE = 0.05
"""Seconds until a camera that gives no picture counts as lost here."""
BUSY_PATIENCE = 30.0
"""The same of one that does give pictures, on a host that does other things."""
ROUND_SECONDS = 0.002
"""picamera2's two threads look every 0.2 s whether they are to end."""
SOUND_RATE = 192_000
"""Samples a second: SDL closes an output once two buffers are played, 21 ms at the table's own rate."""
SOUND_BUFFER = 256
"""Samples; pygame takes no fewer."""


ASKED = (
    "system",
    "power",
    "clock",
    "settings",
    "service",
    "page",
    "pins",
    "encoder",
    "lamps",
    "camera",
    "screen",
    "sound",
    "storage",
)
"""Parts of doctor's list that a machine decides; the others are the same on each."""


Found = TypeVar("Found")
USER = "ana"
PATCHED = ("gpiod", "lgpio", "libcamera", "picamera2")
"""Modules that a world has or lacks."""


class Said(NamedTuple):
    """What each of the three channels said."""

    doctor: tuple[PartFinding, ...]
    screen: tuple[str, ...]
    log: tuple[str, ...]


class _QuickSelector(selectors.DefaultSelector):
    def select(self, timeout: float | None = None) -> Any:
        return super().select(min(timeout or ROUND_SECONDS, ROUND_SECONDS))


class Libraries:
    """The real libraries, loaded once, on what stands below them."""

    def __init__(self) -> None:
        libcamera._libcamera = libcamera  # type: ignore[attr-defined]
        self.gpiod_ext, self.lgpio = fake_gpiod_ext(), fake_lgpio()
        below = {
            "libcamera": libcamera,
            "gpiod._ext": self.gpiod_ext,
            "lgpio": self.lgpio,
            **dict(silent_modules()),
        }
        sys.modules.update(below)
        import gpiod
        import picamera2
        import picamera2.allocators.dmaallocator
        import picamera2.dma_heap

        self.gpiod, self.picamera2 = gpiod, picamera2
        self.old_gpiod = SimpleNamespace(__name__="gpiod")
        """Bookworm's libgpiod 1.6, which has other names."""

    @contextmanager
    def on(self, world: World, root: Path) -> Iterator[Kernel]:
        """They meet this world."""
        kernel = self.gpiod_ext.kernel = self.lgpio.kernel = world.kernel()
        libcamera.CameraManager.plugged = world.cameras
        heap = self.picamera2.dma_heap
        heap.heapNames[:] = [str(root / "dev/dma_heap/linux,cma")]
        heap.fcntl = self.picamera2.allocators.dmaallocator.fcntl = SimpleNamespace(ioctl=kernel.ioctl)
        self.picamera2.Picamera2._cm.reset()
        modules = {
            "picamera2": self.picamera2,
            "libcamera": libcamera,
            "lgpio": self.lgpio,
            "gpiod": self.gpiod if world.release == "trixie" else self.old_gpiod,
        }
        present = {name: None if name in world.missing else module for name, module in modules.items()}
        silent = any(camera.is_silent for camera in world.cameras)
        patience = PATIENCE if silent else BUSY_PATIENCE
        below_root = SimpleNamespace(open=lambda path, *more: Path.open(root / path.lstrip("/"), *more))
        with (
            _modules(present),
            patch.object(os, "access", kernel.may_access),
            patch.object(cv2, "VideoCapture", fake_video_capture(kernel)),
            patch.object(gpiozero.pins.local, "io", below_root),
            patch.object(selectors, "DefaultSelector", _QuickSelector),
            patch.object(hardware.camera_pi, "PICTURE_TIMEOUT", patience),
            patch.object(framing, "find_marks", find_marks_once),
            patch.object(framing, "look_at_mat", look_at_mat_once),
            patch.object(sounds, "read_index", read_index_once),
            patch.object(calibration_task, "find_marks", find_marks_once),
            patch.object(hardware.camera_pi, "Machine", lambda: machine_of(world, root)),
        ):
            yield kernel


@contextmanager
def _modules(present: Mapping[str, Any]) -> Iterator[None]:
    """Imports find these and no others of their names; what else is imported meanwhile stays."""
    if all(sys.modules.get(name) is module for name, module in present.items()):
        yield
        return
    names = [name for name in sys.modules if name.startswith(PATCHED) and name.partition(".")[0] in present]
    before = {name: sys.modules.pop(name) for name in names}
    kept = {name: module for name, module in before.items() if present[name.partition(".")[0]] is not None}
    sys.modules.update({**kept, **present})
    if present["libcamera"] is None and present["picamera2"] is not None:
        # Its next import runs anew, and fails as its own does.
        for name in [name for name in sys.modules if name.partition(".")[0] == "picamera2"]:
            del sys.modules[name]
    try:
        yield
    finally:
        for name in [name for name in sys.modules if name.startswith(PATCHED)]:
            if name.partition(".")[0] in present:
                del sys.modules[name]
        sys.modules.update(before)


def _sound_trouble(world: World, device: str) -> str:
    """Why ALSA does not open `default:CARD=…`; empty: it does. As SDL words it."""
    id_ = device.rpartition("CARD=")[2]
    card = next((card for card in world.sound if card.id == id_), None)
    if card is None:
        return "ALSA: Couldn't open audio device: No such file or directory"
    if card.is_held:
        return "ALSA: Couldn't open audio device: Device or resource busy"
    if world.may_not_open("/dev/snd/"):
        return "ALSA: Couldn't open audio device: Permission denied"
    if "pcm.!default" in str(world.files.get(ALSA_FILE)):  # it knows no CARD=…
        return "ALSA: Couldn't open audio device: Invalid argument"
    if (
        card.driver == "vc4-hdmi" and not world.monitors
    ):  # vc4_hdmi_audio_startup: -ENOTSUPP, before 6.14 -ENODEV
        return "ALSA: Couldn't open audio device: No such device"
    return ""


def _screen_trouble(world: World) -> str:
    """Why SDL does not draw without a desktop; empty: it does. KMSDRM wants to be master of the card."""
    if world.may_not_open("/dev/dri/"):
        return "kmsdrm not available: Permission denied"
    if (
        not world.has_graphics or not world.monitors
    ):  # SDL_kmsdrmvideo.c, check_modestting: a card counts with a screen connected
        return "kmsdrm not available"
    if GLES in world.missing:
        return f"Failed loading {GLES}: {GLES}: cannot open shared object file: No such file or directory"
    return "kmsdrm not available: Device or resource busy" if world.screen_holder else ""


def _printed(world: World, *command: str) -> str:
    """What a program prints on this machine."""
    match command[0]:
        case "amixer":
            return world.mixer(command[2])
        case "env" if command[2:] in {("pactl", "info"), ("wpctl", "status")}:
            return world.sinks() if (command[2] == "wpctl") == (world.release == "bookworm") else ""
        case "vcgencmd":
            return world.firmware if world.is_pi else ""
        case "dmesg":
            return world.kernel_log
    return ""


def machine_of(world: World, root: Path) -> Machine:
    installed = {"picamera2", "libcamera", "lgpio", "gpiod", "pygame"} - world.missing
    real = Machine()
    return Machine(
        root=root,
        environ={"USER": USER, **world.environ},
        platform="linux",
        module=lambda name: (
            root / name if name in installed else None if name in world.missing else real.module(name)
        ),
        which=lambda name: f"/usr/bin/{name}",
        output=partial(_printed, world),
        version=version_once,
        bits=world.bits,
        wall_time=lambda: world.wall_time,
    )


def once_for_picture(look: Callable[..., Found]) -> Callable[..., Found]:
    """As `look`, whose first argument is a picture: cells show the same ones again and again."""
    found: dict[tuple[object, ...], Found] = {}

    def look_once(frame: Any, *more: Any) -> Found:
        key = (*frame.shape, zlib.crc32(frame))
        if key not in found:
            found[key] = look(frame, *more)
        return copy(found[key])

    return look_once


find_marks_once = once_for_picture(find_marks)
look_at_mat_once = once_for_picture(look_at_mat)
read_index_once = cache(read_index)
version_once = cache(installed_version)


class Cell:
    """One world, built, and the program on it."""

    def __init__(self, world: World, root: Path, libraries: Libraries) -> None:
        """`root`: empty, or as the last cell left it."""
        self._world, self._root, self._libraries = world, root, libraries
        self._press: Callable[[], None] | None = None
        """Presses what is plugged into the encoder, where somebody does."""
        world.build(root)
        (root / "games").mkdir(exist_ok=True)
        (root / "home").mkdir(exist_ok=True)
        storage = replace(world.settings.storage, folder=str(root / "games"))
        self.settings = replace(world.settings, storage=storage)

    def run(self, *, table: bool = True, calibrates: bool = False) -> Said:
        """What is said here; without `table` by doctor alone; `calibrates`: on the page that does."""
        with self._libraries.on(self._world, self._root), self.outputs(), self._inputs(), self._disk():
            machine, checks = machine_of(self._world, self._root), table_checks(self.devices())
            doctor = tuple(PartFinding(part, *checks[part](machine, self.settings)) for part in ASKED)
            if not table:
                return Said(doctor, (), ())
            # What is drawn is drawn nowhere, which the table's program tells its terminal.
            with heard() as log, redirect_stdout(StringIO()):
                screen = tuple(self._table(calibrates=calibrates))
            return Said(doctor, screen, tuple(log))

    @contextmanager
    def outputs(self) -> Iterator[None]:
        """SDL opens sound and screen as far as this world lets it; what opens is silent and drawn nowhere."""
        world, environ = self._world, dict(self._world.environ)
        login = {"USER": USER, **{name: environ[name] for name in ("SSH_CONNECTION",) if name in environ}}

        def init_sound(*wanted: Any, **more: Any) -> None:
            if "AUDIODEV" in environ and (trouble := _sound_trouble(world, environ["AUDIODEV"])):
                raise pygame.error(trouble)
            _, sample_format, channels, _ = wanted
            real_sound(SOUND_RATE, sample_format, channels, SOUND_BUFFER, **more)

        def init_screen() -> None:
            if os.environ.get("SDL_VIDEODRIVER") != "dummy" and (trouble := _screen_trouble(world)):
                raise pygame.error(trouble)
            os.environ["SDL_VIDEODRIVER"] = "dummy"
            real_screen()

        real_sound, real_screen, select = pygame.mixer.init, pygame.display.init, mixer.select_device
        with (
            patch.object(mixer, "has_sound_output", partial(mixer.has_sound_output, environ, self._root)),
            patch.object(mixer, "Machine", lambda: machine_of(world, self._root)),
            patch.object(mixer, "select_device", lambda wanted, *_: select(wanted, environ, self._root)),
            patch.object(pygame.mixer, "init", init_sound),
            patch.object(pygame.display, "init", init_screen),
            patch.dict(os.environ, {"SDL_AUDIODRIVER": "dummy", "SDL_VIDEODRIVER": "", **login}),
        ):
            yield

    @contextmanager
    def _disk(self) -> Iterator[None]:
        """What the disk with the games tells of itself, where this world says so."""
        with ExitStack() as stack:
            if free := self._world.free_bytes:
                usage = SimpleNamespace(free=free)
                stack.enter_context(patch.object(shutil, "disk_usage", lambda _: usage))
            if self._world.is_read_only or not self._world.has_inodes:
                flag = os.ST_RDONLY if self._world.is_read_only else 0
                room = dict.fromkeys(("f_frsize", "f_blocks", "f_bfree", "f_bavail"), 100_000)
                favail = int(self._world.has_inodes)
                state = SimpleNamespace(f_flag=flag, f_files=1, f_favail=favail, **room)
                stack.enter_context(patch.object(os, "statvfs", lambda _: state))
            yield

    @contextmanager
    def _inputs(self) -> Iterator[None]:
        """The encoder of this world, whose keys the kernel's stand-in tells."""
        if not self._world.encoder:
            yield
            return
        with (
            pytest.MonkeyPatch.context() as patched,
            closing(InputKernel(self._root / "dev/input", patched)) as kernel,
        ):
            for number in range(self._world.encoders):
                path = kernel.plug(self._world.encoder, socket=f"usb-0000:01:00.0-1.{number + 1}/input0")
                if self._world.leans is not None:
                    self._press = partial(kernel.lean, path, *self._world.leans, monotonic_ns() // 1_000)
                if self._world.has_turbo:
                    self._press = partial(press_with_turbo, kernel, path)
                if self._world.may_not_open(str(path)):
                    kernel.forbidden.add(path)
            yield

    def pins(self, chip: int | None, devices: Path | None = None) -> gpiozero.Factory:
        return open_pin_factory(chip, self._root / "dev")

    def _machine(self) -> Machine:
        return machine_of(self._world, self._root)

    def devices(self) -> Devices:
        world = self._world

        def window() -> tuple[int, int]:
            if not world.environ.get("WAYLAND_DISPLAY"):
                raise OSError("no window opens")
            return 1920, 1080

        return Devices(
            pins=self.pins,
            camera=lambda about, clock, root, lock: open_camera(
                about.kind,
                about.device,
                clock,
                size=about.size,
                lock=lock,
                root=root,
                machine=self._machine(),
            ),
            mixer=world.mixer,
            sinks=world.sinks,
            write_time=lambda _: world.write_seconds,
            screen=lambda card: _screen_trouble(world),
            window=window,
            unit=lambda: world.unit,
            firmware=lambda: world.firmware if world.is_pi else "",
        )

    def _table(self, *, calibrates: bool) -> Iterator[str]:
        """The table's program, as far as it opens its parts; what its screen says about them.

        `calibrates`: somebody has opened the page that calibrates the camera.
        """
        with (
            patch.object(real_host, "open_pin_factory", self.pins),
            patch.object(
                real_host, "open_camera", partial(open_camera, root=self._root, machine=self._machine())
            ),
            patch.object(Window, "is_invisible", property(lambda window: bool(window.refusal))),
            patch.object(
                real_host, "open_usb_buttons", partial(open_usb_buttons, folder=self._root / "dev/input")
            ),
        ):
            shared = build_runtime(self.settings, GameClock())
            host = real_host.TableHost(self.settings, shared, machine=machine_of(self._world, self._root))
            window = Window()
            try:
                window.open()
                warn_if_invisible(window, heard=shared.voice.available, root=self._root)
                words = Language("en")
                if calibrates:
                    host.camera_tasks.open_page("calibrate", "")
                for _ in range((host._worker is not None) + calibrates):  # the lens is told after the first
                    assert host._worker is not None
                    host._worker.run_once()
                shown = host.camera_tasks.page_input() if calibrates else None
                if shown is not None and isinstance(shown.view, CalibrationView):
                    yield from (words.text(said) for said in (shown.view.hint, *shown.view.warnings))
                if self._press is not None and host._encoder is not None:
                    self._press()
                    host._encoder.poll()
                host.warnings()
                host.health.close()  # some looks have a thread of their own
                yield from (words.text(said) for said in host.warnings())
                if (trouble := host.parts_trouble()) is not None:
                    yield words.text(trouble)
            finally:
                host.close()
                window.close()
                shared.voice.close()


def press_with_turbo(kernel: InputKernel, path: Path, code: int = 290, rate: int = 15) -> None:
    """Chair 3's button is held for two seconds."""
    end, half = monotonic_ns() // 1_000, SECOND // rate // 2
    for change in range(4 * rate):
        kernel.press(path, code, end - (4 * rate - change) * half, down=change % 2 == 0)


@contextmanager
def heard() -> Iterator[list[str]]:
    """What comes into the log at the level that is shown."""
    told: list[str] = []

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            told.append(record.getMessage())

    handler = Handler(logging.WARNING)
    loggers = [logging.getLogger(name) for name in ("companion", "hardware")]
    for log in loggers:
        log.addHandler(handler)
        log.propagate = False
    try:
        yield told
    finally:
        for log in loggers:
            log.removeHandler(handler)
            log.propagate = True
