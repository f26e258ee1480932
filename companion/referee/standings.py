"""Standings over several games, with exports for other programs."""

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID, uuid5

from companion.core.actions import ABANDONED, Chair, Value
from companion.referee.store import GameSummary

_OURS = UUID("6d0f3a5e-5f0b-4d0e-9a53-0c5b8d1d5f21")
"""Namespace of the games' UUIDs. A game has the same UUID in every file, so importing twice adds nothing."""


class Standing(Value, frozen=True):
    """One player's results, over all games or in one."""

    name: str
    game: str
    """Empty: all games together."""
    played: int
    won: int
    shared: int
    """How many of the wins were shared."""


def player_label(game: GameSummary, chair: Chair) -> str:
    """The player's name, or the chair if there is none."""
    return dict(game.names).get(chair) or f"chair {chair + 1}"


def finished_games(games: Iterable[GameSummary], since: str = "") -> tuple[GameSummary, ...]:
    """The games that were played to their end, oldest first; `since` is an ISO date or its beginning."""
    ended = (game for game in games if game.outcome is not None and game.outcome.termination != ABANDONED)
    return tuple(
        sorted((game for game in ended if game.date >= since), key=lambda game: (game.date, game.game))
    )


def standings(games: Sequence[GameSummary]) -> tuple[Standing, ...]:
    """Standings over all games: most wins first, then fewest games played."""
    return tuple(sorted(_count_results(games, by_game=False), key=_rank_key))


def standings_by_game(games: Sequence[GameSummary]) -> tuple[Standing, ...]:
    """Standings by game."""
    counted = _count_results(games, by_game=True)
    return tuple(sorted(counted, key=lambda row: (row.game, *_rank_key(row))))


def standings_csv(rows: Iterable[Standing]) -> str:
    """CSV (RFC 4180) with a header; a cell that spreadsheets take for a formula gets a leading `'`."""
    written = io.StringIO()
    out = csv.writer(written)
    out.writerow(("game", "name", "played", "won", "shared"))
    for row in rows:
        out.writerow((row.game, escape_cell(row.name), row.played, row.won, row.shared))
    return written.getvalue()


def bgstats_json(games: Sequence[GameSummary], *, location: str, written: Mapping[str, str]) -> str:
    """A play file for the app BG Stats, in which players, games and plays refer to each other by number.

    `written`: titles of games, where they differ from the name with a capital letter.
    """
    people = {name: number for number, name in enumerate(dict.fromkeys(_player_labels(games)), start=1)}
    titles = {name: number for number, name in enumerate(sorted({game.name for game in games}), start=1)}
    latest = _bgstats_date(max((game.date for game in games), default="1970-01-01T00:00:00"))
    file = {
        "about": "Plays written by the table companion, to be opened with Board Game Stats.",
        "players": [
            {**_bgstats_item("player", name, number, latest), "isAnonymous": False, "bggUsername": ""}
            for name, number in people.items()
        ],
        "locations": [_bgstats_item("location", location, 1, latest)],
        "games": [
            {
                **_bgstats_item("game", name, number, latest),
                "name": written.get(name) or name.capitalize(),
                "cooperative": False,
                "highestWins": True,
                "noPoints": True,
                "usesTeams": False,
            }
            for name, number in titles.items()
        ],
        "plays": [_play(game, people, titles) for game in games],
    }
    return json.dumps(file, ensure_ascii=False, indent=1)


def _play(game: GameSummary, people: dict[str, int], titles: dict[str, int]) -> dict[str, Any]:
    when = _bgstats_date(game.date)
    winners = game.outcome.winners if game.outcome else ()
    return {
        "uuid": str(uuid5(_OURS, f"play {game.date} {game.name} {game.entries}")),
        "modificationDate": when,
        "entryDate": when,
        "playDate": when,
        "usesTeams": False,
        "durationMin": 0,
        "ignored": False,
        "manualWinner": True,
        "rounds": 0,
        "locationRefId": 1,
        "gameRefId": titles[game.name],
        "board": "",
        "scoringSetting": 0,
        "playerScores": [
            {
                "score": "",
                "winner": chair in winners,
                "newPlayer": False,
                "startPlayer": False,
                "playerRefId": people[player_label(game, chair)],
                "rank": 1 if chair in winners else 0,
                "seatOrder": seat,
            }
            for seat, chair in enumerate(game.chairs, start=1)
        ],
    }


def _bgstats_item(kind: str, name: str, number: int, when: str) -> dict[str, Any]:
    return {"uuid": str(uuid5(_OURS, f"{kind} {name}")), "id": number, "name": name, "modificationDate": when}


def _player_labels(games: Iterable[GameSummary]) -> Iterable[str]:
    return (player_label(game, chair) for game in games for chair in game.chairs)


def _count_results(games: Sequence[GameSummary], *, by_game: bool) -> Iterable[Standing]:
    rows: dict[tuple[str, str], list[int]] = {}
    for game in games:
        winners = game.outcome.winners if game.outcome else ()
        for chair in game.chairs:
            row = rows.setdefault((game.name if by_game else "", player_label(game, chair)), [0, 0, 0])
            won = chair in winners
            row[0] += 1
            row[1] += won
            row[2] += won and len(winners) > 1
    return (Standing(name, game, *row) for (game, name), row in rows.items())


def _rank_key(row: Standing) -> tuple[int, int, str]:
    return -row.won, row.played, row.name


def _bgstats_date(date: str) -> str:
    """An ISO date in the form of BG Stats, in the same time zone."""
    return date[:19].replace("T", " ")


def escape_cell(cell: str) -> str:
    return f"'{cell}" if cell[:1] in {"=", "+", "-", "@", "\t", "\r"} else cell
