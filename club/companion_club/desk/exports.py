"""Exports of an event: CSV files, BG Stats plays, one HTML archive."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from urllib.parse import quote

from starlette.responses import Response

from companion.core.actions import Outcome
from companion.network.web.static_files import colour_css
from companion.referee.standings import bgstats_json, escape_cell
from companion.referee.store import GameSummary
from companion_club.desk.event import ClubEvent
from companion_club.desk.translations import ASSETS_FOLDER, DeskTranslations
from companion_club.desk.web_app import DeskApp, DeskRequest, table_names


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
