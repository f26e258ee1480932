"""The games that are installed, found by the entry-point group `companion.games`.

A game is imported when it is asked for by name. One that cannot be used is left out, named by
`companion doctor` and on the home page, and the others go on.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from companion.core.errors import InputError
from companion.core.game import INTERFACE, Game
from companion.core.rules import Rules
from companion.games import paths

if TYPE_CHECKING:
    from companion.vision.layout import Layout

log = logging.getLogger(__name__)
GROUP = "companion.games"
SHELF = ("kinapa", "kabuki", "kobayakawa", "dnup")
"""Our games in the order in which they are offered; entry points come in no particular order."""
T = TypeVar("T")


@cache
def _found() -> Mapping[str, EntryPoint]:
    """Every game that an installed package offers: ours in the order of `SHELF`, then the others by name."""
    rank = {f"{__name__}.{name}": place for place, name in enumerate(SHELF)}
    offered = sorted(
        entry_points(group=GROUP), key=lambda point: (rank.get(point.module, len(rank)), point.name)
    )
    return {point.name: point for point in offered}


@cache
def _load(name: str) -> Game | str:
    """The record of a game, or in one sentence why it cannot be used."""
    point = _found()[name]
    try:
        game = point.load()
    except Exception as problem:
        log.warning("The game %r cannot be imported", name, exc_info=problem)
        return f"{point.value} cannot be imported: {problem}"
    if not isinstance(game, Game):
        return f"{point.value} is not the record of a game"
    if game.interface != INTERFACE:
        return f"{point.value} was written for interface {game.interface}; this program has {INTERFACE}"
    if game.name != name:
        return f"{point.value} is called {game.name!r}, but is installed as {name!r}"
    return game


def names() -> tuple[str, ...]:
    """The installed games in the order in which they are offered; none is imported for that."""
    return tuple(_found())


def broken() -> Mapping[str, str]:
    """The games that are installed and cannot be used: name → one sentence that says why."""
    return {name: why for name in _found() if isinstance(why := _load(name), str)}


def unfinished() -> Iterator[tuple[str, str]]:
    """What is missing in games from outside: the game, and in one sentence what its record names in vain."""
    for game in filter(None, map(_from_outside, _found())):
        for _, named in game.named_late():
            try:
                named.found()
            except Exception as trouble:  # noqa: BLE001 - whatever their modules do when they are imported
                yield game.name, str(trouble) or "it cannot be imported"


def _from_outside(name: str) -> Game | None:
    """The record of a game that is not ours and can be used."""
    game = None if _found()[name].value.startswith(__name__) else _load(name)
    return game if isinstance(game, Game) else None


class _Installed(Mapping[str, T]):
    """One part of each usable game, by the game's name; a game is imported when it is looked up."""

    def __init__(self, part: Callable[[Game], T]) -> None:
        self._part = part

    def __getitem__(self, name: str) -> T:
        game = _load(name) if name in _found() else None
        if not isinstance(game, Game):
            raise KeyError(name)
        return self._part(game)

    def __iter__(self) -> Iterator[str]:
        return (name for name in _found() if isinstance(_load(name), Game))

    def __len__(self) -> int:
        return sum(1 for _ in self)


GAMES: Mapping[str, Game] = _Installed(lambda game: game)
"""Everything that is known about each game."""
RULES: Mapping[str, Rules[Any]] = _Installed(lambda game: game.rules)
"""The rules of each game: all that store, journal and settings need."""


def assets(game: str) -> Path:
    """The folder with a game's lessons, decks, catalogues and clips: its own, or ours."""
    own = GAMES[game].assets if game in GAMES else ""
    return Path(own) if own else paths.assets()


def asset_folders() -> tuple[Path, ...]:
    """Every folder of assets: ours, then those of games from outside."""
    outside = filter(None, map(_from_outside, _found()))
    return paths.assets(), *(Path(game.assets) for game in outside if game.assets)


def mats() -> tuple[str, ...]:
    """The games that have a mat."""
    return tuple(name for name, game in GAMES.items() if game.mat is not None)


def full_mats(game: str) -> tuple[Layout, ...]:
    """The mats of a game for its largest number of hands: the one that is printed, then former ones."""
    return mat_layouts(game, GAMES[game].mat_hands[-1] if game in mats() else 0)


def full_mat(game: str) -> Layout:
    """The mat that is printed: of a game for its largest number of hands."""
    return full_mats(game)[0]


def mat_layout(game: str, hands: int) -> Layout:
    """The newest mat of a game as laid out for that many hands; raises as `mat_layouts`."""
    return mat_layouts(game, hands)[0]


def mat_layouts(game: str, hands: int) -> tuple[Layout, ...]:
    """The mats of a game as laid out for that many hands (BOT decks included), newest first.

    Raises `InputError` where the game has no mat, or none for that many.
    """
    record = GAMES.get(game)
    if record is None or record.mat is None:
        raise InputError(f"there is no mat for {game!r}; there is one for {' and '.join(mats())}")
    if hands not in record.mat_hands:
        least, most = record.mat_hands[0], record.mat_hands[-1]
        raise InputError(f"the {game} mat is for {least} to {most} players, not {hands}")
    return record.mat(hands), *(record.older_mats(hands) if record.older_mats is not None else ())
