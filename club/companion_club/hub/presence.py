"""What the hub knows of each table without asking the database: how it is, and how much of it is here.

Most statuses say what the one before said. Those cost no statement; when a table was last heard is written
once a minute, anything that a screen shows with the batch that brought it.
"""

import hashlib

from msgspec import Struct
from sqlalchemy import func, insert, select, update
from sqlalchemy.orm import Session

from companion.core.clock import monotonic_ns
from companion_club.hub.model import GameRecord, StoreRecord, TableRecord

WRITE_INTERVAL_S = 60
"""How often it is written when a table was last heard."""
MAX_DAILY_BYTES = 50_000_000
"""Bytes of one table that are kept on one day, not packed: a thousand games with their journals."""
MAX_DAILY_PIECES = 10_000
"""Pieces of journals of one table that are kept on one day."""
MAX_SKIPPED = 1000
QUOTA_KEY = "ui.club.too_much"
COLUMNS = ("name", "store", "online", "run", "software", "game", "problem", "seen")


class TableState(Struct):
    """One table; the columns of `TableRecord`."""

    id: int
    slug: str
    name: str = ""
    store: str = ""
    online: bool = False
    run: str = ""
    software: str = ""
    game: str = ""
    problem: str = ""
    seen: str = ""
    changed: bool = False
    """Whether a screen shows anything that is not written yet."""
    written: str = ""
    """`seen`, as the database has it."""

    @property
    def shown(self) -> tuple[str | bool, ...]:
        """What a screen shows of it."""
        return self.name, self.online, self.software, self.game, self.problem


class DailyUse(Struct):
    """What was kept of one table on one day."""

    day: str = ""
    bytes: int = 0
    pieces: int = 0


class Presence:
    """All tables; `reset` after a transaction that failed, for then it may say what is not so."""

    def __init__(self) -> None:
        self._tables: dict[str, TableState] | None = None
        self._stores: dict[str, tuple[int, str]] = {}
        """Whose each store is, and the hash of that table's proof."""
        self._totals: dict[str, tuple[int, int]] = {}
        """Games of each store, and their entries added up."""
        self._use: dict[str, DailyUse] = {}
        self._wrote_at = 0
        self.skipped: set[str] = set()
        """Games of which a piece came before anybody had told of them."""

    def reset(self) -> None:
        """Read everything again; what was kept today still counts."""
        self._tables = None
        self._stores.clear()
        self._totals.clear()

    def table(self, session: Session, slug: str, now: str) -> tuple[TableState, bool]:
        """The table of that name, which spoke just now, and whether it is a new one."""
        tables = self._load(session)
        found = tables.get(slug)
        is_new = found is None
        if found is None:
            values = dict.fromkeys(("name", "store", "run", "software", "game", "problem"), "")
            row = insert(TableRecord).values(slug=slug, seen=now, online=False, **values)
            key = session.execute(row.returning(TableRecord.id)).scalar_one()
            found = tables[slug] = TableState(key, slug, written=now)
        found.seen = now
        return found, is_new

    def others_with_store(self, session: Session, table: TableState) -> list[TableState]:
        """Other tables that are on with the same store."""
        if not table.store:
            return []
        tables = self._load(session).values()
        return [one for one in tables if one.store == table.store and one.online and one.id != table.id]

    def owns_store(self, session: Session, table: TableState, store: str, proof: str) -> bool:
        """Whether a store is that table's: it had it first, or has the proof of whoever did.

        A table whose password has changed has another proof from then on.
        """
        if store not in self._stores:
            row = session.get(StoreRecord, store)
            if row is not None:
                self._stores[store] = row.table_id, row.proof_hash
        owner, kept = self._stores.get(store, (table.id, None))
        proof_hash = hashlib.sha256(proof.encode()).hexdigest() if proof else ""
        if owner != table.id:
            return bool(proof) and proof_hash == kept
        if kept is None or (proof and proof_hash != kept):
            session.merge(StoreRecord(id=store, table_id=owner, proof_hash=proof_hash))
            self._stores[store] = owner, proof_hash
        return True

    def _load(self, session: Session) -> dict[str, TableState]:
        if self._tables is None:
            columns = [getattr(TableRecord, name) for name in ("id", "slug", *COLUMNS)]
            self._tables = {
                row.slug: TableState(**row._asdict(), written=row.seen)
                for row in session.execute(select(*columns))
            }
        return self._tables

    def write(self, session: Session) -> bool:
        """Write what changed; whether a screen shows any of it."""
        if self._tables is None:
            return False
        is_due = monotonic_ns() - self._wrote_at > WRITE_INTERVAL_S * 1e9
        changed = [one for one in self._tables.values() if one.changed]
        rows = [one for one in self._tables.values() if (is_due and one.seen != one.written) or one.changed]
        if rows:
            values = [{"id": one.id, **{name: getattr(one, name) for name in COLUMNS}} for one in rows]
            session.execute(update(TableRecord), values)
        for one in rows:
            one.changed, one.written = False, one.seen
        if is_due:
            self._wrote_at = monotonic_ns()
        return bool(changed)

    # How much of it is here -------------------------------------------------------------------------------

    def totals(self, session: Session, store: str) -> tuple[int, int]:
        """How many games of a store are here, and their entries added up."""
        if store not in self._totals:
            asked = select(func.count(), func.coalesce(func.sum(GameRecord.entries), 0))
            games, entries = session.execute(asked.where(GameRecord.store == store)).one()
            self._totals[store] = games, entries
        return self._totals[store]

    def add_to_totals(self, store: str, games: int, entries: int) -> None:
        """So many more games of a store are here, and so many more entries."""
        if store in self._totals:
            known = self._totals[store]
            self._totals[store] = known[0] + games, known[1] + entries

    def skip_piece(self, game: str) -> None:
        """A piece came of a game that nobody told of: it is asked for once somebody does."""
        if len(self.skipped) >= MAX_SKIPPED:
            self.skipped.clear()
        self.skipped.add(game)

    # Quotas -----------------------------------------------------------------------------------------------

    def may_keep(self, slug: str, today: str, size: int, *, pieces: int = 0) -> bool:
        """Whether so many bytes more of that table are kept today; counts them."""
        use = self._use.setdefault(slug, DailyUse())
        if use.day != today:
            use.day, use.bytes, use.pieces = today, 0, 0
        use.bytes += size
        use.pieces += pieces
        return not self.is_full(slug, today)

    def is_full(self, slug: str, today: str) -> bool:
        """Whether nothing more of that table is kept today."""
        use = self._use.get(slug)
        return (
            use is not None
            and use.day == today
            and (use.bytes > MAX_DAILY_BYTES or use.pieces > MAX_DAILY_PIECES)
        )
