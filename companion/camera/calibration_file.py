"""The table's calibration as it is kept: where everything lies in the picture, and the camera's lock."""

from pathlib import Path

import msgspec

from companion.camera import CALIBRATION
from companion.core import strangers
from companion.core.actions import Value
from companion.core.errors import InputError
from companion.core.strangers import Most
from companion.core.whole import replacing
from companion.referee.owners import make_folder
from companion.vision.calibration import Kept
from hardware.camera_lock import Lock

FORMAT = 1


class TableCalibration(Value, frozen=True):
    """One file in the table's store folder; it holds for the camera that hangs there."""

    kept: Kept
    date: str = ""
    lock: Lock | None = None
    """None: this camera has nothing to hold, or does not hold it."""
    warned: tuple[str, ...] = ()
    """What was wrong with the light when it was kept."""
    format: int = FORMAT


def load(folder: Path) -> TableCalibration | None:
    """What is kept in this folder; None if nothing is; `InputError` if it cannot be used."""
    path = folder / CALIBRATION
    try:
        found = msgspec.json.decode(strangers.read(path, Most.NOTE), type=TableCalibration)
        found.kept.calibration()
    except FileNotFoundError:
        return None
    except strangers.Unfit as unfit:
        raise InputError(f"{path} isn't a calibration: delete it, and calibrate again.") from unfit
    except OSError as trouble:
        raise InputError(f"can't read {path} ({trouble.strerror}): check its permissions.") from trouble
    except (msgspec.DecodeError, ValueError) as trouble:
        raise InputError(f"{path} is damaged ({trouble}): calibrate again.") from trouble
    if found.format > FORMAT:
        raise InputError(f"{path} was saved by a newer version: update this program, or calibrate again.")
    return found


def save(folder: Path, calibration: TableCalibration) -> None:
    """Keep it, by way of a second file so that a cut leaves the old one whole."""
    make_folder(folder)
    with replacing(folder / CALIBRATION) as file:
        file.write(msgspec.json.format(msgspec.json.encode(calibration), indent=1))
