"""Whom the desk answers: near addresses, hosts that nobody can rebind, forms of its own pages."""

from collections.abc import Collection
from types import MappingProxyType
from urllib.parse import urlsplit

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from companion.page.guard import literal, near, with_headers
from companion.page.site import ALWAYS, LONGEST_ASKED

POLICY = (
    "default-src 'self'; connect-src 'self'; img-src 'self'; script-src 'self'; style-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"
)
OWN = MappingProxyType(
    {"Cache-Control": "no-store", "Content-Security-Policy": POLICY, "Referrer-Policy": "same-origin"}
)
"""Headers that differ from the page's: without a referrer, a form would not say from which page it comes."""


class Guarded:
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
        wrong = self._refused(scope, heads)
        answer = with_headers(send, {**ALWAYS, **OWN})
        if wrong:
            await PlainTextResponse(wrong, status_code=403)(scope, receive, answer)
        else:
            await self._app(scope, receive, answer)

    def _refused(self, scope: Scope, heads: dict[str, str]) -> str:
        """Why this request is not answered; empty where it is."""
        host = heads.get("host", "")
        if not near((scope.get("client") or ("", 0))[0]):
            return "This desk answers the club's own network only."
        named = scope["scheme"] == "https" or host.partition(":")[0].lower() in self._names
        if not named and not literal(host, self._port):
            return "Use the address that the desk printed when it started."
        if len(scope["path"]) > LONGEST_ASKED or len(scope["query_string"]) > LONGEST_ASKED:
            return "That is too long."
        origin = urlsplit(heads.get("origin", ""))
        if scope["method"] not in {"GET", "HEAD"} and (origin.scheme, origin.netloc) != (
            scope["scheme"],
            host,
        ):
            return "Only the desk's own pages may change something."
        return ""
