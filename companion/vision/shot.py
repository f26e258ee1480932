"""One picture while it is read, and what is found out about it once."""

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from companion.vision.beside import Edges, beside
from companion.vision.locate import Bgr, Pyramid, Quad, Traces, same_quads
from companion.vision.paper import Paper
from companion.vision.partial import Parts
from companion.vision.search import Looked

HALF_PAPER = 0.25
"""Least part of what shows of a card that is paper, where a deck's cards are mostly paper."""


class Shot:
    """A picture that is read; each of its parts is made when it is asked for first."""

    def __init__(self, frame: Bgr, *, of_paper: bool) -> None:
        """`of_paper`: are the deck's cards mostly paper, which shows wherever they show?"""
        self.pyramid = Pyramid(frame)
        self.looked = Looked()
        self.excluded: list[Callable[[Quad], bool]] = []
        """Each says of a place whether something shows there that no covered card of the deck has."""
        self._parts: Parts | None = None
        self._edges = Edges(self.pyramid)
        self._beside: tuple[list[Quad], list[Quad]] | None = None
        self._paper = Paper(self.pyramid) if of_paper else None

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows, columns and channels of the picture."""
        return self.pyramid.levels[0].shape

    @cached_property
    def traces(self) -> Traces:
        return Traces.of(self.pyramid)

    def parts(self, aspect: float) -> Parts:
        """What its lines say of cards that are that many times as high as wide."""
        if self._parts is None:
            self._parts = Parts(self.traces, aspect)
        return self._parts

    def beside(self, aspect: float, known: Sequence[Quad], above: Sequence[Quad]) -> list[Quad]:
        """As `beside.beside` has it: outlines (4, 2) in pixels; the last answer is kept.

        `above`: all cards that were seen.
        """
        if not known:
            return []
        if self._beside is None or not same_quads(self._beside[0], known):
            edges = self._edges.near(known, self.room(above))
            self._beside = list(known), beside(edges, self.shape, aspect, known)
        return self._beside[1]

    def may_hold_more(self, known: Sequence[Quad]) -> bool:
        """May there be a card besides the known ones?"""
        return self._paper is None or self._paper.left(known)

    def likely(self, places: Sequence[Quad], known: Sequence[Quad]) -> list[int]:
        """Which of the places may be cards, by the paper of what the known cards leave of them."""
        if self._paper is None:
            return list(range(len(places)))
        return [int(at) for at in np.flatnonzero(self._paper.shown(places, known) >= HALF_PAPER)]

    def room(self, known: Sequence[Quad]) -> NDArray[np.uint8] | None:
        """Where cards may be besides the known ones: 0 or 1, (height, width), reduced; None: anywhere."""
        return None if self._paper is None else self._paper.around(known)
