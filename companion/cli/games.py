"""`companion games`: lists the stored games with their winners."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from companion.core.errors import InputError
from companion.settings.model import Settings
from companion.system.terminal import (
    count_with_noun,
    explain_write_errors,
    print_json,
    print_json_list,
    print_lines,
    print_text,
)

if TYPE_CHECKING:
    from companion.referee.standings import Standing
    from companion.referee.store import GameSummary

DEFAULT_LISTED_GAMES = 100
"""How many are listed where nobody asks for more."""
PROBLEM_TEXTS: Mapping[str, str] = {
    "newer": "saved by a newer version; update this program",
    "unknown_game": "this program doesn't know that game; update it",
    "damaged": "it is damaged",
    "altered": "it is damaged",
    "foreign": "it is damaged",
    "too_old": "saved by a version that is too old",
}


def run(args: argparse.Namespace, settings: Settings) -> int:
    import msgspec

    from companion.programs.store_responder import open_store

    since = _format_day(args.since)
    ranked = args.league or args.csv or args.bgsplay
    with open_store(settings) as store:
        stored = store.iterate_games(None if args.all and not ranked else "game")
        games = (game for game in stored if game.problem or game.date >= since)
        if ranked:
            return _print_league(args, settings, games)
        if args.json:
            print_json_list(msgspec.to_builtins(game) for game in games)
            return 0
        return _print_games(games, settings, newest=None if args.all or since else DEFAULT_LISTED_GAMES)


def _print_games(games: Iterable[GameSummary], settings: Settings, *, newest: int | None) -> int:
    """The list, at most the `newest`."""
    listed = 0
    for game in games:
        if listed == newest:
            print_lines(f"These are the newest {newest}. See all: --all; since a day: --since DATE.")
            return 0
        print_lines(_format_game(game))
        listed += 1
    if not listed:
        print_lines(f"No games at table {settings.table.name!r} yet. Start one: companion play")
    return 0


def _format_game(game: GameSummary) -> str:
    """A game as the list has it."""
    people = ", ".join(_format_person(game, chair) for chair in game.chairs)
    if game.problem:
        why = PROBLEM_TEXTS.get(game.problem, game.problem)
        return f"{game.game:>4}  {'':<16}  {'':<10}  can't be opened: {why}"
    if game.outcome is None:
        ended = "unfinished"
    elif game.outcome.winners:
        ended = f"won by {', '.join(_format_person(game, chair) for chair in game.outcome.winners)}"
    else:
        ended = game.outcome.termination
    kind = "" if game.kind == "game" else f"{game.kind}, "
    when = game.date[:16].replace("T", " ")
    return f"{game.game:>4}  {when:<16}  {game.name:<10}  {kind}{ended}  ({people})"


def _format_person(game: GameSummary, chair: int) -> str:
    from companion.referee.standings import player_label

    return player_label(game, chair)


def _format_day(text: str) -> str:
    import re

    if text and not re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])", text):
        raise InputError(f'"{text}" isn\'t a date. Use YYYY-MM-DD, e.g. 2026-11-20.')
    return text


def _print_league(args: argparse.Namespace, settings: Settings, games: Iterable[GameSummary]) -> int:
    import msgspec

    from companion.games import RULES
    from companion.referee import standings

    ended = standings.finished_games(games)
    overall, single = standings.standings(ended), standings.standings_by_game(ended)
    if args.csv:
        _write_output(args.csv, standings.standings_csv((*overall, *single)))
    if args.bgsplay:
        written = {name: rules.board.title for name, rules in RULES.items()}
        _write_output(
            args.bgsplay, standings.bgstats_json(ended, location=settings.table.name, written=written)
        )
    if args.json:
        print_json([msgspec.to_builtins(row) for row in (*overall, *single)])
    elif args.league or not (args.csv or args.bgsplay):
        _print_standings(overall, single, len(ended))
    return 0


def _print_standings(overall: Sequence[Standing], single: Sequence[Standing], count: int) -> None:
    print_lines(f"{count_with_noun(count, 'finished game')}.")
    widest = max((len(row.name) for row in overall), default=0)
    for title in dict.fromkeys(("", *(row.game for row in single))):
        rows = overall if not title else [row for row in single if row.game == title]
        if rows:
            print_lines("", title or "all games")
        for row in rows:
            together = f" ({row.shared} together)" if row.shared else ""
            print_lines(f"  {row.name:<{widest}}  {row.won:>3} won of {row.played}{together}")


def _write_output(where: str, text: str) -> None:
    if where == "-":
        print_text(text)
        return
    path = Path(where)
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise InputError(f"{where} isn't a plain file; name another one.")
    with explain_write_errors(path):
        path.write_text(text, encoding="utf-8", newline="")
    print_lines(f"Saved {where}.")
