"""Removal of a player's name from the database, and from late messages and backups."""

import re
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from companion.referee.name_search import remove_name
from companion_club.hub import people
from companion_club.hub.database import fold_name, forgotten_name_hash, mark_changed
from companion_club.hub.model import (
    Audit,
    Base,
    ClubRecord,
    EntrantRecord,
    EventRecord,
    ForgottenName,
    GameRecord,
    GameSeat,
    HandResult,
    PlayerRecord,
    PodRecord,
    PodSeat,
    RoundRecord,
    TableRecord,
    UnreadMessage,
    User,
)


class NameRemoval(NamedTuple):
    """Where a name was, and is no more."""

    players: int
    places: int
    """Of rounds, in pods or with a bye: nobody's name stands there any more."""
    seats: int
    """Of games that tables told."""
    notes: int
    """Lines of the desk's log, reasons, names of events, and messages that were set aside."""
    tables: tuple[str, ...]
    """Tables at which that nickname played: they have stores of their own."""
    left: tuple[str, ...]
    """Events that go on, in whose next rounds that player is not drawn any more."""
    logs_in: bool
    """Somebody logs in under this name; that stays."""

    @property
    def anything(self) -> bool:
        return bool(self.players or self.seats or self.notes)


class CurrentSeat(NamedTuple):
    """Where somebody plays now."""

    event: str
    round: int
    """0: entered, and in no round that is on."""
    pod: int
    """0: none, or a bye."""


def find_current_seats(session: Session, name: str) -> list[CurrentSeat]:
    """Where the player of that name sits in events that go on."""
    found = []
    ids = [one.id for one in _find_players(session, name)]
    for entrant, event in _current_entries(session, ids):
        seat = session.execute(
            select(RoundRecord.number, PodRecord.number, PodRecord.bye)
            .join(PodSeat, PodSeat.pod_id == PodRecord.id)
            .join(RoundRecord, PodRecord.round_id == RoundRecord.id)
            .where(RoundRecord.event_id == event.id, RoundRecord.state == "announced")
            .where(PodSeat.player_id == entrant.player_id)
        ).first()
        if seat is not None:
            found.append(CurrentSeat(event.name, seat[0], 0 if seat[2] else seat[1]))
        elif entrant.until_round is None:
            found.append(CurrentSeat(event.name, 0, 0))
    return found


def is_forgotten(session: Session, name: str) -> bool:
    """Whether that name was forgotten before, so that what comes under it is not kept."""
    return session.get(ForgottenName, forgotten_name_hash(session.get_one(ClubRecord, 1), name)) is not None


def _find_players(session: Session, name: str) -> list[PlayerRecord]:
    wanted = fold_name(name)
    return [
        one
        for one in session.scalars(select(PlayerRecord))
        if wanted in (one.folded, fold_name(one.full_name))
    ]


def _current_entries(session: Session, players: list[int]) -> list[tuple[EntrantRecord, EventRecord]]:
    """Entries of these players in events that go on."""
    asked = select(EntrantRecord, EventRecord).join(EventRecord, EntrantRecord.event_id == EventRecord.id)
    wanted = asked.where(EntrantRecord.player_id.in_(players), EventRecord.state != "over").order_by(
        EventRecord.id
    )
    return [(entrant, event) for entrant, event in session.execute(wanted)]


def forget_name(session: Session, name: str, now: str) -> NameRemoval:
    """Remove a nickname, or a full name, from every row; what comes later does not bring it back.

    What the player won stays, under no name, for others played against it. A player in an event that goes
    on drops out of it.
    """
    players = _find_players(session, name)
    ids = [one.id for one in players]
    left = _drop_out(session, ids)
    places = session.scalar(select(func.count()).select_from(PodSeat).where(PodSeat.player_id.in_(ids))) or 0
    names = {name, *(text for one in players for text in (one.nickname, one.full_name) if text)}
    names |= set(_former_nicknames(session, {one.id for one in players}))
    tables: set[str] = set()
    seats = 0
    club = session.get_one(ClubRecord, 1)
    for each in sorted(names):
        for seat, table in _seats_of_name(session, each):
            names.add(seat.nickname or each)
            seat.nickname, seat.forgotten = None, True
            tables.add(table.name or table.slug)
            seats += 1
    for one in players:
        one.nickname = one.folded = None
        one.full_name, one.consent, one.consented = "", False, now
    user = session.scalar(select(User.id).where(User.folded == fold_name(name)))
    notes = sum(_blank_notes(session, each, as_login=user is None) for each in sorted(names))
    for each in names:
        if session.get(ForgottenName, forgotten_name_hash(club, each)) is None:
            session.merge(ForgottenName(mark=forgotten_name_hash(club, each), at=now))
    mark_changed(session)
    return NameRemoval(len(players), places, seats, notes, tuple(sorted(tables)), left, user is not None)


def _drop_out(session: Session, players: list[int]) -> tuple[str, ...]:
    """Draw these players into no further round; of which events that was."""
    left = []
    for entrant, event in _current_entries(session, players):
        if entrant.until_round is not None:
            continue
        left.append(event.name)
        people.drop_out(session, entrant)
    return tuple(left)


def _former_nicknames(session: Session, players: Collection[int]) -> Iterator[str]:
    """Nicknames that the desk put right, taken out of its log. One that somebody else has now is theirs."""
    for row in session.scalars(select(Audit)):
        match row.before:
            case {"player": int(player), "was": str(was)} if was and player in players:
                row.before = {**row.before, "was": None}
            case _:
                continue
        if people.find_player(session, was) is None:
            yield was


def _seats_of_name(session: Session, name: str) -> Iterator[tuple[GameSeat, TableRecord]]:
    rows = (
        select(GameSeat, TableRecord)
        .join(GameRecord, GameSeat.game_id == GameRecord.id)
        .join(TableRecord, GameRecord.table_id == TableRecord.id)
    )
    for seat, table in session.execute(rows.where(GameSeat.nickname.is_not(None))).all():
        if fold_name(seat.nickname or "") == fold_name(name):
            yield seat, table


def _blank_notes(session: Session, name: str, *, as_login: bool) -> int:
    """How many notes named it; `as_login`: also as somebody who did something at the desk."""
    holders: tuple[tuple[type[Base], tuple[str, ...]], ...] = (
        (Audit, ("before", "after", "who") if as_login else ("before", "after")),
        (HandResult, ("reason",)),
        (UnreadMessage, ("why", "payload")),
        (EventRecord, ("name",)),
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
            for spelled in _spellings_in(value.decode("utf-8", "replace"), name):
                value = remove_name(value, spelled)
            return value
        case str():
            return _without(value.encode(), name).decode("utf-8", "replace")
        case list():
            return [_without(one, name) for one in value]
        case dict():
            return {_without(key, name): _without(one, name) for key, one in value.items()}
    return value


def _spellings_in(text: str, name: str) -> set[str]:
    """The name, and how the text has it."""
    pattern = r"\s+".join(re.escape(part) for part in name.split())
    return {name, *re.findall(pattern, text, re.IGNORECASE)}


def forget_seat(session: Session, game_id: str, chair: int) -> bool:
    """Forget who sat there, as a table asks; whether there was anybody who was not forgotten yet."""
    seat = session.get(GameSeat, (game_id, chair))
    if seat is None or seat.forgotten:
        return False
    seat.nickname, seat.forgotten = None, True
    if not session.get_one(GameRecord, game_id).task:
        seat.player_id = None  # known by the nickname alone
    return True


def forget_marked(session: Session) -> None:
    """Forget the names that have a mark: rows that came back with a backup."""
    club = session.get_one(ClubRecord, 1)
    marks = {row.mark: row.at for row in session.scalars(select(ForgottenName))}
    known = {
        text
        for row in session.scalars(select(PlayerRecord))
        for text in (row.nickname, row.full_name)
        if text
    }
    known |= {name for name in session.scalars(select(GameSeat.nickname)) if name}
    for name in sorted(known):
        if at := marks.get(forgotten_name_hash(club, name)):
            forget_name(session, name, at)
