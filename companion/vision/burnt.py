"""What too much light hides of a card: where a view is full white, pale print is burnt out.

Paper that is lighter than white can be is no lighter in a picture, and neither is what is printed paler than
that. Then bare paper says nothing against a card that has pale print there, like thin stripes.
"""

import cv2
import numpy as np

from companion.vision.locate import Bgr
from companion.vision.residual import Floats

FULL, MUCH = 253, 0.5
"""Level of all channels from which a pixel is burnt, and the part of a card from which that matters."""
SMALL = (32, 48)
"""Width and height in pixels at which that part is counted."""
RIM = 16
"""Part of a card's width, one in so many, that its rim may take: what lies beside it shows there."""
THIN, SMOOTH = 0.2, 6.0
"""Width of what is print on paper, as a part of a card's; and pixels over which paper's light is averaged."""
DARKEST = 0.03
"""Part of a card that is its darkest print."""
FAINT = 0.04
"""Print paler than this is taken for paper."""
MORE = 0.03
"""Part of its print that another face must have beyond this one, to be told from how its picture was lit."""
SHARP = 0.7
"""How far out of focus a camera may be, in pixels: thin stripes are paler then."""
LEFT, SOFT = 1 / 3, 3.0
"""What must be left in a burnt view of what parts two faces, as a part of that; and the blur in
which they are laid on each other, in pixels: they are not registered.

On photographs of look-alikes not held out, made lighter by 1 and 1.5 stops, it was 0.30 at most for 27 of 28
that were taken for a card with less print, and 0.63 at least for playing cards.
"""


def is_burnt(view: Bgr) -> bool:
    """Is so much of a card's view full white that print may be missing from it?"""
    full = cv2.inRange(view, np.full(3, FULL), np.full(3, 255))
    return cv2.countNonZero(full) > MUCH * full.size


def print_of(face: Bgr) -> Floats:
    """What is printed on a face: (height, width, 3), the light of each channel as a part of the paper's."""
    edge, wide = face.shape[1] // RIM, round(THIN * face.shape[1])
    inner = face[edge:-edge, edge:-edge]
    kernel = np.ones((wide, wide), np.uint8)
    paper = cv2.morphologyEx(cv2.medianBlur(inner, 3), cv2.MORPH_CLOSE, kernel).astype(np.float32)
    return np.asarray(inner / np.maximum(cv2.GaussianBlur(paper, (0, 0), SMOOTH), 1), np.float32)


def exposure_of(view: Bgr, printed: Floats) -> float:
    """How many times too light a burnt view of a face is, at least 1: so much paler is its darkest print."""
    edge = view.shape[1] // RIM
    seen = view[edge:-edge, edge:-edge].min(axis=2) / np.float32(255)
    return max(1.0, _darkest(seen) / max(_darkest(printed.min(axis=2)), FAINT))


def hides(one: Floats, other: Floats, exposure: float) -> bool:
    """Would another face, which has more print than this one, look like it in so much light?"""
    if _strength(other) * (1 - MORE) <= _strength(one):
        return False
    return _apart(one, other, exposure) < LEFT * _apart(one, other, 1.0)


def _darkest(light: Floats) -> float:
    least = round(DARKEST * light.size)
    return float(np.partition(light, least, axis=None)[:least].mean())


def _strength(printed: Floats) -> float:
    return float(np.maximum(1 - FAINT - printed, 0).sum())


def _apart(one: Floats, other: Floats, exposure: float) -> float:
    """How much two faces differ in so much light, either way up."""
    # A camera softens what it sees before too much light cuts it off.
    soft = [cv2.GaussianBlur(face, (0, 0), SHARP) for face in (one, other)]
    seen = [cv2.GaussianBlur(np.minimum(exposure * face, 1), (0, 0), SOFT) for face in soft]
    return min(float(np.abs(seen[0] - way).sum()) for way in (seen[1], seen[1][::-1, ::-1]))
