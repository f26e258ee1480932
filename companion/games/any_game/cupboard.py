"""The boxes of the cupboard: sets of house rules, each a short TOML file, ours and the owner's."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from companion.core.game import Preset
from companion.core.view import Sentence
from companion.games.any_game.rules.model import AnyGameOptions

SHIPPED = Path(__file__).parent / "presets"
MOST = 60
"""So many of the owner's are read."""
LARGEST = 20_000
"""A file with more bytes is none of them."""


class _PresetFile(Struct, frozen=True, forbid_unknown_fields=True):
    """What stands in a file; `name` is the owner's."""

    name: Annotated[str, Meta(max_length=24, pattern=r"^[^\x00-\x1f\x7f]*\Z")] = ""
    colour: Annotated[str, Meta(pattern=r"^#[0-9A-Fa-f]{6}\Z")] = "#3B2A5E"
    motif: Annotated[str, Meta(max_length=24)] = "clock"
    rules: AnyGameOptions = AnyGameOptions()


def list_presets(folder: Path) -> Iterator[Preset | Sentence]:
    """Ours, then those of the table's own folder by file name; a sentence for each that cannot be used."""
    for file in (*sorted(SHIPPED.glob("*.toml")), *sorted(folder.glob("*.toml"))[:MOST]):
        try:
            yield _read_preset(file)
        except (OSError, ValueError) as problem:
            parts = (("file", file.name), ("problem", str(problem).replace("\n", " ")))
            yield Sentence("any_game.line.preset.broken", parts)


def _read_preset(file: Path) -> Preset:
    """Raises `ValueError` with what is wrong."""
    if file.stat().st_size > LARGEST:
        raise ValueError("it is too large")
    told = msgspec.convert(tomllib.loads(file.read_text(encoding="utf-8")), _PresetFile)
    conflict = told.rules.find_conflict()
    if conflict is not None:
        raise ValueError(f"{conflict[0]} does not go with {conflict[1]}")
    if file.parent == SHIPPED:
        title = Sentence(f"any_game.line.preset.{file.stem.partition('_')[2]}")
    else:
        title = Sentence("any_game.line.preset.own", (("name", told.name or file.stem),))
    return Preset(title=title, colour=told.colour, motif=told.motif, options=told.rules)
