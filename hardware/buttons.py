"""The buttons on the pins: stamp the edge, hand it over, nothing else."""

import os
import tempfile
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import gpiozero
from msgspec.structs import replace

from companion.core.actions import SECOND, Chair, Micros
from companion.core.clock import Clock, GameClock
from companion.core.debounce import CALM
from companion.core.switch import TOGETHER, ButtonId, Edge
from companion.system.machine import Machine
from hardware.errors import (
    GpioForbiddenError,
    GpioMissingError,
    HardwareError,
    LibraryMissingError,
    PinBusyError,
    PinError,
)
from hardware.gpiod_pins import GpiodFactory, read_chip_label
from hardware.pin_table import PinTable, button_name_of
from hardware.pin_users import describe_pin_user, read_consumer

PutEdge = Callable[[Edge], None]
"""Where edges go: the inbox. Called in gpiozero's thread."""
PinFactory = gpiozero.Factory
"""What opens the pins of one chip."""
HEADER_CHIP_LABELS = frozenset({"pinctrl-bcm2835", "pinctrl-bcm2711", "pinctrl-rp1"})
"""What kernels call the chip of the 40-pin header: of a Pi 3, 4 and 5."""
DEVICE_FOLDER = Path("/dev")
MANY = 3
"""So many pins do not have the same edge within `TOGETHER` by anybody's finger."""
QUIET: Micros = 1_000
"""So long before it a line has no edge where a disturbance begins; a contact that bounces has."""
KEPT = 256
"""Edges of a line that are remembered: as many as the kernel keeps until they are read."""


class SeatButton(gpiozero.DigitalInputDevice):  # type: ignore[misc]  # gpiozero has no types
    """One button that reports each edge with the kernel's own stamp.

    No `gpiozero.Button`, which has a thread each that times holds: here the loop does.

    Its callbacks drop the tick and `pin.when_changed` is a single slot, so `_pin_changed` is overridden;
    tests/hardware/test_seat_buttons.py says so loudly if gpiozero changes. `bounce_time` stays None: on
    lgpio it moves the stamp to the last bounce and swallows short presses.
    """

    def __init__(
        self, pin: int, line: ButtonId, clock: Clock, put: PutEdge, pin_factory: gpiozero.Factory
    ) -> None:
        # Before super(): the base connects the pin, and an edge may come at once.
        self._line = line
        self._clock = clock
        self._put = put
        self._lost = 0
        try:
            super().__init__(pin, pull_up=True, bounce_time=None, pin_factory=pin_factory)
        except BaseException:
            pin_factory.release_all(self)  # gpiozero keeps the reservation until this is collected
            raise

    def _pin_changed(self, ticks: float, state: int) -> None:
        chair, button = self._line
        at = self._clock.from_monotonic_ns(round(ticks * 1e9))
        lost = getattr(self.pin, "lost", 0)  # lgpio does not say
        self._put(Edge(chair, button, level=not state, at=at, gap=lost != self._lost))
        self._lost = lost
        super()._pin_changed(ticks, state)


class Coincidence:
    """Marks the edges that come on three or more pins together: a cable picked something up.

    So it did where a pin's edges filled the kernel's queue: no finger makes as many.

    Contacts that bounce at the same time also have edges together now and then. So where a disturbance begins
    all lines but one, on which a finger may be, were quiet before.
    """

    def __init__(self, put: PutEdge) -> None:
        self._put = put
        self._stamps: dict[tuple[ButtonId, bool, bool], list[Micros]] = {}
        """The newest edges by line, by level and by whether the line was quiet before, in their order."""
        self._last: dict[ButtonId, Micros] = {}
        """The newest edge of each line."""
        self._marked: Micros | None = None
        """The edge that was marked last."""

    def edge(self, edge: Edge) -> None:
        """Hand an edge on, marked if it is one of `MANY` within `TOGETHER`, in whatever order they come."""
        line = edge.chair, edge.button
        last = self._last.get(line)
        fresh = last is None or not 0 <= edge.at - last < QUIET
        self._last[line] = edge.at
        own = self._stamps.setdefault((line, edge.level, fresh), [])
        if own and edge.at < own[-1]:
            own.clear()  # another game has begun, and its clock
        goes_on = self._marked is not None and abs(edge.at - self._marked) <= CALM
        disturbed = edge.gap or self._is_together(edge, fresh, quiet=0 if goes_on else MANY - 1)
        own.append(edge.at)
        if len(own) >= 2 * KEPT:
            del own[:KEPT]
        self._marked = edge.at if disturbed else self._marked
        self._put(replace(edge, disturbed=True) if disturbed else edge)

    def _is_together(self, edge: Edge, fresh: bool, *, quiet: int) -> bool:  # noqa: FBT001
        """Whether this edge is on `MANY` lines within `TOGETHER`, so many of them `quiet` before."""
        own = edge.chair, edge.button
        near: list[tuple[Micros, ButtonId, bool]] = [(edge.at, own, fresh)]
        for (line, level, was_quiet), stamps in self._stamps.items():
            if level == edge.level and line != own:
                first = bisect_left(stamps, edge.at - TOGETHER)
                found = stamps[first : bisect_right(stamps, edge.at + TOGETHER)]
                near += [(at, line, was_quiet) for at in found]
        for start in (at for at, *_ in near if at <= edge.at):
            among = [one for one in near if start <= one[0] <= start + TOGETHER]
            lines, calm = {line for _, line, _ in among}, {line for _, line, was_quiet in among if was_quiet}
            if len(lines) >= MANY and len(calm) >= quiet:
                return True
        return False


class ButtonPanel:
    """The buttons of the table whose pins open, opened together and closed in reverse."""

    def __init__(self, factory: gpiozero.Factory, pins: PinTable, clock: Clock, put: PutEdge) -> None:
        """Raises the first pin's `PinError` if none opens."""
        self._buttons: dict[ButtonId, SeatButton] = {}
        self.failures: list[PinError] = []
        """Of the pins that did not open, in the table's order."""
        self._factory = factory
        put = Coincidence(put).edge
        for line, bcm in pins.buttons:
            try:
                self._buttons[line] = SeatButton(bcm, line, clock, put, factory)
            except Exception as trouble:  # noqa: BLE001 - each library has errors of its own
                self.failures.append(pin_error(trouble, bcm, line[0], button_name_of(line), factory))
        if not self._buttons and self.failures:
            raise self.failures[0]

    def leave_reading(self, wake: Callable[[], None]) -> None:
        """Edges are handed over by `read_waiting` from now on; `wake` is called, in a thread, when some wait.

        lgpio has a thread that reads, and goes on.
        """
        if isinstance(self._factory, GpiodFactory):
            self._factory.leave_reading(wake)

    def read_waiting(self) -> None:
        """Hand over what the kernel has by now, so that nothing hangs on when a thread gets its turn."""
        if isinstance(self._factory, GpiodFactory):
            self._factory.read_waiting()

    def read_levels(self) -> dict[ButtonId, bool]:
        """Whether each button is down now, read from the pins."""
        return {line: button.is_active for line, button in self._buttons.items()}

    def read_level(self, chair: Chair | None, button: str) -> bool | None:
        """Whether one button is down now; None if the table has no such button."""
        found = self._buttons.get((chair, button))
        return None if found is None else found.is_active

    def close(self) -> None:
        for button in reversed(self._buttons.values()):
            button.close()
        self._buttons.clear()


def open_pin_factory(
    chip: int | None = None, devices: Path = DEVICE_FOLDER, *, library: Any = None
) -> gpiozero.Factory:
    """The pins of this Pi; `chip` overrides the board's own gpiochip. Raises `GpioMissingError`.

    `devices` is where gpiochips are looked for; `library` stands for the module gpiod in tests.

    Through libgpiod where its version 2 is installed (trixie), else through lgpio: of a long burst that is
    read late lgpio loses the first edges, because the kernel keeps 16 for it. Both are chosen by name:
    otherwise gpiozero would silently fall back to another factory.
    """
    number = chip if chip is not None and chip >= 0 else None
    if not any(devices.glob("gpiochip*")):
        raise chip_error(FileNotFoundError(), number, devices)
    library = library or _import_libgpiod()
    make = _lgpio_label_reader(devices) if library is None else partial(_libgpiod_factory, library, devices)
    try:
        factory = make(number)
        factory.root = devices.parent  # of the machine whose config.txt may say who holds a pin
    except HardwareError:
        raise
    except gpiozero.exc.PinUnknownPi as trouble:
        raise GpioMissingError(
            "This machine is not a Raspberry Pi: set buttons.chip to the gpiochip that has the buttons."
        ) from trouble
    except Exception as trouble:
        raise chip_error(trouble, number, devices) from trouble
    return factory


def _import_libgpiod() -> Any:
    """The module gpiod, if it is of version 2."""
    try:
        import gpiod
    except ImportError:
        return None
    return gpiod if hasattr(gpiod, "request_lines") else None


def _libgpiod_factory(library: Any, devices: Path, chip: int | None) -> gpiozero.Factory:
    found = _choose_chip(chip, lambda number: read_chip_label(library, number), devices)
    return GpiodFactory(found or 0, library)


def _choose_chip(
    chip: int | None, label: Callable[[int], str | None], devices: Path = DEVICE_FOLDER
) -> int | None:
    """The `chip` that was given, else the header's.

    Raises `GpioMissingError` where the header's is another: what hangs on that one are the board's own parts.
    """
    own = find_header_chip(label, devices)
    if chip is None or own is None or chip == own or not (devices / f"gpiochip{chip}").exists():
        return own if chip is None else chip
    raise GpioMissingError(
        f"buttons.chip is {chip}, but the header's pins are on gpiochip{own}: "
        "take that line out of the settings."
    )


def _lgpio_label_reader(devices: Path) -> Callable[[int | None], gpiozero.Factory]:
    with _temporary_working_folder():
        try:
            import lgpio
            from gpiozero.pins.lgpio import LGPIOFactory
        except ImportError as trouble:
            machine = Machine(root=devices.parent)
            fix = machine.package_remedy("python3-libgpiod python3-lgpio", "gpiod")
            raise LibraryMissingError(f"This Python finds neither libgpiod nor lgpio: {fix}.") from trouble

    def label(number: int) -> str | None:
        try:
            handle = lgpio.gpiochip_open(number)
        except lgpio.error:
            return None
        *_, found = lgpio.gpio_get_chip_info(handle)
        lgpio.gpiochip_close(handle)
        return str(found)

    return lambda chip: LGPIOFactory(chip=_choose_chip(chip, label, devices))


def find_header_chip(label: Callable[[int], str | None], devices: Path = DEVICE_FOLDER) -> int | None:
    """The number of the chip with the header's pins, by its label; None if none has one of ours.

    The number is no address: on a Pi 5 it was 4 and became 0, and what brings pins of its own may be first.
    """
    numbers = sorted(int(path.name.removeprefix("gpiochip")) for path in devices.glob("gpiochip*"))
    return next((number for number in numbers if label(number) in HEADER_CHIP_LABELS), None)


def chip_error(trouble: Exception, chip: int | None, devices: Path = DEVICE_FOLDER) -> HardwareError:
    """The sentence for a gpiochip that does not open."""
    found = sorted(devices.glob("gpiochip*"))
    wanted = [devices / f"gpiochip{chip}"] if chip is not None else found
    if not found:
        return GpioMissingError(
            f"There is no {devices}/gpiochip*: no pins here; use the keyboard, touch or a USB encoder."
        )
    if not any(path in found for path in wanted):
        names = ", ".join(path.name for path in found)
        return GpioMissingError(
            f"There is no gpiochip{chip} (there is {names}): set buttons.chip, or take it out."
        )
    if not any(os.access(path, os.R_OK | os.W_OK) for path in wanted):
        return GpioForbiddenError(
            f"You may not open {wanted[0]}: {Machine(root=devices.parent).join_groups('gpio')}."
        )
    return GpioMissingError(
        f"{wanted[0]} does not open ({_error_text(trouble)}): try another one in buttons.chip."
    )


def pin_error(
    trouble: Exception,
    bcm: int,
    chair: Chair | None,
    name: str,
    factory: gpiozero.Factory | None = None,
    *,
    lamp: bool = False,
) -> PinError:
    """The error of a button's or lamp's pin that does not open; `name` as in the settings.

    `factory` is asked who holds the pin.
    """
    words = _error_text(trouble)
    pin = f"BCM {bcm} ({'lamp' if lamp else 'button'} {name})"
    if isinstance(trouble, gpiozero.GPIOPinInUse) or "busy" in words.lower():
        consumer = read_consumer(factory, bcm) if factory is not None else ""
        user = describe_pin_user(consumer, bcm, Machine(root=getattr(factory, "root", Path("/"))))
        who = user.process or consumer or "another program"
        who = f"the board on the header ({user.board})" if user.board else who
        found: PinError = PinBusyError(f"{pin} is in use by {who}: {user.fix}.")
        found.holder, found.fix, found.is_kernel_feature = user.name, user.fix, user.is_kernel_feature
        found.line, found.board = user.line, user.board
        if user.process is not None:
            found.unit, found.command = user.process.unit, user.process.command
    else:
        fix = f"set another pin in buttons.{'lamps' if lamp else 'pins'}, or check the wiring"
        found = PinError(f"{pin} does not open ({words}): {fix}.")
        found.fix = fix
    found.chair, found.button, found.lamp = chair, name, lamp
    found.__cause__ = trouble.with_traceback(None)  # its frames hold a half-made device, and that the pin
    return found


def _error_text(trouble: Exception) -> str:
    """The plain text: lgpio's errors print themselves in quotes, the system's begin with a number."""
    if isinstance(trouble, OSError) and trouble.strerror:
        return trouble.strerror
    return str(trouble.args[0]) if trouble.args else "no reason given"


@contextmanager
def _temporary_working_folder() -> Iterator[None]:
    """This stands in a folder that may be written while lgpio is imported.

    lg opens a FIFO `.lgd-nfyN` relative to the working folder at import, then never comes back to it (lg
    issues 12 and 22); where that fails, so does the import. Nothing else of ours runs yet.
    """
    runtime = os.environ.get("RUNTIME_DIRECTORY", "").split(":")[0] or os.environ.get("XDG_RUNTIME_DIR", "")
    home = Path.cwd()
    os.chdir(runtime if runtime and os.access(runtime, os.W_OK) else tempfile.gettempdir())
    try:
        yield
    finally:
        os.chdir(home)


def is_pressed_and_held(
    button: gpiozero.Button, within: Micros, hold: Micros, now: Callable[[], Micros]
) -> bool:
    """Whether this button is let go first, and then pressed and held for `hold`, begun `within` from now."""
    until = now() + within
    while (left := until - now()) > 0:
        # A switch that bounces ends its press at once, and begins another.
        released = button.wait_for_release(left / SECOND)
        if not (released and button.wait_for_press(max(0, until - now()) / SECOND)):
            return False
        if not button.wait_for_release(hold / SECOND):
            return True
    return False


def is_ok_button_held(bcm: int, chip: int | None, within: Micros, hold: Micros) -> bool:
    """Ask the kernel alone whether somebody holds OK; raises `HardwareError` if the line cannot be had."""
    factory = open_pin_factory(chip)
    try:
        with gpiozero.Button(bcm, pull_up=True, pin_factory=factory) as button:
            return is_pressed_and_held(button, within, hold, GameClock().now)
    except HardwareError:
        raise
    except Exception as trouble:
        raise pin_error(trouble, bcm, None, "ok", factory) from trouble
    finally:
        factory.close()
