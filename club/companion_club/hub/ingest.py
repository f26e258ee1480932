"""Conversion of table messages to database rows; a journal is stored in the pieces in which tables send it.

A message that is repeated, late or in another order changes nothing.
"""

import hashlib
import logging
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace
from sqlalchemy import delete, func, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session, selectinload

from companion.core.clock import wall_time_difference
from companion_club.hub import people
from companion_club.hub.forgetting import forget_seat
from companion_club.hub.model import (
    Audit,
    Base,
    ClubRecord,
    ForgottenName,
    GameRecord,
    JournalPiece,
    PodRecord,
    ResultVersion,
    UnreadMessage,
)
from companion_club.hub.model import CallRecord as CallRow
from companion_club.hub.presence import QUOTA_KEY, Presence, TableState
from companion_club.hub.transport import MessageArrived
from companion_club.messages import (
    ForgetSeats,
    GameResult,
    JournalSlice,
    JudgeCall,
    Status,
    TaskDone,
    decode_payload,
    parse_topic,
)

MAX_LINES = 200_001
"""As a journal's own reader takes: a header and its entries."""
MAX_PIECE_BYTES = 4_000_000
"""Bytes of the lines of one piece."""
MAX_JOURNAL_BYTES = 64_000_000
"""Bytes of the lines of one game that are looked at: twice what `MAX_LINES` lines of a real one take."""


def check_piece(piece: JournalSlice) -> None:
    """Raise `ValueError` for what is no piece of a journal."""
    count = len(piece.lines)
    if piece.first < 0 or not count or not piece.first + count <= piece.total <= MAX_LINES:
        raise ValueError(f"lines {piece.first} to {piece.first + count} of {piece.total}")
    if any("\n" in line for line in piece.lines) or sum(map(len, piece.lines)) > MAX_PIECE_BYTES:
        raise ValueError("a line is two, or too long")


def make_row(piece: JournalSlice, now: str) -> dict[str, Any]:
    """The row of `JournalPiece` that keeps a piece."""
    packed = zlib.compress("\n".join(piece.lines).encode(), level=6)
    row: dict[str, Any] = {"game_id": piece.game_id, "digest": piece.digest, "first": piece.first}
    return row | {"count": len(piece.lines), "total": piece.total, "lines": packed, "received": now}


def is_complete(game: GameRecord) -> bool:
    """Whether every line of its journal is here: the header and all entries."""
    return game.lines > game.entries


def count_lines(pieces: Mapping[int, int]) -> int:
    """How many lines are there without a gap, of pieces by their first line."""
    lines = 0
    for first, count in sorted(pieces.items()):
        if first > lines:
            break
        lines = max(lines, first + count)
    return lines


def stored_lines(session: Session, game: GameRecord) -> list[bytes]:
    """The lines of the game's journal that are here, from the header up to the first gap.

    A piece that can't be unpacked is a gap: whoever made a backup may have put in anything.
    """
    found: list[bytes] = []
    left = MAX_JOURNAL_BYTES
    for row in _pieces(session, game):
        if row.first > len(found):
            break
        if row.first + row.count > len(found):
            try:
                lines = zlib.decompressobj().decompress(row.lines, left)
            except zlib.error:
                break
            left -= len(lines)
            if left <= 0:
                break
            found[row.first :] = lines.split(b"\n")
    return found


def _pieces(session: Session, game: GameRecord) -> Iterator[JournalPiece]:
    asked = select(JournalPiece).where(JournalPiece.game_id == game.id, JournalPiece.digest == game.digest)
    yield from session.scalars(asked.order_by(JournalPiece.first))


CLOCK_OFF_S = 600
"""Seconds by which a clock may be off before its table gets a warning; what it sends counts anyway."""
COPIED_STORE_KEY, FOREIGN_STORE_KEY = "ui.club.copy", "ui.club.foreign"
MAX_CHAIRS = 8
ID_PATTERN = re.compile(r"[0-9a-f]{1,64}\Z")
TROUBLE_PATTERN = re.compile(r"ui\.club\.[a-z_]{1,30}\Z")
MAX_SET_ASIDE_BYTES = 256_000
"""Bytes of a message that is set aside."""
SET_ASIDE_WEIGHT = 10
"""What cannot be read counts so much more to what is kept of a table."""
RESULT_BYTES, CALL_BYTES, AUDIT_BYTES = 1000, 300, 300
"""About what a version of a result, a call and a line of the audit trail take in the database."""
MAX_OPEN_CALLS = 10
"""Calls of one table that wait for a judge at a time."""
DECODE_ERRORS = (msgspec.MsgspecError, UnicodeError, RecursionError, ValueError)
log = logging.getLogger(__name__)


class ReadMessage(NamedTuple):
    """A message that could be read, and is of a form that a table could send."""

    arrived: MessageArrived
    table: str
    said: Any


class Ingest:
    """Messages of one transaction."""

    def __init__(self, session: Session, presence: Presence, now: str) -> None:
        self.session = session
        self.now = now
        self.visible = False
        """Whether anything changed that a screen shows."""
        self.statuses: dict[str, tuple[TableState, Status]] = {}
        """The last one of each table."""
        self.pieces: list[tuple[TableState, GameRecord, int]] = []
        """Games of whose journals a piece came, and its first line."""
        self.late: list[tuple[TableState, GameRecord]] = []
        """Games of which a piece came before their result."""
        self._presence = presence
        self._games: dict[str, GameRecord] = {}
        self._versions: set[tuple[Any, ...]] = set()
        self._counts: dict[tuple[str, str], dict[int, int]] = {}
        """Of each game's journal, by its digest, the first line of each piece and how many lines it has."""
        self._new_versions: list[dict[str, Any]] = []
        self._new_pieces: dict[tuple[str, str, int], dict[str, Any]] = {}
        self._club: ClubRecord | None = None
        self._forgotten: frozenset[str] | None = None

    def take_messages(self, arrived: Sequence[MessageArrived]) -> None:
        """Take messages in, in their order; what cannot be read is set aside."""
        read = [one for message in arrived if (one := self._read(message)) is not None]
        self._load(read)
        with self.session.no_autoflush:
            for one in read:
                try:
                    self._take(self._table(one.table), one.said, retained=one.arrived.retained)
                except ValueError as error:
                    self.set_aside(one.arrived.topic, one.arrived.payload, str(error))
        self._store()

    def _read(self, arrived: MessageArrived) -> ReadMessage | None:
        where = parse_topic(arrived.topic)
        if where is None or not arrived.payload:
            return None  # an empty one takes back what the broker retained; what was said stays known here
        try:
            said = decode_payload(where.kind, arrived.payload)
            _check(said)
        except DECODE_ERRORS as error:
            self.set_aside(arrived.topic, arrived.payload, str(error))
            return None
        return ReadMessage(arrived, where.table, said)

    def _load(self, read: Sequence[ReadMessage]) -> None:
        """What is here of the games that are spoken of, in three statements for all of them."""
        ids: set[str] = set()
        for one in read:
            match one.said:
                case GameResult() | JournalSlice():
                    ids.add(one.said.game_id)
                case ForgetSeats():
                    ids.update(seat.game_id for seat in one.said.seats)
        if not ids:
            return
        games = select(GameRecord).where(GameRecord.id.in_(ids)).options(selectinload(GameRecord.seats))
        self._games = {game.id: game for game in self.session.scalars(games)}
        of_versions = ResultVersion.entries, ResultVersion.finished, ResultVersion.digest
        versions = select(ResultVersion.game_id, *of_versions).where(ResultVersion.game_id.in_(self._games))
        self._versions = {tuple(row) for row in self.session.execute(versions)} if self._games else set()
        of_pieces = JournalPiece.game_id, JournalPiece.digest, JournalPiece.first, JournalPiece.count
        for game, digest, first, count in self.session.execute(
            select(*of_pieces).where(JournalPiece.game_id.in_(ids))
        ):
            self._counts.setdefault((game, digest), {})[first] = count

    def _store(self) -> None:
        """Write what is new, of each kind in one statement."""
        self.session.flush()
        self._store_versions()
        if self._new_pieces:
            piece = self._insert(JournalPiece)
            changed = {name: piece.excluded[name] for name in ("count", "total", "lines", "received")}
            keys = ("game_id", "digest", "first")
            row = piece.on_conflict_do_update(index_elements=keys, set_=changed)
            self.session.execute(row, list(self._new_pieces.values()))
        for game in self._games.values():
            older = [digest for of, digest in self._counts if of == game.id and digest != game.digest]
            if game.digest and older and is_complete(game):
                found = (JournalPiece.game_id == game.id) & (JournalPiece.digest != game.digest)
                self.session.execute(delete(JournalPiece).where(found))
        self.visible |= self._presence.write(self.session)

    def _store_versions(self) -> None:
        if self._new_versions:
            rows = self._insert(ResultVersion).on_conflict_do_nothing()
            self.session.execute(rows, self._new_versions)
            self._new_versions = []

    def _insert(self, row: type[Base]) -> Any:
        """An insertion that either engine can be told what to do about a row that is there already."""
        return (postgresql if self.session.get_bind().dialect.name == "postgresql" else sqlite).insert(row)

    def _take(self, table: TableState, message: object, *, retained: bool) -> None:
        match message:
            case Status():
                self._status(table, message, retained=retained)
            case GameResult():
                self._result(table, message)
            case JournalSlice():
                self._piece(table, message)
            case JudgeCall():
                self._call(table, message)
            case TaskDone():
                self._task_done(message)
            case ForgetSeats():
                self._forget(table, message)

    def set_aside(self, topic: str, payload: bytes, why: str) -> None:
        """Keep a message that cannot be taken in, once, for a version that can."""
        digest = hashlib.sha256(topic.encode("utf-8", "replace") + b"\0" + payload).hexdigest()
        if self.session.scalar(select(UnreadMessage.id).where(UnreadMessage.digest == digest)) is not None:
            return
        kept = payload[:MAX_SET_ASIDE_BYTES]
        where = parse_topic(topic)
        if where is not None and not self._may_keep(where.table, len(kept) * SET_ASIDE_WEIGHT):
            return
        log.warning("Set aside a message of %s: %s", topic, why)
        self.session.add(
            UnreadMessage(
                topic=_clean_text(topic, 200),
                payload=kept,
                digest=digest,
                why=_clean_text(why, 500),
                received=self.now,
            )
        )
        self.session.flush()

    def _may_keep(self, slug: str, size: int, *, pieces: int = 0) -> bool:
        """Whether so many bytes more of a table are kept today; if not, the table says why."""
        was_full = self._presence.is_full(slug, self.now[:10])
        if self._presence.may_keep(slug, self.now[:10], size, pieces=pieces):
            return True
        table = self._table(slug)
        table.changed |= table.problem != QUOTA_KEY
        table.problem = QUOTA_KEY
        if not was_full:
            self._audit(table, "table.flooded")
        return False

    def _audit(self, table: TableState, verb: str) -> None:
        """A line of the audit trail: what a table did that none does."""
        log.warning("%s: %s", table.slug, verb)
        row = Audit(at=self.now, who=_clean_text(table.name or table.slug, 40), verb=verb)
        row.subject = f"table:{table.slug}"
        self.session.add(row)

    def _table(self, slug: str) -> TableState:
        table, is_new = self._presence.table(self.session, slug, self.now)
        self.visible |= is_new
        return table

    def _status(self, table: TableState, status: Status, *, retained: bool) -> None:
        before = table.shown
        is_own = not status.online or self._owns(table, status)
        if not is_own:
            status = replace(status, store="")  # nothing of it is asked for here
        two = bool(table.online and status.online and table.store and status.store != table.store)
        if status.online:
            table.store = status.store
            table.name = _clean_text(status.name, 80)
            table.run = _clean_text(status.run, 64)
            table.software = _clean_text(status.program, 64)
            table.problem = (
                "ui.club.clash" if two else self._copied_store_problem(table) or _trouble_key(status.trouble)
            )
            if not table.problem and not retained and self._is_off(status.at):
                table.problem = "ui.club.clock"
            if self._presence.is_full(table.slug, self.now[:10]):
                table.problem = QUOTA_KEY
            if not is_own:
                if FOREIGN_STORE_KEY not in before and self._may_keep(table.slug, AUDIT_BYTES):
                    self._audit(table, "table.foreign")
                table.problem = FOREIGN_STORE_KEY
        table.online = status.online
        table.game = _clean_text(status.game, 64) if status.online else ""
        table.changed |= before != table.shown
        self.statuses[table.slug] = table, status

    def _owns(self, table: TableState, said: Status | GameResult) -> bool:
        """Whether the store of which a table speaks is its own."""
        return self._presence.owns_store(self.session, table, said.store, said.store_proof)

    @staticmethod
    def _may_speak_of(table: TableState, game: GameRecord) -> bool:
        """Whether a game is the table's own: it told it, or the store is its."""
        return table.id == game.table_id or table.store == game.store

    def _copied_store_problem(self, table: TableState) -> str:
        """The key for two tables that are on with one store: each of them gets it; else empty."""
        others = self._presence.others_with_store(self.session, table)
        for other in others:
            other.changed |= other.problem != COPIED_STORE_KEY
            other.problem = COPIED_STORE_KEY
        return COPIED_STORE_KEY if others else ""

    def _is_off(self, at: str) -> bool:
        """Whether the table's clock is far off: what it said just now is of another hour."""
        off = wall_time_difference(at, self.now)
        return off is not None and abs(off) > CLOCK_OFF_S

    def _result(self, table: TableState, result: GameResult) -> None:
        game = self._games.get(result.game_id)
        if game is not None and game.store != result.store:
            raise ValueError(f"game {game.id} is of another store")
        if not self._owns(table, result):
            raise ValueError(f"store {result.store} is another table's")
        told = result.entries, result.outcome is not None
        key = result.game_id, *told, result.digest
        known = (-1, False) if game is None else (game.entries, game.outcome is not None)
        is_open = game is not None and told == known and not game.digest and bool(result.digest)
        if key not in self._versions and not is_open and not self._may_keep(table.slug, RESULT_BYTES):
            return
        outcome = None if result.outcome is None else msgspec.to_builtins(result.outcome)
        if game is None:
            game = self._new_game(table, result)
        if is_open:
            self._now_open(game, result)
        elif key not in self._versions:
            self._versions.add(key)
            version = {"game_id": game.id, "entries": told[0], "finished": told[1], "digest": result.digest}
            version |= {"outcome": outcome, "table_id": table.id, "received": self.now}
            self._new_versions.append(version)
            self.visible = True
        if told < known:
            return
        if told > known:
            game.table_id = table.id
            game.game = _clean_text(result.game, 64)
            game.began, game.ended = _clean_text(result.began, 32), _clean_text(result.ended, 32)
            self._presence.add_to_totals(game.store, int(known[0] < 0), result.entries - max(known[0], 0))
            game.entries, game.outcome, game.digest = result.entries, outcome, result.digest
            game.task = result.task or game.task
            game.verdict = game.checked = ""
            self._count_lines(game)
        elif game.digest != result.digest and result.digest:
            log.warning("%s sends game %s in two versions of %d entries", table.slug, game.id, game.entries)
            return
        if game.digest and game.id in self._presence.skipped:
            self._presence.skipped.discard(game.id)
            self.late.append((table, game))
        people.record_seats(self.session, game, result.players, self.forgotten)

    def _new_game(self, table: TableState, result: GameResult) -> GameRecord:
        game = GameRecord(id=result.game_id, table_id=table.id, store=result.store, game="", digest="")
        game.received, game.entries, game.lines, game.task = self.now, -1, 0, ""
        self.session.add(game)
        self._games[game.id] = game
        return game

    def _now_open(self, game: GameRecord, result: GameResult) -> None:
        """Nothing of the same version is hidden any more."""
        game.digest = result.digest
        self.session.flush()
        self._store_versions()
        same = ResultVersion.game_id == game.id, ResultVersion.entries == game.entries
        self.session.execute(
            update(ResultVersion).where(*same, ResultVersion.digest == "").values(digest=result.digest)
        )
        self._versions.add((game.id, game.entries, game.outcome is not None, result.digest))
        self._count_lines(game)

    def _count_lines(self, game: GameRecord) -> None:
        """Note how many lines of the game's journal are here without a gap."""
        if game.digest:
            game.lines = count_lines(self._counts.get((game.id, game.digest), {}))

    @property
    def forgotten(self) -> frozenset[str]:
        """The marks of names that are not kept any more."""
        if self._forgotten is None:
            self._club = self.session.get_one(ClubRecord, 1)  # the session holds what somebody holds
            self._forgotten = frozenset(self.session.scalars(select(ForgottenName.mark)))
        return self._forgotten

    def _piece(self, table: TableState, piece: JournalSlice) -> None:
        game = self._games.get(piece.game_id)
        if game is None:
            self._presence.skip_piece(piece.game_id)
            return
        if not self._may_speak_of(table, game):
            raise ValueError(f"game {game.id} is another table's: its journal is not taken from here")
        counts = self._counts.setdefault((game.id, piece.digest), {})
        is_whole = game.digest == piece.digest and is_complete(game)
        if not is_whole and counts.get(piece.first, 0) < len(piece.lines):
            if not self._may_keep(table.slug, sum(map(len, piece.lines)), pieces=1):
                return
            self._new_pieces[game.id, piece.digest, piece.first] = make_row(piece, self.now)
            counts[piece.first] = len(piece.lines)
            if game.digest == piece.digest:
                self._count_lines(game)
        self.pieces.append((table, game, piece.first))

    def _call(self, table: TableState, call: JudgeCall) -> None:
        key = _clean_text(call.id, 64)
        row = self.session.scalar(select(CallRow).where(CallRow.table_id == table.id, CallRow.call == key))
        if row is None:
            if not self._may_call(table):
                return
            row = CallRow(table_id=table.id, call=key, at=_clean_text(call.at, 32), received=self.now)
            row.taken_back = False
            self.session.add(row)
            self.session.flush()
            self.visible = True
        if call.taken_back and not row.taken_back:
            row.taken_back = self.visible = True

    def _may_call(self, table: TableState) -> bool:
        """Whether a table may call once more: a judge who comes comes for all that it called before."""
        waits = CallRow.table_id == table.id, ~CallRow.taken_back, CallRow.answered == ""
        open_calls = self.session.scalar(select(func.count()).where(*waits)) or 0
        return open_calls < MAX_OPEN_CALLS and self._may_keep(table.slug, CALL_BYTES)

    def _task_done(self, done: TaskDone) -> None:
        pod = self.session.scalar(
            select(PodRecord).where(PodRecord.task == done.id, PodRecord.task_done.is_(False))
        )
        if pod is not None:
            pod.task_done = self.visible = True

    def _forget(self, table: TableState, forget: ForgetSeats) -> None:
        """A table may have people forgotten in its own games."""
        for key in {one.game_id for one in forget.seats}:
            game = self._games.get(key)
            if game is not None and not self._may_speak_of(table, game):
                raise ValueError(f"game {key} is another table's: nobody is forgotten in it")
        self.session.flush()  # its game may be of this batch
        for one in forget.seats:
            self.visible |= forget_seat(self.session, one.game_id, one.chair)


def _check(said: object) -> None:
    """Raise `ValueError` for what no table's program sends."""
    match said:
        case Status():
            _check_id(said.store)
            _check_id(said.store_proof)
        case GameResult():
            _check_result(said)
        case JournalSlice():
            _check_id(said.game_id)
            _check_id(said.digest)
            check_piece(said)
        case TaskDone():
            _check_id(said.id)
        case ForgetSeats():
            for one in said.seats:
                _check_id(one.game_id)


def _check_result(result: GameResult) -> None:
    for text in (result.store, result.store_proof, result.game_id, result.digest, result.task):
        _check_id(text)
    if not (result.game_id and result.store):
        raise ValueError("a result without its game or store")
    if not 0 <= result.entries < MAX_LINES:
        raise ValueError(f"{result.entries} entries")
    chairs = [one.chair for one in result.players]
    if len(set(chairs)) != len(chairs) or not set(chairs) <= set(range(MAX_CHAIRS)):
        raise ValueError(f"chairs {chairs}")
    if result.outcome is not None and not set(result.outcome.winners) <= set(chairs):
        raise ValueError(f"winners {result.outcome.winners} of chairs {chairs}")


def _check_id(text: str) -> None:
    """An id or a digest: hexadecimal digits, or empty."""
    if text and not ID_PATTERN.match(text):
        raise ValueError(f"{text[:80]!r} is no id")


def _trouble_key(trouble: str) -> str:
    """A key of the catalogues, as tables send it; anything else would be shown as they wrote it."""
    return trouble if TROUBLE_PATTERN.match(trouble) else ""


def _clean_text(text: str, longest: int) -> str:
    return people.clean_name(text, longest)
