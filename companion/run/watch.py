"""Watching what is read: in a window, or line by line on a terminal."""

import argparse
import logging
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from companion.appliance.device_lock import need_camera
from companion.camera.enrol_files import cards_of, games
from companion.camera.tools import Simulated, TableWorkshop
from companion.camera.watch import WatchBench
from companion.core.actions import SECOND, Micros
from companion.core.camera_views import WatchView
from companion.core.clock import Clock, GameClock
from companion.core.errors import InputError
from companion.games.asked import game_named
from companion.run.stopping import stopped_in_order
from companion.settings.model import Settings
from companion.settings.progress import working
from companion.settings.terminal import say, say_json
from companion.ui.commands import Show
from companion.vision.decks import Deck, DeckError
from companion.vision.judge import unread
from hardware.camera import Camera, Frame
from hardware.camera_folder import FolderCamera
from hardware.camera_video import SUFFIXES, VideoCamera
from hardware.cameras import open_camera
from hardware.errors import HardwareError
from hardware.simulated import SimulatedCamera

log = logging.getLogger(__name__)
UNREADABLE = 2
"""What the command ends with when a picture of a folder could not be read; the others were."""
LAID: Micros = 2 * SECOND
"""From one card of the simulated table to the next."""
MOST_LAID = 6
WHERE = ((230.0, 160.0), (300.0, 160.0), (370.0, 160.0), (230.0, 250.0), (300.0, 250.0), (370.0, 250.0))
"""Where they lie, in mm."""


def shown(settings: Settings, args: argparse.Namespace) -> int:
    """In a window; without a display, on the terminal."""
    from companion.run.display import headless
    from companion.run.opening import Beginning
    from companion.run.play import run_play

    if headless():
        return printed(settings, args, most=None)
    deck, source = _deck(args), _source(settings, args, looped=True)

    def opened(clock: Clock, workshop: TableWorkshop) -> Camera:
        return source(clock)

    game = deck if deck in games() else games()[0]
    file = "" if deck in games() else deck
    camera: Simulated | None = opened if args.simulate or args.source else None
    return run_play(settings, Beginning(command=Show("watch", game), camera=camera, watched=file))


def printed(settings: Settings, args: argparse.Namespace, *, most: int | None) -> int:
    """`companion watch` without a window: a line for every change, or each picture as JSON.

    How long it took is printed at the end. Returns the exit status; raises `InputError` for a source that
    cannot be used.
    """
    clock = GameClock()
    bench = WatchBench(settings.store_folder(), _deck(args), clock=clock)
    refused: list[str] = []

    def refuse(trouble: str) -> None:
        refused.append(trouble)
        say(f"companion: {trouble}", error=True)

    try:
        with working("Opening the camera"):
            camera = _source(settings, args, looped=False, refused=refuse)(clock)
    except HardwareError as trouble:
        if args.source is None:
            raise
        raise InputError(str(trouble)) from trouble
    before: object = None
    spent: list[Micros] = []
    last: Micros = -1
    with ExitStack() as stack:
        stack.callback(camera.close)
        stopped = stack.enter_context(stopped_in_order(bool))
        while not stopped.came and (most is None or len(spent) < most):
            frame = _captured(camera, last, begun=bool(spent), file=args.source is not None)
            if frame is None:
                break
            last = frame.at
            if spent:
                bench.step(frame.image, frame.at)
            else:  # the first picture waits for the deck
                with working("Reading the first picture"):
                    bench.step(frame.image, frame.at)
            view = bench.view()
            if view.trouble is not None:
                raise InputError(
                    f"can't read the deck {view.deck}: copy it again or teach it again (companion enrol)."
                )
            spent.append(view.spent)
            if args.json:
                say_json(_plain(view, frame), indent=None)
            elif view.seen != before:
                _tell(view, explained=args.explain)
            before = view.seen
    if not args.json and len(spent) > 1:
        middle, most_of = (value / 1000 for value in np.percentile(spent, (50, 95)))
        say(f"{len(spent)} pictures, {middle:.1f} ms each (median), {most_of:.1f} ms (95 of 100 below)")
    return UNREADABLE if refused else 0


def _captured(camera: Camera, last: Micros, *, begun: bool, file: bool) -> Frame | None:
    """The next picture; None when a folder or video is at its end. `file`: they come from there."""
    try:
        return camera.capture(last)
    except HardwareError as trouble:
        if begun and "no more pictures" in str(trouble):
            return None
        if not file:
            raise
        raise InputError(str(trouble)) from trouble


def _deck(args: argparse.Namespace) -> str:
    """A game, or the file of a deck that can be read."""
    if args.deck is None or args.deck in games():
        name = args.deck or args.game
        return games()[0] if name is None else game_named(name).name
    try:
        Deck.load(Path(args.deck))
    except DeckError as trouble:
        raise InputError(f"{trouble}.") from trouble
    return str(args.deck)


def _source(
    settings: Settings,
    args: argparse.Namespace,
    *,
    looped: bool,
    refused: Callable[[str], None] = log.warning,
) -> Callable[[Clock], Camera]:
    """What opens the camera, or what stands for it; `refused` is called for files that are no pictures."""
    source: Path | None = args.source
    if args.simulate:
        game, laid = _deck(args), MOST_LAID if args.once else 0
        return lambda clock: drawn_table(game if game in games() else games()[0], clock, laid=laid)
    if source is not None:
        if source.is_dir():
            return lambda clock: FolderCamera(source, clock, loop=looped, refused=refused)
        if source.suffix.lower() in SUFFIXES:
            return lambda clock: VideoCamera(source, clock, paced=looped, loop=looped)
        return lambda clock: _OnePicture(source, clock, loop=looped)
    need_camera(settings.camera.kind)
    chosen = settings.camera
    return lambda clock: open_camera(chosen.kind, chosen.device, clock, size=chosen.size)


class _OnePicture:
    """A picture as a camera that sees nothing else."""

    def __init__(self, path: Path, clock: Clock, *, loop: bool) -> None:
        from companion.vision.pictures import PictureError, opened

        self._clock, self._loop, self._given = clock, loop, False
        try:
            self._picture = opened(path)
        except PictureError as trouble:
            raise InputError(f"{trouble}.") from trouble

    def capture(self, newer_than: Micros) -> Frame:
        from hardware.errors import CameraError

        if self._given and not self._loop:
            raise CameraError("There are no more pictures.")
        self._given = True
        return Frame(self._picture, max(self._clock.now(), newer_than + 1))

    def lock(self, hertz: int = 50) -> None:
        """There is nothing to keep."""

    def close(self) -> None:
        """Nothing is held."""


def drawn_table(game: str, clock: Clock, *, laid: int = 0) -> Camera:
    """A drawn table on which somebody lays card after card, and clears it when it is full.

    `laid`: how many lie there already.
    """
    from companion.run.scene import renderer_of
    from companion.vision.render import Scene

    renderer, noise, faces = renderer_of(game), np.random.default_rng(7), cards_of(game)
    begun: list[Micros] = []

    def render(at: Micros) -> Any:
        begun.extend([] if begun else [at])
        step = laid + (at - begun[0]) // LAID
        lying = range(step - step % (MOST_LAID + 1), step)
        cards = [
            (faces[number * 7 % len(faces)], WHERE[place], number * 47.0 % 360)
            for place, number in enumerate(lying)
        ]
        return renderer.render(Scene(tuple(cards)), noise)

    return SimulatedCamera(render, clock)


def _plain(view: WatchView, frame: Frame) -> dict[str, Any]:
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


def _tell(view: WatchView, *, explained: bool) -> None:
    """One picture for a person; `explained`: why each card is what it was taken for."""
    known = [f"{one.card} {one.confidence:.3f}" for one in view.seen if one.card]
    strangers = len(view.seen) - len(known)
    if strangers:
        known.append(unread(strangers, complete=view.complete))
    say(f"{view.pictures:5d} {view.spent / 1000:7.1f} ms  {', '.join(known) or 'no card'}")
    for one in view.seen if explained else ():
        say(f"  {one.card or 'unknown':<16} {one.why}")
