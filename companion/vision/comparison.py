"""Compares one view of a card with the picture of one face at full detail, but where light hides it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache, partial

import cv2
import numpy as np

from companion.vision.outlines import Bgr, Pyramid, Quad
from companion.vision.photometric_error import (
    ComparisonScale,
    Floats,
    ResidualDetail,
    VisiblePart,
    defocus,
    resize_by_area,
    worst_disagreement,
)

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


DETAIL_WIDTH = 128
"""Width in pixels at which faces are verified."""
PAPER_RANK, GAIN_RANGE = 300, (0.5, 3.0)
"""Which of 384 points of a card, from the darkest, is its paper; and how far light may differ."""
BLUR_THRESHOLD, TRIED_BLURS = 0.75, (1.0, 2.0, 3.0)
"""How much less sharp a view may be before the face is blurred to match, and the blurs tried, in pixels."""
MAX_CACHED_FACES = 100
"""Most faces of which what they look like is kept, sharp or out of focus; each takes 0.4 MB."""
MIN_GLOSS_SHARE, MAX_GLOSS_SHARE = 0.05, 0.6
"""Part of a card that gloss must be on to excuse anything, and from which too little is left."""
GLOSS_MAX_FLAW = 0.3
"""Flaw between the gloss from which it excuses nothing."""
PART_FLAW_FACTOR = 0.7
"""The flaw of what shows of a card may be this times the square of what parts it from the other cards.

The less a part differs from the same part of the others, the likelier is a card that was never shown to look
just so there: a frame, a number's plate.
"""


@dataclass(frozen=True, slots=True, eq=False)
class FaceMatch:
    """An outline compared with the face that fits it best; nothing is decided yet."""

    face: int
    """Index of the face's picture."""
    corners: Quad
    """From the card's own top-left, clockwise, in full-size pixels."""
    likeness: float
    """Correlation with the face over the whole card, at most 1."""
    flaw: float
    """Disagreement in the worst local window: 0 is perfect, about 1 is something else."""
    rival_flaw: float = 1.0
    """The same for the best face of another card; 1 if none came near."""
    blur: float = 0.0
    """How far the view is out of focus, in pixels of `DETAIL_WIDTH`; 0 unless that is plain."""
    rival_face: int = -1
    """Index of the picture of the best other card; -1 if none came near."""
    lead: float = 1.0
    """How far the view leads from that card where the two differ; see `face_matching.FacePair.lead`."""
    index_ambiguity: float = 1.0
    """What the card's index leaves unexplained where that named it; 1 where none did. See
    `corner_indices.CornerIndexReading`.
    """
    differing_area: float = 1.0
    """In how much of the card it differs, beside the least in which two cards of the deck do, at most 1; 1
    where that was not asked. See `face_matching.differing_share`.
    """
    view_detail: ResidualDetail | None = field(default=None, repr=False)
    """The view as it is, where all of it was compared."""

    @property
    def max_part_flaw(self) -> float:
        """The greatest flaw allowed where a part was compared: `PART_FLAW_FACTOR` × `rival`²."""
        return PART_FLAW_FACTOR * self.rival_flaw**2


def full_detail_scale(aspect: float) -> ComparisonScale:
    """The size at which faces are verified, for cards `aspect` times as high as wide."""
    return ComparisonScale.of(DETAIL_WIDTH, aspect, fine=0.009, broad=0.12)


class FacePrints:
    """All faces of a deck at full detail."""

    def __init__(self, pictures: Sequence[Bgr], aspect: float) -> None:
        self.scale = full_detail_scale(aspect)
        self.pictures = [self.scale.shrink(p) for p in pictures]
        self._paper = [_paper_colour(p) for p in self.pictures]
        # Costly to make, and most faces of a large deck are seldom looked at twice.
        self._kept: dict[tuple[int, float], ResidualDetail] = {}
        self._printed = lru_cache(MAX_CACHED_FACES)(lambda face: relative_brightness(self.pictures[face]))

    def compare(self, frame: Pyramid, corners: Quad, face: int, most: float = 2.0) -> FaceMatch:
        """One view against one face; if it is out of focus, the face is made so.

        `most`: a flaw from which on it does not matter how much more it is.
        """
        view = _match_lighting(frame.view(corners, self.scale.size), self._paper[face])
        return self._make_comparer(view, corners, None)(face, most)

    def part_comparer(self, frame: Pyramid, corners: Quad, visible: Floats) -> Callable[[int], FaceMatch]:
        """The visible part of one view, ready to be compared with one face after another."""
        return self._make_comparer(
            frame.view(corners, self.scale.size), corners, self.scale.visible_part(visible)
        )

    def _make_comparer(self, view: Bgr, corners: Quad, shown: VisiblePart | None) -> Callable[..., FaceMatch]:
        """A view, or what is shown of it, ready to be compared with a face, up to a flaw; see `compared`."""
        seen = self._make_detail(view, shown)
        # A small scan lost its detail by scaling, which blurs grey levels, not light.
        smoothed = cache(lambda blur: self._make_detail(_gaussian_blur(view, blur), shown))

        def compare_face(face: int, most: float = 2.0) -> FaceMatch:
            there, known, blur = seen, self._detail_of_face(face, shown, 0.0), 0.0
            if seen.sharpness < BLUR_THRESHOLD * known.sharpness:
                known, blur = _blur_to_match(known, seen, partial(self._detail_of_face, face, shown))
            elif known.sharpness < BLUR_THRESHOLD * seen.sharpness:
                there, _ = _blur_to_match(seen, known, smoothed)
            likeness, flaw = known.likeness(there), worst_disagreement(there, known, most)
            return FaceMatch(
                face, corners, likeness, flaw, blur=blur, view_detail=seen if shown is None else None
            )

        return compare_face

    def compare_without_gloss(
        self, frame: Pyramid, corners: Quad, face: int, others: Iterable[int]
    ) -> tuple[FaceMatch, Floats] | None:
        """As `compared`, without the light mirrored in the view, and where: (height, width) of 0 or 1.

        The rival is the one of the `others` that differs least there. None: too little gloss, or too much.
        """
        view = frame.view(corners, self.scale.size)
        gloss = SpecularHighlight.estimate(view, self.pictures[face])
        shown = gloss.readable
        if not MIN_GLOSS_SHARE < 1 - shown.mean() < MAX_GLOSS_SHARE:
            return None
        compared = self._make_comparer(gloss.remove_from(view), corners, self.scale.visible_part(shown))
        match = compared(face)
        if match.flaw < GLOSS_MAX_FLAW:
            rival = min(map(compared, others), key=lambda m: m.flaw, default=None)
            if rival is not None:
                match = replace(match, rival_flaw=rival.flaw, rival_face=rival.face)
        return match, shown

    def detail_of_view(self, frame: Pyramid, corners: Quad, face: int) -> ResidualDetail:
        """A whole view under the light of a face's picture."""
        return self._make_detail(
            _match_lighting(frame.view(corners, self.scale.size), self._paper[face]), None
        )

    def exposure_of_view(self, frame: Pyramid, corners: Quad, face: int) -> float:
        """How many times too light a view of a face is for white to be white: 1 where it is not burnt."""
        if not is_overexposed(frame.view(corners, COUNTING_SIZE)):
            return 1.0
        return estimate_exposure(frame.view(corners, self.scale.size), self._printed(face))

    def is_difference_burnt_out(self, face: int, other: int, exposure: float) -> bool:
        """Is what another face has printed beyond one burnt out at an exposure of more than 1?"""
        return exposure > 1 and hides_difference(self._printed(face), self._printed(other), exposure)

    def detail_of_face(self, face: int) -> ResidualDetail:
        """A whole face."""
        return self._detail_of_face(face, None, 0.0)

    def _detail_of_face(self, face: int, shown: VisiblePart | None, blur: float) -> ResidualDetail:
        """A face, or a part of it, this many pixels out of focus."""
        if shown is None and (face, blur) in self._kept:
            return self._kept[face, blur]
        picture = defocus(self.pictures[face], blur) if blur else self.pictures[face]
        known = self._make_detail(picture, shown)
        if shown is None:
            if len(self._kept) >= MAX_CACHED_FACES:
                del self._kept[next(iter(self._kept))]
            self._kept[face, blur] = known
        return known

    def _make_detail(self, view: Bgr, shown: VisiblePart | None) -> ResidualDetail:
        """What is compared of a view, or of what is shown of it."""
        share = 1.0 if shown is None else max(shown.share, 1e-3)
        return ResidualDetail.of(self.scale.residual(view, shown), share)


def _blur_to_match(
    sharp: ResidualDetail, soft: ResidualDetail, blurred: Callable[[float], ResidualDetail]
) -> tuple[ResidualDetail, float]:
    """The sharp one `blurred` until it is as like the soft one as it gets, and by how much."""
    best, blur = sharp, 0.0
    likeness = best.likeness(soft)
    for more in TRIED_BLURS:
        tried = blurred(more)
        after = tried.likeness(soft)
        if after <= likeness:
            break
        best, blur, likeness = tried, more, after
    return best, blur


def _paper_colour(picture: Bgr) -> Floats:
    """What stands for white on a card: each channel of the lighter part of it."""
    few = resize_by_area(picture, (16, 24)).reshape(-1, 3)
    return np.asarray(np.partition(few, PAPER_RANK, axis=0)[PAPER_RANK], np.float32)


def _match_lighting(view: Bgr, paper: Floats) -> Bgr:
    """The view under the light of the picture whose paper that is: each channel brought to it."""
    gain = np.minimum(np.maximum(paper / np.maximum(_paper_colour(view), 1), GAIN_RANGE[0]), GAIN_RANGE[1])
    return np.asarray(cv2.transform(view, gain * np.eye(3, dtype=np.float32)), np.uint8)


def _gaussian_blur(view: Bgr, blur: float) -> Bgr:
    return cv2.GaussianBlur(view, (0, 0), blur).astype(np.uint8, copy=False)
