"""Rate limit for repeated warnings: the first at once, then one a minute."""

from companion.core.actions import SECOND, Micros

LOG_INTERVAL: Micros = 60 * SECOND


class RateLimit:
    """Remembers when each thing was said last."""

    def __init__(self) -> None:
        self._said: dict[str, Micros] = {}

    def should_log(self, what: str, now: Micros) -> bool:
        """Whether it is worth saying now; then it counts as said. Time that went back is another game's."""
        said = self._said.get(what)
        if said is not None and 0 <= now - said < LOG_INTERVAL:
            return False
        self._said[what] = now
        return True

    def reset(self, what: str) -> None:
        """It went well: the next time is said at once."""
        self._said.pop(what, None)
