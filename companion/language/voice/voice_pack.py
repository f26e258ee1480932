"""Voice packs: folders of somebody's recordings, listed in `voice.json`; finding, reading and checking them.

A pack is untrusted: names lead to no other folder, links are not followed, and only plain WAV files of a
sensible size are opened, whose length says how much they hold.
"""

import io
import logging
import re
import wave
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, NamedTuple

import msgspec
import numpy as np
from msgspec import Meta

from companion.core.actions import Value
from companion.core.errors import InputError
from companion.core.view import Sentence
from companion.language import installed_languages
from companion.language.installed_languages import LANGUAGE_CODE_PATTERN
from companion.language.voice.clips import (
    BEAT_PREFIX,
    LONGEST_LEAD_IN_S,
    RATE,
    Wave,
    clip_folders,
    find_speech,
    is_clipped,
    measure_lead_in,
    measure_loudness,
    read_index,
    resample,
    second_voice_folders,
    trim_speech,
)
from companion.system import asset_paths, safe_files
from companion.system.safe_files import SizeLimit, atomic_write
from companion.system.terminal import to_printable

INDEX_FILE = "voice.json"
ALLOWED_RATES = range(8_000, 96_001)
ClipName = Annotated[str, Meta(pattern=r"^[\w-]+(\.[\w-]+)+\Z", max_length=100)]
"""Of a clip, as in the index of the built ones."""


class VoicePackError(InputError):
    """A voice pack that cannot be used: one sentence."""


class Recording(Value, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One sentence."""

    text: Annotated[str, Meta(max_length=400)]
    """What is said in it: of another wording it is not used."""
    file: Annotated[str, Meta(pattern=r"^\w[\w.-]{0,110}\.wav\Z")]
    lead_in: Annotated[float, Meta(ge=0, le=LONGEST_LEAD_IN_S)] = 0.0
    """Seconds, as in the index of the built clips."""


class PackIndex(Value, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What `voice.json` says."""

    language: Annotated[str, Meta(pattern=LANGUAGE_CODE_PATTERN)]
    speaker: Annotated[str, Meta(max_length=80)] = ""
    """Who recorded it, if that is to be known."""
    licence: Annotated[str, Meta(max_length=200)] = ""
    clips: Annotated[Mapping[ClipName, Recording], Meta(max_length=10_000)] = MappingProxyType({})


class VoicePack:
    """A folder of recordings that may be listened to: somebody's, or a second voice of the program."""

    def __init__(self, folder: Path, contents: PackIndex) -> None:
        self.folder, self.contents = folder, contents

    def recording_path(self, name: str) -> Path:
        """Where the recording of a clip lies."""
        return self.folder / self.contents.clips[name].file

    def find_recording(self, name: str, text: str | None) -> Recording | None:
        """The recording of a clip, if it says `text`; None: whatever it says."""
        found = self.contents.clips.get(name)
        return found if found is not None and text in {None, found.text} else None


def second_voices(code: str) -> Iterator[VoicePack]:
    """The voices of a language that come with the program beside the first; what one lacks the first says."""
    for folder in second_voice_folders(code):
        index = read_index(folder)
        spoken = {
            name: Recording(clip.text, f"{clip.like or name}.ogg", clip.lead_in)
            for name, clip in index.clips.items()
        }
        yield VoicePack(folder, PackIndex(code, index.speaker, clips=spoken))


def open_voice_pack(setting: str) -> VoicePack:
    """What `sound.voice_pack` names: one of `second_voices`, or a folder; raises `VoicePackError`."""
    code = setting.partition(".")[0]
    own = second_voices(code) if code in installed_languages.language_codes() else ()
    named = next((pack for pack in own if pack.folder.name == setting), None)
    return named or open_pack(Path(setting).expanduser())


def open_pack(folder: Path) -> VoicePack:
    """The pack in a folder; raises `VoicePackError`."""
    file = folder / INDEX_FILE
    try:
        raw = safe_files.read_bytes(file, SizeLimit.VOICE)
        return VoicePack(folder, msgspec.json.decode(raw, type=PackIndex))
    except FileNotFoundError:
        raise VoicePackError(f"There is no voice pack in {folder}: {INDEX_FILE} is missing.") from None
    except OSError as trouble:
        raise VoicePackError(f"{file}: {trouble.strerror or trouble}.") from trouble
    except (ValueError, RecursionError) as trouble:  # msgspec's are such
        raise VoicePackError(f"{file} is damaged ({to_printable(str(trouble))}).") from trouble


def add_recording(pack: VoicePack, name: str, recording: Recording, samples: Wave, rate: int) -> VoicePack:
    """Write one recording (samples from -1 to 1, `rate` in Hz) and list it; returns the pack as it is then.

    Each file is written whole or not at all. Raises `VoicePackError`.
    """
    written = io.BytesIO()
    with wave.open(written, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes((np.clip(samples, -1, 1) * 32_767).astype("<i2").tobytes())
    contents = msgspec.structs.replace(
        pack.contents, clips=dict(sorted({**pack.contents.clips, name: recording}.items()))
    )
    try:
        with atomic_write(pack.folder / recording.file) as spoken:
            spoken.write(written.getvalue())
        with atomic_write(pack.folder / INDEX_FILE) as listed:
            listed.write(msgspec.json.format(msgspec.json.encode(contents), indent=1) + b"\n")
    except OSError as trouble:
        raise VoicePackError(
            f"can't write to {pack.folder} ({trouble.strerror}); name another folder."
        ) from None
    return VoicePack(pack.folder, contents)


def decode_recording(file: Path) -> tuple[Wave, int]:
    """A recording as mono samples from -1 to 1, and its rate in Hz; raises `VoicePackError`."""
    if file.is_symlink():
        raise VoicePackError(f"{file} is a link; put the recording itself there.")
    try:
        with wave.open(io.BytesIO(safe_files.read_bytes(file, SizeLimit.CLIP)), "rb") as source:
            form = source.getsampwidth(), source.getnchannels(), source.getframerate()
            raw = source.readframes(source.getnframes())
    except OSError as trouble:
        raise VoicePackError(f"{file}: {trouble.strerror or trouble}.") from trouble
    except (wave.Error, EOFError, RuntimeError, ValueError) as trouble:  # what `wave` says of damage
        raise VoicePackError(f"{file} is no WAV file ({trouble or 'it ends too early'}).") from trouble
    width, channels, rate = form
    if width != 2 or channels not in {1, 2} or rate not in ALLOWED_RATES:
        raise VoicePackError(f"{file} is not what is wanted: WAV with 16 bits, one channel, 48000 Hz.")
    whole = len(raw) - len(raw) % (2 * channels)
    samples = np.frombuffer(raw[:whole], "<i2").reshape(-1, channels).mean(axis=1) / 32_768
    return samples, rate


log = logging.getLogger(__name__)


SAMPLE_SENTENCE = Sentence("setup.ready")
"""What a voice says where it is chosen."""


class InstalledVoice(NamedTuple):
    """A voice that the table can have."""

    name: str
    pack: VoicePack | None = None
    """None: the clips that come with the program."""

    setting: str | None = None
    """What `sound.voice_pack` says of it; None: nothing."""


def packs_folder() -> Path:
    """Where voice packs are found without being named."""
    return asset_paths.user_data_folder() / "voices"


def installed_voices(code: str, named: str, say: Callable[[str], object]) -> Iterator[InstalledVoice]:
    """The voices of a language: those of the program, the packs of `packs_folder`, and the one in `named`.

    `say` is told of packs that cannot be used.
    """
    yield InstalledVoice("the voice that comes with the program")
    own = list(second_voices(code))
    yield from (InstalledVoice(pack.contents.speaker, pack, pack.folder.name) for pack in own)
    folders = [Path(named).expanduser()] if named and named not in {pack.folder.name for pack in own} else []
    with suppress(OSError):  # a folder that this user may not enter, as after sudo
        folders += sorted(file.parent for file in packs_folder().glob(f"*/{INDEX_FILE}"))
    for folder in dict.fromkeys(folder.resolve() for folder in folders):
        try:
            pack = open_pack(folder)
        except VoicePackError as trouble:
            say(str(trouble))
            continue
        if pack.contents.language == code:
            yield InstalledVoice(pack.contents.speaker or folder.name, pack, str(folder))
        else:
            say(f"{folder} is in {pack.contents.language!r}, not {code!r}.")


def list_packs(code: str, named: str) -> Iterator[tuple[str, str]]:
    """The voice packs in a language, as `sound.voice_pack` names them (`named` as it stands); who speaks."""
    own = str(Path(named).expanduser().resolve()) if named else None
    for voice in installed_voices(code, named, log.info):
        if voice.setting is not None:
            yield named if voice.setting == own else voice.setting, voice.name


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
