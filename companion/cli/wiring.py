"""`companion wiring`: the pin table as this table's settings have it, and where it is on the header."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from companion.settings.model import Settings
from companion.settings.terminal import say, say_json, writing

if TYPE_CHECKING:
    from hardware.pins import PinTable


def run(args: argparse.Namespace, settings: Settings) -> int:
    from hardware.pins import pin_table

    pins = pin_table(settings.buttons.pins, settings.buttons.lamps)
    if args.svg is not None:
        from hardware.wiring_picture import svg

        _save(args.svg, svg(pins))
        return 0
    if args.steps is not None:
        _draw_steps(pins, settings, args.steps)
        return 0
    if args.json:
        say_json(list(wires(pins, settings)))
        return 0
    for line in (*table(pins, settings), "", *header(pins), "", *advice()):
        say(line)
    return 0


def _draw_steps(pins: PinTable, settings: Settings, folder: Path) -> None:
    from hardware.wiring_steps import steps

    chairs = [called(chair, settings) for chair in range(settings.table.chairs)]
    for name, drawing in steps(pins, chairs).items():
        _save(folder / f"{name}.svg", drawing)


def _save(path: Path, drawing: str) -> None:
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(drawing, encoding="utf-8")
    say(f"Saved {path}.")


def called(chair: int, settings: Settings) -> tuple[str, str]:
    """Colour and shape of a chair."""
    from companion.ui.frame import PALETTE
    from companion.ui.theme import SHAPES

    colours = (*settings.table.colours, *PALETTE[len(settings.table.colours) :])
    return colours[chair], SHAPES[chair]


def wires(pins: PinTable, settings: Settings) -> Iterator[dict[str, object]]:
    """One object per wire, as programs read them: BCM number and physical pin of the 40-pin header."""
    from hardware.pins import PHYSICAL

    for (chair, button), bcm in pins.buttons:
        if chair is None:
            yield {"part": button, "wire": "button", "bcm": bcm, "pin": PHYSICAL[bcm]}
            continue
        colour, shape = called(chair, settings)
        about = {"part": f"chair {chair + 1}", "colour": colour, "shape": shape}
        lamp = pins.lamp(chair)
        yield about | {"wire": "button", "bcm": bcm, "pin": PHYSICAL[bcm]}
        yield about | {"wire": "lamp", "bcm": lamp, "pin": PHYSICAL[lamp]}


def table(pins: PinTable, settings: Settings) -> Iterator[str]:
    """One line per chair and per shared button."""
    from hardware.pins import PHYSICAL

    def at(bcm: int) -> str:
        return f"BCM {bcm:<2} (pin {PHYSICAL[bcm]})"

    yield f"{'chair':<7}{'colour':<9}{'shape':<11}{'button':<18}lamp"
    for (chair, button), bcm in pins.buttons:
        if chair is None:
            yield f"{button:<7}{'–':<9}{'–':<11}{at(bcm)}"
        else:
            colour, shape = called(chair, settings)
            yield f"{chair + 1:<7}{colour:<9}{shape:<11}{at(bcm):<18}{at(pins.lamp(chair))}"


def header(pins: PinTable) -> Iterator[str]:
    """The 40-pin header seen from above, pin 1 at the corner of the board (the end with the SD card)."""
    from hardware.pins import PHYSICAL
    from hardware.wiring_picture import labels

    names = labels(pins)
    bcms = {physical: bcm for bcm, physical in PHYSICAL.items()}
    for left in range(1, 41, 2):
        right = left + 1
        bcm_left, bcm_right = (f"{bcms[pin]}" if pin in bcms else "" for pin in (left, right))
        yield (
            f"{names[left]:>22} {bcm_left:>3} {left:>3} ● ● {right:<3} {bcm_right:<3} {names[right]}"
        ).rstrip()


def advice() -> Iterator[str]:
    yield "Buttons connect their pin to ground; the Pi pulls it up. Over 1 m, add 1 to 4.7 kΩ to 3.3 V."
    yield "Never connect a lamp directly to a pin: a transistor array (ULN2803A) switches its 5 or 12 V."
    yield "To use other pins, set [buttons.pins] and [buttons.lamps]. Test your buttons: companion press"
