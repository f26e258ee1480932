"""Owner's pages: finished games and the state of the table, behind the owner's PIN.

The table compares the PIN and makes what is shown; here wrong ones are counted for each address.
"""

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress

import msgspec
from msgspec import Raw, Struct
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket

from companion.core.actions import Micros
from companion.core.errors import CompanionError
from companion.language import installed_languages
from companion.language.language import Language
from companion.network.messages import (
    FromTable,
    OwnerPage,
    OwnerPageDenied,
    OwnerPagePart,
    OwnerRequest,
    ToTable,
)
from companion.network.web.audience import DISCONNECT_ERRORS, send_line
from companion.network.web.guard import LoginThrottle
from companion.network.web.overlay import OverlayKey

log = logging.getLogger(__name__)

REQUEST_TIMEOUT_S = 5.0
MAX_REQUESTS = 40
"""Wishes of one connection."""
IDLE_TIMEOUT_S = 900.0
"""A connection that asks for nothing so long is closed."""
ANSWER_TIMEOUT_S = 100.0
BUSY_RETRY_S = 1.0
"""From one try to the next while the table makes something else."""
MAX_BUSY_RETRIES = 10
REFUSAL_KEYS: Mapping[str, str] = {
    "pin": "ui.page.wrong",
    "rest": "ui.page.no.rest",
    "busy": "ui.page.busy",
    "none": "ui.page.no_game",
    "not_over": "ui.page.not_over",
    "failed": "ui.page.failed",
    "away": "ui.page.away",
}


class OwnerPageRequest(Struct, frozen=True, tag_field="type", tag="look", forbid_unknown_fields=True):
    """What an owner's browser asks for."""

    pin: str
    what: OwnerPage
    number: int = 0
    lang: str = "en"
    renew: bool = False
    """With `stream`: another address first."""


class OwnerPages:
    """Asks the table for one thing after another, and puts its pieces together."""

    def __init__(
        self, say: Callable[[ToTable], bool], now: Callable[[], Micros], keys: OverlayKey | None = None
    ) -> None:
        """`say` tells the table something, and whether there is one; `keys`: the stream's."""
        self._keys = keys or OverlayKey()
        self._say = say
        self._tries = LoginThrottle(now)
        self._codes = installed_languages.language_codes()
        self._one = asyncio.Lock()
        self._waits: dict[str, asyncio.Future[OwnerPagePart | OwnerPageDenied | None]] = {}

    def routes(self) -> list[WebSocketRoute]:
        return [WebSocketRoute("/owner", self._serve)]

    def handle_message(self, message: FromTable | None) -> None:
        """An answer of the table; None: it went away."""
        if message is None:
            for waiting in self._waits.values():
                if not waiting.done():
                    waiting.set_result(None)
        elif isinstance(message, OwnerPagePart | OwnerPageDenied):
            asked = self._waits.get(message.ask)
            if asked is not None and not asked.done():
                asked.set_result(message)

    async def _serve(self, socket: WebSocket) -> None:
        await socket.accept()
        assert socket.client is not None
        with suppress(*DISCONNECT_ERRORS, TimeoutError, msgspec.MsgspecError, RecursionError, KeyError):
            for place in range(MAX_REQUESTS):
                patience = IDLE_TIMEOUT_S if place else REQUEST_TIMEOUT_S
                said = await asyncio.wait_for(socket.receive_text(), patience)
                wish = msgspec.json.decode(said, type=OwnerPageRequest)
                if not await self._answer_request(socket, wish, socket.client.host):
                    break
        with suppress(*DISCONNECT_ERRORS):
            await socket.close(1000)

    async def _answer_request(self, socket: WebSocket, wish: OwnerPageRequest, address: str) -> bool:
        """Show it, or say why not; whether this browser may ask on."""
        code = wish.lang if wish.lang in self._codes else "en"

        async def far(part: int, parts: int) -> None:
            await send_line(socket, msgspec.json.encode({"type": "making", "part": part, "parts": parts}))

        if self._tries.must_wait(address):
            found = "rest"
        else:
            look = OwnerRequest("", wish.pin, wish.what, max(0, wish.number), code)
            made = await self._fetch_page(look, far)
            if isinstance(made, Raw) and wish.what == "stream":
                made = self._overlay_address(socket, renew=wish.renew)
            if isinstance(made, Raw):
                await send_line(
                    socket, msgspec.json.encode({"type": "shown", "what": wish.what, "told": made})
                )
                return True
            found = made
        if found == "pin":
            self._tries.record_failure(address)
        text = Language(code).tr(REFUSAL_KEYS[found])
        await send_line(socket, msgspec.json.encode({"type": "no", "why": found, "text": text}))
        return found not in {"pin", "rest"}

    def _overlay_address(self, socket: WebSocket, *, renew: bool) -> Raw | str:
        """Where the overlay is, as this browser reaches the page."""
        try:
            key = self._keys.renew() if renew else self._keys.key or self._keys.renew()
        except CompanionError as trouble:
            log.warning("%s", trouble)
            return "failed"
        scheme = "https" if socket.url.scheme == "wss" else "http"
        address = f"{scheme}://{socket.headers.get('host', '')}/overlay?key={key}"
        return Raw(msgspec.json.encode({"address": address}))

    async def _fetch_page(
        self, look: OwnerRequest, far: Callable[[int, int], Awaitable[object]]
    ) -> Raw | str:
        """The whole of it as JSON, or why there is none."""
        pieces: list[str] = []
        parts, busy = 1, 0
        async with self._one:
            while len(pieces) < parts:
                answer = await self._fetch_part(look, len(pieces))
                match answer:
                    case None:
                        return "away"
                    case OwnerPageDenied(why="busy") if busy < MAX_BUSY_RETRIES:
                        busy += 1
                        await asyncio.sleep(BUSY_RETRY_S)
                    case OwnerPageDenied():
                        return answer.why
                    case OwnerPagePart():
                        pieces.append(answer.data)
                        parts = answer.parts
                        await far(len(pieces), parts)
        return Raw("".join(pieces).encode())

    async def _fetch_part(self, look: OwnerRequest, part: int) -> OwnerPagePart | OwnerPageDenied | None:
        """One answer of the table; None: there is no table, or it does not answer."""
        ask = secrets.token_hex(8)
        waiting: asyncio.Future[OwnerPagePart | OwnerPageDenied | None] = (
            asyncio.get_running_loop().create_future()
        )
        self._waits[ask] = waiting
        try:
            if not self._say(msgspec.structs.replace(look, ask=ask, part=part)):
                return None
            async with asyncio.timeout(ANSWER_TIMEOUT_S):
                return await waiting
        except TimeoutError:
            return None
        finally:
            del self._waits[ask]
