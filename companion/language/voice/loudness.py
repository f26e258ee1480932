"""Measures loudness in LUFS as ITU-R BS.1770 defines it."""

import math

import numpy as np
import numpy.typing as npt

Wave = npt.NDArray[np.float64]
"""Mono sound, as samples from -1 to 1."""

BLOCK_S, STEP_S = 0.4, 0.1
SILENCE = -70.0
"""LUFS below which a block counts as silence."""
BELOW = 10.0
"""LU: what is so much softer than the rest counts as a pause."""
FULL = 0.99
"""Of full scale: from here on a sample may have been cut off."""
CUT = 3
"""Samples in a row at full scale that nobody's voice has by chance."""


def measure_loudness(samples: Wave, rate: int) -> float:
    """Integrated loudness in LUFS (ITU-R BS.1770) of mono sound, samples from -1 to 1 at `rate` Hz.

    A sound shorter than a block counts as one block; silence has `SILENCE`.
    """
    if not len(samples):
        return SILENCE
    weighted = _apply_k_weighting(samples, rate) ** 2
    block, step = round(BLOCK_S * rate), round(STEP_S * rate)
    starts = range(0, max(1, len(weighted) - block + 1), step)
    powers = np.array([weighted[start : start + block].mean() for start in starts])
    heard = powers[_lufs(powers) > SILENCE]
    if not len(heard):
        return SILENCE
    spoken = heard[_lufs(heard) > float(_lufs(heard.mean())) - BELOW]
    return float(_lufs(spoken.mean()))


def is_clipped(samples: Wave) -> bool:
    """Whether the sound (samples from -1 to 1) was cut off at the top."""
    full = np.abs(samples) >= FULL
    runs = np.convolve(full.astype(int), np.ones(CUT, dtype=int), "valid") if len(full) >= CUT else full
    return bool((runs >= CUT).any())


def _lufs(power: npt.NDArray[np.float64] | np.floating) -> npt.NDArray[np.float64]:
    return -0.691 + 10 * np.log10(np.maximum(power, 1e-12))


def _apply_k_weighting(samples: Wave, rate: int) -> Wave:
    """The sound as an ear weighs it: a shelf for the head, and no rumble; both filters by the spectrum."""
    length = len(samples) + rate // 2  # what rings on must not come round to the beginning
    at = np.exp(-2j * math.pi * np.fft.rfftfreq(length))
    weighed = np.fft.rfft(samples, length) * _shelf(at, rate) * _high_pass(at, rate)
    return np.fft.irfft(weighed, length)[: len(samples)]


def _shelf(at: npt.NDArray[np.complex128], rate: int) -> npt.NDArray[np.complex128]:
    """The standard's first filter, at any rate."""
    k, q, high = (
        math.tan(math.pi * 1681.974450955533 / rate),
        0.7071752369554196,
        10 ** (3.999843853973347 / 20),
    )
    band = high**0.4996667741545416
    above = (high + band * k / q + k * k) + 2 * (k * k - high) * at + (high - band * k / q + k * k) * at**2
    found: npt.NDArray[np.complex128] = above / _below(at, k, q)
    return found


def _high_pass(at: npt.NDArray[np.complex128], rate: int) -> npt.NDArray[np.complex128]:
    """The standard's second filter, at any rate."""
    k, q = math.tan(math.pi * 38.13547087602444 / rate), 0.5003270373238773
    found: npt.NDArray[np.complex128] = (1 - 2 * at + at**2) * (1 + k / q + k * k) / _below(at, k, q)
    return found


def _below(at: npt.NDArray[np.complex128], k: float, q: float) -> npt.NDArray[np.complex128]:
    return (1 + k / q + k * k) + 2 * (k * k - 1) * at + (1 - k / q + k * k) * at**2
