"""Derives the acceptance thresholds of each card from its deck's own pictures.

How near a card's most alike sisters come is known from the deck; how far its own pictures are apart, from one
time to the next, is known when there are two of some cards. Nothing here is one number for all decks.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from companion.vision.face_matching import EnrolledFaces

SAME_FACE_FLAW = 0.03
"""Faces that differ by less are one face enrolled under two names; they say nothing about strangers."""
MIN_FLAW_LIMIT, MAX_FLAW_LIMIT, SIBLING_FLAW_SHARE = 0.03, 0.20, 0.75
"""Bounds of the flaw let pass, and its part of what parts the deck's most alike cards.

An absent card may be more like one of these than any two of them are: a black ten left out of Skat differs
from the other by 0.09 to 0.14, and of 16 such views ten pass, which 0.14 would make three. But trading cards
on photographs not held out come to 0.13, five of 35 to more than 0.1, and none of theirs passes: the bound
is not lower for the sake of one pair of one deck.
"""
COMPLETE_DECK_LIMIT = 0.30
"""Flaw let pass where no unknown sister can come, only another print or no card at all.

Of 190 look-alikes and playing cards on photographs not held out 8 came to more than 0.1, the most to 0.23; of
what is none of the deck (other handwriting, decks, games: 10 photographs) none was taken. If a sister comes
after all it passes: 8 of 15 look-alikes, 2 of 24 playing cards.
"""
PLAY_TOLERANCE, MAX_SIBLING_SHARE = 1.5, 0.9
"""How much more than between its own pictures a card may differ in play; its part of the way to others."""
MIN_PICTURE_PAIRS, PAIR_PERCENTILE = 6, 90
"""Fewest second pictures that show how pictures of one card differ, and of what percent of them."""
SMALL_CARD_SIDES, SMALL_CARD_FACTOR = (100.0, 200.0), 0.5
"""Pixels of a card's longer side below which this part of a partial deck's limit holds, and from which all.

A small view shows less of what parts a card from a sister that was never shown. Of 92 playing cards and
poker cards left out of their decks 6 were taken at 90 pixels and 2 at 141, at 0.60 of the limit or more, and
none at 220. Those that were enrolled came to 0.35 (poker) and 0.67 (nine in ten of the hand-drawn ones) at
90, and to 0.56 at 141.
"""
MAX_BLUR, MAX_BLUR_PARTIAL = 10.0, 5.0
"""Pixels of `comparison.DETAIL_WIDTH` out of focus at which a card of a complete or a partial deck is not
read at all.

Out of focus a card differs less from a sister that was never shown. On photographs blurred by 2 pixels, a
quarter of the deck left out, 8 of 79 playing cards and poker cards were taken at 10.
"""
RIVAL_RATIO_RANGE = (0.4, 0.6)
"""Bounds of the part of the best other card's flaw that a flaw may be.

Of 1,853 cards of decks without look-alikes, read in the hardest made pictures, 1 in 100 came to 0.2 and the
worst to 0.3: the lower bound leaves a third to spare. Of 465 of look-alikes 1 in 100 came to 0.5.
"""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What a reading must reach to be believed; see `comparison.FaceMatch` for the measures."""

    flaws: tuple[float, ...]
    """For each card: its worst local window may disagree by this much."""
    rival: float = RIVAL_RATIO_RANGE[1]
    """The margin: the flaw must be at most this part of the best other card's."""

    @property
    def strictest_flaw(self) -> float:
        """The strictest limit of the deck's faces: a flaw, 0 for the same print."""
        return min(self.flaws)

    def max_flaw_of(self, card: int, longer: float, blur: float) -> float:
        """The flaw let pass for a card, its longer side and how far it is out of focus in pixels.

        The side is of the picture, the focus as `comparison.Match.blur`.
        """
        flaw, left = self.flaws[card], 1 - blur / MAX_BLUR
        if flaw >= COMPLETE_DECK_LIMIT:  # no sister can come
            return flaw * left
        small = float(np.interp(longer, SMALL_CARD_SIDES, (SMALL_CARD_FACTOR, 1.0)))
        # What is small is also soft: that need not count as much again.
        return flaw * min(small * left, 1 - blur / MAX_BLUR_PARTIAL)

    @property
    def is_valid(self) -> bool:
        """Are these numbers that an enrolment can give?"""
        return all(0 < flaw <= COMPLETE_DECK_LIMIT for flaw in self.flaws) and 0 < self.rival <= 1


def compute_thresholds(faces: EnrolledFaces, owners: Sequence[int], *, complete: bool) -> Thresholds:
    """For a deck whose picture n shows card `owners[n]`; `complete`: its print has no other cards."""
    count = max(owners) + 1
    nearest = np.ones(count)
    for flaw, one, other in faces.similar_face_pairs():
        if flaw > SAME_FACE_FLAW:
            for card in (owners[one], owners[other]):
                nearest[card] = min(nearest[card], flaw)
    # A stranger of the print may be as near to any card as the deck's most alike cards are to each other.
    allowed = np.full(count, SIBLING_FLAW_SHARE * nearest.min())
    own = [faces.compare_faces(one, other) for one, other in find_second_pictures(owners)]
    if len(own) >= MIN_PICTURE_PAIRS:
        usual = PLAY_TOLERANCE * float(np.percentile([m.flaw for m in own], PAIR_PERCENTILE))
        allowed = np.minimum(np.maximum(allowed, usual), MAX_SIBLING_SHARE * nearest)
    flaws = np.clip(allowed, MIN_FLAW_LIMIT, MAX_FLAW_LIMIT)
    # As near to its rival as a card may come whose flaw is all it may be, while the rival stays where it is.
    margin = float(np.clip((flaws / nearest).max(), *RIVAL_RATIO_RANGE))
    if complete:
        flaws = np.full(count, COMPLETE_DECK_LIMIT)
    return Thresholds(tuple(round(float(flaw), 4) for flaw in flaws), round(margin, 4))


def find_second_pictures(owners: Sequence[int]) -> list[tuple[int, int]]:
    """The (picture, first picture of the same card) pairs."""
    first: dict[int, int] = {}
    pairs = []
    for picture, card in enumerate(owners):
        if card in first:
            pairs.append((picture, first[card]))
        else:
            first[card] = picture
    return pairs
