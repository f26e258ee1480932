"""The camera tasks without a result for a game: watching which cards are recognised, and a photo of a box."""

import logging
from collections.abc import Sequence
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np

from companion.camera.calibration_file import TableCalibration
from companion.camera.enrolment_task import enrollable_games, list_cards
from companion.camera.table_reader import load_deck_of_game
from companion.core.actions import Micros
from companion.core.camera_tasks import CameraCommand, PhotoView, SpottedCard, WatchView
from companion.core.clock import Clock, GameClock
from companion.core.observations import UNKNOWN
from companion.core.view import Sentence
from companion.system.fault_isolation import drain_queue
from companion.system.file_owner import is_there, private_file
from companion.vision.box_photo import crop_photo
from companion.vision.decks import DeckError, load_and_upgrade_deck
from companion.vision.lighting import MIN_DETAIL, measure_detail
from companion.vision.outline_reading import Sighting
from companion.vision.outlines import Bgr
from companion.vision.pictures import write_picture
from companion.vision.recogniser import Recogniser, limit_opencv_to_one_thread
from companion.vision.tracker import ChangeTracker

log = logging.getLogger(__name__)

BRIGHT, MIN_LIGHT = 95, 70
"""The paper of a card is among the brightest of the picture, and at least so light, in grey levels."""


class WatchTask:
    """Lives in the camera's thread but for `add_command`, `view`, `card_pictures` and `announcement`.

    Nothing that it sees is a fact of a game.
    """

    def __init__(self, folder: Path, deck: str, *, clock: Clock | None = None) -> None:
        """`folder` is the table's; `deck` a game, or the file of a deck."""
        self._folder = folder
        self._clock = clock or GameClock()
        self._wanted: SimpleQueue[CameraCommand] = SimpleQueue()
        self._tracker: ChangeTracker | None = None
        self._named, self._complete = True, False
        self._pictures = 0
        self._before: list[Sighting] | None = None
        self._faults: tuple[str, ...] = ()
        self._deck = deck
        self._newest: tuple[WatchView, Bgr | None] = WatchView(deck, enrollable_games()), None

    # Called from the loop ---------------------------------------------------------------------------------

    def add_command(self, wanted: CameraCommand) -> None:
        """Carried out with the next picture."""
        self._wanted.put(wanted)

    def view(self) -> WatchView:
        return self._newest[0]

    def view_and_picture(self) -> tuple[WatchView, Bgr | None]:
        """The view, and the picture (uint8, BGR) it was made from: the outlines would not fit a newer one."""
        return self._newest

    def card_pictures(self) -> tuple[tuple[str, Any], ...]:
        return ()

    def announcement(self) -> tuple[int, Sentence | None]:
        return 0, None

    # In the camera's thread -------------------------------------------------------------------------------

    def step(self, image: Bgr, at: Micros) -> tuple[()]:
        """One picture (height, width, 3)."""
        for wanted in drain_queue(self._wanted):
            self._carry_out(wanted)
        tracker = self._tracker or self._open_deck()
        self._pictures += 1
        if tracker is None:
            self._newest = self._newest[0], image
            return ()
        before = self._clock.now()
        seen = tracker.step(image)
        spent = self._clock.now() - before
        if self._before is None or not _is_unchanged(seen, self._before):
            self._before, self._faults = seen, find_faults(seen, image)
        view = WatchView(
            self._deck,
            enrollable_games(),
            self._named,
            self._complete,
            seen=to_spotted_cards(seen, image),
            faults=self._faults,
            pictures=self._pictures,
            spent=spent,
        )
        self._newest = view, image
        return ()

    def _carry_out(self, wanted: CameraCommand) -> None:
        match wanted:
            case CameraCommand("game"):
                known = enrollable_games()
                following = known.index(self._deck) + 1 if self._deck in known else 0
                self._deck = known[following % len(known)]
            case CameraCommand("afresh"):
                pass
            case _:
                return
        self._tracker = self._before = None

    def _open_deck(self) -> ChangeTracker | None:
        """The deck ready to be read; else the view says what ails it."""
        limit_opencv_to_one_thread()
        try:
            if self._deck in enrollable_games():
                deck = load_deck_of_game(self._deck, self._folder / "decks")
            else:
                deck = load_and_upgrade_deck(Path(self._deck))
        except DeckError:
            trouble = Sentence("ui.watch.no_deck", (("deck", Path(self._deck).name),))
            self._newest = WatchView(self._deck, enrollable_games(), trouble=trouble), None
            return None
        known = {card for game in enrollable_games() for card in list_cards(game)}
        self._named, self._complete = known.issuperset(deck.cards), deck.complete
        self._tracker = ChangeTracker(Recogniser(deck))
        return self._tracker


def to_spotted_cards(seen: Sequence[Sighting], image: Bgr) -> tuple[SpottedCard, ...]:
    """The sightings in shares of the picture, the surest first, those that can't be read last."""
    size = np.array(image.shape[1::-1], float)
    cards = [
        SpottedCard(
            "" if one.card == UNKNOWN else one.card,
            0.0 if one.card == UNKNOWN else round(float(one.confidence), 4),
            tuple((float(x), float(y)) for x, y in one.corners / size),
            "" if one.why is None else str(one.why),
        )
        for one in seen
    ]
    return tuple(sorted(cards, key=lambda one: (one.card == "", -one.confidence, one.card)))


def find_faults(seen: Sequence[Sighting], image: Bgr) -> tuple[str, ...]:
    """What spoils the picture: `dark` all over, `blur` in the faces of the cards."""
    dark = ("dark",) if float(np.percentile(image[::8, ::8], BRIGHT)) < MIN_LIGHT else ()
    detail = [measure_detail(image, one.corners) for one in seen]
    return (*dark, "blur") if detail and float(np.median(detail)) < MIN_DETAIL else dark


def _is_unchanged(one: Sequence[Sighting], other: Sequence[Sighting]) -> bool:
    """Whether nothing new was read."""
    return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))


UNSTEADY = 8
"""Pictures until a camera that was off has found its exposure."""


class PhotoTask:
    """`step` is called in the camera's thread; what is kept is the very picture that the page shows."""

    def __init__(self, file: Path, game: str, calibration: TableCalibration | None) -> None:
        """`file`: where the photo belongs; cropped to the mat where `calibration` tells where that is."""
        self._file = file
        self._game = game
        self._mat = None if calibration is None else calibration.kept
        self._pictures = 0
        self._live: Bgr | None = None
        self._photo: Bgr | None = None
        self._trouble = False
        self._has_photo = is_there(file)

    def add_command(self, wanted: CameraCommand) -> None:
        """Carried out at once."""
        try:
            self._carry_out(wanted.what)
            self._trouble = False
        except OSError as trouble:
            log.warning("%s: %s", self._file, trouble)
            self._trouble = True
        self._has_photo = is_there(self._file)

    def _carry_out(self, what: str) -> None:
        live = self._live
        if what == "keep" and live is not None:
            with private_file(self._file):
                write_picture(self._file, live)
            self._photo = live
        elif what == "remove":
            self._file.unlink(missing_ok=True)
            self._photo = None
        elif what == "retake":
            self._photo = None

    def view_and_picture(self) -> tuple[PhotoView, Bgr | None]:
        """The view, and the picture (uint8, BGR) that is kept or would be."""
        ready, kept = self._pictures > UNSTEADY, self._photo is not None
        if self._trouble:
            hint = "ui.enrol.not_saved"
        elif not self._pictures:
            hint = "ui.calibrate.no_picture"
        else:
            hint = f"ui.photo.{'kept' if kept else 'lay' if ready else 'wait'}"
        view = PhotoView(self._game, self._file.stem, Sentence(hint), ready, kept, self._has_photo)
        return view, self._photo if kept else self._live

    def announcement(self) -> tuple[int, Sentence | None]:
        return 0, None

    def step(self, image: Bgr, at: Micros) -> tuple[()]:
        """One picture (height, width, 3)."""
        self._live = crop_photo(image, self._mat)
        self._pictures += 1
        return ()
