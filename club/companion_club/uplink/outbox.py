"""Record of which results, journals and events the broker has acknowledged.

It holds ids, counts and calls, and no content: a result and its journal are read from the table when they are
sent. So no name is in it, and what is lost with it is told again, which doubles nothing. A row moves when the
broker acknowledged (PUBACK), and never before.
"""

from collections.abc import Collection

import msgspec
from msgspec import Struct

from companion.core.actions import Chair
from companion.home.uplink_file import UplinkFile
from companion.network.uplink_messages import StoredGameHead
from companion_club.messages import ForgetSeats, ForgottenSeat, GameResult, TaskDone

SENT_TABLES = """
CREATE TABLE IF NOT EXISTS games (
  id TEXT PRIMARY KEY, store TEXT NOT NULL, number INTEGER NOT NULL, began TEXT NOT NULL,
  entries INTEGER NOT NULL, over INTEGER NOT NULL, named TEXT NOT NULL DEFAULT '[]',
  told INTEGER NOT NULL DEFAULT -1, told_over INTEGER NOT NULL DEFAULT 0, journal INTEGER NOT NULL DEFAULT -1
);
CREATE TABLE IF NOT EXISTS events (
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, payload BLOB NOT NULL,
  told INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS tasks (
  store TEXT NOT NULL, number INTEGER NOT NULL, task TEXT NOT NULL, PRIMARY KEY (store, number)
);
"""
JOURNAL_WITHHELD = -2
"""In place of how much of a journal was sent: something may still be hidden, so nothing may be."""
MAX_KEPT_EVENTS = 200
"""Sent events that are remembered, so that none is sent twice."""


class OutboxEvent(Struct, frozen=True):
    """Something that happened once: a call, somebody forgotten, a task done."""

    id: int
    kind: str
    payload: bytes


class UnsentGame(Struct, frozen=True):
    """A game of which the broker lacks the newest version, or the journal from this line on."""

    id: str
    number: int
    began: str


class SentTotals(Struct, frozen=True):
    """How much of a store was sent: results, and the entries of their newest versions."""

    results: int
    entries: int


class UplinkOutbox(UplinkFile):
    """The uplink's file with what the club has; in memory everything is sent again next time."""

    TABLES = UplinkFile.TABLES + SENT_TABLES

    # What the table says ----------------------------------------------------------------------------------

    def update_game(self, store: str, head: StoredGameHead) -> bool:
        """A game as it is at the table now; whether there is anything to send because of it.

        A game that never was over is not reported. Chairs that had a nickname when they were sent and
        have none now were forgotten.
        """
        known = self._file.execute("SELECT named FROM games WHERE id = ?", (head.game_id,)).fetchone()
        if known is None and not head.over:
            return False
        named = [] if known is None else msgspec.json.decode(known[0])
        gone = sorted(set(named) - set(head.named))
        with self._file:
            self._file.execute("BEGIN IMMEDIATE")
            self._file.execute(
                "INSERT INTO games (id, store, number, began, entries, over) VALUES (?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (id) DO UPDATE SET number = excluded.number, entries = excluded.entries,"
                " over = excluded.over",
                (head.game_id, store, head.number, head.began, head.entries, head.over),
            )
            if gone:
                self._forget(head.game_id, gone)
        return True

    def _forget(self, game: str, chairs: Collection[Chair]) -> None:
        """Ask the club to forget, clear the retained result, and publish the newest again."""
        seats = tuple(ForgottenSeat(game, chair) for chair in chairs)
        name = f"forget {game} {' '.join(map(str, chairs))}"
        self._add(name, "forget", msgspec.json.encode(ForgetSeats(name, seats)))
        self._add(f"{name} retained", "result", b"")
        (named,) = self._file.execute("SELECT named FROM games WHERE id = ?", (game,)).fetchone()
        left = [chair for chair in msgspec.json.decode(named) if chair not in chairs]
        self._file.execute(
            "UPDATE games SET named = ? WHERE id = ?", (msgspec.json.encode(left).decode(), game)
        )
        self._file.execute(
            "UPDATE games SET told = -1 WHERE id = (SELECT id FROM games ORDER BY number DESC LIMIT 1)"
        )

    def note_task(self, store: str, number: int, task: str) -> None:
        """This game was begun for a task."""
        self._file.execute("INSERT OR REPLACE INTO tasks VALUES (?, ?, ?)", (store, number, task))

    def task_of(self, store: str, number: int) -> str:
        """The task that the game was begun for; empty: none."""
        row = self._file.execute(
            "SELECT task FROM tasks WHERE store = ? AND number = ?", (store, number)
        ).fetchone()
        return "" if row is None else str(row[0])

    def add_event(self, name: str, kind: str, payload: bytes) -> None:
        """An event to be sent once; a second time under the same name is nothing new."""
        self._add(name, kind, payload)

    def _add(self, name: str, kind: str, payload: bytes) -> None:
        self._file.execute(
            "INSERT OR IGNORE INTO events (name, kind, payload) VALUES (?, ?, ?)", (name, kind, payload)
        )

    # What is to be sent -----------------------------------------------------------------------------------

    def next_event(self, in_flight: Collection[int]) -> OutboxEvent | None:
        """The oldest event that was not sent and is not on its way."""
        rows = self._file.execute("SELECT id, kind, payload FROM events WHERE told = 0 ORDER BY id")
        return next((OutboxEvent(*row) for row in rows if row[0] not in in_flight), None)

    def next_game(self, store: str, but: Collection[str]) -> UnsentGame | None:
        """The oldest game of this store that has to be sent."""
        rows = self._file.execute(
            "SELECT id, number, began FROM games WHERE store = ? AND"
            " (told < entries OR (told = entries AND told_over <> over)"
            "  OR (over = 1 AND told <= entries AND journal BETWEEN -1 AND entries - 1)) ORDER BY number",
            (store,),
        )
        return next((UnsentGame(*row) for row in rows if row[0] not in but), None)

    def is_newest(self, store: str, number: int) -> bool:
        """Whether no later game of this store is known: its result is the one that is retained."""
        (last,) = self._file.execute("SELECT max(number) FROM games WHERE store = ?", (store,)).fetchone()
        return last is None or number >= last

    def totals(self, store: str) -> SentTotals:
        """What was sent of this store."""
        row = self._file.execute(
            "SELECT count(*), coalesce(sum(told), 0) FROM games WHERE store = ? AND told >= 0", (store,)
        ).fetchone()
        return SentTotals(*row)

    def unsent_count(self) -> int:
        """How many games and events the broker lacks."""
        (games,) = self._file.execute(
            "SELECT count(*) FROM games WHERE told < entries OR (told = entries AND told_over <> over)"
        ).fetchone()
        (events,) = self._file.execute("SELECT count(*) FROM events WHERE told = 0").fetchone()
        return int(games + events)

    # What the broker has ----------------------------------------------------------------------------------

    def note_nicknames(self, result: GameResult) -> None:
        """These nicknames are about to be sent; from now on they may have to be forgotten."""
        named = msgspec.json.encode([one.chair for one in result.players if one.nickname]).decode()
        self._file.execute("UPDATE games SET named = ? WHERE id = ?", (named, result.game_id))

    def mark_result_sent(self, result: GameResult) -> None:
        """The broker has this version; a task that it answers is done."""
        over = result.outcome is not None
        with self._file:
            self._file.execute("BEGIN IMMEDIATE")
            self._file.execute(
                "UPDATE games SET told = max(told, ?), told_over = ?,"
                " journal = CASE WHEN ? THEN ? ELSE max(journal, -1) END WHERE id = ?",
                (result.entries, over, not result.digest, JOURNAL_WITHHELD, result.game_id),
            )
            if over and result.task:
                done = msgspec.json.encode(TaskDone(result.task, result.game_id))
                self._add(f"done {result.task}", "done", done)

    def mark_journal_sent(self, game: str, entries: int) -> None:
        """The broker has the whole journal of so many entries."""
        self._file.execute("UPDATE games SET journal = ? WHERE id = ?", (entries, game))

    def mark_event_sent(self, event: int) -> None:
        """The broker has it; it is kept for a while, so that it is not told again without need."""
        with self._file:
            self._file.execute("BEGIN IMMEDIATE")
            self._file.execute(
                "UPDATE events SET told = 1, payload = CASE kind WHEN 'forget' THEN payload ELSE x'' END"
                " WHERE id = ?",
                (event,),
            )
            self._file.execute(
                "DELETE FROM events WHERE told = 1 AND id < (SELECT max(id) FROM events) - ?",
                (MAX_KEPT_EVENTS,),
            )

    def is_done(self, task: str) -> bool:
        """Whether a game answered this task."""
        found = self._file.execute("SELECT 1 FROM events WHERE name = ?", (f"done {task}",)).fetchone()
        return found is not None

    def mark_for_resending(self, game: str = "", since: str = "") -> None:
        """The hub lacks something: this game, or all that began at this instant or later."""
        self._file.execute(
            "UPDATE games SET told = -1, journal = -1"
            " WHERE CASE WHEN ?1 <> '' THEN id = ?1 ELSE began >= ?2 END",
            (game, since),
        )

    def resend_retained(self, store: str) -> None:
        """The broker lost all it kept: the newest result is sent once more, and who is to be forgotten.

        A hub that was away asks for results that it lacks; of a name it does not know that it should
        not have it.
        """
        self._file.execute(
            "UPDATE games SET told = -1 WHERE store = ?1 AND told >= 0 AND"
            " number = (SELECT max(number) FROM games WHERE store = ?1)",
            (store,),
        )
        self._file.execute("UPDATE events SET told = 0 WHERE kind = 'forget' AND payload <> x''")
