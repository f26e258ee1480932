"""Opening and migration of a club's database, SQLite or PostgreSQL."""

import os
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from unicodedata import normalize

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, Engine, create_engine, event, func, select, text, update
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.orm import Session, sessionmaker

from companion.core.errors import CompanionError, InputError
from companion_club.hub.model import ClubRecord

Database = Engine
"""A club's database, as those call it who only pass it on."""
MIGRATIONS = Path(__file__).parent / "migrations"
MIGRATION_LOCK = 0x7AB1E
"""The number of PostgreSQL's lock round a change of the tables."""
TABLES_LOCK = 0x7AB20
"""The number of PostgreSQL's lock that all transactions share, but for one which replaces the tables."""
NEWEST_REVISION = "head"
"""The newest revision of the tables."""
BUSY_TIMEOUT_MS = 10_000
"""How long one process waits for another that writes the same SQLite file."""
MAX_PARALLEL_OPENS = 20
"""Connections that may turn on the write-ahead log of one new file at the same time."""


def parse_database_url(text: str) -> URL:
    """A database as it may be written: a file's path, `sqlite:///…`, or `postgresql://…`.

    Raises `InputError` for an address of any other kind.
    """
    if "://" not in text:
        return URL.create("sqlite", database=str(Path(text).expanduser()))
    try:
        url = make_url(text)
        url.get_dialect()
    except (ArgumentError, NoSuchModuleError, ModuleNotFoundError, ValueError):
        url = None
    if url is None or url.get_backend_name() not in {"sqlite", "postgresql"}:
        scheme = text.partition("://")[0]
        raise InputError(
            f"{scheme}://… is no database for a club: give a file for SQLite, or postgresql://USER@HOST/NAME"
        )
    return url.set(drivername="postgresql+psycopg") if url.get_backend_name() == "postgresql" else url


def make_engine(text: str) -> Engine:
    """The engine of a database; connects to nothing yet."""
    url = parse_database_url(text)
    if url.get_backend_name() == "postgresql":
        # A server set up without a language keeps bytes, and would give bytes.
        engine = create_engine(url, pool_pre_ping=True, connect_args={"client_encoding": "utf8"})
        event.listen(engine, "begin", _share_tables)
        return engine
    if url.database and url.database != ":memory:":
        Path(url.database).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(url, connect_args={"timeout": BUSY_TIMEOUT_MS / 1000})
    if url.database and url.database != ":memory:":
        event.listen(engine, "do_connect", _create_private_file)
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def _create_private_file(_dialect: object, _record: object, arguments: list[str], _options: object) -> None:
    """A new SQLite file is its owner's alone, as a backup is; SQLite makes those beside it alike."""
    with suppress(OSError):  # the connection says why it can't be made
        os.close(os.open(arguments[0], os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def _prepare(connection: object, _record: object) -> None:
    """SQLite as a server's database is: constraints hold, a commit is on the disk, readers do not wait."""
    connection.isolation_level = None  # type: ignore[attr-defined]  # BEGIN is ours, see `_begin`
    cursor = connection.cursor()  # type: ignore[attr-defined]
    cursor.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
    _write_ahead(cursor)
    for setting in (
        "foreign_keys = ON",
        "synchronous = FULL",
        "secure_delete = ON",
        "trusted_schema = OFF",
    ):
        cursor.execute(f"PRAGMA {setting}")
    cursor.close()


def _write_ahead(cursor: sqlite3.Cursor) -> None:
    """Turn the write-ahead log on; the file keeps it.

    SQLite does not wait for another process that does the same, so that is waited for by a lock: once at most
    for each process that starts on an empty file.
    """
    for _ in range(MAX_PARALLEL_OPENS):
        with suppress(sqlite3.OperationalError):
            cursor.execute("PRAGMA journal_mode = WAL")
            return
        cursor.execute("BEGIN IMMEDIATE")
        cursor.execute("ROLLBACK")
    cursor.execute("PRAGMA journal_mode = WAL")


def _share_tables(connection: Connection) -> None:
    """Whoever replaces the tables waits here for all the others, and they for that one.

    Else it drops one table after the other, somebody reads them in another order, and both wait for ever.
    """
    options = connection.get_execution_options()
    if options.get("isolation_level") != "AUTOCOMMIT":  # has nothing while it waits for something
        how = "" if options.get("alone") else "_shared"
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock{how}({TABLES_LOCK})")


def _begin(connection: Connection) -> None:
    """Writers queue at the beginning: one that had only read could not write after another did."""
    reads = connection.get_execution_options().get("reads")
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")


def writing_sessions(engine: Engine) -> sessionmaker[Session]:
    """Sessions that write; for reading only, `Session(engine.execution_options(reads=True))`."""
    return sessionmaker(engine, expire_on_commit=False)


def migrate(engine: Engine, club: str = "club") -> None:
    """Create the tables, or bring those of an older version up to date; refuses those of a newer one."""
    with explain_database_errors(engine):
        bring_up_to_date(engine, club)


def bring_up_to_date(engine: Engine, club: str) -> None:
    """The same; `DBAPIError` where the database does not answer."""
    with engine.begin() as connection:
        if engine.name == "postgresql":  # hub and desk may start together on an empty database
            connection.execute(select(func.pg_advisory_xact_lock(MIGRATION_LOCK)))
        upgrade(connection, NEWEST_REVISION)
        with Session(connection) as session:
            if session.get(ClubRecord, 1) is None:
                secret = {"epoch": secrets.token_hex(16), "pepper": secrets.token_bytes(32)}
                session.add(ClubRecord(id=1, slug=club, **secret))
            session.flush()


def revision_of(connection: Connection) -> str | None:
    """Of which revision the tables are; None: there are none."""
    return MigrationContext.configure(connection).get_current_revision()


def upgrade(connection: Connection, revision: str) -> None:
    """Bring the tables to a revision that is not older than they are; `NEWEST_REVISION` is the newest.

    Raises `CompanionError` if the tables are of a newer version than this program.
    """
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    known = ScriptDirectory.from_config(config)
    for wanted in (revision_of(connection), revision):
        try:
            if wanted is not None:
                known.get_revision(wanted)
        except CommandError as error:
            raise CompanionError(
                f"This database is of a newer version (its tables are {wanted}): update the program first."
            ) from error
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


def unreachable_error(engine: Engine, error: DBAPIError) -> CompanionError:
    """What to say of a database that does not answer; its password is not named."""
    shown = engine.url.render_as_string(hide_password=True)
    return CompanionError(f"The database {shown} can't be used: {str(error.orig).strip()}")


@contextmanager
def explain_database_errors(engine: Engine) -> Iterator[None]:
    """Raise `CompanionError`, in one sentence, for a database that does not answer or cannot be written."""
    try:
        yield
    except DBAPIError as error:
        raise unreachable_error(engine, error) from error


def mark_changed(session: Session) -> None:
    """Say within the transaction that something visible changed; see `pulse`."""
    session.execute(update(ClubRecord).where(ClubRecord.id == 1).values(pulse=ClubRecord.pulse + 1))


def change_number(session: Session) -> int:
    """A number that is another one after each change by any process: one row, cheap to ask for often."""
    return session.scalar(select(ClubRecord.pulse).where(ClubRecord.id == 1)) or 0


def purge_deleted(engine: Engine) -> None:
    """Leave nothing on the disk of what was deleted, as far as the engine lets us.

    `CompanionError` where the disk has no room for it.
    """
    if engine.name == "postgresql":
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text("VACUUM (FULL)"))
        return
    plain = engine.raw_connection()  # a transaction begins with every connection of the engine's
    try:
        cursor = plain.cursor()
        cursor.execute("VACUUM")
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        cursor.close()
    except sqlite3.Error as error:
        raise CompanionError(
            f"It is in no row any more, but its bytes may still be in {engine.url.database} ({error}): make"
            " room on that disk and give the command once more."
        ) from error
    finally:
        plain.close()


def fold_name(name: str) -> str:
    """A name as it is compared: two that look the same are the same."""
    return " ".join(normalize("NFKC", normalize("NFKC", name).casefold()).split())


def forgotten_name_hash(club: ClubRecord, name: str) -> str:
    """The keyed hash by which a forgotten name is known again."""
    return blake2b(fold_name(name).encode("utf-8", "replace"), key=club.pepper, digest_size=32).hexdigest()
