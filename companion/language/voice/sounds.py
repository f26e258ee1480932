"""Sounds as samples: a count with its beats and beep, laid out to the sample, and effects of cards.

Everything is mono at `RATE`. A count is laid out from its first beat: word and tick begin exactly at the
beat, the closing beep exactly at the end of the window, and nothing sounds in between but the words.

Effects are made from noise and damped partials. They are short and play beside the voice, softer than it, and
never during a count. The same name gives the same samples. In the settings (`sound.events`) an effect's name
follows `EFFECT_PREFIX`, as in "effect.coin".
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from companion.core.actions import SECOND, Cue, Micros
from companion.core.view import Sentence, SoundEffect
from companion.language.installed_languages import FALLBACK_LANGUAGE
from companion.language.language import Language
from companion.language.voice import voice_pack
from companion.language.voice.clips import Clip, clip_folders, read_index, resample
from companion.language.voice.voice_pack import VoicePack, VoicePackError

Samples = npt.NDArray[np.int16]
"""Mono sound as it is played: at `RATE`."""
log = logging.getLogger(__name__)

RATE = 48_000
BUFFER = 512
"""Samples the mixer takes at once: 11 ms."""
RECOUNT_LEAD_IN_S = 0.4
"""Lead-in of a recount, which says no number."""
LONGEST_LEAD_IN_S = 1.6
WORD_S = 0.9
"""No word of the count reaches into the next beat."""
TICK_HZ, TICK_S, TICK = 1_500, 0.03, 0.3
BEEP_HZ, BEEP_S, BEEP = 880, 0.4, 0.5
FULL_SCALE = 32_767
TICKS, BEEPS = "count.tick", "count.beep"
"""How the settings call the tones of the count."""
OFF = "off"
"""What the settings say of a sound that nobody wants."""
CLIPLESS_KEYS = ("lesson.", ".why.", ".do.", ".hint.", "shared.part.")
"""Sentences that have no clips because they are many, and are said when somebody wants to hear them: by
espeak-ng, where it is installed."""
CACHE_SIZE = 96
"""Decoded clips kept in memory, those used last, whichever voice wanted them."""


class CountSound(NamedTuple):
    """Announcement and count as one sound."""

    samples: Samples
    lead_in: Micros
    """From its start to its first beat."""


class SpokenWord(NamedTuple):
    """A clip, and its lead-in in seconds: where the word of a beat begins, the first beat after a number."""

    samples: Samples
    onset: float


class VoiceSounds:
    """What is heard in one language: of a voice pack what it has, else the built clips."""

    def __init__(
        self,
        language: Language,
        where: Path | None = None,
        *,
        pack: VoicePack | None = None,
        events: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """`pack` counts if it is in this language; what the language itself lacks is said in English.

        `events`: a clip's name, or how it begins → `OFF`, or the WAV file that is heard instead.
        """
        self.language = language
        self._events = events
        self._pack = pack if pack is not None and pack.contents.language == language.code else None
        self._alone = where is not None
        self._where = clip_folders(language.code) if where is None else (where,)
        indexes = [read_index(place) for place in self._where]
        self._index: Mapping[str, Clip] = {name: clip for one in indexes for name, clip in one.clips.items()}
        self._screen_only = frozenset(key for one in indexes for key in one.screen_only)

    def is_spoken(self, sentence: Sentence) -> bool:
        """Whether the sentence is one that is said at all; some are for the screen alone.

        What the screen has in more words than the voice has a clip, and is said.
        """
        name = self.language.clip_name(sentence)
        if self._custom_setting(name) == OFF:
            return False
        if self.sounds_for(sentence) is not self:
            return self._english.is_spoken(sentence)
        if name in self._index or sentence.key not in self._screen_only:
            return True
        return any(free in sentence.key for free in CLIPLESS_KEYS)

    def find_samples(self, sentence: Sentence) -> Samples | None:
        """The clip that says a sentence (int16, `RATE` Hz); None: there is none."""
        word = self.find_word(sentence)
        return None if word is None else word.samples

    def sounds_for(self, sentence: Sentence) -> VoiceSounds:
        """Who says a sentence: we, or the English voice where our language has no words for it."""
        return self if self._alone or self.language.has_words_for(sentence) else self._english

    @cached_property
    def _english(self) -> VoiceSounds:
        if self.language.code == FALLBACK_LANGUAGE:
            return self
        return VoiceSounds(Language(FALLBACK_LANGUAGE, self.language.colours), events=self._events)

    def build_count(self, cue: Cue) -> CountSound:
        """What is heard on a cue: the number, its beats, the beep. A recount says no number again."""
        number, lead_in = None, RECOUNT_LEAD_IN_S
        if cue.attempt <= 1:
            said = cue_sentence(cue)
            opening = None if said is None else self.find_word(said)
            if opening is not None:
                number = opening.samples
                lead_in = min(LONGEST_LEAD_IN_S, opening.onset or len(number) / RATE)
        words = [self.find_word(Sentence(f"count.{beat}")) for beat in range(1, cue.beats + 1)]
        return mix_count(number, lead_in, words, tick=self.custom_sound(TICKS), beep=self.custom_sound(BEEPS))

    def find_word(self, sentence: Sentence) -> SpokenWord | None:
        """The clip that says a sentence, with its lead-in."""
        name = self.language.clip_name(sentence)
        own = self.custom_sound(name)
        if own is not None:
            return SpokenWord(own, 0.0) if len(own) else None
        if self.sounds_for(sentence) is not self:
            return self._english.find_word(sentence)
        said, address = self._find_clip(name), self.language.address_part(sentence)
        called = None if said is None or address is None else self.find_word(address)
        if said is None or called is None:
            return said
        return SpokenWord(np.concatenate([called.samples, said.samples]), 0.0)

    def custom_sound(self, name: str) -> Samples | None:
        """What the settings want heard in the place of a clip; nothing at all where they say `OFF`."""
        instead = self._custom_setting(name)
        if instead == OFF:
            return np.zeros(0, dtype=np.int16)
        return _load_recording(Path(instead).expanduser()) if instead else None

    def _custom_setting(self, name: str) -> str:
        """What the settings say of a clip, by its name or the longest beginning of it; empty: nothing."""
        words = name.split(".")
        beginnings = (".".join(words[:count]) for count in range(len(words), 0, -1))
        return next((self._events[one] for one in beginnings if one in self._events), "")

    def _find_clip(self, name: str) -> SpokenWord | None:
        """A clip by its name, with the lead-in that was measured or stated for it."""
        built = self._index.get(name)
        like = name if built is None else built.like or name
        for pack, one in [] if self._pack is None else [(self._pack, name), (self._pack, like)]:
            recorded = pack.find_recording(one, None if built is None else built.text)
            samples = None if recorded is None else _load_recording(pack.recording_path(one))
            if recorded is not None and samples is not None:
                return SpokenWord(samples, recorded.lead_in)
        files = (place / f"{like}.ogg" for place in self._where)
        kept = next((_load_clip(file) for file in files if file.exists()), None)
        return None if kept is None else SpokenWord(kept, 0.0 if built is None else built.lead_in)


@lru_cache(maxsize=CACHE_SIZE)
def _load_recording(file: Path) -> Samples | None:
    """A recording of a pack at our rate; what is wrong with it is logged once, and the built clip speaks.

    Only second voices of the program are in Ogg: a stranger's list cannot name such a file.
    """
    if file.suffix == ".ogg":
        return _load_clip(file)
    try:
        samples, rate = voice_pack.decode_recording(file)
    except VoicePackError as trouble:
        log.warning("%s", trouble)
        return None
    loud = resample(samples, rate, RATE) * FULL_SCALE
    return np.clip(loud, -FULL_SCALE, FULL_SCALE).astype(np.int16)


def _load_clip(file: Path) -> Samples | None:
    """A clip, decoded once while it is in use; one that is damaged is tried again each time."""
    with suppress(_DamagedError):
        return _decode_or_raise(file)
    return None


@lru_cache(maxsize=CACHE_SIZE)
def _decode_or_raise(file: Path) -> Samples:
    samples = decode_clip(file)
    if samples is None:
        raise _DamagedError(file)
    return samples


class _DamagedError(Exception):
    """A clip that cannot be decoded."""


def cue_sentence(cue: Cue) -> Sentence | None:
    """The sentence that a cue says before its first beat."""
    return Sentence(cue.said, (("number", cue.value),)) if cue.said else None


def mix_count(
    number: Samples | None,
    lead_in: float,
    words: Sequence[SpokenWord | None],
    *,
    tick: Samples | None = None,
    beep: Samples | None = None,
) -> CountSound:
    """The number, then one word per second from the lead-in on, and the beep when the window closes.

    Without words (somebody closes the window) a tick alone says that it is open. `tick`, `beep`: instead of
    ours; of a tick no more is heard than of a word.
    """
    ticking = _tone(TICK_HZ, TICK_S, TICK, fading=True) if tick is None else tick[: round(WORD_S * RATE)]
    beeping = _tone(BEEP_HZ, BEEP_S, BEEP, fading=False) if beep is None else beep
    first = round(lead_in * RATE)
    end = first + len(words) * RATE
    mixed = np.zeros(end + (max(len(beeping), round(BEEP_S * RATE)) if words else RATE))
    if number is not None:
        mixed[: min(first, len(number))] += number[:first]
    for beat, word in enumerate(words or [None]):
        at = first + beat * RATE
        _add_sound(mixed, at, ticking)
        if word is not None:
            onset = round(word.onset * RATE)
            _add_sound(mixed, at, _fade_edges(word.samples[onset : onset + round(WORD_S * RATE)]))
    if words:
        _add_sound(mixed, end, beeping)
    samples = np.clip(mixed, -FULL_SCALE, FULL_SCALE).astype(np.int16)
    return CountSound(samples, round(first * SECOND / RATE))


def _add_sound(mixed: npt.NDArray[np.float64], at: int, sound: npt.NDArray[np.float64] | Samples) -> None:
    mixed[at : at + len(sound)] += sound[: max(0, len(mixed) - at)]


def _tone(hertz: int, seconds: float, loudness: float, *, fading: bool) -> npt.NDArray[np.float64]:
    """A tone whose very first sample sounds."""
    count = round(seconds * RATE)
    tone = np.sin(2 * np.pi * hertz * np.arange(1, count + 1) / RATE) * loudness * FULL_SCALE
    tail = (
        np.linspace(1.0, 0.0, count) if fading else np.minimum(1.0, np.arange(count, 0, -1) / (0.01 * RATE))
    )
    return tone * tail


def _fade_edges(samples: Samples) -> npt.NDArray[np.float64]:
    """A word cut out of its clip, without a click at either end."""
    word = samples.astype(np.float64) * 0.8
    edge = min(len(word) // 2, RATE // 500)
    if edge:
        word[:edge] *= np.linspace(0.0, 1.0, edge)
        word[-edge:] *= np.linspace(1.0, 0.0, edge)
    return word


def duration(samples: Samples) -> Micros:
    """The length of a sound, in microseconds."""
    return round(len(samples) * SECOND / RATE)


def decode_clip(file: Path) -> Samples | None:
    """A sound file as mono int16 at `RATE` Hz; None if it is damaged or not there."""
    import pygame  # noqa: PLC0415 (its import takes a while)

    ensure_decoder()
    try:
        stereo = pygame.sndarray.array(pygame.mixer.Sound(str(file)))
    except (pygame.error, OSError):
        return None
    mono: Samples = stereo[:, 0].astype(np.int16)
    return mono


def ensure_decoder() -> None:
    """Let pygame decode although no sound card is open: its mixer needs a device, be it SDL's dummy."""
    import pygame  # noqa: PLC0415

    if pygame.mixer.get_init() is not None:
        return
    before = os.environ.get("SDL_AUDIODRIVER")
    os.environ["SDL_AUDIODRIVER"] = "dummy"
    try:
        pygame.mixer.init(RATE, -16, 2, BUFFER, allowedchanges=0)
    finally:
        if before is None:
            del os.environ["SDL_AUDIODRIVER"]
        else:
            os.environ["SDL_AUDIODRIVER"] = before


EFFECT_PREFIX = "effect."
"""How names of effects begin in the settings."""
EFFECT_PEAK = 0.18
"""Of full scale: about 9 dB below the peaks of speech."""
EDGE_S = 0.002
"""Fade at both ends, so that nothing clicks."""
Wave = npt.NDArray[np.float64]


def find_effect(sounds: VoiceSounds, name: SoundEffect) -> Samples:
    """The sound of an effect at this table; nothing at all where the settings say `off`."""
    own = sounds.custom_sound(f"{EFFECT_PREFIX}{name}")
    return make_effect(name) if own is None else own


@lru_cache
def make_effect(name: SoundEffect) -> Samples:
    """The samples of an effect (int16, `RATE` Hz)."""
    wave = _EFFECTS[name]()
    edge = round(EDGE_S * RATE)
    wave[:edge] *= np.linspace(0, 1, edge)
    wave[-edge:] *= np.linspace(1, 0, edge)
    samples: Samples = np.rint(wave / np.abs(wave).max() * EFFECT_PEAK * FULL_SCALE).astype(np.int16)
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
