"""Runs the camera task that is open while no game is on: calibration, enrolment, watching, a photo."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.camera import CALIBRATION_FILE
from companion.core.actions import Micros
from companion.core.camera_tasks import CameraCommand, CameraPageInput
from companion.core.clock import Clock, wall_time
from companion.core.errors import CompanionError
from companion.core.game import CUPBOARD
from companion.core.observations import Observation
from companion.core.view import Sentence
from companion.system.file_owner import is_there
from hardware.camera import Camera
from hardware.camera_lock import AnyCameraLock
from hardware.camera_worker import CameraWorker

if TYPE_CHECKING:
    from companion.camera.calibration_file import TableCalibration
    from companion.camera.calibration_task import CalibrationTask
    from companion.camera.enrolment_task import EnrolmentTask
    from companion.camera.picture_tasks import PhotoTask, WatchTask

PICTURE_INTERVAL: Micros = 100_000
"""From picture to picture in a game and while enrolling."""
log = logging.getLogger(__name__)


MakeSimulatedCamera = Callable[[Clock, "CameraTaskRunner"], Camera]
"""A camera of a drawn table, at which somebody may follow what the screen asks for."""


class CameraTaskRunner:
    """A table's own; `worker` is set once there is a camera."""

    def __init__(self, folder: Path, *, say: Callable[[Sentence], None]) -> None:
        """`folder` is the table's; `say` speaks."""
        self._folder = folder
        self._say = say
        self._last_announced = 0
        self._task: CalibrationTask | EnrolmentTask | WatchTask | PhotoTask | None = None
        self._picture: Any = None
        self.worker: CameraWorker | None = None
        self.calibration = self._load_calibration()
        """The calibration in force."""
        self._camera = ""
        """The one that was opened last, as `camera_name` has it."""
        self.deck = ""
        """A deck's file that is watched for in place of a game's deck."""

    @property
    def busy(self) -> bool:
        """Whether the camera's pictures come here."""
        return self._task is not None

    def camera_lock(self) -> AnyCameraLock | None:
        """How the camera is to be opened now: free while it is calibrated, held otherwise."""
        from companion.camera.calibration_task import CalibrationTask

        if isinstance(self._task, CalibrationTask):
            return self._task.lock
        return None if self.calibration is None else self.calibration.lock

    def note_camera(self, camera: Camera) -> None:
        """Which one was opened, in the camera's thread."""
        from hardware.camera_selection import camera_name

        before, self._camera = self._camera, camera_name(camera)
        if self._camera != before and (other := self.other_camera()) is not None:
            told = (
                "This camera (%(camera)s) is not the one that was calibrated (%(before)s): calibrate again."
            )
            log.warning(told, dict(other.parts))

    def other_camera(self) -> Sentence | None:
        """That another camera hangs there than the one that was calibrated; None: it is that one."""
        known = "" if self.calibration is None else self.calibration.camera
        if not known or self._camera in {"", known}:
            return None
        return Sentence("shared.trouble.camera_other", (("camera", self._camera), ("before", known)))

    # For the app ------------------------------------------------------------------------------------------

    def has_camera(self) -> bool:
        """As `CameraTasks.has_camera`: it gave a picture, and nothing is known to ail it."""
        return self.worker is not None and self.worker.has_delivered and self.worker.trouble is None

    def open_page(self, page: str, game: str, box: str = "") -> None:
        """`calibrate`, `enrol`, `watch` or `photo` begins; any other page ends it."""
        from companion.camera.calibration_task import CalibrationTask

        before, self._task = self._task, None
        if isinstance(before, CalibrationTask):
            self.calibration = before.saved_calibration or self.calibration
            self._set_interval(PICTURE_INTERVAL)
            if (
                before.saved_calibration is None
                and self.calibration is not None
                and self.calibration.lock is not None
            ):
                self._reopen_camera()
        if page == "calibrate":
            self._task = CalibrationTask(self._folder, game, do=self._run_camera_job, wall_time=wall_time)
            if self.calibration is not None and self.calibration.lock is not None:
                self._reopen_camera()
            self._set_interval(0)  # bands of light are seen only from picture to picture
        elif page == "enrol":
            from companion.camera.enrolment_task import EnrolmentTask

            self._task, self._last_announced = EnrolmentTask(self._folder, game), 0
        elif page == "watch":
            from companion.camera.picture_tasks import WatchTask

            self._task = WatchTask(self._folder, self.deck or game)
        elif page == "photo" and box:
            from companion.camera.picture_tasks import PhotoTask

            self._task = PhotoTask(self._folder / CUPBOARD / game / f"{box}.jpg", game, self.calibration)

    def carry_out(self, wanted: CameraCommand) -> None:
        if self._task is not None:
            self._task.add_command(wanted)

    def page_input(self) -> CameraPageInput | None:
        task = self._task
        if task is None:
            return None
        from companion.camera.picture_tasks import PhotoTask, WatchTask  # brings OpenCV, which takes a while

        if isinstance(task, (WatchTask, PhotoTask)):
            return CameraPageInput(*task.view_and_picture())
        return CameraPageInput(task.view(), self._picture, task.card_pictures())

    def tick(self, picture: Any) -> None:
        """Say what is to be said; `picture` is the camera's newest."""
        self._picture = picture
        if self._task is None:
            return
        number, sentence = self._task.announcement()
        if number != self._last_announced and sentence is not None:
            self._say(sentence)
        self._last_announced = number

    # For the camera's thread ------------------------------------------------------------------------------

    def step(self, image: Any, at: Micros) -> Iterable[Observation]:
        """One picture for whatever is going on; never a fact of a game."""
        task = self._task
        if task is not None:
            task.step(image, at)
        return ()

    def _load_calibration(self) -> TableCalibration | None:
        if not is_there(self._folder / CALIBRATION_FILE):
            return None  # what reads it is slow to import
        from companion.camera.calibration_file import load_calibration

        try:
            return load_calibration(self._folder)
        except CompanionError as trouble:
            log.warning("%s", trouble)
            return None

    def _run_camera_job(self, job: Callable[[Any], None]) -> None:
        if self.worker is not None:
            self.worker.run_job(job)

    def _reopen_camera(self) -> None:
        if self.worker is not None:
            self.worker.reopen_camera()

    def _set_interval(self, interval: Micros) -> None:
        if self.worker is not None:
            self.worker.interval = interval
