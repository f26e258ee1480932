"""Reads which cards the outlines of a picture hold, likeliest first."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.core.observations import UNKNOWN
from companion.vision.acceptance import MatchJudgement
from companion.vision.comparison import FaceMatch
from companion.vision.corner_indices import CornerIndexReading, CornerIndices
from companion.vision.face_matching import EnrolledFaces
from companion.vision.outlines import Pyramid, Quad, overlap_share, scale_quads
from companion.vision.photometric_error import Floats

MIN_CORRELATION, CERTAIN_CORRELATION = 0.33, 0.45
"""Correlation at the ranking's size below which an outline is not read, and a guess neither."""
MIN_DECK_CORRELATION = 0.3
"""The same with what all faces have in common, from which even a faint print is read."""
TRIED_SIZES, MAX_RESIZED = (0.92, 1.08), 24
"""An outline may go round the shadow too, or only the print; and how many are tried at other sizes."""
SAME_OUTLINE_DISTANCE, SAME_GUESS_DISTANCE = 0.01, 0.03
"""Outlines no farther apart than this part of their diagonal lead to one reading; guesses are less exact."""
MAX_FAILURES = 5
"""Outlines one after another that hold no card, after which less likely ones are not looked at either.

Before 303 of 310 cards that were read on photographs not held out there was none, before the others at most
two.
"""
MAX_TRIES = 2
"""Most outlines read at one place without an answer."""
GLOSSY_MIN_LEAD, GLOSSY_MIN_LIKENESS = 0.5, 0.6
"""Lead over all other cards, and likeness, that a card under gloss must have in spite of it."""
GLOSS_FREE_MIN_LIKENESS, GLOSSY_FLAW_RATIO = 0.86, 0.25
"""Likeness of what shows between the gloss, and its greatest flaw as a part of the next card's there.

Of 1,148 photographed cards with made gloss, each in turn left out of a partial deck, none was taken for a
sister; with the deck's own limits alone one was. Of the same cards enrolled some 300 were read by this.
"""
PART_MAX_FLAW, LOCATED_PART_MAX_FLAW, PART_MIN_LIKENESS = 0.12, 0.15, 0.86
"""What can be seen of a covered card must fit better than a whole card need: it holds less to tell it by.

Where local features agree on its place they speak for it as well.
"""
CARD_MIN_LIKENESS = 0.5
"""Likeness from which an outline that is none of the deck's faces is reported as "unknown"."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """One card seen, or one place looked at."""

    card: str
    """A card id; "unknown" for what is surely a card but none of the deck; "" for an empty place."""
    corners: NDArray[np.float32]
    """(4, 2) pixels, clockwise from the card's own top-left; of an "unknown" the top is a guess."""
    confidence: float
    """0 to 1: how likely the card and its way up are right; of an "unknown", how likely it is a card."""
    why: MatchJudgement | None = None
    """How it was judged; None where nothing was compared."""


@dataclass(frozen=True, slots=True, eq=False)
class FittedCard:
    """A place where a partly covered card was fitted; whether it was read is not told here."""

    face: int
    """Index of the picture that was fitted."""
    corners: Quad
    match: FaceMatch | None = None
    """What shows of it, where that was compared."""
    most: float = 0.0
    """The flaw let pass for what was compared."""
    index: CornerIndexReading | None = None
    """What was read of its index, where that names it; None: nothing."""


@dataclass(slots=True)
class SearchRecord:
    """The outlines of one picture that were read."""

    quads: list[Quad] = field(default_factory=list)
    rejected_outlines: list[Sighting] = field(default_factory=list)
    """Those that were not even surely cards, as the card ""."""
    on_top: list[Quad] = field(default_factory=list)
    """Those of whole cards over others that are none of the deck's: nothing of them is covered."""
    fitted: list[FittedCard] = field(default_factory=list)


@dataclass(frozen=True, slots=True, eq=False)
class OutlineReader:
    """What outlines of a picture hold, of one deck."""

    faces: EnrolledFaces
    indices: CornerIndices
    judge: Callable[[FaceMatch], Sighting]

    def read_outlines(
        self,
        pyramid: Pyramid,
        quads: Sequence[Quad],
        *,
        looked: SearchRecord | None = None,
        most: int | None = None,
        least: float | None = None,
    ) -> list[Sighting]:
        """What the outlines hold, every place once: likeliest outlines first, rivals for a place dropped.

        At most `most` are read, and added to `looked`. `least`: the correlation that guesses must have; of
        outlines what may be any card of the deck is read, too. `quads`: corners, (4, 2) each in pixels of the
        full picture.
        """
        if not quads:
            return []
        ranked, common = self.faces.ranking.rank_outlines(pyramid, quads)
        if least is None:
            quads, ranked = self._try_other_sizes(pyramid, quads, ranked)
        return self.read_ranked(pyramid, quads, ranked, common, looked=looked, most=most, least=least)

    def read_ranked(
        self,
        pyramid: Pyramid,
        quads: Sequence[Quad],
        ranked: Floats,
        common: Floats,
        *,
        looked: SearchRecord | None = None,
        most: int | None = None,
        least: float | None = None,
    ) -> list[Sighting]:
        """As `read_outlines`, of outlines (4, 2) that are ranked: `ranked` are correlations, at most 1."""
        best = ranked.max(axis=(0, 2))
        if least is None:
            worth = (best >= MIN_CORRELATION) | (common >= MIN_DECK_CORRELATION)
        else:
            worth = best >= least
        sure: list[Sighting] = []
        doubtful: list[Sighting] = []
        tried: list[Quad] = []
        failed = 0
        # What is like a face says which card it may be, what is like the deck that it is one at all.
        for at in np.argsort(-(best + common)):
            quad = quads[at]
            if len(tried) == most or failed == MAX_FAILURES:
                break
            if (
                not worth[at]
                or any(overlap_share(quad, s.corners) > 0.5 for s in sure)
                or sum(_is_like_place(quad, t) for t in tried) >= MAX_TRIES
            ):
                continue
            tried.append(quad)
            match = self.faces.match(pyramid, quad, ranked[:, at])
            seen = self.judge(match)
            if seen.card == UNKNOWN and _is_plainly_best(match):
                bare = self._match_without_gloss(pyramid, match)
                seen = seen if bare is None else self.judge(bare)
                if seen.card == UNKNOWN:
                    seen = self.judge(self.faces.with_differing_area(match))
            failed = 0 if seen.card != UNKNOWN or match.likeness > CARD_MIN_LIKENESS else failed + 1
            if seen.card != UNKNOWN:
                sure = [s for s in sure if overlap_share(s.corners, seen.corners) <= 0.5]
                sure.append(seen)
            elif match.likeness > CARD_MIN_LIKENESS:
                doubtful.append(seen)
            elif looked is not None:
                looked.rejected_outlines.append(replace(seen, card=""))
        if looked is not None:
            looked.quads += tried
        for seen in doubtful:
            if all(overlap_share(seen.corners, s.corners) <= 0.5 for s in sure):
                sure.append(seen)
        return sure

    def _match_without_gloss(self, pyramid: Pyramid, match: FaceMatch) -> FaceMatch | None:
        """The match of a whole card by what shows between the gloss on it; None if that says too little."""
        found = self.faces.match_without_gloss(pyramid, match)
        if found is None:
            return None
        bare, mask = found
        if bare.likeness < GLOSS_FREE_MIN_LIKENESS or bare.flaw >= GLOSSY_FLAW_RATIO * bare.rival_flaw:
            return None

        def visible(_: Quad, size: tuple[int, int]) -> Floats:
            return np.asarray(cv2.resize(mask, size, interpolation=cv2.INTER_NEAREST), np.float32)

        return bare if self.indices.is_consistent_with(pyramid, bare, visible, plainly=True) else None

    def _try_other_sizes(
        self, pyramid: Pyramid, quads: Sequence[Quad], ranked: Floats
    ) -> tuple[Sequence[Quad], Floats]:
        """The outlines and their ranks; unlikely ones a little larger or smaller if that suits a face."""
        unlikely = [int(at) for at in np.flatnonzero(ranked.max(axis=(0, 2)) < MIN_CORRELATION)]
        if not 0 < len(unlikely) <= MAX_RESIZED:
            return quads, ranked
        changed, answer = list(quads), ranked.copy()
        resized = [(at, scale_quads(quads[at], size)) for at in unlikely for size in TRIED_SIZES]
        again, _ = self.faces.ranking.rank_outlines(pyramid, [quad for _, quad in resized])
        for (at, quad), one in zip(resized, again.transpose(1, 0, 2), strict=True):
            if one.max() > answer[:, at].max():
                changed[at], answer[:, at] = quad, one
        return changed, answer


def _is_plainly_best(match: FaceMatch) -> bool:
    """Is a whole card so much likelier than all others that what spoils a part of it may be looked for?"""
    return match.lead >= GLOSSY_MIN_LEAD and match.likeness >= GLOSSY_MIN_LIKENESS


def _is_like_place(one: Quad, other: Quad) -> bool:
    """Are they of like size and nearly in the same place? A paper is not the card that is on it."""
    sizes = cv2.contourArea(one), cv2.contourArea(other)
    return max(sizes) < 2 * min(sizes) and overlap_share(one, other) > 0.5


def merge_sightings(seen: Sequence[Sighting], found: Sequence[Sighting]) -> list[Sighting]:
    """The sightings with those found later, which take the place of what was seen there."""
    return [s for s in seen if all(overlap_share(s.corners, f.corners) <= 0.5 for f in found)] + list(found)


def select_unread_places(
    looked: Sequence[Quad], places: Sequence[Quad], near: float = SAME_OUTLINE_DISTANCE
) -> list[Quad]:
    """The places that are not nearly one that was looked at: a fit would end where it did then.

    `near`: a fraction of a place's diagonal. Quads are (4, 2) in pixels.
    """
    if not looked:
        return list(places)
    before = np.stack(looked)
    before = np.concatenate([before, np.roll(before, 2, axis=1)])
    reach = [near * float(np.linalg.norm(q[0] - q[2])) for q in places]
    return [q for q, r in zip(places, reach, strict=True) if np.abs(before - q).max(axis=(1, 2)).min() > r]
