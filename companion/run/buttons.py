"""Buttons and lamps without a table, for `companion press` and `companion drill`; closed with their stack."""

from collections.abc import Callable
from contextlib import ExitStack
from queue import SimpleQueue
from random import Random
from typing import Any

from companion.core.actions import Micros
from companion.core.clock import GameClock
from companion.core.one_button import Line
from companion.core.view import Lamp
from companion.settings.model import Settings
from hardware.buttons import ButtonPanel, open_factory
from hardware.encoder import Encoder, open_encoder
from hardware.lamps import LampPanel
from hardware.pins import PinTable
from hardware.simulated import Fingers, SimulatedPanel


def on_pins(
    settings: Settings, pins: PinTable, clock: GameClock, inbox: SimpleQueue[Any], stack: ExitStack
) -> tuple[ButtonPanel, LampPanel]:
    """The buttons and lamps on the Pi's pins; raises `HardwareError` where there are none."""
    factory = open_factory(settings.buttons.chip)
    stack.callback(factory.close)
    buttons = ButtonPanel(factory, pins, clock, inbox.put)
    stack.callback(buttons.close)
    lamps = LampPanel(factory, pins)
    stack.callback(lamps.close)
    return buttons, lamps


def by_usb(settings: Settings, clock: GameClock, inbox: SimpleQueue[Any], stack: ExitStack) -> Encoder:
    """The USB arcade encoder; raises `HardwareError` where there is none."""
    chosen = settings.buttons
    encoder = open_encoder(chosen.usb_device, chosen.usb, clock, inbox.put, inbox.put)
    stack.callback(encoder.close)
    return encoder


def simulated(
    clock: GameClock,
    inbox: SimpleQueue[Any],
    stack: ExitStack,
    chance: Random,
    pins: PinTable | None = None,
) -> tuple[SimulatedPanel, Fingers]:
    """Buttons and lamps on mock pins, and the fingers that press them."""
    panel = SimulatedPanel(clock, inbox.put, chance=chance, pins=pins)
    stack.callback(panel.close)
    fingers = Fingers(panel, clock)
    fingers.start()
    stack.callback(fingers.close)
    return panel, fingers


def lit_while_down(lamps: LampPanel) -> Callable[[frozenset[Line], Micros], None]:
    """Lights the lamps of the buttons that are down."""

    def light(down: frozenset[Line], at: Micros) -> None:
        lamps.show({chair: Lamp.LIT for chair, _ in down if chair is not None}, at)

    return light
