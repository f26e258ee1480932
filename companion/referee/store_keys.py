"""Random keys that identify a store and each of its games, for the club.

A row's number is no identity: it begins again when a file is replaced, and a store that came back from a
backup gives the same number to another game. The table of keys is made when a club first asks for it; until
then a store is as it always was.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

from msgspec import Struct

from companion.referee.journal.sqlite import STORE_FORMAT, connect

CREATE_KEY_TABLE = "CREATE TABLE IF NOT EXISTS identity (game INTEGER PRIMARY KEY, key BLOB NOT NULL)"
STORE_KEY_ROW = 0
"""The row of the store's own key; games count from 1."""


class StoreKeys(Struct, frozen=True):
    """The keys of a store, as hexadecimal digits."""

    store: str
    games: dict[int, str]
    """By the games' numbers."""


def load_store_keys(path: Path) -> StoreKeys:
    """The keys of the store and of every game in it, made where there are none.

    For the table's own process only: it writes. Raises `sqlite3.Error`, `OSError` or `JournalError`.
    """
    with closing(connect(path)) as store:
        known = _read_keys(store)
        games = {number for (number,) in store.execute("SELECT id FROM games")}
        if STORE_KEY_ROW not in known or games - known.keys():
            store.execute("BEGIN IMMEDIATE")
            store.execute(CREATE_KEY_TABLE)
            store.execute(f"PRAGMA user_version = {STORE_FORMAT}")
            store.execute("INSERT OR IGNORE INTO identity VALUES (?, randomblob(16))", (STORE_KEY_ROW,))
            store.execute("INSERT OR IGNORE INTO identity SELECT id, randomblob(16) FROM games")
            store.execute("COMMIT")
            known = _read_keys(store)
    return StoreKeys(known.pop(STORE_KEY_ROW), known)


def _read_keys(store: sqlite3.Connection) -> dict[int, str]:
    if not store.execute("SELECT 1 FROM sqlite_master WHERE name = 'identity'").fetchone():
        return {}
    return {number: key.hex() for number, key in store.execute("SELECT game, key FROM identity")}
