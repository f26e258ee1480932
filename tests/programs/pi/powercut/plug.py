"""The small guest whose power is cut: QEMU, its disks, what it says."""

from __future__ import annotations

import json
import select
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from machine import CPU, GuestError, work_folder  # noqa: E402

CHECKOUT = HERE.parents[3]
DISK_MB = 32
MEMORY_MB = 320
PRODUCT = "journal.ext4"
FROZEN = "journal.ram"
SECONDS = 120.0
APPEND = " ".join(
    (
        # On a busy host the kernel's check of its timer fails, and it gives up.
        "root=/dev/vda rootfstype=ext4 ro console=ttyS0 quiet loglevel=4 panic=-1 no_timer_check",
        "init=/usr/local/sbin/journal-init",
    )
)
BLOCK_LOG = ",".join(
    (
        "driver=blklogwrites,node-name=logged,file=plain,log=record",
        "log-sector-size=512,log-super-update-interval=1",
    )
)


class Told:
    """What a guest said: the steps it began, in order, and how many of each game's it acknowledged."""

    def __init__(self) -> None:
        self.steps: dict[int, list[tuple[int, str]]] = defaultdict(list)
        self.acknowledged: dict[int, int] = defaultdict(int)
        self.found: dict[int, int] = {}

    def hear(self, line: str) -> str:
        """Take in one line; its first word."""
        word, *rest = line.split()
        match word:
            case "step":
                self.steps[int(rest[0])].append((int(rest[1]), rest[2]))
            case "ack":
                game = int(rest[0])
                self.acknowledged[game] = len(self.steps[game])
            case "found":
                self.found[int(rest[0])] = int(rest[1])
            case "failed":
                raise GuestError(line)
        return word

    def forget(self, there: dict[int, int]) -> None:
        """Steps that were never acknowledged and are not on the disk did not happen."""
        for game, count in list(self.acknowledged.items()):
            ends = [end for end, _ in self.steps[game]]
            kept = ends.index(there[game]) + 1 if there.get(game) in ends else count
            del self.steps[game][kept:]
            self.acknowledged[game] = kept
        for game in [game for game in self.steps if game not in there]:
            del self.steps[game]
            self.acknowledged.pop(game, None)


class Plug:
    """One run of the guest with a disk of its own; `cut` pulls the plug."""

    def __init__(self, disk: Path, *, frozen: Path | None = None, log: Path | None = None) -> None:
        work = work_folder()
        self._folder = Path(tempfile.mkdtemp(prefix="cut-"))
        drives = ["-blockdev", f"driver=file,node-name=file,filename={disk},cache.direct=off"]
        drives += ["-blockdev", "driver=raw,node-name=plain,file=file"]
        node = "plain"
        if log is not None:
            drives += ["-blockdev", f"driver=file,node-name=record,filename={log}"]
            drives += [
                "-blockdev",
                BLOCK_LOG,
            ]
            node = "logged"
        with (self._folder / "errors").open("w") as errors:
            self._qemu = subprocess.Popen(
                [
                    "qemu-system-x86_64", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
                    "-machine", "pc", "-accel", "tcg,thread=multi,tb-size=128", "-cpu", CPU, "-smp", "1",
                    "-m", str(MEMORY_MB),
                    "-kernel", str(work / "vmlinuz"), "-initrd", str(work / "initrd.img"),
                    "-append", APPEND,
                    "-drive", f"file={work / 'root.ext4'},format=raw,if=none,id=root,readonly=on",
                    "-device", "virtio-blk-pci,drive=root",
                    "-drive", f"file={work / PRODUCT},format=raw,if=none,id=product,readonly=on",
                    "-device", "virtio-blk-pci,drive=product",
                    *drives, "-device", f"virtio-blk-pci,drive={node},write-cache=on",
                    "-chardev", f"file,id=serial,path={self._folder}/serial", "-serial", "chardev:serial",
                    "-device", "virtio-serial-pci",
                    "-chardev", f"socket,id=cut,path={self._folder}/cut,server=on,wait=off",
                    "-device", "virtserialport,chardev=cut,name=cut",
                    "-qmp", f"unix:{self._folder}/qmp,server=on,wait=off", "-device", "virtio-rng-pci",
                    *(["-incoming", f"exec:cat {frozen}"] if frozen is not None else []),
                ],
                stdin=subprocess.DEVNULL,
                stderr=errors,
            )  # fmt: skip
        self._heard = b""
        self._port = self._connect("cut")
        self._qmp = self._connect("qmp").makefile("rw")
        self._qmp.readline()
        self._order("qmp_capabilities")
        if frozen is not None:
            self._thaw()

    def say(self, line: str) -> None:
        self._port.sendall(f"{line}\n".encode())

    def line(self, seconds: float = SECONDS) -> str | None:
        """The next line; None if none comes in time."""
        end = time.monotonic() + seconds
        while b"\n" not in self._heard:
            ready, _, _ = select.select([self._port], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                return None
            more = self._port.recv(65536)
            if not more:
                raise GuestError(self._tail())
            self._heard += more
        line, self._heard = self._heard.split(b"\n", 1)
        return line.decode()

    def expect(self, told: Told, word: str) -> None:
        """Hear lines until one begins with `word`."""
        while True:
            line = self.line()
            if line is None:
                raise GuestError(f"no {word!r}: {self._tail()}")
            if told.hear(line) == word:
                return

    def freeze(self, path: Path) -> None:
        """Keep the whole running machine in a file, and end."""
        self._order("stop")
        self._order("migrate-set-parameters", **{"max-bandwidth": 10**10})
        self._order("migrate", uri=f"exec:cat > {path}")
        while (state := self._order("query-migrate")["return"].get("status")) != "completed":
            if state == "failed":
                raise GuestError("the machine cannot be frozen")
            time.sleep(0.1)
        self.cut()

    def cut(self) -> list[str]:
        """Pull the plug; what it had said by then."""
        self._qemu.kill()
        self._qemu.wait()
        while True:
            try:
                more = self._port.recv(65536)
            except OSError:
                break
            if not more:
                break
            self._heard += more
        self._port.close()
        shutil.rmtree(self._folder)
        *lines, _ = self._heard.split(b"\n")
        return [line.decode() for line in lines]

    def _connect(self, name: str) -> socket.socket:
        end = time.monotonic() + SECONDS
        while time.monotonic() < end and self._qemu.poll() is None:
            wire = socket.socket(socket.AF_UNIX)
            try:
                wire.connect(f"{self._folder}/{name}")
            except OSError:
                wire.close()
                time.sleep(0.02)
            else:
                return wire
        raise GuestError(self._tail())

    def _thaw(self) -> None:
        while (state := self._order("query-status")["return"]["status"]) != "running":
            if state == "paused":
                self._order("cont")
            time.sleep(0.02)

    def _order(self, execute: str, **arguments: Any) -> Any:
        self._qmp.write(json.dumps({"execute": execute, "arguments": arguments}) + "\n")
        self._qmp.flush()
        while True:
            answer = json.loads(self._qmp.readline())
            if "error" in answer:
                raise GuestError(answer["error"]["desc"])
            if "event" not in answer:
                return answer

    def _tail(self) -> str:
        serial = self._folder / "serial"
        return (self._folder / "errors").read_text() + (
            serial.read_text(errors="replace")[-1500:] if serial.exists() else ""
        )


def fresh_disk(path: Path) -> None:
    path.unlink(missing_ok=True)
    options = "lazy_itable_init=0,lazy_journal_init=0"
    subprocess.run(["mke2fs", "-q", "-t", "ext4", "-E", options, path, f"{DISK_MB}M"], check=True)


def prepare(work: Path) -> Path:
    """The program on a disk of its own, and a guest frozen with everything loaded: the frozen machine."""
    for needed in ("vmlinuz", "initrd.img", "root.ext4"):
        if not (work / needed).exists():
            raise SystemExit(f"There is no {work / needed}; build the guest first: make pi")
    tree = work / "journal"
    shutil.rmtree(tree, ignore_errors=True)
    (tree / "packages").mkdir(parents=True)
    version = subprocess.run(
        [sys.executable, "-c", "import msgspec; print(msgspec.__version__)"],
        capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    subprocess.run(
        [
            sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "install",
            "--target", tree / "packages", "--no-deps", "--only-binary=:all:", "--python-version", "3.13",
            "--implementation", "cp", "--abi", "cp313", "--platform", "manylinux2014_x86_64",
            "--platform", "manylinux_2_28_x86_64", f"msgspec=={version}",
        ],
        check=True,
    )  # fmt: skip
    shutil.copytree(
        CHECKOUT / "companion",
        tree / "packages/companion",
        ignore=shutil.ignore_patterns("__pycache__", "ui", "vision", "printing", "teach", "assets"),
    )
    for each in ("guest.py", "sitting.py"):
        shutil.copy(HERE / each, tree)
    image = work / PRODUCT
    image.unlink(missing_ok=True)
    subprocess.run(["mke2fs", "-q", "-t", "ext4", "-d", tree, "-L", "product", image, "64M"], check=True)
    frozen = work / FROZEN
    disk = work / "cut.img"
    fresh_disk(disk)
    plug = Plug(disk)
    plug.expect(Told(), "ready")
    plug.freeze(frozen)
    return frozen


def log_length(log: Path) -> int:
    """How many writes a log holds now."""
    with log.open("rb") as file:
        return int(struct.unpack("<Q", file.read(24)[16:])[0])
