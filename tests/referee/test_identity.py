"""Keys of a store and its games: random, lasting, and none twice whatever a backup brings back."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from companion.games import RULES
from companion.programs.store_responder import load_store_keys
from companion.referee.journal.sqlite import STORE_FORMAT
from companion.referee.store import GameStore
from tests.home.played import played


def test_keys_are_made_once_and_stay(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    one, two = played(path, seed=1), played(path, seed=2)
    first = load_store_keys(path)
    assert set(first.games) == {one, two}
    assert len({first.store, *first.games.values()}) == 3
    assert all(len(key) == 32 for key in (first.store, *first.games.values()))
    assert load_store_keys(path) == first
    three = played(path, seed=3)
    assert load_store_keys(path).games.keys() == {one, two, three}
    assert load_store_keys(path).games.items() > first.games.items()


def test_a_game_after_a_backup_came_back_is_another_than_the_one_with_its_number(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    played(path)
    before = load_store_keys(path)
    shutil.copyfile(path, tmp_path / "yesterday")
    number = played(path, seed=2)
    lost = load_store_keys(path).games[number]
    shutil.copyfile(tmp_path / "yesterday", path)
    assert played(path, seed=5) == number
    now = load_store_keys(path)
    assert now.store == before.store
    assert now.games[number] != lost


def test_a_store_that_no_club_asked_is_as_it_always_was(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    played(path)
    with closing(sqlite3.connect(path)) as raw:
        assert raw.execute("PRAGMA user_version").fetchone() == (0,)
    load_store_keys(path)
    with closing(sqlite3.connect(path)) as raw:
        assert raw.execute("PRAGMA user_version").fetchone() == (STORE_FORMAT,)
    with GameStore(path, RULES) as store:
        assert store.count_games() == 1


def test_a_table_without_a_game_has_a_store_with_a_key(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    assert load_store_keys(path).games == {}
    assert load_store_keys(path).store == load_store_keys(path).store
