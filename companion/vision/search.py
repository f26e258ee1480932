"""Reads the outlines of one picture: likeliest first, every place once, rivals for a place dropped."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.core.observations import UNKNOWN
from companion.vision.compare import Match
from companion.vision.indices import Index, Indices
from companion.vision.judge import Why
from companion.vision.locate import Pyramid, Quad, grown, overlap
from companion.vision.read import Faces
from companion.vision.residual import Floats

WORTH_A_LOOK, SURE_LOOK = 0.33, 0.45
"""Correlation at the ranking's size below which an outline is not read, and an unlikely one neither."""
OF_THE_DECK = 0.3
"""The same with what all faces have in common, from which even a faint print is read."""
SIZES, FEW_UNLIKELY = (0.92, 1.08), 24
"""An outline may go round the shadow too, or only the print; and how many are tried at other sizes."""
SAME_PLACE, SAME_GUESS = 0.01, 0.03
"""Outlines no farther apart than this part of their diagonal lead to one reading; guesses are less exact."""
GIVE_UP = 5
"""Outlines one after another that hold no card, after which less likely ones are not looked at either.

Before 303 of 310 cards that were read on photographs not held out there was none, before the others at most
two.
"""
TRIES = 2
"""Most outlines read at one place without an answer."""
PLAIN_LEAD, PLAIN_LIKENESS = 0.5, 0.6
"""Lead over all other cards, and likeness, that a card under gloss must have in spite of it."""
ALIKE_BARE, GLOSSY_APART = 0.86, 0.25
"""Likeness of what shows between the gloss, and its greatest flaw as a part of the next card's there.

Of 1,148 photographed cards with made gloss, each in turn left out of a partial deck, none was taken for a
sister; with the deck's own limits alone one was. Of the same cards enrolled some 300 were read by this.
"""
PART_FLAW, PLACED_FLAW, PART_LIKENESS = 0.12, 0.15, 0.86
"""What can be seen of a covered card must fit better than a whole card need: it holds less to tell it by.

Where local features agree on its place they speak for it as well.
"""
SURELY_A_CARD = 0.5
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
    why: Why | None = None
    """How it was judged; None where nothing was compared."""


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """A place where a partly covered card was fitted; whether it was read is not told here."""

    face: int
    """Index of the picture that was fitted."""
    corners: Quad
    match: Match | None = None
    """What shows of it, where that was compared."""
    most: float = 0.0
    """The flaw let pass for what was compared."""
    index: Index | None = None
    """What was read of its index, where that names it; None: nothing."""


@dataclass(slots=True)
class Looked:
    """The outlines of one picture that were read."""

    quads: list[Quad] = field(default_factory=list)
    given_up: list[Sighting] = field(default_factory=list)
    """Those that were not even surely cards, as the card ""."""
    on_top: list[Quad] = field(default_factory=list)
    """Those of whole cards over others that are none of the deck's: nothing of them is covered."""
    fitted: list[Fitted] = field(default_factory=list)


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """What outlines of a picture hold, of one deck."""

    faces: Faces
    indices: Indices
    judged: Callable[[Match], Sighting]

    def of(
        self,
        pyramid: Pyramid,
        quads: Sequence[Quad],
        *,
        looked: Looked | None = None,
        most: int | None = None,
        least: float = WORTH_A_LOOK,
        faint: bool = True,
    ) -> list[Sighting]:
        """What the outlines hold, every place once: likeliest outlines first, rivals for a place dropped.

        At most `most` are read, those with at least that correlation and, if `faint`, what may be any card of
        the deck; they are added to `looked`. `quads`: corners, (4, 2) each in pixels of the full picture.
        """
        if not quads:
            return []
        ranked, common = self.faces.ranking.rank(pyramid, quads)
        if faint:
            quads, ranked = self._resized(pyramid, quads, ranked, least)
        return self.likeliest(
            pyramid, quads, ranked, common, looked=looked, most=most, least=least, faint=faint
        )

    def likeliest(
        self,
        pyramid: Pyramid,
        quads: Sequence[Quad],
        ranked: Floats,
        common: Floats,
        *,
        looked: Looked | None = None,
        most: int | None = None,
        least: float = WORTH_A_LOOK,
        faint: bool = True,
    ) -> list[Sighting]:
        """As `of`, of outlines (4, 2) that are ranked: `ranked` are correlations, at most 1."""
        best = ranked.max(axis=(0, 2))
        worth = (best >= least) | (faint & (common >= OF_THE_DECK))
        sure: list[Sighting] = []
        doubtful: list[Sighting] = []
        tried: list[Quad] = []
        failed = 0
        # What is like a face says which card it may be, what is like the deck that it is one at all.
        for at in np.argsort(-(best + common)):
            quad = quads[at]
            if len(tried) == most or failed == GIVE_UP:
                break
            if (
                not worth[at]
                or any(overlap(quad, s.corners) > 0.5 for s in sure)
                or sum(_like_place(quad, t) for t in tried) >= TRIES
            ):
                continue
            tried.append(quad)
            match = self.faces.match(pyramid, quad, ranked[:, at])
            seen = self.judged(match)
            if seen.card == UNKNOWN:
                bare = self._under_gloss(pyramid, match)
                seen = seen if bare is None else self.judged(bare)
            failed = 0 if seen.card != UNKNOWN or match.likeness > SURELY_A_CARD else failed + 1
            if seen.card != UNKNOWN:
                sure = [s for s in sure if overlap(s.corners, seen.corners) <= 0.5]
                sure.append(seen)
            elif match.likeness > SURELY_A_CARD:
                doubtful.append(seen)
            elif looked is not None:
                looked.given_up.append(replace(seen, card=""))
        if looked is not None:
            looked.quads += tried
        for seen in doubtful:
            if all(overlap(seen.corners, s.corners) <= 0.5 for s in sure):
                sure.append(seen)
        return sure

    def _under_gloss(self, pyramid: Pyramid, match: Match) -> Match | None:
        """The match of a whole card by what shows between the gloss on it; None if that says too little."""
        if match.lead < PLAIN_LEAD or match.likeness < PLAIN_LIKENESS:
            return None
        found = self.faces.under_gloss(pyramid, match)
        if found is None:
            return None
        bare, mask = found
        if bare.likeness < ALIKE_BARE or bare.flaw >= GLOSSY_APART * bare.rival:
            return None

        def visible(_: Quad, size: tuple[int, int]) -> Floats:
            return np.asarray(cv2.resize(mask, size, interpolation=cv2.INTER_NEAREST), np.float32)

        return bare if self.indices.allow(pyramid, bare, visible, plainly=True) else None

    def _resized(
        self, pyramid: Pyramid, quads: Sequence[Quad], ranked: Floats, least: float
    ) -> tuple[Sequence[Quad], Floats]:
        """The outlines and their ranks; unlikely ones a little larger or smaller if that suits a face."""
        unlikely = [int(at) for at in np.flatnonzero(ranked.max(axis=(0, 2)) < least)]
        if not 0 < len(unlikely) <= FEW_UNLIKELY:
            return quads, ranked
        changed, answer = list(quads), ranked.copy()
        resized = [(at, grown(quads[at], size)) for at in unlikely for size in SIZES]
        again, _ = self.faces.ranking.rank(pyramid, [quad for _, quad in resized])
        for (at, quad), one in zip(resized, again.transpose(1, 0, 2), strict=True):
            if one.max() > answer[:, at].max():
                changed[at], answer[:, at] = quad, one
        return changed, answer


def _like_place(one: Quad, other: Quad) -> bool:
    """Are they of like size and nearly in the same place? A paper is not the card that is on it."""
    sizes = cv2.contourArea(one), cv2.contourArea(other)
    return max(sizes) < 2 * min(sizes) and overlap(one, other) > 0.5


def joined(seen: Sequence[Sighting], found: Sequence[Sighting]) -> list[Sighting]:
    """The sightings with those found later, which take the place of what was seen there."""
    return [s for s in seen if all(overlap(s.corners, f.corners) <= 0.5 for f in found)] + list(found)


def apart_from(looked: Sequence[Quad], places: Sequence[Quad], near: float = SAME_PLACE) -> list[Quad]:
    """The places that are not nearly one that was looked at: a fit would end where it did then.

    `near`: a fraction of a place's diagonal. Quads are (4, 2) in pixels.
    """
    if not looked:
        return list(places)
    before = np.stack(looked)
    before = np.concatenate([before, np.roll(before, 2, axis=1)])
    reach = [near * float(np.linalg.norm(q[0] - q[2])) for q in places]
    return [q for q, r in zip(places, reach, strict=True) if np.abs(before - q).max(axis=(1, 2)).min() > r]
