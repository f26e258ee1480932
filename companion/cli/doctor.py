"""`companion doctor`: lists every part of the table with a fix for each fault."""

import argparse
from collections.abc import Mapping

import msgspec

from companion.settings.model import Settings
from companion.system.printable import count_with_noun
from companion.system.terminal import print_json, print_lines

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

    findings = list(run_checks(Machine(), settings, Devices()))
    faults = sum(finding.state == "fault" for finding in findings)
    if args.json:
        print_json([msgspec.to_builtins(finding) for finding in findings])
    else:
        for finding in findings:
            print_lines(f"{finding.part:<11} {STATE_LABELS[finding.state]:<8} {finding.what}")
            if finding.fix:
                print_lines(f"{'':<20} → {finding.fix}")
        untried = sum(finding.state == "untried" for finding in findings)
        left = f"; {count_with_noun(untried, 'part')} not tried" if untried else ""
        told = f"{count_with_noun(faults, 'problem')} to fix" if faults else "This table is ready to play"
        print_lines("", f"{told}{left}.")
    return 1 if faults else 0
