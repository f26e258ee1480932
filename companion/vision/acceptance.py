"""Decides by the deck's thresholds whether a matched face is accepted as the card that lies there."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

import cv2
import numpy as np

from companion.vision.comparison import FaceMatch
from companion.vision.face_matching import NO_CARD_LIMITS, EnrolledFaces

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


MAX_DOUBT_BLUR = 4.0
"""A view as far out of focus as this, in pixels of `comparison.DETAIL_WIDTH`, is as doubtful as one at the
limit.
"""


@dataclass(frozen=True, slots=True)
class ProbabilityCurve:
    """Chance that a reading is right, by its doubt: straight between the knots, never rising."""

    doubts: tuple[float, ...]
    """Rising, from 0 (a perfect fit) to 1 (at the limit of what is believed)."""
    chances: tuple[float, ...]

    def probability(self, doubt: float) -> float:
        """The probability, 0 to 1, that a reading of this doubt is right.

        Linear between the curve's points.
        """
        return float(np.interp(doubt, self.doubts, self.chances))


def combine_doubts(*shares: float, blur: float) -> float:
    """0 to 1 for a match that is believed: how near it comes to the nearest of its limits.

    `shares` says of each limit how much of it is used up; `blur` is in pixels of `comparison.DETAIL_WIDTH`.
    """
    return max(*shares, blur / MAX_DOUBT_BLUR)


DEFAULT_CURVE = ProbabilityCurve(
    doubts=(0.0701, 0.25, 0.3289, 0.5, 0.6898),
    chances=(0.9959, 0.9959, 0.9916, 0.9916, 0.9798),
)


MIN_LEAD = 0.1
"""Least lead over the best other card.

Of 190 look-alikes and playing cards that were read rightly on photographs not held out the least lead was
0.14; one more is refused at 0.05. None that led was wrong.
"""
MAX_INDEX_AMBIGUITY, INDEXED_MAX_FLAW = 0.3, 0.12
"""The most that the index of a card may leave unexplained of what the next card's does; what flaw it excuses.

Such a card was compared only where it shows: `covered_cards` reads it.
"""
INDEXED_MIN_DOUBT = 0.6
"""Least doubt of a card that only its index names: `acceptance.DEFAULT_CURVE` knows none such. It is
reported, and the table is asked before a player is said to break a rule
(`referee.reading_threshold.MIN_INFRACTION_PROBABILITY`).
"""
MAX_DIFFERING_AREA = 0.5
"""How much of a card may differ, whatever its worst spot, beside the least in which two cards of its deck do.

A lamp in a sleeve, foil or a token spoils a few places of a trading card, whose every place is its own, while
one that was never shown differs nearly everywhere. Of 16 photographed cards, most with made glare, that were
refused for one spot though they led plainly 13 came to 0.43 at most and three to 0.87 and more; what was none
of the deck to 0.83 at least. Playing cards differ from each other in so little that nothing is excused.
"""
UNMOVED_MAX_FLAW = 0.10
"""Flaw up to which the card last seen at a place is believed without a look at all the others.

Of 3,952 cards laid in the place of another (look-alikes, playing cards, Skat, poker; none held out) none was
believed up to 0.15, for the other did not lead; by the flaw alone 99 were.
"""
UNMOVED_TOLERANCE = 0.02
"""A card that differs by less than this beyond what it did lies as before: it need not be fitted again.

Of 24 cards that lay still between two made pictures none came to 0.009; half a pixel's slip of a card 67 wide
comes to 0.01, a pixel's to 0.05.
"""
MIN_CARD_AREA = 1.0
"""Square pixels of a card that is read: what is looked for beside it is measured by it."""


class RejectionReason(StrEnum):
    """The test that refused a match."""

    NONE = ""
    IMPOSSIBLE_PLACE = "no card"
    """Its place is none that a card can be in."""
    PHONE_SCREEN = "a screen"
    """A telephone shows it."""
    NOT_IN_DECK = "a stranger"
    """It differs from the face more than the deck's own cards may."""
    LOOK_ALIKE = "a sister"
    """Another card of the deck may be it as well."""
    COVERED = "covered"
    """Too little of it shows, or what shows doesn't name it."""


_REASON_TEXTS = MappingProxyType(
    {
        RejectionReason.IMPOSSIBLE_PLACE: "no card can be there",
        RejectionReason.PHONE_SCREEN: "a screen shows it",
        RejectionReason.NOT_IN_DECK: "it differs too much",
        RejectionReason.LOOK_ALIKE: "it could be either",
    }
)
"""A refusal, for a person at a terminal."""


@dataclass(frozen=True, slots=True)
class MatchJudgement:
    """How a match was judged; see `comparison.FaceMatch` for the measures."""

    card: str
    """The card that fits best."""
    rival: str
    """The card that comes next; "" if none came near."""
    flaw: float
    most: float
    """The flaw let pass for this card, out of focus as it is."""
    apart: float
    """The flaw of the rival where only a part of a card was seen; else 1."""
    lead: float
    """Over the rival, where the two faces differ; see `face_matching.FacePair.lead`."""
    likeness: float
    doubt: float
    """0 to 1: how near it comes to the nearest of its limits; beyond 1 if it is refused."""
    refused: RejectionReason = RejectionReason.NONE
    note: str = ""
    """Of a partly covered card why it was refused, in words: there the measures alone don't tell."""
    differing_area: float = 1.0
    """Where its worst spot is too bad, in how much of the card it differs: see `comparison.FaceMatch`."""

    def __str__(self) -> str:
        """For a person at a terminal."""
        if self.note:
            return f"partly covered, most like {self.card}: refused, {self.note}"
        if self.flaw > NO_CARD_LIMITS[0] and self.likeness < NO_CARD_LIMITS[1]:
            return "refused: like no card of the deck"
        verdict = f"refused, {_REASON_TEXTS[self.refused]}" if self.refused else "taken"
        told = [f"{self.card} differs by {self.flaw:.3f} (at most {self.most:.3f})"]
        if self.apart < 1:
            told[0] += f", {self.rival} by {self.apart:.3f}"
        if self.differing_area < 1:
            share = f"{self.differing_area:.2f} (at most {MAX_DIFFERING_AREA:.2f})"
            told[0] += f", in {share} of what two cards of the deck differ in"
        if self.rival and (self.apart == 1 or self.lead < 1):  # of a part there is no lead
            told.append(f"told apart from {self.rival}: {self.lead:.2f} (at least {MIN_LEAD:.2f})")
        elif not self.rival and self.flaw < self.most:
            told.append("no other card near")
        return f"{'; '.join(told)}; likeness {self.likeness:.2f}: {verdict}"


def unread_cards_text(count: int, *, complete: bool) -> str:
    """How many cards stay "unknown", for a person at a terminal; a `complete` deck has no others."""
    many = count != 1
    other = "" if complete else f", or that {'are' if many else 'is'} not in this deck"
    return f"{count} card{'s' * many} I can't read{other}"


def judge_match(match: FaceMatch, limits: Thresholds, owner: int, cards: Sequence[str]) -> MatchJudgement:
    """The match of the card with index `owner`; `cards` has of each picture its card."""
    sides = np.linalg.norm(match.corners - np.roll(match.corners, -1, axis=0), axis=1)
    most = limits.max_flaw_of(owner, float(sides.max()), match.blur)
    if is_named_by_index(match):
        most = max(most, INDEXED_MAX_FLAW)
    refused = RejectionReason.NONE
    if not is_possible_place(match):
        refused = RejectionReason.IMPOSSIBLE_PLACE
    elif not is_of_deck(match, most):
        refused = RejectionReason.NOT_IN_DECK
    elif not is_this_card(match, limits):
        refused = RejectionReason.LOOK_ALIKE
    return MatchJudgement(
        card=cards[match.face],
        rival=cards[match.rival_face] if match.rival_face >= 0 else "",
        flaw=match.flaw,
        most=most,
        apart=match.rival_flaw,
        likeness=match.likeness,
        lead=match.lead,
        doubt=combine_doubts(
            _used_deck_limit(match, most), *_used_identity_limits(match, limits), blur=match.blur
        ),
        refused=refused,
        differing_area=match.differing_area,
    )


def unmoved_flaw_limit(before: MatchJudgement | None) -> float:
    """The flaw below which a card lies as it did `before`; 0 if how that was judged is not known."""
    return min(UNMOVED_MAX_FLAW, before.flaw + UNMOVED_TOLERANCE) if before else 0.0


def _used_deck_limit(match: FaceMatch, most: float) -> float:
    """How much is used up of the limit on whether it is of the deck."""
    return match.differing_area / MAX_DIFFERING_AREA if differs_only_locally(match) else match.flaw / most


def _used_identity_limits(match: FaceMatch, limits: Thresholds) -> tuple[float, ...]:
    """Of each limit on which card it is, how much is used up."""
    if is_named_by_index(match):
        return (max(INDEXED_MIN_DOUBT, match.index_ambiguity / MAX_INDEX_AMBIGUITY),)
    if differs_only_locally(match):
        return (max(INDEXED_MIN_DOUBT, (1 - match.lead) / (1 - MIN_LEAD)),)
    return match.flaw / max(limits.rival * match.rival_flaw, 1e-9), (1 - match.lead) / (1 - MIN_LEAD)


def is_named_by_index(match: FaceMatch) -> bool:
    """Does its index say which card it is?"""
    return match.index_ambiguity <= MAX_INDEX_AMBIGUITY


def is_this_card(match: FaceMatch, limits: Thresholds) -> bool:
    """Which card: does the view lead from the best other one, and a part fit so much better than that?"""
    return is_named_by_index(match) or (
        match.lead > MIN_LEAD
        and (differs_only_locally(match) or match.flaw < limits.rival * match.rival_flaw)
    )


def differs_only_locally(match: FaceMatch) -> bool:
    """Does it differ in so little of the card that something lies, or shines, on this card of the deck?"""
    return match.differing_area < MAX_DIFFERING_AREA


def is_of_deck(match: FaceMatch, most: float) -> bool:
    """Is it of this deck at all: is its flaw (0 for the same print) less than the flaw `most`?"""
    return match.flaw < most or differs_only_locally(match)


def is_possible_place(match: FaceMatch) -> bool:
    """Is its place one that a card can be in: convex, not mirrored, of some size?"""
    corners = match.corners
    return cv2.isContourConvex(corners) and cv2.contourArea(corners, oriented=True) > MIN_CARD_AREA
