"""Prints the tokens that lie on the table beside the cards.

A deck names its own as `[[token]]`: `name`, and `motif` with what that asks for, or `file` with a picture.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from companion.printing.deck_file import DeckFileError
from companion.printing.pen import Pen
from companion.printing.sheets import open_canvas
from companion.printing.svg_art import draw_figure, load_drawings

PAGE_MM = 60.0
"""Each token stands in the middle of a square page of its own."""


@dataclass(frozen=True, slots=True)
class PrintedToken:
    """One kind of token."""

    name: str
    motif: str
    file: str = ""
    """A picture instead of a motif, by its whole path."""


def load_tokens(path: Path) -> tuple[PrintedToken, ...]:
    """The tokens that a deck names, in the order of its file; `DeckFileError` names what cannot be used."""
    rows = tomllib.loads(path.read_text(encoding="utf-8")).get("token", [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise DeckFileError(f"{path}: its tokens are called [[token]].")
    return tuple(_parse_token(row, path) for row in rows)


def _parse_token(row: Mapping[str, object], path: Path) -> PrintedToken:
    name, motif, file = (str(row.get(key, "")) for key in ("name", "motif", "file"))
    if not name.isidentifier():
        raise DeckFileError(f'{path}: a [[token]] has no plain name, such as name = "coin".')
    if not file and motif not in load_drawings("figures"):
        raise DeckFileError(f"{path}, token {name!r}: motif {motif!r} is missing or unknown.")
    return PrintedToken(name, motif, str(path.parent / file) if file else "")


def print_tokens(tokens: Sequence[PrintedToken], path: Path, fonts: Path) -> None:
    """Write each token on a page of its own, on nothing."""
    canvas = open_canvas(path, (PAGE_MM, PAGE_MM), fonts)
    for token in tokens:
        pen = Pen(canvas, (PAGE_MM / 2, PAGE_MM / 2), PAGE_MM)
        with pen.on_page():
            _draw_token(pen, token)
        canvas.showPage()
    canvas.save()


def _draw_token(pen: Pen, token: PrintedToken) -> None:
    if not token.file:
        draw_figure(pen, "figures", token.motif)
        return
    try:
        pen.picture(-15, -15, 30, 30, token.file)
    except (OSError, ValueError) as trouble:
        raise DeckFileError(f"token {token.name!r}: {trouble}") from trouble
