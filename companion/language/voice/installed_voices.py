"""The voices that a table can have in a language: the built one, and the packs that lie ready."""

import logging
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from companion.core.view import Sentence
from companion.language.voice.voice_pack import (
    INDEX_FILE,
    VoicePack,
    VoicePackError,
    open_pack,
    second_voices,
)
from companion.system import asset_paths

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
