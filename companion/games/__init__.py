"""Finds the installed games through the entry-point group `companion.games`.

A game is imported when it is asked for by name. One that cannot be used is left out, named by
`companion doctor` and on the home page, and the others go on.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from companion.core.errors import InputError
from companion.core.game import GAME_INTERFACE_VERSION, Game
from companion.core.rules import Rules
from companion.system import asset_paths
from companion.system.extras import find_extensions

if TYPE_CHECKING:
    from companion.vision.layout import Layout

log = logging.getLogger(__name__)
ENTRY_POINT_GROUP = "companion.games"
BUNDLED_GAMES = (
    "kinapa",
    "kabuki",
    "kobayakawa",
    "dnup",
    "liars_dice",
    "hearts",
    "spades",
    "euchre",
    "roses",
    "in_order",
    "any_game",
)
"""Our games in the order in which they are offered; entry points come in no particular order."""
T = TypeVar("T")


@cache
def _find_entry_points() -> Mapping[str, EntryPoint]:
    """Every game that an installed package offers: ours in the order of `BUNDLED_GAMES`, then the others by
    name.
    """
    rank = {f"{__name__}.{name}": place for place, name in enumerate(BUNDLED_GAMES)}
    found = find_extensions(ENTRY_POINT_GROUP)
    offered = sorted(found, key=lambda point: rank.get(point.module, len(rank)))
    return {point.name: point for point in offered}


@cache
def _load_game(name: str) -> Game | str:
    """The record of a game, or in one sentence why it cannot be used."""
    point = _find_entry_points()[name]
    try:
        game = point.load()
    except Exception as problem:
        log.warning("The game %r cannot be imported", name, exc_info=problem)
        return f"{point.value} cannot be imported: {problem}"
    if not isinstance(game, Game):
        return f"{point.value} is not the record of a game"
    if game.interface != GAME_INTERFACE_VERSION:
        written = f"{point.value} was written for interface {game.interface}"
        return f"{written}; this program has {GAME_INTERFACE_VERSION}"
    if game.name != name:
        return f"{point.value} is called {game.name!r}, but is installed as {name!r}"
    return game


def game_names() -> tuple[str, ...]:
    """The installed games in the order in which they are offered; none is imported for that."""
    return tuple(_find_entry_points())


def find_broken_games() -> Mapping[str, str]:
    """The games that are installed and cannot be used: name → one sentence that says why."""
    return {name: why for name in _find_entry_points() if isinstance(why := _load_game(name), str)}


def find_missing_parts() -> Iterator[tuple[str, str]]:
    """What is missing in games from outside: the game, and in one sentence what its record names in vain."""
    for game in filter(None, map(_load_external_game, _find_entry_points())):
        for _, named in game.lazy_fields():
            try:
                named.resolve()
            except Exception as trouble:  # noqa: BLE001 - whatever their modules do when they are imported
                yield game.name, str(trouble) or "it cannot be imported"


def _load_external_game(name: str) -> Game | None:
    """The record of a game that is not ours and can be used."""
    game = None if _find_entry_points()[name].value.startswith(__name__) else _load_game(name)
    return game if isinstance(game, Game) else None


class _InstalledParts(Mapping[str, T]):
    """One part of each usable game, by the game's name; a game is imported when it is looked up."""

    def __init__(self, part: Callable[[Game], T]) -> None:
        self._part = part

    def __getitem__(self, name: str) -> T:
        game = _load_game(name) if name in _find_entry_points() else None
        if not isinstance(game, Game):
            raise KeyError(name)
        return self._part(game)

    def __iter__(self) -> Iterator[str]:
        return (name for name in _find_entry_points() if isinstance(_load_game(name), Game))

    def __len__(self) -> int:
        return sum(1 for _ in self)


GAMES: Mapping[str, Game] = _InstalledParts(lambda game: game)
"""Everything that is known about each game."""
RULES: Mapping[str, Rules[Any]] = _InstalledParts(lambda game: game.rules)
"""The rules of each game: all that store, journal and settings need."""


def game_assets_folder(game: str) -> Path:
    """The folder with a game's lessons, decks, catalogues and clips: its own, or ours."""
    own = GAMES[game].assets if game in GAMES else ""
    return Path(own) if own else asset_paths.bundled_assets_folder()


def deck_folder(game: str) -> Path:
    """The folder of the deck that a game is played with; its list of cards, `.toml`, is beside it."""
    return game_assets_folder(game) / "decks" / deck_name(game)


def deck_file(game: str) -> Path:
    """That deck as the camera knows it."""
    return deck_folder(game) / f"{deck_name(game)}.deck"


def deck_name(game: str) -> str:
    """The name of the deck that a game is played with."""
    return (GAMES[game].deck if game in GAMES else "") or game


def all_asset_folders() -> tuple[Path, ...]:
    """Every folder of assets: ours, then those of games from outside."""
    outside = filter(None, map(_load_external_game, _find_entry_points()))
    return asset_paths.bundled_assets_folder(), *(Path(game.assets) for game in outside if game.assets)


def games_with_mat() -> tuple[str, ...]:
    """The games that have a mat."""
    return tuple(name for name, game in GAMES.items() if game.mat is not None)


def printed_mat(game: str) -> Layout:
    """The mat that is printed: of a game for its largest number of hands."""
    return mat_layout(game, GAMES[game].mat_hands[-1] if game in games_with_mat() else 0)


def mat_layout(game: str, hands: int) -> Layout:
    """The mat of a game as laid out for that many hands (BOT decks included).

    Raises `InputError` where the game has no mat, or none for that many.
    """
    record = GAMES.get(game)
    if record is None or record.mat is None:
        raise InputError(f"there is no mat for {game!r}; there is one for {' and '.join(games_with_mat())}")
    if hands not in record.mat_hands:
        raise InputError(f"the {game} mat is for {describe_range(record.mat_hands)} players, not {hands}")
    layout: Layout = record.mat(hands)
    return layout


# What a command line names ----------------------------------------------------------------------------------


def describe_range(numbers: Sequence[int]) -> str:
    """`2 to 6`; of one number alone: `4`."""
    least, most = numbers[0], numbers[-1]
    return f"{least} to {most}" if least < most else str(least)


def default_player_count(rules: Rules[Any]) -> int:
    """How many sit at a table where nobody says."""
    return min(max(4, rules.players[0]), rules.players[-1])


def check_player_count(rules: Rules[Any], players: int, *, bot: bool) -> None:
    """Raise unless this many people can play it, with a BOT added or not."""
    if players not in rules.players:
        raise InputError(f"{rules.name} is for {describe_range(rules.players)} players, not {players}.")
    if not bot or players in rules.players_with_bot:
        return
    if not rules.players_with_bot:
        raise InputError(f"{rules.name} has no BOT; leave --bot out.")
    known = " (with fewer players there is always one)" if players < rules.players_with_bot[0] else ""
    fits = describe_range(rules.players_with_bot)
    raise InputError(f"{rules.name} can add a BOT for {fits} players, not {players}{known}.")


def find_game_rules(name: str | None) -> Rules[Any]:
    """The rules of the game with this name; None: of the first game installed.

    Raises `InputError`, with the most similar name, if there is no such game.
    """
    if name is None:
        name = next(iter(RULES), "")
    if name not in RULES:
        close = get_close_matches(name, RULES, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"choose from: {', '.join(RULES)}."
        raise InputError(f"There is no game {name!r}; {hint}")
    return RULES[name]


def find_deck_file(name: str) -> Path:
    """The file of a deck: the path that was given, or the deck of that name that comes with the program.

    Raises `InputError` if nothing was given, and if there is neither, with the most similar game's name.
    """
    if not name:
        raise InputError(f"The deck's name is empty; name a deck file, or a game: {', '.join(RULES)}.")
    path = Path(name)
    shipped = deck_file(name)
    if path.exists():
        return path
    if path.name != name or not shipped.exists():
        close = get_close_matches(name, RULES, n=1)
        hint = f"did you mean {close[0]!r}?" if close else "companion enrol --from DIR --out DECK makes one."
        raise InputError(f"There is no deck {name}: {hint}")
    return shipped
