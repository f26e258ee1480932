"""Removes the specular highlights of a glossy card from a view of it.

A lamp's reflection adds light: paper turns white, and ink turns pale. What the view has beyond the face as it
is lit, and what changes slowly over the card, is that light.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from companion.vision.outlines import Bgr
from companion.vision.photometric_error import Floats

HIGHLIGHT_BLUR = 0.15
"""Blur in card widths, wider than a pip, that is left of a reflection."""
CLEAR_PERCENTILE = 30
"""Percent of a card's paper that is without gloss at least."""
REDUCTION = 4
"""How many times smaller the copy is on which the light is measured."""
MAX_READABLE_VEIL = 0.2
"""Gloss beside the light of bare paper from which too little is left of the print.

A glossy card's surface is uneven, and so is what is left when the even part is taken off.
"""


@dataclass(frozen=True, slots=True, eq=False)
class SpecularHighlight:
    """The light mirrored in a view of a face."""

    readable: Floats
    """(height, width) of 0 or 1: where enough of the print is left."""
    _added: Floats
    """What the mirrored light adds, (rows, columns, 3), on a small copy."""
    _lit: Floats
    """The light on the card, (3,), where none is mirrored, beside that of the face's picture."""

    @classmethod
    def estimate(cls, view: Bgr, face: Bgr) -> SpecularHighlight:
        """In a view of a face, both of one size, (height, width, 3)."""
        size = view.shape[1], view.shape[0]
        # What changes slowly is as good, and far cheaper, on a small copy.
        few = size[0] // REDUCTION, size[1] // REDUCTION
        seen, printed = (
            _to_linear_light(np.asarray(cv2.resize(p, few, interpolation=cv2.INTER_AREA)))
            for p in (view, face)
        )
        darkest = printed.min(axis=2)
        paper = darkest > 0.5 * darkest.max()
        lit = np.percentile(seen[paper] / np.maximum(printed[paper], 1.0), CLEAR_PERCENTILE, axis=0) + 1e-3
        added = np.maximum(cv2.GaussianBlur(seen - lit * printed, (0, 0), HIGHLIGHT_BLUR * few[0]), 0)
        gloss = cv2.resize((added / (lit * printed.max())).mean(axis=2), size)
        return cls((gloss < MAX_READABLE_VEIL).astype(np.float32), added, lit)

    def remove_from(self, view: Bgr) -> Bgr:
        """The view without it, lit as the face's picture is."""
        size = view.shape[1], view.shape[0]
        bare = np.sqrt(
            np.clip((_to_linear_light(view) - cv2.resize(self._added, size)) / self._lit, 0, 255.0**2)
        )
        return np.asarray(bare.round(), np.uint8)


def _to_linear_light(picture: Bgr) -> Floats:
    """Grey levels are about the square root of light."""
    levels = picture.astype(np.float32)
    return levels * levels
