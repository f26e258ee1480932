"""Drives the lamps in the chairs' buttons."""

from collections.abc import Mapping

import gpiozero

from companion.core.actions import Chair, Micros
from companion.core.view import LampSignal
from hardware.buttons import pin_error
from hardware.errors import PinError
from hardware.pin_table import PinTable

BLINK_PERIODS: Mapping[LampSignal, Micros] = {LampSignal.SLOW: 1_000_000, LampSignal.FAST: 250_000}
"""A blink is on for the first half of its period; all lamps of one kind blink together."""
MIN_CHANGE_INTERVAL: Micros = 125_000
"""Half of the shortest period, of which the others are multiples: in between no lamp changes by itself."""


def is_lit_at(lamp: LampSignal, at: Micros) -> bool:
    """Whether a lamp is lit at the instant `at`."""
    period = BLINK_PERIODS.get(lamp)
    return lamp is LampSignal.LIT if period is None else at % period < period // 2


class Lamp(gpiozero.LED):  # type: ignore[misc]  # gpiozero has no types
    """One lamp, dark at first; one that does not open lets its pin go."""

    def __init__(self, pin: int, pin_factory: gpiozero.Factory) -> None:
        try:
            super().__init__(pin, initial_value=False, pin_factory=pin_factory)
        except BaseException:
            pin_factory.release_all(self)
            raise


class LampPanel:
    """The lamps of the table whose pins open.

    No `LED.blink`: a thread per lamp, out of step with the screen.
    """

    def __init__(self, factory: gpiozero.Factory, pins: PinTable) -> None:
        """Raises the first pin's `PinError` if none opens."""
        self.failures: list[PinError] = []
        """Of the pins that did not open, in the table's order."""
        self._lamps: dict[Chair, Lamp] = {}
        self._lit: dict[Chair, bool] = {}
        self._shown: tuple[Mapping[Chair, LampSignal], int] | None = None
        """What was drawn last, and in which step."""
        for chair, bcm in pins.lamps:
            try:
                self._lamps[chair] = Lamp(bcm, factory)
            except Exception as trouble:  # noqa: BLE001 - each library has errors of its own
                self.failures.append(pin_error(trouble, bcm, chair, str(chair + 1), factory, lamp=True))
                continue
            self._lit[chair] = False
        if not self._lamps and self.failures:
            raise self.failures[0]

    def show_states(self, states: Mapping[Chair, LampSignal], at: Micros) -> None:
        """Draw the lamps as they are at `at`; chairs that are not named stay dark."""
        if self._shown == (states, at // MIN_CHANGE_INTERVAL):
            return
        for chair, lamp in self._lamps.items():
            lit = is_lit_at(states.get(chair, LampSignal.DARK), at)
            if lit != self._lit[chair]:
                lamp.value = lit
                self._lit[chair] = lit
        self._shown = dict(states), at // MIN_CHANGE_INTERVAL

    def close(self) -> None:
        for lamp in reversed(self._lamps.values()):
            lamp.off()
            lamp.close()
        self._lamps.clear()
