"""Keeps what a demo was: journal, camera pictures, one screen per ruling, and the sound."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.core.actions import SECOND, Micros
from companion.core.events import kind_of
from companion.core.rules import Rules
from companion.referee.journal import Journal
from companion.referee.journal.lines import text
from companion.referee.loop import Announced
from companion.table.app import App
from companion.ui.voice import VoiceTrack
from companion.vision.textures import write_jpeg

log = logging.getLogger(__name__)


class Recorder:
    """Writes into a folder: `journal.jsonl`, `camera/`, `screens/`, `sound.wav`."""

    def __init__(self, folder: Path, rules: Rules[Any]) -> None:
        self._folder = folder
        self._rules = rules
        self._app: App | None = None
        self.full = ""
        """Why nothing more is kept; empty while everything is."""
        self.track = VoiceTrack()
        for name in ("camera", "screens"):
            (folder / name).mkdir(parents=True, exist_ok=True)
            for old in (folder / name).iterdir():
                old.unlink()

    def watch(self, app: App) -> None:
        """Screens are taken from this app."""
        self._app = app

    def picture(self, image: NDArray[np.uint8], at: Micros) -> None:
        """Keep a picture that was read: uint8, height × width × 3, BGR."""
        path = self._folder / "camera" / f"{at / SECOND:08.2f}.jpg"
        self._keep(lambda: write_jpeg(path, image, quality=85))

    def announced(self, ruling: Announced) -> None:
        """A ruling was announced: its screen is taken as soon as it is drawn."""
        rules = self._rules
        spoken = [event for event in ruling.news if not rules.silent(event)]
        if spoken and self._app is not None:
            app = self._app
            app.draw()
            path = self._folder / "screens" / f"{ruling.entry.seq:05d}-{kind_of(spoken[0])}.png"
            self._keep(lambda: app.screenshot(path))

    def close(self, journal: Journal) -> None:
        """Write what is only whole at the end."""
        whole = text(journal.header, journal.entries)
        self._keep(lambda: (self._folder / "journal.jsonl").write_bytes(whole))
        self._keep(lambda: self.track.write(self._folder / "sound.wav"))

    def _keep(self, write: Callable[[], object]) -> None:
        """Write one thing; when there is no room the game goes on and the recording ends."""
        if self.full:
            return
        try:
            write()
        except OSError as trouble:
            self.full = str(trouble)
            log.warning("The recording stops here (%s); the game continues.", trouble)
