"""`companion doctor`: lists every part of the table with a fix for each fault."""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from companion.settings.model import Settings
from companion.system.terminal import count_with_noun, print_json, print_lines

if TYPE_CHECKING:
    from companion.cli.checks.device_checks import Devices
    from companion.cli.checks.doctor import PartFinding
    from companion.system.machine import Machine

STATE_LABELS: Mapping[str, str] = {
    "ok": "ok",
    "untried": "untried",
    "absent": "optional",
    "fault": "problem",
}
"""A finding's state, as people read it."""


def run(args: argparse.Namespace, settings: Settings) -> int:
    if args.sound:
        return _check_sound(settings)
    from companion.cli.checks.device_checks import Devices
    from companion.cli.checks.doctor import run_checks
    from companion.system.machine import Machine

    machine, devices = Machine(), Devices()
    if args.json:
        findings = list(run_checks(machine, settings, devices))
        print_json([msgspec.to_builtins(finding) for finding in findings])
        return 1 if _count(findings, "fault") else 0
    findings = [_print_finding(finding) for finding in run_checks(machine, settings, devices)]
    if args.press:
        from companion.system.device_lock import require_pins_free

        require_pins_free(machine)
        print_lines("")
        findings += [_print_finding(finding) for finding in _try_buttons(machine, settings, devices)]
    faults, untried = _count(findings, "fault"), _count(findings, "untried")
    verdict = f"{count_with_noun(faults, 'problem')} to fix" if faults else "This table is ready to play"
    print_lines("", f"{verdict}; {count_with_noun(untried, 'part')} not tried." if untried else f"{verdict}.")
    return 1 if faults else 0


def _try_buttons(machine: "Machine", settings: Settings, devices: "Devices") -> "Iterator[PartFinding]":
    """Every button, by somebody who presses what is lit or named."""
    from companion.cli.checks.lamp_walk import walk_lamps, walk_usb

    if settings.buttons.are_on_usb(has_encoder=bool(machine.joysticks())):
        return walk_usb(machine, settings, tell=print_lines)
    return walk_lamps(machine, settings, devices, tell=print_lines)


def _count(findings: "Sequence[PartFinding]", state: str) -> int:
    return sum(finding.state == state for finding in findings)


def _print_finding(finding: "PartFinding") -> "PartFinding":
    print_lines(f"{finding.part:<11} {STATE_LABELS[finding.state]:<8} {finding.what}")
    if finding.fix:
        print_lines(f"{'':<20} → {finding.fix}")
    return finding


def _check_sound(settings: Settings) -> int:
    """Play a word on each output, and keep which was heard and how late it is."""
    from companion.core.clock import GameClock
    from companion.language.language import Language
    from companion.language.voice.mixer import list_outputs
    from companion.programs.sound_check import SoundCheck
    from companion.settings.files import save_settings, user_settings_file
    from companion.system.device_lock import require_own_table, require_sound_free
    from hardware.microphone import AlsaMicrophone

    require_own_table(settings.store_folder(), "doctor --sound")
    require_sound_free()
    outputs = list_outputs()
    if not outputs:
        print_lines("There is no sound output here: the screen shows every sentence.")
        return 1
    check = SoundCheck(
        settings.sound,
        Language(settings.table.language),
        GameClock(),
        input,
        print_lines,
        open_microphone=AlsaMicrophone().open_stream,
    )
    try:
        changes = check.run(outputs)
    except (EOFError, KeyboardInterrupt):
        changes = {}
    if not changes:
        print_lines("", "Nothing was saved. No sound? Turn the loudspeaker on and up, then try again.")
        return 1
    file = user_settings_file()
    save_settings(file, changes)
    print_lines("", f"Saved in {file}: the table speaks through {outputs[str(changes['sound.device'])]}.")
    return 0
