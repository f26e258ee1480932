"""The verb `watch`: shows what the camera reads, in a window or on a terminal."""

import argparse
import logging
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from companion.camera.enrolment_task import enrollable_games, list_cards
from companion.camera.task_runner import CameraTaskRunner, MakeSimulatedCamera
from companion.camera.watch_task import WatchTask
from companion.core.actions import SECOND, Micros
from companion.core.camera_tasks import WatchView
from companion.core.clock import Clock, GameClock
from companion.core.errors import InputError
from companion.games import find_game_rules
from companion.settings.model import Settings
from companion.system.device_lock import require_camera_free
from companion.system.signals import stop_on_signals
from companion.system.terminal import print_json, print_lines, show_activity
from companion.ui.commands import ShowPage
from companion.vision.acceptance import unread_cards_text
from companion.vision.decks import Deck, DeckError
from hardware.camera import Camera, CameraFrame
from hardware.camera_files import VIDEO_SUFFIXES, FolderCamera, VideoCamera
from hardware.camera_selection import open_camera
from hardware.errors import HardwareError
from hardware.simulated_panel import SimulatedCamera

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
    from companion.programs.run_play import run_play
    from companion.programs.splash import StartOptions

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

        self._clock, self._loop, self._given = clock, loop, False
        try:
            self._picture = read_picture(path)
        except PictureError as trouble:
            raise InputError(f"{trouble}.") from trouble

    def capture(self, newer_than: Micros) -> CameraFrame:
        from hardware.errors import CameraError

        if self._given and not self._loop:
            raise CameraError("There are no more pictures.")
        self._given = True
        return CameraFrame(self._picture, max(self._clock.now(), newer_than + 1))

    def lock_exposure(self, hertz: int = 50) -> None:
        """There is nothing to keep."""

    def close(self) -> None:
        """Nothing is held."""


def simulate_laying(game: str, clock: Clock, *, laid: int = 0) -> Camera:
    """A drawn table on which somebody lays card after card, and clears it when it is full.

    `laid`: how many lie there already.
    """
    from companion.simulation.scene import build_renderer
    from companion.vision.renderer import TableScene

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
