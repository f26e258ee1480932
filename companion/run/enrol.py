"""Enrolling at the screen: with this table's camera, or with a drawn one and somebody who lays the cards."""

from companion.appliance.device_lock import need_camera
from companion.camera.enrol_files import games
from companion.camera.tools import Simulated, TableWorkshop
from companion.core.camera_views import EnrolView
from companion.core.clock import Clock
from companion.games.asked import game_named
from companion.run.simulated import elsewhere
from companion.settings.model import Settings
from companion.ui.commands import Show
from hardware.camera import Camera
from hardware.simulated import SimulatedCamera


def live(settings: Settings, game: str | None, *, simulate: bool) -> int:
    """The whole program, beginning on the page that asks for cards."""
    from companion.run.opening import Beginning
    from companion.run.play import run_play

    name = games()[0] if game is None else game_named(game).name
    if not simulate:
        need_camera(settings.camera.kind)
        return run_play(settings, Beginning(command=Show("enrol", name)))
    with elsewhere(settings) as nobodys:
        return run_play(nobodys, Beginning(command=Show("enrol", name), camera=stage(name)))


def stage(game: str) -> Simulated:
    """A drawn table with a person at it, who sees what the screen asks for."""

    def opened(clock: Clock, workshop: TableWorkshop) -> Camera:
        from companion.camera.enrol_simulated import Person
        from companion.run.scene import renderer_of

        def view() -> EnrolView | None:
            bench = workshop.bench()
            return bench.view if bench is not None and isinstance(bench.view, EnrolView) else None

        return SimulatedCamera(Person(renderer_of(game), view).render, clock)

    return opened
