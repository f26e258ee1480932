"""Compares one view with one face at full detail: how alike they are, and where they differ most."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache, partial

import cv2
import numpy as np

from companion.vision import burnt
from companion.vision.gloss import Gloss
from companion.vision.locate import Bgr, Pyramid, Quad
from companion.vision.residual import Detail, Floats, Scale, Shown, averaged, defocused, disagreement

DETAIL = 128
"""Width in pixels at which faces are verified."""
LIGHTER, GAINS = 300, (0.5, 3.0)
"""Which of 384 points of a card, from the darkest, is its paper; and how far light may differ."""
SOFTER, BLURS = 0.75, (1.0, 2.0, 3.0)
"""How much less sharp a view may be before the face is blurred to match, and the blurs tried, in pixels."""
MOST_KEPT = 100
"""Most faces of which what they look like is kept, sharp or out of focus; each takes 0.4 MB."""
LEAST_GLOSS, MOST_GLOSS = 0.05, 0.6
"""Part of a card that gloss must be on to excuse anything, and from which too little is left."""
MOST_FLAW = 0.3
"""Flaw between the gloss from which it excuses nothing."""
PART_APART = 0.7
"""The flaw of what shows of a card may be this times the square of what parts it from the other cards.

The less a part differs from the same part of the others, the likelier is a card that was never shown to look
just so there: a frame, a number's plate.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """An outline compared with the face that fits it best; nothing is decided yet."""

    face: int
    """Index of the face's picture."""
    corners: Quad
    """From the card's own top-left, clockwise, in full-size pixels."""
    likeness: float
    """Correlation with the face over the whole card, at most 1."""
    flaw: float
    """Disagreement in the worst local window: 0 is perfect, about 1 is something else."""
    rival: float = 1.0
    """The same for the best face of another card; 1 if none came near."""
    blur: float = 0.0
    """How far the view is out of focus, in pixels of `DETAIL`; 0 unless that is plain."""
    other: int = -1
    """Index of the picture of the best other card; -1 if none came near."""
    lead: float = 1.0
    """How far the view leads from that card where the two differ; see `identity.Pair.lead`."""
    left: float = 1.0
    """What the card's index leaves unexplained where that named it; 1 where none did. See `indices.Index`."""
    seen: Detail | None = field(default=None, repr=False)
    """The view as it is, where all of it was compared."""

    @property
    def apart(self) -> float:
        """The greatest flaw allowed where a part was compared: `PART_APART` × `rival`²."""
        return PART_APART * self.rival**2


def full_detail(aspect: float) -> Scale:
    """The size at which faces are verified, for cards `aspect` times as high as wide."""
    return Scale.of(DETAIL, aspect, fine=0.009, broad=0.12)


class Prints:
    """All faces of a deck at full detail."""

    def __init__(self, pictures: Sequence[Bgr], aspect: float) -> None:
        self.scale = full_detail(aspect)
        self.pictures = [self.scale.shrunk(p) for p in pictures]
        self._paper = [_paper(p) for p in self.pictures]
        # Costly to make, and most faces of a large deck are seldom looked at twice.
        self._kept: dict[tuple[int, float], Detail] = {}
        self._printed = lru_cache(MOST_KEPT)(lambda face: burnt.print_of(self.pictures[face]))

    def compared(self, frame: Pyramid, corners: Quad, face: int, most: float = 2.0) -> Match:
        """One view against one face; if it is out of focus, the face is made so.

        `most`: a flaw from which on it does not matter how much more it is.
        """
        view = _lit_as(frame.view(corners, self.scale.size), self._paper[face])
        return self._ready(view, corners, None)(face, most)

    def part(self, frame: Pyramid, corners: Quad, visible: Floats) -> Callable[[int], Match]:
        """The visible part of one view, ready to be compared with one face after another."""
        return self._ready(frame.view(corners, self.scale.size), corners, self.scale.shown(visible))

    def _ready(self, view: Bgr, corners: Quad, shown: Shown | None) -> Callable[..., Match]:
        """A view, or what is shown of it, ready to be compared with a face, up to a flaw; see `compared`."""
        seen = self._detailed(view, shown)
        # A small scan lost its detail by scaling, which blurs grey levels, not light.
        smoothed = cache(lambda blur: self._detailed(_smoothed(view, blur), shown))

        def compared(face: int, most: float = 2.0) -> Match:
            there, known, blur = seen, self._known(face, shown, 0.0), 0.0
            if seen.sharpness < SOFTER * known.sharpness:
                known, blur = _softened(known, seen, partial(self._known, face, shown))
            elif known.sharpness < SOFTER * seen.sharpness:
                there, _ = _softened(seen, known, smoothed)
            likeness, flaw = known.likeness(there), disagreement(there, known, most)
            return Match(face, corners, likeness, flaw, blur=blur, seen=seen if shown is None else None)

        return compared

    def under_gloss(
        self, frame: Pyramid, corners: Quad, face: int, others: Iterable[int]
    ) -> tuple[Match, Floats] | None:
        """As `compared`, without the light mirrored in the view, and where: (height, width) of 0 or 1.

        The rival is the one of the `others` that differs least there. None: too little gloss, or too much.
        """
        view = frame.view(corners, self.scale.size)
        gloss = Gloss.of(view, self.pictures[face])
        shown = gloss.shown
        if not LEAST_GLOSS < 1 - shown.mean() < MOST_GLOSS:
            return None
        compared = self._ready(gloss.taken_off(view), corners, self.scale.shown(shown))
        match = compared(face)
        if match.flaw < MOST_FLAW:
            rival = min(map(compared, others), key=lambda m: m.flaw, default=None)
            if rival is not None:
                match = replace(match, rival=rival.flaw, other=rival.face)
        return match, shown

    def seen(self, frame: Pyramid, corners: Quad, face: int) -> Detail:
        """A whole view under the light of a face's picture."""
        return self._detailed(_lit_as(frame.view(corners, self.scale.size), self._paper[face]), None)

    def exposure(self, frame: Pyramid, corners: Quad, face: int) -> float:
        """How many times too light a view of a face is for white to be white: 1 where it is not burnt."""
        if not burnt.is_burnt(frame.view(corners, burnt.SMALL)):
            return 1.0
        return burnt.exposure_of(frame.view(corners, self.scale.size), self._printed(face))

    def hidden(self, face: int, other: int, exposure: float) -> bool:
        """Is what another face has printed beyond one burnt out at an exposure of more than 1?"""
        return exposure > 1 and burnt.hides(self._printed(face), self._printed(other), exposure)

    def known(self, face: int) -> Detail:
        """A whole face."""
        return self._known(face, None, 0.0)

    def _known(self, face: int, shown: Shown | None, blur: float) -> Detail:
        """A face, or a part of it, this many pixels out of focus."""
        if shown is None and (face, blur) in self._kept:
            return self._kept[face, blur]
        picture = defocused(self.pictures[face], blur) if blur else self.pictures[face]
        known = self._detailed(picture, shown)
        if shown is None:
            if len(self._kept) >= MOST_KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[face, blur] = known
        return known

    def _detailed(self, view: Bgr, shown: Shown | None) -> Detail:
        """What is compared of a view, or of what is shown of it."""
        share = 1.0 if shown is None else max(shown.share, 1e-3)
        return Detail.of(self.scale.residual(view, shown), share)


def _softened(sharp: Detail, soft: Detail, blurred: Callable[[float], Detail]) -> tuple[Detail, float]:
    """The sharp one `blurred` until it is as like the soft one as it gets, and by how much."""
    best, blur = sharp, 0.0
    likeness = best.likeness(soft)
    for more in BLURS:
        tried = blurred(more)
        after = tried.likeness(soft)
        if after <= likeness:
            break
        best, blur, likeness = tried, more, after
    return best, blur


def _paper(picture: Bgr) -> Floats:
    """What stands for white on a card: each channel of the lighter part of it."""
    few = averaged(picture, (16, 24)).reshape(-1, 3)
    return np.asarray(np.partition(few, LIGHTER, axis=0)[LIGHTER], np.float32)


def _lit_as(view: Bgr, paper: Floats) -> Bgr:
    """The view under the light of the picture whose paper that is: each channel brought to it."""
    gain = np.minimum(np.maximum(paper / np.maximum(_paper(view), 1), GAINS[0]), GAINS[1])
    return np.asarray(cv2.transform(view, gain * np.eye(3, dtype=np.float32)), np.uint8)


def _smoothed(view: Bgr, blur: float) -> Bgr:
    return cv2.GaussianBlur(view, (0, 0), blur).astype(np.uint8, copy=False)
