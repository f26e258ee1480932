"""Saves the pictures behind rulings, where the setting `storage.evidence` asks for it.

What is hidden stays so: no picture is kept while somebody shows a hand, nor until that hand is off the table
again; and a picture of a game that is not over is given to nobody, for it may show what lies hidden by now.
"""

import logging
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from companion.core.actions import SECOND, Micros
from companion.core.observations import HandShown, TableSeen
from companion.referee.correction import is_ruling
from companion.referee.loop import Announcement, RefereedGame
from companion.referee.store import GameStore

MAX_PICTURES = 300
"""Of all games together; the oldest go first."""
MAX_BYTES = 64 << 20
BUFFERED_PICTURES = 6
"""Pictures in memory: a ruling falls a moment after what it rules on was seen."""
MAX_PENDING_WRITES = 4
"""Pictures that wait for the camera's thread to write them."""
PAUSE_AFTER_HAND: Micros = 3 * SECOND
"""How long after an audit nothing is kept, even if the place for shown hands is already empty."""
SHOWN_HAND_PLACE = "audit"
"""The place where hands are shown."""

CameraJob = Callable[[Any], None]
log = logging.getLogger(__name__)


class EvidencePicture(NamedTuple):
    """One picture that is kept."""

    game: int
    seq: int
    """The entry that ruled."""
    path: Path


class EvidenceRecorder:
    """Keeps pictures of one game; everything but the writing happens in the loop."""

    def __init__(self, folder: Path, game: RefereedGame, do: Callable[[CameraJob], None]) -> None:
        """`folder` is the table's; `do` has a job done in the camera's thread."""
        self._folder = folder
        self._game = game
        self._do = do
        self._ring: deque[tuple[Micros, Any]] = deque(maxlen=BUFFERED_PICTURES)
        self._closed_until: Micros = -1
        self._hand_lies = False
        self._waiting: deque[int] = deque()
        """Entries whose picture is being written: filled by the loop, emptied by the camera's thread."""
        self._fresh = not game.referee.journal.entries
        """A new game may have the number of one whose store is gone."""

    def add_picture(self, image: Any, at: Micros, now: Micros) -> None:
        """The camera's newest picture, exposed at `at`."""
        if self._game.view.dark:
            self._closed_until = now + PAUSE_AFTER_HAND
        if self._game.view.dark or self._hand_lies:
            self._ring.clear()
        elif at > self._closed_until:
            self._ring.append((at, image))

    def handle_ruling(self, ruling: Announcement) -> None:
        """A ruling is durable: the picture that it was made by is kept."""
        cause, rules = ruling.entry.cause, self._game.referee.rules
        if isinstance(cause, TableSeen):
            for region in cause.regions:
                if region.name == SHOWN_HAND_PLACE:
                    self._hand_lies = bool(region.faces)
        hidden = rules.view(ruling.before).dark or rules.view(ruling.state).dark or self._hand_lies
        if hidden or isinstance(cause, HandShown):
            self._ring.clear()
            return
        if not (isinstance(cause, TableSeen) or is_ruling(rules, ruling.entry.events)):
            return
        number = getattr(self._game.referee.journal, "game", None)
        before = [image for at, image in self._ring if at <= cause.at]
        if number is not None and before and len(self._waiting) < MAX_PENDING_WRITES:
            self._waiting.append(ruling.entry.seq)
            self._do(self._write_job(number, ruling.entry.seq, before[-1], fresh=self._fresh))
            self._fresh = False

    def _write_job(self, game: int, seq: int, image: Any, *, fresh: bool) -> CameraJob:
        def write(_: Any) -> None:
            from companion.vision.pictures import write_picture

            try:
                if fresh:
                    delete_pictures(
                        picture for picture in list_pictures(self._folder) if picture.game == game
                    )
                write_picture(picture_path(self._folder, game, seq), image)
                prune_pictures(self._folder)
            except OSError as trouble:
                log.warning("A picture of game %d is not kept: %s", game, trouble)
            finally:
                self._waiting.popleft()

        return write


def picture_path(folder: Path, game: int, seq: int) -> Path:
    """Where the picture behind an entry is kept."""
    return folder / "evidence" / f"game-{game}" / f"{seq:05d}.jpg"


def list_pictures(folder: Path) -> list[EvidencePicture]:
    """Every picture file that is kept, by game and entry, the oldest first; none is opened."""
    found = []
    for path in (folder / "evidence").glob("game-*/*.jpg"):
        game, seq = path.parent.name.removeprefix("game-"), path.stem
        if game.isdecimal() and seq.isdecimal():
            found.append(EvidencePicture(int(game), int(seq), path))
    return sorted(found)


def prune_pictures(folder: Path, *, most: int = MAX_PICTURES, most_bytes: int = MAX_BYTES) -> None:
    """Throw the oldest away until number and size are within bounds."""
    kept = list_pictures(folder)
    sizes = [picture.path.stat().st_size for picture in kept]
    left, size = len(kept), sum(sizes)
    for picture, its in zip(kept, sizes, strict=True):
        if left <= most and size <= most_bytes:
            return
        delete_pictures([picture])
        left, size = left - 1, size - its


def delete_pictures(pictures: Iterable[EvidencePicture]) -> int:
    """Delete pictures, and the folders that are empty then; how many there were."""
    count = 0
    for picture in pictures:
        picture.path.unlink(missing_ok=True)
        count += 1
        with suppress(OSError):
            picture.path.parent.rmdir()  # refused while there are others
    return count


def list_shareable_pictures(folder: Path, store: GameStore) -> list[EvidencePicture]:
    """The pictures of games in which nothing lies hidden any more."""
    over = {game.game for game in store.list_games(kind=None) if store.is_open(game)}
    return [picture for picture in list_pictures(folder) if picture.game in over]
