"""The camera calibration task, from finding the table in a picture to saving the result.

Lives in the camera's thread but for `add_command` and `view`: what people want comes in by a queue, what is
seen goes out as one frozen value.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace as with_
from math import ceil
from pathlib import Path
from queue import SimpleQueue

import numpy as np
from numpy.typing import NDArray

from companion.camera.calibration_file import TableCalibration, load_calibration, save_calibration
from companion.core.actions import SECOND, Micros
from companion.core.camera_tasks import CalibrationView, CameraCommand, Corners, Zone
from companion.core.errors import CompanionError, InputError
from companion.core.view import Sentence
from companion.games import games_with_mat, printed_mat
from companion.system.fault_isolation import drain_queue
from companion.vision.calibration import (
    CALIBRATION_METHODS,
    CalibrationMethod,
    calibrate_by_corners,
    calibrate_by_marks,
    calibration_corners,
    choose_mat_by_marks,
    find_marks,
    guess_corners,
    has_enough_texture,
    is_inside_place,
    make_saved_calibration,
    pixels_per_mm,
    with_zones,
)
from companion.vision.framing import (
    MAX_LIGHT,
    MIN_LIGHT,
    MatFraming,
    are_marks_coloured,
    are_marks_dark,
    explain_no_mark,
    mean_light,
    measure_framing,
)
from companion.vision.layout import MARK_CORNERS, Calibration, Layout, mark_corner
from companion.vision.lighting import (
    MIN_FLICKER_FRAMES,
    LightingMeasurement,
    measure_blur,
    measure_flicker,
    measure_places,
)
from companion.vision.outlines import Bgr
from companion.vision.pictures import check_picture
from hardware.camera import Camera
from hardware.camera_lock import AnyCameraLock
from hardware.camera_selection import camera_name, horizontal_angle, other_webcams, unfit_lens

MEASURE_INTERVAL: Micros = SECOND // 2
"""How often."""
UNSEEN: Mapping[str, str] = {"mirrored": "mirrored", "unsharp": "blur"}
"""Why no mark is seen → the sentence about it."""
LOOKS_WITHOUT_MARK = 10
"""Of so many pictures without a mark one is asked why."""
MAX_NAMED_PLACES = 3
MM_PER_CM = 10


class LightingMonitor:
    """The newest pictures, and what is wrong with the light in them."""

    def __init__(self) -> None:
        self._recent: deque[Bgr] = deque(maxlen=MIN_FLICKER_FRAMES)
        self._measured: Micros = -MEASURE_INTERVAL
        self._found: tuple[LightingMeasurement, ...] = ()

    def add_picture(self, image: Bgr) -> None:
        """Keep one more picture, (height, width, 3) in BGR, for measuring flicker."""
        self._recent.append(image)

    def request_measurement(self) -> None:
        """Measure with the next picture: something else is looked at."""
        self._measured = -MEASURE_INTERVAL

    def measure(
        self,
        image: Bgr,
        at: Micros,
        layout: Layout,
        calibration: Calibration,
        edges: Sequence[NDArray[np.float32]],
    ) -> None:
        """Look at every place of the layout, and at things known to be sharp, if it is time.

        `image`: (height, width, 3), BGR, exposed at `at` (µs of game time). `edges`: (n, 2) each, in pixels.
        """
        if 0 <= at - self._measured < MEASURE_INTERVAL:
            return
        self._measured = at
        spots = [
            (p.name, calibration.place_corners(spot)) for p in layout.places for spot in layout.spots(p.name)
        ]
        blur = measure_blur(image, edges, pixels_per_mm(calibration))
        moving = measure_flicker(tuple(self._recent))
        found = (*measure_places(image, spots), *(one for one in (blur, moving) if one is not None))
        self._found = tuple(one for one in found if one.exceeds_limit)

    def has_flicker(self) -> bool:
        """Whether the newest pictures show bands."""
        found = measure_flicker(tuple(self._recent))
        return found is not None and found.exceeds_limit

    def fault_names(self) -> tuple[str, ...]:
        """Everything that is wrong, by name."""
        return tuple(sorted({found.fault for found in self._found}))

    def faults_by_place(self) -> Mapping[str, str]:
        """Place → what is wrong there."""
        return {found.place: found.fault for found in self._found if found.place}

    def warning_sentences(self) -> tuple[Sentence, ...]:
        """What people read."""
        sentences = []
        for fault in self.fault_names():
            places = [found.place for found in self._found if found.fault == fault and found.place]
            # A place without a number is shown by its red outline alone.
            numbers = [number for name in places if (number := name.partition(":")[2])]
            where = ", ".join(numbers[:MAX_NAMED_PLACES]) + (" …" if len(numbers) > MAX_NAMED_PLACES else "")
            sentences.append(Sentence(f"ui.calibrate.{fault}", (("where", where),) if where else ()))
        return tuple(sentences)


CORNER_STEPS = (0.02, 0.002)
"""How far a corner is moved at once, coarse and fine, in shares of the picture's width."""
ZONE_STEPS_MM = (10.0, 1.0)
"""How far a place is moved on a bare table, in millimetres."""
ZONE_TURN_DEGREES = 15.0
MAINS_HERTZ = (50, 60)
MAX_BRIGHTNESS_DRIFT = 0.2
"""By how much of its brightness the picture may differ after locking; more, and this camera does not hold."""
PICTURES_UNTIL_LOCKED = 6
"""Pictures until a lock shows."""


class CalibrationTask:
    """One calibration; `do` hands a job to the thread that has the camera."""

    def __init__(
        self,
        folder: Path,
        game: str,
        *,
        do: Callable[[Callable[[Camera], None]], None],
        wall_time: Callable[[], str],
    ) -> None:
        self._folder = folder
        self._do = do
        self._wall_time = wall_time
        self._wanted: SimpleQueue[CameraCommand] = SimpleQueue()
        self._game = game if game in games_with_mat() else games_with_mat()[0]
        self._method: CalibrationMethod = "marks"
        self._corners: list[tuple[float, float]] = []
        self._zones: dict[str, tuple[tuple[str, float, float, float], ...]] = {}
        self._aim, self._selected, self._fine = "", 0, False
        self._light = LightingMonitor()
        self._missing: tuple[int, ...] = ()
        self._framing: MatFraming | None = None
        """How the mat lies in the picture while a mark is missing."""
        self._angle: float | None = None
        """Degrees that the camera sees from left to right, where it says so."""
        self._lens = ""
        """Of the camera, where it is no good for a mat, as `unfit_lens` has it."""
        self._camera = ""
        """As `camera_name` has it."""
        self._other_webcam = ""
        """The name of one that is plugged in and not used; empty: none is."""
        self._why_unseen = ""
        """As `explain_no_mark` has it, while no mark is seen."""
        self._looked = 0
        """Pictures without a mark, one after the other."""
        self._is_dark = False
        """Whether the marks' white is grey."""
        self._is_coloured = False
        """Whether that white lacks a colour."""
        self._is_blurred = False
        """Whether the marks that are seen are unsharp, while others are missing: which may be why."""
        self._edition: int | None = None
        """Which mat's marks are in the picture; None: no mat's."""
        self._calibration: Calibration | None = None
        self._locking: _LockAttempt | None = None
        self._saved: TableCalibration | None = None
        self._trouble: Sentence | None = None
        self.lock: AnyCameraLock | None = None
        """What the camera is opened with from now on."""
        try:
            before = load_calibration(folder)
        except CompanionError:
            before = None
        if before is not None:
            self._method, self._zones = before.kept.method, dict(before.kept.zones)
            if self._method != "marks":
                self._corners = calibration_corners(before.kept.to_calibration(), self._method)
                self._aim = "corners"
        self._view = self._build_view(None)
        do(self._note_angle)

    # Called from the loop ---------------------------------------------------------------------------------

    def add_command(self, wanted: CameraCommand) -> None:
        """Carried out with the next picture."""
        self._wanted.put(wanted)

    def view(self) -> CalibrationView:
        return self._view

    def card_pictures(self) -> tuple[()]:
        """None are shown here."""
        return ()

    def announcement(self) -> tuple[int, Sentence | None]:
        """Nothing is said here: people who calibrate look at the screen."""
        return 0, None

    @property
    def saved_calibration(self) -> TableCalibration | None:
        """What was kept, once it was."""
        return self._saved

    # In the camera's thread -------------------------------------------------------------------------------

    def step(self, image: Bgr, at: Micros) -> tuple[()]:
        """One picture (height, width, 3); nothing in it is ever a fact of a game."""
        check_picture(image)
        if not self._corners and self._method != "marks":
            self._corners = guess_corners(self._method, image)
        for wanted in drain_queue(self._wanted):
            self._carry_out(wanted, image)
        self._find_table(image)
        self._light.add_picture(image)
        if self._calibration is not None:
            self._light.measure(image, at, self._layout(), self._calibration, self._sharp_edges())
        if self._locking is not None:
            self._watch_lock(image, self._locking)
        self._view = self._build_view(image)
        return ()

    def _note_angle(self, camera: Camera) -> None:
        self._angle, self._lens = horizontal_angle(camera), unfit_lens(camera)
        self._camera = camera_name(camera)
        self._other_webcam = next(iter(other_webcams(camera)), "")

    def _carry_out(self, wanted: CameraCommand, image: Bgr) -> None:
        match wanted:
            case CameraCommand("keep") if self._calibration is not None and self._locking is None:
                self._begin_lock(image, MAINS_HERTZ[0])
                return
            case CameraCommand("method", (str() as method,)) if method in CALIBRATION_METHODS:
                self._method = method
                self._corners = [] if method == "marks" else guess_corners(method, image)
                self._aim, self._selected = "" if method == "marks" else "corners", 0
            case CameraCommand("game"):
                known = games_with_mat()
                self._game = known[(known.index(self._game) + 1) % len(known)]
                self._selected = 0
            case CameraCommand("aim") if self._corners:
                self._aim = "zones" if self._aim == "corners" and self._method == "sheet" else "corners"
                self._selected = 0
            case CameraCommand("next"):
                count = len(self._layout().places) if self._aim == "zones" else 4
                self._selected = (self._selected + 1) % count
            case CameraCommand("fine"):
                self._fine = not self._fine
            case CameraCommand("point", (float() as x, float() as y)) if np.isfinite((x, y)).all():
                self._handle_touch(x * image.shape[1], y * image.shape[0])
            case CameraCommand("move", (int() as x, int() as y)):
                self._move(x, y, image.shape[1])
            case CameraCommand("turn") if self._aim == "zones":
                self._move_zone(turn=ZONE_TURN_DEGREES)
            case _:
                return
        self._saved = None
        self._light.request_measurement()

    def _handle_touch(self, x: float, y: float) -> None:
        """A finger on the picture: the nearest corner comes there; a place is chosen, or comes there."""
        if self._aim == "corners":
            away = [np.hypot(cx - x, cy - y) for cx, cy in self._corners]
            self._selected = int(np.argmin(away))
            self._corners[self._selected] = (x, y)
        elif self._aim == "zones" and self._calibration is not None:
            spot = self._calibration.to_millimetres([(x, y)])[0]
            for number, place in enumerate(self._layout().places):
                if number != self._selected and is_inside_place(place, spot):
                    self._selected = number
                    return
            self._move_zone(to=(float(spot[0]), float(spot[1])))

    def _move(self, x: int, y: int, width: int) -> None:
        if self._aim == "corners":
            step = CORNER_STEPS[self._fine] * width
            cx, cy = self._corners[self._selected]
            self._corners[self._selected] = (cx + x * step, cy + y * step)
        elif self._aim == "zones":
            step = ZONE_STEPS_MM[self._fine]
            cx, cy = self._layout().places[self._selected].centre_mm
            self._move_zone(to=(cx + x * step, cy + y * step))

    def _move_zone(self, *, to: tuple[float, float] | None = None, turn: float = 0.0) -> None:
        place = self._layout().places[self._selected]
        x, y = to or place.centre_mm
        others = tuple(zone for zone in self._zones.get(self._game, ()) if zone[0] != place.name)
        self._zones[self._game] = (*others, (place.name, x, y, (place.angle + turn) % 360.0))

    def _layout(self) -> Layout:
        mat = printed_mat(self._game)
        if self._method == "sheet":
            return with_zones(mat, self._zones.get(self._game, ()))
        if self._edition is None:
            return mat
        return with_(mat, edition=self._edition)  # by another game's mat the table is found as well

    def _find_table(self, image: Bgr) -> None:
        """Where the table is in this picture."""
        size = (image.shape[1], image.shape[0])
        self._missing, self._calibration, self._framing = (), None, None
        self._is_dark = self._is_coloured = self._is_blurred = False
        found = find_marks(image)
        mats = [printed_mat(game) for game in (self._game, *games_with_mat())]
        seen = choose_mat_by_marks(found, mats)
        self._edition = seen.edition if found.keys() & seen.marks_mm.keys() else None
        with suppress(InputError):  # `_hint_sentence` says what people are to do
            if self._method != "marks":
                self._calibration = calibrate_by_corners(self._method, self._corners, size)
                return
            layout = self._layout()
            self._missing = tuple(mark for mark in layout.marks_mm if mark not in found)
            self._framing = measure_framing(found, layout, size)
            marks = [found[mark] for mark in layout.marks_mm if mark in found]
            self._is_dark, self._is_coloured = are_marks_dark(image, marks), are_marks_coloured(image, marks)
            if self._framing is not None and self._missing:
                blur = measure_blur(image, marks, self._framing.pixels_per_mm)
                self._is_blurred = blur is not None and blur.exceeds_limit
            if self._framing is not None:
                self._looked = 0
            elif self._looked % LOOKS_WITHOUT_MARK == 0:
                self._why_unseen = explain_no_mark(image, mats)
            self._looked += self._framing is None
            if not self._missing:
                self._calibration = calibrate_by_marks(found, layout, size)

    def _sharp_edges(self) -> list[NDArray[np.float32]]:
        """What is sharp on the table: the marks, else the sides that the corners make."""
        assert self._calibration is not None
        if self._method == "marks":
            return [self._calibration.to_pixels(mark) for mark in self._layout().marks_mm.values()]
        return [np.array(self._corners, np.float32)]

    # Locking and keeping ----------------------------------------------------------------------------------

    def _begin_lock(self, image: Bgr, hertz: int) -> None:
        locking = _LockAttempt(hertz, float(image.mean()))
        self._locking = locking
        self._do(lambda camera: locking.set_lock(camera.lock_exposure(hertz)))

    def _watch_lock(self, image: Bgr, locking: _LockAttempt) -> None:
        """A lock is tried before it is believed: some cameras do not hold, some show bands with it."""
        if not locking.asked:
            return
        locking.pictures += 1
        if locking.pictures < PICTURES_UNTIL_LOCKED:
            return
        lock, trouble = locking.lock, None
        held = abs(float(image.mean()) / max(1.0, locking.brightness) - 1.0) <= MAX_BRIGHTNESS_DRIFT
        if lock is not None and not held:
            lock, trouble = None, Sentence("ui.calibrate.not_held")
        if lock is not None and self._light.has_flicker() and locking.hertz == MAINS_HERTZ[0]:
            self._begin_lock(image, MAINS_HERTZ[1])
            return
        self._locking, self._trouble = None, trouble
        self._save_calibration(image, lock)

    def _save_calibration(self, image: Bgr, lock: AnyCameraLock | None) -> None:
        if self._calibration is None:  # somebody reached over a mark just now: with the next picture then
            self._trouble = None
            return
        edition = None if self._method == "sheet" else self._edition
        now = make_saved_calibration(self._method, image, self._calibration, self._zones, edition=edition)
        warned = self._light.fault_names()
        self.lock = lock
        found = TableCalibration(now, self._wall_time(), lock, warned, self._camera)
        try:
            save_calibration(self._folder, found)
        except OSError:
            self._trouble = Sentence("ui.calibrate.not_saved")
            return
        self._saved = found
        if self._trouble is None and self._method != "marks" and not has_enough_texture(now.glimpse):
            self._trouble = Sentence("ui.calibrate.plain")

    # What is seen -----------------------------------------------------------------------------------------

    def _build_view(self, image: Bgr | None) -> CalibrationView:
        calibration = self._calibration
        narrows = "blur" in self._light.fault_names()  # the marks, as a gap between pages does
        seam = "" if self._framing is None or narrows else self._framing.seam
        return CalibrationView(
            game=self._game,
            games=games_with_mat(),
            method=self._method,
            hint=self._hint_sentence(image),
            mat=self._mat_sentence(),
            warnings=(
                *filter(None, (self._trouble, self._turn_sentence(), self._height_sentence())),
                *([Sentence("ui.calibrate.dark")] if self._is_dark else []),
                *([Sentence("ui.calibrate.coloured")] if self._is_coloured else []),
                *([Sentence(f"ui.calibrate.{seam}")] if seam else []),
                *([Sentence("ui.calibrate.small")] if self._framing and self._framing.is_coarse else []),
                *([Sentence(f"ui.calibrate.lens.{self._lens}")] if self._lens else []),
                *self._light.warning_sentences(),
            ),
            zones=() if calibration is None else self._visible_zones(calibration),
            corners=() if image is None else _to_picture_fractions(self._corners, image.shape[1::-1]),
            outline=()
            if image is None or self._framing is None or not self._missing
            else _to_picture_fractions(self._framing.outline, image.shape[1::-1]),
            aim=self._aim,
            chosen=self._selected,
            fine=self._fine,
            ready=calibration is not None and self._locking is None,
            kept=self._saved is not None,
        )

    def _hint_sentence(self, image: Bgr | None) -> Sentence:
        if image is None:
            return Sentence("ui.calibrate.no_picture")
        if mean_light(image) < MIN_LIGHT:
            return Sentence("shared.camera.black")
        if self._locking is not None:
            return Sentence("ui.calibrate.locking")
        if self._saved is not None:
            held = "kept" if self._saved.lock is not None else "kept_unlocked"
            return Sentence(f"ui.calibrate.{held}")
        if self._method == "marks" and self._missing:
            if self._is_blurred:
                return Sentence("ui.calibrate.blur")
            if self._framing is not None and self._framing.missing_mm:
                return _framing_sentence(self._framing, self._angle)
            if len(self._missing) == len(MARK_CORNERS) and mean_light(image) > MAX_LIGHT:
                return Sentence("ui.calibrate.white")
            if self._framing is None and self._why_unseen:
                return Sentence(f"ui.calibrate.{UNSEEN[self._why_unseen]}")
            if len(self._missing) == len(MARK_CORNERS) and self._other_webcam:
                return Sentence("ui.calibrate.other_webcam", (("webcam", self._other_webcam),))
            where = Sentence("ui.calibrate.marks_missing", (("left", len(self._missing)),))
            one = f"ui.calibrate.missing.{MARK_CORNERS[mark_corner(self._missing[0])].replace(' ', '_')}"
            return Sentence(one) if len(self._missing) == 1 else where
        if self._calibration is None:
            return Sentence(f"ui.calibrate.{'misplaced' if self._method == 'marks' else 'crossed'}")
        if self._aim == "corners" and self._method == "sheet":
            return Sentence("ui.calibrate.corners_sheet")
        return Sentence(f"ui.calibrate.{self._aim or 'found'}")

    def _turn_sentence(self) -> Sentence | None:
        """That a camera that sees the whole mat would see it larger, once it hangs straight."""
        if self._framing is None or self._missing:
            return None
        if self._framing.is_slanted:
            return _framing_sentence(self._framing, self._angle)
        return Sentence("ui.calibrate.across") if self._framing.lies_across else None

    def _height_sentence(self) -> Sentence | None:
        """That the camera hangs so high that cards are small, and by how much it has to come down."""
        framing = self._framing
        if framing is None or not framing.is_too_high:
            return None
        if self._angle is None:
            percent = round(100 * (1 - framing.straight_ratio))
            return Sentence("ui.calibrate.too_high.share", (("percent", percent),))
        return Sentence("ui.calibrate.too_high", (("cm", round(framing.lower_mm(self._angle) / MM_PER_CM)),))

    def _mat_sentence(self) -> Sentence | None:
        """Whether another game's mat lies there."""
        if self._calibration is None or self._method == "sheet":
            return None
        other = self._layout().edition != printed_mat(self._game).edition
        return Sentence("ui.calibrate.mat.other") if other else None

    def _visible_zones(self, calibration: Calibration) -> tuple[Zone, ...]:
        layout = self._layout()
        faults = self._light.faults_by_place()
        read = {place.name for place in layout.places}
        return tuple(
            Zone(
                place.name,
                place.name.partition(":")[2],
                _to_picture_fractions(calibration.place_corners(place), calibration.frame_size),
                place.name in read,
                faults.get(place.name, ""),
            )
            for place in (*layout.banks, *layout.places)
        )


def _framing_sentence(framing: MatFraming, angle: float | None) -> Sentence:
    """How to move the camera until it sees the whole mat."""
    if framing.is_slanted:
        return Sentence("ui.calibrate.slant", (("degrees", framing.slant_degrees),))
    if framing.lies_across:
        return Sentence("ui.calibrate.turned" if framing.is_quarter_turned else "ui.calibrate.askew")
    if framing.height_ratio <= 1:
        side = max(framing.missing_mm, key=lambda side: framing.missing_mm[side])
        return Sentence(f"ui.calibrate.cut_off.{side}", (("cm", ceil(framing.missing_mm[side] / MM_PER_CM)),))
    if angle is None:
        return Sentence("ui.calibrate.too_low.share", (("percent", ceil(100 * framing.height_ratio) - 100),))
    return Sentence("ui.calibrate.too_low", (("cm", ceil(framing.raise_mm(angle) / MM_PER_CM)),))


class _LockAttempt:
    """The camera is being locked: since then, how many pictures, and what became of it."""

    def __init__(self, hertz: int, brightness: float) -> None:
        self.hertz = hertz
        self.brightness = brightness
        self.pictures = 0
        self.asked = False
        self.lock: AnyCameraLock | None = None

    def set_lock(self, lock: AnyCameraLock | None) -> None:
        """In the camera's thread, as all else."""
        self.lock, self.asked = lock, True


def _to_picture_fractions(points: Iterable[Iterable[float]], size: Sequence[int]) -> Corners:
    return tuple((float(x) / size[0], float(y) / size[1]) for x, y in points)
