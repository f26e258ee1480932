"""Measures glare, shadow, blur or mains flicker in a picture of the table against limits.

The limits are just below where reading begins to suffer: `python -m tests.programs.bench.lighting` spoils
made pictures step by step and counts what is still read.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.outlines import MAX_COORDINATE, to_drawable_pixels
from companion.vision.pictures import check_picture, check_picture_size

Bgr = NDArray[np.uint8]
Quad = NDArray[np.float32]
"""(4, 2) pixels."""
Fault = Literal["glare", "shadow", "blur", "flicker"]

MAX_GLARE = 55.0
"""Grey levels of white that a reflection lays over a place; from 66 the first card was not read."""
CLIPPED_LEVEL, MAX_CLIPPED_SHARE = 250, 0.02
"""A pixel that is all white holds nothing; up to this share of a place may be so."""
MAX_SHADOW = 0.68
"""Share of the light of the best-lit places that a place lacks; from 0.73 the first card was not read."""
MAX_BLUR_MM = 1.2
"""Standard deviation of the blur on the table; from 1.5 the first card was not read."""
MAX_FLICKER = 0.05
"""Standard deviation of the light from picture to picture, in shares of it.

Up to here each of 8 white cards settled within 0.8 s; at 0.08 the last took 1.1 s, for a place that grows
lighter or darker by more than `settling.MAX_FLICKER` from one picture to the next seems to move.
"""
FACE = (88, 136)
"""The size in which the sharpness of all faces is measured: 2 points a millimetre."""
MIN_DETAIL = 0.2
"""Drawn faces have 0.35 to 0.5; under a blur of `MAX_BLUR_MM` they have 0.13 to 0.2."""
MIN_FLICKER_FRAMES = 6
"""Fewest pictures that show bands moving."""
LIGHT_FOLLOWED, MAX_ROW_GAIN = 0.1, 1.5
"""The part of a change of light that is taken over with each picture; and how far a flicker goes at most."""
MIN_EDGE_STEP = 20.0
"""Grey levels from which a side of a quadrilateral counts as an edge."""
_REACH, _FINE = 12.0, 0.25
_ROWS, _COLUMNS, _COLUMN_STEP = 120, 32, 4


@dataclass(frozen=True, slots=True)
class LightingMeasurement:
    """One thing measured."""

    fault: Fault
    value: float
    limit: float
    place: str = ""
    """Where; empty: in the whole picture."""

    @property
    def exceeds_limit(self) -> bool:
        """Whether people should put it right."""
        return self.value > self.limit


def measure_places(frame: Bgr, spots: Iterable[tuple[str, Quad]]) -> list[LightingMeasurement]:
    """Glare and shadow of every place of a bare table (height, width, 3), the worst of its card-sized spots.

    A spot is its place's name and its corners, (4, 2) pixels.
    """
    picture = check_picture(frame)
    seen = [(name, spot) for name, quad in spots if (spot := _measure_spot(picture, quad)) is not None]
    if not seen:
        return []
    light, white = _split_light_and_glare(np.array([spot.colour for _, spot in seen]))
    best = max(1.0, float(np.percentile(light, 80)))
    worst: dict[tuple[Fault, str], LightingMeasurement] = {}
    for (name, spot), lit, laid_over in zip(seen, light, white, strict=True):
        # A white spot that fills a part of a place counts as a veil of the limit's strength.
        glare = max(float(laid_over), MAX_GLARE * spot.clipped / MAX_CLIPPED_SHARE)
        lacks = 0.0 if glare > MAX_GLARE else 1.0 - float(lit) / best  # white all over hides its own light
        for found in (
            LightingMeasurement("glare", glare, MAX_GLARE, name),
            LightingMeasurement("shadow", lacks, MAX_SHADOW, name),
        ):
            known = worst.setdefault((found.fault, name), found)
            if found.value > known.value:
                worst[found.fault, name] = found
    return list(worst.values())


class _SpotColours(NamedTuple):
    """What is within a place."""

    colour: tuple[float, ...]
    """The median of each channel."""
    clipped: float
    """The share that is all white."""


def _measure_spot(frame: Bgr, quad: Quad) -> _SpotColours | None:
    """None: it is outside the picture."""
    size = frame.shape[1::-1]
    low = np.clip(np.floor(quad.min(axis=0)), 0, size).astype(int)
    high = np.clip(np.ceil(quad.max(axis=0)), 0, size).astype(int)
    part = frame[low[1] : high[1], low[0] : high[0]]
    if part.size == 0:
        return None
    mask = np.zeros(part.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, to_drawable_pixels(quad - low), 1)
    count = cv2.countNonZero(mask)
    if not count:
        return None
    white = cv2.inRange(part, (CLIPPED_LEVEL,) * 3, (255,) * 3)
    clipped = cv2.countNonZero(cv2.bitwise_and(white, white, mask=mask)) / count
    return _SpotColours(tuple(_masked_median(part, channel, mask, count) for channel in range(3)), clipped)


def _masked_median(part: Bgr, channel: int, mask: NDArray[np.uint8], count: int) -> float:
    """Of one channel where the mask is set: counting levels is many times faster than sorting pixels."""
    levels = np.cumsum(cv2.calcHist([part], [channel], mask, [256], [0, 256]).ravel())
    low, high = np.searchsorted(levels, ((count - 1) // 2, count // 2), side="right")
    return (int(low) + int(high)) / 2


def _split_light_and_glare(colours: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How much of the cloth's own colour, and how much plain white over it, each place (n, 3) shows.

    A grey or white table looks the same under both; there only a place brighter than all others is glare.
    """
    cloth = np.median(colours, axis=0)
    cloth /= max(1.0, float(np.linalg.norm(cloth)))
    plain = np.ones(3) / np.sqrt(3.0)
    if float(cloth @ plain) > 0.9985:
        light = colours.mean(axis=1)
        return light, np.maximum(0.0, light - 2.0 * np.median(light))
    basis = np.column_stack((cloth, plain))
    parts = np.linalg.lstsq(basis, colours.T, rcond=None)[0]
    white = parts[1] / np.sqrt(3.0)
    white -= np.median(white)
    light = colours.mean(axis=1) - np.maximum(0.0, white)
    return light, np.maximum(0.0, white)


def measure_blur(frame: Bgr, edges: Sequence[Quad], pixels_per_mm: float) -> LightingMeasurement | None:
    """The blur, from how wide the sides of things known to be sharp are (quads in pixels); None: no edge."""
    grey = np.asarray(cv2.cvtColor(check_picture_size(frame), cv2.COLOR_BGR2GRAY), np.float32)
    widths = [
        width
        for quad in edges
        for one, other in zip(quad, np.roll(quad, -1, axis=0), strict=True)
        if (width := _edge_width(grey, one, other)) is not None
    ]
    if not widths:
        return None
    # From a tenth to nine tenths of a step is 2.563 standard deviations of a Gaussian blur.
    sigma = float(np.median(widths)) / 2.563
    return LightingMeasurement("blur", sigma / max(1e-6, pixels_per_mm), MAX_BLUR_MM)


def _edge_width(
    grey: NDArray[np.float32], one: NDArray[np.float32], other: NDArray[np.float32]
) -> float | None:
    """From a tenth to nine tenths of the step across a side, in pixels; None where there is no clear step."""
    along = other - one
    length = float(np.linalg.norm(along))
    if not 8 <= length < MAX_COORDINATE:
        return None
    across = np.array((along[1], -along[0])) / length
    reach = min(_REACH, 0.1 * length)
    steps = np.arange(-reach, reach + _FINE, _FINE, dtype=np.float32)
    starts = one + np.linspace(0.3, 0.7, 9)[:, None] * along
    spots = (starts[:, None, :] + steps[None, :, None] * across).astype(np.float32)
    rows = cv2.remap(grey, spots[..., 0], spots[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    profile = np.median(rows, axis=0)
    quarter = len(steps) // 4
    low, high = float(np.median(profile[:quarter])), float(np.median(profile[-quarter:]))
    if abs(high - low) < MIN_EDGE_STEP:
        return None
    share = (profile - low) / (high - low)
    first, last = int(np.argmax(share >= 0.1)), len(share) - 1 - int(np.argmax(share[::-1] <= 0.9))
    return max(0.0, (last - first) * _FINE)


def measure_detail(frame: Bgr, face: Quad) -> float:
    """How much of a card's contrast lies between neighbouring points, however far away it is."""
    wide, high = FACE
    flat = np.array(((0, 0), (wide, 0), (wide, high), (0, high)), np.float32)
    turn = cv2.getPerspectiveTransform(np.asarray(face, np.float32), flat)
    grey = cv2.cvtColor(cv2.warpPerspective(check_picture_size(frame), turn, FACE), cv2.COLOR_BGR2GRAY)
    return float(cv2.Laplacian(grey, cv2.CV_32F).std()) / max(1.0, float(grey.std()))


def measure_flicker(frames: Sequence[Bgr]) -> LightingMeasurement | None:
    """How much bands of light move over the picture, from some pictures of a still table; None: too few.

    `frames`: (height, width, 3) each, BGR.
    """
    if len(frames) < MIN_FLICKER_FRAMES:
        return None
    small = np.stack([_reduce_rows(check_picture(frame)) for frame in frames])
    return _spread_of_rows(_row_gains(small, np.median(small, axis=0)))


@dataclass(slots=True)
class RowLight:
    """The light on each row of a table's pictures, beside what it was there lately.

    A lamp on the mains flickers at twice its frequency. A sensor reads its rows one after another, so this
    becomes bands over the whole width; what a hand does, it does in some columns only.
    """

    _lately: NDArray[np.float32] | None = None
    _gains: deque[NDArray[np.float32]] = field(default_factory=lambda: deque(maxlen=MIN_FLICKER_FRAMES))

    def step(self, frame: Bgr) -> NDArray[np.float32]:
        """Of the next picture (height, width, 3) how many times as light each row is: (height,)."""
        small = _reduce_rows(frame)
        lately = small if self._lately is None else self._lately
        gains = np.clip(_row_gains(small, lately), 1 / MAX_ROW_GAIN, MAX_ROW_GAIN)
        self._lately = lately + LIGHT_FOLLOWED * (small - lately)
        self._gains.append(gains)
        return np.asarray(cv2.resize(gains[:, None], (1, frame.shape[0])), np.float32)[:, 0]

    def measure(self) -> LightingMeasurement | None:
        """As `measure_flicker`, of the last pictures."""
        return _spread_of_rows(np.stack(self._gains)) if len(self._gains) == MIN_FLICKER_FRAMES else None


def _reduce_rows(frame: Bgr) -> NDArray[np.float32]:
    """The green of a picture (height, width, 3) at `_ROWS` by `_COLUMNS`: nearly its light, and cheap."""
    green = np.ascontiguousarray(frame[:, ::_COLUMN_STEP, 1])
    return np.asarray(cv2.resize(green, (_COLUMNS, _ROWS), interpolation=cv2.INTER_AREA), np.float32)


def _row_gains(small: NDArray[np.float32], still: NDArray[np.float32]) -> NDArray[np.float32]:
    """How many times as light as a still table's the rows of reduced pictures are: (…, rows)."""
    return np.asarray(np.median(small / np.maximum(still, 8.0), axis=-1), np.float32)


def _spread_of_rows(gains: NDArray[np.float32]) -> LightingMeasurement:
    """The flicker from the gains of several pictures, (pictures, rows)."""
    return LightingMeasurement("flicker", float(gains.std(axis=0).mean()), MAX_FLICKER)
