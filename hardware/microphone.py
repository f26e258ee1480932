"""Records or plays sound through ALSA's command-line programs."""

import os
import signal
import subprocess
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hardware.errors import HardwareError

SAMPLE_RATE = 48_000
MAX_RECORDING_S = 30
"""arecord stops by itself then: somebody has gone away."""
STOP_TIMEOUT_S = 5.0
"""A process that was told to end gets no longer."""
PERIOD_US = 5_000
"""Microseconds of sound that a stream hands over at once."""
INSTALL_HINT = "sudo apt install alsa-utils"


class MicrophoneError(HardwareError, OSError):
    """Nothing can be recorded or played."""


class AlsaMicrophone:
    """Records between `start_recording` and `stop_recording`; plays what was recorded."""

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

    def open_stream(self) -> "AlsaStream":
        """Record until the stream is closed; raises `MicrophoneError` where arecord is missing."""
        form = ("-q", "-t", "raw", "-f", "S16_LE", "-c", "1", "-r", str(SAMPLE_RATE))
        command = [self._recorder, *self._card, *form, f"--period-time={PERIOD_US}"]
        try:
            return AlsaStream(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE))
        except OSError as trouble:
            raise MicrophoneError(f"can't record: {self._recorder} is missing; {INSTALL_HINT}") from trouble

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


class AlsaStream:
    """What a microphone hears now, in chunks of a few milliseconds."""

    def __init__(self, running: "subprocess.Popen[bytes]") -> None:
        self._running = running
        self._half = b""
        """The first byte of a sample whose second has not come yet."""

    def read(self) -> NDArray[np.int16]:
        """The next samples, as soon as there are some; `MicrophoneError` once arecord has ended."""
        assert self._running.stdout is not None
        data = os.read(self._running.stdout.fileno(), 1 << 16)
        if not data:
            _, said = self._running.communicate()
            why = (said.decode(errors="replace").strip().splitlines() or ["no reason was given"])[-1]
            raise MicrophoneError(f"can't record: {why}; arecord -L lists what there is")
        data = self._half + data
        whole = len(data) // 2 * 2
        self._half = data[whole:]
        return np.frombuffer(data[:whole], "<i2").astype(np.int16)

    def close(self) -> None:
        self._running.kill()
        self._running.communicate()
