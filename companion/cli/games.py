"""`companion games`: what is stored, and who won what."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from companion.core.errors import InputError
from companion.core.plain import counted
from companion.settings.model import Settings
from companion.settings.terminal import hand_over, say, say_json, say_json_list, writing

if TYPE_CHECKING:
    from companion.referee.league import Standing
    from companion.referee.store import Summary

NEWEST = 100
"""How many are listed where nobody asks for more."""
PROBLEMS: Mapping[str, str] = {
    "newer": "saved by a newer version; update this program",
    "unknown_game": "this program doesn't know that game; update it",
    "damaged": "it is damaged",
    "foreign": "it is damaged",
    "too_old": "saved by a version that is too old",
}


def run(args: argparse.Namespace, settings: Settings) -> int:
    import msgspec

    from companion.settings.stored_games import store_of

    since = _day(args.since)
    ranked = args.league or args.csv or args.bgsplay
    with store_of(settings) as store:
        stored = store.each(None if args.all and not ranked else "game")
        games = (game for game in stored if game.problem or game.date >= since)
        if ranked:
            return _league(args, settings, games)
        if args.json:
            say_json_list(msgspec.to_builtins(game) for game in games)
            return 0
        return _listed(games, settings, newest=None if args.all or since else NEWEST)


def _listed(games: Iterable[Summary], settings: Settings, *, newest: int | None) -> int:
    """The list, at most the `newest`."""
    listed = 0
    for game in games:
        if listed == newest:
            say(f"These are the newest {newest}. See all: --all; since a day: --since DATE.")
            return 0
        say(_line(game))
        listed += 1
    if not listed:
        say(f"No games at table {settings.table.name!r} yet. Start one: companion play")
    return 0


def _line(game: Summary) -> str:
    """A game as the list has it."""
    people = ", ".join(_person(game, chair) for chair in game.chairs)
    if game.problem:
        why = PROBLEMS.get(game.problem, game.problem)
        return f"{game.game:>4}  {'':<16}  {'':<10}  can't be opened: {why}"
    if game.outcome is None:
        ended = "unfinished"
    elif game.outcome.winners:
        ended = f"won by {', '.join(_person(game, chair) for chair in game.outcome.winners)}"
    else:
        ended = game.outcome.termination
    kind = "" if game.kind == "game" else f"{game.kind}, "
    when = game.date[:16].replace("T", " ")
    return f"{game.game:>4}  {when:<16}  {game.name:<10}  {kind}{ended}  ({people})"


def _person(game: Summary, chair: int) -> str:
    from companion.referee.league import person

    return person(game, chair)


def _day(text: str) -> str:
    import re

    if text and not re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])", text):
        raise InputError(f'"{text}" isn\'t a date. Use YYYY-MM-DD, e.g. 2026-11-20.')
    return text


def _league(args: argparse.Namespace, settings: Settings, games: Iterable[Summary]) -> int:
    import msgspec

    from companion.games import RULES
    from companion.referee import league

    ended = league.finished(games)
    overall, single = league.standings(ended), league.standings_by_game(ended)
    if args.csv:
        _write(args.csv, league.as_csv((*overall, *single)))
    if args.bgsplay:
        written = {name: rules.board.title for name, rules in RULES.items()}
        _write(args.bgsplay, league.as_bgsplay(ended, location=settings.table.name, written=written))
    if args.json:
        say_json([msgspec.to_builtins(row) for row in (*overall, *single)])
    elif args.league or not (args.csv or args.bgsplay):
        _print(overall, single, len(ended))
    return 0


def _print(overall: Sequence[Standing], single: Sequence[Standing], count: int) -> None:
    say(f"{counted(count, 'finished game')}.")
    widest = max((len(row.name) for row in overall), default=0)
    for title in dict.fromkeys(("", *(row.game for row in single))):
        rows = overall if not title else [row for row in single if row.game == title]
        if rows:
            say("", title or "all games")
        for row in rows:
            together = f" ({row.shared} together)" if row.shared else ""
            say(f"  {row.name:<{widest}}  {row.won:>3} won of {row.played}{together}")


def _write(where: str, text: str) -> None:
    if where == "-":
        hand_over(text)
        return
    path = Path(where)
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise InputError(f"{where} isn't a plain file; name another one.")
    with writing(path):
        path.write_text(text, encoding="utf-8", newline="")
    say(f"Saved {where}.")
