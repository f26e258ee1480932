"""A child process that speaks English by hibari, where the extra `voice` is installed.

Its model takes seconds to load, a sentence then little of its length: so the child stays, and is asked line
by line. `python -m companion.language.voice.neural_speech FOLDER` speaks the n-th line that it reads into
`FOLDER/n.wav`, as loud as the clips; `FOLDER/ready` lies there once it can.
"""

import subprocess
import sys
import wave
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from companion.language.voice.clips import RATE, trim_speech

READY = "ready"
LANGUAGE = "en"
"""The only one it speaks."""


def is_installed() -> bool:
    """Whether hibari is here."""
    return find_spec("hibari") is not None


class NeuralSpeech:
    """The child, as the table sees it; nobody waits for it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._requests = 0
        self._child = subprocess.Popen(
            [sys.executable, "-m", __name__, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def start(self, text: str) -> bool:
        """Ask for a sentence; False while the model is loaded, and where the child is gone."""
        if not (self._folder / READY).exists():
            return False
        assert self._child.stdin is not None
        self.speech_file.unlink(missing_ok=True)
        self._requests += 1
        try:
            self._child.stdin.write(" ".join(text.split()).encode() + b"\n")
            self._child.stdin.flush()
        except OSError:
            return False
        return True

    @property
    def speech_file(self) -> Path:
        """Where the last sentence will lie, whole, once it is spoken."""
        return self._folder / f"{self._requests}.wav"

    def is_alive(self) -> bool:
        return self._child.poll() is None

    def close(self) -> None:
        assert self._child.stdin is not None
        self._child.kill()
        self._child.wait()
        with suppress(OSError):
            self._child.stdin.close()


def main() -> None:
    """Speak what is asked for until nobody asks any more."""
    from hibari import Hibari  # type: ignore[import-not-found]  # noqa: PLC0415 (the extra)

    speak, folder = Hibari(), Path(sys.argv[1])
    (folder / READY).touch()
    for number, line in enumerate(sys.stdin, 1):
        unfinished = folder / f"{number}.part"
        samples = trim_speech(np.asarray(speak(line, seed=0), dtype=np.float64))
        with wave.open(str(unfinished), "wb") as file:
            file.setparams((1, 2, RATE, 0, "NONE", ""))
            file.writeframes((np.clip(samples, -1, 1) * 32_767).astype("<i2").tobytes())
        unfinished.replace(folder / f"{number}.wav")


if __name__ == "__main__":
    main()
