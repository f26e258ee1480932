"""A process that writes a game and says what is durable, for a parent that kills it.

It plays on as long as its standard input says `step`; `stop:before` and `stop:after` make the next commit
halt just before or just after the disk has it, and say so. Whatever it prints is acknowledged. `look` reads
the store in every way that the program has; a process that is told nothing else does not lock it.
"""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path
from queue import SimpleQueue

from lantern.rules import LANTERN

from companion.core.errors import CompanionError
from companion.programs.store_responder import load_store_keys
from companion.referee.backup import back_up
from companion.referee.journal import SqliteJournal
from companion.referee.journal.sqlite import commit
from companion.referee.referee import Referee
from companion.referee.store import GameStore
from tests.referee.lantern_play import RULES, before_the_count, declared, header, new


def main() -> None:
    halt = ""
    woken: SimpleQueue[None] = SimpleQueue()

    def halting(connection: sqlite3.Connection) -> None:
        if halt == "after":
            commit(connection)
        if halt:
            print(f"halted {halt}", flush=True)
            SimpleQueue[None]().get()  # for ever: the parent kills us here
        commit(connection)

    store = GameStore(Path(sys.argv[1]), {LANTERN.name: LANTERN})
    journal: SqliteJournal | None = None
    referee: Referee | None = None
    steps = [[one] for one in before_the_count()]
    for line in sys.stdin:
        order = line.strip()
        if order == "look":
            try:
                look(store, plays=journal is not None)
            except (sqlite3.Error, CompanionError) as error:  # the table plays on
                print(f"failed {error}", flush=True)
            else:
                print("looked", flush=True)
            continue
        if journal is None or referee is None:
            journal = store.create_game(header(), commit=halting, wake=lambda: woken.put(None))
            referee = new(journal)
        if order.startswith("stop:"):
            halt = order.split(":")[1]
        for seen in steps.pop(0) if steps else [declared(9_000_000, 0, "give")]:
            referee.observe(seen)
        if order.endswith("correct"):
            referee.correct(1, declared(0, 0, "lay", "star"), 10_000_000)
        journal.flush()
        ticket = referee.ticket
        while ticket is None or not ticket.durable:
            woken.get()
        print(f"durable {len(journal.entries)}", flush=True)


def look(store: GameStore, *, plays: bool) -> None:
    """Everything that home page, lists, club and the copy on a stick read."""
    for game in store.list_games(None):
        store.find_game(game.game)
        store.read_game(game.game)
    store.count_games()
    store.find_unfinished()
    store.raw_headers()
    store.games_after(0, 9)
    if plays:
        load_store_keys(store.path)
    stick = store.path.parent.with_name("stick")
    stick.mkdir(exist_ok=True)
    back_up(store.path.parent, "table", stick, "2026-11-28T12:00:00", RULES)


main()
