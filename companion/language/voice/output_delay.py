"""Measures how late a sound is heard: by a microphone, or by people who tap to a beat.

A microphone hears short chirps, which are looked for in what it recorded. Its own clock is told by its
chunks: none can have come before its last sample was taken, so the promptest says when the first one was.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from companion.core.actions import SECOND, Micros
from companion.core.clock import Clock
from companion.language.voice.mixer import MIXER_DELAY, SoundOutput
from companion.language.voice.sounds import FULL_SCALE, RATE, TICK, TICK_HZ, Samples

CHIRPS = 7
CHIRP_S, CHIRP_HZ = 0.05, (1_000.0, 5_000.0)
"""What small loudspeakers and microphones have."""
CHIRP_INTERVAL: Micros = 5 * SECOND // 2
"""More than the longest delay that is kept (2 s), so that each is found where it belongs."""
QUIET_START: Micros = SECOND
"""Before the first: what the recorder's first chunks say of its clock settles."""
CLEARNESS = 8.0
"""A chirp that was heard correlates so many times as well as all else does usually."""
ECHO_SHARE = 0.5
"""What comes before the loudest and correlates at least so well is the sound, the loudest its echo."""
MIN_FOUND = 4
AGREEMENT: Micros = 10_000
"""Measurements that are further apart are none."""
BEATS, BEAT_INTERVAL = 14, SECOND
WARM_UP = 3
"""Taps at the beginning that do not count: people are still finding the beat."""
TAP_LEAD: Micros = 30_000
"""By so much people tap before the beat that they hear (Repp 2005: 20 to 80 ms, musicians least)."""
MIN_TAPS = 6


class DelayMeasurement(NamedTuple):
    """How late an output is heard."""

    delay: Micros
    """From `SoundOutput.play` to the ear."""
    spread: Micros
    """Half of the single measurements are nearer to it than this."""
    found: int
    """How many single measurements agreed."""

    @property
    def output_delay_ms(self) -> int:
        """What the output adds to the mixer's own: `sound.output_delay_ms`, in milliseconds."""
        return max(0, round((self.delay - MIXER_DELAY) / 1000))


class MicrophoneStream(Protocol):
    """A microphone that records until it is closed."""

    def read(self) -> Samples:
        """The next samples (int16, `RATE` Hz) as soon as there are some; `OSError` if it ended."""


def measure_by_microphone(
    output: SoundOutput, microphone: MicrophoneStream, clock: Clock
) -> DelayMeasurement | None:
    """Play chirps and listen for them; None where they are not heard clearly. Takes 19 seconds.

    Raises the microphone's `OSError`.
    """
    chirp = _make_chirp()
    chunks: list[Samples] = []
    count, first_sample = 0, clock.now()
    due, played = clock.now() + QUIET_START, list[Micros]()
    while len(played) < CHIRPS or clock.now() < due:
        chunks.append(microphone.read())
        count += len(chunks[-1])
        now = clock.now()
        taken = now - round(count * SECOND / RATE)
        first_sample = taken if len(chunks) == 1 else min(first_sample, taken)
        if now >= due and len(played) < CHIRPS:
            output.play(chirp, now)
            played.append(now)
            due = now + CHIRP_INTERVAL
    heard = np.concatenate(chunks).astype(np.float64)
    return _summarise(_find_chirps(heard, chirp.astype(np.float64), [at - first_sample for at in played]))


def measure_by_taps(beats: Sequence[Micros], taps: Sequence[Micros]) -> DelayMeasurement | None:
    """By taps on beats, each given as it was handed to `SoundOutput.play`; None where they do not agree.

    A tap belongs to the last beat before it, or to the next if that is a quarter of the interval away.
    """
    if len(beats) < 2:
        return None
    interval = beats[1] - beats[0]
    late = [(tap - beats[0] + interval // 4) % interval - interval // 4 for tap in taps[WARM_UP:]]
    if len(late) < MIN_TAPS:
        return None
    delay, spread = _median_and_spread(late)
    return DelayMeasurement(delay + TAP_LEAD, spread, len(late)) if spread <= interval // 10 else None


def build_beats() -> tuple[Samples, tuple[Micros, ...]]:
    """A beat to tap to, and when each tick of it begins."""
    tick = np.sin(2 * np.pi * TICK_HZ * np.arange(RATE // 33) / RATE) * np.linspace(1.0, 0.0, RATE // 33)
    sound = np.zeros((BEATS + 1) * RATE, dtype=np.int16)
    for beat in range(BEATS):
        sound[(beat + 1) * RATE : (beat + 1) * RATE + len(tick)] = np.rint(TICK * FULL_SCALE * tick)
    return sound, tuple((beat + 1) * BEAT_INTERVAL for beat in range(BEATS))


def _make_chirp() -> Samples:
    at = np.arange(round(CHIRP_S * RATE)) / RATE
    low, high = CHIRP_HZ
    wave = np.sin(2 * np.pi * (low + (high - low) / (2 * CHIRP_S) * at) * at) * np.hanning(len(at))
    chirp: Samples = np.rint(0.7 * FULL_SCALE * wave).astype(np.int16)
    return chirp


def _find_chirps(
    heard: npt.NDArray[np.float64], chirp: npt.NDArray[np.float64], played: Sequence[Micros]
) -> list[Micros]:
    """How late each of the chirps is that are heard; `played`: microseconds from the recording's begin."""
    late: list[Micros] = []
    for at in played:
        first = max(0, round(at * RATE / SECOND))
        part = heard[first : first + round(CHIRP_INTERVAL * RATE / SECOND)]
        if len(part) < len(chirp):
            continue
        size = 1 << (len(part) + len(chirp)).bit_length()
        spectrum = np.fft.rfft(part, size) * np.conj(np.fft.rfft(chirp, size))
        alike = np.abs(np.fft.irfft(spectrum, size)[: len(part) - len(chirp) + 1])
        loudest = float(alike.max())
        if loudest > CLEARNESS * float(alike.mean()):
            # The first peak that is high enough: its top is within a period of where it is entered.
            entered = int(np.argmax(alike >= ECHO_SHARE * loudest))
            top = entered + int(np.argmax(alike[entered : entered + RATE // 500]))
            late.append(round((first + top) * SECOND / RATE) - at)
    return late


def _summarise(late: Sequence[Micros]) -> DelayMeasurement | None:
    """The middle of those that agree."""
    if not late:
        return None
    middle, _ = _median_and_spread(late)
    agreeing = [one for one in late if abs(one - middle) <= AGREEMENT]
    if len(agreeing) < MIN_FOUND:
        return None
    return DelayMeasurement(*_median_and_spread(agreeing), len(agreeing))


def _median_and_spread(values: Sequence[Micros]) -> tuple[Micros, Micros]:
    middle = round(float(np.median(values)))
    return middle, round(float(np.median(np.abs(np.array(values) - middle))))
