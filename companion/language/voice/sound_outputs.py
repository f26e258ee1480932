"""Sound outputs without a sound card: a WAV file, silence, both at once."""

import wave
from pathlib import Path
from typing import NamedTuple

import numpy as np

from companion.core.actions import SECOND, Micros
from companion.language.voice.mixer import FADE_MS, SoundOutput
from companion.language.voice.sounds import FULL_SCALE, RATE, Samples

TRACK_RATE = RATE // 2
"""Enough for speech, and a game of half an hour stays below 90 MB."""


class _Segment(NamedTuple):
    first: int
    samples: Samples


class SilentOutput:
    """An output without a device: nothing to turn up, to lose or to look after."""

    delay: Micros = 0
    mark_reached = True
    """As `SoundOutput.mark_reached`: what has no device is never late."""

    def play_beside(self, samples: Samples, at: Micros) -> None:
        pass

    def mark(self, samples: int, at: Micros) -> None:
        pass

    def wake(self, at: Micros) -> Micros:
        return 0

    def set_volume(self, volume: int, *, mute: bool) -> None:
        pass

    def use_device(self, name: str) -> None:
        pass

    def mark_lost(self, reason: str, at: Micros) -> None:
        pass

    def poll(self, now: Micros) -> None:
        pass


class WavOutput(SilentOutput):
    """An output that keeps what it plays, by game time; the same game writes the same bytes."""

    available = True
    silence_reason = ""

    def __init__(self) -> None:
        self._segments: list[_Segment] = []
        self._beside: list[_Segment] = []

    def play(self, samples: Samples, at: Micros) -> bool:
        """As `SoundOutput.play`; kept at half the rate, `TRACK_RATE` Hz."""
        _end_last(self._segments, at)
        self._segments.append(_make_segment(samples, at))
        return True

    def play_beside(self, samples: Samples, at: Micros) -> None:
        _end_last(self._beside, at)
        self._beside.append(_make_segment(samples, at))

    def stop(self, at: Micros) -> None:
        _end_last(self._segments, at)
        _end_last(self._beside, at)

    def write_wav(self, file: Path) -> None:
        """Write everything heard so far, from the game's instant 0 on."""
        with wave.open(str(file), "wb") as out:
            out.setnchannels(1)
            out.setsampwidth(2)
            out.setframerate(TRACK_RATE)
            whole = [*self._segments, *self._beside]
            track = np.zeros(max((first + len(samples) for first, samples in whole), default=0), np.int16)
            for first, samples in whole:
                # Speech stays below −1 dB of full scale, effects below −14: together they clip rarely.
                mixed = track[first : first + len(samples)].astype(np.int32) + samples
                track[first : first + len(samples)] = np.clip(mixed, -FULL_SCALE, FULL_SCALE)
            out.writeframes(track.astype("<i2").tobytes())


class NullOutput(SilentOutput):
    """An output without a sound: none at all, or one that merely takes its time (`--fast`)."""

    def __init__(self, reason: str = "") -> None:
        self.silence_reason = reason
        self.available = not reason

    def play(self, samples: Samples, at: Micros) -> bool:
        """As `SoundOutput.play`: nothing is heard."""
        return self.available

    def stop(self, at: Micros) -> None:
        pass


class RecordingOutput:
    """What is heard is kept as well; without a card it is only kept."""

    available = True
    silence_reason = ""

    def __init__(self, output: SoundOutput, recording: WavOutput) -> None:
        self._output, self._recording = output, recording

    @property
    def delay(self) -> Micros:
        return self._output.delay if self._output.available else 0

    def play(self, samples: Samples, at: Micros) -> bool:
        """As `SoundOutput.play`; kept at the time at which the card is heard."""
        self._output.play(samples, at)
        return self._recording.play(samples, at + self.delay)

    def play_beside(self, samples: Samples, at: Micros) -> None:
        self._output.play_beside(samples, at)
        self._recording.play_beside(samples, at + self.delay)

    def mark(self, samples: int, at: Micros) -> None:
        self._output.mark(samples, at)

    @property
    def mark_reached(self) -> bool:
        return self._output.mark_reached

    def wake(self, at: Micros) -> Micros:
        return self._output.wake(at)

    def stop(self, at: Micros) -> None:
        self._output.stop(at)
        self._recording.stop(at + self.delay)

    def set_volume(self, volume: int, *, mute: bool) -> None:
        self._output.set_volume(volume, mute=mute)

    def use_device(self, name: str) -> None:
        self._output.use_device(name)

    def mark_lost(self, reason: str, at: Micros) -> None:
        self._output.mark_lost(reason, at)

    def poll(self, now: Micros) -> None:
        self._output.poll(now)


def _make_segment(samples: Samples, at: Micros) -> _Segment:
    """A sound at `TRACK_RATE`, by game time."""
    halved = samples[: len(samples) // 2 * 2].reshape(-1, 2).mean(axis=1)
    return _Segment(_frame_number(at), np.rint(halved).astype(np.int16))


def _end_last(segments: list[_Segment], at: Micros) -> None:
    """What still sounds at `at` fades from there on, as `Mixer.stop` has it."""
    if not segments:
        return
    first, samples = segments[-1]
    begin = max(0, _frame_number(at) - first)
    if begin < len(samples):
        rest = samples[begin : begin + FADE_MS * TRACK_RATE // 1000]
        fading = np.rint(rest * np.linspace(1, 0, len(rest), endpoint=False)).astype(np.int16)
        segments[-1] = _Segment(first, np.concatenate([samples[:begin], fading if begin else rest[:0]]))


def _frame_number(at: Micros) -> int:
    return round(at * TRACK_RATE / SECOND)
