"""Rows about parts that no machine changes: how late a loudspeaker is, and five recorded input devices."""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, redirect_stdout
from fcntl import ioctl
from functools import partial
from io import StringIO
from itertools import count
from pathlib import Path
from typing import NamedTuple

import pytest

from companion.cli.checks.doctor import storage
from companion.core.actions import SECOND
from companion.core.clock import ManualClock, monotonic_ns
from companion.core.switch import Edge
from companion.language.language import Language
from companion.programs.build_app import build_runtime
from companion.programs.sound_check import build_beats, measure_by_microphone, measure_by_taps
from companion.settings.model import CameraSettings, Settings, StorageSettings, TableSettings
from companion.system.machine import Machine
from companion.table.real_host import TableHost
from hardware.input_devices import DEVICE_FOLDER, EV_KEY, open_input_devices
from hardware.usb_encoder import ButtonLearner, open_usb_buttons
from tests.hardware.input_kernel import FOLDER, InputKernel, recorded
from tests.language.voice.delayed_loop import DELAYS_MS, Loop, tap
from tests.programs.pi_matrix.table import heard
from tests.system.test_foreign_files import NOBODY, as_nobody

TOLERANCE_MS = 5
MILLI = 1_000
UINPUT = "dev/uinput"
NO_UINPUT = "uinput: not in this kernel; uinput_guest.sh runs this row on one that has it"
UI_SET_EVBIT, UI_SET_KEYBIT, UI_DEV_SETUP, UI_DEV_CREATE = 0x40045564, 0x40045565, 0x405C5503, 0x5501
UI_GET_SYSNAME = 0x8040552C
"""Of linux/uinput.h; the name of up to 64 bytes."""


class PartRow(NamedTuple):
    """One row, which is one cell."""

    name: str
    judge: Callable[[Path], Iterator[str]]
    """In an empty folder; yields what is wrong."""
    excuse: str = ""


def part_rows(root: Path = Path("/")) -> Iterator[PartRow]:
    """All of them; `root`: of the machine that runs the matrix."""
    for late in DELAYS_MS:
        yield PartRow(f"a loudspeaker {late} ms late, by microphone", partial(_judge_microphone, late))
        yield PartRow(f"a loudspeaker {late} ms late, by taps", partial(_judge_taps, late))
    for file in sorted(FOLDER.glob("*.toml")):
        yield PartRow(f"input device {file.stem}", partial(_judge_input_device, file.stem))
    why = "" if os.geteuid() == 0 else "only root makes files of root's"
    for name in ("calibration.json", "games.sqlite", ""):
        called = name or "the table's folder"
        yield PartRow(f"{called} is root's", partial(_judge_foreign_files, name), why)
    has_uinput = (root / UINPUT).exists()
    yield PartRow("an input device made by uinput", _judge_uinput, "" if has_uinput else NO_UINPUT)
    has_loopback = (root / "sys/module/v4l2loopback").exists()
    why = "no row uses it: it could not be tried" if has_loopback else "not in this kernel"
    yield PartRow("a webcam made by v4l2loopback", lambda _: iter(()), f"v4l2loopback: {why}")


def _judge_foreign_files(name: str, folder: Path) -> Iterator[str]:
    """A file of the table's folder, or the folder itself, is really root's; another user plays there."""
    folder.chmod(0o711)
    table = folder / "games" / "table"
    table.mkdir(parents=True)
    for place in (table.parent, table):
        os.chown(place, NOBODY, NOBODY)
        place.chmod(0o700)
    if name:
        (table / name).touch(mode=0o600)
    else:
        os.chown(table, 0, 0)

    def ask(folder: Path) -> str:
        settings = Settings(
            storage=StorageSettings(folder=str(folder)),
            camera=CameraSettings(kind="none"),
            table=TableSettings(chairs=2),
        )
        with heard() as log, redirect_stdout(StringIO()):
            host = TableHost(settings, build_runtime(settings, ManualClock(), silent=True))
            host.warnings()
            host.health.close()
            screen = [Language("en").text(said) for said in host.warnings()]
            host.close()
            doctor = storage(Machine(), settings)
        return "\n".join([f"doctor: {doctor.what} → {doctor.fix}", *screen, *log])

    ask(folder / "spare")  # a user who may not enter Python's own folders loads nothing more
    told = as_nobody(lambda: ask(table.parent))
    command = f"sudo chown -R nobody: {re.escape(str(table))}"
    for channel in ("doctor: .*", "Files of this table .*", "Games can't be kept: .*"):
        if not re.search(f"^{channel}root.*{command}", told, re.MULTILINE):
            yield f"{channel} does not name root and the command: {told}"


def _judge_microphone(late: int, folder: Path) -> Iterator[str]:
    loop = Loop(late * MILLI)
    found = measure_by_microphone(loop, loop, loop.clock)
    yield from _judge_delay(late, None if found is None else found.output_delay_ms)


def _judge_taps(late: int, folder: Path) -> Iterator[str]:
    _, beats = build_beats()
    found = measure_by_taps(beats, tap(beats, late * MILLI, jitter=8 * MILLI))
    yield from _judge_delay(late, None if found is None else found.output_delay_ms)


def _judge_delay(late: int, found: int | None) -> Iterator[str]:
    if found is None or abs(found - late) > TOLERANCE_MS:
        yield f"{found} ms were found, not {late}"


def _judge_input_device(name: str, folder: Path) -> Iterator[str]:
    """Two of its keys are learnt for two chairs, and read as these with the kernel's stamps."""
    keys = recorded(name)["keys"][:2]
    with pytest.MonkeyPatch.context() as patched, closing(InputKernel(folder, patched)) as kernel:
        path, stamps = kernel.plug(name), count(SECOND, SECOND)
        heard = _learn_and_press(folder, keys, lambda code: kernel.press(path, code, next(stamps)))
    told = [(edge.chair, edge.at) for edge in heard if edge.level]
    if told != [(0, 3 * SECOND), (1, 4 * SECOND)]:
        yield f"keys {keys} were read as {told}"


def _judge_uinput(folder: Path) -> Iterator[str]:
    """The same with a device that the kernel itself made, and its own stamps."""
    keys = (0x130, 0x131)
    with (Path("/") / UINPUT).open("wb", buffering=0) as made:
        ioctl(made, UI_SET_EVBIT, EV_KEY)
        for code in keys:
            ioctl(made, UI_SET_KEYBIT, code)
        ioctl(made, UI_DEV_SETUP, struct.pack("HHHH80sI", 3, 1, 1, 1, b"made by uinput", 0))
        ioctl(made, UI_DEV_CREATE)
        name = ioctl(made, UI_GET_SYSNAME, bytes(64)).partition(b"\0")[0].decode()
        (node,) = Path(f"/sys/devices/virtual/input/{name}").glob("event*")
        (folder / node.name).symlink_to(DEVICE_FOLDER / node.name)
        began = monotonic_ns() // 1000

        def press(code: int) -> None:
            for event in ((EV_KEY, code, 1), (0, 0, 0), (EV_KEY, code, 0), (0, 0, 0)):
                made.write(struct.pack("llHHi", 0, 0, *event))

        heard = _learn_and_press(folder, keys, press)
    told = [(edge.chair, edge.level) for edge in heard]
    if told != [(0, True), (0, False), (1, True), (1, False)]:
        yield f"keys {keys} were read as {told}"
    if not all(began <= edge.at <= monotonic_ns() // 1000 for edge in heard):
        yield f"the stamps are {[edge.at - began for edge in heard]} µs after the beginning"


def _learn_and_press(folder: Path, keys: Sequence[int], press: Callable[[int], None]) -> list[Edge]:
    """Both keys are learnt for two chairs and pressed again; what is heard then."""
    heard: list[Edge] = []
    devices = open_input_devices(folder)
    learner = ButtonLearner(devices, [(0, "seat"), (1, "seat")])
    for code in keys:
        while not learner.poll():
            press(code)  # one that comes too soon after another counts as the same
    for device in devices:
        device.close()
    usb = open_usb_buttons(
        "", {}, learner.learned, clock=ManualClock(), put=heard.append, post=lambda _: None, folder=folder
    )
    for code in keys:
        press(code)
    usb.poll()
    usb.close()
    return heard
