"""Writes the SVG elements that the wiring pictures consist of."""

from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path

INK_COLOUR = "#111111"
SOFT_COLOUR = "#555555"


def svg_document(wide: int, high: int, parts: Iterable[str], *, left: int = 0, top: int = 0) -> str:
    """A whole picture on white; sizes in units of the drawing, about pixels."""
    box = f'viewBox="{left} {top} {wide} {high}"' if left or top else f'viewBox="0 0 {wide} {high}"'
    corner = f'x="{left}" y="{top}" ' if left or top else ""
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {box} font-family="sans-serif">',
            f'<rect {corner}width="{wide}" height="{high}" fill="#ffffff"/>',
            *parts,
            "</svg>",
            "",
        ]
    )


def text_element(
    x: float,
    y: float,
    words: str,
    *,
    anchor: str = "start",
    fill: str = INK_COLOUR,
    size: int = 14,
    bold: bool = False,
) -> str:
    """Text at (x, y), in the drawing's units, as all lengths here."""
    place = f'x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}" fill="{fill}"'
    weight = ' font-weight="bold"' if bold else ""
    return f"<text {place}{weight}>{escape(words)}</text>"


def line_element(*points: tuple[float, float], stroke: str = INK_COLOUR, width: float = 2) -> str:
    """A line through the points (x, y), in the drawing's own units."""
    path = " ".join(f"{x:g},{y:g}" for x, y in points)
    return f'<polyline points="{path}" fill="none" stroke="{stroke}" stroke-width="{width:g}"/>'


def rect_element(
    x: float, y: float, wide: float, high: float, *, fill: str = "none", stroke: str = INK_COLOUR
) -> str:
    """A rectangle by its top left corner; like all here in the drawing's own units."""
    size = f'x="{x:g}" y="{y:g}" width="{wide:g}" height="{high:g}"'
    return f'<rect {size} fill="{fill}" stroke="{stroke}" stroke-width="2"/>'


def box(x: float, y: float, wide: float, high: float, words: str) -> Iterator[str]:
    """A rectangle with the name of a part in its middle; in the drawing's own units."""
    yield rect_element(x, y, wide, high)
    yield text_element(x + wide / 2, y + high / 2 + 5, words, anchor="middle")


def dot(x: float, y: float, radius: float = 4, *, fill: str = INK_COLOUR, stroke: str = "none") -> str:
    """A disc with its middle at (x, y), in the drawing's own units."""
    return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{fill}" stroke="{stroke}"/>'


def load_picture_elements(name: str) -> list[str]:
    """The elements of a picture that no setting changes, `hardware/wiring/<name>.svg`, without its sheet."""
    return (Path(__file__).parent / "wiring" / f"{name}.svg").read_text(encoding="utf-8").splitlines()[2:-1]
