"""Estimates which pale print of a card is lost where a picture is overexposed.

Paper that is lighter than white can be is no lighter in a picture, and neither is what is printed paler than
that. Then bare paper says nothing against a card that has pale print there, like thin stripes.
"""

import cv2
import numpy as np

from companion.vision.outlines import Bgr
from companion.vision.photometric_error import Floats

WHITE_LEVEL, OVEREXPOSED_SHARE = 253, 0.5
"""Level of all channels from which a pixel is burnt, and the part of a card from which that matters."""
COUNTING_SIZE = (32, 48)
"""Width and height in pixels at which that part is counted."""
RIM_DIVISOR = 16
"""Part of a card's width, one in so many, that its rim may take: what lies beside it shows there."""
MAX_PRINT_WIDTH, PAPER_BLUR = 0.2, 6.0
"""Width of what is print on paper, as a part of a card's; and pixels over which paper's light is averaged."""
DARKEST_SHARE = 0.03
"""Part of a card that is its darkest print."""
MIN_PRINT_CONTRAST = 0.04
"""Print paler than this is taken for paper."""
MIN_EXTRA_PRINT = 0.03
"""Part of its print that another face must have beyond this one, to be told from how its picture was lit."""
CAMERA_BLUR = 0.7
"""How far out of focus a camera may be, in pixels: thin stripes are paler then."""
MIN_REMAINING_DIFFERENCE, COMPARISON_BLUR = 1 / 3, 3.0
"""What must be left in a burnt view of what parts two faces, as a part of that; and the blur in
which they are laid on each other, in pixels: they are not registered.

On photographs of look-alikes not held out, made lighter by 1 and 1.5 stops, it was 0.30 at most for 27 of 28
that were taken for a card with less print, and 0.63 at least for playing cards.
"""


def is_overexposed(view: Bgr) -> bool:
    """Is so much of a card's view full white that print may be missing from it?"""
    full = cv2.inRange(view, np.full(3, WHITE_LEVEL), np.full(3, 255))
    return cv2.countNonZero(full) > OVEREXPOSED_SHARE * full.size


def relative_brightness(face: Bgr) -> Floats:
    """What is printed on a face: (height, width, 3), the light of each channel as a part of the paper's."""
    edge, wide = face.shape[1] // RIM_DIVISOR, round(MAX_PRINT_WIDTH * face.shape[1])
    inner = face[edge:-edge, edge:-edge]
    kernel = np.ones((wide, wide), np.uint8)
    paper = cv2.morphologyEx(cv2.medianBlur(inner, 3), cv2.MORPH_CLOSE, kernel).astype(np.float32)
    return np.asarray(inner / np.maximum(cv2.GaussianBlur(paper, (0, 0), PAPER_BLUR), 1), np.float32)


def estimate_exposure(view: Bgr, printed: Floats) -> float:
    """How many times too light a burnt view of a face is, at least 1: so much paler is its darkest print."""
    edge = view.shape[1] // RIM_DIVISOR
    seen = view[edge:-edge, edge:-edge].min(axis=2) / np.float32(255)
    return max(1.0, _darkest_mean(seen) / max(_darkest_mean(printed.min(axis=2)), MIN_PRINT_CONTRAST))


def hides_difference(one: Floats, other: Floats, exposure: float) -> bool:
    """Would another face, which has more print than this one, look like it in so much light?"""
    if _print_amount(other) * (1 - MIN_EXTRA_PRINT) <= _print_amount(one):
        return False
    return _exposed_difference(one, other, exposure) < MIN_REMAINING_DIFFERENCE * _exposed_difference(
        one, other, 1.0
    )


def _darkest_mean(light: Floats) -> float:
    least = round(DARKEST_SHARE * light.size)
    return float(np.partition(light, least, axis=None)[:least].mean())


def _print_amount(printed: Floats) -> float:
    return float(np.maximum(1 - MIN_PRINT_CONTRAST - printed, 0).sum())


def _exposed_difference(one: Floats, other: Floats, exposure: float) -> float:
    """How much two faces differ in so much light, either way up."""
    # A camera softens what it sees before too much light cuts it off.
    soft = [cv2.GaussianBlur(face, (0, 0), CAMERA_BLUR) for face in (one, other)]
    seen = [cv2.GaussianBlur(np.minimum(exposure * face, 1), (0, 0), COMPARISON_BLUR) for face in soft]
    return min(float(np.abs(seen[0] - way).sum()) for way in (seen[1], seen[1][::-1, ::-1]))
