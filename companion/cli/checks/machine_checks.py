"""The checks of `companion doctor` about the machine itself: system, power, clock, what starts the table."""

import re
from collections.abc import Iterator, Mapping
from itertools import chain
from types import MappingProxyType

from companion.core.check_verdict import (
    CheckVerdict,
    absent_verdict,
    fault_verdict,
    join_faults,
    ok_verdict,
    untried_verdict,
)
from companion.core.clock import is_clock_wrong
from companion.settings.files import UNREAD_REMEDY, find_unread_file
from companion.settings.model import Settings
from companion.system.boot_config import PATHS, find_unread_lines, read_boot_config
from companion.system.desktop import find_desktop
from companion.system.device_lock import running_table
from companion.system.file_owner import is_root
from companion.system.machine import (
    BATTERY_REMEDY,
    LOW_BATTERY,
    MEMORY_REMEDY,
    OVERDRAWN_USB_REMEDY,
    PROGRAM,
    SILENT_USB_REMEDY,
    TOO_HOT,
    UNDER_VOLTAGE,
    Machine,
)
from companion.system.terminal import count_with_noun

RELEASES = ("bookworm", "trixie")
"""Of Debian and Raspberry Pi OS: those of which this program knows the libraries."""
OTHER_RELEASES = ("buster", "bullseye", "forky", "sid")
MACHINE_SETTINGS = "etc/companion/settings.toml"
APT_SOURCES = ("etc/apt/sources.list", "etc/apt/sources.list.d/*.list", "etc/apt/sources.list.d/*.sources")


def system(machine: Machine, settings: Settings) -> CheckVerdict:
    """The machine and its operating system."""
    model = machine.read_text("proc/device-tree/model") or machine.platform
    if machine.bits != 64:
        what = f"{model}, {machine.bits}-bit: OpenCV, pygame and numpy have no packages for that"
        return fault_verdict(
            what, "flash the 64-bit Raspberry Pi OS" if machine.is_pi() else "use a 64-bit system"
        )
    found = re.search(r"^VERSION_CODENAME=(\S+)", machine.read_text("etc/os-release"), re.MULTILINE)
    release = found[1] if found else ""
    if machine.is_pi() and release and release not in RELEASES:
        what = f"{model}, {release}: its libraries for pins and camera are not those that this program reads"
        return fault_verdict(what, f"flash Raspberry Pi OS {RELEASES[-1]} (64-bit)")
    sources = _apt_releases(machine)
    if machine.is_pi() and len(sources) > 1:
        what = f"apt fetches from {' and '.join(sources)}: libraries of two systems do not fit each other"
        return fault_verdict(what, "name one of them alone in /etc/apt/sources.list.d, or flash anew")
    if unread := find_unread_lines(machine):
        counted, old = PATHS
        what = f"/{old} says {', '.join(unread)}, and is read no more, so that this part has no driver"
        return fault_verdict(what, f"write it into /{counted}, and restart")
    config = read_boot_config(machine)
    if config is not None and config.misplaced is not None:
        section, line = config.misplaced
        what = f"{config.path} has {line} under {section}, which does not count on this machine"
        return fault_verdict(what, "write it under [all], and restart")
    if short := machine.find_memory_fault():
        return fault_verdict(short, MEMORY_REMEDY)
    if machine.lacks_modules():
        what = f"{model}: the system was updated and not restarted, so what is plugged in now gets no driver"
        return fault_verdict(what, "restart: sudo reboot")
    if updates := machine.find("var/lib/dpkg/updates/[0-9]*"):
        what = (
            f"{model}: an update of the system was cut short ({count_with_noun(len(updates), 'step')} left)"
        )
        return fault_verdict(what, "sudo dpkg --configure -a, then sudo apt full-upgrade")
    if (sandbox := machine.find_sandbox()) is not None:
        return untried_verdict(*sandbox)
    if machine.environ.get("SUDO_USER") and is_root():
        what = f"{model}, asked as root: settings, sound and rights are others than the table's"
        return untried_verdict(what, "ask without sudo; of a service: sudo -u companion companion doctor")
    return ok_verdict(f"{model}, {machine.bits}-bit{f', {release}' if release else ''}")


def _apt_releases(machine: Machine) -> list[str]:
    """The releases from which apt fetches packages."""
    files = chain.from_iterable(map(machine.find, APT_SOURCES))
    lines = chain.from_iterable(
        machine.read_text(str(file.relative_to(machine.root))).splitlines() for file in files
    )
    named = [line for line in lines if not line.lstrip().startswith("#")]
    known = (*RELEASES, *OTHER_RELEASES)
    return [release for release in known if any(re.search(rf"\b{release}\b", line) for line in named)]


def check_settings(machine: Machine, settings: Settings) -> CheckVerdict:
    """Whether the settings files count."""
    if settings.mistake:
        what = "the settings have a mistake, so none of them counts"
        return fault_verdict(what, "; ".join(settings.mistake.splitlines()))
    if unread := find_unread_file(machine):
        return absent_verdict(f"{unread} is not read", UNREAD_REMEDY)
    others = [*machine.find("home/*/.config/companion/settings.toml")]
    others += machine.find("root/.config/companion/settings.toml")
    if others and machine.find(UNIT):
        what = f"the table's service reads /{MACHINE_SETTINGS}, not {others[0]}, which is there, too"
        fix = f"sudo nano /{MACHINE_SETTINGS}, then sudo systemctl restart companion"
        return absent_verdict(what, f"what the table is to know, write into the first: {fix}")
    found = count_with_noun(len(settings.origins), "setting differs", "settings differ")
    return ok_verdict(f"{found} from the defaults")


# Power --------------------------------------------------------------------------------------------------

THROTTLING = (
    (
        (0, 16),
        "under-voltage: the supply or its cable gives too little",
        "use the maker's own supply (5 V 3 A for a Pi 4, 5 V 5 A for a Pi 5), and fewer things on USB",
    ),
    (
        (3, 19, 2, 18, 1, 17),
        "it grew too hot and slowed down",
        "give it a heat sink or a fan, and its box openings",
    ),
)
"""Bits of the firmware's `get_throttled`, now and since the start in turn, what they mean, and what to do."""
SLOWED = 0x60006
"""Of the same bits those of being slowed, by heat or by too little power."""
LID = "proc/acpi/button/lid/*/state"
LID_REMEDY = (
    "open it; to play with it closed, HandleLidSwitch=ignore in /etc/systemd/logind.conf, and restart"
)
MAX_CURRENT = "proc/device-tree/chosen/power/max_current"
"""What the supply of a Pi 5 promised it, in milliamperes, big-endian."""
FULL_CURRENT = 5000
"""Milliamperes; with less all its USB sockets together give 0.6 A, by the maker's documentation."""
FAN_TURNS = 65
"""Degrees Celsius from which a Pi 5's fan turns in any case."""


def check_power(machine: Machine, firmware: str) -> CheckVerdict:
    """Whether the machine had enough power, and stayed cool enough, since it was started.

    `firmware`: what `vcgencmd get_throttled` prints; empty where it is not there.
    """
    throttled = re.search(r"throttled=0x([0-9a-fA-F]+)", firmware)
    faults = list(_throttling_faults(0 if throttled is None else int(throttled[1], 16)))
    alarm = machine.is_under_voltage()
    if throttled is None and alarm:
        faults.append(THROTTLING[0][1:])
    if throttled is None and machine.read_heat() >= TOO_HOT:
        faults.append(THROTTLING[1][1:])
    if socket := machine.find_overdrawn_usb():
        what = f"a USB socket was switched off, for too much was drawn from it ({socket})"
        faults.append((what, OVERDRAWN_USB_REMEDY))
    faults += _fan_faults(machine)
    if socket := machine.find_silent_usb():
        faults.append((f"USB {socket} does not answer, by the kernel's log", SILENT_USB_REMEDY))
    battery = machine.find_battery()
    if battery is not None and battery <= LOW_BATTERY:
        faults.append((f"the battery is low: {battery} % are left", BATTERY_REMEDY))
    current = _promised_current(machine)
    weak = (
        f"the supply promises {current / 1000:g} A of 5: all USB sockets together get 0.6 A",
        "use one of 5 V 5 A, or plug what draws most into a USB hub that has a supply of its own",
    )
    if 0 < current < FULL_CURRENT and not faults:
        return absent_verdict(*weak)
    if 0 < current < FULL_CURRENT:  # which may be why
        faults.append(weak)
    if (found := join_faults(faults)) is not None:
        return found
    if battery is not None:
        return absent_verdict(f"it runs on its battery, of which {battery} % are left", BATTERY_REMEDY)
    if any("closed" in machine.read_text(str(lid.relative_to(machine.root))) for lid in machine.find(LID)):
        return absent_verdict(
            "the laptop's lid is closed: it may sleep, and its camera sees nothing", LID_REMEDY
        )
    if throttled is not None:
        return ok_verdict("enough, and cool, since the start")
    if alarm is not None:
        heat = machine.read_heat()
        return ok_verdict(f"no under-voltage; {f'{heat} °C' if heat else 'heat was not read'}")
    if not machine.is_pi():
        return absent_verdict("not a Raspberry Pi: its supply does not tell")
    return untried_verdict(
        "neither vcgencmd nor the kernel tells about the supply", "sudo apt install raspi-utils"
    )


def _throttling_faults(flags: int) -> Iterator[tuple[str, str]]:
    if flags & UNDER_VOLTAGE:  # which slows it, too
        flags &= ~SLOWED
    for bits, what, fix in THROTTLING:
        if any(flags & 1 << bit for bit in bits):
            yield (
                f"{what} ({'now' if any(flags & 1 << bit for bit in bits[::2]) else 'since the start'})",
                fix,
            )


def _fan_faults(machine: Machine) -> Iterator[tuple[str, str]]:
    """A fan that tells its speed, and stands still where it should turn."""
    heat = machine.read_heat()
    for speed in machine.find("sys/class/hwmon/*/fan1_input"):
        if heat >= FAN_TURNS and machine.read_text(str(speed.relative_to(machine.root))) == "0":
            yield (
                f"its fan stands still at {heat} °C",
                "push its plug into the FAN socket, and free its blades",
            )


def _promised_current(machine: Machine) -> int:
    """Milliamperes; 0: nothing tells, or this Pi is told to give all to USB."""
    config = read_boot_config(machine)
    if config is not None and config.value("usb_max_current_enable") == "1":
        return 0
    try:
        return int.from_bytes((machine.root / MAX_CURRENT).read_bytes(), "big")
    except OSError:
        return 0


# The clock ----------------------------------------------------------------------------------------------

SYNCHRONISED = "run/systemd/timesync/synchronized"
"""There once systemd has heard the time from a network."""
LEAST_BATTERY = 2_000_000
"""Microvolts of a battery that keeps a clock going."""
SET_CLOCK = "join a network once, or: sudo date -s '2026-12-31 20:00', with the time that it is"


def clock(machine: Machine, settings: Settings) -> CheckVerdict:
    """Whether the date that games, backups and certificates get is right."""
    now = machine.wall_time()
    shown = f"{now[:10]} {now[11:16]} UTC"
    if is_clock_wrong(now):
        what = f"the clock says {shown}: you can play, but games and backups get that date"
        return fault_verdict(what, f"{SET_CLOCK}, before the next game")
    is_kept = machine.find("dev/rtc*") and not _lacks_clock_battery(machine)
    if machine.platform == "linux" and not is_kept and not machine.find(SYNCHRONISED):
        what = f"{shown}, of which no network told the system yet: this machine's clock stops when it is off"
        return untried_verdict(what, SET_CLOCK)
    return ok_verdict(shown, "another time zone? sudo timedatectl set-timezone Europe/Berlin")


def _lacks_clock_battery(machine: Machine) -> bool:
    """Whether a Pi 5's own clock has no battery, so that it stops with the power."""
    told = [
        machine.read_text(str(file.relative_to(machine.root)))
        for file in machine.find("sys/class/rtc/rtc*/battery_voltage")
    ]
    return any(one.isdecimal() and int(one) < LEAST_BATTERY for one in told)


# What starts the table ----------------------------------------------------------------------------------

UNIT = "etc/systemd/system/companion.service"
"""There where the table starts with the machine, on the bare screen."""
ENABLED = "etc/systemd/system/multi-user.target.wants/companion.service"
AUTOSTART = "home/*/.config/autostart/companion.desktop"
DISPLAY_MANAGERS = ("etc/lightdm/lightdm.conf", "etc/lightdm/lightdm.conf.d/*.conf")


RELEASE = "opt/companion/current"
"""A link of the installer to what it put into place, named by its version and the second."""
CHECKOUT_LOG = ".git/logs/HEAD"
"""When a checkout was cloned, pulled or changed otherwise, the newest in the last line."""
WHY_IT_ENDED = "journalctl -u companion -b says why; mend that, then sudo systemctl restart companion"
UNSTARTED: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "200": ("WorkingDirectory=", "that folder is not there"),
        "203": ("ExecStart=", "that program is not there, or may not be run"),
        "216": ("Group=", "there is no such group"),
        "217": ("User=", "there is no such user: a new Raspberry Pi OS has no user pi"),
    }
)
"""By what systemd says it failed with (systemd.exec, PROCESS EXIT CODES): the unit's line, and why."""


def check_service(machine: Machine, state: str) -> CheckVerdict:
    """Whether the table starts with the machine, and runs.

    `state`: what `systemctl show` prints of its ActiveState, NRestarts and ExecMainStatus; empty where it was
    not asked.
    """
    unit = machine.root / UNIT
    if unit.is_symlink() and unit.readlink().name == "null":
        return fault_verdict("its service is masked, so it never starts", "sudo systemctl unmask companion")
    if not unit.exists():
        autostart = machine.find(AUTOSTART)
        if autostart:
            return _check_autostart(machine, autostart[0].relative_to(machine.root).parts[1])
        fix = "sudo systemd/install.sh starts it with the machine"
        return absent_verdict("the table is started by hand", fix)
    enabled = machine.root / ENABLED
    if not (enabled.is_symlink() or enabled.exists()):
        what = "the table is installed, but does not start with the machine"
        return fault_verdict(what, "sudo systemctl enable --now companion")
    if (autostart := machine.find(AUTOSTART)) and find_desktop(machine.root) is not None:
        user = autostart[0].relative_to(machine.root).parts[1]
        what = f"the table starts twice, as a service and with the desktop of {user}"
        return fault_verdict(
            what, "keep one: sudo systemctl disable --now companion, or sudo systemd/install.sh again"
        )
    made_for = {folder.name for folder in machine.find(f"{RELEASE}/venv/lib/python3*")}
    python = machine.root / "usr/bin/python3"
    if made_for and python.is_symlink() and python.readlink().name not in made_for:
        what = (
            f"the table was installed for {made_for.pop()}, and this system has {python.readlink().name} now"
        )
        return fault_verdict(what, "sudo systemd/install.sh in the checkout, as after each new system")
    status = re.search(r"^ExecMainStatus=(\d+)", state, re.MULTILINE)
    if status is not None and status[1] in UNSTARTED:
        line, why = UNSTARTED[status[1]]
        fix = f"mend {line} (sudo systemctl edit --full companion), or run the installer again"
        return fault_verdict(f"the table's service can't start for its {line}: {why}", fix)
    restarts = re.search(r"^NRestarts=([1-9]\d*)", state, re.MULTILINE)
    if restarts is not None and "ActiveState=activating" in state:
        times = count_with_noun(int(restarts[1]), "time")
        return fault_verdict(f"the table was started again {times} and never got ready", WHY_IT_ENDED)
    if running_table(machine) == "service":
        return _check_release(machine) or ok_verdict("the table starts with the machine, and runs")
    what = "the table starts with the machine, but does not run now"
    return fault_verdict(what, f"sudo systemctl start companion; if it ends again, {WHY_IT_ENDED}")


def _check_release(machine: Machine) -> CheckVerdict | None:
    """That the service runs another version than the program or the checkout where this is asked; or None."""
    link = machine.root / RELEASE
    version, _, installed = link.readlink().name.rpartition("-") if link.is_symlink() else ("",) * 3
    if not installed.isdecimal():
        return None
    log = machine.folder / CHECKOUT_LOG
    moves = re.findall(r"> (\d+) [+-]\d{4}\t", log.read_text("utf-8", "replace") if log.is_file() else "")
    own = machine.version(PROGRAM) or version
    if own == version and not (moves and int(moves[-1]) > int(installed)):
        return None
    newer = f"this is {own}" if own != version else "this checkout was updated since it was installed"
    return absent_verdict(
        f"the table's service runs version {version}, and {newer}",
        "to have this one there: sudo systemd/install.sh in the checkout (or companion update, by a bundle)",
    )


def _check_autostart(machine: Machine, user: str) -> CheckVerdict:
    """Whether the desktop that starts the table as `user` is there without anybody logging in."""
    if find_desktop(machine.root) is None:
        what = f"the table starts with the desktop of {user}, and none starts with the machine"
        return fault_verdict(
            what, "sudo systemd/install.sh again, or sudo systemctl set-default graphical.target"
        )
    files = list(chain.from_iterable(map(machine.find, DISPLAY_MANAGERS)))
    texts = [machine.read_text(str(file.relative_to(machine.root))) for file in files]
    names = re.findall(r"^autologin-user *= *(\S+)", "\n".join(texts), re.MULTILINE)
    if files and not names:
        what = f"the table starts with the desktop of {user}, once somebody logs in"
        return fault_verdict(what, "let it log in by itself: sudo raspi-config nonint do_boot_behaviour B4")
    if names and names[-1] != user:
        what = f"the table starts with the desktop of {user}, but {names[-1]} is logged in at the start"
        return fault_verdict(what, f"sudo systemd/install.sh --desktop {names[-1]}")
    return ok_verdict(f"the table starts with the desktop of {user}")
