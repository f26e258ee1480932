"""The check of `companion doctor` whether hub and desk can run here."""

from companion.core.check_verdict import CheckVerdict, absent_verdict, fault_verdict, ok_verdict
from companion.settings.model import Settings
from companion.system.machine import Machine
from companion_club.cli import INSTALL_HUB, LIBRARIES


def check_hub(machine: Machine, settings: Settings) -> CheckVerdict:
    """Whether this machine can be a club's, which a table need not be."""
    if machine.module("sqlalchemy") is None:
        return absent_verdict("not here: a table needs none")
    if lacking := [name for name in LIBRARIES if machine.module(name) is None]:
        what = f"hub and desk can't run here: the library {lacking[0]} is not installed"
        return fault_verdict(what, INSTALL_HUB)
    return ok_verdict("hub and desk can run here")
