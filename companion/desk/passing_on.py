"""What leaves the desk: standings and results as CSV, plays for BG Stats, an evening as one page."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from urllib.parse import quote

from starlette.responses import Response

from companion.core.actions import Outcome
from companion.desk.evening import Evening
from companion.desk.site import Asked, Desk, table_names
from companion.desk.words import FOLDER, Words
from companion.page.files import colours
from companion.referee.league import as_bgsplay, plain_cell
from companion.referee.store import Summary


def csv_file(evening: Evening) -> Response:
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
    return _file(_csv(heads, rows), "text/csv; charset=utf-8", evening, "standings.csv")


def results_file(evening: Evening) -> Response:
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
        for one in evening.announced
        for pod in one.pods
        for seat in pod.seats
    ]
    rows += [(one.number, "bye", "", "", seat.name, "", 0) for one in evening.announced for seat in one.byes]
    return _file(_csv(heads, rows), "text/csv; charset=utf-8", evening, "results.csv")


def plays_file(evening: Evening, *, club: str, say: Words) -> Response:
    """Plays for the app BG Stats: pods that are over."""
    plays = [
        Summary(
            game=pod.id,
            name=pod.game,
            kind="game",
            date=pod.played[:19],
            names=tuple((place, seat.name) for place, seat in enumerate(pod.seats)),
            chairs=tuple(range(len(pod.seats))),
            entries=pod.id,
            outcome=Outcome("club", tuple(place for place, seat in enumerate(pod.seats) if seat.won)),
        )
        for one in evening.announced
        for pod in one.pods
        if pod.winners is not None
    ]
    titles = {play.name: say.game(play.name) for play in plays}
    text = as_bgsplay(plays, location=club, written=titles)
    return _file(text, "application/json", evening, "plays.bgsplay")


def archive_file(evening: Evening, desk: Desk, asked: Asked) -> Response:
    """The whole evening as one HTML file, which needs nothing else."""
    style = colours() + (FOLDER / "archive.css").read_text(encoding="utf-8")
    text = desk.html(
        "archive.html", say=asked.say, evening=evening, style=style, called=table_names(asked.session)
    )
    return _file(text, "text/html; charset=utf-8", evening, "evening.html")


def _csv(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    written = io.StringIO()
    written.write("\ufeff")  # without it, spreadsheets take names for another encoding
    out = csv.writer(written)
    out.writerow(heads)
    for row in rows:
        out.writerow([plain_cell(cell) if isinstance(cell, str) else cell for cell in row])
    return written.getvalue()


def _file(text: str, kind: str, evening: Evening, name: str) -> Response:
    """Kept as a file by the browser, whatever is in it."""
    called = re.sub(r"[^\w-]+", "-", evening.event.name).strip("-") or evening.event.id
    found = f"attachment; filename*=UTF-8''{quote(f'{called}-{name}')}"
    return Response(text, media_type=kind, headers={"Content-Disposition": found})
