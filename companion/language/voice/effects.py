"""The sounds of cards, tokens and verdicts, made from noise and damped partials.

They are short and play beside the voice, softer than it, and never during a count. The same name gives the
same samples. In the settings (`sound.events`) its name follows `PREFIX`, as in "effect.coin".
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from companion.core.view import SoundEffect
from companion.language.voice.sounds import FULL_SCALE, RATE, Samples, VoiceSounds

PREFIX = "effect."
"""How names of effects begin in the settings."""
PEAK = 0.18
"""Of full scale: about 9 dB below the peaks of speech."""
EDGE_S = 0.002
"""Fade at both ends, so that nothing clicks."""
Wave = npt.NDArray[np.float64]


def find_effect(sounds: VoiceSounds, name: SoundEffect) -> Samples:
    """The sound of an effect at this table; nothing at all where the settings say `off`."""
    own = sounds.custom_sound(f"{PREFIX}{name}")
    return make_effect(name) if own is None else own


@lru_cache
def make_effect(name: SoundEffect) -> Samples:
    """The samples of an effect (int16, `RATE` Hz)."""
    wave = _EFFECTS[name]()
    edge = round(EDGE_S * RATE)
    wave[:edge] *= np.linspace(0, 1, edge)
    wave[-edge:] *= np.linspace(1, 0, edge)
    samples: Samples = np.rint(wave / np.abs(wave).max() * PEAK * FULL_SCALE).astype(np.int16)
    return samples


def _time(seconds: float) -> Wave:
    return np.arange(round(seconds * RATE)) / RATE


def _partials(seconds: float, partials: Sequence[tuple[float, float, float]]) -> Wave:
    """Damped sines: hertz, loudness, seconds until a tenth is left."""
    time = _time(seconds)
    return sum(
        (loud * np.sin(2 * np.pi * hertz * time) * 0.1 ** (time / decay) for hertz, loud, decay in partials),
        np.zeros(len(time)),
    )


def _rustle(seconds: float, decay: float, low: float, high: float, *, rise: float = 0.004) -> Wave:
    """Noise between two frequencies in Hz that swells for `rise` seconds and fades in `decay`."""
    time = _time(seconds)
    noise = np.fft.rfft(np.random.default_rng(round(low)).standard_normal(len(time)))
    hertz = np.fft.rfftfreq(len(time), 1 / RATE)
    band = 1 / (1 + (low / np.maximum(hertz, 1)) ** 4) / (1 + (hertz / high) ** 4)
    sound: Wave = np.fft.irfft(noise * band, len(time)) * np.minimum(1, time / rise) * 0.1 ** (time / decay)
    return sound


def _in_turn(gap: float, *waves: Wave) -> Wave:
    """Sounds that begin `gap` seconds after each other."""
    step = round(gap * RATE)
    whole = np.zeros(max(place * step + len(wave) for place, wave in enumerate(waves)))
    for place, wave in enumerate(waves):
        whole[place * step : place * step + len(wave)] += wave
    return whole


def _loud(wave: Wave, peak: float = 1.0) -> Wave:
    scaled: Wave = wave * (peak / np.abs(wave).max())
    return scaled


def _card() -> Wave:
    return _loud(_rustle(0.12, 0.05, 1_500, 7_000)) + 0.5 * _partials(0.12, [(140, 1, 0.05)])


def _flip() -> Wave:
    return _in_turn(0.07, _loud(_rustle(0.1, 0.05, 3_500, 12_000)), 0.4 * _card())


def _wood() -> Wave:
    struck = [(185.0, 1.0, 0.12), (410.0, 0.6, 0.08), (760.0, 0.3, 0.04), (1_930.0, 0.15, 0.02)]
    return _partials(0.25, struck) + 0.3 * _loud(_rustle(0.25, 0.02, 800, 5_000))


def _coin() -> Wave:
    rings = [(2_930.0, 1.0, 0.22), (4_310.0, 0.6, 0.16), (6_120.0, 0.3, 0.1)]
    return _in_turn(0.075, _partials(0.3, rings) * 0.6, _partials(0.35, rings))


def _knock() -> Wave:
    tap = _partials(0.16, [(155.0, 1.0, 0.09), (232.0, 0.5, 0.06)])
    return _in_turn(0.14, tap, tap * 0.8)


def _gong() -> Wave:
    bronze = [
        (196.0, 1.0, 1.1),
        (311.0, 0.7, 0.9),
        (466.0, 0.5, 0.7),
        (743.0, 0.35, 0.4),
        (1_180.0, 0.2, 0.2),
    ]
    return _partials(1.4, bronze)


def _bell(hertz: float) -> Wave:
    return _partials(0.7, [(hertz, 1.0, 0.45), (2 * hertz, 0.35, 0.3), (3.01 * hertz, 0.12, 0.15)])


def _chime() -> Wave:
    return _in_turn(0.11, _bell(659.3), _bell(880.0))


def _win() -> Wave:
    return _in_turn(0.13, *map(_bell, (523.3, 659.3, 784.0, 1_046.5)))


_EFFECTS: Mapping[SoundEffect, Callable[[], Wave]] = MappingProxyType(
    {
        "card": _card,
        "flip": _flip,
        "slide": lambda: _rustle(0.3, 0.35, 900, 4_500, rise=0.09),
        "wood": _wood,
        "coin": _coin,
        "knock": _knock,
        "gong": _gong,
        "chime": _chime,
        "win": _win,
    }
)
EFFECTS = tuple(_EFFECTS)
