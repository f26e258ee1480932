"""Rows that are played: from a builder's first start to the first rulings, and wires that changed places.

The program is the whole of `companion play`, with the real libraries on a recorded machine. Pins are pulled
and lamps are read at the kernel's stand-in, cards are laid before the stand-in's lens, the screen is touched.
What the screen says is compared with what may be said then: any other sentence is a fault.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from queue import Empty
from typing import Any, NamedTuple
from unittest.mock import patch

import cv2
import numpy as np
from msgspec.structs import replace

from companion.cli.checks.lamp_walk import walk_lamps
from companion.core.actions import SECOND, Chair, Micros
from companion.core.switch import Edge
from companion.games import mat_layout
from companion.language.language import Language
from companion.language.voice import mixer
from companion.programs.build_app import build_runtime
from companion.programs.run_table import RealTable
from companion.settings.model import Settings
from companion.simulation.simulated_table import build_renderer
from companion.table import games as table_games
from companion.table import real_host
from companion.ui.toolkit.window import Window
from companion.vision.renderer import TableScene
from hardware.camera_selection import open_camera
from hardware.camera_worker import CameraWorker
from hardware.pin_table import build_pin_table
from tests.programs.pi_matrix.kernel import Kernel
from tests.programs.pi_matrix.table import Cell, Libraries, heard, machine_of
from tests.programs.pi_matrix.worlds import World, open_world
from tests.whole.playing import PATIENCE, SIZED, Playing

GAME, PEOPLE = "kobayakawa", 3
CARD, PLACE = "number:7", "kobayakawa"
PICTURE: Micros = SECOND // 10
EXPOSURE_NS, HALF_A_SECOND_NS = 21_000_000, 500_000_000
PICTURES = 40
"""A table that has not been read after so many is not read at all."""
HALF_A_CARD = 22
"""mm."""
OUTSIDE = "I can’t read a card. Put it straight in its place, out of glare, or say which it is."
CHAIRS = 4


class PlayedRow(NamedTuple):
    """One row, which is one cell."""

    name: str
    judge: Callable[[Path, Libraries], Iterator[str]]
    """In an empty folder; yields what is wrong."""


def played_rows() -> Iterator[PlayedRow]:
    """All of them, on a Pi 4 with Module 3 and USB loudspeaker, and on a Pi 5 with webcam and HDMI."""
    for machine, change, asks in (("pi4", _as_it_is, True), ("pi5", _webcam_and_hdmi, False)):
        for name, judge in (
            ("first start to first ruling", partial(_judge_first_game, asks_for_output=asks)),
            ("two buttons have changed places", partial(_judge_wires, SWAPPED_BUTTONS, PLACES)),
            ("two lamps have changed places", partial(_judge_wires, SWAPPED_LAMPS, PLACES)),
            ("a button on a pin that nobody reads", partial(_judge_wires, WRONG_PIN, WRONG)),
            ("the ground of three chairs is broken", partial(_judge_wires, BROKEN_GROUND, BROKEN)),
        ):
            world = open_world(machine, "trixie", has_desktop=False)
            yield PlayedRow(f"{world.title}: {name}", partial(_on_machine, machine, change, judge))


def _on_machine(
    machine: str,
    change: Callable[[World], None],
    judge: Callable[[World, Path, Libraries], Iterator[str]],
    folder: Path,
    libraries: Libraries,
) -> Iterator[str]:
    world = open_world(machine, "trixie", has_desktop=False)
    change(world)
    world.settings = replace(world.settings, table=replace(world.settings.table, chairs=CHAIRS))
    yield from judge(world, folder, libraries)


def _as_it_is(world: World) -> None:
    """A Module 3, a loudspeaker on USB."""


def _webcam_and_hdmi(world: World) -> None:
    world.unplug_cameras()
    world.plug_webcam("c920")
    world.sound = [card for card in world.sound if card.driver == "vc4-hdmi"]


# Wires ---------------------------------------------------------------------------------------------------

LEAVES = 4
"""More than the settings have."""
SWAPPED_BUTTONS: Mapping[Chair, tuple[int, int]] = {1: (2, 1), 2: (1, 2)}
"""Chair → as whose its button, and its lamp, are wired; -1: on a pin that nobody reads."""
SWAPPED_LAMPS: Mapping[Chair, tuple[int, int]] = {1: (1, 2), 2: (2, 1)}
WRONG_PIN: Mapping[Chair, tuple[int, int]] = {1: (-1, 1)}
PLACES = {
    "button 2": ("button 3 came in its place", "two buttons or two lamps have changed places"),
    "button 3": ("button 2 came in its place", "two buttons or two lamps have changed places"),
}
BROKEN_GROUND: Mapping[Chair, tuple[int, int]] = {1: (-1, 1), 2: (-1, 2), 3: (-1, 3)}
"""From the second chair on."""
WRONG = {"button 2": ("no press came", "one at pin 13 of the header (BCM 27)")}

BROKEN = {
    "buttons": ("of 3 chairs: 2, 3, 4", "their ground goes from one to the next"),
    **{f"button {chair}": ("no press came", "one at ground") for chair in (2, 3, 4)},
}


def _judge_wires(
    wired: Mapping[Chair, tuple[int, int]],
    told: Mapping[str, tuple[str, str]],
    world: World,
    folder: Path,
    libraries: Libraries,
) -> Iterator[str]:
    """`companion doctor --press` names what is wrong with wires, and no other."""
    cell = Cell(world, folder, libraries)
    pins = build_pin_table(chairs=CHAIRS)
    with libraries.on(world, folder) as kernel:
        header, stamps = world.header, count(kernel.monotonic_ns(), HALF_A_SECOND_NS)

        def press(said: str) -> None:
            """People press the button that is lit, or that is named."""
            if not said.startswith("Press"):
                return
            lit = {chair for chair, pin in pins.lamps if pin in header.lit}
            if lit:
                chair = next(one for one in range(CHAIRS) if wired.get(one, (one, one))[1] in lit)
                button = wired.get(chair, (chair, chair))[0]
                line = None if button < 0 else pins.button_pin((button, "seat"))
            else:
                line = pins.button_pin((None, said.rsplit(maxsplit=1)[-1].rstrip(".")))
            for low, at_ns in ((True, next(stamps)), (False, next(stamps))):
                if line is not None:
                    header.connect(line, at_ns, low=low)

        patience = 10 * SECOND if told is PLACES else SECOND // 2  # else some presses never come
        found = walk_lamps(
            machine_of(world, folder), world.settings, cell.devices(), tell=press, patience=patience
        )
        for finding in found:
            what, fix = told.get(finding.part, ("its press came", ""))
            if what not in finding.what or fix not in finding.fix:
                yield f"{finding.part}: {finding.what} → {finding.fix}"


# The first game ------------------------------------------------------------------------------------------


def _judge_first_game(
    world: World, folder: Path, libraries: Libraries, *, asks_for_output: bool
) -> Iterator[str]:
    """A start, the loudspeaker that is heard, the camera, people who sit, a card, a choice; what is said."""
    with FirstGame(world, folder, libraries).opened() as table:
        first = ["More than one sound output: choose yours under Settings, Loudspeaker."]
        yield from table.expect(*(first if asks_for_output else ()))
        if asks_for_output:
            table.touch("doctor")
            if table.app.page != "sound":
                yield f"what the page says opens {table.app.page}, not the loudspeakers"
                return
            table.touch("done")
        yield from table.expect()
        table.touch(f"game:{GAME}")
        table.touch("more")
        table.touch("settings")
        table.turn_to("calibrate")
        yield from table.calibrate()
        table.touch("home")
        yield from table.expect()
        for chair in range(PEOPLE):
            table.press(chair)
        yield from table.expect_lamps(*range(PEOPLE))
        table.press(0, SECOND)
        if table.app.page != "prepare":
            yield f"three people sit, and the page is {table.app.page}"
        table.press(0, SECOND)
        if table.app.page != "game":
            yield f"the table is ready, and the page is {table.app.page}"
            return
        yield from table.expect()
        yield from table.play()
        yield from table.notice(
            partial(np.multiply, 0.3),
            "The picture is dark: switch a lamp on, or calibrate again.",
            "The picture is dark: cards are hard to read until a lamp is on.",
        )
        yield from table.notice(
            np.zeros_like,
            "The camera’s picture is black: open its shutter, take its cap off, or switch a lamp on.",
            "The camera's picture is black: open its shutter, or take its cap off.",
        )
        yield from table.notice(
            partial(np.multiply, (0.25, 0.44, 0.55)),
            "The light is no longer what it was: switch the same lamps on, or calibrate again.",
            "The light has changed since the mat was found: switch the same lamps on, or calibrate again.",
        )
        yield from table.notice(
            _knocked, "The camera or the mat was moved. I found the mat again by its marks."
        )
    yield from table.logged


def _knocked(picture: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """As a camera sees the table whose arm somebody ran into."""
    height, width = picture.shape[:2]
    move = cv2.getRotationMatrix2D((width / 2, height / 2), 4, 1.0)
    move[:, 2] += 0.08 * width, 0.05 * height
    return cv2.warpAffine(picture, move, (width, height), borderValue=(60, 70, 80))


class FirstGame(Playing):
    """The whole program at a recorded machine, under a clock that is moved by hand."""

    def __init__(self, world: World, root: Path, libraries: Libraries) -> None:
        self.world, self.root, self.libraries = world, root, libraries
        self.cell = Cell(world, root, libraries)
        self.settings: Settings = replace(self.cell.settings, origins=SIZED)
        self.logged: list[str] = []
        self._exposed = 0
        self._pins = build_pin_table(chairs=CHAIRS)
        self._layout = mat_layout(GAME, PEOPLE)
        self._renderer = build_renderer(GAME, self._layout)

    def turn_to(self, key: str) -> None:
        """Settings have several leaves: turn them until this one's is there, and touch it."""
        for _ in range(LEAVES):
            sheet = self.app._pages[self.app.page].painted_sheet(self.app.frame())
            if key in {target.key for target in sheet.targets}:
                break
            self.touch("more")
        self.touch(key)

    @contextmanager
    def opened(self) -> Iterator[FirstGame]:
        """Everything that it opens is this world's."""
        world, root, environ = self.world, self.root, dict(self.world.environ)
        with ExitStack() as stack:
            self.kernel: Kernel = stack.enter_context(self.libraries.on(world, root))
            stack.enter_context(self.cell.outputs())
            self.logged = stack.enter_context(heard())
            outputs = partial(mixer.list_outputs, environ, root)
            unchosen = partial(mixer.has_unchosen_outputs, environ, root)
            chosen = partial(mixer.find_output_name, environ=environ, root=root)
            for owner, name, value in (
                (real_host, "open_pin_factory", self.cell.pins),
                (real_host, "open_camera", partial(open_camera, root=root)),
                (real_host, "Machine", partial(machine_of, world, root)),
                (real_host, "has_unchosen_outputs", unchosen),
                (table_games, "list_outputs", outputs),
                (table_games, "find_output_name", chosen),
                (CameraWorker, "start", lambda worker: None),
                (Window, "is_invisible", False),
            ):
                stack.enter_context(patch.object(owner, name, value))
            stack.enter_context(patch.dict(os.environ, {"XDG_CONFIG_HOME": str(root / "home")}))
            self.lay()
            self.open()
            stack.callback(self.close)
            self.app = self.table.build_app()
            self.window = self.app.window
            self.run()
            yield self

    def open(self, **more: Any) -> None:
        from companion.core.clock import ManualClock

        self.clock = ManualClock(SECOND)
        self.kernel.monotonic_ns = self._monotonic_ns
        for camera in self.world.cameras:
            camera.monotonic_ns = self._exposure_ns
        shared = build_runtime(self.settings, self.clock)
        self.inbox = shared.inbox
        self.table = RealTable(self.settings, shared, **more)
        self.host, self.games = self.table.host, self.table.games

    def _monotonic_ns(self) -> int:
        return self.clock.to_monotonic_ns(self.clock.now())

    def _exposure_ns(self) -> int:
        """Pictures come one after the other, though the clock stands still in a round.

        picamera2 waits for one whose exposure began late enough.
        """
        self._exposed = max(self._exposed + 2_000, self._monotonic_ns() + EXPOSURE_NS)
        return self._exposed

    # People ----------------------------------------------------------------------------------------------

    def lay(self, *cards: tuple[str, str], aside: float = 0) -> None:
        """Before the lens lies the mat, with these cards, each with its place, so many mm beside it."""
        laid = tuple(
            (card, (place.centre_mm[0] + aside, place.centre_mm[1]), place.angle)
            for card, place in ((card, self._layout.place(name)) for card, name in cards)
        )
        picture = self._renderer.render(TableScene(laid), np.random.default_rng(1))

        def draw(width: int, height: int) -> np.ndarray[Any, Any]:
            mat = cv2.resize(picture, (width, min(height, width * 9 // 16)))
            above = (height - mat.shape[0]) // 2
            below = height - mat.shape[0] - above
            return cv2.copyMakeBorder(mat, above, below, 0, 0, cv2.BORDER_REPLICATE)

        self._show(draw)

    def _show(self, draw: Callable[[int, int], np.ndarray[Any, Any]]) -> None:
        self.kernel.draw = draw
        for camera in self.world.cameras:
            camera.draw = draw

    def press(self, chair: Chair, hold: Micros = SECOND // 10) -> None:
        """A finger connects the button's pin to ground for so long."""
        for low in (True, False):
            pin = self._pins.button_pin((chair, "seat"))
            assert self.world.header.connect(pin, self._monotonic_ns(), low=low)
            self._wait_for_edge()
            self.run(hold)

    def _wait_for_edge(self) -> None:
        """The loop takes it from the kernel, or lgpio's thread hands it to the inbox."""
        if self.host._buttons is not None:
            self.host._buttons.read_waiting()
        waiting: list[Any] = []
        while not (waiting and isinstance(waiting[-1], Edge)):
            waiting.append(self.inbox.get(timeout=PATIENCE))
        while True:
            try:
                waiting.append(self.inbox.get_nowait())
            except Empty:
                break
        for report in waiting:
            self.inbox.put(report)

    def look(self) -> None:
        """A picture is taken and read, which the camera's thread would do."""
        worker = self.host._worker
        assert worker is not None
        self.run(PICTURE)
        worker.run_once()
        self.run(1)

    # What is said ----------------------------------------------------------------------------------------

    def expect(self, *told: str) -> Iterator[str]:
        """The warnings of the page are these and no others."""
        frame, words = self.app.frame(), Language("en")
        found = [*getattr(frame, "doctor", ()), *([frame.trouble] if frame.trouble else [])]
        said = [words.text(one) for one in found]
        if said != list(told):
            yield f"the page {self.app.page} says {said}, not {list(told)}"

    def expect_lamps(self, *chairs: Chair) -> Iterator[str]:
        lit = {chair for chair, pin in self._pins.lamps if pin in self.world.header.lit}
        if lit != {*chairs}:
            yield f"on the page {self.app.page} the lamps of chairs {lit} are lit, not {chairs}"

    def calibrate(self) -> Iterator[str]:
        """The marks are found, and kept."""
        for key in ("", "keep"):
            for _ in range(PICTURES):
                self.look()
                view = self.app.frame().camera_input.view  # type: ignore[attr-defined]
                if view.kept if key else view.ready:
                    break
            else:
                yield f"the camera's page says {Language('en').text(view.hint)!r}"
                return
            if not key:
                yield from (Language("en").text(one) for one in view.warnings)
                self.touch("keep")

    def play(self) -> Iterator[str]:
        """Who begins says so by the own button, then that cards are dealt; the open one is laid and read."""
        for told in ("begins", "Turn up"):
            yield from self._expect_ruling(partial(self.press, 0, SECOND), told, 1)
        for _ in range(5):
            self.look()
        self.lay((CARD, PLACE), aside=HALF_A_CARD)
        for _ in range(PICTURES):
            self.look()
        yield from self.expect(OUTSIDE)
        self.lay((CARD, PLACE))
        yield from self._expect_ruling(self.look, CARD.rpartition(":")[2], PICTURES)

    def notice(
        self, change: Callable[[np.ndarray[Any, Any]], np.ndarray[Any, Any]], told: str, *logged: str
    ) -> Iterator[str]:
        """The lens sees the table otherwise for a while: that is said, and no card is taken for gone."""
        draw, before, lines = self.kernel.draw, self._rulings(), len(self.logged)
        self._show(lambda width, height: np.asarray(change(draw(width, height)), np.uint8))
        for _ in range(PICTURES):
            self.look()
        yield from self.expect(told)
        if self._rulings() != before:
            yield f"when {told!r} was said, it was ruled {self._rulings()[len(before) :]}"
        if self.logged[lines:] != [*logged]:
            yield f"when {told!r} was said, the log had {self.logged[lines:]}"
        del self.logged[lines:]
        self._show(draw)
        for _ in range(PICTURES):
            self.look()

    def _expect_ruling(self, act: Callable[[], object], told: str, most: int) -> Iterator[str]:
        """After it was done so often at most, something is ruled, and nothing else is said to be wrong."""
        before = self._rulings()
        for _ in range(most):
            act()
            if len(self._rulings()) > len(before):
                break
        said = [line for line in self._rulings()[len(before) :] if told in line]
        if not said:
            yield f"nothing was ruled with {told!r}: {self._rulings()}"
        yield from self.expect()

    def _rulings(self) -> list[str]:
        words = Language("en")
        return [words.text(line.sentence) for line in self.session.history.all_lines()]
