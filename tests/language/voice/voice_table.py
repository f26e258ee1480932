"""A voice at a table under a clock that is moved by hand."""

from __future__ import annotations

import wave
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from companion.core.actions import SECOND, Cue, CueStarted, Micros
from companion.core.clock import ManualClock
from companion.core.view import Sentence
from companion.language.language import Language
from companion.language.voice.sound_outputs import TRACK_RATE, WavOutput
from companion.language.voice.voice import Voice
from tests.languages import LANGUAGES

each_language = pytest.mark.parametrize("code", LANGUAGES)
STEP: Micros = SECOND // 50


def cue(number: int = 7, attempt: int = 1, beats: int = 3) -> Cue:
    said = "NumberAnnounced" if attempt <= 1 else "RecountAsked"
    return Cue("kinapa.count", number, attempt, beats, f"kinapa.{said}")


def won(chair: int = 0) -> Sentence:
    return Sentence("kinapa.GameWon", (("chair", chair),))


def chatter(chair: int = 0) -> Sentence:
    return Sentence("kinapa.Admitted", (("chair", chair),))


class Table:
    """A voice at a clock moved by hand, into a track."""

    def __init__(self, code: str = "en") -> None:
        self.clock = ManualClock()
        self.track = WavOutput()
        self.language = Language(code)
        self.voice = Voice(self.language, self.clock, self.track)
        self.started: list[CueStarted] = []

    def run(self, until: Micros) -> list[tuple[Micros, Sentence | None]]:
        """Poll as the loop does; gives every change of the caption."""
        told: list[tuple[Micros, Sentence | None]] = []
        while self.clock.now() < until:
            self.started += self.voice.poll(self.clock.now())
            caption = self.voice.caption
            if not told or told[-1][1] != caption:
                told.append((self.clock.now(), caption))
            self.clock.move_to(self.clock.now() + STEP)
        return told

    def heard(self, folder: Path) -> npt.NDArray[np.int16]:
        file = folder / "heard.wav"
        self.track.write_wav(file)
        with wave.open(str(file), "rb") as stored:
            assert (stored.getframerate(), stored.getnchannels()) == (TRACK_RATE, 1)
            return np.frombuffer(stored.readframes(stored.getnframes()), dtype="<i2")


def told(changes: list[tuple[Micros, Sentence | None]]) -> list[Sentence]:
    return [caption for _, caption in changes if caption is not None]
