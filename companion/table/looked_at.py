"""Whether somebody looks at what was hidden in a game that is over: then it cannot go on."""

from companion.core import observations as ob
from companion.core.actions import Micros
from companion.table.frames import OPEN_LOG
from companion.table.navigation import Navigation


class LookedAt:
    """Has it written down once: the log is opened then, or was open when the game was won."""

    def __init__(self, navigation: Navigation) -> None:
        self._at = navigation
        self._looking = False

    def note(self, now: Micros) -> None:
        """Ask again; the game hears of a look that begins."""
        looked, self._looking = self._looking, self._looks()
        if self._looking and not looked and self._at.session is not None:
            self._at.session.take(ob.Uncovered(at=now))

    def _looks(self) -> bool:
        session = self._at.session
        if session is None or not (self._at.page == "recap" or self._at.glass.overlay in OPEN_LOG):
            return False
        referee = session.game.referee
        return referee.rules.is_open(referee.state) and not referee.state.desk.uncovered
