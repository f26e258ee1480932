"""`companion doctor`: every part, its state, and for each fault the fix."""

import argparse
from collections.abc import Mapping

import msgspec

from companion.core.plain import counted
from companion.settings.model import Settings
from companion.settings.terminal import say, say_json

SHOWN: Mapping[str, str] = {"ok": "ok", "absent": "optional", "fault": "problem"}
"""A finding's state, as people read it."""


def run(args: argparse.Namespace, settings: Settings) -> int:
    from companion.appliance.machine import Machine
    from companion.diagnostics.doctor import examine

    findings = list(examine(Machine(), settings))
    faults = sum(finding.state == "fault" for finding in findings)
    if args.json:
        say_json([msgspec.to_builtins(finding) for finding in findings])
    else:
        for finding in findings:
            say(f"{finding.part:<11} {SHOWN[finding.state]:<8} {finding.what}")
            if finding.fix:
                say(f"{'':<20} → {finding.fix}")
        say("", f"{counted(faults, 'problem')} to fix." if faults else "This table is ready to play.")
    return 1 if faults else 0
