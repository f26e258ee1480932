"""The appliance beyond its games: a package, start and idle, the verbs over ssh, a USB stick, switching off.

Every step says what it saw; the first that does not hold ends the run with 1.
usage: appliance.py [--fresh]   (`--fresh`: pack and install the package anew)
"""

from __future__ import annotations

import argparse
import re
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from machine import Guest, installed, work_folder
from run import PYTHON, ready, step
from where import on_home

HERE = Path(__file__).parent
BARE = "/etc/systemd/system/bare.service"
BACK = "/sys/devices/platform/gpio-sim.0/gpiochip0/sim_gpio2/pull"
LAMPS = (23, 24, 10, 9)
STICK_MB = 512


def starting(guest: Guest) -> None:
    """Service start and power-on to first frame, beside the least that a full-screen program does."""
    shutil.copy(HERE / "bare.py", guest.share)
    asked = "systemctl show -P {}TimestampMonotonic companion"
    begun, drawn = (
        int(guest.run(asked.format(what)).split()[0]) / 1e6 for what in ("InactiveExit", "ActiveEnter")
    )
    guest.run("mkdir -p /opt/bare; cp /mnt/share/bare.py /opt/bare/; systemctl stop companion")
    guest.run(
        f"sed 's|^ExecStart=.*|ExecStart={PYTHON} /opt/bare/bare.py|; s|^WatchdogSec=.*||' "
        f"/etc/systemd/system/companion.service > {BARE}; systemctl daemon-reload"
    )
    took: dict[str, list[float]] = {"bare": [], "companion": []}
    for _ in range(4):
        for unit, times in took.items():
            said = guest.run(f"S=$(date +%s%N); systemctl start {unit}; echo $(($(date +%s%N) - S))", 300)
            times.append(int(said.split()[-1]) / 1e9)
            guest.run(f"systemctl stop {unit}")
    for unit, times in took.items():
        print(f"  {unit}: {', '.join(f'{each:.1f}' for each in times)} s")
    warm = {unit: statistics.median(times[1:]) for unit, times in took.items()}
    print(
        f"  service start to first frame: {warm['companion'] / warm['bare']:.2f} x the bare script (median)"
    )
    with_bare = begun + took["bare"][0]
    print(
        f"  power to attract screen: {drawn:.0f} s, of which {drawn - begun:.0f} s are ours; with the bare "
        f"script in our place {with_bare:.0f} s: {drawn / with_bare:.2f} x"
    )


def idling(guest: Guest, seconds: int = 60) -> None:
    """What a table costs that nobody sits at."""
    guest.run("systemctl start companion; sleep 40", 200)
    before = _spent(guest)
    guest.run(f"sleep {seconds}", seconds + 120)
    after = _spent(guest)
    busy = (after[0] - before[0]) / (after[1] - before[1])
    print(f"  {busy:.1f} % of one processor, {after[2] / 1024:.0f} MB resident")
    threads = guest.run(
        "P=$(systemctl show -P MainPID companion); for t in /proc/$P/task/*; do "
        "echo $(awk '{print $14+$15}' $t/stat) $(cat $t/comm); done | sort -rn | head -5"
    )
    print("  ticks by thread:", ", ".join(threads.strip().splitlines()))


def _spent(guest: Guest) -> tuple[float, float, float]:
    """Hundredths of seconds of processor, seconds since the start, kB resident."""
    said = guest.run(
        "P=$(systemctl show -P MainPID companion); awk '{print $14+$15}' /proc/$P/stat; "
        "cut -d' ' -f1 /proc/uptime; awk '/VmRSS/ {print $2}' /proc/$P/status"
    )
    ticks, uptime, resident = map(float, said.split())
    return ticks, uptime, resident


def remembering(guest: Guest) -> None:
    """Whether opening the camera again and again costs memory, and whose it is."""
    shutil.copy(HERE / "reopening.py", guest.share)
    guest.run("systemctl stop companion")
    for who in ("ours", "bare"):
        said = guest.run(f"cd /tmp; {PYTHON} /mnt/share/reopening.py {who} 41 2>/dev/null", 900)
        print("  " + said.strip().splitlines()[-1])
    guest.run("systemctl start companion", 300)


def over_ssh(guest: Guest) -> None:
    """Somebody of the group looks at the service's games and wants its parts."""
    guest.run("id ana >/dev/null 2>&1 || useradd -m -G companion,gpio,video ana")
    said = guest.run("runuser -u ana -- companion games 2>&1")
    assert "/var/lib/companion" in said, said
    for verb, what in (
        ("press", "the service is using the pins"),
        ("calibrate --once", "the service is using the camera"),
    ):
        code, said = guest.try_run(f"cd /tmp; runuser -u ana -- companion {verb} 2>&1")
        assert code, said
        assert what in said, said
        print("  " + said.strip())


def stick(guest: Guest, screens: Path) -> None:
    """A stick is put in, the games are copied by touch, and what lay there is untouched."""
    shutil.copy(HERE.parents[1] / "playthroughs/kinapa/players-4.jsonl", guest.share / "game.jsonl")
    guest.run(
        "systemctl stop companion; cd /tmp; runuser -u companion -- companion import /mnt/share/game.jsonl"
    )
    guest.run("systemctl start companion; sleep 20", 400)
    disk = guest.run("ls /dev/disk/by-id/usb-* | head -1").strip()
    guest.run(f"mkfs.vfat -n STICK {disk}; mount {disk} /mnt; echo sea > /mnt/holiday.jpg; umount /mnt; sync")
    guest.run("udevadm trigger --action=add --subsystem-match=block; udevadm settle; sleep 5")
    where = guest.run("findmnt -rno TARGET | grep companion-stick").strip()
    guest.touch(*on_home("more", stick=True))
    time.sleep(6)
    guest.touch(*on_home("machine", "more", stick=True))
    time.sleep(6)
    guest.shot(screens / "a-machine.png")
    guest.touch(*on_home("copy", "machine", stick=True))
    guest.run(f"until ls '{where}'/*/*/*/SHA256SUMS; do sleep 1; done 2>/dev/null; sleep 3", 120)
    guest.shot(screens / "b-copied.png")
    print(guest.run(f"cd '{where}'; find . -type f | sort; cd */*/*/ && sha256sum -c SHA256SUMS"))
    assert guest.run(f"cat '{where}'/holiday.jpg").strip() == "sea"


def switching_off(guest: Guest, screens: Path) -> None:
    """`back` is held: the lamps say so one after the other, and the machine goes off by itself."""
    guest.run(f"(echo pull-down > {BACK}; sleep 2; echo pull-up > {BACK}; sleep 1)")
    assert "active" in guest.run("systemctl is-active companion")
    begun = time.monotonic()
    guest.run(f"echo pull-down > {BACK}")
    shown = False
    while guest.running() and time.monotonic() - begun < 180:
        time.sleep(0.5)
        if not shown:
            guest.shot(screens / "c-held.png")
            shown = time.monotonic() - begun > 2.5
    assert not guest.running(), "it did not switch off"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--only", default="")
    wanted = parser.parse_args()
    work = work_folder()
    screens = work / "screens"
    screens.mkdir(exist_ok=True)
    if wanted.fresh:
        (work / "installed.ext4").unlink(missing_ok=True)
    with step("the package installs"):
        image = installed(work)
    disk = work / "appliance.ext4"
    subprocess.run(["cp", "--sparse=always", str(work / image), str(disk)], check=True)
    stick_image = work / "stick.img"
    with stick_image.open("wb") as empty:
        empty.truncate(STICK_MB << 20)
    extra = (
        "-device", "qemu-xhci",
        "-drive", f"file={stick_image},format=raw,if=none,id=stick",
        "-device", "usb-storage,drive=stick",
    )  # fmt: skip
    steps: dict[str, Callable[[Guest], None]] = {
        "starting": starting,
        "idling": idling,
        "remembering": remembering,
        "over_ssh": over_ssh,
        "stick": lambda guest: stick(guest, screens),
        "switching_off": lambda guest: switching_off(guest, screens),
    }
    with Guest(work, image=disk.name, keep=True, extra=extra) as guest:
        with step("it boots"):
            guest.wait()
            guest.empty_table()
            ready(guest)
        for name, check in steps.items():
            if not wanted.only or name in wanted.only.split(","):
                with step(name.replace("_", " ")):
                    check(guest)
    if wanted.only:
        return 0
    with Guest(work, image=disk.name, keep=True) as guest:
        removing(guest)
    return 0


def removing(guest: Guest) -> None:
    with step("it comes back, and the package is removed: the games stay"):
        guest.wait()
        said = guest.run("dpkg -r table-companion 2>&1", 600)
        print(said)
        assert re.search(r"Games stay", said)
        code, _ = guest.try_run("test -e /opt/companion -o -e /etc/systemd/system/companion.service")
        assert code, "something of it is left"
        guest.run("test -e /var/lib/companion")


if __name__ == "__main__":
    sys.exit(main())
