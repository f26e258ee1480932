"""The virtual Pi from the first boot to the uninstalling, as the README tells it: `make pi`.

Every step says what it saw; the first that does not hold ends the run with 1. Screens are in WORK/screens.
A Kinapa game is played to its winner, then a Kabuki game to a finish of two Stops; in its middle the plug is
pulled.
usage: run.py [--seconds N] [--go-on]   how long people may take for either (default 5400); with the disk
                                     of a run that has installed already
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
from where import on_home, on_prepare, when_over

HERE = Path(__file__).parent
STORE = "/var/lib/companion/table/games.sqlite"
PYTHON = "/opt/companion/current/venv/bin/python"
BUTTONS = {1: 17, 2: 27, 3: 22, 4: 5}
"""Chair as people count → BCM, as `companion wiring` prints it."""
PULL = "/sys/devices/platform/gpio-sim.0/gpiochip0/sim_gpio{}/pull"
VALUE = "/sys/devices/platform/gpio-sim.0/gpiochip0/sim_gpio{}/value"
DEAL = 46
"""The seed of a deal that is soon played to its end, whatever chance does."""
APART_MS = 3
"""How far apart two people call Stop."""
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

    def look(self, name: str) -> None:
        """Keep what the screen shows, as soon as it stands still."""
        picture = self._screens / f"{name}.png"
        before = b""
        for _ in range(20):
            time.sleep(2)
            self.guest.shot(picture)
            if before == (before := picture.read_bytes()):
                return

    def touch(self, at: tuple[float, float], name: str) -> None:
        """Touch the screen, and keep what it shows then."""
        picture = self._screens / f"{name}.png"
        self.guest.shot(picture)
        before = picture.read_bytes()
        self.guest.touch(*at)
        for _ in range(60):
            self.guest.shot(picture)
            if picture.read_bytes() != before:
                break
            time.sleep(1)
        self.look(name)

    def entries(self) -> int:
        """How many entries of the newest game the disk holds."""
        asked = f"sqlite3 -readonly {STORE} 'select count(*) from entries'"
        code, out = self.guest.try_run(asked)
        return int(out) if code == 0 and out.strip().isdigit() else 0

    def people(self, seconds: float, game: str = "kinapa", more: str = "") -> None:
        """Simulated people sit down and play in the background."""
        self.guest.run(
            "rm -f /run/hil/unplugged; cd /tmp; "
            f"nohup {PYTHON} /mnt/share/hands.py {STORE} {seconds} {DEAL} {game} {len(BUTTONS)} {more} "
            "> /mnt/share/hands.log 2>&1 &"
        )

    def occupied(self) -> bool:
        """Whether the people still sit there."""
        code, _ = self.guest.try_run("pgrep -f [h]ands.py")
        return code == 0

    def played(self) -> dict[str, object] | None:
        """What the people report when the game is over."""
        lines = self.guest.run("cat /mnt/share/hands.log 2>/dev/null || true").strip().splitlines()
        return json.loads(lines[-1]) if lines and lines[-1].startswith("{") else None


def prepare(work: Path) -> None:
    """The folder that the guest sees: the bundle, the people."""
    share = work / "share"
    share.mkdir(exist_ok=True)
    with step("the bundle is made"):
        bundle(work)
    bring_people(share)


def bring_people(share: Path) -> None:
    """What the people run who sit in the guest."""
    for name in ("onlooker.py", "hands.py", "phone.py", "phones.py"):
        shutil.copy(HERE / name, share)


def first_boot(guest: Guest, table: Table) -> None:
    with step("it boots"):
        guest.wait()
    guest.empty_table()
    with step("it installs by its own installer, without a network"):
        print(table.install())
    ready(guest)
    guest.run("systemctl is-active companion")
    table.look("1-home")
    with step("doctor leaves the table its parts"):
        doctor = guest.run("companion doctor")
        print(doctor)
        # The table runs and has them itself.
        for part in ("pins", "lamps", "camera", "screen"):
            assert re.search(rf"^{part} +untried", doctor, re.MULTILINE), f"doctor opens the table's {part}"
        assert re.search(r"^storage +ok", doctor, re.MULTILINE), "doctor finds no storage"
    with step(f"the sandbox holds: exposure at most {EXPOSED}"):
        report = guest.run("systemd-analyze security companion --no-pager")
        exposure = float(re.search(r"level for companion.service: ([\d.]+)", report)[1])  # type: ignore[index]
        assert exposure <= EXPOSED, exposure
        print(f"  exposure {exposure}")
        assert guest.run("ps -o user= -C companion | sort -u").strip() != "root"
    with step("nothing listens"):
        heard = guest.run("ss -Hlntu | grep -v '127.0.0' || true").strip()
        assert not heard, heard


def sit_down(guest: Guest, table: Table, game: str) -> None:
    """Choose a game by touch, and sit down by the chairs' buttons; who sat there last time stays."""
    table.touch(on_home(f"game:{game}"), f"{game}-2-chosen")
    for chair in BUTTONS:
        table.press(chair)
    lit = "for i in $(seq 60); do grep -q 1 {} && exit; sleep 1; done; exit 1"
    guest.run(lit.format(VALUE.format(23)))  # chair 1 joined
    table.look(f"{game}-3-joined")
    table.touch(on_home("start", game=game, people=len(BUTTONS)), f"{game}-4-prepared")
    table.touch(on_prepare("start", game=game, people=len(BUTTONS)), f"{game}-4-begun")


def play(guest: Guest, table: Table, game: str, seconds: float, more: str = "") -> str:
    """Let people play until they are done; what became of it."""
    table.people(seconds, game, more)
    end = time.monotonic() + seconds + 60
    shots = 0
    while time.monotonic() < end and table.occupied():
        time.sleep(30)
        shots += 1
        guest.shot(table._screens / f"{game}-5-play-{shots:03}.png")
        print(f"  {table.entries()} entries", flush=True)
    played = table.played()
    assert played is not None, guest.run("cat /mnt/share/hands.log")
    print(f"  {played}")
    return str(played["outcome"])


def games(guest: Guest, table: Table, seconds: float) -> int:
    """Kinapa to its winner, Kabuki to a finish; the entries on the disk at the end."""
    with step("Kinapa is set up by touch and by the chairs' buttons; the lamps are read back"):
        sit_down(guest, table, "kinapa")
    with step("people play Kinapa by pins and pictures, to its winner"):
        outcome = play(guest, table, "kinapa", seconds)
        table.look("kinapa-6-winner")
        assert "winners [" in outcome, outcome
        table.touch(when_over("home"), "kinapa-7-home")
    with step(f"Kabuki: two people call Stop {APART_MS} ms apart"):
        sit_down(guest, table, "kabuki")
        outcome = play(guest, table, "kabuki", seconds, f"--finish {APART_MS}")
        table.look("kabuki-6-finish")
        called = re.fullmatch(r"chairs (\d), \d called; the Stop is chair (\d)'s", outcome)
        assert called, outcome
        assert called[1] == called[2], outcome
        print(guest.run("cd /tmp; companion export 2 k.jsonl && companion replay k.jsonl | tail -25"))
    return table.entries()


def ready(guest: Guest) -> None:
    """Until the table is on, and its camera and its reading are loaded."""
    guest.run(
        "for i in $(seq 300); do systemctl is-active -q companion && break; sleep 1; done; sleep 30", 700
    )


def after_the_cut(guest: Guest, table: Table, entries: int) -> None:
    with step("it boots again after the plug was pulled"):
        guest.wait()
        ready(guest)
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
    parser.add_argument("--seconds", type=float, default=5400)
    parser.add_argument("--go-on", action="store_true")
    wanted = parser.parse_args()
    work = work_folder()
    screens = work / "screens"
    screens.mkdir(exist_ok=True)
    prepare(work)
    disk = work / "table.ext4"
    if not wanted.go_on:
        subprocess.run(["cp", "--sparse=always", str(work / "root.ext4"), str(disk)], check=True)
    with Guest(work, image=disk.name, keep=True) as guest:
        table = Table(guest, screens)
        if wanted.go_on:
            guest.wait()
            ready(guest)
        else:
            first_boot(guest, table)
        entries = games(guest, table, wanted.seconds)
        guest.cut_power()
    with Guest(work, image=disk.name, keep=True) as guest:
        after_the_cut(guest, Table(guest, screens), entries)
    print(f"The virtual Pi held. Look at the screens in {screens}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
