"""Tracks the cards of a mostly still table by rereading only what changed between pictures."""

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.outline_reading import Sighting
from companion.vision.outlines import Bgr, Quad
from companion.vision.pictures import check_picture
from companion.vision.recogniser import Recogniser

THUMBNAIL_SIDE, MIN_CHANGED_LEVELS = 160, 18
"""Longer side of the thumbnails compared from frame to frame, and the grey levels that are no noise."""


class ChangeTracker:
    """Reads a whole picture once, then only what changed since."""

    def __init__(self, recogniser: Recogniser) -> None:
        self.recogniser = recogniser
        self._before: NDArray[np.uint8] | None = None
        self._seen: list[Sighting] = []

    def step(self, frame: Bgr) -> list[Sighting]:
        """The cards in this frame (height, width, 3); a still table costs a thumbnail and a difference."""
        longest = max(check_picture(frame).shape[:2])
        scale = min(1.0, THUMBNAIL_SIDE / longest)
        size = (max(1, round(frame.shape[1] * scale)), max(1, round(frame.shape[0] * scale)))
        small = np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_AREA), np.uint8)
        if self._before is None or self._before.shape != small.shape:
            self._before, self._seen = small, self.recogniser.recognise(frame)
            return list(self._seen)
        moved = np.asarray(cv2.absdiff(self._before, small).max(axis=2) > MIN_CHANGED_LEVELS, np.uint8)
        if np.count_nonzero(moved) > 3:
            self._before, self._seen = small, self._reread_changed(frame, moved, scale)
        return list(self._seen)

    def _reread_changed(self, frame: Bgr, moved: NDArray[np.uint8], scale: float) -> list[Sighting]:
        """The sightings after reading the part of the picture where something moved, and the cards there."""
        left, top, width, height = (v / scale for v in cv2.boundingRect(moved))
        # A card that came into view is not much larger than those that are there, one that went was there.
        sizes = [float(np.ptp(s.corners, axis=0).max()) for s in self._seen]
        spare = max(sizes, default=float(max(frame.shape[:2])))
        low = np.array([left, top]) - spare
        high = np.array([left + width, top + height]) + spare
        touched = [s for s in self._seen if _boxes_overlap(s.corners, low, high)]
        for s in touched:
            low = np.minimum(low, s.corners.min(axis=0) - 0.2 * spare)
            high = np.maximum(high, s.corners.max(axis=0) + 0.2 * spare)
        first = np.maximum(low, 0).astype(int)
        last = np.minimum(high, np.array(frame.shape[1::-1])).astype(int)
        inside = [s for s in self._seen if _boxes_overlap(s.corners, low, high)]
        if len(inside) > len(touched) or np.prod((last - first) / np.array(frame.shape[1::-1])) > 0.6:
            return self.recogniser.recognise(frame)
        found = self.recogniser.recognise(frame[first[1] : last[1], first[0] : last[0]])
        there = first.astype(np.float32)
        kept = [s for s in self._seen if not any(s is t for t in touched)]
        return kept + [Sighting(s.card, s.corners + there, s.confidence) for s in found]


def _boxes_overlap(corners: Quad, low: NDArray[np.float64], high: NDArray[np.float64]) -> bool:
    """Does a quad's box meet the box from `low` to `high`?"""
    return bool((corners.max(axis=0) >= low).all() and (corners.min(axis=0) <= high).all())
