"""`companion enrol`: learns a deck's faces from cards shown to a real or simulated camera."""

import random
from collections.abc import Callable

import numpy as np

from companion.camera.enrolment_task import enrollable_games
from companion.camera.task_runner import CameraTaskRunner, MakeSimulatedCamera
from companion.core.actions import Micros
from companion.core.camera_tasks import EnrolView
from companion.core.clock import Clock
from companion.games import find_game_rules
from companion.programs.build_app import temporary_store
from companion.settings.model import Settings
from companion.system.device_lock import require_camera_free, require_own_table
from companion.ui.commands import ShowPage
from companion.vision.outlines import Bgr
from companion.vision.renderer import RenderedHand, TableRenderer, TableScene
from hardware.camera import Camera
from hardware.simulated_panel import SimulatedCamera


def run_enrolment(settings: Settings, game: str | None, *, simulate: bool) -> int:
    """The whole program, beginning on the page that asks for cards."""
    from companion.programs.run_play import run_play
    from companion.programs.splash import StartOptions

    name = enrollable_games()[0] if game is None else find_game_rules(game).name
    if not simulate:
        require_own_table(settings.store_folder(), f"enrol {name}")
        require_camera_free(settings.camera.kind)
        return run_play(settings, StartOptions(command=ShowPage("enrol", name)))
    with temporary_store(settings) as nobodys:
        return run_play(
            nobodys, StartOptions(command=ShowPage("enrol", name), camera=simulate_enrolment(name))
        )


def simulate_enrolment(game: str) -> MakeSimulatedCamera:
    """A drawn table with a person at it, who sees what the screen asks for."""

    def open_camera(clock: Clock, camera_tasks: CameraTaskRunner) -> Camera:
        from companion.simulation.scene import build_renderer

        def view() -> EnrolView | None:
            shown = camera_tasks.page_input()
            return shown.view if shown is not None and isinstance(shown.view, EnrolView) else None

        return SimulatedCamera(SimulatedEnroller(build_renderer(game), view).render, clock)

    return open_camera


LAY_TIME: Micros = 1_600_000
"""From hearing which card is next to having laid it: a person with the deck in the other hand."""
TURN_TIME: Micros = 900_000
REACTION_TIME: Micros = 600_000
"""Until somebody begins to do what is asked."""
PLACEMENT_ERROR_MM, PLACEMENT_ERROR_DEGREES = 9.0, 6.0
CARD_POSITION_MM = (297.0, 215.0)


class SimulatedEnroller:
    """Their hand and the card under it; `render` is what the camera sees at an instant."""

    def __init__(
        self,
        renderer: TableRenderer,
        view: Callable[[], EnrolView | None],
        *,
        seed: int = 1,
        lays: Callable[[str], str] = str,
    ) -> None:
        """`lays`: which card is laid when one is asked for; people take the wrong one now and then."""
        self._renderer = renderer
        self._view = view
        self._chance = random.Random(seed)
        self._noise = np.random.default_rng(seed)
        self._lays = lays
        self._card: tuple[str, tuple[float, float], float] | None = None
        self._doing: tuple[Micros, Micros, str] | None = None
        self._done: tuple[str, str] = ("", "")
        """What was asked for when something was last done: phase and card."""

    def render(self, at: Micros) -> Bgr:
        """The table at this instant (height, width, 3)."""
        view = self._view()
        if view is not None:
            self._act(view, at)
        hands: tuple[RenderedHand, ...] = ()
        if self._doing is not None and self._doing[0] <= at:
            hands = (RenderedHand((CARD_POSITION_MM[0] + 30.0, CARD_POSITION_MM[1] + 10.0), 0.0),)
        return self._renderer.render(TableScene((self._card,) if self._card else (), hands), self._noise)

    def _act(self, view: EnrolView, at: Micros) -> None:
        if self._doing is not None:
            begins, ends, what = self._doing
            if at >= ends:
                self._place_card(view, what)
                self._doing = None
            elif at >= begins and what == "lay":
                self._card = None
            return
        if view.hint.key in {"ui.enrol.bare", "ui.calibrate.no_picture"} or view.phase == "done":
            return
        asked = (view.phase, view.card)
        if asked == self._done:
            return
        self._done = asked
        takes = TURN_TIME if view.phase == "turn" else LAY_TIME
        self._doing = (
            at + REACTION_TIME,
            at + REACTION_TIME + takes,
            "turn" if view.phase == "turn" else "lay",
        )

    def _place_card(self, view: EnrolView, what: str) -> None:
        x, y = (value + self._chance.gauss(0, 1) * PLACEMENT_ERROR_MM for value in CARD_POSITION_MM)
        askew = self._chance.gauss(0, 1) * PLACEMENT_ERROR_DEGREES
        if what == "turn" and self._card is not None:
            self._card = (self._card[0], (x, y), askew + 180.0)
        else:
            self._card = (self._lays(view.card), (x, y), askew)
