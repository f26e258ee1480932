"""What a check of `doctor` says of its part."""

from typing import Literal, NamedTuple

State = Literal["ok", "absent", "fault"]
"""`absent`: the game goes on without it; `fault`: somebody has to do something."""


class Verdict(NamedTuple):
    """What a check says of its part."""

    state: State
    what: str
    fix: str = ""


def ok(what: str, fix: str = "") -> Verdict:
    return Verdict("ok", what, fix)


def absent(what: str, fix: str = "") -> Verdict:
    return Verdict("absent", what, fix)


def fault(what: str, fix: str) -> Verdict:
    return Verdict("fault", what, fix)
