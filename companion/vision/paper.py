"""Says whether anything else in a picture may be a card, once some cards were read.

Cards that are mostly paper show it wherever they show at all. What has not the colour of the paper of the
cards that were read, lit as they are or in shadow, is none of them.
"""

from collections.abc import Sequence
from functools import cached_property, lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.locate import Bgr, Pyramid, Quad, same_quads, whole_pixels

MOSTLY, LIGHT = 0.45, 0.75
"""Part of a middling face that must be paper, and how light that is beside the lightest of the face."""
SIDE = 450
"""Longer side in pixels of the reduced picture that is looked at."""
COLOUR = 9.0
"""How much a and b of CIE Lab may differ from the paper that was seen."""
DARKEST = 0.5
"""Lightness of paper in shadow, beside that of the paper that was seen."""
PART = 0.015
"""Least part of a card that is worth looking for; in one piece, without what is thin."""
NEAR = 0.3
"""How far from the paper that shows of a card its print may be, in parts of the square root of its area."""
SPOTS = 8, 12
"""Across and down a place, where it is asked whether paper shows."""
SEEN_AT, LIGHTER = (16, 24), 230
"""Size at which a known card's paper is looked at, and which of those pixels, from the darkest, is paper."""
RIM = 0.06
"""Part of a card by which its rim and its shadow reach beyond it."""


def of_paper(pictures: Sequence[Bgr]) -> bool:
    """Whether the faces of a deck, (height, width, 3) in BGR each, are mostly paper."""
    shares = []
    for picture in pictures:
        small = cv2.resize(picture, (24, 32), interpolation=cv2.INTER_AREA)
        light = cv2.cvtColor(small, cv2.COLOR_BGR2LAB)[..., 0].astype(np.float32)
        shares.append(float((light > LIGHT * np.percentile(light, 95)).mean()))
    return float(np.median(shares)) > MOSTLY


class Paper:
    """Where one picture has the colour of the paper of the cards that were read in it."""

    def __init__(self, frame: Pyramid) -> None:
        self._frame = frame
        self._last: tuple[list[Quad], NDArray[np.uint8], NDArray[np.uint8]] | None = None
        self._left: tuple[NDArray[np.uint16], NDArray[np.bool_]] | None = None
        self._alike: dict[int, tuple[Quad, NDArray[np.uint8]]] = {}
        """By the identity of a card's corners, which are kept with it: else another's could be the same."""

    @cached_property
    def _lab(self) -> tuple[NDArray[np.uint8], float]:
        """The reduced picture in CIE Lab, and the scale to it."""
        picture, scale = self._frame.reduced(SIDE)
        return np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2LAB), np.uint8), scale

    def left(self, known: Sequence[Quad]) -> bool:
        """Does paper show that is none of the cards with these corners? Without any it may."""
        return not known or bool(self._pieces(known)[1].any())

    def around(self, known: Sequence[Quad]) -> NDArray[np.uint8]:
        """The reduced picture (height, width): 1 on paper that is `left`, and as near as a card's print."""
        if not known:
            return np.ones(self._lab[0].shape[:2], np.uint8)
        near = 2 * round(NEAR * self._lab[1] * _smallest(known) ** 0.5) + 1
        numbers, worth = self._pieces(known)
        return np.asarray(
            cv2.dilate(worth.astype(np.uint8)[numbers], np.ones((near, near), np.uint8)), np.uint8
        )

    def _pieces(self, known: Sequence[Quad]) -> tuple[NDArray[np.uint16], NDArray[np.bool_]]:
        """The reduced picture by the pieces of paper that show and are no known card, as numbers from 1.

        And of each number whether its piece is worth a look; 0 is all else.
        """
        paper, free = self._seen(known)
        if self._left is None:
            both = cv2.bitwise_and(paper, free)
            opened = cv2.morphologyEx(both, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
            # Of a picture as small there are never too many for 16 bits, with which it takes a third.
            _, numbers, about, _ = cv2.connectedComponentsWithStats(opened, ltype=cv2.CV_16U)
            worth = np.asarray(about[:, cv2.CC_STAT_AREA] > PART * _smallest(known) * self._lab[1] ** 2, bool)
            worth[0] = False
            self._left = np.asarray(numbers, np.uint16), worth
        return self._left

    def shown(self, places: Sequence[Quad], known: Sequence[Quad]) -> NDArray[np.float64]:
        """How much of what the `known` cards leave of each of n places is paper: (n,) of 0 to 1.

        All in full-size pixels. Without any known card it is 1.
        """
        if not known or not places:
            return np.ones(len(places))
        paper, free = self._seen(known)
        scale, (rows, columns) = self._lab[1], paper.shape
        corners = np.stack(places) * scale
        # Spots between the corners, as if each place were seen from above: near enough for a share.
        x, y = np.round(np.einsum("sc,ncd->dns", _spots(), corners)).astype(int)
        inside = (x >= 0) & (y >= 0) & (x < columns) & (y < rows)
        x, y = np.clip(x, 0, columns - 1), np.clip(y, 0, rows - 1)
        seen = inside & (free[y, x] > 0)
        return np.asarray((seen & (paper[y, x] > 0)).sum(axis=1) / np.maximum(seen.sum(axis=1), 1))

    def _like(self, quad: Quad, reduced: Quad) -> NDArray[np.uint8]:
        """The reduced picture: 255 where it is like the paper of one card; asked for again and again."""
        if id(quad) not in self._alike:
            light, a, b = _paper(self._lab[0], reduced)
            low, high = (DARKEST * light, a - COLOUR, b - COLOUR), (255, a + COLOUR, b + COLOUR)
            self._alike[id(quad)] = quad, np.asarray(cv2.inRange(self._lab[0], low, high), np.uint8)
        return self._alike[id(quad)][1]

    def _seen(self, known: Sequence[Quad]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """Masks of the reduced picture: 255 where it is like the cards' paper, and where no card is."""
        if self._last is not None and same_quads(self._last[0], known):
            return self._last[1:]
        lab, scale = self._lab
        quads = [np.asarray(quad * scale, np.float32) for quad in known]
        paper, free = np.zeros(lab.shape[:2], np.uint8), np.full(lab.shape[:2], 255, np.uint8)
        for quad, reduced in zip(known, quads, strict=True):
            cv2.bitwise_or(paper, self._like(quad, reduced), dst=paper)
        for quad in quads:
            cv2.fillConvexPoly(free, whole_pixels(_grown(quad, 1 + RIM)), 0)
        self._last, self._left = (list(known), paper, free), None
        return paper, free


@lru_cache(maxsize=1)
def _spots() -> NDArray[np.float64]:
    """Weights of a place's corners (spots, 4) at spots spread over it."""
    across, down = (v.ravel() for v in np.meshgrid(*((np.arange(n) + 0.5) / n for n in SPOTS)))
    return np.stack(
        ((1 - across) * (1 - down), across * (1 - down), across * down, (1 - across) * down), axis=1
    )


def _grown(quad: Quad, by: float) -> Quad:
    middle = quad.mean(axis=0)
    return np.asarray((quad - middle) * by + middle, np.float32)


def _smallest(known: Sequence[Quad]) -> float:
    """The area of the smallest of the cards, in square pixels."""
    return min(cv2.contourArea(quad) for quad in known)


def _paper(lab: NDArray[np.uint8], quad: Quad) -> tuple[float, float, float]:
    """L, a and b of the lighter part of a card at these corners of the reduced picture."""
    size = SEEN_AT
    target = np.array([[0, 0], [size[0], 0], size, [0, size[1]]], np.float32)
    view = cv2.warpPerspective(lab, cv2.getPerspectiveTransform(quad.astype(np.float32), target), size)
    spots = view.reshape(-1, 3)
    least = np.partition(spots[:, 0], LIGHTER)[LIGHTER]
    lightest = np.sort(spots[spots[:, 0] >= least], axis=0)
    middle = lightest[[(len(lightest) - 1) // 2, len(lightest) // 2]].mean(axis=0)
    return float(middle[0]), float(middle[1]), float(middle[2])
