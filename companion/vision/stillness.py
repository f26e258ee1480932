"""Whether something moved in a place, though the camera sways a little and the light flickers."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
_THUMB = (24, 20)
MOVED = 14.0
"""Grey levels by which a part of a place's thumbnail differs when something moved there."""
_SWAYED = 100.0
"""The same, from which neither sway nor light is the reason."""
MOST_SWAY = 4.0
"""Pixels by which a picture may lie beside the one before it: cards and hands move farther."""
MOST_FLICKER = 0.12
"""Share by which it may be lighter or darker."""


@dataclass(frozen=True, slots=True)
class Glimpse:
    """A place as it is compared from picture to picture."""

    grey: Picture
    """(height, width)"""
    thumb: NDArray[np.float32]

    @classmethod
    def of(cls, part: Picture) -> Glimpse:
        """A part of a picture, (height, width, 3)."""
        grey = np.asarray(cv2.cvtColor(part, cv2.COLOR_BGR2GRAY), np.uint8)
        return cls(grey, _thumb(grey))

    def moved(self, now: Glimpse) -> bool:
        """Whether the place looks otherwise now, by more than sway and flicker explain."""
        apart = _apart(self.thumb, now.thumb)
        if not MOVED < apart < _SWAYED:
            return apart > MOVED
        aside, down, lighter = _swayed(self.grey, now.grey)
        if np.hypot(aside, down) > MOST_SWAY or abs(lighter) > MOST_FLICKER:
            return True
        beside = np.array([[1, 0, aside], [0, 1, down]], np.float32)
        size = (self.grey.shape[1], self.grey.shape[0])
        swayed = cv2.warpAffine(self.grey, beside, size, borderMode=cv2.BORDER_REPLICATE)
        return _apart(_thumb(np.asarray(swayed, np.uint8)) * (1 + lighter), now.thumb) > MOVED


def _thumb(grey: Picture) -> NDArray[np.float32]:
    return cv2.resize(grey, _THUMB, interpolation=cv2.INTER_AREA).astype(np.float32)


def _apart(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    return float(np.abs(one - other).max())


def _swayed(before: Picture, now: Picture) -> tuple[float, float, float]:
    """Pixels to the right and down by which the picture went, and the share by which it is lighter.

    One step of least squares (Lucas and Kanade, 1981) on the halved pictures.
    """
    half = (max(1, before.shape[1] // 2), max(1, before.shape[0] // 2))
    one, two = (
        cv2.GaussianBlur(cv2.resize(grey, half, interpolation=cv2.INTER_AREA), (5, 5), 1).astype(np.float32)
        for grey in (before, now)
    )
    slopes = (cv2.Sobel(one, cv2.CV_32F, *axis, scale=1 / 8) for axis in ((1, 0), (0, 1)))
    parts = np.stack([*(slope.ravel() for slope in slopes), one.ravel()])
    # A bare place has no slopes: there the least that explains it is no sway at all.
    normal = parts @ parts.T + np.eye(3, dtype=np.float32)
    aside, down, lighter = np.linalg.solve(normal, parts @ (two - one).ravel())
    return -2 * float(aside), -2 * float(down), float(lighter)
