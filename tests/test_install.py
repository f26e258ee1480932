"""What the installer puts into the system: read as text, for nothing here may touch a system."""

from __future__ import annotations

import re
import shlex
from fnmatch import fnmatch
from pathlib import Path

from companion.appliance.power_and_usb import STICKS


def stick_rule(checkout: Path) -> list[str]:
    """The command by which a stick is mounted."""
    text = (checkout / "systemd" / "companion-stick.rules").read_text(encoding="utf-8")
    (command,) = re.findall(r'^RUN\{program\}\+="(.*)"$', text, re.MULTILINE)
    return shlex.split(command)


def test_nothing_that_is_installed_runs_a_shell_or_mounts_by_a_service_of_its_own(checkout: Path) -> None:
    for path in (checkout / "systemd").iterdir():
        if path.suffix in {".service", ".rules", ".desktop"}:
            text = path.read_text(encoding="utf-8")
            assert "/sh " not in text, path.name
            assert "bin/mount" not in text, path.name


def test_a_stick_is_mounted_where_the_table_looks_and_nothing_on_it_runs(checkout: Path) -> None:
    command = stick_rule(checkout)
    assert command[0] == "/usr/bin/systemd-mount"
    what, where = command[-2:]
    assert what == "$devnode"
    assert fnmatch(where.lstrip("/"), STICKS[0])
    (options,) = [word.removeprefix("--options=") for word in command if word.startswith("--options=")]
    assert {"nosuid", "nodev"} < set(options.split(","))
    assert "noexec" in options


def test_a_stick_that_is_pulled_out_is_let_go_and_udev_waits_for_nothing(checkout: Path) -> None:
    assert {"--no-block", "--collect", "--bind-device", "--property=LazyUnmount=yes"} < set(
        stick_rule(checkout)
    )


def test_only_file_systems_without_owners_are_given_to_the_table(checkout: Path) -> None:
    text = (checkout / "systemd" / "companion-stick.rules").read_text(encoding="utf-8")
    (types,) = re.findall(r'ENV\{ID_FS_TYPE\}=="([^"]*)", ENV\{COMPANION_OWNER\}', text)
    assert set(types.split("|")) == {"vfat", "exfat", "ntfs"}


def test_what_an_older_version_installed_for_sticks_goes(checkout: Path) -> None:
    text = (checkout / "systemd" / "install.sh").read_text(encoding="utf-8")
    assert text.count('"$OLD_STICK"') == 2
    assert "companion-stick@" not in text.replace(
        "OLD_STICK=/etc/systemd/system/companion-stick@.service", ""
    )
