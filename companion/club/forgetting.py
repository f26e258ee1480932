"""Forgetting a name: in every row of the database, and for what still comes from tables and backups."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import select
from sqlalchemy.orm import Session

from companion.club.database import changed, folded, mark
from companion.club.model import (
    Audit,
    Club,
    Forgotten,
    Game,
    GameSeat,
    HandResult,
    Player,
    SetAside,
    Table,
    User,
)
from companion.referee.traces import cut, stands_in


class Found(NamedTuple):
    """Where a name was, and is no more."""

    players: int
    seats: int
    notes: int
    """Lines of the desk's log, reasons, and messages that were set aside."""
    tables: tuple[str, ...]
    """Tables at which that nickname played: they have stores of their own."""
    logs_in: bool
    """Somebody logs in under this name; that stays."""

    @property
    def anything(self) -> bool:
        return bool(self.players or self.seats or self.notes)


def forget(session: Session, name: str, now: str) -> Found:
    """Remove a nickname, or a full name, from every row; what comes later does not bring it back.

    What the player won stays, under no name, for others played against it.
    """
    wanted = folded(name)
    players = [
        one for one in session.scalars(select(Player)) if wanted in (one.folded, folded(one.full_name))
    ]
    names = {name, *(text for one in players for text in (one.nickname, one.full_name) if text)}
    tables: set[str] = set()
    seats = 0
    club = session.get_one(Club, 1)
    for each in sorted(names):
        for seat, table in _seats(session, each):
            names.add(seat.nickname or each)
            seat.nickname, seat.forgotten = None, True
            tables.add(table.name or table.slug)
            seats += 1
    for one in players:
        one.nickname = one.folded = None
        one.full_name, one.consent, one.consented = "", False, now
    notes = sum(_blanked(session, each) for each in sorted(names))
    for each in names:
        if session.get(Forgotten, mark(club, each)) is None:
            session.merge(Forgotten(mark=mark(club, each), at=now))
    changed(session)
    user = session.scalar(select(User.id).where(User.folded == wanted))
    return Found(len(players), seats, notes, tuple(sorted(tables)), user is not None)


def _seats(session: Session, name: str) -> Iterator[tuple[GameSeat, Table]]:
    rows = (
        select(GameSeat, Table).join(Game, GameSeat.game_id == Game.id).join(Table, Game.table_id == Table.id)
    )
    for seat, table in session.execute(rows.where(GameSeat.nickname.is_not(None))).all():
        if folded(seat.nickname or "") == folded(name):
            yield seat, table


def _blanked(session: Session, name: str) -> int:
    """How many notes named it."""
    count = 0
    for line in session.scalars(select(Audit)):
        before, after = _without(line.before, name), _without(line.after, name)
        if (before, after) != (line.before, line.after):
            line.before, line.after = before, after
            count += 1
    for result in session.scalars(select(HandResult)):
        if result.reason != (reason := _without(result.reason, name)):
            result.reason = reason
            count += 1
    for aside in session.scalars(select(SetAside)):
        if stands_in(aside.payload, name):
            aside.payload = cut(aside.payload, name)
            count += 1
    return count


def _without(value: Any, name: str) -> Any:
    """A value of JSON without the name."""
    if value is None or not stands_in(raw := msgspec.json.encode(value), name):
        return value
    return msgspec.json.decode(cut(raw, name))


def forget_marked(session: Session) -> None:
    """Forget the names that have a mark: rows that came back with a backup."""
    club = session.get_one(Club, 1)
    marks = {row.mark: row.at for row in session.scalars(select(Forgotten))}
    known = {
        text for row in session.scalars(select(Player)) for text in (row.nickname, row.full_name) if text
    }
    known |= {name for name in session.scalars(select(GameSeat.nickname)) if name}
    for name in sorted(known):
        if at := marks.get(mark(club, name)):
            forget(session, name, at)
