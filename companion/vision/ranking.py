"""Ranks outlines against all faces of a deck at once, both ways up, in one matrix product."""

from collections.abc import Sequence

import cv2
import numpy as np

from companion.vision.locate import Bgr, Pyramid, Quad, around, askew
from companion.vision.residual import Floats, Scale, turned, unit

REACH = 6
"""Pixels of the ranking's views by which a card may lie beside its printed place."""
SMOOTHED = 0.8
"""Of a view at the ranking's size its size in the picture at least: from much more it would be grainy."""
EVEN = 0.97
"""Correlation from which a face is the same upside down, at the ranking's size."""


class Ranking:
    """The faces of a deck as small colour residuals, without what all of them share."""

    def __init__(self, pictures: Sequence[Bgr], cards: Sequence[str], aspect: float) -> None:
        self.scale = Scale.of(32, aspect, fine=0, broad=0.22)
        small = self.scale.residuals([self.scale.shrunk(p) for p in pictures])
        # With few cards their mean is not what all share but what each is.
        self._mean = small.mean(axis=0) * np.float32(len(set(cards)) >= 6)
        self.special = unit(small - self._mean)
        # Both ways up, and what they have in common: one product ranks a view against all of it.
        both_ways = [
            np.concatenate((v, turned(v, self.scale.inner))) for v in (self.special, self._mean[None])
        ]
        self._ranking = np.ascontiguousarray(np.concatenate((*both_ways, unit(both_ways[1]))).T)
        self._offset = np.concatenate([self.special @ self._mean] * 2)
        self._plain, self._energy = small, small * small
        self.even = (small * turned(small, self.scale.inner)).sum(axis=1) > EVEN
        """Of each face: is it the same upside down?"""

    def sisters(self, face: int) -> Floats:
        """Correlation of a face with all faces, (2, faces): as they are, and upside down."""
        faces = len(self.special)
        return np.asarray(self.special[face] @ self._ranking[:, : 2 * faces], np.float32).reshape(2, faces)

    def rank(self, frame: Pyramid, quads: Sequence[Quad]) -> tuple[Floats, Floats]:
        """Correlation of every outline with every face, (2, outlines, faces): as it is, and upside down.

        And of every outline with what all faces have in common, (outlines,), the better way up.
        """
        return self._ranked(self.scale.residuals([self._seen(frame, q) for q in quads]))

    def _seen(self, frame: Pyramid, quad: Quad) -> Bgr:
        """What lies in an outline, at the ranking's size."""
        return frame.view(quad, self.scale.size, least=SMOOTHED)

    def rank_askew(self, frame: Pyramid, quad: Quad) -> tuple[list[Quad], Floats, Floats]:
        """Places shifted and turned as people lay cards on a printed one, and each as `rank` has it.

        They are cut out of one view for each turn: a step is a whole number of the ranking's pixels.
        """
        scale = self.scale
        places, views = [], []
        for start in askew(quad):
            grown, cuts = around(start, scale.size, REACH)
            size = scale.width + 2 * REACH, scale.height + 2 * REACH
            wide = frame.view(grown, (2 * size[0], 2 * size[1]))
            wide = np.asarray(cv2.resize(wide, size, interpolation=cv2.INTER_AREA), np.uint8)
            for (right, down), cut in cuts:
                places.append(cut)
                views.append(wide[down : down + scale.height, right : right + scale.width])
        return places, *self._ranked(scale.residuals(views))

    def _ranked(self, seen: Floats) -> tuple[Floats, Floats]:
        """The two parts of `rank` from the views' residuals."""
        faces = len(self.special)
        product = seen @ self._ranking
        mean, common = product[:, 2 * faces : 2 * faces + 2], product[:, 2 * faces + 2 :]
        # The length of what is left of a residual of length 1 without what all faces have in common.
        left = np.sqrt(np.maximum(1 - 2 * mean + self._mean @ self._mean, 1e-12))
        special = (product[:, : 2 * faces] - self._offset).reshape(len(seen), 2, faces) / left[:, :, None]
        return np.ascontiguousarray(special.transpose(1, 0, 2), np.float32), common.max(axis=1)

    def rank_parts(self, frame: Pyramid, quads: Sequence[Quad], visible: Sequence[Floats]) -> Floats:
        """As `rank`, for cards of which only a part can be seen; `visible` is (height, width) of `small`."""
        scale = self.scale
        seen = [scale.residual(self._seen(frame, q), v).ravel() for q, v in zip(quads, visible, strict=True)]
        edge = scale.margin
        shown = [np.tile(v[edge:-edge, edge:-edge].ravel(), 3) for v in visible]
        there, where = np.stack(seen), np.stack(shown)
        both = np.concatenate([there, turned(there, scale.inner)])
        masks = np.concatenate([where, turned(where, scale.inner)])
        length = np.linalg.norm(both, axis=1)[:, None] * np.sqrt(masks @ self._energy.T)
        alike = both @ self._plain.T / np.maximum(length, 1e-6)
        return np.asarray(alike.reshape(2, len(quads), -1), np.float32)
