"""Computes where the table mat lies in the camera's picture, by its marks or by four corners.

Three ways in. *marks*: the mat's four corner marks. *corners*: the mat's own corners, told by hand. *sheet*:
a bare table with one sheet of A4 in its middle, whose corners are found or named; the places then are round
it as on the mat, and can be moved. Whichever it was, what is kept is where the mat's millimetres are in the
picture, and something to tell by whether the camera still stands as it did.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.core.actions import Value
from companion.core.errors import InputError
from companion.vision.layout import (
    MARK_DICTIONARY,
    MAT_MM,
    Calibration,
    Layout,
    Millimetres,
    Place,
    fit_homography,
    mark_corner,
)
from companion.vision.pictures import check_picture as checked_picture
from companion.vision.pictures import to_quad

CalibrationMethod = Literal["marks", "corners", "sheet"]
CALIBRATION_METHODS: tuple[CalibrationMethod, ...] = ("marks", "corners", "sheet")
Bgr = NDArray[np.uint8]
Grey = NDArray[np.float32]
Quad = NDArray[np.float32]

SHEET_MM: Millimetres = (297.0, 210.0)
"""A sheet of A4 in landscape."""
MISPLACED = (
    "The marks do not lie as on the mat: lay its pages in their order (A1, A2, A3, below them B1, B2, B3), "
    "flat, and show no mark twice."
)
"""Of marks that are found, but not where they belong."""
MOVED_MM = 3.0
"""Further than this on the table, and the camera has moved: a card is looked for 7 mm round its place."""
MIN_MARKS = 3
"""Marks by which the mat is found again: twelve corners."""
THUMBNAIL_WIDTH = 640
"""Width in pixels of the picture that is kept of a table without marks, to tell a moved camera by."""
MAX_HEIGHT_RATIO = 4
"""A picture that is more times as high as wide than this is pressed together for it."""
BLOCK_SIDE, BLOCK_REACH = 24, 16
"""Pixels of the blocks in it that are looked for again, and how far from where they were."""
MIN_BLOCK_SPREAD, MIN_BLOCKS = 2.0, 20
"""Spread of the grey levels in a block that can be found again, and how many a table has to have."""
MIN_BLOCK_CORRELATION, MIN_STAYED_SHARE = 0.6, 0.15
"""Correlation of a block that is found; least share of blocks that agree: the rest may be covered."""
PARALLEL_SINE = 1e-6
"""Sine of the angle between two sides that meet nowhere."""
_SHEET_AREA = (0.02, 0.5)
"""Shares of the picture that a sheet of paper covers."""


class SavedCalibration(Value, frozen=True):
    """What one calibration found."""

    method: CalibrationMethod
    frame_size: tuple[int, int]
    homography: tuple[float, ...]
    """Nine numbers, row by row: from the mat's millimetres to pixels."""
    marks: tuple[tuple[int, tuple[float, ...]], ...] = ()
    """Each mark's eight pixel coordinates."""
    glimpse: bytes = b""
    """A small grey JPEG of the table, where no marks tell whether the camera moved."""
    zones: Mapping[str, tuple[tuple[str, float, float, float], ...]] = {}
    """Game → place, x mm, y mm, degrees: where they were drawn by hand on a bare table."""
    edition: int | None = 0
    """Which edition of a mat lay there; None: no mark showed it."""

    def to_calibration(self) -> Calibration:
        """As the reading wants it; `InputError` if the numbers are none."""
        return Calibration.from_numbers(np.reshape(self.homography, (3, 3)), self.frame_size)

    def adjust_layout(self, game: str, layout: Layout) -> Layout:
        """The places of a game where they are on this table."""
        return with_zones(layout, self.zones.get(game, ()))


def with_zones(layout: Layout, zones: Sequence[tuple[str, float, float, float]]) -> Layout:
    """The layout with places where they were drawn by hand: (name, x mm, y mm, degrees) each."""
    drawn = {name: ((x, y), angle) for name, x, y, angle in zones}
    return replace(
        layout,
        places=tuple(
            replace(place, centre_mm=drawn[place.name][0], angle=drawn[place.name][1])
            if place.name in drawn
            else place
            for place in layout.places
        ),
    )


def make_saved_calibration(
    method: CalibrationMethod,
    frame: Bgr,
    calibration: Calibration,
    zones: Mapping[str, tuple[tuple[str, float, float, float], ...]] | None = None,
    *,
    edition: int | None = None,
) -> SavedCalibration:
    """Everything of this calibration that is to be kept; `frame`: (height, width, 3), BGR.

    `zones`: for each game the places drawn by hand, (name, x mm, y mm, degrees).
    """
    marks = find_marks(frame) if method == "marks" else {}
    return SavedCalibration(
        method,
        calibration.frame_size,
        tuple(float(value) for value in calibration.homography.ravel()),
        tuple((mark, tuple(float(v) for v in quad.ravel())) for mark, quad in sorted(marks.items())),
        b"" if method == "marks" else make_thumbnail(frame),
        dict(zones or {}),
        edition,
    )


def find_marks(frame: Bgr) -> dict[int, Quad]:
    """The mat's marks in a picture: id → (4, 2) pixels."""
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(MARK_DICTIONARY), parameters)
    corners, ids, _ = detector.detectMarkers(checked_picture(frame))
    numbers = [] if ids is None else np.ravel(ids)
    return {int(n): np.asarray(q, np.float32).reshape(4, 2) for n, q in zip(numbers, corners, strict=True)}


def choose_mat_by_marks(found: Iterable[int], mats: Sequence[Layout]) -> Layout:
    """Of several mats that of whose marks most were found; the first where there are none."""
    seen = set(found)
    return max(mats, key=lambda mat: len(seen & mat.marks_mm.keys()))


def calibrate_by_marks(found: Mapping[int, Quad], layout: Layout, frame_size: tuple[int, int]) -> Calibration:
    """From three or four of the mat's marks; raises `InputError` if they are fewer, or not as on the mat.

    `found`: each mark's corners, (4, 2) in pixels. `frame_size`: (width, height) in pixels.
    """
    known = [mark for mark in layout.marks_mm if mark in found]
    if len(known) < MIN_MARKS:
        raise InputError(f"{len(known)} marks are too few: show {MIN_MARKS}.")
    table = np.concatenate([layout.marks_mm[mark] for mark in known])
    homography = fit_homography(table, np.concatenate([found[mark] for mark in known]))
    if homography is None:
        raise InputError(MISPLACED)
    return Calibration(homography, frame_size)


def calibrate_by_corners(
    method: CalibrationMethod, points: Sequence[tuple[float, float]], frame_size: tuple[int, int]
) -> Calibration:
    """From four corners, in pixels from the top left clockwise: of the mat, or of a sheet in its middle.

    Raises `InputError` if they make no convex shape. `frame_size`: (width, height) in pixels.
    """
    width, height = MAT_MM if method == "corners" else SHEET_MM
    half = np.array([(-width, -height), (width, -height), (width, height), (-width, height)]) / 2
    table = (half + np.array(MAT_MM) / 2).astype(np.float32)
    picture = to_quad(points)
    if cv2.contourArea(picture) < 100 or not cv2.isContourConvex(picture):
        raise InputError("Four corners have to make a convex shape: tell them clockwise from the top left.")
    homography = cv2.getPerspectiveTransform(table, picture)
    return Calibration(np.asarray(homography, np.float64), frame_size)


def calibration_corners(calibration: Calibration, method: CalibrationMethod) -> list[tuple[float, float]]:
    """The four corners that were given to `calibrate_by_corners`: (x, y) in pixels."""
    width, height = MAT_MM if method == "corners" else SHEET_MM
    half = np.array([(-width, -height), (width, -height), (width, height), (-width, height)]) / 2
    return [(float(x), float(y)) for x, y in calibration.to_pixels(half + np.array(MAT_MM) / 2)]


def pixels_per_mm(calibration: Calibration) -> float:
    """Pixels of the picture for each millimetre at the table's middle."""
    middle = np.array(MAT_MM) / 2
    one, other = calibration.to_pixels(np.stack((middle, middle + np.array((10.0, 0.0)))))
    return float(np.linalg.norm(other - one)) / 10.0


def is_inside_place(place: Place, spot: NDArray[np.float64]) -> bool:
    """Whether a point of the table, in millimetres, is in a place."""
    corners = place.corners_mm()
    sides, offset = np.roll(corners, -1, axis=0) - corners, spot - corners
    return bool((sides[:, 0] * offset[:, 1] - sides[:, 1] * offset[:, 0] >= 0).all())


def guess_corners(method: CalibrationMethod, frame: Bgr) -> list[tuple[float, float]]:
    """Where the four corners may be: of the brightest sheet in the picture, or a little inside its edges.

    (x, y) in pixels of the frame, from the top left clockwise.
    """
    height, width = checked_picture(frame).shape[:2]
    found = _find_sheet(frame) if method == "sheet" else None
    if found is not None:
        return [(float(x), float(y)) for x, y in found]
    x, y = (0.12 * width, 0.08 * height) if method == "corners" else (0.35 * width, 0.3 * height)
    return [(x, y), (width - x, y), (width - x, height - y), (x, height - y)]


def _find_sheet(frame: Bgr) -> Quad | None:
    """A white sheet, from its top left clockwise, its long side across."""
    grey = cv2.GaussianBlur(frame.min(axis=2), (5, 5), 0)
    _, white = cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    outlines, _ = cv2.findContours(white, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    area = float(frame.shape[0] * frame.shape[1])
    for outline in sorted(outlines, key=cv2.contourArea, reverse=True)[:3]:
        hull = cv2.convexHull(outline)
        share = cv2.contourArea(hull) / area
        if not _SHEET_AREA[0] < share < _SHEET_AREA[1]:
            continue
        four = cv2.approxPolyDP(hull, 0.03 * cv2.arcLength(hull, closed=True), closed=True)
        if len(four) == 4 and cv2.contourArea(four) > 0.93 * cv2.contourArea(hull):
            return _from_top_left(
                refine_corners(np.asarray(outline[:, 0], np.int32), np.asarray(four[:, 0], np.float32))
            )
    return None


def refine_corners(outline: NDArray[np.int32], corners: Quad) -> Quad:
    """The corners as crossings of straight lines through the sides of an outline: to parts of a pixel."""
    sides = []
    points = outline.astype(np.float32)
    for one, other in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        along = (other - one) / max(1e-6, float(np.linalg.norm(other - one)))
        offset = points - one
        share = offset @ along / max(1e-6, float(np.linalg.norm(other - one)))
        away = np.abs(offset @ np.array((-along[1], along[0]), np.float32))
        near = points[(away < 3.0) & (share > 0.08) & (share < 0.92)]
        if len(near) < 8:
            return corners
        dx, dy, x, y = (float(v) for v in cv2.fitLine(near, cv2.DIST_HUBER, 0, 0.01, 0.01).ravel())
        sides.append(np.cross((x, y, 1.0), (x + dx, y + dy, 1.0)))
    met = np.array([np.cross(sides[n - 1], sides[n]) for n in range(4)])
    if (np.abs(met[:, 2]) < PARALLEL_SINE).any():
        return corners
    return np.asarray(met[:, :2] / met[:, 2:], np.float32)


def _from_top_left(corners: Quad) -> Quad:
    """Clockwise, and started so that the first side is a long one at the top."""
    around = corners - corners.mean(axis=0)
    turned = corners[np.argsort(np.arctan2(around[:, 1], around[:, 0]))]
    sides = np.linalg.norm(turned - np.roll(turned, -1, axis=0), axis=1)
    first = 0 if sides[0] + sides[2] >= sides[1] + sides[3] else 1
    if turned[first, 1] + turned[first + 1, 1] > turned[(first + 2) % 4, 1] + turned[(first + 3) % 4, 1]:
        first += 2
    return np.roll(turned, -first, axis=0)


def make_thumbnail(frame: Bgr) -> bytes:
    """A small JPEG of the frame (height, width, 3), by which the table is recognised again without marks."""
    return cv2.imencode(".jpg", _small_grey(frame).astype(np.uint8), (cv2.IMWRITE_JPEG_QUALITY, 85))[
        1
    ].tobytes()


def measure_light(frame: Bgr, known: SavedCalibration) -> tuple[float, float]:
    """The median grey level of a picture, and of the table when `known` was kept."""
    return float(np.median(_small_grey(frame))), float(np.median(_decode_grey(known.glimpse)))


def has_enough_texture(seen: bytes) -> bool:
    """Whether a table has enough grain to tell by it that the camera moved."""
    return len(_textured_blocks(_decode_grey(seen))) >= MIN_BLOCKS


def _small_grey(frame: Bgr) -> Grey:
    grey = cv2.cvtColor(checked_picture(frame), cv2.COLOR_BGR2GRAY)
    height = min(
        max(1, round(frame.shape[0] * THUMBNAIL_WIDTH / frame.shape[1])), MAX_HEIGHT_RATIO * THUMBNAIL_WIDTH
    )
    return np.asarray(cv2.resize(grey, (THUMBNAIL_WIDTH, height), interpolation=cv2.INTER_AREA), np.float32)


def _decode_grey(seen: bytes) -> Grey:
    picture = cv2.imdecode(np.frombuffer(seen, np.uint8), cv2.IMREAD_GRAYSCALE) if seen else None
    return np.zeros((1, 1), np.float32) if picture is None else np.asarray(picture, np.float32)


def _textured_blocks(picture: Grey) -> list[tuple[int, int]]:
    """The corners (x, y) of those blocks of a table that have some grain."""
    calm = picture - cv2.GaussianBlur(picture, (0, 0), 6.0)
    rows, columns = (max(0, (side - 2 * BLOCK_REACH) // BLOCK_SIDE) for side in picture.shape)
    inner = calm[
        BLOCK_REACH : BLOCK_REACH + rows * BLOCK_SIDE, BLOCK_REACH : BLOCK_REACH + columns * BLOCK_SIDE
    ]
    grain = inner.reshape(rows, BLOCK_SIDE, columns, BLOCK_SIDE).std(axis=(1, 3))
    return [
        (BLOCK_REACH + BLOCK_SIDE * int(x), BLOCK_REACH + BLOCK_SIDE * int(y))
        for y, x in np.argwhere(grain >= MIN_BLOCK_SPREAD)
    ]


@dataclass(frozen=True, slots=True)
class CalibrationCheck:
    """How the camera stands now, against a calibration."""

    state: Literal["same", "found", "moved", "unseen", "size"]
    """`found`: it moved, and the marks say where the mat is now; `unseen`: no mark is to be seen."""
    calibration: Calibration | None = None
    """What to read by now; None: nothing can be read."""
    shift_mm: float = 0.0


def compare_marks(
    frame: Bgr, known: Mapping[int, Quad], calibration: Calibration
) -> Literal["same", "moved", "unseen"]:
    """Whether marks lie where they were `known` to, (4, 2) pixels each; cheap as long as they do.

    They are looked for around those places first, and in all of the picture (height, width, 3) only if none
    is there.
    """
    size = np.array(checked_picture(frame).shape[1::-1])
    around: dict[int, Quad] = {}
    for mark, quad in known.items():
        low, high = quad.min(axis=0), quad.max(axis=0)
        side = high - low
        left, top = np.clip(low - side, 0, size).astype(int)
        right, bottom = np.clip(high + side, 0, size).astype(int)
        if right > left and bottom > top:
            found = find_marks(np.ascontiguousarray(frame[top:bottom, left:right]))
            if mark in found:
                around[mark] = found[mark] + np.array((left, top), np.float32)
    seen = around or {mark: quad for mark, quad in find_marks(frame).items() if mark in known}
    if not seen:
        return "unseen"
    now = calibration.to_millimetres(np.concatenate(list(seen.values())))
    then = calibration.to_millimetres(np.concatenate([known[mark] for mark in seen]))
    return "same" if float(np.linalg.norm(now - then, axis=1).max()) <= MOVED_MM else "moved"


def check_calibration(frame: Bgr, known: SavedCalibration, mat: Layout) -> CalibrationCheck:
    """Whether the camera still stands as it did when `known` was kept, and where the game's mat is now.

    `frame`: (height, width, 3) uint8, BGR. A hand over the table does no harm; another mat may have been laid
    in the place of the old one.
    """
    size = checked_picture(frame).shape[1::-1]
    if size != known.frame_size:
        return CalibrationCheck("size")
    if known.method == "marks":
        return _check_by_marks(frame, known, mat)
    return check_by_texture(frame, known)


def _check_by_marks(frame: Bgr, known: SavedCalibration, mat: Layout) -> CalibrationCheck:
    calibration = known.to_calibration()
    found = {mark: quad for mark, quad in find_marks(frame).items() if mark in mat.marks_mm}
    before = {mark_corner(mark): np.array(quad, np.float32).reshape(4, 2) for mark, quad in known.marks}
    both = sorted(mark for mark in found if mark_corner(mark) in before)
    if not both:
        return CalibrationCheck("unseen")
    now = np.concatenate([calibration.to_millimetres(found[mark]) for mark in both])
    then = np.concatenate([calibration.to_millimetres(before[mark_corner(mark)]) for mark in both])
    shift = float(np.linalg.norm(now - then, axis=1).max())
    fresh = calibrate_by_marks(found, mat, known.frame_size) if len(found) >= MIN_MARKS else None
    if shift <= MOVED_MM:
        return CalibrationCheck("same", calibration, shift)
    return CalibrationCheck("moved" if fresh is None else "found", fresh, shift)


def check_by_texture(frame: Bgr, known: SavedCalibration) -> CalibrationCheck:
    """Whether the camera still stands where no marks tell, `frame` of the size that is kept.

    Blocks of the table as it was are looked for a little way around in the table as it is.
    """
    calibration, before, now = known.to_calibration(), _decode_grey(known.glimpse), _small_grey(frame)
    blocks = _textured_blocks(before)
    if len(blocks) < MIN_BLOCKS or before.shape != now.shape:
        return CalibrationCheck("same", calibration)
    was, is_ = [], []
    for x, y in blocks:
        around = now[
            y - BLOCK_REACH : y + BLOCK_SIDE + BLOCK_REACH, x - BLOCK_REACH : x + BLOCK_SIDE + BLOCK_REACH
        ]
        found = cv2.matchTemplate(
            around, before[y : y + BLOCK_SIDE, x : x + BLOCK_SIDE], cv2.TM_CCOEFF_NORMED
        )
        _, alike, _, (dx, dy) = cv2.minMaxLoc(found)
        if alike >= MIN_BLOCK_CORRELATION:
            was.append((x, y))
            is_.append((x + dx - BLOCK_REACH, y + dy - BLOCK_REACH))
    if len(was) < MIN_STAYED_SHARE * len(blocks):
        return CalibrationCheck("moved")
    grow = np.array(known.frame_size, np.float32) / np.array(now.shape[::-1], np.float32)
    there = calibration.to_millimetres((np.array(was, np.float32) * grow).astype(np.float32))
    here = calibration.to_millimetres((np.array(is_, np.float32) * grow).astype(np.float32))
    move, agree = cv2.estimateAffinePartial2D(there, here, method=cv2.RANSAC, ransacReprojThreshold=MOVED_MM)
    if move is None or np.count_nonzero(agree) < MIN_STAYED_SHARE * len(blocks):
        return CalibrationCheck("moved")
    corners = np.array([(0.0, 0.0), (MAT_MM[0], 0.0), MAT_MM, (0.0, MAT_MM[1])])
    shift = float(np.linalg.norm(corners @ move[:, :2].T + move[:, 2] - corners, axis=1).max())
    return (
        CalibrationCheck("same", calibration, shift)
        if shift <= MOVED_MM
        else CalibrationCheck("moved", None, shift)
    )
