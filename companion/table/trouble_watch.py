"""Looks now and then whether something is wrong with the machine, and tells people while it is."""

import logging
from collections.abc import Callable
from threading import Thread

from companion.core.actions import SECOND, Micros
from companion.core.clock import Clock
from companion.core.view import Sentence

log = logging.getLogger(__name__)
WATCH_INTERVAL: Micros = 10 * SECOND
"""Between two looks at whether the disk takes games, and the Pi is cool."""
NEWS_TIME: Micros = 20 * SECOND
"""How long a game is told of what has begun meanwhile."""


class Watch:
    """Looks now and then whether something is wrong that people may mend meanwhile."""

    def __init__(
        self,
        look: Callable[[], str],
        sentence: Sentence | Callable[[], Sentence],
        clock: Clock,
        *,
        apart: bool = False,
        every: Micros = WATCH_INTERVAL,
    ) -> None:
        """`look` finds what is wrong, in the log's words; empty: nothing.

        `apart`: it takes its time, and so has a thread of its own; what it finds is told later.
        """
        self._every = every
        self._look, self._sentence, self._clock, self._apart = look, sentence, clock, apart
        self._looked_at: Micros | None = None
        self._began_at: Micros | None = None
        """When the fault was found; None: there is none, or it is older than the game."""
        self.fault = ""
        """What is wrong, in the log's words; empty: nothing."""
        self._thread: Thread | None = None

    def trouble(self) -> Sentence | None:
        """The sentence, while something is wrong; the log has why."""
        self.look(self._clock.now(), apart=self._apart)
        return self._told() if self.fault else None

    def _told(self) -> Sentence:
        return self._sentence if isinstance(self._sentence, Sentence) else self._sentence()

    def news(self, now: Micros) -> Sentence | None:
        """The sentence, for a while after something has begun in a game."""
        if self._began_at is not None and now < self._began_at:  # game time starts again with each game
            self._began_at = None
        is_new = self._began_at is not None and now - self._began_at < NEWS_TIME
        return self._told() if self.fault and is_new else None

    def look(self, now: Micros, *, apart: bool = False) -> None:
        """Look, if it is time; `apart`: nobody waits for it."""
        if self._looked_at is not None and 0 <= now - self._looked_at < self._every:
            return
        self._looked_at = now
        if not apart:
            self._run()
        elif self._thread is None or not self._thread.is_alive():
            self._thread = Thread(target=self._run, name="watch", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        before, self.fault = self.fault, self._look()
        if self.fault and self.fault != before:
            self._began_at = self._began_at if before else self._clock.now()
            log.warning("%s", self.fault)

    def close(self) -> None:
        """Wait for a look that is under way."""
        if self._thread is not None:
            self._thread.join()
