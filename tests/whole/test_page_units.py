"""The page's units, line by line: what they may do, what they may not, and whom they stop with."""

from __future__ import annotations

import re
import subprocess
from ipaddress import IPv4Network
from pathlib import Path

from companion.cli import load_commands
from companion.cli.network import PAGE_STATE_FOLDER
from companion.network.web.guard import LOCAL_NETWORKS
from companion.programs.child_programs import PAGE
from tests.outside_programs import needs, program

PAGE_VERB = next(verb for verb in load_commands() if verb.name == "page")
UNITS = ("companion-page.service", "companion-table-page.socket", "companion.service")


def usual(argument: str) -> object:
    """The default of an argument of `companion page`."""
    told = PAGE_VERB.arguments[argument]
    assert not isinstance(told, str)
    return told["default"]


def unit(checkout: Path, name: str) -> dict[str, list[str]]:
    """The settings of a unit, each with all its values in their order."""
    found: dict[str, list[str]] = {}
    for line in (checkout / "systemd" / name).read_text(encoding="utf-8").splitlines():
        if match := re.fullmatch(r"([A-Za-z]+)=(.*)", line):
            found.setdefault(match[1], []).append(match[2])
    return found


def test_the_door_is_where_the_page_knocks_and_only_its_group_opens_it(checkout: Path) -> None:
    door, page = unit(checkout, "companion-table-page.socket"), unit(checkout, "companion-page.service")
    assert door["ListenStream"] == [usual("--socket")]
    assert door["FileDescriptorName"] == [PAGE]
    assert (door["SocketUser"], door["SocketMode"]) == (["companion"], ["0660"])
    assert door["SocketGroup"] == page["Group"] == page["User"] == ["companion-page"]
    assert page["SupplementaryGroups"] == [""]


def test_a_page_that_knocks_does_not_start_a_table_that_was_stopped(checkout: Path) -> None:
    door, page = unit(checkout, "companion-table-page.socket"), unit(checkout, "companion-page.service")
    assert door["Service"] == door["PartOf"] == page["BindsTo"] == ["companion.service"]
    assert "companion.service" in page["After"][0].split()
    assert unit(checkout, "companion.service")["Wants"] == [
        "companion-table-page.socket companion-table-uplink.socket"
    ]
    assert "WantedBy" not in door, "it comes with the table, and not before it"


def test_the_table_needs_neither_door_nor_page_and_still_has_no_network(checkout: Path) -> None:
    table = unit(checkout, "companion.service")
    assert not {"Requires", "BindsTo", "Requisite"} & table.keys()
    assert table["IPAddressDeny"] == ["any"]
    assert "IPAddressAllow" not in table
    assert table["RestrictAddressFamilies"] == ["AF_UNIX AF_NETLINK"]


def test_the_page_talks_to_the_houses_own_network_only(checkout: Path) -> None:
    page = unit(checkout, "companion-page.service")
    assert page["IPAddressDeny"] == page["SocketBindDeny"] == ["any"]
    allowed = page["IPAddressAllow"][0].replace("localhost", "127.0.0.0/8").split()
    assert {IPv4Network(net) for net in allowed} == set(LOCAL_NETWORKS)
    assert page["RestrictAddressFamilies"] == ["AF_UNIX AF_INET"]
    assert page["SocketBindAllow"] == [f"ipv4:tcp:{usual('--port')}"]


def test_the_page_reaches_no_games_settings_devices_or_copies(checkout: Path) -> None:
    page = unit(checkout, "companion-page.service")
    assert {"-/var/lib/companion", "-/etc/companion", "-/run/companion", "-/var/backups/companion"} == set(
        page["InaccessiblePaths"][0].split()
    )
    for name in (
        "NoNewPrivileges",
        "PrivateDevices",
        "PrivateUsers",
        "ProtectHome",
        "MemoryDenyWriteExecute",
    ):
        assert page[name] == ["yes"], name
    assert page["ProtectSystem"] == ["strict"]
    assert page["CapabilityBoundingSet"] == page["AmbientCapabilities"] == [""]


def test_the_overlays_key_is_in_a_folder_of_the_pages_own_and_goes_with_everything(checkout: Path) -> None:
    page = unit(checkout, "companion-page.service")
    assert page["StateDirectory"] == [Path(PAGE_STATE_FOLDER).name]
    assert page["StateDirectoryMode"] == ["0700"]
    assert f"PAGE_STATE={PAGE_STATE_FOLDER} " in (checkout / "systemd" / "install.sh").read_text(
        encoding="utf-8"
    )
    assert PAGE_STATE_FOLDER in (checkout / "systemd" / "deb.sh").read_text(encoding="utf-8")


def test_the_page_has_an_environment_of_its_own_with_none_of_the_systems_packages(checkout: Path) -> None:
    page = unit(checkout, "companion-page.service")
    installer = (checkout / "systemd" / "install.sh").read_text(encoding="utf-8")
    assert page["ExecStart"] == ["/opt/companion/current/page/bin/companion page"]
    assert page["ConditionPathExists"] == [page["ExecStart"][0].removesuffix(" page")]
    assert 'python3 -m venv "$NEW/page"\n' in installer
    assert 'locked "$NEW/page" "$NEW/page.lock"' in installer
    bundle = (checkout / "systemd" / "bundle.sh").read_text(encoding="utf-8")
    assert bundle.index("libraries.py page") < bundle.index("systemd/sums.sh")


def test_what_watches_never_keeps_what_plays_waiting(checkout: Path) -> None:
    page = unit(checkout, "companion-page.service")
    assert {"Nice", "CPUWeight", "MemoryMax", "TasksMax", "LimitNOFILE"} <= page.keys()
    assert int(page["CPUWeight"][0]) < 100, "the usual weight is the table's"


def test_the_page_is_off_until_somebody_switches_it_on(checkout: Path) -> None:
    installer = (checkout / "systemd" / "install.sh").read_text(encoding="utf-8")
    assert not re.search(r"systemctl (enable|start|restart)[^\n]*companion-page", installer)
    assert "companion-page.service" in installer
    assert "companion-table-page.socket" in installer
    assert "useradd --system --user-group --home-dir /nonexistent" in installer


def test_all_that_was_installed_of_the_page_goes_with_the_table(checkout: Path) -> None:
    installer = (checkout / "systemd" / "install.sh").read_text(encoding="utf-8")
    assert 'rm -f "$UNIT" "$PAGE_UNIT" "$DOOR_UNIT" "$UPLINK_UNIT" "$UPLINK_DOOR"' in installer
    assert "disable --quiet --now companion-page" in installer
    bundle = (checkout / "systemd" / "bundle.sh").read_text(encoding="utf-8")
    assert 'fetch "$wheel[page,home]" "$club"' in bundle
    assert "systemd/companion*.socket" in bundle


@needs("systemd-analyze")
def test_systemd_understands_the_units_and_finds_little_to_expose(checkout: Path, tmp_path: Path) -> None:
    for name in UNITS:
        text = (checkout / "systemd" / name).read_text(encoding="utf-8")
        (tmp_path / name).write_text(
            re.sub(
                r"(?m)^ExecStart=/opt/companion/current/(venv|page)/bin/companion",
                "ExecStart=/bin/true",
                text,
            ),
            encoding="utf-8",
        )
    files = [str(tmp_path / name) for name in UNITS]
    checked = subprocess.run(
        [program("systemd-analyze"), "verify", *files], capture_output=True, text=True, check=False
    )
    assert not [line for line in checked.stderr.splitlines() if "companion" in line], checked.stderr
    words = [program("systemd-analyze"), "security", "--offline=true", "--threshold=20", files[0]]
    looked = subprocess.run(words, capture_output=True, text=True, check=False)
    assert looked.returncode == 0, looked.stdout[-300:] + looked.stderr
