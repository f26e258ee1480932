"""Slows speech down without lowering its pitch, by overlap-add (WSOLA)."""

import numpy as np

from companion.language.voice.sounds import RATE, Samples

SLOW_FACTOR = 1.3
"""A slow sentence takes this many times as long."""
_FRAME = RATE // 25
_HOP = _FRAME // 2
_SEARCH = RATE // 100
_STRIDE = 8
"""Only every so-many-th sample is compared when the best continuation is looked for."""


def slow_down(samples: Samples) -> Samples:
    """The same sound (int16, `SAMPLE_RATE` Hz), longer and as high: overlap-add (WSOLA, Verhelst 1993)."""
    if len(samples) < 2 * _FRAME + _SEARCH:
        return samples
    sound = samples.astype(np.float32)
    count = int((len(sound) - _FRAME - _SEARCH) * SLOW_FACTOR / _HOP)
    laid = np.zeros(count * _HOP + _FRAME, dtype=np.float32)
    # Halves of neighbouring windows add up to one.
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(_FRAME, dtype=np.float32) / _FRAME)
    taken = 0
    for frame in range(count):
        if frame:
            near = int(frame * _HOP / SLOW_FACTOR)
            low = max(0, near - _SEARCH)
            onward = sound[taken + _HOP : taken + _FRAME : _STRIDE]
            around = sound[low : min(len(sound), near + _SEARCH + _HOP) : _STRIDE]
            taken = low + _STRIDE * int(np.argmax(np.correlate(around, onward, "valid")))
            taken = min(taken, len(sound) - _FRAME)
        laid[frame * _HOP : frame * _HOP + _FRAME] += window * sound[taken : taken + _FRAME]
    paced: Samples = np.clip(laid, -32768, 32767).astype(np.int16)
    return paced
