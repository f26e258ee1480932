"""Refuses requests to the desk unless they come from a local address, name a known host and, for forms, come
from the desk's own pages.
"""

from collections.abc import Collection
from types import MappingProxyType
from urllib.parse import urlsplit

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from companion.network.web.guard import is_literal_host, is_local_address, with_headers
from companion.network.web.web_app import MAX_URL_BYTES, SECURITY_HEADERS

CONTENT_POLICY = (
    "default-src 'self'; connect-src 'self'; img-src 'self'; script-src 'self'; style-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"
)
DESK_HEADERS = MappingProxyType(
    {"Cache-Control": "no-store", "Content-Security-Policy": CONTENT_POLICY, "Referrer-Policy": "same-origin"}
)
"""Headers that differ from the page's: without a referrer, a form would not say from which page it comes."""


class DeskGuard:
    """Refuses what no browser of the club's own network would send, and adds the headers."""

    def __init__(self, app: ASGIApp, port: int, names: Collection[str] = ()) -> None:
        """`names`: hosts by which the desk is reached besides addresses.

        By TLS any host is answered: the browser has compared it with the certificate.
        """
        self._app = app
        self._port = port
        self._names = frozenset(name.lower() for name in names)

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
        if not is_local_address((scope.get("client") or ("", 0))[0]):
            return "This desk answers the club's own network only."
        named = scope["scheme"] == "https" or host.partition(":")[0].lower() in self._names
        if not named and not is_literal_host(host, self._port):
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
