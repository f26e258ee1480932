"""Handlers of the desk's pages, of their forms, and of the exports of an event."""

import csv
import io
import re
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from urllib.parse import quote

import anyio
from sqlalchemy import and_, or_, select
from sqlalchemy.exc import InterfaceError, OperationalError
from starlette.applications import Starlette
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from companion.core.actions import Outcome
from companion.core.clock import wall_time
from companion.network.web.static_files import StaticFile, colour_css
from companion.referee.standings import bgstats_json, escape_cell
from companion.referee.store import GameSummary
from companion_club.desk import accounts, actions, audit_text, entrants, translations
from companion_club.desk.accounts import DESK, JUDGE, SCREEN
from companion_club.desk.event import ClubEvent, PairingRules, load_event, load_event_of_pod
from companion_club.desk.refusal import DeskRefusalError
from companion_club.desk.translations import ASSETS_FOLDER, DeskTranslations, game_names
from companion_club.desk.web_app import (
    DeskApp,
    DeskRequest,
    FormHandler,
    PageHandler,
    load_static_files,
    table_names,
)
from companion_club.hub import model
from companion_club.hub.database import fold_name


def standings_csv_response(evening: ClubEvent) -> Response:
    """The standings."""
    heads = ("rank", "name", "points", "wins", "strength", "byes", "played")
    rows = (
        (
            line.rank,
            evening.names[line.player],
            f"{float(line.points):.2f}",
            f"{float(line.wins):.2f}",
            f"{float(line.strength):.3f}",
            line.byes,
            line.played,
        )
        for line in evening.lines
    )
    return _download(_csv(heads, rows), "text/csv; charset=utf-8", evening, "standings.csv")


def results_csv_response(evening: ClubEvent) -> Response:
    """Every seat of every pod, and who had a bye."""
    heads = ("round", "pod", "table", "game", "name", "won", "by_hand")
    rows: list[tuple[object, ...]] = [
        (
            one.number,
            pod.number,
            pod.table.slug if pod.table else "",
            pod.game,
            seat.name,
            "" if pod.winners is None else int(seat.won),
            int(pod.by_hand),
        )
        for one in evening.announced_rounds
        for pod in one.pods
        for seat in pod.seats
    ]
    rows += [
        (one.number, "bye", "", "", seat.name, "", 0) for one in evening.announced_rounds for seat in one.byes
    ]
    return _download(_csv(heads, rows), "text/csv; charset=utf-8", evening, "results.csv")


def bgstats_response(evening: ClubEvent, *, club: str, say: DeskTranslations) -> Response:
    """Plays for the app BG Stats: pods that are over."""
    plays = [
        GameSummary(
            game=pod.id,
            name=pod.game,
            kind="game",
            date=pod.played[:19],
            names=tuple((place, seat.name) for place, seat in enumerate(pod.seats)),
            chairs=tuple(range(len(pod.seats))),
            entries=pod.id,
            outcome=Outcome("club", tuple(place for place, seat in enumerate(pod.seats) if seat.won)),
        )
        for one in evening.announced_rounds
        for pod in one.pods
        if pod.winners is not None
    ]
    titles = {play.name: say.game(play.name) for play in plays}
    text = bgstats_json(plays, location=club, written=titles)
    return _download(text, "application/json", evening, "plays.bgsplay")


def archive_response(evening: ClubEvent, desk: DeskApp, asked: DeskRequest) -> Response:
    """The whole evening as one HTML file, which needs nothing else."""
    style = colour_css() + (ASSETS_FOLDER / "archive.css").read_text(encoding="utf-8")
    text = desk.html(
        "archive.html", say=asked.say, evening=evening, style=style, called=table_names(asked.session)
    )
    return _download(text, "text/html; charset=utf-8", evening, "evening.html")


def _csv(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    written = io.StringIO()
    written.write("\ufeff")  # without it, spreadsheets take names for another encoding
    out = csv.writer(written)
    out.writerow(heads)
    for row in rows:
        out.writerow([escape_cell(cell) if isinstance(cell, str) else cell for cell in row])
    return written.getvalue()


def _download(text: str, kind: str, evening: ClubEvent, name: str) -> Response:
    """Kept as a file by the browser, whatever is in it."""
    called = re.sub(r"[^\w-]+", "-", evening.event.name).strip("-") or evening.event.id
    found = f"attachment; filename*=UTF-8''{quote(f'{called}-{name}')}"
    return Response(text, media_type=kind, headers={"Content-Disposition": found})


class Forms:
    """One function for each form; the fields are those of the templates."""

    def make_event(self, asked: DeskRequest) -> str:
        """Make an event; the address of its page of people.

        Raises `DeskRefusalError` for an unknown game, or sizes of pods that are not in order.
        """
        game = asked.text("game")
        if game and game not in game_names():
            raise DeskRefusalError("desk.refused.form")
        rules = PairingRules(
            smallest=asked.number("smallest"),
            preferred=asked.number("preferred"),
            largest=asked.number("largest"),
            pairing=asked.text("pairing"),
        )
        if not rules.smallest <= rules.preferred <= rules.largest:
            raise DeskRefusalError("desk.refused.sizes")
        made = actions.make_event(
            asked.session,
            asked.login.actor,
            name=asked.text("name"),
            game=game,
            rules=rules,
            seed=asked.text("seed"),
        )
        return f"/events/{made}/people"

    def end_event(self, asked: DeskRequest) -> str:
        event = asked.number("event")
        over = asked.text("over") == "yes"
        actions.end_event(asked.session, asked.login.actor, event, asked.number("revision"), over=over)
        if over:
            asked.require_confirmation("desk.ask.close", "desk.event.close", f"/events/{event}")
        return f"/events/{event}"

    def enter(self, asked: DeskRequest) -> str:
        event = asked.number("event")
        there = entrants.enter_players(
            asked.session, asked.login.actor, event, asked.text("nicknames").splitlines()
        )
        asks = f"?there={','.join(map(str, there))}" if there else ""
        return f"/events/{event}/people{asks}"

    def leave(self, asked: DeskRequest) -> str:
        gone = asked.text("gone") == "yes"
        event = entrants.set_dropped_out(
            asked.session, asked.login.actor, asked.number("entrant"), asked.number("revision"), gone=gone
        )
        return f"/events/{event}/people"

    def correct(self, asked: DeskRequest) -> str:
        event, entrant = asked.number("event"), asked.number("entrant")
        became = entrants.correct_nickname(
            asked.session, asked.login.actor, entrant, asked.number("revision"), asked.text("nickname")
        )
        if became:
            back = f"/events/{event}/people/{entrant}/name"
            asked.require_confirmation("desk.ask.same_person", "desk.people.same_person", back, name=became)
        return f"/events/{event}/people?saved=yes"

    def draw(self, asked: DeskRequest) -> str:
        actions.draw_round(asked.session, asked.login.actor, asked.number("event"), asked.number("announced"))
        return f"/events/{asked.number('event')}"

    def announce(self, asked: DeskRequest) -> str:
        event = actions.announce_round(
            asked.session, asked.login.actor, asked.number("round"), asked.number("revision")
        )
        return f"/events/{event}"

    def result(self, asked: DeskRequest) -> str:
        """Write or take back a pod's result; raises `DeskRefusalError` if no winner or no game was chosen."""
        how = asked.text("how")
        winners = asked.numbers("winner") if how == "won" else [] if how == "nobody" else None
        if how not in {"won", "nobody", "table"} or (how == "won" and not winners):
            raise DeskRefusalError("desk.refused.nobody_chosen")
        game = asked.text("game")
        if "game" in asked.form and how != "table" and game not in game_names():
            raise DeskRefusalError("desk.refused.no_game")
        event, changed = actions.write_result(
            asked.session,
            asked.login.actor,
            asked.number("pod"),
            asked.text("seen"),
            winners=winners,
            reason=asked.text("reason"),
            game=game,
        )
        return f"/events/{event}?saved={'yes' if changed else 'no'}"

    def table(self, asked: DeskRequest) -> str:
        pod = asked.number("pod")
        table = asked.number("table") if asked.text("table") else None
        actions.set_table(asked.session, asked.login.actor, pod, asked.number("revision"), table)
        return f"/pods/{pod}"

    def seat(self, asked: DeskRequest) -> str:
        pod, player, down = asked.number("pod"), asked.number("player"), asked.text("down") == "yes"
        act = actions.seat_player if down else actions.unseat_player
        act(asked.session, asked.login.actor, pod, asked.number("revision"), player)
        evening = load_event_of_pod(asked.session, pod)
        of_round, of_people = evening.pod(pod)
        if not down and of_round.state != "draft":
            asked.require_confirmation(
                "desk.ask.unseat",
                "desk.pod.unseat",
                f"/pods/{pod}",
                name=evening.names[player],
                pod=of_people.number,
            )
        return f"/pods/{pod}"

    def answer(self, asked: DeskRequest) -> str:
        actions.answer_call(asked.session, asked.login.actor, asked.number("call"))
        return asked.text("back") if asked.text("back").startswith("/events/") else "/tables"

    def login(self, asked: DeskRequest) -> str:
        password = accounts.hash_password(asked.text("password"))
        accounts.add_user(asked.session, asked.login.actor, asked.text("name"), asked.text("role"), password)
        return "/logins?saved=yes"

    def disable(self, asked: DeskRequest) -> str:
        accounts.disable(asked.session, asked.login.actor, asked.number("user"))
        return "/logins"


MAX_AUDIT_LINES = 200
"""Lines of the audit trail on one page."""


class Pages:
    """What each address shows."""

    def __init__(self, desk: DeskApp) -> None:
        self._desk = desk

    def events(self, asked: DeskRequest) -> Response:
        if asked.login.role == SCREEN:
            newest = asked.session.scalar(select(model.EventRecord.id).order_by(model.EventRecord.id.desc()))
            if newest is not None and asked.request.method == "GET":
                return RedirectResponse(f"/events/{newest}/screen", status_code=303)
        events = asked.session.scalars(select(model.EventRecord).order_by(model.EventRecord.id.desc())).all()
        return self._desk.render("events.html", asked, events=events, games=translations.game_names())

    def event(self, asked: DeskRequest) -> Response:
        evening = self.load_event(asked)
        number = asked.request.query_params.get("round", "")
        rounds = evening.rounds if asked.login.may("judge") else evening.announced_rounds
        chosen = next((one for one in rounds if str(one.number) == number), (None, *rounds)[-1])
        return self._desk.render(
            "event.html",
            asked,
            evening=evening,
            rounds=rounds,
            round=chosen,
            stale=self.is_draw_stale(evening),
            people=count_next_players(evening),
        )

    def people(self, asked: DeskRequest) -> Response:
        evening = self.load_event(asked)
        by_name = sorted(evening.entrants, key=lambda one: fold_name(one.name))
        there = asked.request.query_params.get("there", "").split(",")
        return self._desk.render(
            "people.html",
            asked,
            evening=evening,
            entrants=by_name,
            there=[one.name for one in by_name if str(one.player) in there],
        )

    def correct(self, asked: DeskRequest) -> Response:
        """The page to correct a nickname on; raises `DeskRefusalError` for an entrant who is gone."""
        evening = self.load_event(asked)
        found = [one for one in evening.entrants if one.id == asked.number("entrant")]
        if not found:
            raise DeskRefusalError("desk.refused.gone")
        return self._desk.render("correct.html", asked, evening=evening, entrant=found[0])

    def history(self, asked: DeskRequest) -> Response:
        evening = self.load_event(asked)
        pods = [pod.id for one in evening.rounds for pod in one.pods]
        subjects = [f"event:{evening.event.id}", *(f"pod:{pod}" for pod in pods)]
        calls = and_(
            model.Audit.verb == "call.answered",
            model.Audit.at.between(evening.event.made, evening.event.ended or wall_time()),
        )
        lines = asked.session.scalars(
            select(model.Audit)
            .where(or_(model.Audit.subject.in_(subjects), calls))
            .order_by(model.Audit.id.desc())
            .limit(MAX_AUDIT_LINES)
        ).all()
        numbers = {f"pod:{pod.id}": (one.number, pod.number) for one in evening.rounds for pod in one.pods}
        return self._desk.render(
            "history.html",
            asked,
            evening=evening,
            lines=lines,
            numbers=numbers,
            reasons=audit_text.result_reasons(evening, lines),
            told=audit_text.audit_sentences(lines, asked.say, audit_text.nicknames_in(asked.session, lines)),
        )

    def pod(self, asked: DeskRequest) -> Response:
        evening = load_event_of_pod(asked.session, asked.number("pod"))
        of_round, pod = evening.pod(asked.number("pod"))
        tables = actions.list_tables(asked.session)
        seated = {seat.player for other in of_round.pods for seat in other.seats}
        waiting = [one for one in evening.entrants if one.player not in seated]
        return self._desk.render(
            "pod.html",
            asked,
            evening=evening,
            round=of_round,
            pod=pod,
            tables=tables,
            waiting=waiting,
            games=translations.game_names(),
        )

    def tables(self, asked: DeskRequest) -> Response:
        return self._desk.render("tables.html", asked, tables=actions.list_tables(asked.session))

    def logins(self, asked: DeskRequest) -> Response:
        users = asked.session.scalars(select(model.User).order_by(model.User.folded)).all()
        lines = asked.session.scalars(
            select(model.Audit)
            .where(or_(*(model.Audit.subject.startswith(kind) for kind in ("user:", "table:"))))
            .order_by(model.Audit.id.desc())
            .limit(MAX_AUDIT_LINES)
        ).all()
        told = audit_text.audit_sentences(lines, asked.say, {})
        roles = (DESK, JUDGE, SCREEN)
        return self._desk.render("logins.html", asked, users=users, roles=roles, lines=lines, told=told)

    def screen(self, asked: DeskRequest) -> Response:
        return self._newest("screen.html", asked)

    def paper(self, asked: DeskRequest) -> Response:
        return self._newest("paper.html", asked)

    def _newest(self, name: str, asked: DeskRequest) -> Response:
        """A page of the round that was announced last."""
        evening = self.load_event(asked)
        return self._desk.render(
            name, asked, evening=evening, round=(evening.announced_rounds or (None,))[-1]
        )

    def csv(self, asked: DeskRequest) -> Response:
        return standings_csv_response(self.load_event(asked))

    def results(self, asked: DeskRequest) -> Response:
        return results_csv_response(self.load_event(asked))

    def plays(self, asked: DeskRequest) -> Response:
        return bgstats_response(self.load_event(asked), club=self._desk.club, say=asked.say)

    def archive(self, asked: DeskRequest) -> Response:
        return archive_response(self.load_event(asked), self._desk, asked)

    def load_event(self, asked: DeskRequest) -> ClubEvent:
        return load_event(asked.session, asked.number("event"))

    @staticmethod
    def is_draw_stale(evening: ClubEvent) -> bool:
        """Whether a round was drawn for other people than are here now."""
        last = evening.last
        if last is None or last.state != "draft":
            return False
        drawn = [seat.player for pod in last.pods for seat in pod.seats] + [seat.player for seat in last.byes]
        return sorted(drawn) != evening.players_in_round(last.number)


def count_next_players(evening: ClubEvent) -> int:
    """How many play in the next round."""
    drawn = evening.last is not None and evening.last.state == "draft"
    return len(
        evening.players_in_round(
            len(evening.announced_rounds) + 1 if drawn or evening.last is None else evening.last.number + 1
        )
    )


def routes(desk: DeskApp) -> list[Route]:
    """Every address of the desk."""
    page, do = Pages(desk), Forms()

    def answer(served: StaticFile) -> Response:
        return Response(served.body, media_type=served.kind, headers={"ETag": served.tag})

    def page_route(path: str, may: str, one: PageHandler) -> Route:
        return Route(path, desk.page_handler(may, one), methods=["GET"])

    def form_routes(path: str, may: str, deed: FormHandler, again: PageHandler) -> Iterator[Route]:
        """A form; a browser that was refused and looks again gets its page."""
        yield Route(path, desk.form_handler(may, deed, again), methods=["POST"])
        yield page_route(path, may, again)

    at = "/events/{event:int}"
    return [
        *(Route(path, lambda _, one=one: answer(one)) for path, one in load_static_files().items()),
        Route("/login", desk.login_page, methods=["GET"]),
        Route("/login", desk.log_in, methods=["POST"]),
        Route("/live", desk.live, methods=["GET"]),
        page_route("/", "look", page.events),
        page_route(at, "look", page.event),
        page_route(f"{at}/people", "judge", page.people),
        page_route(f"{at}/history", "judge", page.history),
        page_route(f"{at}/screen", "look", page.screen),
        page_route(f"{at}/print", "look", page.paper),
        page_route(f"{at}/standings.csv", "judge", page.csv),
        page_route(f"{at}/results.csv", "judge", page.results),
        page_route(f"{at}/plays.bgsplay", "judge", page.plays),
        page_route(f"{at}/archive.html", "judge", page.archive),
        page_route("/pods/{pod:int}", "judge", page.pod),
        page_route("/tables", "judge", page.tables),
        page_route("/logins", "run", page.logins),
        *form_routes("/logout", "look", desk.log_out, page.events),
        *form_routes("/", "run", do.make_event, page.events),
        *form_routes(f"{at}/end", "run", do.end_event, page.event),
        *form_routes(f"{at}/people", "run", do.enter, page.people),
        *form_routes(f"{at}/people/{{entrant:int}}", "run", do.leave, page.people),
        *form_routes(f"{at}/people/{{entrant:int}}/name", "run", do.correct, page.correct),
        *form_routes(f"{at}/draw", "run", do.draw, page.event),
        *form_routes(f"{at}/announce", "run", do.announce, page.event),
        *form_routes("/pods/{pod:int}/result", "judge", do.result, page.pod),
        *form_routes("/pods/{pod:int}/table", "run", do.table, page.pod),
        *form_routes("/pods/{pod:int}/seat", "run", do.seat, page.pod),
        *form_routes("/calls/{call:int}", "judge", do.answer, page.tables),
        *form_routes("/logins", "run", do.login, page.logins),
        *form_routes("/logins/{user:int}", "run", do.disable, page.logins),
    ]


def build_application(desk: DeskApp) -> Starlette:
    """The desk without its guard."""

    @asynccontextmanager
    async def running(_: Starlette) -> AsyncIterator[None]:
        async with anyio.create_task_group() as group:
            group.start_soon(desk.change_feed.poll_forever)
            yield
            desk.change_feed.close()
            group.cancel_scope.cancel()

    away = {OperationalError: desk.database_error_page, InterfaceError: desk.database_error_page}
    return Starlette(routes=routes(desk), lifespan=running, exception_handlers=away)
