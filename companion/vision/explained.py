"""What was looked at in a picture and not read, for a person who wants to know why."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from companion.vision.compare import Match
from companion.vision.covered import ALIKE, same_place
from companion.vision.indices import Index
from companion.vision.judge import LEFT, Refusal, Why
from companion.vision.search import PART_LIKENESS, Fitted, Looked, Sighting, joined


def explained(
    looked: Looked, told: Sequence[Sighting], judged: Callable[[Match], Sighting], cards: Sequence[str]
) -> list[Sighting]:
    """What is `told` of a picture and, as the card "", what was given up: outlines, then covered cards.

    Of each place where covered cards were fitted, the one that is most alike. `cards` has of each picture its
    card.
    """
    covered: list[Sighting] = []
    for one in sorted(looked.fitted, key=_alike, reverse=True):
        if not any(same_place(one.corners, other.corners) for other in (*told, *covered)):
            covered.append(Sighting("", one.corners, 0.0, _why(one, judged, cards)))
    return [*joined(looked.given_up, told), *covered]


def _alike(one: Fitted) -> float:
    """How like the card it is, at most 1."""
    if one.match is not None:
        return one.match.likeness
    return one.index.best if one.index else 0.0


def _why(one: Fitted, judged: Callable[[Match], Sighting], cards: Sequence[str]) -> Why:
    """Why a place where a covered card was fitted holds none that could be told."""
    if one.match is None:
        note = _index(one.index)
        return Why(cards[one.face], "", 1.0, 0.0, 1.0, 1.0, _alike(one), 1.0, Refusal.COVERED, note)
    why = judged(one.match).why
    assert why is not None
    most = min(one.most, why.apart)
    if why.flaw >= most:
        note = f"what shows differs by {why.flaw:.3f} (at most {most:.3f} for a part)"
    elif why.likeness < PART_LIKENESS:
        note = f"what shows has a likeness of {why.likeness:.2f} (at least {PART_LIKENESS:.2f} for a part)"
    else:
        note = "too little of it shows, or a card is there that was read"
    return replace(why, refused=Refusal.COVERED, note=note)


def _index(index: Index | None) -> str:
    """What is wrong with the index that should name a card."""
    if index is None:
        return "its index is not there, or can't be read"
    if index.best < ALIKE:
        return f"its index has a likeness of {index.best:.2f} (at least {ALIKE:.2f})"
    if index.left > LEFT:
        return f"another card's index is nearly as good ({index.left:.2f}, at most {LEFT:.2f})"
    return "its index fits, but not what else shows of it"
