"""`make walks`: which files of ours are entered on the way of a press, of a card and of a setting.

python -m tests.programs.walks [--print]

Each way is run at a table with mock pins, a camera that shows drawn pictures, and a store on the disk, and
`sys.setprofile` keeps the file of every function that is entered: from the edge of a press, or the first
picture that shows a card, until the ruling is in the journal; from a finger on the settings until the
settings file is written. Drawing is left out: the screen is drawn after the fact. Writes the files, in the
order in which they were entered first, into docs/architecture.md; in italics those that every round of the
loop enters, whatever happens.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

import numpy as np
import pytest

from companion.core.actions import SECOND, Micros
from companion.core.clock import Clock
from companion.games import mat_layout
from companion.settings.files import user_settings_file
from companion.simulation.simulated_table import build_renderer
from companion.table import real_host
from companion.ui import commands as do
from companion.ui.toolkit.inputs import FingerDown
from companion.vision.outlines import Bgr
from companion.vision.renderer import TableScene
from hardware.camera import CameraFrame
from hardware.camera_worker import CameraWorker
from hardware.pin_table import build_pin_table
from hardware.simulated_panel import ClockedFactory
from tests.source import ROOT
from tests.whole.playing import Playing

PAGE = ROOT / "docs" / "architecture.md"
MARKS = re.compile(r"(?<=<!-- walks -->\n).*?(?=<!-- end of walks -->)", re.DOTALL)
"""What this program writes into the page."""
ROUND: Micros = 10_000
PICTURE: Micros = SECOND // 5
LEAVES = 8
"""More than the settings have."""
CARD, PLACE = "number:7", "kobayakawa"


class Walk:
    """The files that were entered, in the order of their first function."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.files: dict[str, None] = {}

    @contextmanager
    def traced(self) -> Iterator[None]:
        sys.setprofile(self._note)
        try:
            yield
        finally:
            sys.setprofile(None)

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_name != "<module>" and code.co_filename.startswith(f"{ROOT}{os.sep}"):
            name = code.co_filename[len(str(ROOT)) + 1 :]
            if name.startswith(("companion", "hardware")):
                self.files[name] = None

    def paragraph(self, idle: Walk) -> str:
        listed = ", ".join(f"*`{name}`*" if name in idle.files else f"`{name}`" for name in self.files)
        return f"**{self.name}: {len(self.files)} files.** {listed}.\n"


class DrawnCamera:
    """A camera that shows one drawn picture until it is given another."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.picture: Bgr = np.zeros((720, 1280, 3), np.uint8)

    def capture(self, newer_than: Micros) -> CameraFrame:
        return CameraFrame(self.picture, max(self._clock.now(), newer_than + 1))

    def lock_exposure(self, hertz: int = 50) -> None:
        """Nothing moves by itself."""

    def close(self) -> None:
        """Nothing is held."""


class TracedTable(Playing):
    """A whole table whose pins and pictures are this program's."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        patch.setattr(real_host, "open_pin_factory", self._open_pins)
        patch.setattr(CameraWorker, "start", lambda worker: None)
        patch.setenv("XDG_CONFIG_HOME", str(folder / "settings"))
        super().__init__(folder / "games")

    def open(self, **more: Any) -> None:
        super().open(camera=self._open_camera, **more)
        self.camera = DrawnCamera(self.clock)

    def _open_pins(self, chip: object = None) -> ClockedFactory:
        self.factory = ClockedFactory(self.clock)
        return self.factory

    def _open_camera(self, clock: Clock, camera_tasks: object) -> DrawnCamera:
        return self.camera

    def look(self) -> None:
        """A picture is taken and read, which the camera's thread would do."""
        worker = self.host._worker
        assert worker is not None
        worker.run_once()

    def trace_until_ruled(self, walk: Walk, sense: Callable[[], None]) -> None:
        """Rounds of the loop, each after what is sensed, until another ruling is handed to the journal."""
        entries = self.session.game.referee.journal.entries
        length = len(entries)
        for _ in range(1_000):
            self.clock.move_to(self.clock.now() + ROUND)
            with walk.traced():
                sense()
                self.app.step()
            if any(entry.events for entry in entries[length:]):
                return  # the journal's own thread commits it, and needs nothing of the loop for that
            self.app.draw()
        raise AssertionError(f"{walk.name}: nothing was ruled")


def trace_idle_rounds(table: TracedTable) -> Walk:
    """Nobody does anything in a game."""
    walk = Walk("Nothing")
    table.app.carry_out(do.StartGame("kinapa", (0, 1, 2, 3), None))
    table.run(SECOND)
    with walk.traced():
        table.app.step()
    return walk


def trace_press(table: TracedTable) -> Walk:
    """Whoever has the cat in Kinapa says so by the own button."""
    walk = Walk("A press")
    table.app.carry_out(do.StartGame("kinapa", (0, 1, 2, 3), None))
    table.run(SECOND)
    pin = table.factory.pin(build_pin_table().button_pin((0, "seat")))
    moves = [pin.drive_low]

    def press() -> None:
        if moves:
            moves.pop()()

    table.trace_until_ruled(walk, press)
    return walk


def trace_card(table: TracedTable) -> Walk:
    """The open card of Kobayakawa is laid under the camera."""
    walk = Walk("A card")
    table.app.carry_out(do.StartGame("kobayakawa", (0, 1, 2), None))
    layout, noise = mat_layout("kobayakawa", 3), np.random.default_rng(1)
    renderer, spot = build_renderer("kobayakawa", layout), layout.place(PLACE)
    table.camera.picture = renderer.render(TableScene(), noise)
    for _ in range(10):
        table.look()
        table.run(PICTURE)
    table.camera.picture = renderer.render(TableScene(((CARD, spot.centre_mm, spot.angle),)), noise)
    taken = [table.clock.now()]

    def look() -> None:
        if table.clock.now() - taken[-1] >= PICTURE:
            taken.append(table.clock.now())
            table.look()

    table.trace_until_ruled(walk, look)
    return walk


def trace_setting(table: TracedTable) -> Walk:
    """A finger on the screen makes everything calm."""
    walk = Walk("A setting")
    app = table.app
    app.carry_out(do.ShowPage("settings"))
    app.draw()

    def places() -> dict[str, tuple[int, int]]:
        targets = app._pages[app.page].painted_sheet(app.frame()).targets
        return {target.key: target.rect.center for target in targets}

    for _ in range(LEAVES):
        if "calm:on" in places():
            break
        app._handle(FingerDown(*places()["more"]))
        app.draw()
    x, y = places()["calm:on"]
    with walk.traced():
        app._handle(FingerDown(x, y))
    assert "calm" in user_settings_file().read_text(encoding="utf-8")
    return walk


@contextmanager
def opened_table() -> Iterator[TracedTable]:
    with TemporaryDirectory(prefix="walks-") as folder, pytest.MonkeyPatch.context() as patch:
        table = TracedTable(Path(folder), patch)
        try:
            yield table
        finally:
            table.close()


def traced_walks() -> list[str]:
    """A paragraph for each way."""
    with opened_table() as table:
        idle = trace_idle_rounds(table)
        return [walk(table).paragraph(idle) for walk in (trace_press, trace_card, trace_setting)]


def main(words: Sequence[str] | None = None) -> int:
    os.environ |= {"SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy"}
    print(*(walks := traced_walks()), sep="\n")
    if "--print" not in (sys.argv[1:] if words is None else words):
        text = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(MARKS.sub(lambda _: "\n" + "\n".join(walks) + "\n", text), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
