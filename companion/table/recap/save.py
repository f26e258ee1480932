"""Saves the recap of a finished game as a page with a link preview, and lists the saved ones."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from companion.core.actions import SECOND, Chair, Micros
from companion.core.errors import CompanionError, InputError
from companion.core.exhibits import RecapMoment
from companion.core.view import Sentence
from companion.language.language import Language, format_date
from companion.referee.referee import Referee
from companion.system.file_owner import make_folder, private_file
from companion.table.recap.html_page import DecisiveMoment, RecapFacts, RecapPlayer, TimelineStop, render_page
from companion.table.recap.timeline import build_timeline, most_decisive
from companion.table.session import Session
from companion.ui.pages.recap import TableImages
from companion.ui.toolkit.sprites import OUTLINES
from companion.ui.toolkit.theme import LOOK, SHAPES

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
    told = []
    for moment in most_decisive(moments):
        place = max(range(len(chairs)), key=lambda at: abs(moment.chances[at][1] - moment.chances[at][0]))
        before, after = (round(100 * share) for share in moment.chances[place])
        who = words.chair_name(chairs[place], names)
        stop = next(number for number, one in enumerate(moments) if one.seq == moment.seq)
        minute = words.tr("recap.minute", number=str(1 + moment.at // (60 * SECOND)))
        moved = words.tr("recap.moved", who=who, before=str(before), after=str(after))
        told.append(DecisiveMoment(stop, minute, words.text(moment.sentence, names), moved))
    return told


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
    text, shown = render_recap(referee, language, image=picture.name), render_link_picture(referee, language)
    try:
        make_folder(folder / FOLDER)
        with private_file(picture):
            picture.write_bytes(shown)
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
