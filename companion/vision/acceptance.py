"""Decides whether a matched face is accepted as the card that lies there."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

import cv2
import numpy as np

from companion.vision.comparison import FaceMatch
from companion.vision.confidence import combine_doubts
from companion.vision.face_matching import NO_CARD_LIMITS
from companion.vision.thresholds import Thresholds

MIN_LEAD = 0.1
"""Least lead over the best other card.

Of 190 look-alikes and playing cards that were read rightly on photographs not held out the least lead was
0.14; one more is refused at 0.05. None that led was wrong.
"""
MAX_INDEX_AMBIGUITY, INDEXED_MAX_FLAW = 0.3, 0.12
"""The most that the index of a card may leave unexplained of what the next card's does; what flaw it excuses.

A named card was compared only where it shows; see `covered`.
"""
INDEXED_MIN_DOUBT = 0.6
"""Least doubt of a card that only its index names: `confidence.DEFAULT_CURVE` knows none such. It is
reported, and the table is asked before a player is said to break a rule
(`referee.reading_threshold.ACCUSING`).
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
    """Over the rival, where the two faces differ; see `identity.FacePair.lead`."""
    likeness: float
    doubt: float
    """0 to 1: how near it comes to the nearest of its limits; beyond 1 if it is refused."""
    refused: RejectionReason = RejectionReason.NONE
    note: str = ""
    """Of a partly covered card why it was refused, in words: there the measures alone don't tell."""

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
        doubt=combine_doubts(match.flaw / most, *_used_identity_limits(match, limits), blur=match.blur),
        refused=refused,
    )


def unmoved_flaw_limit(before: MatchJudgement | None) -> float:
    """The flaw below which a card lies as it did `before`; 0 if how that was judged is not known."""
    return min(UNMOVED_MAX_FLAW, before.flaw + UNMOVED_TOLERANCE) if before else 0.0


def _used_identity_limits(match: FaceMatch, limits: Thresholds) -> tuple[float, ...]:
    """Of each limit on which card it is, how much is used up."""
    if is_named_by_index(match):
        return (max(INDEXED_MIN_DOUBT, match.index_ambiguity / MAX_INDEX_AMBIGUITY),)
    return match.flaw / max(limits.rival * match.rival_flaw, 1e-9), (1 - match.lead) / (1 - MIN_LEAD)


def is_named_by_index(match: FaceMatch) -> bool:
    """Does its index say which card it is?"""
    return match.index_ambiguity <= MAX_INDEX_AMBIGUITY


def is_this_card(match: FaceMatch, limits: Thresholds) -> bool:
    """Which card: does the view lead from the best other one, and a part fit so much better than that?"""
    return is_named_by_index(match) or (
        match.lead > MIN_LEAD and match.flaw < limits.rival * match.rival_flaw
    )


def is_of_deck(match: FaceMatch, most: float) -> bool:
    """Is it of this deck at all: is its flaw (0 for the same print) less than the flaw `most`?"""
    return match.flaw < most


def is_possible_place(match: FaceMatch) -> bool:
    """Is its place one that a card can be in: convex, not mirrored, of some size?"""
    corners = match.corners
    return cv2.isContourConvex(corners) and cv2.contourArea(corners, oriented=True) > MIN_CARD_AREA
