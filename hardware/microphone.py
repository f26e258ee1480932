"""Records or plays sound through ALSA's command-line programs."""

import signal
import subprocess
from pathlib import Path

from hardware.errors import HardwareError

SAMPLE_RATE = 48_000
MAX_RECORDING_S = 30
"""arecord stops by itself then: somebody has gone away."""
STOP_TIMEOUT_S = 5.0
"""A process that was told to end gets no longer."""
INSTALL_HINT = "sudo apt install alsa-utils"


class MicrophoneError(HardwareError, OSError):
    """Nothing can be recorded or played."""


class AlsaMicrophone:
    """Records between `start` and `stop`; plays what was recorded."""

    def __init__(self, device: str = "", *, recorder: str = "arecord", player: str = "aplay") -> None:
        """`device`: ALSA's name of it, as `arecord -L` lists them; empty: the system's choice."""
        self._card = ("-D", device) if device else ()
        self._recorder, self._player = recorder, player
        self._running: subprocess.Popen[str] | None = None

    def start_recording(self, into: Path) -> None:
        """Record from now on into a WAV file: 16 bits, one channel, `SAMPLE_RATE` Hz. Raises
        `MicrophoneError`.
        """
        form = (
            "-q",
            "-t",
            "wav",
            "-f",
            "S16_LE",
            "-c",
            "1",
            "-r",
            str(SAMPLE_RATE),
            "-d",
            str(MAX_RECORDING_S),
        )
        command = [self._recorder, *self._card, *form, str(into)]
        try:
            self._running = subprocess.Popen(
                command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace"
            )
        except OSError as trouble:
            raise MicrophoneError(f"can't record: {self._recorder} is missing; {INSTALL_HINT}") from trouble

    def stop_recording(self) -> None:
        """Stop, and wait until the file is written; raises `MicrophoneError` if arecord ended too early."""
        running, self._running = self._running, None
        if running is None:
            return
        ended = running.poll()
        running.send_signal(signal.SIGINT)  # it closes its file then
        try:
            _, said = running.communicate(timeout=STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            running.kill()
            running.communicate()
            raise MicrophoneError("the microphone hangs; plug it in again.") from None
        if ended:
            why = (said.strip().splitlines() or ["no reason was given"])[-1]
            raise MicrophoneError(f"can't record: {why}; arecord -L lists what there is, see --device")

    def play_file(self, file: Path) -> None:
        """Play a recording to its end; raises `MicrophoneError`."""
        try:
            done = subprocess.run(
                [self._player, "-q", str(file)], check=False, capture_output=True, text=True
            )
        except OSError as trouble:
            raise MicrophoneError(f"can't play: {self._player} is missing; {INSTALL_HINT}") from trouble
        if done.returncode:
            why = (done.stderr.strip().splitlines() or ["no reason was given"])[-1]
            raise MicrophoneError(f"can't play: {why}")
