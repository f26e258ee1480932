"""ASGI application of the page: its routes, its live connection and its security headers."""

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
from companion.language import installed_languages
from companion.language.language import Language
from companion.network.web import static_files
from companion.network.web.audience import (
    CLOSED_FULL,
    CLOSED_SLOW,
    CLOSED_WRONG,
    DISCONNECT_ERRORS,
    Audience,
    BrowserWatcher,
    run_until_first_ends,
    send_line,
    send_queued,
)
from companion.network.web.guard import (
    PagePin,
    is_literal_host,
    is_local_address,
    is_same_origin,
    with_headers,
)
from companion.network.web.overlay import Overlay, OverlayKey

MAX_URL_BYTES = 256
"""Bytes of a path, and of a query."""
GREETING_TIMEOUT_S = 5.0
"""A browser that has opened the live connection says by then what it wants."""
MAX_MESSAGES = 20
"""Messages that one live connection may send: after its first there is nothing more to say."""
SECURITY_HEADERS: Mapping[str, str] = {
    "Cache-Control": "no-cache",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


def content_security_policy(host: str, path: str = "/", *, scheme: str = "http") -> str:
    """The Content-Security-Policy: nothing from elsewhere, and only our own live connection.

    The pictures of a recap come in its page, which only its owner gets.
    """
    pictures = "'self' data:" if path.startswith("/recap") else "'self'"
    live = "wss" if scheme == "https" else "ws"
    return (
        f"default-src 'self'; connect-src 'self' {live}://{host}; img-src {pictures}; script-src 'self'; "
        "style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'"
    )


def _scheme(scope: Scope) -> str:
    """How the page is reached that asks."""
    return "https" if scope["scheme"] in {"https", "wss"} else "http"


class WatchRequest(Struct, frozen=True, tag_field="type", tag="watch", forbid_unknown_fields=True):
    """The first and only thing that a watching browser says."""

    pin: str
    lang: str = "en"


class WatchRefusal(Struct, frozen=True, tag_field="type", tag="no"):
    """Why nothing is shown, in the browser's language."""

    why: str
    """A word of `ui.page.no`."""
    text: str


class NetworkGuard:
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
        wrong = self._refusal_reason(scope, host, peer, heads.get("origin"))
        if wrong and scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        added = {
            **SECURITY_HEADERS,
            "Content-Security-Policy": content_security_policy(host, scope["path"], scheme=_scheme(scope))
            if not wrong
            else content_security_policy("localhost"),
        }

        if wrong:
            await PlainTextResponse(wrong, status_code=403)(scope, receive, with_headers(send, added))
        elif scope["type"] == "websocket":
            await self._app(scope, receive, send)
        else:
            await self._app(scope, receive, with_headers(send, added))

    def _refusal_reason(self, scope: Scope, host: str, peer: str, origin: str | None) -> str:
        """Why this request is not answered; empty where it is."""
        if not is_local_address(peer):
            return "This page answers the table's own network only."
        if not is_literal_host(host, self._port):
            return "Use the address that the table shows."
        if len(scope["path"]) > MAX_URL_BYTES or len(scope["query_string"]) > MAX_URL_BYTES:
            return "That is too long."
        if scope["type"] == "websocket" and not is_same_origin(origin, host, _scheme(scope)):
            return "Only the table's own page may watch."
        return ""


class WebPages:
    """What the routes answer with."""

    def __init__(self, audience: Audience, pins: PagePin, keys: OverlayKey) -> None:
        self._audience = audience
        self._pins = pins
        self._codes = installed_languages.language_codes()
        self._overlay = Overlay(audience, keys, self._codes)
        self._pages = static_files.load_pages()
        self._static = static_files.load_static_files()
        self._pictures = static_files.find_pictures()

    def routes(self) -> list[Route | WebSocketRoute]:
        return [
            *(Route(path, self._page) for path in static_files.PAGES),
            *(Route(f"{path}/{{number:int}}", self._page) for path in static_files.GAME_PAGES),
            *(Route(path, self._file) for path in self._static),
            Route("/art/{name}", self._picture),
            Route("/overlay/events", self._overlay.handle_request),
            WebSocketRoute("/live", self._live),
        ]

    async def _page(self, request: Request) -> Response:
        asked = request.query_params.get("lang", "")
        wanted = asked if asked in self._codes else request.headers.get("accept-language", "")
        code = static_files.choose_language(wanted, self._codes)
        path = "/" + request.url.path.split("/")[1]
        name = self._audience.table_name(code, request.headers.get("host", ""))
        answer = _static_response(request, static_files.insert_table_name(self._pages[path, code], name))
        answer.headers["Vary"] = "Accept-Language"
        return answer

    async def _file(self, request: Request) -> Response:
        return _static_response(request, self._static[request.url.path])

    async def _picture(self, request: Request) -> Response:
        file = self._pictures.get(request.path_params["name"])
        if file is None:
            return PlainTextResponse("There is no such picture.", status_code=404)
        return FileResponse(file, headers={"Cache-Control": "max-age=86400"})

    async def _live(self, socket: WebSocket) -> None:
        await socket.accept()
        watcher = await self._admit(socket)
        if watcher is None:
            return
        try:
            await run_until_first_ends(
                send_queued(socket, watcher), _wait_for_disconnect(socket), watcher.slow.wait()
            )
        finally:
            self._audience.remove_watcher(watcher)
        with suppress(*DISCONNECT_ERRORS):
            await socket.close(CLOSED_SLOW if watcher.slow.is_set() else 1000)

    async def _admit(self, socket: WebSocket) -> BrowserWatcher | None:
        """The watcher, if its PIN is right and there is room."""
        try:
            said = await asyncio.wait_for(socket.receive_text(), GREETING_TIMEOUT_S)
            wish = msgspec.json.decode(said, type=WatchRequest)
        except (TimeoutError, WebSocketDisconnect, msgspec.MsgspecError, RecursionError, KeyError):
            with suppress(*DISCONNECT_ERRORS):
                await socket.close(1008)
            return None
        code = wish.lang if wish.lang in self._codes else "en"
        assert socket.client is not None
        why = self._pins.pin_refusal(socket.client.host, wish.pin)
        if not why and not self._audience.full:
            return self._audience.add_watcher(code, socket.client.host)
        if why != "rest":
            self._audience.remarks.report("stranger" if why else "crowd")
        table = self._audience.table_name(code, socket.headers.get("host", ""))
        words = Language(code)
        text = words.tr(f"ui.page.no.{why}", table=table) if why else words.tr("ui.page.full")
        with suppress(*DISCONNECT_ERRORS):
            await send_line(socket, msgspec.json.encode(WatchRefusal(why or "full", text)))
            await socket.close(CLOSED_WRONG if why else CLOSED_FULL)
        return None


def _static_response(request: Request, known: static_files.StaticFile) -> Response:
    if request.headers.get("if-none-match") == known.tag:
        return Response(status_code=304, headers={"ETag": known.tag})
    return Response(known.body, headers={"Content-Type": known.kind, "ETag": known.tag})


async def _wait_for_disconnect(socket: WebSocket) -> None:
    """Until the browser leaves, or says more than there is to say."""
    for _ in range(MAX_MESSAGES):
        if (await socket.receive())["type"] == "websocket.disconnect":
            return


def build_web_app(
    audience: Audience,
    *,
    now: Callable[[], Micros],
    port: int,
    pins: PagePin | None = None,
    keys: OverlayKey | None = None,
    reading: Callable[[], Any] | None = None,
    more: Sequence[BaseRoute] = (),
) -> ASGIApp:
    """The whole application, with `more` routes; `reading` gives what runs beside it as long as it serves."""

    @asynccontextmanager
    async def run_beside(app: Starlette) -> AsyncIterator[None]:
        task = None if reading is None else asyncio.ensure_future(reading())
        yield
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    routes = [*WebPages(audience, pins or PagePin(now), keys or OverlayKey()).routes(), *more]
    return NetworkGuard(Starlette(routes=routes, lifespan=run_beside), port)
