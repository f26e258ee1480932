"""Notices for the screen: failures, results, messages of the machine."""

from collections.abc import Callable

from companion.core.actions import SECOND, Micros
from companion.core.clock import Clock
from companion.core.errors import CompanionError
from companion.core.view import Sentence
from companion.system.appliance import Appliance
from companion.system.fault_isolation import FaultIsolation, run_and_log
from companion.table.frames import most_pressing_trouble
from companion.table.host import Host
from companion.table.session import Session

NOTICE_TIME: Micros = 8 * SECOND
UNKNOWN_FAILURE = Sentence("shared.trouble.other")


class Notices:
    """Keeps the newest notice while it is shown, and knows which of all is the most pressing."""

    def __init__(self, clock: Clock, parts: FaultIsolation, appliance: Appliance | None) -> None:
        self._clock = clock
        self._parts = parts
        self._appliance = appliance
        self._newest: tuple[Micros, Sentence] | None = None

    def show(self, sentence: Sentence) -> None:
        """Show this from now on, for `NOTICE_TIME`."""
        self._newest = (self._clock.now(), sentence)

    def show_and_say(self, sentence: Sentence, session: Session | None) -> None:
        """Show it, and say it where a game has a voice."""
        self.show(sentence)
        if session is not None:
            session.voice.say([sentence])

    def attempt(self, what: str, step: Callable[[], object]) -> bool:
        """Whether `step` succeeded; what it raised is shown. `what` names it in the log."""
        failure = run_and_log(what, step)
        if failure is not None:
            self.show(failure.screen_sentence() if isinstance(failure, CompanionError) else UNKNOWN_FAILURE)
        return failure is None

    def tell_failed_parts(self, session: Session | None) -> None:
        """Which parts failed, once: on the screen, and aloud where a game has a voice."""
        for sentence in self._parts.unreported_failures():
            self.show_and_say(sentence, session)

    def most_pressing(self, session: Session | None, host: Host) -> Sentence | None:
        """The one notice that is on the screen now."""
        now = self._clock.now()
        pressing = None if self._appliance is None else self._appliance.message_for_players(now)
        if pressing is None and session is not None:
            pressing = most_pressing_trouble(session, now)
        if pressing is not None:
            return pressing
        if self._newest is not None and 0 <= now - self._newest[0] < NOTICE_TIME:
            return self._newest[1]
        return None if session is None else host.parts_trouble()
