"""The desk as one ASGI application: who is logged in, what a form says, and a page for every answer."""

import hmac
import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import parse_qs, quote

import anyio
from anyio import to_thread
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from sqlalchemy import Engine, and_, or_, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, selectinload, sessionmaker
from sqlalchemy.orm.exc import StaleDataError
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response, StreamingResponse

from companion.club import database, model
from companion.club.database import folded
from companion.core.actions import SECOND, Micros
from companion.core.clock import GameClock, later, wall_time
from companion.core.errors import InputError
from companion.desk import logins, words
from companion.desk.evening import Pod, Round
from companion.desk.live import Pulse
from companion.desk.logins import Login
from companion.desk.refusal import Overtaken, Question, Refusal
from companion.desk.telling import versions
from companion.page import files
from companion.page.guard import Tries

log = logging.getLogger(__name__)
COOKIE, LANGUAGE = "desk", "lang"
LONGEST_FORM = 128 * 1024
"""Bytes: two thousand nicknames, one a line."""
MOST_FIELDS = 400
COMING: Micros = 120 * SECOND
"""How long an answered call says who goes."""
SAVED = MappingProxyType({"yes": "desk.saved", "no": "desk.unchanged"})
"""What a page says after a form, by the `saved` of its address."""
UNNAMED = "table"
"""What a table is called that nobody gave a title."""
HASHING_AT_ONCE = 2
"""Passwords that are compared at a time, 64 MB each."""


class Asked(NamedTuple):
    """One request, by somebody who is logged in."""

    request: Request
    session: Session
    login: Login
    say: words.Words
    form: Mapping[str, list[str]]

    def number(self, name: str) -> int:
        """A whole number of the address or of the form; raises `Refusal` for anything else."""
        text = str(self.request.path_params.get(name, "")) or self.text(name)
        if not (text.isascii() and text.isdigit() and len(text) < 10):
            raise Refusal("desk.refused.form")
        return int(text)

    def text(self, name: str) -> str:
        return (self.form.get(name) or [""])[0]

    def be_sure(self, key: str, deed: str, back: str, **parts: str | int) -> None:
        """Raise `Question`, which undoes what was done in this request, unless it was answered already."""
        if self.text("sure") != "yes":
            raise Question(key, deed=deed, back=back, **parts)

    def numbers(self, name: str) -> list[int]:
        """All whole numbers of one field of the form; raises `Refusal` if one is none."""
        found = self.form.get(name, [])
        if not all(one.isascii() and one.isdigit() and len(one) < 10 for one in found):
            raise Refusal("desk.refused.form")
        return [int(one) for one in found]


Page = Callable[[Asked], Response]
Deed = Callable[[Asked], str]
"""Does what a form asks for, and says where the browser goes then."""


class Desk:
    """What all pages have in common."""

    def __init__(self, engine: Engine, *, club: str) -> None:
        self.engine = engine
        self.club = club
        self.writing: sessionmaker[Session] = database.sessions(engine)
        self.reading: sessionmaker[Session] = sessionmaker(engine.execution_options(reads=True))
        self.pulse = Pulse(self._pulse)
        self.secure = False
        """Whether it is served by TLS, so that no cookie goes without."""
        self._words = words.all_words()
        self._tries = Tries(GameClock().now)
        self._hashing = anyio.Semaphore(HASHING_AT_ONCE)
        self._templates = Environment(
            loader=FileSystemLoader(words.FOLDER),
            autoescape=True,
            undefined=StrictUndefined,
            auto_reload=False,
        )
        self._templates.filters |= {"by_name": by_name, "versions": versions}

    def close(self) -> None:
        """Leave the database."""
        self.engine.dispose()

    def _pulse(self) -> int:
        with self.reading() as session:
            return database.pulse(session)

    # Answers

    def say(self, request: Request) -> words.Words:
        code = words.wanted(
            request.query_params.get(LANGUAGE, ""),
            request.cookies.get(LANGUAGE, ""),
            request.headers.get("accept-language", ""),
        )
        return self._words[code]

    def page(self, may: str, shown: Page) -> Callable[[Request], Response]:
        """A page for those who may; the others log in first."""

        def answer(request: Request) -> Response:
            with self.reading() as session:
                login = logins.known(session, request.cookies.get(COOKIE, ""))
                if login is None:
                    return RedirectResponse(f"/login?then={quote(request.url.path)}", status_code=303)
                asked = Asked(request, session, login, self.say(request), {})
                if not login.may(may):
                    return self.refused(asked, Refusal("desk.refused.role"), 403)
                try:
                    answered = shown(asked)
                except Refusal as refusal:
                    return self.refused(asked, refusal, 404)
            if LANGUAGE in request.query_params:
                answered.set_cookie(LANGUAGE, asked.say.code, max_age=31_536_000, samesite="strict")
            return answered

        return answer

    def deed(self, may: str, done: Deed, again: Page) -> Callable[[Request], Any]:
        """What a form does. Where it is refused, `again` shows its page, with what was filled in."""

        async def answer(request: Request) -> Response:
            form = await read_form(request)
            return await to_thread.run_sync(self._do, request, form, may, done, again)

        return answer

    def _do(
        self, request: Request, form: Mapping[str, list[str]], may: str, done: Deed, again: Page
    ) -> Response:
        say, token = self.say(request), request.cookies.get(COOKIE, "")
        with self.reading() as session:
            login = logins.known(session, token)
        if login is None:
            return RedirectResponse("/login", status_code=303)
        try:
            _check(form, login, may)
            with self.writing.begin() as session:
                logins.used(session, token)
                return RedirectResponse(done(Asked(request, session, login, say, form)), status_code=303)
        except Refusal as refusal:
            request.state.refusal = refusal
        except Question as question:
            with self.reading() as session:
                asked = Asked(request, session, login, say, form)
                return self.render("ask.html", asked, question=question)
        except InputError:
            request.state.refusal = Refusal("desk.refused.form")
        except (StaleDataError, IntegrityError):
            request.state.refusal = Overtaken()
        with self.reading() as session:
            asked = Asked(request, session, login, say, form)
            try:
                shown = again(asked)
            except Refusal:
                return self.refused(asked, request.state.refusal, 409)
            shown.status_code = 409
            return shown

    def refused(self, asked: Asked, refusal: Refusal, status: int) -> Response:
        """A page that only says why not."""
        asked.request.state.refusal = refusal
        return self.render("refused.html", asked, status=status)

    def render(self, name: str, asked: Asked, *, status: int = 200, **parts: Any) -> HTMLResponse:
        """A page, with what every page has."""
        text = self.html(
            name,
            say=asked.say,
            login=asked.login,
            given=asked.form,
            saved=SAVED.get(asked.request.query_params.get("saved", "")),
            refusal=getattr(asked.request.state, "refusal", None),
            path=asked.request.url.path,
            called=table_names(asked.session),
            calls=open_calls(asked.session) if asked.login.may("judge") else (),
            **parts,
        )
        return HTMLResponse(text, status_code=status)

    def html(self, name: str, **parts: Any) -> str:
        """A template filled in."""
        return self._templates.get_template(name).render(club=self.club, **parts)

    def away(self, request: Request, trouble: Exception) -> Response:
        """The database does not answer; nobody is left with a bare error."""
        log.warning("The database does not answer: %s", trouble)
        text = self.html("away.html", say=self.say(request), refusal=None, path=request.url.path)
        return HTMLResponse(text, status_code=503)

    # Logging in

    def login_page(self, request: Request, refusal: Refusal | None = None, name: str = "") -> HTMLResponse:
        say, path = self.say(request), request.url.path
        text = self.html("login.html", say=say, refusal=refusal, path=path, typed=name)
        return HTMLResponse(text, status_code=200 if refusal is None else 403)

    async def log_in(self, request: Request) -> Response:
        """Guessing takes time: an address waits after five in a minute, a login after five in a row."""
        form = await read_form(request)
        name, password = (form.get(field, [""])[0] for field in ("name", "password"))
        peer = request.client.host if request.client else ""
        if self._tries.rests(peer):
            return self.login_page(request, Refusal("desk.refused.rest"), name)
        kept, rests = await to_thread.run_sync(self._kept, name)
        async with self._hashing:
            fits = await to_thread.run_sync(logins.fits, kept, password)
        if rests or not fits:
            self._tries.wrong(peer)
            await to_thread.run_sync(self._missed, name)
            refusal = Refusal("desk.refused.rest" if rests else "desk.refused.wrong")
            return self.login_page(request, refusal, name)
        token = await to_thread.run_sync(self._begin, name)
        then = request.query_params.get("then", "/")
        answer = RedirectResponse(then if then.startswith("/") and then[1:2] not in {"/", "\\"} else "/", 303)
        answer.set_cookie(
            COOKIE, token, max_age=logins.LASTS_S, httponly=True, samesite="strict", secure=self.secure
        )
        return answer

    def _kept(self, name: str) -> tuple[str, bool]:
        with self.reading() as session:
            return logins.password_of(session, name), logins.resting(session, name)

    def _missed(self, name: str) -> None:
        with self.writing.begin() as session:
            logins.missed(session, name)

    def _begin(self, name: str) -> str:
        with self.writing.begin() as session:
            return logins.begin(session, name)

    def log_out(self, asked: Asked) -> str:
        logins.end(asked.session, asked.request.cookies.get(COOKIE, ""))
        return "/login"

    # What is live, and what never changes

    async def live(self, request: Request) -> Response:
        token = request.cookies.get(COOKIE, "")

        def still() -> bool:
            with self.reading() as session:
                return logins.known(session, token) is not None

        if not await to_thread.run_sync(still):
            return PlainTextResponse("", status_code=403)
        return StreamingResponse(self.pulse.stream(still), media_type="text/event-stream")


def _check(form: Mapping[str, list[str]], login: Login, may: str) -> None:
    """A form of a page that this session was shown, by somebody who may."""
    if not form or not hmac.compare_digest(form.get("csrf", [""])[0].encode(), login.csrf.encode()):
        raise Refusal("desk.refused.form")
    if not login.may(may):
        raise Refusal("desk.refused.role")


def open_calls(session: Session) -> Sequence[tuple[model.Call, str]]:
    """Tables that wait for a judge, the longest first; then, for a while, who goes to those that do not."""
    lately = model.Call.answered > later(wall_time(), -COMING)
    rows = session.execute(
        select(model.Call, model.User.name)
        .outerjoin(model.User, model.User.id == model.Call.answered_by)
        .where(or_(and_(~model.Call.taken_back, model.Call.answered == ""), lately))
        .order_by(model.Call.received, model.Call.id)
        .options(selectinload(model.Call.table))
    )
    waits: list[tuple[model.Call, str]] = []
    coming: dict[int, tuple[model.Call, str]] = {}
    for call, name in rows:
        if call.answered:
            coming[call.table_id] = (call, name or "–")
        else:
            waits.append((call, ""))
    for call, _ in waits:
        coming.pop(call.table_id, None)
    return [*waits, *coming.values()]


def table_names(session: Session) -> Callable[[model.Table], str]:
    """What people read of a table: its name, and its place in the club where others are called the same."""
    names = Counter(folded(one) for one in session.scalars(select(model.Table.name)))

    def called(table: model.Table) -> str:
        if not table.name:
            return table.slug
        told = names[folded(table.name)] > 1 or folded(table.name) == UNNAMED
        return f"{table.name} · {table.slug}" if told else table.name

    return called


def by_name(one: Round) -> list[tuple[str, Pod | None]]:
    """Everybody of a round in the order of the alphabet, with their pod; None: a bye."""
    found: list[tuple[str, Pod | None]] = [(seat.name, pod) for pod in one.pods for seat in pod.seats]
    found += [(seat.name, None) for seat in one.byes]
    return sorted(found, key=lambda seated: database.folded(seated[0]))


async def read_form(request: Request) -> dict[str, list[str]]:
    """The fields of a form; none where it is no form, or too long."""
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > LONGEST_FORM:
            return {}
    try:
        found = parse_qs(body.decode(), keep_blank_values=True, max_num_fields=MOST_FIELDS, errors="strict")
    except ValueError:
        return {}
    return {name: [_readable(text) for text in texts] for name, texts in found.items()}


def _readable(text: str) -> str:
    """Without signs that nobody sees or that no database keeps, but for line ends."""
    return "".join(sign for sign in text if sign.isprintable() or sign in "\r\n")


def static() -> dict[str, files.Served]:
    """Styles, scripts and the icon by their path: the page's colours and its icon, and the desk's own."""
    ours = {
        f"/{file.name}": files.served(file.read_bytes(), file.suffix)
        for file in sorted(words.FOLDER.iterdir())
        if file.suffix in {".css", ".js", ".svg"}
    }
    pages = files.static()
    return {**{path: pages[path] for path in ("/colours.css", "/page.css", "/icon.svg")}, **ours}
