"""The camera's reading of a real table: calibrated by the mat's marks, loaded after the first frame."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from companion import paths
from companion.actions import SECOND, Look, Micros
from companion.clock import Clock
from companion.observations import Observation
from companion.view import Sentence

if TYPE_CHECKING:
    from companion.vision.decks import Deck
    from companion.vision.watch import Watcher

RETRY: Micros = 2 * SECOND
"""How often the mat's marks are looked for while they are not all in view."""


class Eye:
    """Lives in the camera's thread: pictures in, readings out. `begin` is called between games."""

    def __init__(self, clock: Clock, decks: Path) -> None:
        """`decks` holds this table's own enrolled decks; the shipped one stands in for a missing one."""
        self._clock = clock
        self._decks = decks
        self._game: tuple[str, int] | None = None
        self._watcher: Watcher | None = None
        self._tried: Micros = -RETRY
        self._again = False
        self.unseen: Sentence | None = None
        """Why nothing can be read yet."""

    def begin(self, game: str, players: int) -> None:
        """Another game lies on the table."""
        self._game, self._watcher, self._tried = (game, players), None, -RETRY

    def end(self) -> None:
        """No game is on."""
        self._game = self._watcher = None
        self.unseen = None

    def asked(self, look: Look) -> None:
        """Nothing to do: every place is watched always, so that wrong slots are seen too."""

    def read_again(self) -> None:
        """Read the whole table afresh with the next picture."""
        self._again = True

    def step(self, image: Any, at: Micros) -> Iterable[Observation]:
        """One picture (height, width, 3)."""
        watcher = self._watcher or self._calibrated(image, at)
        if watcher is None:
            return ()
        if self._again:
            self._again = False
            watcher.read_again()
        seen = watcher.step(image, at)
        return () if seen is None else (replace(seen, at=self._clock.now()),)

    def _calibrated(self, image: Any, at: Micros) -> Watcher | None:
        game = self._game  # another game may begin while this one's cards are being loaded
        if game is None or at - self._tried < RETRY:
            return None
        self._tried = at
        from companion.vision.layout import Calibration, MarksNotFoundError, mat_layout
        from companion.vision.recognise import Recogniser, one_thread
        from companion.vision.watch import Watcher

        one_thread()
        layout = mat_layout(*game)
        try:
            calibration = Calibration.from_marks(image, layout)
        except MarksNotFoundError as missing:
            self.unseen = missing.sentence()
            return None
        self.unseen = None
        watcher = Watcher(Recogniser(deck_of(game[0], self._decks)), layout, calibration)
        if self._game is not game:
            return None
        self._watcher = watcher
        return watcher


def deck_of(game: str, decks: Path | None = None) -> Deck:
    """The enrolled cards of a game: the table's own, else the plain deck that comes with the program."""
    from companion.vision.decks import Deck

    own = None if decks is None else decks / f"{game}.deck"
    return Deck.load(own if own and own.exists() else paths.assets() / "decks" / game / f"{game}.deck")
