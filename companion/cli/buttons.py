"""The commands of the buttons: `press` tests them live, `wiring` prints how they are connected."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from random import Random
from selectors import EVENT_READ, DefaultSelector
from typing import TYPE_CHECKING

import msgspec

from companion.cli.checks.button_tester import ButtonTester, PartsUnderTest
from companion.core.actions import Micros
from companion.core.clock import GameClock
from companion.core.observations import AdapterLost, Observation
from companion.core.switch import ButtonId, Edge
from companion.settings.model import Settings
from companion.system.terminal import count_with_noun, explain_write_errors, print_json, print_lines

if TYPE_CHECKING:
    from companion.cli.checks.button_certificate import ButtonCertifier
    from hardware.simulated_panel import SimulatedPanel


if TYPE_CHECKING:
    from hardware.pin_table import PinTable


UNPRESSED = (
    "Nothing comes from one? Its plug belongs on the switch's contacts (COM and NO), not on the lamp's.",
    "A chair that your table doesn't have? Set table.chairs in the settings.",
)


def press_command(args: argparse.Namespace, settings: Settings) -> int:
    from companion.cli.checks.button_certificate import ButtonCertifier
    from companion.programs import standalone_buttons
    from companion.system.device_lock import require_own_table, require_pins_free
    from hardware.pin_table import build_pin_table, parse_button_name

    if args.learn or (args.certify and not args.simulate):
        how = "--learn" if args.learn else "--usb --certify" if args.usb else "--certify"
        require_own_table(settings.store_folder(), f"press {how}")
    if args.learn:
        return _learn_buttons(settings)
    chosen, chairs = settings.buttons, settings.table.chairs
    pins = build_pin_table(chosen.pins, chosen.lamps, chairs=chairs)
    wanted, optional = [line for line, _ in pins.buttons], list[ButtonId]()
    if args.usb and chosen.learned:
        wanted = [parse_button_name(part) for part in chosen.learned]
    elif args.usb:  # an encoder doesn't tell which of its sockets have a button
        optional = [line for line in wanted if line[0] is None]
        wanted = [line for line in wanted if line[0] is not None]
    presses = args.presses or (6 if args.simulate else None)
    tell = partial(print_lines, error=args.json)
    clock = GameClock()
    inbox: SimpleQueue[Edge | Observation] = SimpleQueue()
    with ExitStack() as stack:
        if args.simulate:
            play = _certification_presses(wanted) if args.certify else _demo_presses(presses or 0, chairs)
            panel, fingers = standalone_buttons.simulate_buttons(clock, inbox, stack, Random(7), pins)
            fingers.run_job(lambda panel: play(panel, clock.now() + 200_000))
            table = PartsUnderTest(
                levels=panel.buttons.read_levels, show=standalone_buttons.build_lamp_follower(panel.lamps)
            )
        elif args.usb:
            usb = standalone_buttons.open_usb(settings, clock, inbox, stack)
            table = PartsUnderTest(poll=usb.poll, turbo=lambda: {one.line: one.rate for one in usb.repeats})
        else:
            require_pins_free()
            pressed, lamps = standalone_buttons.open_pins(settings, pins, clock, inbox, stack)
            table = PartsUnderTest(
                levels=pressed.read_levels, show=standalone_buttons.build_lamp_follower(lamps)
            )
        tester = ButtonTester(clock, table)
        if args.certify:
            certifier = ButtonCertifier(tester, wanted, optional=optional)
            if optional:
                tell("Buttons for back, next, OK? Press those that you have first.")
            return _run_certification(
                settings, tester, inbox, certifier, simulated=args.simulate, as_json=args.json
            )
        tell("Press any button. Ctrl-C to stop.")
        try:
            while presses is None or tester.reported < presses:
                _wait_for_edges(inbox, tester)
                for line in tester.report_presses():
                    tell(line)
        except KeyboardInterrupt:
            tell("")
        if args.json:
            print_json([row._asdict() for row in tester.results()])
            return 0
        for line in tester.summary_lines():
            print_lines(line)
    return 0


def _learn_buttons(settings: Settings) -> int:
    """Ask for each button of this table in turn, and keep whose key was pressed."""
    from companion.settings.files import save_settings, user_settings_file
    from hardware.input_devices import open_input_devices
    from hardware.pin_table import SHARED_BUTTON_NAMES, button_name_of
    from hardware.usb_encoder import ButtonLearner

    chairs: list[ButtonId] = [(chair, "seat") for chair in range(settings.table.chairs)]
    wanted = [*chairs, *((None, name) for name in SHARED_BUTTON_NAMES)]
    devices = open_input_devices()
    if not devices:
        print_lines("There is no device with buttons: plug one in, or pair it by Bluetooth.")
        return 1
    print_lines("Press each button once as it is asked for, on any device. Ctrl-C when you have no more.")
    learner = ButtonLearner(devices, wanted)
    with ExitStack() as stack, suppress(KeyboardInterrupt):
        selector = stack.enter_context(DefaultSelector())
        for device in devices:
            stack.callback(device.close)
            selector.register(device, EVENT_READ)
        while (asked := learner.asked) is not None:
            name = button_name_of(asked)
            print_lines(f"Press {name}." if asked[0] is None else f"Press the button of chair {name}.")
            while not (learnt := learner.poll()):
                selector.select()
            for line, key in learnt.items():
                print_lines(f"  {button_name_of(line)}: key {key.code} of {key.device}")
    if not learner.learned:
        print_lines("", "Nothing was saved.")
        return 1
    file = user_settings_file()
    save_settings(file, {"buttons.learned": learner.learned})
    count = count_with_noun(len(learner.learned), "button")
    print_lines("", f"Saved {count} in {file}. Try them: companion press --usb")
    return 0


def _wait_for_edges(inbox: SimpleQueue[Edge | Observation], tester: ButtonTester) -> None:
    """Until an edge comes or something falls due; everything that came is heard."""
    try:
        while True:
            what = inbox.get(timeout=tester.seconds_until_due())
            if isinstance(what, Edge):
                tester.add_edge(what)
            elif isinstance(what, AdapterLost):
                print_lines(what.reason or "The USB buttons are back.")
            if inbox.empty():
                return
    except Empty:
        return


def _run_certification(
    settings: Settings,
    tester: ButtonTester,
    inbox: SimpleQueue[Edge | Observation],
    certifier: ButtonCertifier,
    *,
    simulated: bool,
    as_json: bool,
) -> int:
    """Count until every button was pressed twenty times; what was found is printed, and kept of real ones."""
    from companion.cli.checks.button_certificate import (
        REQUIRED_PRESSES,
        ButtonCertificate,
        certificate_lines,
        save_certificate,
    )
    from companion.core.clock import wall_time
    from companion.system.machine import program_version

    tell = partial(print_lines, error=as_json)
    wanted = count_with_noun(len(certifier.missing_buttons()), "button")
    tell(f"Press each of the {wanted} {REQUIRED_PRESSES} times, in any order. Ctrl-C to stop.")
    try:
        while not certifier.done:
            _wait_for_edges(inbox, tester)
            for _ in tester.report_presses():
                pass
            for line in certifier.progress_lines():
                tell(line)
    except KeyboardInterrupt:
        tell("", f"Nothing was saved. Not pressed often enough: {', '.join(certifier.missing_buttons())}.")
        tell(*UNPRESSED)
        return 1
    certificate = ButtonCertificate(
        wall_time(), program_version(), certifier.measurements(), simulated=simulated
    )
    for line in certificate_lines(certificate.buttons):
        tell(line)
    bad = len(certificate.faulty)
    verdict = f"{count_with_noun(bad, 'button')} to fix" if bad else "All buttons are good"
    kept = "simulated, so nothing was saved"
    if not simulated:
        kept = f"saved in {save_certificate(certificate, settings.store_folder())}"
    tell(f"{verdict}; {kept}")
    if as_json:
        print_json(msgspec.to_builtins(certificate))
    return 1 if bad else 0


def _demo_presses(presses: int, chairs: int) -> Callable[[SimulatedPanel, Micros], None]:
    """A few presses round the table, and a spike."""

    def play(panel: SimulatedPanel, start: Micros) -> None:
        for turn in range(presses):
            panel.tap(turn % chairs, at=start + turn * 250_000)
        panel.spike(0, at=start + 180_000)

    return play


def _certification_presses(wanted: list[ButtonId]) -> Callable[[SimulatedPanel, Micros], None]:
    """Twenty presses of each button, round the table: nobody's contact bounces while another's does."""
    from companion.cli.checks.button_certificate import REQUIRED_PRESSES

    def play(panel: SimulatedPanel, start: Micros) -> None:
        for turn in range(REQUIRED_PRESSES):
            for place, (chair, button) in enumerate(wanted):
                panel.tap(chair, button, at=start + turn * 200_000 + place * 18_000)

    return play


def wiring_command(args: argparse.Namespace, settings: Settings) -> int:
    from hardware.pin_table import build_pin_table

    chosen = settings.buttons
    pins = build_pin_table(chosen.pins, chosen.lamps, chairs=settings.table.chairs)
    if args.svg is not None:
        from hardware.wiring_picture import draw_header_svg

        _save_drawing(args.svg, draw_header_svg(pins))
        return 0
    if args.steps is not None:
        _draw_wiring_steps(pins, settings, args.steps)
        return 0
    if args.json:
        print_json(list(list_wires(pins, settings)))
        return 0
    for line in (*table_lines(pins, settings), "", *header_lines(pins), "", *advice_lines()):
        print_lines(line)
    return 0


def _draw_wiring_steps(pins: PinTable, settings: Settings, folder: Path) -> None:
    from hardware.wiring_steps import draw_wiring_steps

    chairs = [colour_and_shape_of(chair, settings) for chair in range(settings.table.chairs)]
    for name, drawing in draw_wiring_steps(pins, chairs).items():
        _save_drawing(folder / f"{name}.svg", drawing)


def _save_drawing(path: Path, drawing: str) -> None:
    with explain_write_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(drawing, encoding="utf-8")
    print_lines(f"Saved {path}.")


def colour_and_shape_of(chair: int, settings: Settings) -> tuple[str, str]:
    """Colour and shape of a chair."""
    from companion.core.actions import PALETTE
    from companion.ui.toolkit.theme import SHAPES

    colours = (*settings.table.colours, *PALETTE[len(settings.table.colours) :])
    return colours[chair], SHAPES[chair]


def list_wires(pins: PinTable, settings: Settings) -> Iterator[dict[str, object]]:
    """One object per wire, as programs read them: BCM number and physical pin of the 40-pin header."""
    from hardware.pin_table import PHYSICAL_PINS

    for (chair, button), bcm in pins.buttons:
        if chair is None:
            yield {"part": button, "wire": "button", "bcm": bcm, "pin": PHYSICAL_PINS[bcm]}
            continue
        colour, shape = colour_and_shape_of(chair, settings)
        about = {"part": f"chair {chair + 1}", "colour": colour, "shape": shape}
        lamp = pins.lamp_pin(chair)
        yield about | {"wire": "button", "bcm": bcm, "pin": PHYSICAL_PINS[bcm]}
        yield about | {"wire": "lamp", "bcm": lamp, "pin": PHYSICAL_PINS[lamp]}


def table_lines(pins: PinTable, settings: Settings) -> Iterator[str]:
    """One line per chair and per shared button."""
    from hardware.pin_table import PHYSICAL_PINS

    def at(bcm: int) -> str:
        return f"BCM {bcm:<2} (pin {PHYSICAL_PINS[bcm]})"

    yield f"{'chair':<7}{'colour':<9}{'shape':<11}{'button':<18}lamp"
    for (chair, button), bcm in pins.buttons:
        if chair is None:
            yield f"{button:<7}{'–':<9}{'–':<11}{at(bcm)}"
        else:
            colour, shape = colour_and_shape_of(chair, settings)
            yield f"{chair + 1:<7}{colour:<9}{shape:<11}{at(bcm):<18}{at(pins.lamp_pin(chair))}"


def header_lines(pins: PinTable) -> Iterator[str]:
    """The 40-pin header seen from above, pin 1 at the corner of the board (the end with the SD card)."""
    from hardware.pin_table import PHYSICAL_PINS
    from hardware.wiring_picture import pin_labels

    names = pin_labels(pins)
    bcms = {physical: bcm for bcm, physical in PHYSICAL_PINS.items()}
    for left in range(1, 41, 2):
        right = left + 1
        bcm_left, bcm_right = (f"{bcms[pin]}" if pin in bcms else "" for pin in (left, right))
        yield (
            f"{names[left]:>22} {bcm_left:>3} {left:>3} ● ● {right:<3} {bcm_right:<3} {names[right]}"
        ).rstrip()


def advice_lines() -> Iterator[str]:
    yield "Buttons connect their pin to ground; the Pi pulls it up. Over 1 m, add 1 to 4.7 kΩ to 3.3 V."
    yield "Never connect a lamp directly to a pin: a transistor array (ULN2803A) switches its 5 or 12 V."
    yield "To use other pins, set [buttons.pins] and [buttons.lamps]. Test your buttons: companion press"
