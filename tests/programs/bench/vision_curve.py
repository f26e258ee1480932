"""`make bench-vision ARGS=--curve`: recall against precision, by how much doubt a reading may have.

A reading's doubt is how near it comes to the nearest limit (`companion.vision.acceptance.combine_doubts`):
up to 1 it is told, beyond that it is refused.
So the rows beyond 1 say what looser limits would gain and cost.
Cards that were refused before their doubt was known, or never outlined, are in no row.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from companion.vision.acceptance import RejectionReason
from companion.vision.decks import build_deck
from companion.vision.outline_reading import Sighting
from companion.vision.outlines import overlap_share
from companion.vision.pictures import read_picture
from companion.vision.recogniser import Recogniser
from tests.programs.bench.vision import share_of

DOUBTS = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0)
UNMEASURED = (RejectionReason.PHONE_SCREEN, RejectionReason.IMPOSSIBLE_PLACE, RejectionReason.COVERED)
"""What was refused for these no limit would have taken."""
SAME_PLACE = 0.5


def curve(evaluate: ModuleType, root: Path, one: str, *, half: str, complete: bool, limit: int) -> None:
    """Prints recall and precision on one half of a set for each of `DOUBT_RULES`."""
    recogniser = Recogniser(build_deck(evaluate.load_refs(str(root), one), complete=complete))
    labels = json.loads((root / one / "labels.json").read_text())
    names = [name for name in sorted(labels) if labels[name]["split"] == half]
    cards, answers = 0, list[tuple[float, bool]]()
    for name in names[: limit or None]:
        there = [card for card in labels[name]["cards"] if labels[name]["kind"] == "pos"]
        cards += sum(not card.get("ignore") for card in there)
        seen = recogniser.recognise(read_picture(root / one / "photos" / name), explain=True)
        answers += judged(evaluate, seen, there)
    print(f"\n{one}, {half}: {cards} cards; at most so much doubt (1: as it is)")
    for most in DOUBTS:
        right = sum(good for doubt, good in answers if doubt <= most)
        told = sum(doubt <= most for doubt, _ in answers)
        print(f"  {most:4.2f}   recall {share_of(right, cards)}   precision {share_of(right, told)}")


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
