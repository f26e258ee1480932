"""Checks a voice pack's recordings against the sentences it needs."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from companion.core.errors import InputError
from companion.language.voice.clips import (
    BEAT_PREFIX,
    LONGEST_LEAD_IN_S,
    RATE,
    clip_folders,
    find_speech,
    measure_lead_in,
    read_index,
    resample,
    trim_speech,
)
from companion.language.voice.loudness import Wave, is_clipped, measure_loudness
from companion.language.voice.voice_pack import Recording, VoicePack, VoicePackError, decode_recording

SOFTEST, LOUDEST = -36.0, -10.0
"""LUFS: softer is not heard beside people who play, louder hurts; the built clips have -24 to -16."""
AS_LOUD, PEAK = -20.0, 0.9
"""LUFS of the median built clip; and how far the tops of a kept recording reach at most."""
SILENCE_LEVEL = 0.01
"""Of full scale: below, nobody spoke."""
WORD_S = 0.9
"""A word of the count has no longer until the next beat."""
HURRIED_S, SLOW_S, SPARE_S = 0.03, 0.15, 1.5
"""Seconds a letter: who is faster was cut off, who is slower, and by so much, waited or went on speaking."""
OPENING_S = LONGEST_LEAD_IN_S - 0.2
"""What opens a count is over by then, with the silence before and after it."""


class PackSentence(NamedTuple):
    """One sentence that a pack can say."""

    name: str
    """Of its clip."""
    text: str
    opens: bool
    """It announces a count."""
    shared: bool = False
    """Another sentence says the same and is recorded instead; a recording of this one is still heard."""


def recordable_sentences(code: str) -> tuple[PackSentence, ...]:
    """Every sentence that a recording can say: the count, what opens it, rulings, the others.

    Raises `InputError` for a language without clips.
    """
    found = {
        name: PackSentence(
            name, clip.text, clip.lead_in > 0 and not name.startswith(BEAT_PREFIX), bool(clip.like)
        )
        for where in clip_folders(code)
        for name, clip in read_index(where).clips.items()
    }
    if not found:
        raise InputError(f"there are no clips in {code!r} yet that name what is said; first: make clips")
    return tuple(sorted(found.values(), key=_rank))


def sentences_to_record(code: str) -> tuple[PackSentence, ...]:
    """What there is to record in a language, each sentence once."""
    return tuple(one for one in recordable_sentences(code) if not one.shared)


def _rank(one: PackSentence) -> tuple[int, tuple[tuple[int, str], ...]]:
    """How important a sentence is; then by name, 2 before 10."""
    _, _, second = one.name.partition(".")
    ranks = (one.name.startswith(BEAT_PREFIX), one.opens, ".rule." in one.name, second[:1].isupper())
    digits = ((int(part) if part.isdigit() else 0, part) for part in re.split(r"(\d+)", one.name))
    return next((rank for rank, fits in enumerate(ranks) if fits), len(ranks)), tuple(digits)


def missing_sentences(pack: VoicePack, sentences: Sequence[PackSentence]) -> tuple[PackSentence, ...]:
    """What a pack does not say yet, or in other words than are said now."""
    return tuple(one for one in sentences if not _is_recorded(pack, one))


def _is_recorded(pack: VoicePack, one: PackSentence) -> bool:
    return pack.find_recording(one.name, one.text) is not None and pack.recording_path(one.name).is_file()


def trim_take(one: PackSentence, samples: Wave, rate: int) -> tuple[Recording, Wave]:
    """A take as it is kept: resampled from `rate` to `RATE` Hz, cut to the speech, as loud as the
    clips.

    Raises `CompanionError` if it is too long.
    """
    spoken = trim_speech(resample(samples, rate, RATE))
    louder = 10 ** ((AS_LOUD - measure_loudness(spoken, RATE)) / 20)
    spoken *= min(louder, PEAK / max(1e-9, float(np.abs(spoken).max())))
    return Recording(
        one.text, f"{one.name}.wav", measure_lead_in(one.name, spoken, RATE, opens=one.opens)
    ), spoken


def is_silent(samples: Wave) -> bool:
    """Whether nothing was said: no sample (-1 to 1) is louder than `SILENCE_LEVEL`."""
    return float(np.abs(samples).max(initial=0.0)) < SILENCE_LEVEL


def recording_faults(one: PackSentence, samples: Wave, rate: int) -> Iterator[str]:
    """What is wrong with a recording (`rate` in Hz), in sentences; nothing if it is good."""
    if is_silent(samples):
        yield "nothing was heard; turn the microphone on"
        return
    if is_clipped(samples):
        yield "too loud: the sound is cut off; speak more softly or from further away"
    loud = measure_loudness(samples, rate)
    if loud > LOUDEST and not is_clipped(samples):
        yield f"too loud ({loud:.0f} LUFS, {LOUDEST:.0f} at most)"
    if loud < SOFTEST:
        yield f"too quiet ({loud:.0f} LUFS, {SOFTEST:.0f} at least); speak closer to the microphone"
    first, last = find_speech(samples)
    yield from _length_faults(one, (last - first) / rate)


def _length_faults(one: PackSentence, seconds: float) -> Iterator[str]:
    """Whether the sentence took as long as it can take."""
    if one.name.startswith(BEAT_PREFIX):
        longest = WORD_S
    elif one.opens:
        longest = OPENING_S
    else:
        longest = len(one.text) * SLOW_S + SPARE_S
    if seconds > longest:
        yield f"too long ({seconds:.1f} s, {longest:.1f} at most)"
    if seconds < len(one.text) * HURRIED_S:
        yield f"too short ({seconds:.1f} s): part of the sentence is missing"


def pack_faults(pack: VoicePack) -> Iterator[str]:
    """What is wrong with a pack, a line for each recording that cannot be used as it is."""
    by_name = {one.name: one for one in recordable_sentences(pack.contents.language)}
    for name, recording in pack.contents.clips.items():
        one = by_name.get(name)
        if one is None:
            yield f"{name}: nobody says that any more"
        elif recording.text != one.text:
            yield f"{name}: says {recording.text!r}, but it is {one.text!r} now"
        else:
            try:
                yield from (
                    f"{name}: {fault}"
                    for fault in recording_faults(one, *decode_recording(pack.recording_path(name)))
                )
            except VoicePackError as trouble:
                yield f"{name}: {trouble}".rstrip(".")
