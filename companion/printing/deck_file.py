"""Loads the description of a printed deck: its faces, their copies, how each is drawn."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

FRONT_DEFAULTS: Mapping[str, object] = MappingProxyType(
    {
        "copies": 1,
        "back": "",
        "corner": [],
        "ground": "#ffffff",
        "pattern": "plain #ffffff",
        "motif": "picture",
    }
)
"""What an entry says where neither it nor `[default]` does."""
BACK_DEFAULTS: Mapping[str, object] = MappingProxyType(
    {"copies": 0, "ground": "#2c3e57", "trim": "#a9bdd6", "figure": "paws"}
)
"""The same for a back: `trim` is the colour of its frame and of its figures, `paws` or `eyes`."""
FRONT_ONLY_KEYS = ("copies", "back", "ground")
"""What `[default]` says of fronts alone."""


class DeckFileError(ValueError):
    """A deck's file cannot be used as it is; one sentence that names file and entry."""


@dataclass(frozen=True, slots=True)
class CardFace:
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


def load_deck(path: Path) -> tuple[CardFace, ...]:
    """The faces of a deck in the order of its file; `DeckFileError` names the entry that cannot be used."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except ValueError as trouble:
        raise DeckFileError(f"{path}: {trouble}") from trouble
    rows, defaults = data.get("card", []), data.get("default", {})
    tables = [defaults, *rows] if isinstance(rows, list) else []
    if not tables or not all(isinstance(table, dict) for table in tables):
        raise DeckFileError(f"{path}: its entries are called [[card]], and what they share [default].")
    faces = []
    for number, row in enumerate(rows, 1):
        card = row.get("id")
        if not isinstance(card, str) or not card:
            raise DeckFileError(f'{path}: entry {number} of [[card]] has no id, such as id = "sun".')
        try:
            faces.append(_parse_face(_with_defaults(row, defaults), path.parent))
        except ValueError as trouble:
            raise DeckFileError(f"{path}, card {card!r}: {trouble}") from trouble
    _check_backs(faces, path)
    return tuple(faces)


def is_light(path: Path) -> bool:
    """Whether its file says `light = true`: many plain faces, told apart by small pictures."""
    return bool(tomllib.loads(path.read_text(encoding="utf-8")).get("light"))


def _with_defaults(row: Mapping[str, object], defaults: Mapping[str, object]) -> Mapping[str, object]:
    """An entry with what it leaves out: from `[default]`, else ours."""
    if {**defaults, **row}.get("motif") != "back":
        return {**FRONT_DEFAULTS, "title": row["id"], **defaults, **row}
    shared = {key: value for key, value in defaults.items() if key not in FRONT_ONLY_KEYS}
    return {**FRONT_DEFAULTS, **BACK_DEFAULTS, "title": row["id"], **shared, **row}


def _check_backs(faces: Sequence[CardFace], path: Path) -> None:
    known = {face.card for face in faces}
    for face in faces:
        if face.copies and face.back not in known:
            wanted = f"its back {face.back!r} is not in this deck" if face.back else "it has no back"
            raise DeckFileError(
                f'{path}, card {face.card!r}: {wanted}; a back is a card with motif = "back".'
            )


def _parse_face(row: Mapping[str, object], folder: Path) -> CardFace:
    own = ("id", "title", "copies", "back", "corner", "ground", "pattern", "motif")
    options = {key: str(value) for key, value in row.items() if key not in own}
    if "file" in options:
        options["file"] = str(folder / options["file"])
    copies, corner = row["copies"], row["corner"]
    if not isinstance(copies, int) or isinstance(copies, bool) or copies < 0:
        raise ValueError(f"copies is a number of cards, not {copies!r}.")
    if not isinstance(corner, list):
        raise ValueError(f'corner is a list of numbers, such as ["7"], not {corner!r}.')  # noqa: TRY004
    if row["motif"] == "picture" and "file" not in options:
        raise ValueError("it has neither a file with its picture nor another motif.")
    return CardFace(
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
