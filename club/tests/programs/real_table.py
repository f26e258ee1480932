"""A table with a real store behind its real door, and `companion uplink` as a process of its own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

from club.tests.hub.evening import COLOURS, Recorded
from companion.core.clock import wall_time
from companion.games import RULES
from companion.network import uplink_messages as door
from companion.network.table_server import UplinkServer
from companion.network.uplink_messages import JudgeCall, make_game_id
from companion.programs.store_responder import StoreResponder, load_store_keys
from companion.referee.journal.entry import Header
from companion.referee.store import GameStore


class RealTable:
    """One table; a game is played by writing its journal into the store, as the referee does."""

    def __init__(self, slug: str, folder: Path, port: int, *, outbox: Path | None = None) -> None:
        """`outbox`: the folder of the uplink, where it is another."""
        self.slug = slug
        folder.mkdir(parents=True)
        (folder / "settings.toml").touch()
        self._store = folder / slug / "games.sqlite"
        self._store.parent.mkdir()
        self._place = folder / "uplink.sock"
        self._outbox = outbox or self._store.parent
        self._said = folder / "uplink.log"
        given = {
            "storage.folder": folder,
            "table.name": slug,
            "club.name": "club",
            "club.broker": "127.0.0.1",
            "club.port": port,
        }
        self._command = [sys.executable, "-m", "companion", "--settings", str(folder / "settings.toml")]
        for name, value in given.items():
            self._command += ["--set", f"{name}={value}"]
        self._command += ["uplink", "--socket", str(self._place)]
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listening.bind(str(self._place))
        listening.listen(8)
        self._door = UplinkServer(listening, run="r", name=slug, program="0.1.0")
        desk = StoreResponder(self._door, GameStore(self._store, RULES), colours=COLOURS, nicknames=False)
        desk.start()
        self._door.start()
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.DEVNULL,
            stdout=self._said.open("ab"),
            stderr=subprocess.STDOUT,
            env={**os.environ, "STATE_DIRECTORY": str(self._outbox)},
        )

    @property
    def ended(self) -> bool:
        """Whether the uplink ended by itself, as it may where it can keep nothing."""
        return self._process is not None and self._process.poll() is not None

    def play(self, _key: str, game: Recorded) -> str:
        """A game is over; its id."""
        header: Header = game.header
        with GameStore(self._store, RULES) as store:
            journal = store.create_game(header)
            for entry in game.entries:
                journal.append(entry, game.outcome)
            assert journal.close(), journal.trouble
        assert journal.game is not None
        keys = load_store_keys(self._store)
        self._door.broadcast(door.CurrentGame(journal.game, game.game, len(game.entries), over=True))
        return make_game_id(keys.store, keys.games[journal.game])

    def call(self, call: str) -> None:
        self._door.broadcast(door.JudgeCallMessage(JudgeCall(call, wall_time())))

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait()

    def close(self) -> None:
        self.stop()
        self._door.close()
