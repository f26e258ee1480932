"""`companion dev owner`: prints as JSON what the owner's web pages show."""

import argparse
import os
from contextlib import suppress
from typing import Any

import msgspec
from msgspec.structs import replace

from companion.core.errors import CompanionError
from companion.network.messages import OwnerPage
from companion.settings.files import settings_from_stdin
from companion.settings.model import Settings
from companion.system.terminal import print_text

MAX_LISTED_GAMES = 100


class OwnerQuery(msgspec.Struct, frozen=True):
    """What is asked for, and the settings that the table runs with."""

    settings: Settings
    what: OwnerPage
    number: int
    language: str


class NoSuchGameError(CompanionError):
    """There is no such game that is over."""

    exit_code = 3


class GameNotOverError(CompanionError):
    """Something of this game may still be hidden."""

    exit_code = 4


def run(args: argparse.Namespace, settings: Settings) -> int:
    with suppress(OSError):
        os.nice(19)  # the table comes first
    if args.settings_given:
        settings = settings_from_stdin()
    wish = OwnerQuery(settings, args.what, args.number, args.language or settings.table.language)
    made = {"games": _list_games, "log": _game_log, "recap": _game_recap, "doctor": _doctor_findings}[
        wish.what
    ](wish)
    print_text(msgspec.json.encode(made).decode())
    return 0


def _list_games(wish: OwnerQuery) -> Any:
    """The newest games that are over, by their seats' colours: no name leaves the table."""
    from companion.games import RULES
    from companion.programs.store_responder import open_store

    words = _load_language(wish)
    with open_store(wish.settings) as store:
        over = [
            game for game in store.iterate_games() if not game.problem and game.outcome and game.name in RULES
        ]
    return {
        "games": [
            {
                "number": game.game,
                "game": words.tr(f"{game.name}.name"),
                "when": game.date.replace("T", " ")[:16],
                "chairs": [_describe_seat(words, chair) for chair in game.chairs],
                "won": [
                    _describe_seat(words, chair) for chair in (game.outcome.winners if game.outcome else ())
                ],
            }
            for game in over[:MAX_LISTED_GAMES]
        ]
    }


def _game_log(wish: OwnerQuery) -> Any:
    from companion.table.history import JournalHistory
    from companion.table.recap.save import format_clock

    number, referee = _open_game(wish)
    words = _load_language(wish)
    entries = {entry.seq: entry for entry in referee.journal.entries}
    return {
        "number": number,
        "title": words.tr(f"{referee.journal.header.game}.name"),
        "when": referee.journal.header.date.replace("T", " ")[:16],
        "lines": [
            {
                "at": format_clock(entries[line.seq].cause.at),
                "text": words.text(line.sentence),
                "gone": line.taken_back,
            }
            for line in JournalHistory(referee).all_lines()
        ],
    }


def _game_recap(wish: OwnerQuery) -> Any:
    from companion.table.recap.save import render_recap

    number, referee = _open_game(wish)
    return {"number": number, "html": render_recap(referee, wish.language)}


def _doctor_findings(wish: OwnerQuery) -> Any:
    from companion.cli.checks.doctor import run_checks
    from companion.system.machine import Machine

    # Without `Devices`: the table that asks has them, and that is no fault.
    found = run_checks(Machine(), wish.settings)
    return {"findings": [msgspec.to_builtins(one) for one in found]}


def _open_game(wish: OwnerQuery) -> tuple[int, Any]:
    """The game as a referee that may tell everything; no name goes with it."""
    from companion.core.errors import InputError
    from companion.programs.store_responder import open_store, rules_of_journal
    from companion.referee.dry_run import check_journal
    from companion.table.recap.save import check_nothing_hidden

    with open_store(wish.settings) as store:
        number = wish.number or next(
            (one.game for one in store.iterate_games() if one.outcome and not one.problem), 0
        )
        summary = store.find_game(number) if number else None
        if summary is None or summary.problem:
            raise NoSuchGameError("There is no such game.")
        if not store.is_open(summary):
            raise GameNotOverError("This game isn't over, or its cards may still be hidden.")
        header, entries = store.read_game(number)
    referee = check_journal(rules_of_journal(header), replace(header, names=()), entries)
    try:
        check_nothing_hidden(referee)
    except InputError as hidden:
        raise GameNotOverError(str(hidden)) from hidden
    return number, referee


def _load_language(wish: OwnerQuery) -> Any:
    from companion.language.language import Language
    from companion.table.runtime import chair_colours

    return Language(wish.language, chair_colours(wish.settings))


def _describe_seat(words: Any, chair: int) -> dict[str, Any]:
    """A seat as pages draw it."""
    from companion.ui.toolkit.theme import load_design_tokens

    colour = words.colours[chair]
    shape = next(seat.shape for seat in load_design_tokens().seats if seat.name == colour)
    return {"chair": chair, "name": words.chair_name(chair), "colour": colour, "shape": shape}
