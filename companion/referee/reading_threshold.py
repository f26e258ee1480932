"""Threshold on the confidence of a camera reading, below which the players are asked.

A wrong ruling costs the players' trust, and "please straighten that card" costs nothing. So the players are
asked about a card that was read with little certainty, and a reading that implies an infraction needs more
certainty than one that fits a legal action. Only public knowledge is used: hidden cards change nothing.
"""

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from companion.core.events import Infraction
from companion.core.observations import UNKNOWN, Observation, RegionReading, SeenCard, TableSeen
from companion.core.rules import Rules

MIN_LEGAL_PROBABILITY = 0.9
"""Least probability of a reading that fits a legal action; at most 1 in 50 of the readings ruled on is wrong.

According to `vision.acceptance.DEFAULT_CURVE`, less than 1 in 100 of the readings that the recogniser
accepts in the hardest generated pictures is wrong. So every accepted reading passes this bound: the
recogniser's own limits trigger the question, and this bound matters only for a worse curve.
"""
MIN_INFRACTION_PROBABILITY = 0.99
"""Least probability of a reading that implies an infraction: a single such reading is wrong 1 time in 100.

On the same curve that is a little over half way to the limits (a doubt of 0.53). Of 6,225 readings in hard
pictures, 1 in 8 was beyond that and would be asked about; of the others, 14 of 5,426 were wrong, each of them
a card that had never been enrolled. `python -m tests.programs.bench.confidence` measures both.
"""
UNREAD_CARD = SeenCard(UNKNOWN, 0, 0.0)


def reading_probability(seen: Observation) -> float | None:
    """Probability that a whole reading is right: that of its least certain face; None without a face."""
    if not isinstance(seen, TableSeen):
        return None
    return min(_confidences(seen.regions), default=None)


def discard_doubtful(rules: Rules[Any], state: Any, seen: TableSeen) -> TableSeen:
    """The reading with every insufficiently certain region set to unread, so that the players are asked."""
    if min(_confidences(seen.regions), default=1.0) >= MIN_INFRACTION_PROBABILITY:
        return seen
    return replace(
        seen, regions=tuple(_discard_if_doubtful(rules, state, seen, region) for region in seen.regions)
    )


def _discard_if_doubtful(
    rules: Rules[Any], state: Any, seen: TableSeen, region: RegionReading
) -> RegionReading:
    least = min(_confidences([region]), default=1.0)
    if least >= MIN_INFRACTION_PROBABILITY or (
        least >= MIN_LEGAL_PROBABILITY and not _implies_infraction(rules, state, seen, region)
    ):
        return region
    return replace(region, faces=(UNREAD_CARD,))


def _implies_infraction(rules: Rules[Any], state: Any, seen: TableSeen, region: RegionReading) -> bool:
    """Whether this region alone, ruled on now, would imply an infraction."""
    ruled = rules.decide(rules.redact(state), replace(seen, regions=(region,)))
    return any(isinstance(event, Infraction) for event in ruled)


def _confidences(regions: Iterable[RegionReading]) -> list[float]:
    """The confidence of every face that was read. Backs are left out, because no rule depends on them."""
    return [face.confidence for region in regions for face in region.faces if face.is_named]
