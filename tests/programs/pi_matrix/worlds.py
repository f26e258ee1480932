"""Recorded machines, as a folder of files and what their devices answer.

A world is read from `machines/` and `cameras/`, changed by a fault, and built into a temporary root: /dev,
/proc, /sys, /run as that machine with that system has them. What the files were written from stands in each.
"""

from __future__ import annotations

import os
import shutil
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.games import mat_layout
from companion.settings.model import Settings, TableSettings
from companion.system.asset_paths import bundled_assets_folder
from companion.vision.renderer import EASY, TableRenderer, TableScene, Textures
from tests.programs.pi_matrix import libcamera
from tests.programs.pi_matrix.kernel import GpioChip, Kernel, VideoNode

HERE = Path(__file__).parent
SENSORS = ("ov5647", "imx219", "imx708", "imx477", "imx296")
WEBCAMS = ("c920", "c270", "pc-camera")
SYSTEMS = (
    ("pi3", "bookworm", False),
    ("pi3", "trixie", True),
    ("pi4", "bookworm", True),
    ("pi4", "trixie", False),
    ("pi4", "trixie", True),
    ("pi5", "bookworm", False),
    ("pi5", "trixie", False),
    ("pi5", "trixie", True),
    ("pi500", "bookworm", True),
    ("pi500", "trixie", False),
    ("laptop", "bookworm", True),
    ("laptop", "trixie", True),
)
"""Machine, release, and whether there is a desktop: every two of them meet; a laptop has its desktop."""
CHAIRS = 2
"""Of a table about whose pins nothing is asked: the fewer, the sooner."""
LOUDSPEAKERS = (b"\x00" * 128 + b"\x02\x03\x00\x40").ljust(256, b"\x00")
"""A monitor's EDID whose CEA block says that it plays sound; of all the rest nobody reads anything."""
PICTURE = (1280, 720)
CONFIG = "boot/firmware/config.txt"
ALSA_FILE = "etc/asound.conf"
GLES = "libGLESv2.so.2"
"""The library by which SDL draws without a desktop."""
SHIPPED_CONFIG = """dtparam=audio=on
camera_auto_detect=1
display_auto_detect=1
auto_initramfs=1
dtoverlay=vc4-kms-v3d
max_framebuffers=2
disable_fw_kms_setup=1
arm_64bit=1
disable_overscan=1
arm_boost=1

[cm4]
otg_mode=1

[cm5]
dtoverlay=dwc2,dr_mode=host

[all]
"""
"""As pi-gen (stage1/00-boot-files) writes it."""


@dataclass
class SoundCard:
    """A card as /proc/asound/cards lists it."""

    id: str
    driver: str
    name: str
    is_held: bool = False
    is_muted: bool = False
    volume: int = 80

    @property
    def sink(self) -> tuple[str, str]:
        """Name and description of its output, as PipeWire has them on a Pi."""
        if self.driver == "vc4-hdmi":
            name = {"0": "fef00700", "1": "fef05700"}.get(self.id[-1], "3f902000")
            return f"alsa_output.platform-{name}.hdmi.hdmi-stereo", "Built-in Audio Digital Stereo (HDMI)"
        if self.driver == "USB-Audio":
            return "alsa_output.usb-Generic_USB_Audio_Device-00.analog-stereo", f"{self.name} Analog Stereo"
        if self.driver.startswith("HDA"):
            return "alsa_output.pci-0000_00_1f.3.analog-stereo", "Built-in Audio Analog Stereo"
        return "alsa_output.platform-fe00b840.mailbox.stereo-fallback", "Built-in Audio Stereo"


@dataclass
class World:
    """One machine with its system."""

    title: str
    machine: dict[str, Any]
    release: str
    has_desktop: bool
    chips: dict[int, GpioChip]
    nodes: dict[int, VideoNode]
    sound: list[SoundCard]
    cameras: list[libcamera.Plugged] = field(default_factory=list)
    """What libcamera lists, in its order."""
    webcams: list[str] = field(default_factory=list)
    """Of them those of /dev/v4l/by-id, with the node of each: `name:number`."""
    forbidden: list[str] = field(default_factory=list)
    """Beginnings of device files that this user may not open."""
    missing: set[str] = field(default_factory=set)
    """Python modules that are not installed."""
    monitors: set[str] = field(default_factory=set)
    """Connectors with something switched on behind them."""
    encoder: str = ""
    """The recorded input device that is plugged in as an encoder; empty: none."""
    encoders: int = 1
    """How many of them, which differ in their sockets alone."""
    has_turbo: bool = False
    """Whether the encoder presses a button again and again while it is held."""
    leans: tuple[int, int] | None = None
    """An axis of it that is moved, and its value then; None: nobody touches it."""
    default_sink: str = "USB-Audio"
    """Driver of the sound card on which a desktop's sound server plays, where that is there."""
    screen_holder: str = ""
    """The desktop that draws while the program has none."""
    files: dict[str, str | bytes] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    environ: dict[str, str] = field(default_factory=dict)
    firmware: str = "throttled=0x0"
    kernel_log: str = ""
    """What `dmesg` prints."""
    unit: str = ""
    """What systemd tells of the table's service."""
    is_sink_muted: bool = False
    """Whether the desktop has muted every output."""
    has_graphics: bool = True
    """Whether a driver for the screen is loaded."""
    has_inodes: bool = True
    """Whether that disk takes more files."""
    free_bytes: int = 0
    """On the disk with the games; 0: as it is."""
    is_heap_full: bool = False
    """Whether no buffer for a picture of the Pi's camera can be had."""
    is_read_only: bool = False
    """Whether that disk is."""
    write_seconds: float = 0.02
    """Until it has kept a page."""
    draw: Callable[[int, int], np.ndarray[Any, Any]] | None = None
    """What a lens shows; None: the table."""
    wall_time: str = "2026-11-29T20:00:00+00:00"
    bits: int = 64
    settings: Settings = field(default_factory=Settings)

    @property
    def is_pi(self) -> bool:
        return "model" in self.machine

    @property
    def header(self) -> GpioChip:
        """The gpiochip with the 40 pins."""
        return next(chip for chip in self.chips.values() if chip.label.startswith("pinctrl-"))

    def may_not_open(self, path: str) -> bool:
        return any(f"/{name}" in path for name in self.forbidden)

    def kernel(self) -> Kernel:
        kernel = Kernel(self.chips, self.nodes, self.draw or draw_table, self.may_not_open)
        kernel.is_heap_full = self.is_heap_full
        return kernel

    def show(self, draw: Callable[[int, int], np.ndarray[Any, Any]]) -> None:
        """Every lens shows something else."""
        self.draw = draw
        for camera in self.cameras:
            camera.draw = draw

    def plug_sensor(self, name: str) -> libcamera.Plugged:
        """A camera on the ribbon."""
        about = _read("cameras", name)
        found = _plugged(about, f"{self.machine['i2c']}/{about['address']}", is_sensor=True)
        self.cameras.append(found)
        for index, number in enumerate(self.machine["csi"]["nodes"]):
            self.nodes[number] = VideoNode(number, self.machine["csi"]["driver"], index=index)
        return found

    def plug_webcam(self, name: str) -> VideoNode:
        """A camera on USB; libcamera sees it first."""
        about = _read("cameras", name)
        self.cameras.insert(0, _plugged(about, f"{self.machine['usb']}:{about['address']}", is_sensor=False))
        number = next(number for number in range(64) if number not in self.nodes)
        formats = tuple(mode["format"] for mode in about["modes"])
        self.nodes[number] = VideoNode(number, "uvcvideo", about["model"], formats=formats)
        after = next(other for other in range(64) if other not in self.nodes)
        self.nodes[after] = VideoNode(after, "uvcvideo", about["model"], index=1)
        self.links[f"dev/v4l/by-id/{about['link']}-video-index0"] = f"../../video{number}"
        return self.nodes[number]

    def unplug_cameras(self) -> None:
        self.cameras.clear()
        self.nodes = {
            n: node for n, node in self.nodes.items() if node.driver not in {"unicam", "rp1-cfe", "uvcvideo"}
        }
        self.links.clear()

    def mixer(self, card_id: str) -> str:
        """A card's control as `amixer scontents` prints it (alsa-utils, amixer.c: show_selem)."""
        found = next((card for card in self.sound if card.id == card_id), None)
        if found is None or found.driver == "vc4-hdmi":  # it has no volume
            return ""
        name = (
            "Speaker"
            if found.driver == "USB-Audio"
            else "Master"
            if found.driver.startswith("HDA")
            else "PCM"
        )
        state = "0 [0%] [off]" if found.is_muted else f"{found.volume} [{found.volume}%] [on]"
        return (
            f"Simple mixer control '{name}',0\n  Capabilities: pvolume pswitch\n  Playback channels: Mono\n"
            f"  Limits: Playback 0 - 100\n  Mono: Playback {state}"
        )

    def sinks(self) -> str:
        """What `pactl info` and `pactl list sinks` print (pipewire-pulse; balena-supervisor issue 1531).

        Or, on bookworm, `wpctl status` (wireplumber, wpctl.c): pipewire-pulse only suggests pactl. An HDMI
        output without a monitor has no profile, so it is not there.
        """
        if not self.has_desktop:
            return ""
        there = [(number, card) for number, card in enumerate(self.sound) if self._has_sink(card)]
        if not there:
            return "Default Sink: auto_null\nSink #1\n\tName: auto_null\n\tDescription: Dummy Output\n"
        names = {card.driver: card.sink[0] for _, card in there}
        told = f"Default Sink: {names.get(self.default_sink, there[0][1].sink[0])}\n"
        if self.release == "bookworm":
            return "\n".join(self._status([card.sink[what] for _, card in there], names) for what in (1, 0))
        for number, card in there:
            name, description = card.sink
            mute = "yes" if self.is_sink_muted else "no"
            told += (
                f"Sink #{60 + number}\n\tState: SUSPENDED\n\tName: {name}\n\tDescription: {description}\n"
                f"\tDriver: PipeWire\n\tMute: {mute}\n\tVolume: front-left: 26214 /  40% / -23.88 dB\n"
                f'\tBase Volume: 65536 / 100% / 0.00 dB\n\tProperties:\n\t\talsa.card = "{number}"\n'
            )
        return told

    def _status(self, listed: list[str], names: dict[str, str]) -> str:
        """One listing of `wpctl status`; the first is the default if nothing is."""
        drivers = list(names)
        chosen = drivers.index(self.default_sink) if self.default_sink in drivers else 0
        muted = " MUTED" if self.is_sink_muted else ""
        rows = (
            f" │  {'*' if number == chosen else ' '}   {60 + number}. {text} [vol: 0.40{muted}]\n"
            for number, text in enumerate(listed)
        )
        return f"PipeWire\n\nAudio\n ├─ Sinks:\n{''.join(rows)} │\n └─ Streams:\n"

    def _has_sink(self, card: SoundCard) -> bool:
        if card.driver != "vc4-hdmi":
            return True
        number = int(card.id[-1]) if card.id[-1].isdigit() else 0
        return f"HDMI-A-{number + 1}" in self.monitors

    def hold(self, device: str, program: str, pid: int = 812) -> None:
        """Another process has this device file open."""
        self.links[f"proc/{pid}/fd/5"] = f"/{device}"
        self.files[f"proc/{pid}/comm"] = program

    def serve(self, program: str, pid: int, command: str = "") -> None:
        """A service of another user's runs, whose open files are hidden."""
        self.files[f"proc/{pid}/comm"] = f"{program}\n"
        self.files[f"proc/{pid}/cmdline"] = command or f"/usr/bin/{program}\0"
        self.files[f"proc/{pid}/cgroup"] = f"0::/system.slice/{program}.service\n"

    def build(self, root: Path) -> None:
        """Write what the machine's files are, where they differ from those that were built there last."""
        files, links = {**dict(self._files()), **self.files}, {**dict(self._links()), **self.links}
        wanted = {name: ("file", content) for name, content in files.items()}
        wanted |= {name: ("link", target) for name, target in links.items()}
        built = _BUILT.setdefault(str(root), {})
        for folder in REFILLED:
            shutil.rmtree(root / folder, ignore_errors=True)
        for name in [
            name for name, one in built.items() if wanted.get(name) != one or name.startswith(REFILLED)
        ]:
            del built[name]
            if not name.startswith(REFILLED):
                _remove(root, name)
        for name in [name for name in wanted if name not in built]:
            kind, content = built[name] = wanted[name]
            path = f"{root}/{name}"
            os.makedirs(path.rpartition("/")[0], exist_ok=True)  # noqa: PTH103 - thousands of them
            if kind == "link":
                assert isinstance(content, str)
                os.symlink(f"{root}{content}" if content.startswith("/") else content, path)  # noqa: PTH211
                continue
            with open(path, "wb") as file:  # noqa: PTH123
                file.write(content.encode() if isinstance(content, str) else content)

    def _files(self) -> Iterator[tuple[str, str | bytes]]:
        if self.is_pi:
            yield "proc/device-tree/model", self.machine["model"] + "\0"
            yield "proc/device-tree/system/linux,revision", self.machine["revision"].to_bytes(4, "big")
            yield CONFIG, SHIPPED_CONFIG
            yield "dev/dma_heap/linux,cma", ""
            yield "sys/class/hwmon/hwmon0/name", "rpi_volt\n"
            yield "sys/class/hwmon/hwmon0/in0_lcrit_alarm", "0\n"
        for number in self.chips:
            yield f"dev/gpiochip{number}", ""
        drivers = sorted({node.driver for node in self.nodes.values()})
        for number in range(len(drivers)):
            yield f"dev/media{number}", ""
        for node in self.nodes.values():
            yield f"dev/video{node.number}", ""
            yield f"sys/class/video4linux/video{node.number}/name", (node.card or node.driver) + "\n"
            yield f"sys/class/video4linux/video{node.number}/index", f"{node.index}\n"
            yield f"sys/bus/drivers/{node.driver}/uevent", ""
        yield from self._sound_files()
        yield from self._screen_files()
        if self.encoder:
            yield from ((f"dev/input/js{number}", "") for number in range(self.encoders))
        else:
            yield "dev/input/event0", ""

    def _sound_files(self) -> Iterator[tuple[str, str]]:
        listed = "".join(
            f" {number} [{card.id:<15}]: {card.driver} - {card.name}\n{'':22}{card.name}\n"
            for number, card in enumerate(self.sound)
        )
        yield "proc/asound/cards", listed or "--- no soundcards ---\n"
        for number, card in enumerate(self.sound):
            yield f"proc/asound/card{number}/pcm0p/info", f"card: {number}\nname: {card.name}\n"
            yield f"dev/snd/pcmC{number}D0p", ""

    def _screen_files(self) -> Iterator[tuple[str, str | bytes]]:
        drm = self.machine["drm"]
        if not self.has_graphics:
            return
        yield f"dev/dri/card{drm['card']}", ""
        for connector in (*drm["hdmi"], *([drm["panel"]] if "panel" in drm else [])):
            on = connector in self.monitors
            place = f"sys/class/drm/card{drm['card']}-{connector}"
            yield f"{place}/status", "connected\n" if on else "disconnected\n"
            yield f"{place}/edid", LOUDSPEAKERS if on else b""
        if self.has_desktop:
            yield (
                "run/systemd/sessions/1",
                (
                    "UID=1000\nUSER=ana\nACTIVE=1\nIS_DISPLAY=1\nSTATE=active\nREMOTE=0\nTYPE=wayland\nCLASS=user\n"
                    "DESKTOP=labwc\nSEAT=seat0\nVTNR=7\nSERVICE=lightdm-autologin\nLEADER=700\n"
                ),
            )
            yield "proc/700/comm", "labwc\n"

    def _links(self) -> Iterator[tuple[str, str]]:
        for node in self.nodes.values():
            device = f"sys/class/video4linux/video{node.number}/device"
            yield f"{device}/driver", f"/sys/bus/drivers/{node.driver}"
        if self.has_desktop:
            yield "etc/systemd/system/display-manager.service", "/usr/lib/systemd/system/lightdm.service"
            yield "etc/systemd/system/default.target", "/usr/lib/systemd/system/graphical.target"


_BUILT: dict[str, dict[str, tuple[str, str | bytes]]] = {}
"""By a folder, what is built there: a file with its content, or a link with its target."""
REFILLED = ("dev/input", "games")
"""Folders that others put something into, too: devices that are plugged in, and games."""


def _remove(root: Path, name: str) -> None:
    """A file or link, and the folders that are empty then: of some, that they are there says something."""
    os.unlink(f"{root}/{name}")  # noqa: PTH108 - thousands of them
    folder = name.rpartition("/")[0]
    while folder:
        try:
            os.rmdir(f"{root}/{folder}")  # noqa: PTH106
        except OSError:
            return
        folder = folder.rpartition("/")[0]


@cache
def _read(kind: str, name: str) -> dict[str, Any]:
    return tomllib.loads((HERE / kind / f"{name}.toml").read_text(encoding="utf-8"))


def _plugged(about: dict[str, Any], address: str, *, is_sensor: bool) -> libcamera.Plugged:
    modes = [
        libcamera.Mode(
            mode["format"], tuple(mode["size"]), tuple(mode.get("crop", (0, 0, 0, 0))), mode.get("fps", 30.0)
        )
        for mode in about["modes"]
    ]
    focus = about.get("has_focus", False)
    return libcamera.Plugged(
        address, about["model"], modes, is_sensor=is_sensor, has_focus=focus, draw=draw_table
    )


def open_world(machine: str, release: str, has_desktop: bool) -> World:
    """A machine as its builder has it when all is well: camera, monitor, a loudspeaker on USB."""
    about = _read("machines", machine)
    chips = about.get(f"{release}_chips", about["chips"])
    world = World(
        title=f"{about['title']}, {release}{' desktop' if has_desktop else ' lite'}",
        machine=about,
        release=release,
        has_desktop=has_desktop,
        chips={
            chip["number"]: GpioChip(
                chip["label"], chip["lines"], {int(n): user for n, user in chip.get("users", {}).items()}
            )
            for chip in chips
        },
        nodes={
            number: VideoNode(number, row["driver"], index=index)
            for row in about["video"]
            for index, number in enumerate(row["nodes"])
        },
        sound=[SoundCard(**card) for card in about["sound"]],
        settings=Settings(table=TableSettings(chairs=CHAIRS)),
        monitors={about["drm"].get("panel", about["drm"]["hdmi"][0])},
    )
    world.files["run/systemd/timesync/synchronized"] = ""
    world.sound.append(SoundCard("Device", "USB-Audio", "USB Audio Device"))
    if "csi" in about:
        world.plug_sensor("imx708")
    else:
        world.plug_webcam("c920")
    if not world.is_pi:
        world.missing |= {"picamera2", "libcamera", "lgpio", "gpiod"}
    if has_desktop:
        world.environ = {"WAYLAND_DISPLAY": "wayland-0", "XDG_RUNTIME_DIR": "/run/user/1000"}
        world.files["run/user/1000/pipewire-0"] = ""
    return world


@cache
def _mat() -> np.ndarray[Any, Any]:
    """Kinapa's mat from the guide's height, as a picture of 16:9 shows it."""
    renderer = TableRenderer(
        Textures.load(bundled_assets_folder() / "decks" / "kinapa"), mat_layout("kinapa", 4), EASY
    )
    return renderer.render(TableScene(()), np.random.default_rng(1))


@cache
def draw_table(width: int, height: int) -> np.ndarray[Any, Any]:
    """What a lens over the table shows: the mat across its whole width, cloth above and below it."""
    mat = cv2.resize(_mat(), (width, min(height, width * 9 // 16)))
    above = (height - mat.shape[0]) // 2
    return cv2.copyMakeBorder(mat, above, height - mat.shape[0] - above, 0, 0, cv2.BORDER_REPLICATE)
