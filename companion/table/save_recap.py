"""A recap written as a page: the referee's time line, its pictures, its words."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from companion.core.actions import SECOND, Chair, Micros
from companion.core.errors import CompanionError, InputError
from companion.core.exhibits import Moment
from companion.core.view import Sentence
from companion.recap.page import Facts, Great, Player, Stop, page
from companion.recap.saved_pages import FOLDER, new_page, picture_of
from companion.recap.timeline import greatest, timeline
from companion.referee.owners import make_folder, private
from companion.referee.referee import Referee
from companion.table.session import Session
from companion.ui.language import Language
from companion.ui.pages.scene import Scenes
from companion.ui.shapes import OUTLINES
from companion.ui.theme import LOOK, SHAPES

DAY = re.compile(r"(\d{4})-(0[1-9]|1[0-2])-(\d{2})")
SHARED = (1200, 630)
"""What messengers show of a page, in pixels."""


def check_open(referee: Referee[Any]) -> None:
    """Raise if something may still lie hidden in this game."""
    if referee.rules.outcome(referee.state) is None:
        raise InputError("This game isn't over: a recap would show hidden cards. Finish it first.")
    if not referee.rules.is_open(referee.state):
        raise InputError(
            "This game was ended early. Open it under Past games and choose Show everything first."
        )


def recap_page(referee: Referee[Any], language: str, *, image: str = "") -> str:
    """The page of a game that is over; of any other `CompanionError`, for it would show what is hidden.

    `image` names the file of `recap_picture`, which lies beside it.
    """
    check_open(referee)
    words, header = Language(language), referee.journal.header
    names, scenes, moments = dict(header.names), Scenes(Language), timeline(referee)
    stops = [
        Stop(
            moment.kind, words.tr(f"recap.kind.{moment.kind}"), clock(moment.at),
            words.text(moment.sentence, names), scenes.jpeg(moment.view, language, names),
        )
        for moment in moments
    ]  # fmt: skip
    minutes = max(1, round(referee.at / (60 * SECOND)))
    numbers = (*referee.rules.recap(referee.standing()), ("minutes", minutes))
    facts = Facts(
        title=words.tr(f"{header.game}.name"),
        ending=words.text(referee.rules.view(referee.state).headline, names),
        when=_day(header.date, words),
        numbers=[(words.tr(f"ui.recap.{name}"), str(value)) for name, value in numbers],
        players=_players(referee, words, names),
        great=_great(moments, referee.setup.chairs, words, names),
        chances=_chances(moments, referee.at),
        image=image,
    )
    return page(language, facts, stops, words.tr)


def recap_picture(referee: Referee[Any], language: str) -> bytes:
    """The winner's screen as a PNG, in the shape that messengers show beside a link."""
    check_open(referee)
    header = referee.journal.header
    view = referee.rules.view(referee.state)
    return Scenes(Language, SHARED).png(view, language, dict(header.names))


def _players(referee: Referee[Any], words: Language, names: Mapping[Chair, str]) -> list[Player]:
    outcome = referee.rules.outcome(referee.state)
    winners = outcome.winners if outcome is not None else ()
    fills = {seat.name: seat.fill for seat in LOOK.seats}
    return [
        Player(
            words.chair(chair, names), chair + 1, fills[words.colours[chair]],
            OUTLINES[SHAPES[chair]](), chair in winners,
        )
        for chair in referee.setup.chairs
    ]  # fmt: skip


def _great(
    moments: Sequence[Moment], chairs: Sequence[Chair], words: Language, names: Mapping[Chair, str]
) -> list[Great]:
    """The moments that decided the game, each with whose chances it moved most."""
    told = []
    for moment in greatest(moments):
        place = max(range(len(chairs)), key=lambda at: abs(moment.chances[at][1] - moment.chances[at][0]))
        before, after = (round(100 * share) for share in moment.chances[place])
        who = words.chair(chairs[place], names)
        stop = next(number for number, one in enumerate(moments) if one.seq == moment.seq)
        minute = words.tr("recap.minute", number=str(1 + moment.at // (60 * SECOND)))
        moved = words.tr("recap.moved", who=who, before=str(before), after=str(after))
        told.append(Great(stop, minute, words.text(moment.sentence, names), moved))
    return told


def _chances(moments: Sequence[Moment], end: Micros) -> list[tuple[float, tuple[float, ...]]]:
    """How the chances moved, in steps from stop to stop."""
    if not moments or not moments[0].chances or not end:
        return []
    found = [(0.0, tuple(before for before, _ in moments[0].chances))]
    for one in moments:
        at = one.at / end
        found += [(at, side) for side in zip(*one.chances, strict=True)]
    return found


def _day(date: str, words: Language) -> str:
    """A date as people write it; what is no date stays as it is."""
    found = DAY.match(date)
    if found is None:
        return date[:16]
    year, month, day = map(int, found.groups())
    named = words.tr("recap.months").split()[month - 1]
    return words.tr("recap.day", day=str(day), month=named, year=str(year))


def clock(at: Micros) -> str:
    """Minutes and seconds of play."""
    minutes, seconds = divmod(at // SECOND, 60)
    return f"{minutes}:{seconds:02d}"


def save_recap(referee: Referee[Any], language: str, folder: Path) -> Path:
    """Write the recap beside the games, under a name of its own.

    Raises `NotSaved` if it cannot be written.
    """
    header = referee.journal.header
    path = new_page(folder, header.game, header.date)
    picture = picture_of(path)
    text, shown = recap_page(referee, language, image=picture.name), recap_picture(referee, language)
    try:
        make_folder(folder / FOLDER)
        with private(picture):
            picture.write_bytes(shown)
        with private(path):
            path.write_text(text, encoding="utf-8")
    except OSError as trouble:
        raise NotSaved(str(trouble)) from trouble
    return path


def kept_recap(session: Session, language: str, folder: Path) -> Sentence:
    """Saved; says where."""
    path = save_recap(session.game.referee, language, folder)
    return Sentence("ui.recap.saved", (("what", f"{FOLDER}/{path.name}"),))


class NotSaved(CompanionError):  # noqa: N818 - what it says, not what it is
    """The page could not be written."""

    on_screen = "recap"
