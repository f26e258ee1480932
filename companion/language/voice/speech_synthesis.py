"""Speaks sentences that have no clip, by espeak-ng in a child process."""

import shutil
import subprocess
import tempfile
from pathlib import Path

from companion.language.voice.clips import espeak_command
from companion.language.voice.sounds import Samples, decode_clip


class SpeechSynthesiser:
    """Speaks one text at a time; nobody waits for it."""

    def __init__(self, program: str = "espeak-ng") -> None:
        self._program = shutil.which(program)
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._speaking: subprocess.Popen[bytes] | None = None

    @property
    def available(self) -> bool:
        return self._program is not None

    def start(self, code: str, text: str) -> bool:
        """Begin to speak; False where nothing can."""
        self.stop()
        if self._program is None:
            return False
        try:
            if self._folder is None:
                self._folder = tempfile.TemporaryDirectory(prefix="companion-voice-")
            command = [self._program, *espeak_command(code, text, self._file)[1:]]
            self._speaking = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        except OSError:
            return False
        return True

    def poll_speech(self) -> Samples | bool:
        """The speech, int16 at `sounds.RATE` Hz; True: it is still being made; False: there will be none."""
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
        if self._speaking is not None and self._speaking.poll() is None:
            self._speaking.kill()
            self._speaking.wait()
        self._speaking = None

    def close(self) -> None:
        self.stop()
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    @property
    def _file(self) -> Path:
        assert self._folder is not None
        return Path(self._folder.name) / "spoken.wav"
