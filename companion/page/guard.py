"""Who may read the page: near addresses, literal hosts, one origin, the PIN, and so many at a time."""

import hmac
import secrets
from collections.abc import Callable, Mapping
from ipaddress import AddressValueError, IPv4Address, IPv4Network

from starlette.types import Message, Send

from companion.core.actions import SECOND, Micros
from companion.core.clock import monotonic_ns
from companion.doors.messages import Remark, Remarked
from companion.phones.clock import MS, Nanos

NEAR = tuple(
    IPv4Network(net)
    for net in ("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16")
)
"""Loopback, RFC 1918 and link-local: the house's own network. There is no IPv6."""
WRONG_EACH = 5
"""Wrong PINs of one address within `REST` before it has to wait."""
WRONG_ALL = 30
"""Wrong PINs of everybody until the PIN changes."""
REST: Micros = 60 * SECOND
MOST_EACH = 24
"""Connections of one address that wait or ask: a browser opens six for each of its windows."""

AGAIN: Nanos = 60_000 * MS
"""Nanoseconds between two equal remarks to the table."""
MOST_CUT_OFF = 256
"""Addresses that were cut off and have not come back; the oldest is forgotten first."""


def near(address: str) -> bool:
    """Whether an address is of the house's own network."""
    try:
        known = IPv4Address(address)
    except AddressValueError:
        return False
    return any(known in net for net in NEAR)


def literal(host: str, port: int) -> bool:
    """Whether a Host header names this machine by a near address, and its port: no name can be rebound."""
    name, _, said = host.partition(":")
    if said != str(port) and not (said == "" and port == 80):
        return False
    return name == "localhost" or near(name)


def same_origin(origin: str | None, host: str) -> bool:
    """Whether a script of this very page opened the connection; without an Origin it was no browser's."""
    return origin == f"http://{host}"


def with_headers(send: Send, added: Mapping[str, str]) -> Send:
    """Sends an answer with these headers, but for those that it has already."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            had = {name.lower() for name, _ in message["headers"]}
            more = [(name.lower().encode(), value.encode()) for name, value in added.items()]
            message["headers"] = [*message["headers"], *(one for one in more if one[0] not in had)]
        await send(message)

    return sent


class Tries:
    """Who guessed a PIN wrong lately, address by address."""

    def __init__(self, now: Callable[[], Micros]) -> None:
        self._now = now
        self._wrong: dict[str, list[Micros]] = {}

    def rests(self, address: str) -> bool:
        """Whether this address has to wait."""
        now = self._now()
        self._wrong = {
            one: kept
            for one, at in self._wrong.items()
            if (kept := [instant for instant in at if now - instant < REST])
        }
        return len(self._wrong.get(address, ())) >= WRONG_EACH

    def wrong(self, address: str) -> None:
        """This address guessed wrong."""
        self._wrong.setdefault(address, []).append(self._now())


class Pins:
    """The PIN of this opening, and who guessed wrong."""

    def __init__(self, now: Callable[[], Micros]) -> None:
        self._tries = Tries(now)
        self._all = 0
        self._vain = 0
        self.guessed: Callable[[], object] = bool
        """Called when so many were wrong, or came from an address that has to wait: a browser guesses."""
        self.pin = ""
        self.renew()

    def renew(self) -> None:
        """Another PIN than before; those who watch go on watching."""
        before = self.pin
        while self.pin == before:
            self.pin = f"{secrets.randbelow(1_000_000):06}"
        self._all = self._vain = 0

    def tried(self, address: str, pin: str) -> str:
        """Empty where it is right; else why not: `wrong`, or `rest` while this address has to wait."""
        rests = self._tries.rests(address)
        if not rests and hmac.compare_digest(pin.encode(), self.pin.encode()):
            return ""
        self._vain += 1
        if self._vain == WRONG_ALL:
            self.guessed()
        if rests:
            return "rest"
        self._tries.wrong(address)
        self._all += 1
        if self._all >= WRONG_ALL:
            self.renew()
        return "wrong"


class Remarks:
    """What is wrong with browsers: told to the table, and to a browser that was cut off once it is back."""

    def __init__(self, now: Callable[[], Nanos] = monotonic_ns) -> None:
        self._now = now
        self._told: dict[Remark, Nanos] = {}
        self._cut: dict[str, Remark] = {}
        self.say: Callable[[Remarked], bool] = lambda _: False
        """Tells the table; whether there is one."""

    def note(self, what: Remark) -> None:
        """Have the table told, if it was not lately."""
        now = self._now()
        told = self._told.get(what)
        if (told is None or now - told >= AGAIN) and self.say(Remarked(what)):
            self._told[what] = now

    def cut_off(self, address: str, why: Remark) -> None:
        """A connection of this address was ended."""
        self.note(why)
        self._cut.pop(address, None)
        self._cut[address] = why
        if len(self._cut) > MOST_CUT_OFF:
            del self._cut[next(iter(self._cut))]

    def back(self, address: str) -> Remark | None:
        """Why this address was cut off, said once."""
        return self._cut.pop(address, None)
