"""Loads or saves the table's camera calibration file."""

from pathlib import Path

import msgspec

from companion.camera import CALIBRATION_FILE
from companion.core.actions import Value
from companion.core.errors import InputError
from companion.system import safe_files
from companion.system.file_owner import find_foreign_file, make_folder
from companion.system.safe_files import SizeLimit, atomic_write
from companion.vision.calibration import SavedCalibration
from hardware.camera_lock import AnyCameraLock

CALIBRATION_FORMAT = 1


class TableCalibration(Value, frozen=True):
    """One file in the table's store folder; it holds for the camera that hangs there."""

    kept: SavedCalibration
    date: str = ""
    lock: AnyCameraLock | None = None
    """None: this camera has nothing to hold, or does not hold it."""
    warned: tuple[str, ...] = ()
    """What was wrong with the light when it was kept."""
    camera: str = ""
    """Which camera it was, as `camera_name` has it; empty: one without a name."""
    format: int = CALIBRATION_FORMAT


def load_calibration(folder: Path) -> TableCalibration | None:
    """What is kept in this folder; None if nothing is; `InputError` if it cannot be used."""
    path = folder / CALIBRATION_FILE
    try:
        found = msgspec.json.decode(safe_files.read_bytes(path, SizeLimit.NOTE), type=TableCalibration)
        found.kept.to_calibration()
    except FileNotFoundError:
        return None
    except safe_files.UnreadableFileError as unfit:
        raise InputError(f"{path} isn't a calibration: delete it, and calibrate again.") from unfit
    except OSError as trouble:
        foreign = find_foreign_file(folder)
        fix = "check its permissions" if foreign is None else foreign.command
        raise InputError(f"can't read {path} ({trouble.strerror}): {fix}.") from trouble
    except (msgspec.DecodeError, ValueError) as trouble:
        raise InputError(f"{path} is damaged ({trouble}): calibrate again.") from trouble
    if found.format > CALIBRATION_FORMAT:
        raise InputError(f"{path} was saved by a newer version: update this program, or calibrate again.")
    return found


def save_calibration(folder: Path, calibration: TableCalibration) -> None:
    """Keep it, by way of a second file so that a cut leaves the old one whole."""
    make_folder(folder)
    with atomic_write(folder / CALIBRATION_FILE) as file:
        file.write(msgspec.json.format(msgspec.json.encode(calibration), indent=1))
