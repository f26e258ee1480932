"""A process that writes a game and says what is durable, for a parent that kills it.

It plays on as long as its standard input says `step`; `stop:before` and `stop:after` make the next commit
halt just before or just after the disk has it, and say so. Whatever it prints is acknowledged.
"""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path
from queue import SimpleQueue

from lantern.rules import LANTERN
from lantern_play import before_the_count, declared, header, new

from companion.referee.journal.sqlite import commit
from companion.referee.store import Store


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

    store = Store(Path(sys.argv[1]), {LANTERN.name: LANTERN})
    journal = store.create(header(), commit=halting, wake=lambda: woken.put(None))
    referee = new(journal)
    steps = [[one] for one in before_the_count()]
    for line in sys.stdin:
        order = line.strip()
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


main()
