"""Records a demo into a folder: journal, camera pictures, screens, sound."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.core.actions import SECOND, Micros
from companion.core.events import kind_of
from companion.core.rules import Rules
from companion.language.voice.voice import WavOutput
from companion.referee.journal import Journal
from companion.referee.journal.json_lines import encode_journal
from companion.referee.loop import Announcement
from companion.table.app import App
from companion.vision.textures import write_jpeg

log = logging.getLogger(__name__)


class DemoRecorder:
    """Writes into a folder: `journal.jsonl`, `camera/`, `screens/`, `sound.wav`."""

    def __init__(self, folder: Path, rules: Rules[Any]) -> None:
        self._folder = folder
        self._rules = rules
        self._app: App | None = None
        self.full = ""
        """Why nothing more is kept; empty while everything is."""
        self.track = WavOutput()
        for name in ("camera", "screens"):
            (folder / name).mkdir(parents=True, exist_ok=True)
            for old in (folder / name).iterdir():
                old.unlink()

    def attach(self, app: App) -> None:
        """Screens are taken from this app."""
        self._app = app

    def save_picture(self, image: NDArray[np.uint8], at: Micros) -> None:
        """Keep a picture that was read: uint8, height × width × 3, BGR."""
        path = self._folder / "camera" / f"{at / SECOND:08.2f}.jpg"
        self._write(lambda: write_jpeg(path, image, quality=85))

    def handle_ruling(self, ruling: Announcement) -> None:
        """A ruling was announced: its screen is taken as soon as it is drawn."""
        rules = self._rules
        spoken = [event for event in ruling.news if not rules.is_silent(event)]
        if spoken and self._app is not None:
            app = self._app
            app.draw()
            path = self._folder / "screens" / f"{ruling.entry.seq:05d}-{kind_of(spoken[0])}.png"
            self._write(lambda: app.save_screenshot(path))

    def close(self, journal: Journal) -> None:
        """Write what is only whole at the end."""
        whole = encode_journal(journal.header, journal.entries)
        self._write(lambda: (self._folder / "journal.jsonl").write_bytes(whole))
        self._write(lambda: self.track.write_wav(self._folder / "sound.wav"))

    def _write(self, write: Callable[[], object]) -> None:
        """Write one thing; when there is no room the game goes on and the recording ends."""
        if self.full:
            return
        try:
            write()
        except OSError as trouble:
            self.full = str(trouble)
            log.warning("The recording stops here (%s); the game continues.", trouble)
