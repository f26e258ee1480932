"""The pages of the desk: events, a round and its pods, people, tables and calls, logins, screen and print."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import anyio
from sqlalchemy import and_, or_, select
from sqlalchemy.exc import InterfaceError, OperationalError
from starlette.applications import Starlette
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from companion.club import model
from companion.club.database import folded
from companion.core.clock import wall_time
from companion.desk import deeds, forms, passing_on, telling, words
from companion.desk.evening import Evening, load, of_pod
from companion.desk.logins import DESK, JUDGE, SCREEN
from companion.desk.refusal import Refusal
from companion.desk.site import Asked, Deed, Desk, Page, static
from companion.page.files import Served

MOST_LISTED = 200
"""Lines of the audit trail on one page."""


class Pages:
    """What each address shows."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def events(self, asked: Asked) -> Response:
        if asked.login.role == SCREEN:
            newest = asked.session.scalar(select(model.Event.id).order_by(model.Event.id.desc()))
            if newest is not None and asked.request.method == "GET":
                return RedirectResponse(f"/events/{newest}/screen", status_code=303)
        events = asked.session.scalars(select(model.Event).order_by(model.Event.id.desc())).all()
        return self._desk.render("events.html", asked, events=events, games=words.games())

    def event(self, asked: Asked) -> Response:
        evening = self.of(asked)
        number = asked.request.query_params.get("round", "")
        rounds = evening.rounds if asked.login.may("judge") else evening.announced
        chosen = next((one for one in rounds if str(one.number) == number), (None, *rounds)[-1])
        return self._desk.render(
            "event.html",
            asked,
            evening=evening,
            rounds=rounds,
            round=chosen,
            stale=self.stale(evening),
            people=people(evening),
        )

    def people(self, asked: Asked) -> Response:
        evening = self.of(asked)
        by_name = sorted(evening.entrants, key=lambda one: folded(one.name))
        there = asked.request.query_params.get("there", "").split(",")
        return self._desk.render(
            "people.html",
            asked,
            evening=evening,
            entrants=by_name,
            there=[one.name for one in by_name if str(one.player) in there],
        )

    def correct(self, asked: Asked) -> Response:
        """The page to correct a nickname on; raises `Refusal` for an entrant who is gone."""
        evening = self.of(asked)
        found = [one for one in evening.entrants if one.id == asked.number("entrant")]
        if not found:
            raise Refusal("desk.refused.gone")
        return self._desk.render("correct.html", asked, evening=evening, entrant=found[0])

    def history(self, asked: Asked) -> Response:
        evening = self.of(asked)
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
            .limit(MOST_LISTED)
        ).all()
        numbers = {f"pod:{pod.id}": (one.number, pod.number) for one in evening.rounds for pod in one.pods}
        return self._desk.render(
            "history.html",
            asked,
            evening=evening,
            lines=lines,
            numbers=numbers,
            reasons=telling.reasons(evening, lines),
            told=telling.history(lines, asked.say, telling.named_in(asked.session, lines)),
        )

    def pod(self, asked: Asked) -> Response:
        evening = of_pod(asked.session, asked.number("pod"))
        of_round, pod = evening.pod(asked.number("pod"))
        tables = deeds.tables(asked.session)
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
            games=words.games(),
        )

    def tables(self, asked: Asked) -> Response:
        return self._desk.render("tables.html", asked, tables=deeds.tables(asked.session))

    def logins(self, asked: Asked) -> Response:
        users = asked.session.scalars(select(model.User).order_by(model.User.folded)).all()
        return self._desk.render("logins.html", asked, users=users, roles=(DESK, JUDGE, SCREEN))

    def screen(self, asked: Asked) -> Response:
        return self._newest("screen.html", asked)

    def paper(self, asked: Asked) -> Response:
        return self._newest("paper.html", asked)

    def _newest(self, name: str, asked: Asked) -> Response:
        """A page of the round that was announced last."""
        evening = self.of(asked)
        return self._desk.render(name, asked, evening=evening, round=(evening.announced or (None,))[-1])

    def csv(self, asked: Asked) -> Response:
        return passing_on.csv_file(self.of(asked))

    def results(self, asked: Asked) -> Response:
        return passing_on.results_file(self.of(asked))

    def plays(self, asked: Asked) -> Response:
        return passing_on.plays_file(self.of(asked), club=self._desk.club, say=asked.say)

    def archive(self, asked: Asked) -> Response:
        return passing_on.archive_file(self.of(asked), self._desk, asked)

    def of(self, asked: Asked) -> Evening:
        return load(asked.session, asked.number("event"))

    @staticmethod
    def stale(evening: Evening) -> bool:
        """Whether a round was drawn for other people than are here now."""
        last = evening.last
        if last is None or last.state != "draft":
            return False
        drawn = [seat.player for pod in last.pods for seat in pod.seats] + [seat.player for seat in last.byes]
        return sorted(drawn) != evening.here(last.number)


def people(evening: Evening) -> int:
    """How many play in the next round."""
    drawn = evening.last is not None and evening.last.state == "draft"
    return len(
        evening.here(len(evening.announced) + 1 if drawn or evening.last is None else evening.last.number + 1)
    )


def routes(desk: Desk) -> list[Route]:
    """Every address of the desk."""
    page, do = Pages(desk), forms.Forms()

    def answer(served: Served) -> Response:
        return Response(served.body, media_type=served.kind, headers={"ETag": served.tag})

    def shown(path: str, may: str, one: Page) -> Route:
        return Route(path, desk.page(may, one), methods=["GET"])

    def done(path: str, may: str, deed: Deed, again: Page) -> Iterator[Route]:
        """A form; a browser that was refused and looks again gets its page."""
        yield Route(path, desk.deed(may, deed, again), methods=["POST"])
        yield shown(path, may, again)

    at = "/events/{event:int}"
    return [
        *(Route(path, lambda _, one=one: answer(one)) for path, one in static().items()),
        Route("/login", desk.login_page, methods=["GET"]),
        Route("/login", desk.log_in, methods=["POST"]),
        Route("/live", desk.live, methods=["GET"]),
        shown("/", "look", page.events),
        shown(at, "look", page.event),
        shown(f"{at}/people", "judge", page.people),
        shown(f"{at}/history", "judge", page.history),
        shown(f"{at}/screen", "look", page.screen),
        shown(f"{at}/print", "look", page.paper),
        shown(f"{at}/standings.csv", "judge", page.csv),
        shown(f"{at}/results.csv", "judge", page.results),
        shown(f"{at}/plays.bgsplay", "judge", page.plays),
        shown(f"{at}/archive.html", "judge", page.archive),
        shown("/pods/{pod:int}", "judge", page.pod),
        shown("/tables", "judge", page.tables),
        shown("/logins", "run", page.logins),
        *done("/logout", "look", desk.log_out, page.events),
        *done("/", "run", do.make_event, page.events),
        *done(f"{at}/end", "run", do.end_event, page.event),
        *done(f"{at}/people", "run", do.enter, page.people),
        *done(f"{at}/people/{{entrant:int}}", "run", do.leave, page.people),
        *done(f"{at}/people/{{entrant:int}}/name", "run", do.correct, page.correct),
        *done(f"{at}/draw", "run", do.draw, page.event),
        *done(f"{at}/announce", "run", do.announce, page.event),
        *done("/pods/{pod:int}/result", "judge", do.result, page.pod),
        *done("/pods/{pod:int}/table", "run", do.table, page.pod),
        *done("/pods/{pod:int}/seat", "run", do.seat, page.pod),
        *done("/calls/{call:int}", "judge", do.answer, page.tables),
        *done("/logins", "run", do.login, page.logins),
        *done("/logins/{user:int}", "run", do.disable, page.logins),
    ]


def application(desk: Desk) -> Starlette:
    """The desk without its guard."""

    @asynccontextmanager
    async def running(_: Starlette) -> AsyncIterator[None]:
        async with anyio.create_task_group() as group:
            group.start_soon(desk.pulse.keep_reading)
            yield
            desk.pulse.close()
            group.cancel_scope.cancel()

    away = {OperationalError: desk.away, InterfaceError: desk.away}
    return Starlette(routes=routes(desk), lifespan=running, exception_handlers=away)
