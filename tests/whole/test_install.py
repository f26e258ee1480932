"""What the installer puts into the system: read as text, for nothing here may touch a system."""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import shlex
import shutil
import subprocess
from fnmatch import fnmatch
from pathlib import Path

import pytest

from companion.system.bundle import Bundle
from companion.system.update_install import INSTALLED_UNIT, STICK_TYPES, UPDATE_UNIT, update_request
from companion.system.update_permissions import HIGHEST_FILE, OWNER_FOLDER
from companion.table.power_and_usb import STICK_PATTERNS
from tests.outside_programs import needs, program


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
    assert fnmatch(where.lstrip("/"), STICK_PATTERNS[0])
    (options,) = [word.removeprefix("--options=") for word in command if word.startswith("--options=")]
    assert {"nosuid", "nodev", "noexec"} < set(options.split(","))


def test_a_stick_that_is_pulled_out_is_let_go_and_udev_waits_for_nothing(checkout: Path) -> None:
    assert {"--no-block", "--collect", "--bind-device", "--property=LazyUnmount=yes"} < set(
        stick_rule(checkout)
    )


def test_only_file_systems_without_owners_are_mounted_and_by_no_other_reader(checkout: Path) -> None:
    text = (checkout / "systemd" / "companion-stick.rules").read_text(encoding="utf-8")
    (types,) = re.findall(r'ENV\{ID_FS_TYPE\}!="([^"]*)", GOTO="companion_stick_end"', text)
    assert set(types.split("|")) == {"vfat", "exfat", "ntfs"} < STICK_TYPES
    assert "--type=$env{ID_FS_TYPE}" in stick_rule(checkout)


def test_what_an_older_version_installed_for_sticks_goes(checkout: Path) -> None:
    text = (checkout / "systemd" / "install.sh").read_text(encoding="utf-8")
    assert text.count('"$OLD_STICK"') == 2
    assert "companion-stick@" not in text.replace(
        "OLD_STICK=/etc/systemd/system/companion-stick@.service", ""
    )


def test_the_table_s_user_may_open_the_parts_that_its_service_opens(checkout: Path) -> None:
    """A table of another user is calibrated as that user: `sudo -u companion companion calibrate --once`."""
    text = (checkout / "systemd" / "install.sh").read_text(encoding="utf-8")
    (groups,) = re.findall(r"^GROUPS_NEEDED='(.*)'$", text, re.MULTILINE)
    unit = (checkout / "systemd" / "companion.service").read_text(encoding="utf-8")
    assert f"SupplementaryGroups={groups}\n" in unit
    assert 'usermod -aG "${GROUPS_NEEDED// /,}" companion\n' in text


# On a desktop, or on the bare screen -----------------------------------------------------------------------


def desktop_user(checkout: Path, root: Path, **environ: str) -> str:
    """Whose desktop the installer finds in this tree."""
    text = (checkout / "systemd" / "install.sh").read_text(encoding="utf-8")
    (function,) = re.findall(r"^desktop_user\(\) \{\n.*?^\}\n", text, re.MULTILINE | re.DOTALL)
    script = f'set -euo pipefail\n{function}found=$(desktop_user {shlex.quote(str(root))})\necho "$found"'
    here = {name: value for name, value in os.environ.items() if name != "SUDO_USER"}
    done = subprocess.run(
        ["bash", "-c", script], check=True, capture_output=True, text=True, env=here | environ
    )
    return done.stdout.strip()


@pytest.fixture
def desktop(tmp_path: Path) -> Path:
    """Raspberry Pi OS with desktop: lightdm starts with the machine, two people have a home."""
    system = tmp_path / "etc" / "systemd" / "system"
    system.mkdir(parents=True)
    (system / "display-manager.service").symlink_to("/usr/lib/systemd/system/lightdm.service")
    (system / "default.target").symlink_to("/usr/lib/systemd/system/graphical.target")
    (tmp_path / "etc" / "passwd").write_text(
        "root:x:0:0::/root:/bin/sh\nada:x:1000:1000::/home/ada:/bin/sh\nbob:x:1001:1001::/home/bob:/bin/sh\n"
    )
    return tmp_path


def test_a_system_without_a_desktop_gets_the_service(checkout: Path, desktop: Path) -> None:
    target = desktop / "etc" / "systemd" / "system" / "default.target"
    target.unlink()
    target.symlink_to("/usr/lib/systemd/system/multi-user.target")
    assert desktop_user(checkout, desktop, SUDO_USER="ada") == ""
    assert desktop_user(checkout, desktop / "nothing") == ""


def test_a_desktop_is_found_with_whoever_is_logged_in_there(checkout: Path, desktop: Path) -> None:
    assert desktop_user(checkout, desktop) == "ada", "the first user, if nobody says otherwise"
    assert desktop_user(checkout, desktop, SUDO_USER="bob") == "bob"
    lightdm = desktop / "etc" / "lightdm" / "lightdm.conf"
    lightdm.parent.mkdir()
    lightdm.write_text("[Seat:*]\n#autologin-user=nobody\nautologin-user=ada\n")
    assert desktop_user(checkout, desktop, SUDO_USER="bob") == "ada", "who is logged in by itself"
    autostart = desktop / "home" / "bob" / ".config" / "autostart"
    autostart.mkdir(parents=True)
    (autostart / "companion.desktop").touch()
    assert desktop_user(checkout, desktop) == "bob", "as the table was installed before"


@pytest.mark.parametrize(
    ("lines", "logs_in"),
    [("#autologin-user=ada\n", False), ("autologin-user=\n", False), ("autologin-user=ada\n", True)],
)
def test_the_installer_knows_whether_the_desktop_waits_for_a_password(
    checkout: Path, desktop: Path, lines: str, *, logs_in: bool
) -> None:
    text = (checkout / "systemd" / "install.sh").read_text(encoding="utf-8")
    (function,) = re.findall(r"^logs_in\(\) \{\n.*?^\}\n", text, re.MULTILINE | re.DOTALL)
    lightdm = desktop / "etc/lightdm/lightdm.conf"
    lightdm.parent.mkdir()
    lightdm.write_text(f"[Seat:*]\n{lines}")
    script = f"set -euo pipefail\n{function}logs_in {shlex.quote(str(desktop))}"
    assert (subprocess.run(["bash", "-c", script], check=False).returncode == 0) == logs_in
    assert "logs_in || warn" in text


def test_the_installer_asks_for_no_desktop_it_finds_itself(checkout: Path) -> None:
    text = (checkout / "systemd" / "install.sh").read_text(encoding="utf-8")
    assert text.index("DESKTOP=$(desktop_user)") < text.index('if [ "$DESKTOP" ]; then id "$DESKTOP"')


@pytest.mark.parametrize(
    ("error", "tries", "code"),
    [
        ("E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7 (unattended-upgr)", 3, 0),
        ("E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7 (unattended-upgr)", 31, 1),
        ("E: The repository is not signed.", 3, 100),
    ],
)
def test_the_installer_waits_while_the_system_updates_itself(
    checkout: Path, tmp_path: Path, error: str, tries: int, code: int
) -> None:
    text = (checkout / "systemd" / "install.sh").read_text(encoding="utf-8")
    functions = re.findall(r"(?s)^(?:say|die)\(\) [^\n]*$|^update_lists\(\) \{\n.*?^\}$", text, re.MULTILINE)
    pretended = (
        f"apt-get() {{ echo >> tries; [ $(wc -l < tries) -lt {tries} ] && echo '{error}' >&2 && return 100;"
        " return 0; }\n"
        "sleep() { :; }\n"
    )
    script = "set -euo pipefail\n" + pretended + "\n".join(functions) + "\nupdate_lists"
    done = subprocess.run(["bash", "-c", script], check=False, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == code
    assert ("updating itself just now" in done.stdout) == (code < 100)
    assert error in done.stderr
    assert ("run this again" in done.stderr) == (code == 1)


# The Debian package -----------------------------------------------------------------------------------------


NAMING = ("MAINTAINER", "DEBEMAIL", "DEBFULLNAME", "COMPANION_URL")


def packed(checkout: Path, folder: Path, **naming: str) -> Path:
    """A Debian package of a bundle whose wheels are empty."""
    bundle = folder / "bundle"
    (bundle / "wheels").mkdir(parents=True)
    (bundle / "RELEASE").write_text("trixie aarch64 3.13\n")
    for wheel in ("table_companion-0.1.0-py3-none-any", "msgspec-0.22.0-cp313-cp313-manylinux_2_28_aarch64"):
        (bundle / "wheels" / f"{wheel}.whl").touch()
    shutil.copy(checkout / "systemd" / "install.sh", bundle)
    pack = ["bash", str(checkout / "systemd" / "deb.sh"), str(bundle), str(folder)]
    named = {name: value for name, value in os.environ.items() if name not in NAMING}
    subprocess.run(pack, check=True, capture_output=True, env=named | naming)
    (package,) = folder.glob("*.deb")
    return package


@needs("dpkg-deb")
def test_the_debian_package_says_whose_it_is_what_changed_and_which_python_it_is_for(
    checkout: Path, tmp_path: Path
) -> None:
    package = packed(checkout, tmp_path / "one")
    again = packed(checkout, tmp_path / "two")
    digests = {hashlib.sha256(each.read_bytes()).hexdigest() for each in (package, again)}
    assert len(digests) == 1, "the same tree gives the same package"
    control = subprocess.run(
        [program("dpkg-deb"), "-f", package], check=True, capture_output=True, text=True
    ).stdout
    assert "python3 (>= 3.13), python3 (<< 3.14)" in control
    assert re.search(r"^Maintainer: .+ <.+@.+>$", control, re.MULTILINE)
    assert max(map(len, re.findall(r"^ .+", control, re.MULTILINE))) <= 80
    subprocess.run([program("dpkg-deb"), "-x", package, tmp_path / "tree"], check=True)
    docs = tmp_path / "tree" / "usr" / "share" / "doc" / "table-companion"
    assert {file.name for file in docs.iterdir()} == {
        *("changelog.gz", "CHANGELOG.md.gz", "LICENCES.md", "copyright")
    }
    assert gzip.decompress((docs / "changelog.gz").read_bytes()).startswith(
        b"table-companion (0.1.0) stable;"
    )
    assert "Permission is hereby granted" in (docs / "copyright").read_text()


@needs("dpkg-deb")
@pytest.mark.parametrize(
    ("naming", "maintainer", "homepage"),
    [
        ({}, "The table companion <companion@example.org>", ""),
        ({"DEBEMAIL": "ada@her.host", "DEBFULLNAME": "Ada"}, "Ada <ada@her.host>", ""),
        ({"MAINTAINER": "Bob <bob@his.host>", "DEBEMAIL": "ada@her.host"}, "Bob <bob@his.host>", ""),
        (
            {"COMPANION_URL": "https://cards.example"},
            "The table companion <companion@example.org>",
            "https://cards.example",
        ),
    ],
)
def test_whoever_packs_the_package_names_themselves_and_no_address_is_made_up(
    checkout: Path, tmp_path: Path, naming: dict[str, str], maintainer: str, homepage: str
) -> None:
    package = packed(checkout, tmp_path, **naming)
    for field, value in (("Maintainer", maintainer), ("Homepage", homepage)):
        said = subprocess.run(
            [program("dpkg-deb"), "-f", package, field], check=True, capture_output=True, text=True
        )
        assert said.stdout.strip() == value


def test_a_bundle_keeps_one_opencv(checkout: Path) -> None:
    """The installer takes what the lock names, so both would be installed over each other."""
    bundle = (checkout / "systemd" / "bundle.sh").read_text(encoding="utf-8")
    gone = bundle.index('rm -f "$OUT"/wheels/opencv_python-*.whl')
    assert bundle.index("opencv-python-headless==$opencv") < gone < bundle.index("libraries.py lock")


# Another version -------------------------------------------------------------------------------------------


def test_the_table_may_start_exactly_the_unit_that_it_asks_for(checkout: Path) -> None:
    rule = (checkout / "systemd" / "companion.rules").read_text(encoding="utf-8")
    (pattern,) = re.findall(r"/(\^companion-update.*\$)/", rule)
    for how in ("signed", "agreed"):
        unit = UPDATE_UNIT.format(update_request(Bundle("stick", "0.2.0", "0" * 64, how == "signed")))
        assert re.fullmatch(pattern, unit), unit
    for other in ("companion-update@.service", "companion-update@agreed-x.service", "ssh.service"):
        assert not re.search(pattern, other), other
    assert 'action.lookup("verb") == "start"' in rule


def test_the_unit_that_updates_is_installed_removed_and_carried_in_a_bundle(checkout: Path) -> None:
    unit = checkout / "systemd" / INSTALLED_UNIT.name
    assert "companion update --asked %i\n" in unit.read_text(encoding="utf-8")
    installer = (checkout / "systemd" / "install.sh").read_text(encoding="utf-8")
    assert f"UPDATE_UNIT=/{INSTALLED_UNIT} " in installer
    assert installer.count('"$UPDATE_UNIT"') == 2
    assert fnmatch(f"systemd/{unit.name}", "systemd/companion*.service")
    assert "systemd/companion*.service" in (checkout / "systemd" / "bundle.sh").read_text(encoding="utf-8")


def exposure(checkout: Path, folder: Path) -> float:
    """What systemd itself says of the updater: 0 is best, 10 worst."""
    unit = folder / "companion-update.service"
    shutil.copy(checkout / "systemd" / INSTALLED_UNIT.name, unit)
    words = ["systemd-analyze", "security", "--offline=true", "--no-pager", str(unit)]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    return float(re.findall(r"exposure level for \S+: ([0-9.]+)", said)[0])


@needs("systemd-analyze")
def test_the_updater_is_exposed_no_more_than_an_installer_must_be(checkout: Path, tmp_path: Path) -> None:
    """docs/know/updates.md says the figure, and what it is made of."""
    found = exposure(checkout, tmp_path)
    assert found <= 2.0
    assert "1.8" in (checkout / "docs/know/updates.md").read_text(encoding="utf-8")


def test_what_root_keeps_of_the_owner_comes_and_goes_with_the_table(checkout: Path) -> None:
    installer = (checkout / "systemd" / "install.sh").read_text(encoding="utf-8")
    assert f"OWNER_STATE=/{OWNER_FOLDER} " in installer
    assert '"$UPLINK_SECRETS" "$OWNER_STATE"\n' in installer
    assert f"/{OWNER_FOLDER} " in (checkout / "systemd" / "deb.sh").read_text(encoding="utf-8")
    recorded = installer.index('companion" update --installed')
    assert (
        installer.index("systemctl restart companion") < recorded < installer.index('rm -rf "$old"; }\ndone')
    )
    assert HIGHEST_FILE == "highest"


def test_root_opens_nothing_that_the_tables_user_wrote(checkout: Path) -> None:
    installer = (checkout / "systemd" / "install.sh").read_text(encoding="utf-8")
    assert 'as_user "$owner" "$BEFORE/venv/bin/companion" backup' in installer
    assert 'as_user "$owner" cp -a "$STATE"' in installer


def placed(checkout: Path, folder: Path, *, may: str = "-", **given: str) -> tuple[int, str]:
    """Run the installer's own `place_owner_key`, with nobody changed into; how it ended, and what it said.

    `may`: what `test` says yes to for the table's user, such as `-r`.
    """
    installer = (checkout / "systemd" / "install.sh").read_text(encoding="utf-8")
    (function,) = re.findall(r"^place_owner_key\(\) \{\n.*?^\}\n", installer, re.MULTILINE | re.DOTALL)
    etc, home = folder / "etc", folder / "home"
    for place in (etc, home):
        place.mkdir(exist_ok=True)
    values = {
        "OWNER_KEY": "",
        "OWNER_KEY_TO": "",
        "BEFORE": "",
        "SUDO_USER": "ana",
        "TABLE_USER": "companion",
    }
    values |= {"SETTINGS": str(etc)} | given
    lines = [f"{name}={shlex.quote(value)}" for name, value in values.items()]
    script = f"""set -euo pipefail
say() {{ printf '%s\\n' "$*"; }}; warn() {{ say "$@"; }}; die() {{ say "$@"; exit 1; }}
getent() {{ echo ana:x:1:1::{home}:/bin/sh; }}
as_user() {{ local user=$1; shift; if [ "$user" = companion ]; then [ "$2" = {may} ]; return; fi; "$@"; }}
{chr(10).join(lines)}
{function}place_owner_key
"""
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


KEYGEN = needs("ssh-keygen")


@KEYGEN
def test_a_first_installation_makes_a_pair_and_its_private_half_is_only_in_the_installers_home(
    checkout: Path, tmp_path: Path
) -> None:
    assert placed(checkout, tmp_path)[0] == 0
    private = tmp_path / "home/companion-owner-key"
    assert private.stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "etc/update.pub").read_text() == private.with_suffix(".pub").read_text()
    holders = [path for path in tmp_path.rglob("*") if path.is_file() and "PRIVATE" in path.read_text()]
    assert holders == [private]
    before = private.read_bytes()
    assert placed(checkout, tmp_path)[0] == 0
    assert private.read_bytes() == before


@KEYGEN
def test_a_private_half_that_the_tables_user_can_read_is_removed(checkout: Path, tmp_path: Path) -> None:
    stick = tmp_path / "stick"
    stick.mkdir()
    code, said = placed(checkout, tmp_path, may="-r", OWNER_KEY_TO=str(stick))
    assert (code, list(stick.iterdir())) == (1, [])
    assert "could read" in said
    assert not (tmp_path / "etc/update.pub").exists()
    code, said = placed(checkout, tmp_path, OWNER_KEY_TO=str(stick))
    assert code == 0
    assert "Pull the stick" in said


@KEYGEN
def test_a_private_half_that_was_there_before_is_never_removed(checkout: Path, tmp_path: Path) -> None:
    """It may be the only one that signs for other tables, on a stick that is mounted for all this time."""
    assert placed(checkout, tmp_path)[0] == 0
    (tmp_path / "etc/update.pub").unlink()
    pair = {path: path.read_bytes() for path in (tmp_path / "home").iterdir()}
    for given in ({}, {"OWNER_KEY_TO": str(tmp_path / "home")}):
        code, said = placed(checkout, tmp_path, may="-r", **given)
        assert (code, "could read" in said) == (1, True)
        assert {path: path.read_bytes() for path in (tmp_path / "home").iterdir()} == pair
        assert not (tmp_path / "etc/update.pub").exists()


@KEYGEN
def test_no_key_is_taken_from_where_the_tables_user_may_put_one(checkout: Path, tmp_path: Path) -> None:
    """A pair that lies there already, its private half closed to everybody, would be that user's."""
    assert placed(checkout, tmp_path)[0] == 0
    (tmp_path / "etc/update.pub").unlink()
    code, said = placed(checkout, tmp_path, may="-w", OWNER_KEY_TO=str(tmp_path / "home"))
    assert (code, "could write" in said) == (1, True)
    assert not (tmp_path / "etc/update.pub").exists()


@KEYGEN
@pytest.mark.parametrize("to_stick", [True, False])
def test_a_pair_that_lies_there_is_trusted_only_if_the_table_has_its_key_already(
    checkout: Path, tmp_path: Path, *, to_stick: bool
) -> None:
    """Anybody who had the stick may have left it, and sign with it later."""
    given = {"OWNER_KEY_TO": str(tmp_path / "home")} if to_stick else {}
    assert placed(checkout, tmp_path, **given)[0] == 0
    trusted = tmp_path / "etc/update.pub"
    key = trusted.read_text()
    private = tmp_path / "home/companion-owner-key"
    private.with_suffix(".pub").write_text("ssh-ed25519 AAAA another's\n")
    assert placed(checkout, tmp_path, **given)[0] == 0
    assert trusted.read_text() == key
    for known in ("", "ssh-ed25519 AAAA another's\n"):
        trusted.write_text(known)
        if not known:
            trusted.unlink()
        elif not to_stick:
            continue  # without the option an installation goes on with the key that is there
        code, said = placed(checkout, tmp_path, **given)
        assert (code, "delete it" in said, "--owner-key" in said) == (1, True, True)
        assert not known or trusted.read_text() == known
        assert bool(known) == trusted.exists()


@KEYGEN
@pytest.mark.parametrize("name", ["companion-owner-key", "companion-owner-key.pub"])
def test_a_pair_is_written_through_no_link_and_over_nothing(
    checkout: Path, tmp_path: Path, name: str
) -> None:
    stick = tmp_path / "stick"
    stick.mkdir()
    (stick / name).symlink_to(tmp_path / "elsewhere")
    code, said = placed(checkout, tmp_path, OWNER_KEY_TO=str(stick))
    assert (code, "delete it" in said) == (1, True)
    assert not (tmp_path / "elsewhere").exists()
    assert [path.name for path in stick.iterdir()] == [name]
    assert not (tmp_path / "etc/update.pub").exists()


USERS_OWN = """set -euo pipefail
say() { :; }; warn() { :; }; systemctl() { :; }; reload_units() { :; }
as_user() { shift; USER_ONLY=yes "$@"; }
own() { [ "${USER_ONLY:-}" ] || exit 9; command "$@"; }
install() { own install "$@"; }; mkdir() { own mkdir "$@"; }; rm() { own rm "$@"; }
"""
"""Where root itself may change nothing; `exit 9` says that it did."""


def test_the_start_on_a_desktop_is_written_and_removed_as_its_user(checkout: Path, tmp_path: Path) -> None:
    """Root would follow a link of theirs, and give them what it leads to."""
    installer = (checkout / "systemd" / "install.sh").read_text(encoding="utf-8")
    (written,) = re.findall(r"^  # As that user:.*?(?=^  for group)", installer, re.MULTILINE | re.DOTALL)
    (removed,) = re.findall(
        r"^  for each in /home/\*/\.config/autostart.*?^  done\n", installer, re.MULTILINE | re.DOTALL
    )
    started = tmp_path / "home/ada/.config/autostart/companion.desktop"
    names = f"DESKTOP=ada home={tmp_path}/home/ada HERE={checkout}/systemd\n"
    for script, there in ((written, True), (removed.replace("/home/", f"{tmp_path}/home/"), False)):
        done = subprocess.run(["bash", "-c", USERS_OWN + names + script], check=False)
        assert (done.returncode, started.exists()) == (0, there)


def test_a_version_that_does_not_take_its_place_leaves_nothing(checkout: Path, tmp_path: Path) -> None:
    """It would count as one that this table had, and as the one before."""
    installer = (checkout / "systemd" / "install.sh").read_text(encoding="utf-8")
    (trap,) = re.findall(r"^trap '.*' EXIT.*$", installer, re.MULTILINE)
    new, other = tmp_path / "0.3.0-1", tmp_path / "0.2.0-1"
    for current, stays in ((None, False), (other, False), (new, True)):
        for place in (new, other):
            place.mkdir(exist_ok=True)
        (tmp_path / "current").unlink(missing_ok=True)
        if current is not None:
            (tmp_path / "current").symlink_to(current)
        script = f"set -euo pipefail\nROOT={tmp_path} NEW={new}\n{trap}\nexit 3\n"
        assert subprocess.run(["bash", "-c", script], check=False).returncode == 3
        assert (new.exists(), other.exists()) == (stays, True)


def test_the_installer_starts_nothing_in_the_folder_where_somebody_stands(checkout: Path) -> None:
    """`python -m venv` and `-m pip` take what lies there for themselves, such as on a stick."""
    installer = (checkout / "systemd" / "install.sh").read_text(encoding="utf-8")
    assert installer.index("\ncd /\n") < installer.index("python3 -c")
    (option,) = re.findall(r"^ +--owner-key\) (.*) ; shift ;;$", installer, re.MULTILINE)
    script = f"set -eu; set -- --owner-key a.pub; {option}; echo $OWNER_KEY"
    said = subprocess.run(["bash", "-c", script], cwd=checkout, capture_output=True, text=True, check=True)
    assert said.stdout.strip() == str(checkout / "a.pub")


@pytest.mark.parametrize(
    "given", [{"BEFORE": "/opt/companion/releases/0.1.0-1"}, {"SUDO_USER": ""}, {"TABLE_USER": "ana"}]
)
def test_no_pair_is_made_for_a_table_from_before_for_nobody_or_for_the_tables_user(
    checkout: Path, tmp_path: Path, given: dict[str, str]
) -> None:
    assert placed(checkout, tmp_path, **given)[0] == 0
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_the_key_that_is_named_takes_the_place_of_the_one_before(checkout: Path, tmp_path: Path) -> None:
    key = tmp_path / "owner.pub"
    key.write_text("ssh-ed25519 AAAA owner\n")
    assert placed(checkout, tmp_path, OWNER_KEY=str(key), BEFORE="x")[0] == 0
    assert (tmp_path / "etc/update.pub").read_text() == key.read_text()


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ("ssh-ed25519 AAAA owner\n", True),
        ("# mine\n\nssh-ed25519 AAAA owner\n", True),
        ("ssh-ed25519 AAAA owner\nsomething else\n", False),
        ("ssh-ed25519 AAAA a\nssh-ed25519 BBBB b\n", False),
        ("something else\n", False),
    ],
)
def test_a_key_file_has_one_key_and_nothing_else(
    checkout: Path, tmp_path: Path, text: str, *, taken: bool
) -> None:
    """The updater takes no other, and would refuse every update."""
    installer = (checkout / "systemd" / "install.sh").read_text(encoding="utf-8")
    (line,) = [line for line in installer.splitlines() if "isn't one public key" in line]
    key = tmp_path / "owner.pub"
    key.write_text(text)
    script = f"set -euo pipefail\ndie() {{ exit 3; }}\nOWNER_KEY={key}\n{line}\n"
    assert (subprocess.run(["bash", "-c", script], check=False).returncode == 0) is taken


def test_the_games_are_copied_before_another_version_takes_its_place(checkout: Path) -> None:
    """Copied by the version that wrote them, and before it is stopped for good."""
    installer = (checkout / "systemd" / "install.sh").read_text(encoding="utf-8")
    copied = installer.index('"$BEFORE/venv/bin/companion" backup')
    assert copied < installer.index('mv -T "$ROOT/current.new"')
    assert "/var/backups/companion" in (checkout / "systemd" / "deb.sh").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "made"),
    [
        ((), "trixie aarch64"),
        (("MACHINE=x86_64",), "trixie x86_64"),
        (("RELEASE=bookworm",), "bookworm aarch64"),
    ],
)
def test_a_bundle_is_made_for_what_was_named(words: tuple[str, ...], made: str, checkout: Path) -> None:
    asked = ["make", "--dry-run", "bundle", *words]
    printed = subprocess.run(asked, cwd=checkout, capture_output=True, text=True, check=True).stdout
    (line,) = (line for line in printed.splitlines() if "systemd/bundle.sh " in line)  # make adds its own
    assert line.split("systemd/bundle.sh ")[1] == f"dist/companion-{made.replace(' ', '-')} {made}"


@pytest.mark.parametrize(
    ("made", "said"),
    [
        ("trixie aarch64 3.13", ""),
        ("trixie", ""),  # by an earlier version
        (
            "bookworm aarch64 3.11",
            (
                "this bundle is for bookworm on aarch64, this machine is trixie on aarch64; "
                "make one: make bundle RELEASE=trixie MACHINE=aarch64"
            ),
        ),
        (
            "trixie x86_64 3.13",
            (
                "this bundle is for trixie on x86_64, this machine is trixie on aarch64; "
                "make one: make bundle RELEASE=trixie MACHINE=aarch64"
            ),
        ),
        (
            "trixie aarch64 3.12",
            (
                "this bundle is for Python 3.12, and python3 is 3.13: with the system's own, "
                "sudo env PATH=/usr/bin:/bin:/usr/sbin:/sbin install.sh --offline stick"
            ),
        ),
    ],
)
def test_a_bundle_says_what_it_was_made_for_where_it_does_not_fit(
    made: str, said: str, checkout: Path, tmp_path: Path
) -> None:
    installer = (checkout / "systemd" / "install.sh").read_text(encoding="utf-8")
    (lines,) = re.findall(r"^  read -r made .*?(?=^  \[ -e)", installer, re.MULTILINE | re.DOTALL)
    (tmp_path / "stick").mkdir()
    (tmp_path / "stick" / "RELEASE").write_text(f"{made}\n")
    script = (
        "set -euo pipefail\nRELEASE=trixie OFFLINE=stick\nuname() { echo aarch64; }\n"
        'python3() { echo 3.13; }\ndie() { echo "$*"; exit 3; }\n'
    )
    shell = ["bash", "-c", script + lines, "install.sh"]
    told = subprocess.run(shell, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (told.stdout + told.stderr).strip() == said
