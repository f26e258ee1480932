"""Speaks sentences that have no clip: English by hibari where it is installed, all else by espeak-ng."""

import shutil
import subprocess
import tempfile
from pathlib import Path

from companion.language.voice import neural_speech
from companion.language.voice.clips import espeak_command
from companion.language.voice.neural_speech import NeuralSpeech
from companion.language.voice.sounds import Samples, decode_clip


class SpeechSynthesiser:
    """Speaks one text at a time; nobody waits for it."""

    def __init__(self, program: str = "espeak-ng", *, neural: bool | None = None) -> None:
        """`neural`: whether hibari speaks English; None: where it is installed."""
        self._program = shutil.which(program)
        self._is_neural = neural_speech.is_installed() if neural is None else neural
        self._neural: NeuralSpeech | None = None
        self._asked_neural = False
        """Whether what is being spoken was asked of hibari."""
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._speaking: subprocess.Popen[bytes] | None = None

    @property
    def available(self) -> bool:
        return self._program is not None or self._is_neural

    def start(self, code: str, text: str) -> bool:
        """Begin to speak; False where nothing can."""
        self.stop()
        try:
            if self._folder is None:
                self._folder = tempfile.TemporaryDirectory(prefix="companion-voice-")
            if self._is_neural and code == neural_speech.LANGUAGE and self._ask_neural(text):
                return True
            if self._program is None:
                return False
            command = [self._program, *espeak_command(code, text, self._file)[1:]]
            self._speaking = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        except OSError:
            return False
        return True

    def poll_speech(self) -> Samples | bool:
        """The speech, int16 at `sounds.RATE` Hz; True: it is still being made; False: there will be none."""
        if self._asked_neural:
            return self._poll_neural()
        if self._speaking is None:
            return False
        code = self._speaking.poll()
        if code is None:
            return True
        self._speaking = None
        samples = decode_clip(self._file) if code == 0 and self._file.exists() else None
        return False if samples is None else samples

    def stop(self) -> None:
        """Let go of what is being spoken."""
        self._asked_neural = False
        if self._speaking is not None and self._speaking.poll() is None:
            self._speaking.kill()
            self._speaking.wait()
        self._speaking = None

    def close(self) -> None:
        self.stop()
        if self._neural is not None:
            self._neural.close()
            self._neural = None
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def _ask_neural(self, text: str) -> bool:
        """Begin with hibari; False while it is not ready, and for good where its process ended."""
        if self._neural is None:
            self._neural = NeuralSpeech(self._file.parent)
        self._is_neural = self._neural.is_alive()
        self._asked_neural = self._is_neural and self._neural.start(text)
        return self._asked_neural

    def _poll_neural(self) -> Samples | bool:
        assert self._neural is not None
        file = self._neural.speech_file
        if not file.exists():
            self._is_neural = self._neural.is_alive()
            return self._is_neural
        self._asked_neural = False
        samples = decode_clip(file)
        file.unlink()
        return False if samples is None else samples

    @property
    def _file(self) -> Path:
        assert self._folder is not None
        return Path(self._folder.name) / "spoken.wav"
