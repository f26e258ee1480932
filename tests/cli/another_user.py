"""Another user of this machine, for tests that are root.

`another_user.py UID GID table STORE` plays, `another_user.py UID GID verbs ROOM` gives commands.

A user who was only just put on may not enter the folders that Python itself lies in. So whatever is needed is
loaded first, as root, by doing it once over games of nobody's; then root is left for good.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from queue import SimpleQueue

from companion.__main__ import main
from companion.games import RULES
from companion.referee.store import GameStore
from tests.cli.command_line import played


def become(uid: int, gid: int) -> None:
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)
    os.umask(0o027)


def play(store: Path, orders: list[str]) -> None:
    """A table that writes as many entries as each order says, and says when they are durable."""
    header, entries = played(7)
    woken: SimpleQueue[None] = SimpleQueue()
    with GameStore(store, RULES) as opened:
        journal = opened.create_game(header, wake=lambda: woken.put(None))
        for order in orders or sys.stdin:
            for entry in entries[len(journal.entries) :][: int(order)]:
                journal.append(entry)
            journal.flush()
            while journal.saved < len(journal.entries):
                woken.get()
                if journal.trouble is not None:
                    print(f"trouble {journal.trouble.key}", flush=True)
                    return
            if not orders:
                print(f"durable {journal.saved}", flush=True)
        journal.close()


def said(folder: Path, room: Path, commands: list[list[str]]) -> list[tuple[int, str, str]]:
    """What each command says over the games in `folder`; ROOM in its words is a folder of the user's own."""
    answers = []
    for words in commands:
        out, err = StringIO(), StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            code = main(
                ["--set", f"storage.folder={folder}", *(word.replace("ROOM", str(room)) for word in words)]
            )
        answers.append((code, out.getvalue(), err.getvalue()))
    return answers


uid, gid, what, place = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], Path(sys.argv[4])
with tempfile.TemporaryDirectory() as spare:
    play(Path(spare) / "table" / "games.sqlite", ["5"])
    if what == "table":
        become(uid, gid)
        play(place, [])
    else:
        asked = json.load(sys.stdin)
        Path(spare, "room").mkdir()
        said(Path(spare), Path(spare) / "room", asked["commands"])
        sys.stdout.flush()
        if os.fork() == 0:  # root stays behind to clear up
            become(uid, gid)
            print(json.dumps(said(Path(asked["games"]), place, asked["commands"])), flush=True)
            os._exit(0)
        os.wait()
