"""`make bench-vision ARGS=--curve`: recall against precision, by how much doubt a reading may have.

A reading's doubt is how near it comes to the nearest limit (`companion.vision.acceptance.combine_doubts`):
up to 1 it is told, beyond that it is refused.
So the rows beyond 1 say what looser limits would gain and cost.
Cards that were refused before their doubt was known, or never outlined, are in no row.

At last each photograph is left out in turn: it is read by the one limit that is best for all others of all
sets, so what is told of it was chosen by nothing that it shows.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from companion.vision.acceptance import RejectionReason
from companion.vision.decks import build_deck
from companion.vision.outline_reading import Sighting
from companion.vision.outlines import overlap_share
from companion.vision.pictures import read_picture
from companion.vision.recogniser import Recogniser
from tests import intervals
from tests.programs.bench.vision import share_of

DOUBTS = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0)
UNMEASURED = (RejectionReason.PHONE_SCREEN, RejectionReason.IMPOSSIBLE_PLACE, RejectionReason.COVERED)
"""What was refused for these no limit would have taken."""
SAME_PLACE = 0.5
WRONG_COST = 100
"""As many cards that are not read are as bad as a wrong answer: a precision of 0.99 is aimed at."""


class Photograph(NamedTuple):
    """What was answered on one photograph."""

    set_: str
    cards: int
    """That lie there and are to be read."""
    answers: list[tuple[float, bool]]
    """Of each place its doubt, and whether the answer was right; refused ones too."""

    def counts(self, most: float) -> NDArray[np.int_]:
        """Right and wrong answers if so much doubt were let pass."""
        told = [good for doubt, good in self.answers if doubt <= most]
        return np.array((sum(told), len(told) - sum(told)))


def read_photographs(
    evaluate: ModuleType, root: Path, one: str, *, half: str, complete: bool, limit: int
) -> list[Photograph]:
    """The photographs of one half of a set."""
    recogniser = Recogniser(build_deck(evaluate.load_refs(str(root), one), complete=complete))
    labels = json.loads((root / one / "labels.json").read_text())
    names = [name for name in sorted(labels) if labels[name]["split"] == half]
    found = []
    for name in names[: limit or None]:
        there = [card for card in labels[name]["cards"] if labels[name]["kind"] == "pos"]
        seen = recogniser.recognise(read_picture(root / one / "photos" / name), explain=True)
        scored = sum(not card.get("ignore") for card in there)
        found.append(Photograph(one, scored, judged(evaluate, seen, there)))
    return found


def print_curve(photographs: Sequence[Photograph], one: str, half: str) -> None:
    """Prints recall and precision on one half of a set for each of `DOUBTS`."""
    cards = sum(photo.cards for photo in photographs)
    print(f"\n{one}, {half}: {cards} cards; at most so much doubt (1: as it is)")
    for most in DOUBTS:
        right, wrong = sum((photo.counts(most) for photo in photographs), np.zeros(2, int)).tolist()
        precision = share_of(right, right + wrong)
        print(f"  {most:4.2f}   recall {share_of(right, cards)}   precision {precision}")


def print_left_out(photographs: Sequence[Photograph]) -> None:
    """Prints what is read of each photograph by the one limit that is best for all others of all sets."""
    each = np.array([[photo.counts(most) for most in DOUBTS] for photo in photographs])
    others = each.sum(axis=0) - each  # (photographs, limits, right or wrong)
    best = (others[:, :, 0] - WRONG_COST * others[:, :, 1]).argmax(axis=1)
    counts = each[np.arange(len(each)), best]
    limits = Counter(DOUBTS[at] for at in best.tolist())
    print("\nEach photograph left out in turn, one limit for all sets; Wilson's 95 % intervals")
    print("limits chosen: " + ", ".join(f"{most} {many} times" for most, many in sorted(limits.items())))
    for one in (*dict.fromkeys(photo.set_ for photo in photographs), "all"):
        mine = [at for at, photo in enumerate(photographs) if one in {photo.set_, "all"}]
        right, wrong = counts[mine].sum(axis=0).tolist()
        cards = sum(photographs[at].cards for at in mine)
        print(f"  {one}: recall {_share(right, cards)}, precision {_share(right, right + wrong)}")


def _share(good: int, of: int) -> str:
    low, high = intervals.wilson(good, of)
    return f"{good}/{of} = {good / max(1, of):.3f} ({low:.3f} to {high:.3f})"


def judged(
    evaluate: ModuleType, seen: Sequence[Sighting], there: Sequence[dict[str, Any]]
) -> list[tuple[float, bool]]:
    """(doubt, was it right) of each place, least doubt first, without cards that are not to be scored."""
    found: list[tuple[float, bool]] = []
    taken: list[Sighting] = []
    left = list(there)
    for sighting in sorted((s for s in seen if s.why), key=lambda s: s.why.doubt if s.why else 0.0):
        if sighting.why is None or sighting.why.refused in UNMEASURED:
            continue
        # One may lie under another; of what was refused a place has only the likeliest.
        refused = bool(sighting.why.refused)
        if refused and any(overlap_share(sighting.corners, other.corners) > SAME_PLACE for other in taken):
            continue
        taken.append(sighting)
        on = [card for card in there if lies_on(evaluate, sighting, card, 0.3)]
        mine = [card for card in left if card["card"] == sighting.why.card]
        right = next((card for card in mine if lies_on(evaluate, sighting, card, SAME_PLACE)), None)
        if right is not None:
            left.remove(right)
        if not any(card.get("ignore") for card in (on if right is None else [right])):
            found.append((sighting.why.doubt, right is not None))
    return found


def lies_on(evaluate: ModuleType, sighting: Sighting, card: dict[str, Any], least: float) -> bool:
    """Does it share more than `least` of the area of both with a labelled card?

    Of one without corners the name says it.
    """
    if card["corners"] is None:
        return bool(sighting.card == card["card"])
    return bool(evaluate.iou(sighting.corners, card["corners"]) > least)
