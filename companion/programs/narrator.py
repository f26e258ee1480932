"""What a demo tells of its game while it is played: a sentence at the first of each of some rulings.

Its words are the catalogue's, `GAME.show.NAME`; which rulings they are about says `Game.story`.
"""

from collections.abc import Sequence

from companion.core.actions import SECOND, Micros
from companion.core.clock import Clock
from companion.core.events import kind_of
from companion.core.view import Sentence
from companion.referee.loop import Announcement
from companion.table.session import Speaker

BEGINNING = "begin"
"""What is told before the first ruling."""
PATIENCE: Micros = 12 * SECOND
"""A sentence that was not said by then never will be."""


class Narrator:
    """Tells the story of one game; people wait until each sentence was said."""

    def __init__(self, game: str, story: Sequence[str], voice: Speaker, clock: Clock) -> None:
        self.steps = len(story)
        self.line: Sentence | None = None
        """What was told last."""
        self._game = game
        self._left = list(story)
        self._voice = voice
        self._clock = clock
        self._since: Micros | None = None
        """Since when it waits to be said, or is; None: it was."""
        self._heard = False
        if BEGINNING in self._left:
            self._tell(BEGINNING)

    @property
    def told(self) -> int:
        """How many sentences were told."""
        return self.steps - len(self._left)

    @property
    def is_over(self) -> bool:
        """Whether everything was told and said."""
        return not self._left and self._since is None

    def is_telling(self) -> bool:
        """Whether people listen."""
        return self._since is not None

    def handle_ruling(self, ruling: Announcement) -> None:
        """A ruling was announced: the first of its kind is explained."""
        for name in map(kind_of, ruling.news):
            if name in self._left:
                self._tell(name)

    def advance(self, now: Micros) -> None:
        """Notice that the sentence was said."""
        if self._since is None:
            return
        said = self._voice.caption == self.line
        if (self._heard and not said) or now - self._since > PATIENCE:
            self._since = None
        self._heard = said

    def _tell(self, name: str) -> None:
        self._left.remove(name)
        self.line = Sentence(f"{self._game}.show.{name}")
        self._since, self._heard = self._clock.now(), False
        self._voice.say((self.line,), (self.line.key,))  # what was ruled is said after it
