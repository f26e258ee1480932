"""The virtual Pi from the first boot to the uninstalling, as the README tells it: `make pi`.

Every step says what it saw; the first that does not hold ends the run with 1. Screens are in WORK/screens.
usage: run.py [--seconds N]   how long simulated people may play before the plug is pulled (default 900)
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from machine import Guest, bundle, work_folder
from where import on_home

HERE = Path(__file__).parent
STORE = "/var/lib/companion/table/games.sqlite"
PYTHON = "/opt/companion/current/venv/bin/python"
BUTTONS = {1: 17, 2: 27, 3: 22, 4: 5}
"""Chair as people count → BCM, as `companion wiring` prints it."""
PULL = "/sys/devices/platform/gpio-sim.0/gpiochip0/sim_gpio{}/pull"
VALUE = "/sys/devices/platform/gpio-sim.0/gpiochip0/sim_gpio{}/value"
EXPOSED = 1.0
"""`systemd-analyze security` must not be above this."""


@contextmanager
def step(what: str) -> Iterator[None]:
    """One thing to be seen, and how long it took."""
    print(f"… {what}", flush=True)
    begun = time.monotonic()
    yield
    print(f"✓ {what} ({time.monotonic() - begun:.0f} s)", flush=True)


class Table:
    """The appliance in the guest, with our fingers and eyes."""

    def __init__(self, guest: Guest, screens: Path) -> None:
        self.guest = guest
        self._screens = screens

    def install(self) -> str:
        return self.guest.run("bash /mnt/share/bundle/install.sh --offline /mnt/share/bundle", 1200)

    def press(self, chair: int) -> None:
        pull = PULL.format(BUTTONS[chair])
        self.guest.run(f"echo pull-down > {pull}; sleep 0.2; echo pull-up > {pull}; sleep 0.8")

    def lamp(self, bcm: int) -> bool:
        return self.guest.run(f"cat {VALUE.format(bcm)}").strip() == "1"

    def look(self, name: str) -> None:
        time.sleep(4)
        self.guest.shot(self._screens / f"{name}.png")

    def entries(self) -> int:
        """How many entries of the newest game the disk holds."""
        asked = f"sqlite3 -readonly {STORE} 'select count(*) from entries'"
        code, out = self.guest.try_run(asked)
        return int(out) if code == 0 and out.strip().isdigit() else 0

    def people(self, seconds: float, seed: int = 5) -> None:
        """Simulated people sit down and play in the background."""
        self.guest.run(
            "rm -f /run/hil/unplugged; cd /tmp; "
            f"nohup {PYTHON} /mnt/share/hands.py {STORE} {seconds} {seed} kinapa 4 "
            "> /mnt/share/hands.log 2>&1 &"
        )

    def played(self) -> dict[str, object] | None:
        """What the people report when the game is over."""
        lines = self.guest.run("cat /mnt/share/hands.log 2>/dev/null || true").strip().splitlines()
        return json.loads(lines[-1]) if lines and lines[-1].startswith("{") else None


def prepare(work: Path) -> None:
    """The folder that the guest sees: the bundle, the people, a first picture for the camera."""
    share = work / "share"
    share.mkdir(exist_ok=True)
    with step("the bundle is made"):
        bundle(work)
    shutil.copy(HERE / "hands.py", share)
    shutil.copy(HERE / "blank.jpg", share)


def first_boot(guest: Guest, table: Table) -> None:
    with step("it boots"):
        guest.wait()
    guest.run("mkdir -p /run/hil; cp /mnt/share/blank.jpg /var/lib/hil/frames/0.jpg")
    with step("it installs by its own installer, without a network"):
        print(table.install())
    guest.run("systemctl is-active companion")
    table.look("1-home")
    with step("every part is seen by doctor"):
        doctor = guest.run("companion doctor")
        print(doctor)
        # libcamera's virtual camera is no device file, so doctor cannot see it; the game will.
        for part in ("pins", "lamps", "screen", "storage"):
            assert re.search(rf"^{part} +ok", doctor, re.MULTILINE), f"doctor finds no {part}"
    with step(f"the sandbox holds: exposure at most {EXPOSED}"):
        report = guest.run("systemd-analyze security companion --no-pager")
        exposure = float(re.search(r"level for companion.service: ([\d.]+)", report)[1])  # type: ignore[index]
        assert exposure <= EXPOSED, exposure
        print(f"  exposure {exposure}")
        assert guest.run("ps -o user= -C companion | sort -u").strip() != "root"
    with step("nothing listens"):
        heard = guest.run("ss -Hlntu | grep -v '127.0.0' || true").strip()
        assert not heard, heard


def game(guest: Guest, table: Table, seconds: float) -> int:
    """Set a game up by touch and buttons, let people play; the entries on the disk at the end."""
    with step("a game is set up by touch and by the chairs' buttons"):
        guest.touch(*on_home("play"))
        table.look("2-which-game")
        guest.touch(*on_home("game:kinapa", "which:setup"))
        table.look("3-set-up")
        for chair in BUTTONS:
            table.press(chair)
        assert any(table.lamp(23) for _ in range(20)), "the lamp of chair 1 is dark although it joined"
        table.look("4-joined")
        guest.touch(0.1, 0.93)
        table.look("5-begun")
    with step(f"people play by pins and pictures, for at most {seconds:.0f} s"):
        table.people(seconds)
        end = time.monotonic() + seconds
        shots = 0
        while time.monotonic() < end and table.played() is None:
            time.sleep(30)
            shots += 1
            guest.shot(table._screens / f"6-play-{shots:02}.png")
            print(f"  {table.entries()} entries", flush=True)
        entries = table.entries()
        print(f"  {table.played() or 'not over'}; {entries} entries")
        assert entries > 10, "nobody could play"
    return entries


def after_the_cut(guest: Guest, table: Table, entries: int) -> None:
    with step("it boots again after the plug was pulled"):
        guest.wait()
        guest.run("for i in $(seq 60); do systemctl is-active -q companion && break; sleep 2; done")
    assert table.entries() >= entries, "an acknowledged ruling is lost"
    check = guest.run(f"sqlite3 -readonly {STORE} 'pragma integrity_check'").strip()
    assert check == "ok", check
    table.look("7-after-the-cut")
    with step("it is updated in the middle of a game"):
        print(table.install())
        table.look("8-updated")
        assert table.entries() >= entries
    with step("it is uninstalled, and the games stay"):
        print(guest.run("bash /mnt/share/bundle/install.sh --uninstall"))
        assert table.entries() >= entries
        code, _ = guest.try_run("test -e /opt/companion -o -e /etc/systemd/system/companion.service")
        assert code, "something of it is left"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=900)
    seconds = parser.parse_args().seconds
    work = work_folder()
    screens = work / "screens"
    screens.mkdir(exist_ok=True)
    prepare(work)
    disk = work / "table.ext4"
    subprocess.run(["cp", "--sparse=always", str(work / "root.ext4"), str(disk)], check=True)
    with Guest(work, image=disk.name, keep=True) as guest:
        table = Table(guest, screens)
        first_boot(guest, table)
        entries = game(guest, table, seconds)
        guest.cut_power()
    with Guest(work, image=disk.name, keep=True) as guest:
        after_the_cut(guest, Table(guest, screens), entries)
    print(f"The virtual Pi held. Look at the screens in {screens}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
