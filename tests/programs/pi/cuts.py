"""Pulls the plug of the whole appliance in mid-game, again and again: `cuts.py [--cuts 20]`.

Simulated people play by pins and pictures; QEMU is killed at a random instant. After the next boot the
service has put the game back on the table by itself: every entry that the disk showed before the cut is there
unchanged, SQLite finds nothing to repair, and the people play on. The screens are in WORK/screens/cut-*.png.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import subprocess
import sys
import time
from pathlib import Path

from machine import Guest, GuestError, installed, work_folder
from run import STORE, Table, bring_people, ready, sit_down

HERE = Path(__file__).parent
SEED = 20
LEAST, MOST = 8.0, 40.0
"""Seconds of play before a cut."""


def bodies(guest: Guest) -> list[str]:
    """A digest of each entry of the newest game, as the disk shows them."""
    asked = (
        f"sqlite3 -readonly {STORE} 'select hex(body) from entries where game = (select max(id) from games) "
        "order by seq' 2>/dev/null || true"
    )
    return [hashlib.sha256(line.encode()).hexdigest() for line in guest.run(asked).split()]


def up(guest: Guest) -> None:
    """Until the table is on."""
    guest.wait(1200)
    guest.run("mkdir -p /run/hil")
    ready(guest)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cuts", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no other cut after so long")
    wanted = parser.parse_args()
    work, rng = work_folder(), random.Random(SEED)
    screens = work / "screens"
    screens.mkdir(exist_ok=True)
    disk = work / "cuts.ext4"
    subprocess.run(["cp", "--sparse=always", str(work / installed(work)), str(disk)], check=True)
    (work / "share").mkdir(exist_ok=True)
    bring_people(work / "share")
    begun = time.monotonic()
    done = lost = wrong = 0
    known: list[str] = []
    while done < wanted.cuts and time.monotonic() - begun < wanted.seconds:
        with Guest(work, image=disk.name, keep=True) as guest:
            up(guest)
            table = Table(guest, screens)
            if done:
                lost, wrong = checked(guest, known, lost, wrong)
                guest.shot(screens / f"cut-{done:02}.png")
            else:
                guest.empty_table()
                guest.run("systemctl restart companion", 300)
                sit_down(guest, table, "kinapa")
            table.people(3600)
            known = played_on(guest, known, rng.uniform(LEAST, MOST))
            guest.cut_power()
        done += 1
        print(f"cut {done}: {len(known)} entries on the disk", flush=True)
    with Guest(work, image=disk.name, keep=True) as guest:
        up(guest)
        lost, wrong = checked(guest, known, lost, wrong)
        guest.shot(screens / f"cut-{done:02}.png")
    print(f"{done} cuts of the whole appliance: {lost} lost an entry, {wrong} found something wrong")
    return 1 if lost or wrong else 0


def played_on(guest: Guest, known: list[str], seconds: float) -> list[str]:
    """Let people play for a while, at least until more than the new start was ruled; the entries then."""
    end = time.monotonic() + seconds
    patience = time.monotonic() + 300
    while True:
        now = bodies(guest)
        if time.monotonic() > end and len(now) > len(known) + 1:
            return now
        if time.monotonic() > patience:
            raise GuestError("nobody plays on")


def checked(guest: Guest, known: list[str], lost: int, wrong: int) -> tuple[int, int]:
    there = bodies(guest)
    if there[: len(known)] != known:
        print(f"  LOST: {len(known)} entries were known, {len(there)} are there", flush=True)
        lost += 1
    answer = guest.run(f"sqlite3 -readonly {STORE} 'pragma integrity_check'").strip()
    active = guest.run("systemctl is-active companion || true").strip()
    if answer != "ok" or active != "active":
        print(f"  WRONG: {answer}, {active}", flush=True)
        wrong += 1
    return lost, wrong


if __name__ == "__main__":
    sys.exit(main())
