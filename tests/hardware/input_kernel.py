"""Stands for the kernel's input devices: recorded descriptors, answered ioctl by ioctl; keys come by a pipe.

Which devices there are, and from where, is in `input_devices`, a file each.
"""

from __future__ import annotations

import errno
import os
import struct
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent / "input_devices"
NAME, PHYS, UNIQ, ID, KEYS, HELD, CLOCK, GRAB = 0x06, 0x07, 0x08, 0x02, 0x21, 0x18, 0xA0, 0x90
AXES, AXIS = 0x23, range(0x40, 0x80)


def recorded(name: str) -> dict[str, Any]:
    """What was recorded of a device."""
    return tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


class InputKernel:
    """A folder like /dev/input; `plug` adds a device, `press` writes what the kernel would."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.devices: dict[Path, dict[str, Any]] = {}
        self.clocks: list[Path] = []
        """Of which devices monotonic stamps were asked for."""
        self.held: set[int] = set()
        """Keys that are down now, whatever was told of them."""
        self.grabbed: set[Path] = set()
        self.forbidden: set[Path] = set()
        self._pipes: dict[Path, int] = {}
        self._opened: dict[int, Path] = {}
        self._open, self._read = os.open, os.read
        monkeypatch.setattr("os.open", self._open_device)
        monkeypatch.setattr("os.read", self._read_device)
        monkeypatch.setattr("fcntl.ioctl", self._ioctl)

    def plug(self, name: str, **other: Any) -> Path:
        """Plug in a recorded device; `other`: what differs of it, as its plug."""
        path = self.folder / f"event{len(self.devices)}"
        os.mkfifo(path)
        self.devices[path] = recorded(name) | other
        self._pipes[path] = self._open(path, os.O_RDWR | os.O_NONBLOCK)
        return path

    def unplug(self, path: Path) -> None:
        path.unlink()
        del self.devices[path]

    def press(self, path: Path, code: int, at: int, *, down: bool = True, kind: int = 1) -> None:
        """A key goes down at an instant in microseconds."""
        event = struct.pack("llHHi", at // 1_000_000, at % 1_000_000, kind, code, int(down))
        os.write(self._pipes[path], event)

    def lean(self, path: Path, axis: int, value: int, at: int) -> None:
        """A stick leans along an axis, at an instant in microseconds."""
        os.write(self._pipes[path], struct.pack("llHHi", at // 1_000_000, at % 1_000_000, 3, axis, value))

    def overflow(self, path: Path, at: int) -> None:
        """Its queue ran over: of what it held a last event is left, which means nothing, and a report."""
        self.press(path, 3, at, down=False, kind=0)
        self.press(path, self.devices[path]["keys"][0], at)
        self.press(path, 0, at, down=False, kind=0)

    def close(self) -> None:
        for pipe in self._pipes.values():
            os.close(pipe)

    def _open_device(self, path: Any, *args: Any, **named: Any) -> int:
        if Path(path) in self.forbidden:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        number = self._open(path, *args, **named)
        if Path(path) in self.devices:
            self._opened[number] = Path(path)
        return number

    def _read_device(self, number: int, size: int) -> bytes:
        path = self._opened.get(number)
        if path is not None and path not in self.devices:
            raise OSError(errno.ENODEV, "No such device")
        return self._read(number, size)

    def _ioctl(self, number: int, request: int, argument: bytes | int) -> bytes:
        path = self._opened[number]
        about, what, size = self.devices[path], request & 0xFF, request >> 16 & 0x3FFF
        assert request >> 8 & 0xFF == ord("E")
        if what == GRAB:
            assert argument == 1
            self.grabbed.add(path)
            return b""
        assert isinstance(argument, bytes)
        if what == CLOCK:
            assert struct.unpack("i", argument) == (1,)
            self.clocks.append(path)
            return argument
        if what == ID:
            return struct.pack("HHHH", 3, about["vendor"], about["product"], 0x110)
        if what == HELD:
            with suppress(BlockingIOError):  # of keys that it tells the kernel drops what waits
                self._read(number, 1 << 16)
            return sum(1 << code for code in self.held).to_bytes(size, "little")
        if what == KEYS:
            return sum(1 << int(code) for code in about["keys"]).to_bytes(size, "little")
        if what == AXES:
            return sum(1 << axis for axis in about.get("axes", ())).to_bytes(size, "little")
        if what in AXIS:
            hat = what - AXIS.start >= 0x10
            return struct.pack("6i", *((0, -1, 1) if hat else (127, 0, 255)), 0, 0, 0)
        text = {NAME: about["name"], PHYS: about.get("socket", ""), UNIQ: about.get("serial", "")}[what]
        if not text:
            raise OSError(errno.ENOENT, "No such file or directory")
        return str(text).encode().ljust(size, b"\0")
