"""How sure a share is that was counted."""

import math

Z = 1.96
"""Standard deviations of a 95 % interval."""
TAIL = 0.025
"""Chance beyond each end of a 95 % interval."""
HALVINGS = 50
"""How often the range of an exact limit is halved: to 1e-15."""


def wilson(good: float, of: float) -> tuple[float, float]:
    """The 95 % interval of the share `good` / `of`, both ends from 0 to 1; (0, 1) where nothing was counted.

    E. B. Wilson, "Probable inference, the law of succession, and statistical inference", 1927.
    """
    if not of:
        return 0.0, 1.0
    share = good / of
    middle = share + Z * Z / (2 * of)
    half = Z * math.sqrt(share * (1 - share) / of + Z * Z / (4 * of * of))
    whole = 1 + Z * Z / of
    return max(0.0, (middle - half) / whole), min(1.0, (middle + half) / whole)


def exact(good: int, of: int) -> tuple[float, float]:
    """The exact 95 % interval of the share `good` / `of`, from 0 to 1; (0, 1) where nothing was counted.

    C. J. Clopper and E. S. Pearson, "The use of confidence or fiducial limits illustrated in the case of the
    binomial", 1934: each end is the share at which as many, or as few, come about with a chance of 2.5 %.
    """
    if 2 * good > of:  # the same counted from the other end, with fewer terms
        low, high = exact(of - good, of)
        return 1 - high, 1 - low
    low = _share(good - 1, of, 1 - TAIL) if good else 0.0
    return low, _share(good, of, TAIL) if of else 1.0


def _share(good: int, of: int, chance: float) -> float:
    """The share at which at most `good` (fewer than all) come about with this chance."""
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        share = (low + high) / 2
        low, high = (share, high) if _at_most(good, of, share) > chance else (low, share)
    return high


def _at_most(good: int, of: int, share: float) -> float:
    """The chance of at most `good` of `of`, each with the chance `share` (between 0 and 1)."""
    yes, no = math.log(share), math.log1p(-share)
    ways = (math.lgamma(of + 1) - math.lgamma(k + 1) - math.lgamma(of - k + 1) for k in range(good + 1))
    return math.fsum(math.exp(way + k * yes + (of - k) * no) for k, way in enumerate(ways))
