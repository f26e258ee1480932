"""Draws the step-by-step wiring instructions.

`docs/build/wiring` holds those of the table as shipped; a test keeps them equal. A pin of a Pi gives at most
16 mA, all pins together 50 mA: what is commonly stated of the first Pi, whose 3.3 V were the weakest.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import ceil, radians, tan
from typing import NamedTuple

from companion.core.switch import ButtonId
from companion.vision.framing import FIELD_MARGIN
from companion.vision.layout import MAT_MM
from hardware.pin_table import PHYSICAL_PINS, PinTable
from hardware.wiring_picture import (
    FILL_COLOURS,
    INK_COLOUR,
    PLAIN_COLOUR,
    POWER_PINS,
    SOFT_COLOUR,
    box,
    dot,
    line_element,
    load_picture_elements,
    rect_element,
    svg_document,
    text_element,
)

HEIGHT_STEP_MM = 10
"""Heights are told in whole centimetres, upwards: rather too high than too low."""


class CameraLens(NamedTuple):
    """A camera by what its 16:9 picture covers, in degrees."""

    name: str
    horizontal_angle: float
    vertical_angle: float

    @property
    def mounting_height_mm(self) -> int:
        """Millimetres from the mat to the lens, at which both sides of the mat are in the picture."""
        needs = (
            MAT_MM[0] / 2 / tan(radians(self.horizontal_angle / 2)),
            MAT_MM[1] / 2 / tan(radians(self.vertical_angle / 2)),
        )
        return ceil(FIELD_MARGIN * max(needs) / HEIGHT_STEP_MM) * HEIGHT_STEP_MM


KNOWN_LENSES = (
    CameraLens("Camera Module 3", 66, 41),
    CameraLens("Camera Module 2", 62, 38),
    CameraLens("webcam of 78° diagonal", 70, 43),
)
"""From the makers' data sheets; of Camera Module 2 the 16:9 part."""


SIGNAL, LAMP, GROUND, PLUS = (
    FILL_COLOURS["button"],
    FILL_COLOURS["lamp"],
    FILL_COLOURS["ground"],
    FILL_COLOURS["5 V"],
)
MAX_PIN_AMPERES, MAX_TOTAL_AMPERES = 0.016, 0.050
"""Amperes that one pin gives, and all of them together."""
BARE_LED_OHMS, BARE_LED_VOLTS = 330, 1.8
"""The resistor of a bare red LED at a pin, and the least that such an LED takes for itself."""
LEFT, RIGHT, TOP, ROW = 50, 84, 84, 30
WIRE = 270
"""Where a wire leaves the header's labels."""


def bare_led_current() -> float:
    """Current in amperes through a bare LED with its resistor at a pin of 3.3 V."""
    return (3.3 - BARE_LED_VOLTS) / BARE_LED_OHMS


def draw_wiring_steps(pins: PinTable, called: Sequence[tuple[str, str]]) -> Mapping[str, str]:
    """Each drawing by its name; `called` has the colour and the shape of each chair that is wired."""
    return {
        "one-button": svg_document(900, 690, _draw_one_button(pins, called)),
        "one-lamp": svg_document(900, 690, _draw_one_lamp(pins)),
        "bare-led": svg_document(900, 690, _draw_bare_led(pins)),
        "all-buttons": svg_document(900, 720, _draw_all_buttons(pins, called)),
        "all-lamps": svg_document(900, 740, _draw_all_lamps(pins, called, volts=5)),
        "lamps-12-volts": svg_document(900, 740, _draw_all_lamps(pins, called, volts=12)),
        "long-cable": svg_document(900, 230, load_picture_elements("long-cable"), left=400, top=55),
        "camera": svg_document(900, 480, _draw_camera()),
        "sound": svg_document(900, 300, load_picture_elements("sound")),
    }


def _wire_y(physical: int) -> float:
    """Where a pin's wire runs: an odd pin's passes below the even one beside it."""
    return TOP + (physical - 1) // 2 * ROW + (ROW / 2 if physical % 2 else 0)


def _header_elements(title: str, used: Mapping[int, tuple[str, str]]) -> Iterator[str]:
    """The 40 pins; `used` has the colour and the words of those that this step is about."""
    yield text_element(30, 34, title, size=20, bold=True)
    yield text_element(30, 56, "The header from above, pin 1 nearest the SD card", size=14, fill=SOFT_COLOUR)
    yield rect_element(LEFT - 18, TOP - 18, RIGHT - LEFT + 36, 19 * ROW + 36, stroke=PLAIN_COLOUR)
    for physical, (fill, words) in sorted(used.items()):
        x, y = RIGHT if physical % 2 == 0 else LEFT, TOP + (physical - 1) // 2 * ROW
        way = (
            ((x, y), (x + 16, _wire_y(physical)), (WIRE, _wire_y(physical)))
            if physical % 2
            else ((x, y), (WIRE, y))
        )
        yield line_element(*way, stroke=fill, width=2.5)
        yield text_element(124, _wire_y(physical) - 3, f"pin {physical}: {words}", size=14)
    for physical in range(1, 41):
        x, y = RIGHT if physical % 2 == 0 else LEFT, TOP + (physical - 1) // 2 * ROW
        fill = used[physical][0] if physical in used else PLAIN_COLOUR
        ink = "#ffffff" if physical in used and fill != LAMP else INK_COLOUR
        yield dot(x, y, 11, fill=fill)
        yield text_element(x, y + 4, f"{physical}", anchor="middle", size=12, fill=ink)


def _ground_near(physical: int, taken: Sequence[int] = ()) -> int:
    grounds = [pin for pin, what in POWER_PINS.items() if what == "ground" and pin not in taken]
    away = {pin: abs(_wire_y(pin) - _wire_y(physical)) for pin in grounds}
    return min(grounds, key=lambda pin: (away[pin] < ROW, away[pin], pin))  # two labels want two rows


def _note_elements(x: float, y: float, *words: str) -> Iterator[str]:
    for number, sentence in enumerate(words):
        yield text_element(x, y + 24 * number, sentence, size=17)


def _draw_one_button(pins: PinTable, called: Sequence[tuple[str, str]]) -> Iterator[str]:
    bcm = pins.button_pin((0, "seat"))
    signal = PHYSICAL_PINS[bcm]
    ground = _ground_near(signal)
    used = {signal: (SIGNAL, f"BCM {bcm}"), ground: (GROUND, "ground")}
    yield from _header_elements("One button: a pin and ground", used)
    high = (_wire_y(signal) + _wire_y(ground)) / 2
    above = -20 if signal < ground else 20
    yield line_element((WIRE, _wire_y(signal)), (600, high + above), stroke=SIGNAL, width=2.5)
    yield line_element((WIRE, _wire_y(ground)), (600, high - above), stroke=GROUND, width=2.5)
    colour, shape = called[0]
    yield rect_element(600, high - 50, 130, 100)
    yield text_element(665, high - 60, f"chair 1: {colour}, {shape}", anchor="middle")
    yield from (dot(600, high - 20), dot(600, high + 20))
    yield text_element(612, high - 15, "COM")
    yield text_element(612, high + 25, "NO")
    yield line_element((655, high - 20), (690, high - 20), (712, high + 8))
    yield line_element((645, high + 20), (705, high + 20))
    yield dot(690, high - 20)
    yield text_element(665, high + 44, "NC: leave it empty", anchor="middle", size=14, fill=SOFT_COLOUR)
    yield from _note_elements(
        300,
        480,
        "The two wires may change places: a switch has no plus and minus.",
        "No resistor up to about 1 m of cable: the Pi pulls the pin up.",
        "Never connect the switch to 5 V.",
    )


def _draw_driver_chip(x: float, y: float, pitch: float) -> Iterator[str]:
    """A ULN2803A from above: inputs 1 to 8 and ground on the left, outputs 18 to 11 and COM on the right."""
    yield rect_element(x, y - pitch, 150, pitch * 10, fill="#f4f4f4")
    yield dot(x + 75, y - pitch, 7, fill="#ffffff", stroke=INK_COLOUR)
    yield text_element(
        x + 75, y - pitch - 12, "ULN2803A from above, notch at the top", anchor="middle", size=14
    )
    for number in range(9):
        at = y + number * pitch
        name = f"IN {number + 1}" if number < 8 else "GND"
        other = f"OUT {number + 1}" if number < 8 else "COM"
        yield from (dot(x, at, 5), dot(x + 150, at, 5))
        yield text_element(x + 10, at + 4, f"{number + 1} {name}", size=14)
        yield text_element(x + 140, at + 4, f"{other} {18 - number}", anchor="end", size=14)


def _draw_lamp(x: float, y: float) -> Iterator[str]:
    yield dot(x, y, 11, fill="#ffffff", stroke=INK_COLOUR)
    yield line_element((x - 8, y - 8), (x + 8, y + 8))
    yield line_element((x - 8, y + 8), (x + 8, y - 8))


def _draw_one_lamp(pins: PinTable) -> Iterator[str]:
    bcm = pins.lamp_pin(0)
    signal, plus = PHYSICAL_PINS[bcm], 2
    ground = _ground_near(30)
    used = {signal: (LAMP, f"BCM {bcm}"), ground: (GROUND, "ground"), plus: (PLUS, "5 V")}
    yield from _header_elements("Its lamp: pin, driver, lamp, 5 V", used)
    yield from _draw_driver_chip(460, 230, 26)
    yield line_element((WIRE, _wire_y(signal)), (400, 230), (460, 230), stroke=LAMP, width=2.5)
    yield line_element((WIRE, _wire_y(ground)), (460, 230 + 8 * 26), stroke=GROUND, width=2.5)
    yield line_element((610, 230), (720, 230), stroke=LAMP, width=2.5)
    yield line_element((WIRE, _wire_y(plus)), (760, _wire_y(plus)), (760, 219), stroke=PLUS, width=2.5)
    yield line_element((720, 230), (749, 230), stroke=LAMP, width=2.5)
    yield from _draw_lamp(760, 230)
    yield text_element(770, 205, "+")
    yield text_element(735, 224, "−")
    yield text_element(778, 235, "lamp, 5 V")
    yield text_element(640, 224, "minus", size=14)
    yield text_element(420, _wire_y(plus) - 5, "plus: 5 V straight from the Pi", size=14)
    yield from _note_elements(
        270,
        600,
        "The pin gives the driver about 1 mA; the lamp's 20 to 60 mA come from 5 V.",
        "The lamp stays dark? An LED has a plus and a minus: change its two wires.",
        "COM stays open with LEDs; with filament lamps it goes to the lamp's plus.",
    )


def _draw_bare_led(pins: PinTable) -> Iterator[str]:
    bcm = pins.lamp_pin(0)
    signal = PHYSICAL_PINS[bcm]
    ground = _ground_near(signal)
    used = {signal: (LAMP, f"BCM {bcm}"), ground: (GROUND, "ground")}
    yield from _header_elements("Instead of a lamp: one bare red or yellow LED", used)
    high = _wire_y(signal)
    yield line_element((WIRE, high), (430, high), stroke=LAMP, width=2.5)
    yield from box(430, high - 18, 90, 36, f"{BARE_LED_OHMS} Ω")
    yield line_element((520, high), (640, high), stroke=LAMP, width=2.5)
    yield from _draw_lamp(651, high)
    yield text_element(600, high - 8, "long leg", anchor="middle", size=14)
    yield line_element(
        (WIRE, _wire_y(ground)),
        (WIRE + 20, _wire_y(ground)),
        (WIRE + 20, high + 70),
        stroke=GROUND,
        width=2.5,
    )
    yield line_element(
        (WIRE + 20, high + 70), (720, high + 70), (720, high), (662, high), stroke=GROUND, width=2.5
    )
    yield text_element(726, high - 8, "short leg", size=14)
    milli, one, most = bare_led_current() * 1000, MAX_PIN_AMPERES * 1000, MAX_TOTAL_AMPERES * 1000
    yield from _note_elements(
        300,
        500,
        f"3.3 V less {BARE_LED_VOLTS} V over {BARE_LED_OHMS} Ω: {milli:.1f} mA. A pin gives {one:.0f} mA.",
        f"Eight of them: {8 * milli:.0f} mA. All pins together give {most:.0f} mA.",
        "Blue, green and white LEDs need about 3 V: too much for a pin.",
        "The lamp of an arcade button is for 5 or 12 V: it needs the driver.",
    )


def _ground_of_buttons(pins: PinTable) -> int:
    """The header's pin for the ground of all buttons: the driver's has another, two wires never share one."""
    return _ground_near(40, tuple(PHYSICAL_PINS[bcm] for _, bcm in pins.buttons))


def _draw_all_buttons(pins: PinTable, called: Sequence[tuple[str, str]]) -> Iterator[str]:
    names: dict[ButtonId, str] = {
        (chair, "seat"): f"chair {chair + 1}: {c}, {s}" for chair, (c, s) in enumerate(called)
    }
    wired = [
        (names.get(part, part[1]), bcm) for part, bcm in pins.buttons if part in names or part[0] is None
    ]
    wired.sort(key=lambda wire: _wire_y(PHYSICAL_PINS[wire[1]]))
    used = {PHYSICAL_PINS[bcm]: (SIGNAL, f"BCM {bcm}") for _, bcm in wired}
    ground = _ground_of_buttons(pins)
    used[ground] = (GROUND, "ground")
    yield from _header_elements("All buttons: a pin each, ground for all", used)
    pitch = 520 / len(wired)
    for number, (name, bcm) in enumerate(wired):
        at = TOP + 10 + number * pitch
        yield line_element((WIRE, _wire_y(PHYSICAL_PINS[bcm])), (500, at), stroke=SIGNAL, width=2)
        yield dot(500, at, fill=SIGNAL)
        yield line_element((500, at), (545, at), (575, at - 12))
        yield line_element((580, at), (640, at), stroke=GROUND)
        yield text_element(656, at + 5, name)
    last = TOP + 10 + (len(wired) - 1) * pitch
    yield line_element((640, TOP + 10), (640, last), stroke=GROUND, width=4)
    yield line_element((WIRE, _wire_y(ground)), (640, last + 20), (640, last), stroke=GROUND, width=2.5)
    yield from _note_elements(
        30,
        702,
        "From top to bottom as on the header. Ground may go from button to button.",
    )


def _draw_all_lamps(pins: PinTable, called: Sequence[tuple[str, str]], *, volts: int) -> Iterator[str]:
    wired = [(chair, pins.lamp_pin(chair)) for chair in range(len(called))]
    used = {PHYSICAL_PINS[bcm]: (LAMP, f"BCM {bcm}") for _, bcm in wired}
    ground = _ground_near(40, (*used, _ground_of_buttons(pins)))
    used[ground] = (GROUND, "ground")
    if volts == 5:
        used[2] = (PLUS, "5 V")
    yield from _header_elements(f"All lamps, for {volts} V: input n is chair n", used)
    top, pitch = 170, 34
    yield from _draw_driver_chip(450, top, pitch)
    rail = 790
    for chair, bcm in wired:
        at = top + chair * pitch
        yield line_element((WIRE, _wire_y(PHYSICAL_PINS[bcm])), (450, at), stroke=LAMP, width=2)
        yield line_element((600, at), (640, at), stroke=LAMP)
        yield from _draw_lamp(651, at)
        yield line_element((662, at), (rail, at), stroke=PLUS)
        yield text_element(668, at - 4, f"{chair + 1}: {called[chair][0]}", size=14)
    foot = top + 8 * pitch
    yield line_element((WIRE, _wire_y(ground)), (450, foot), stroke=GROUND, width=2.5)
    start = _wire_y(2) if volts == 5 else top
    yield line_element((rail, start), (rail, top + (len(wired) - 1) * pitch), stroke=PLUS, width=4)
    if volts == 5:
        yield line_element((WIRE, _wire_y(2)), (rail, _wire_y(2)), stroke=PLUS, width=2.5)
        told = (
            "Eight LED lamps at 5 V draw less than 0.5 A: the Pi's 5 V pin can, if its supply is good.",
            "The eight inputs together take about 6 mA of the pins' 50.",
        )
    else:
        yield from box(690, foot + 10, 190, 44, "supply, 12 V")
        yield text_element(rail + 8, foot + 4, "+")
        yield line_element((rail, top + (len(wired) - 1) * pitch), (rail, foot + 10), stroke=PLUS, width=4)
        yield text_element(676, foot + 46, "−", anchor="end")
        yield line_element(
            (690, foot + 36), (430, foot + 36), (430, foot), (450, foot), stroke=GROUND, width=2.5
        )
        told = (
            "12 V come from a supply of their own and never reach the Pi.",
            "Only ground is joined: the supply's minus, the driver's GND, the Pi's ground.",
        )
    yield from _note_elements(30, 704, *told)


def _draw_camera() -> Iterator[str]:
    """The ribbon, and how high the camera hangs, which depends on its lens."""
    yield from load_picture_elements("camera")
    for number, camera in enumerate(KNOWN_LENSES):
        yield text_element(
            512, 202 + 20 * number, f"{camera.name} {camera.mounting_height_mm} mm", anchor="end", size=14
        )
