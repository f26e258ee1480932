"""Ranks outlines against all faces of a deck at once by correlation of small residuals."""

from collections.abc import Sequence

import cv2
import numpy as np

from companion.vision.outlines import Bgr, Pyramid, Quad
from companion.vision.photometric_error import ComparisonScale, Floats, normalise_rows, rotate_residuals

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
        """Places shifted and turned as people lay cards on a printed one, and each as `rank` has it.

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
        """The two parts of `rank` from the views' residuals."""
        product = self._ranking.multiply(seen)
        mean, energy = product[:, :, -1], self._mean @ self._mean
        # The length of what is left of a residual of length 1 without what all faces have in common.
        left = np.sqrt(np.maximum(1 - 2 * mean + energy, 1e-12))
        common = mean.max(axis=0) / np.sqrt(max(energy, 1e-12))
        return np.asarray((product[:, :, :-1] - self._offset) / left[:, :, None], np.float32), common

    def rank_parts(self, frame: Pyramid, quads: Sequence[Quad], visible: Sequence[Floats]) -> Floats:
        """As `rank`, for cards of which only a part can be seen; `visible` is (height, width) of `small`."""
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
