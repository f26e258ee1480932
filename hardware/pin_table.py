"""The pin table: which GPIO pin belongs to which button or lamp.

BCM numbers. Left free: 0 and 1 (a HAT's EEPROM), 14 and 15 (the console), 18 to 21 (I2S sound). Until the
program runs, a Pi pulls 0 to 8 up and the others down, so lamps stay on 9 and above: none glows at power-on.
2 and 3 have real pull-ups of 1.8 kΩ; OK on 3 also wakes a halted Pi. BCM 25 is spare.
"""

from collections.abc import Iterator, Mapping

from companion.core.actions import Chair, Value
from companion.core.errors import InputError
from companion.core.switch import ButtonId

PHYSICAL_PINS: Mapping[int, int] = {
    0: 27, 1: 28, 2: 3, 3: 5, 4: 7, 5: 29, 6: 31, 7: 26, 8: 24, 9: 21, 10: 19, 11: 23, 12: 32, 13: 33,
    14: 8, 15: 10, 16: 36, 17: 11, 18: 12, 19: 35, 20: 38, 21: 40, 22: 15, 23: 16, 24: 18, 25: 22,
    26: 37, 27: 13,
}  # fmt: skip
"""BCM number → pin of the 40-pin header."""
RESERVED_PINS: Mapping[int, str] = {
    0: "a HAT's EEPROM",
    1: "a HAT's EEPROM",
    14: "the serial console",
    15: "the serial console",
    18: "I2S sound",
    19: "I2S sound",
    20: "I2S sound",
    21: "I2S sound",
}
SHARED_BUTTON_NAMES = ("back", "next", "ok")
CHAIR_BUTTON_PINS = (17, 27, 22, 5, 6, 26, 8, 7)
MOST_CHAIRS = len(CHAIR_BUTTON_PINS)
CHAIR_LAMP_PINS = (23, 24, 10, 9, 11, 13, 12, 16)
SHARED_BUTTON_PINS = (2, 4, 3)
UNOPENED = "until then no button on a pin is read, and the lamps stay dark"
"""What a setting does by which no pin of the table is opened."""


class PinSettingError(InputError):
    """A pin in the settings that cannot be used; until it is changed no pin of the table is opened."""

    on_screen = "pin_setting"

    def __init__(self, trouble: str, *keys: str, bcm: int) -> None:
        """`keys`: the settings that say so, such as `buttons.pins.1`."""
        super().__init__(trouble)
        self.keys = keys
        self.screen_parts = (("pin", str(bcm)), *zip(("key", "other_key"), keys, strict=False))


class PinConflictError(PinSettingError):
    """Two parts are set on one pin."""

    on_screen = "pin_conflict"


class HeaderNumberError(PinSettingError):
    """Pins in the settings are numbered as on the header, and one of them can't be used."""

    on_screen = "header_numbers"


class PinTable(Value, frozen=True):
    """Where every button and lamp is wired, in BCM numbers."""

    buttons: tuple[tuple[ButtonId, int], ...]
    lamps: tuple[tuple[Chair, int], ...]

    def button_pin(self, line: ButtonId) -> int:
        return dict(self.buttons)[line]

    def lamp_pin(self, chair: Chair) -> int:
        return dict(self.lamps)[chair]

    def wiring_rows(self) -> Iterator[tuple[str, int, int]]:
        """(what, BCM, physical pin), a chair's button and lamp together."""
        lamps = dict(self.lamps)
        for (chair, button), bcm in self.buttons:
            if chair is None:
                yield f"button {button}", bcm, PHYSICAL_PINS[bcm]
            else:
                yield f"chair {chair + 1} button", bcm, PHYSICAL_PINS[bcm]
                yield f"chair {chair + 1} lamp", lamps[chair], PHYSICAL_PINS[lamps[chair]]


def parse_button_name(part: str) -> ButtonId:
    """The button that settings call `part`: `1`..`8`, `back`, `next`, `ok`."""
    return (None, part) if part in SHARED_BUTTON_NAMES else (int(part) - 1, "seat")


def button_name_of(line: ButtonId) -> str:
    """How settings call a button."""
    chair, button = line
    return button if chair is None else str(chair + 1)


def build_pin_table(
    pins: Mapping[str, int] | None = None,
    lamps: Mapping[str, int] | None = None,
    *,
    chairs: int = MOST_CHAIRS,
) -> PinTable:
    """The wires of a table with so many chairs, with what settings change.

    Raises `PinSettingError`, which names the settings that are wrong. A chair that the table doesn't have
    leaves its pins to others.
    """
    buttons, lights = _shipped_pins()
    for part, bcm in (pins or {}).items():
        buttons[parse_button_name(part)] = bcm
    for part, bcm in (lamps or {}).items():
        chair, _ = parse_button_name(part)
        if chair is None:
            key = f"buttons.lamps.{part}"
            raise PinSettingError(f"{key}: only chairs have lamps; take this line out.", key, bcm=bcm)
        lights[chair] = bcm
    table = PinTable(
        tuple((line, bcm) for line, bcm in buttons.items() if line[0] is None or line[0] < chairs),
        tuple((chair, bcm) for chair, bcm in lights.items() if chair < chairs),
    )
    try:
        _check_pins(table)
    except PinSettingError as trouble:
        if meant := find_header_numbers(pins or {}, lamps or {}):
            raise header_number_error(meant) from trouble
        raise
    return table


def _shipped_pins() -> tuple[dict[ButtonId, int], dict[Chair, int]]:
    """The BCM numbers of all buttons and lamps where no settings change them."""
    buttons: dict[ButtonId, int] = {(chair, "seat"): bcm for chair, bcm in enumerate(CHAIR_BUTTON_PINS)}
    buttons |= {(None, name): bcm for name, bcm in zip(SHARED_BUTTON_NAMES, SHARED_BUTTON_PINS, strict=True)}
    return buttons, dict(enumerate(CHAIR_LAMP_PINS))


def find_header_numbers(pins: Mapping[str, int], lamps: Mapping[str, int]) -> dict[str, int]:
    """Settings that say where a part is as shipped, but in the header's numbers → its BCM number.

    `buttons.pins.1 = 11` is meant for BCM 17, which is pin 11. One such number among others, or a pin that
    another part gave away, is a choice: then there are none.
    """
    buttons, lights = _shipped_pins()
    given = {f"buttons.pins.{part}": (bcm, buttons[parse_button_name(part)]) for part, bcm in pins.items()}
    given |= {
        f"buttons.lamps.{part}": (bcm, lights[int(part) - 1])
        for part, bcm in lamps.items()
        if part not in SHARED_BUTTON_NAMES
    }
    moved = {shipped for bcm, shipped in given.values() if bcm != shipped}
    found = {
        key: shipped
        for key, (bcm, shipped) in given.items()
        if PHYSICAL_PINS[shipped] == bcm and bcm not in moved
    }
    return found if 2 * len(found) > len(given) else {}


def header_number_error(meant: Mapping[str, int]) -> HeaderNumberError:
    """What is to be said of what `find_header_numbers` found."""
    named = ", ".join(f"{key} = {PHYSICAL_PINS[bcm]} (for BCM {bcm})" for key, bcm in meant.items())
    first, bcm = next(iter(meant.items()))
    alike = "looks like a number" if len(meant) == 1 else "look like numbers"
    return HeaderNumberError(
        f"{named} {alike} on the header, where the settings count in BCM: take such lines out, the parts are "
        "there as shipped; companion wiring prints both numbers.",
        first,
        bcm=bcm,
    )


def _check_pins(table: PinTable) -> None:
    named = [(f"buttons.pins.{button_name_of(line)}", bcm) for line, bcm in table.buttons]
    named += [(f"buttons.lamps.{chair + 1}", bcm) for chair, bcm in table.lamps]
    holders: dict[int, str] = {}
    for key, bcm in named:
        if bcm in RESERVED_PINS:
            what = f"{key}: BCM {bcm} is reserved for {RESERVED_PINS[bcm]}; choose another pin."
            raise PinSettingError(what, key, bcm=bcm)
        if bcm not in PHYSICAL_PINS:
            raise PinSettingError(
                f"{key}: BCM {bcm} is not on the 40-pin header; choose 2 to 27.", key, bcm=bcm
            )
        if bcm in holders:
            what = (
                f"{holders[bcm]} and {key} are both on BCM {bcm} (pin {PHYSICAL_PINS[bcm]}): "
                "give one of them another pin."
            )
            raise PinConflictError(what, holders[bcm], key, bcm=bcm)
        holders[bcm] = key
