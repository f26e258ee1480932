"""A voice pack: a folder of somebody's recordings, listed in `voice.json`.

The folder comes from strangers: names lead to no other folder, links are not followed, and only plain WAV
files of a sensible size are opened, whose length says how much they hold.
"""

import io
import wave
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Annotated

import msgspec
import numpy as np
from msgspec import Meta

from companion.core.actions import Value
from companion.core.errors import InputError
from companion.language import installed_languages
from companion.language.installed_languages import LANGUAGE_CODE_PATTERN
from companion.language.voice.clips import LONGEST_LEAD_IN_S, read_index, second_voice_folders
from companion.language.voice.loudness import Wave
from companion.system import safe_files
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
        with wave.open(io.BytesIO(safe_files.read_bytes(file, SizeLimit.CLIP)), "rb") as told:
            form = told.getsampwidth(), told.getnchannels(), told.getframerate()
            raw = told.readframes(told.getnframes())
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
