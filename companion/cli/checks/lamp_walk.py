"""Lights each lamp and waits for its button, or asks for those on USB, for `companion doctor --press`."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from companion.cli.checks.button_tester import ENCODER_POLL_INTERVAL, turbo_fault
from companion.cli.checks.device_checks import Devices
from companion.cli.checks.doctor import PartFinding
from companion.core.actions import SECOND, Micros
from companion.core.clock import GameClock
from companion.core.switch import ButtonId, Edge
from companion.core.view import LampSignal
from companion.settings.model import Settings
from companion.system.machine import Machine

if TYPE_CHECKING:
    from hardware.pin_table import PinTable
    from hardware.usb_encoder import UsbButtons

PATIENCE: Micros = 15 * SECOND
"""So long somebody has to find the lit button and press it."""
DRIVER_GROUND = (
    "join the driver's ground (its pin 9) with the Pi's and with the minus of the lamps' supply, whose plus "
    "goes to every lamp"
)
ALWAYS_LIT = (
    "its minus belongs at the driver's output, not at ground; a relay board that is on when it should be off "
    "can't drive it: use a ULN2803A"
)
LOOK_AT_LAMPS = (
    f"Did no lamp light up, though the presses came? Then {DRIVER_GROUND}. "
    f"Was one always lit? Then {ALWAYS_LIT}."
)
"""Nobody but who looks can tell."""
SHARED_WIRES = f"did none light up, {DRIVER_GROUND}; did they light up, see to the one ground of all switches"
"""What to do where no button of a chair answers."""
SHARED_GROUND = "if their ground goes from one to the next, it is broken before the first; else see to each"
"""The same where several do not, and others do."""
SHARED_PLUG = "a plug of 40 contacts sits on both rows and is not turned round"
"""The same where no button at all answers."""
MISSING_USB = (
    "its cable belongs on the switch's contacts, not the lamp's, and into its socket of the encoder; "
    "no such chair: set table.chairs"
)
EXCHANGED_USB = "two cables have changed places at the encoder; or teach the buttons: Settings, USB buttons"
HELD: Micros = 5 * SECOND
"""So long a button is held, at most."""
LET_GO: Micros = SECOND // 2
"""So long one is up once it was let go; one that repeats by itself is down again by then."""
QUIET: Micros = SECOND // 10
"""An edge so soon after one of the same button is of its bounce."""
TOGETHER: Micros = SECOND // 50
"""What goes down so soon after another button does so by the same press."""


def walk_lamps(
    machine: Machine,
    settings: Settings,
    devices: Devices,
    *,
    tell: Callable[[str], None],
    patience: Micros = PATIENCE,
) -> Iterator[PartFinding]:
    """Each button of this table, tried by somebody who presses the one that is lit, or named by `tell`.

    Raises `HardwareError` where there are no pins.
    """
    from hardware.buttons import ButtonPanel
    from hardware.lamps import LampPanel
    from hardware.pin_table import build_pin_table, button_name_of

    chosen, clock, inbox = settings.buttons, GameClock(), SimpleQueue[Edge]()
    table = build_pin_table(chosen.pins, chosen.lamps, chairs=settings.table.chairs)
    with ExitStack() as stack:
        factory = devices.pins(chosen.chip if chosen.chip >= 0 else None, machine.root / "dev")
        stack.callback(factory.close)
        buttons = ButtonPanel(factory, table, clock, inbox.put)
        stack.callback(buttons.close)
        lamps = LampPanel(factory, table)
        stack.callback(lamps.close)
        last = dict[ButtonId, Micros]()
        known: ButtonId | None = None
        silent = set[ButtonId]()
        for line in buttons.read_levels():
            chair, name = line
            part = f"button {button_name_of(line)}"
            lamps.show_states({} if chair is None else {chair: LampSignal.LIT}, clock.now())
            lit = "Press the button that is lit: chair {}'s. Is none lit, wait."
            tell(f"Press {name}." if chair is None else lit.format(chair + 1))
            pressed = _next_presses(inbox, last, known, patience)
            known = line if pressed == [line] else None
            if pressed == [line]:
                light = "" if chair is None else "; its lamp is good if it was lit"
                yield PartFinding(part, "ok", f"its press came{light}")
            elif not pressed:
                silent.add(line)
                yield PartFinding(
                    part, "fault", f"no press came within {patience // SECOND} s", _missing_fix(line, table)
                )
            else:
                other = next(one for one in pressed if one != line)
                how, fix = "in its place", _exchange_fix(line, other, table)
                if line in pressed:
                    how, fix = "with it", _bridge_fix(line, other, table)
                yield PartFinding(part, "fault", f"button {button_name_of(other)} came {how}", fix)
        tell(LOOK_AT_LAMPS)
        chairs = [line for line, _ in table.buttons if line[0] is not None]
        dead = [button_name_of(line) for line in chairs if line in silent]
        if len(chairs) > 1 and len(dead) == len(chairs):
            plug = "" if any(line not in silent for line, _ in table.buttons) else f"; {SHARED_PLUG}"
            yield PartFinding("buttons", "fault", "no chair's press came", f"{SHARED_WIRES}{plug}")
        elif len(dead) > 1:
            what = f"no press came of {len(dead)} chairs: {', '.join(dead)}"
            yield PartFinding("buttons", "fault", what, SHARED_GROUND)


class PolledEdges:
    """Those of USB buttons, which put them into the inbox when they are polled."""

    def __init__(self, usb: "UsbButtons", inbox: SimpleQueue[Edge]) -> None:
        self._usb, self._inbox = usb, inbox

    def get(self, *, timeout: float) -> Edge:
        for _ in range(round(timeout * SECOND / ENCODER_POLL_INTERVAL)):
            self._usb.poll()
            with suppress(Empty):
                return self._inbox.get(timeout=ENCODER_POLL_INTERVAL / SECOND)
        self._usb.poll()
        return self._inbox.get(timeout=0)


def walk_usb(
    machine: Machine, settings: Settings, *, tell: Callable[[str], None], patience: Micros = PATIENCE
) -> Iterator[PartFinding]:
    """Each button on USB, held for a while: only then one that repeats by itself does.

    Raises `HardwareError` where there are none.
    """
    from hardware.pin_table import button_name_of, parse_button_name
    from hardware.usb_encoder import open_usb_buttons

    chosen, inbox, last = settings.buttons, SimpleQueue[Edge](), dict[ButtonId, Micros]()
    named, folder = (chosen.usb_device, chosen.usb, chosen.learned), machine.root / "dev/input"
    found = open_usb_buttons(*named, clock=GameClock(), put=inbox.put, post=lambda _: None, folder=folder)
    with closing(found) as usb:
        edges = PolledEdges(usb, inbox)
        for name in chosen.learned or map(str, range(1, settings.table.chairs + 1)):
            tell(f"Hold button {name} down for two seconds.")
            came, is_down = next(iter(_next_presses(edges, last, None, patience)), None), True
            with suppress(Empty):
                while came is not None:
                    is_down = edges.get(timeout=min(patience, HELD if is_down else LET_GO) / SECOND).level
            what, fix = "its press came", ""
            if rate := next((one.rate for one in usb.repeats if one.line == came), 0):
                what, _, fix = turbo_fault(rate).partition(": ")
            elif came is None:
                what, fix = f"no press came within {patience // SECOND} s", MISSING_USB
            elif came != parse_button_name(name):
                what, fix = f"button {button_name_of(came)} came in its place", EXCHANGED_USB
            yield PartFinding(f"button {name}", "fault" if fix else "ok", what, fix)


def _next_presses(
    inbox: SimpleQueue[Edge] | PolledEdges,
    last: dict[ButtonId, Micros],
    known: ButtonId | None,
    patience: Micros,
) -> list[ButtonId]:
    """The button that goes down next, other than the one `known` just before, and what goes down with it.

    Empty: none in time. `last`: the newest edge of each button, by which one that only bounces is known.
    """
    pressed: list[ButtonId] = []
    try:
        while True:
            edge = inbox.get(timeout=min(patience, TOGETHER if pressed else patience) / SECOND)
            line = edge.chair, edge.button
            quiet = line not in last or edge.at - last[line] >= QUIET
            last[line] = edge.at
            beside = not pressed or edge.at - last[pressed[0]] < TOGETHER
            if edge.level and not edge.disturbed and quiet and beside and line != known:
                pressed.append(line)
    except Empty:
        return pressed


def _missing_fix(line: ButtonId, table: "PinTable") -> str:
    bcm = table.button_pin(line)
    switch = (
        f"check that its wires are on COM and NO, one at ground (not 3.3 V) and one at {_pin_in_words(bcm)}"
    )
    if line[0] is None:
        return switch
    dark = (
        "its lamp stayed dark: change the lamp's two wires, see that they are not at the switch, and give "
        "one for 12 V its 12 V"
    )
    return f"{dark}; it is always lit: {ALWAYS_LIT}; it was lit: {switch}; no such chair: set table.chairs"


def _exchange_fix(asked: ButtonId, pressed: ButtonId, table: "PinTable") -> str:
    """What to do where the press of one button comes as another's."""
    from hardware.pin_table import PHYSICAL_PINS

    wanted, came = table.button_pin(asked), table.button_pin(pressed)
    if wanted == PHYSICAL_PINS[came] or came == PHYSICAL_PINS[wanted]:
        both = "the header's numbers and BCM numbers are two counts"
        return f"its wire is at {_pin_in_words(came)}, and belongs at {_pin_in_words(wanted)}: {both}"
    exchanged = "two buttons or two lamps have changed places: swap their wires at the Pi's end"
    return f"{exchanged}; or one lamp is always lit: {ALWAYS_LIT}"


def _bridge_fix(asked: ButtonId, came: ButtonId, table: "PinTable") -> str:
    """What to do where one press comes as two buttons'."""
    pins = " and ".join(_pin_in_words(table.button_pin(one)) for one in (asked, came))
    return f"their wires touch: look for a solder bridge or a loose strand between {pins}"


def _pin_in_words(bcm: int) -> str:
    from hardware.pin_table import PHYSICAL_PINS

    return f"pin {PHYSICAL_PINS[bcm]} of the header (BCM {bcm})"
