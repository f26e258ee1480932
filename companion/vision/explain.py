"""Explains why outlines in a picture were rejected, for debugging a wrong reading."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from companion.vision.acceptance import MAX_INDEX_AMBIGUITY, MatchJudgement, RejectionReason
from companion.vision.comparison import FaceMatch
from companion.vision.corner_indices import CornerIndexReading
from companion.vision.covered_cards import MIN_INDEX_LIKENESS, is_same_place
from companion.vision.outline_reading import (
    PART_MIN_LIKENESS,
    FittedCard,
    SearchRecord,
    Sighting,
    merge_sightings,
)


def with_rejected_sightings(
    looked: SearchRecord,
    told: Sequence[Sighting],
    judged: Callable[[FaceMatch], Sighting],
    cards: Sequence[str],
) -> list[Sighting]:
    """What is `told` of a picture and, as the card "", what was given up: outlines, then covered cards.

    Of each place where covered cards were fitted, the one that is most alike. `cards` has of each picture its
    card.
    """
    covered: list[Sighting] = []
    for one in sorted(looked.fitted, key=_likeness_of, reverse=True):
        if not any(is_same_place(one.corners, other.corners) for other in (*told, *covered)):
            covered.append(Sighting("", one.corners, 0.0, _rejection_of(one, judged, cards)))
    return [*merge_sightings(looked.rejected_outlines, told), *covered]


def _likeness_of(one: FittedCard) -> float:
    """How like the card it is, at most 1."""
    if one.match is not None:
        return one.match.likeness
    return one.index.best_likeness if one.index else 0.0


def _rejection_of(
    one: FittedCard, judged: Callable[[FaceMatch], Sighting], cards: Sequence[str]
) -> MatchJudgement:
    """Why a place where a covered card was fitted holds none that could be told."""
    if one.match is None:
        note = _index_problem(one.index)
        return MatchJudgement(
            cards[one.face], "", 1.0, 0.0, 1.0, 1.0, _likeness_of(one), 1.0, RejectionReason.COVERED, note
        )
    why = judged(one.match).why
    assert why is not None
    most = min(one.most, why.apart)
    if why.flaw >= most:
        note = f"what shows differs by {why.flaw:.3f} (at most {most:.3f} for a part)"
    elif why.likeness < PART_MIN_LIKENESS:
        note = (
            f"what shows has a likeness of {why.likeness:.2f} (at least {PART_MIN_LIKENESS:.2f} for a part)"
        )
    else:
        note = "too little of it shows, or a card is there that was read"
    return replace(why, refused=RejectionReason.COVERED, note=note)


def _index_problem(index: CornerIndexReading | None) -> str:
    """What is wrong with the index that should name a card."""
    if index is None:
        return "its index is not there, or can't be read"
    if index.best_likeness < MIN_INDEX_LIKENESS:
        return f"its index has a likeness of {index.best_likeness:.2f} (at least {MIN_INDEX_LIKENESS:.2f})"
    if index.ambiguity > MAX_INDEX_AMBIGUITY:
        limit = f"at most {MAX_INDEX_AMBIGUITY:.2f}"
        return f"another card's index is nearly as good ({index.ambiguity:.2f}, {limit})"
    return "its index fits, but not what else shows of it"
