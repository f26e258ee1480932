"""Store of a table's games: one SQLite file with a single writing process."""

from __future__ import annotations

import logging
import os
import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import IO, Any

from companion.core.actions import Chair, Outcome, Value
from companion.core.errors import CompanionError
from companion.core.events import Event
from companion.core.rules import Rules
from companion.referee import name_search
from companion.referee.journal import Entry, Header, JournalCodec, JournalError, SqliteJournal, replay_state
from companion.referee.journal.codec import (
    add_checksum,
    header_line,
    journal_game,
    last_entry_time,
    mend_line,
    outcome_line,
    read_outcome,
    rewrite_checksums,
    says_end,
    strip_checksum,
)
from companion.referee.journal.damaged_store import has_second_name, replace_damaged_store
from companion.referee.journal.entry import JOURNAL_KINDS, Kind, with_new_chain
from companion.referee.journal.read_only import open_read_only
from companion.referee.journal.recovery_log import (
    find_recovery_logs,
    logged_game,
    put_log_aside,
    read_recovery_log,
)
from companion.referee.journal.sqlite import Commit, commit, connect, is_full, is_locked
from companion.referee.journal.store_files import side_file
from companion.referee.journal.valid_entries import MISFIT_ERRORS
from companion.system.file_owner import is_there, make_folder, private_file
from companion.system.terminal import count_with_noun

log = logging.getLogger(__name__)
_KINDS = "".join(f'"{kind}"' for kind in JOURNAL_KINDS)
"""For SQL: a game of any other kind is a damaged one, and listed with every kind."""
DAMAGED_LOG = frozenset({"altered", "damaged", "foreign"})
"""Keys of errors that say that a recovery log will never be restored whole."""
SummaryRow = tuple[int, str, bytes, int, bytes | None, bytes | None]
"""A game's number, kind, header, number of entries, outcome and last entry, as a store has them."""


class StoreBusyError(CompanionError):
    """Another process is writing this store."""

    def __init__(self, path: Path, pid: int | None, command: str) -> None:
        self.path = path
        self.pid = pid
        self.command = command
        who = "another process" if pid is None else f"process {pid} ({command})"
        super().__init__(f"{who} is using the games in {path}")


class GameSummary(Value, frozen=True):
    """One stored game, as shown in lists."""

    game: int
    """Its number in the store."""
    name: str
    """The name of the game."""
    kind: str
    date: str
    names: tuple[tuple[Chair, str], ...]
    chairs: tuple[Chair, ...]
    entries: int
    outcome: Outcome | None
    problem: str = ""
    """Why it cannot be opened: the key of a `JournalError`; empty: it can."""


class ForgetReport(Value, frozen=True):
    """The result of forgetting a name."""

    games: int
    """Number of games from which it was removed."""
    kept: tuple[int, ...]
    """Games in an unknown format whose entries contain the name."""
    whole: bool
    """Whether it is also gone from the bytes of the file, which another reader can prevent."""


class GameStore:
    """The games of one table. Reading needs no lock; creating or resuming a game takes it."""

    def __init__(self, path: Path, games: Mapping[str, Rules[Any]]) -> None:
        self.path = path
        self._games = games
        self._codecs: dict[str, JournalCodec] = {}
        self._lock: IO[str] | None = None
        self.damaged: Path | None = None
        """The damaged store that was put aside last."""
        self.unrestored: tuple[Path, ...] = ()
        """The recovery logs from which not everything could be restored."""
        self.blocked: sqlite3.Error | None = None
        """Why not, if another program has to end first."""

    def __enter__(self) -> GameStore:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def lock(self) -> None:
        """Become the writing process, and restore what a game that was cut short, or could not be saved when
        it was left, has beside the store.

        Raises `StoreBusyError`, `JournalError` for a store under two names (two programs that each know one
        would spoil it), or `OSError` where the lock cannot be opened. On a read-only disk there is no
        lock, and nothing is restored. No game of this store is played meanwhile.
        """
        if has_second_name(self.path):
            raise JournalError("linked", f"{self.path} has a second name on its disk (a hard link)")
        if self._lock is None:
            self._take_lock()
        if self._lock is None:
            self.unrestored = tuple(path for path, _ in self.find_unrestored())
        else:
            self._restore_games()

    def add_unrestored(self, logs: Iterable[Path]) -> None:
        """Name these logs, too, that another store of this program put aside."""
        known = (*self.unrestored, *find_recovery_logs(self.path))
        self.unrestored += tuple(path for path in logs if path not in known and is_there(path))

    def _take_lock(self) -> None:
        path = side_file(self.path, ".lock")
        try:
            make_folder(path.parent)
            if path.is_symlink():
                path.unlink()  # never write to what a link points to
            with private_file(path):
                held = path.open("a+", encoding="utf-8")
        except OSError:
            if os.path.lexists(path) and os.access(path.parent, os.W_OK):
                raise  # without it two programs could play one game
            return  # read-only or gone: nobody can write there, and the journal reports it
        if not _try_lock(held):
            held.seek(0)
            pid, _, command = held.read().partition("\n")
            held.close()
            raise StoreBusyError(self.path, int(pid) if pid.isdigit() else None, command.strip())
        self._lock = held
        with suppress(OSError):  # the disk is full: the lock holds without our name in it
            held.truncate(0)
            held.write(f"{os.getpid()}\n{Path(sys.argv[0]).name}\n")  # never its arguments, which name people
            held.flush()

    def close(self) -> None:
        """Release the lock. All journals must be closed before."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def create_game(
        self, header: Header, *, commit: Commit = commit, wake: Callable[[], None] | None = None
    ) -> SqliteJournal:
        """A new game, which is stored with its first step."""
        self.lock()
        return SqliteJournal(
            self.path, header, commit=commit, wake=wake, replace_damaged=self.replace_damaged
        )

    def open_game(
        self, game: int, *, commit: Commit = commit, wake: Callable[[], None] | None = None
    ) -> SqliteJournal:
        """A stored game, to be resumed; not while another program keeps back how it went on."""
        self.lock()
        if self.blocked is not None:
            raise self.blocked
        raw, header, entries = self._read_game(game)
        older = raw != header_line(header)  # an older format, or house rules that are explicit now
        return SqliteJournal(
            self.path,
            header,
            entries,
            game=game,
            rewrite=older,
            commit=commit,
            wake=wake,
            replace_damaged=self.replace_damaged,
        )

    def read_game(self, game: int) -> tuple[Header, list[Entry[Event]]]:
        """A stored game, for reading only."""
        try:
            return self._read_game(game, what_is_left=True)[1:]
        except (sqlite3.Error, JournalError):
            self._open_reader().close()  # if the store is truncated, report that first
            raise

    def salvage_game(self, game: int) -> tuple[Header, list[Entry[Event]]]:
        """What can still be read of a damaged game: all entries before the first damaged one."""
        raw, (_, stated), lines = self._game_lines(game, what_is_left=True, salvage=True)
        mended = mend_line(raw) or raw
        header, entries = self._codec(mended).salvage(mended, list(lines.values()), stated)
        return header if mended == raw else with_new_chain(header, "repair"), entries

    def list_games(self, kind: Kind | None = "game") -> tuple[GameSummary, ...]:
        """The stored games of a kind, newest first; `None`: of every kind."""
        return tuple(self.iterate_games(kind))

    def iterate_games(self, kind: Kind | None = "game") -> Iterator[GameSummary]:
        """The same, read one by one."""
        return self._summaries(kind)

    def games_after(self, number: int, most: int) -> tuple[GameSummary, ...]:
        """The next stored games after this number, at most this many, the oldest first."""
        with closing(self._open_reader()) as reader:
            rows = reader.execute(
                "SELECT id, kind, CAST(ifnull(header, '') AS BLOB), entries, CAST(outcome AS BLOB),"
                " (SELECT CAST(body AS BLOB) FROM entries WHERE game = games.id AND seq = games.entries - 1)"
                " FROM games WHERE kind = 'game' AND id > ? ORDER BY id LIMIT ?",
                (_valid_number(number), most),
            )
            return tuple(map(self._summary, rows))

    def count_games(self, kind: Kind | None = "game") -> int:
        """Number of stored games of a kind."""
        with closing(self._open_reader()) as reader:
            found = reader.execute("SELECT count(*) FROM games WHERE ?1 IS NULL OR kind = ?1", (kind,))
            (games,) = found.fetchone()
        return int(games)

    def find_game(self, number: int) -> GameSummary | None:
        """The stored game of this number, of any kind."""
        return next(self._summaries(None, number=_valid_number(number)), None)

    def find_unfinished(self, kind: Kind = "game") -> GameSummary | None:
        """The newest game without an outcome."""
        return next(self.iterate_unfinished(kind), None)

    def iterate_unfinished(self, kind: Kind = "game") -> Iterator[GameSummary]:
        """The games without an outcome, newest first."""
        found = self._summaries(kind, unfinished=True)
        return (game for game in found if not game.problem and game.outcome is None)

    def is_open(self, game: GameSummary) -> bool:
        """Whether nothing of a stored game is hidden any more.

        While one that was won lies on the table, its end can be taken back until somebody looks there.
        """
        ended = game.outcome
        if ended is None or not ended.is_open:
            return False
        return ended.uncovered or not self.has_recovery_log(game.game)

    def has_recovery_log(self, game: int) -> bool:
        """Whether a game still lies on the table, so that it can go on, or its end be undone."""
        return game in map(logged_game, find_recovery_logs(self.path))

    def raw_headers(self) -> dict[int, bytes]:
        """The raw header of every game, of every kind and format."""
        with closing(self._open_reader()) as reader:
            return dict(reader.execute("SELECT id, CAST(ifnull(header, '') AS BLOB) FROM games").fetchall())

    def forget_name(self, name: str) -> ForgetReport:
        """Remove a name from every game, down to the bytes of the file.

        Only headers contain names; entries refer to chairs. A newer format may differ: its entries are left
        unchanged and reported.
        """
        self.lock()
        with closing(connect(self.path)) as writer:
            writer.execute("PRAGMA secure_delete = ON")
            writer.execute("BEGIN IMMEDIATE")
            rows = writer.execute("SELECT id, CAST(ifnull(header, '') AS BLOB) FROM games").fetchall()
            cleared = [(name_search.remove_name_from_header(raw, name), game) for game, raw in rows]
            changes = [(header, game) for header, game in cleared if header is not None]
            writer.executemany("UPDATE games SET header = ? WHERE id = ?", changes)
            headers = {game: raw for game, raw in rows if strip_checksum(raw) is not None}
            for header, game in changes:
                if game in headers:
                    _rewrite_chain(writer, game, headers[game], header)
            kept = [
                game
                for game, raw in rows
                if not name_search.is_known_format(raw) and _still_contains(writer, game, raw, name)
            ]
            writer.execute("COMMIT")
            writer.execute("VACUUM")
            (shared, _, _) = writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        # What is in the other logs the store has, without the name.
        for path in set(find_recovery_logs(self.path)).difference(self.unrestored):
            header = next(iter(read_recovery_log(path)), b"")
            if name_search.remove_name_from_header(header, name) is not None:
                path.unlink(missing_ok=True)
        return ForgetReport(len(changes), tuple(kept), whole=not shared)

    def replace_damaged(self) -> bool:
        """Put the store aside if it is damaged, also in mid-game; whether there is a new one now."""
        try:
            kept = None if self._lock is None else replace_damaged_store(self.path)
        except (sqlite3.Error, OSError, CompanionError) as error:
            log.warning("%s could not be looked at, or put aside if it is damaged: %s", self.path, error)
            return False
        if kept is None:
            return False
        self.damaged = kept
        log.warning(
            "%s was damaged: it is kept as %s, and what could be read is in a new one", self.path, kept
        )
        return True

    def _restore_games(self) -> None:
        """Restore what the store lacks of games that were being played when their program was killed.

        Where there is a log, the store is looked through first. A log from which not all could be restored
        stays, one of which a part is damaged under another name, and the program's log names it.
        """
        known, logs, self.blocked = self.unrestored, find_recovery_logs(self.path), None
        self.unrestored = tuple(path for path in known if path not in logs and is_there(path))
        if not logs:
            return
        self.replace_damaged()
        for path in logs:
            try:
                if self._restore_game(path):
                    continue
                why, damaged, full = "a part of it is damaged", True, False
            except (sqlite3.Error, OSError, CompanionError, *MISFIT_ERRORS) as error:
                if isinstance(error, sqlite3.Error) and is_locked(error):
                    self.blocked = error
                why, full = str(error), is_full(error)
                damaged = isinstance(error, JournalError) and error.key in DAMAGED_LOG
            left = put_log_aside(path) if damaged else path
            self.unrestored += (left,)
            if self.blocked is not None:
                told = "%s has rulings that the store lacks: close the other program that keeps it open"
                log.warning(told, left)
            elif left not in known:
                told = "%s may hold rulings that the store lacks (%s): %s"
                remedy = f"companion import {left} --salvage" if left.is_file() else "move it away"
                log.warning(told, left, why, "make room on its disk" if full else remedy)
        restored = set(logs).difference(self.unrestored)
        if not restored:
            return
        with suppress(sqlite3.Error, OSError, CompanionError), closing(connect(self.path)):
            pass  # the last to close the store writes its -wal into it
        if not is_there(side_file(self.path, "-wal")):
            for path in restored:
                path.unlink(missing_ok=True)

    def _restore_game(self, log_file: Path) -> bool:
        """Restore a game from its recovery log; whether the store has all of the log now.

        Nothing whole in the store is replaced or deleted: a game that went on otherwise after an earlier
        attempt had failed stays beside the restored one, and what comes after an entry that neither has stays
        where it is.
        """
        lines = read_recovery_log(log_file)
        if len(lines) < 2:
            return True  # no entry
        lines[0] = mend_line(lines[0]) or lines[0]
        codec = self._codec(lines[0])
        game, rows, (raw, *joined) = self._find_begun(codec, lines, logged_game(log_file))
        header, entries = codec.read(raw, joined)
        changes = [(seq, line) for seq, line in enumerate(joined) if rows.get(seq) != line]
        count, ended = max(len(joined), *(seq + 1 for seq in rows), 0), None
        if count > len(joined):
            log.warning("Entry %d of game %s is whole neither in the store nor in its log", len(joined), game)
        else:
            setup = header.setup.with_options(codec.rules.options)
            outcome = codec.rules.outcome(replay_state(codec.rules, setup, entries))
            ended = outcome_line(header, outcome, [raw, *joined][-1])
        row = header.kind, count, ended
        if changes or (joined and row != self._read_row(game)):
            self._write_rows(game, raw, row, changes)
        return len(joined) >= len(lines) - 1

    def _read_row(self, game: int | None) -> tuple[str, int, bytes | None] | None:
        """What the list of games says of a game's kind, length and outcome."""
        with closing(self._open_reader()) as reader:
            said = "SELECT kind, entries, CAST(outcome AS BLOB) FROM games WHERE id = ?"
            row: tuple[str, int, bytes | None] | None = reader.execute(said, (game,)).fetchone()
            return row

    def _write_rows(
        self,
        game: int | None,
        header: bytes,
        row: tuple[str, int, bytes | None],
        changes: list[tuple[int, bytes]],
    ) -> None:
        """Write these entries of a game, which is a new one if it has no number, and what the list says."""
        with closing(connect(self.path)) as writer:
            writer.execute("BEGIN IMMEDIATE")
            if game is None:
                made = writer.execute(
                    "INSERT INTO games (kind, header, entries) VALUES (?, ?, 0)", (row[0], header)
                )
                game = made.lastrowid
            restored = ((game, seq, line) for seq, line in changes)
            put = "INSERT OR REPLACE INTO entries (game, seq, body) VALUES (?, ?, ?)"
            writer.executemany(put, restored)
            listed = "UPDATE games SET kind = ?, entries = ?, outcome = ? WHERE id = ?"
            writer.execute(listed, (*row, game))
            writer.execute("COMMIT")
        if changes:
            log.warning("Restored %s that %s had lost", count_with_noun(len(changes), "ruling"), self.path)

    def find_unrestored(self) -> Iterator[tuple[Path, int]]:
        """The recovery logs beside the store that have more than it, each with how many rulings more.

        A table that plays writes its store first, so of it nothing is told.
        """
        for path in find_recovery_logs(self.path):
            with suppress(sqlite3.Error, OSError, CompanionError):
                lines = read_recovery_log(path)
                if not lines:
                    continue
                codec = self._codec(lines[0])
                try:
                    _, rows, (_, *joined) = self._find_begun(codec, lines, logged_game(path))
                except (sqlite3.DatabaseError, JournalError) as error:
                    damaged = isinstance(error, JournalError) and error.key in {"cut_off", "cut_short"}
                    if not damaged and type(error) is not sqlite3.DatabaseError:
                        raise
                    rows, joined = {}, codec.join(lines[0], lines[1:], {}) or []  # the start puts it aside
                if lacking := sum(rows.get(seq) != line for seq, line in enumerate(joined)):
                    yield path, lacking

    def _find_begun(
        self, codec: JournalCodec, lines: list[bytes], played: int | None
    ) -> tuple[int | None, Mapping[int, bytes], list[bytes]]:
        """The stored game that a recovery log is of, if any, the entries of it in the store by their numbers,
        and its lines, header first, as store and log have them together.

        `played`: its number, which alone tells apart two that were imported from one file. Without it, or if
        the store has another game there, it is the one with the most entries of those that go on alike; its
        names may have been forgotten meanwhile.
        """
        with closing(self._open_reader()) as reader:
            raws = dict(reader.execute("SELECT id, CAST(ifnull(header, '') AS BLOB) FROM games").fetchall())

        def begun_with(raws: Mapping[int, bytes]) -> dict[int, list[bytes]]:
            moved = ((game, codec.move_lines(lines, raw)) for game, raw in raws.items())
            return {game: one for game, one in moved if one is not None}

        begun = begun_with({game: raw for game, raw in raws.items() if game == played}) or begun_with(raws)
        found: list[tuple[int, Mapping[int, bytes], list[bytes]]] = []
        for game, (raw, *logged) in begun.items():
            rows = self._game_lines(game, what_is_left=True, salvage=True)[2]
            if (joined := codec.join(raw, logged, rows)) is not None:
                found.append((game, rows, [raw, *joined]))
        if found:
            return max(found, key=lambda one: (len(one[1]), one[0]))
        return None, {}, [lines[0], *(codec.join(lines[0], lines[1:], {}) or [])]

    def _summaries(
        self, kind: Kind | None, *, number: int | None = None, unfinished: bool = False
    ) -> Iterator[GameSummary]:
        """The stored games, newest first; `unfinished`: only those of which the list does not say how they
        ended, so that of thousands that did nothing is read.
        """
        with closing(self._open_reader()) as reader:
            reader.create_function("says_end", 1, says_end)
            rows = reader.execute(
                "SELECT id, kind, CAST(ifnull(header, '') AS BLOB), entries, CAST(outcome AS BLOB),"
                " (SELECT CAST(body AS BLOB) FROM entries WHERE game = games.id AND seq = games.entries - 1)"
                " FROM games WHERE (?1 IS NULL OR kind = ?1 OR instr(?3, '\"' || kind || '\"') = 0)"
                " AND (?2 IS NULL OR id = ?2) AND NOT (?4 AND says_end(outcome)) ORDER BY id DESC",
                (kind, number, _KINDS, unfinished),
            )
            yield from map(self._summary, rows)

    def _summary(self, row: SummaryRow) -> GameSummary:
        game, kind, raw, entries, outcome, last = row
        ended = None if outcome is None else read_outcome(outcome, last or raw)
        try:
            header, _ = self._codec(raw).read(raw, ())
            if header.has_chain and kind != header.kind:
                return GameSummary(game, "", kind, "", (), (), entries, ended, "altered")
            if ended is None and outcome is not None:
                ended = self._derive_outcome(game)
        except JournalError as error:
            return GameSummary(game, "", kind, "", (), (), entries, ended, error.key)
        except (sqlite3.Error, OSError):
            return GameSummary(game, "", kind, "", (), (), entries, ended, "damaged")
        return GameSummary(
            game=game,
            name=header.game,
            kind=kind,
            date=header.date,
            names=header.names,
            chairs=header.setup.chairs,
            entries=entries,
            outcome=ended,
        )

    def _derive_outcome(self, game: int) -> Outcome | None:
        """How a game ended by its entries, where what the list says of it is not as it was written."""
        header, entries = self._read_game(game)[1:]
        rules = self._games[header.game]
        try:
            state = replay_state(rules, header.setup.with_options(rules.options), entries)
        except MISFIT_ERRORS as error:
            raise JournalError("damaged", "no table could come to this") from error
        return rules.outcome(state)

    def _open_reader(self) -> sqlite3.Connection:
        """A read-only connection; for a truncated store the error names the games that are complete."""
        try:
            return open_read_only(self.path)
        except JournalError as error:
            if error.key != "cut_off":
                raise
            whole = ", ".join(map(str, self._complete_games()))
            raise (
                JournalError("cut_off", f"{error.what}; whole in it: game {whole}")
                if whole
                else JournalError("cut_short", error.what)
            ) from error

    def _complete_games(self) -> Iterator[int]:
        """The games that are complete in a truncated store."""
        try:
            with closing(open_read_only(self.path, what_is_left=True)) as reader:
                rows = reader.execute("SELECT id, entries FROM games").fetchall()
        except (sqlite3.Error, JournalError):
            return
        for game, count in rows:
            with suppress(sqlite3.Error, JournalError):
                if len(self._read_game(game, what_is_left=True)[2]) == count:
                    yield game

    def _read_game(
        self, game: int, *, what_is_left: bool = False
    ) -> tuple[bytes, Header, list[Entry[Event]]]:
        """A stored game, with its raw header."""
        raw, (kind, count), lines = self._game_lines(game, what_is_left=what_is_left)
        try:
            header, entries = self._codec(raw).read(raw, list(lines.values()))
            _check_listed(header, entries, kind, count)
            _check_numbered(list(lines), entries)
        except JournalError as error:
            error.game = game
            if error.entry is None:
                with suppress(sqlite3.Error, OSError, JournalError):
                    error.saved = len(self.salvage_game(game)[1])
            raise
        return raw, header, entries

    def _game_lines(
        self, game: int, *, what_is_left: bool, salvage: bool = False
    ) -> tuple[bytes, tuple[str, int], dict[int, bytes]]:
        """The lines of a stored game: the header, what the store says of kind and length, and the entries
        with their numbers in the table.

        `salvage`: only the entries before the first that the database cannot read.
        """
        with closing(open_read_only(self.path, what_is_left=what_is_left)) as reader:
            reader.execute("BEGIN")  # all as it was at one moment
            head = reader.execute(
                "SELECT CAST(ifnull(header, '') AS BLOB), kind, entries FROM games WHERE id = ?",
                (_valid_number(game),),
            ).fetchone()
            if head is None:
                raise JournalError("unknown", f"there is no game {game} in {self.path}")
            rows = reader.execute(
                "SELECT seq, CAST(body AS BLOB) FROM entries WHERE game = ? ORDER BY seq", (game,)
            )
            lines: dict[int, bytes] = {}
            try:
                lines.update(rows)
            except sqlite3.Error:
                if not salvage:
                    raise
        raw, kind, count = head
        return raw, (kind, count), lines

    def _codec(self, raw: bytes) -> JournalCodec:
        try:
            name = journal_game(raw)
            if name not in self._games:
                what = f"no rules of a game called {name}"
                raise JournalError("unknown_game", what, line=1, where="$.game")  # noqa: TRY301
        except JournalError as error:
            if mend_line(raw) in {None, raw}:
                raise
            raise JournalError("altered", "the header is not as it was written", line=1) from error
        if name not in self._codecs:
            self._codecs[name] = JournalCodec(self._games[name])
        return self._codecs[name]


def _check_listed(header: Header, entries: Sequence[Entry[Event]], kind: str, count: int) -> None:
    """Raise `JournalError` if the table of games says otherwise of a chained game."""
    if header.has_chain and (kind, count) != (header.kind, len(entries)):
        what = f"a {header.kind} of {len(entries)} entries is listed as a {kind} of {count}"
        raise JournalError("altered", what, line=len(entries) + 2, at=last_entry_time(entries))


def _check_numbered(numbers: Sequence[int], entries: Sequence[Entry[Event]]) -> None:
    """Raise `JournalError` if the store has them under other numbers: playing on would delete some."""
    for entry, number in zip(entries, numbers, strict=True):
        if entry.seq != number:
            what = f"entry {entry.seq} is listed as number {number}"
            before = last_entry_time(entries[: entry.seq])
            raise JournalError("altered", what, line=entry.seq + 2, at=before)


def _rewrite_chain(writer: sqlite3.Connection, game: int, was: bytes, now: bytes) -> None:
    """Rewrite the chain of a game whose header `was` another."""
    rows = writer.execute(
        "SELECT seq, CAST(body AS BLOB) FROM entries WHERE game = ? ORDER BY seq", (game,)
    ).fetchall()
    lines = rewrite_checksums((body for _, body in rows), was, now)
    changes = [(line, game, seq) for (seq, _), line in zip(rows, lines, strict=False)]
    writer.executemany("UPDATE entries SET body = ? WHERE game = ? AND seq = ?", changes)
    (raw,) = writer.execute("SELECT CAST(outcome AS BLOB) FROM games WHERE id = ?", (game,)).fetchone()
    ended = strip_checksum(raw, [was, *(body for _, body in rows)][-1]) if raw else None
    if ended is not None and len(changes) == len(rows):
        newest = [now, *(line for line, _, _ in changes)][-1]
        writer.execute("UPDATE games SET outcome = ? WHERE id = ?", (add_checksum(ended, newest), game))


def _valid_number(number: int) -> int:
    """A game's number; raises `JournalError` for one that SQLite cannot hold."""
    return number if 0 <= number < 1 << 63 else -1


def _still_contains(writer: sqlite3.Connection, game: int, header: bytes, name: str) -> bool:
    """Whether entries containing the name are kept; from unreadable entries it is cut out."""
    rows = writer.execute("SELECT seq, CAST(body AS BLOB) FROM entries WHERE game = ?", (game,)).fetchall()
    saying = [(seq, body) for seq, body in rows if name_search.contains_name(body, name)]
    if not name_search.is_damaged(header):
        return bool(saying)
    cleared = [(name_search.remove_name(body, name), game, seq) for seq, body in saying]
    writer.executemany("UPDATE entries SET body = ? WHERE game = ? AND seq = ?", cleared)
    return False


def _try_lock(held: IO[str]) -> bool:
    """Try to lock the open file for this process; the system releases the lock when it ends."""
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 - each system has its own

        try:
            held.seek(1 << 30)  # beyond the text, which others may read
            msvcrt.locking(held.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
    import fcntl  # noqa: PLC0415

    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # some network file systems have no locks
    return True
