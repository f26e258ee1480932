"""Who has the camera while no game is on: calibrating, enrolling, watching, each fed with its pictures."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.camera import CALIBRATION
from companion.core.actions import Micros
from companion.core.camera_views import Bench, Work
from companion.core.clock import Clock, wall_time
from companion.core.errors import CompanionError
from companion.core.observations import Observation
from companion.core.view import Sentence
from hardware.camera import Camera
from hardware.camera_lock import Lock
from hardware.camera_worker import CameraWorker

if TYPE_CHECKING:
    from companion.camera.calibrate import CalibrationBench
    from companion.camera.calibration_file import TableCalibration
    from companion.camera.enrol import EnrolBench
    from companion.camera.watch import WatchBench

UNHURRIED: Micros = 100_000
"""From picture to picture in a game and while enrolling."""
log = logging.getLogger(__name__)


Simulated = Callable[[Clock, "TableWorkshop"], Camera]
"""A camera of a drawn table, at which somebody may follow what the screen asks for."""


class TableWorkshop:
    """A table's own; `worker` is set once there is a camera."""

    def __init__(self, folder: Path, *, say: Callable[[Sentence], None]) -> None:
        """`folder` is the table's; `say` speaks."""
        self._folder = folder
        self._say = say
        self._said = 0
        self._bench: CalibrationBench | EnrolBench | WatchBench | None = None
        self._picture: Any = None
        self.worker: CameraWorker | None = None
        self.kept = self._load()
        """The calibration in force."""
        self.deck = ""
        """A deck's file that is watched for in place of a game's deck."""

    @property
    def busy(self) -> bool:
        """Whether the camera's pictures come here."""
        return self._bench is not None

    def lock(self) -> Lock | None:
        """How the camera is to be opened now: free while it is calibrated, held otherwise."""
        from companion.camera.calibrate import CalibrationBench

        if isinstance(self._bench, CalibrationBench):
            return self._bench.lock
        return None if self.kept is None else self.kept.lock

    # For the app ------------------------------------------------------------------------------------------

    def visit(self, page: str, game: str) -> None:
        """`calibrate`, `enrol` or `watch` begins; any other page ends it."""
        from companion.camera.calibrate import CalibrationBench

        before, self._bench = self._bench, None
        if isinstance(before, CalibrationBench):
            self.kept = before.kept or self.kept
            self._pace(UNHURRIED)
            if before.kept is None and self.kept is not None and self.kept.lock is not None:
                self._reopen()
        if page == "calibrate":
            self._bench = CalibrationBench(self._folder, game, do=self._do, wall_time=wall_time)
            if self.kept is not None and self.kept.lock is not None:
                self._reopen()
            self._pace(0)  # bands of light are seen only from picture to picture
        elif page == "enrol":
            from companion.camera.enrol import EnrolBench

            self._bench, self._said = EnrolBench(self._folder, game), 0
        elif page == "watch":
            from companion.camera.watch import WatchBench

            self._bench = WatchBench(self._folder, self.deck or game)

    def work(self, wanted: Work) -> None:
        if self._bench is not None:
            self._bench.work(wanted)

    def bench(self) -> Bench | None:
        bench = self._bench
        if bench is None:
            return None
        from companion.camera.watch import WatchBench  # brings OpenCV along, which takes a while

        if isinstance(bench, WatchBench):
            return Bench(*bench.shown())
        return Bench(bench.view(), self._picture, bench.cards())

    def tick(self, picture: Any) -> None:
        """Say what is to be said; `picture` is the camera's newest."""
        self._picture = picture
        if self._bench is None:
            return
        number, sentence = self._bench.spoken()
        if number != self._said and sentence is not None:
            self._say(sentence)
        self._said = number

    # For the camera's thread ------------------------------------------------------------------------------

    def step(self, image: Any, at: Micros) -> Iterable[Observation]:
        """One picture for whatever is going on; never a fact of a game."""
        bench = self._bench
        if bench is not None:
            bench.step(image, at)
        return ()

    def _load(self) -> TableCalibration | None:
        if not (self._folder / CALIBRATION).exists():
            return None  # what reads it is slow to import
        from companion.camera.calibration_file import load

        try:
            return load(self._folder)
        except CompanionError as trouble:
            log.warning("%s", trouble)
            return None

    def _do(self, job: Callable[[Any], None]) -> None:
        if self.worker is not None:
            self.worker.do(job)

    def _reopen(self) -> None:
        if self.worker is not None:
            self.worker.reopen()

    def _pace(self, interval: Micros) -> None:
        if self.worker is not None:
            self.worker.interval = interval
