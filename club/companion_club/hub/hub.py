"""Main loop of the hub: takes messages in, commits them, then acknowledges them."""

import logging
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from queue import Empty

from sqlalchemy import Engine, select
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.orm import Session

from companion.core.clock import monotonic_ns, wall_time
from companion_club.hub.database import bring_up_to_date, mark_changed, writing_sessions
from companion_club.hub.gaps import GapTracker, TableRequest
from companion_club.hub.hub_lock import HubLock
from companion_club.hub.ingest import Ingest
from companion_club.hub.model import ClubRecord, UnreadMessage
from companion_club.hub.presence import QUOTA_KEY, Presence
from companion_club.hub.tasks import TASK_LIFETIME_S, tasks_by_table
from companion_club.hub.transport import (
    Inbox,
    MessageArrived,
    Transport,
    TransportConnected,
    TransportEnded,
    do_nothing,
)
from companion_club.messages import encode_payload, make_topic

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
        self._held: deque[MessageArrived | TransportConnected | TransportEnded] = deque()
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
                match one := self._held.popleft() if self._held else self._get(wait=not batch):
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
                self._held.clear()
            self._held.append(one)
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
