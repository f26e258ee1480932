"""What `doctor` says of the table's calibration."""

from companion.appliance.machine import Machine
from companion.camera.calibrate import mat_sentence
from companion.camera.calibration_file import load
from companion.core.errors import InputError
from companion.diagnostics.verdict import Verdict, absent, fault, ok
from companion.games import mats
from companion.settings.model import Settings
from companion.ui.language import Language
from companion.vision.calibration import Kept

FIX = "companion calibrate, or Calibrate the camera in the settings on the screen"


def verdict(machine: Machine, settings: Settings) -> Verdict:
    """Whether the table is calibrated, how, and in which light."""
    try:
        found = load(settings.store_folder(machine.environ))
    except InputError as trouble:
        return fault(str(trouble), FIX)
    if found is None:
        what = "not calibrated: each game looks for the mat's marks, and the camera isn't locked"
        return absent(what, FIX)
    how = {"marks": "by the mat's marks", "corners": "by the mat's corners", "sheet": "on a bare table"}
    lock = "nothing to lock" if found.lock is None else f"locked: {found.lock}"
    light = f"; when it was saved: {', '.join(found.warned)}" if found.warned else ""
    mat = "".join(f"; {words}" for words in _mats(found.kept, settings))
    what = f"{found.date[:10]} {how[found.kept.method]}{mat}; {lock}{light}"
    return ok(what, FIX if found.warned else "")


def _mats(kept: Kept, settings: Settings) -> list[str]:
    """Which mat lay there, of every game that has several."""
    if kept.method == "sheet" or kept.edition is None:
        return []
    words = Language(settings.table.language)
    editions = (mat_sentence(game, kept.edition) for game in mats())
    return [words.text(sentence).rstrip(".") for sentence in editions if sentence is not None]
