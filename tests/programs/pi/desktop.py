"""The desktop variant: `install.sh` finds out by itself that the guest starts labwc, and whose it is.

The desktop is made as Raspberry Pi OS makes its own: a display manager logs the user in, labwc starts
what the XDG autostart folders name. Every step says what it saw; the first that does not hold ends the run
with 1.
"""

from __future__ import annotations

import subprocess
import sys

from machine import Guest, bundle, work_folder
from run import Table, sit_down, step

USER = "ana"
PLAYS = f"pgrep -u {USER} -f 'companion .*play'"


def installing(guest: Guest) -> None:
    guest.wait()
    guest.empty_table()
    with step(f"it installs for the desktop of {USER}"):
        told = guest.run("bash /mnt/share/bundle/install.sh --offline /mnt/share/bundle", 1200)
        print(told)
        assert f"as {USER}" in told, "the installer finds no desktop"
        code, _ = guest.try_run("systemctl is-enabled companion")
        assert code, "the service starts, too"
    guest.run("systemctl poweroff || true")
    while guest.running():
        pass


def playing(guest: Guest, table: Table) -> None:
    guest.wait()
    guest.empty_table()
    with step("after a restart the table is on the desktop, by itself"):
        guest.run(f"for i in $(seq 300); do {PLAYS} && break; sleep 1; done; sleep 40", 700)
        assert guest.run(f"pgrep -u {USER} labwc")
        table.look("desktop-1-home")
    with step("a game is set up by touch and by the chairs' buttons"):
        sit_down(guest, table, "kinapa")
        table.press(1)  # has cat 1: with its first ruling a game is stored
        table.look("desktop-2-emperor")
    with step("the verbs find its games"):
        said = guest.run(f"runuser -u {USER} -- companion games 2>&1")
        print(said)
        assert "kinapa" in said.lower(), said
    with step("it is uninstalled"):
        print(guest.run("bash /mnt/share/bundle/install.sh --uninstall"))
        code, _ = guest.try_run(
            f"test -e /opt/companion -o -e /home/{USER}/.config/autostart/companion.desktop"
        )
        assert code, "something of it is left"


def main() -> int:
    work = work_folder()
    screens = work / "screens"
    screens.mkdir(exist_ok=True)
    bundle(work)
    disk = work / "desktop-table.ext4"
    subprocess.run(["cp", "--sparse=always", str(work / "desktop.ext4"), str(disk)], check=True)
    with Guest(work, image=disk.name, keep=True) as guest:
        installing(guest)
    with Guest(work, image=disk.name, keep=True) as guest:
        playing(guest, Table(guest, screens))
    return 0


if __name__ == "__main__":
    sys.exit(main())
