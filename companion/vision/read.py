"""Says which enrolled face lies in an outline, which way up, and how sure that is.

Three steps, each on fewer candidates. (1) *Rank*: all outlines against all faces, both ways up, in one matrix
product: the correlation of small colour residuals (CIE Lab, the local mean removed, so that light and shadow
drop out; the mean card of the deck removed, so that what all cards share does not count). (2) *Align*: the
outline is moved until the view fits the face (Evangelidis and Psarakis, "Parametric image alignment using
enhanced correlation coefficient maximization", 2008; `cv2.findTransformECC`). (3) *Verify* on a larger view:
the correlation with the face, its worst local window (a stranger of the same print differs in one place only)
and, against every near rival, a comparison of just the pixels where the two faces differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.locate import Bgr, Pyramid, Quad

Floats = NDArray[np.float32]

COARSE, FINE = 32, 96
"""Width in pixels of the small view for ranking and of the large one for verifying."""


def _gaussian(length: int, sigma: float) -> Floats:
    """A (length, length) matrix that smooths a line of pixels; at the ends the weights are renormalised."""
    at = np.arange(length, dtype=np.float32)
    weight: Floats = np.exp(-0.5 * ((at[:, None] - at[None, :]) / sigma) ** 2).astype(np.float32)
    return np.asarray(weight / weight.sum(axis=1, keepdims=True), np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Scale:
    """One size at which views are compared: pixels to a vector of colour residuals of length 1."""

    width: int
    height: int
    fine: tuple[Floats, Floats] = field(repr=False)
    broad: tuple[Floats, Floats] = field(repr=False)

    @classmethod
    def of(cls, width: int, aspect: float) -> Scale:
        height = round(width * aspect)
        small, large = 0.014 * width, 0.22 * width
        return cls(
            width,
            height,
            (_gaussian(height, small), _gaussian(width, small)),
            (_gaussian(height, large), _gaussian(width, large)),
        )

    @property
    def size(self) -> tuple[int, int]:
        return self.width, self.height

    @property
    def margin(self) -> int:
        """Pixels left out along each edge: what lies there is table as often as card."""
        return max(1, self.width // 16)

    @property
    def inner(self) -> tuple[int, int]:
        """Rows and columns of the residual."""
        return self.height - 2 * self.margin, self.width - 2 * self.margin

    def residuals(self, views: Sequence[Bgr]) -> Floats:
        """(n views of `size`) → (n, rows × columns × 3), each row of length 1."""
        tall = cv2.cvtColor(np.concatenate(views), cv2.COLOR_BGR2LAB)
        planes = tall.reshape(len(views), self.height, self.width, 3).astype(np.float32)
        planes = np.ascontiguousarray(planes.transpose(0, 3, 1, 2))
        rest = self.fine[0] @ planes @ self.fine[1].T - self.broad[0] @ planes @ self.broad[1].T
        rest[:, 1:] *= 1.5
        edge = self.margin
        flat = rest[:, :, edge:-edge, edge:-edge].reshape(len(views), -1)
        lengths = np.linalg.norm(flat, axis=1, keepdims=True)
        return np.asarray(flat / np.maximum(lengths, 1e-6), np.float32)


def _turned(vectors: Floats, inner: tuple[int, int]) -> Floats:
    """The same residuals upside down."""
    return vectors.reshape(-1, 3, *inner)[:, :, ::-1, ::-1].reshape(len(vectors), -1)


def _alignable(view: Bgr) -> Floats:
    """One plane in which both lightness and red against green count, lightly smoothed."""
    lab = cv2.cvtColor(view, cv2.COLOR_BGR2LAB).astype(np.float32)
    return cv2.GaussianBlur(lab[..., 0] + 0.7 * lab[..., 1], (0, 0), 1.0).astype(np.float32, copy=False)


@dataclass(frozen=True, slots=True)
class Match:
    """An outline compared with its best face; nothing is decided yet."""

    face: int
    """Index of the face's picture."""
    corners: Quad
    """From the card's own top-left, clockwise, in full-size pixels."""
    likeness: float
    """Correlation with the face, at most 1."""
    margin: float
    """0.5: exactly this face where it differs from its nearest rival; 0: half-way between; 1: no rival."""
    flaw: float
    """Share of the view's energy that the face does not explain, in the worst local window."""


class Faces:
    """The enrolled faces, prepared for comparing; pictures are upright and all portrait."""

    def __init__(self, pictures: Sequence[Bgr], cards: Sequence[str]) -> None:
        self.cards = tuple(cards)
        self.aspect = float(np.median([p.shape[0] / p.shape[1] for p in pictures]))
        self.small, self.large = Scale.of(COARSE, self.aspect), Scale.of(FINE, self.aspect)
        middle = Scale.of(64, self.aspect).size
        resized = [[cv2.resize(p, s, interpolation=cv2.INTER_AREA) for p in pictures] for s in
                   (self.small.size, middle, self.large.size)]  # fmt: skip
        self.middle = middle
        self.coarse = self.small.residuals([np.asarray(v, np.uint8) for v in resized[0]])
        self.aligning = [_alignable(np.asarray(v, np.uint8)) for v in resized[1]]
        self.fine = self.large.residuals([np.asarray(v, np.uint8) for v in resized[2]])
        # With few cards their mean is not what all share but what each is.
        self.mean = self.coarse.mean(axis=0) * np.float32(len(set(cards)) >= 6)
        special = self.coarse - self.mean
        self.special = special / np.maximum(np.linalg.norm(special, axis=1, keepdims=True), 1e-6)

    def rank(self, frame: Pyramid, quads: Sequence[Quad]) -> Floats:
        """Correlation of every outline with every face, (2, outlines, faces): as it is, and upside down."""
        size = (2 * self.small.width, 2 * self.small.height)
        views = [
            cv2.resize(frame.view(q, size), self.small.size, interpolation=cv2.INTER_AREA) for q in quads
        ]
        seen = self.small.residuals([np.asarray(v, np.uint8) for v in views])
        both = np.concatenate([seen, _turned(seen, self.small.inner)]) - self.mean
        both /= np.maximum(np.linalg.norm(both, axis=1, keepdims=True), 1e-6)
        return np.asarray((both @ self.special.T).reshape(2, len(quads), -1), np.float32)

    def match(self, frame: Pyramid, quad: Quad, ranked: Floats) -> Match:
        """Aligns the outline (already the right way up) with its best face and compares closely."""
        order = np.argsort(-ranked)[:8]
        corners = self._aligned(frame, quad, int(order[0]))
        seen = self.large.residuals([frame.view(corners, self.large.size)])[0]
        likeness = self.fine[order] @ seen
        order = order[np.argsort(-likeness)]
        best = int(order[0])
        margin = 1.0
        for rival in order[1:]:
            if self.cards[rival] == self.cards[best]:
                continue
            differ = self.fine[best] - self.fine[rival]
            middle = (self.fine[best] + self.fine[rival]) / 2
            margin = min(margin, float((seen - middle) @ differ) / max(float(differ @ differ), 1e-9))
        top = float(likeness.max())
        rest = ((seen - top * self.fine[best]) ** 2).reshape(3, *self.large.inner).sum(axis=0)
        window = max(3, self.large.width * 21 // 128)
        flaw = float(cv2.boxFilter(rest, -1, (window, window), normalize=False).max())
        return Match(best, corners, top, margin, flaw)

    def _aligned(self, frame: Pyramid, quad: Quad, face: int) -> Quad:
        """The outline moved so that the view fits the face; as it was if that fails or leads astray."""
        width, height = self.middle
        view = _alignable(frame.view(quad, self.middle))
        warp = np.eye(3, dtype=np.float32)
        stop = (cv2.TERM_CRITERIA_COUNT + cv2.TERM_CRITERIA_EPS, 25, 1e-3)
        try:
            found, warp = cv2.findTransformECC(  # type: ignore[call-overload]
                self.aligning[face], view, warp, cv2.MOTION_HOMOGRAPHY, stop, None, 1
            )
        except cv2.error:  # did not converge: the picture has nothing to hold on to
            return quad
        corner = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
        back = cv2.getPerspectiveTransform(corner - 0.5, quad)
        moved = cv2.perspectiveTransform((corner - 0.5)[:, None], back @ warp)[:, 0].astype(np.float32)
        astray = np.abs(moved - quad).max() > 0.12 * np.linalg.norm(quad[0] - quad[2])
        return quad if found < 0.1 or astray else moved
