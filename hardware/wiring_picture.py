"""The wiring picture, drawn from the pin table: `companion wiring --svg FILE`.

`hardware/wiring.svg` is this picture of the table as shipped; a test keeps the two equal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hardware.pins import PHYSICAL, RESERVED, PinTable
from hardware.svg_pen import box, line, sheet, text

POWER: Mapping[int, str] = {1: "3.3 V", 2: "5 V", 4: "5 V", 17: "3.3 V"} | dict.fromkeys(
    (6, 9, 14, 20, 25, 30, 34, 39), "ground"
)
"""The pins of the header that carry power."""
FILLS: Mapping[str, str] = {
    "button": "#2d7dd2",
    "lamp": "#f0a202",
    "ground": "#333333",
    "3.3 V": "#c8553d",
    "5 V": "#c8553d",
}
PLAIN = "#d9d9d9"
ROW, TOP, MIDDLE = 24, 70, 300


def labels(pins: PinTable) -> dict[int, str]:
    """What each of the 40 pins is for."""
    found = dict.fromkeys(range(1, 41), "free")
    found |= {PHYSICAL[bcm]: why for bcm, why in RESERVED.items()}
    return found | dict(POWER) | {physical: what for what, _, physical in pins.rows()}


def svg(pins: PinTable) -> str:
    """The header with its wires, one button and one lamp."""
    return sheet(1000, 580, [*_header(pins), *long_cable(), *_lamp()])


def _header(pins: PinTable) -> Iterator[str]:
    yield text(MIDDLE, 28, "40-pin header from above, pin 1 nearest the SD card", anchor="middle")
    yield text(MIDDLE, 48, "in the circles: physical pins; beside them: BCM numbers", anchor="middle")
    bcms = {physical: bcm for bcm, physical in PHYSICAL.items()}
    for physical, what in labels(pins).items():
        side = 1 if physical % 2 == 0 else -1
        x, y = MIDDLE + side * 14, TOP + (physical - 1) // 2 * ROW
        kind = next((kind for kind in FILLS if kind in what), "")
        fill, ink = FILLS.get(kind, PLAIN), "#ffffff" if kind and kind != "lamp" else "#111111"
        yield f'<circle cx="{x}" cy="{y}" r="11" fill="{fill}"/>'
        yield f'<text x="{x}" y="{y + 4}" text-anchor="middle" font-size="11" fill="{ink}">{physical}</text>'
        anchor = "start" if side > 0 else "end"
        yield text(x + side * 20, y + 5, f"{bcms.get(physical, '')}", anchor=anchor, fill="#555555")
        yield text(x + side * 46, y + 5, what, anchor=anchor)


def long_cable() -> Iterator[str]:
    """One button with the pull-up and the capacitor that a cable over a metre needs."""
    yield text(590, 80, "Every button, and over 1 m of cable the pull-up:")
    yield text(600, 120, "3.3 V")
    yield line((640, 115), (700, 115), (700, 130))
    yield from box(680, 130, 40, 50, "R")
    yield text(730, 160, "1 to 4.7 kΩ")
    yield line((700, 180), (700, 200), (640, 200))
    yield text(600, 205, "BCM")
    yield line((700, 200), (820, 200))
    yield line((820, 200), (855, 182))
    yield '<circle cx="820" cy="200" r="4"/><circle cx="860" cy="200" r="4"/>'
    yield line((860, 200), (920, 200), (920, 240))
    yield text(840, 225, "button", anchor="middle")
    yield text(920, 258, "ground", anchor="middle")
    yield line((780, 200), (780, 215))
    yield line((768, 215), (792, 215))
    yield line((768, 222), (792, 222))
    yield line((780, 222), (780, 240))
    yield text(780, 258, "100 nF to ground", anchor="middle")


def _lamp() -> Iterator[str]:
    yield text(590, 330, "Every lamp, eight to one ULN2803A:")
    yield text(600, 405, "BCM")
    yield line((640, 400), (700, 400))
    yield from box(700, 370, 110, 90, "ULN2803A")
    yield text(706, 390, "in")
    yield text(804, 390, "out", anchor="end")
    yield line((810, 400), (860, 400), (860, 385))
    yield from box(835, 345, 50, 40, "lamp")
    yield line((860, 345), (860, 325), (900, 325))
    yield text(905, 330, "5 or 12 V")
    yield line((755, 460), (755, 490))
    yield text(755, 508, "ground: supply's and Pi's together", anchor="middle")
    yield text(590, 540, "5 V lamps: the Pi's 5 V pin, if its supply can.")
    yield text(590, 560, "12 V lamps: a supply of their own.")
