"""Another program at the store: opens it as any SQLite program would, does one thing and closes it again.

Each line of its standard input names what to do; `done` is the answer. It knows nothing of ours.
"""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from pathlib import Path

DOES = {
    "read": "SELECT count(*) FROM entries",
    "write": "BEGIN IMMEDIATE; CREATE TABLE foreign_notes (x); INSERT INTO foreign_notes VALUES (1);"
    " DROP TABLE foreign_notes; COMMIT",
    "vacuum": "VACUUM",
    "passive": "PRAGMA wal_checkpoint(PASSIVE)",
    "full": "PRAGMA wal_checkpoint(FULL)",
    "restart": "PRAGMA wal_checkpoint(RESTART)",
    "truncate": "PRAGMA wal_checkpoint(TRUNCATE)",
}


def main() -> None:
    path = Path(sys.argv[1])
    for line in sys.stdin:
        what = line.strip()
        with closing(sqlite3.connect(path, isolation_level=None)) as store:
            if what == "backup":
                with closing(sqlite3.connect(path.with_name("foreign-copy.sqlite"))) as copy:
                    store.backup(copy)
            for statement in DOES.get(what, "").split(";"):
                store.execute(statement).fetchall()
        print("done", flush=True)


if __name__ == "__main__":
    main()
