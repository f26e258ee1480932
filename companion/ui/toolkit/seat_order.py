"""Order of the chairs round the screen, turned to where people sit.

Places on the screen are counted as the plates of a game stand: up the left side, down the right.
"""

from collections.abc import Iterable

from companion.core.actions import Chair
from companion.ui.toolkit.theme import SHAPES
from companion.ui.ui_state import UiState

ROUND = len(SHAPES)
"""More chairs than these no table has."""


def screen_position(ui_state: UiState, chair: Chair) -> int:
    """How far round the screen a chair is from the lower left corner."""
    steps = chair + 1 - ui_state.first_chair
    return (-steps if ui_state.mirrored else steps) % ROUND


def in_screen_order(ui_state: UiState, chairs: Iterable[Chair]) -> tuple[Chair, ...]:
    """Chairs as they stand on the screen, from the lower left corner on."""
    return tuple(sorted(chairs, key=lambda chair: screen_position(ui_state, chair)))


def seat_orientation(left: Chair, right: Chair, chairs: int) -> tuple[int, bool]:
    """`first_chair` and `mirrored`, told who sits next to the screen on its left and on its right.

    The screen stands between these two, so the shorter way from one to the other leads past it.
    """
    return left + 1, (right - left) % chairs < (left - right) % chairs
