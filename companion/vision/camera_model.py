"""Simulates what a real camera does to a rendered table: light, blur, noise, compression.

Everything random comes from a generator handed in, so the same seed gives the same bytes.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
"""(height, width, 3), BGR."""
Window = tuple[slice, slice]
"""A part of a picture: rows, columns."""

_NOISE_MARGIN = 96


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """How well the table is lit and seen."""

    tilt: float
    """Degrees by which the camera looks from the near edge instead of straight down."""
    roll: float
    """Degrees clockwise by which the camera is turned."""
    light: float
    """Share of light lost between the brightest and the darkest corner, 0 to 1."""
    shadow: float
    """Share of light lost in the shadow of a hand or of a person leaning over the edge, 0 to 1."""
    glare: float
    """Share of white that a lamp's reflection adds at its centre, 0 to 1."""
    warmth: float
    """White balance error: positive is red, in shares of a channel."""
    blur: float
    """Standard deviation of defocus in pixels."""
    noise: float
    """Standard deviation of the sensor's noise in grey levels."""
    jpeg: int
    """JPEG quality of the camera's stream; 100 leaves the picture as it is."""
    side: float = 0.0
    """Degrees clockwise by which lamp, shadow and reflection are moved round the table's middle."""


EASY = Conditions(
    tilt=0.0, roll=0.0, light=0.08, shadow=0.2, glare=0.0, warmth=0.0, blur=0.4, noise=1.5, jpeg=95
)  # fmt: skip
MIDDLE = Conditions(
    tilt=9.0, roll=1.5, light=0.35, shadow=0.4, glare=0.0, warmth=0.04, blur=0.8, noise=4.0, jpeg=80
)  # fmt: skip
LIVE = replace(MIDDLE, jpeg=100)
"""The same, as the program gets it from its own camera: an array that was never compressed."""
HARD = Conditions(
    tilt=20.0, roll=-4.0, light=0.55, shadow=0.6, glare=0.35, warmth=0.10, blur=1.3, noise=8.0, jpeg=55
)  # fmt: skip


class CameraModel:
    """The lens and sensor under one set of conditions; owns the maps that are the same in every frame."""

    def __init__(self, size: tuple[int, int], conditions: Conditions) -> None:
        self.size = size
        """Width and height in pixels."""
        self.conditions = conditions
        self.light = _light_map(size, conditions)
        """(height, width, 3) float32: what each pixel's colour is multiplied with."""
        self._glare = _glare_map(size, conditions) if conditions.glare else None
        self._plus, self._minus = _noise_pattern(size, conditions.noise)
        self._still: tuple[Picture | None, Picture] = (None, self._plus)
        """A lit table, which nobody paints on any more, and how the lens shows it."""

    def take_picture(
        self, lit: Picture, rng: np.random.Generator, over: tuple[Picture, Sequence[Window]] | None = None
    ) -> Picture:
        """The picture of an already lit table (height, width, 3); changes nothing handed in.

        `over`: a table on which nothing moves any more, and the windows where `lit` differs from it.
        """
        picture = self._through_lens(lit) if over is None else self._update_changed(lit, *over)
        if self.conditions.noise:
            width, height = self.size
            x, y = (int(shift) for shift in rng.integers(0, _NOISE_MARGIN, size=2))
            window = np.s_[y : y + height, x : x + width]
            own = None if picture is self._still[1] else picture
            picture = np.asarray(cv2.add(picture, self._plus[window], dst=own), dtype=np.uint8)
            cv2.subtract(picture, self._minus[window], dst=picture)
        if self.conditions.jpeg < 100:
            _, coded = cv2.imencode(".jpg", picture, (cv2.IMWRITE_JPEG_QUALITY, self.conditions.jpeg))
            picture = np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR), dtype=np.uint8)
        return picture if picture is not self._still[1] else picture.copy()

    def _through_lens(self, lit: Picture) -> Picture:
        """With the lamp's reflection and out of focus; of a table on which nothing moved it is kept."""
        if self._still[0] is lit:
            return self._still[1]
        self._still = lit, self._apply_lens(lit, np.s_[:, :])
        return self._still[1]

    def _update_changed(self, lit: Picture, still: Picture, windows: Sequence[Window]) -> Picture:
        """As `_through_lens` of `lit`, of which only what differs from `still` goes through it."""
        picture = self._through_lens(still).copy()
        reach = self._blur_reach
        for down, across in _merge_windows(windows):
            top, left = max(down.start - 2 * reach, 0), max(across.start - 2 * reach, 0)
            part = np.s_[top : down.stop + 2 * reach, left : across.stop + 2 * reach]
            seen = self._apply_lens(lit[part], part)
            inner = np.s_[
                max(down.start - reach, 0) : down.stop + reach,
                max(across.start - reach, 0) : across.stop + reach,
            ]
            rows, columns = picture[inner].shape[:2]
            y, x = inner[0].start - top, inner[1].start - left
            picture[inner] = seen[y : y + rows, x : x + columns]
        return picture

    @property
    def _blur_reach(self) -> int:
        """Pixels as far as which a pixel is seen out of focus."""
        return math.ceil(2 * self.conditions.blur)

    def _apply_lens(self, lit: Picture, part: Window) -> Picture:
        """A part of the picture with the lamp's reflection and out of focus."""
        picture = lit
        if self._glare is not None:
            picture = np.asarray(cv2.add(picture, self._glare[part]), dtype=np.uint8)
        if self.conditions.blur:
            width = 2 * self._blur_reach + 1
            picture = np.asarray(
                cv2.GaussianBlur(picture, (width, width), self.conditions.blur), dtype=np.uint8
            )
        return picture


def _merge_windows(windows: Sequence[Window]) -> list[Window]:
    """Windows with all of these in them: one instead of two where it has no more pixels than both."""
    answer: list[Window] = []
    for window in windows:
        whole, apart = window, []
        for other in answer:
            both = _enclosing_window(whole, other)
            if _count_pixels(both) <= _count_pixels(whole) + _count_pixels(other):
                whole = both
            else:
                apart.append(other)
        answer = [*apart, whole]
    return [window for window in answer if _count_pixels(window)]


def _enclosing_window(one: Window, other: Window) -> Window:
    """The least window with both in it."""
    down, across = (
        slice(min(a.start, b.start), max(a.stop, b.stop)) for a, b in zip(one, other, strict=True)
    )
    return down, across


def _count_pixels(window: Window) -> int:
    """How many pixels."""
    down, across = window
    return int((down.stop - down.start) * (across.stop - across.start))


def overhead_homography(
    size: tuple[int, int], extent_mm: tuple[float, float], conditions: Conditions
) -> NDArray[np.float64]:
    """(3, 3) homography from table mm to pixels of a camera that has the whole extent in view."""
    width, height = size
    tilt, roll = math.radians(conditions.tilt), math.radians(conditions.roll)
    centre = np.array([[1, 0, -extent_mm[0] / 2], [0, 1, -extent_mm[1] / 2], [0, 0, 1.0]])
    turn = np.array([[math.cos(roll), -math.sin(roll), 0], [math.sin(roll), math.cos(roll), 0], [0, 0, 1]])
    distance = 1.6 * max(extent_mm)
    # A point (x, y) of the table is at (x, y cos t, distance - y sin t) for a camera leaning back by t.
    lean = np.array([[1, 0, 0], [0, math.cos(tilt), 0], [0, -math.sin(tilt) / distance, 1]])
    seen = lean @ turn @ centre
    corners = np.array([(0, 0), (extent_mm[0], 0), extent_mm, (0, extent_mm[1])], dtype=np.float64)
    mapped = np.column_stack((corners, np.ones(4))) @ seen.T
    flat = mapped[:, :2] / mapped[:, 2:]
    low, high = flat.min(axis=0), flat.max(axis=0)
    margin = 0.02 * height
    zoom = min((width - 2 * margin) / (high[0] - low[0]), (height - 2 * margin) / (high[1] - low[1]))
    shift = np.array([width, height]) / 2 - zoom * (low + high) / 2
    fit = np.array([[zoom, 0, shift[0]], [0, zoom, shift[1]], [0, 0, 1.0]])
    homography: NDArray[np.float64] = fit @ seen
    homography /= homography[2, 2]
    return homography


def _pixel_grid(size: tuple[int, int], side: float) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """x and y of each pixel, (height, width) from -1 to 1 over the picture, seen from a turned side."""
    width, height = size
    x = np.linspace(-1, 1, width, dtype=np.float32)[None, :]
    y = np.linspace(-1, 1, height, dtype=np.float32)[:, None]
    cosine, sine = np.float32(math.cos(math.radians(side))), np.float32(math.sin(math.radians(side)))
    return x * cosine + y * sine, y * cosine - x * sine


def _light_map(size: tuple[int, int], conditions: Conditions) -> NDArray[np.float32]:
    """A lamp at the top left, a lens darker at its edges, somebody leaning over the right, a colour cast."""
    x, y = _pixel_grid(size, conditions.side)
    slope = 1 - conditions.light * (0.5 + 0.3 * x + 0.2 * y)
    vignette = 1 - 0.125 * conditions.light * (x * x + y * y)
    leaning = ((x - 1.05) / 0.5) ** 2 + ((y - 0.35) / 0.75) ** 2
    shade = 1 - 0.7 * conditions.shadow / (1 + np.exp(np.clip((leaning - 1) * 4, -50, 50)))
    grey = (1 + 0.3 * conditions.light) * slope * vignette * shade
    cast = np.array([1 - conditions.warmth, 1.0, 1 + conditions.warmth], dtype=np.float32)
    return np.ascontiguousarray(grey[:, :, None] * cast, dtype=np.float32)


def _glare_map(size: tuple[int, int], conditions: Conditions) -> Picture:
    x, y = _pixel_grid(size, conditions.side)
    spot = 255 * conditions.glare * np.exp(-(((x + 0.35) / 0.28) ** 2) - ((y + 0.2) / 0.34) ** 2)
    return np.repeat(spot.astype(np.uint8)[:, :, None], 3, axis=2)


@lru_cache(maxsize=4)
def _noise_pattern(size: tuple[int, int], sigma: float) -> tuple[Picture, Picture]:
    """What a sensor adds and takes, larger than a frame: each frame cuts its own window."""
    bank = np.random.default_rng(7)
    shape = (size[1] + _NOISE_MARGIN, size[0] + _NOISE_MARGIN)
    grey = bank.standard_normal(shape, dtype=np.float32)
    colour = bank.standard_normal((*shape, 3), dtype=np.float32)
    noise = np.rint(sigma * (0.8 * grey[:, :, None] + 0.6 * colour))
    return np.clip(noise, 0, 255).astype(np.uint8), np.clip(-noise, 0, 255).astype(np.uint8)
