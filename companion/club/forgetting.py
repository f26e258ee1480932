"""Forgetting a name: in every row of the database, and for what still comes from tables and backups."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from companion.club.database import changed, folded, mark
from companion.club.model import (
    Audit,
    Base,
    Club,
    Event,
    Forgotten,
    Game,
    GameSeat,
    HandResult,
    Player,
    SetAside,
    Table,
    User,
)
from companion.referee.traces import cut


class Found(NamedTuple):
    """Where a name was, and is no more."""

    players: int
    seats: int
    notes: int
    """Lines of the desk's log, reasons, names of events, and messages that were set aside."""
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
    user = session.scalar(select(User.id).where(User.folded == wanted))
    notes = sum(_blanked(session, each, as_login=user is None) for each in sorted(names))
    for each in names:
        if session.get(Forgotten, mark(club, each)) is None:
            session.merge(Forgotten(mark=mark(club, each), at=now))
    changed(session)
    return Found(len(players), seats, notes, tuple(sorted(tables)), user is not None)


def _seats(session: Session, name: str) -> Iterator[tuple[GameSeat, Table]]:
    rows = (
        select(GameSeat, Table).join(Game, GameSeat.game_id == Game.id).join(Table, Game.table_id == Table.id)
    )
    for seat, table in session.execute(rows.where(GameSeat.nickname.is_not(None))).all():
        if folded(seat.nickname or "") == folded(name):
            yield seat, table


def _blanked(session: Session, name: str, *, as_login: bool) -> int:
    """How many notes named it; `as_login`: also as somebody who did something at the desk."""
    holders: tuple[tuple[type[Base], tuple[str, ...]], ...] = (
        (Audit, ("before", "after", "who") if as_login else ("before", "after")),
        (HandResult, ("reason",)),
        (SetAside, ("why", "payload")),
        (Event, ("name",)),
    )
    count = 0
    for kind, columns in holders:
        for row in session.scalars(select(kind)):
            kept = {one: (getattr(row, one), _without(getattr(row, one), name)) for one in columns}
            gone = {one: after for one, (before, after) in kept.items() if before != after}
            for column, value in gone.items():
                setattr(row, column, value)
            count += bool(gone)
    return count


def _without(value: Any, name: str) -> Any:
    """A value of JSON, or bytes, without the name, in whichever case somebody typed it."""
    match value:
        case bytes():
            for spelled in _spelled(value.decode("utf-8", "replace"), name):
                value = cut(value, spelled)
            return value
        case str():
            return _without(value.encode(), name).decode("utf-8", "replace")
        case list():
            return [_without(one, name) for one in value]
        case dict():
            return {_without(key, name): _without(one, name) for key, one in value.items()}
    return value


def _spelled(text: str, name: str) -> set[str]:
    """The name, and how the text has it."""
    pattern = r"\s+".join(re.escape(part) for part in name.split())
    return {name, *re.findall(pattern, text, re.IGNORECASE)}


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
