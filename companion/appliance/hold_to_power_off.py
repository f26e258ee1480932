"""Switching off by holding a button: long enough to be meant, and shown while it burns."""

from companion.core.actions import SECOND, Micros

SHOWN: Micros = SECOND
"""Held this long, the table says what is about to happen."""
BLOWN: Micros = 4 * SECOND
"""Held this long, it happens."""


class HoldToPowerOff:
    """Burns while the button is down; a release puts it out."""

    def __init__(self) -> None:
        self._since: Micros | None = None
        self._now: Micros = 0
        self._spent = False

    def burn(self, now: Micros, *, down: bool) -> bool:
        """Take the button's level in; True once, when the fuse has burnt down."""
        self._now = now
        if not down:
            self._since, self._spent = None, False
            return False
        if self._since is None or now < self._since:  # another game's clock began
            self._since = now
        blown = not self._spent and now - self._since >= BLOWN
        self._spent |= blown
        return blown

    @property
    def burning(self) -> bool:
        """Whether it is to be seen."""
        return self._since is not None and self._now - self._since >= SHOWN

    def lit(self, lamps: int) -> int:
        """How many of the lamps glow: all of them when it has burnt down."""
        if self._since is None or not self.burning:
            return 0
        part = (self._now - self._since - SHOWN) * lamps // (BLOWN - SHOWN)
        return min(lamps, 1 + part)
