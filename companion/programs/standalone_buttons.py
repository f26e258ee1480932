"""Opens buttons with their lamps outside a table, for `companion press` or `companion drill`."""

from collections.abc import Callable
from contextlib import ExitStack
from queue import SimpleQueue
from random import Random
from typing import Any

from companion.core.actions import Micros
from companion.core.clock import GameClock
from companion.core.switch import ButtonId
from companion.core.view import LampSignal
from companion.settings.model import Settings
from companion.system.terminal import print_lines
from hardware.buttons import ButtonPanel, open_pin_factory
from hardware.lamps import LampPanel
from hardware.pin_table import PinTable
from hardware.simulated_panel import FingerThread, SimulatedPanel
from hardware.usb_encoder import UsbButtons, open_usb_buttons


def open_pins(
    settings: Settings, pins: PinTable, clock: GameClock, inbox: SimpleQueue[Any], stack: ExitStack
) -> tuple[ButtonPanel, LampPanel]:
    """The buttons and lamps on the Pi's pins that open; what does not is told on the terminal.

    Raises `HardwareError` where there are none.
    """
    factory = open_pin_factory(settings.buttons.chip)
    stack.callback(factory.close)
    buttons = ButtonPanel(factory, pins, clock, inbox.put)
    stack.callback(buttons.close)
    lamps = LampPanel(factory, pins)
    stack.callback(lamps.close)
    for failure in (*buttons.failures, *lamps.failures):
        print_lines(str(failure), error=True)
    return buttons, lamps


def open_usb(settings: Settings, clock: GameClock, inbox: SimpleQueue[Any], stack: ExitStack) -> UsbButtons:
    """The USB buttons; raises `HardwareError` where there are none."""
    chosen, put = settings.buttons, inbox.put
    encoder = open_usb_buttons(chosen.usb_device, chosen.usb, chosen.learned, clock=clock, put=put, post=put)
    stack.callback(encoder.close)
    return encoder


def simulate_buttons(
    clock: GameClock,
    inbox: SimpleQueue[Any],
    stack: ExitStack,
    chance: Random,
    pins: PinTable | None = None,
) -> tuple[SimulatedPanel, FingerThread]:
    """Buttons and lamps on mock pins, and the fingers that press them."""
    panel = SimulatedPanel(clock, inbox.put, chance=chance, pins=pins)
    stack.callback(panel.close)
    fingers = FingerThread(panel, clock)
    fingers.start()
    stack.callback(fingers.close)
    return panel, fingers


def build_lamp_follower(lamps: LampPanel) -> Callable[[frozenset[ButtonId], Micros], None]:
    """Lights the lamps of the buttons that are down."""

    def light(down: frozenset[ButtonId], at: Micros) -> None:
        lamps.show_states({chair: LampSignal.LIT for chair, _ in down if chair is not None}, at)

    return light
