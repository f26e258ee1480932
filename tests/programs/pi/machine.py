"""The host side of the virtual Pi: start QEMU, run commands, look at the screen, touch it, cut the power."""

from __future__ import annotations

import json
import os
import platform
import select
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any

CHECKOUT = Path(__file__).parents[3]
# `max` makes the guest's software renderer crash; two processors stall and merge edges below gpiozero.
CPU = "Nehalem"
SCREEN = (1024, 600)
BOOT_SECONDS = 600


class GuestError(Exception):
    """The guest did not do what it was told."""


class Guest:
    """One running virtual Pi. `keep`: what it writes stays in the image."""

    def __init__(
        self,
        work: Path,
        *,
        image: str = "root.ext4",
        keep: bool = False,
        processors: int = 2,
        memory_mb: int = 2048,
        extra: tuple[str, ...] = (),
        kernel: str = "",
    ) -> None:
        self.share = work / "share"
        self.share.mkdir(exist_ok=True)
        self._folder = Path(tempfile.mkdtemp(prefix="guest-", dir=work))
        self._serial = self._folder / "serial.log"
        self._errors = (self._folder / "qemu.err").open("w+")
        self._agent: socket.socket | None = None
        self._qmp: Any = None
        self._heard = b""
        # On a busy host a device may take longer to appear than systemd's 90 s; then nothing would answer us.
        # There the kernel's check of its timer may fail, too, and it would give up.
        append = (
            "root=/dev/vda rootfstype=ext4 rw console=ttyS0 quiet systemd.show_status=0 loglevel=4 panic=-1 "
            f"no_timer_check systemd.default_device_timeout_sec=900 {kernel}"
        )
        disk = f"file={work / image},format=raw,if=none,id=disk,cache=none,snapshot={'off' if keep else 'on'}"
        width, height = SCREEN
        self._started = time.monotonic()
        self._qemu = subprocess.Popen(
            [
                "qemu-system-x86_64", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
                "-machine", "pc", "-accel", "tcg,thread=multi,tb-size=512", "-cpu", CPU,
                "-smp", str(processors), "-m", str(memory_mb),
                "-kernel", str(work / "vmlinuz"), "-initrd", str(work / "initrd.img"), "-append", append,
                "-drive", disk, "-device", "virtio-blk-pci,drive=disk",
                "-chardev", f"file,id=serial,path={self._serial}", "-serial", "chardev:serial",
                "-device", "virtio-serial-pci",
                "-chardev", f"socket,id=agent,path={self._folder}/agent,server=on,wait=off",
                "-device", "virtserialport,chardev=agent,name=hil",
                "-qmp", f"unix:{self._folder}/qmp,server=on,wait=off", "-device", "virtio-rng-pci",
                "-virtfs", f"local,path={self.share},mount_tag=share,security_model=none",
                "-device", "virtio-tablet-pci", "-device", "virtio-keyboard-pci",
                "-device", f"virtio-gpu-pci,xres={width},yres={height}", *extra,
            ],
            stdin=subprocess.DEVNULL,
            stderr=self._errors,
        )  # fmt: skip

    def __enter__(self) -> Guest:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, what: BaseException | None, where: TracebackType | None
    ) -> None:
        self.cut_power()

    def wait(self, seconds: float = BOOT_SECONDS) -> float:
        """Until the guest's agent answers; the seconds since power-on."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self._qemu.poll() is not None:
                raise GuestError(f"QEMU ended: {self._tail()}")
            try:
                if self._agent is None:
                    agent = socket.socket(socket.AF_UNIX)
                    agent.connect(f"{self._folder}/agent")
                    self._agent = agent
                    self._ask("true", 60)
                self._line(end - time.monotonic())
            except (FileNotFoundError, ConnectionRefusedError):
                self._agent = None
                time.sleep(0.1)
            else:
                return time.monotonic() - self._started
        raise GuestError(f"the guest does not come up: {self._tail()}")

    def try_run(self, command: str, seconds: float = 120) -> tuple[int, str]:
        """A bash command as root: its exit code and everything it printed."""
        self._ask(command, seconds)
        answer = self._line(seconds + 60)
        return answer["rc"], answer["out"]

    def run(self, command: str, seconds: float = 120) -> str:
        """A bash command that has to succeed: what it printed."""
        code, out = self.try_run(command, seconds)
        if code:
            raise GuestError(f"{command}\n→ {code}: {out[-3000:]}")
        return out

    def shot(self, picture: Path) -> None:
        """What the screen shows, taken from outside the guest."""
        self.order("screendump", filename=str(picture), format="png")

    def touch(self, x: float, y: float) -> None:
        """Touch the screen at these fractions of its width and height."""
        at = [
            {"type": "abs", "data": {"axis": axis, "value": int(value * 32767)}}
            for axis, value in (("x", x), ("y", y))
        ]
        self.order("input-send-event", events=at)
        time.sleep(0.3)
        for down in (True, False):
            button = {"type": "btn", "data": {"button": "left", "down": down}}
            self.order("input-send-event", events=[button])
            time.sleep(0.3)

    def empty_table(self) -> None:
        """Nothing lies before the camera: pictures in turn, as no sensor gives the same twice."""
        import cv2
        import numpy as np

        cloth = cv2.imread(str(Path(__file__).parent / "blank.jpg"))
        assert cloth is not None
        for number in range(PICTURES):
            noise = np.random.default_rng(number).normal(0, 2, cloth.shape)
            noisy = np.clip(cloth + noise, 0, 255).astype(np.uint8)
            cv2.imwrite(str(self.share / f"{number}.jpg"), noisy)
        self.run("mkdir -p /run/hil; cp /mnt/share/[0-9].jpg /var/lib/hil/frames/")

    def running(self) -> bool:
        """Whether the machine is on."""
        return self._qemu.poll() is None

    def cut_power(self) -> None:
        """As when somebody pulls the plug."""
        self._qemu.kill()
        self._qemu.wait()
        self._errors.close()
        if self._agent is not None:
            self._agent.close()

    def _ask(self, command: str, seconds: float) -> None:
        assert self._agent is not None
        self._agent.sendall((json.dumps({"cmd": command, "timeout": seconds}) + "\n").encode())

    def _line(self, seconds: float) -> Any:
        assert self._agent is not None
        end = time.monotonic() + seconds
        while b"\n" not in self._heard:
            ready, _, _ = select.select([self._agent], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                raise GuestError(f"no answer in {seconds:.0f} s: {self._tail()}")
            more = self._agent.recv(65536)
            if not more:
                raise GuestError(f"the guest hung up: {self._tail()}")
            self._heard += more
        line, self._heard = self._heard.split(b"\n", 1)
        return json.loads(line)

    def order(self, execute: str, **arguments: Any) -> Any:
        """An order to the machine itself: a part is pulled, a finger moves."""
        if self._qmp is None:
            monitor = socket.socket(socket.AF_UNIX)
            monitor.connect(f"{self._folder}/qmp")
            self._qmp = monitor.makefile("rw")
            self._qmp.readline()
            self.order("qmp_capabilities")
        self._qmp.write(json.dumps({"execute": execute, "arguments": arguments}) + "\n")
        self._qmp.flush()
        while True:
            answer = json.loads(self._qmp.readline())
            if "error" in answer:
                raise GuestError(answer["error"]["desc"])
            if "event" not in answer:
                return answer

    def _tail(self) -> str:
        self._errors.seek(0)
        serial = self._serial.read_text(errors="replace") if self._serial.exists() else ""
        return self._errors.read() + serial[-2500:]


PICTURES = 5
"""A starved reader that takes each second or fourth picture has to see others, too (so has `hands.py`)."""
INSTALLED = "installed.ext4"


def bundle(work: Path) -> Path:
    """What a user would carry to the Pi: `make bundle` for the guest's machine."""
    made = work / "share/bundle"
    _gathered(CHECKOUT, made)
    return made


def package(work: Path) -> Path:
    """The bundle as a Debian package, where the guest sees it."""
    return packed(CHECKOUT, work / "share/bundle")


def packed(checkout: Path, made: Path) -> Path:
    """The bundle of a tree, and beside it the same as a Debian package, which is given back."""
    _gathered(checkout, made)
    pack = [str(checkout / "systemd/deb.sh"), str(made), str(made.parent)]
    said = subprocess.run(pack, check=True, capture_output=True, text=True).stdout
    return Path(said.partition(": ")[0])


def _gathered(checkout: Path, made: Path) -> None:
    made.parent.mkdir(exist_ok=True)
    gather = [str(checkout / "systemd/bundle.sh"), str(made), "trixie", platform.machine()]
    here = {**os.environ, "PYTHON": sys.executable}
    subprocess.run(gather, check=True, env=here, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def installed(work: Path) -> str:
    """An image with the program installed from its package, made once; delete it to make it anew."""
    image = work / INSTALLED
    if not image.exists():
        deb = package(work)
        draft = image.with_suffix(".draft")
        subprocess.run(["cp", "--sparse=always", str(work / "root.ext4"), str(draft)], check=True)
        with Guest(work, image=draft.name, keep=True) as guest:
            guest.wait()
            print(guest.run(f"dpkg -i /mnt/share/{deb.name}", 1800))
            guest.run("systemctl stop companion; sync; mount -o remount,ro / || sync")
        draft.rename(image)
    return INSTALLED


def work_folder() -> Path:
    """Where `build.sh` put the guest: `PI_WORK`, else `build/pi` of the checkout."""
    return Path(os.environ.get("PI_WORK", Path(__file__).parents[3] / "build" / "pi")).resolve()
