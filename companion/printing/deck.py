"""A deck as data: which faces there are, how many of each, and how each is drawn."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Face:
    """One side of a card."""

    card: str
    """The card's id, such as `animal:7`."""
    title: str
    copies: int
    """How many cards of the box show this face in front; 0 for backs and for second faces."""
    back: str
    """The id of the face on the other side; empty for a back."""
    corner: tuple[str, ...]
    """The numbers in the corner; none for cards without."""
    ground: str
    """Colour behind the motif."""
    pattern: str
    """Name and colour of the pattern on the ground."""
    motif: str
    options: Mapping[str, str] = field(default_factory=dict)
    """What the motif asks for: colours, shapes, poses; `file`: a picture, by its whole path."""


def load_deck(path: Path) -> tuple[Face, ...]:
    """The faces of a deck in the order of its file."""
    with path.open("rb") as stream:
        data = tomllib.load(stream)
    defaults: dict[str, object] = data["default"]
    return tuple(_face({**defaults, **row}, path.parent) for row in data["card"])


def _face(row: Mapping[str, object], folder: Path) -> Face:
    own = ("id", "title", "copies", "back", "corner", "ground", "pattern", "motif")
    options = {key: str(value) for key, value in row.items() if key not in own}
    if "file" in options:
        options["file"] = str(folder / options["file"])
    copies, corner = row["copies"], row["corner"]
    if not isinstance(copies, int) or not isinstance(corner, list):
        raise TypeError(f"card {row['id']}: copies is a number and corner a list")
    return Face(
        card=str(row["id"]),
        title=str(row["title"]),
        copies=copies,
        back=str(row["back"]),
        corner=tuple(str(number) for number in corner),
        ground=str(row["ground"]),
        pattern=str(row["pattern"]),
        motif=str(row["motif"]),
        options=options,
    )
