"""Who holds a pin that does not open, and how it becomes free.

The kernel names the user of a line: `spi0 CS0` (raspberrypi/linux issues 3749 and 5835), `onewire@4`, or what
a program called itself.
"""

import re
from typing import Any, NamedTuple

import gpiozero

from companion.system.boot_config import BootConfig
from hardware.gpiod_pins import GpiodFactory

KERNEL_FEATURES = (
    (re.compile(r"spi\d"), "SPI", "do_spi"),
    (re.compile(r"onewire|w1-gpio|w1_"), "1-Wire", "do_onewire"),
    (re.compile(r"i2c"), "I2C", "do_i2c"),
)
"""What the kernel's user is called, what people call it, and raspi-config's word that switches it off."""
OUR_NAME = "companion"
"""As which this program asks for its lines."""


class PinUser(NamedTuple):
    """Who holds a pin."""

    name: str
    """In people's words; empty: nobody says."""
    fix: str
    is_kernel_feature: bool = False
    line: str = ""
    """Of config.txt, which gives the pin to the kernel; empty: none is known."""


def describe_pin_user(consumer: str, config: BootConfig | None = None) -> PinUser:
    """The user that the kernel calls `consumer`; empty: it names none. `config`: of this machine."""
    for pattern, name, word in KERNEL_FEATURES:
        if pattern.search(consumer):
            fix = f"switch {name} off: sudo raspi-config nonint {word} 1, then restart"
            return PinUser(name, fix, is_kernel_feature=True)
    if consumer in {"", OUR_NAME}:
        return PinUser(
            consumer, "end that program; if it is the companion service: sudo systemctl stop companion"
        )
    if config is not None:
        for overlay in config.overlays:
            if consumer in overlay.split("-"):  # as "shutdown" is of gpio-shutdown
                line = f"dtoverlay={overlay}"
                return PinUser(consumer, f"take {line} out of {config.path}, and restart", line=line)
    return PinUser(
        consumer,
        f"end that program, or take what asks for {consumer} out of /boot/firmware/config.txt and restart",
    )


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
