"""Reads partly covered cards by the corner index that still shows.

Where they may be is guessed from the lines round them and from straight edges beside the cards on top. The
index names a card; what else shows of it must fit that card, though others might fit as well.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray

from companion.vision.acceptance import INDEXED_MAX_FLAW, MAX_INDEX_AMBIGUITY
from companion.vision.comparison import FaceMatch
from companion.vision.corner_indices import (
    MAX_ALLOWED_AMBIGUITY,
    MIN_READABLE_LIKENESS,
    CornerIndexReading,
    CornerIndices,
)
from companion.vision.face_matching import EnrolledFaces
from companion.vision.outline_reading import FittedCard
from companion.vision.outlines import HALF_TURN, Quad, overlap_share, scale_quads
from companion.vision.partial_cards import (
    MAX_SIZE_RATIO,
    MAX_VISIBLE_SHARE,
    MIN_VISIBLE_SHARE,
    PartialCardGuess,
)
from companion.vision.photometric_error import Floats
from companion.vision.picture_analysis import PictureAnalysis

MIN_COARSE_LIKENESS = 0.85
"""Correlation with an index, in a first, small look, from which a guess is fitted."""
MAX_COARSE_AMBIGUITY = 0.85
"""`CornerIndexReading.ambiguity` in that look from which a guess is not fitted: another card's index is
nearly as like.

Of the 19 covered cards that are read by their index on photographs not held out it was 0.74 at most.
"""
MIN_INDEX_LIKENESS = 0.92
"""Correlation from which an index is read, if it leaves little of what the next card does
(`acceptance.MAX_INDEX_AMBIGUITY`).

With each of 126 indices of photographed playing cards and Skat left out in turn none was taken for another
at 0.93 with 0.5 left; drawn digits that differ by a stroke leave 0.35.
"""
MIN_SHOWN_PRINT = 0.03
"""How much print what shows must hold."""
MAX_FITS, MAX_FIT_ROUNDS = 12, 6
"""Most guesses that are fitted in one round; a card that was named may itself cover others."""
MAX_TRIED_CARDS = 2
"""Cards that an index was like without being read, after which no third one is tried at that place.

Where a card was read at last, on photographs not held out, at most one other had been tried.
"""
MIN_COVERED_SHARE = 0.05
"""Least part of a covered card that the cards on top hide."""
SAME_PLACE_DISTANCE = 0.15
"""Corners no farther apart than this part of the diagonal are one place; a fan's cards are close together."""
COVER_REACH = 1.5
"""Sizes of a card round its middle beyond which nothing is on it, however far a fit leads it."""
SHARE_SIZE = (32, 48)
"""Width and height in pixels at which a card's visible area is counted."""


@dataclass(frozen=True, slots=True, eq=False)
class _Candidate:
    """A guess whose index looks like one of the deck's."""

    alike: float
    quad: Quad
    """From the card's own top left."""
    face: int
    visible: Callable[[Quad, tuple[int, int]], Floats]


def covering_outlines(seen: Sequence[tuple[Quad, bool]]) -> list[Quad]:
    """Of outlines and whether their card was read: those that cover others; an unread one if of like size."""
    sizes = [abs(_area(quad)) for quad, read in seen if read]
    usual = float(np.median(sizes)) if sizes else 0.0
    return [
        quad
        for quad, read in seen
        if read or not sizes or usual / MAX_SIZE_RATIO < abs(_area(quad)) < usual * MAX_SIZE_RATIO
    ]


class CoveredCardReader:
    """The cards in one picture that their indices name."""

    def __init__(self, faces: EnrolledFaces, indices: CornerIndices, shot: PictureAnalysis) -> None:
        self._faces, self._indices, self._shot = faces, indices, shot
        self._frame = shot.pyramid
        self._parts: list[PartialCardGuess] = []
        self._looked: list[list[_Candidate]] = []
        """For each of the parts what was found there in a first look and not fitted yet."""
        self._above: list[Quad] = []
        """The cards that were known then."""
        self._closed: list[Quad] = []
        self._open: list[Quad] = []
        """Places where a likely card was not read: its index says no, or it is alike or leads the others."""

    def read_by_lines(self, covers: Sequence[Quad]) -> list[FaceMatch]:
        """Those that are partly under the `covers` and fit what shows of them, where lines go round that."""
        self._parts += self._shot.partial_cards(self._faces.aspect).covered_guesses(covers) if covers else []
        return self._read_under(covers, edges=False)

    def read_by_edges(self, covers: Sequence[Quad]) -> list[FaceMatch]:
        """The same where straight edges beside the `covers` show it."""
        return self._read_under(covers, edges=True)

    def _read_under(self, covers: Sequence[Quad], *, edges: bool) -> list[FaceMatch]:
        """`edges`: are straight edges looked at beside the covers and beside what is found?"""
        answer: list[FaceMatch] = []
        fresh = list(covers)
        for _ in range(MAX_FIT_ROUNDS):
            above = [*covers, *(match.corners for match in answer)]
            if edges:
                places = self._shot.outlines_from_edges(self._faces.aspect, fresh, above)
                under = (overlap_matrix(places, fresh) > MIN_COVERED_SHARE).any(axis=1)
                self._parts += [PartialCardGuess(places[at], places[at]) for at in np.flatnonzero(under)]
            self._update_candidates(above)
            found = self._fit_candidates(above)
            if not found:
                break
            answer += found
            fresh = [match.corners for match in found]
        return answer

    def _update_candidates(self, above: Sequence[Quad]) -> None:
        """Look at the parts that were not looked at yet, or are under cards that were not known then."""
        fresh = [quad for quad in above if not any(quad is known for known in self._above)]
        under = np.flatnonzero(
            overlap_matrix([part.quad for part in self._parts], fresh).any(axis=1)
        ).tolist()
        new = [at for at in range(len(self._parts)) if at >= len(self._looked) or at in under]
        self._looked += [[] for _ in self._parts[len(self._looked) :]]
        for at in new:
            self._looked[at] = []
        likely = [
            new[at] for at in self._shot.likely_card_places([self._parts[at].quad for at in new], above)
        ]
        quads = [self._parts[at].quad for at in likely]
        # A fit leads it a little way, no farther: what is beyond covers nothing of it.
        near = overlap_matrix(above, [scale_quads(quad, COVER_REACH) for quad in quads]) > 0
        some = overlap_matrix(above, quads) < MAX_VISIBLE_SHARE
        for at, covers in zip(likely, (near & some).T.tolist(), strict=True):
            self._looked[at] = self._candidates_for(self._parts[at], list(compress(above, covers)))
        self._above = list(above)

    def _fit_candidates(self, covers: Sequence[Quad]) -> list[FaceMatch]:
        """The cards that are named where they are likely, every place once; what was fitted is taken out."""
        found: list[FaceMatch] = []
        failed: list[_Candidate] = []
        fits = 0
        each = [(likely, whole) for whole in self._looked for likely in whole]
        for likely, whole in sorted(each, key=lambda one: -one[0].alike):
            taken = [*covers, *(match.corners for match in found)]
            if fits == MAX_FITS:
                break
            if any(is_same_place(likely.quad, quad) for quad in taken):
                continue
            names = {other.face for other in failed if is_same_place(likely.quad, other.quad)}
            if len(names - {likely.face}) >= MAX_TRIED_CARDS:
                continue
            fits += 1
            whole.remove(likely)
            match = self._fit_candidate(likely)
            if match is None:
                failed.append(likely)
            elif not any(is_same_place(match.corners, quad) for quad in taken):
                found.append(match)
        return found

    def _candidates_for(self, part: PartialCardGuess, covers: Sequence[Quad]) -> list[_Candidate]:
        """The ways up of a guess under these cards whose visible index looks like one of the deck's."""
        found = []
        visible = part.visibility_under(covers)
        if not MIN_VISIBLE_SHARE < visible_share(visible, part.quad) < MAX_VISIBLE_SHARE:
            return []
        ways = part.quad, part.quad[HALF_TURN]
        for quad, index in zip(ways, self._indices.read_coarse(self._frame, part.quad, visible), strict=True):
            if _is_promising(index):
                found.append(_Candidate(index.best_likeness, quad, index.face, visible))
        return found

    def _fit_candidate(self, likely: _Candidate) -> FaceMatch | None:
        """The card that is named, where it is, if its index is read there and the rest of it fits."""
        borne_out, nearest = False, None
        for corners, index in self._candidate_places(likely):
            match = self._match_at(corners, likely, index)
            if match is not None:
                return match
            if index is not None:
                borne_out |= (
                    index.best_likeness >= MIN_READABLE_LIKENESS or index.ambiguity <= MAX_ALLOWED_AMBIGUITY
                )
                nearest = index if nearest is None or index.best_likeness > nearest.best_likeness else nearest
        self._shot.record.fitted.append(FittedCard(likely.face, likely.quad, index=nearest))
        (self._open if borne_out else self._closed).append(likely.quad)
        return None

    def _candidate_places(self, likely: _Candidate) -> Iterator[tuple[Quad, CornerIndexReading | None]]:
        """Where the card that is likely may be, likeliest first, and what is read of its index there."""
        # Far corners are guessed: where little is seen a fit may lead them astray.
        fits = self._faces.fit_face(self._frame, likely.quad, likely.face, likely.visible)
        first = self._read_index(fits[0], likely)
        yield fits[0], first
        for corners in fits[1:]:
            yield corners, self._read_index(corners, likely)
        if len(fits) > 1 and _is_promising(first):  # it may not have come far enough
            again = self._faces.fit_face(self._frame, fits[0], likely.face, likely.visible)[0]
            yield again, self._read_index(again, likely)

    def is_excluded(self, place: Quad) -> bool:
        """Does an index show in a place that no card bears out, wherever one was fitted there?"""
        return any(is_same_place(place, quad) for quad in self._closed) and not any(
            is_same_place(place, quad) for quad in self._open
        )

    def _read_index(self, corners: Quad, likely: _Candidate) -> CornerIndexReading | None:
        """The index that shows there, if it is that of the card that is likely."""
        index = self._indices.read(self._frame, corners, likely.visible)
        cards = self._faces.cards
        return None if index is None or cards[index.face] != cards[likely.face] else index

    def _match_at(
        self, corners: Quad, likely: _Candidate, index: CornerIndexReading | None
    ) -> FaceMatch | None:
        """The card that is named, if its index is read just there and the rest of it fits."""
        if index is None or index.best_likeness < MIN_INDEX_LIKENESS or index.ambiguity > MAX_INDEX_AMBIGUITY:
            return None
        match = self._faces.compare_part(self._frame, corners, likely.face, likely.visible)
        if match.flaw >= INDEXED_MAX_FLAW or visible_share(likely.visible, corners) < MIN_VISIBLE_SHARE:
            return None
        shown = self._faces.visible_print_share(match, likely.visible)
        return replace(match, index_ambiguity=index.ambiguity) if shown >= MIN_SHOWN_PRINT else None


def _is_promising(index: CornerIndexReading | None) -> TypeGuard[CornerIndexReading]:
    """Is an index so like one of the deck's that its card is worth a fit?"""
    return (
        index is not None
        and index.best_likeness > MIN_COARSE_LIKENESS
        and index.ambiguity < MAX_COARSE_AMBIGUITY
    )


def is_same_place(one: Quad, other: Quad) -> bool:
    """Are the corners nearly the same, either way up?"""
    mine, its = one.tolist(), other.tolist()  # numpy would take three times as long
    near = SAME_PLACE_DISTANCE * math.dist(mine[0], mine[2])
    return any(
        all(abs(x - u) < near and abs(y - v) < near for (x, y), (u, v) in zip(mine, way, strict=True))
        for way in (its, its[2:] + its[:2])
    )


def overlap_matrix(ones: Sequence[Quad], others: Sequence[Quad]) -> NDArray[np.float64]:
    """(n, m): the `overlap_share` of each of n quads with each of m others; most are nowhere near each
    other.
    """
    shares = np.zeros((len(ones), len(others)))
    if shares.size:
        # (2, 4, n): x and y of four corners.
        mine, its = (np.concatenate(quads).reshape(-1, 4, 2).transpose(2, 1, 0) for quads in (ones, others))
        x, y = (mine.min(axis=1)[:, :, None] < its.max(axis=1)[:, None]) & (
            mine.max(axis=1)[:, :, None] > its.min(axis=1)[:, None]
        )
        for at, other in np.argwhere(x & y).tolist():
            shares[at, other] = overlap_share(ones[at], others[other])
    return shares


def visible_share(visible: Callable[[Quad, tuple[int, int]], Floats], corners: Quad) -> float:
    """The part of a card's area, 0 to 1, that is visible."""
    return float(visible(corners, SHARE_SIZE).mean())


def _area(quad: Quad) -> float:
    along = np.roll(quad, -1, axis=0)
    return float((quad[:, 0] * along[:, 1] - along[:, 0] * quad[:, 1]).sum() / 2)
