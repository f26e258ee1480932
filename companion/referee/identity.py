"""What tells a store and its games from all others: random keys, kept in the store and in no journal's bytes.

A row's number is no identity: it begins again when a file is replaced, and a store that came back from a
backup gives the same number to another game. The table of keys is made when a club first asks for it; until
then a store is as it always was.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

from msgspec import Struct

from companion.referee.journal.sqlite import STORE_FORMAT, connect

KEYS = "CREATE TABLE IF NOT EXISTS identity (game INTEGER PRIMARY KEY, key BLOB NOT NULL)"
STORE_ITSELF = 0
"""The row of the store's own key; games count from 1."""


class Identity(Struct, frozen=True):
    """The keys of a store, as hexadecimal digits."""

    store: str
    games: dict[int, str]
    """By the games' numbers."""


def identity_of(path: Path) -> Identity:
    """The keys of the store and of every game in it, made where there are none.

    For the table's own process only: it writes. Raises `sqlite3.Error`, `OSError` or `JournalError`.
    """
    with closing(connect(path)) as store:
        known = _known(store)
        games = {number for (number,) in store.execute("SELECT id FROM games")}
        if STORE_ITSELF not in known or games - known.keys():
            store.execute("BEGIN IMMEDIATE")
            store.execute(KEYS)
            store.execute(f"PRAGMA user_version = {STORE_FORMAT}")
            store.execute("INSERT OR IGNORE INTO identity VALUES (?, randomblob(16))", (STORE_ITSELF,))
            store.execute("INSERT OR IGNORE INTO identity SELECT id, randomblob(16) FROM games")
            store.execute("COMMIT")
            known = _known(store)
    return Identity(known.pop(STORE_ITSELF), known)


def _known(store: sqlite3.Connection) -> dict[int, str]:
    if not store.execute("SELECT 1 FROM sqlite_master WHERE name = 'identity'").fetchone():
        return {}
    return {number: key.hex() for number, key in store.execute("SELECT game, key FROM identity")}
