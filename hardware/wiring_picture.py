"""Draws the picture of the whole header wiring.

`hardware/wiring.svg` is this picture of the table as shipped; a test keeps the two equal.
"""

from collections.abc import Iterator, Mapping

from hardware.pin_table import PHYSICAL_PINS, RESERVED_PINS, PinTable
from hardware.svg_pen import load_picture_elements, svg_document, text_element

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
