"""What lies on the table beside the cards: the tokens of a box, each about 30 mm wide round its middle.

A deck names its own as `[[token]]`: `name`, and `motif` with what that asks for, or `file` with a picture.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from companion.printing.creatures import crown, fox_head, sheep
from companion.printing.deck import DeckError
from companion.printing.pairs import band_face
from companion.printing.pen import INK, WHITE, Pen
from companion.printing.sheets import open_canvas
from companion.printing.things import GOLD

PAGE_MM = 60.0
"""Each token stands in the middle of a square page of its own."""
WOOD = "#e0932f"
DARK_WOOD = "#a35f17"
STEEL = "#dfe4ec"
GREY = "#5c687a"


@dataclass(frozen=True, slots=True)
class Token:
    """One kind of token."""

    name: str
    motif: str
    file: str = ""
    """A picture instead of a motif, by its whole path."""


def coin(pen: Pen) -> None:
    """A wooden disc with a blossom."""
    pen.ellipse(0, 0, 15, fill=GOLD, width=1.6)
    pen.ellipse(0, 0, 11.4, line=DARK_WOOD, width=1.2)
    for petal in range(5):
        with pen.at(0, 0, turn=72 * petal):
            pen.ellipse(0, -5.2, 3.1, 3.6, fill=DARK_WOOD, line=None)
    pen.ellipse(0, 0, 2.2, fill=GOLD, line=None)


def crest(pen: Pen) -> None:
    """A kamon: a dark disc with four petals."""
    pen.ellipse(0, 0, 15, fill=WOOD, width=1.6)
    pen.ellipse(0, 0, 11, fill=INK, line=None)
    for petal in range(4):
        with pen.at(0, 0, turn=90 * petal):
            pen.blob([(0, -1.6), (-3.8, -6), (0, -9.4), (3.8, -6)], fill=WOOD, line=None)
    pen.ellipse(0, 0, 1.7, fill=WOOD, line=None)


def blades(pen: Pen) -> None:
    """Two crossed blades: somebody fights."""
    for side in (-1, 1):
        with pen.at(0, 0, turn=40 * side):
            pen.polygon([(-2.4, 9), (-2.4, -15), (0, -19), (2.4, -15), (2.4, 9)], fill=STEEL, width=1.4)
            pen.rect(-5.4, 7.4, 10.8, 3.4, r=1, fill=GOLD, width=1.2)
            pen.rect(-1.9, 10.8, 3.8, 7, r=1, fill=DARK_WOOD, width=1.2)


def barred(pen: Pen) -> None:
    """A card face down under a bar: somebody passed."""
    pen.rect(-10, -15, 20, 30, r=2.6, fill=GREY, line=INK, width=1.8)
    pen.rect(-15, -2.8, 30, 5.6, r=2, fill=WHITE, width=1.4)


def pennant(pen: Pen) -> None:
    """A pennant: who is first in this round."""
    pen.rect(-9.4, -16, 3.6, 32, r=1.4, fill=DARK_WOOD, width=1.2)
    pen.polygon([(-5.8, -14.4), (15, -6.4), (-5.8, 2)], fill=GOLD, width=1.4)


def _band(symbol: str) -> Callable[[Pen], None]:
    return lambda pen: band_face(pen, symbol)


MOTIFS: Mapping[str, Callable[[Pen], None]] = MappingProxyType(
    {
        **{draw.__name__: draw for draw in (crown, fox_head, sheep, coin, crest, blades, barred, pennant)},
        **{symbol: _band(symbol) for symbol in ("smile", "neutral", "sad")},
    }
)


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
    if not file and motif not in MOTIFS:
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
        MOTIFS[token.motif](pen)
        return
    try:
        pen.picture(-15, -15, 30, 30, token.file)
    except (OSError, ValueError) as trouble:
        raise DeckError(f"token {token.name!r}: {trouble}") from trouble
