"""Answers the uplink's requests for stored games.

A thread of its own answers one question after another. A journal is told only when nothing of its game is
hidden any more, and without a name; a nickname goes with a result where the table's owner consented.
"""

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from companion.core.actions import Chair
from companion.core.clock import add_to_wall_time
from companion.core.errors import CompanionError
from companion.core.events import Event
from companion.core.rules import Rules
from companion.games import RULES
from companion.network import uplink_messages as ms
from companion.network.protocol import UplinkRequest
from companion.network.table_server import UplinkServer
from companion.network.uplink_messages import (
    GameResult,
    ResultPlayer,
    cut_journal_slice,
    journal_digest,
    make_game_id,
)
from companion.referee.journal import Entry, Header
from companion.referee.journal.json_lines import encode_lines, read_journal_file
from companion.referee.journal.sqlite import CREATE_KEY_TABLE, STORE_FORMAT, connect
from companion.referee.store import GameStore, GameSummary
from companion.referee.store_errors import explain_store_errors
from companion.settings.model import Settings
from companion.system.terminal import count_with_noun, print_lines

MACHINE_FOLDER = Path("/etc/companion")
"""Where the installer writes the settings that hold for everybody."""


def print_store_owner(settings: Settings) -> None:
    """Say which games these are, where they are not this user's own: those of the service."""
    origin = settings.origins.get("storage.folder", "")
    if origin.startswith(str(MACHINE_FOLDER)):
        print_lines(f"companion: the games of this machine's table, {settings.store_folder()}", error=True)


@contextmanager
def open_store(settings: Settings, *, lock: bool = False) -> Iterator[GameStore]:
    """This table's store, for reading, or locked, by which it is made whole after a kill."""
    print_store_owner(settings)
    path = settings.store_file()
    with explain_store_errors(str(path)), GameStore(path, RULES) as store:
        if lock:
            store.lock()
            if store.blocked is not None:
                raise store.blocked
        else:
            print_unrestored(store)
        yield store


def print_unrestored(store: GameStore) -> None:
    """Say which rulings a store lacks after a kill: to restore them is for who has its lock."""
    for path, count in store.find_unrestored():
        rulings = count_with_noun(count, "ruling")
        what = f"{rulings} of a game that was cut short {'is' if count == 1 else 'are'} still in {path} alone"
        print_lines(f"companion: {what}; start the table once to have them here.", error=True)


def load_journal_file(path: Path, *, salvage: bool = False) -> tuple[Header, list[Entry[Event]]]:
    """The journal in a file; `salvage`: if it is damaged, what stands before that."""
    with explain_store_errors(str(path)):
        return read_journal_file(path, RULES, salvage=salvage)


def rules_of_journal(header: Header) -> Rules[Any]:
    """The rules a journal was played by."""
    return RULES[header.game]


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
            own = "INSERT OR IGNORE INTO identity (game, key) VALUES (?, randomblob(16))"
            store.execute(own, (STORE_KEY_ROW,))
            store.execute("INSERT OR IGNORE INTO identity (game, key) SELECT id, randomblob(16) FROM games")
            store.execute("COMMIT")
            known = _read_keys(store)
    return StoreKeys(known.pop(STORE_KEY_ROW), known)


def _read_keys(store: sqlite3.Connection) -> dict[int, str]:
    if not store.execute("SELECT 1 FROM sqlite_master WHERE name = 'identity'").fetchone():
        return {}
    return {number: key.hex() for number, key in store.execute("SELECT game, key FROM identity")}


log = logging.getLogger(__name__)

MAX_LINE_BYTES = 200_000
"""Bytes of the longest line that passes the server in one message; no game has one of a tenth of that."""


class StoreResponder:
    """Answers what the uplink asks of the store."""

    def __init__(
        self, server: UplinkServer, store: GameStore, *, colours: tuple[str, ...], nicknames: bool
    ) -> None:
        """`colours` are those of the chairs; `nicknames`: the owner consents that they leave the table."""
        self._server = server
        self._store = store
        self._colours = colours
        self._nicknames = nicknames
        self._keys_read = StoreKeys("", {})
        self._lines: tuple[tuple[int, int], tuple[str, ...]] = ((0, 0), ())
        """The journal that was read last, by its game's number and length."""
        self._thread = Thread(target=self._serve, name="club desk", daemon=True)

    def start(self) -> None:
        """Answer until the server is closed."""
        self._thread.start()

    def _serve(self) -> None:
        while (asked := self._server.requests.get()) is not None:
            for message in self.answer_request(asked):
                self._server.broadcast(message)

    def answer_request(
        self, asked: UplinkRequest
    ) -> Iterator[ms.StoredGameHeads | ms.ResultAnswer | ms.JournalPart]:
        """What the store says to it; nothing where it cannot be read, so that it is asked again."""
        try:
            if isinstance(asked, ms.ListGamesAfter):
                yield self._heads(asked.after)
            else:
                yield from self._game(asked)
        except (sqlite3.Error, OSError, CompanionError) as trouble:
            log.warning("The uplink was not told of a game: %s", trouble)
            if isinstance(asked, ms.ResultRequest):
                yield ms.ResultAnswer(asked.number, None, "failed")

    def _heads(self, after: int) -> ms.StoredGameHeads:
        games = self._store.games_after(after, ms.MAX_HEADS + 1)
        if after == 0:  # it may be another file by now
            self._keys_read, self._lines = StoreKeys("", {}), ((0, 0), ())
        keys = self._keys(*(game.game for game in games))
        newest = games[: ms.MAX_HEADS]
        heads = tuple(self._head(game, keys) for game in newest if game.game in keys.games)
        return ms.StoredGameHeads(keys.store, heads, more=len(games) > len(newest))

    def _head(self, game: GameSummary, keys: StoreKeys) -> ms.StoredGameHead:
        return ms.StoredGameHead(
            game.game,
            make_game_id(keys.store, keys.games[game.game]),
            game.entries,
            game.outcome is not None,
            game.date,
            tuple(sorted(self._names(game))),
        )

    def _names(self, game: GameSummary) -> dict[Chair, str]:
        """The nicknames that are reported with it."""
        return {chair: name for chair, name in game.names if name} if self._nicknames else {}

    def _game(self, asked: ms.ResultRequest) -> Iterator[ms.ResultAnswer | ms.JournalPart]:
        game = self._store.find_game(asked.number)
        if game is None or game.kind != "game":
            yield ms.ResultAnswer(asked.number, None, "none")
            return
        if game.problem:
            yield ms.ResultAnswer(asked.number, None, "failed")
            return
        keys = self._keys(game.game)
        lines, last = self._journal(game)
        is_open = self._store.is_open(game)
        names = self._names(game)
        result = GameResult(
            store=keys.store,
            game_id=make_game_id(keys.store, keys.games[game.game]),
            entries=game.entries,
            outcome=game.outcome,
            game=game.name,
            players=tuple(ResultPlayer(one, self._colours[one], names.get(one, "")) for one in game.chairs),
            began=game.date,
            ended="" if last is None else add_to_wall_time(game.date, last),
            digest=journal_digest(lines) if is_open else "",
        )
        yield ms.ResultAnswer(game.game, result)
        if is_open and asked.first < len(lines):
            yield ms.JournalPart(cut_journal_slice(result, lines, asked.first, ms.MAX_PIECE_BYTES))

    def _journal(self, game: GameSummary) -> tuple[tuple[str, ...], int | None]:
        """Its lines without names, and the game's time of the last entry; what the summary does not say yet
        or no more is left out: it may be hidden again."""
        header, entries = self._store.read_game(game.game)
        if len(entries) < game.entries:
            raise CompanionError(f"game {game.game} is being written again")
        entries = entries[: game.entries]
        last = entries[-1].cause.at if entries else None
        known, lines = self._lines
        if known != (game.game, game.entries):
            # Somebody who was forgotten makes it no other game.
            encoded = encode_lines(replace(header, names=(), chain_rewritten=()), entries)
            lines = tuple(line.decode().removesuffix("\n") for line in encoded)
            if max(map(len, lines)) > MAX_LINE_BYTES:
                raise CompanionError(f"a line of game {game.game} is longer than {MAX_LINE_BYTES} bytes")
            self._lines = (game.game, game.entries), lines
        return lines, last

    def _keys(self, *numbers: int) -> StoreKeys:
        if not self._keys_read.store or not self._keys_read.games.keys() >= set(numbers):
            self._keys_read = load_store_keys(self._store.path)
        return self._keys_read
