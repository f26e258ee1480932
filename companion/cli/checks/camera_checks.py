"""The check of `companion doctor` of the camera: who has it, and what its picture shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from companion.camera.calibration_file import TableCalibration, load_calibration
from companion.cli.checks.device_checks import Devices, free_remedy, split_remedy
from companion.core.actions import SECOND
from companion.core.check_verdict import (
    CheckVerdict,
    absent_verdict,
    fault_verdict,
    join_faults,
    ok_verdict,
    untried_verdict,
)
from companion.core.errors import CompanionError, InputError
from companion.games import all_asset_folders, games_with_mat, printed_mat
from companion.settings.model import Settings
from companion.system.device_lock import running_table
from companion.system.machine import SILENT_USB_REMEDY, Machine
from companion.system.terminal import count_with_noun

if TYPE_CHECKING:
    from companion.vision.framing import MatFraming, MatView
    from hardware.camera import Image

MARKS_REMEDY = (
    "lay the mat below it; if it lies there, turn the picture's long side along the mat's, raise the camera "
    "until all four corners are seen, and focus its lens"
)
LENS_REMEDY = (
    "focus its lens: turn it until the mat's marks are sharp; take its protective film off, and wipe it"
)
FOCUS_REMEDY = (
    "take the protective film off its lens, wipe it, keep everything 10 cm away from it, then companion "
    "calibrate: it focuses anew"
)
MIRROR_REMEDY = (
    "print the mat anew without mirroring; or it is the webcam that mirrors: switch that off in it"
)
MAT_SIZE = "a mat that was printed at 100 % is 594 mm long"
"""Of one that was not, camera and marks tell nothing: all of it is as much smaller."""
LIGHT_REMEDY = "clear the table; if it is bare, turn the lamp, shade the sun, or put a second lamp opposite"
LIGHT_FAULTS: Mapping[str, str] = {"glare": "glare (or a card)", "shadow": "shadow"}
LENSES: Mapping[str, tuple[str, str]] = {
    "wide": ("it is a Wide one, which bends what is far from the middle", "use one that is not Wide"),
    "noir": ("it is a NoIR one, which sees infrared, so that colours are wrong", "use one that is not NoIR"),
}
"""What the kinds of a Pi's camera, as `lens_kind` has them, are no good for, and the remedy."""
SLOW_WEBCAM = 10
"""Pictures a second: with fewer a card that was laid is told after half a second and more."""
WHOLE_MAT = 0.995
"""Share of the mat from which all of it is in the picture, as exactly as its marks tell."""


def camera(machine: Machine, settings: Settings, devices: Devices | None = None) -> CheckVerdict:
    """One picture of the camera: its light, its sharpness, and how much of the mat it shows."""
    chosen = settings.camera
    if chosen.kind == "none":
        what = "turned off in the settings: tell me the cards by hand"
        return absent_verdict(what, "to have one, set camera.kind to auto")
    if chosen.kind == "folder":
        return _check_picture_folder(chosen.device)
    lacking = _picture_library_fault(machine, chosen.kind)
    if lacking is not None and chosen.kind == "pi":
        return lacking
    if devices is None or running_table(machine):
        return untried_verdict(
            "the table has it itself; Camera in its settings shows the picture", free_remedy(machine)
        )
    from hardware.camera_selection import find_camera_nodes
    from hardware.errors import (
        HardwareError,
        NoCameraError,
        NoDriverError,
        OtherSensorError,
        UsbSilentError,
    )

    try:
        return _describe_camera(machine, settings, devices)
    except (OtherSensorError, NoDriverError, UsbSilentError) as trouble:
        return fault_verdict(*split_remedy(trouble))
    except NoCameraError as trouble:
        told = lacking or fault_verdict(*split_remedy(trouble))
        if (sandbox := machine.find_sandbox()) is not None:
            told = told._replace(fix=sandbox[1])
        wanted = chosen.kind != "auto" or _was_calibrated(machine, settings)
        return told if wanted else absent_verdict(f"{told.what}; the cards are told by hand", told.fix)
    except HardwareError as trouble:
        if slow := machine.find_slow_webcam():
            return fault_verdict(f"{slow} came up as slow as USB 1, too slow for pictures", SILENT_USB_REMEDY)
        if holder := machine.find_holder(find_camera_nodes(machine)):
            return fault_verdict(f"the camera is in use by {holder}", holder.remedy())
        return fault_verdict(*split_remedy(trouble))


def _picture_library_fault(machine: Machine, kind: str) -> CheckVerdict | None:
    """What a Pi's own camera lacks of libraries."""
    if not (kind == "pi" or (kind == "auto" and machine.is_pi())):
        return None
    if not machine.module("picamera2"):
        fix = machine.package_remedy("python3-picamera2 --no-install-recommends", "picamera2")
        return fault_verdict("this Python can't find picamera2", fix)
    if not machine.module("libcamera"):
        fix = machine.package_remedy("python3-libcamera", "libcamera")
        return fault_verdict("picamera2 is here, but libcamera is not", fix)
    return None


def _was_calibrated(machine: Machine, settings: Settings) -> bool:
    """Whether this table once had a camera."""
    try:
        return load_calibration(settings.store_folder(machine.environ)) is not None
    except CompanionError:
        return True


def _load_usable(machine: Machine, settings: Settings) -> TableCalibration | None:
    """What calibrating found, such as the exposure and focus that a game has the camera hold."""
    try:
        return load_calibration(settings.store_folder(machine.environ))
    except CompanionError:
        return None


def _describe_camera(machine: Machine, settings: Settings, devices: Devices) -> CheckVerdict:
    from companion.core.clock import GameClock
    from companion.vision.lighting import MIN_FLICKER_FRAMES, measure_flicker
    from hardware.camera_pi import PiCamera
    from hardware.camera_selection import camera_name, find_webcams, webcam_name
    from hardware.camera_usb import UsbCamera

    def called(device: str) -> str:
        name = webcam_name(device, machine.root)
        return device if name == device else f"{name!r} ({device})"

    clock = GameClock()
    rate, grabs = 0.0, 1
    kept = _load_usable(machine, settings)
    lock = None if kept is None else kept.lock
    with closing(devices.camera(settings.camera, clock, machine.root, lock)) as opened:
        name = camera_name(opened)
        if kept is not None and name and kept.camera not in {"", name}:
            what = f"the table was calibrated with another camera ({kept.camera}), and this is {name}"
            return fault_verdict(what, "companion calibrate, or plug the other one in again")
        frames = [opened.capture(clock.now()) for _ in range(2 * MIN_FLICKER_FRAMES)]
        settled = frames[MIN_FLICKER_FRAMES:]  # as its exposure is by then
        picture = settled[-1].image
        moving = measure_flicker([frame.image for frame in settled])
        if moving is not None and moving.exceeds_limit:
            return fault_verdict(
                f"the light flickers by {moving.value:.0%}, {moving.limit:.0%} at most",
                "turn the lamp up, or use another one; then calibrate: the exposure fits the mains",
            )
        if isinstance(opened, UsbCamera):
            rate, grabs = opened.picture_rate, opened.grabs_each
        if isinstance(opened, PiCamera):
            focuses, model = opened.has_autofocus, opened.model
            found = describe_picture(picture, "Pi camera", opened.field_of_view(), focuses=focuses)
            return _add_others(
                _add_lens_warning(found, model), settings, opened.others, find_webcams(machine.root)
            )
    others = () if settings.camera.device else [*map(called, find_webcams(machine.root)[1:])]
    also = f"; another is {', '.join(others)}: set camera.device to have that one" if others else ""
    found = describe_picture(picture, f"webcam{also}", None)
    if others and found.fix == MARKS_REMEDY:
        over = f"if another hangs over the table, set camera.device to {others[0]}; else {MARKS_REMEDY}"
        found = found._replace(fix=over)
    if 0 < rate < SLOW_WEBCAM:
        return _add_slowness(machine, found, rate)
    gap = min(after.at - before.at for before, after in pairwise(settled))
    if rate == 0 or found.state == "fault" or gap <= SECOND * max((grabs + 1) / rate, 1 / SLOW_WEBCAM):
        return found
    what = (
        f"{found.what}; it takes {SECOND / gap:.0f} pictures a second in this light, so cards are read late"
    )
    return untried_verdict(what, "switch a lamp on over the table, then calibrate")


def _add_others(
    found: CheckVerdict, settings: Settings, ribbons: Sequence[int], webcams: Sequence[str]
) -> CheckVerdict:
    """A verdict on a Pi's camera that shows no mat, with the cameras that may hang over the table instead."""
    named = [f"camera.kind to pi and camera.device to {number}" for number in ribbons]
    named += [f"camera.kind to usb and camera.device to {webcam}" for webcam in webcams]
    if not named or found.fix != MARKS_REMEDY:
        return found
    over = f"if another camera hangs over the table, set {' or '.join(named)}; else {MARKS_REMEDY}"
    return found._replace(what=f"{found.what}; another camera is plugged in", fix=over)


def _add_slowness(machine: Machine, found: CheckVerdict, rate: float) -> CheckVerdict:
    """A verdict on a webcam that sends few pictures."""
    if found.state == "fault":
        return found
    what = f"{found.what}; it sends {rate:.0f} pictures a second, so cards are read late"
    if machine.find_slow_webcam():
        what = f"{what}: it came up as slow as USB 1"
        return untried_verdict(what, SILENT_USB_REMEDY)
    return untried_verdict(what, "use one that sends MJPEG in this size, as most do")


def _add_lens_warning(found: CheckVerdict, model: str) -> CheckVerdict:
    """A verdict on a Pi's camera with what its kind is no good for."""
    from hardware.camera_pi import lens_kind

    kind = lens_kind(model)
    if not kind:
        return found
    warning, fix = LENSES[kind]
    if found.state == "fault":
        return fault_verdict(f"{found.what}; {warning}", f"{found.fix}; {fix}")
    return untried_verdict(f"{found.what}; {warning}", fix)


def describe_picture(
    picture: Image, name: str, angles: tuple[float, float] | None, *, focuses: bool = False
) -> CheckVerdict:
    """The verdict on a camera by one picture, BGR; `angles`: what it sees, in degrees across and down.

    `focuses`: whether it does so by itself.
    """
    from companion.vision.framing import MAX_LIGHT, MIN_LIGHT, explain_no_mark, look_at_mat, mean_light

    height, width = picture.shape[:2]
    light = mean_light(picture)
    told = [f"{name}, {width} × {height}"]
    if angles is not None:
        told.append(f"sees {angles[0]:.0f}° × {angles[1]:.0f}°")
    told.append(f"light {light:.0%}")
    faults = []
    if light < MIN_LIGHT:
        faults.append(
            (
                "the picture is black",
                "take the cap off the lens, open its shutter or aperture, or switch a light on",
            )
        )
    elif light > MAX_LIGHT:
        faults.append(
            ("the picture is white", "shade the lens from the lamp or the sun, then calibrate again")
        )
    mats, focus = [printed_mat(game) for game in games_with_mat()], FOCUS_REMEDY if focuses else LENS_REMEDY
    try:
        view = look_at_mat(picture, mats)
    except InputError as trouble:
        return fault_verdict(*split_remedy(trouble))
    if view is None:
        why = "" if faults else explain_no_mark(picture, mats)
        if why == "mirrored":
            faults.append(("the mat's marks are mirrored in the picture", MIRROR_REMEDY))
        elif why == "unsharp":
            faults.append(("no mark of a mat, for nothing in the picture is sharp: it is blurred", focus))
        told.append("no mark of a mat, so how sharp it is and how much of the mat it shows was not tried")
    else:
        told.append(f"{view.share:.0%} of the mat")
        if view.blur is not None:
            told.append("not sharp" if view.blur.exceeds_limit else "sharp")
        faults += _view_faults(view, angles, focus)
    if (found := join_faults(faults)) is not None:
        return found
    if view is None:
        return untried_verdict(", ".join(told), MARKS_REMEDY)
    if view.framing.lies_across:
        return untried_verdict(f"{', '.join(told)}; the mat lies across it", _turn_remedy(view.framing))
    if view.uneven:
        kinds = " and ".join(dict.fromkeys(LIGHT_FAULTS[one.fault] for one in view.uneven))
        places = len({one.place for one in view.uneven})
        what = f"{', '.join(told)}; {kinds} at {count_with_noun(places, 'place')} of the mat"
        return untried_verdict(what, LIGHT_REMEDY)
    return ok_verdict(", ".join(told), f"cards unread all the same? {MAT_SIZE}")


def _view_faults(view: MatView, angles: tuple[float, float] | None, focus: str) -> Iterator[tuple[str, str]]:
    """What is wrong with how a picture shows the mat, and the remedies; `focus`: that of a blur."""
    framing, is_blurred = view.framing, view.blur is not None and view.blur.exceeds_limit
    if view.hidden and not is_blurred and not view.is_dark:  # which may be why
        what = f"the mat's mark at the {' and the '.join(view.hidden)} is not seen"
        yield what, "uncover it, or turn the lamp that shines on it"
    if view.is_dark:
        yield "the picture is dark: the white of the mat's marks is grey", "switch a lamp on, or one more"
    if view.is_coloured:
        yield "the light is coloured: the mat's white is not white", "use white light, then calibrate again"
    if framing.is_slanted:
        what = f"the camera looks at the mat at a slant (about {framing.slant_degrees}°)"
        yield what, "hang it over the middle, straight down"
        return
    if framing.seam and not is_blurred:  # which narrows the marks, as a gap does
        what = f"the mat's pages {'lie apart' if framing.seam == 'apart' else 'overlap'}"
        yield what, "cut each along its corner marks, and tape them edge to edge"
    if framing.is_coarse:
        what = f"a millimetre of the mat is {framing.pixels_per_mm:.1f} pixels wide: cards are small"
        yield what, "set camera.size to 1280 × 720, or use a camera that has so many pixels"
    if framing.is_too_high:
        what = f"it hangs {1 / framing.straight_ratio:.1f} times as high as it needs: cards are small"
        turn = f"{_turn_remedy(framing)}, and " if framing.lies_across else ""
        yield what, f"{turn}{_lower_remedy(framing, angles)}; {MAT_SIZE}"
    if view.share < WHOLE_MAT:
        yield f"it shows {view.share:.0%} of the mat", _height_remedy(framing, angles)
    if view.blur is not None and is_blurred:
        yield f"the picture is blurred by {view.blur.value:.1f} mm, {view.blur.limit:.1f} at most", focus


def _height_remedy(framing: MatFraming, angles: tuple[float, float] | None) -> str:
    """How much higher the camera has to hang, or that it hangs beside the mat's middle."""
    if framing.lies_across:
        return _turn_remedy(framing)
    if framing.height_ratio <= 1:
        return "move it over the mat's middle"
    if angles is None:
        return f"raise the camera by {framing.height_ratio - 1:.0%} of its height, over the mat's middle"
    return f"raise the camera by {framing.raise_mm(angles[0]) / 10:.0f} cm, over the mat's middle"


def _lower_remedy(framing: MatFraming, angles: tuple[float, float] | None) -> str:
    if angles is None:
        return f"lower it by {1 - framing.straight_ratio:.0%} of its height, until the mat fills the picture"
    return f"lower it by {framing.lower_mm(angles[0]) / 10:.0f} cm, until the mat fills the picture"


def _turn_remedy(framing: MatFraming) -> str:
    if framing.is_quarter_turned:
        return "turn the camera by a quarter: the picture's long side has to lie along the mat's"
    return f"turn the camera by {framing.turn_degrees:.0f}°, so that the mat lies straight in the picture"


def _check_picture_folder(named: str) -> CheckVerdict:
    folder = Path(named).expanduser()
    if not named or not folder.is_dir():
        return fault_verdict(f"the folder {named!r} is missing", "set camera.device to a folder of pictures")
    pictures = [path for path in folder.iterdir() if path.suffix.lower() in {".png", ".jpg", ".jpeg"}]
    if not pictures:
        return fault_verdict(f"no pictures in {folder}", "put PNG or JPEG pictures there")
    return ok_verdict(f"{count_with_noun(len(pictures), 'picture')} in {folder}")


def decks(machine: Machine, settings: Settings) -> CheckVerdict:
    """The decks that came with the program, and those that were taught, each of which is read."""
    named = [file.stem for folder in all_asset_folders() for file in folder.glob("decks/*.toml")]
    if not named:
        return fault_verdict("no deck is installed", "reinstall the program")
    taught = sorted((settings.store_folder(machine.environ) / "decks").glob("*.deck"))
    return join_faults(filter(None, map(_deck_fault, taught))) or ok_verdict(", ".join(sorted(named)))


def _deck_fault(file: Path) -> tuple[str, str] | None:
    from companion.vision.decks import Deck, DeckError

    try:
        Deck.load(file)
    except DeckError as trouble:
        return split_remedy(trouble)
    return None
