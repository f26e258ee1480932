"""Finds paper in a picture that no recognised card explains: a card there is still to be read.

Cards that are mostly paper show it wherever they show at all. What has not the colour of the paper of the
cards that were read, lit as they are or in shadow, is none of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.outlines import Bgr, Pyramid, Quad, scale_quads, to_drawable_pixels

MIN_PAPER_SHARE, MIN_PAPER_LIGHT = 0.45, 0.75
"""Part of a middling face that must be paper, and how light that is beside the lightest of the face."""
PAPER_SIDE = 450
"""Longer side in pixels of the reduced picture that is looked at."""
MAX_COLOUR_DIFFERENCE = 9.0
"""How much a and b of CIE Lab may differ from the paper that was seen."""
MIN_SHADOW_LIGHT = 0.5
"""Lightness of paper in shadow, beside that of the paper that was seen."""
MIN_PIECE_SHARE = 0.015
"""Least part of a card that is worth looking for; in one piece, without what is thin."""
PRINT_REACH = 0.3
"""How far from the paper that shows of a card its print may be, in parts of the square root of its area."""
SPOT_GRID = 8, 12
"""Across and down a place, where it is asked whether paper shows."""
SAMPLE_SIZE, PAPER_RANK = (16, 24), 230
"""Size at which a known card's paper is looked at, and which of those pixels, from the darkest, is paper."""
CARD_RIM = 0.06
"""Part of a card by which its rim and its shadow reach beyond it."""
MAX_CACHED_REMAINDERS = 4
"""How many sets of known cards are remembered with what they leave: the same few are asked for in turn."""


def is_mostly_paper(pictures: Sequence[Bgr]) -> bool:
    """Whether the faces of a deck, (height, width, 3) in BGR each, are mostly paper, of one colour in all."""
    shares, colours = [], []
    for picture in pictures:
        small = cv2.resize(picture, (24, 32), interpolation=cv2.INTER_AREA)
        lab = cv2.cvtColor(small, cv2.COLOR_BGR2LAB).astype(np.float32)
        paper = lab[..., 0] > MIN_PAPER_LIGHT * np.percentile(lab[..., 0], 95)
        shares.append(float(paper.mean()))
        colours.append(np.median(lab[paper | (lab[..., 0] == lab[..., 0].max())][:, 1:], axis=0))
    apart = np.median(np.abs(np.array(colours) - np.median(colours, axis=0)), axis=0)
    return float(np.median(shares)) > MIN_PAPER_SHARE and float(apart.max()) < MAX_COLOUR_DIFFERENCE


class PaperMap:
    """Where one picture has the colour of the paper of the cards that were read in it."""

    def __init__(self, frame: Pyramid) -> None:
        self._frame = frame
        self._rests: dict[frozenset[int], _Remainder] = {}
        """By the identities of the known cards' corners, the latest last."""
        self._alike: dict[int, tuple[Quad, NDArray[np.uint8]]] = {}
        """By the identity of a card's corners, which are kept with it: else another's could be the same."""

    @cached_property
    def _lab(self) -> tuple[NDArray[np.uint8], float]:
        """The reduced picture in CIE Lab, and the scale to it."""
        picture, scale = self._frame.reduce_to(PAPER_SIDE)
        return np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2LAB), np.uint8), scale

    @cached_property
    def _planes(self) -> Sequence[cv2.typing.MatLike]:
        """Its three channels."""
        return cv2.split(self._lab[0])

    def has_unexplained_paper(self, known: Sequence[Quad]) -> bool:
        """Does paper show that is none of the cards with these corners? Without any it may."""
        return not known or bool(self._remainder(known).pieces[1].any())

    def unexplained_area(self, known: Sequence[Quad]) -> NDArray[np.uint8]:
        """The reduced picture (height, width): 1 on paper that is `left`, and as near as a card's print."""
        if not known:
            return np.ones(self._lab[0].shape[:2], np.uint8)
        return self._remainder(known).around

    def paper_shares(self, places: Sequence[Quad], known: Sequence[Quad]) -> NDArray[np.float64]:
        """How much of what the `known` cards leave of each of n places is paper: (n,) of 0 to 1.

        All in full-size pixels. Without any known card it is 1.
        """
        if not known or not places:
            return np.ones(len(places))
        rest = self._remainder(known)
        rows, columns = rest.free.shape
        corners = np.stack(places) * self._lab[1]
        # Spots between the corners, as if each place were seen from above: near enough for a share.
        x, y = np.rint(corners.transpose(2, 0, 1) @ _spot_weights().T).astype(int)
        inside = (x >= 0) & (y >= 0) & (x < columns) & (y < rows)
        at = np.where(inside, y * columns + x, 0)
        seen = inside & (rest.free.take(at) > 0)
        return np.asarray((seen & (rest.paper.take(at) > 0)).sum(axis=1) / np.maximum(seen.sum(axis=1), 1))

    def _paper_pixels(self, quad: Quad, reduced: Quad) -> NDArray[np.uint8]:
        """The reduced picture: 255 where it is like the paper of one card; asked for again and again."""
        if id(quad) not in self._alike:
            light, a, b = _paper_lab(self._lab[0], reduced)
            low, high = (
                (MIN_SHADOW_LIGHT * light, a - MAX_COLOUR_DIFFERENCE, b - MAX_COLOUR_DIFFERENCE),
                (255.0, a + MAX_COLOUR_DIFFERENCE, b + MAX_COLOUR_DIFFERENCE),
            )
            # Of each channel by itself: of all three at once it takes twice as long.
            of_light, of_a, of_b = map(cv2.inRange, self._planes, low, high)
            like = cv2.bitwise_and(of_light, cv2.bitwise_and(of_a, of_b))
            self._alike[id(quad)] = quad, np.asarray(like, np.uint8)
        return self._alike[id(quad)][1]

    def _remainder(self, known: Sequence[Quad]) -> "_Remainder":
        """What the known cards leave, made of what the most of them that are remembered leave."""
        lab, scale = self._lab
        key = frozenset(map(id, known))
        if key not in self._rests:
            base = max((other for other in self._rests if other < key), key=len, default=frozenset[int]())
            if base:
                paper, free = self._rests[base].paper.copy(), self._rests[base].free.copy()
            else:
                paper, free = np.zeros(lab.shape[:2], np.uint8), np.full(lab.shape[:2], 255, np.uint8)
            for quad in known:
                if id(quad) not in base:
                    reduced = np.asarray(quad * scale, np.float32)
                    cv2.bitwise_or(paper, self._paper_pixels(quad, reduced), dst=paper)
                    cv2.fillConvexPoly(free, to_drawable_pixels(scale_quads(reduced, 1 + CARD_RIM)), 0)
            if len(self._rests) == MAX_CACHED_REMAINDERS:
                del self._rests[next(iter(self._rests))]
            smallest = min(cv2.contourArea(quad) for quad in known) * scale**2
            self._rests[key] = _Remainder(smallest, paper, free)
        return self._rests[key]


@dataclass(eq=False)
class _Remainder:
    """What some cards leave of the reduced picture."""

    smallest: float
    """The area of the smallest of the cards, in pixels of the reduced picture."""
    paper: NDArray[np.uint8]
    """255 where it is like the cards' paper."""
    free: NDArray[np.uint8]
    """255 where no card is."""

    @cached_property
    def pieces(self) -> tuple[NDArray[np.uint16], NDArray[np.bool_]]:
        """The reduced picture by the pieces of paper that show and are no known card, as numbers from 1.

        And of each number whether its piece is worth a look; 0 is all else.
        """
        opened = cv2.morphologyEx(
            cv2.bitwise_and(self.paper, self.free), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)
        )
        # Of a picture as small there are never too many for 16 bits, with which it takes a third.
        count, numbers = cv2.connectedComponents(opened, ltype=cv2.CV_16U)
        sizes = cv2.calcHist([numbers], [0], None, [count], [0, count]).ravel()  # sooner than with statistics
        worth = np.asarray(sizes > MIN_PIECE_SHARE * self.smallest, bool)
        worth[0] = False
        return np.asarray(numbers, np.uint16), worth

    @cached_property
    def around(self) -> NDArray[np.uint8]:
        """1 on the pieces that are worth a look, and as near as a card's print."""
        near = 2 * round(PRINT_REACH * self.smallest**0.5) + 1
        numbers, worth = self.pieces
        return np.asarray(
            cv2.dilate(worth.astype(np.uint8).take(numbers), np.ones((near, near), np.uint8)), np.uint8
        )


@lru_cache(maxsize=1)
def _spot_weights() -> NDArray[np.float64]:
    """Weights of a place's corners (spots, 4) at spots spread over it."""
    across, down = (v.ravel() for v in np.meshgrid(*((np.arange(n) + 0.5) / n for n in SPOT_GRID)))
    return np.stack(
        ((1 - across) * (1 - down), across * (1 - down), across * down, (1 - across) * down), axis=1
    )


def _paper_lab(lab: NDArray[np.uint8], quad: Quad) -> tuple[float, float, float]:
    """L, a and b of the lighter part of a card at these corners of the reduced picture."""
    size = SAMPLE_SIZE
    target = np.array([[0, 0], [size[0], 0], size, [0, size[1]]], np.float32)
    view = cv2.warpPerspective(lab, cv2.getPerspectiveTransform(quad.astype(np.float32), target), size)
    spots = view.reshape(-1, 3)
    least = np.partition(spots[:, 0], PAPER_RANK)[PAPER_RANK]
    lightest = np.sort(spots[spots[:, 0] >= least], axis=0)
    middle = lightest[[(len(lightest) - 1) // 2, len(lightest) // 2]].mean(axis=0)
    return float(middle[0]), float(middle[1]), float(middle[2])
