"""The kernel's side of a recorded machine: what gpiochips, webcams, DMA heaps and permissions answer.

Only what lies below the libraries is imitated. `gpiod` is the real package without its C module
(`gpiod._ext`, whose interface its `_ext.pyi` says); picamera2, gpiozero and what uses OpenCV are themselves.
`lgpio` (bookworm) is nearly all C, so the whole of it stands here, with the errors of lg 0.2.2.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import cv2
import numpy as np


@dataclass
class GpioChip:
    """One gpiochip, with who holds which of its lines."""

    label: str
    lines: int
    users: dict[int, str] = field(default_factory=dict)
    """What the kernel calls the user of a line."""
    requests: dict[int, _Request] = field(default_factory=dict)
    """Of these lines those that libgpiod gave."""
    low: set[int] = field(default_factory=set)
    """Lines that something outside connects to ground."""

    @property
    def lit(self) -> set[int]:
        """Lines that are driven high."""
        return {line for line, request in self.requests.items() if request.is_output and request.level}

    def connect(self, line: int, at_ns: int, *, low: bool) -> bool:
        """Something outside connects a line to ground, or no longer; whether anybody hears of it."""
        (self.low.add if low else self.low.discard)(line)
        request = self.requests.get(line)
        return request is not None and request.edge(at_ns, low=low)


@dataclass
class VideoNode:
    """One /dev/videoN."""

    number: int
    driver: str
    card: str = ""
    index: int = 0
    formats: tuple[str, ...] = ()
    is_held: bool = False
    is_starved: bool = False
    """Whether USB has no room for its pictures."""
    rate: float = 30.0
    """Pictures a second that it offers."""
    size: tuple[int, int] = (0, 0)
    """The only one that it has; (0, 0): it has what is asked for."""


class Kernel:
    """What system calls answer on this machine."""

    def __init__(
        self,
        chips: dict[int, GpioChip],
        nodes: dict[int, VideoNode],
        draw: Callable[[int, int], np.ndarray[Any, Any]],
        is_forbidden: Callable[[str], bool],
    ) -> None:
        """`is_forbidden` says whether this user may not open a device file, by its path."""
        self.chips, self.nodes, self.draw, self.is_forbidden = chips, nodes, draw, is_forbidden
        self.is_heap_full = False
        self.monotonic_ns: Callable[[], int] = time.monotonic_ns
        """Its clock, which stamps edges and a webcam's pictures."""

    def chip(self, path: str) -> GpioChip:
        """The chip of a device file; as `open` fails, it fails."""
        number = int(path.rpartition("gpiochip")[2])
        if number not in self.chips:
            raise FileNotFoundError(2, "No such file or directory")
        if self.is_forbidden(path):
            raise PermissionError(13, "Permission denied")
        return self.chips[number]

    def may_access(self, path: str | os.PathLike[str], mode: int, **more: Any) -> bool:
        """`os.access`, but for device files, which all belong to root here."""
        return not self.is_forbidden(os.fspath(path)) and Path(path).exists()

    def ioctl(self, fd: int, request: int, argument: Any = 0) -> int:
        """Of DMA heaps: a buffer, its name, its lock."""
        if hasattr(argument, "heap_flags") and self.is_heap_full:
            raise OSError(12, "Cannot allocate memory")
        if hasattr(argument, "heap_flags"):
            argument.fd = os.memfd_create("heap")
            os.ftruncate(argument.fd, argument.len)
        return 0


def fake_gpiod_ext() -> Any:
    """libgpiod's C module, on the chips of its `kernel`."""
    made: Any = ModuleType("gpiod._ext")
    kinds = {
        "BIAS": "AS_IS UNKNOWN DISABLED PULL_UP PULL_DOWN",
        "CLOCK": "MONOTONIC REALTIME HTE",
        "DIRECTION": "AS_IS INPUT OUTPUT",
        "DRIVE": "PUSH_PULL OPEN_DRAIN OPEN_SOURCE",
        "EDGE": "NONE RISING FALLING BOTH",
        "EDGE_EVENT_TYPE": "RISING FALLING",
        "INFO_EVENT_TYPE": "LINE_REQUESTED LINE_RELEASED LINE_CONFIG_CHANGED",
        "VALUE": "INACTIVE ACTIVE",
    }
    for kind, names in kinds.items():
        for number, name in enumerate(names.split()):
            setattr(made, f"{kind}_{name}", number)
    made.api_version = "2.2.0"
    made.LineSettings = SimpleNamespace
    made.LineConfig = _LineConfig
    made.Chip = lambda path: _ExtChip(made.kernel, path)
    made.is_gpiochip_device = lambda path: Path(path).name.startswith("gpiochip")
    return made


class _LineConfig:
    def __init__(self) -> None:
        self.lines: dict[int, Any] = {}

    def add_line_settings(self, offsets: list[int], settings: Any) -> None:
        self.lines.update(dict.fromkeys(offsets, settings))


class _ExtChip:
    def __init__(self, kernel: Kernel, path: str) -> None:
        self._chip, self.path, self.fd = kernel.chip(path), path, -1

    def close(self) -> None:
        pass

    def get_info(self) -> Any:
        return SimpleNamespace(name=Path(self.path).name, label=self._chip.label, num_lines=self._chip.lines)

    def line_offset_from_id(self, name: str) -> int:
        return int(name.removeprefix("GPIO"))

    def get_line_name(self, offset: int) -> str:
        return f"GPIO{offset}"

    def get_line_info(self, offset: int, watch: bool) -> Any:
        user = self._chip.users.get(offset)
        return SimpleNamespace(offset=offset, used=user is not None, consumer=user or "")

    def request_lines(self, config: _LineConfig, consumer: str | None, event_buffer_size: int | None) -> Any:
        (offset,) = config.lines
        if offset in self._chip.users:
            raise OSError(16, "Device or resource busy")
        self._chip.users[offset] = consumer or "?"
        self._chip.requests[offset] = _Request(self._chip, offset, config.lines[offset])
        return self._chip.requests[offset]


class _Request:
    """One line: an output as it was set, an input pulled up unless something connects it to ground."""

    chip_name = "gpiochip"

    def __init__(self, chip: GpioChip, offset: int, settings: SimpleNamespace) -> None:
        from gpiod.line import Direction

        self._chip, self.offsets, self._settings = chip, [offset], settings
        self.is_output = Direction(settings.direction) is Direction.OUTPUT
        self.level = settings.output_value
        self.fd = os.eventfd(0, os.EFD_NONBLOCK)
        self._edges: deque[tuple[int, bool]] = deque()
        self._count = 0

    def edge(self, at_ns: int, *, low: bool) -> bool:
        """Queue an edge, if this line was asked for with its edges; whether it was."""
        from gpiod.line import Edge

        if Edge(self._settings.edge_detection) is Edge.NONE:
            return False
        self._edges.append((at_ns, low))
        os.eventfd_write(self.fd, 1)
        return True

    def release(self) -> None:
        (offset,) = self.offsets
        del self._chip.users[offset], self._chip.requests[offset]
        os.close(self.fd)

    def get_values(self, offsets: list[int], values: list[Any]) -> None:
        from gpiod.line import Value

        level = self.level if self.is_output else self.offsets[0] not in self._chip.low
        values[:] = [Value(int(level))] * len(offsets)

    def set_values(self, values: dict[int, Any]) -> None:
        (value,) = values.values()
        self.level = int(value.value)

    def read_edge_events(self, max_events: int | None) -> list[Any]:
        from gpiod.edge_event import EdgeEvent

        found = []
        os.eventfd_read(self.fd)
        while self._edges:
            at_ns, low = self._edges.popleft()
            self._count += 1
            kind = EdgeEvent.Type.FALLING_EDGE if low else EdgeEvent.Type.RISING_EDGE
            found.append(EdgeEvent(kind.value, at_ns, self.offsets[0], self._count, self._count))
        return found


def fake_lgpio() -> Any:
    """The module lgpio, on the chips of its `kernel`."""
    made: Any = ModuleType("lgpio")

    class error(Exception):
        def __str__(self) -> str:
            return repr(self.args[0])

    handles: dict[int, GpioChip] = {}
    opened = count(1)

    def gpiochip_open(number: int) -> int:
        try:
            chip = made.kernel.chip(f"/dev/gpiochip{number}")
        except OSError as trouble:
            raise error("can not open gpiochip") from trouble
        handle = next(opened)
        handles[handle] = chip
        return handle

    def claim(handle: int, line: int, *_: Any) -> int:
        if handle not in handles:
            raise error("unknown handle")
        users = handles[handle].users
        if users.setdefault(line, "lg") != "lg":
            raise error("GPIO busy")
        return 0

    made.error = error
    made.SET_PULL_NONE, made.SET_PULL_UP, made.SET_PULL_DOWN = 64, 32, 128
    made.RISING_EDGE, made.FALLING_EDGE, made.BOTH_EDGES = 1, 2, 3
    made.gpiochip_open = gpiochip_open
    made.gpiochip_close = lambda handle: _free_all(handles.pop(handle))
    made.gpio_get_chip_info = lambda handle: (0, handles[handle].lines, "gpiochip", handles[handle].label)
    made.gpio_get_line_info = lambda handle, line: (
        0,
        line,
        0,
        f"GPIO{line}",
        handles[handle].users.get(line, ""),
    )
    outputs: set[tuple[int, int]] = set()

    def claim_output(handle: int, line: int, *_: Any) -> int:
        outputs.add((handle, line))
        return claim(handle, line)

    def claim_input(handle: int, line: int, *_: Any) -> int:
        outputs.discard((handle, line))
        return claim(handle, line)

    made.gpio_claim_input, made.gpio_claim_output, made.gpio_claim_alert = claim_input, claim_output, claim
    made.gpio_free = lambda handle, line: handles[handle].users.pop(line, None)
    made.gpio_get_mode = lambda handle, line: 2 if (handle, line) in outputs else 0
    made.gpio_read = lambda handle, line: int(line not in handles[handle].low)
    made.gpio_write = lambda handle, line, level: 0
    made.gpio_set_debounce_micros = lambda handle, line, micros: 0
    made.callback = lambda *_: SimpleNamespace(cancel=lambda: None)
    return made


def _free_all(chip: GpioChip) -> None:
    for line in [line for line, user in chip.users.items() if user == "lg"]:
        del chip.users[line]


def fake_video_capture(kernel: Kernel) -> Callable[[int | str], Any]:
    """`cv2.VideoCapture` on these nodes: V4L2 opens what captures, and is nobody else's."""

    class VideoCapture:
        def __init__(self, device: int | str) -> None:
            number = int(str(device).rpartition("video")[2])
            self._node = kernel.nodes.get(number)
            self._size = [640, 480]

        def isOpened(self) -> bool:
            node = self._node
            return (
                node is not None
                and bool(node.formats)
                and not node.is_held
                and not kernel.is_forbidden(f"/dev/video{node.number}")
            )

        def set(self, what: int, value: float) -> bool:
            if what in {cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT}:
                self._size[what == cv2.CAP_PROP_FRAME_HEIGHT] = int(value)
            return True

        def get(self, what: int) -> float:
            if what == cv2.CAP_PROP_FPS:
                return self._node.rate if self._node is not None else 0.0
            return kernel.monotonic_ns() / 1e6 if what == cv2.CAP_PROP_POS_MSEC else 0.0

        def grab(self) -> bool:
            return self.isOpened() and self._node is not None and not self._node.is_starved

        def retrieve(self) -> tuple[bool, Any]:
            own = (0, 0) if self._node is None else self._node.size
            return True, kernel.draw(*(self._size if own == (0, 0) else own))

        def release(self) -> None:
            pass

    return VideoCapture


def silent_modules() -> Iterator[tuple[str, ModuleType]]:
    """Libraries that picamera2 imports to show, save or film pictures, which the companion never asks for."""

    class Anything(ModuleType):
        def __getattr__(self, name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            return self

    for name in ("pykms", "prctl", "piexif", "simplejpeg", "pidng", "pidng.camdefs", "pidng.core"):
        yield name, Anything(name)
