"""`companion doctor`: lists every part of the table with a fix for each fault."""

import argparse
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from companion.settings.model import Settings
from companion.system.printable import count_with_noun
from companion.system.terminal import print_json, print_lines

if TYPE_CHECKING:
    from companion.cli.checks.doctor import PartFinding

STATE_LABELS: Mapping[str, str] = {
    "ok": "ok",
    "untried": "untried",
    "absent": "optional",
    "fault": "problem",
}
"""A finding's state, as people read it."""


def run(args: argparse.Namespace, settings: Settings) -> int:
    from companion.cli.checks.devices import Devices
    from companion.cli.checks.doctor import run_checks
    from companion.system.machine import Machine

    machine, devices = Machine(), Devices()
    if args.json:
        findings = list(run_checks(machine, settings, devices))
        print_json([msgspec.to_builtins(finding) for finding in findings])
        return 1 if _count(findings, "fault") else 0
    findings = [_print_finding(finding) for finding in run_checks(machine, settings, devices)]
    if args.press:
        from companion.cli.checks.lamp_walk import walk_lamps
        from companion.system.device_lock import require_pins_free

        require_pins_free(machine)
        print_lines("")
        findings += [
            _print_finding(finding) for finding in walk_lamps(machine, settings, devices, tell=print_lines)
        ]
    faults, untried = _count(findings, "fault"), _count(findings, "untried")
    told = f"{count_with_noun(faults, 'problem')} to fix" if faults else "This table is ready to play"
    print_lines("", f"{told}; {count_with_noun(untried, 'part')} not tried." if untried else f"{told}.")
    return 1 if faults else 0


def _count(findings: "Sequence[PartFinding]", state: str) -> int:
    return sum(finding.state == state for finding in findings)


def _print_finding(finding: "PartFinding") -> "PartFinding":
    print_lines(f"{finding.part:<11} {STATE_LABELS[finding.state]:<8} {finding.what}")
    if finding.fix:
        print_lines(f"{'':<20} → {finding.fix}")
    return finding
