"""The hub's main loop: takes messages in, commits them, then acknowledges them.

It asks tables for what is missing, sends each its next task, and holds the lock by which one hub alone works
on a database. PostgreSQL keeps that for a connection and releases it with that one; with SQLite it is a file
beside the database, and the kernel releases it with the process. To a broker two hubs of one club would be
one client, and disconnect each other.
"""

import fcntl
import logging
import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from queue import Empty

from sqlalchemy import Connection, Engine, literal_column, select, text
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.orm import Session, joinedload, selectinload

from companion.core.actions import SECOND
from companion.core.clock import add_to_wall_time, monotonic_ns, wall_time
from companion.core.errors import CompanionError
from companion_club.hub.database import bring_up_to_date, mark_changed, writing_sessions
from companion_club.hub.ingest import Ingest, is_complete
from companion_club.hub.model import (
    ClubRecord,
    EventRecord,
    GameRecord,
    PodRecord,
    PodSeat,
    RoundRecord,
    TableRecord,
    UnreadMessage,
)
from companion_club.hub.presence import QUOTA_KEY, Presence, TableState
from companion_club.hub.transport import (
    Inbox,
    MessageArrived,
    Transport,
    TransportConnected,
    TransportEnded,
    do_nothing,
)
from companion_club.messages import ResendRequest, Status, TableTask, encode_payload, make_topic

MAX_PENDING_JOURNALS = 10
"""Journals of one table that are on their way at a time."""
REPEAT_AFTER_S = 20
"""A table that was asked for all results is not asked again sooner; it says how it is every half minute."""
TableRequest = tuple[str, ResendRequest]
"""Which table is asked for what, by its slug."""


class GapTracker:
    """Compares what tables have told with what is here; does not ask twice for what is on its way."""

    def __init__(self) -> None:
        self._asked_at: dict[str, int] = {}
        """When each table was asked for all results; what it answers takes a while."""
        self._runs: dict[str, str] = {}
        self._journals: dict[str, int] = {}
        """Games whose journal was asked for, and from which line on."""

    def reset(self) -> None:
        """What was asked may not have been heard: ask again."""
        self._asked_at.clear()
        self._runs.clear()
        self._journals.clear()

    def requests_after_status(
        self, session: Session, presence: Presence, table: TableState, status: Status
    ) -> Iterator[TableRequest]:
        """What to ask of a table that says how it is."""
        if not (status.online and status.store):
            return
        games, entries = presence.totals(session, status.store)
        lacks = games < status.results or entries < status.entries
        now, asked = monotonic_ns(), self._asked_at.get(table.slug)
        if lacks and (asked is None or now - asked > REPEAT_AFTER_S * 1e9):
            self._asked_at[table.slug] = now
            yield table.slug, ResendRequest(at=wall_time())
        if self._runs.get(table.slug) != status.run:  # else its journals are on their way by themselves
            self._runs[table.slug] = status.run
            yield from self._missing(session, table, status.store)

    def requests_after_piece(
        self, session: Session, table: TableState, game: GameRecord, first: int
    ) -> Iterator[TableRequest]:
        """What to ask of a table whose piece, from line `first` on, left a gap or completed a journal."""
        if is_complete(game):
            if self._journals.pop(game.id, None) is not None:
                yield from self._missing(session, table, game.store)
        elif first > game.lines and self._journals.get(game.id) != game.lines:
            self._journals[game.id] = game.lines
            yield table.slug, ResendRequest(game_id=game.id, first=game.lines, at=wall_time())

    def request_after_result(self, table: TableState, game: GameRecord) -> TableRequest:
        """What to ask of a table whose journal came before its result, and was not kept."""
        self._journals[game.id] = game.lines
        return table.slug, ResendRequest(game_id=game.id, first=game.lines, at=wall_time())

    def _missing(self, session: Session, table: TableState, store: str) -> Iterator[TableRequest]:
        """Journals of that store that are not whole, the oldest first."""
        asked = (
            select(GameRecord.id, GameRecord.lines)
            .where(GameRecord.store == store, GameRecord.digest != "", GameRecord.lines <= GameRecord.entries)
            .order_by(GameRecord.received, GameRecord.id)
            .limit(MAX_PENDING_JOURNALS)
        )
        for game, lines in session.execute(asked).all():
            if self._journals.get(game) != lines:
                self._journals[game] = lines
                yield table.slug, ResendRequest(game_id=game, first=lines, at=wall_time())


TASK_LIFETIME_S = 12 * 3600
"""A task that is not taken back ends by itself after this time."""


def tasks_by_table(session: Session) -> Mapping[str, bytes]:
    """The payload of each table's task, by its slug; empty: nothing is next there."""
    found: dict[str, bytes] = dict.fromkeys(
        session.scalars(select(TableRecord.slug).order_by(TableRecord.slug)), b""
    )
    # A task lives half a day, so of all the rounds there ever were a few are looked at.
    since = add_to_wall_time(wall_time(), -TASK_LIFETIME_S * SECOND)
    asked = (
        select(PodRecord, RoundRecord, EventRecord)
        .join(RoundRecord, PodRecord.round_id == RoundRecord.id)
        .join(EventRecord, RoundRecord.event_id == EventRecord.id)
        .where(RoundRecord.state == literal_column("'announced'"), RoundRecord.announced > since)
        .where(EventRecord.state == "running", PodRecord.task.is_not(None), PodRecord.task_done.is_(False))
        .options(joinedload(PodRecord.table), selectinload(PodRecord.seats).joinedload(PodSeat.player))
        .order_by(RoundRecord.announced, PodRecord.id)
    )
    rows = session.execute(asked).unique().all()
    theirs = select(GameRecord.task).where(GameRecord.task.in_([pod.task for pod, _, _ in rows]))
    ended = set(session.scalars(theirs.where(GameRecord.outcome.is_not(None)))) if rows else set()
    for pod, turn, event in rows:
        if pod.table is None or pod.task is None or pod.task in ended or found.get(pod.table.slug):
            continue
        seats = sorted(pod.seats, key=lambda seat: (seat.chair is None, seat.chair, seat.id))
        task = TableTask(
            id=pod.task,
            round=turn.number,
            expires=add_to_wall_time(turn.announced, TASK_LIFETIME_S * SECOND),
            game=pod.game or event.game,
            players=tuple(seat.player.nickname or "" for seat in seats),
            at=turn.announced,
        )
        found[pod.table.slug] = encode_payload(task)
    return found


LOCK_NUMBER = 0x7AB1F
"""The number of PostgreSQL's lock."""
WAIT_MS = 2_000
"""How long it is waited for: a server needs a moment to see that a killed hub is gone."""
CONNECTION_SETTINGS = (
    ("lock_timeout", WAIT_MS),
    ("tcp_keepalives_idle", 10),
    ("tcp_keepalives_interval", 5),
    ("tcp_keepalives_count", 3),
)
"""The last three, in seconds and times, so that a server learns that a hub's machine has lost its power."""
LOCK_NOT_AVAILABLE = "55P03"
"""PostgreSQL's SQLSTATE."""


class AnotherHubError(CompanionError):
    """Another hub uses the same database."""

    exit_code = 3
    """For the unit: it is not started again."""


class HubLock:
    """Held from `hold` until `release`, or until its connection breaks."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._connection: Connection | None = None
        self._file: int | None = None

    def hold(self, *, verify: bool) -> None:
        """Take it, if it is not ours; `verify`: see whether it still is.

        Raises `AnotherHubError` where another hub has it, `DBAPIError` where the database is away.
        """
        if self._engine.name == "postgresql":
            self._hold_connection(verify=verify)
        elif self._file is None and (database := self._engine.url.database) not in {None, "", ":memory:"}:
            self._file = _lock_file(f"{database}.hub")

    def release(self) -> None:
        """Let another hub have it."""
        self._drop_connection()
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _hold_connection(self, *, verify: bool) -> None:
        try:
            if self._connection is None:
                self._connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
                for name, value in CONNECTION_SETTINGS:
                    self._connection.execute(text(f"SET {name} = {value}"))
                self._connection.execute(text("SELECT pg_advisory_lock(:number)"), {"number": LOCK_NUMBER})
            elif verify:
                self._connection.execute(text("SELECT 1"))
        except DBAPIError as error:
            self._drop_connection()
            if getattr(error.orig, "sqlstate", "") == LOCK_NOT_AVAILABLE:
                raise _another_hub() from error
            raise

    def _drop_connection(self) -> None:
        if self._connection is not None:
            with suppress(DBAPIError):
                self._connection.invalidate()  # closed, not pooled: the server lets go of the lock with it
                self._connection.close()
            self._connection = None


def _lock_file(path: str) -> int:
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(file)
        raise _another_hub() from error
    return file


def _another_hub() -> AnotherHubError:
    return AnotherHubError(
        "Another hub works on this database: only one may run, so this one stops. Stop that one first if it"
        " shall be this one."
    )


MAX_BATCH, MAX_BATCH_BYTES = 200, 4_000_000
"""Messages of one transaction, and bytes of them after which no more are taken."""
POLL_INTERVAL_S = 0.25
"""How often it looks whether the desk changed something."""
DATABASE_RETRY_S = 1.0
"""How long it waits for a database that is away."""
log = logging.getLogger(__name__)


class Hub:
    """One thread between a transport and a database."""

    def __init__(
        self,
        engine: Engine,
        club: str,
        transport: Transport,
        inbox: Inbox,
        *,
        connect: Callable[[], None] = do_nothing,
        say: Callable[[str], None] = log.warning,
    ) -> None:
        """`connect` starts the transport, once this is the database's only hub."""
        self._club = club
        self._transport = transport
        self._inbox = inbox
        self._connect = connect
        self._say = say
        self._engine = engine
        self._lock = HubLock(engine)
        self._new = writing_sessions(engine)
        self._reading = engine.execution_options(reads=True)
        self._presence = Presence()
        self._gaps = GapTracker()
        self._connected = False
        self._pulse = -1
        self._epoch = ""
        self._published: dict[str, bytes] = {}
        self._looked = 0
        self._away = False
        self._pushed_back: deque[MessageArrived | TransportConnected | TransportEnded] = deque()
        """What this connection brought while the database was away."""
        self._ended = False

    def run(self) -> None:
        """Work until `TransportEnded` arrives; raises `AnotherHubError` if another hub was there first."""
        try:
            self._run()
        finally:
            self._lock.release()

    def _run(self) -> None:
        begins = (partial(bring_up_to_date, self._engine, self._club), self._retry_set_aside)
        if not all(self._retry_until_done(one) for one in begins):
            return
        self._connect()
        while not self._ended:
            batch = self._next()
            if batch and self._retry_until_done(partial(self._take, batch)):
                for one in batch:
                    one.done()
            if self._connected and not self._ended and (not batch or self._is_time()):
                self._retry_until_done(self._publish_changes)

    def _is_time(self) -> bool:
        """Whether the last look was long ago, while messages keep coming."""
        return monotonic_ns() - self._looked > POLL_INTERVAL_S * 1e9

    def _next(self) -> list[MessageArrived]:
        """What arrived: at once if something is there, else after `POLL_INTERVAL_S` nothing."""
        batch: list[MessageArrived] = []
        size = 0
        while len(batch) < MAX_BATCH and size < MAX_BATCH_BYTES and not self._ended:
            try:
                match one := self._pushed_back.popleft() if self._pushed_back else self._get(wait=not batch):
                    case MessageArrived():
                        batch.append(one)
                        size += len(one.payload)
                    case TransportConnected():
                        batch.clear()  # of a connection that is gone, so it comes again
                        self._begin_again()
                        self._connected = True
                    case TransportEnded():
                        self._ended = True
            except Empty:
                break
        return batch

    def _get(self, *, wait: bool) -> MessageArrived | TransportConnected | TransportEnded:
        return self._inbox.get(timeout=POLL_INTERVAL_S) if wait else self._inbox.get_nowait()

    def _begin_again(self) -> None:
        self._gaps.reset()
        self._published.clear()
        self._pulse = -1

    def _retry_until_done(self, work: Callable[[], None]) -> bool:
        """Do it. A database that is away is waited for, however long; False: the hub shall stop first."""
        while True:
            try:
                self._lock.hold(verify=self._away)
                work()
            except (OperationalError, InterfaceError) as error:
                self._presence.reset()
                self._gaps.reset()  # what it was about to ask for was not said
                if not self._away:
                    self._say(f"The database is away; nothing is lost while it is. ({_first_line(error)})")
                self._away = True
                if self._ended or self._is_ended_within(DATABASE_RETRY_S):
                    return False
            else:
                if self._away:
                    self._say("The database is back.")
                self._away = False
                return True

    def _is_ended_within(self, seconds: float) -> bool:
        """Wait; whether the hub shall stop, and leave what is not committed to the broker.

        What arrives is held, as long as the connection that brought it.
        """
        until = monotonic_ns() + seconds * 1e9
        while (left := until - monotonic_ns()) > 0:
            try:
                one = self._inbox.get(timeout=left / 1e9)
            except Empty:
                break
            if isinstance(one, TransportEnded):
                self._ended = True
                return True
            if isinstance(one, TransportConnected):
                self._pushed_back.clear()
            self._pushed_back.append(one)
        return False

    def _take(self, batch: Sequence[MessageArrived]) -> None:
        try:
            asks = self._commit(batch)
        except (OperationalError, InterfaceError):
            raise
        except Exception:
            self._presence.reset()
            if len(batch) == 1:
                log.exception("A message of %s cannot be taken in", batch[0].topic)
                self._set_aside(batch[0])
                return
            log.exception("A batch of %d failed; one by one now", len(batch))
            for one in batch:
                self._take([one])
            return
        for table, ask in asks:
            self._transport.publish(make_topic(self._club, table, "ask"), encode_payload(ask), retain=False)

    def _commit(self, batch: Sequence[MessageArrived]) -> list[TableRequest]:
        with self._new.begin() as session:
            ingest = Ingest(session, self._presence, wall_time())
            ingest.take_messages(batch)
            asks = [self._gaps.request_after_result(table, game) for table, game in ingest.late]
            for table, status in ingest.statuses.values():
                if table.problem != QUOTA_KEY:
                    asks.extend(self._gaps.requests_after_status(session, self._presence, table, status))
            for table, game, first in ingest.pieces:
                asks.extend(self._gaps.requests_after_piece(session, table, game, first))
            if ingest.visible:
                mark_changed(session)
            return asks

    def _set_aside(self, one: MessageArrived) -> None:
        with self._new.begin() as session:
            Ingest(session, self._presence, wall_time()).set_aside(
                one.topic, one.payload, "the hub failed on it; see its log"
            )

    def _retry_set_aside(self) -> None:
        """Take in what an older version could not read."""
        with self._new.begin() as session:
            rows = list(session.scalars(select(UnreadMessage).order_by(UnreadMessage.id)))
            ingest = Ingest(session, self._presence, wall_time())
            for row in rows:
                session.delete(row)
            session.flush()
            ingest.take_messages([MessageArrived(row.topic, row.payload, retained=True) for row in rows])
            if ingest.visible:
                mark_changed(session)

    def _publish_changes(self) -> None:
        """Publish what the desk changed."""
        self._looked = monotonic_ns()
        self._lock.hold(verify=True)
        with Session(self._reading) as session:
            club = session.get_one(ClubRecord, 1)
            if club.epoch != self._epoch:
                if self._epoch:
                    self._say("The database came from a backup: asking every table for what it lacks.")
                    self._presence.reset()
                    self._begin_again()
                    self._transport.refresh()
                self._epoch = club.epoch
            if club.pulse == self._pulse:
                return
            wanted = tasks_by_table(session)
            pulse = club.pulse
        for table, payload in wanted.items():
            if self._published.get(table) == payload:
                continue
            to, expiry = make_topic(self._club, table, "task"), TASK_LIFETIME_S if payload else 0
            if not self._transport.publish(to, payload, retain=True, expiry_s=expiry):
                return
            self._published[table] = payload
        self._pulse = pulse


def _first_line(error: DBAPIError) -> str:
    return str(error.orig).strip().partition("\n")[0]
