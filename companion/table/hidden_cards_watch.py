"""Notices that hidden cards were viewed after a game, which makes its result final."""

from companion.core import observations as ob
from companion.core.actions import Micros
from companion.table.frames import LOG_OVERLAYS
from companion.table.navigation import Navigation


class HiddenCardsWatch:
    """Has it written down once: the log is opened then, or was open when the game was won."""

    def __init__(self, navigation: Navigation) -> None:
        self._at = navigation
        self._looking = False

    def check(self, now: Micros) -> None:
        """Ask again; the game hears of a look that begins."""
        looked, self._looking = self._looking, self._is_viewing()
        if self._looking and not looked and self._at.session is not None:
            self._at.session.submit(ob.HiddenCardsViewed(at=now))

    def _is_viewing(self) -> bool:
        session = self._at.session
        if session is None or not (self._at.page == "recap" or self._at.ui_state.overlay in LOG_OVERLAYS):
            return False
        referee = session.game.referee
        return referee.rules.is_open(referee.state) and not referee.state.desk.uncovered
