"""The boxes of the cupboard: sets of house rules, each a short TOML file, ours and the owner's."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from companion.core.game import Preset
from companion.core.view import Sentence
from companion.games.any_game.rules.model import AnyGameOptions
from companion.system.safe_files import SizeLimit, parse_toml, read_text

SHIPPED = Path(__file__).parent / "presets"
MOST = 60
"""So many of the owner's are read."""


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
            why = problem.strerror if isinstance(problem, OSError) else problem
            parts = (("file", file.name), ("problem", str(why).replace("\n", " ")))
            yield Sentence("any_game.line.preset.broken", parts)


def _read_preset(file: Path) -> Preset:
    """Raises `ValueError` with what is wrong."""
    told = msgspec.convert(parse_toml(read_text(file, SizeLimit.SETTINGS)), _PresetFile)
    if file.parent == SHIPPED:
        title = Sentence(f"any_game.line.preset.{file.stem.partition('_')[2]}")
    else:
        title = Sentence("any_game.line.preset.own", (("name", told.name or file.stem),))
    return Preset(title=title, colour=told.colour, motif=told.motif, options=told.rules)
