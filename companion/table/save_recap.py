"""A recap written as a page: the referee's time line, its pictures, its words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from companion.core.actions import SECOND, Micros
from companion.core.errors import CompanionError, InputError
from companion.core.view import Sentence
from companion.recap.page import Facts, Stop, page
from companion.recap.saved_pages import FOLDER, new_page
from companion.recap.timeline import timeline
from companion.referee.owners import make_folder, private
from companion.referee.referee import Referee
from companion.table.session import Session
from companion.ui.language import Language
from companion.ui.pages.scene import Scenes


def check_open(referee: Referee[Any]) -> None:
    """Raise if something may still lie hidden in this game."""
    if referee.rules.outcome(referee.state) is None:
        raise InputError("This game is not over: a recap would tell what lies hidden.")
    if not referee.rules.is_open(referee.state):
        raise InputError(
            "This game was ended early: companion play, Games, open it, and choose Show everything first."
        )


def recap_page(referee: Referee[Any], language: str) -> str:
    """The page of a game that is over; of any other `CompanionError`, for it would tell what lies hidden."""
    check_open(referee)
    words, header = Language(language), referee.journal.header
    names, scenes = dict(header.names), Scenes(Language)
    stops = [
        Stop(
            moment.kind, words.tr(f"recap.kind.{moment.kind}"), clock(moment.at),
            words.text(moment.sentence, names), scenes.jpeg(moment.view, language, names),
        )
        for moment in timeline(referee)
    ]  # fmt: skip
    minutes = max(1, round(referee.at / (60 * SECOND)))
    numbers = (*referee.rules.recap(referee.standing()), ("minutes", minutes))
    facts = Facts(
        title=words.tr("recap.title", game=words.tr(f"{header.game}.name")),
        ending=words.text(referee.rules.view(referee.state).headline, names),
        when=header.date.replace("T", " ")[:16],
        numbers=[(words.tr(f"ui.recap.{name}"), str(value)) for name, value in numbers],
    )
    return page(language, facts, stops, words.tr)


def clock(at: Micros) -> str:
    """Minutes and seconds of play."""
    minutes, seconds = divmod(at // SECOND, 60)
    return f"{minutes}:{seconds:02d}"


def save_recap(referee: Referee[Any], language: str, folder: Path) -> Path:
    """Written beside the games, under a name of its own; `CompanionError` says why not."""
    text = recap_page(referee, language)
    header = referee.journal.header
    try:
        make_folder(folder / FOLDER)
        path = new_page(folder, header.game, header.date)
        with private(path):
            path.write_text(text, encoding="utf-8")
    except OSError as trouble:
        raise NotSaved(str(trouble)) from trouble
    return path


def kept_recap(session: Session, language: str, folder: Path) -> Sentence:
    """Saved, and told where."""
    path = save_recap(session.game.referee, language, folder)
    return Sentence("ui.recap.saved", (("what", f"{FOLDER}/{path.name}"),))


class NotSaved(CompanionError):  # noqa: N818 - what it says, not what it is
    """The page could not be written."""

    on_screen = "recap"
