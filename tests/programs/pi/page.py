"""The page in the virtual Pi: phones let in by a touch play, it is killed in a count, its owner reads along.

Phones are a process in a network of its own inside the guest (`phones.py`). Every step says what it saw; the
first that does not hold ends the run with 1. Screens are in WORK/screens.
usage: page.py [--fresh] [--seconds N]   --fresh: pack and install the package again;
                                         N: how long the phones may take for their game (default 3600)
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from typing import Any

from machine import Guest, installed, work_folder
from run import BUTTONS, STORE, Table, bring_people, ready, step
from where import on_home, on_phones, on_prepare, owners_pin, when_over

PAGE = "/opt/companion/current/page/bin/python"
HOUSE, PHONE = "192.168.77.1", "192.168.77.2"
DEAL = 31
"""The seed of a deal with five counts or more: most of them come after what is done to the page."""
EXPOSED = 2.0
"""`systemd-analyze security` of the page must not be above this."""
EARLY_MS = 100
"""`MAX_PHONE_LAG`: no stamp is longer before its arrival, and so none is longer before the finger."""
SETTINGS = """
[camera]
kind = "none"

[rules.kinapa]
count_seconds = 8
"""
"""Emulated hands are slow; what lies on the table is told by phones."""
ASKS = """
import json, sys
from websockets.sync.client import connect
host, path, first, until = sys.argv[1], sys.argv[2], json.loads(sys.argv[3]), json.loads(sys.argv[4])
with connect(f"ws://{host}{path}", origin=f"http://{host}", open_timeout=120, max_size=None) as live:
    live.send(json.dumps(first))
    while True:
        told = json.loads(live.recv(timeout=240))
        if told["type"] in {"no", "shown"} or (until and until.items() <= told.items()):
            break
print(json.dumps(told))
"""


def state(guest: Guest, unit: str) -> str:
    return guest.try_run(f"systemctl is-active {unit}")[1].strip()


def until(guest: Guest, unit: str, wanted: str, seconds: int = 240) -> None:
    there = f'test "$(systemctl is-active {unit})" = {wanted}'
    guest.run(f"for i in $(seq {seconds}); do {there} && exit; sleep 1; done; exit 1", seconds + 120)


def network(guest: Guest) -> None:
    """The house's network: the guest at one end, the phones at the other."""
    guest.run(
        "ip netns add phone; ip link add house type veth peer name wlan0 netns phone; "
        f"ip addr add {HOUSE}/24 dev house; ip link set house up; ip route add default via {PHONE}; "
        f"ip -n phone addr add {PHONE}/24 dev wlan0; ip -n phone link set wlan0 up; "
        "ip -n phone link set lo up; modprobe sch_netem"
    )
    (guest.share / "asks.py").write_text(ASKS, encoding="utf-8")


def reached(guest: Guest) -> tuple[str, str]:
    """Host and PIN, as the page's log has them for people who switched it on."""
    for _ in range(60):
        run = guest.run("systemctl show -P InvocationID companion-page").strip()
        said = guest.run(f"journalctl -o cat --no-pager _SYSTEMD_INVOCATION_ID={run} || true")
        found = re.findall(r"Watch: http://([\d.:]+)/watch#(\d{6})", said)
        if found:
            return str(found[-1][0]), str(found[-1][1])
        time.sleep(3)
    raise AssertionError(said[-2000:])


def asked(guest: Guest, host: str, path: str, first: Any, until: Any = None) -> Any:
    """What a browser of the phones' network is told."""
    words = " ".join(f"'{json.dumps(one)}'" for one in (first, until or {}))
    said = guest.run(f"ip netns exec phone {PAGE} /mnt/share/asks.py {host} {path} {words}", 600)
    return json.loads(said.strip().splitlines()[-1])


def watched(guest: Guest, host: str, pin: str, **wanted: str) -> Any:
    first = {"type": "watch", "pin": pin, "lang": "en"}
    return asked(guest, host, "/live", first, {"type": "table", **wanted})


def let_in(guest: Guest, table: Table) -> tuple[str, str]:
    """*Phones*, *Let phones join*: the table's own unit starts the page."""
    table.touch(on_home("game:kinapa"), "p1-chosen")
    table.touch(on_home("more"), "p2-more")
    table.touch(on_home("phones", "more"), "p3-phones")
    table.touch(on_phones("open"), "p4-open")
    until(guest, "companion-page", "active")
    found = reached(guest)
    table.look("p5-joining")
    return found


def refused(guest: Guest) -> None:
    ask = "runuser -u companion -- systemctl --no-ask-password --no-block {} 2>&1"
    for other in ("stop companion-page.service", "start ssh.service", "restart companion.service"):
        code, said = guest.try_run(ask.format(other))
        assert code, (other, said)


def kept_out(guest: Guest) -> None:
    """In the unit's own mounts, as its user."""
    inside = (
        "nsenter -t $(systemctl show -P MainPID companion-page) -m "
        "-S $(id -u companion-page) -G $(id -g companion-page) head -c 1 {}"
    )
    assert guest.run(inside.format("/opt/companion/current/README.md"))
    for what in (STORE, "/etc/companion/settings.toml", "/dev/gpiochip0", "/dev/dri/card0"):
        code, _ = guest.try_run(inside.format(what))
        assert code, what
    report = guest.run("systemd-analyze security companion-page --no-pager")
    exposure = float(re.search(r"level for companion-page.service: ([\d.]+)", report)[1])  # type: ignore[index]
    print(f"  exposure {exposure}")
    assert exposure <= EXPOSED


def joined(guest: Guest, table: Table, host: str, pin: str, seconds: float) -> None:
    """Four phones ask, the chairs' own buttons say yes, and the game is begun by a touch."""
    words = f"{PAGE} /mnt/share/phones.py {STORE} {seconds} {DEAL} {len(BUTTONS)} {host} {pin}"
    guest.run(f"cd /tmp; nohup ip netns exec phone {words} > /mnt/share/phones.log 2>&1 &")
    heard(guest, "asked")
    table.look("p6-asked")
    for chair in BUTTONS:
        table.press(chair)
    heard(guest, "granted")
    table.look("p7-granted")
    table.touch(on_phones("back", is_open=True), "p8-home")
    table.touch(on_home("start", game="kinapa", people=len(BUTTONS)), "p9-prepared")
    table.touch(on_prepare("start", game="kinapa", people=len(BUTTONS)), "p9-begun")


def heard(guest: Guest, line: str, seconds: int = 300) -> None:
    there = f"grep -qx '{line}' /mnt/share/phones.log"
    code, _ = guest.try_run(
        f"for i in $(seq {seconds}); do {there} && exit; sleep 1; done; exit 1", seconds + 60
    )
    assert code == 0, guest.run("tail -5 /mnt/share/phones.log")


def played(guest: Guest, table: Table, seconds: float) -> dict[str, Any]:
    """Until the phones have done; what they report."""
    end, shots, known = time.monotonic() + seconds, 0, 0
    while time.monotonic() < end and guest.try_run("pgrep -f [p]hones.py")[0] == 0:
        time.sleep(20)
        shots += 1
        guest.shot(table._screens / f"p10-play-{shots:02}.png")
        said = guest.run("cat /mnt/share/phones.log").splitlines()
        print(*(f"  {line}" for line in said[known:]), f"  {table.entries()} entries", sep="\n", flush=True)
        known = len(said)
    said = guest.run("cat /mnt/share/phones.log").splitlines()
    assert said[-1].startswith("{"), said[-5:]
    found: dict[str, Any] = json.loads(said[-1])
    return found


def over(guest: Guest, found: dict[str, Any]) -> None:
    """What was found out while the phones played."""
    assert "winners [" in found["outcome"], found
    assert found["killed in"], "no count allowed it"
    assert len(found["came in"]) == len(BUTTONS), found
    assert min(found["came in"]) >= 3, "not every phone came back twice"
    assert set(found["sources"]) == {"phone", "gpio"}, found["sources"]
    for link in found["stamps"].values():
        assert link["presses"], found["stamps"]
        assert min(link["stamps off"]) > -EARLY_MS, "a press counts from before it was made"
    code = guest.run(f"sqlite3 -readonly {STORE} 'pragma integrity_check'").strip()
    assert code == "ok", code


def owned(guest: Guest, table: Table, host: str) -> None:
    """The owner's pages: the table's unit starts a process of its own for each, inside its sandbox."""
    table.touch(when_over("home"), "p12-home")
    table.touch(on_home("more", people=len(BUTTONS)), "p13-more")
    table.touch(on_home("phones", "more", people=len(BUTTONS)), "p14-phones")
    table.touch(on_phones("owner", is_open=True), "p15-owner")
    pin = owners_pin(table._screens / "p15-owner.png")
    wrong = f"{(int(pin) + 1) % 1_000_000:06}"
    told = asked(guest, host, "/owner", {"type": "look", "pin": wrong, "what": "games"})
    assert told["why"] == "pin", told
    for what in ("games", "log", "recap", "doctor"):
        told = asked(guest, host, "/owner", {"type": "look", "pin": pin, "what": what, "lang": "en"})
        journal = guest.run("journalctl -u companion -o cat --no-pager | tail -15")
        assert told["type"] == "shown", (told, journal)
        print(f"  {what}: {len(json.dumps(told['told'])):,} bytes; {_gist(what, told['told'])}")


def _gist(what: str, told: Any) -> str:
    """What an owner would look for, and has to be there."""
    if what == "games":
        (game,) = told["games"]
        assert game["won"]
        return f"{game['game']}, won by {game['won'][0]['name']}"
    if what == "log":
        assert len(told["lines"]) > 20
        return f"{len(told['lines'])} lines, the last: {told['lines'][-1]['text']}"
    if what == "recap":
        assert "<html" in told["html"]
        return f"{told['html'].count('<img') + told['html'].count('<svg')} pictures"
    found = {one["part"]: one["state"] for one in told["findings"]}
    for part in ("pins", "lamps", "screen", "storage"):
        assert found[part] == "ok", told["findings"]
    return ", ".join(f"{part} {said}" for part, said in found.items())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--seconds", type=float, default=3600)
    wanted = parser.parse_args()
    work = work_folder()
    screens = work / "screens"
    screens.mkdir(exist_ok=True)
    if wanted.fresh:
        (work / "installed.ext4").unlink(missing_ok=True)
    image = installed(work)
    bring_people(work / "share")
    with Guest(work, image=image) as guest:
        table = Table(guest, screens)
        with step("it boots: the door is open, the page is off, nothing listens"):
            guest.wait()
            network(guest)
            guest.run(f"printf '%s' '{SETTINGS}' >> /etc/companion/settings.toml")
            guest.run("systemctl restart companion", 600)
            ready(guest)
            assert state(guest, "companion-table-page.socket") == "active"
            assert state(guest, "companion-page") == "inactive"
            assert not guest.run("ss -Hlnt | grep 8420 || true").strip()
        with step("a touch lets phones join: the table starts this unit, and may start no other"):
            host, pin = let_in(guest, table)
            assert host == f"{HOUSE}:8420", host
            refused(guest)
        with step("a phone watches by the guest's address; a wrong PIN is told so"):
            print(f"  {watched(guest, host, pin)}")
            wrong = f"{(int(pin) + 1) % 1_000_000:06}"
            assert asked(guest, host, "/live", {"type": "watch", "pin": wrong, "lang": "en"})["type"] == "no"
        with step("the page's user opens neither games nor settings, camera or pins"):
            kept_out(guest)
        with step("four phones ask for chairs, and the chairs' own buttons say yes"):
            joined(guest, table, host, pin, wanted.seconds)
        with step(
            "phones play a whole game; the page is killed in a count, off and on, and the link grows bad"
        ):
            found = played(guest, table, wanted.seconds + 60)
            print(f"  {json.dumps(found)}")
            over(guest, found)
            table.look("p11-winner")
        with step("the owner's pages are made inside the table's sandbox"):
            owned(guest, table, reached(guest)[0])
        with step("the stream's address is printed and renewed, and is the page's own"):
            first, second = (
                guest.run(f"companion page --overlay{more}").strip() for more in ("", " --new-key")
            )
            assert first != second, first
            assert guest.run("stat -c '%U %a' /var/lib/companion-page/overlay.key").split() == [
                "companion-page",
                "600",
            ]
        with step("a table that is stopped stays stopped, and takes page and door along"):
            guest.run("systemctl stop companion; sleep 20", 200)
            states = [
                state(guest, f"companion{one}") for one in (".service", "-page.service", "-table-page.socket")
            ]
            assert not {"active", "activating"} & set(states), states
            code, _ = guest.try_run("test -S /run/companion-table/page.sock")
            assert code, "the door is still there"
            assert not guest.run("ss -Hlnt | grep 8420 || true").strip()
    print("The page held in the virtual Pi.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
