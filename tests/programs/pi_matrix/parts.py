"""Rows about parts that no machine changes: how late a loudspeaker is, and five recorded input devices."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from companion.core.actions import SECOND
from companion.core.clock import ManualClock
from companion.core.switch import Edge
from companion.language.voice.output_delay import build_beats, measure_by_microphone, measure_by_taps
from hardware.input_devices import open_input_devices
from hardware.usb_encoder import ButtonLearner, open_usb_buttons
from tests.hardware.input_kernel import FOLDER, InputKernel, recorded
from tests.language.voice.delayed_loop import DELAYS_MS, Loop, tap

TOLERANCE_MS = 5
MILLI = 1_000
KERNEL_MODULES = {"uinput": "dev/uinput", "v4l2loopback": "sys/module/v4l2loopback"}
"""What a kernel may have to make devices with, and the file by which it is known."""


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
    for name, known_by in KERNEL_MODULES.items():
        why = (
            "no row uses it yet: it could not be tried"
            if (root / known_by).exists()
            else "not in this kernel"
        )
        yield PartRow(f"a device made by {name}", lambda _: iter(()), f"{name}: {why}")


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
        path = kernel.plug(name)
        devices = open_input_devices(folder)
        learner = ButtonLearner(devices, [(0, "seat"), (1, "seat")])
        for number, code in enumerate(keys, 1):
            kernel.press(path, code, number * SECOND)
            learner.poll()
        for device in devices:
            device.close()
        heard: list[Edge] = []
        usb = open_usb_buttons(
            "", {}, learner.learned, clock=ManualClock(), put=heard.append, post=lambda _: None, folder=folder
        )
        for code in keys:
            kernel.press(path, code, code)
        usb.poll()
        told = [(edge.chair, edge.at) for edge in heard]
        if told != list(enumerate(keys)):
            yield f"keys {keys} were read as {told}"
        usb.close()
