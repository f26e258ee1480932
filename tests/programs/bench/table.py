"""A table as a process of its own, whose frames, processor and memory are watched: `python -m … [FOLDER]`.

It is `companion play` with four chairs at the game page, drawn into memory. FOLDER holds the pictures that
its camera sees; without one there is no camera. Prints one JSON object.
"""

from __future__ import annotations

import json
import sys
import time
from functools import cache
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Any

from msgspec.structs import replace

from tests.programs.bench.figures import child

WARM, WATCHED = 4.0, 6.0
"""Seconds of play before anything counts, and of watching."""
REPAINTS = 40


@cache
def watched(*, camera: bool) -> dict[str, Any]:
    """The answer of such a process; asked once."""
    if not camera:
        return child("tests.programs.bench.table")
    with TemporaryDirectory(prefix="companion-bench-") as folder:
        photograph(Path(folder))
        return child("tests.programs.bench.table", folder)


def photograph(folder: Path) -> None:
    """Pictures of a table, each with its own noise; halfway through an object is turned."""
    import cv2
    import numpy as np

    from companion.games import mat_layout
    from companion.simulation.simulated_table import SceneBuilder
    from companion.system import asset_paths
    from companion.vision.renderer import MIDDLE, TableRenderer, Textures

    layout, chairs = mat_layout("kinapa", 4), (0, 1, 2, 3)
    noise = np.random.default_rng(1)
    renderer = TableRenderer(
        Textures.load(asset_paths.bundled_assets_folder() / "decks" / "kinapa"), layout, MIDDLE
    )
    import random

    scenes = SceneBuilder(layout, chairs, random.Random(1))
    down = {f"slot:{slot}": ("back:blue",) for slot in range(1, 9)}
    for number in range(24):
        lying = {**down, "slot:3": ("object:5-6",)} if number % 24 >= 12 else down
        picture = renderer.render(scenes.build_scene(lying, ()), noise)
        cv2.imwrite(str(folder / f"{number:03d}.jpg"), picture, [cv2.IMWRITE_JPEG_QUALITY, 92])


def main() -> None:
    from companion.__main__ import main as companion
    from companion.table.app import App

    folder = sys.argv[1] if len(sys.argv) > 1 else ""
    camera = [f"camera.kind={'folder' if folder else 'none'}", f"camera.device={folder}"]
    App.run = watch  # type: ignore[method-assign, assignment]
    settings = [word for pair in camera for word in ("--set", pair)]
    companion([*settings, "play", "kinapa", "--chairs", "1,2,3,4"])


def watch(app: Any) -> None:
    """In the place of the loop: the same loop, with a watch in hand."""
    run(app, WARM)
    cpu, wall = time.process_time(), time.perf_counter()
    turns = run(app, WATCHED)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    told = {
        "turns_per_s": len(turns) / wall,
        "cpu": cpu / wall,
        "turn_us": 1e6 * median(turns),
        "readings": getattr(getattr(app.host, "_eye", None) and app.host._eye._watcher, "readings", 0),
    }
    if not told["readings"]:
        told |= {"repaint_ms": 1000 * median(repaint(app) for _ in range(REPAINTS))}
        frames, told["count_cpu"] = count(app)
        told |= {"count_frames": len(frames), "count_ms": 1000 * median(frames)}
        told["count_worst_ms"] = 1000 * quantiles(frames, n=20)[-1]
    status = Path("/proc/self/status").read_text(encoding="ascii")
    sizes = {line.partition(":")[0]: line.split()[1] for line in status.splitlines() if line.startswith("Vm")}
    told |= {"rss_mb": int(sizes["VmRSS"]) / 1024, "peak_mb": int(sizes["VmHWM"]) / 1024}
    print(json.dumps(told), flush=True)


def run(app: Any, seconds: float) -> list[float]:
    """Turn and wait; how long each turn took."""
    turns = []
    end = time.perf_counter() + seconds
    while (began := time.perf_counter()) < end:
        app.run_once()
        turns.append(time.perf_counter() - began)
        wait(app)
    return turns


def wait(app: Any) -> None:
    """Sleep as its loop does."""
    from companion.table.runtime import wait_for_report

    wait_for_report(app._shared.inbox, app._clock, app.next_due())


def repaint(app: Any) -> float:
    """A frame in which everything is painted anew."""
    app.navigation.ui_state = replace(app.ui_state, volume=(app.ui_state.volume + 1) % 100)
    began = time.perf_counter()
    if not app.draw():
        raise AssertionError("nothing was drawn")
    return time.perf_counter() - began


def count(app: Any) -> tuple[list[float], float]:
    """The frames of one count, and the processor's share meanwhile."""
    from companion.core import observations as ob
    from companion.core.actions import Action

    session = app.session
    for action in (Action(0, "claim_cat"), Action(0, "announce", 1)):
        session.submit(ob.ActionDeclared(at=app._clock.now(), action=action))
        run(app, 0.3)
    rules, end = session.game.referee.rules, time.perf_counter() + 10
    while rules.next_timer(session.game.referee.state).name == "cue" and time.perf_counter() < end:
        run(app, 0.05)
    frames: list[float] = []
    cpu, wall = time.process_time(), time.perf_counter()
    while rules.is_window_open(session.game.referee.state) and time.perf_counter() < end:
        began = time.perf_counter()
        app.step()
        if app.draw():
            frames.append(time.perf_counter() - began)
        wait(app)
    return frames, (time.process_time() - cpu) / (time.perf_counter() - wall)


if __name__ == "__main__":
    main()
