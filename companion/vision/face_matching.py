"""Identifies which enrolled face lies in an outline, with its orientation.

Three steps, each on fewer candidates. (1) *Rank*: all outlines against all faces, both ways up, in one matrix
product of small colour residuals; the mean card of the deck is removed first, so that what all cards share
does not count. (2) *Align*: the outline is moved until the view fits the face, for each likely face again,
because two decks' prints, or two references, are never cut quite alike. (3) *Verify* at full detail: the
worst local window decides, because a stranger of the same print differs in one place only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.alignment import AlignmentArea, FaceTemplate
from companion.vision.comparison import FaceMatch, FacePrints
from companion.vision.outlines import HALF_TURN, Bgr, Pyramid, Quad, median_aspect
from companion.vision.partial_cards import MIN_VISIBLE_SHARE
from companion.vision.photometric_error import ComparisonScale, Floats, normalise_rows, rotate_residuals

REGISTRATION_BLUR = 2.0
"""In pixels of `comparison.DETAIL_WIDTH`: what a registration is off by."""
SAMPLING_STEP = 2
"""After such a blur every other pixel says as much."""
SAME_FACE_DIFFERENCE = 0.002
"""Faces that differ by less of their print's strength are the same: a view tells nothing of them."""

MIN_COLOUR_SHARE, COLOUR_GAINS = 0.01, (0.3, 1.2)
"""Colour beside a face's lightness from which it says how strong a view's colours are; and how weak and
strong they may be.

Look-alikes on photographs not held out, 90 of them with half their colours gone, made smaller and noisy: 21
reds were read as purple before colours had a strength of their own, now none is.
"""


@dataclass(frozen=True, slots=True, eq=False)
class FacePair:
    """One face and another that is registered onto it."""

    one: Floats
    other: Floats
    lightness: NDArray[np.float64]
    """(3,): the square of one's lightness, of the other's, and their product."""
    colour: NDArray[np.float64]
    """The same of their colours."""

    @classmethod
    def of(cls, one: Floats, other: Floats) -> FacePair:
        """From residuals out of `soften_residual`."""
        parts = np.array([_products(one, one), _products(other, other), _products(one, other)])
        return cls(one, other, *parts.T)

    @property
    def is_same_face(self) -> bool:
        """Are they one face?"""
        one, other, product = (self.lightness + self.colour).tolist()
        return bool(one + other - 2 * product < SAME_FACE_DIFFERENCE * (one + other + 2 * product) / 4)

    def lead(self, seen: Floats) -> float:
        """1 where a view out of `soften_residual` shows the first face, -1 where it shows the other; 0 in
        between.

        How strong the view's contrast is does not count, nor how strong its colours are beside that: they
        fade in grey light, and of thin strokes. As far as colours part the two, the lead is then less. A
        third face is at neither.
        """
        if self.is_same_face:
            return 0.0
        ones, others, product = (self.lightness + self.colour).tolist()
        # The view as so much of what both have in common (half their sum) and so much of what parts them
        # (their difference), by least squares.
        common, across, apart = (
            (ones + others + 2 * product) / 4,
            (ones - others) / 2,
            ones + others - 2 * product,
        )
        products = _products(seen, self.one), _products(seen, self.other)
        gain = max(map(_colour_gain, products, self.lightness, self.colour))[1]
        first, second = (light + colour / gain for light, colour in products)
        along, towards = (first + second) / 2, first - second
        strength = along * apart - towards * across
        of_colours = float(self.colour @ (1, 1, -2)) / apart
        shown = 1 - of_colours * max(0.0, 1 - gain)
        return shown * 2 * (towards * common - along * across) / strength if strength > 0 else 0.0


def _products(one: Floats, other: Floats) -> tuple[float, float]:
    """Of two residuals out of `soften_residual` the product of their lightness, and of their colours."""
    third = len(one) // 3
    return float(np.vdot(one[:third], other[:third])), float(np.vdot(one[third:], other[third:]))


def _colour_gain(products: tuple[float, float], lightness: float, colour: float) -> tuple[float, float]:
    """How well a face explains a view, and how strong the view's colours are then, beside its lightness.

    From its products with the view, and its own squares.
    """
    light, tint = products
    gain = 1.0
    if light > 0 and colour > MIN_COLOUR_SHARE * lightness:
        gain = float(np.clip(tint * lightness / (light * colour), *COLOUR_GAINS))
    return (light + gain * tint) / max(lightness + gain**2 * colour, 1e-9) ** 0.5, gain


@dataclass(frozen=True, slots=True, eq=False)
class RegisteredLookAlikes:
    """Of each face of a deck the cards most like it, registered onto it: kept, since that takes long.

    And itself upside down: of most cards that are read both ways up are likely.
    """

    which: NDArray[np.int32]
    """(n, 3): a face, another that is registered onto it, and whether that is upside down."""
    planes: NDArray[np.int8]
    """(n, length): the other, as `soften_residual` has it, in steps of its own."""
    steps: Floats
    """(n,): how much one step is."""

    @classmethod
    def of(cls, found: Sequence[tuple[int, int, int, Floats]]) -> RegisteredLookAlikes:
        """From n of (face, other, upside down, the other registered onto the face, softened)."""
        if not found:
            return cls(np.zeros((0, 3), np.int32), np.zeros((0, 0), np.int8), np.zeros(0, np.float32))
        which = np.array([one[:3] for one in found], np.int32)
        planes = np.stack([one[3] for one in found])
        steps = np.maximum(np.abs(planes).max(axis=1), 1e-6) / np.float32(127)
        return cls(which, np.round(planes / steps[:, None]).astype(np.int8), steps.astype(np.float32))

    def row_numbers(self) -> dict[tuple[int, int, int], int]:
        """Where (face, other, upside down) is kept."""
        return {(face, other, up): row for row, (face, other, up) in enumerate(self.which.tolist())}

    def residual_at(self, row: int) -> Floats:
        """What is kept there, out of `soften_residual`."""
        return np.asarray(self.planes[row] * self.steps[row], np.float32)


def soften_residual(planes: Floats) -> Floats:
    """A residual (3, rows, columns) as pairs are compared, flattened."""
    size = planes.shape[2] // SAMPLING_STEP, planes.shape[1] // SAMPLING_STEP
    smaller = [cv2.resize(plane, size, interpolation=cv2.INTER_AREA) for plane in planes]
    soft = [cv2.sepFilter2D(plane, cv2.CV_32F, _KERNEL, _KERNEL) for plane in smaller]
    return np.asarray(np.stack(soft), np.float32).ravel()


def softened_length(inner: tuple[int, int]) -> int:
    """How long it is of a residual of so many rows and columns."""
    return 3 * (inner[0] // SAMPLING_STEP) * (inner[1] // SAMPLING_STEP)


DIFFERING_WINDOW, DIFFERING_ENERGY, MIN_DIFFERENCE = 8, 0.25, 0.3
"""Side of the windows in which softened residuals are compared, in their pixels; what is added to each
energy, so that blank paper counts for little; and one less their correlation, from which they differ.
"""
MAX_LEAST_DIFFERENCE = 0.4
"""A deck's most alike cards differ in no more of the card than this, as far as is believed.

A few cards do not show how alike others of their print are: of six in sleeves any two differ in 0.74, but one
that was left out and has the frame of one of them differs from that in 0.36.
"""


def differing_share(one: Floats, other: Floats, inner: tuple[int, int]) -> float:
    """In how much of a card two residuals out of `soften_residual`, of so many rows and columns, differ.

    0 to 1. A lamp's reflection spoils a few places however much of a trading card is print of its own, while
    a card that was never shown differs nearly everywhere; of playing cards that is the other way round.
    """
    ones, others = (p.reshape(3, inner[0] // SAMPLING_STEP, inner[1] // SAMPLING_STEP) for p in (one, other))
    side = (DIFFERING_WINDOW, DIFFERING_WINDOW)
    product, known, seen = (
        cv2.boxFilter((a * b).sum(axis=0), -1, side) + DIFFERING_ENERGY
        for a, b in ((ones, others), (ones, ones), (others, others))
    )
    return float((product < (1 - MIN_DIFFERENCE) * np.sqrt(known * seen)).mean())


_LEFT = float(np.sqrt(REGISTRATION_BLUR**2 - (SAMPLING_STEP**2 - 1) / 12)) / SAMPLING_STEP
"""What is left to do of the blur where pixels were averaged `SAMPLING_STEP` by `SAMPLING_STEP`, in those."""
_KERNEL = cv2.getGaussianKernel(2 * round(4 * _LEFT) + 1, _LEFT, cv2.CV_32F)
"""Its weights: applied so, to so small a picture, they take half the time of OpenCV's own blur."""


MAX_OFFSET = 6
"""Pixels of the ranking's views by which a card may lie beside its printed place."""
MIN_SOURCE_SCALE = 0.8
"""Of a view at the ranking's size its size in the picture at least: from much more it would be grainy."""
SAME_TURNED_CORRELATION = 0.97
"""Correlation from which a face is the same upside down, at the ranking's size."""


class FaceRanking:
    """The faces of a deck as small colour residuals, without what all of them share."""

    def __init__(self, pictures: Sequence[Bgr], cards: Sequence[str], aspect: float) -> None:
        self.scale = ComparisonScale.of(32, aspect, fine=0, broad=0.22)
        small = self.scale.residuals([self.scale.shrink(p) for p in pictures])
        # With few cards their mean is not what all share but what each is.
        self._mean = small.mean(axis=0) * np.float32(len(set(cards)) >= 6)
        self.distinctive = normalise_rows(small - self._mean)
        # What they have in common beside them: one product ranks a view against all of it.
        self._ranking = _BothOrientations(
            np.concatenate((self.distinctive, self._mean[None])), self.scale.inner
        )
        self._offset = self.distinctive @ self._mean
        self._plain = _BothOrientations(small, self.scale.inner)
        energy = (small * small).reshape(len(small), 3, -1).sum(axis=1)
        self._energy = _BothOrientations(energy, self.scale.inner)
        self.looks_same_turned = (small * rotate_residuals(small, self.scale.inner)).sum(
            axis=1
        ) > SAME_TURNED_CORRELATION
        """Of each face: is it the same upside down?"""

    def similarity_to_faces(self, face: int) -> Floats:
        """Correlation of a face with all faces, (2, faces): as they are, and upside down."""
        return self._ranking.multiply(self.distinctive[face][None])[:, 0, :-1]

    def rank_outlines(self, frame: Pyramid, quads: Sequence[Quad]) -> tuple[Floats, Floats]:
        """Correlation of every outline with every face, (2, outlines, faces): as it is, and upside down.

        And of every outline with what all faces have in common, (outlines,), the better way up.
        """
        return self._correlate(self.scale.residuals([self._small_view(frame, q) for q in quads]))

    def _small_view(self, frame: Pyramid, quad: Quad) -> Bgr:
        """What lies in an outline, at the ranking's size."""
        return frame.view(quad, self.scale.size, least=MIN_SOURCE_SCALE)

    def rank_shifted(self, frame: Pyramid, quad: Quad) -> tuple[list[Quad], Floats, Floats]:
        """Places shifted and turned as people lay cards on a printed one, and each as `rank_outlines` has it.

        They are cut out of one view for each turn: a step is a whole number of the ranking's pixels.
        """
        scale = self.scale
        places, views = [], []
        for start in _rotated_quads(quad):
            grown, cuts = _shifted_quads(start, scale.size, MAX_OFFSET)
            size = scale.width + 2 * MAX_OFFSET, scale.height + 2 * MAX_OFFSET
            wide = frame.view(grown, (2 * size[0], 2 * size[1]))
            wide = np.asarray(cv2.resize(wide, size, interpolation=cv2.INTER_AREA), np.uint8)
            for (right, down), cut in cuts:
                places.append(cut)
                views.append(wide[down : down + scale.height, right : right + scale.width])
        return places, *self._correlate(scale.residuals(views))

    def _correlate(self, seen: Floats) -> tuple[Floats, Floats]:
        """The two parts of `rank_outlines` from the views' residuals."""
        product = self._ranking.multiply(seen)
        mean, energy = product[:, :, -1], self._mean @ self._mean
        # The length of what is left of a residual of length 1 without what all faces have in common.
        left = np.sqrt(np.maximum(1 - 2 * mean + energy, 1e-12))
        common = mean.max(axis=0) / np.sqrt(max(energy, 1e-12))
        return np.asarray((product[:, :, :-1] - self._offset) / left[:, :, None], np.float32), common

    def rank_parts(self, frame: Pyramid, quads: Sequence[Quad], visible: Sequence[Floats]) -> Floats:
        """As `rank_outlines`, for cards of which only a part can be seen; `visible` is (height, width) of
        `small`.
        """
        edge = self.scale.margin
        seen = self.scale.residuals([self._small_view(frame, q) for q in quads], visible)
        shown = np.stack([v[edge:-edge, edge:-edge].ravel() for v in visible])
        length = np.sqrt(np.maximum(self._energy.multiply(shown), 1e-12))
        return np.asarray(self._plain.multiply(seen) / length, np.float32)


class _BothOrientations:
    """Some vectors, ready to be multiplied with others as they are and upside down."""

    def __init__(self, vectors: Floats, inner: tuple[int, int]) -> None:
        """`vectors`: (m, planes × rows × columns); `inner` are the rows, an even number, and columns."""
        self._inner = inner
        # Each of the two sums has all that is there twice.
        self._even, self._odd = (np.ascontiguousarray(half.T / 2) for half in self._halves(vectors))

    def multiply(self, others: Floats) -> Floats:
        """With each of n others of that length, (2, n, m): as they are, and upside down."""
        even, odd = self._halves(others)
        same, opposite = even @ self._even, odd @ self._odd
        return np.stack((same + opposite, same - opposite))

    def _halves(self, vectors: Floats) -> tuple[Floats, Floats]:
        """What stays the same upside down, and what becomes its opposite: half as long as all is each."""
        planes = vectors.reshape(len(vectors), -1, *self._inner)
        half = self._inner[0] // 2
        upper, lower = planes[:, :, :half], planes[:, :, half:][:, :, ::-1, ::-1]
        even, odd = (both.reshape(len(vectors), -1) for both in (upper + lower, upper - lower))
        return even, odd


def _rotated_quads(quad: Quad) -> list[Quad]:
    """The quad turned as people lay cards on a printed place."""
    middle, places = quad.mean(axis=0), []
    for degrees in (-7.0, 0.0, 7.0):
        turn = np.radians(degrees)
        by = np.array(((np.cos(turn), np.sin(turn)), (-np.sin(turn), np.cos(turn))))
        places.append(np.asarray((quad - middle) @ by + middle, np.float32))
    return places


def _shifted_quads(
    quad: Quad, size: tuple[int, int], reach: int, step: int = 3
) -> tuple[Quad, list[tuple[tuple[int, int], Quad]]]:
    """The quad grown by `reach` pixels of a view of it of that size, and quads of its own size within.

    Each of those with the (x, y) pixels at which it begins in a view of the grown one.
    """
    width, height = size
    whole = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    back = cv2.getPerspectiveTransform(whole, np.asarray(quad, np.float32))
    grown = whole + np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float32) * reach
    starts = [(x, y) for x in range(0, 2 * reach + 1, step) for y in range(0, 2 * reach + 1, step)]
    parts = np.concatenate([grown, *(whole + np.array(at, np.float32) - reach for at in starts)])
    placed = cv2.perspectiveTransform(parts[:, None], back)[:, 0].astype(np.float32).reshape(-1, 4, 2)
    return placed[0], list(zip(starts, placed[1:], strict=True))


SIMILAR_CORRELATION = 0.12
"""Faces whose correlation with the view is this close to the best one's are compared in detail as well."""
ORIENTATION_MARGIN = 0.2
"""The same for the two ways up, at the ranking's small size."""
CERTAIN_CORRELATION = 0.95
"""A face as like the view as this lies in that outline; the other way up is compared in the same one."""
MAX_RIVALS = 5
"""Most faces compared in detail with one outline."""
RECHECK_FLAWS = (0.05, 0.30)
"""Flaws between which a face is also compared with the outline as it was found."""
LOOK_ALIKE_COUNT, BURNT_LOOK_ALIKE_COUNT = 2, 8
"""Cards most like the best one that are compared with it in any case, and in too much light."""
MAX_SWAPS = 2
"""How often another face takes the place of the best one because the view leads towards it."""
MAX_CACHED_PAIRS = 400
"""Most pairs of faces kept; each takes 0.06 MB, and as much again for each face."""
NO_CARD_LIMITS = (0.60, 0.60)
"""A likeliest face that differs by more than the first and is less like the view than the second ends a look.

Of 281 cards that were read on photographs not held out the likeliest face differed by 0.36 at most, and was
alike by 0.79 at least; 98 of the 173 outlines that were refused are beyond both bounds.
"""
WRONG_FACE_FLAW = 0.45
"""A likeliest face that differs by more is not what is there, and no less likely one is: see
`NO_CARD_LIMITS`.
"""
WRONG_PART_FLAW = 0.35
"""A likeliest face of which what shows differs by more ends the look at a part."""
NEIGHBOUR_COUNT = 3
"""Other cards that are compared wherever only a part of one is seen."""
HOPELESS_FLAW = 0.20
"""A face with a flaw beyond this is not worth comparing with its rivals."""
MAX_CANDIDATES = 12
"""Most faces compared with one outline at middling size."""
MIN_CORRELATION = 0.40
"""Below this correlation with the best face an outline is not looked at in detail."""
MIN_PART_CORRELATION = 0.75
"""The same for what shows of a covered card, which must be more alike in the end."""

VisibilityFunction = Callable[[Quad, tuple[int, int]], Floats]
"""Which part of a card can be seen: of corners, at a size, (height, width) of 0 or 1."""


class EnrolledFaces:
    """The enrolled faces, prepared for comparing; pictures are upright and all portrait."""

    def __init__(
        self, pictures: Sequence[Bgr], cards: Sequence[str], sisters: RegisteredLookAlikes | None = None
    ) -> None:
        """`sisters`: as `register_look_alikes` gave them for these pictures of these cards."""
        self.cards = tuple(cards)
        self.aspect = median_aspect(pictures)
        self._middle = ComparisonScale.of(64, self.aspect, fine=0.014, broad=0.22)
        self._prints = FacePrints(pictures, self.aspect)
        self._large = self._prints.scale
        self.pictures = self._prints.pictures
        """All of one size, `comparison.DETAIL_WIDTH` wide."""
        self.ranking = FaceRanking(self.pictures, cards, self.aspect)
        self._whole = self._middle.residuals([self._middle.shrink(p) for p in self.pictures])
        # Costly to make, and most faces of a large deck are seldom looked at twice.
        self._template = cache(lambda face: FaceTemplate(self.pictures[face], self.aspect))
        self._nearest: dict[int, list[tuple[int, int]]] = {}
        self._kept, self._row = sisters, sisters.row_numbers() if sisters else {}
        self._pair = lru_cache(MAX_CACHED_PAIRS)(self._make_pair)
        self._soft = lru_cache(MAX_CACHED_PAIRS)(
            lambda face: soften_residual(self._prints.detail_of_face(face).planes)
        )

    def match_part(
        self,
        frame: Pyramid,
        quad: Quad,
        ranked: Floats,
        visible: VisibilityFunction,
        wanted: Callable[[FaceMatch], bool],
    ) -> FaceMatch | None:
        """As `match`, comparing only what `visible` (of corners, at a size) says is seen.

        None: the one that fits best is not `wanted`; that is asked before its neighbours are compared.
        """
        ground, ways = AlignmentArea.around(frame, quad), (quad, quad[HALF_TURN])
        found: list[FaceMatch] = []
        for turn in (0, 1):
            first = int(ranked[turn].argmax())
            if ranked[turn, first] < ranked.max() - ORIENTATION_MARGIN:
                continue
            start, template, again = ways[turn], self._template(first), ranked[turn]
            shows = visible(start, template.size)
            fitted = {first: template.fit(ground, start, shows)}
            fit = fitted[first]
            after = self.ranking.rank_parts(frame, [fit], [visible(fit, self.ranking.scale.size)])[0, 0]
            if after.max() > again.max():
                start, shows, again, fitted = fit, visible(fit, template.size), after, {}
            if again.max() < MIN_CORRELATION:
                continue
            near = [
                int(f)
                for f in np.argsort(-again)[:MAX_CANDIDATES]
                if again[f] >= again.max() - ORIENTATION_MARGIN
            ]
            whole = self._part_likeness(frame, start, near, visible(start, self._middle.size))
            if whole.max() < MIN_PART_CORRELATION:
                continue
            for at in np.argsort(-whole)[:MAX_RIVALS]:
                if whole[at] < whole.max() - SIMILAR_CORRELATION:
                    break
                face = near[at]
                corners = fitted.get(face)
                if corners is None:
                    corners = self._template(face).fit(ground, start, shows)
                shown = visible(corners, self._large.size)
                if shown.mean() <= MIN_VISIBLE_SHARE:  # it was led under its cover, where nothing disagrees
                    continue
                found.append(self._prints.part_comparer(frame, corners, shown)(face))
                best = self._with_nearest_rival(min(found, key=lambda m: m.flaw), found)
                if found[-1].flaw > WRONG_PART_FLAW or best.flaw >= best.max_part_flaw:
                    break
        if not found:
            return None
        best = self._with_nearest_rival(min(found, key=lambda m: m.flaw), found)
        if not wanted(best):
            return None
        # Of a part no card may go uncompared that looks like it there, however unlike the whole.
        alike = self.ranking.rank_parts(
            frame, [best.corners], [visible(best.corners, self.ranking.scale.size)]
        )[0, 0]
        others = [int(f) for f in np.argsort(-alike) if self.cards[f] != self.cards[best.face]]
        return self._best_of_part(frame, found, others[:NEIGHBOUR_COUNT], visible)

    def _part_likeness(self, frame: Pyramid, quad: Quad, faces: Sequence[int], visible: Floats) -> Floats:
        """Correlation of the visible part of a view with some of the faces, (faces,)."""
        scale, edge = self._middle, self._middle.margin
        seen = scale.residual(frame.view(quad, scale.size), scale.visible_part(visible)).ravel()
        shown = np.flatnonzero(np.tile(visible[edge:-edge, edge:-edge].ravel() > 0, 3))
        there, some = seen.take(shown), np.stack([self._whole[face].take(shown) for face in faces])
        lengths = np.linalg.norm(some, axis=1) * np.linalg.norm(there)
        return np.asarray(some @ there / np.maximum(lengths, 1e-6), np.float32)

    def match_face(self, frame: Pyramid, quad: Quad, face: int, visible: VisibilityFunction) -> FaceMatch:
        """One face against what is visible of an outline the right way up, and the nearest rivals."""
        ground, template = AlignmentArea.around(frame, quad), self._template(face)
        corners = template.fit(ground, quad, visible(quad, template.size))
        shown = visible(corners, self._large.size)
        compared = self._prints.part_comparer(frame, corners, shown)
        first = compared(face)
        if first.flaw > HOPELESS_FLAW:
            return first
        alike = self._middle.residuals([frame.view(corners, self._middle.size)]) @ self._whole.T
        rivals = [int(i) for i in np.argsort(-alike[0])[:MAX_RIVALS] if i != face]
        found = [first, *map(compared, rivals)]
        return self._with_nearest_rival(min(found, key=lambda m: m.flaw), found)

    def fit_face(
        self, frame: Pyramid, quad: Quad, face: int, visible: VisibilityFunction
    ) -> tuple[Quad, ...]:
        """Where one face is of which a part shows in an outline the right way up: fitted, and as it is."""
        template = self._template(face)
        fitted = template.fit(AlignmentArea.around(frame, quad), quad, visible(quad, template.size))
        return (quad,) if fitted is quad else (fitted, quad)

    def compare_part(
        self, frame: Pyramid, corners: Quad, face: int, visible: VisibilityFunction
    ) -> FaceMatch:
        """What is visible of one face where it is."""
        return self._prints.part_comparer(frame, corners, visible(corners, self._large.size))(face)

    def match_without_gloss(self, frame: Pyramid, match: FaceMatch) -> tuple[FaceMatch, Floats] | None:
        """A match of a whole card compared without the light mirrored in it, and where: (height, width)."""
        others = dict.fromkeys(face for _, face in self._similar_faces(match.face))
        bare = self._prints.compare_without_gloss(frame, match.corners, match.face, others)
        return None if bare is None else (replace(bare[0], lead=match.lead), bare[1])

    def with_differing_area(self, match: FaceMatch) -> FaceMatch:
        """A match of a whole card with its `FaceMatch.differing_area`, if it is nearly a card of the deck."""
        if match.view_detail is None or self._least_difference == 0:
            return match
        seen = soften_residual(match.view_detail.planes)
        share = differing_share(seen, self._soft(match.face), self._large.inner)
        return replace(match, differing_area=min(1.0, share / self._least_difference))

    @cached_property
    def _least_difference(self) -> float:
        """In how much of a card two cards of this deck differ at least, 0 to 1; 0 if that is not known."""
        if self._kept is None:
            return 0.0
        shares = (
            differing_share(self._soft(face), self._kept.residual_at(row), self._large.inner)
            for row, (face, other, _) in enumerate(self._kept.which.tolist())
            if self.cards[face] != self.cards[other]
        )
        return min(MAX_LEAST_DIFFERENCE, min(shares, default=0.0))

    def match(self, frame: Pyramid, quad: Quad, ranked: Floats) -> FaceMatch:
        """The face that fits best; `ranked` is (2, faces), this outline's part of `rank_outlines`."""
        ground, ways = AlignmentArea.around(frame, quad), (quad, quad[HALF_TURN])
        fitted: dict[tuple[int, int], Quad] = {}
        starts: dict[int, Quad] = {}
        seen: dict[int, Floats] = {}
        likely: list[tuple[float, int, int]] = []
        for turn in (0, 1):
            best = int(ranked[turn].argmax())
            if ranked[turn, best] < ranked.max() - ORIENTATION_MARGIN or (
                (1 - turn, best) in fitted and self.ranking.looks_same_turned[best]
            ):
                continue
            if likely and max(likely)[0] > CERTAIN_CORRELATION:
                starts[turn] = starts[1 - turn][HALF_TURN]
                seen[turn] = rotate_residuals(seen[1 - turn][None], self._middle.inner)[0]
            else:
                starts[turn] = fitted[turn, best] = self._template(best).fit(ground, ways[turn])
                seen[turn] = self._middle.residuals([frame.view(starts[turn], self._middle.size)])[0]
            near = np.argsort(-ranked[turn])[:MAX_CANDIDATES]
            likely += [(float(self._whole[i] @ seen[turn]), turn, int(i)) for i in near]
        for turn in {0, 1} - set(starts):  # a sister may be the other way up than any likely face
            starts[turn] = starts[1 - turn][HALF_TURN]
        likely.sort(reverse=True)
        whole, turn, face = likely[0]
        if whole < MIN_CORRELATION:
            return FaceMatch(face, starts[turn], whole, 1.0)

        def fit_and_compare(turn: int, face: int, most: float = 2.0) -> FaceMatch:
            corners = fitted.get((turn, face))
            if corners is None:
                corners = self._template(face).fit(ground, starts[turn])
            match = self._prints.compare(frame, corners, face, most=max(most, RECHECK_FLAWS[1]))
            if RECHECK_FLAWS[0] < match.flaw < RECHECK_FLAWS[1]:
                # Print in one spot says little about far corners: there the outline may know better.
                again = self._prints.compare(frame, ways[turn], face, most=min(most, match.flaw))
                match = min(match, again, key=lambda m: m.flaw)
            return match

        rivals = [
            (turn, face) for alike, turn, face in likely[:MAX_RIVALS] if alike >= whole - SIMILAR_CORRELATION
        ]
        return self._identify(frame, rivals, fit_and_compare)

    def match_again(self, frame: Pyramid, quad: Quad, face: int, as_well: float) -> FaceMatch:
        """One face where it was found before, and its sisters where they differ from it.

        With a flaw below `unmoved_flaw_limit` it lies there as it did and is not fitted again; nor what is
        `WRONG_FACE_FLAW`. Which way up is asked again: a card that is nearly the same upside down is seen
        now so, now so.
        """
        best = self._prints.compare(frame, quad, face, most=WRONG_FACE_FLAW)
        if as_well <= best.flaw < WRONG_FACE_FLAW:
            corners = self._template(face).fit(AlignmentArea.around(frame, quad), quad)
            best = self._prints.compare(frame, corners, face)
        leads = self._leads_over(frame, best, 0, [(1, face)])
        lead, _, other = min(leads, default=(1.0, 0, -1))
        if lead < 0 and self.cards[other] == self.cards[face]:
            best = self._prints.compare(frame, best.corners[HALF_TURN], face)
            leads = self._leads_over(frame, best, 0, [(1, face)])
        return self._with_least_lead(best, leads)

    def _identify(
        self, frame: Pyramid, near: Sequence[tuple[int, int]], compared: Callable[..., FaceMatch]
    ) -> FaceMatch:
        """The best of the (turn, face) that may be here, likeliest first; `compared` fits and compares one.

        The likeliest is compared in detail, the others with it where they differ from it. Only where it fits
        badly, or they are pictures of the same card, are all of them compared in detail.
        """
        turn, face = near[0]
        best = compared(turn, face)
        if best.flaw > NO_CARD_LIMITS[0] and best.likeness < NO_CARD_LIMITS[1]:
            return best
        for at, other in near[1:]:
            same = self.cards[other] == self.cards[face] and at == turn
            if (RECHECK_FLAWS[0] if same else HOPELESS_FLAW) < best.flaw < WRONG_FACE_FLAW:
                match = compared(at, other, best.flaw)
                if match.flaw < best.flaw:
                    best, turn = match, at
        leads = self._leads_over(frame, best, turn, near)
        for _ in range(MAX_SWAPS):
            lead, at, other = min(leads, default=(0.0, turn, best.face))
            if lead >= 0:
                break
            best, turn = compared(at, other), at
            leads = self._leads_over(frame, best, turn, near)
        return self._with_least_lead(best, leads)

    def _with_least_lead(self, best: FaceMatch, leads: Sequence[tuple[float, int, int]]) -> FaceMatch:
        """The best match with the other card that it leads least."""
        rivals = [(lead, other) for lead, _, other in leads if self.cards[other] != self.cards[best.face]]
        lead, other = min(rivals, default=(1.0, -1))
        return replace(best, lead=lead, rival_face=other)

    def _leads_over(
        self, frame: Pyramid, best: FaceMatch, turn: int, near: Sequence[tuple[int, int]]
    ) -> list[tuple[float, int, int]]:
        """How far the best match leads each of the others: (`FacePair.lead`, turn, face)."""
        card = self.cards[best.face]
        others = {(at, face) for at, face in near if self.cards[face] != card or at != turn}
        exposure = self._prints.exposure_of_view(frame, best.corners, best.face)
        # In a bad outline the right card may not come near, but it is like the one that does.
        sisters = self._similar_faces(
            best.face, LOOK_ALIKE_COUNT if exposure == 1 else BURNT_LOOK_ALIKE_COUNT
        )
        others |= {(turn ^ at, face) for at, face in sisters}
        if not others:
            return []
        view = best.view_detail or self._prints.detail_of_view(frame, best.corners, best.face)
        seen = soften_residual(view.planes)
        pairs = [(self._pair(best.face, face, at ^ turn), at, face) for at, face in others]
        leads = []
        for pair, at, face in pairs:
            if pair.is_same_face and self.cards[face] == card:
                continue  # it looks the same upside down
            lead = pair.lead(seen)
            if lead > 0 and self._prints.is_difference_burnt_out(best.face, face, exposure):
                lead = 0.0  # what this card lacks may be burnt out
            leads.append((lead, at, face))
        return leads

    def _similar_faces(self, face: int, most: int = LOOK_ALIKE_COUNT) -> list[tuple[int, int]]:
        """The (turn, face) of other cards that are most like a face at the ranking's size."""
        if face not in self._nearest:
            both = self.ranking.similarity_to_faces(face)
            both[:, np.array(self.cards) == self.cards[face]] = -1
            nearest = np.argsort(-both, axis=None)[:BURNT_LOOK_ALIKE_COUNT]
            found = [divmod(int(at), both.shape[1]) for at in nearest]
            self._nearest[face] = [(turn, other) for turn, other in found if both[turn, other] > -1]
        return self._nearest[face][:most]

    def register_look_alikes(self, told: Callable[[float], None]) -> RegisteredLookAlikes:
        """The cards most like each face, and itself upside down, registered onto it.

        `told` is called with the fraction done.
        """
        found = []
        for face in range(len(self.pictures)):
            pairs = [(1, face), *self._similar_faces(face)]
            found += [(face, other, up, self._register_onto(face, other, up)) for up, other in pairs]
            told((face + 1) / len(self.pictures))
        return RegisteredLookAlikes.of(found)

    def _make_pair(self, face: int, other: int, up: int) -> FacePair:
        """One face and another registered onto it, the other way up if `up` is 1."""
        row = self._row.get((face, other, up))
        if self._kept is None or row is None:
            return FacePair.of(self._soft(face), self._register_onto(face, other, up))
        return FacePair.of(self._soft(face), self._kept.residual_at(row))

    def _register_onto(self, face: int, other: int, up: int) -> Floats:
        """Another face registered onto one, out of `soften_residual`."""
        picture, known = Pyramid(self.pictures[other]), self._prints.detail_of_face(face)
        quad = np.roll(self._picture_corners(), -2 * up, axis=0)
        fitted = self._template(face).fit(AlignmentArea.around(picture, quad), quad)
        ways = (quad,) if fitted is quad else (quad, fitted)
        best = max((self._prints.detail_of_view(picture, c, face) for c in ways), key=known.likeness)
        return soften_residual(best.planes)

    def _picture_corners(self) -> Quad:
        """The corners of a face's picture at full detail."""
        width, height = self._large.size
        return np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)

    def _best_of_part(
        self, frame: Pyramid, found: Sequence[FaceMatch], others: Sequence[int], visible: VisibilityFunction
    ) -> FaceMatch:
        """The match of a part with the least flaw, with how near the best other card came.

        A rival that was fitted wrongly is compared once more where the best one is, as are `others`.
        """
        first = min(found, key=lambda m: m.flaw)
        if first.flaw < HOPELESS_FLAW:
            there = (first.corners, first.corners[HALF_TURN])
            rivals = dict.fromkeys(others, 0)
            for match in found:
                if self.cards[match.face] != self.cards[first.face]:
                    off = [float(np.abs(q - match.corners).max()) for q in there]
                    rivals[match.face] = off.index(min(off))
            for way in set(rivals.values()):
                compared = self._prints.part_comparer(
                    frame, there[way], visible(there[way], self._large.size)
                )
                found = [*found, *(compared(face) for face, at in rivals.items() if at == way)]
            first = min(found, key=lambda m: m.flaw)
        return self._with_nearest_rival(first, found)

    def _with_nearest_rival(self, best: FaceMatch, found: Sequence[FaceMatch]) -> FaceMatch:
        """The best match, with the other card that came nearest and how near."""
        others = [m for m in found if self.cards[m.face] != self.cards[best.face]]
        rival = min(others, key=lambda m: m.flaw, default=None)
        return best if rival is None else replace(best, rival_flaw=rival.flaw, rival_face=rival.face)

    def visible_print_share(self, match: FaceMatch, visible: VisibilityFunction) -> float:
        """The share of a face's print, 0 to 1 by its strength, that is visible in a match."""
        mask, planes = (
            visible(match.corners, self._large.size),
            self._prints.detail_of_face(match.face).planes,
        )
        energy = (planes * planes).sum(axis=0)
        edge = self._large.margin
        return float((energy * mask[edge:-edge, edge:-edge]).sum() / max(float(energy.sum()), 1e-6))

    def similar_face_pairs(self) -> list[tuple[float, int, int]]:
        """How alike faces of different cards are: (flaw, face, face most like it), most alike first.

        The flaw is `comparison.Match.flaw`; faces are indices of the deck's pictures.
        """
        both = np.stack(
            [self.ranking.distinctive, rotate_residuals(self.ranking.distinctive, self.ranking.scale.inner)]
        )
        alike = both @ self.ranking.distinctive.T
        cards = np.unique(self.cards, return_inverse=True)[1]
        alike[:, cards[:, None] == cards[None, :]] = -1
        found = []
        for one in range(len(self.pictures)):
            turn, other = (int(v) for v in np.unravel_index(alike[:, one].argmax(), alike[:, one].shape))
            if alike[turn, one, other] > -1:
                found.append((self.compare_faces(one, other, turn).flaw, one, other))
        return sorted(found)

    def compare_faces(self, one: int, other: int, turn: int = 0) -> FaceMatch:
        """The picture of one face against another face; `turn` 1 is upside down."""
        picture = Pyramid(self.pictures[one])
        quad = np.roll(self._picture_corners(), -2 * turn, axis=0)
        corners = self._template(other).fit(AlignmentArea.around(picture, quad), quad)
        fits = (self._prints.compare(picture, corners, other), self._prints.compare(picture, quad, other))
        return min(fits, key=lambda match: match.flaw)
