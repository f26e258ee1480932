"""Reads the cards on a real table from camera pictures, as observations for the referee.

Whether the camera still stands where it stood, in enough light, is checked when a game begins, when one is
continued, when somebody asks to read the table again, every few seconds of a game and before anything is
reported. If it moved, the marks say where the mat is now; without them the table is told, and the game goes
on by hand.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from companion.core.actions import SECOND, Micros
from companion.core.clock import Clock
from companion.core.errors import InputError
from companion.core.observations import CameraLost, CameraRecovered, Observation
from companion.core.view import Sentence
from companion.games import deck_file, deck_name
from companion.system.fault_isolation import RateLimit, run_and_log
from companion.system.file_owner import is_there

if TYPE_CHECKING:
    from companion.vision.calibration import Quad, SavedCalibration
    from companion.vision.decks import Deck
    from companion.vision.layout import Calibration, Layout
    from companion.vision.recogniser import Recogniser
    from companion.vision.table_watcher import TableWatcher

RETRY_INTERVAL: Micros = 2 * SECOND
"""How often the table is looked for while it is not found."""
MAX_FAILED_TRIES = 3
"""How often it may be missed, by a hand over a mark, until the game goes on by hand."""
CHECK_INTERVAL: Micros = 3 * SECOND
"""How often a game looks whether the camera still stands, and sees enough light."""
DARK, BLACK = Sentence("shared.camera.dark"), Sentence("shared.camera.black")
LIGHT, OTHER_MAT = Sentence("shared.camera.light"), Sentence("shared.camera.other_mat")
NOTICE_TIME: Micros = 10 * SECOND
"""How long (µs) the screen says that the camera moved and found the mat again."""

log = logging.getLogger(__name__)


class TableReader:
    """Lives in the camera's thread: pictures in, readings out. `begin_game` is called between games."""

    def __init__(self, clock: Clock, folder: Path) -> None:
        """`folder` is the table's: its calibration, and its own decks for which the shipped ones stand in."""
        self._clock = clock
        self._folder = folder
        self._game: tuple[str, int] | None = None
        self._watcher: TableWatcher | None = None
        self._recogniser: Recogniser | None = None
        self._last_calibration: SavedCalibration | None = None
        """How the camera stood when it last found the mat by all its marks, if nothing is kept of it."""
        self._tried: Micros = -RETRY_INTERVAL
        self._marks: dict[int, Quad] = {}
        """The mat's marks where the watcher found them, (4, 2) pixels each."""
        self._white: Any = None
        """What their white was like then, as `mark_white` has it."""
        self._unmarked: SavedCalibration | None = None
        """What is kept of a table whose marks nobody sees: it lies by its corners, or has none."""
        self._checked: Micros | None = None
        """When the camera was last looked after; None: not yet in this game."""
        self._searched: Micros = 0
        """When cards beside a place that is waited for were last looked for."""
        self._again = False
        self._missed = 0
        self._blind = False
        """Whether the game knows that nothing can be seen."""
        self._logged = RateLimit()
        self.awaited: frozenset[str] = frozenset()
        """The places that the game waits for now."""
        self._trouble_until: Micros = 0
        """Until when `trouble` is a mere note; 0: until something can be read."""
        self.trouble: Sentence | None = None
        """Why nothing can be read yet, or what was wrong a moment ago."""

    def begin_game(self, game: str, players: int) -> None:
        """Another game lies on the table."""
        from companion.games import games_with_mat

        self._game = (game, players) if game in games_with_mat() else None
        self._watcher, self._tried = None, -RETRY_INTERVAL
        self._recogniser, self._missed, self._trouble_until = None, 0, 0
        self.awaited = frozenset()

    @property
    def has_game(self) -> bool:
        """Whether there is a game to look at."""
        return self._game is not None

    def end_game(self) -> None:
        """No game is on."""
        self._game = self._watcher = None
        self.trouble = None

    def card_pictures(self) -> Mapping[str, tuple[str, Any]]:
        """Which card lies in a place now, and the camera's own picture of it."""
        watcher = self._watcher
        return {} if watcher is None else watcher.card_pictures

    def read_again(self) -> None:
        """Read the whole table afresh with the next picture."""
        self._again = True

    def step(self, image: Any, at: Micros) -> Iterable[Observation]:
        """One picture (height, width, 3)."""
        if self._trouble_until and at >= self._trouble_until:
            self.trouble, self._trouble_until = None, 0
        if self._again:
            self._again, self._watcher, self._tried = False, None, -RETRY_INTERVAL
        watcher = self._watcher
        if watcher is not None and watcher.calibration.frame_size != image.shape[1::-1]:
            watcher, self._watcher, self._tried = (
                None,
                None,
                -RETRY_INTERVAL,
            )  # another camera: is the mat seen by it?
        if watcher is None:
            watcher = self._start_watcher(image, at)
            if watcher is None:
                return self._report_missing_table()
            if self._blind:
                self._blind = False
                return (CameraRecovered(at=self._clock.now()),)
        seen = watcher.step(image, at)
        if self._has_moved(image, at, reports=seen is not None):
            self._watcher, self._tried = None, -RETRY_INTERVAL
            return ()  # what it saw there it saw elsewhere
        if self.trouble is None and (why := watcher.restlessness(at, self.awaited)):
            self.trouble, self._trouble_until = self._explain_restlessness(why, image, at), at + NOTICE_TIME
        elif self.trouble is None and self.awaited and at - self._searched >= CHECK_INTERVAL:
            self._searched = at
            if watcher.is_card_beside(image, self.awaited):
                self.trouble, self._trouble_until = Sentence("shared.camera.beside"), at + NOTICE_TIME
        # Stamped when it is told: reading takes longer than a grace, so stamped at its picture it would come
        # behind what was judged meanwhile. Since when its cards lie is in its regions.
        return () if seen is None else (replace(seen, at=self._clock.now()),)

    def _explain_restlessness(self, why: str, image: Any, at: Micros) -> Sentence:
        """`why` as the watcher has it, unless the light is other than when the table was found."""
        from companion.vision.framing import is_light_other, mark_white

        if not is_light_other(mark_white(image, list(self._marks.values())), self._white):
            return Sentence(f"shared.camera.{why}")
        if self._logged.should_log(LIGHT.key, at):
            log.warning(
                "The light has changed since the mat was found: switch the same lamps on, or calibrate again."
            )
        return LIGHT

    def _has_moved(self, image: Any, at: Micros, *, reports: bool) -> bool:
        """Whether the mat is no longer where it was found, looked for now and then and before a report.

        Where it is too dark to see a mark nobody can tell; then `trouble` says that it is dark.
        """
        is_due = self._checked is None or at - self._checked >= CHECK_INTERVAL
        if self._watcher is None or not (is_due or reports):
            return False
        from companion.vision.calibration import check_by_texture, compare_marks
        from companion.vision.framing import are_marks_dark, is_picture_dark, is_table_dark

        self._checked = at
        state: str = "same"
        is_dark = False
        if self._marks:
            state = compare_marks(image, self._marks, self._watcher.calibration)
            marks = list(self._marks.values())
            is_dark = (state == "same" and are_marks_dark(image, marks)) or (
                state == "unseen" and is_picture_dark(image)
            )
        elif self._unmarked is not None:
            state = check_by_texture(image, self._unmarked).state
            is_dark = is_table_dark(image, self._unmarked)
        if is_dark:
            self._tell_dark(image, at)
            return False
        for told in (DARK, BLACK):
            self._logged.reset(told.key)
        if state != "same" or self.trouble == BLACK:  # after which any light seems to flicker
            return True
        if self.trouble == DARK:
            self.trouble = None
        return False

    def _tell_dark(self, image: Any, at: Micros) -> None:
        """Say on the screen and in the log that the picture is dark, or all black."""
        from companion.vision.framing import MIN_LIGHT, mean_light

        told, why = DARK, "The picture is dark: cards are hard to read until a lamp is on."
        if mean_light(image) < MIN_LIGHT:
            told, why = BLACK, "The camera's picture is black: open its shutter, or take its cap off."
        if self._logged.should_log(told.key, at):
            log.warning("%s", why)
        self.trouble, self._trouble_until = told, 0

    def _report_missing_table(self) -> Iterable[Observation]:
        """The table is not found: say so once, when it was looked for often enough."""
        if self._blind or self._missed < MAX_FAILED_TRIES or self.trouble is None:
            return ()
        self._blind = True
        return (CameraLost(at=self._clock.now(), reason=self.trouble.key),)

    def _start_watcher(self, image: Any, at: Micros) -> TableWatcher | None:
        game = self._game  # another game may begin while this one's cards are being loaded
        if game is None or at - self._tried < RETRY_INTERVAL:
            return None
        self._tried = at
        from companion.games import mat_layout
        from companion.vision.recogniser import limit_opencv_to_one_thread
        from companion.vision.table_watcher import TableWatcher

        limit_opencv_to_one_thread()
        found = self._locate_table(image, at, game[0], mat_layout(*game))
        if found is None:
            self._missed += 1
            return None
        layout, calibration = found
        recogniser = self._load_recogniser(game[0], at)
        if recogniser is None:
            self._missed += 1
            return None
        watcher = TableWatcher(recogniser, layout, calibration)
        if self._game is not game:
            return None
        from companion.vision.calibration import find_marks
        from companion.vision.framing import mark_white

        self._marks = {mark: quad for mark, quad in find_marks(image).items() if mark in layout.marks_mm}
        self._white = mark_white(image, list(self._marks.values()))
        self._checked = None
        self._watcher, self._recogniser = watcher, recogniser
        return watcher

    def _load_recogniser(self, game: str, at: Micros) -> Recogniser | None:
        """The cards of this game, ready to be read; else `trouble` says that they cannot be."""
        if self._recogniser is not None:
            return self._recogniser
        from companion.vision.recogniser import Recogniser

        made: list[Recogniser] = []
        failure = run_and_log(
            f"Preparing the cards of {game}",
            lambda: made.append(Recogniser(load_deck_of_game(game, self._folder / "decks"))),
            known=not self._logged.should_log("deck", at),
        )
        if failure is None:
            self._logged.reset("deck")
            return made[0]
        self.trouble, self._trouble_until = Sentence("ui.watch.no_deck", (("deck", game),)), 0
        return None

    def _locate_table(
        self, image: Any, at: Micros, game: str, mat: Layout
    ) -> tuple[Layout, Calibration] | None:
        """Where the table lies in this picture, and its places; else `trouble` says why not."""
        from companion.vision.calibration import check_calibration, make_saved_calibration
        from companion.vision.framing import is_picture_dark, is_table_dark
        from companion.vision.layout import Calibration, MarksNotFoundError

        known = self._load_calibration(at) or self._last_calibration
        self._unmarked = known if known is not None and known.method != "marks" else None
        if known is None:
            try:
                calibration = Calibration.from_marks(image, mat)
            except MarksNotFoundError as missing:
                self._tell_unseen(missing.screen_sentence(), image, at, is_dark=is_picture_dark(image))
                return None
            self.trouble, self._last_calibration = None, make_saved_calibration("marks", image, calibration)
            return mat, calibration
        verdict = check_calibration(image, known, mat)
        if verdict.calibration is None:
            is_dark = verdict.state != "size" and (
                is_picture_dark(image) if self._unmarked is None else is_table_dark(image, self._unmarked)
            )
            self._tell_unseen(Sentence(f"shared.camera.{verdict.state}"), image, at, is_dark=is_dark)
            return None
        self.trouble, self._trouble_until = None, 0
        if verdict.state == "found":
            self.trouble, self._trouble_until = Sentence("shared.camera.found"), at + NOTICE_TIME
        return known.adjust_layout(game, mat), verdict.calibration

    def _tell_unseen(self, why: Sentence, image: Any, at: Micros, *, is_dark: bool) -> None:
        """Say why the table is not found: in the dark for want of light."""
        if is_dark:
            self._tell_dark(image, at)
        else:
            self.trouble, self._trouble_until = OTHER_MAT if self._lies_another_mat(image) else why, 0

    def _lies_another_mat(self, image: Any) -> bool:
        """Whether the marks in a picture are those of another game's mat."""
        from companion.games import games_with_mat, printed_mat
        from companion.vision.calibration import choose_mat_by_marks, find_marks

        game = self._game  # which may end meanwhile
        mats = [printed_mat(one) for one in (*(game or ())[:1], *games_with_mat())]
        return choose_mat_by_marks(find_marks(image), mats).edition != mats[0].edition

    def _load_calibration(self, at: Micros) -> SavedCalibration | None:
        """What calibrating kept of this table."""
        from companion.camera.calibration_file import load_calibration

        try:
            found = load_calibration(self._folder)
        except InputError as trouble:
            if self._logged.should_log("calibration", at):
                log.warning("%s", trouble)
            return None
        return None if found is None else found.kept


def load_deck_of_game(game: str, decks: Path | None = None) -> Deck:
    """The enrolled cards of a game: the table's own, else the plain deck that comes with the program."""
    from companion.vision.decks import Deck, load_and_upgrade_deck

    own = None if decks is None else decks / f"{deck_name(game)}.deck"
    if own is not None and is_there(own):
        return load_and_upgrade_deck(own)
    return Deck.load(deck_file(game))
