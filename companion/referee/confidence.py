"""Whether a reading is likely enough to be ruled on, given what is legal now.

A wrong reading costs a table its trust, and "please straighten that card" costs nothing. So a card that is
read with little certainty is asked for, and one that would accuse somebody has to be read more surely than
one that fits what may be done now. Only what is legal and public counts: what lies hidden changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from companion.core.events import Infraction
from companion.core.observations import UNKNOWN, Face, Observation, Region, TableSeen
from companion.core.rules import Rules

LIKELY = 0.9
"""Least chance of a reading that fits what is legal now: of all ruled on, at most 1 in 50 may be wrong.

By `vision.confidence.CURVE` less than 1 in 100 of what is believed in the hardest made pictures may be wrong.
So whatever this recogniser believes may be ruled on: its own limits trigger the question, and this bound
matters only for a worse curve.
"""
ACCUSING = 0.99
"""Least chance of a reading by which somebody broke a rule: this one itself may be wrong 1 time in 100.

By the same curve that is a little over half way to the limits (a doubt of 0.53). Of 6,225 readings in hard
pictures 1 in 8 was beyond that, and would be asked for; of the others 14 of 5,426 were wrong, each a card
that had never been shown. `python -m tests.bench.confidence` counts both.
"""
UNREAD = Face(UNKNOWN, 0, 0.0)


def chance(seen: Observation) -> float | None:
    """How likely a reading is right as a whole: its least certain face; None if no face was read."""
    if not isinstance(seen, TableSeen):
        return None
    return min(_chances(seen.regions), default=None)


def weighed(rules: Rules[Any], state: Any, seen: TableSeen) -> TableSeen:
    """The reading with every place unread that is not likely enough; the table is then asked."""
    if min(_chances(seen.regions), default=1.0) >= ACCUSING:
        return seen
    return replace(seen, regions=tuple(_weighed(rules, state, seen, region) for region in seen.regions))


def _weighed(rules: Rules[Any], state: Any, seen: TableSeen, region: Region) -> Region:
    least = min(_chances([region]), default=1.0)
    if least >= ACCUSING or (least >= LIKELY and not _accuses(rules, state, seen, region)):
        return region
    return replace(region, faces=(UNREAD,))


def _accuses(rules: Rules[Any], state: Any, seen: TableSeen, region: Region) -> bool:
    """Whether this place alone, ruled on now, has somebody break a rule."""
    ruled = rules.decide(rules.veiled(state), replace(seen, regions=(region,)))
    return any(isinstance(event, Infraction) for event in ruled)


def _chances(regions: Iterable[Region]) -> list[float]:
    """The confidence of every face that was read; which back it is matters to no rule."""
    return [
        face.confidence
        for region in regions
        for face in region.faces
        if face.card != UNKNOWN and not face.card.startswith("back:")
    ]
