"""The wiring one step at a time, a drawing each: `companion wiring --steps DIR`.

`docs/build/wiring` holds those of the table as shipped; a test keeps them equal. A pin of a Pi gives at most
16 mA, all pins together 50 mA: what is commonly stated of the first Pi, whose 3.3 V were the weakest.
"""

from collections.abc import Iterator, Mapping, Sequence

from companion.core.one_button import Line
from hardware.optics import LENSES
from hardware.pins import PHYSICAL, PinTable
from hardware.svg_pen import INK, SOFT, box, dot, drawn, line, rect, sheet, text
from hardware.wiring_picture import FILLS, PLAIN, POWER

SIGNAL, LAMP, GROUND, PLUS = FILLS["button"], FILLS["lamp"], FILLS["ground"], FILLS["5 V"]
PIN_MOST, ALL_MOST = 0.016, 0.050
"""Amperes that one pin gives, and all of them together."""
BARE_OHMS, BARE_VOLTS = 330, 1.8
"""The resistor of a bare red LED at a pin, and the least that such an LED takes for itself."""
LEFT, RIGHT, TOP, ROW = 50, 84, 84, 30
WIRE = 270
"""Where a wire leaves the header's labels."""


def bare_current() -> float:
    """Current in amperes through a bare LED with its resistor at a pin of 3.3 V."""
    return (3.3 - BARE_VOLTS) / BARE_OHMS


def steps(pins: PinTable, called: Sequence[tuple[str, str]]) -> Mapping[str, str]:
    """Each drawing by its name; `called` has the colour and the shape of each chair that is wired."""
    return {
        "one-button": sheet(900, 690, _one_button(pins, called)),
        "one-lamp": sheet(900, 690, _one_lamp(pins)),
        "bare-led": sheet(900, 690, _bare_led(pins)),
        "all-buttons": sheet(900, 720, _all_buttons(pins, called)),
        "all-lamps": sheet(900, 740, _all_lamps(pins, called, volts=5)),
        "lamps-12-volts": sheet(900, 740, _all_lamps(pins, called, volts=12)),
        "long-cable": sheet(900, 230, drawn("long-cable"), left=400, top=55),
        "camera": sheet(900, 480, _camera()),
        "sound": sheet(900, 300, drawn("sound")),
    }


def _row(physical: int) -> float:
    """Where a pin's wire runs: an odd pin's passes below the even one beside it."""
    return TOP + (physical - 1) // 2 * ROW + (ROW / 2 if physical % 2 else 0)


def _header(title: str, used: Mapping[int, tuple[str, str]]) -> Iterator[str]:
    """The 40 pins; `used` has the colour and the words of those that this step is about."""
    yield text(30, 34, title, size=20, bold=True)
    yield text(30, 56, "The header from above, pin 1 nearest the SD card", size=14, fill=SOFT)
    yield rect(LEFT - 18, TOP - 18, RIGHT - LEFT + 36, 19 * ROW + 36, stroke=PLAIN)
    for physical, (fill, words) in sorted(used.items()):
        x, y = RIGHT if physical % 2 == 0 else LEFT, TOP + (physical - 1) // 2 * ROW
        way = (
            ((x, y), (x + 16, _row(physical)), (WIRE, _row(physical)))
            if physical % 2
            else ((x, y), (WIRE, y))
        )
        yield line(*way, stroke=fill, width=2.5)
        yield text(124, _row(physical) - 3, f"pin {physical}: {words}", size=14)
    for physical in range(1, 41):
        x, y = RIGHT if physical % 2 == 0 else LEFT, TOP + (physical - 1) // 2 * ROW
        fill = used[physical][0] if physical in used else PLAIN
        ink = "#ffffff" if physical in used and fill != LAMP else INK
        yield dot(x, y, 11, fill=fill)
        yield text(x, y + 4, f"{physical}", anchor="middle", size=12, fill=ink)


def _ground_near(physical: int, taken: Sequence[int] = ()) -> int:
    grounds = [pin for pin, what in POWER.items() if what == "ground" and pin not in taken]
    away = {pin: abs(_row(pin) - _row(physical)) for pin in grounds}
    return min(grounds, key=lambda pin: (away[pin] < ROW, away[pin], pin))  # two labels want two rows


def _notes(x: float, y: float, *words: str) -> Iterator[str]:
    for number, sentence in enumerate(words):
        yield text(x, y + 24 * number, sentence, size=17)


def _one_button(pins: PinTable, called: Sequence[tuple[str, str]]) -> Iterator[str]:
    bcm = pins.button((0, "seat"))
    signal = PHYSICAL[bcm]
    ground = _ground_near(signal)
    used = {signal: (SIGNAL, f"BCM {bcm}"), ground: (GROUND, "ground")}
    yield from _header("One button: a pin and ground", used)
    high = (_row(signal) + _row(ground)) / 2
    above = -20 if signal < ground else 20
    yield line((WIRE, _row(signal)), (600, high + above), stroke=SIGNAL, width=2.5)
    yield line((WIRE, _row(ground)), (600, high - above), stroke=GROUND, width=2.5)
    colour, shape = called[0]
    yield rect(600, high - 50, 130, 100)
    yield text(665, high - 60, f"chair 1: {colour}, {shape}", anchor="middle")
    yield from (dot(600, high - 20), dot(600, high + 20))
    yield text(612, high - 15, "COM")
    yield text(612, high + 25, "NO")
    yield line((655, high - 20), (690, high - 20), (712, high + 8))
    yield line((645, high + 20), (705, high + 20))
    yield dot(690, high - 20)
    yield text(665, high + 44, "NC: leave it empty", anchor="middle", size=14, fill=SOFT)
    yield from _notes(
        300,
        480,
        "The two wires may change places: a switch has no plus and minus.",
        "No resistor up to about 1 m of cable: the Pi pulls the pin up.",
        "Never connect the switch to 5 V.",
    )


def _chip(x: float, y: float, pitch: float) -> Iterator[str]:
    """A ULN2803A from above: inputs 1 to 8 and ground on the left, outputs 18 to 11 and COM on the right."""
    yield rect(x, y - pitch, 150, pitch * 10, fill="#f4f4f4")
    yield dot(x + 75, y - pitch, 7, fill="#ffffff", stroke=INK)
    yield text(x + 75, y - pitch - 12, "ULN2803A from above, notch at the top", anchor="middle", size=14)
    for number in range(9):
        at = y + number * pitch
        name = f"IN {number + 1}" if number < 8 else "GND"
        other = f"OUT {number + 1}" if number < 8 else "COM"
        yield from (dot(x, at, 5), dot(x + 150, at, 5))
        yield text(x + 10, at + 4, f"{number + 1} {name}", size=14)
        yield text(x + 140, at + 4, f"{other} {18 - number}", anchor="end", size=14)


def _lamp_at(x: float, y: float) -> Iterator[str]:
    yield dot(x, y, 11, fill="#ffffff", stroke=INK)
    yield line((x - 8, y - 8), (x + 8, y + 8))
    yield line((x - 8, y + 8), (x + 8, y - 8))


def _one_lamp(pins: PinTable) -> Iterator[str]:
    bcm = pins.lamp(0)
    signal, plus = PHYSICAL[bcm], 2
    ground = _ground_near(30)
    used = {signal: (LAMP, f"BCM {bcm}"), ground: (GROUND, "ground"), plus: (PLUS, "5 V")}
    yield from _header("Its lamp: pin, driver, lamp, 5 V", used)
    yield from _chip(460, 230, 26)
    yield line((WIRE, _row(signal)), (400, 230), (460, 230), stroke=LAMP, width=2.5)
    yield line((WIRE, _row(ground)), (460, 230 + 8 * 26), stroke=GROUND, width=2.5)
    yield line((610, 230), (720, 230), stroke=LAMP, width=2.5)
    yield line((WIRE, _row(plus)), (760, _row(plus)), (760, 219), stroke=PLUS, width=2.5)
    yield line((720, 230), (749, 230), stroke=LAMP, width=2.5)
    yield from _lamp_at(760, 230)
    yield text(770, 205, "+")
    yield text(735, 224, "−")
    yield text(778, 235, "lamp, 5 V")
    yield text(640, 224, "minus", size=14)
    yield text(420, _row(plus) - 5, "plus: 5 V straight from the Pi", size=14)
    yield from _notes(
        270,
        600,
        "The pin gives the driver about 1 mA; the lamp's 20 to 60 mA come from 5 V.",
        "The lamp stays dark? An LED has a plus and a minus: change its two wires.",
        "COM stays open with LEDs; with filament lamps it goes to the lamp's plus.",
    )


def _bare_led(pins: PinTable) -> Iterator[str]:
    bcm = pins.lamp(0)
    signal = PHYSICAL[bcm]
    ground = _ground_near(signal)
    used = {signal: (LAMP, f"BCM {bcm}"), ground: (GROUND, "ground")}
    yield from _header("Instead of a lamp: one bare red or yellow LED", used)
    high = _row(signal)
    yield line((WIRE, high), (430, high), stroke=LAMP, width=2.5)
    yield from box(430, high - 18, 90, 36, f"{BARE_OHMS} Ω")
    yield line((520, high), (640, high), stroke=LAMP, width=2.5)
    yield from _lamp_at(651, high)
    yield text(600, high - 8, "long leg", anchor="middle", size=14)
    yield line(
        (WIRE, _row(ground)), (WIRE + 20, _row(ground)), (WIRE + 20, high + 70), stroke=GROUND, width=2.5
    )
    yield line((WIRE + 20, high + 70), (720, high + 70), (720, high), (662, high), stroke=GROUND, width=2.5)
    yield text(726, high - 8, "short leg", size=14)
    milli, one, most = bare_current() * 1000, PIN_MOST * 1000, ALL_MOST * 1000
    yield from _notes(
        300,
        500,
        f"3.3 V less {BARE_VOLTS} V over {BARE_OHMS} Ω: {milli:.1f} mA. A pin gives {one:.0f} mA.",
        f"Eight of them: {8 * milli:.0f} mA. All pins together give {most:.0f} mA.",
        "Blue, green and white LEDs need about 3 V: too much for a pin.",
        "The lamp of an arcade button is for 5 or 12 V: it needs the driver.",
    )


def _all_buttons(pins: PinTable, called: Sequence[tuple[str, str]]) -> Iterator[str]:
    names: dict[Line, str] = {
        (chair, "seat"): f"chair {chair + 1}: {c}, {s}" for chair, (c, s) in enumerate(called)
    }
    wired = [
        (names.get(part, part[1]), bcm) for part, bcm in pins.buttons if part in names or part[0] is None
    ]
    wired.sort(key=lambda wire: _row(PHYSICAL[wire[1]]))
    used = {PHYSICAL[bcm]: (SIGNAL, f"BCM {bcm}") for _, bcm in wired}
    ground = _ground_near(40, tuple(used))
    used[ground] = (GROUND, "ground")
    yield from _header("All buttons: a pin each, ground for all", used)
    pitch = 520 / len(wired)
    for number, (name, bcm) in enumerate(wired):
        at = TOP + 10 + number * pitch
        yield line((WIRE, _row(PHYSICAL[bcm])), (500, at), stroke=SIGNAL, width=2)
        yield dot(500, at, fill=SIGNAL)
        yield line((500, at), (545, at), (575, at - 12))
        yield line((580, at), (640, at), stroke=GROUND)
        yield text(656, at + 5, name)
    last = TOP + 10 + (len(wired) - 1) * pitch
    yield line((640, TOP + 10), (640, last), stroke=GROUND, width=4)
    yield line((WIRE, _row(ground)), (640, last + 20), (640, last), stroke=GROUND, width=2.5)
    yield from _notes(
        30,
        702,
        "From top to bottom as on the header. Ground may go from button to button.",
    )


def _all_lamps(pins: PinTable, called: Sequence[tuple[str, str]], *, volts: int) -> Iterator[str]:
    wired = [(chair, pins.lamp(chair)) for chair in range(len(called))]
    used = {PHYSICAL[bcm]: (LAMP, f"BCM {bcm}") for _, bcm in wired}
    ground = _ground_near(40, tuple(used))
    used[ground] = (GROUND, "ground")
    if volts == 5:
        used[2] = (PLUS, "5 V")
    yield from _header(f"All lamps, for {volts} V: input n is chair n", used)
    top, pitch = 170, 34
    yield from _chip(450, top, pitch)
    rail = 790
    for chair, bcm in wired:
        at = top + chair * pitch
        yield line((WIRE, _row(PHYSICAL[bcm])), (450, at), stroke=LAMP, width=2)
        yield line((600, at), (640, at), stroke=LAMP)
        yield from _lamp_at(651, at)
        yield line((662, at), (rail, at), stroke=PLUS)
        yield text(668, at - 4, f"{chair + 1}: {called[chair][0]}", size=14)
    foot = top + 8 * pitch
    yield line((WIRE, _row(ground)), (450, foot), stroke=GROUND, width=2.5)
    start = _row(2) if volts == 5 else top
    yield line((rail, start), (rail, top + (len(wired) - 1) * pitch), stroke=PLUS, width=4)
    if volts == 5:
        yield line((WIRE, _row(2)), (rail, _row(2)), stroke=PLUS, width=2.5)
        told = (
            "Eight LED lamps at 5 V draw less than 0.5 A: the Pi's 5 V pin can, if its supply is good.",
            "The eight inputs together take about 6 mA of the pins' 50.",
        )
    else:
        yield from box(690, foot + 10, 190, 44, "supply, 12 V")
        yield text(rail + 8, foot + 4, "+")
        yield line((rail, top + (len(wired) - 1) * pitch), (rail, foot + 10), stroke=PLUS, width=4)
        yield text(676, foot + 46, "−", anchor="end")
        yield line((690, foot + 36), (430, foot + 36), (430, foot), (450, foot), stroke=GROUND, width=2.5)
        told = (
            "12 V come from a supply of their own and never reach the Pi.",
            "Only ground is joined: the supply's minus, the driver's GND, the Pi's ground.",
        )
    yield from _notes(30, 704, *told)


def _camera() -> Iterator[str]:
    """The ribbon, and how high the camera hangs, which depends on its lens."""
    yield from drawn("camera")
    for number, camera in enumerate(LENSES):
        yield text(512, 202 + 20 * number, f"{camera.name} {camera.height} mm", anchor="end", size=14)
