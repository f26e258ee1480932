"""English without a clip is spoken by hibari where it is installed; here a stand-in that says a tone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from companion.language.voice import neural_speech
from companion.language.voice.clips import LOUDNESS, measure_loudness
from companion.language.voice.neural_speech import READY
from companion.language.voice.sounds import RATE
from companion.language.voice.speech_synthesis import SpeechSynthesiser
from companion.language.voice.voice_pack import decode_recording
from tests.outside_programs import needs

STAND_IN = """
import numpy as np

class Hibari:
    def __call__(self, text, seed):
        return np.sin(np.arange(1_000 * len(text)) / 7).astype(np.float32)
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "hibari.py").write_text(STAND_IN, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(tmp_path), *sys.path)))


@pytest.mark.usefixtures("installed")
def test_each_line_becomes_a_file_as_loud_as_the_clips(tmp_path: Path) -> None:
    command = [sys.executable, "-m", neural_speech.__name__, str(tmp_path)]
    subprocess.run(
        command, input="thirty letters and nothing more\nanother sentence in here\n", text=True, check=True
    )
    assert (tmp_path / READY).exists()
    for number in (1, 2):
        samples, rate = decode_recording(tmp_path / f"{number}.wav")
        assert measure_loudness(samples, rate) == pytest.approx(LOUDNESS, abs=0.5)
    assert not list(tmp_path.glob("*.part"))


@pytest.mark.usefixtures("installed")
def test_english_is_asked_of_it_once_it_is_ready_and_nobody_waits_until_then() -> None:
    speech = SpeechSynthesiser("no-such-program", neural=True)
    assert speech.available
    assert not speech.start("fr", "Bonjour"), "it speaks English alone"
    while not speech.start("en", "Hello everybody"):
        assert speech.available, "its process ended"
    while (spoken := speech.poll_speech()) is True:
        pass
    assert isinstance(spoken, np.ndarray)
    assert 0.2 < len(spoken) / RATE < 1.0
    speech.close()


@needs("espeak-ng")
def test_where_its_process_ends_espeak_speaks_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "hibari.py").write_text("raise ImportError", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(tmp_path), *sys.path)))
    speech = SpeechSynthesiser(neural=True)
    assert speech.start("en", "Hello"), "espeak-ng, while the model is loaded"
    assert speech._neural is not None
    speech._neural._child.wait()
    assert speech.start("en", "Hello")
    assert not speech._is_neural
    speech.close()
