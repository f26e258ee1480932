"""`make club-machine`: from an empty Debian to the first evening, by what club/README.md prints.

A Debian trixie tree with nothing of ours in it is booted with its own systemd in a container that has a
network of its own. There somebody types what the page prints, block by block; a line that fails as printed,
or warns, is a fault of the page. A table is installed beside it by its installer, and reports a game that it
has imported. An evening is begun in Chromium from outside, over TLS; the machine is started again, and
everything is back. Needs root, mmdebstrap, systemd-nspawn, slirp4netns, Chromium and the network.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.outside_programs import mirror, program

ROOT = Path(__file__).parents[3]
WORK = ROOT / "build" / "club-machine"
EMPTY, TREE, SHARE = WORK / "empty", WORK / "tree", WORK / "share"
PAGE = ROOT / "club" / "README.md"
NETWORK = "companion-club"
HOST, DESK = "club.example.org", 8430
"""What the page calls the machine, and where the desk is."""
PASSWORD = "a lamp over the table"
PACKAGES = "systemd-sysv,dbus,polkitd,sudo,python3,ca-certificates,nano"
UNITS = ("mosquitto", "postgresql", "companion-hub", "companion-desk", "companion", "companion-uplink")
PLAYED = ROOT / "tests/playthroughs/kinapa/players-4.jsonl"
CONTAINED = """\
[Service]
StandardInput=null
TTYReset=no
TTYVHangup=no
TTYVTDisallocate=no
WatchdogSec=180
Environment=SDL_VIDEODRIVER=dummy SDL_AUDIODRIVER=dummy GPIOZERO_PIN_FACTORY=mock
"""
"""A container has no console, screen, sound or pins."""
EXPOSED = {"companion-hub": 1.1, "companion-desk": 1.1, "companion-uplink": 1.1}
"""`systemd-analyze security` must not be above this."""
SOON_S = 120
ASKED = "psql -tAc 'select entries from result_versions' companion-club"
HEARD = f"cd /; runuser -u postgres -- {ASKED} | grep -x 182"
"""What succeeds once the hub has the game of PLAYED whole."""


class Block(NamedTuple):
    """What the page prints in one frame, and the words above it."""

    kind: str
    text: str
    above: str


def printed() -> list[Block]:
    """The frames from an empty machine to the first evening, in their order."""
    text = PAGE.read_text(encoding="utf-8")
    part = text.split("## From an empty machine to the first evening\n")[1].split("\n## ")[0]
    pieces = re.split(r"^```(\w*)\n(.*?)^```\n", part, flags=re.MULTILINE | re.DOTALL)
    return [
        Block(kind, body, above)
        for above, kind, body in zip(pieces[::3], pieces[1::3], pieces[2::3], strict=False)
    ]


class Machine:
    """The container that runs; commands in it are run as root, or typed by somebody with sudo."""

    def __init__(self, container: subprocess.Popen[bytes]) -> None:
        self._container = container
        self.up()

    def up(self) -> None:
        """Until its first process has brought everything up."""
        self._init = self._first()
        self.until("systemctl is-system-running --wait", "a machine that is up")

    def _first(self) -> int:
        ask = ["pgrep", "-P", str(self._container.pid)]
        while self._container.poll() is None:
            found = subprocess.run(ask, capture_output=True, text=True, check=False).stdout.split()
            if found:
                return int(found[0])
            time.sleep(0.1)
        raise AssertionError(f"the container does not start: {(WORK / 'boot.txt').read_text()}")

    def close(self) -> None:
        """Pull its plug: with its first process everything in it ends, and then the container."""
        if self._container.poll() is None:
            os.kill(self._init, signal.SIGKILL)
        self._container.wait()

    def off(self) -> None:
        """Switch it off, as its owner does."""
        self.try_run("root", "systemctl poweroff")
        self._container.wait()

    def run(self, command: str) -> str:
        """As root, to its end; what it printed."""
        code, said = self.try_run("root", command)
        assert code == 0, f"{command}\n→ {code}: {said[-3000:]}"
        return said

    def try_run(self, user: str, command: str) -> tuple[int, str]:
        enter = ("nsenter", "-t", str(self._init), "-a", "env", "-i", "TERM=dumb", "LANG=C.UTF-8")
        path = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        done = subprocess.run(
            [*enter, path, "runuser", "-l", user, "-c", command],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, check=False,
        )  # fmt: skip
        return done.returncode, done.stdout

    def type(self, line: str) -> None:
        """One line of the page, typed in the checkout; a password where one is asked for."""
        began = time.monotonic()
        words = f"cd companion && python3 /mnt/share/typed.py {shlex.quote(PASSWORD)} {shlex.quote(line)}"
        code, said = self.try_run("ana", words)
        print(f"  $ {line} ({time.monotonic() - began:.0f} s)", flush=True)
        assert code == 0, f"as printed in club/README.md: {line}\n→ {code}: {said[-3000:]}"
        wrong = [one for one in said.splitlines() if one.startswith("Warning:")]
        assert not wrong, f"as printed in club/README.md: {line}\n{wrong}"

    def until(self, command: str, what: str) -> str:
        """Ask again until it succeeds; what it printed."""
        end = time.monotonic() + SOON_S
        while (answer := self.try_run("root", command))[0]:
            assert time.monotonic() < end, f"never: {what}; {answer[1][-2000:]}"
            time.sleep(1)
        return answer[1]


def empty() -> None:
    """A tree that has nothing of ours, made once: Debian, somebody with sudo, a name."""
    if not EMPTY.exists():
        draft = WORK / "draft"
        shutil.rmtree(draft, ignore_errors=True)
        WORK.mkdir(parents=True, exist_ok=True)
        lean = ('--aptopt=Acquire::Check-Valid-Until "false"', f"--include={PACKAGES}", "--components=main")
        kind = ("--quiet", "--mode=root", "--variant=important", *lean)
        subprocess.run(["mmdebstrap", *kind, "trixie", str(draft), mirror()], check=True)
        files = {
            "etc/hostname": "club\n",
            "etc/hosts": f"127.0.0.1 localhost\n127.0.1.1 {HOST} club\n",
            "etc/resolv.conf": "nameserver 10.0.2.3\n",
            "etc/sudoers.d/ana": "ana ALL=(ALL) NOPASSWD: ALL\n",
            "etc/pip.conf": "[global]\ncert = /etc/ssl/certs/ca-certificates.crt\n",
            "etc/machine-id": "",
            "etc/systemd/system/companion.service.d/container.conf": CONTAINED,
        }
        for name, text in files.items():
            (draft / name).parent.mkdir(parents=True, exist_ok=True)
            (draft / name).unlink(missing_ok=True)
            (draft / name).write_text(text, encoding="utf-8")
        shutil.copy("/etc/ssl/certs/ca-certificates.crt", draft / "etc/ssl/certs/")
        subprocess.run(["chroot", str(draft), "useradd", "-m", "-s", "/bin/bash", "ana"], check=True)
        draft.rename(EMPTY)
    if TREE.exists():
        shutil.rmtree(TREE)
    subprocess.run(["cp", "-a", str(EMPTY), str(TREE)], check=True)


def brought() -> None:
    """What somebody carries to the machine: the checkout. Beside it: who types, and a game."""
    shutil.rmtree(SHARE, ignore_errors=True)
    SHARE.mkdir()
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout
    pack = ["tar", "--null", "-T", "-", "-cf", str(SHARE / "checkout.tar")]
    subprocess.run(pack, cwd=ROOT, input=files, check=True)
    shutil.copy(Path(__file__).with_name("typed.py"), SHARE)
    header, *entries = PLAYED.read_text(encoding="utf-8").splitlines()
    (SHARE / "game.jsonl").write_text(
        "\n".join([json.dumps(json.loads(header) | {"kind": "game"}), *entries])
    )


@contextmanager
def booted() -> Iterator[Machine]:
    """The container, with a network that reaches out, and is reached by `ip netns exec`."""
    boot = (
        *("systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--boot", "--console=passive"),
        *(f"--directory={TREE}", f"--machine={NETWORK}", f"--network-namespace-path=/run/netns/{NETWORK}"),
        *("--resolv-conf=off", "--link-journal=no", f"--bind={SHARE}:/mnt/share"),
    )
    slirp = ("slirp4netns", "--netns-type=path", "-c", f"/run/netns/{NETWORK}", "tap0")
    subprocess.run(["ip", "netns", "delete", NETWORK], stderr=subprocess.DEVNULL, check=False)
    subprocess.run(["ip", "netns", "add", NETWORK], check=True)
    plain = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1"}
    with ExitStack() as stack, (WORK / "boot.txt").open("wb") as words:
        stack.callback(subprocess.run, ["ip", "netns", "delete", NETWORK], check=False)
        container, network = (
            stack.enter_context(
                subprocess.Popen(one, stdin=subprocess.DEVNULL, stdout=words, stderr=words, env=plain)
            )
            for one in (boot, slirp)
        )
        stack.callback(network.kill)
        machine = Machine(container)
        stack.callback(machine.close)
        yield machine


def followed(machine: Machine) -> None:
    """Every frame of the page, as it stands there."""
    machine.run("install -d -o ana -g ana /home/ana/companion")
    machine.run("runuser -u ana -- tar -C /home/ana/companion -xf /mnt/share/checkout.tar")
    for block in printed():
        if block.kind == "text":
            for line in block.text.splitlines():
                machine.type(line)
            continue
        place = re.findall(r"`(/etc/[\w./-]+settings\.toml)", block.above)[-1]
        if place.startswith("/etc/companion/"):
            table(machine)
        print(f"  {place} as printed")
        (SHARE / "settings.toml").write_text(block.text, encoding="utf-8")
        machine.run(f"cat /mnt/share/settings.toml >> {place}")


def table(machine: Machine) -> None:
    """A table on the same machine, by its installer; it has played a game before it was in a club."""
    machine.type("sudo systemd/install.sh")
    machine.run("systemctl stop companion")
    machine.run("cp /mnt/share/game.jsonl /tmp; chmod 644 /tmp/game.jsonl")
    print("  " + machine.run("cd /tmp; runuser -u companion -- companion import game.jsonl").strip())
    machine.run("cp /etc/mosquitto/companion/ca.crt /home/ana/companion/")


def running(machine: Machine) -> None:
    """Every unit is active and stays so; the club has the table's game; the figures of the sandbox."""
    machine.until(HEARD, "the table's game at the hub")
    for unit in UNITS:
        assert machine.run(f"systemctl is-active {unit}").strip() == "active", unit
        assert machine.run(f"systemctl show -P NRestarts {unit}").strip() == "0", unit
    assert "heard this table" in machine.until("companion doctor | grep '^club'", "doctor"), "doctor"


def exposed(machine: Machine) -> None:
    for unit, most in EXPOSED.items():
        said = machine.run(f"systemd-analyze security --no-pager {unit}")
        found = re.search(r"exposure level for \S+: ([\d.]+)", said)
        assert found is not None, said
        print(f"  {unit}: systemd-analyze security {found[1]}")
        assert float(found[1]) <= most, unit


def kept(machine: Machine) -> None:
    """The commands of *What the hub keeps*, as its user."""
    program = "/opt/companion-club/bin/companion --settings /etc/companion-club/settings.toml"
    as_hub = f"sudo -u companion-club {program}"
    assert as_hub in PAGE.read_text(encoding="utf-8")
    machine.run("rm -f /var/lib/companion-club/evening.club")  # of a run that went on
    for words in ("hub verify", "hub backup /var/lib/companion-club/evening.club"):
        print("  " + machine.run(f"cd /; {as_hub} {words}").strip().splitlines()[-1])


def evening(machine: Machine) -> None:
    """The desk from outside: its certificate, its first login, an event whose first round names the table."""
    said = machine.run("journalctl -o cat --no-pager -u companion-desk")
    found = re.search(r"Log in as desk with the password (\S+)", said)
    assert found is not None, said
    machine.run("cp /etc/mosquitto/companion/ca.crt /mnt/share/")
    outside = WORK / "outside.sh"
    outside.write_text(f'#!/bin/sh\nexec ip netns exec {NETWORK} "$@"\n')
    outside.chmod(0o755)
    asked = ["curl", "-sS", "--cacert", str(SHARE / "ca.crt"), "--resolve", f"{HOST}:{DESK}:127.0.0.1"]
    told = subprocess.run(
        [str(outside), *asked, "-o", "/dev/null", "-w", "%{http_code}", f"https://{HOST}:{DESK}/login"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert told.stdout == "200", told
    inside = WORK / "chromium"
    inside.write_text(f'#!/bin/sh\nexec "{outside}" {program("chromium")} "$@"\n')
    inside.chmod(0o755)
    in_browser(str(inside), found[1])


def in_browser(chromium: str, password: str) -> None:
    from playwright.sync_api import sync_playwright

    flags = ["--no-sandbox", f"--host-resolver-rules=MAP {HOST} 127.0.0.1"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=flags)
        page = browser.new_context(
            ignore_https_errors=True, viewport={"width": 1280, "height": 900}
        ).new_page()
        page.set_default_timeout(SOON_S * 1000)
        page.goto(f"https://{HOST}:{DESK}/")
        page.fill("#name", "desk")
        page.fill("#password", password)
        page.click("#log-in")
        page.wait_for_selector("#logout")
        if not page.is_visible("#event-name"):
            page.click("#new-event")
        page.fill("#event-name", "Thursday")
        page.click("#make-event")
        page.fill("#nicknames", "Ada\nBen\nCleo\nDora")
        page.click("#enter")
        page.wait_for_selector("#people li")
        page.goto(page.url.removesuffix("/people"))
        page.click("#draw")
        page.click("#announce")
        page.wait_for_selector("#announce", state="detached")
        assert "table-1" in page.inner_text("#rounds"), page.inner_text("#rounds")
        page.screenshot(path=str(WORK / "evening.png"))
        browser.close()


@contextmanager
def step(what: str) -> Iterator[None]:
    """One thing to be seen, and how long it took."""
    print(f"… {what}", flush=True)
    began = time.monotonic()
    yield
    print(f"✓ {what} ({time.monotonic() - began:.0f} s)", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="club-machine")
    parser.add_argument(
        "--go-on", action="store_true", help="with the machine of the last run as it was left"
    )
    going_on = parser.parse_args().go_on
    began = time.monotonic()
    if not going_on:
        with step("an empty Debian"):
            empty()
            brought()
    with booted() as machine:
        if not going_on:
            with step("club/README.md, as printed"):
                followed(machine)
        with step("all units run, and the hub has the table's game"):
            running(machine)
        with step("the sandboxes"):
            exposed(machine)
        with step("verify and backup"):
            kept(machine)
        with step("an event and its first round, in Chromium over TLS"):
            evening(machine)
        machine.off()
    with step("the machine is started again, and all is back"), booted() as machine:
        running(machine)
    print(f"club machine: held, in {(time.monotonic() - began) / 60:.0f} minutes")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
