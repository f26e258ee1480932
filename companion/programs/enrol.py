"""`companion enrol`: learns a deck's faces from cards shown to a real or simulated camera."""

from companion.camera.enrolment_folder import enrollable_games
from companion.camera.task_runner import CameraTaskRunner, MakeSimulatedCamera
from companion.core.camera_tasks import EnrolView
from companion.core.clock import Clock
from companion.games.game_lookup import find_game_rules
from companion.programs.simulated_settings import temporary_store
from companion.settings.model import Settings
from companion.system.device_lock import require_camera_free
from companion.ui.commands import ShowPage
from hardware.camera import Camera
from hardware.simulated_panel import SimulatedCamera


def run_enrolment(settings: Settings, game: str | None, *, simulate: bool) -> int:
    """The whole program, beginning on the page that asks for cards."""
    from companion.programs.run_play import run_play
    from companion.programs.splash import StartOptions

    name = enrollable_games()[0] if game is None else find_game_rules(game).name
    if not simulate:
        require_camera_free(settings.camera.kind)
        return run_play(settings, StartOptions(command=ShowPage("enrol", name)))
    with temporary_store(settings) as nobodys:
        return run_play(
            nobodys, StartOptions(command=ShowPage("enrol", name), camera=simulate_enrolment(name))
        )


def simulate_enrolment(game: str) -> MakeSimulatedCamera:
    """A drawn table with a person at it, who sees what the screen asks for."""

    def open_camera(clock: Clock, workshop: CameraTaskRunner) -> Camera:
        from companion.camera.simulated_enrolment import SimulatedEnroller
        from companion.simulation.scene import build_renderer

        def view() -> EnrolView | None:
            bench = workshop.page_input()
            return bench.view if bench is not None and isinstance(bench.view, EnrolView) else None

        return SimulatedCamera(SimulatedEnroller(build_renderer(game), view).render, clock)

    return open_camera
