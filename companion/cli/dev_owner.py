"""`companion dev owner`: what the owner's pages show, as JSON; the table runs it beside itself."""

import argparse
import os
from contextlib import suppress
from typing import Any

import msgspec
from msgspec.structs import replace

from companion.core.errors import CompanionError
from companion.doors.messages import Looked
from companion.settings.files import given
from companion.settings.model import Settings
from companion.settings.terminal import hand_over

MOST_GAMES = 100


class Wish(msgspec.Struct, frozen=True):
    """What is asked for, and the settings that the table runs with."""

    settings: Settings
    what: Looked
    number: int
    language: str


class NoGame(CompanionError):  # noqa: N818 - what it says, not what it is
    """There is no such game that is over."""

    exit_code = 3


class NotOver(CompanionError):  # noqa: N818 - what it says, not what it is
    """Something of this game may still be hidden."""

    exit_code = 4


def run(args: argparse.Namespace, settings: Settings) -> int:
    with suppress(OSError):
        os.nice(19)  # the table comes first
    if args.settings_given:
        settings = given()
    wish = Wish(settings, args.what, args.number, args.language or settings.table.language)
    made = {"games": _games, "log": _log, "recap": _recap, "doctor": _doctor}[wish.what](wish)
    hand_over(msgspec.json.encode(made).decode())
    return 0


def _games(wish: Wish) -> Any:
    """The newest games that are over, by their seats' colours: no name leaves the table."""
    from companion.games import RULES
    from companion.settings.stored_games import store_of

    words = _words(wish)
    with store_of(wish.settings) as store:
        over = [game for game in store.each() if not game.problem and game.outcome and game.name in RULES]
    return {
        "games": [
            {
                "number": game.game,
                "game": words.tr(f"{game.name}.name"),
                "when": game.date.replace("T", " ")[:16],
                "chairs": [_seat(words, chair) for chair in game.chairs],
                "won": [_seat(words, chair) for chair in (game.outcome.winners if game.outcome else ())],
            }
            for game in over[:MOST_GAMES]
        ]
    }


def _log(wish: Wish) -> Any:
    from companion.table.history import History
    from companion.table.save_recap import clock

    number, referee = _open_game(wish)
    words = _words(wish)
    entries = {entry.seq: entry for entry in referee.journal.entries}
    return {
        "number": number,
        "title": words.tr(f"{referee.journal.header.game}.name"),
        "when": referee.journal.header.date.replace("T", " ")[:16],
        "lines": [
            {
                "at": clock(entries[line.seq].cause.at),
                "text": words.text(line.sentence),
                "gone": line.taken_back,
            }
            for line in History(referee).whole()
        ],
    }


def _recap(wish: Wish) -> Any:
    from companion.table.save_recap import recap_page

    number, referee = _open_game(wish)
    return {"number": number, "html": recap_page(referee, wish.language)}


def _doctor(wish: Wish) -> Any:
    from companion.appliance.machine import Machine
    from companion.diagnostics.doctor import examine

    class AtTheTable(Machine):
        """The table itself has the camera, and that is no fault."""

        def holder(self, device: Any) -> str | None:
            found = super().holder(device)
            return None if (found or "").startswith(f"process {os.getppid()} ") else found

    found = examine(AtTheTable(), wish.settings)
    return {"findings": [msgspec.to_builtins(one) for one in found]}


def _open_game(wish: Wish) -> tuple[int, Any]:
    """The game as a referee that may tell everything; no name goes with it."""
    from companion.core.errors import InputError
    from companion.referee.acceptance import accepted
    from companion.settings.stored_games import rules_of, store_of
    from companion.table.save_recap import check_open

    with store_of(wish.settings) as store:
        number = wish.number or next((one.game for one in store.each() if one.outcome and not one.problem), 0)
        summary = store.game(number) if number else None
        if summary is None or summary.problem:
            raise NoGame("There is no such game.")
        if summary.outcome is None:
            raise NotOver("This game isn't over.")
        header, entries = store.read(number)
    referee = accepted(rules_of(header), replace(header, names=()), entries)
    try:
        check_open(referee)
    except InputError as hidden:
        raise NotOver(str(hidden)) from hidden
    return number, referee


def _words(wish: Wish) -> Any:
    from companion.run.looks import colours_of
    from companion.ui.language import Language

    return Language(wish.language, colours_of(wish.settings))


def _seat(words: Any, chair: int) -> dict[str, Any]:
    """A seat as pages draw it."""
    from companion.ui.tokens import tokens

    colour = words.colours[chair]
    shape = next(seat.shape for seat in tokens().seats if seat.name == colour)
    return {"chair": chair, "name": words.chair(chair), "colour": colour, "shape": shape}
