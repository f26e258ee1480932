"""The `doctor` check of what leaves the table for a broker: Home Assistant and a club."""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from types import MappingProxyType

from companion.core.check_verdict import CheckVerdict, absent_verdict, fault_verdict, ok_verdict
from companion.home.uplink_file import UPLINK_FILE
from companion.language.language import Language
from companion.settings.model import Settings
from companion.system.extras import CLUB_PACKAGE, install_command
from companion.system.machine import Machine
from companion.system.terminal import count_with_noun

SERVICE_FOLDER = "var/lib/companion-uplink"
UPLINK_UNIT = "etc/systemd/system/companion-uplink.service"
FIXES: Mapping[str, str] = MappingProxyType(
    {
        "ui.club.unreachable": "check that the broker is on, and club.broker and club.port in the settings",
        "ui.club.untrusted": "copy the club's ca.crt here, and name the broker as its certificate does",
        "ui.club.refused": "correct club.user in the settings, or the password in club.password_file",
        "ui.club.not_allowed": "give this table its rights at the broker (its ACL), and restart the broker",
        "ui.club.taken_over": "on one of the two: move the games away, or switch companion-uplink off",
        "ui.club.clash": "companion --set club.table=another-name uplink, or write it into the settings",
        "ui.club.clock": "timedatectl set-ntp true, or set date and time by hand",
    }
)


def check_uplink(machine: Machine, settings: Settings, *, with_club: bool) -> CheckVerdict:
    """Whether the broker hears this table, or why not; `with_club`: a club's package is installed."""
    club = settings.club
    if not club.broker:
        return absent_verdict("off; the section [club] of the settings names a broker")
    installed = bool(machine.find(UPLINK_UNIT))
    club_command = install_command(package=CLUB_PACKAGE)
    if not installed and not with_club and not club.home_assistant:
        return absent_verdict(f"no club hears this table: {CLUB_PACKAGE} is not installed", club_command)
    if not installed and machine.module("paho") is None:
        return absent_verdict(
            "nobody hears this table: the library paho-mqtt is not installed", install_command("home")
        )
    folder = machine.root / SERVICE_FOLDER if installed else settings.store_folder(machine.environ)
    try:
        known = _read_uplink_status(folder / UPLINK_FILE)
    except PermissionError:
        what = f"a broker is named, {club.broker}; only root sees how that goes"
        return absent_verdict(what, "sudo companion doctor")
    except (OSError, sqlite3.Error):
        start = "sudo systemctl enable --now companion-uplink" if installed else "companion play"
        return absent_verdict(f"a broker is named, {club.broker}, and nothing was ever sent there", start)
    trouble, waits = known.get("trouble", ""), int(known.get("waiting", "0") or 0)
    waiting = f"; {count_with_noun(waits, 'message')} not sent yet" if waits else ""
    at = known.get("at", "").replace("T", " ")[:16]
    if trouble in FIXES:
        return fault_verdict(f"{Language('en').tr(trouble).rstrip('.')}{waiting} ({at} UTC)", FIXES[trouble])
    heard = f"{club.broker} heard this table ({at} UTC){waiting}"
    if installed or with_club:
        return ok_verdict(heard)
    return ok_verdict(f"{heard}, for Home Assistant alone: {CLUB_PACKAGE} is not installed")


def _read_uplink_status(file: Path) -> dict[str, str]:
    """What the uplink wrote down; raises `OSError` or `sqlite3.Error` where it cannot be read."""
    with file.open("rb"):
        pass
    with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as reader:
        return dict(reader.execute("SELECT name, value FROM about").fetchall())
