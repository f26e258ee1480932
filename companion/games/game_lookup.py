"""Resolves the game or deck named on a command line."""

from difflib import get_close_matches
from pathlib import Path
from typing import Any

from companion.core.errors import InputError
from companion.core.rules import Rules
from companion.games import RULES, game_assets_folder


def default_player_count(rules: Rules[Any]) -> int:
    """How many sit at a table where nobody says."""
    return max(4, rules.players[0])


def check_player_count(rules: Rules[Any], players: int, *, bot: bool) -> None:
    """Raise unless this many people can play it, with a BOT added or not."""
    least, most = rules.players[0], rules.players[-1]
    if players not in rules.players:
        raise InputError(f"{rules.name} is for {least} to {most} players, not {players}.")
    if not bot or players in rules.players_with_bot:
        return
    if not rules.players_with_bot:
        raise InputError(f"{rules.name} has no BOT; leave --bot out.")
    least, most = rules.players_with_bot[0], rules.players_with_bot[-1]
    known = " (with fewer players there is always one)" if players < least else ""
    raise InputError(f"{rules.name} can add a BOT for {least} to {most} players, not {players}{known}.")


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
    shipped = game_assets_folder(name) / "decks" / name / f"{name}.deck"
    if path.exists():
        return path
    if path.name != name or not shipped.exists():
        close = get_close_matches(name, RULES, n=1)
        hint = f"did you mean {close[0]!r}?" if close else "companion enrol --from DIR --out DECK makes one."
        raise InputError(f"There is no deck {name}: {hint}")
    return shipped
