"""SQLAlchemy model of a club's database. The hub writes what the tables say, the desk what people decide.

Instants are text, UTC in ISO 8601 as in a journal's header, so that both engines sort and keep them alike.
A row that people edit has a `revision`: SQLAlchemy refuses the second of two who edited it at once
(`sqlalchemy.orm.exc.StaleDataError`). What a table said is never edited; a newer version is added to it.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, LargeBinary, MetaData, String, Text, UniqueConstraint, text
from sqlalchemy.orm import DeclarativeBase, Mapped, declared_attr, mapped_column, relationship

Instant = String(32)
Slug = String(64)
Hex = String(64)


class Base(DeclarativeBase):
    """What every row has: constraints with names, so that a migration can change them on both engines."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(column_0_label)s",
            "uq": "uq_%(table_name)s_%(column_0_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


class EditedRecord:
    """A row that two people may edit at once."""

    revision: Mapped[int] = mapped_column(default=1)

    @declared_attr.directive
    @classmethod
    def __mapper_args__(cls) -> dict[str, Any]:
        return {"version_id_col": cls.revision}


# The club and its people --------------------------------------------------------------------------------


class ClubRecord(Base):
    """The one row about the club itself."""

    __tablename__ = "club"

    id: Mapped[int] = mapped_column(primary_key=True)
    slug: Mapped[str] = mapped_column(Slug)
    pulse: Mapped[int] = mapped_column(default=0)
    """Raised in the transaction of every change (`database.mark_changed`), so that a screen knows when to
    read.
    """
    epoch: Mapped[str] = mapped_column(Hex)
    """Another one after a backup was restored: what a running hub remembers is of another past then."""
    pepper: Mapped[bytes] = mapped_column(LargeBinary)
    """Key of the marks in `ForgottenName`."""


class PlayerRecord(EditedRecord, Base):
    """Someone who plays. Only the nickname is kept, unless the player agreed to more."""

    __tablename__ = "players"

    id: Mapped[int] = mapped_column(primary_key=True)
    nickname: Mapped[str | None] = mapped_column(String(40))
    """None: forgotten; the row stays because others played against it."""
    folded: Mapped[str | None] = mapped_column(String(160), unique=True)
    """`database.folded(nickname)`: two that differ in case or accents' form are one."""
    full_name: Mapped[str] = mapped_column(String(80), default="")
    """Only with consent, else empty."""
    consent: Mapped[bool] = mapped_column(default=False)
    """Agreed that the full name is kept and shown."""
    consented: Mapped[str] = mapped_column(Instant, default="")
    """When the player agreed, or took it back."""
    made: Mapped[str] = mapped_column(Instant)


class User(EditedRecord, Base):
    """Who may log in at the desk."""

    __tablename__ = "users"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(40))
    folded: Mapped[str] = mapped_column(String(160), unique=True)
    role: Mapped[str] = mapped_column(String(16))
    """`desk`, `judge` or `screen`."""
    password: Mapped[str] = mapped_column(String(200))
    """argon2id's own text, with its parameters and salt."""
    disabled: Mapped[bool] = mapped_column(default=False)
    made: Mapped[str] = mapped_column(Instant)


class LoginSession(Base):
    """One login; the browser has the token, the database only its hash."""

    __tablename__ = "sessions"

    token_hash: Mapped[str] = mapped_column(Hex, primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    csrf: Mapped[str] = mapped_column(String(64))
    made: Mapped[str] = mapped_column(Instant)
    seen: Mapped[str] = mapped_column(Instant)
    expires: Mapped[str] = mapped_column(Instant)
    user: Mapped[User] = relationship()


class LoginFailures(Base):
    """Wrong passwords of a login from one place since the last right one."""

    __tablename__ = "login_failures"

    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True)
    source: Mapped[str] = mapped_column(String(64), primary_key=True)
    """The address, or the hash of a known device's token."""
    count: Mapped[int] = mapped_column(default=0)
    locked_until: Mapped[str] = mapped_column(Instant, default="")


class LoginDevice(Base):
    """A browser that has logged in as this user before; it has the token, the database only its hash."""

    __tablename__ = "login_devices"

    token_hash: Mapped[str] = mapped_column(Hex, primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    seen: Mapped[str] = mapped_column(Instant)


class Audit(Base):
    """What someone did at the desk. Rows are added, never changed, but for a name that is forgotten."""

    __tablename__ = "audit"

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[str] = mapped_column(Instant)
    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    who: Mapped[str] = mapped_column(String(40))
    verb: Mapped[str] = mapped_column(String(40))
    """Such as `round.announced`; a key of the catalogues has the sentence."""
    subject: Mapped[str] = mapped_column(String(80), index=True)
    """The row that was changed, by kind and number: `pod:12`."""
    before: Mapped[Any] = mapped_column(JSON(none_as_null=True), nullable=True)
    after: Mapped[Any] = mapped_column(JSON(none_as_null=True), nullable=True)


class ForgottenName(Base):
    """A keyed hash of a nickname that was forgotten, so that no late message and no backup brings it back."""

    __tablename__ = "forgotten"

    mark: Mapped[str] = mapped_column(Hex, primary_key=True)
    at: Mapped[str] = mapped_column(Instant)


# What the tables say ------------------------------------------------------------------------------------


class TableRecord(Base):
    """A table that has spoken, by its slug in the topics."""

    __tablename__ = "tables"

    id: Mapped[int] = mapped_column(primary_key=True)
    slug: Mapped[str] = mapped_column(Slug, unique=True)
    name: Mapped[str] = mapped_column(String(80), default="")
    store: Mapped[str] = mapped_column(Hex, default="")
    """The id of the store that spoke last."""
    online: Mapped[bool] = mapped_column(default=False)
    run: Mapped[str] = mapped_column(String(64), default="")
    """Of its last status; another run is another start of the table's program."""
    software: Mapped[str] = mapped_column(String(64), default="")
    game: Mapped[str] = mapped_column(String(64), default="")
    """What is being played there now; empty: nothing."""
    seen: Mapped[str] = mapped_column(Instant)
    """When the hub last heard of it, by the hub's clock."""
    problem: Mapped[str] = mapped_column(String(40), default="")
    """Key of the catalogues for what is wrong with it, such as `ui.club.clock`; empty: nothing."""


class StoreRecord(Base):
    """Which table a store is, so that nobody else reports its games."""

    __tablename__ = "stores"

    id: Mapped[str] = mapped_column(Hex, primary_key=True)
    table_id: Mapped[int] = mapped_column(ForeignKey("tables.id"))
    proof_hash: Mapped[str] = mapped_column(Hex, default="")
    """SHA-256 of the last proof of that table, which is no help to whoever reads a backup; empty: it has sent
    none yet."""


class GameRecord(Base):
    """One game of a table, as its newest version says."""

    __tablename__ = "games"

    id: Mapped[str] = mapped_column(Hex, primary_key=True)
    """Derived by the table from its store's random id, so no two games of a club share it."""
    table_id: Mapped[int] = mapped_column(ForeignKey("tables.id"), index=True)
    store: Mapped[str] = mapped_column(Hex, index=True)
    game: Mapped[str] = mapped_column(String(64))
    began: Mapped[str] = mapped_column(Instant, default="")
    ended: Mapped[str] = mapped_column(Instant, default="")
    """By the table's clock, which may be wrong; nothing is ordered by it alone."""
    entries: Mapped[int] = mapped_column(default=0)
    outcome: Mapped[Any] = mapped_column(JSON(none_as_null=True), nullable=True)
    """`termination` and `winners` (chairs from 0), or None: it goes on, or its end was taken back."""
    digest: Mapped[str] = mapped_column(Hex, default="")
    lines: Mapped[int] = mapped_column(default=0)
    """How many lines of its journal are here without a gap; whole: `entries` + 1."""
    task: Mapped[str] = mapped_column(Hex, default="", index=True)
    """Of the pod that was to play it; empty: played freely."""
    received: Mapped[str] = mapped_column(Instant)
    """When the hub first heard of it."""
    checked: Mapped[str] = mapped_column(Hex, default="")
    """The digest that `companion hub verify` last looked at."""
    verdict: Mapped[str] = mapped_column(String(40), default="")
    """What it found: `proved`, or the key of what is wrong."""
    table: Mapped[TableRecord] = relationship()
    seats: Mapped[list[GameSeat]] = relationship(order_by="GameSeat.chair", cascade="all, delete-orphan")
    versions: Mapped[list[ResultVersion]] = relationship(
        order_by="ResultVersion.id", cascade="all, delete-orphan"
    )


class ResultVersion(Base):
    """One version of a game's result, in the order in which they came.

    The one that counts is in `GameRecord`.
    """

    __tablename__ = "result_versions"
    __table_args__ = (UniqueConstraint("game_id", "entries", "finished", "digest"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    game_id: Mapped[str] = mapped_column(ForeignKey("games.id", ondelete="CASCADE"))
    entries: Mapped[int]
    finished: Mapped[bool]
    """Whether there is an outcome; False takes an earlier one back."""
    outcome: Mapped[Any] = mapped_column(JSON(none_as_null=True), nullable=True)
    digest: Mapped[str] = mapped_column(Hex)
    table_id: Mapped[int] = mapped_column(ForeignKey("tables.id"))
    """Who sent it: a store that moved is heard from another table."""
    received: Mapped[str] = mapped_column(Instant)


class GameSeat(Base):
    """Who sat at a chair of a game, as far as that may be known."""

    __tablename__ = "game_seats"

    game_id: Mapped[str] = mapped_column(ForeignKey("games.id", ondelete="CASCADE"), primary_key=True)
    chair: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    colour: Mapped[str] = mapped_column(String(16), default="")
    nickname: Mapped[str | None] = mapped_column(String(40))
    forgotten: Mapped[bool] = mapped_column(default=False)
    """The nickname was taken away and does not come back with a message that is older."""
    player_id: Mapped[int | None] = mapped_column(ForeignKey("players.id"), index=True)
    player: Mapped[PlayerRecord | None] = relationship()


class JournalPiece(Base):
    """Some lines of a finished game's journal, compressed; the pieces of a game make it whole."""

    __tablename__ = "journal_pieces"

    game_id: Mapped[str] = mapped_column(Hex, primary_key=True)
    """Not a foreign key: a piece may arrive before the result."""
    digest: Mapped[str] = mapped_column(Hex, primary_key=True)
    """Of the whole journal: another version's lines are pieces of another."""
    first: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    """Number of the first line; line 0 is the header."""
    count: Mapped[int]
    total: Mapped[int]
    """How many lines the journal had when the piece was sent."""
    lines: Mapped[bytes] = mapped_column(LargeBinary)
    received: Mapped[str] = mapped_column(Instant)


class CallRecord(Base):
    """A table wants a judge."""

    __tablename__ = "calls"
    __table_args__ = (
        UniqueConstraint("table_id", "call"),
        Index(
            "ix_calls_waiting",
            "table_id",
            postgresql_where=text("answered = '' AND NOT taken_back"),
            sqlite_where=text("answered = '' AND taken_back = 0"),
        ),
        Index("ix_calls_answered", "answered"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    table_id: Mapped[int] = mapped_column(ForeignKey("tables.id"))
    call: Mapped[str] = mapped_column(String(64))
    """The table's id of it; sent again, it is the same call."""
    at: Mapped[str] = mapped_column(Instant, default="")
    """By the table's clock."""
    received: Mapped[str] = mapped_column(Instant)
    taken_back: Mapped[bool] = mapped_column(default=False)
    answered: Mapped[str] = mapped_column(Instant, default="")
    answered_by: Mapped[int | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    table: Mapped[TableRecord] = relationship()


class UnreadMessage(Base):
    """A message that this version cannot read. It is kept, and tried again by a newer one."""

    __tablename__ = "set_aside"

    id: Mapped[int] = mapped_column(primary_key=True)
    topic: Mapped[str] = mapped_column(String(200))
    payload: Mapped[bytes] = mapped_column(LargeBinary)
    digest: Mapped[str] = mapped_column(Hex, unique=True)
    """Of topic and payload: the same message again is not kept twice."""
    why: Mapped[str] = mapped_column(Text)
    received: Mapped[str] = mapped_column(Instant)


# Events of the desk -------------------------------------------------------------------------------------


class EventRecord(EditedRecord, Base):
    """An evening or a tournament."""

    __tablename__ = "events"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(80))
    game: Mapped[str] = mapped_column(String(64), default="")
    """Empty: any game."""
    state: Mapped[str] = mapped_column(String(16), default="open")
    """`open` for entries, `running` or `over`."""
    seed: Mapped[str] = mapped_column(String(64))
    """Announced before the first round; every pairing follows from it."""
    rules: Mapped[Any] = mapped_column(JSON, default=dict)
    """Scoring, tie-breaks in order, sizes of pods: as `companion_club.desk` defines them."""
    made: Mapped[str] = mapped_column(Instant)
    ended: Mapped[str] = mapped_column(Instant, default="")
    entrants: Mapped[list[EntrantRecord]] = relationship(
        order_by="EntrantRecord.id", cascade="all, delete-orphan"
    )
    rounds: Mapped[list[RoundRecord]] = relationship(
        order_by="RoundRecord.number", cascade="all, delete-orphan"
    )


class EntrantRecord(EditedRecord, Base):
    """A player's entry into an event."""

    __tablename__ = "entrants"
    __table_args__ = (UniqueConstraint("event_id", "player_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    event_id: Mapped[int] = mapped_column(ForeignKey("events.id", ondelete="CASCADE"))
    player_id: Mapped[int] = mapped_column(ForeignKey("players.id"), index=True)
    from_round: Mapped[int] = mapped_column(default=1)
    """The first round the player is paired in: later than 1 for a late entry."""
    until_round: Mapped[int | None]
    """The last one, for a player who dropped out."""
    player: Mapped[PlayerRecord] = relationship()


class RoundRecord(EditedRecord, Base):
    """One round of an event."""

    __tablename__ = "rounds"
    __table_args__ = (
        UniqueConstraint("event_id", "number"),
        Index(
            "ix_rounds_announced",
            "announced",
            postgresql_where=text("state = 'announced'"),
            sqlite_where=text("state = 'announced'"),
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    event_id: Mapped[int] = mapped_column(ForeignKey("events.id", ondelete="CASCADE"))
    number: Mapped[int]
    state: Mapped[str] = mapped_column(String(16), default="draft")
    """`draft`, `announced` or `over`."""
    seed: Mapped[str] = mapped_column(String(64), default="")
    made: Mapped[str] = mapped_column(Instant)
    announced: Mapped[str] = mapped_column(Instant, default="")
    pods: Mapped[list[PodRecord]] = relationship(order_by="PodRecord.number", cascade="all, delete-orphan")


class PodRecord(EditedRecord, Base):
    """The players of one table in one round, or those who have a bye."""

    __tablename__ = "pods"
    __table_args__ = (UniqueConstraint("round_id", "number"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    round_id: Mapped[int] = mapped_column(ForeignKey("rounds.id", ondelete="CASCADE"))
    number: Mapped[int]
    bye: Mapped[bool] = mapped_column(default=False)
    table_id: Mapped[int | None] = mapped_column(ForeignKey("tables.id"))
    game: Mapped[str] = mapped_column(String(64), default="")
    task: Mapped[str | None] = mapped_column(Hex, unique=True)
    """Id of the task at the table; a game that names it is this pod's."""
    task_done: Mapped[bool] = mapped_column(default=False)
    seats: Mapped[list[PodSeat]] = relationship(order_by="PodSeat.id", cascade="all, delete-orphan")
    by_hand: Mapped[list[HandResult]] = relationship(
        order_by="HandResult.number", cascade="all, delete-orphan"
    )
    table: Mapped[TableRecord | None] = relationship()


class PodSeat(Base):
    """A player in a pod: in one pod of a round at most."""

    __tablename__ = "pod_seats"
    __table_args__ = (UniqueConstraint("round_id", "player_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    round_id: Mapped[int] = mapped_column(ForeignKey("rounds.id", ondelete="CASCADE"))
    pod_id: Mapped[int] = mapped_column(ForeignKey("pods.id", ondelete="CASCADE"), index=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("players.id"), index=True)
    chair: Mapped[int | None]
    """From 0; None: the player chooses."""
    player: Mapped[PlayerRecord] = relationship()


class HandResult(Base):
    """A pod's result that the desk wrote. Rows are added; the highest number counts, over the table's too."""

    __tablename__ = "hand_results"
    __table_args__ = (UniqueConstraint("pod_id", "number"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    pod_id: Mapped[int] = mapped_column(ForeignKey("pods.id", ondelete="CASCADE"))
    number: Mapped[int]
    """Counts from 1 in its pod; two who write the same number at once: the second is refused."""
    withdrawn: Mapped[bool] = mapped_column(default=False)
    """Takes the earlier ones back, so that the table's result counts again."""
    places: Mapped[Any] = mapped_column(JSON, default=list)
    """`[{"player": id, "place": 1, "points": 3}, …]`; equal places are shared."""
    reason: Mapped[str] = mapped_column(Text, default="")
    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    at: Mapped[str] = mapped_column(Instant)
