"""Refuses requests to the desk unless they come from a known network, name a known host and, for forms, come
from the desk's own pages.
"""

from collections import Counter
from collections.abc import AsyncIterator, Collection, Iterable
from contextlib import asynccontextmanager
from heapq import heapify, heappop, heappush
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from itertools import count
from types import MappingProxyType
from urllib.parse import urlsplit

import anyio
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from companion.core.errors import InputError
from companion.network.web.guard import LOCAL_NETWORKS, with_headers
from companion.network.web.web_app import MAX_URL_BYTES, SECURITY_HEADERS

CONTENT_POLICY = (
    "default-src 'self'; connect-src 'self'; img-src 'self'; script-src 'self'; style-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"
)
DESK_HEADERS = MappingProxyType(
    {"Cache-Control": "no-store", "Content-Security-Policy": CONTENT_POLICY, "Referrer-Policy": "same-origin"}
)
"""Headers that differ from the page's: without a referrer, a form would not say from which page it comes."""


Network = IPv4Network | IPv6Network
PRIVATE_NETWORKS: tuple[Network, ...] = (
    *LOCAL_NETWORKS,
    IPv6Network("::1/128"),
    IPv6Network("fe80::/10"),
    IPv6Network("fc00::/7"),
)
"""Loopback, link-local, RFC 1918 and RFC 4193."""


def parse_networks(named: Iterable[str]) -> tuple[Network, ...]:
    """Addresses and networks as people write them; raises `InputError` for one that is none."""
    try:
        return tuple(ip_network(one, strict=False) for one in named)
    except ValueError as trouble:
        raise InputError(f"{trouble}: write an address, or a network like 100.64.0.0/10") from trouble


def is_of(address: str, networks: Collection[Network]) -> bool:
    """Whether an address is of one of these networks; an IPv4 address within IPv6 is that address."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    found = (found.ipv4_mapped or found) if isinstance(found, IPv6Address) else found
    return any(found in network for network in networks)


class DeskGuard:
    """Refuses what no browser of the club's own network would send, and adds the headers."""

    def __init__(
        self, app: ASGIApp, port: int, names: Collection[str] = (), networks: Collection[Network] = ()
    ) -> None:
        """`names`: hosts by which the desk is reached besides addresses; `networks`: whose addresses are
        answered besides those of private networks.

        By TLS any host is answered: the browser has compared it with the certificate.
        """
        self._app = app
        self._port = port
        self._names = frozenset(name.lower() for name in names)
        self._networks = (*PRIVATE_NETWORKS, *networks)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        heads = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        wrong = self._refusal_reason(scope, heads)
        answer = with_headers(send, {**SECURITY_HEADERS, **DESK_HEADERS})
        if wrong:
            await PlainTextResponse(wrong, status_code=403)(scope, receive, answer)
        else:
            await self._app(scope, receive, answer)

    def _refusal_reason(self, scope: Scope, heads: dict[str, str]) -> str:
        """Why this request is not answered; empty where it is."""
        host = heads.get("host", "")
        if not is_of((scope.get("client") or ("", 0))[0], self._networks):
            return "This desk answers the club's own network only. Others: companion desk --network"
        named = scope["scheme"] == "https" or host.partition(":")[0].lower() in self._names
        if not named and not self._is_address(host):
            return "Use the address that the desk printed when it started."
        if len(scope["path"]) > MAX_URL_BYTES or len(scope["query_string"]) > MAX_URL_BYTES:
            return "That is too long."
        origin = urlsplit(heads.get("origin", ""))
        if scope["method"] not in {"GET", "HEAD"} and (origin.scheme, origin.netloc) != (
            scope["scheme"],
            host,
        ):
            return "Only the desk's own pages may change something."
        return ""

    def _is_address(self, host: str) -> bool:
        """Whether a Host header names this machine by an address, and its port: no name can be rebound."""
        try:
            at = urlsplit(f"//{host}")
            name, port = at.hostname or "", at.port or 80
        except ValueError:
            return False
        return port == self._port and (name == "localhost" or is_of(name, self._networks))


MAX_OF_ONE_SOURCE = 3
"""Passwords of one source that wait or are compared; one more is refused, so that connections remain."""


class PasswordQueue:
    """Lets a few at a time through; next is whoever was wrong least and asks least at the same time.

    Among equals it is the latest, so that nobody waits for a wave of guesses from addresses that are new.
    """

    def __init__(self, parallel: int) -> None:
        self._free = parallel
        self._waiting: list[tuple[int, int, anyio.Event]] = []
        """Rank, arrival (the latest is the least) and what tells of the turn, as a heap."""
        self._arrivals = count()
        self._asking: Counter[str] = Counter()

    def is_crowded(self, source: str) -> bool:
        """Whether so many of this source wait already that one more is refused."""
        return self._asking[source] >= MAX_OF_ONE_SOURCE

    @asynccontextmanager
    async def turn(self, source: str, wrong: int) -> AsyncIterator[None]:
        """Wait for a turn and hold it. `wrong`: how many passwords of this source were wrong lately."""
        rank = wrong + self._asking[source]
        self._asking[source] += 1
        try:
            await self._wait(rank)
            try:
                yield
            finally:
                self._pass_on()
        finally:
            self._asking[source] -= 1
            self._asking += Counter()  # keeps only those who ask

    async def _wait(self, rank: int) -> None:
        if self._free:
            self._free -= 1
            return
        place = rank, -next(self._arrivals), anyio.Event()
        heappush(self._waiting, place)
        try:
            await place[2].wait()
        except BaseException:
            if place[2].is_set():
                self._pass_on()
            else:
                self._waiting.remove(place)
                heapify(self._waiting)
            raise

    def _pass_on(self) -> None:
        if self._waiting:
            heappop(self._waiting)[2].set()
        else:
            self._free += 1
