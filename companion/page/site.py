"""The pages and the live connection, as one ASGI application behind its guard."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

import msgspec
from msgspec import Struct
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from companion.core.actions import Micros
from companion.games import languages
from companion.page import files
from companion.page.audience import Audience, Watcher
from companion.page.guard import Pins, literal, near, same_origin, with_headers
from companion.page.keys import Keys
from companion.page.live import CLOSED_FULL, CLOSED_SLOW, CLOSED_WRONG, GONE, send, until_one_ends
from companion.page.overlay import Overlay
from companion.ui.language import Language

LONGEST_ASKED = 256
"""Bytes of a path, and of a query."""
GREETS_WITHIN_S = 5.0
"""A browser that has opened the live connection says by then what it wants."""
MOST_SAID = 20
"""Messages that one live connection may send: after its first there is nothing more to say."""
ALWAYS: Mapping[str, str] = {
    "Cache-Control": "no-cache",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


def policy(host: str, path: str = "/") -> str:
    """The Content-Security-Policy: nothing from elsewhere, and only our own live connection.

    The pictures of a recap come in its page, which only its owner gets.
    """
    pictures = "'self' data:" if path.startswith("/recap") else "'self'"
    return (
        f"default-src 'self'; connect-src 'self' ws://{host}; img-src {pictures}; script-src 'self'; "
        "style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'"
    )


class Watch(Struct, frozen=True, tag_field="type", tag="watch", forbid_unknown_fields=True):
    """The first and only thing that a watching browser says."""

    pin: str
    lang: str = "en"


class Refusal(Struct, frozen=True, tag_field="type", tag="no"):
    """Why nothing is shown, in the browser's language."""

    why: str
    """A word of `ui.page.no`."""
    text: str


class Guarded:
    """Lets near peers with a literal host through, adds the headers, and takes nothing but GET and HEAD."""

    def __init__(self, app: ASGIApp, port: int) -> None:
        self._app = app
        self._port = port

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        heads = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        host, peer = heads.get("host", ""), (scope.get("client") or ("", 0))[0]
        wrong = self._refused(scope, host, peer, heads.get("origin"))
        if wrong and scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        added = {
            **ALWAYS,
            "Content-Security-Policy": policy(host, scope["path"]) if not wrong else policy("localhost"),
        }

        if wrong:
            await PlainTextResponse(wrong, status_code=403)(scope, receive, with_headers(send, added))
        elif scope["type"] == "websocket":
            await self._app(scope, receive, send)
        else:
            await self._app(scope, receive, with_headers(send, added))

    def _refused(self, scope: Scope, host: str, peer: str, origin: str | None) -> str:
        """Why this request is not answered; empty where it is."""
        if not near(peer):
            return "This page answers the table's own network only."
        if not literal(host, self._port):
            return "Use the address that the table shows."
        if len(scope["path"]) > LONGEST_ASKED or len(scope["query_string"]) > LONGEST_ASKED:
            return "That is too long."
        if scope["type"] == "websocket" and not same_origin(origin, host):
            return "Only the table's own page may watch."
        return ""


class Site:
    """What the routes answer with."""

    def __init__(self, audience: Audience, pins: Pins, keys: Keys) -> None:
        self._audience = audience
        self._pins = pins
        self._codes = languages.codes()
        self._overlay = Overlay(audience, keys, self._codes)
        self._pages = files.pages()
        self._static = files.static()
        self._pictures = files.pictures()

    def routes(self) -> list[Route | WebSocketRoute]:
        return [
            *(Route(path, self._page) for path in files.PAGES),
            *(Route(f"{path}/{{number:int}}", self._page) for path in files.OF_A_GAME),
            *(Route(path, self._file) for path in self._static),
            Route("/art/{name}", self._picture),
            Route("/overlay/events", self._overlay.answer),
            WebSocketRoute("/live", self._live),
        ]

    async def _page(self, request: Request) -> Response:
        asked = request.query_params.get("lang", "")
        wanted = asked if asked in self._codes else request.headers.get("accept-language", "")
        code = files.spoken_here(wanted, self._codes)
        path = "/" + request.url.path.split("/")[1]
        name = self._audience.called(code, request.headers.get("host", ""))
        answer = _answer(request, files.named(self._pages[path, code], name))
        answer.headers["Vary"] = "Accept-Language"
        return answer

    async def _file(self, request: Request) -> Response:
        return _answer(request, self._static[request.url.path])

    async def _picture(self, request: Request) -> Response:
        file = self._pictures.get(request.path_params["name"])
        if file is None:
            return PlainTextResponse("There is no such picture.", status_code=404)
        return FileResponse(file, headers={"Cache-Control": "max-age=86400"})

    async def _live(self, socket: WebSocket) -> None:
        await socket.accept()
        watcher = await self._admitted(socket)
        if watcher is None:
            return
        try:
            await until_one_ends(send(socket, watcher), _listen(socket), watcher.slow.wait())
        finally:
            self._audience.leave(watcher)
        with suppress(*GONE):
            await socket.close(CLOSED_SLOW if watcher.slow.is_set() else 1000)

    async def _admitted(self, socket: WebSocket) -> Watcher | None:
        """The watcher, if its PIN is right and there is room."""
        try:
            said = await asyncio.wait_for(socket.receive_text(), GREETS_WITHIN_S)
            wish = msgspec.json.decode(said, type=Watch)
        except (TimeoutError, WebSocketDisconnect, msgspec.MsgspecError, RecursionError, KeyError):
            with suppress(*GONE):
                await socket.close(1008)
            return None
        code = wish.lang if wish.lang in self._codes else "en"
        assert socket.client is not None
        why = self._pins.tried(socket.client.host, wish.pin)
        if not why and not self._audience.full:
            return self._audience.come(code, socket.client.host)
        if why != "rest":
            self._audience.remarks.note("stranger" if why else "crowd")
        table = self._audience.called(code, socket.headers.get("host", ""))
        words = Language(code)
        text = words.tr(f"ui.page.no.{why}", table=table) if why else words.tr("ui.page.full")
        with suppress(*GONE):
            await socket.send_bytes(msgspec.json.encode(Refusal(why or "full", text)))
            await socket.close(CLOSED_WRONG if why else CLOSED_FULL)
        return None


def _answer(request: Request, known: files.Served) -> Response:
    if request.headers.get("if-none-match") == known.tag:
        return Response(status_code=304, headers={"ETag": known.tag})
    return Response(known.body, headers={"Content-Type": known.kind, "ETag": known.tag})


async def _listen(socket: WebSocket) -> None:
    """Until the browser leaves, or says more than there is to say."""
    for _ in range(MOST_SAID):
        if (await socket.receive())["type"] == "websocket.disconnect":
            return


def site(
    audience: Audience,
    *,
    now: Callable[[], Micros],
    port: int,
    pins: Pins | None = None,
    keys: Keys | None = None,
    reading: Callable[[], Any] | None = None,
    more: Sequence[BaseRoute] = (),
) -> ASGIApp:
    """The whole application, with `more` routes; `reading` gives what runs beside it as long as it serves."""

    @asynccontextmanager
    async def beside(app: Starlette) -> AsyncIterator[None]:
        task = None if reading is None else asyncio.ensure_future(reading())
        yield
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    routes = [*Site(audience, pins or Pins(now), keys or Keys()).routes(), *more]
    return Guarded(Starlette(routes=routes, lifespan=beside), port)
