"""The owner's pages: the owner's PIN shows games that are over, and how each part of the table is.

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
from companion.doors.messages import FromTable, Look, Looked, NotShown, Shown, ToTable
from companion.games import languages
from companion.page.guard import Tries
from companion.page.keys import Keys
from companion.page.live import GONE
from companion.ui.language import Language

log = logging.getLogger(__name__)

ASKS_WITHIN_S = 5.0
MOST_ASKED = 40
"""Wishes of one connection."""
IDLE_S = 900.0
"""A connection that asks for nothing so long is closed."""
ANSWERS_WITHIN_S = 100.0
BUSY_S = 1.0
"""From one try to the next while the table makes something else."""
MOST_BUSY = 10
SAID: Mapping[str, str] = {
    "pin": "ui.page.wrong",
    "rest": "ui.page.no.rest",
    "busy": "ui.page.busy",
    "none": "ui.page.no_game",
    "not_over": "ui.page.not_over",
    "failed": "ui.page.failed",
    "away": "ui.page.away",
}


class Wish(Struct, frozen=True, tag_field="type", tag="look", forbid_unknown_fields=True):
    """What an owner's browser asks for."""

    pin: str
    what: Looked
    number: int = 0
    lang: str = "en"
    renew: bool = False
    """With `stream`: another address first."""


class Owners:
    """Asks the table for one thing after another, and puts its pieces together."""

    def __init__(
        self, say: Callable[[ToTable], bool], now: Callable[[], Micros], keys: Keys | None = None
    ) -> None:
        """`say` tells the table something, and whether there is one; `keys`: the stream's."""
        self._keys = keys or Keys()
        self._say = say
        self._tries = Tries(now)
        self._codes = languages.codes()
        self._one = asyncio.Lock()
        self._waits: dict[str, asyncio.Future[Shown | NotShown | None]] = {}

    def routes(self) -> list[WebSocketRoute]:
        return [WebSocketRoute("/owner", self._serve)]

    def heard(self, message: FromTable | None) -> None:
        """An answer of the table; None: it went away."""
        if message is None:
            for waiting in self._waits.values():
                if not waiting.done():
                    waiting.set_result(None)
        elif isinstance(message, Shown | NotShown):
            asked = self._waits.get(message.ask)
            if asked is not None and not asked.done():
                asked.set_result(message)

    async def _serve(self, socket: WebSocket) -> None:
        await socket.accept()
        assert socket.client is not None
        with suppress(*GONE, TimeoutError, msgspec.MsgspecError, RecursionError, KeyError):
            for place in range(MOST_ASKED):
                patience = IDLE_S if place else ASKS_WITHIN_S
                said = await asyncio.wait_for(socket.receive_text(), patience)
                wish = msgspec.json.decode(said, type=Wish)
                if not await self._fulfil(socket, wish, socket.client.host):
                    break
        with suppress(*GONE):
            await socket.close(1000)

    async def _fulfil(self, socket: WebSocket, wish: Wish, address: str) -> bool:
        """Show it, or say why not; whether this browser may ask on."""
        code = wish.lang if wish.lang in self._codes else "en"

        async def far(part: int, parts: int) -> None:
            await socket.send_bytes(msgspec.json.encode({"type": "making", "part": part, "parts": parts}))

        if self._tries.rests(address):
            found = "rest"
        else:
            look = Look("", wish.pin, wish.what, max(0, wish.number), code)
            made = await self._looked(look, far)
            if isinstance(made, Raw) and wish.what == "stream":
                made = self._stream(socket.headers.get("host", ""), renew=wish.renew)
            if isinstance(made, Raw):
                await socket.send_bytes(
                    msgspec.json.encode({"type": "shown", "what": wish.what, "told": made})
                )
                return True
            found = made
        if found == "pin":
            self._tries.wrong(address)
        text = Language(code).tr(SAID[found])
        await socket.send_bytes(msgspec.json.encode({"type": "no", "why": found, "text": text}))
        return found not in {"pin", "rest"}

    def _stream(self, host: str, *, renew: bool) -> Raw | str:
        """Where the overlay is, as this browser reaches the page."""
        try:
            key = self._keys.renew() if renew else self._keys.key or self._keys.renew()
        except CompanionError as trouble:
            log.warning("%s", trouble)
            return "failed"
        return Raw(msgspec.json.encode({"address": f"http://{host}/overlay?key={key}"}))

    async def _looked(self, look: Look, far: Callable[[int, int], Awaitable[object]]) -> Raw | str:
        """The whole of it as JSON, or why there is none."""
        pieces: list[str] = []
        parts, busy = 1, 0
        async with self._one:
            while len(pieces) < parts:
                answer = await self._asked(look, len(pieces))
                match answer:
                    case None:
                        return "away"
                    case NotShown(why="busy") if busy < MOST_BUSY:
                        busy += 1
                        await asyncio.sleep(BUSY_S)
                    case NotShown():
                        return answer.why
                    case Shown():
                        pieces.append(answer.data)
                        parts = answer.parts
                        await far(len(pieces), parts)
        return Raw("".join(pieces).encode())

    async def _asked(self, look: Look, part: int) -> Shown | NotShown | None:
        """One answer of the table; None: there is no table, or it does not answer."""
        ask = secrets.token_hex(8)
        waiting: asyncio.Future[Shown | NotShown | None] = asyncio.get_running_loop().create_future()
        self._waits[ask] = waiting
        try:
            if not self._say(msgspec.structs.replace(look, ask=ask, part=part)):
                return None
            async with asyncio.timeout(ANSWERS_WITHIN_S):
                return await waiting
        except TimeoutError:
            return None
        finally:
            del self._waits[ask]
