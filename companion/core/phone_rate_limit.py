"""Rate limit for the presses and clock questions of phones.

What is above is dropped and counted, never kept for later: a press that is taken in late would count late.
Instants are nanoseconds of the table's clock.
"""

from dataclasses import dataclass, field

from companion.core.actions import Chair
from companion.core.phone_clock import Nanos

SECOND: Nanos = 1_000_000_000
MAX_CHAIR_PRESSES = 10
"""Presses a second that one chair's phone may send."""
MAX_TOTAL_PRESSES = 80
"""Presses a second that all phones together may send."""
MAX_CHAIR_EXCHANGES = 40
"""Exchanges a second that one chair's phone may ask for: a page asks four times, and once with each press."""


@dataclass(slots=True)
class TokenBucket:
    """Lets through at most `rate` in a row, and `rate` a second in the long run."""

    rate: int
    dropped: int = 0
    _room: int = field(init=False)
    """Room for one is `SECOND` of these."""
    _at: Nanos | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._room = self.rate * SECOND

    def has_room(self, now: Nanos) -> bool:
        gone = 0 if self._at is None else max(0, now - self._at)
        self._room = min(self.rate * SECOND, self._room + gone * self.rate)
        self._at = now
        return self._room >= SECOND

    def take(self) -> None:
        """Use the room for one."""
        self._room -= SECOND

    def try_take(self, now: Nanos) -> bool:
        """Use the room for one, if there is any."""
        has_room = self.has_room(now)
        if has_room:
            self.take()
        return has_room


class PressLimiter:
    """The presses of all phones of a table; a chair that no phone holds has none."""

    def __init__(self) -> None:
        self._presses: dict[Chair, TokenBucket] = {}
        self._all = TokenBucket(MAX_TOTAL_PRESSES)

    def add_chair(self, chair: Chair) -> None:
        """A phone holds `chair` from now on."""
        self._presses.setdefault(chair, TokenBucket(MAX_CHAIR_PRESSES))

    def remove_chair(self, chair: Chair) -> None:
        """No phone holds `chair` any more; its count of what was dropped goes with it."""
        self._presses.pop(chair, None)

    def admit_press(self, chair: Chair, now: Nanos) -> bool:
        """Whether this press is taken in; one chair's flood never takes another chair's room."""
        own = self._presses.get(chair)
        if own is None:
            return False
        if own.has_room(now) and self._all.has_room(now):
            own.take()
            self._all.take()
            return True
        own.dropped += 1
        return False

    def dropped_count(self, chair: Chair) -> int:
        """How many presses of this chair's phone were dropped since it has the chair: it is told."""
        own = self._presses.get(chair)
        return 0 if own is None else own.dropped
