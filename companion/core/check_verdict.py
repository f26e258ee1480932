"""The result of one `doctor` check."""

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
