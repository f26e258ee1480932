"""Conversion of table messages to database rows, idempotent and independent of their order.

Saying it twice, late or in another order changes nothing.
"""

import hashlib
import logging
import re

import msgspec
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from companion.core.clock import wall_time_difference
from companion_club.hub import journals, people
from companion_club.hub.forgetting import forget_seat
from companion_club.hub.model import CallRecord as CallRow
from companion_club.hub.model import (
    ForgottenName,
    GameRecord,
    PodRecord,
    ResultVersion,
    TableRecord,
    UnreadMessage,
)
from companion_club.messages import (
    SLUG,
    ForgetSeats,
    GameResult,
    JournalSlice,
    JudgeCall,
    Status,
    TaskDone,
    decode_payload,
    parse_topic,
)

CLOCK_OFF_S = 600
"""Seconds by which a clock may be off before its table gets a warning; what it sends counts anyway."""
COPIED_STORE_KEY = "ui.club.copy"
MAX_CHAIRS = 8
ID_PATTERN = re.compile(r"[0-9a-f]{1,64}\Z")
TROUBLE_PATTERN = re.compile(r"ui\.club\.[a-z_]{1,30}\Z")
MAX_SET_ASIDE_BYTES = 256_000
"""Bytes of a message that is set aside."""
DECODE_ERRORS = (msgspec.MsgspecError, UnicodeError, RecursionError, ValueError)
log = logging.getLogger(__name__)


class Ingest:
    """Messages of one transaction."""

    def __init__(self, session: Session, now: str) -> None:
        self.session = session
        self.now = now
        self.visible = False
        """Whether anything changed that a screen shows."""
        self.statuses: list[tuple[TableRecord, Status]] = []
        self.pieces: list[tuple[TableRecord, GameRecord, int]] = []
        """Games of whose journals a piece came, and its first line."""
        self._tables: dict[str, TableRecord] = {}
        self._forgotten: frozenset[str] | None = None

    def take_message(self, topic: str, payload: bytes, *, retained: bool = False) -> None:
        """Take one message in; what cannot be read is set aside."""
        where = parse_topic(topic)
        if where is None or not payload:
            return  # an empty one takes back what the broker retained; what was said stays known here
        try:
            message = decode_payload(where.kind, payload)
        except DECODE_ERRORS as error:
            self.set_aside(topic, payload, str(error))
            return
        try:
            with self.session.begin_nested():
                self._take(self._table(where.table), message, retained=retained)
        except DECODE_ERRORS as error:
            self._tables.clear()  # what the rolled back part had made is gone
            self.set_aside(topic, payload, str(error))

    def _take(self, table: TableRecord, message: object, *, retained: bool) -> None:
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
        log.warning("Set aside a message of %s: %s", topic, why)
        self.session.add(
            UnreadMessage(
                topic=_clean_text(topic, 200),
                payload=payload[:MAX_SET_ASIDE_BYTES],
                digest=digest,
                why=_clean_text(why, 500),
                received=self.now,
            )
        )
        self.session.flush()

    def _table(self, slug: str) -> TableRecord:
        table = self._tables.get(slug) or self.session.scalar(
            select(TableRecord).where(TableRecord.slug == slug)
        )
        if table is None:
            assert SLUG.match(slug), slug
            table = TableRecord(slug=slug, seen=self.now)
            self.session.add(table)
            self.session.flush()
            self.visible = True
        table.seen = self.now
        self._tables[slug] = table
        return table

    def _status(self, table: TableRecord, status: Status, *, retained: bool) -> None:
        before = (table.name, table.online, table.software, table.game, table.problem)
        two = bool(table.online and status.online and table.store and status.store != table.store)
        if status.online:
            table.store = _check_id(status.store)
            table.name = _clean_text(status.name, 80)
            table.run = _clean_text(status.run, 64)
            table.software = _clean_text(status.program, 64)
            table.problem = (
                "ui.club.clash" if two else self._copied_store_problem(table) or _trouble_key(status.trouble)
            )
            if not table.problem and not retained and self._is_off(status.at):
                table.problem = "ui.club.clock"
        table.online = status.online
        table.game = _clean_text(status.game, 64) if status.online else ""
        self.visible |= before != (table.name, table.online, table.software, table.game, table.problem)
        self.statuses.append((table, status))

    def _copied_store_problem(self, table: TableRecord) -> str:
        """The key for two tables that are on with one store: each of them gets it; else empty."""
        found = select(TableRecord).where(
            TableRecord.store == table.store, TableRecord.id != table.id, TableRecord.online
        )
        others = self.session.scalars(found).all() if table.store else ()
        for other in others:
            other.problem = COPIED_STORE_KEY
        return COPIED_STORE_KEY if others else ""

    def _is_off(self, at: str) -> bool:
        """Whether the table's clock is far off: what it said just now is of another hour."""
        off = wall_time_difference(at, self.now)
        return off is not None and abs(off) > CLOCK_OFF_S

    def _result(self, table: TableRecord, result: GameResult) -> None:
        _check_result(result)
        game = self.session.get(GameRecord, result.game_id)
        if game is None:
            game = GameRecord(
                id=result.game_id,
                table_id=table.id,
                store=result.store,
                game="",
                received=self.now,
                entries=-1,
            )
            self.session.add(game)
        elif game.store != result.store:
            raise ValueError(f"game {game.id} is of another store")
        known = game.entries, game.outcome is not None
        told = result.entries, result.outcome is not None
        outcome = None if result.outcome is None else msgspec.to_builtins(result.outcome)
        if told == known and not game.digest and result.digest:
            self._now_open(game, result)
        elif not self._is_known(result):
            game.versions.append(
                ResultVersion(
                    entries=result.entries,
                    finished=result.outcome is not None,
                    outcome=outcome,
                    digest=result.digest,
                    table_id=table.id,
                    received=self.now,
                )
            )
            self.visible = True
        if told < known:
            return
        if told > known:
            game.table_id = table.id
            game.game = _clean_text(result.game, 64)
            game.began, game.ended = _clean_text(result.began, 32), _clean_text(result.ended, 32)
            game.entries, game.outcome, game.digest = result.entries, outcome, result.digest
            game.task = result.task or game.task
            game.verdict = game.checked = ""
            self.session.flush()
            journals.update_line_count(self.session, game)
        elif game.digest != result.digest and result.digest:
            log.warning("%s sends game %s in two versions of %d entries", table.slug, game.id, game.entries)
            return
        people.record_seats(self.session, game, result.players, self.forgotten)

    def _now_open(self, game: GameRecord, result: GameResult) -> None:
        """Nothing of the same version is hidden any more."""
        game.digest = result.digest
        same = ResultVersion.game_id == game.id, ResultVersion.entries == game.entries
        self.session.execute(
            update(ResultVersion).where(*same, ResultVersion.digest == "").values(digest=result.digest)
        )
        self.session.flush()
        journals.update_line_count(self.session, game)

    def _is_known(self, result: GameResult) -> bool:
        asked = select(ResultVersion.id).where(
            ResultVersion.game_id == result.game_id,
            ResultVersion.entries == result.entries,
            ResultVersion.finished == (result.outcome is not None),
            ResultVersion.digest == result.digest,
        )
        return self.session.scalar(asked) is not None

    @property
    def forgotten(self) -> frozenset[str]:
        """The marks of names that are not kept any more."""
        if self._forgotten is None:
            self._forgotten = frozenset(self.session.scalars(select(ForgottenName.mark)))
        return self._forgotten

    def _piece(self, table: TableRecord, piece: JournalSlice) -> None:
        _check_id(piece.game_id)
        _check_id(piece.digest)
        game = journals.store_piece(self.session, piece, self.now)
        if game is not None:
            self.pieces.append((table, game, piece.first))

    def _call(self, table: TableRecord, call: JudgeCall) -> None:
        key = _clean_text(call.id, 64)
        row = self.session.scalar(select(CallRow).where(CallRow.table_id == table.id, CallRow.call == key))
        if row is None:
            row = CallRow(table_id=table.id, call=key, at=_clean_text(call.at, 32), received=self.now)
            row.taken_back = False
            self.session.add(row)
            self.visible = True
        if call.taken_back and not row.taken_back:
            row.taken_back = self.visible = True

    def _task_done(self, done: TaskDone) -> None:
        pod = self.session.scalar(
            select(PodRecord).where(PodRecord.task == _check_id(done.id), PodRecord.task_done.is_(False))
        )
        if pod is not None:
            pod.task_done = self.visible = True

    def _forget(self, table: TableRecord, forget: ForgetSeats) -> None:
        """A table may have people forgotten in its own games: those it told, and those of its store.

        By the sample's rights no other table hears the id of a store.
        """
        for key in {one.game_id for one in forget.seats}:
            game = self.session.get(GameRecord, key)
            if game is not None and game.table_id != table.id and game.store != table.store:
                raise ValueError(f"game {key} is another table's: nobody is forgotten in it")
        for one in forget.seats:
            self.visible |= forget_seat(self.session, one.game_id, one.chair)


def _check_result(result: GameResult) -> None:
    """Raise `ValueError` for what no table's program sends."""
    for text in (result.store, result.game_id, result.digest, result.task):
        _check_id(text)
    if not (result.game_id and result.store):
        raise ValueError("a result without its game or store")
    if not 0 <= result.entries < journals.MAX_LINES:
        raise ValueError(f"{result.entries} entries")
    chairs = [one.chair for one in result.players]
    if len(set(chairs)) != len(chairs) or not set(chairs) <= set(range(MAX_CHAIRS)):
        raise ValueError(f"chairs {chairs}")
    if result.outcome is not None and not set(result.outcome.winners) <= set(chairs):
        raise ValueError(f"winners {result.outcome.winners} of chairs {chairs}")


def _check_id(text: str) -> str:
    """An id or a digest: hexadecimal digits, or empty."""
    if text and not ID_PATTERN.match(text):
        raise ValueError(f"{text[:80]!r} is no id")
    return text


def _trouble_key(trouble: str) -> str:
    """A key of the catalogues, as tables send it; anything else would be shown as they wrote it."""
    return trouble if TROUBLE_PATTERN.match(trouble) else ""


def _clean_text(text: str, longest: int) -> str:
    return people.clean_name(text, longest)
