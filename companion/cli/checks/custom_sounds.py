"""Checks a user's own voice pack or sounds of single events."""

from collections.abc import Iterator
from pathlib import Path

from companion.core.errors import InputError
from companion.language.voice.clips import clip_folders, read_index
from companion.language.voice.sounds import BEEPS, CLIPLESS_KEYS, OFF, TICKS
from companion.language.voice.voice_pack import decode_recording, open_pack
from companion.settings.model import SoundSettings
from companion.system.printable import count_with_noun


def describe_custom_sounds(sound: SoundSettings, language: str) -> Iterator[str]:
    """What is heard of the user's own sounds, a few words each.

    Raises `InputError` for what cannot be used.
    """
    if sound.voice_pack:
        yield _describe_pack(Path(sound.voice_pack).expanduser(), language)
    if sound.events:
        names = {name for where in clip_folders(language) for name in read_index(where).clips} | {
            TICKS,
            BEEPS,
        }
        for event, heard in sound.events.items():
            _check_event_name(event, names)
            if heard != OFF:
                decode_recording(Path(heard).expanduser())
        yield f"{count_with_noun(len(sound.events), 'sound')} of your own"


def _describe_pack(folder: Path, language: str) -> str:
    contents = open_pack(folder).contents
    if contents.language != language:
        return f"the voice pack is in {contents.language} and keeps quiet"
    return f"{count_with_noun(len(contents.clips), 'sentence')} of the voice pack before them"


def _check_event_name(event: str, names: set[str]) -> None:
    """Whether anything is called so, or begins so; what is spoken without a clip is in no list."""
    listed = any(f"{name}.".startswith(f"{event}.") for name in names)
    if not listed and not any(free in f".{event}." or f"{event}.".startswith(free) for free in CLIPLESS_KEYS):
        raise InputError(f"sound.events names {event!r}, but no sound is called that.")
