"""Calibrating at the screen, and without one."""

from collections.abc import Callable
from contextlib import closing
from typing import NamedTuple

import numpy as np

from companion.appliance.device_lock import need_camera
from companion.camera.calibrate import CalibrationBench
from companion.camera.tools import Simulated, TableWorkshop
from companion.core.camera_views import Work
from companion.core.clock import Clock, GameClock, wall_time
from companion.run.simulated import elsewhere
from companion.settings.model import Settings
from companion.settings.progress import count, erase
from companion.settings.terminal import say, say_json
from companion.ui.commands import Show
from companion.ui.language import Language
from companion.vision.lighting import FLICKER_FRAMES
from hardware.camera import Camera
from hardware.cameras import open_camera
from hardware.simulated import SimulatedCamera

MOST_PICTURES = 60
"""Pictures that `--once` looks at until it gives up."""


def simulated_table(game: str) -> Simulated:
    """The game's bare mat as an overhead camera sees it."""

    def opened(clock: Clock, _: TableWorkshop) -> Camera:
        from companion.run.scene import renderer_of
        from companion.vision.render import Scene

        renderer, noise = renderer_of(game), np.random.default_rng(1)
        return SimulatedCamera(lambda _: renderer.render(Scene(), noise), clock)

    return opened


def at_the_screen(settings: Settings, game: str, simulated: Simulated | None) -> int:
    """The whole program, beginning on the calibration's page."""
    from companion.run.opening import Beginning
    from companion.run.play import run_play

    command = Show("calibrate", game)
    if simulated is None:
        need_camera(settings.camera.kind)
        return run_play(settings, Beginning(command=command))
    with elsewhere(settings) as nobodys:
        return run_play(nobodys, Beginning(command=command, camera=simulated))


def once(settings: Settings, game: str, simulated: Simulated | None, *, as_json: bool = False) -> int:
    """Look, say what there is to say, keep it: 0 if the table was found and, being a real one, kept."""
    clock = GameClock()
    if simulated is None:
        need_camera(settings.camera.kind)
        chosen = settings.camera
        with closing(open_camera(chosen.kind, chosen.device, clock, size=chosen.size)) as camera:
            seen = _look(camera, settings, game)
        return _told(seen, kept=f"saved in {settings.store_folder()}", saved=True, as_json=as_json)
    with elsewhere(settings) as nobodys:
        workshop = TableWorkshop(nobodys.store_folder(), say=lambda _: None)
        with closing(simulated(clock, workshop)) as camera:
            seen = _look(camera, nobodys, game)
    return _told(seen, kept="simulated, so nothing was saved", saved=False, as_json=as_json)


class Seen(NamedTuple):
    """What one look at the table found, in the table's language."""

    found: bool
    places: int
    warnings: tuple[str, ...]
    mat: str
    """Which mat is there; empty: no mark told."""
    hint: str
    lock: str
    """What the camera was locked to; empty: it has nothing to lock, or nothing was found."""


def _look(camera: Camera, settings: Settings, game: str) -> Seen:
    """Look until the mat is found and kept, or nothing comes of it."""
    words = Language(settings.table.language)
    folder = settings.store_folder()

    def do(job: Callable[[Camera], None]) -> None:
        job(camera)

    bench = CalibrationBench(folder, game, do=do, wall_time=wall_time)
    asked, at = False, -1
    for number in range(MOST_PICTURES):
        count(number, "pictures looked at")
        frame = camera.capture(at)
        at = frame.at
        bench.step(frame.image, at)
        view = bench.view()
        if view.ready and not asked and number >= FLICKER_FRAMES:
            bench.work(Work("keep"))
            asked = True
        if view.kept:
            break
    erase()
    view, found = bench.view(), bench.kept
    return Seen(
        found=found is not None,
        places=len(view.zones),
        warnings=tuple(words.text(warning) for warning in view.warnings),
        mat="" if view.mat is None else words.text(view.mat),
        hint=words.text(view.hint),
        lock="" if found is None or found.lock is None else str(found.lock),
    )


def _told(seen: Seen, *, kept: str, saved: bool, as_json: bool) -> int:
    """Say it; `kept` says what became of what was found. 0 if the table was found."""
    if as_json:
        say_json(seen._asdict() | {"saved": saved and seen.found})
        return int(not seen.found)
    for warning in seen.warnings:
        say(f"  {warning}")
    if seen.mat:
        say(seen.mat)
    say(seen.hint)
    if not seen.found:
        return 1
    lock = f"locked: {seen.lock}" if seen.lock else "this camera has nothing to lock"
    say(f"Found {seen.places} places; {lock}; {kept}")
    return 0
