"""What `companion calibrate`, `enrol` and `watch` do with a real, recorded or simulated camera.

Each opens the whole program on its page, or works without a screen at the terminal.
"""

import argparse
import logging
import random
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from companion.camera.calibration_task import CalibrationTask
from companion.camera.enrolment_task import enrollable_games, list_cards
from companion.camera.picture_tasks import WatchTask
from companion.camera.task_runner import CameraTaskRunner, MakeSimulatedCamera
from companion.core.actions import SECOND, Micros
from companion.core.camera_tasks import CameraCommand, EnrolView, WatchView
from companion.core.clock import Clock, GameClock, wall_time
from companion.core.errors import InputError
from companion.games import find_game_rules
from companion.language.language import Language
from companion.programs.build_app import temporary_store
from companion.settings.model import Settings
from companion.system.device_lock import require_camera_free, require_own_table
from companion.system.signals import stop_on_signals
from companion.system.terminal import draw_count, erase_line, print_json, print_lines, show_activity
from companion.ui.commands import ShowPage
from companion.vision.acceptance import unread_cards_text
from companion.vision.decks import Deck, DeckError
from companion.vision.lighting import MIN_FLICKER_FRAMES
from companion.vision.outlines import Bgr
from companion.vision.renderer import RenderedHand, TableRenderer, TableScene
from hardware.camera import Camera, CameraFrame
from hardware.camera_files import VIDEO_SUFFIXES, FolderCamera, VideoCamera
from hardware.camera_selection import open_camera
from hardware.errors import CameraError, HardwareError
from hardware.simulated_panel import SimulatedCamera

MAX_PICTURES = 60
"""Pictures that `--once` looks at until it gives up."""


def simulate_bare_mat(game: str) -> MakeSimulatedCamera:
    """The game's bare mat as an overhead camera sees it."""

    def open_camera(clock: Clock, _: CameraTaskRunner) -> Camera:
        from companion.simulation.simulated_table import build_renderer

        renderer, noise = build_renderer(game), np.random.default_rng(1)
        return SimulatedCamera(lambda _: renderer.render(TableScene(), noise), clock)

    return open_camera


def calibrate_on_screen(settings: Settings, game: str, simulated: MakeSimulatedCamera | None) -> int:
    """The whole program, beginning on the calibration's page."""
    from companion.programs.play import run_play
    from companion.table.runtime import StartOptions

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
    """Calibrate without a screen: 0 if the table was found; only a real table's calibration is saved."""
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
    """What a calibration found, in the table's language."""

    found: bool
    places: int
    warnings: tuple[str, ...]
    mat: str
    """That another game's mat lies there; empty: this game's, or no mark says."""
    hint: str
    lock: str
    """What the camera was locked to; empty: it has nothing to lock, or nothing was found."""


def _find_table(camera: Camera, settings: Settings, game: str) -> CalibrationResult:
    """Look until the mat is found and saved, or `MAX_PICTURES` were in vain."""
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
    """Print it; `kept` says what became of the calibration. 0 if the table was found."""
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


def run_enrolment(settings: Settings, game: str | None, *, simulate: bool) -> int:
    """The whole program, beginning on the page that asks for cards."""
    from companion.programs.play import run_play
    from companion.table.runtime import StartOptions

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
        from companion.simulation.simulated_table import build_renderer

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
        self._last_task: tuple[str, str] = ("", "")
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
        if asked == self._last_task:
            return
        self._last_task = asked
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


log = logging.getLogger(__name__)
UNREADABLE = 2
"""What the command ends with when a picture of a folder could not be read; the others were."""
LAYING_INTERVAL: Micros = 2 * SECOND
"""From one card of the simulated table to the next."""
MAX_LAID = 6
WHERE = ((230.0, 160.0), (300.0, 160.0), (370.0, 160.0), (230.0, 250.0), (300.0, 250.0), (370.0, 250.0))
"""Where they lie, in mm."""


def watch_in_window(settings: Settings, args: argparse.Namespace) -> int:
    """In a window; without a display, on the terminal."""
    from companion.programs.display import is_headless
    from companion.programs.play import run_play
    from companion.table.runtime import StartOptions

    if is_headless():
        return watch_on_terminal(settings, args, most=None)
    deck, source = _deck_argument(args), _camera_opener(settings, args, looped=True)

    def open_camera(clock: Clock, camera_tasks: CameraTaskRunner) -> Camera:
        return source(clock)

    game = deck if deck in enrollable_games() else enrollable_games()[0]
    file = "" if deck in enrollable_games() else deck
    camera: MakeSimulatedCamera | None = open_camera if args.simulate or args.source else None
    return run_play(settings, StartOptions(command=ShowPage("watch", game), camera=camera, watched=file))


def watch_on_terminal(settings: Settings, args: argparse.Namespace, *, most: int | None) -> int:
    """`companion watch` without a window: a line for every change, or each picture as JSON.

    How long it took is printed at the end. Returns the exit status; raises `InputError` for a source that
    cannot be used.
    """
    clock = GameClock()
    task = WatchTask(settings.store_folder(), _deck_argument(args), clock=clock)
    refused: list[str] = []

    def refuse(trouble: str) -> None:
        refused.append(trouble)
        print_lines(f"companion: {trouble}", error=True)

    try:
        with show_activity("Opening the camera"):
            camera = _camera_opener(settings, args, looped=False, refused=refuse)(clock)
    except HardwareError as trouble:
        if args.source is None:
            raise
        raise InputError(str(trouble)) from trouble
    before: object = None
    spent: list[Micros] = []
    last: Micros = -1
    with ExitStack() as stack:
        stack.callback(camera.close)
        stopped = stack.enter_context(stop_on_signals(bool))
        while not stopped.came and (most is None or len(spent) < most):
            frame = _capture_next(camera, last, begun=bool(spent), file=args.source is not None)
            if frame is None:
                break
            last = frame.at
            if spent:
                task.step(frame.image, frame.at)
            else:  # the first picture waits for the deck
                with show_activity("Reading the first picture"):
                    task.step(frame.image, frame.at)
            view = task.view()
            if view.trouble is not None:
                raise InputError(
                    f"can't read the deck {view.deck}: copy it again or teach it again (companion enrol)."
                )
            spent.append(view.spent)
            if args.json:
                print_json(_to_json(view, frame), indent=None)
            elif view.seen != before:
                _print_reading(view, explained=args.explain)
            before = view.seen
    if not args.json and len(spent) > 1:
        middle, most_of = (value / 1000 for value in np.percentile(spent, (50, 95)))
        print_lines(
            f"{len(spent)} pictures, {middle:.1f} ms each (median), {most_of:.1f} ms (95 of 100 below)"
        )
    return UNREADABLE if refused else 0


def _capture_next(camera: Camera, last: Micros, *, begun: bool, file: bool) -> CameraFrame | None:
    """The next picture; None when a folder or video is at its end. `file`: they come from there."""
    try:
        return camera.capture(last)
    except HardwareError as trouble:
        if begun and "no more pictures" in str(trouble):
            return None
        if not file:
            raise
        raise InputError(str(trouble)) from trouble


def _deck_argument(args: argparse.Namespace) -> str:
    """A game, or the file of a deck that can be read."""
    if args.deck is None or args.deck in enrollable_games():
        name = args.deck or args.game
        return enrollable_games()[0] if name is None else find_game_rules(name).name
    try:
        Deck.load(Path(args.deck))
    except DeckError as trouble:
        raise InputError(f"{trouble}.") from trouble
    return str(args.deck)


def _camera_opener(
    settings: Settings,
    args: argparse.Namespace,
    *,
    looped: bool,
    refused: Callable[[str], None] = log.warning,
) -> Callable[[Clock], Camera]:
    """What opens the camera, or what stands for it; `refused` is called for files that are no pictures."""
    source: Path | None = args.source
    if args.simulate:
        game, laid = _deck_argument(args), MAX_LAID if args.once else 0
        return lambda clock: simulate_laying(
            game if game in enrollable_games() else enrollable_games()[0], clock, laid=laid
        )
    if source is not None:
        if source.is_dir():
            return lambda clock: FolderCamera(source, clock, loop=looped, refused=refused)
        if source.suffix.lower() in VIDEO_SUFFIXES:
            return lambda clock: VideoCamera(source, clock, paced=looped, loop=looped)
        return lambda clock: _StillCamera(source, clock, loop=looped)
    require_camera_free(settings.camera.kind)
    chosen = settings.camera
    return lambda clock: open_camera(chosen.kind, chosen.device, clock, size=chosen.size)


class _StillCamera:
    """A picture as a camera that sees nothing else."""

    def __init__(self, path: Path, clock: Clock, *, loop: bool) -> None:
        from companion.vision.pictures import PictureError, read_picture

        self._clock, self._loop, self._was_read = clock, loop, False
        try:
            self._picture = read_picture(path)
        except PictureError as trouble:
            raise InputError(f"{trouble}.") from trouble

    def capture(self, newer_than: Micros) -> CameraFrame:
        if self._was_read and not self._loop:
            raise CameraError("There are no more pictures.")
        self._was_read = True
        return CameraFrame(self._picture, max(self._clock.now(), newer_than + 1))

    def lock_exposure(self, hertz: int = 50) -> None:
        """There is nothing to keep."""

    def close(self) -> None:
        """Nothing is held."""


def simulate_laying(game: str, clock: Clock, *, laid: int = 0) -> Camera:
    """A drawn table on which somebody lays card after card, and clears it when it is full.

    `laid`: how many lie there already.
    """
    from companion.simulation.simulated_table import build_renderer

    renderer, noise, faces = build_renderer(game), np.random.default_rng(7), list_cards(game)
    begun: list[Micros] = []

    def render(at: Micros) -> Any:
        begun.extend([] if begun else [at])
        step = laid + (at - begun[0]) // LAYING_INTERVAL
        lying = range(step - step % (MAX_LAID + 1), step)
        cards = [
            (faces[number * 7 % len(faces)], WHERE[place], number * 47.0 % 360)
            for place, number in enumerate(lying)
        ]
        return renderer.render(TableScene(tuple(cards)), noise)

    return SimulatedCamera(render, clock)


def _to_json(view: WatchView, frame: CameraFrame) -> dict[str, Any]:
    """One picture as JSON has it."""
    height, width = frame.image.shape[:2]
    cards = [
        {
            "card": one.card or None,
            "confidence": one.confidence,
            "corners": [[round(x * width, 1), round(y * height, 1)] for x, y in one.corners],
            "why": one.why,
        }
        for one in view.seen
    ]
    return {"picture": view.pictures, "ms": view.spent / 1000, "cards": cards}


def _print_reading(view: WatchView, *, explained: bool) -> None:
    """One picture for a person; `explained`: why each card is what it was taken for."""
    known = [f"{one.card} {one.confidence:.3f}" for one in view.seen if one.card]
    strangers = len(view.seen) - len(known)
    if strangers:
        known.append(unread_cards_text(strangers, complete=view.complete))
    print_lines(f"{view.pictures:5d} {view.spent / 1000:7.1f} ms  {', '.join(known) or 'no card'}")
    for one in view.seen if explained else ():
        print_lines(f"  {one.card or 'unknown':<16} {one.why}")
