"""Whether a reading is certain enough to be ruled on, given what is legal now.

A wrong ruling costs the players' trust, and "please straighten that card" costs nothing. So the players are
asked about a card that was read with little certainty, and a reading that implies an infraction needs more
certainty than one that fits a legal action. Only public knowledge is used: hidden cards change nothing.
"""

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from companion.core.events import Infraction
from companion.core.observations import UNKNOWN, Face, Observation, Region, TableSeen
from companion.core.rules import Rules

LIKELY = 0.9
"""Least probability of a reading that fits a legal action; at most 1 in 50 of the readings ruled on is wrong.

According to `vision.confidence.CURVE`, less than 1 in 100 of the readings that the recogniser accepts in the
hardest generated pictures is wrong. So every accepted reading passes this bound: the recogniser's own limits
trigger the question, and this bound matters only for a worse curve.
"""
ACCUSING = 0.99
"""Least probability of a reading that implies an infraction: a single such reading is wrong 1 time in 100.

On the same curve that is a little over half way to the limits (a doubt of 0.53). Of 6,225 readings in hard
pictures, 1 in 8 was beyond that and would be asked about; of the others, 14 of 5,426 were wrong, each of them
a card that had never been enrolled. `python -m tests.bench.confidence` measures both.
"""
UNREAD = Face(UNKNOWN, 0, 0.0)


def chance(seen: Observation) -> float | None:
    """Probability that a whole reading is right: that of its least certain face; None without a face."""
    if not isinstance(seen, TableSeen):
        return None
    return min(_chances(seen.regions), default=None)


def weighed(rules: Rules[Any], state: Any, seen: TableSeen) -> TableSeen:
    """The reading with every insufficiently certain region set to unread, so that the players are asked."""
    if min(_chances(seen.regions), default=1.0) >= ACCUSING:
        return seen
    return replace(seen, regions=tuple(_weighed(rules, state, seen, region) for region in seen.regions))


def _weighed(rules: Rules[Any], state: Any, seen: TableSeen, region: Region) -> Region:
    least = min(_chances([region]), default=1.0)
    if least >= ACCUSING or (least >= LIKELY and not _accuses(rules, state, seen, region)):
        return region
    return replace(region, faces=(UNREAD,))


def _accuses(rules: Rules[Any], state: Any, seen: TableSeen, region: Region) -> bool:
    """Whether this region alone, ruled on now, would imply an infraction."""
    ruled = rules.decide(rules.redacted(state), replace(seen, regions=(region,)))
    return any(isinstance(event, Infraction) for event in ruled)


def _chances(regions: Iterable[Region]) -> list[float]:
    """The confidence of every face that was read. Backs are left out, because no rule depends on them."""
    return [
        face.confidence
        for region in regions
        for face in region.faces
        if face.card != UNKNOWN and not face.card.startswith("back:")
    ]
