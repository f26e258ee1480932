"""Who holds a pin that does not open, and how it becomes free.

The kernel names the user of a line: `spi0 CS0` (raspberrypi/linux issues 3749 and 5835), `onewire@4`, or what
a program called itself.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import gpiozero

from companion.system.boot_config import HAT, overlay_name, read_boot_config
from companion.system.machine import Machine, Process
from hardware.gpiod_pins import GpiodFactory

KERNEL_FEATURES = (
    (re.compile(r"spi\d"), "SPI", "do_spi"),
    (re.compile(r"onewire|w1-gpio|w1_"), "1-Wire", "do_onewire"),
    (re.compile(r"i2c"), "I2C", "do_i2c"),
)
"""What the kernel's user is called, what people call it, and raspi-config's word that switches it off."""
OUR_NAME = "companion"
"""As which this program asks for its lines."""


SCREEN_USERS = re.compile(r"(?i)^spi\d|ads7846|pendown|^(?:dc|reset|led|backlight)\b")
"""What the kernel calls the users of the pins of a small screen on the header."""
BOARD_USERS = re.compile(r"(?i)^(?:sdmode|mute|reset|standby)\b")
"""The same of an amplifier or sound board (Linux: sound/soc/codecs/max98357a.c, sound/soc/bcm)."""
MOVE_REMEDY = (
    "wire that part to a pin that is free, such as BCM 25, and name it in the settings "
    "(buttons.pins, buttons.lamps)"
)
"""A sound board keeps its own."""
PINS_OF_OVERLAYS: Mapping[str, tuple[int, ...]] = {
    "gpio-shutdown": (3,), "gpio-poweroff": (26,), "gpio-fan": (12,), "dht11": (4,),
    "rotary-encoder": (4, 17), "i2c-gpio": (23, 24),
}  # fmt: skip
"""The pins of an overlay whose line names none, as the firmware's own README lists them."""
_NAMES_PIN = re.compile(r"\w*(?:gpio|pin|irq|reset|dc)\w*=(\d+)")


class PinUser(NamedTuple):
    """Who holds a pin."""

    name: str
    """In people's words; empty: nobody says."""
    fix: str
    is_kernel_feature: bool = False
    line: str = ""
    """Of config.txt, which gives the pin to the kernel; empty: none is known."""
    board: str = ""
    """The sound board that has it, by its line in config.txt or as it calls itself; empty: none."""
    process: Process | None = None
    """The program, where it can be seen."""


def describe_pin_user(consumer: str, bcm: int, machine: Machine) -> PinUser:
    """The user of a pin, which the kernel calls `consumer`; empty: it names none."""
    config = read_boot_config(machine)
    overlays = () if config is None else config.values("dtoverlay")
    claimed = config.header_screen if config is not None and SCREEN_USERS.search(consumer) else ""
    for pattern, name, word in KERNEL_FEATURES:
        if pattern.search(consumer) and not claimed:
            fix = f"switch {name} off: sudo raspi-config nonint {word} 1, then restart"
            return PinUser(name, fix, is_kernel_feature=True)
    if consumer in {"", OUR_NAME}:
        own = machine.gpio_process() if consumer else None
        if own is not None and own.name == OUR_NAME and not own.unit:
            return PinUser(consumer, own.remedy(), process=own)  # a table forgotten in another terminal
        return PinUser(
            consumer, "end that program; if it is the companion service: sudo systemctl stop companion"
        )
    if not claimed and (board := _describe_board(consumer, machine)) is not None:
        return board
    claimed = claimed or next((one for one in overlays if _claims_pin(one, consumer, bcm)), "")
    if claimed and config is not None:
        line = f"dtoverlay={overlay_name(claimed)}"
        return PinUser(consumer, f"take {line} out of {config.path}, and restart", line=line)
    if consumer == "sysfs":
        where = "/sys/class/gpio"
        fix = f"restart; if it is so again, take the script out that exports it in {where} (rc.local, cron)"
        return PinUser(where, fix)
    is_driver = "@" in consumer  # a node of the device tree
    if not is_driver and (process := machine.gpio_process(consumer)) is not None:
        return PinUser(process.name, process.remedy(), process=process)
    return PinUser(
        consumer,
        f"end that program, or take what asks for {consumer} out of /boot/firmware/config.txt and restart",
    )


def _describe_board(consumer: str, machine: Machine) -> PinUser | None:
    """The sound board on the header that has a pin; None: it is none's."""
    if not BOARD_USERS.search(consumer):
        return None
    config = read_boot_config(machine)
    if config is None or not config.sound_board:
        hat = machine.read_text(HAT)
        return PinUser(consumer, MOVE_REMEDY, board=hat) if hat else None
    line = f"dtoverlay={config.sound_board}"
    if consumer.startswith("sdmode"):  # small amplifiers do without it
        fix = f"in {config.path} write {line},no-sdmode for that line, and restart"
        return PinUser(consumer, fix, board=line)
    return PinUser(consumer, MOVE_REMEDY, board=line)


def _claims_pin(value: str, consumer: str, bcm: int) -> bool:
    """Whether an overlay's line gives this pin to what the kernel calls `consumer`."""
    name = overlay_name(value)
    pins = tuple(map(int, _NAMES_PIN.findall(value))) or PINS_OF_OVERLAYS.get(name, ())
    called = consumer.partition("@")[0]  # as "shutdown" is of gpio-shutdown, and "dht11@4" of dht11
    return bcm in pins or called == name or called in name.split("-")


def read_consumer(factory: gpiozero.Factory, bcm: int) -> str:
    """What the kernel calls the user of a line; empty where it has none, or cannot be asked."""
    try:
        if isinstance(factory, GpiodFactory):
            return factory.read_consumer(bcm)
        return _lgpio_consumer(factory, bcm)
    except Exception:  # noqa: BLE001 - that it is taken is known; by whom is only an addition
        return ""


def _lgpio_consumer(factory: Any, bcm: int) -> str:
    import lgpio

    handle = lgpio.gpiochip_open(factory.chip)
    try:
        *_, consumer = lgpio.gpio_get_line_info(handle, bcm)
    finally:
        lgpio.gpiochip_close(handle)
    return str(consumer)
