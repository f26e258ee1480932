"""The boxes of the cupboard: sets of house rules, each a short TOML file, ours and the owner's."""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from companion.core.errors import InputError
from companion.core.game import Preset, lazy_import
from companion.core.view import Sentence
from companion.games.any_game.rules.model import AnyGameOptions
from companion.system.file_owner import is_there
from companion.system.safe_files import SizeLimit, parse_toml, read_text

log = logging.getLogger(__name__)
SHIPPED = Path(__file__).parent / "presets"
MOST = 60
"""So many of the owner's are read."""
_read_photo = lazy_import("companion.vision.box_photo:read_photo")  # brings OpenCV along


class _PresetFile(Struct, frozen=True, forbid_unknown_fields=True):
    """What stands in a file; `name` is the owner's."""

    name: Annotated[str, Meta(max_length=24, pattern=r"^[^\x00-\x1f\x7f]*\Z")] = ""
    colour: Annotated[str, Meta(pattern=r"^#[0-9A-Fa-f]{6}\Z")] = "#3B2A5E"
    motif: Annotated[str, Meta(max_length=24)] = "clock"
    rules: AnyGameOptions = AnyGameOptions()


def list_presets(folder: Path) -> Iterator[Preset | Sentence]:
    """Ours, then those of the table's own folder by file name; a sentence for each that cannot be used.

    A box whose photo cannot be used comes without it, after the sentence.
    """
    for file in (*sorted(SHIPPED.glob("*.toml")), *sorted(folder.glob("*.toml"))[:MOST]):
        try:
            preset = _read_preset(file)
        except (OSError, ValueError) as problem:
            why = problem.strerror if isinstance(problem, OSError) else problem
            parts = (("file", file.name), ("problem", str(why).replace("\n", " ")))
            yield Sentence("any_game.line.preset.broken", parts)
            continue
        photo = file.with_suffix(".jpg")
        if preset.file and is_there(photo):
            try:
                preset = replace(preset, photo=_read_photo(photo))
            except InputError as problem:
                log.warning("%s", problem)
                yield Sentence("any_game.line.preset.photo", (("file", photo.name),))
        yield preset


def _read_preset(file: Path) -> Preset:
    """Raises `ValueError` with what is wrong."""
    told = msgspec.convert(parse_toml(read_text(file, SizeLimit.SETTINGS)), _PresetFile)
    own = "" if file.parent == SHIPPED else file.stem
    key = f"any_game.line.preset.{'own' if own else file.stem.partition('_')[2]}"
    return Preset(
        title=Sentence(key, (("name", told.name or own),) if own else ()),
        line=None if own else Sentence(f"{key}.about"),
        colour=told.colour,
        motif=told.motif,
        file=own,
        options=told.rules,
    )
