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
HAT_REMEDY = "take it off, or wire those buttons to other pins, and name them in the settings (buttons.pins)"
"""A board that names itself has its bus switched on by the firmware, whatever raspi-config says."""
PINS_OF_OVERLAYS: Mapping[str, tuple[int, ...]] = {
    "gpio-shutdown": (3,), "gpio-poweroff": (26,), "gpio-fan": (12,), "dht11": (4,),
    "rotary-encoder": (4, 17), "i2c-gpio": (23, 24), "gpio-key": (3,), "mpu6050": (4,), "mcp23017": (4,),
    "uart3": (4, 5), "uart4": (8, 9), "uart5": (12, 13), "sdio": (22, 23, 24, 25, 26, 27),
    "uart2-pi5": (4, 5), "uart3-pi5": (8, 9), "uart4-pi5": (12, 13),
    "i2c3": (4, 5), "i2c4": (8, 9), "i2c5": (12, 13), "i2c6": (22, 23),
}  # fmt: skip
"""The pins of an overlay whose line names none, as the firmware's own README lists them."""
_NAMES_PIN = re.compile(r"\w*(?:gpio|pin|irq|reset|dc)\w*=(\d+)|\bpins_(\d+)_(\d+)")


class PinUser(NamedTuple):
    """Who holds a pin."""

    name: str
    """In people's words; empty: nobody says."""
    fix: str
    is_kernel_feature: bool = False
    line: str = ""
    """Of config.txt, which gives the pin to the kernel; empty: none is known."""
    board: str = ""
    """The board on the header that has it, by its line in config.txt or as it calls itself; empty: none."""
    process: Process | None = None
    """The program, where it can be seen."""


def describe_pin_user(consumer: str, bcm: int, machine: Machine) -> PinUser:
    """The user of a pin, which the kernel calls `consumer`; empty: it names none."""
    config = read_boot_config(machine)
    lines = [] if config is None or consumer == OUR_NAME else [*config.settings]
    claimed = config.header_screen if config is not None and SCREEN_USERS.search(consumer) else ""
    claims = [claimed and f"dtoverlay={claimed}", *(_naming_line(*one, bcm) for one in lines)]
    line = next(filter(None, claims), "")
    for pattern, name, word in KERNEL_FEATURES:
        if pattern.search(consumer) and not line:
            is_asked = any(re.search(rf"(?:^|,){name.lower()}(?!\w*=off)", value) for _, value in lines)
            if name != "1-Wire" and not is_asked and (hat := machine.read_text(HAT)):
                return PinUser(consumer, HAT_REMEDY, board=hat)
            fix = f"switch {name} off: sudo raspi-config nonint {word} 1, then restart"
            return PinUser(name, fix, is_kernel_feature=True)
    if consumer in {"", OUR_NAME} and not line:
        own = machine.gpio_process() if consumer else None
        if own is not None and own.name == OUR_NAME and not own.unit:
            return PinUser(consumer, own.remedy(), process=own)  # a table forgotten in another terminal
        return PinUser(
            consumer, "end that program; if it is the companion service: sudo systemctl stop companion"
        )
    if not claimed and (board := _describe_board(consumer, machine)) is not None:
        return board
    overlays = () if config is None else config.overlays
    line = line or next((f"dtoverlay={one}" for one in overlays if _is_called_so(one, consumer)), "")
    if line and config is not None:
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


def _naming_line(kind: str, value: str, bcm: int) -> str:
    """The line of config.txt, if it is one that gives this pin away; else empty."""
    if kind not in {"dtoverlay", "dtparam"}:
        return ""
    name = overlay_name(value)
    named = [int(pin) for found in _NAMES_PIN.findall(value) for pin in found if pin]
    return f"{kind}={name}" if bcm in (named or PINS_OF_OVERLAYS.get(name, ())) else ""


def _is_called_so(overlay: str, consumer: str) -> bool:
    """Whether the kernel calls its part so: "shutdown" that of gpio-shutdown, "dht11@4" that of dht11."""
    called = consumer.partition("@")[0]
    return called == overlay or called in overlay.split("-")


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
