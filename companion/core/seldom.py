"""What goes wrong again and again is said at once, and then once a minute."""

from companion.core.actions import SECOND, Micros

EVERY: Micros = 60 * SECOND


class Seldom:
    """Remembers when each thing was said last."""

    def __init__(self) -> None:
        self._said: dict[str, Micros] = {}

    def due(self, what: str, now: Micros) -> bool:
        """Whether it is worth saying now; then it counts as said. Time that went back is another game's."""
        said = self._said.get(what)
        if said is not None and 0 <= now - said < EVERY:
            return False
        self._said[what] = now
        return True

    def over(self, what: str) -> None:
        """It went well: the next time is said at once."""
        self._said.pop(what, None)
