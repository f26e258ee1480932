"""The `doctor` check of the table's camera calibration."""

from companion.camera.calibration_file import load_calibration
from companion.camera.calibration_task import mat_edition_sentence
from companion.core.errors import InputError
from companion.core.verdict import CheckVerdict, absent_verdict, fault_verdict, ok_verdict
from companion.games import games_with_mat
from companion.language.language import Language
from companion.settings.model import Settings
from companion.system.machine import Machine
from companion.vision.calibration import SavedCalibration

FIX = "companion calibrate, or Calibrate the camera in the settings on the screen"


def check_table_calibration(machine: Machine, settings: Settings) -> CheckVerdict:
    """Whether the table is calibrated, how, and in which light."""
    try:
        found = load_calibration(settings.store_folder(machine.environ))
    except InputError as trouble:
        return fault_verdict(str(trouble), FIX)
    if found is None:
        what = "not calibrated: each game looks for the mat's marks, and the camera isn't locked"
        return absent_verdict(what, FIX)
    how = {"marks": "by the mat's marks", "corners": "by the mat's corners", "sheet": "on a bare table"}
    lock = "nothing to lock" if found.lock is None else f"locked: {found.lock}"
    light = f"; when it was saved: {', '.join(found.warned)}" if found.warned else ""
    mat = "".join(f"; {words}" for words in _recognised_mats(found.kept, settings))
    what = f"{found.date[:10]} {how[found.kept.method]}{mat}; {lock}{light}"
    return ok_verdict(what, FIX if found.warned else "")


def _recognised_mats(kept: SavedCalibration, settings: Settings) -> list[str]:
    """Which mat lay there, of every game that has several."""
    if kept.method == "sheet" or kept.edition is None:
        return []
    words = Language(settings.table.language)
    editions = (mat_edition_sentence(game, kept.edition) for game in games_with_mat())
    return [words.text(sentence).rstrip(".") for sentence in editions if sentence is not None]
