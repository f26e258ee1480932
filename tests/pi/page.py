"""The page in the virtual Pi: switched on and off, watched by the guest's address, killed in mid-game.

A phone is a process in a network of its own inside the guest. Every step says what it saw; the first that
does not hold ends the run with 1. usage: page.py [--fresh]   (`--fresh`: pack and install the package anew)
"""

from __future__ import annotations

import argparse
import re
import sys
import time

from machine import Guest, installed, work_folder
from run import BUTTONS, STORE, Table, ready, sit_down, step

PAGE = "/opt/companion/current/page/bin/python"
HOUSE, PHONE = "192.168.77.1", "192.168.77.2"
EXPOSED = 2.0
"""`systemd-analyze security` of the page must not be above this."""
WATCHES = """
import json, sys
from websockets.sync.client import connect
host, pin, game = sys.argv[1:]
with connect(f"ws://{host}/live", origin=f"http://{host}", open_timeout=120) as live:
    live.send(json.dumps({"type": "watch", "pin": pin, "lang": "en"}))
    while True:
        told = json.loads(live.recv(timeout=240))
        if told["type"] == "no" or (told["type"] == "table" and (not game or told["game"] == game)):
            break
print(told["type"], told.get("game", told.get("text")))
"""


def state(guest: Guest, unit: str) -> str:
    return guest.try_run(f"systemctl is-active {unit}")[1].strip()


def until(guest: Guest, unit: str, wanted: str, seconds: int = 240) -> None:
    there = f'test "$(systemctl is-active {unit})" = {wanted}'
    guest.run(f"for i in $(seq {seconds}); do {there} && exit; sleep 1; done; exit 1", seconds + 120)


def network(guest: Guest) -> None:
    """The house's network: the guest at one end, a phone at the other."""
    guest.run(
        "ip netns add phone; ip link add house type veth peer name wlan0 netns phone; "
        f"ip addr add {HOUSE}/24 dev house; ip link set house up; ip route add default via {PHONE}; "
        f"ip -n phone addr add {PHONE}/24 dev wlan0; ip -n phone link set wlan0 up"
    )
    (guest.share / "watches.py").write_text(WATCHES, encoding="utf-8")


def reached(guest: Guest) -> tuple[str, str]:
    """Host and PIN, as the page's log has them for whoever switched it on."""
    for _ in range(60):
        said = guest.run("journalctl -u companion-page -o cat --no-pager || true")
        found = re.findall(r"Watch: http://([\d.:]+)/watch#(\d{6})", said)
        if found:
            return str(found[-1][0]), str(found[-1][1])
        time.sleep(3)
    raise AssertionError(said[-2000:])


def watched(guest: Guest, host: str, pin: str, game: str = "") -> str:
    """What a phone is told of the table."""
    return guest.run(f"ip netns exec phone {PAGE} /mnt/share/watches.py {host} {pin} '{game}'", 400).strip()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fresh", action="store_true")
    wanted = parser.parse_args()
    work = work_folder()
    (work / "screens").mkdir(exist_ok=True)
    if wanted.fresh:
        (work / "installed.ext4").unlink(missing_ok=True)
    image = installed(work)
    with Guest(work, image=image) as guest:
        table = Table(guest, work / "screens")
        with step("it boots: the door is open, the page is off, nothing listens"):
            guest.wait()
            guest.empty_table()
            guest.run("systemctl start companion", 300)
            ready(guest)
            network(guest)
            assert state(guest, "companion-table-page.socket") == "active"
            assert state(guest, "companion-page") == "inactive"
            assert not guest.run("ss -Hlnt | grep 8420 || true").strip()
        with step("the table's user starts exactly this unit"):
            ask = "runuser -u companion -- systemctl --no-ask-password --no-block {} 2>&1"
            guest.run(ask.format("start companion-page.service"))
            for other in ("stop companion-page.service", "start ssh.service", "restart companion.service"):
                code, said = guest.try_run(ask.format(other))
                assert code, (other, said)
            until(guest, "companion-page", "active")
        with step("a phone joins by the guest's address; a wrong PIN is told so"):
            host, pin = reached(guest)
            assert host == f"{HOUSE}:8420", host
            print("  " + watched(guest, host, pin))
            assert watched(guest, host, f"{(int(pin) + 1) % 1_000_000:06}").startswith("no ")
        with step("the page's user opens neither games nor settings, camera or pins; exposure at most 2.0"):
            for what in (STORE, "/etc/companion/settings.toml", "/dev/gpiochip0", "/dev/dri/card0"):
                code, _ = guest.try_run(f"runuser -u companion-page -- head -c 1 {what}")
                assert code, what
            report = guest.run("systemd-analyze security companion-page --no-pager")
            exposure = float(re.search(r"level for companion-page.service: ([\d.]+)", report)[1])  # type: ignore[index]
            print(f"  exposure {exposure}")
            assert exposure <= EXPOSED
        with step("a game begins and is watched; the page is killed in its middle, and the game goes on"):
            sit_down(guest, table, "kobayakawa")
            print("  " + watched(guest, host, pin, "Kobayakawa"))
            guest.run("systemctl kill -s KILL companion-page")
            before = table.entries()
            for chair in BUTTONS:
                table.press(chair)
            assert table.entries() > before, "presses are judged without the page"
            until(guest, "companion-page", "active")
            print("  " + watched(guest, *reached(guest), "Kobayakawa"))
        with step("the stream's address is printed and renewed, and is the page's own"):
            first, second = (
                guest.run(f"companion page --overlay{more}").strip() for more in ("", " --new-key")
            )
            assert first != second, first
            assert guest.run("stat -c '%U %a' /var/lib/companion-page/overlay.key").split() == [
                "companion-page",
                "600",
            ]
        with step("switched off and on in the middle of the game"):
            guest.run("systemctl stop companion-page")
            assert state(guest, "companion") == "active"
            guest.run("systemctl start companion-page", 200)
            print("  " + watched(guest, *reached(guest), "Kobayakawa"))
        with step("a table that is stopped stays stopped, and takes page and door along"):
            guest.run("systemctl stop companion; sleep 20", 200)
            states = [
                state(guest, f"companion{one}") for one in (".service", "-page.service", "-table-page.socket")
            ]
            assert not {"active", "activating"} & set(states), states
            code, _ = guest.try_run("test -S /run/companion-table/page.sock")
            assert code, "the door is still there"
    print("The page held in the virtual Pi.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
