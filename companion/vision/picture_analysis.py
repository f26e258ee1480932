"""Caches what is computed about a picture while it is being read."""

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from companion.vision.edge_corners import StraightEdges, outlines_from_edges
from companion.vision.outline_reading import SearchRecord
from companion.vision.outlines import Bgr, Contours, Pyramid, Quad, are_same_quads
from companion.vision.paper_colour import PaperMap
from companion.vision.partial_cards import PartialCards

MIN_SHOWN_PAPER = 0.25
"""Least part of what shows of a card that is paper, where a deck's cards are mostly paper."""


class PictureAnalysis:
    """A picture that is read; each of its parts is made when it is asked for first."""

    def __init__(self, frame: Bgr, *, of_paper: bool) -> None:
        """`is_mostly_paper`: are the deck's cards mostly paper, which shows wherever they show?"""
        self.pyramid = Pyramid(frame)
        self.record = SearchRecord()
        self.excluded: list[Callable[[Quad], bool]] = []
        """Each says of a place whether something shows there that no covered card of the deck has."""
        self._parts: PartialCards | None = None
        self._edges = StraightEdges(self.pyramid)
        self._beside: tuple[list[Quad], list[Quad]] | None = None
        self._paper = PaperMap(self.pyramid) if of_paper else None

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows, columns and channels of the picture."""
        return self.pyramid.levels[0].shape

    @cached_property
    def contours(self) -> Contours:
        return Contours.of(self.pyramid)

    def partial_cards(self, aspect: float) -> PartialCards:
        """What its lines say of cards that are that many times as high as wide."""
        if self._parts is None:
            self._parts = PartialCards(self.contours, aspect)
        return self._parts

    def outlines_from_edges(self, aspect: float, known: Sequence[Quad], above: Sequence[Quad]) -> list[Quad]:
        """As `edge_corners.outlines_from_edges` has it: outlines (4, 2) in pixels; the last answer is kept.

        `above`: all cards that were seen.
        """
        if not known:
            return []
        if self._beside is None or not are_same_quads(self._beside[0], known):
            edges = self._edges.find_edges(known, self.possible_card_area(above))
            self._beside = list(known), outlines_from_edges(edges, self.shape, aspect, known)
        return self._beside[1]

    def may_hold_more(self, known: Sequence[Quad]) -> bool:
        """May there be a card besides the known ones?"""
        return self._paper is None or self._paper.has_unexplained_paper(known)

    def likely_card_places(self, places: Sequence[Quad], known: Sequence[Quad]) -> list[int]:
        """Which of the places may be cards, by the paper of what the known cards leave of them."""
        if self._paper is None:
            return list(range(len(places)))
        return [int(at) for at in np.flatnonzero(self._paper.paper_shares(places, known) >= MIN_SHOWN_PAPER)]

    def possible_card_area(self, known: Sequence[Quad]) -> NDArray[np.uint8] | None:
        """Where cards may be besides the known ones: 0 or 1, (height, width), reduced; None: anywhere."""
        return None if self._paper is None else self._paper.unexplained_area(known)
