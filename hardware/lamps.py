"""The lamps in the chairs' buttons, set for a given instant."""

from collections.abc import Mapping

import gpiozero

from companion.core.actions import Chair, Micros
from companion.core.view import Lamp
from hardware.buttons import pin_error
from hardware.pins import PinTable

PERIODS: Mapping[Lamp, Micros] = {Lamp.SLOW: 1_000_000, Lamp.FAST: 250_000}
"""A blink is on for the first half of its period; all lamps of one kind blink together."""
STEP: Micros = 125_000
"""Half of the shortest period, of which the others are multiples: in between no lamp changes by itself."""


def glows(lamp: Lamp, at: Micros) -> bool:
    """Whether a lamp is lit at the instant `at`."""
    period = PERIODS.get(lamp)
    return lamp is Lamp.LIT if period is None else at % period < period // 2


class LampPanel:
    """All lamps of the table. No `LED.blink`: a thread per lamp, out of step with the screen."""

    def __init__(self, factory: gpiozero.Factory, pins: PinTable) -> None:
        self._lamps: dict[Chair, gpiozero.LED] = {}
        self._lit: dict[Chair, bool] = {}
        self._shown: tuple[Mapping[Chair, Lamp], int] | None = None
        """What was drawn last, and in which step."""
        for chair, bcm in pins.lamps:
            try:
                self._lamps[chair] = gpiozero.LED(bcm, initial_value=False, pin_factory=factory)
            except Exception as trouble:
                self.close()
                raise pin_error(trouble, bcm, f"lamp {chair + 1}") from trouble
            self._lit[chair] = False

    def show(self, states: Mapping[Chair, Lamp], at: Micros) -> None:
        """Draw the lamps as they are at `at`; chairs that are not named stay dark."""
        if self._shown == (states, at // STEP):
            return
        for chair, lamp in self._lamps.items():
            lit = glows(states.get(chair, Lamp.DARK), at)
            if lit != self._lit[chair]:
                lamp.value = lit
                self._lit[chair] = lit
        self._shown = dict(states), at // STEP

    def close(self) -> None:
        for lamp in reversed(self._lamps.values()):
            lamp.off()
            lamp.close()
        self._lamps.clear()
