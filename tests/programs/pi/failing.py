"""Parts of the appliance fail and come back, in the guest; the table goes on: `failing.py [--only NAME,…]`.

The camera is not among them: `run.py` pulls its cable at every move of cards. Every step says what it saw;
the first that does not hold ends the run with 1.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from pathlib import Path

from machine import Guest, GuestError, installed, work_folder
from run import Table, sit_down, step

SIM = "/sys/kernel/config/gpio-sim"
SCREEN = "/sys/class/drm/card*-Virtual-1/status"
SOUND = (
    "-device", "qemu-xhci",
    "-audiodev", "none,id=nowhere",
    "-device", "usb-audio,id=voice,audiodev=nowhere",
)  # fmt: skip
VOICE = {"driver": "usb-audio", "id": "voice", "audiodev": "nowhere"}


def settled(guest: Guest, command: str, seconds: int = 90) -> str:
    """What a command prints as soon as it succeeds."""
    return guest.run(f"for i in $(seq {seconds}); do {command} && exit; sleep 1; done; exit 1", seconds * 4)


def restarts(guest: Guest) -> int:
    """How often systemd had to start the table again."""
    return int(guest.run("systemctl show -P NRestarts companion"))


def lines_held(guest: Guest, chip: str) -> int:
    """How many lines of a gpiochip a program has: four buttons, their lamps, back, next and OK at least."""
    lines = guest.run(f"gpioinfo -c {chip}")
    held = len(re.findall(r"consumer=", lines))
    assert held >= 11, lines
    return held


def two_services(guest: Guest, screens: Path) -> None:
    """A second table at the same store names the first."""
    pid = guest.run("systemctl show -P MainPID companion").strip()
    code, said = guest.try_run(
        "cd /tmp; runuser -u companion -- env SDL_VIDEODRIVER=dummy SDL_AUDIODRIVER=dummy companion play 2>&1"
    )
    assert code, said
    print("  " + said.strip().splitlines()[-1])
    assert pid in said, said


def clock_stepped(guest: Guest, screens: Path) -> None:
    """A Pi has no clock of its own: hours forward when the network tells the time, and back."""
    before = restarts(guest)
    for step_ in ("+7 hours", "-14 hours", "+7 hours"):
        guest.run(f"date -s '{step_}' > /dev/null; sleep 25")
        assert "active" in guest.run("systemctl is-active companion")
    assert restarts(guest) == before
    guest.shot(screens / "d-clock.png")


def screen_gone(guest: Guest, screens: Path) -> None:
    """The screen's cable is pulled and put back; then the table starts without one."""
    before = restarts(guest)
    guest.run(f"for s in {SCREEN}; do echo off > $s; done; sleep 15")
    assert "active" in guest.run("systemctl is-active companion")
    guest.run(f"for s in {SCREEN}; do echo on > $s; done; sleep 10")
    assert restarts(guest) == before
    guest.shot(screens / "e-screen-back.png")
    guest.run(f"for s in {SCREEN}; do echo off > $s; done; systemctl restart companion", 400)
    assert "active" in guest.run("sleep 10; systemctl is-active companion")
    print("  " + guest.run("journalctl -u companion -b --no-pager | grep -i 'screen' | tail -1").strip())
    print(f"  started without a screen: active, {lines_held(guest, '0')} pins held")
    guest.run(f"for s in {SCREEN}; do echo detect > $s; done; systemctl restart companion", 400)


def sound_moves(guest: Guest, screens: Path) -> None:
    """In a game the sound card is pulled, another takes its number, it comes back as the next and speaks."""
    settled(guest, "grep -q USB /proc/asound/cards")
    guest.run("printf '[sound]\\ndevice = \"QEMU USB Audio\"\\n' >> /etc/companion/settings.toml")
    guest.run("systemctl restart companion", 400)
    time.sleep(10)
    sit_down(guest, Table(guest, screens), "kinapa")
    settled(guest, "grep -q RUNNING /proc/asound/card0/pcm0p/sub0/status")
    print("  before: " + guest.run("head -1 /proc/asound/cards").strip())
    guest.order("device_del", id="voice")
    settled(guest, "! grep -q USB /proc/asound/cards")
    settled(guest, "journalctl -u companion -b --no-pager | grep -q 'Sound lost'")
    guest.run("modprobe snd-dummy")
    guest.order("device_add", **VOICE)
    settled(guest, "grep -q USB /proc/asound/cards")
    print("  after:  " + guest.run("grep -h ']:' /proc/asound/cards").strip())
    settled(guest, "grep -q RUNNING /proc/asound/card1/pcm0p/sub0/status")
    assert "active" in guest.run("systemctl is-active companion")
    print("  it plays on the card that is number 1 now")


def chip_renumbered(guest: Guest, screens: Path) -> None:
    """Other pins take the number 0, as kernels did with a Pi 5: the header's are found by their label."""
    guest.run("systemctl stop companion")
    guest.run(f"echo 0 > {SIM}/pi/live; mkdir -p {SIM}/other/bank0; echo 4 > {SIM}/other/bank0/num_lines")
    guest.run(f"echo other > {SIM}/other/bank0/label; echo 1 > {SIM}/other/live; echo 1 > {SIM}/pi/live")
    print("  " + "; ".join(guest.run("udevadm settle; gpiodetect").strip().splitlines()))
    guest.run("systemctl start companion", 400)
    chip = re.search(r"gpiochip(\d+) \[pinctrl", guest.run("gpiodetect"))
    assert chip is not None
    assert chip[1] != "0", "nothing was renumbered"
    print(f"  {lines_held(guest, chip[1])} lines of gpiochip{chip[1]} are the table's")


STEPS = {
    "two_services": two_services,
    "clock_stepped": clock_stepped,
    "screen_gone": screen_gone,
    "sound_moves": sound_moves,
    "chip_renumbered": chip_renumbered,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    wanted = parser.parse_args()
    work = work_folder()
    screens = work / "screens"
    screens.mkdir(exist_ok=True)
    with Guest(work, image=installed(work), extra=SOUND) as guest:
        with step("it boots"):
            guest.wait()
            guest.empty_table()
            settled(guest, "systemctl is-active -q companion", 300)
            time.sleep(5)
        for name, check in STEPS.items():
            if not wanted.only or name in wanted.only.split(","):
                with step(name.replace("_", " ")):
                    try:
                        check(guest, screens)
                    except (GuestError, AssertionError):
                        print(guest.run("journalctl -u companion -b --no-pager | tail -30"))
                        raise
    return 0


if __name__ == "__main__":
    sys.exit(main())
