"""The store and its journals for the verbs: opened, read, and every trouble told with its fix."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from companion.core.errors import CompanionError, InputError
from companion.core.events import Event
from companion.core.rules import Rules
from companion.games import RULES
from companion.referee.journal import Entry, Header, JournalError
from companion.referee.journal.lines import read
from companion.referee.store import Store, StoreBusy, Summary
from companion.settings.model import Settings

FIXES: Mapping[str, str] = {
    "newer": "update this program to read it",
    "foreign": "name a file that companion export wrote",
    "foreign_store": "move that file away: the next game makes a new store",
    "truncated": "take the whole file, or delete its last line to import what is there",
    "damaged": "put that line right, or take another copy",
    "unknown_game": "this program does not know that game; update it",
    "unknown": "companion games lists what is stored",
    "too_long": "no game is that long; take another copy",
    "too_old": "read it with the version that wrote it and export it anew",
}  # fmt: skip

MACHINE = Path("/etc/companion")
"""Where the installer writes the settings that hold for everybody."""

ON_SCREEN: Mapping[str, str] = {"newer": "newer", "unknown_game": "newer", "unknown": "unknown"}
"""What the table's screen says of a journal that cannot be opened, where it is not damaged."""


class StoreUnusable(InputError):  # noqa: N818 - what it says, not what it is
    """The place of the games can be neither read nor written."""

    on_screen = "storage"


@contextmanager
def told(place: str) -> Iterator[None]:
    """Turn what journals and stores raise into one sentence about `place`."""
    try:
        yield
    except JournalError as error:
        fix = FIXES.get(error.key)
        named = "" if place in str(error) else f"{place}: "
        trouble = InputError(f"{named}{error}" + (f"; {fix}." if fix else "."))
        trouble.on_screen = ON_SCREEN.get(error.key, "damaged")
        raise trouble from error
    except StoreBusy as error:
        raise CompanionError(f"{error}; end that program first, or use another table (--table).") from error
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter: SQLite's own words about damage
        raise StoreUnusable(f"{place} cannot be read as a store of games ({error}); move it away.") from error
    except BrokenPipeError:
        raise
    except PermissionError as error:
        where = error.filename or place
        raise StoreUnusable(
            f"{where} is not open to this user; ask its owner, join the owner's group, or use sudo."
        ) from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise StoreUnusable(f"{place} cannot be used ({reason}); check its name and rights.") from error


def tell_store(settings: Settings) -> None:
    """Say which games these are, where they are not this user's own: those of the service."""
    origin = settings.origins.get("storage.folder", "")
    if origin.startswith(str(MACHINE)):
        sys.stderr.write(f"companion: the games of this machine's table, {settings.store_folder()}\n")


@contextmanager
def store_of(settings: Settings) -> Iterator[Store]:
    """This table's store."""
    tell_store(settings)
    path = settings.store_file()
    with told(str(path)), Store(path, RULES) as store:
        yield store


def stored_games(settings: Settings) -> tuple[Summary, ...]:
    """The games that count, newest first."""
    with store_of(settings) as store:
        return store.games()


def journal_file(path: Path) -> tuple[Header, list[Entry[Event]]]:
    """The journal in a file."""
    with told(str(path)):
        return read(path, RULES)


def rules_of(header: Header) -> Rules[Any]:
    """The rules a journal was played by."""
    return RULES[header.game]


def usual(rules: Rules[Any]) -> int:
    """How many sit at a table where nobody says."""
    return max(4, rules.players[0])


def sits_down(rules: Rules[Any], players: int, *, bot: bool) -> None:
    """Raise unless so many people can play it, with a BOT added or not."""
    least, most = rules.players[0], rules.players[-1]
    if players not in rules.players:
        raise InputError(f"{rules.name} is for {least} to {most} players, not {players}.")
    if not bot or players in rules.with_bot:
        return
    if not rules.with_bot:
        raise InputError(f"{rules.name} has no BOT; leave --bot out.")
    least, most = rules.with_bot[0], rules.with_bot[-1]
    known = " (fewer play with one anyway)" if players < least else ""
    raise InputError(
        f"in {rules.name} a BOT can be added for {least} to {most} players, not {players}{known}."
    )


def game_named(name: str | None) -> Rules[Any]:
    """The rules of the game that somebody asked for; of the first that is installed, where nobody did."""
    if name is None:
        name = next(iter(RULES), "")
    if name not in RULES:
        close = get_close_matches(name, RULES, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"choose from: {', '.join(RULES)}."
        raise InputError(f"There is no game {name!r}; {hint}")
    return RULES[name]
