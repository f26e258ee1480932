"""Judges a match in three questions: which card, is it of this deck at all, is it a card at all?"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

import cv2
import numpy as np

from companion.vision.compare import Match
from companion.vision.confidence import doubt
from companion.vision.limits import Limits
from companion.vision.read import NOTHING

LEAST_LEAD = 0.1
"""Least lead over the best other card.

Of 190 look-alikes and playing cards that were read rightly on photographs not held out the least lead was
0.14; one more is refused at 0.05. None that led was wrong.
"""
LEFT, NAMED_FLAW = 0.3, 0.12
"""The most that the index of a card may leave unexplained of what the next card's does; what flaw it excuses.

A named card was compared only where it shows; see `covered`.
"""
NAMED_DOUBT = 0.6
"""Least doubt of a card that only its index names: `confidence.CURVE` knows none such. It is reported, and
the table is asked before a player is said to break a rule (`referee.confidence.ACCUSING`).
"""
STILL_THERE = 0.10
"""Flaw up to which the card last seen at a place is believed without a look at all the others.

Of 3,952 cards laid in the place of another (look-alikes, playing cards, Skat, poker; none held out) none was
believed up to 0.15, for the other did not lead; by the flaw alone 99 were.
"""
AS_WELL = 0.02
"""A card that differs by less than this beyond what it did lies as before: it need not be fitted again.

Of 24 cards that lay still between two made pictures none came to 0.009; half a pixel's slip of a card 67 wide
comes to 0.01, a pixel's to 0.05.
"""
LEAST_AREA = 1.0
"""Square pixels of a card that is read: what is looked for beside it is measured by it."""


class Refusal(StrEnum):
    """The test that refused a match."""

    NONE = ""
    NO_CARD = "no card"
    """Its place is none that a card can be in."""
    SCREEN = "a screen"
    """A telephone shows it."""
    STRANGER = "a stranger"
    """It differs from the face more than the deck's own cards may."""
    SISTER = "a sister"
    """Another card of the deck may be it as well."""
    COVERED = "covered"
    """Too little of it shows, or what shows doesn't name it."""


_PLAINLY = MappingProxyType(
    {
        Refusal.NO_CARD: "no card can be there",
        Refusal.SCREEN: "a screen shows it",
        Refusal.STRANGER: "it differs too much",
        Refusal.SISTER: "it could be either",
    }
)
"""A refusal, for a person at a terminal."""


@dataclass(frozen=True, slots=True)
class Why:
    """How a match was judged; see `compare.Match` for the measures."""

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
    """Over the rival, where the two faces differ; see `identity.Pair.lead`."""
    likeness: float
    doubt: float
    """0 to 1: how near it comes to the nearest of its limits; beyond 1 if it is refused."""
    refused: Refusal = Refusal.NONE
    note: str = ""
    """Of a partly covered card why it was refused, in words: there the measures alone don't tell."""

    def __str__(self) -> str:
        """For a person at a terminal."""
        if self.note:
            return f"partly covered, most like {self.card}: refused, {self.note}"
        if self.flaw > NOTHING[0] and self.likeness < NOTHING[1]:
            return "refused: like no card of the deck"
        verdict = f"refused, {_PLAINLY[self.refused]}" if self.refused else "taken"
        told = [f"{self.card} differs by {self.flaw:.3f} (at most {self.most:.3f})"]
        if self.apart < 1:
            told[0] += f", {self.rival} by {self.apart:.3f}"
        if self.rival and (self.apart == 1 or self.lead < 1):  # of a part there is no lead
            told.append(f"told apart from {self.rival}: {self.lead:.2f} (at least {LEAST_LEAD:.2f})")
        elif not self.rival and self.flaw < self.most:
            told.append("no other card near")
        return f"{'; '.join(told)}; likeness {self.likeness:.2f}: {verdict}"


def unread(count: int, *, complete: bool) -> str:
    """How many cards stay "unknown", for a person at a terminal; a `complete` deck has no others."""
    many = count != 1
    other = "" if complete else f", or that {'are' if many else 'is'} not in this deck"
    return f"{count} card{'s' * many} I can't read{other}"


def judged(match: Match, limits: Limits, owner: int, cards: Sequence[str]) -> Why:
    """The match of the card with index `owner`; `cards` has of each picture its card."""
    sides = np.linalg.norm(match.corners - np.roll(match.corners, -1, axis=0), axis=1)
    most = limits.flaw_of(owner, float(sides.max()), match.blur)
    if is_named(match):
        most = max(most, NAMED_FLAW)
    refused = Refusal.NONE
    if not lies_there(match):
        refused = Refusal.NO_CARD
    elif not of_the_deck(match, most):
        refused = Refusal.STRANGER
    elif not is_this_card(match, limits):
        refused = Refusal.SISTER
    return Why(
        card=cards[match.face],
        rival=cards[match.other] if match.other >= 0 else "",
        flaw=match.flaw,
        most=most,
        apart=match.rival,
        likeness=match.likeness,
        lead=match.lead,
        doubt=doubt(match.flaw / most, *_identity(match, limits), blur=match.blur),
        refused=refused,
    )


def as_well(before: Why | None) -> float:
    """The flaw below which a card lies as it did `before`; 0 if how that was judged is not known."""
    return min(STILL_THERE, before.flaw + AS_WELL) if before else 0.0


def _identity(match: Match, limits: Limits) -> tuple[float, ...]:
    """Of each limit on which card it is, how much is used up."""
    if is_named(match):
        return (max(NAMED_DOUBT, match.left / LEFT),)
    return match.flaw / max(limits.rival * match.rival, 1e-9), (1 - match.lead) / (1 - LEAST_LEAD)


def is_named(match: Match) -> bool:
    """Does its index say which card it is?"""
    return match.left <= LEFT


def is_this_card(match: Match, limits: Limits) -> bool:
    """Which card: does the view lead from the best other one, and a part fit so much better than that?"""
    return is_named(match) or (match.lead > LEAST_LEAD and match.flaw < limits.rival * match.rival)


def of_the_deck(match: Match, most: float) -> bool:
    """Is it of this deck at all: is its flaw (0 for the same print) less than the flaw `most`?"""
    return match.flaw < most


def lies_there(match: Match) -> bool:
    """Is its place one that a card can be in: convex, not mirrored, of some size?"""
    corners = match.corners
    return cv2.isContourConvex(corners) and cv2.contourArea(corners, oriented=True) > LEAST_AREA
