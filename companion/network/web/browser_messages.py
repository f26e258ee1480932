"""Messages that a player's browser sends, with times of its own clocks in milliseconds."""

import math

import msgspec
from msgspec import Struct

from companion.core.actions import Chair
from companion.core.phone_clock import MS, Nanos
from companion.network.messages import QuestionTopic

MAX_CLOCK_READINGS = 64


class BrowserMessage(Struct, frozen=True, tag_field="type", tag=str.lower, forbid_unknown_fields=True):
    """The base of all: told apart by `type`, the lower-case name of its class."""


class BrowserEnter(BrowserMessage, frozen=True, tag="enter"):
    """The first message: the PIN of somebody new, or the token of somebody who comes back."""

    pin: str = ""
    token: str = ""
    lang: str = "en"
    readings: tuple[float, ...] = ()
    """`performance.now()` again and again: how coarse it is."""


class Heartbeat(BrowserMessage, frozen=True, tag="here"):
    """Each second, while the script runs."""

    now: float
    """`performance.now()`."""
    date: float
    """`Date.now()`."""
    seen: bool
    """Whether somebody can see the page."""


class ClockReset(BrowserMessage, frozen=True, tag="anew"):
    """The page was hidden, shown again, or slept: nothing asked before `now` says anything any more."""

    now: float


class TimeQuestion(BrowserMessage, frozen=True, tag="time"):
    """What time is it? `t0` is when it was asked."""

    n: int
    t0: float


class TimeReceipt(BrowserMessage, frozen=True, tag="timed"):
    """The answer to question `n` came at `t3`."""

    n: int
    t3: float


class BrowserChairRequest(BrowserMessage, frozen=True, tag="ask"):
    """May this phone have that chair? `name`: what its player wants to be called at the table."""

    chair: Chair
    name: str = ""


class BrowserPress(BrowserMessage, frozen=True, tag="press"):
    """A finger touched a button; `choice`: which, where the offer has several."""

    offer: int
    at: float
    choice: int | None = None


class BrowserQuestion(BrowserMessage, frozen=True, tag="wonder"):
    """Why? or: what may I do?"""

    about: QuestionTopic


class BrowserLeave(BrowserMessage, frozen=True, tag="leave"):
    """The chair is given back."""


FromPhone = (
    BrowserEnter
    | Heartbeat
    | ClockReset
    | TimeQuestion
    | TimeReceipt
    | BrowserChairRequest
    | BrowserPress
    | BrowserQuestion
    | BrowserLeave
)
_from_phone: msgspec.json.Decoder[FromPhone] = msgspec.json.Decoder(FromPhone)


def decode_browser_message(text: str | bytes) -> FromPhone:
    """What a script said; `msgspec.MsgspecError` or `RecursionError` where it is none of the list."""
    return _from_phone.decode(text)


def to_nanoseconds(milliseconds: float) -> Nanos:
    """A script's instant as whole nanoseconds; one that is no number or out of all bounds is 0."""
    return round(milliseconds * MS) if math.isfinite(milliseconds) and abs(milliseconds) < 1e13 else 0
