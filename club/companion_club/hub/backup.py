"""Backup of a club's database as compressed JSON lines, for SQLite and PostgreSQL alike.

The first line says what it is, the last one how many rows there are, with their SHA-256, so that half a file
is known as such. Logins that are open are left out. Restoring puts what was there into a file first.
"""

import base64
import gzip
import hashlib
import os
import secrets
import zlib
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Connection,
    Engine,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    create_engine,
    func,
    insert,
    inspect,
    select,
    text,
)
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, NoResultFound
from sqlalchemy.orm import Session

from companion.core.clock import wall_time
from companion.core.errors import CompanionError, InputError
from companion.system.file_owner import private_file
from companion_club.hub.database import NEWEST_REVISION, revision_of, unreachable_error, upgrade
from companion_club.hub.forgetting import forget_marked, forget_seat

FORMAT = 1
EXCLUDED_TABLES = frozenset({"sessions", "login_failures", "login_devices", "alembic_version"})
BATCH_SIZE = 500
MAX_UNPACKED_BYTES = 8_000_000_000
"""Bytes of a whole file, unpacked: some four times a club of a million games."""
MAX_RATIO, RATIO_FREE_BYTES = 20, 16_000_000
"""So many times as large as the file its lines may be, once they are more than these bytes: a club's are
some ten times as large at most, and a second goes by for each twenty million bytes.
"""
MAX_LINE_BYTES = 8_000_000
"""Bytes of one row: the largest is a piece of a journal."""
MAX_INTEGER = 2**31
"""What PostgreSQL's INTEGER holds."""
MAX_KEY_LENGTH = 4 * blake2b.MAX_KEY_SIZE // 3 + 4
"""Of the key that forgotten names are kept by, in base64."""
MAX_DEPTH = 12
"""Of a row's JSON; ours nest half as deep."""
DAMAGE_ERRORS = (
    *(OSError, EOFError, zlib.error, msgspec.MsgspecError, LookupError, ValueError, TypeError),
    *(RecursionError, OverflowError, IntegrityError, DataError, NoResultFound),
)
"""What a file brings about that was damaged, or made by somebody to do harm."""


class BackupHeader(msgspec.Struct, frozen=True):
    """The first line."""

    companion_club: int
    revision: str
    """Of the tables."""
    at: str


class BackupSummary(NamedTuple):
    """What was written or read."""

    rows: int
    at: str
    """When the backup was made."""
    before: Path | None = None
    """Where that is which was in the database before."""


def back_up(engine: Engine, file: Path) -> BackupSummary:
    """Write a backup as of one moment, while hub and desk go on; `file` is whole or not there.

    Raises `CompanionError` where the database has no club, `InputError` where there is such a file already.
    """
    if file.exists():
        raise InputError(f"There is a file {file} already: name another one, or move it away.")
    partial = file.with_name(file.name + ".part")
    try:
        with private_file(partial):
            partial.touch()
        with partial.open("wb") as raw, engine.connect() as plain:
            connection = plain.execution_options(**_snapshot_options(engine))
            with connection.begin():
                head = BackupHeader(FORMAT, revision_of(connection) or "", wall_time())
                if not head.revision:
                    raise CompanionError("There is nothing to back up: the database has no club yet.")
                with gzip.GzipFile(fileobj=raw, mode="wb", mtime=0) as packed:
                    rows = _write(connection, head, packed)
            raw.flush()
            os.fsync(raw.fileno())
        partial.replace(file)
    except DBAPIError as error:
        raise unreachable_error(engine, error) from error
    except OSError as error:
        raise CompanionError(f"Can't write {file} ({error.strerror}).") from error
    finally:
        partial.unlink(missing_ok=True)
    return BackupSummary(rows, head.at)


def _snapshot_options(engine: Engine) -> dict[str, Any]:
    return {"isolation_level": "REPEATABLE READ"} if engine.name == "postgresql" else {"reads": True}


def _write(connection: Connection, head: BackupHeader, out: gzip.GzipFile) -> int:
    """Write every row; returns how many."""
    rows, digest = 0, hashlib.sha256()

    def put(value: Any) -> None:
        line = msgspec.json.encode(value) + b"\n"
        digest.update(line)
        out.write(line)

    put(head)
    for table in _tables(connection):
        for row in connection.execute(select(table).order_by(*table.primary_key.columns)).mappings():
            put([str(table.name), {str(column): value for column, value in row.items()}])
            rows += 1
    out.write(msgspec.json.encode({"rows": rows, "sha256": digest.hexdigest()}) + b"\n")
    return rows


def _tables(connection: Connection) -> list[Table]:
    """The tables that a backup has, as they are in the database, in an order in which they can be filled."""
    found = MetaData()
    found.reflect(connection)
    return [table for table in found.sorted_tables if table.name not in EXCLUDED_TABLES]


def restore(engine: Engine, file: Path) -> BackupSummary:
    """Replace what is in the database by a backup, of either engine and of this version or an older one.

    Names that were forgotten since are forgotten in it, too. Raises `InputError` for a file that is no whole
    backup, `CompanionError` for a database that does not answer.
    """
    head = _check_backup(file)
    before = None
    try:
        with engine.connect() as connection:
            stored = revision_of(connection)
            connection.rollback()
        if stored is not None:
            before = _safety_copy_path(file)
            back_up(engine, before)
        with engine.execution_options(alone=True).begin() as connection:
            kept = _read_survivors(connection) if stored is not None else None
            _drop(connection)
            upgrade(connection, head.revision)
            rows = _fill(connection, file)
            upgrade(connection, NEWEST_REVISION)
            _restore_survivors(connection, kept)
    except BaseException as error:
        if before is not None:  # nothing was changed, so it is not needed
            before.unlink(missing_ok=True)
        if isinstance(error, DAMAGE_ERRORS):
            raise _damaged(file) from error
        if isinstance(error, DBAPIError):
            raise unreachable_error(engine, error) from error
        raise
    return BackupSummary(rows, head.at, before)


def _safety_copy_path(file: Path) -> Path:
    """A new file for what was there before."""
    stamp = wall_time()[:19].replace(":", "")
    return file.with_name(f"before-restore-{stamp}-{secrets.token_hex(2)}.club")


def _damaged(file: Path) -> InputError:
    return InputError(f"{file} is no whole backup of a club; nothing was changed.")


def _check_backup(file: Path) -> BackupHeader:
    """The first line of a backup that is whole; raises `InputError` for any other file."""
    try:
        digest = hashlib.sha256()
        lines = _lines(file)
        first = next(lines)
        head = msgspec.json.decode(first, type=BackupHeader)
        if head.companion_club > FORMAT:
            raise CompanionError(f"{file} was made by a newer version: update the program first.")
        tables = _tables_of(head.revision)
        digest.update(first)
        clubs = rows = 0
        last = next(lines)
        for line in lines:
            clubs += _check_row(tables, last) == "club"
            digest.update(last)
            rows += 1
            last = line
        end = msgspec.json.decode(last)
        if clubs != 1 or end != {"rows": rows, "sha256": digest.hexdigest()}:
            raise ValueError("its end is not what its rows say")
    except FileNotFoundError:
        raise InputError(f"There is no file {file}.") from None
    except (*DAMAGE_ERRORS, StopIteration) as error:
        raise _damaged(file) from error
    return head


def _lines(file: Path) -> Iterator[bytes]:
    """The lines of a file, which may be anybody's; `ValueError` where it is larger than a club's."""
    most = min(MAX_UNPACKED_BYTES, max(RATIO_FREE_BYTES, MAX_RATIO * file.stat().st_size))
    with gzip.open(file, "rb") as packed:
        while line := packed.readline(MAX_LINE_BYTES + 1):
            if len(line) > MAX_LINE_BYTES or packed.tell() > most:
                raise ValueError("it unpacks to more than a club has")
            yield line


def _tables_of(revision: str) -> dict[str, Table]:
    """The tables of a revision that this version knows; raises `CompanionError` for any other one."""
    scratch = create_engine("sqlite://")
    try:
        with scratch.begin() as connection:
            upgrade(connection, revision)
            return {table.name: table for table in _tables(connection)}
    finally:
        scratch.dispose()


def _check_row(tables: Mapping[str, Table], line: bytes) -> str:
    """The table of a row that could be in it; `ValueError` or `LookupError` for any other line."""
    name, row = msgspec.json.decode(line, type=tuple[str, dict[str, Any]])
    table = tables[name]
    if row.keys() != set(table.columns.keys()):
        raise ValueError(f"a row of {name} has other columns")
    for column in table.columns:
        if not _fits(column, row[column.name]):
            raise ValueError(f"{name}.{column.name} can't be that")
    return name


def _fits(column: Column[Any], value: Any) -> bool:
    """Whether a column could have this value."""
    kind = column.type
    if value is None or isinstance(kind, JSON):
        return (bool(column.nullable) or isinstance(kind, JSON)) and not _is_deep(value, MAX_DEPTH)
    if isinstance(kind, String):
        return isinstance(value, str) and "\0" not in value and len(value) <= (kind.length or MAX_LINE_BYTES)
    if isinstance(kind, Boolean):
        return isinstance(value, bool)
    if isinstance(kind, Integer):
        return isinstance(value, int) and not isinstance(value, bool) and abs(value) < MAX_INTEGER
    short = column.name != "pepper" or (isinstance(value, str) and len(value) <= MAX_KEY_LENGTH)
    return isinstance(value, str) and isinstance(kind, LargeBinary) and short


def _is_deep(value: Any, left: int) -> bool:
    """Whether a value nests deeper than that."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return not left or any(_is_deep(one, left - 1) for one in inner)


def _rows(file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    lines = _lines(file)
    next(lines)
    for line in lines:
        found = msgspec.json.decode(line)
        if isinstance(found, dict):
            return
        yield found[0], found[1]


def _drop(connection: Connection) -> None:
    old = MetaData()
    old.reflect(connection)
    old.drop_all(connection)


def _fill(connection: Connection, file: Path) -> int:
    tables = {table.name: table for table in _tables(connection)}
    count = 0
    waiting: list[dict[str, Any]] = []
    current = None

    def flush() -> None:
        if current is not None and waiting:
            connection.execute(insert(current), waiting)
            waiting.clear()

    for name, row in _rows(file):
        table = tables[name]
        if table is not current or len(waiting) == BATCH_SIZE:
            flush()
            current = table
        waiting.append({key: _read(table, key, value) for key, value in row.items()})
        count += 1
    flush()
    if connection.dialect.name == "postgresql":
        for table in tables.values():
            _advance_sequence(connection, table)
    return count


def _read(table: Table, key: str, value: Any) -> Any:
    """A value as the database has it: bytes are base64 in JSON."""
    if isinstance(value, str) and isinstance(table.columns[key].type, LargeBinary):
        return base64.b64decode(value, validate=True)
    return value


def _advance_sequence(connection: Connection, table: Table) -> None:
    """Have PostgreSQL's counter go on behind the numbers that are taken."""
    for column in table.primary_key.columns:
        named = {"table": table.name, "column": column.name}
        counter = connection.execute(text("SELECT pg_get_serial_sequence(:table, :column)"), named).scalar()
        highest = connection.execute(select(func.max(column))).scalar()
        if counter and highest is not None:
            connection.execute(text("SELECT setval(:name, :value)"), {"name": counter, "value": highest})


class _Survivors(NamedTuple):
    """What outlives a restore: forgotten names, their key, and the number of the last change."""

    pepper: bytes
    marks: list[dict[str, Any]]
    seats: list[tuple[str, int]]
    """Games and chairs that tables had forgotten."""
    pulse: int


def _read_survivors(connection: Connection) -> _Survivors | None:
    if not inspect(connection).has_table("club"):
        return None
    club = connection.execute(text("SELECT pepper, pulse FROM club")).first()
    marks = connection.execute(text("SELECT mark, at FROM forgotten")).mappings()
    seats = connection.execute(text("SELECT game_id, chair FROM game_seats WHERE forgotten"))
    if club is None:
        return None
    return _Survivors(
        club.pepper, [dict(row) for row in marks], [(row[0], row[1]) for row in seats], club.pulse
    )


def _restore_survivors(connection: Connection, kept: _Survivors | None) -> None:
    """Make it a new epoch, so that a hub that runs asks for what it lacks."""
    connection.execute(text("UPDATE club SET epoch = :new"), {"new": secrets.token_hex(16)})
    if kept is None:
        return
    ours = connection.execute(text("SELECT pepper, pulse FROM club")).one()
    pulse = max(ours.pulse, kept.pulse) + 1
    connection.execute(text("UPDATE club SET pulse = :new"), {"new": pulse})
    if ours.pepper == kept.pepper:  # else it is another club's, and its marks mean nothing here
        here = set(connection.execute(text("SELECT mark FROM forgotten")).scalars())
        if since := [row for row in kept.marks if row["mark"] not in here]:
            connection.execute(text("INSERT INTO forgotten (mark, at) VALUES (:mark, :at)"), since)
    with Session(connection) as session:
        for game, chair in kept.seats:
            forget_seat(session, game, chair)
        forget_marked(session)
        session.flush()
