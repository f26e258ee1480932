"""The uplink's units, line by line: what it may do, what it may not, and when it stays stopped."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from companion.cli import load_commands
from companion.core.errors import InputError
from companion.home.serve import TakenOverError
from companion.programs.child_programs import UPLINK
from tests.outside_programs import needs, program
from tests.whole.test_page_units import unit

UPLINK_VERB = next(verb for verb in load_commands() if verb.name == "uplink")
UNITS = ("companion-uplink.service", "companion-table-uplink.socket", "companion.service")


def test_the_door_is_where_the_uplink_knocks_and_only_its_group_opens_it(checkout: Path) -> None:
    door, uplink = unit(checkout, "companion-table-uplink.socket"), unit(checkout, "companion-uplink.service")
    told = UPLINK_VERB.arguments["--socket"]
    assert not isinstance(told, str)
    assert door["ListenStream"] == [told["default"]]
    assert door["FileDescriptorName"] == [UPLINK]
    assert (door["SocketUser"], door["SocketMode"]) == (["companion"], ["0660"])
    assert door["SocketGroup"] == uplink["Group"] == uplink["User"] == ["companion-uplink"]
    assert uplink["SupplementaryGroups"] == [""]


def test_it_stops_with_the_table_and_starts_none(checkout: Path) -> None:
    door, uplink = unit(checkout, "companion-table-uplink.socket"), unit(checkout, "companion-uplink.service")
    assert door["Service"] == door["PartOf"] == uplink["BindsTo"] == ["companion.service"]
    assert "WantedBy" not in door


def test_it_listens_nowhere_and_reaches_no_games_and_no_devices(checkout: Path) -> None:
    uplink = unit(checkout, "companion-uplink.service")
    assert uplink["SocketBindDeny"] == ["any"]
    assert "SocketBindAllow" not in uplink
    assert {"-/var/lib/companion", "-/run/companion", "-/var/backups/companion"} == set(
        uplink["InaccessiblePaths"][0].split()
    )
    for name in (
        "NoNewPrivileges",
        "PrivateDevices",
        "PrivateUsers",
        "ProtectHome",
        "MemoryDenyWriteExecute",
    ):
        assert uplink[name] == ["yes"], name
    assert uplink["CapabilityBoundingSet"] == uplink["AmbientCapabilities"] == [""]


def test_what_starting_again_does_not_mend_is_not_started_again(checkout: Path) -> None:
    prevented = unit(checkout, "companion-uplink.service")["RestartPreventExitStatus"][0].split()
    assert prevented == [str(InputError.exit_code), str(TakenOverError.exit_code)]


def test_it_is_off_until_switched_on_and_goes_with_the_table(checkout: Path) -> None:
    installer = (checkout / "systemd" / "install.sh").read_text(encoding="utf-8")
    assert not re.search(r"systemctl (enable|start|restart)[^\n]*companion-uplink", installer)
    for name in UNITS[:2]:
        assert f'install -m 644 "$HERE/{name}"' in installer
    assert "disable --quiet --now companion-uplink" in installer
    removed = (checkout / "systemd" / "deb.sh").read_text(encoding="utf-8")
    for place in ("/var/lib/companion-uplink", "/etc/companion-uplink"):
        assert place in installer
        assert place in removed


@needs("systemd-analyze")
def test_systemd_understands_the_units_and_finds_little_to_expose(checkout: Path, tmp_path: Path) -> None:
    for name in UNITS:
        text = (checkout / "systemd" / name).read_text(encoding="utf-8")
        (tmp_path / name).write_text(
            re.sub(r"(?m)^ExecStart=/opt/\S+", "ExecStart=/bin/true", text), encoding="utf-8"
        )
    files = [str(tmp_path / name) for name in UNITS]
    checked = subprocess.run(
        [program("systemd-analyze"), "verify", *files], capture_output=True, text=True, check=False
    )
    assert not [line for line in checked.stderr.splitlines() if "companion-" in line], checked.stderr
    words = [program("systemd-analyze"), "security", "--offline=true", "--threshold=20", files[0]]
    looked = subprocess.run(words, capture_output=True, text=True, check=False)
    assert looked.returncode == 0, looked.stdout[-300:] + looked.stderr
