"""How sure a share is that was counted."""

import math

Z = 1.96
"""Standard deviations of a 95 % interval."""


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
