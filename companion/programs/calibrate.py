"""The verb `calibrate`: at the screen, or once without one."""

from collections.abc import Callable
from contextlib import closing
from typing import NamedTuple

import numpy as np

from companion.camera.calibration_task import CalibrationTask
from companion.camera.task_runner import CameraTaskRunner, MakeSimulatedCamera
from companion.core.camera_tasks import CameraCommand
from companion.core.clock import Clock, GameClock, wall_time
from companion.language.language import Language
from companion.programs.build_app import temporary_store
from companion.settings.model import Settings
from companion.system.device_lock import require_camera_free, require_own_table
from companion.system.terminal import draw_count, erase_line, print_json, print_lines
from companion.ui.commands import ShowPage
from companion.vision.lighting import MIN_FLICKER_FRAMES
from hardware.camera import Camera
from hardware.camera_selection import open_camera
from hardware.simulated_panel import SimulatedCamera

MAX_PICTURES = 60
"""Pictures that `--once` looks at until it gives up."""


def simulate_bare_mat(game: str) -> MakeSimulatedCamera:
    """The game's bare mat as an overhead camera sees it."""

    def open_camera(clock: Clock, _: CameraTaskRunner) -> Camera:
        from companion.simulation.scene import build_renderer
        from companion.vision.renderer import TableScene

        renderer, noise = build_renderer(game), np.random.default_rng(1)
        return SimulatedCamera(lambda _: renderer.render(TableScene(), noise), clock)

    return open_camera


def calibrate_on_screen(settings: Settings, game: str, simulated: MakeSimulatedCamera | None) -> int:
    """The whole program, beginning on the calibration's page."""
    from companion.programs.run_play import run_play
    from companion.programs.splash import StartOptions

    command = ShowPage("calibrate", game)
    if simulated is None:
        require_own_table(settings.store_folder(), "calibrate --once")
        require_camera_free(settings.camera.kind)
        return run_play(settings, StartOptions(command=command))
    with temporary_store(settings) as nobodys:
        return run_play(nobodys, StartOptions(command=command, camera=simulated))


def calibrate_once(
    settings: Settings, game: str, simulated: MakeSimulatedCamera | None, *, as_json: bool = False
) -> int:
    """Look, say what there is to say, keep it: 0 if the table was found and, being a real one, kept."""
    clock = GameClock()
    if simulated is None:
        require_own_table(settings.store_folder(), "calibrate --once")
        require_camera_free(settings.camera.kind)
        chosen = settings.camera
        with closing(open_camera(chosen.kind, chosen.device, clock, size=chosen.size)) as camera:
            seen = _find_table(camera, settings, game)
        return _report(seen, kept=f"saved in {settings.store_folder()}", saved=True, as_json=as_json)
    with temporary_store(settings) as nobodys:
        tasks = CameraTaskRunner(nobodys.store_folder(), say=lambda _: None)
        with closing(simulated(clock, tasks)) as camera:
            seen = _find_table(camera, nobodys, game)
    return _report(seen, kept="simulated, so nothing was saved", saved=False, as_json=as_json)


class CalibrationResult(NamedTuple):
    """What one look at the table found, in the table's language."""

    found: bool
    places: int
    warnings: tuple[str, ...]
    mat: str
    """That another game's mat lies there; empty: this one's, or no mark told."""
    hint: str
    lock: str
    """What the camera was locked to; empty: it has nothing to lock, or nothing was found."""


def _find_table(camera: Camera, settings: Settings, game: str) -> CalibrationResult:
    """Look until the mat is found and kept, or nothing comes of it."""
    words = Language(settings.table.language)
    folder = settings.store_folder()

    def do(job: Callable[[Camera], None]) -> None:
        job(camera)

    task = CalibrationTask(folder, game, do=do, wall_time=wall_time)
    asked, at = False, -1
    for number in range(MAX_PICTURES):
        draw_count(number, "pictures looked at")
        frame = camera.capture(at)
        at = frame.at
        task.step(frame.image, at)
        view = task.view()
        if view.ready and not asked and number >= MIN_FLICKER_FRAMES:
            task.add_command(CameraCommand("keep"))
            asked = True
        if view.kept:
            break
    erase_line()
    view, found = task.view(), task.saved_calibration
    return CalibrationResult(
        found=found is not None,
        places=len(view.zones),
        warnings=tuple(words.text(warning) for warning in view.warnings),
        mat="" if view.mat is None else words.text(view.mat),
        hint=words.text(view.hint),
        lock="" if found is None or found.lock is None else str(found.lock),
    )


def _report(seen: CalibrationResult, *, kept: str, saved: bool, as_json: bool) -> int:
    """Say it; `kept` says what became of what was found. 0 if the table was found."""
    if as_json:
        print_json(seen._asdict() | {"saved": saved and seen.found})
        return int(not seen.found)
    for warning in seen.warnings:
        print_lines(f"  {warning}")
    if seen.mat:
        print_lines(seen.mat)
    if not seen.found:
        print_lines(seen.hint)
        return 1
    lock = f"locked: {seen.lock}" if seen.lock else "this camera has nothing to lock"
    print_lines(f"Found {seen.places} places; {lock}; {kept}")
    return 0
