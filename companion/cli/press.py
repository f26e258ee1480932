"""`companion press`: the live button tester: press, and see what the switch did and when we knew."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from queue import Empty, SimpleQueue
from random import Random
from typing import TYPE_CHECKING

import msgspec

from companion.core.actions import Micros
from companion.core.clock import GameClock
from companion.core.observations import AdapterLost, Observation
from companion.core.one_button import Edge, Line
from companion.core.plain import counted
from companion.diagnostics.button_test import Parts, Tester
from companion.settings.model import Settings
from companion.settings.terminal import say, say_json

if TYPE_CHECKING:
    from hardware.pins import PinTable
    from hardware.simulated import SimulatedPanel


def run(args: argparse.Namespace, settings: Settings) -> int:
    from companion.appliance.device_lock import need_pins
    from companion.run import buttons
    from hardware.pins import pin_table

    pins = pin_table(settings.buttons.pins, settings.buttons.lamps)
    wanted = _lines(pins, settings.table.chairs)
    presses = args.presses or (6 if args.simulate else None)
    tell = partial(say, error=args.json)
    clock = GameClock()
    inbox: SimpleQueue[Edge | Observation] = SimpleQueue()
    with ExitStack() as stack:
        if args.simulate:
            play = _twenty(wanted) if args.certify else _some(presses or 0)
            panel, fingers = buttons.simulated(clock, inbox, stack, Random(7), pins)
            fingers.do(lambda panel: play(panel, clock.now() + 200_000))
            table = Parts(levels=panel.buttons.levels, show=buttons.lit_while_down(panel.lamps))
        elif args.usb:
            table = Parts(poll=buttons.by_usb(settings, clock, inbox, stack).poll)
        else:
            need_pins()
            pressed, lamps = buttons.on_pins(settings, pins, clock, inbox, stack)
            table = Parts(levels=pressed.levels, show=buttons.lit_while_down(lamps))
        tester = Tester(clock, table)
        if args.certify:
            return _certify(settings, tester, inbox, wanted, simulated=args.simulate, as_json=args.json)
        tell("Press any button. Ctrl-C to stop.")
        try:
            while presses is None or tester.reported < presses:
                _wait(inbox, tester)
                for line in tester.turn():
                    tell(line)
        except KeyboardInterrupt:
            tell("")
        if args.json:
            say_json([row._asdict() for row in tester.tested()])
            return 0
        for line in tester.summary():
            say(line)
    return 0


def _wait(inbox: SimpleQueue[Edge | Observation], tester: Tester) -> None:
    """Until an edge comes or something falls due; everything that came is heard."""
    try:
        while True:
            what = inbox.get(timeout=tester.wait())
            if isinstance(what, Edge):
                tester.hear(what)
            elif isinstance(what, AdapterLost):
                say(what.reason or "The USB buttons are back.")
            if inbox.empty():
                return
    except Empty:
        return


def _lines(pins: PinTable, chairs: int) -> list[Line]:
    """The buttons of this table: of its chairs, and the shared ones."""
    return [line for line, _ in pins.buttons if line[0] is None or line[0] < chairs]


def _certify(
    settings: Settings,
    tester: Tester,
    inbox: SimpleQueue[Edge | Observation],
    wanted: list[Line],
    *,
    simulated: bool,
    as_json: bool,
) -> int:
    """Count until every button was pressed twenty times; what was found is printed, and kept of real ones."""
    from companion.appliance.machine import program_version
    from companion.core.clock import wall_time
    from companion.diagnostics.button_certificate import PRESSES, Certificate, Certifier, store, table

    tell = partial(say, error=as_json)
    certifier = Certifier(tester, wanted)
    tell(f"Press each of the {len(wanted)} buttons {PRESSES} times, in any order. Ctrl-C to stop.")
    try:
        while not certifier.done:
            _wait(inbox, tester)
            for _ in tester.turn():
                pass
            for line in certifier.progress():
                tell(line)
    except KeyboardInterrupt:
        tell("", f"Nothing was saved. Not pressed often enough: {', '.join(certifier.missing())}.")
        return 1
    certificate = Certificate(wall_time(), program_version(), certifier.measured(), simulated=simulated)
    for line in table(certificate.buttons):
        tell(line)
    bad = len(certificate.faulty)
    verdict = f"{counted(bad, 'button')} to fix" if bad else "All buttons are good"
    kept = "simulated, so nothing was saved"
    if not simulated:
        kept = f"saved in {store(certificate, settings.store_folder())}"
    tell(f"{verdict}; {kept}")
    if as_json:
        say_json(msgspec.to_builtins(certificate))
    return 1 if bad else 0


def _some(presses: int) -> Callable[[SimulatedPanel, Micros], None]:
    """A few presses round the table, and a spike."""

    def play(panel: SimulatedPanel, start: Micros) -> None:
        for turn in range(presses):
            panel.tap(turn % 8, at=start + turn * 250_000)
        panel.spike(0, at=start + 180_000)

    return play


def _twenty(wanted: list[Line]) -> Callable[[SimulatedPanel, Micros], None]:
    """Twenty presses of each button, round the table: nobody's contact bounces while another's does."""
    from companion.diagnostics.button_certificate import PRESSES

    def play(panel: SimulatedPanel, start: Micros) -> None:
        for turn in range(PRESSES):
            for place, (chair, button) in enumerate(wanted):
                panel.tap(chair, button, at=start + turn * 200_000 + place * 18_000)

    return play
