"""ASGI application of the desk: logins, forms and page rendering."""

import hmac
import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import parse_qs, quote

import anyio
from anyio import to_thread
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from sqlalchemy import Engine, literal_column, select
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlalchemy.orm import Session, selectinload, sessionmaker
from sqlalchemy.orm.exc import StaleDataError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response, StreamingResponse

from companion.core.actions import SECOND, Micros
from companion.core.clock import GameClock, add_to_wall_time, wall_time
from companion.core.errors import InputError
from companion.network.web import static_files
from companion.network.web.guard import LoginThrottle
from companion_club.desk import accounts, translations
from companion_club.desk.accounts import Login
from companion_club.desk.audit_text import result_history
from companion_club.desk.event import EventPod, EventRound
from companion_club.desk.guard import PasswordQueue
from companion_club.desk.refusal import ConfirmationRequiredError, DeskRefusalError, EditConflictError
from companion_club.hub import database, model
from companion_club.hub.database import fold_name

POLL_INTERVAL_S = 0.1
KEEP_ALIVE_S = 10.0
"""A stream says something at least so often, so that both ends know that the other is there."""
ALIVE_EVENT = b"event: alive\ndata: 1\n\n"
log = logging.getLogger(__name__)


class ChangeFeed:
    """The club's number of changes, as it was last read."""

    def __init__(self, read: Callable[[], int]) -> None:
        self._read = read
        self._now = -1
        self._moved = anyio.Event()
        self._ended = False

    async def poll_forever(self) -> None:
        """For ever; a database that does not answer is asked again."""
        while True:
            try:
                self.publish(await to_thread.run_sync(self._read))
            except SQLAlchemyError as trouble:
                log.warning("The database does not answer: %s", trouble)
            await anyio.sleep(POLL_INTERVAL_S)

    def publish(self, number: int) -> None:
        """Tell everybody if that is another number than before."""
        if number != self._now:
            self._now = number
            self._wake()

    def close(self) -> None:
        """Let everybody go."""
        self._ended = True
        self._wake()

    def _wake(self) -> None:
        moved, self._moved = self._moved, anyio.Event()
        moved.set()

    async def stream(self, still: Callable[[], bool]) -> AsyncIterator[bytes]:
        """Server-sent events: the number, now and whenever it is another; until `still` says no."""
        last_sent = None
        while not self._ended and await to_thread.run_sync(still):
            moved = self._moved
            if self._now != last_sent:
                last_sent = self._now
                yield b"data: %d\n\n" % last_sent
            else:
                yield ALIVE_EVENT
            with anyio.move_on_after(KEEP_ALIVE_S):
                await moved.wait()


COOKIE, DEVICE, LANGUAGE = "desk", "device", "lang"
MAX_FORM_BYTES = 128 * 1024
"""Bytes: two thousand nicknames, one a line."""
MAX_FORM_FIELDS = 400
FORM_TIMEOUT_S = 20.0
"""A form that is not here by then does not come."""
ANSWERED_CALL_SHOWN: Micros = 120 * SECOND
"""How long an answered call says who goes."""
SAVED_NOTICES = MappingProxyType({"yes": "desk.saved", "no": "desk.unchanged"})
"""What a page says after a form, by the `saved` of its address."""
DEFAULT_TABLE_NAME = "table"
"""What a table is called that nobody gave a title."""
MAX_PARALLEL_HASHES = 2
"""Passwords that are compared at a time, 64 MB each."""


class DeskRequest(NamedTuple):
    """One request, by somebody who is logged in."""

    request: Request
    session: Session
    login: Login
    say: translations.DeskTranslations
    form: Mapping[str, list[str]]

    def number(self, name: str) -> int:
        """A whole number of the address or of the form; raises `DeskRefusalError` for anything else."""
        text = str(self.request.path_params.get(name, "")) or self.text(name)
        if not (text.isascii() and text.isdigit() and len(text) < 10):
            raise DeskRefusalError("desk.refused.form")
        return int(text)

    def text(self, name: str) -> str:
        return (self.form.get(name) or [""])[0]

    def require_confirmation(self, key: str, deed: str, back: str, **parts: str | int) -> None:
        """Raise `ConfirmationRequiredError`, which undoes what was done in this request, unless it was
        answered already.
        """
        if self.text("sure") != "yes":
            raise ConfirmationRequiredError(key, deed=deed, back=back, **parts)

    def numbers(self, name: str) -> list[int]:
        """All whole numbers of one field of the form; raises `DeskRefusalError` if one is none."""
        found = self.form.get(name, [])
        if not all(one.isascii() and one.isdigit() and len(one) < 10 for one in found):
            raise DeskRefusalError("desk.refused.form")
        return [int(one) for one in found]


PageHandler = Callable[[DeskRequest], Response]
FormHandler = Callable[[DeskRequest], str]
"""Does what a form asks for, and says where the browser goes then."""


class LoginAttempt(NamedTuple):
    """What is known of somebody who wants to log in."""

    password: str
    """The hash to compare with."""
    source: str
    """Where a wrong password is counted."""
    by_address: bool
    locked: bool


class DeskApp:
    """What all pages have in common."""

    def __init__(self, engine: Engine, *, club: str) -> None:
        self.engine = engine
        self.club = club
        self.writing_sessions: sessionmaker[Session] = database.writing_sessions(engine)
        self.reading_sessions: sessionmaker[Session] = sessionmaker(engine.execution_options(reads=True))
        self.change_feed = ChangeFeed(self._change_number)
        self.secure = False
        """Whether it is served by TLS, so that no cookie goes without."""
        self._words = translations.load_translations()
        self._throttle = LoginThrottle(GameClock().now)
        self._hashing = PasswordQueue(MAX_PARALLEL_HASHES)
        self._templates = Environment(
            loader=FileSystemLoader(translations.ASSETS_FOLDER),
            autoescape=True,
            undefined=StrictUndefined,
            auto_reload=False,
        )
        self._templates.filters |= {"by_name": players_by_name, "versions": result_history}

    def close(self) -> None:
        """Leave the database."""
        self.engine.dispose()

    def _change_number(self) -> int:
        with self.reading_sessions() as session:
            return database.change_number(session)

    # Answers

    def words_for(self, request: Request) -> translations.DeskTranslations:
        code = translations.choose_page_language(
            request.query_params.get(LANGUAGE, ""),
            request.cookies.get(LANGUAGE, ""),
            request.headers.get("accept-language", ""),
        )
        return self._words[code]

    def page_handler(self, may: str, shown: PageHandler) -> Callable[[Request], Response]:
        """A page for those who may; the others log in first."""

        def answer(request: Request) -> Response:
            with self.reading_sessions() as session:
                login = accounts.login_of_token(session, request.cookies.get(COOKIE, ""))
                if login is None:
                    return RedirectResponse(f"/login?then={quote(request.url.path)}", status_code=303)
                asked = DeskRequest(request, session, login, self.words_for(request), {})
                if not login.may(may):
                    return self.refusal_page(asked, DeskRefusalError("desk.refused.role"), 403)
                try:
                    answered = shown(asked)
                except DeskRefusalError as refusal:
                    return self.refusal_page(asked, refusal, 404)
            if LANGUAGE in request.query_params:
                answered.set_cookie(LANGUAGE, asked.say.code, max_age=31_536_000, samesite="strict")
            return answered

        return answer

    def form_handler(self, may: str, done: FormHandler, again: PageHandler) -> Callable[[Request], Any]:
        """What a form does. Where it is refused, `again` shows its page, with what was filled in."""

        async def answer(request: Request) -> Response:
            form = await read_form(request)
            return await to_thread.run_sync(self._do, request, form, may, done, again)

        return answer

    def _do(
        self, request: Request, form: Mapping[str, list[str]], may: str, done: FormHandler, again: PageHandler
    ) -> Response:
        say, token = self.words_for(request), request.cookies.get(COOKIE, "")
        with self.reading_sessions() as session:
            login = accounts.login_of_token(session, token)
        if login is None:
            return RedirectResponse("/login", status_code=303)
        try:
            _check(form, login, may)
            with self.writing_sessions.begin() as session:
                accounts.extend_session(session, token)
                return RedirectResponse(
                    done(DeskRequest(request, session, login, say, form)), status_code=303
                )
        except DeskRefusalError as refusal:
            request.state.refusal = refusal
        except ConfirmationRequiredError as question:
            with self.reading_sessions() as session:
                asked = DeskRequest(request, session, login, say, form)
                return self.render("ask.html", asked, question=question)
        except InputError:
            request.state.refusal = DeskRefusalError("desk.refused.form")
        except (StaleDataError, IntegrityError):
            request.state.refusal = EditConflictError()
        with self.reading_sessions() as session:
            asked = DeskRequest(request, session, login, say, form)
            try:
                shown = again(asked)
            except DeskRefusalError:
                return self.refusal_page(asked, request.state.refusal, 409)
            shown.status_code = 409
            return shown

    def refusal_page(self, asked: DeskRequest, refusal: DeskRefusalError, status: int) -> Response:
        """A page that only says why not."""
        asked.request.state.refusal = refusal
        return self.render("refused.html", asked, status=status)

    def render(self, name: str, asked: DeskRequest, *, status: int = 200, **parts: Any) -> HTMLResponse:
        """A page, with what every page has."""
        text = self.html(
            name,
            say=asked.say,
            login=asked.login,
            given=asked.form,
            saved=SAVED_NOTICES.get(asked.request.query_params.get("saved", "")),
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

    def database_error_page(self, request: Request, trouble: Exception) -> Response:
        """The database does not answer; nobody is left with a bare error."""
        log.warning("The database does not answer: %s", trouble)
        text = self.html("away.html", say=self.words_for(request), refusal=None, path=request.url.path)
        return HTMLResponse(text, status_code=503)

    # Logging in

    def login_page(
        self, request: Request, refusal: DeskRefusalError | None = None, name: str = ""
    ) -> HTMLResponse:
        say, path = self.words_for(request), request.url.path
        text = self.html("login.html", say=say, refusal=refusal, path=path, typed=name)
        return HTMLResponse(text, status_code=200 if refusal is None else 403)

    async def log_in(self, request: Request) -> Response:
        """Guessing takes time: an address waits after five in a minute, a login there after five in a row.

        A device that logged in before has a count of its own, so that a stranger's guesses keep nobody out;
        nor does anybody wait behind them (`PasswordQueue`).
        """
        form = await read_form(request)
        name, password = (form.get(field, [""])[0] for field in ("name", "password"))
        peer = request.client.host if request.client else ""
        device = request.cookies.get(DEVICE, "")
        entry = await to_thread.run_sync(self._find_login, name, peer, device)
        if self._rests(entry) or self._hashing.is_crowded(entry.source):
            return self.login_page(request, DeskRefusalError("desk.refused.rest"), name)
        async with self._hashing.turn(entry.source, self._throttle.failures(entry.source)):
            # Whoever waited sees what was wrong meanwhile.
            entry = await to_thread.run_sync(self._find_login, name, peer, device)
            if self._rests(entry):
                return self.login_page(request, DeskRefusalError("desk.refused.rest"), name)
            if not await to_thread.run_sync(accounts.verify_password, entry.password, password):
                if entry.by_address:
                    self._throttle.record_failure(entry.source)
                await to_thread.run_sync(self._record_failure, name, entry.source)
                return self.login_page(request, DeskRefusalError("desk.refused.wrong"), name)
        token, device = await to_thread.run_sync(self._begin, name, entry.source, device)
        then = request.query_params.get("then", "/")
        answer = RedirectResponse(then if then.startswith("/") and then[1:2] not in {"/", "\\"} else "/", 303)
        for cookie, value, lasts in (
            (COOKIE, token, accounts.SESSION_LIFETIME_S),
            (DEVICE, device, accounts.DEVICE_LIFETIME_S),
        ):
            answer.set_cookie(
                cookie, value, max_age=lasts, httponly=True, samesite="strict", secure=self.secure
            )
        return answer

    def _rests(self, entry: LoginAttempt) -> bool:
        """Whether nothing is compared now, for it was wrong too often there."""
        return entry.locked or (entry.by_address and self._throttle.must_wait(entry.source))

    def _find_login(self, name: str, peer: str, device: str) -> LoginAttempt:
        with self.reading_sessions() as session:
            source = accounts.failure_source(session, name, peer, device)
            return LoginAttempt(
                accounts.password_hash_of(session, name),
                source,
                by_address=source == accounts.address_source(peer),
                locked=accounts.is_locked(session, name, source),
            )

    def _record_failure(self, name: str, source: str) -> None:
        with self.writing_sessions.begin() as session:
            accounts.record_failure(session, name, source)

    def _begin(self, name: str, source: str, device: str) -> tuple[str, str]:
        with self.writing_sessions.begin() as session:
            token = accounts.start_session(session, name, source)
            return token, accounts.remember_device(session, name, device)

    def log_out(self, asked: DeskRequest) -> str:
        accounts.end_session(asked.session, asked.request.cookies.get(COOKIE, ""))
        return "/login"

    # What is live, and what never changes

    async def live(self, request: Request) -> Response:
        token = request.cookies.get(COOKIE, "")

        def still() -> bool:
            with self.reading_sessions() as session:
                return accounts.login_of_token(session, token) is not None

        if not await to_thread.run_sync(still):
            return PlainTextResponse("", status_code=403)
        unbuffered = {"X-Accel-Buffering": "no"}  # a reverse proxy passes each event on at once
        feed = self.change_feed.stream(still)
        return StreamingResponse(feed, media_type="text/event-stream", headers=unbuffered)


def _check(form: Mapping[str, list[str]], login: Login, may: str) -> None:
    """A form of a page that this session was shown, by somebody who may."""
    if not form or not hmac.compare_digest(form.get("csrf", [""])[0].encode(), login.csrf.encode()):
        raise DeskRefusalError("desk.refused.form")
    if not login.may(may):
        raise DeskRefusalError("desk.refused.role")


def open_calls(session: Session) -> Sequence[tuple[model.CallRecord, str]]:
    """Tables that wait for a judge, the longest first; then, for a while, who goes to those that do not."""
    since = add_to_wall_time(wall_time(), -ANSWERED_CALL_SHOWN)
    called = model.CallRecord
    asked = (
        select(called, model.User.name)
        .outerjoin(model.User, model.User.id == called.answered_by)
        .order_by(called.received, called.id)
        .options(selectinload(called.table))
    )
    # Two looks by an index each; one with OR would read every call there ever was.
    waiting = asked.where(~called.taken_back, called.answered == literal_column("''"))
    rows = [*session.execute(waiting), *session.execute(asked.where(called.answered > since))]
    waits: list[tuple[model.CallRecord, str]] = []
    coming: dict[int, tuple[model.CallRecord, str]] = {}
    for call, name in rows:
        if call.answered:
            coming[call.table_id] = (call, name or "–")
        else:
            waits.append((call, ""))
    for call, _ in waits:
        coming.pop(call.table_id, None)
    return [*waits, *coming.values()]


def table_names(session: Session) -> Callable[[model.TableRecord], str]:
    """What people read of a table: its name, and its place in the club where others are called the same."""
    names = Counter(fold_name(one) for one in session.scalars(select(model.TableRecord.name)))

    def name_of(table: model.TableRecord) -> str:
        if not table.name:
            return table.slug
        told = names[fold_name(table.name)] > 1 or fold_name(table.name) == DEFAULT_TABLE_NAME
        return f"{table.name} · {table.slug}" if told else table.name

    return name_of


def players_by_name(one: EventRound) -> list[tuple[str, EventPod | None]]:
    """Everybody of a round in the order of the alphabet, with their pod; None: a bye."""
    found: list[tuple[str, EventPod | None]] = [(seat.name, pod) for pod in one.pods for seat in pod.seats]
    found += [(seat.name, None) for seat in one.byes]
    return sorted(found, key=lambda seated: database.fold_name(seated[0]))


async def read_form(request: Request, patience_s: float = FORM_TIMEOUT_S) -> dict[str, list[str]]:
    """The fields of a form; none where it is no form, or too long.

    Raises `HTTPException` (408) if it is not here after `patience_s` seconds, or its browser has gone.
    """
    body, gone = b"", False
    with anyio.move_on_after(patience_s) as patience:
        try:
            async for piece in request.stream():
                body += piece
                if len(body) > MAX_FORM_BYTES:
                    return {}
        except ClientDisconnect:
            gone = True
    if gone or patience.cancelled_caught:
        raise HTTPException(408, "That took too long. Send it once more.", {"Connection": "close"})
    try:
        found = parse_qs(
            body.decode(), keep_blank_values=True, max_num_fields=MAX_FORM_FIELDS, errors="strict"
        )
    except ValueError:
        return {}
    return {name: [_readable(text) for text in texts] for name, texts in found.items()}


def _readable(text: str) -> str:
    """Without signs that nobody sees or that no database keeps, but for line ends."""
    return "".join(sign for sign in text if sign.isprintable() or sign in "\r\n")


def load_static_files() -> dict[str, static_files.StaticFile]:
    """Styles, scripts, letters and the icon by their path: what the page has as well, and the desk's own."""
    ours = {
        f"/{file.name}": static_files.make_static_file(file.read_bytes(), file.suffix)
        for file in sorted(translations.ASSETS_FOLDER.iterdir())
        if file.suffix in {".css", ".js", ".svg"}
    }
    pages = static_files.load_static_files()
    shared = ("/colours.css", "/page.css", "/icon.svg", ".woff2")
    return {**{path: file for path, file in pages.items() if path.endswith(shared)}, **ours}
