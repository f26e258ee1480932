"""Draws the picture of the whole header wiring.

`hardware/wiring.svg` is this picture of the table as shipped; a test keeps the two equal.
"""

from collections.abc import Iterable, Iterator, Mapping
from html import escape
from pathlib import Path

from hardware.pin_table import PHYSICAL_PINS, RESERVED_PINS, PinTable

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


POWER_PINS: Mapping[int, str] = {1: "3.3 V", 2: "5 V", 4: "5 V", 17: "3.3 V"} | dict.fromkeys(
    (6, 9, 14, 20, 25, 30, 34, 39), "ground"
)
"""The pins of the header that carry power."""
FILL_COLOURS: Mapping[str, str] = {
    "button": "#2d7dd2",
    "lamp": "#f0a202",
    "ground": "#333333",
    "3.3 V": "#c8553d",
    "5 V": "#c8553d",
}
PLAIN_COLOUR = "#d9d9d9"
ROW, TOP, MIDDLE = 24, 70, 300


def pin_labels(pins: PinTable) -> dict[int, str]:
    """What each of the 40 pins is for."""
    found = dict.fromkeys(range(1, 41), "free")
    found |= {PHYSICAL_PINS[bcm]: why for bcm, why in RESERVED_PINS.items()}
    return found | dict(POWER_PINS) | {physical: what for what, _, physical in pins.wiring_rows()}


def draw_header_svg(pins: PinTable) -> str:
    """The header with its wires, one button and one lamp."""
    return svg_document(
        1000,
        580,
        [*_header_elements(pins), *load_picture_elements("long-cable"), *load_picture_elements("lamp")],
    )


def _header_elements(pins: PinTable) -> Iterator[str]:
    yield text_element(MIDDLE, 28, "40-pin header from above, pin 1 nearest the SD card", anchor="middle")
    yield text_element(MIDDLE, 48, "in the circles: physical pins; beside them: BCM numbers", anchor="middle")
    bcms = {physical: bcm for bcm, physical in PHYSICAL_PINS.items()}
    for physical, what in pin_labels(pins).items():
        side = 1 if physical % 2 == 0 else -1
        x, y = MIDDLE + side * 14, TOP + (physical - 1) // 2 * ROW
        kind = next((kind for kind in FILL_COLOURS if kind in what), "")
        fill, ink = FILL_COLOURS.get(kind, PLAIN_COLOUR), "#ffffff" if kind and kind != "lamp" else "#111111"
        yield f'<circle cx="{x}" cy="{y}" r="11" fill="{fill}"/>'
        yield f'<text x="{x}" y="{y + 4}" text-anchor="middle" font-size="11" fill="{ink}">{physical}</text>'
        anchor = "start" if side > 0 else "end"
        yield text_element(x + side * 20, y + 5, f"{bcms.get(physical, '')}", anchor=anchor, fill="#555555")
        yield text_element(x + side * 46, y + 5, what, anchor=anchor)
