"""How much of the mat is in the camera's picture, told by those of its marks that are.

What a lens sees grows with its height over the mat (the pinhole model), so the share that is missing says how
much higher the camera has to hang.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.core.errors import InputError
from companion.vision.calibration import (
    MISPLACED,
    Quad,
    SavedCalibration,
    choose_mat_by_marks,
    find_marks,
    measure_light,
    pixels_per_mm,
)
from companion.vision.layout import MARK_CORNERS, Calibration, Layout, fit_homography, mark_corner
from companion.vision.lighting import LightingMeasurement, measure_blur, measure_places
from companion.vision.pictures import check_picture

FIELD_MARGIN = 1.1
"""A picture of this many times the mat's size has 5 % around it on every side."""
TURN_GAIN = 0.85
"""A camera that would see the mat from this share of its height is turned before it is raised."""
MIN_TURN_DEGREES = 2
"""Up to which a camera is straight: one that would see all of the mat, were it straight, is to be turned."""
MAX_SLANT_DEGREES = 30
"""From straight down; beyond it the mat's far side is too small for all else that is told of its place."""
TOO_HIGH = 0.6
"""Share of its height that would do, from which a camera hangs so high that cards are hard to read."""
MIN_PIXELS_PER_MM = 1.2
"""At a mat of 594 mm that fills the picture, one of 720 pixels across; 1280 give 1.9."""
MIN_SEAM_PIXELS, MIN_SEAM_MM = 14, 8.5
"""Of a gap between pages: marks whose black is seen half a pixel too narrow pretend one of 9, and a picture
as blurred as it may be one of 8.2 mm."""
Side = Literal["left", "right", "top", "bottom"]


@dataclass(frozen=True, slots=True)
class MatFraming:
    """Where the whole mat would be, beyond the picture's edges as well."""

    outline: NDArray[np.float32]
    """(4, 2) pixels, clockwise from the mat's top left."""
    height_ratio: float
    """How many times as high the camera has to hang, over the mat's middle; 1 or less: high enough."""
    missing_mm: Mapping[Side, float]
    """Millimetres of the mat beyond each edge of the picture, where there are any."""
    width_mm: float
    """How much of the table the picture shows across, in millimetres."""
    pixels_per_mm: float
    """At the mat's middle."""

    straight_ratio: float
    """As `height_ratio`, once the picture's long side lies along the mat's."""
    turn_degrees: float
    """By how much the camera has to be turned for that, 0 to 90."""
    slant_degrees: int
    """How far from straight down the camera looks, to the nearest 5; 0 where fewer than three marks tell."""
    seam: Literal["", "apart", "overlap"]
    """How the mat's pages, 3 × 2, lie where they don't lie edge to edge, as far as all four marks tell."""
    calibration: Calibration
    """Where the mat's millimetres are in the picture, as exactly as the marks that were seen tell."""

    @property
    def lies_across(self) -> bool:
        """Whether the camera has to be turned, before anybody raises or moves it."""
        if self.is_slanted or self.turn_degrees < MIN_TURN_DEGREES:
            return False
        is_only_turned = bool(self.missing_mm) and self.straight_ratio <= FIELD_MARGIN
        return is_only_turned or self.straight_ratio < TURN_GAIN * self.height_ratio

    @property
    def is_slanted(self) -> bool:
        """Whether the camera has to be hung over the mat, before anything else is told of its place."""
        return self.slant_degrees > MAX_SLANT_DEGREES

    @property
    def is_quarter_turned(self) -> bool:
        return self.lies_across and self.turn_degrees > 60

    @property
    def is_too_high(self) -> bool:
        """Whether cards are so small that they are hard to read."""
        return self.straight_ratio < TOO_HIGH and not self.is_slanted

    @property
    def is_coarse(self) -> bool:
        """Whether cards are small for want of pixels, and not of height."""
        return self.pixels_per_mm < MIN_PIXELS_PER_MM and not (self.is_too_high or self.is_slanted)

    def raise_mm(self, horizontal_angle: float) -> float:
        """By how many millimetres the camera has to go up, of an angle of so many degrees."""
        return (self.height_ratio - 1) * self._height_mm(horizontal_angle)

    def lower_mm(self, horizontal_angle: float) -> float:
        """By how many millimetres it may go down, once the mat lies straight in the picture."""
        return (1 - self.straight_ratio) * self._height_mm(horizontal_angle)

    def _height_mm(self, horizontal_angle: float) -> float:
        return self.width_mm / 2 / math.tan(math.radians(horizontal_angle / 2))


def measure_framing(found: Mapping[int, Quad], layout: Layout, size: tuple[int, int]) -> MatFraming | None:
    """By one of the mat's marks or more, (4, 2) in pixels each; `size`: the picture's, (width, height).

    None without a mark of this mat, or where they do not lie as on it.
    """
    known = [mark for mark in layout.marks_mm if mark in found]
    if not known:
        return None
    table = np.concatenate([layout.marks_mm[mark] for mark in known])
    picture = np.concatenate([found[mark] for mark in known])
    homography = _fit_similarity(table, picture) if len(known) == 1 else fit_homography(table, picture)
    if homography is None:
        return None
    calibration = Calibration(homography, size)
    width, height = layout.mat_size_mm
    outline = calibration.to_pixels(((0.0, 0.0), (width, 0.0), (width, height), (0.0, height)))
    scale, (low, high) = pixels_per_mm(calibration), (outline.min(axis=0), outline.max(axis=0))
    beyond: dict[Side, float] = {
        "left": -low[0],
        "right": high[0] - size[0],
        "top": -low[1],
        "bottom": high[1] - size[1],
    }
    across, down = outline[1] + outline[2] - outline[0] - outline[3], outline[2:].sum(0) - outline[:2].sum(0)
    long, short = float(np.linalg.norm(across)) / 2, float(np.linalg.norm(down)) / 2
    return MatFraming(
        outline,
        FIELD_MARGIN * float(((high - low) / size).max()),
        {side: float(pixels) / scale for side, pixels in beyond.items() if pixels > 0},
        size[0] / scale,
        scale,
        FIELD_MARGIN * max(long / size[0], short / size[1]),
        math.degrees(math.atan2(abs(float(across[1])), abs(float(across[0])))),
        _measure_slant(calibration, (width / 2, height / 2)) if len(known) > 2 else 0,
        _find_seam(table, picture, scale) if len(known) == len(MARK_CORNERS) else "",
        calibration,
    )


def _measure_slant(calibration: Calibration, middle: tuple[float, float]) -> int:
    """Degrees: a circle round the mat's middle is seen as an ellipse, as narrow as their cosine."""
    x, y = middle
    here, right, down = calibration.to_pixels((middle, (x + 10, y), (x, y + 10)))
    long, short = np.linalg.svd(np.stack((right - here, down - here)), compute_uv=False)
    return 5 * round(math.degrees(math.acos(min(1.0, float(short / long)))) / 5)


def _find_seam(
    table: NDArray[np.float64], picture: Quad, pixels_per_mm: float
) -> Literal["", "apart", "overlap"]:
    """By the corners of all marks, (16, 2) in mm and in pixels.

    On pages that lie apart marks are smaller than their distances have them. So they are where a lens bends,
    but there along their way to the middle: what the marks show is made up of these three.
    """
    outwards = table - table.mean(axis=0)
    bent = outwards * (outwards**2).sum(axis=1, keepdims=True) / 1e6
    moves = (np.sign(outwards) * (1, 0), np.sign(outwards) * (0, 0.5), bent)
    shares = np.stack([_misfit(table, table + move) for move in moves], axis=1)
    seams = np.linalg.lstsq(shares, _misfit(table, picture), rcond=None)[0][:2]
    widest = float(max(seams, key=abs)) * pixels_per_mm
    if abs(widest) < max(MIN_SEAM_PIXELS, MIN_SEAM_MM * pixels_per_mm):
        return ""
    return "apart" if widest > 0 else "overlap"


def _misfit(table: NDArray[np.float64], picture: NDArray[np.floating]) -> NDArray[np.float64]:
    """In mm: how far each point lies from where a flat table has it."""
    homography, _ = cv2.findHomography(table, picture.astype(np.float64), 0)
    flat = cv2.perspectiveTransform(picture[None].astype(np.float64), np.linalg.inv(homography))[0]
    return np.ravel(flat - table).astype(np.float64)


def _fit_similarity(table: NDArray[np.float64], picture: Quad) -> NDArray[np.float64] | None:
    """As a camera sees it that looks straight down: one mark is too small to tell a tilt by."""
    moved, _ = cv2.estimateAffinePartial2D(table, picture.astype(np.float64))
    return None if moved is None else np.vstack((moved, (0.0, 0.0, 1.0)))


Bgr = NDArray[np.uint8]


class MatView(NamedTuple):
    """The mat, as far as the picture shows it."""

    share: float
    """Of the mat's area that is in the picture: 0 to 1."""
    framing: MatFraming
    """How the camera has to be moved to see all of it."""
    blur: LightingMeasurement | None
    """None: no edge was clear enough to measure."""
    hidden: tuple[str, ...]
    """The corners whose mark is not seen, though it is in the picture: something lies on it, or shines."""
    is_dark: bool
    """Whether what is white on the mat's marks is grey, so that cards are hard to read."""
    is_coloured: bool
    """Whether that white lacks a colour."""
    uneven: tuple[LightingMeasurement, ...]
    """Glare and shadow over the limit at places of the mat, where all of it is seen; or cards that lie."""


MIN_LIGHT, MAX_LIGHT = 0.06, 0.97
"""Share of white in a picture's mean, below which it is black and above which it is white."""
MIN_WHITE = 100
"""Grey levels of a mark's white paper, below which a picture is dark."""
MIN_COLOUR = 0.15
"""Of a mark's white the weakest of red, green and blue as a share of the strongest, below which the light is
coloured. At 0.25 all of 21 cards were read, at 0.05 eight of them."""
OTHER_LIGHT = 0.6
"""Share of a colour in a mark's white of what it was: below it, or above its reverse, the light is other."""
MIN_SHARPNESS, MIN_CONTRAST = 0.28, 8.0
"""A picture's contrast within 3 pixels as a share of that within 3 to 12, below which nothing in it is
sharp; and the grey levels of contrast that it takes to say so. A drawn table has 0.43, blurred by 4 of its
1,280 pixels, when its marks are lost, 0.26; its middle alone 0.80 and 0.23. Of 60 photographs of tables 58
have more, and the same blurred by 5 pixels 0.19 at most."""


def mean_light(frame: Bgr) -> float:
    """The mean of all pixels of a picture (height, width, 3), as a share of white."""
    return float(check_picture(frame).mean()) / 255


def look_at_mat(frame: Bgr, mats: Sequence[Layout]) -> MatView | None:
    """How the picture (height, width, 3) shows one of these mats; None: it shows no mark of any.

    Raises `InputError` where its marks do not lie as on the mat.
    """
    found = find_marks(frame)
    mat = choose_mat_by_marks(found, mats)
    height, width = frame.shape[:2]
    framing = measure_framing(found, mat, (width, height))
    if framing is None:
        if found.keys() & mat.marks_mm.keys():
            raise InputError(MISPLACED)
        return None
    picture = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
    inside, _ = cv2.intersectConvexConvex(framing.outline, picture)
    marks = [found[mark] for mark in mat.marks_mm if mark in found]
    blur = measure_blur(frame, marks, framing.pixels_per_mm)
    is_dark = are_marks_dark(frame, marks)
    uneven: tuple[LightingMeasurement, ...] = ()
    if not framing.missing_mm and not is_dark:
        spots = [
            (place.name, framing.calibration.place_corners(spot))
            for place in mat.places
            for spot in mat.spots(place.name)
        ]
        uneven = tuple(one for one in measure_places(frame, spots) if one.exceeds_limit)
    share = inside / max(1.0, cv2.contourArea(framing.outline))
    hidden = tuple(
        MARK_CORNERS[mark_corner(mark)]
        for mark, corners in mat.marks_mm.items()
        if mark not in found and _is_inside(framing.calibration.to_pixels(corners), (width, height))
    )
    return MatView(share, framing, blur, hidden, is_dark, are_marks_coloured(frame, marks), uneven)


def _is_inside(points: NDArray[np.float32], size: tuple[int, int]) -> bool:
    """Whether a picture of this size shows all of these points, (n, 2) in pixels."""
    return bool((points > 0).all() and (points < size).all())


def are_marks_dark(frame: Bgr, marks: Sequence[Quad]) -> bool:
    """Whether the white of the brightest of these marks, (4, 2) in pixels each, is grey."""
    whites = [float(np.percentile(part, 95)) for part in _mark_parts(frame, marks)]
    return bool(whites) and max(whites) < MIN_WHITE


def are_marks_coloured(frame: Bgr, marks: Sequence[Quad]) -> bool:
    """Whether the white of these marks lacks a colour, for the light that falls on them lacks it."""
    white = mark_white(frame, marks)
    return bool(white.min() < MIN_COLOUR * white.max())


def mark_white(frame: Bgr, marks: Sequence[Quad]) -> NDArray[np.float64]:
    """The white of the brightest of these marks, (3,): blue, green and red; of none, 1 each."""
    whites = [np.percentile(part, 95, axis=(0, 1)) for part in _mark_parts(frame, marks)]
    return np.max(whites, axis=0) if whites else np.ones(3)


def is_light_other(now: NDArray[np.float64], before: NDArray[np.float64]) -> bool:
    """Whether the light changed so much from one `mark_white` to another that cards may look other, too."""
    share = (now + 1) / (before + 1)
    return bool(share.min() < OTHER_LIGHT or share.max() > 1 / OTHER_LIGHT)


def _mark_parts(frame: Bgr, marks: Sequence[Quad]) -> Iterator[Bgr]:
    """What the picture shows of each mark."""
    for mark in marks:
        (left, top), (right, bottom) = np.maximum(mark.min(0), 0).astype(int), mark.max(0).astype(int)
        part = frame[top:bottom, left:right]
        if part.size:
            yield part


def is_picture_dark(frame: Bgr) -> bool:
    """Whether next to nothing in a picture (height, width, 3) is as light as a mark's white has to be."""
    return float(np.percentile(check_picture(frame)[::8, ::8], 99)) < MIN_WHITE


def is_table_dark(frame: Bgr, known: SavedCalibration) -> bool:
    """Whether a table without marks is dark by now: it may be of dark cloth, and in good light."""
    now, before = measure_light(frame, known)
    return now < before / 2 and is_picture_dark(frame)


def explain_no_mark(frame: Bgr, mats: Sequence[Layout]) -> Literal["mirrored", "unsharp", ""]:
    """Why a picture (height, width, 3) may show no mark of these mats though one lies there."""
    mirrored = find_marks(np.ascontiguousarray(frame[:, ::-1]))
    if len(mirrored.keys() & choose_mat_by_marks(mirrored, mats).marks_mm.keys()) > 1:
        return "mirrored"
    seen = np.asarray(cv2.cvtColor(check_picture(frame), cv2.COLOR_BGR2GRAY), np.float32)
    grey = cv2.GaussianBlur(seen, (0, 0), 1.5)  # without the noise
    softer, softest = (cv2.GaussianBlur(grey, (0, 0), pixels) for pixels in (3, 12))
    is_soft = float((grey - softer).std()) < MIN_SHARPNESS * float((softer - softest).std())
    return "unsharp" if float(grey.std()) > MIN_CONTRAST and is_soft else ""
