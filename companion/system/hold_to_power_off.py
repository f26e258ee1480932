"""Timer that powers off when a button is held, shown on the lamps meanwhile."""

from companion.core.actions import SECOND, Micros

WARNING_AFTER: Micros = SECOND
"""Held this long, the table says what is about to happen."""
POWER_OFF_AFTER: Micros = 4 * SECOND
"""Held this long, it happens."""


class HoldToPowerOff:
    """Burns while the button is down; a release puts it out."""

    def __init__(self) -> None:
        self._since: Micros | None = None
        self._now: Micros = 0
        self._has_fired = False

    def update(self, now: Micros, *, down: bool) -> bool:
        """Take the button's level in; True once, when the fuse has burnt down."""
        self._now = now
        if not down:
            self._since, self._has_fired = None, False
            return False
        if self._since is None or now < self._since:  # another game's clock began
            self._since = now
        blown = not self._has_fired and now - self._since >= POWER_OFF_AFTER
        self._has_fired |= blown
        return blown

    @property
    def is_counting(self) -> bool:
        """Whether it is to be seen."""
        return self._since is not None and self._now - self._since >= WARNING_AFTER

    def lit_lamp_count(self, lamps: int) -> int:
        """How many of the lamps glow: all of them when it has burnt down."""
        if self._since is None or not self.is_counting:
            return 0
        part = (self._now - self._since - WARNING_AFTER) * lamps // (POWER_OFF_AFTER - WARNING_AFTER)
        return min(lamps, 1 + part)
