"""Another version in the guest: as a package in mid-game, from a stick by touch, back again, away.

The newer version is this tree with another number and another format of its store. Every step says what it
saw; the first that does not hold ends the run with 1.
usage: updating.py [--fresh | --again] [--only packages,stick,leaving]
--fresh: pack and install the older package again; --again: take both of the last run
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from appliance import STICK_MB
from machine import CHECKOUT, Guest, installed, packed, work_folder
from run import PULL, STORE, ready, step
from where import on_home

from companion.core.view import Sentence
from companion.system.appliance import UpdateOffer
from hardware.pin_table import build_pin_table

NEWER = "0.1.1"
REFUSED = Sentence("shared.trouble.update_unsigned")
KEPT = 60
"""Entries of the game that is being played: it is in the middle then."""
STATE = "/var/lib/companion"
WAIT = "for i in $(seq 300); do {} && exit; sleep 2; done; exit 1"
KEY = "/etc/companion/update.pub"
OK = build_pin_table().button_pin((None, "ok"))
LEFT = f"{STATE} /etc/companion /var/backups/companion /opt/companion /usr/lib/table-companion"


def newer(work: Path) -> Path:
    """A copy of this tree that is a version further on: what it writes the older one does not know."""
    copy = work / "newer"
    shutil.rmtree(copy, ignore_errors=True)
    listed = ("git", "-C", str(CHECKOUT), "ls-files", "-co", "--exclude-standard", "-z")
    for name in subprocess.run(listed, check=True, capture_output=True).stdout.decode().split("\0"):
        if name and (CHECKOUT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(CHECKOUT / name, copy / name)
    for name, pattern, value in (
        ("pyproject.toml", r'(?m)^version = ".*"', f'version = "{NEWER}"'),
        ("companion/referee/journal/sqlite.py", r"(?m)^STORE_FORMAT = 1$", "STORE_FORMAT = 2"),
    ):
        text, changed = re.subn(pattern, value, (copy / name).read_text(encoding="utf-8"))
        assert changed == 1, name
        (copy / name).write_text(text, encoding="utf-8")
    return copy


def half_a_game(share: Path) -> None:
    """A game of people, which they have not played to its end."""
    played = (CHECKOUT / "tests/playthroughs/kinapa/players-4.jsonl").read_text(encoding="utf-8").splitlines()
    header = json.loads(played[0]) | {"kind": "game"}
    (share / "half.jsonl").write_text("\n".join([json.dumps(header), *played[1 : KEPT + 1]]) + "\n")


def version(guest: Guest) -> str:
    return guest.run("companion --version").split()[-1]


def entries(guest: Guest) -> int:
    return int(guest.run(f"sqlite3 -readonly {STORE} 'select count(*) from entries'"))


def in_play(guest: Guest, picture: Path) -> None:
    """The table is on, with the game that was being played."""
    ready(guest)
    assert entries(guest) >= KEPT
    writes = guest.run("cat /var/lib/companion/table/games.sqlite.lock").split()[0]
    assert writes == guest.run("systemctl show -P MainPID companion").strip(), "no game is on the table"
    guest.shot(picture)


def half_on_the_table(guest: Guest, picture: Path) -> None:
    with step("half a game is on the table"):
        guest.run(
            f"systemctl stop companion; rm -rf {STATE}/table; cd /tmp; "
            "runuser -u companion -- companion import /mnt/share/half.jsonl; systemctl start companion",
            400,
        )
        in_play(guest, picture)


def packages(guest: Guest, deb: str, screens: Path, before: str) -> None:
    half_on_the_table(guest, screens / "u1-half.png")
    with step("the newer package is installed over it: the games are copied, the game goes on"):
        print(guest.run(f"dpkg -i /mnt/share/{deb} 2>&1", 3600))
        assert version(guest) == NEWER
        in_play(guest, screens / "u2-newer.png")
        copy = guest.run("ls /var/backups/companion/*/table-companion/*/*/games.sqlite").splitlines()
        assert len(copy) == 1, copy
        counted = guest.run(f"sqlite3 -readonly '{copy[0]}' 'select count(*) from entries'")
        assert int(counted) >= KEPT, counted
    with step("the version before comes back, and goes on with the game"):
        print(guest.run("companion update --back 2>&1", 600))
        assert version(guest) == before
        in_play(guest, screens / "u3-back.png")
    with step("a store that the newer version changed keeps the older one from coming back, and it says so"):
        guest.run("companion update --back", 600)
        assert version(guest) == NEWER
        guest.run(f"systemctl stop companion; sqlite3 {STORE} 'pragma user_version = 2'", 200)
        guest.run("systemctl start companion", 400)
        code, said = guest.try_run("companion update --back 2>&1", 900)
        print("  " + said.strip())
        assert code, "the older version took it"
        assert "doesn't start" in said, said
        assert "saved by a newer version" in guest.run("journalctl -u companion -n 200 --no-pager")
        assert version(guest) == NEWER
        in_play(guest, screens / "u4-refused.png")


def older_again(guest: Guest, before: str) -> None:
    with step("the older version again, with nobody playing"):
        guest.run(f"systemctl stop companion; sqlite3 {STORE} 'pragma user_version = 0'", 200)
        # The newer one is not started again: a store that it makes is not for the older one.
        guest.run(f"mv {STATE}/table {STATE}/aside; companion update --back; systemctl start companion", 900)
        assert version(guest) == before
        ready(guest)


def by_stick(guest: Guest, screens: Path, key: Path, before: str) -> None:
    disk = guest.run("ls /dev/disk/by-id/usb-* | head -1").strip()
    with step("the owner's key is put into its place"):
        shutil.copy(key.with_suffix(".pub"), guest.share / "update.pub")
        guest.run(f"install -m 644 /mnt/share/update.pub {KEY}")
    for signed in (False, True):
        with step(f"a stick with a bundle that is {'signed' if signed else 'not signed'}"):
            guest.run(
                f"umount -l /run/companion-stick/* 2>/dev/null; mkfs.vfat -n STICK {disk}; "
                f"mount {disk} /mnt/disk"
            )
            unsigned = "" if signed else "rm /mnt/disk/bundle/SHA256SUMS.sig;"
            guest.run(f"cp -r /mnt/share/newer /mnt/disk/bundle; {unsigned} umount /mnt/disk; sync", 600)
            guest.run("udevadm trigger --action=add --subsystem-match=block; udevadm settle; sleep 5")
            guest.run("findmnt -rno TARGET | grep companion-stick")
            time.sleep(10)
            kind = "signed" if signed else "unsigned"
            guest.shot(screens / f"u5-{kind}-home.png")
            guest.touch(*on_home("more", stick=True))
            time.sleep(6)
            guest.shot(screens / f"u5-{kind}-more.png")
            guest.touch(*on_home("machine", "more", stick=True))
            time.sleep(6)
            guest.shot(screens / f"u5-{kind}-machine.png")
            shown = UpdateOffer("0.1.1", signed=signed, hold=True, refused=None if signed else REFUSED)
            guest.touch(*on_home("update", "machine", stick=True, update=shown))
            time.sleep(6)
            guest.shot(screens / f"u5-{'signed' if signed else 'unsigned'}.png")
            if signed:
                guest.touch(*on_home("install", "update", stick=True, update=shown))
                guest.run(WAIT.format("! systemctl is-active --quiet companion"), 600)
                time.sleep(6)
                guest.shot(screens / "u6-hold-ok.png")
                guest.run(f"echo pull-down > {PULL.format(OK)}; sleep 5; echo pull-up > {PULL.format(OK)}")
                guest.run(WAIT.format(f"companion --version | grep -q {NEWER}"), 1200)
                guest.run(
                    WAIT.format("test -s /run/companion-update/told"),
                    600,
                )
                print("  " + guest.run("journalctl -u 'companion-update@*' --no-pager -o cat | tail -20"))
                ready(guest)
                guest.shot(screens / "u7-done.png")
                assert guest.run("cut -c1-7 /run/companion-update/told | head -1").startswith("signed-")
            else:
                guest.touch(*on_home("close", "update", stick=True, update=shown))
                time.sleep(6)
                asked = guest.run("journalctl -u 'companion-update@*' --no-pager -o cat 2>/dev/null || true")
                assert not asked.strip(), asked
                assert version(guest) == before


def leaving(guest: Guest, screens: Path) -> None:
    half_on_the_table(guest, screens / "u8-half.png")
    with step("it is removed: the games stay"):
        print(guest.run("dpkg -r table-companion 2>&1", 600))
        code, _ = guest.try_run("ls /opt/companion /etc/systemd/system/companion*")
        assert code, "something of it is left"
        assert entries(guest) >= KEPT
    with step("it is purged: nothing stays"):
        print(guest.run("dpkg -P table-companion 2>&1", 600))
        code, said = guest.try_run(f"ls -d {LEFT} 2>/dev/null; id companion 2>/dev/null")
        assert not said.strip(), said


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--only", default="packages,stick,leaving")
    wanted = parser.parse_args()
    work = work_folder()
    screens = work / "screens"
    screens.mkdir(exist_ok=True)
    if wanted.fresh:
        (work / "installed.ext4").unlink(missing_ok=True)
    with step("the older package installs"):
        image = installed(work)
    key = work / "maker"
    if not key.exists():
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    with step("the newer version is packed and signed"):
        os.environ["SIGN"] = str(key)
        made = work / f"share/table-companion_{NEWER}_amd64.deb"
        deb = made if wanted.again and made.exists() else packed(newer(work), work / "share/newer")
    half_a_game(work / "share")
    disk = work / "updating.ext4"
    subprocess.run(["cp", "--sparse=always", str(work / image), str(disk)], check=True)
    stick_image = work / "stick.img"
    with stick_image.open("wb") as empty:
        empty.truncate(STICK_MB << 20)
    extra = (
        "-device", "qemu-xhci",
        "-drive", f"file={stick_image},format=raw,if=none,id=stick",
        "-device", "usb-storage,drive=stick",
    )  # fmt: skip
    with Guest(work, image=disk.name, keep=True, extra=extra) as guest:
        with step("it boots"):
            guest.wait()
            guest.empty_table()
            guest.run("mkdir -p /mnt/disk")
            ready(guest)
        before = version(guest)
        parts = wanted.only.split(",")
        if "packages" in parts:
            packages(guest, deb.name, screens, before)
            older_again(guest, before)
        if "stick" in parts:
            by_stick(guest, screens, key, before)
        if "leaving" in parts:
            leaving(guest, screens)
    return 0


if __name__ == "__main__":
    sys.exit(main())
