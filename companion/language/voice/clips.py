"""Recorded clips of the voice's fixed sentences, listed in an index file, and how loud a recording is.

`make clips` builds the clips from the catalogues; anybody may record one in its place. Loudness is measured
in LUFS, as ITU-R BS.1770 defines it.
"""

import math
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import msgspec
import numpy as np
import numpy.typing as npt

from companion.core.actions import Value
from companion.core.errors import CompanionError
from companion.games import all_asset_folders
from companion.language import installed_languages

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
    audible = powers[_lufs(powers) > SILENCE]
    if not len(audible):
        return SILENCE
    speech = audible[_lufs(audible) > float(_lufs(audible.mean())) - BELOW]
    return float(_lufs(speech.mean()))


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


RATE = 24_000
"""Samples per second of a clip: Opus in Ogg, mono, at 13 to 32 kbit/s."""
LOUDNESS, PEAK = -23.4, 0.95
"""LUFS of every clip, and its highest peak: the softest sentence reaches the one with the other."""
PREROLL_S = 0.04
"""Silence before speech: an output that wakes up late swallows it instead of a syllable."""
GAP_S = 0.12
"""Between the announcement and its first beat."""
LONGEST_LEAD_IN_S = 1.6
BEAT_PREFIX = "count."
"""How the names of the beats of a count begin."""


class Clip(Value, frozen=True, omit_defaults=True):
    """One file of the index."""

    text: str
    built: str
    """Digest of the file as it was built: another file in its place is somebody's own recording."""
    lead_in: float = 0.0
    """Seconds: where the first beat falls after an announcement; where the word begins in a beat."""
    stated: bool = False
    """The maker of the recording wrote `lead_in`; it is never measured again."""
    like: str = ""
    """The clip that says the same: its file is heard, there is none of this name."""
    spoken: str = ""
    """Voice and sounds of a built file (`tests/programs/speech_engines.py`): others are built again."""


class ClipIndex(Value, frozen=True, omit_defaults=True):
    """What the clips of one language say."""

    recipe: int = 0
    screen_only: tuple[str, ...] = ()
    """Keys that are shown and never said."""
    clips: Mapping[str, Clip] = MappingProxyType({})
    speaker: str = ""
    """Whose voice it is, in a second one of a language; the first has no name."""


def clip_folders(code: str) -> tuple[Path, ...]:
    """Where clips of a language lie: its own first, then those of games from outside."""
    return tuple(
        root / "clips" / code
        for root in (installed_languages.find_language(code).root, *all_asset_folders()[1:])
    )


def builtin_clip_folder(code: str) -> Path:
    """Where the clips of a language lie: beside its sentences."""
    return installed_languages.find_language(code).root / "clips" / code


def second_voice_folders(code: str) -> tuple[Path, ...]:
    """Where the clips of a language's other voices lie, such as `clips/de.bf_emma`."""
    return tuple(
        sorted(file.parent for file in builtin_clip_folder(code).parent.glob(f"{code}.*/index.json"))
    )


def read_index(where: Path) -> ClipIndex:
    """The index in a folder of clips; empty where there is none."""
    file = where / "index.json"
    return msgspec.json.decode(file.read_bytes(), type=ClipIndex) if file.exists() else ClipIndex()


def espeak_command(code: str, text: str, into: Path, *, opens: bool = False) -> list[str]:
    """The command that speaks `text` into a seekable file (a stream's header would lie about its length).

    `opens`: it announces a count.
    """
    language = installed_languages.find_language(code)
    pace = language.about.announcing_pace if opens else language.about.pace
    return ["espeak-ng", "-v", language.voice, "-s", str(pace), "-g", "2", "-w", str(into), "--", text]


def resample(samples: Wave, rate: int, to: int) -> Wave:
    """The same sound at the rate `to` instead of `rate` (both in Hz), by its spectrum."""
    length = round(len(samples) * to / rate)
    spectrum = np.fft.rfft(samples)
    wider = np.zeros(length // 2 + 1, dtype=complex)
    kept = min(len(spectrum), len(wider))
    wider[:kept] = spectrum[:kept]
    return np.fft.irfft(wider, length) * (length / len(samples))


def trim_speech(samples: Wave) -> Wave:
    """Speech cut to what sounds, after `PREROLL_S` seconds of silence, at `LOUDNESS` LUFS; at `RATE`
    Hz.
    """
    first, last = find_speech(samples)
    start, end = max(0, first - 20), min(len(samples), last + RATE // 20)
    body = samples[start:end] / max(1e-9, float(np.abs(samples).max()))
    fade = min(len(body), RATE // 40)
    body[-fade:] *= np.linspace(1.0, 0.0, fade)
    whole = np.concatenate([np.zeros(int(PREROLL_S * RATE)), body])
    return whole * min(PEAK, 10 ** ((LOUDNESS - measure_loudness(whole, RATE)) / 20))


def find_speech(samples: Wave, threshold: float = 0.02) -> tuple[int, int]:
    """Indices of the first and last sample louder than `threshold`, a share of the loudest."""
    loud = np.flatnonzero(np.abs(samples) > threshold * max(1e-9, float(np.abs(samples).max())))
    return (int(loud[0]), int(loud[-1])) if len(loud) else (0, len(samples) - 1)


def measure_lead_in(name: str, samples: Wave, rate: int, *, opens: bool) -> float:
    """Seconds into an announcement at which its first beat falls; into a beat, at which its word begins.

    Raises `CompanionError` for an announcement that is too long.
    """
    first, last = find_speech(samples)
    if opens:
        seconds = round(last / rate + GAP_S, 2)
        if seconds > LONGEST_LEAD_IN_S:
            raise CompanionError(f"{name} takes too long: its first beat would fall after {seconds} s.")
        return seconds
    return round(first / rate, 4) if name.startswith(BEAT_PREFIX) else 0.0
