"""A journal's writer that waits for the test, and what is written with it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

from companion.referee.journal import SqliteJournal
from companion.referee.journal.sqlite import commit
from companion.referee.store import GameStore
from tests.referee.lantern_play import before_the_count, header, new

PATIENCE = 60.0
"""Seconds after which a test that waits for the writer has failed; never waited for otherwise."""


class Writer:
    """The writer's side of a test: its commits wait for leave, or fail, and its reports are heard."""

    def __init__(self) -> None:
        self.reports: SimpleQueue[None] = SimpleQueue()
        self.begun: SimpleQueue[None] = SimpleQueue()
        self.leave: SimpleQueue[Exception | None] = SimpleQueue()

    def commit(self, connection: sqlite3.Connection) -> None:
        self.begun.put(None)
        problem = self.leave.get(timeout=PATIENCE)
        if problem is not None:
            raise problem
        commit(connection)

    def wake(self) -> None:
        self.reports.put(None)

    def report(self) -> None:
        self.reports.get(timeout=PATIENCE)


def unhurried(store: GameStore, kind: type[SqliteJournal] = SqliteJournal, **how: Any) -> SqliteJournal:
    """A new game whose writer tries nothing again by itself, however late the test gets its turn."""
    store.lock()
    return kind(store.path, header(), retry_seconds=3600.0, **how)


def saved(store: GameStore, play: Callable[[SqliteJournal], object], **more: object) -> int:
    """A game played into the store; its number."""
    journal = store.create_game(header(**more))
    play(journal)
    assert journal.close()
    assert journal.game is not None
    return journal.game


def started(journal: SqliteJournal) -> None:
    referee = new(journal)
    for seen in before_the_count():
        referee.observe(seen)
