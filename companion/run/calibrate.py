"""Calibrating at the screen, and without one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

import numpy as np

from companion.appliance.device_lock import need_camera
from companion.camera.calibrate import CalibrationBench
from companion.camera.tools import Simulated, TableWorkshop
from companion.core.camera_views import Work
from companion.core.clock import Clock, GameClock, wall_time
from companion.run.simulated import elsewhere
from companion.settings.model import Settings
from companion.settings.terminal import say
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
        from companion.games import assets, full_mat
        from companion.vision.render import LIVE, Renderer, Scene, Textures

        textures = Textures.load(assets(game) / "decks" / game)
        renderer, noise = Renderer(textures, full_mat(game), LIVE), np.random.default_rng(1)
        return SimulatedCamera(lambda _: renderer.render(Scene(), noise), clock)

    return opened


def at_the_screen(settings: Settings, game: str, simulated: Simulated | None) -> int:
    """The whole program, beginning on the calibration's page."""
    from companion.run.play import run_play

    command = Show("calibrate", game)
    if simulated is None:
        need_camera(settings.camera.kind)
        return run_play(settings, command=command)
    with elsewhere(settings) as nobodys:
        return run_play(nobodys, command=command, camera=simulated)


def once(settings: Settings, game: str, simulated: Simulated | None) -> int:
    """Look, say what there is to say, keep it: 0 if the table was found and, being a real one, kept."""
    clock = GameClock()
    if simulated is None:
        need_camera(settings.camera.kind)
        chosen = settings.camera
        with closing(open_camera(chosen.kind, chosen.device, clock, size=chosen.size)) as camera:
            return _look(camera, settings, game, kept=f"saved in {settings.store_folder()}")
    with elsewhere(settings) as nobodys:
        workshop = TableWorkshop(nobodys.store_folder(), say=lambda _: None)
        with closing(simulated(clock, workshop)) as camera:
            return _look(camera, nobodys, game, kept="simulated, so nothing was saved")


def _look(camera: Camera, settings: Settings, game: str, *, kept: str) -> int:
    """`kept` says what became of it."""
    words = Language(settings.table.language)
    folder = settings.store_folder()

    def do(job: Callable[[Camera], None]) -> None:
        job(camera)

    bench = CalibrationBench(folder, game, do=do, wall_time=wall_time)
    asked, at = False, -1
    for number in range(MOST_PICTURES):
        frame = camera.capture(at)
        at = frame.at
        bench.step(frame.image, at)
        view = bench.view()
        if view.ready and not asked and number >= FLICKER_FRAMES:
            bench.work(Work("keep"))
            asked = True
        if view.kept:
            break
    for warning in bench.view().warnings:
        say(f"  {words.text(warning)}")
    mat = bench.view().mat
    if mat is not None:
        say(words.text(mat))
    say(words.text(bench.view().hint))
    found = bench.kept
    if found is None:
        return 1
    say(f"Found {len(bench.view().zones)} places; {_lock_told(found.lock)}; {kept}")
    return 0


def _lock_told(lock: object) -> str:
    return "this camera has nothing to lock" if lock is None else f"locked: {lock}"
