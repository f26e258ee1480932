"""What lies on the table beside the cards: the tokens of a box, each about 30 mm wide round its middle.

A deck names its own as `[[token]]`: `name`, and `motif` with what that asks for, or `file` with a picture.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from companion.printing.art import draw, drawings
from companion.printing.deck import DeckError
from companion.printing.pen import Pen
from companion.printing.sheets import open_canvas

PAGE_MM = 60.0
"""Each token stands in the middle of a square page of its own."""


@dataclass(frozen=True, slots=True)
class Token:
    """One kind of token."""

    name: str
    motif: str
    file: str = ""
    """A picture instead of a motif, by its whole path."""


def load_tokens(path: Path) -> tuple[Token, ...]:
    """The tokens that a deck names, in the order of its file; `DeckError` names what cannot be used."""
    rows = tomllib.loads(path.read_text(encoding="utf-8")).get("token", [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise DeckError(f"{path}: its tokens are called [[token]].")
    return tuple(_token(row, path) for row in rows)


def _token(row: Mapping[str, object], path: Path) -> Token:
    name, motif, file = (str(row.get(key, "")) for key in ("name", "motif", "file"))
    if not name.isidentifier():
        raise DeckError(f'{path}: a [[token]] has no plain name, such as name = "coin".')
    if not file and motif not in drawings("figures"):
        raise DeckError(f"{path}, token {name!r}: motif {motif!r} is missing or unknown.")
    return Token(name, motif, str(path.parent / file) if file else "")


def print_tokens(tokens: Sequence[Token], path: Path, fonts: Path) -> None:
    """Write each token on a page of its own, on nothing."""
    canvas = open_canvas(path, (PAGE_MM, PAGE_MM), fonts)
    for token in tokens:
        pen = Pen(canvas, (PAGE_MM / 2, PAGE_MM / 2), PAGE_MM)
        with pen.on_page():
            _draw(pen, token)
        canvas.showPage()
    canvas.save()


def _draw(pen: Pen, token: Token) -> None:
    if not token.file:
        draw(pen, "figures", token.motif)
        return
    try:
        pen.picture(-15, -15, 30, 30, token.file)
    except (OSError, ValueError) as trouble:
        raise DeckError(f"token {token.name!r}: {trouble}") from trouble
