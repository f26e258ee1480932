"""Saves the recap of a finished game as an HTML page with a link preview; lists those saved.

The page is self-contained and has no scripts. At its top are the winner and the moments that decided the
game, below them all stops of the time line, which are linked to each other. It prints on two pages, without
the stops' pictures, and is dark or light as the browser prefers.
"""

from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from companion.core.actions import SECOND, Chair, Micros
from companion.core.errors import CompanionError, InputError
from companion.core.exhibits import RecapMoment
from companion.core.view import Sentence
from companion.language.language import Language, format_date
from companion.referee.referee import Referee
from companion.system.file_owner import make_folder, private_file
from companion.table.history import build_timeline, most_decisive
from companion.table.session import Session
from companion.ui.pages.recap import TableImages
from companion.ui.toolkit.sprites import OUTLINES
from companion.ui.toolkit.theme import LOOK, SHAPES

MARKS: Mapping[str, str] = {"turning": "◆", "bluff": "★", "uncaught": "●", "wrong": "▲"}
LIGHT: Mapping[str, str] = {
    "ground": "#fbf5e6", "sheet": "#ffffff", "ink": "#1b1526", "soft": "#55505f", "line": "#1b1526",
    "link": "#0b3d91", "here": "#fff0c2",
    "turning": "#0b3d91", "bluff": "#7a4300", "uncaught": "#6b1d6b", "wrong": "#a11212",
}  # fmt: skip
DARK: Mapping[str, str] = {
    "ground": "#15121e", "sheet": "#221d30", "ink": "#fbf8f2", "soft": "#cfc8de", "line": "#8a81a8",
    "link": "#9cc9ff", "here": "#3a3350",
    "turning": "#9cc9ff", "bluff": "#ffd35c", "uncaught": "#e7a9ec", "wrong": "#ff9c92",
}  # fmt: skip
"""Colours by their use; text is on `ground`, `sheet` and `here`."""
NEUTRAL = "#ffd35c"
"""The background if there are several winners or none."""


def _css_variables(colours: Mapping[str, str]) -> str:
    return ";".join(f"--{name}:{colour}" for name, colour in colours.items())


STYLE = (
    (Path(__file__).parent / "page.css")
    .read_text(encoding="utf-8")
    .replace("/*LIGHT*/", _css_variables(LIGHT))
    .replace("/*DARK*/", _css_variables(DARK))
)


class RecapPlayer(NamedTuple):
    """One player, with colour, shape and number."""

    name: str
    number: int
    """The chair's number as displayed."""
    colour: str
    """`#RRGGBB`."""
    outline: Sequence[tuple[float, float]]
    """Corners of the shape, within a radius of about 1.3 of (0, 0)."""
    won: bool = False


class TimelineStop(NamedTuple):
    """One stop of the time line, in the language of the page."""

    kind: str
    kind_told: str
    clock: str
    told: str
    picture: bytes
    """A JPEG."""


class DecisiveMoment(NamedTuple):
    """One of the moments that decided the game."""

    stop: int
    """The index of its stop."""
    minute: str
    told: str
    moved: str
    """Whose chances changed most, and how much."""


class RecapFacts(NamedTuple):
    """The content above the time line."""

    title: str
    ending: str
    when: str
    numbers: Sequence[tuple[str, str]]
    players: Sequence[RecapPlayer] = ()
    great: Sequence[DecisiveMoment] = ()
    chances: Sequence[tuple[float, Sequence[float]]] = ()
    """(time as a fraction of the game, chances of winning from then on, in the order of `players`)."""
    image: str = ""
    """The picture beside the page for link previews; empty: none."""


def render_page(
    language: str, facts: RecapFacts, stops: Sequence[TimelineStop], tr: Callable[..., str]
) -> str:
    """The HTML; `tr` translates."""
    numbers = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in facts.numbers)
    foot = f"</main>\n<footer><p>{escape(tr('recap.made'))}</p></footer>\n</body>\n</html>\n"
    return "".join(
        (
            _html_head(language, facts),
            _winner_html(facts, tr),
            "<main>\n",
            _players_html(facts, tr),
            _moments_html(facts, stops, tr),
            _chances_chart(facts, tr),
            f'<h2 class="later">{escape(tr("recap.numbers"))}</h2>\n<dl>{numbers}</dl>\n',
            _timeline_html(stops, tr),
            foot,
        )
    )


def _html_head(language: str, facts: RecapFacts) -> str:
    shared = {"og:title": f"{facts.title}: {facts.ending}", "og:type": "article", "og:image": facts.image}
    og = "".join(
        f'<meta property="{name}" content="{escape(value)}">\n' for name, value in shared.items() if value
    )
    return (
        f'<!DOCTYPE html>\n<html lang="{escape(language)}">\n<head>\n<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy"'
        " content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"{og}<title>{escape(facts.title)}</title>\n<style>\n{STYLE}\n</style>\n</head>\n<body>\n"
    )


def _winner_html(facts: RecapFacts, tr: Callable[..., str]) -> str:
    """The winner, on their colour; several winners share a neutral one."""
    winners = [player for player in facts.players if player.won]
    ground = winners[0].colour if len(winners) == 1 else NEUTRAL
    badges = "".join(player_badge(player, "7.5rem") for player in winners)
    when = f" · {escape(facts.when)}" if facts.when else ""
    return (
        f'<header class="hero" style="background:{escape(ground)}">\n<div>{badges}<div class="names">\n'
        f'<p class="what">{escape(facts.title)}{when}</p>\n<h1>{escape(facts.ending)}</h1>\n'
        "</div></div>\n</header>\n"
    )


def player_badge(player: RecapPlayer, size: str) -> str:
    """A player's shape with the number in it; without alternative text, as the name is next to it."""
    points = " ".join(f"{x:.3f},{y:.3f}" for x, y in player.outline)
    return (
        f'<svg viewBox="-1.6 -1.6 3.2 3.2" style="width:{size};height:{size}" aria-hidden="true">'
        f'<polygon points="{points}" stroke="#fbf5e6" stroke-width=".42" stroke-linejoin="round"/>'
        f'<polygon points="{points}" fill="{escape(player.colour)}" stroke="#1b1526" stroke-width=".16"'
        ' stroke-linejoin="round"/><text y=".34" text-anchor="middle" font-size=".95" font-weight="bold"'
        f' font-family="system-ui,sans-serif" fill="#1b1526">{player.number}</text></svg>'
    )


def _players_html(facts: RecapFacts, tr: Callable[..., str]) -> str:
    if not facts.players:
        return ""
    items = "".join(
        f"<li>{player_badge(player, '2.8rem')}<div><b>{escape(player.name)}</b>"
        f"<span>{escape(tr('recap.won')) if player.won else ''}</span></div></li>"
        for player in facts.players
    )
    return f'<ul class="players">{items}</ul>\n'


def _moments_html(facts: RecapFacts, stops: Sequence[TimelineStop], tr: Callable[..., str]) -> str:
    """The moments that decided the game, linked to the time line."""
    if not facts.great:
        return ""
    items = "".join(
        f'<div class="moment"><a href="#stop{one.stop + 1}" aria-label="{escape(tr("recap.line"))}:'
        f' {one.stop + 1}">{_image_html(stops[one.stop].picture, "")}</a>\n'
        f'<div><p><span class="pill">{escape(one.minute)}</span></p>\n<h3>{escape(one.told)}</h3>\n'
        f'<p class="soft">{escape(one.moved)}</p></div></div>\n'
        for one in facts.great
    )
    return f"<h2>{escape(tr('recap.moments'))}</h2>\n{items}"


WIDE, HIGH, ROOM = 100, 30, 6
"""Size of the chart of chances, in its own units, and the margin for the shapes."""


def _chances_chart(facts: RecapFacts, tr: Callable[..., str]) -> str:
    """The chart of chances: a line per player that ends in the player's shape."""
    if len(facts.chances) < 2:
        return ""
    lines = []
    for place, player in enumerate(facts.players):
        points = " ".join(f"{WIDE * at:.2f},{HIGH * (1 - each[place]):.2f}" for at, each in facts.chances)
        for width, colour in ((0.9, "#1b1526"), (0.55, player.colour)):
            lines.append(
                f'<polyline points="{points}" fill="none" stroke="{escape(colour)}" stroke-width="{width}"'
                ' stroke-linejoin="round"/>'
            )
    ends = _spread_apart([HIGH * (1 - each) for each in facts.chances[-1][1]])
    shapes = "".join(
        f'<svg x="{WIDE + 0.6}" y="{ends[place] - 2:.2f}" width="4" height="4" viewBox="-1.6 -1.6 3.2 3.2">'
        f"{player_badge(player, '100%').partition('>')[2]}"
        for place, player in enumerate(facts.players)
    )
    rules = "".join(
        f'<line x1="0" x2="{WIDE}" y1="{HIGH * share}" y2="{HIGH * share}" stroke="var(--soft)"'
        ' stroke-width=".12" stroke-dasharray=".6 .6"/>'
        for share in (0, 0.5, 1)
    )
    title = escape(tr("recap.chances"))
    return (
        f'<h2>{title}</h2>\n<div class="chances"><svg viewBox="-1 -3 {WIDE + ROOM} {HIGH + 6}"'
        f' role="img" aria-label="{title}">{rules}{"".join(lines)}{shapes}</svg>\n'
        f'<p class="soft">{escape(tr("recap.chances.how"))}</p></div>\n'
    )


def _spread_apart(heights: Sequence[float], least: float = 3.2) -> list[float]:
    """The heights, moved up from the lowest until no two shapes overlap."""
    found = list(heights)
    order = sorted(range(len(found)), key=lambda place: -found[place])
    for below, above in pairwise(order):
        found[above] = min(found[above], found[below] - least)
    return found


def _image_html(picture: bytes, alt: str) -> str:
    data = b64encode(picture).decode("ascii")
    return f'<img src="data:image/jpeg;base64,{data}" alt="{escape(alt)}" width="960" height="540">'


def _timeline_html(stops: Sequence[TimelineStop], tr: Callable[..., str]) -> str:
    """All stops, with links between them."""
    title = f"<h2>{escape(tr('recap.line'))}</h2>\n"
    if not stops:
        return f"{title}<p>{escape(tr('recap.none'))}</p>\n"
    links = "".join(
        f'<li><a class="{stop.kind}" href="#stop{number}" aria-label="{number}: {escape(stop.kind_told)}">'
        f'<span aria-hidden="true">{MARKS[stop.kind]}</span> {number}</a></li>'
        for number, stop in enumerate(stops, 1)
    )
    line = f'<nav aria-label="{escape(tr("recap.line"))}">\n{_legend_html(stops)}<ol>{links}</ol>\n</nav>\n'
    items = "".join(_stop_html(number, stop, len(stops), tr) for number, stop in enumerate(stops, 1))
    return f'{title}{line}<div class="stops">\n{items}</div>\n'


def _legend_html(stops: Sequence[TimelineStop]) -> str:
    """The legend of the time line's marks."""
    kinds = {stop.kind: stop.kind_told for stop in stops}
    items = "".join(
        f'<span class="{kind}"><span aria-hidden="true">{MARKS[kind]}</span> {escape(kinds[kind])}</span>'
        for kind in MARKS
        if kind in kinds
    )
    return f'<p class="legend">{items}</p>\n'


def _stop_html(number: int, stop: TimelineStop, count: int, tr: Callable[..., str]) -> str:
    before = (
        f'<a href="#stop{number - 1}">← {escape(tr("recap.previous"))}</a>' if number > 1 else "<span></span>"
    )
    after = (
        f'<a href="#stop{number + 1}">{escape(tr("recap.next"))} →</a>' if number < count else "<span></span>"
    )
    return (
        f'<section id="stop{number}" aria-labelledby="told{number}">\n'
        f'<p class="kind {stop.kind}"><span aria-hidden="true">{MARKS[stop.kind]}</span>'
        f" {number}/{count} · {escape(stop.kind_told)} · {escape(stop.clock)}</p>\n"
        f'<h3 id="told{number}">{escape(stop.told)}</h3>\n'
        f"{_image_html(stop.picture, tr('recap.alt', what=stop.told))}\n"
        f'<p class="steps">{before}{after}</p>\n</section>\n'
    )


FOLDER = "recaps"
PICTURE = ".png"
"""Suffix of the picture beside a page, which link previews show."""


def page_stem(game: str, date: str) -> str:
    """The beginning of the file names of a game's pages."""
    return "-".join(filter(None, (game, "".join(sign for sign in date[:16] if sign.isalnum()))))


def new_page_path(folder: Path, game: str, date: str) -> Path:
    """An unused file name for a page."""
    number = 1
    while (path := folder / FOLDER / f"{page_stem(game, date)}-{number}.html").exists():
        number += 1
    return path


def list_pages(folder: Path) -> list[Path]:
    """All pages in the table's folder."""
    return sorted((folder / FOLDER).glob("*.html"))


def list_link_pictures(folder: Path) -> list[Path]:
    """All pictures for link previews, including those left without a page."""
    return sorted((folder / FOLDER).glob(f"*{PICTURE}"))


def link_picture_path(page: Path) -> Path:
    """The picture for a page's link preview, which also shows names."""
    return page.with_suffix(PICTURE)


def is_page_of(page: Path, game: str, date: str) -> bool:
    """Whether the page is about that game, or about another of the same minute."""
    return page.stem.rpartition("-")[0] == page_stem(game, date)


LINK_PICTURE_SIZE = (1200, 630)
"""What messengers show of a page, in pixels."""


def check_nothing_hidden(referee: Referee[Any]) -> None:
    """Raise if something may still lie hidden in this game."""
    if referee.rules.outcome(referee.state) is None:
        raise InputError("This game isn't over: a recap would show hidden cards. Finish it first.")
    if not referee.rules.is_open(referee.state):
        raise InputError(
            "This game was ended early. Open it under Past games and choose Show everything first."
        )


def render_recap(referee: Referee[Any], language: str, *, image: str = "") -> str:
    """The page of a game that is over; of any other `CompanionError`, for it would show what is hidden.

    `image` names the file of `render_link_picture`, which lies beside it.
    """
    check_nothing_hidden(referee)
    words, header = Language(language), referee.journal.header
    names, scenes, moments = dict(header.names), TableImages(Language), build_timeline(referee)
    stops = [
        TimelineStop(
            moment.kind, words.tr(f"recap.kind.{moment.kind}"), format_clock(moment.at),
            words.text(moment.sentence, names), scenes.encode_jpeg(moment.view, language, names),
        )
        for moment in moments
    ]  # fmt: skip
    minutes = max(1, round(referee.at / (60 * SECOND)))
    numbers = (*referee.rules.recap_statistics(referee.standing_entries()), ("minutes", minutes))
    facts = RecapFacts(
        title=words.tr(f"{header.game}.name"),
        ending=words.text(referee.rules.view(referee.state).headline, names),
        when=format_date(header.date, words),
        numbers=[(words.tr(f"ui.recap.{name}"), str(value)) for name, value in numbers],
        players=_recap_players(referee, words, names),
        great=_decisive_moments(moments, referee.state.setup.chairs, words, names),
        chances=_chance_steps(moments, referee.at),
        image=image,
    )
    return render_page(language, facts, stops, words.tr)


def render_link_picture(referee: Referee[Any], language: str) -> bytes:
    """The winner's screen as a PNG, in the shape that messengers show beside a link."""
    check_nothing_hidden(referee)
    header = referee.journal.header
    view = referee.rules.view(referee.state)
    return TableImages(Language, LINK_PICTURE_SIZE).encode_png(view, language, dict(header.names))


def _recap_players(referee: Referee[Any], words: Language, names: Mapping[Chair, str]) -> list[RecapPlayer]:
    outcome = referee.rules.outcome(referee.state)
    winners = outcome.winners if outcome is not None else ()
    fills = {seat.name: seat.fill for seat in LOOK.seats}
    return [
        RecapPlayer(
            words.chair_name(chair, names), chair + 1, fills[words.colours[chair]],
            OUTLINES[SHAPES[chair]](), chair in winners,
        )
        for chair in referee.state.setup.chairs
    ]  # fmt: skip


def _decisive_moments(
    moments: Sequence[RecapMoment], chairs: Sequence[Chair], words: Language, names: Mapping[Chair, str]
) -> list[DecisiveMoment]:
    """The moments that decided the game, each with whose chances it moved most."""
    decisive = []
    for moment in most_decisive(moments):
        place = max(range(len(chairs)), key=lambda at: abs(moment.chances[at][1] - moment.chances[at][0]))
        before, after = (round(100 * share) for share in moment.chances[place])
        who = words.chair_name(chairs[place], names)
        stop = next(number for number, one in enumerate(moments) if one.seq == moment.seq)
        minute = words.tr("recap.minute", number=str(1 + moment.at // (60 * SECOND)))
        moved = words.tr("recap.moved", who=who, before=str(before), after=str(after))
        decisive.append(DecisiveMoment(stop, minute, words.text(moment.sentence, names), moved))
    return decisive


def _chance_steps(moments: Sequence[RecapMoment], end: Micros) -> list[tuple[float, tuple[float, ...]]]:
    """How the chances moved, in steps from stop to stop."""
    if not moments or not moments[0].chances or not end:
        return []
    found = [(0.0, tuple(before for before, _ in moments[0].chances))]
    for one in moments:
        at = one.at / end
        found += [(at, side) for side in zip(*one.chances, strict=True)]
    return found


def format_clock(at: Micros) -> str:
    """Minutes and seconds of play."""
    minutes, seconds = divmod(at // SECOND, 60)
    return f"{minutes}:{seconds:02d}"


def save_recap(referee: Referee[Any], language: str, folder: Path) -> Path:
    """Write the recap beside the games, under a name of its own.

    Raises `RecapNotSavedError` if it cannot be written.
    """
    header = referee.journal.header
    path = new_page_path(folder, header.game, header.date)
    picture = link_picture_path(path)
    text, link_picture = (
        render_recap(referee, language, image=picture.name),
        render_link_picture(referee, language),
    )
    try:
        make_folder(folder / FOLDER)
        with private_file(picture):
            picture.write_bytes(link_picture)
        with private_file(path):
            path.write_text(text, encoding="utf-8")
    except OSError as trouble:
        raise RecapNotSavedError(str(trouble)) from trouble
    return path


def save_and_report(session: Session, language: str, folder: Path) -> Sentence:
    """Saved; says where."""
    path = save_recap(session.game.referee, language, folder)
    return Sentence("ui.recap.saved", (("what", f"{FOLDER}/{path.name}"),))


class RecapNotSavedError(CompanionError):
    """The page could not be written."""

    on_screen = "recap"
