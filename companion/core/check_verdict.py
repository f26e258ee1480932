"""The result of one `doctor` check."""

from collections.abc import Iterable
from typing import Literal, NamedTuple

CheckState = Literal["ok", "untried", "absent", "fault"]
"""`ok`: it was tried; `untried`: it could not be now; `absent`: the game goes on without it; `fault`:
somebody has to do something."""


class CheckVerdict(NamedTuple):
    """What a check says of its part."""

    state: CheckState
    what: str
    fix: str = ""


def ok_verdict(what: str, fix: str = "") -> CheckVerdict:
    return CheckVerdict("ok", what, fix)


def untried_verdict(what: str, fix: str) -> CheckVerdict:
    return CheckVerdict("untried", what, fix)


def absent_verdict(what: str, fix: str = "") -> CheckVerdict:
    return CheckVerdict("absent", what, fix)


def fault_verdict(what: str, fix: str) -> CheckVerdict:
    return CheckVerdict("fault", what, fix)


def join_faults(faults: Iterable[tuple[str, str]]) -> CheckVerdict | None:
    """Several faults of one part as one verdict; None where there are none."""
    found = list(faults)
    if not found:
        return None
    fixes = dict.fromkeys(fix for _, fix in found)
    return fault_verdict("; ".join(what for what, _ in found), "; ".join(fixes))
