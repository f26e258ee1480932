"""What the script of a player's page says, message by message; instants are its own clocks', in ms."""

import math

import msgspec
from msgspec import Struct

from companion.core.actions import Chair
from companion.doors.messages import About
from companion.phones.clock import MS, Nanos

MOST_READINGS = 64


class Said(Struct, frozen=True, tag_field="type", tag=str.lower, forbid_unknown_fields=True):
    """The base of all: told apart by `type`, the lower-case name of its class."""


class Enter(Said, frozen=True):
    """The first message: the PIN of somebody new, or the token of somebody who comes back."""

    pin: str = ""
    token: str = ""
    lang: str = "en"
    readings: tuple[float, ...] = ()
    """`performance.now()` again and again: how coarse it is."""


class Here(Said, frozen=True):
    """Each second, while the script runs."""

    now: float
    """`performance.now()`."""
    date: float
    """`Date.now()`."""
    seen: bool
    """Whether somebody can see the page."""


class Anew(Said, frozen=True):
    """The page was hidden, shown again, or slept: nothing asked before `now` says anything any more."""

    now: float


class Time(Said, frozen=True):
    """What time is it? `t0` is when it was asked."""

    n: int
    t0: float


class Timed(Said, frozen=True):
    """The answer to question `n` came at `t3`."""

    n: int
    t3: float


class Ask(Said, frozen=True):
    """May this phone have that chair?"""

    chair: Chair


class Press(Said, frozen=True):
    """A finger touched a button; `choice`: which, where the offer has several."""

    offer: int
    at: float
    choice: int | None = None


class Wonder(Said, frozen=True):
    """Why? or: what may I do?"""

    about: About


class Leave(Said, frozen=True):
    """The chair is given back."""


FromPhone = Enter | Here | Anew | Time | Timed | Ask | Press | Wonder | Leave
_from_phone: msgspec.json.Decoder[FromPhone] = msgspec.json.Decoder(FromPhone)


def heard(text: str | bytes) -> FromPhone:
    """What a script said; `msgspec.MsgspecError` or `RecursionError` where it is none of the list."""
    return _from_phone.decode(text)


def nanos(milliseconds: float) -> Nanos:
    """A script's instant as whole nanoseconds; one that is no number or out of all bounds is 0."""
    return round(milliseconds * MS) if math.isfinite(milliseconds) and abs(milliseconds) < 1e13 else 0
