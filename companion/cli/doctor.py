"""`companion doctor`: every part, its state, and for each fault the fix."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

import msgspec

from companion.core.plain import counted
from companion.settings.model import Settings
from companion.settings.terminal import GREEN, PLAIN, RED, YELLOW, say, say_json, say_styled

SHOWN: Mapping[str, str] = {"ok": "ok", "absent": "optional", "fault": "problem"}
"""A finding's state, as people read it."""
COLOURS: Mapping[str, str] = {"ok": GREEN, "absent": YELLOW, "fault": RED}


def run(args: argparse.Namespace, settings: Settings) -> int:
    from companion.appliance.machine import Machine
    from companion.diagnostics.doctor import examine

    findings = list(examine(Machine(), settings))
    faults = sum(finding.state == "fault" for finding in findings)
    if args.json:
        say_json([msgspec.to_builtins(finding) for finding in findings])
    else:
        for finding in findings:
            state = (f"{SHOWN[finding.state]:<8}", COLOURS[finding.state])
            say_styled((f"{finding.part:<11} ", PLAIN), state, (f" {finding.what}", PLAIN))
            if finding.fix:
                say(f"{'':<20} → {finding.fix}")
        say("", f"{counted(faults, 'problem')} to fix." if faults else "This table is ready to play.")
    return 1 if faults else 0
