"""Voices that Debian's main section has, by numbers, in each language: is one fitter than that of our clips?

How natural a voice sounds is not measured: no number says it. What is: whether a word of the count fits
between two beats, whether what opens a count is over before it begins, how long twenty sentences take, how
loud they are at the same peak, and whether the program cuts off its own tops.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from companion.language import installed_languages
from companion.language.voice.clips import (
    RATE,
    builtin_clip_folder,
    find_speech,
    read_index,
    resample,
    trim_speech,
)
from companion.language.voice.loudness import is_clipped, measure_loudness
from companion.language.voice.recording_check import OPENING_S, WORD_S
from tests.languages import LANGUAGES
from tests.programs.bench.figures import Row, missing

SENTENCES = (
    *("kinapa.EmperorCrowned.white", "kinapa.PartnerChosen.blue", "kinapa.FalseDenialProven.blue"),
    *("kinapa.Punished.foxes.1.orange", "kinapa.PairPlaced.12", "kinapa.ObjectTurned.7-8"),
    *("kinapa.phase.asking.orange", "kinapa.rule.object.closed", "kinapa.repair.hide.6"),
    *("kabuki.StopWrong.green", "kabuki.StopRight.red", "kabuki.OwnMaskCalled.pink"),
    *("kobayakawa.BettingBegan.green", "kobayakawa.PlayerOut.green", "kobayakawa.ShowdownBegan"),
    *("dnup.Redealt", "dnup.WentOut.second.yellow", "dnup.rule.card.not_held"),
    *("shared.WindowVoided.repair", "shared.nudge.white"),
)
"""Clips whose sentences are spoken: twenty."""
COUNT = tuple(f"count.{beat}" for beat in range(1, 9))
OPENS = tuple(f"kinapa.NumberAnnounced.{number}" for number in range(1, 17))
VARIANTS = ("+f2", "+f3", "+m3", "+m7")
"""Of espeak-ng: two women, two men. It overhears them behind `en-gb`, so they stand behind the bare code."""
OTHERS = {"en": ("en-us", "en-gb-x-rp"), "fr": ("fr-be",)}
PACES = (150, 180)


class Voice(NamedTuple):
    """One voice, and the program that has it."""

    name: str
    program: str
    command: tuple[str, ...]
    """FILE stands for the sound, TEXT for a file with the sentence."""
    brisk: tuple[str, ...] = ()
    """The command for what opens a count; empty: the same."""


def rows() -> Iterator[Row]:
    for code in LANGUAGES:
        for voice in voices(code):
            yield measured(code, voice)


def voices(code: str) -> Iterator[Voice]:
    """What speaks a language: today's first."""
    about = installed_languages.find_language(code).about
    yield _espeak(about.voice, about.pace, about.announcing_pace, "today: ")
    for pace in PACES:
        yield _espeak(about.voice, pace, max(pace, about.announcing_pace))
    for name in (*OTHERS.get(code, ()), *(code + variant for variant in VARIANTS)):
        yield _espeak(name, about.pace, about.announcing_pace)
    if code == "en":
        for name in ("slt", "rms", "awb", "kal16"):
            yield Voice(f"flite {name}", "flite", ("flite", "-voice", name, "-f", "TEXT", "-o", "FILE"))
        hts = ("text2wave", "-eval", "(voice_cmu_us_slt_arctic_hts)", "-o", "FILE", "TEXT")
        yield Voice("festival us-slt-hts", "text2wave", hts)


def _espeak(name: str, pace: int, brisk: int, mark: str = "") -> Voice:
    def command(words: int) -> tuple[str, ...]:
        return ("espeak-ng", "-v", name, "-s", str(words), "-g", "2", "-w", "FILE", "-f", "TEXT")

    return Voice(f"{mark}espeak-ng {name} at {pace}", "espeak-ng", command(pace), command(brisk))


def measured(code: str, voice: Voice) -> Row:
    """One voice in one language."""
    figure = f"{code}, {voice.name}: twenty sentences"
    if shutil.which(voice.program) is None:
        return missing(figure, "s", f"{voice.program}: not installed")
    texts = said(code)
    with tempfile.TemporaryDirectory(prefix="companion-bench-") as scratch:
        place = Path(scratch)
        try:
            words = [spoken(voice.command, texts[name], place) for name in COUNT]
            opens = [spoken(voice.brisk or voice.command, texts[name], place) for name in OPENS]
            sentences = [spoken(voice.command, texts[name], place) for name in SENTENCES]
        except subprocess.CalledProcessError as trouble:
            return missing(figure, "s", f"{voice.name}: {(trouble.stderr or b'').decode()[-80:].strip()}")
    word, opening = max(map(long, words)), max(map(long, opens))
    cut = sum(is_clipped(samples) for samples, _ in (*words, *opens, *sentences))
    loud = median(measure_loudness(trim_speech(resample(*one, RATE)), RATE) for one in sentences)
    return Row(
        figure=figure,
        value=sum(map(long, sentences)),
        unit="s",
        baseline=f"count {word:.2f} s, opening {opening:.2f} s, {loud:.1f} LUFS, {cut} clipped, "
        f"{sentences[0][1] / 1000:g} kHz",
        aim=f"count ≤ {WORD_S:g} s, opening ≤ {OPENING_S:.1f} s, none clipped",
        met=word <= WORD_S and opening <= OPENING_S and not cut,
    )


@cache
def said(code: str) -> dict[str, str]:
    """What the clips of a language say."""
    clips = read_index(builtin_clip_folder(code)).clips
    return {name: clips[name].text for name in (*COUNT, *OPENS, *SENTENCES)}


def spoken(command: Sequence[str], text: str, place: Path) -> tuple[Any, int]:
    """A sentence as the program speaks it, and its rate."""
    import soundfile

    written, sound = place / "said.txt", place / "said.wav"
    written.write_text(text + "\n", encoding="utf-8")
    files = {"TEXT": str(written), "FILE": str(sound)}
    sound.unlink(missing_ok=True)
    done = subprocess.run([files.get(word, word) for word in command], check=True, capture_output=True)
    if not sound.exists():  # festival ends well without a voice
        raise subprocess.CalledProcessError(0, command, stderr=done.stderr)
    samples, rate = soundfile.read(sound, always_2d=True)
    return samples.mean(axis=1), rate


def long(spoken: tuple[Any, int]) -> float:
    """Seconds from the first sound to the last."""
    samples, rate = spoken
    first, last = find_speech(np.asarray(samples))
    return float(last - first) / rate
