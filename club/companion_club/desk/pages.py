"""Handlers of the desk's pages: events, rounds, people, tables, accounts, screen, print."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import anyio
from sqlalchemy import and_, or_, select
from sqlalchemy.exc import InterfaceError, OperationalError
from starlette.applications import Starlette
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from companion.core.clock import wall_time
from companion.network.web.static_files import StaticFile
from companion_club.desk import actions, audit_text, exports, forms, translations
from companion_club.desk.accounts import DESK, JUDGE, SCREEN
from companion_club.desk.event import ClubEvent, load_event, load_event_of_pod
from companion_club.desk.refusal import DeskRefusalError
from companion_club.desk.web_app import DeskApp, DeskRequest, FormHandler, PageHandler, load_static_files
from companion_club.hub import model
from companion_club.hub.database import fold_name

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
        return exports.standings_csv_response(self.load_event(asked))

    def results(self, asked: DeskRequest) -> Response:
        return exports.results_csv_response(self.load_event(asked))

    def plays(self, asked: DeskRequest) -> Response:
        return exports.bgstats_response(self.load_event(asked), club=self._desk.club, say=asked.say)

    def archive(self, asked: DeskRequest) -> Response:
        return exports.archive_response(self.load_event(asked), self._desk, asked)

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
    page, do = Pages(desk), forms.Forms()

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
