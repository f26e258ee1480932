"""Who sits at which side of the screen: the order round the table is turned and mirrored to it.

Places on the screen are counted as the plates of a game stand: up the left side, down the right.
"""

from collections.abc import Iterable

from companion.core.actions import Chair
from companion.ui.glass import Glass
from companion.ui.theme import SHAPES

ROUND = len(SHAPES)
"""More chairs than these no table has."""


def place_of(glass: Glass, chair: Chair) -> int:
    """How far round the screen a chair is from the lower left corner."""
    steps = chair + 1 - glass.first_chair
    return (-steps if glass.mirrored else steps) % ROUND


def in_order(glass: Glass, chairs: Iterable[Chair]) -> tuple[Chair, ...]:
    """Chairs as they stand on the screen, from the lower left corner on."""
    return tuple(sorted(chairs, key=lambda chair: place_of(glass, chair)))


def sat(left: Chair, right: Chair, chairs: int) -> tuple[int, bool]:
    """`first_chair` and `mirrored`, told who sits next to the screen on its left and on its right.

    The screen stands between these two, so the shorter way from one to the other leads past it.
    """
    return left + 1, (right - left) % chairs < (left - right) % chairs
