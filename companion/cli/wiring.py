"""`companion wiring`: prints how the buttons or lamps are wired to the header."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from companion.settings.model import Settings
from companion.system.terminal import explain_write_errors, print_json, print_lines

if TYPE_CHECKING:
    from hardware.pin_table import PinTable


def run(args: argparse.Namespace, settings: Settings) -> int:
    from hardware.pin_table import build_pin_table

    chosen = settings.buttons
    pins = build_pin_table(chosen.pins, chosen.lamps, chairs=settings.table.chairs)
    if args.svg is not None:
        from hardware.wiring_picture import draw_header_svg

        _save_drawing(args.svg, draw_header_svg(pins))
        return 0
    if args.steps is not None:
        _draw_wiring_steps(pins, settings, args.steps)
        return 0
    if args.json:
        print_json(list(list_wires(pins, settings)))
        return 0
    for line in (*table_lines(pins, settings), "", *header_lines(pins), "", *advice_lines()):
        print_lines(line)
    return 0


def _draw_wiring_steps(pins: PinTable, settings: Settings, folder: Path) -> None:
    from hardware.wiring_steps import draw_wiring_steps

    chairs = [colour_and_shape_of(chair, settings) for chair in range(settings.table.chairs)]
    for name, drawing in draw_wiring_steps(pins, chairs).items():
        _save_drawing(folder / f"{name}.svg", drawing)


def _save_drawing(path: Path, drawing: str) -> None:
    with explain_write_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(drawing, encoding="utf-8")
    print_lines(f"Saved {path}.")


def colour_and_shape_of(chair: int, settings: Settings) -> tuple[str, str]:
    """Colour and shape of a chair."""
    from companion.core.actions import PALETTE
    from companion.ui.toolkit.theme import SHAPES

    colours = (*settings.table.colours, *PALETTE[len(settings.table.colours) :])
    return colours[chair], SHAPES[chair]


def list_wires(pins: PinTable, settings: Settings) -> Iterator[dict[str, object]]:
    """One object per wire, as programs read them: BCM number and physical pin of the 40-pin header."""
    from hardware.pin_table import PHYSICAL_PINS

    for (chair, button), bcm in pins.buttons:
        if chair is None:
            yield {"part": button, "wire": "button", "bcm": bcm, "pin": PHYSICAL_PINS[bcm]}
            continue
        colour, shape = colour_and_shape_of(chair, settings)
        about = {"part": f"chair {chair + 1}", "colour": colour, "shape": shape}
        lamp = pins.lamp_pin(chair)
        yield about | {"wire": "button", "bcm": bcm, "pin": PHYSICAL_PINS[bcm]}
        yield about | {"wire": "lamp", "bcm": lamp, "pin": PHYSICAL_PINS[lamp]}


def table_lines(pins: PinTable, settings: Settings) -> Iterator[str]:
    """One line per chair and per shared button."""
    from hardware.pin_table import PHYSICAL_PINS

    def at(bcm: int) -> str:
        return f"BCM {bcm:<2} (pin {PHYSICAL_PINS[bcm]})"

    yield f"{'chair':<7}{'colour':<9}{'shape':<11}{'button':<18}lamp"
    for (chair, button), bcm in pins.buttons:
        if chair is None:
            yield f"{button:<7}{'–':<9}{'–':<11}{at(bcm)}"
        else:
            colour, shape = colour_and_shape_of(chair, settings)
            yield f"{chair + 1:<7}{colour:<9}{shape:<11}{at(bcm):<18}{at(pins.lamp_pin(chair))}"


def header_lines(pins: PinTable) -> Iterator[str]:
    """The 40-pin header seen from above, pin 1 at the corner of the board (the end with the SD card)."""
    from hardware.pin_table import PHYSICAL_PINS
    from hardware.wiring_picture import pin_labels

    names = pin_labels(pins)
    bcms = {physical: bcm for bcm, physical in PHYSICAL_PINS.items()}
    for left in range(1, 41, 2):
        right = left + 1
        bcm_left, bcm_right = (f"{bcms[pin]}" if pin in bcms else "" for pin in (left, right))
        yield (
            f"{names[left]:>22} {bcm_left:>3} {left:>3} ● ● {right:<3} {bcm_right:<3} {names[right]}"
        ).rstrip()


def advice_lines() -> Iterator[str]:
    yield "Buttons connect their pin to ground; the Pi pulls it up. Over 1 m, add 1 to 4.7 kΩ to 3.3 V."
    yield "Never connect a lamp directly to a pin: a transistor array (ULN2803A) switches its 5 or 12 V."
    yield "To use other pins, set [buttons.pins] and [buttons.lamps]. Test your buttons: companion press"
