"""The photo task: takes a picture for the lid of a box of the cupboard, when somebody asks for it."""

import logging
from pathlib import Path

from companion.camera.calibration_file import TableCalibration
from companion.core.actions import Micros
from companion.core.camera_tasks import CameraCommand, PhotoView
from companion.core.view import Sentence
from companion.system.file_owner import is_there, private_file
from companion.vision.box_photo import crop_photo
from companion.vision.outlines import Bgr
from companion.vision.pictures import write_picture

UNSTEADY = 8
"""Pictures until a camera that was off has found its exposure."""
log = logging.getLogger(__name__)


class PhotoTask:
    """`step` is called in the camera's thread; what is kept is the very picture that the page shows."""

    def __init__(self, file: Path, game: str, calibration: TableCalibration | None) -> None:
        """`file`: where the photo belongs; cropped to the mat where `calibration` tells where that is."""
        self._file = file
        self._game = game
        self._mat = None if calibration is None else calibration.kept
        self._pictures = 0
        self._live: Bgr | None = None
        self._kept: Bgr | None = None
        self._trouble = False
        self._has_photo = is_there(file)

    def add_command(self, wanted: CameraCommand) -> None:
        """Carried out at once."""
        try:
            self._carry_out(wanted.what)
            self._trouble = False
        except OSError as trouble:
            log.warning("%s: %s", self._file, trouble)
            self._trouble = True
        self._has_photo = is_there(self._file)

    def _carry_out(self, what: str) -> None:
        live = self._live
        if what == "keep" and live is not None:
            with private_file(self._file):
                write_picture(self._file, live)
            self._kept = live
        elif what == "remove":
            self._file.unlink(missing_ok=True)
            self._kept = None
        elif what == "retake":
            self._kept = None

    def view_and_picture(self) -> tuple[PhotoView, Bgr | None]:
        """The view, and the picture (uint8, BGR) that is kept or would be."""
        ready, kept = self._pictures > UNSTEADY, self._kept is not None
        if self._trouble:
            hint = "ui.enrol.not_saved"
        elif not self._pictures:
            hint = "ui.calibrate.no_picture"
        else:
            hint = f"ui.photo.{'kept' if kept else 'lay' if ready else 'wait'}"
        view = PhotoView(self._game, self._file.stem, Sentence(hint), ready, kept, self._has_photo)
        return view, self._kept if kept else self._live

    def announcement(self) -> tuple[int, Sentence | None]:
        return 0, None

    def step(self, image: Bgr, at: Micros) -> tuple[()]:
        """One picture (height, width, 3)."""
        self._live = crop_photo(image, self._mat)
        self._pictures += 1
        return ()
