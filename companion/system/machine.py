"""Facade for files, environment, programs and services of the machine, replaceable in tests."""

import os
import re
import shutil
import socket
import struct
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from glob import glob
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from companion.core.clock import Clock, wall_time
from companion.system.setup_opencv import has_libgl, installed_version

PROGRAM = "table-companion"
WEBCAM, LOUDSPEAKER = "0e", "01"
"""Classes of USB interfaces, as sysfs numbers them; a webcam has a microphone of the other class, too."""
TOO_HOT = 80
"""Degrees Celsius from which a Pi's firmware slows it down, by the maker's documentation."""


LOW_BATTERY, BATTERY_REMEDY = 20, "plug in the power supply"
"""Per cent."""
MIN_MEMORY = 150_000
"""kB that are free; with a camera the table needs about 200 MB, most of which it has while it runs."""
LEAST_MEMORY = 700_000
"""kB in all: a Pi of 1 GB has 900,000 of them, one of 512 MB, such as a Zero 2, 420,000."""
MEMORY_REMEDY = "close other programs, browsers first; of a Pi use one with 2 GB"
SYSTEM_MODULES = "usr/lib/python3/dist-packages"
"""Where apt puts the modules of Debian's packages."""
GROUP_FIELDS = 4
"""Of a line of /etc/group; the last has the members."""
TABLE_GROUPS = ("gpio", "video", "render", "input", "audio")
"""What the user of a table on a Pi has to be in."""
ANSWER_TIMEOUT = 5.0
"""Seconds within which the firmware, or a sound card's mixer, has answered."""
UNDER_VOLTAGE = 0x10001
"""Of the firmware's `get_throttled` the bits of too little power, now and since the start."""
SYSTEM_UNIT = re.compile(r"/system\.slice/(?:[^/]+\.slice/)*([^/]+\.service)\b")
"""In /proc/PID/cgroup: the service of the machine that a process belongs to."""
USER_UNIT = re.compile(r"/user@\d+\.service/(?:[^/]+\.slice/)*([^/]+\.service)\b")
"""The same of one that a user's own systemd starts."""
CONTAINER = re.compile(r"docker[-/]([0-9a-f]{12})")
"""The same: the container that it runs in."""
GPIO_SERVICES = re.compile(r"(?i)argon|gpio|fan|button|retro|shutdown|power_?off|ups|rotary|led_?strip|lirc")
"""What a box's or a board's own service is called, in its unit or its command, that takes pins."""
CAMERA_PROGRAMS = re.compile(
    r"(?i)/dev/(?:video|media|v4l)|\bmotion|mjpe?g|streamer|crowsnest|webcam|frigate|go2rtc|mediamtx|rtsp|webrtc"
    r"|zoneminder|\bzm[ac]\b|shinobi|rpicam|libcamera|picamera|raspivid|uv4l|guvcview|cheese|\bobs\b|camera|janus"
)
"""What programs are called, in their unit or their command, that take a camera."""
SCREEN_PROGRAMS = re.compile(
    r"(?i)kodi|retroarch|emulationstation|retropie|xorg|weston|\bcage\b|labwc|wayfire|\bsway\b|mutter|kwin|plymouth"
    r"|kiosk|chromium|magicmirror|electron|\bmpv\b|\bvlc\b|omxplayer|steamlink|moonlight|signage"
)
"""The same of those that draw on the bare screen."""
USB_SILENT = re.compile(
    r"usb (\S+?): (?:unable to enumerate USB device|device descriptor read.*error -(?:71|110|32)\b"
    r"|device not accepting address)"
)
"""What the kernel says of a USB part that does not answer, and at which socket."""
DISK_ERRORS = re.compile(
    r"I/O error.*? dev(?:ice)? (mmcblk\d|sd[a-z]|nvme\d+n\d+)"
    r"|\b(mmcblk\d): (?:error -\d+|recovery failed|timed out)"
    r"|EXT4-fs (?:error|warning) \(device (mmcblk\d|sd[a-z]|nvme\d+n\d+)"
)
"""What the kernel says of a disk that fails (drivers/mmc, block/blk-core.c, fs/ext4/super.c)."""
CARD_REMEDY = "back up to a stick (companion backup), then use a new card"
SILENT_USB_REMEDY = "use a shorter cable or another socket, or a USB hub with its own supply"
OVER_CURRENT = "sys/bus/usb/devices/*/*-port*/over_current_count"
"""How often a USB socket was switched off because too much was drawn from it."""
OVERDRAWN_USB_REMEDY = "put what draws most at a USB hub with its own supply"
FULL_SPEED = 12
"""Mbit/s of USB 1; a webcam comes up so where its cable is too long, or thin."""
OUTSIDE = "start it in a terminal outside"
SANDBOXES: tuple[tuple[str, str, str, str], ...] = (
    ("FLATPAK_ID", ".flatpak-info", "a flatpak", OUTSIDE),
    (
        "container",
        ".dockerenv",
        "a container",
        f"{OUTSIDE}, or hand it all devices (-v /dev:/dev --privileged)",
    ),
    ("container", "run/.containerenv", "a container", f"{OUTSIDE}, or hand it all devices (-v /dev:/dev)"),
    ("WSL_DISTRO_NAME", "", "WSL", "install it in Windows itself, or on a machine with Linux"),
    ("SNAP_NAME", "", "a snap", f"{OUTSIDE}, with /usr/bin/python3"),
)
"""What sets this variable or has this file at its root, how people call it, and the remedy."""
INTERPRETERS = re.compile(r"python[\d.]*|node|perl|ba?sh")
"""Processes that are called so run a file that says more."""
JOYSTICK_KEYS = (0x120, 0x130)
"""The first button of a joystick, and of a pad (BTN_TRIGGER, BTN_SOUTH)."""


class Process(NamedTuple):
    """Another program that runs."""

    pid: str
    name: str
    unit: str = ""
    """Of systemd, which starts it again where it is only ended; empty: none."""
    command: str = ""
    """What ends it and keeps it away."""

    def __str__(self) -> str:
        return f"process {self.pid} ({self.name})"

    def remedy(self) -> str:
        """How it ends and stays away."""
        what = "end that service for good" if self.unit else "end that program"
        return f"{what}: {self.command}"


def _module(name: str) -> Path | None:
    spec = find_spec(name)
    return None if spec is None else Path(spec.origin or ".")


def read_output(*command: str) -> str:
    """What a program prints; empty where it is not there, or does not answer in time."""
    try:
        told = subprocess.run(command, capture_output=True, text=True, check=False, timeout=ANSWER_TIMEOUT)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return told.stdout.strip()


def program_version() -> str:
    """The installed version of this program, as journals and `--version` name it."""
    return installed_version(PROGRAM) or "0+unknown"


PAGE_PORT = 8420
"""Where the page serves if nobody says otherwise."""
UFW_RULES = "etc/ufw/user.rules"
"""What ufw lets in; on Debian for root alone to read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Files below `root`, environment, modules and programs of one machine."""

    root: Path = Path("/")
    platform: str = sys.platform
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    module: Callable[[str], Path | None] = _module
    """Where a module would be imported from, without importing it."""
    has_libgl: Callable[[], bool] = has_libgl
    version: Callable[[str], str | None] = installed_version
    which: Callable[[str], str | None] = shutil.which
    bits: int = 8 * struct.calcsize("P")
    """Of an address in this Python: 64, or 32 on a system that is so."""
    folder: Path = field(default_factory=Path.cwd)
    output: Callable[..., str] = read_output
    """What a program prints, given its command; empty where it is not there."""
    wall_time: Callable[[], str] = wall_time
    """As in `companion.core.clock`."""

    def find(self, pattern: str) -> list[Path]:
        """The files below the root that match, sorted."""
        return sorted(self.root / found for found in glob(pattern, root_dir=self.root))  # noqa: PTH207 - twice as fast

    def read_text(self, path: str) -> str:
        """The content of a small file below the root; empty if there is none."""
        try:
            with open(f"{self.root}/{path}", encoding="utf-8", errors="replace") as file:  # noqa: PTH123 - asked often
                return file.read().strip("\0\n ")
        except OSError:
            return ""

    def is_pi(self) -> bool:
        """Whether this is a Raspberry Pi, or passes for one."""
        if "Raspberry Pi" in self.read_text("proc/device-tree/model"):
            return True
        labels = (
            self.read_text(str(path.relative_to(self.root))) for path in self.find("sys/class/gpio/*/label")
        )
        return any(label.startswith("pinctrl-") for label in labels)

    def is_under_voltage(self) -> bool | None:
        """Whether the kernel has an alarm about the supply of this Pi; None: it tells nothing."""
        for name in self.find("sys/class/hwmon/*/name"):
            folder = name.parent.relative_to(self.root)
            if self.read_text(f"{folder}/name") == "rpi_volt":
                return self.read_text(f"{folder}/in0_lcrit_alarm") == "1"
        return None

    def had_under_voltage(self) -> bool:
        """Whether a Pi has too little power, or has had since it was started, as far as it tells."""
        if self.is_under_voltage() or not self.is_pi():
            return bool(self.is_under_voltage())
        told = re.search(r"throttled=0x([0-9a-fA-F]+)", self._printed("vcgencmd", "get_throttled"))
        return told is not None and bool(int(told[1], 16) & UNDER_VOLTAGE)

    def _printed(self, *command: str) -> str:
        """What a program of this machine prints; of another root's nothing, where nobody answers for it."""
        is_other = self.output is read_output and self.root != Path("/")
        return "" if is_other else self.output(*command)

    def find_silent_usb(self) -> str:
        """The socket of a USB part that does not answer, by the kernel's log; empty: none, or no log.

        A socket where a part has come up since counts no more.
        """
        found = USB_SILENT.findall(self._kernel_log())
        sockets = [re.sub(r"^usb(\d+)-port", r"\1-", one).replace("-port", ".") for one in found]
        return next((one for one in reversed(sockets) if not self.find(f"sys/bus/usb/devices/{one}")), "")

    def find_overdrawn_usb(self) -> str:
        """The USB socket that was switched off since the start, for too much was drawn from it; or empty."""
        for counter in self.find(OVER_CURRENT):
            if self.read_text(str(counter.relative_to(self.root))) not in {"", "0"}:
                return counter.parent.name
        return ""

    def find_disk_errors(self) -> str:
        """The disk, most often a card, of which the kernel's log has errors; empty: none, or no log."""
        rows = [line.split() for line in self.read_text("proc/self/mounts").splitlines()]
        root = next((row[0] for row in rows if row[1:2] == ["/"]), "")
        ours = ("mmcblk0", "nvme0n1")  # and what the system is on: a stick that was pulled out is nobody's
        named = ("".join(found) for found in DISK_ERRORS.findall(self._kernel_log()))
        return next((disk for disk in named if disk in ours or root.startswith(f"/dev/{disk}")), "")

    def _kernel_log(self) -> str:
        log = self._printed("dmesg") or self._printed("journalctl", "--dmesg", "--boot", "--output=cat")
        return log or self.read_text("var/log/kern.log")

    def find_firewall(self, port: int) -> tuple[str, str] | None:
        """That a firewall is on, and what lets others in at our port; None: none is, or it lets them."""
        rules = self.read_text(UFW_RULES)
        if "ENABLED=yes" in self.read_text("etc/ufw/ufw.conf") and str(port) not in rules:
            return "a firewall (ufw) is on", f"sudo ufw allow {port}/tcp"
        commands = self.find("proc/[0-9]*/comm")
        if any(self.read_text(str(file.relative_to(self.root))) == "firewalld" for file in commands):
            fix = f"sudo firewall-cmd --add-port={port}/tcp, and again with --permanent"
            return "a firewall (firewalld) is on", fix
        return None

    def reads_firewall(self) -> bool:
        """Whether this user may read the rules of ufw, where that is the firewall."""
        return bool(self.read_text(UFW_RULES)) or "ENABLED=yes" not in self.read_text("etc/ufw/ufw.conf")

    def is_blocked(self, radio: str) -> bool:
        """Whether the system keeps a kind of radio off, as Wi-Fi on a Pi until its country is known.

        `radio`: `wlan` or `bluetooth`, as the kernel names them.
        """
        places = [kind.parent.relative_to(self.root) for kind in self.find("sys/class/rfkill/*/type")]
        told = [(self.read_text(f"{place}/type"), self.read_text(f"{place}/soft")) for place in places]
        return (radio, "1") in told

    def saves_wifi_power(self, interface: str) -> bool:
        """Whether a Wi-Fi sleeps between packets, as far as the system tells."""
        return self._printed("/usr/sbin/iw", "dev", interface, "get", "power_save").endswith(": on")

    def find_slow_webcam(self) -> str:
        """The name of a webcam that came up as slow as USB 1; empty: there is none."""
        cameras = {
            self.read_text(str(file.relative_to(self.root)))
            for file in self.find("sys/class/video4linux/video*/name")
        }
        for file in self.find("sys/bus/usb/devices/*/speed"):
            part = file.parent.relative_to(self.root)
            speed, name = self.read_text(f"{part}/speed"), self.read_text(f"{part}/product")
            kinds = {self.read_text(f"{part}:{n}/bInterfaceClass") for n in ("1.0", "1.1")}
            if speed in {str(FULL_SPEED), "1.5"} and (WEBCAM in kinds or (name and name in cameras)):
                return name or f"USB {part.name}"
        return ""

    def find_battery(self) -> int | None:
        """Per cent left of a battery that this machine runs on; None: it has none, or is plugged in."""
        for kind in self.find("sys/class/power_supply/*/type"):
            battery = kind.parent.relative_to(self.root)
            told = [self.read_text(f"{battery}/{name}") for name in ("type", "status", "scope", "capacity")]
            if told[:2] == ["Battery", "Discharging"] and told[2] != "Device" and told[3].isdecimal():
                return int(told[3])
        return None

    def read_heat(self) -> int:
        """Degrees Celsius of a Pi's processor; 0: it is none, or tells nothing."""
        text = self.read_text("sys/class/thermal/thermal_zone0/temp") if self.is_pi() else ""
        return int(text) // 1000 if text.isdecimal() else 0

    def find_undriven_usb(self, interface: str) -> str:
        """The name of a USB part of this class that no driver has, as after an update of the kernel.

        Empty: there is none. A part that is a webcam, too, counts as that alone.
        """
        undriven: dict[str, set[str]] = {}
        for found in self.find("sys/bus/usb/devices/*:*/bInterfaceClass"):
            if not (found.parent / "driver").exists():
                kind = self.read_text(str(found.relative_to(self.root)))
                undriven.setdefault(found.parent.name.partition(":")[0], set()).add(kind)
        for part, kinds in undriven.items():
            if interface in kinds and (interface == WEBCAM or WEBCAM not in kinds):
                return self.read_text(f"sys/bus/usb/devices/{part}/product") or f"USB {part}"
        return ""

    def find_sandbox(self) -> tuple[str, str] | None:
        """What this program runs in that may keep devices from it, and the remedy; None: it is in none."""
        for variable, file, name, fix in SANDBOXES:
            if self.environ.get(variable) or (file and (self.root / file).exists()):
                return f"this runs in {name}, where cameras, pins and sound cards are not seen", fix
        return None

    def lacks_modules(self) -> bool:
        """Whether the running kernel's modules were replaced by another's: no driver can be loaded."""
        kernels = {path.name for path in self.find("lib/modules/*")}  # none where the service may not look
        return bool(kernels) and self.read_text("proc/sys/kernel/osrelease") not in {"", *kernels}

    def join_groups(self, groups: str) -> str:
        """How this user comes by rights that members of these groups have, named with commas between.

        A group that somebody was added to counts from the next login on, for a service from its next start.
        On a Pi the others that a table needs are named, too, so that one line and one login are enough.
        """
        if (sandbox := self.find_sandbox()) is not None:
            return f"{sandbox[1]}: {sandbox[0]}"
        user = self.environ.get("USER") or self.environ.get("LOGNAME", "")
        service = SYSTEM_UNIT.search(self.read_text("proc/self/cgroup"))
        anew = "log in again" if service is None else f"sudo systemctl restart {service[1]}"
        rows = [line.split(":") for line in self.read_text("etc/group").splitlines()]
        joined = {row[0] for row in rows if len(row) == GROUP_FIELDS and user in row[-1].split(",")}
        if user and joined.issuperset(groups.split(",")):
            again = "log out and in again, or restart" if service is None else anew
            return f"{again}: {user} was added to {groups} since it began"
        if service is None and self.is_pi():
            wanted = groups.split(",")
            missing = {row[0] for row in rows} - joined - {*wanted}
            groups = ",".join([*wanted, *(group for group in TABLE_GROUPS if group in missing)])
        return f"sudo usermod -aG {groups} {'$USER' if service is None else user or 'its user'}, then {anew}"

    def _lacks_makers_packages(self) -> bool:
        """Whether this is a Pi whose apt knows nothing of Raspberry Pi OS, as with plain Debian."""
        files = [*self.find("etc/apt/sources.list"), *self.find("etc/apt/sources.list.d/*")]
        told = "".join(self.read_text(str(file.relative_to(self.root))) for file in files)
        is_ubuntu = "ubuntu" in self.read_text("etc/os-release").lower()  # whose archives have other versions
        return self.is_pi() and (is_ubuntu or (bool(told) and "raspberrypi" not in told.lower()))

    def package_remedy(self, packages: str, module: str) -> str:
        """How this Python comes to find a module that belongs to the system's packages, named as apt does.

        What apt has installed already is only not seen from an environment of its own, such as pipx's.
        """
        if self.find(f"{SYSTEM_MODULES}/{module}*") and self.module(module) is None:
            return (
                f"apt has installed {module}, only this environment does not see it; make it anew with "
                "/usr/bin/python3 and --system-site-packages (pipx install --force has that option, too), or "
                "sudo systemd/install.sh"
            )
        if module in {"picamera2", "libcamera"} and self._lacks_makers_packages():
            return f"this system's apt has no {packages.split(maxsplit=1)[0]}: flash Raspberry Pi OS (64-bit)"
        return (
            f"sudo apt install {packages}; the environment needs /usr/bin/python3 and --system-site-packages"
        )

    def joysticks(self) -> list[Path]:
        """What is plugged in of joysticks, and of USB encoders, which pass for one.

        So do receivers of wireless keyboards and a laptop's motion sensor; they have no such keys.
        """
        return [stick for stick in self.find("dev/input/js*") if self._has_joystick_keys(stick.name)]

    def _has_joystick_keys(self, stick: str) -> bool:
        """By the kernel's map of its keys, a bit for each; taken for granted where there is none."""
        words = self.read_text(f"sys/class/input/{stick}/device/capabilities/key").split()
        keys = int("".join(word.zfill(self.bits // 4) for word in words) or "0", 16)
        return not words or any(keys >> key & 1 for key in JOYSTICK_KEYS)

    def pi_generation(self) -> int:
        """Of which generation this Raspberry Pi is, by the kernel's name of the model; 0: it is none."""
        model = self.read_text("proc/device-tree/model")
        if "Raspberry Pi" not in model:
            return 0
        numbered = re.search(r"(?:Raspberry Pi|Compute Module) (\d)", model)
        return int(numbered[1]) if numbered else 3 if "Zero 2" in model else 1

    def has_ribbon_socket(self) -> bool:
        """Whether a camera on a ribbon can be plugged in: a Pi that is a keyboard has no socket for one."""
        return re.search(r"Raspberry Pi \d00\b", self.read_text("proc/device-tree/model")) is None

    def find_memory_fault(self) -> str:
        """That memory is short, or was so short that the kernel ended a program; empty: neither."""
        read = self.read_text("proc/meminfo")
        whole = re.search(r"^MemTotal: *(\d+) kB", read, re.MULTILINE)
        if whole is not None and int(whole[1]) < LEAST_MEMORY:
            return f"it has {int(whole[1]) // 1000} MB of memory in all, too little for screen and camera"
        free = re.search(r"^MemAvailable: *(\d+) kB", read, re.MULTILINE)
        if free is not None and int(free[1]) < MIN_MEMORY:
            return f"only {int(free[1]) // 1000} MB of memory are free: everything gets slow, or is ended"
        ended = re.search(r"^oom_kill ([1-9]\d*)$", self.read_text("proc/vmstat"), re.MULTILINE)
        return f"memory ran out, and programs were ended for it ({ended[1]} since the start)" if ended else ""

    def device_holder(self, device: Path) -> Process | None:
        """Another process that holds a device open, as far as we may see."""
        return next(self._processes_with(lambda link: link == device), None)

    def find_holder(self, devices: Iterable[Path], called: re.Pattern[str] | None = None) -> Process | None:
        """Who has one of these devices open, as far as we may see.

        `called`: what programs are called, in their unit or their command, that may have it where nobody is
        seen with it: other users' files are hidden.
        """
        seen = next(filter(None, map(self.device_holder, devices)), None)
        return seen if seen or called is None else next(self._hidden_processes(called), None)

    def sound_holder(self, card: int) -> Process | None:
        """Who plays on a sound card: ALSA tells it to all."""
        for file in self.find(f"proc/asound/card{card}/pcm*p/sub*/status"):
            owner = re.search(
                r"^owner_pid *: *(\d+)", self.read_text(str(file.relative_to(self.root))), re.MULTILINE
            )
            if owner is not None and owner[1] != str(os.getpid()):
                return self._process(owner[1])
        return next(filter(None, map(self.device_holder, self.find(f"dev/snd/pcmC{card}D*p"))), None)

    def gpio_process(self, consumer: str = "") -> Process | None:
        """The one other process that has pins open, as far as we may see; None: there is none, or several.

        Of a service of root's, whose files are hidden, what it is called tells, first that which asked for
        the pin as `consumer`.
        """
        found = set(self._processes_with(_is_gpio))
        patterns = (*([re.compile(rf"(?i)\b{re.escape(consumer)}\b")] if consumer else []), GPIO_SERVICES)
        for called in patterns:
            found = found or {one for one in self._hidden_processes(called) if one.unit}
        return found.pop() if len(found) == 1 else None

    def _hidden_processes(self, called: re.Pattern[str]) -> Iterator[Process]:
        """Other users' processes whose unit or command has such a name, services first.

        Of this user's own, all that they have open is seen.
        """
        found = []
        for folder in self.find("proc/[0-9]*"):
            process = self._process(folder.name)
            told = f"{process.unit} {process.name} {self.read_text(f'proc/{folder.name}/cmdline')}"
            is_hidden = not os.access(folder / "fd", os.R_OK)
            if is_hidden and not process.unit.startswith("companion") and called.search(told):
                found.append(process)
        return iter(sorted(found, key=lambda process: not process.unit))

    def _process(self, pid: str) -> Process:
        group = self.read_text(f"proc/{pid}/cgroup")
        unit, own, container = (kind.search(group) for kind in (SYSTEM_UNIT, USER_UNIT, CONTAINER))
        name = self._process_name(pid)
        if container is not None:
            command = f"sudo docker update --restart=no {container[1]}, then sudo docker stop {container[1]}"
            return Process(pid, name, command=command)
        if own is not None:
            return Process(pid, name, own[1], f"systemctl --user disable --now {own[1]}")
        if unit is not None:
            return Process(pid, name, unit[1], f"sudo systemctl disable --now {unit[1]}")
        is_ours = os.access(self.root / f"proc/{pid}/fd", os.R_OK)
        return Process(pid, name, command=f"{'' if is_ours else 'sudo '}kill {pid}")

    def _processes_with(self, is_open: Callable[[Path], bool]) -> Iterator[Process]:
        """Other processes that have a file open which this answers for."""
        for link in self.find("proc/[0-9]*/fd/*"):
            pid = link.parts[-3]
            with suppress(OSError):  # it ended, or is not ours to look at
                if pid != str(os.getpid()) and is_open(link.readlink()):
                    yield self._process(pid)

    def _process_name(self, pid: str) -> str:
        """What people call a process: of a script its file, not what runs it."""
        name = self.read_text(f"proc/{pid}/comm")
        if INTERPRETERS.fullmatch(name):
            _, *given = self.read_text(f"proc/{pid}/cmdline").split("\0")
            name = next((Path(one).name for one in given if one and not one.startswith("-")), name)
        return name or "unknown"


def _is_gpio(link: Path) -> bool:
    """Whether an open file is a gpiochip, or one of its lines."""
    return link.name.startswith("gpiochip") or str(link).startswith("anon_inode:gpio")


PINGS_PER_WATCHDOG = 4
"""A feed may come late by three quarters of the watchdog's time before systemd restarts the program."""


class SystemdNotifier:
    """Owns the socket to systemd; without one every word goes nowhere."""

    def __init__(self, clock: Clock, environ: Mapping[str, str] = os.environ) -> None:
        self._clock = clock
        self._socket = _connect(environ.get("NOTIFY_SOCKET", ""))
        watch = environ.get("WATCHDOG_USEC", "")
        ours = environ.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        self._every = int(watch) * 1000 // PINGS_PER_WATCHDOG if watch.isdigit() and ours else None
        """Nanoseconds of the kernel's clock: game time starts again with each game."""
        self._rounds = 0
        self._next = 0

    def notify_alive(self) -> None:
        """Say that the main loop goes round; the second round means that the first picture is drawn."""
        if self._socket is None:
            return
        self._rounds += 1
        if self._rounds == 2:
            self._notify("READY=1")
        now = self._clock.to_monotonic_ns(self._clock.now())
        if self._every is not None and now >= self._next:
            self._notify("WATCHDOG=1")
            self._next = now + self._every

    def close(self) -> None:
        """Say that the program ends."""
        if self._socket is not None:
            self._notify("STOPPING=1")
            self._socket.close()
            self._socket = None

    def _notify(self, word: str) -> None:
        assert self._socket is not None
        with suppress(OSError):  # systemd is being restarted itself: the next feed finds it back
            self._socket.send(word.encode())


def _connect(address: str) -> socket.socket | None:
    if not address:
        return None
    if address.startswith("@"):  # the abstract namespace
        address = "\0" + address[1:]
    notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
    try:
        notify.connect(address)
    except OSError:
        notify.close()
        return None
    notify.setblocking(False)  # noqa: FBT003 (the socket module's own spelling)
    return notify
