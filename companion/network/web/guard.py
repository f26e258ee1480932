"""Access rules of the page: local addresses, literal hosts, one origin, a PIN, few connections."""

import hmac
import secrets
from collections.abc import Callable, Mapping
from ipaddress import AddressValueError, IPv4Address, IPv4Network

from starlette.types import Message, Send

from companion.core.actions import SECOND, Micros
from companion.core.clock import monotonic_ns
from companion.core.phone_clock import MS, Nanos
from companion.network.messages import BrowserProblem, BrowserProblemKind

LOCAL_NETWORKS = tuple(
    IPv4Network(net)
    for net in ("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16")
)
"""Loopback, RFC 1918 and link-local: the house's own network. There is no IPv6."""
MAX_WRONG_PER_ADDRESS = 5
"""Wrong PINs of one address within `LOCKOUT_TIME` before it has to wait."""
MAX_WRONG_TOTAL = 30
"""Wrong PINs of everybody until the PIN changes."""
LOCKOUT_TIME: Micros = 60 * SECOND
MAX_CONNECTIONS_PER_ADDRESS = 24
"""Connections of one address that wait or ask: a browser opens six for each of its windows."""

WARNING_INTERVAL: Nanos = 60_000 * MS
"""Nanoseconds between two equal remarks to the table."""
MAX_CUT_OFF_ADDRESSES = 256
"""Addresses that were cut off and have not come back; the oldest is forgotten first."""


def is_local_address(address: str) -> bool:
    """Whether an address is of the house's own network."""
    try:
        known = IPv4Address(address)
    except AddressValueError:
        return False
    return any(known in net for net in LOCAL_NETWORKS)


def is_literal_host(host: str, port: int) -> bool:
    """Whether a Host header names this machine by a near address, and its port: no name can be rebound."""
    name, _, said = host.partition(":")
    if said != str(port) and not (said == "" and port == 80):
        return False
    return name == "localhost" or is_local_address(name)


def is_same_origin(origin: str | None, host: str, scheme: str = "http") -> bool:
    """Whether a script of this very page opened the connection; without an Origin it was no browser's."""
    return origin == f"{scheme}://{host}"


def with_headers(send: Send, added: Mapping[str, str]) -> Send:
    """Sends an answer with these headers, but for those that it has already."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            had = {name.lower() for name, _ in message["headers"]}
            more = [(name.lower().encode(), value.encode()) for name, value in added.items()]
            message["headers"] = [*message["headers"], *(one for one in more if one[0] not in had)]
        await send(message)

    return send_with_headers


class LoginThrottle:
    """Who guessed a PIN wrong lately, address by address."""

    def __init__(self, now: Callable[[], Micros]) -> None:
        self._now = now
        self._wrong: dict[str, list[Micros]] = {}

    def must_wait(self, address: str) -> bool:
        """Whether this address has to wait."""
        return self.failures(address) >= MAX_WRONG_PER_ADDRESS

    def failures(self, address: str) -> int:
        """How often this address guessed wrong lately."""
        now = self._now()
        self._wrong = {
            one: kept
            for one, at in self._wrong.items()
            if (kept := [instant for instant in at if now - instant < LOCKOUT_TIME])
        }
        return len(self._wrong.get(address, ()))

    def record_failure(self, address: str) -> None:
        """This address guessed wrong."""
        self._wrong.setdefault(address, []).append(self._now())


class PagePin:
    """The PIN of this opening, and who guessed wrong."""

    def __init__(self, now: Callable[[], Micros]) -> None:
        self._throttle = LoginThrottle(now)
        self._all = 0
        self._failures = 0
        self.on_guessing: Callable[[], object] = lambda: None
        """Called when so many were wrong, or came from an address that has to wait: a browser guesses."""
        self.pin = ""
        self.renew()

    def renew(self) -> None:
        """Another PIN than before; those who watch go on watching."""
        before = self.pin
        while self.pin == before:
            self.pin = f"{secrets.randbelow(1_000_000):06}"
        self._all = self._failures = 0

    def pin_refusal(self, address: str, pin: str) -> str:
        """Why a PIN is refused: `wrong`, or `rest` while this address has to wait; empty: it is right."""
        rests = self._throttle.must_wait(address)
        if not rests and hmac.compare_digest(pin.encode(), self.pin.encode()):
            return ""
        self._failures += 1
        if self._failures == MAX_WRONG_TOTAL:
            self.on_guessing()
        if rests:
            return "rest"
        self._throttle.record_failure(address)
        self._all += 1
        if self._all >= MAX_WRONG_TOTAL:
            self.renew()
        return "wrong"


class BrowserWarnings:
    """What is wrong with browsers: told to the table, and to a browser that was cut off once it is back."""

    def __init__(self, now: Callable[[], Nanos] = monotonic_ns) -> None:
        self._now = now
        self._last_sent: dict[BrowserProblemKind, Nanos] = {}
        self._cut_off_reasons: dict[str, BrowserProblemKind] = {}
        self.send: Callable[[BrowserProblem], bool] = lambda _: False
        """Tells the table; whether there is one."""

    def report(self, what: BrowserProblemKind) -> None:
        """Have the table told, if it was not lately."""
        now = self._now()
        last_sent = self._last_sent.get(what)
        if (last_sent is None or now - last_sent >= WARNING_INTERVAL) and self.send(BrowserProblem(what)):
            self._last_sent[what] = now

    def report_cut_off(self, address: str, why: BrowserProblemKind) -> None:
        """A connection of this address was ended."""
        self.report(why)
        self._cut_off_reasons.pop(address, None)
        self._cut_off_reasons[address] = why
        if len(self._cut_off_reasons) > MAX_CUT_OFF_ADDRESSES:
            del self._cut_off_reasons[next(iter(self._cut_off_reasons))]

    def take_cut_off_reason(self, address: str) -> BrowserProblemKind | None:
        """Why this address was cut off, said once."""
        return self._cut_off_reasons.pop(address, None)
