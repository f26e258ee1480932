"""Which chairs phones hold or ask for, as the screen shows it."""

from typing import Literal

from companion.core.actions import Chair, Value
from companion.core.view import Sentence


class PhoneSeat(Value, frozen=True):
    """One chair, and whether a phone holds it or asks for it."""

    chair: Chair
    state: Literal["free", "asks", "held"] = "free"
    awake: bool = True
    fit: bool = True
    """Whether its presses can be placed finely enough for races."""


class PhoneTable(Value, frozen=True):
    """Whether phones may join, and how."""

    seats: tuple[PhoneSeat, ...] = ()
    is_open: bool = False
    address: str = ""
    """Host and port that a phone types; empty: none is known."""
    name: str = ""
    """What the table is called; empty: it has no name of its own."""
    pin: str = ""
    code: tuple[str, ...] = ()
    """The modules of the QR code, a row of `0` and `1` each; empty once all chairs are taken."""
    full: bool = False
    trouble: Sentence | None = None
    """Why there is no page."""
    owner: str = ""
    """The owner's PIN; empty: the owner's pages are not to be had."""
