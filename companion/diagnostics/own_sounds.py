"""What somebody put in the place of the built voice: a voice pack, and sounds of single events."""

from collections.abc import Iterator
from pathlib import Path

from companion.core.errors import InputError
from companion.core.plain import counted
from companion.settings.model import Sound
from companion.ui.clips import folders, read_index
from companion.ui.sounds import BEEPS, FREE, OFF, TICKS
from companion.ui.voice_pack import decoded, opened


def own_sounds(sound: Sound, language: str) -> Iterator[str]:
    """What is heard of the user's own sounds, a few words each.

    Raises `InputError` for what cannot be used.
    """
    if sound.voice_pack:
        yield _pack(Path(sound.voice_pack).expanduser(), language)
    if sound.events:
        names = {name for where in folders(language) for name in read_index(where).clips} | {TICKS, BEEPS}
        for event, heard in sound.events.items():
            _known(event, names)
            if heard != OFF:
                decoded(Path(heard).expanduser())
        yield f"{counted(len(sound.events), 'sound')} of your own"


def _pack(folder: Path, language: str) -> str:
    contents = opened(folder).contents
    if contents.language != language:
        return f"the voice pack is in {contents.language} and keeps quiet"
    return f"{counted(len(contents.clips), 'sentence')} of the voice pack before them"


def _known(event: str, names: set[str]) -> None:
    """Whether anything is called so, or begins so; what is spoken without a clip is in no list."""
    listed = any(f"{name}.".startswith(f"{event}.") for name in names)
    if not listed and not any(free in f".{event}." or f"{event}.".startswith(free) for free in FREE):
        raise InputError(f"sound.events names {event!r}, but no sound is called that.")
